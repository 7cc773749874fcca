//! Ratios of weights: willingness to pay, the value of time.

use super::measured::{Measured, quantile};
use super::theta_covariance::ThetaCovariance;
use crate::Error;

/// A direction that is not identified changes a ratio if it does so by more than this fraction.
const LOOSE: f64 = 1e-5;

/// θ_i / θ_j: how many units of feature j are worth one unit of feature i. If j is a price and i a time, it is the
/// value of time.
///
/// ```
/// use revealed::{Fieller, Standing, ThetaCovariance, WeightRatio};
///
/// let standing = vec![Standing::Estimated; 2];
/// let known = ThetaCovariance::new(vec![-2.0, -0.5], vec![0.04, 0.0, 0.0, 0.0025], standing, vec![])?;
/// let value_of_time = WeightRatio::new(&known, 0, 1)?;
/// assert_eq!(value_of_time.ratio.value, 4.0);
/// // 4 · √(0.1² + 0.1²), by the delta method; Fieller's interval is not symmetric.
/// assert!((value_of_time.ratio.standard_error.unwrap() - 4.0 * 0.02f64.sqrt()).abs() < 1e-12);
/// let Some(Fieller::Between(low, high)) = value_of_time.fieller(0.95)? else { panic!() };
/// assert!(high - 4.0 > 4.0 - low);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct WeightRatio {
    /// i.
    pub numerator: usize,
    /// j.
    pub denominator: usize,
    /// The ratio, and its standard error by the delta method.
    pub ratio: Measured,
    weights: [f64; 2],
    /// The variances of both, and their covariance.
    variances: [f64; 3],
}

/// A confidence set for a ratio by Fieller's method, which is exact for normal estimates. It is not an interval if the
/// denominator may be 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fieller {
    /// Between two numbers.
    Between(f64, f64),
    /// Up to the first number, and from the second on.
    Outside(f64, f64),
    /// Every number.
    Everything,
}

impl Fieller {
    /// Whether the set has this number.
    pub fn contains(&self, value: f64) -> bool {
        match *self {
            Fieller::Between(low, high) => (low..=high).contains(&value),
            Fieller::Outside(low, high) => value <= low || value >= high,
            Fieller::Everything => true,
        }
    }
}

impl WeightRatio {
    /// θ_i / θ_j.
    ///
    /// # Errors
    /// If a parameter does not exist, or θ_j is 0.
    pub fn new(known: &ThetaCovariance, i: usize, j: usize) -> Result<WeightRatio, Error> {
        let count = known.theta().len();
        if let Some(&index) = [i, j].iter().find(|&&k| k >= count) {
            return Err(Error::OutOfRange { table: "ratio", row: 0, what: "feature", index, count });
        }
        let weights = [known.theta()[i], known.theta()[j]];
        if weights[1] == 0.0 {
            let expected = "other than 0, because a weight is divided by it";
            return Err(Error::Setting { what: "the weight in the denominator", value: 0.0, expected });
        }
        let value = weights[0] / weights[1];
        let gradient = [1.0 / weights[1], -value / weights[1]];
        let variances = [known.at(i, i), known.at(j, j), known.at(i, j)];
        let [first, second, both] = variances;
        let variance = gradient[0].powi(2) * first + gradient[1].powi(2) * second + 2.0 * gradient[0] * gradient[1] * both;
        let variance = if i == j { 0.0 } else { variance.max(0.0) };
        let is_loose = |direction: &Vec<f64>| {
            let (one, two) = (gradient[0] * direction[i], gradient[1] * direction[j]);
            i != j && (one + two).abs() > LOOSE * one.abs().max(two.abs())
        };
        let standard_error = (!known.unidentified().iter().any(is_loose)).then(|| variance.sqrt());
        let ratio = Measured { value, standard_error };
        Ok(WeightRatio { numerator: i, denominator: j, ratio, weights, variances })
    }

    /// The confidence set of this level by Fieller's method: all ρ for which θ_i - ρ θ_j = 0 is not rejected. `None` if
    /// the ratio is not identified.
    ///
    /// # Errors
    /// If the level is not between 0 and 1.
    pub fn fieller(&self, level: f64) -> Result<Option<Fieller>, Error> {
        let squared = quantile(level)?.powi(2);
        if self.ratio.standard_error.is_none() || self.numerator == self.denominator {
            return Ok(self.ratio.standard_error.map(|_| Fieller::Between(1.0, 1.0)));
        }
        let ([x, y], [var_x, var_y, both]) = (self.weights, self.variances);
        // a ρ² - 2 b ρ + c ≤ 0.
        let (a, b, c) = (y * y - squared * var_y, x * y - squared * both, x * x - squared * var_x);
        let discriminant = b * b - a * c;
        let root = discriminant.max(0.0).sqrt();
        Ok(Some(match a {
            a if a > 0.0 => Fieller::Between((b - root) / a, (b + root) / a),
            0.0 if b > 0.0 => Fieller::Between(c / (2.0 * b), f64::INFINITY),
            0.0 if b < 0.0 => Fieller::Between(f64::NEG_INFINITY, c / (2.0 * b)),
            a if a < 0.0 && discriminant > 0.0 => Fieller::Outside((b + root) / a, (b - root) / a),
            _ => Fieller::Everything,
        }))
    }
}
