//! A prior of destinations.

use std::collections::BTreeMap;

use revealed::Trajectory;

use super::end_points::EndPoints;
use crate::world::Roads;

/// The standard deviation in metres by which the ends of known trips are usually spread.
pub const SPREAD: f64 = 100.0;

/// The prior of destinations: the ends of known trips, each spread by a normal distribution with a standard deviation
/// of `metres` over the segments that end within three standard deviations. The weight of one more trip is spread
/// uniformly over all segments. Copies of a segment have 0.
pub fn destination_prior(roads: &Roads, trips: &[Trajectory], metres: f64) -> Vec<f64> {
    let places = EndPoints::new(roads);
    let n = roads.n_states();
    let is_road = |state: &usize| roads.original(*state) == *state;
    let n_roads = (0..n).filter(is_road).count();
    let reach = 3.0 * metres.max(1e-3);
    let cell = |[x, y]: [f64; 2]| ((x / reach).floor() as i64, (y / reach).floor() as i64);
    let mut cells: BTreeMap<(i64, i64), Vec<usize>> = BTreeMap::new();
    for state in (0..n).filter(is_road) {
        cells.entry(cell(places.at[state])).or_default().push(state);
    }
    let mut ends: BTreeMap<usize, f64> = BTreeMap::new();
    for trip in trips {
        if let Some(&last) = trip.states.last().filter(|&&last| last < n) {
            *ends.entry(roads.original(last)).or_default() += trip.weight;
        }
    }
    let total: f64 = ends.values().sum();
    let mut prior: Vec<f64> = (0..n).map(|state| if is_road(&state) { 1.0 / n_roads as f64 } else { 0.0 }).collect();
    for (&end, &weight) in &ends {
        let (x, y) = cell(places.at[end]);
        let around = (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).map(move |y| (x, y)));
        let near: Vec<(usize, f64)> = around
            .filter_map(|cell| cells.get(&cell))
            .flatten()
            .map(|&state| (state, places.apart(state, places.at[end])))
            .filter(|row| row.1 <= reach)
            .map(|(state, apart)| (state, (-0.5 * (apart / metres.max(1e-3)).powi(2)).exp()))
            .collect();
        let sum: f64 = near.iter().map(|row| row.1).sum();
        near.iter().for_each(|&(state, share)| prior[state] += weight * share / sum);
    }
    prior.iter().map(|p| p / (total + 1.0)).collect()
}
