//! Mutations of an input.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Inputs do not grow beyond this: longer ones are slow and find nothing more.
const LONGEST: usize = 32 * 1024;
/// Bytes and their neighbours where programs make mistakes.
const BYTES: [u8; 12] = [0, 1, 0x7f, 0x80, 0xff, 0xfe, b'0', b'-', b'"', b',', b'\n', 0xc3];

/// Changes inputs at random, the same way for the same seed.
pub struct Mutator {
    rng: Pcg64Mcg,
    words: &'static [&'static str],
}

impl Mutator {
    /// With the words of a format.
    pub fn new(seed: u64, words: &'static [&'static str]) -> Mutator {
        Mutator { rng: Pcg64Mcg::seed_from_u64(seed), words }
    }

    /// A place in 0..=most.
    fn up_to(&mut self, most: usize) -> usize {
        self.rng.random_range(0..=most)
    }

    /// One of the inputs.
    pub fn choose<'a>(&mut self, inputs: &'a [Vec<u8>]) -> &'a [u8] {
        if inputs.is_empty() { &[] } else { &inputs[self.rng.random_range(0..inputs.len())] }
    }

    /// A few mutations of one input, with parts of another.
    pub fn mutate(&mut self, input: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = input.to_vec();
        for _ in 0..1 + self.up_to(3).min(self.up_to(6)) {
            self.change(&mut bytes, other);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        let length = bytes.len();
        let at = self.up_to(length);
        let (from, count) = (self.up_to(length), self.up_to(8).max(self.up_to(64) * usize::from(self.up_to(4) == 0)));
        let range = from..(from + count).min(length);
        match self.up_to(10) {
            0 if at < length => bytes[at] ^= 1 << self.up_to(7),
            1 if at < length => bytes[at] = BYTES[self.up_to(BYTES.len() - 1)],
            2 => bytes.insert(at, BYTES[self.up_to(BYTES.len() - 1)]),
            3 => drop(bytes.drain(range)),
            4 => {
                let copied = bytes[range].to_vec();
                bytes.splice(at..at, copied);
            }
            5 if !other.is_empty() => {
                let start = self.up_to(other.len() - 1);
                let end = (start + 1 + self.up_to(40)).min(other.len());
                bytes.splice(at..at, other[start..end].iter().copied());
            }
            6 => bytes.truncate(at),
            7 | 8 if !self.words.is_empty() => {
                let word = self.words[self.up_to(self.words.len() - 1)];
                let replaced = if self.up_to(1) == 0 { range } else { at..at };
                bytes.splice(replaced, word.bytes());
            }
            9 => self.change_number(bytes, at),
            _ if at + 4 <= length => {
                let number = [0, 1, u32::MAX, 1 << 31, 1 << 16][self.up_to(4)];
                bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            }
            _ => bytes.push(self.up_to(255) as u8),
        }
    }

    /// Replaces a number in a text by another.
    fn change_number(&mut self, bytes: &mut Vec<u8>, at: usize) {
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        let Some(start) = bytes[at..].iter().position(is_digit).map(|offset| at + offset) else { return };
        let end = bytes[start..].iter().position(|byte| !is_digit(byte)).map_or(bytes.len(), |offset| start + offset);
        const NUMBERS: [&str; 10] =
            ["0", "1", "-1", "2", "0.5", "1e300", "-1e-300", "4294967295", "9223372036854775808", "99999999999999999999"];
        bytes.splice(start..end, NUMBERS[self.up_to(NUMBERS.len() - 1)].bytes());
    }
}
