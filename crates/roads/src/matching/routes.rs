//! Shortest paths from one candidate to others, up to a bound.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::candidates::Candidate;
use crate::geometry::{Plane, Position};
use crate::network::Network;

/// The turns by the segment that they enter.
#[derive(Debug)]
pub(super) struct Incoming {
    first: Vec<u32>,
    before: Vec<u32>,
}

impl Incoming {
    pub(super) fn new(network: &Network) -> Incoming {
        let mut turns: Vec<(u32, u32)> = network.turns().map(|(from, to)| (to, from)).collect();
        turns.sort_unstable();
        let mut first = vec![0; network.n_segments() + 1];
        turns.iter().for_each(|turn| first[turn.0 as usize + 1] += 1);
        for segment in 0..network.n_segments() {
            first[segment + 1] += first[segment];
        }
        Incoming { first, before: turns.into_iter().map(|turn| turn.1).collect() }
    }

    /// The segments that this one may follow.
    pub(super) fn of(&self, segment: u32) -> &[u32] {
        let segment = segment as usize;
        &self.before[self.first[segment] as usize..self.first[segment + 1] as usize]
    }
}

/// What a search adds up along a route.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Measure {
    /// Metres.
    Lengths,
    /// Costs that were learned.
    Learned(LearnedCosts),
}

/// Costs of segments and turns in units of log probability, none negative.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LearnedCosts {
    /// Of each segment.
    pub of_segments: Vec<f64>,
    /// Of each turn, in the order of [`Network::turns`].
    pub of_turns: Vec<f64>,
    /// The least cost per metre of any segment.
    pub least: f64,
}

impl Measure {
    /// Of a segment up to, or from, a place on it.
    fn of(&self, network: &Network, segment: u32, metres: f64) -> f64 {
        match self {
            Measure::Lengths => metres,
            Measure::Learned(costs) => {
                let length = network.segments[segment as usize].length;
                costs.of_segments[segment as usize] * if length > 0.0 { metres / length } else { 1.0 }
            }
        }
    }

    /// Of a turn, by its number.
    fn of_turn(&self, turn: usize) -> f64 {
        match self {
            Measure::Lengths => 0.0,
            Measure::Learned(costs) => costs.of_turns[turn],
        }
    }

    /// No route between two places has less, per metre of their distance.
    fn least(&self) -> f64 {
        match self {
            Measure::Lengths => 1.0,
            Measure::Learned(costs) => costs.least,
        }
    }
}

/// No segment.
const NONE: u32 = u32::MAX;

/// A bounded search by Dijkstra's algorithm. Its arrays over all segments are allocated once; the number of the search
/// distinguishes their entries from those of earlier searches.
#[derive(Debug)]
pub(super) struct BoundedSearch {
    /// The number of the search.
    round: u32,
    /// The number of the last search that reached each segment.
    reached: Vec<u32>,
    /// The measure from the start to the beginning of each segment.
    distance: Vec<f64>,
    /// The predecessor of each segment; none if the path starts on the segment before it.
    before: Vec<u32>,
    /// Segments that are reached and not settled, the nearest first. Distances are not negative, so that their bits
    /// have the same order.
    open: BinaryHeap<Reverse<(u64, u32)>>,
    from: Option<Candidate>,
    /// For the last search: the measure from its start to each of its targets.
    found: Vec<(Candidate, f64)>,
}

impl BoundedSearch {
    pub(super) fn new(n_segments: usize) -> BoundedSearch {
        BoundedSearch {
            round: 0,
            reached: vec![0; n_segments],
            distance: vec![0.0; n_segments],
            before: vec![NONE; n_segments],
            open: BinaryHeap::new(),
            from: None,
            found: Vec::new(),
        }
    }

    /// Finds the distances from a candidate to all `targets` within `bound`, in units of the measure. All targets lie
    /// within `radius` metres of `goal`.
    pub(super) fn run(
        &mut self,
        network: &Network,
        measure: &Measure,
        from: Candidate,
        targets: &[Candidate],
        bound: f64,
        (goal, radius): (Position, f64),
    ) {
        if self.round == u32::MAX {
            self.reached.fill(0);
            self.round = 0;
        }
        self.round += 1;
        self.open.clear();
        self.from = Some(from);
        let plane = Plane::at(goal);
        // No road is shorter than the straight line, so a segment too far from the goal is on no path within the bound.
        // One per cent is for the error of the plane.
        let least = measure.least();
        let slack = 1.01 * (bound + least * radius) + least;
        let mut wanted = targets.len();
        let left = network.segments[from.segment as usize].length - from.along;
        self.reach(network, measure, from.segment, NONE, measure.of(network, from.segment, left.max(0.0)));
        while let Some(Reverse((bits, segment))) = self.open.pop() {
            let (distance, here) = (f64::from_bits(bits), segment as usize);
            if distance > self.distance[here] {
                continue;
            }
            if distance > bound {
                break;
            }
            wanted -= targets.iter().filter(|target| target.segment == segment).count();
            if wanted == 0 {
                break;
            }
            let end = distance + measure.of(network, segment, network.segments[here].length);
            let [x, y] = plane.project(network.ends_of(here)[1]);
            if end <= bound && end + least * x.hypot(y) <= slack {
                self.reach(network, measure, segment, segment, end);
            }
        }
        self.found.clear();
        for &target in targets {
            let distance = self.measured(network, measure, from, target);
            self.found.extend(distance.map(|distance| (target, distance)));
        }
    }

    /// Relaxes the turns of a segment.
    fn reach(&mut self, network: &Network, measure: &Measure, segment: u32, before: u32, so_far: f64) {
        let first = network.first_turn_of(segment as usize);
        for (turn, &to) in network.turns_of(segment as usize).iter().enumerate() {
            let distance = so_far + measure.of_turn(first + turn);
            let place = to as usize;
            if self.reached[place] != self.round || distance < self.distance[place] {
                self.reached[place] = self.round;
                self.distance[place] = distance;
                self.before[place] = before;
                self.open.push(Reverse((distance.to_bits(), to)));
            }
        }
    }

    /// The distance to a candidate by the last search, driving forward; `None` if it was not reached.
    pub(super) fn distance_to(&self, to: Candidate) -> Option<f64> {
        self.found.iter().find(|found| found.0 == to).map(|found| found.1)
    }

    fn measured(&self, network: &Network, measure: &Measure, from: Candidate, to: Candidate) -> Option<f64> {
        if from.segment == to.segment && to.along >= from.along {
            return Some(measure.of(network, to.segment, to.along - from.along));
        }
        let place = to.segment as usize;
        (self.reached[place] == self.round).then(|| self.distance[place] + measure.of(network, to.segment, to.along))
    }

    /// The segments of that path after its first.
    pub(super) fn path_to(&self, to: Candidate) -> Vec<u32> {
        let mut path = Vec::new();
        if self.from.is_some_and(|from| from.segment == to.segment && to.along >= from.along) {
            return path;
        }
        let mut segment = to.segment;
        while segment != NONE {
            path.push(segment);
            segment = self.before[segment as usize];
        }
        path.reverse();
        path
    }
}
