//! Numbers from bytes: a problem for each input.

/// Reads numbers until the bytes are used up; then all are 0.
pub(crate) struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().map_or((0, self.0), |(first, rest)| (*first, rest));
        self.0 = rest;
        first
    }

    /// A number from 0 to `most`.
    pub fn up_to(&mut self, most: usize) -> usize {
        usize::from(self.byte()) % (most + 1)
    }

    /// A number in [0, 1].
    pub fn share(&mut self) -> f64 {
        f64::from(u16::from_be_bytes([self.byte(), self.byte()])) / f64::from(u16::MAX)
    }

    /// A number of any size, mostly moderate: at most 1e18 in size.
    pub fn number(&mut self) -> f64 {
        let sign = if self.byte() & 1 == 0 { 1.0 } else { -1.0 };
        let size = match self.up_to(7) {
            0 => 0.0,
            1..=5 => 4.0 * self.share(),
            6 => 100.0 * self.share(),
            _ => 10f64.powi(self.up_to(36) as i32 - 18),
        };
        sign * size
    }

    pub fn seed(&mut self) -> u64 {
        u64::from_be_bytes([0; 8].map(|_: u8| self.byte()))
    }
}
