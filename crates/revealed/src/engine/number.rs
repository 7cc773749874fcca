//! The two kinds of numbers that the kernel computes with, eight at a time.
//!
//! [`Plain`] is an `f64`: fast, and correct as long as no number leaves its range, which the passes check. [`Wide`] is
//! a mantissa and an exponent: correct for every finite reward. A pass with wide numbers takes 3.1 to 3.4 times as
//! long, including the attempt with plain numbers before it (docs/design/measurements.md).

use crate::engine::network::LANES;
use crate::numeric::scaled::{Scaled, exp_exponent, exp_mantissa, exponent_of, mantissa_of, power_of_two};

/// Eight `f64`.
pub(crate) type Lanes = [f64; LANES];

/// Eight results. This is a plain loop because `array::map` is a function call here, which prevents vectorisation.
#[inline(always)]
pub(crate) fn eight(mut of_lane: impl FnMut(usize) -> f64) -> Lanes {
    let mut lanes = [0.0; LANES];
    for (lane, value) in lanes.iter_mut().enumerate() {
        *value = of_lane(lane);
    }
    lanes
}

/// The range of the messages of one step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    /// The smallest value that is not zero.
    pub least: f64,
    /// The largest value.
    pub most: f64,
    /// Whether any bit differs from the step before.
    pub changed: bool,
}

impl Range {
    pub const NOTHING: Range = Range { least: f64::INFINITY, most: 0.0, changed: false };

    pub fn join(self, other: Range) -> Range {
        Range { least: self.least.min(other.least), most: self.most.max(other.most), changed: self.changed | other.changed }
    }
}

/// The same for each of eight lanes, while a chunk is processed.
#[derive(Clone, Copy)]
pub(crate) struct Extremes {
    least: Lanes,
    most: Lanes,
    difference: [u64; LANES],
}

impl Extremes {
    pub const NOTHING: Extremes = Extremes { least: [f64::INFINITY; LANES], most: [0.0; LANES], difference: [0; LANES] };

    /// Compares a block with the same block of the step before.
    #[inline(always)]
    pub fn compare(&mut self, new: &[f64], old: &[f64]) {
        for (new, old) in new.chunks_exact(LANES).zip(old.chunks_exact(LANES)) {
            for lane in 0..LANES {
                self.difference[lane] |= new[lane].to_bits() ^ old[lane].to_bits();
            }
        }
    }

    pub fn range(self) -> Range {
        Range {
            least: self.least.into_iter().fold(f64::INFINITY, f64::min),
            most: self.most.into_iter().fold(0.0, f64::max),
            changed: self.difference != [0; LANES],
        }
    }
}

/// A number of the kernel. A vector of them is a slice of `f64`, in blocks of `LANES * WIDTH`.
pub(crate) trait Number: Send + Sync + 'static {
    /// `f64`s per number.
    const WIDTH: usize;
    /// Eight numbers.
    type Eight: Copy + Send + Sync;

    fn zero() -> Self::Eight;
    fn one() -> Self::Eight;
    fn splat(value: Scaled) -> Self::Eight;
    fn load(block: &[f64]) -> Self::Eight;
    /// The block with this index of a vector.
    fn read(vector: &[f64], block: usize) -> Self::Eight;
    fn store(value: Self::Eight, block: &mut [f64]);
    /// The numbers at these places of a vector whose length in numbers is a power of two.
    fn gather(vector: &[f64], places: &[u32; LANES]) -> Self::Eight;
    fn add(a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn mul(a: Self::Eight, b: Self::Eight) -> Self::Eight;
    /// Multiplies by a power of two, if the numbers share a scale.
    fn rescale(a: Self::Eight, ratio: f64) -> Self::Eight;
    fn exp(x: Lanes) -> Self::Eight;
    /// Brings the numbers back to the range that `add` and `mul` accept.
    fn normalise(a: Self::Eight) -> Self::Eight;
    fn to_f64(a: Self::Eight) -> Lanes;
    /// The same numbers as mantissas and exponents.
    fn widened(a: Self::Eight) -> <Wide as Number>::Eight;
    /// `a`, but zero where `b` is zero.
    fn where_alive(a: Self::Eight, b: Self::Eight) -> Self::Eight;
    fn watch(a: Self::Eight, watch: &mut Extremes);
    /// One number of a vector.
    fn get(vector: &[f64], at: usize) -> Scaled;
    /// Sets one number of a vector.
    fn set(vector: &mut [f64], at: usize, value: Scaled);
}

/// A vector whose length is a power of two, and a mask for its indices. With the mask the compiler can prove that no
/// index is out of bounds, and omits the check: a compare and a branch for each read.
#[inline(always)]
fn masked(vector: &[f64]) -> (&[f64], u32) {
    let mask = (vector.len() - 1) as u32;
    (&vector[..mask as usize + 1], mask)
}

/// An `f64` as it is.
#[derive(Debug)]
pub(crate) struct Plain;

impl Number for Plain {
    const WIDTH: usize = 1;
    type Eight = Lanes;

    #[inline(always)]
    fn zero() -> Lanes {
        [0.0; LANES]
    }
    #[inline(always)]
    fn one() -> Lanes {
        [1.0; LANES]
    }
    #[inline(always)]
    fn splat(value: Scaled) -> Lanes {
        [value.to_f64(); LANES]
    }
    #[inline(always)]
    fn load(block: &[f64]) -> Lanes {
        block[..LANES].try_into().expect("a block has eight numbers")
    }
    #[inline(always)]
    fn read(vector: &[f64], block: usize) -> Lanes {
        vector.as_chunks().0[block]
    }
    #[inline(always)]
    fn store(value: Lanes, block: &mut [f64]) {
        block[..LANES].copy_from_slice(&value);
    }
    #[inline(always)]
    fn gather(vector: &[f64], places: &[u32; LANES]) -> Lanes {
        let (vector, mask) = masked(vector);
        eight(|lane| vector[(places[lane] & mask) as usize])
    }
    #[inline(always)]
    fn add(a: Lanes, b: Lanes) -> Lanes {
        eight(|lane| a[lane] + b[lane])
    }
    #[inline(always)]
    fn mul(a: Lanes, b: Lanes) -> Lanes {
        eight(|lane| a[lane] * b[lane])
    }
    #[inline(always)]
    fn rescale(a: Lanes, ratio: f64) -> Lanes {
        eight(|lane| a[lane] * ratio)
    }
    #[inline(always)]
    fn exp(x: Lanes) -> Lanes {
        let n = eight(|lane| exp_exponent(x[lane]));
        eight(|lane| exp_mantissa(x[lane], n[lane]) * power_of_two(n[lane]))
    }
    #[inline(always)]
    fn normalise(a: Lanes) -> Lanes {
        a
    }
    #[inline(always)]
    fn to_f64(a: Lanes) -> Lanes {
        a
    }
    #[inline(always)]
    fn widened(a: Lanes) -> <Wide as Number>::Eight {
        Wide::normalise((a, [0.0; LANES]))
    }
    #[inline(always)]
    fn where_alive(a: Lanes, b: Lanes) -> Lanes {
        eight(|lane| if b[lane] == 0.0 { 0.0 } else { a[lane] })
    }
    #[inline(always)]
    fn watch(a: Lanes, watch: &mut Extremes) {
        for (lane, value) in a.into_iter().enumerate() {
            let positive = if value == 0.0 { f64::INFINITY } else { value };
            watch.least[lane] = if positive < watch.least[lane] { positive } else { watch.least[lane] };
            watch.most[lane] = if value > watch.most[lane] { value } else { watch.most[lane] };
        }
    }
    fn get(vector: &[f64], at: usize) -> Scaled {
        Scaled::from(vector[at])
    }
    fn set(vector: &mut [f64], at: usize, value: Scaled) {
        vector[at] = value.to_f64();
    }
}

/// Mantissa and exponent. A block is eight mantissas, then eight exponents.
#[derive(Debug)]
pub(crate) struct Wide;

impl Number for Wide {
    const WIDTH: usize = 2;
    type Eight = (Lanes, Lanes);

    #[inline(always)]
    fn zero() -> Self::Eight {
        ([0.0; LANES], [f64::NEG_INFINITY; LANES])
    }
    #[inline(always)]
    fn one() -> Self::Eight {
        ([1.0; LANES], [0.0; LANES])
    }
    #[inline(always)]
    fn splat(value: Scaled) -> Self::Eight {
        ([value.mantissa; LANES], [value.exponent; LANES])
    }
    #[inline(always)]
    fn load(block: &[f64]) -> Self::Eight {
        (Plain::load(&block[..LANES]), Plain::load(&block[LANES..]))
    }
    #[inline(always)]
    fn read(vector: &[f64], block: usize) -> Self::Eight {
        let blocks = vector.as_chunks().0;
        (blocks[2 * block], blocks[2 * block + 1])
    }
    #[inline(always)]
    fn store(value: Self::Eight, block: &mut [f64]) {
        Plain::store(value.0, &mut block[..LANES]);
        Plain::store(value.1, &mut block[LANES..]);
    }
    #[inline(always)]
    fn gather(vector: &[f64], places: &[u32; LANES]) -> Self::Eight {
        let (vector, mask) = masked(vector);
        // Place p is lane p % 8 of block p / 8, and a block is sixteen long.
        let at = |lane: usize| places[lane] + (places[lane] & !(LANES as u32 - 1));
        let mantissa = eight(|lane| vector[(at(lane) & mask) as usize]);
        (mantissa, eight(|lane| vector[((at(lane) + LANES as u32) & mask) as usize]))
    }
    #[inline(always)]
    fn add(a: Self::Eight, b: Self::Eight) -> Self::Eight {
        let exponent = eight(|lane| if a.1[lane] > b.1[lane] { a.1[lane] } else { b.1[lane] });
        // Zero plus zero: -∞ - -∞ is NaN, for which `power_of_two` gives 0.
        let shifted = |term: Self::Eight| eight(|lane| term.0[lane] * power_of_two(term.1[lane] - exponent[lane]));
        (Plain::add(shifted(a), shifted(b)), exponent)
    }
    #[inline(always)]
    fn mul(a: Self::Eight, b: Self::Eight) -> Self::Eight {
        (Plain::mul(a.0, b.0), Plain::add(a.1, b.1))
    }
    #[inline(always)]
    fn rescale(a: Self::Eight, _ratio: f64) -> Self::Eight {
        a
    }
    #[inline(always)]
    fn exp(x: Lanes) -> Self::Eight {
        let n = eight(|lane| exp_exponent(x[lane]));
        (eight(|lane| exp_mantissa(x[lane], n[lane])), n)
    }
    #[inline(always)]
    fn normalise(a: Self::Eight) -> Self::Eight {
        (eight(|lane| mantissa_of(a.0[lane])), eight(|lane| a.1[lane] + exponent_of(a.0[lane])))
    }
    #[inline(always)]
    fn to_f64(a: Self::Eight) -> Lanes {
        eight(|lane| a.0[lane] * power_of_two(a.1[lane]))
    }
    #[inline(always)]
    fn widened(a: Self::Eight) -> Self::Eight {
        a
    }
    #[inline(always)]
    fn where_alive(a: Self::Eight, b: Self::Eight) -> Self::Eight {
        let zero = f64::NEG_INFINITY;
        (Plain::where_alive(a.0, b.0), eight(|lane| if b.0[lane] == 0.0 { zero } else { a.1[lane] }))
    }
    #[inline(always)]
    fn watch(_a: Self::Eight, _watch: &mut Extremes) {}
    fn get(vector: &[f64], at: usize) -> Scaled {
        let at = at + (at & !(LANES - 1));
        Scaled::of(vector[at], vector[at + LANES])
    }
    fn set(vector: &mut [f64], at: usize, value: Scaled) {
        let at = at + (at & !(LANES - 1));
        (vector[at], vector[at + LANES]) = (value.mantissa, value.exponent);
    }
}
