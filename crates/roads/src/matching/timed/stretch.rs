//! All drives between two fixes, by the time that they take.
//!
//! ```text
//! fix 1     entered after 3.2 s      after 8.1 s        fix 2
//! spot ────▶ cell ────────────────▶ cell ─────────────▶ spot
//! spot ────▶ cell ──────┐           cell ─────────────▶ spot
//!                       └─────────▶
//! ```
//!
//! A cell is a segment and the usual seconds at which it is entered. Cells of a segment whose seconds are nearly equal
//! are one, with their mean. Time goes on along every edge, so there is no cycle, and sums over all drives are exact up
//! to the merging of cells.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::matching::routes::Incoming;
use crate::network::Network;

/// Cells of a segment nearer than this are one, in seconds.
const STEP: f64 = 1.0;
/// The step of the table of densities in seconds.
pub(super) const FINE: f64 = 0.25;
/// A drive along a segment takes at least this long, so that time goes on.
pub(super) const LEAST_SECONDS: f64 = 1e-3;
/// With more cells the stretch is given up.
const MOST_CELLS: usize = 60_000;

const MOST_PLACES: usize = 20_000_000;
/// Drives are left out that have this share of the weight of the best, even if they went on as the best does.
const UNLIKELY: f64 = 1e-6;
/// No cell.
const NONE: u32 = u32::MAX;

/// A position where a fix may have been taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spot {
    pub segment: u32,
    /// Usual seconds since the segment was entered.
    pub into: f64,
    /// The likelihood of the fix here, times the seconds that the spot stands for.
    pub weight: f64,
}

/// A segment and when it is entered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub segment: u32,
    /// Usual seconds from the first fix; below 0 on the segment of the first fix.
    pub clock: f64,
}

/// A turn from one cell to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    pub from: u32,
    pub to: u32,
    pub weight: f64,
}

/// The car is at a spot of the second fix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Arrival {
    pub cell: u32,
    pub spot: u32,
    /// The row of the table of densities.
    pub row: u32,
}

/// All drives between two fixes. The first cells are the spots of the first fix.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Stretch {
    pub cells: Vec<Cell>,
    /// Each leads to a cell with a larger number, and all edges into a cell come before those out of it.
    pub edges: Vec<Edge>,
    pub arrivals: Vec<Arrival>,
}

/// What drives are made of.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub network: &'a Network,
    pub incoming: &'a Incoming,
    /// The weight of each turn and the segment that it enters, in the order of [`Network::turns`].
    pub weights: &'a [f64],
}

impl Ground<'_> {
    /// The usual seconds of a segment.
    pub(super) fn seconds(&self, segment: u32) -> f64 {
        self.network.seconds(segment as usize).max(LEAST_SECONDS)
    }
}

/// A segment from which the second fix can be reached in time.
struct Near {
    segment: u32,
    seconds: f64,
    /// Seconds from its beginning to the nearest spot.
    left: f64,
    /// The largest weight of a drive from it to a spot.
    best: f64,
    /// The spots on it.
    spots: Vec<u32>,
    /// The turns from it: to which of the near segments, and the weight.
    turns: Vec<(u32, f64)>,
}

/// The segments from which a spot can be reached within these seconds, and the place of each in the list.
fn near(ground: &Ground<'_>, spots: &[Spot], most: f64) -> (Vec<Near>, HashMap<u32, u32>) {
    let mut best: HashMap<u32, f64> = HashMap::new();
    let mut open = BinaryHeap::new();
    for spot in spots {
        let left = best.entry(spot.segment).or_insert(f64::INFINITY);
        if spot.into < *left {
            *left = spot.into;
            open.push(Reverse((spot.into.to_bits(), spot.segment)));
        }
    }
    let (mut list, mut place): (Vec<Near>, HashMap<u32, u32>) = (Vec::new(), HashMap::new());
    while let Some(Reverse((bits, segment))) = open.pop() {
        let left = f64::from_bits(bits);
        if place.contains_key(&segment) {
            continue;
        }
        place.insert(segment, list.len() as u32);
        list.push(Near { segment, seconds: ground.seconds(segment), left, best: 0.0, spots: Vec::new(), turns: Vec::new() });
        for &before in ground.incoming.of(segment) {
            let longer = left + ground.seconds(before);
            let known = best.entry(before).or_insert(f64::INFINITY);
            if longer < *known && longer <= most + ground.seconds(before) {
                *known = longer;
                open.push(Reverse((longer.to_bits(), before)));
            }
        }
    }
    for (at, spot) in spots.iter().enumerate() {
        list[place[&spot.segment] as usize].spots.push(at as u32);
    }
    for one in &mut list {
        let segment = one.segment as usize;
        let turns = ground.network.turns_of(segment).iter().zip(&ground.weights[ground.network.first_turn_of(segment)..]);
        one.turns = turns.filter_map(|(to, &weight)| Some((*place.get(to)?, weight))).collect();
    }
    set_best(&mut list);
    (list, place)
}

/// Finds the largest weight of a drive from each segment to a spot, by Dijkstra's algorithm. A weight above 1 counts as
/// 1.
fn set_best(list: &mut [Near]) {
    let mut before: Vec<Vec<(u32, f64)>> = vec![Vec::new(); list.len()];
    let mut open = BinaryHeap::new();
    for (place, one) in list.iter().enumerate() {
        one.turns.iter().for_each(|&(to, weight)| before[to as usize].push((place as u32, weight.min(1.0))));
        if !one.spots.is_empty() {
            open.push((1f64.to_bits(), place as u32));
        }
    }
    while let Some((bits, place)) = open.pop() {
        let best = f64::from_bits(bits);
        if best > list[place as usize].best {
            list[place as usize].best = best;
            open.extend(before[place as usize].iter().map(|&(before, weight)| ((best * weight).to_bits(), before)));
        }
    }
}

/// A stretch that is being built.
struct Builder<'a> {
    near: &'a [Near],
    high: f64,
    stretch: Stretch,
    /// For each cell the place of its segment, its weight so far, and the sum of weight times clock.
    known: Vec<(u32, f64, f64)>,
    /// The open cell of each segment and step.
    open_cells: Vec<u32>,
    /// The number of steps.
    steps: usize,
    /// Drives of a smaller weight are left out.
    least: f64,
    open: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Builder<'_> {
    /// The place of a segment and a step in the table of open cells.
    fn place(&self, near: u32, clock: f64) -> usize {
        near as usize * self.steps + (clock / STEP) as usize
    }

    /// A drive enters a segment.
    fn enter(&mut self, from: u32, to: u32, clock: f64, weight: f64, so_far: f64) {
        let near = &self.near[to as usize];
        if clock + near.left > self.high || weight * so_far * near.best < self.least {
            return;
        }
        let place = self.place(to, clock);
        if self.open_cells[place] == NONE {
            self.open_cells[place] = self.stretch.cells.len() as u32;
            self.open.push(Reverse((clock.to_bits(), self.open_cells[place])));
            self.stretch.cells.push(Cell { segment: near.segment, clock });
            self.known.push((to, 0.0, 0.0));
        }
        let cell = self.open_cells[place];
        let known = &mut self.known[cell as usize];
        known.1 += weight * so_far;
        known.2 += weight * so_far * clock;
        self.stretch.edges.push(Edge { from, to: cell, weight });
    }

    /// All turns and arrivals of a cell, whose weight is known.
    fn leave(&mut self, cell: u32, place: u32, clock: f64, so_far: f64, spots: &[Spot], low: f64) {
        let near: &Near = &self.near[place as usize];
        for &spot in &near.spots {
            let usual = clock + spots[spot as usize].into;
            if usual >= low && usual <= self.high {
                self.stretch.arrivals.push(Arrival { cell, spot, row: (usual / FINE).round() as u32 });
            }
        }
        for &(to, weight) in &near.turns {
            self.enter(cell, to, clock + near.seconds, weight, so_far);
        }
    }
}

impl Stretch {
    /// All drives from the spots of a fix, which have these weights so far, to the spots of the next, in this window of
    /// usual seconds. `None` if there are too many.
    pub(super) fn new(ground: &Ground<'_>, [from, to]: [&[Spot]; 2], so_far: &[f64], [low, high]: [f64; 2]) -> Option<Stretch> {
        let (near, place) = near(ground, to, high);
        let steps = (high / STEP) as usize + 1;
        if near.len().saturating_mul(steps) > MOST_PLACES {
            return None;
        }
        let best = from
            .iter()
            .zip(so_far)
            .map(|(spot, so_far)| so_far * place.get(&spot.segment).map_or(0.0, |&at| near[at as usize].best));
        let mut builder = Builder {
            near: &near,
            high,
            stretch: Stretch::default(),
            known: Vec::new(),
            open_cells: vec![NONE; near.len() * steps],
            steps,
            least: UNLIKELY * best.fold(f64::MIN_POSITIVE, f64::max),
            open: BinaryHeap::new(),
        };
        for spot in from {
            builder.stretch.cells.push(Cell { segment: spot.segment, clock: -spot.into });
            builder.known.push((place.get(&spot.segment).copied().unwrap_or(u32::MAX), 0.0, 0.0));
        }
        for (cell, (spot, &so_far)) in from.iter().zip(so_far).enumerate() {
            let place = builder.known[cell].0;
            if place != u32::MAX && so_far > 0.0 {
                builder.leave(cell as u32, place, -spot.into, so_far, to, low);
            }
        }
        let mut order: Vec<u32> = (0..from.len() as u32).collect();
        while let Some(Reverse((_, cell))) = builder.open.pop() {
            order.push(cell);
            let (place, weight, sum) = builder.known[cell as usize];
            let first = builder.stretch.cells[cell as usize].clock;
            // It takes no more drives: a later one begins another cell.
            let at = builder.place(place, first);
            builder.open_cells[at] = NONE;
            let clock = sum / weight;
            builder.stretch.cells[cell as usize].clock = clock;
            builder.leave(cell, place, clock, weight, to, low);
            if builder.stretch.cells.len() > MOST_CELLS {
                return None;
            }
        }
        Some(builder.stretch.in_order(&order))
    }

    /// The same with the cells in the order in which drives pass them.
    fn in_order(mut self, order: &[u32]) -> Stretch {
        let mut number = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &cell)| number[cell as usize] = place as u32);
        for edge in &mut self.edges {
            (edge.from, edge.to) = (number[edge.from as usize], number[edge.to as usize]);
        }
        self.arrivals.iter_mut().for_each(|arrival| arrival.cell = number[arrival.cell as usize]);
        self.cells = order.iter().map(|&cell| self.cells[cell as usize]).collect();
        self
    }
}
