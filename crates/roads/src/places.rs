//! Which roads are at a place.

use crate::geometry::{Plane, Position, nearest};
use crate::network::Network;

/// Segments whose distance is within this of the nearest one's are at the same place: both directions of a road, above all.
const SAME: f64 = 1.0;

/// The segments that pass a place, and how far it is to the nearest in metres: one segment on a one-way road, two on others, more at a
/// junction. None in a network without segments.
///
/// This looks at every segment, which takes milliseconds in a city; matching has an index.
pub fn segments_at(network: &Network, place: Position) -> (Vec<u32>, f64) {
    let plane = Plane::at(place);
    let far = |segment: usize| {
        let [a, b] = network.ends_of(segment).map(|end| plane.project(end));
        nearest(a, b, [0.0, 0.0]).1
    };
    let distances: Vec<f64> = (0..network.n_segments()).map(far).collect();
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let there = (0..network.n_segments()).filter(|&segment| distances[segment] <= least + SAME);
    (there.map(|segment| segment as u32).collect(), least)
}
