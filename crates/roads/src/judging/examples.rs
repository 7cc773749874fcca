//! Trips to show: a good, a median and a bad prediction.

use revealed::Trajectory;

use super::metrics::Metrics;
use crate::prediction::Predictions;

/// For each share, the trip at this place when trips are sorted by distance match, the best first: 0 is the best
/// prediction, 0.5 a median one, and 1 the worst. Trips of fewer than `least_states` states are considered only if
/// there are no others. `None` if no trip has a prediction.
pub fn examples(
    metrics: &Metrics,
    trips: &[Trajectory],
    predictions: &Predictions,
    least_states: usize,
    shares: [f64; 3],
) -> [Option<usize>; 3] {
    let matched = |trip: usize| {
        let route = predictions.routes[trip].as_ref();
        route.map_or(0.0, |route| metrics.compare(route, &trips[trip].states).distance_match)
    };
    let mut order: Vec<usize> = (0..trips.len()).filter(|&trip| predictions.routes[trip].is_ok()).collect();
    if order.iter().any(|&trip| trips[trip].states.len() >= least_states) {
        order.retain(|&trip| trips[trip].states.len() >= least_states);
    }
    order.sort_by(|&a, &b| matched(b).total_cmp(&matched(a)).then(a.cmp(&b)));
    shares.map(|share| order.get((share * order.len().saturating_sub(1) as f64) as usize).copied())
}
