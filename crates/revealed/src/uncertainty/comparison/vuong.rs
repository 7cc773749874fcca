//! Vuong's test of two models that are not nested.

use crate::uncertainty::tails::two_sided;

/// Vuong's test (1989) that two models are equally close to the truth, from differences of log-likelihoods,
/// demonstration by demonstration: √N · mean / standard deviation is standard normal then.
///
/// The differences are those of held-out log-likelihoods, so that no correction for the number of parameters is
/// needed. A demonstration of weight 3 counts as three.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vuong {
    /// The mean difference. Above 0, the first model is better.
    pub difference: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The difference in units of its standard error.
    pub statistic: f64,
    /// The probability of a statistic at least as large in absolute value if both models are equally good.
    pub p_value: f64,
}

impl Vuong {
    /// From weights and differences; `None` if a difference is infinite or all of them are equal up to rounding errors.
    pub(super) fn new(rows: &[(f64, f64)]) -> Option<Vuong> {
        let n: f64 = rows.iter().map(|row| row.0).sum();
        let difference = rows.iter().map(|&(weight, value)| weight / n * value).sum::<f64>();
        let variance: f64 = rows.iter().map(|&(weight, value)| weight / n * (value - difference).powi(2)).sum();
        let standard_error = (variance / n).sqrt();
        let largest = rows.iter().fold(0.0, |largest: f64, row| largest.max(row.1.abs()));
        if !difference.is_finite() || variance.is_nan() || variance.sqrt() <= 1e-9 * (1.0 + largest) {
            return None;
        }
        let statistic = difference / standard_error;
        Some(Vuong { difference, standard_error, statistic, p_value: two_sided(statistic) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values are SciPy's: `ttest_1samp` has n - 1 in place of n.
    #[test]
    fn the_statistic_is_that_of_scipy() {
        let values = [0.3, -0.1, 0.7, 0.2, 0.4, -0.2];
        let rows = values.map(|value| (1.0, value));
        let found = Vuong::new(&rows).unwrap();
        let of_scipy = 1.602_619_436_345 * (6.0f64 / 5.0).sqrt();
        assert!((found.statistic - of_scipy).abs() < 1e-6, "{}", found.statistic);
        assert!((found.p_value - two_sided(of_scipy)).abs() < 1e-6);
        // A weight of 2 is the same as being there twice.
        let twice: Vec<(f64, f64)> = rows.iter().chain(&rows).copied().collect();
        let heavy = rows.map(|(weight, value)| (2.0 * weight, value));
        let [twice, heavy] = [Vuong::new(&twice).unwrap(), Vuong::new(&heavy).unwrap()];
        assert!((twice.statistic - heavy.statistic).abs() < 1e-12);
    }

    #[test]
    fn models_that_say_the_same_are_not_tested() {
        assert_eq!(Vuong::new(&[(1.0, 0.0), (1.0, 1e-12)]), None);
        assert_eq!(Vuong::new(&[(1.0, 0.0), (1.0, f64::INFINITY)]), None);
    }
}
