//! Where on the network a fix may have been taken.

use rstar::{AABB, RTree, RTreeObject};

use super::routes::Incoming;
use crate::geometry::{Plane, Position, nearest};
use crate::network::Network;

/// A place on a segment that may be where the car was.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The segment.
    pub segment: u32,
    /// Metres from its beginning.
    pub along: f64,
    /// Metres from the fix.
    pub away: f64,
}

/// Segments by where they are.
#[derive(Debug)]
pub(super) struct Lines {
    tree: RTree<Line>,
}

/// A segment as its box in degrees.
#[derive(Debug)]
struct Line {
    segment: u32,
    corners: [[f64; 2]; 2],
}

impl RTreeObject for Line {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> AABB<[f64; 2]> {
        AABB::from_corners(self.corners[0], self.corners[1])
    }
}

impl Lines {
    pub(super) fn new(network: &Network) -> Lines {
        let line = |segment: usize| {
            let corners = network.ends_of(segment).map(|end| [end.lon, end.lat]);
            Line { segment: segment as u32, corners }
        };
        Lines { tree: RTree::bulk_load((0..network.n_segments()).map(line).collect()) }
    }

    /// The candidates of a fix, at most `most`, the nearest first.
    ///
    /// Of the pieces of one road only the nearest stay: a candidate at the very beginning of its segment is the end of the segment
    /// before; one at the very end is of no use if whatever follows is nearer. No route loses the place where it comes nearest.
    pub(super) fn near(
        &self,
        network: &Network,
        incoming: &Incoming,
        fix: Position,
        radius: f64,
        most: usize,
    ) -> Vec<Candidate> {
        let plane = Plane::at(fix);
        let (low, high) = (plane.lift([-radius, -radius]), plane.lift([radius, radius]));
        let window = AABB::from_corners([low.lon, low.lat], [high.lon, high.lat]);
        let mut found = Vec::new();
        for line in self.tree.locate_in_envelope_intersecting(window) {
            let (share, away) = from(network, &plane, line.segment);
            let pruned = |to: &u32| {
                let (share, nearer) = from(network, &plane, *to);
                share > 0.0 && nearer < away
            };
            let turns = network.turns_of(line.segment as usize);
            let useless = share == 0.0 && !incoming.of(line.segment).is_empty()
                || share == 1.0 && !turns.is_empty() && turns.iter().all(pruned);
            if away <= radius && !useless {
                let along = share * network.segments[line.segment as usize].length;
                found.push(Candidate { segment: line.segment, along, away });
            }
        }
        found.sort_unstable_by(|a, b| a.away.total_cmp(&b.away).then(a.segment.cmp(&b.segment)));
        found.truncate(most);
        found
    }
}

/// The nearest place of a segment as a share of it, and its distance from the origin of the plane.
fn from(network: &Network, plane: &Plane, segment: u32) -> (f64, f64) {
    let [a, b] = network.ends_of(segment as usize).map(|end| plane.project(end));
    nearest(a, b, [0.0, 0.0])
}
