//! The end points of states, on a plane.

use crate::geometry::{Plane, Position};
use crate::world::Roads;

/// The end points of all states on a plane, in metres.
pub(crate) struct EndPoints {
    pub at: Vec<[f64; 2]>,
}

impl EndPoints {
    pub fn new(roads: &Roads) -> EndPoints {
        let end = |state: usize| roads.line(state).last().copied().unwrap_or_default();
        let ends: Vec<Position> = (0..roads.n_states()).map(end).collect();
        let plane = Plane::at(ends.first().copied().unwrap_or_default());
        EndPoints { at: ends.iter().map(|&end| plane.project(end)).collect() }
    }

    /// The distance of the end of a state from a point.
    pub fn apart(&self, state: usize, [x, y]: [f64; 2]) -> f64 {
        (self.at[state][0] - x).hypot(self.at[state][1] - y)
    }
}
