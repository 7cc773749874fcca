//! Medians with their intervals, and means.

use serde_json::{Value, json};

/// The coverage of the interval of the median.
const CONFIDENCE: f64 = 0.9;

/// A summary of many values.
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
    /// A confidence interval of at least 90 % for the median of the distribution that the values were drawn from,
    /// whatever that distribution is. Its ends are two of the values. The number of values below the lower end equals
    /// the number above the upper end. `None` for fewer than five values.
    pub interval: Option<(f64, f64)>,
}

impl Summary {
    /// The summary of some values, in any order. NaN counts as larger than any number.
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

    /// For files. Values that are not finite are null.
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
            Some((low, high)) => write!(f, "{} ({} - {})", three_digits(self.median), three_digits(low), three_digits(high)),
            None => f.write_str(&three_digits(self.median)),
        }
    }
}

/// A number to three significant digits.
pub(crate) fn three_digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = value.abs().log10().floor() as i32;
    format!("{value:.*}", (2 - magnitude).clamp(0, 9) as usize)
}

/// The largest r such that the median lies between the r-th smallest and the r-th largest of n values with a
/// probability of at least 90 %: P(fewer than r of n fair coins show heads) <= 5 %. `None` if even the extremes do not
/// suffice.
pub fn median_rank(n: usize) -> Option<usize> {
    let tail = (1.0 - CONFIDENCE) / 2.0;
    // P(heads = k), in logarithms: 2^-n underflows for large n.
    let mut log_p = -(n as f64) * std::f64::consts::LN_2;
    let mut below = 0.0;
    let mut rank = None;
    for heads in 0..n.div_ceil(2) {
        below += log_p.exp();
        // A tail of exactly 5 % suffices, whatever the rounding of the sum.
        if below > tail * (1.0 + 1e-9) {
            break;
        }
        rank = Some(heads + 1);
        log_p += ((n - heads) as f64 / (heads + 1) as f64).ln();
    }
    rank
}
