//! What forecasts are judged by.

use revealed_roads::Comparison;

/// A measure of a forecast. The first two are the readings of the paper's "distance match".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Metric {
    /// The share of the forecast that was driven, as the paper's words define the distance match.
    OfForecast,
    /// The share of the driven route that was forecast.
    OfDriven,
    /// The feature distance.
    FeatureDistance,
}

impl Metric {
    pub const ALL: [Metric; 3] = [Metric::OfForecast, Metric::OfDriven, Metric::FeatureDistance];

    /// The name in the raw results.
    pub fn name(self) -> &'static str {
        match self {
            Metric::OfForecast => "distance match",
            Metric::OfDriven => "covered",
            Metric::FeatureDistance => "feature distance",
        }
    }

    /// The name in tables.
    pub fn title(self) -> &'static str {
        match self {
            Metric::OfForecast => "share of the forecast that was driven (%)",
            Metric::OfDriven => "share of the driven route that was forecast (%)",
            Metric::FeatureDistance => "feature distance (km)",
        }
    }

    pub fn of(self, one: &Comparison) -> f64 {
        match self {
            Metric::OfForecast => one.distance_match,
            Metric::OfDriven => one.covered,
            Metric::FeatureDistance => one.feature_distance,
        }
    }

    /// Whether the first value is better than the second.
    pub fn is_better(self, one: f64, other: f64) -> bool {
        if self == Metric::FeatureDistance { one < other } else { one > other }
    }

    /// Whether values are in this order, each better than the next. A value that is missing (NaN) is in no order.
    pub fn in_order(self, values: &[f64]) -> bool {
        values.windows(2).all(|pair| self.is_better(pair[0], pair[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_share_and_a_smaller_distance_are_better() {
        assert!(Metric::OfForecast.in_order(&[80.0, 70.0, 8.0]));
        assert!(!Metric::OfDriven.in_order(&[80.0, 81.0, 8.0]));
        assert!(Metric::FeatureDistance.in_order(&[0.7, 0.9, 20.0]));
        assert!(!Metric::FeatureDistance.in_order(&[0.9, 0.9]));
        assert!(!Metric::OfForecast.in_order(&[80.0, f64::NAN]));
    }
}
