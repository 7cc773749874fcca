//! The end points of states, on a plane.

use crate::geometry::{Plane, Position};
use crate::world::Roads;

/// The end points of all states on a plane, in metres.
#[derive(Debug)]
pub(crate) struct EndPoints {
    pub at: Vec<[f64; 2]>,
    pub plane: Plane,
}

impl EndPoints {
    pub fn new(roads: &Roads) -> EndPoints {
        let end = |state: usize| roads.line(state).last().copied().unwrap_or_default();
        let ends: Vec<Position> = (0..roads.n_states()).map(end).collect();
        let plane = Plane::at(ends.first().copied().unwrap_or_default());
        EndPoints { at: ends.iter().map(|&end| plane.project(end)).collect(), plane }
    }

    /// The distance of the end of a state from a point.
    pub fn apart(&self, state: usize, [x, y]: [f64; 2]) -> f64 {
        (self.at[state][0] - x).hypot(self.at[state][1] - y)
    }

    /// The point beyond the end of a state, on the line from that of another, by this multiple of their distance.
    pub fn beyond(&self, first: usize, last: usize, by: f64) -> [f64; 2] {
        let ([x, y], [east, north]) = (self.at[first], self.at[last]);
        [east + by * (east - x), north + by * (north - y)]
    }
}
