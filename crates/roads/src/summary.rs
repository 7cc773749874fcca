//! Medians with their intervals, and means.

use serde_json::{Value, json};

/// The probability that an interval has the median of what the values were drawn from.
const CONFIDENCE: f64 = 0.9;

/// What many values have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How many there are.
    pub n: usize,
    /// Their mean; NaN if there are none.
    pub mean: f64,
    /// The standard error of the mean; NaN for fewer than two.
    pub standard_error: f64,
    /// Their median; NaN if there are none.
    pub median: f64,
    /// An interval that has the median of the distribution that they were drawn from with a probability of 90 % at least,
    /// whatever that distribution is: two of the values, as many below the one as above the other. Fewer than five values have
    /// none.
    pub interval: Option<(f64, f64)>,
}

impl Summary {
    /// Of some values, in any order. NaN is taken for larger than any number.
    ///
    /// ```
    /// let summary = revealed_roads::Summary::of(&[5.0, 1.0, 4.0, 2.0, 3.0]);
    /// assert_eq!((summary.median, summary.interval), (3.0, Some((1.0, 5.0))));
    /// ```
    pub fn of(values: &[f64]) -> Summary {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let mean = sorted.iter().sum::<f64>() / n as f64;
        let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
        let standard_error = if n < 2 { f64::NAN } else { (squares / (n as f64 - 1.0) / n as f64).sqrt() };
        let median = if n == 0 { f64::NAN } else { (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0 };
        let interval = median_rank(n).map(|rank| (sorted[rank - 1], sorted[n - rank]));
        Summary { n, mean, standard_error, median, interval }
    }

    /// For files. What is no number is null.
    pub fn to_json(&self) -> Value {
        let Summary { n, mean, standard_error, median, interval } = *self;
        json!({
            "n": n, "mean": mean, "standard_error": standard_error, "median": median,
            "low": interval.map(|ends| ends.0), "high": interval.map(|ends| ends.1),
        })
    }
}

impl std::fmt::Display for Summary {
    /// The median and its interval to three digits, as in the paper's table.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.interval {
            Some((low, high)) => write!(f, "{} ({} - {})", shown(self.median), shown(low), shown(high)),
            None => f.write_str(&shown(self.median)),
        }
    }
}

/// A number to three significant digits.
pub(crate) fn shown(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = value.abs().log10().floor() as i32;
    format!("{value:.*}", (2 - magnitude).clamp(0, 9) as usize)
}

/// The largest r such that the r-th smallest of n values and the r-th largest have the median between them with a probability of
/// 90 % at least: P(fewer than r of n fair coins show heads) <= 5 %. `None` if not even the extremes do.
pub fn median_rank(n: usize) -> Option<usize> {
    let tail = (1.0 - CONFIDENCE) / 2.0;
    // P(heads = k), in logarithms: 2^-n is no f64 for large n.
    let mut log_p = -(n as f64) * std::f64::consts::LN_2;
    let mut below = 0.0;
    let mut rank = None;
    for heads in 0..n.div_ceil(2) {
        below += log_p.exp();
        // Sums of rounded numbers: a tail of exactly 5 % would do.
        if below > tail * (1.0 + 1e-9) {
            break;
        }
        rank = Some(heads + 1);
        log_p += ((n - heads) as f64 / (heads + 1) as f64).ln();
    }
    rank
}
