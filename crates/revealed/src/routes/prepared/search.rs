//! One query: upwards in the hierarchy from both ends, then through the core towards the goal.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::contraction::{Cost, FAR, Hierarchy, Rows, Via};
use super::landmarks::Landmarks;

const FORWARD: usize = 0;
const BACKWARD: usize = 1;

/// The arrays of a query, to be reused by the next.
#[derive(Debug)]
pub(super) struct RouteSearch {
    /// The cost of each place from the first state, and to the last state. They are stored together, because they are
    /// read together.
    costs: Vec<[Cost; 2]>,
    /// The predecessor of each place in each direction, and the index of the arc from there.
    by: [Vec<(u32, u32)>; 2],
    /// The places reached in each direction.
    touched: [Vec<u32>; 2],
    heap: BinaryHeap<Reverse<(Cost, u32)>>,
}

impl RouteSearch {
    pub fn new(n_states: usize) -> RouteSearch {
        let by = || vec![(0, 0); n_states];
        RouteSearch { costs: vec![[FAR; 2]; n_states], by: [by(), by()], touched: Default::default(), heap: BinaryHeap::new() }
    }

    /// The transitions of the shortest path from one place to another; `None` if there is no path.
    pub fn run(&mut self, hierarchy: &Hierarchy, landmarks: &Landmarks, from: u32, to: u32) -> Option<Vec<usize>> {
        self.climb(FORWARD, &hierarchy.out, hierarchy.n_core, from);
        self.climb(BACKWARD, &hierarchy.into, hierarchy.n_core, to);
        let through = |&place: &u32| (self.costs[place as usize].iter().sum::<Cost>(), place);
        let met = self.touched[FORWARD].iter().map(through).min().filter(|met| met.0 < FAR);
        let met = self.cross(hierarchy, landmarks, met.unwrap_or((FAR, 0)));
        (met.0 < FAR).then(|| self.unpack(hierarchy, met.1))
    }

    /// Dijkstra's algorithm along upward arcs, as far as the core.
    fn climb(&mut self, direction: usize, up: &Rows, n_core: usize, from: u32) {
        self.touched[direction].drain(..).for_each(|place| self.costs[place as usize][direction] = FAR);
        self.heap.clear();
        self.reach(direction, from, 0, (from, 0));
        self.heap.push(Reverse((0, from)));
        while let Some(Reverse((cost, place))) = self.heap.pop() {
            if cost > self.costs[place as usize][direction] || (place as usize) < n_core {
                continue;
            }
            for (arc, end, step) in up.of(place) {
                let cost = cost + step;
                if cost < self.costs[end as usize][direction] {
                    self.reach(direction, end, cost, (place, arc));
                    self.heap.push(Reverse((cost, end)));
                }
            }
        }
    }

    /// A* search through the core, which may find a shorter path than `met`, the best so far. Bounds are rounded, so a
    /// place may be reached again at a lower cost.
    fn cross(&mut self, hierarchy: &Hierarchy, landmarks: &Landmarks, mut met: (Cost, u32)) -> (Cost, u32) {
        let in_core = |place: &u32| (*place as usize) < hierarchy.n_core;
        let exits = self.touched[BACKWARD].iter().copied().filter(in_core);
        let target = landmarks.target(exits.map(|place| (place, self.costs[place as usize][BACKWARD])));
        self.heap.clear();
        for place in self.touched[FORWARD].iter().copied().filter(in_core) {
            let least = self.costs[place as usize][FORWARD] + landmarks.bound(place, &target);
            self.heap.push(Reverse((least, place)));
        }
        while let Some(Reverse((least, place))) = self.heap.pop() {
            if least >= met.0 {
                break;
            }
            let cost = self.costs[place as usize][FORWARD];
            if least > cost + landmarks.bound(place, &target) {
                continue;
            }
            for (arc, end, step) in hierarchy.out.of(place) {
                let cost = cost + step;
                let [before, beyond] = self.costs[end as usize];
                if cost < before {
                    self.reach(FORWARD, end, cost, (place, arc));
                    met = met.min((cost + beyond, end));
                    let least = cost + landmarks.bound(end, &target);
                    if least < met.0 {
                        self.heap.push(Reverse((least, end)));
                    }
                }
            }
        }
        met
    }

    fn reach(&mut self, direction: usize, place: u32, cost: Cost, by: (u32, u32)) {
        let old = &mut self.costs[place as usize][direction];
        if *old == FAR {
            self.touched[direction].push(place);
        }
        *old = cost;
        self.by[direction][place as usize] = by;
    }

    /// The transitions of the path through the place where both searches met.
    fn unpack(&self, hierarchy: &Hierarchy, met: u32) -> Vec<usize> {
        let climbed = |direction: usize, rows: &Rows| {
            let mut arcs = Vec::new();
            let mut place = met;
            while self.costs[place as usize][direction] > 0 {
                let (before, arc) = self.by[direction][place as usize];
                arcs.push((before, place, rows.vias[arc as usize]));
                place = before;
            }
            arcs
        };
        // The arcs with their ends, the last one first.
        let mut arcs: Vec<(u32, u32, Via)> = climbed(BACKWARD, &hierarchy.into);
        arcs.iter_mut().for_each(|arc| (arc.0, arc.1) = (arc.1, arc.0));
        arcs.reverse();
        arcs.extend(climbed(FORWARD, &hierarchy.out));
        let mut transitions = Vec::new();
        while let Some((from, to, via)) = arcs.pop() {
            match via {
                Via::Step(transition) => transitions.push(transition as usize),
                Via::Shortcut(middle) => {
                    arcs.push((middle, to, via_to(&hierarchy.out, middle, to)));
                    arcs.push((from, middle, via_to(&hierarchy.into, middle, from)));
                }
            }
        }
        transitions
    }
}

/// What the arc between two places stands for, from the list of the first place.
fn via_to(rows: &Rows, place: u32, end: u32) -> Via {
    let found = rows.range(place).find(|&arc| rows.ends[arc] == end);
    rows.vias[found.expect("the middle state of a shortcut has both of its arcs")]
}
