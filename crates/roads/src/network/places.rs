//! The roads at a place.

use super::graph::Network;
use crate::geometry::{Plane, Position, nearest};

/// Segments count as at the same place if their distances differ by less than this, in metres. Both directions of a
/// road are.
const SAME: f64 = 1.0;

/// The segments at a place, and the distance to the nearest one in metres: one segment on a one-way road, two on
/// others, more at a junction, none in a network without segments. Copies are left out.
///
/// This looks at every segment, which takes milliseconds in a city. Matching uses an index.
pub fn segments_at(network: &Network, place: Position) -> (Vec<u32>, f64) {
    let plane = Plane::at(place);
    let far = |segment: usize| {
        let [a, b] = network.ends_of(segment).map(|end| plane.project(end));
        nearest(a, b, [0.0, 0.0]).1
    };
    let distances: Vec<f64> = (0..network.n_originals()).map(far).collect();
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let there = (0..network.n_originals()).filter(|&segment| distances[segment] <= least + SAME);
    (there.map(|segment| segment as u32).collect(), least)
}
