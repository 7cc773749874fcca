//! A number that cannot overflow or underflow: mantissa · 2^exponent.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul};

const LN2_HI: f64 = 6.931_471_803_691_238e-1;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;
/// Adding and subtracting this rounds to the nearest integer, for numbers below 2^51.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// Coefficients of the rational approximation of e^r on |r| <= ln(2)/2 (W. Cody; as in most C libraries).
const P: [f64; 5] = [
    1.666_666_666_666_660_2e-1,
    -2.777_777_777_701_559_3e-3,
    6.613_756_321_437_934e-5,
    -1.653_390_220_546_525_2e-6,
    4.138_136_797_057_238_5e-8,
];

/// The integer n in e^x = y · 2^n, with y in [0.7, 1.42].
#[inline(always)]
pub(crate) fn exp_exponent(x: f64) -> f64 {
    (x * std::f64::consts::LOG2_E + ROUND) - ROUND
}

/// y in e^x = y · 2^n, to within one unit in the last place. It has no branches, so it vectorises. It has no fused
/// operations, so every processor gives the same bits.
#[inline(always)]
pub(crate) fn exp_mantissa(x: f64, n: f64) -> f64 {
    // Beyond 2^51, x is coarser than the period of the mantissa; the clamp keeps the result finite.
    let r = ((x - n * LN2_HI) - n * LN2_LO).clamp(-0.4, 0.4);
    let t = r * r;
    let c = r - t * (P[0] + t * (P[1] + t * (P[2] + t * (P[3] + t * P[4]))));
    1.0 + (r + r * c / (2.0 - c))
}

/// Coefficients of the approximation of log(1 + f) by s = f / (2 + f) (as in most C libraries).
const LG: [f64; 7] = [
    6.666_666_666_666_735e-1,
    3.999_999_999_940_942e-1,
    2.857_142_874_366_239e-1,
    2.222_219_843_214_978_4e-1,
    1.818_357_216_161_805e-1,
    1.531_383_769_920_937_3e-1,
    1.479_819_860_511_658_6e-1,
];

/// The natural logarithm of a normal positive number, to within one unit in the last place; -∞ for zero. It has no
/// branches, so it vectorises.
#[inline(always)]
pub(crate) fn ln_positive(x: f64) -> f64 {
    /// √½, the least mantissa.
    const LEAST: u64 = 0x3fe6_a09e_667f_3bcd;
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    // x = m · 2^k with m in [√½, √2).
    let bits = x.to_bits().wrapping_add(ONE - LEAST);
    let k = f64::from_bits((bits >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    let f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + LEAST) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let r = LG[..6].iter().rev().fold(LG[6], |sum, &coefficient| sum.mul_add(z, coefficient)) * z;
    let half = 0.5 * f * f;
    let ln = k.mul_add(LN2_HI, f - (half - s.mul_add(half + r, k * LN2_LO)));
    if x == 0.0 { f64::NEG_INFINITY } else { ln }
}

/// Pairs of coefficients of (e^r - 1 - r) / r² on |r| <= ln(2)/2: interpolation at ten Chebyshev points. The relative
/// error of e^r is at most 1.7e-17.
const EXP: [[f64; 2]; 5] = [
    [0.500_000_000_000_000_1, 0.166_666_666_666_666_69],
    [0.041_666_666_666_623_99, 0.008_333_333_333_330_051],
    [0.001_388_888_891_728_179_4, 0.000_198_412_698_631_059_68],
    [2.480_152_119_021_773e-5, 2.755_726_837_868_419_2e-6],
    [2.762_013_871_973_399_4e-7, 2.510_042_415_700_506_7e-8],
];

/// e^x for x <= 0, to within one unit in the last place; 0 below -708.8, also for -∞. It has no branches and no
/// division: it is the innermost loop of the causal model.
#[inline(always)]
pub(crate) fn exp_of_negative(x: f64) -> f64 {
    /// -1023 ln(2), where the power of two becomes 0.
    const LEAST: f64 = -709.089_565_712_824_1;
    let x = if x > LEAST { x } else { LEAST };
    // The last bits of this sum are the exponent of 2^n.
    let biased = x.mul_add(std::f64::consts::LOG2_E, ROUND + 1023.0);
    let n = biased - (ROUND + 1023.0);
    let r = n.mul_add(-LN2_LO, n.mul_add(-LN2_HI, x));
    let t = r * r;
    let pair = |k: usize| EXP[k][1].mul_add(r, EXP[k][0]);
    let tail = pair(4).mul_add(t, pair(3)).mul_add(t, pair(2)).mul_add(t, pair(1)).mul_add(t, pair(0));
    (1.0 + tail.mul_add(t, r)) * f64::from_bits(biased.to_bits() << 52)
}

/// 2^n for an integer n up to 1023; 0 for n <= -1023.
#[inline(always)]
pub(crate) fn power_of_two(n: f64) -> f64 {
    f64::from_bits((n.max(-1023.0) + (1023.0 + ROUND)).to_bits() << 52)
}

/// The exponent of a normal positive number; -∞ for zero.
#[inline(always)]
pub(crate) fn exponent_of(number: f64) -> f64 {
    // The biased exponent as a float: the inverse of the trick in `power_of_two`.
    let biased = f64::from_bits((number.to_bits() >> 52) | 0x4330_0000_0000_0000);
    if number == 0.0 { f64::NEG_INFINITY } else { biased - (4_503_599_627_370_496.0 + 1023.0) }
}

/// The mantissa of a normal positive number, in [1, 2); 0 for zero.
#[inline(always)]
pub(crate) fn mantissa_of(number: f64) -> f64 {
    let normal = f64::from_bits((number.to_bits() & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    if number == 0.0 { 0.0 } else { normal }
}

/// mantissa · 2^exponent, never negative. Either the mantissa lies in [1, 2), or the number is zero and its exponent is
/// -∞. The exponent is an integer stored as an `f64`, so that rewards of any finite size fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled {
    /// In [1, 2), or 0.
    pub mantissa: f64,
    /// An integer, or -∞ for zero.
    pub exponent: f64,
}

impl Scaled {
    /// 0.
    pub const ZERO: Scaled = Scaled { mantissa: 0.0, exponent: f64::NEG_INFINITY };
    /// 1.
    pub const ONE: Scaled = Scaled { mantissa: 1.0, exponent: 0.0 };

    /// The weights divided by their sum, without overflow or underflow; `None` if all are zero.
    pub fn normalised(weights: &[Scaled]) -> Option<Vec<f64>> {
        let most = weights.iter().fold(f64::NEG_INFINITY, |most, weight| weight.exponent.max(most));
        if most == f64::NEG_INFINITY {
            return None;
        }
        let scale = Scaled { mantissa: 1.0, exponent: -most };
        let shares: Vec<f64> = weights.iter().map(|&weight| (weight * scale).to_f64()).collect();
        let sum: f64 = shares.iter().sum();
        Some(shares.into_iter().map(|share| share / sum).collect())
    }

    pub(crate) fn of(mantissa: f64, exponent: f64) -> Scaled {
        Scaled { mantissa: mantissa_of(mantissa), exponent: exponent + exponent_of(mantissa) }
    }

    /// e^x; 0 for -∞.
    pub fn exp(x: f64) -> Scaled {
        if x == f64::NEG_INFINITY {
            return Scaled::ZERO;
        }
        let n = exp_exponent(x);
        Scaled::of(exp_mantissa(x, n), n)
    }

    /// The natural logarithm; -∞ for zero.
    pub fn ln(self) -> f64 {
        if self.is_zero() {
            return f64::NEG_INFINITY;
        }
        // With a mantissa around 1, the two terms do not cancel for numbers just below 1.
        let large = self.mantissa > std::f64::consts::SQRT_2;
        let (mantissa, exponent) =
            if large { (self.mantissa / 2.0, self.exponent + 1.0) } else { (self.mantissa, self.exponent) };
        exponent * LN2_HI + (exponent * LN2_LO + mantissa.ln())
    }

    /// The nearest `f64`; 0 below its normal range, infinite above it.
    pub fn to_f64(self) -> f64 {
        if self.exponent > 1023.0 { f64::INFINITY } else { self.mantissa * power_of_two(self.exponent) }
    }

    /// The number divided by 2^exponent, where `exponent` is at least its own exponent.
    fn shifted(self, exponent: f64) -> f64 {
        self.mantissa * power_of_two(self.exponent - exponent)
    }

    /// Whether it is exactly zero.
    pub fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }
}

impl From<f64> for Scaled {
    /// Converts a finite number that is not negative.
    fn from(value: f64) -> Scaled {
        debug_assert!(value >= 0.0 && value.is_finite(), "{value} cannot be scaled");
        let subnormal = value < f64::MIN_POSITIVE;
        // 2^200 lifts the smallest subnormal into the normal range.
        let (lifted, offset) = if subnormal { (value * 2f64.powi(200), -200.0) } else { (value, 0.0) };
        Scaled::of(lifted, offset)
    }
}

impl Add for Scaled {
    type Output = Scaled;
    fn add(self, other: Scaled) -> Scaled {
        let exponent = self.exponent.max(other.exponent);
        Scaled::of(self.shifted(exponent) + other.shifted(exponent), exponent)
    }
}

impl AddAssign for Scaled {
    fn add_assign(&mut self, other: Scaled) {
        *self = *self + other;
    }
}

impl Mul for Scaled {
    type Output = Scaled;
    fn mul(self, other: Scaled) -> Scaled {
        Scaled::of(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }
}

impl Div for Scaled {
    type Output = Scaled;
    fn div(self, other: Scaled) -> Scaled {
        debug_assert!(!other.is_zero());
        Scaled::of(self.mantissa / other.mantissa, self.exponent - other.exponent)
    }
}

impl Sum for Scaled {
    fn sum<I: Iterator<Item = Scaled>>(numbers: I) -> Scaled {
        numbers.fold(Scaled::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_within_a_unit_in_the_last_place_of_std() {
        for step in -70_000..70_000 {
            let x = f64::from(step) * 0.01 + 0.001_234_5;
            let (ours, std) = (Scaled::exp(x).to_f64(), x.exp());
            assert!((ours - std).abs() <= 2.3e-16 * std, "exp({x}): {ours:e}, expected {std:e}");
        }
    }

    #[test]
    fn ln_is_within_a_unit_in_the_last_place_of_std() {
        for step in 1..200_000 {
            let x = (f64::from(step) * 0.000_7).exp() * 1e-30;
            for x in [x, 1.0 + f64::from(step) * 1e-7] {
                let (ours, std) = (ln_positive(x), x.ln());
                assert!((ours - std).abs() <= 2.3e-16 * std.abs(), "ln({x}): {ours:e}, expected {std:e}");
            }
        }
        assert_eq!((ln_positive(1.0), ln_positive(0.0)), (0.0, f64::NEG_INFINITY));
    }

    #[test]
    fn exp_of_negative_is_within_a_unit_in_the_last_place_of_std() {
        for step in 0..700_000 {
            let x = f64::from(step) * -0.001 - 0.000_123_45;
            let (ours, std) = (exp_of_negative(x), x.exp());
            assert!((ours - std).abs() <= 2.3e-16 * std, "exp({x}): {ours:e}, expected {std:e}");
        }
        for (x, exact) in [(0.0, 1.0), (-0.0, 1.0), (-709.0, 0.0), (-1e4, 0.0), (-1e300, 0.0), (f64::NEG_INFINITY, 0.0)] {
            assert_eq!(exp_of_negative(x), exact, "exp({x})");
        }
    }

    #[test]
    fn nothing_leaves_the_range() {
        for x in [1e3, 1e5, 1e9, 1e15, 1e18, 1e300, -1e3, -1e5, -1e300] {
            let number = Scaled::exp(x);
            assert!((1.0..2.0).contains(&number.mantissa), "exp({x}) = {number:?}");
            assert!((number.ln() - x).abs() <= 1e-15 * x.abs(), "ln(exp({x})) = {}", number.ln());
        }
    }

    /// The mantissa of e^{-300000} = 1.4022… · 2^{-432809}, from a 60-digit computation.
    #[test]
    fn exp_of_large_arguments_keeps_every_digit() {
        let tiny = Scaled::exp(-3e5);
        assert_eq!(tiny.exponent, -432_809.0);
        assert!((tiny.mantissa / 1.402_240_015_963_820_4 - 1.0).abs() < 4e-16);
        assert!((Scaled::from(1.0 - 1e-9).ln() / (-1e-9f64).ln_1p() - 1.0).abs() < 1e-7);
    }

    #[test]
    fn arithmetic_keeps_zero_and_the_smallest_numbers() {
        let tiny = Scaled::from(f64::from_bits(1));
        assert_eq!((tiny * Scaled::from(2f64.powi(600))).to_f64(), f64::from_bits(1) * 2f64.powi(600));
        assert_eq!(Scaled::ZERO + Scaled::ONE, Scaled::ONE);
        assert_eq!(Scaled::ZERO + Scaled::ZERO, Scaled::ZERO);
        assert_eq!(Scaled::ZERO * Scaled::exp(1e9), Scaled::ZERO);
        assert_eq!(Scaled::ONE + Scaled::exp(-1e9), Scaled::ONE);
        assert_eq!((Scaled::from(3.0) + Scaled::from(0.25)).to_f64(), 3.25);
        assert_eq!((Scaled::from(3.0) / Scaled::from(8.0)).to_f64(), 0.375);
    }
}
