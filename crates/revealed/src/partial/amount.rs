//! The numbers of the clamped pass: plain ones, with one exponent for each layer, or numbers of any size.

use super::prices::Prices;
use crate::numeric::Scaled;

/// Plain numbers below this, relative to the largest of their layer, may lose the only path that agrees with what
/// follows. So the pass starts again with wide ones.
const LEAST: f64 = 1e-200;
/// The same for sums before they are divided by the largest.
const MOST: f64 = 1e250;

/// A number that is not negative.
pub(crate) trait Amount: Copy + Send + Sync {
    /// 0.
    const ZERO: Self;
    /// Of any number; for plain ones out of their range, 0 or infinite.
    fn of(number: Scaled) -> Self;
    /// e^log.
    fn exp(log: f64) -> Self;
    /// The weight of a transition after `time` steps.
    fn price(prices: &Prices<'_>, time: usize, transition: usize) -> Self;
    /// The sum.
    fn add(self, other: Self) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
    /// The product with a plain number.
    fn by(self, factor: f64) -> Self;
    /// As a number of any size.
    fn scaled(self) -> Scaled;
    /// The product as a plain number.
    fn product(self, other: Self) -> f64;
    /// Divides the numbers of a layer by a power of 2, and returns its exponent. `None` if digits might be lost.
    fn rescale(layer: &mut [Self]) -> Option<f64>;
}

impl Amount for f64 {
    const ZERO: f64 = 0.0;

    fn of(number: Scaled) -> f64 {
        number.to_f64()
    }

    fn exp(log: f64) -> f64 {
        log.exp()
    }

    fn price(prices: &Prices<'_>, time: usize, transition: usize) -> f64 {
        prices.step(time, transition)
    }

    fn add(self, other: f64) -> f64 {
        self + other
    }

    fn times(self, other: f64) -> f64 {
        self * other
    }

    fn by(self, factor: f64) -> f64 {
        self * factor
    }

    fn scaled(self) -> Scaled {
        Scaled::from(self)
    }

    fn product(self, other: f64) -> f64 {
        self * other
    }

    fn rescale(layer: &mut [f64]) -> Option<f64> {
        let (least, most) =
            layer.iter().fold((f64::INFINITY, 0.0f64), |(least, most), &number| (least.min(number), most.max(number)));
        if layer.is_empty() {
            return Some(0.0);
        }
        if !(1.0 / MOST..=MOST).contains(&most) || least < most * LEAST {
            return None;
        }
        let exponent = most.log2().floor();
        let factor = (-exponent).exp2();
        layer.iter_mut().for_each(|number| *number *= factor);
        Some(exponent)
    }
}

impl Amount for Scaled {
    const ZERO: Scaled = Scaled::ZERO;

    fn of(number: Scaled) -> Scaled {
        number
    }

    fn exp(log: f64) -> Scaled {
        Scaled::exp(log)
    }

    fn price(prices: &Prices<'_>, time: usize, transition: usize) -> Scaled {
        Scaled::exp(prices.log_step(time, transition))
    }

    fn add(self, other: Scaled) -> Scaled {
        // The sum of two zeros has no exponent.
        if self.is_zero() {
            other
        } else if other.is_zero() {
            self
        } else {
            self + other
        }
    }

    fn times(self, other: Scaled) -> Scaled {
        if self.is_zero() || other.is_zero() { Scaled::ZERO } else { self * other }
    }

    fn by(self, factor: f64) -> Scaled {
        if factor == 1.0 { self } else { self.times(Scaled::from(factor)) }
    }

    fn scaled(self) -> Scaled {
        self
    }

    fn product(self, other: Scaled) -> f64 {
        self.times(other).to_f64()
    }

    fn rescale(_: &mut [Scaled]) -> Option<f64> {
        Some(0.0)
    }
}
