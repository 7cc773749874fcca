//! Candidates: positions on the network where a fix may have been taken.

use rstar::{AABB, RTree, RTreeObject};

use super::routes::Incoming;
use crate::geometry::{Plane, Position, nearest};
use crate::network::Network;

/// A position on a segment where the car may have been.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The segment.
    pub segment: u32,
    /// Metres from the beginning of the segment.
    pub along: f64,
    /// Metres from the fix.
    pub away: f64,
}

/// More degrees than any box reaches from the prime meridian.
const ALL_AROUND: f64 = 360.0;

/// A spatial index of segments.
#[derive(Debug)]
pub(super) struct SegmentIndex {
    tree: RTree<BoundingBox>,
}

/// The bounding box of a segment in degrees.
#[derive(Debug)]
struct BoundingBox {
    segment: u32,
    corners: [[f64; 2]; 2],
}

impl RTreeObject for BoundingBox {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> AABB<[f64; 2]> {
        AABB::from_corners(self.corners[0], self.corners[1])
    }
}

impl SegmentIndex {
    /// The index of the segments that are not copies.
    pub(super) fn new(network: &Network) -> SegmentIndex {
        let line = |segment: usize| BoundingBox { segment: segment as u32, corners: corners(network.ends_of(segment)) };
        SegmentIndex { tree: RTree::bulk_load((0..network.n_originals()).map(line).collect()) }
    }

    /// The candidates of a fix, at most `most`, the nearest first. A candidate on a segment with copies is followed by
    /// the same place on each of them.
    ///
    /// Candidates are local minima of the distance along roads: a candidate at the very beginning of its segment is the
    /// end of the segment before, and one at the very end is dominated if every segment that follows is nearer. Every
    /// route keeps the position where it is nearest to the fix.
    pub(super) fn near(
        &self,
        network: &Network,
        incoming: &Incoming,
        fix: Position,
        radius: f64,
        most: usize,
    ) -> Vec<Candidate> {
        let plane = Plane::at(fix);
        let mut found = Vec::new();
        for line in windows(fix, radius).into_iter().flat_map(|window| self.tree.locate_in_envelope_intersecting(window)) {
            let (share, away) = from(network, &plane, line.segment);
            let pruned = |to: &u32| {
                let (share, nearer) = from(network, &plane, *to);
                share > 0.0 && nearer < away
            };
            let turns = network.turns_of(line.segment as usize);
            let dominated = share == 0.0 && !incoming.of(line.segment).is_empty()
                || share == 1.0 && !turns.is_empty() && turns.iter().all(pruned);
            if away <= radius && !dominated {
                let along = share * network.segments[line.segment as usize].length;
                found.push(Candidate { segment: line.segment, along, away });
            }
        }
        found.sort_unstable_by(|a, b| a.away.total_cmp(&b.away).then(a.segment.cmp(&b.segment)));
        // A box near a pole meets several windows.
        found.dedup();
        found.truncate(most);
        let copies = |one: &Candidate| network.copies_of(one.segment as usize);
        if found.iter().all(|one| copies(one).is_empty()) {
            return found;
        }
        let with_copies = |one: Candidate| {
            let on = move |copy: usize| Candidate { segment: copy as u32, ..one };
            std::iter::once(one).chain(copies(&one).map(on))
        };
        found.into_iter().flat_map(with_copies).collect()
    }
}

impl SegmentIndex {
    /// The segments that may be within a radius of a position, by their boxes, in the order of their numbers, with their
    /// copies.
    pub(super) fn around(&self, network: &Network, position: Position, radius: f64) -> Vec<u32> {
        let found = windows(position, radius).into_iter().flat_map(|window| self.tree.locate_in_envelope_intersecting(window));
        let mut found: Vec<u32> = found.map(|line| line.segment).collect();
        found.sort_unstable();
        found.dedup();
        let copies: Vec<u32> = found.iter().flat_map(|&one| network.copies_of(one as usize)).map(|copy| copy as u32).collect();
        found.extend(copies);
        found
    }
}

/// The box of a segment in degrees. Beyond the antimeridian its longitudes go on beyond 180. Near a pole it holds all
/// longitudes.
fn corners([a, b]: [Position; 2]) -> [[f64; 2]; 2] {
    if a.is_polar() || b.is_polar() {
        // A straight road bends toward the pole, by less than its length.
        let bend = degrees(a.distance(b));
        return [[-ALL_AROUND, a.lat.min(b.lat) - bend], [ALL_AROUND, a.lat.max(b.lat) + bend]];
    }
    [[a.lon, a.lat], [a.lon + a.degrees_east(b), b.lat]]
}

/// The windows around a fix that the boxes of segments within the radius meet: at its longitude, and at the same one
/// counted once around the earth.
fn windows(fix: Position, radius: f64) -> Vec<AABB<[f64; 2]>> {
    let high = degrees(radius);
    let farthest = fix.lat.abs() + high;
    let wide = if farthest < 89.0 { high / farthest.to_radians().cos() } else { ALL_AROUND };
    let window = |lon: f64| AABB::from_corners([lon - wide, fix.lat - high], [lon + wide, fix.lat + high]);
    if wide < 90.0 && !fix.is_polar() {
        [0.0, -360.0, 360.0].map(|around| window(fix.lon + around)).into()
    } else {
        vec![AABB::from_corners([-2.0 * ALL_AROUND, fix.lat - high], [2.0 * ALL_AROUND, fix.lat + high])]
    }
}

/// The metres as degrees of latitude, rounded up.
fn degrees(metres: f64) -> f64 {
    metres / 111_000.0
}

/// The position on a segment that is nearest to the origin of the plane: its share of the length, and its distance.
fn from(network: &Network, plane: &Plane, segment: u32) -> (f64, f64) {
    let [a, b] = network.ends_of(segment as usize).map(|end| plane.project(end));
    nearest(a, b, [0.0, 0.0])
}
