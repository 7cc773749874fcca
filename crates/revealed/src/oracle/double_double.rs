//! 106-bit numbers, as the unevaluated sum of two `f64`.

use std::ops::{Add, Mul, Sub};

/// `high` + `low`, where `low` is at most half a unit in the last place of `high`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct DoubleDouble {
    high: f64,
    low: f64,
}

impl DoubleDouble {
    /// 0.
    pub const ZERO: DoubleDouble = DoubleDouble { high: 0.0, low: 0.0 };
    /// 1.
    pub const ONE: DoubleDouble = DoubleDouble { high: 1.0, low: 0.0 };

    /// a · b without rounding.
    pub fn product(a: f64, b: f64) -> DoubleDouble {
        let high = a * b;
        DoubleDouble { high, low: a.mul_add(b, -high) }
    }

    /// a + b without rounding (Knuth's two-sum).
    pub fn sum(a: f64, b: f64) -> DoubleDouble {
        let high = a + b;
        let b_part = high - a;
        let a_part = high - b_part;
        DoubleDouble { high, low: (a - a_part) + (b - b_part) }
    }

    /// The nearest `f64`.
    pub fn to_f64(self) -> f64 {
        self.high
    }

    /// The part that [`to_f64`](Self::to_f64) drops.
    pub fn rest(self) -> f64 {
        self.low
    }

    /// γ^0 … γ^{count-1}.
    pub(super) fn powers(base: f64, count: usize) -> Vec<DoubleDouble> {
        std::iter::successors(Some(DoubleDouble::ONE), |&power| Some(power * DoubleDouble::from(base))).take(count).collect()
    }

    /// Restores the invariant of the pair; requires |high| >= |low|.
    fn renormalised(high: f64, low: f64) -> DoubleDouble {
        let sum = high + low;
        DoubleDouble { high: sum, low: low - (sum - high) }
    }
}

impl From<f64> for DoubleDouble {
    fn from(value: f64) -> DoubleDouble {
        DoubleDouble { high: value, low: 0.0 }
    }
}

impl Add for DoubleDouble {
    type Output = DoubleDouble;

    fn add(self, other: DoubleDouble) -> DoubleDouble {
        let high = DoubleDouble::sum(self.high, other.high);
        let low = DoubleDouble::sum(self.low, other.low);
        let partial = DoubleDouble::renormalised(high.high, high.low + low.high);
        DoubleDouble::renormalised(partial.high, partial.low + low.low)
    }
}

impl Sub for DoubleDouble {
    type Output = DoubleDouble;

    fn sub(self, other: DoubleDouble) -> DoubleDouble {
        self + DoubleDouble { high: -other.high, low: -other.low }
    }
}

impl Mul for DoubleDouble {
    type Output = DoubleDouble;

    fn mul(self, other: DoubleDouble) -> DoubleDouble {
        let product = DoubleDouble::product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        DoubleDouble::renormalised(product.high, product.low + cross)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_keep_what_f64_drops() {
        let sum = DoubleDouble::from(1e17) + DoubleDouble::from(0.25) + DoubleDouble::from(-1e17);
        assert_eq!(sum, DoubleDouble::from(0.25));
        assert!(DoubleDouble::sum(1.0, 1e-20) > DoubleDouble::ONE);
    }

    /// The f64 nearest to 0.9 is 8106479329266893 / 2^53, whose square needs 106 bits.
    #[test]
    fn products_keep_what_f64_drops() {
        let square = DoubleDouble::powers(0.9, 3)[2];
        let exact = 8_106_479_329_266_893u128.pow(2);
        let scale = (1u128 << 53) as f64;
        let high = (square.to_f64() * scale * scale) as u128;
        let low = square.rest() * scale * scale;
        assert_eq!(exact as i128 - high as i128, low as i128);
        assert_ne!(low, 0.0);
    }

    #[test]
    fn cubes_are_right_to_100_bits() {
        let cube = DoubleDouble::powers(0.9, 4)[3];
        let by_parts = DoubleDouble::from(0.9) * DoubleDouble::product(0.9, 0.9);
        assert!((cube - by_parts).to_f64().abs() < 1e-31);
        let third = DoubleDouble::from(3.0) * cube - cube - cube - cube;
        assert!(third.to_f64().abs() < 1e-31, "{third:?}");
    }
}
