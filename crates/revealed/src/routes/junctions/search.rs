//! The best walks within the horizon from several junctions at once: Viterbi's recursion, forwards.
//!
//! ```text
//! v_t(k) = max over the arcs into k of v_{t - steps}(from) + log-weight
//! ```
//!
//! Only the most recent v are stored. For each t and k a byte stores the index of the best arc.

use multiversion::multiversion;

use super::{Beginning, Ending, JunctionArc, Junctions, REACH};
use crate::routes::Route;

/// The number of searches that run at once.
pub(crate) const SEARCH_LANES: usize = 8;
/// The number of times whose values are stored.
const KEPT: usize = REACH as usize + 1;

type BestValues = [f64; SEARCH_LANES];

/// The arrays of a search.
#[derive(Debug, Default)]
pub(crate) struct JunctionScratch {
    /// v_t(k) at `[t % KEPT][k]`.
    values: Vec<BestValues>,
    /// The index of the best arc, at `[(t - 1) n + k]`.
    arc: Vec<[u8; SEARCH_LANES]>,
}

/// A goal of a search, and the best walk to it so far.
#[derive(Debug, Clone)]
pub(crate) struct Goal {
    beginning: Beginning,
    lane: usize,
    endings: Vec<Ending>,
    best: Option<Best>,
}

#[derive(Debug, Clone, Copy)]
struct Best {
    log_weight: f64,
    states: usize,
    /// The time at the last junction and the index of the ending; `None` if the walk ends before the first junction.
    how: Option<(usize, usize)>,
}

impl Goal {
    /// Records a walk if it is better; of equally good walks, the one with fewer states.
    fn offer(&mut self, log_weight: f64, states: usize, how: Option<(usize, usize)>) {
        let better = |best: Best| log_weight > best.log_weight || log_weight == best.log_weight && states < best.states;
        if log_weight > f64::NEG_INFINITY && self.best.is_none_or(better) {
            self.best = Some(Best { log_weight, states, how });
        }
    }
}

impl Junctions<'_> {
    /// The memory of one search, in bytes.
    pub fn bytes(&self) -> usize {
        let each = KEPT * size_of::<BestValues>() + self.model.longest() * SEARCH_LANES;
        self.n_junctions.saturating_mul(each)
    }

    /// The walks to a state that start with this beginning. Their search runs in this lane.
    pub fn goal(&self, beginning: Beginning, lane: usize, state: usize) -> Goal {
        let endings = if beginning.junction.is_some() { self.endings(state) } else { Vec::new() };
        let passes: Vec<(usize, f64)> = (beginning.states.iter().zip(&beginning.log_weights).enumerate())
            .filter(|(_, (passed, _))| **passed == state)
            .map(|(place, (_, &log_weight))| (place + 1, log_weight))
            .collect();
        let mut goal = Goal { beginning, lane, endings, best: None };
        passes.into_iter().for_each(|(states, log_weight)| goal.offer(log_weight, states, None));
        goal
    }

    /// Searches from these junctions, one per lane, and updates the goals.
    pub fn search(&self, begin: &[u32], goals: &mut [Goal], scratch: &mut JunctionScratch) {
        let (n, horizon) = (self.n_junctions, self.model.longest());
        let JunctionScratch { values, arc } = scratch;
        values.clear();
        values.resize(n * KEPT, [f64::NEG_INFINITY; SEARCH_LANES]);
        arc.resize(n * horizon, [0; SEARCH_LANES]);
        for (lane, &junction) in begin.iter().enumerate() {
            values[n * (1 % KEPT) + junction as usize][lane] = 0.0;
        }
        for t in 1..=horizon {
            if t > 1 {
                step(&self.first, &self.arcs, values, &mut arc[(t - 1) * n..t * n], t);
            }
            let now = &values[(t % KEPT) * n..][..n];
            for goal in goals.iter_mut() {
                let before = goal.beginning.transitions.len();
                let paid = goal.beginning.log_weights[before];
                for place in 0..goal.endings.len() {
                    let ending = &goal.endings[place];
                    let states = before + t + ending.transitions.len();
                    if states <= horizon {
                        let log_weight = paid + now[ending.from as usize][goal.lane] + ending.log_weight;
                        goal.offer(log_weight, states, Some((t, place)));
                    }
                }
            }
        }
    }

    /// The best walk to a goal, after its search.
    pub fn best(&self, goal: &Goal, scratch: &JunctionScratch) -> Option<Route> {
        let Best { states, how, .. } = goal.best?;
        let from = goal.beginning.states[0];
        let Some((mut time, ending)) = how else {
            return Some(self.route(from, goal.beginning.transitions[..states - 1].to_vec()));
        };
        let ending = &goal.endings[ending];
        let (mut at, mut arcs) = (ending.from as usize, Vec::new());
        while time > 1 {
            let place = scratch.arc[(time - 1) * self.n_junctions + at][goal.lane];
            let arc = &self.arcs[self.first[at] as usize + place as usize];
            arcs.push(arc);
            (at, time) = (arc.from as usize, time - arc.steps as usize);
        }
        let mut transitions = goal.beginning.transitions.clone();
        arcs.into_iter().rev().for_each(|arc| self.unfold(arc, &mut transitions));
        transitions.extend(ending.transitions.iter().rev().map(|&transition| transition as usize));
        Some(self.route(from, transitions))
    }
}

/// Computes v_t and its best arcs from the earlier values.
#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
fn step(first: &[u32], arcs: &[JunctionArc], values: &mut [BestValues], arc_of: &mut [[u8; SEARCH_LANES]], t: usize) {
    let n = arc_of.len();
    // Times before the first have the value -∞, which is the initial value of the array.
    let place: [usize; KEPT] = std::array::from_fn(|steps| (t + KEPT - steps) % KEPT * n);
    for junction in 0..n {
        let mut best = [f64::NEG_INFINITY; SEARCH_LANES];
        let mut which = [0u64; SEARCH_LANES];
        let into = &arcs[first[junction] as usize..first[junction + 1] as usize];
        for (number, arc) in into.iter().enumerate() {
            let from = &values[place[arc.steps as usize] + arc.from as usize];
            for lane in 0..SEARCH_LANES {
                let value = from[lane] + arc.log_weight;
                let better = value > best[lane];
                best[lane] = if better { value } else { best[lane] };
                which[lane] = if better { number as u64 } else { which[lane] };
            }
        }
        values[place[0] + junction] = best;
        for lane in 0..SEARCH_LANES {
            arc_of[junction][lane] = which[lane] as u8;
        }
    }
}
