//! Means with their 90 % confidence intervals, and quantiles.

use revealed_draw::Interval;

use super::digits::with_uncertainty;

/// A mean and half the width of its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean of the sample.
    pub mean: f64,
    /// Half the width of the 90 % confidence interval of the mean, by Student's t. NaN for fewer than two values.
    pub half_width: f64,
}

impl Mean {
    /// The mean of no values.
    pub(crate) const NONE: Mean = Mean { mean: f64::NAN, half_width: f64::NAN };

    /// The interval, to be drawn.
    pub fn interval(self) -> Interval {
        Interval { middle: self.mean, half_width: self.half_width }
    }

    /// The lower end of the interval; the mean itself where there is no interval.
    pub fn low(self) -> f64 {
        self.interval().low()
    }

    /// The upper end of the interval; the mean itself where there is no interval.
    pub fn high(self) -> f64 {
        self.interval().high()
    }
}

/// A curve of means, to be drawn.
pub(crate) fn intervals(points: &[(f64, Mean)]) -> Vec<(f64, Interval)> {
    points.iter().map(|&(x, mean)| (x, mean.interval())).collect()
}

impl std::fmt::Display for Mean {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&with_uncertainty(self.mean, self.half_width))
    }
}

/// The mean with its 90 % confidence interval, mean ± t₀.₉₅ s / √n.
///
/// ```
/// let mean = revealed_reproduce::statistics::mean(&[1.0, 2.0, 3.0]);
/// assert_eq!(mean.mean, 2.0);
/// assert!((mean.half_width - 2.9200 / 3f64.sqrt()).abs() < 1e-4);
/// ```
pub fn mean(values: &[f64]) -> Mean {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half_width = if values.len() < 2 { f64::NAN } else { t_95(values.len() - 1) * (variance / n).sqrt() };
    Mean { mean, half_width }
}

/// The quantile `q` in [0, 1], by linear interpolation between order statistics. NaN if there are no values.
///
/// ```
/// assert_eq!(revealed_reproduce::statistics::quantile(&[3.0, 1.0, 2.0], 0.25), 1.5);
/// ```
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = q.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// The 95 % quantile of Student's t, by its expansion in 1/ν (Abramowitz and Stegun 26.7.5). For few degrees of
/// freedom, where the expansion is not accurate, from a table.
fn t_95(degrees: usize) -> f64 {
    const FIRST: [f64; 5] = [6.313_752, 2.919_986, 2.353_363, 2.131_847, 2.015_048];
    if let Some(&t) = FIRST.get(degrees - 1) {
        return t;
    }
    const Z: f64 = 1.644_853_626_951_472_2;
    let (z2, nu) = (Z * Z, degrees as f64);
    let terms = [
        Z,
        Z * (z2 + 1.0) / 4.0,
        Z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0,
        Z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0,
        Z * ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0) / 92_160.0,
    ];
    terms.iter().rev().fold(0.0, |sum, term| sum / nu + term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t_is_as_in_the_tables() {
        for (degrees, expected) in [(1, 6.3138), (5, 2.0150), (6, 1.9432), (9, 1.8331), (29, 1.6991), (49, 1.6766)] {
            assert!((t_95(degrees) - expected).abs() < 6e-5, "{degrees}: {}", t_95(degrees));
        }
    }

    #[test]
    fn one_value_has_no_interval() {
        let alone = mean(&[3.0]);
        assert_eq!((alone.mean, alone.low(), alone.high(), alone.to_string().as_str()), (3.0, 3.0, 3.0, "3.000"));
        assert_eq!(mean(&[2.0, 2.0]).to_string(), "2.000 ± 0.0");
        assert_eq!(mean(&[0.0, 0.0]).to_string(), "0.0 ± 0.0");
        assert_eq!(mean(&[1.0, 2.0, 3.0]).to_string(), "2.0 ± 1.7");
    }

    #[test]
    fn quantiles_of_nothing_and_of_the_ends() {
        assert!(quantile(&[], 0.5).is_nan());
        assert_eq!((quantile(&[2.0, 1.0], 0.0), quantile(&[2.0, 1.0], 1.0)), (1.0, 2.0));
    }
}
