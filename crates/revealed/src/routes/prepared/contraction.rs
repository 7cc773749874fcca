//! A contraction hierarchy: states are contracted one after another, and shortcuts preserve the shortest paths through
//! them.
//!
//! R. Geisberger et al., "Contraction Hierarchies" (2008). States that would need too many shortcuts remain: the core
//! (R. Bauer et al., 2010).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Error;
use crate::cancel::Pace;

/// A cost as an integer, in units so small that no digit is lost; see [`Unit`](super::Unit).
pub(super) type Cost = u128;
/// Larger than the cost of any path, and small enough that the sum of two does not overflow.
pub(super) const FAR: Cost = 1 << 127;

/// The maximum number of arcs that a witness search scans. With more, it finds more witnesses, so fewer shortcuts are
/// needed, but the contraction takes longer.
const MOST_SCANNED: usize = 200;
/// The maximum number of steps of a witness path.
const MOST_STEPS: u8 = 4;
/// A state with more paths through it (arcs in times arcs out) stays in the core.
const MOST_PATHS_THROUGH: usize = 2500;
/// So do the neighbours of a state with more arcs than this, because the list of its arcs is searched each time.
const MOST_ARCS: usize = 10_000;
/// The contraction stops when the remaining states have more arcs than this on average; they are the core. A higher
/// limit makes a smaller and denser core. On networks without motorways the contraction slows down long before queries
/// become faster.
const DENSE: usize = 10;
/// The weight of a level of the hierarchy against that of arcs. Without it, some states would be reached only by long
/// upward searches.
const LEVEL_WEIGHT: u64 = 100;
const ARC_WEIGHT: u64 = 1000;

/// What an arc stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Via {
    /// A transition.
    Step(u32),
    /// Two arcs, into and out of this state.
    Shortcut(u32),
}

/// An arc, in the list of one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ContractedArc {
    cost: Cost,
    /// The other end.
    end: u32,
    via: Via,
}

/// The arcs of each place, in separate arrays: a search reads only ends and costs.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    first: Vec<u32>,
    pub ends: Vec<u32>,
    pub costs: Vec<Cost>,
    pub vias: Vec<Via>,
}

impl Rows {
    fn new(lists: impl Iterator<Item = Vec<ContractedArc>>) -> Rows {
        let mut rows = Rows { first: vec![0], ends: Vec::new(), costs: Vec::new(), vias: Vec::new() };
        for list in lists {
            for ContractedArc { cost, end, via } in list {
                rows.ends.push(end);
                rows.costs.push(cost);
                rows.vias.push(via);
            }
            rows.first.push(rows.ends.len() as u32);
        }
        rows
    }

    /// The indices of the arcs of a place.
    pub fn range(&self, place: u32) -> std::ops::Range<usize> {
        self.first[place as usize] as usize..self.first[place as usize + 1] as usize
    }

    /// The index, other end and cost of each arc of a place.
    pub fn of(&self, place: u32) -> impl Iterator<Item = (u32, u32, Cost)> {
        let range = self.range(place);
        let ends = self.ends[range.clone()].iter().zip(&self.costs[range.clone()]);
        range.zip(ends).map(|(arc, (&end, &cost))| (arc as u32, end, cost))
    }
}

/// The hierarchy. States are ordered by places: first the core, then the contracted states, the last contracted first.
/// So arcs lead to lower places.
#[derive(Debug, Clone)]
pub(super) struct Hierarchy {
    /// How many states are in the core.
    pub n_core: usize,
    pub place_of_state: Vec<u32>,
    /// Arcs out of each place: up, or within the core.
    pub out: Rows,
    /// Arcs into each place outside of the core: from above.
    pub into: Rows,
}

impl Hierarchy {
    /// Contracts a network, given as (from, to, cost, transition). Of parallel arcs the cheapest is used, and of equal
    /// ones the first. Costs must be above 0.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn new(n_states: usize, steps: impl Iterator<Item = ArcStep>) -> Result<Hierarchy, Error> {
        let mut rest = Remaining::new(n_states, steps);
        let mut search = WitnessSearch::new(n_states);
        let mut contracted: Vec<u32> = Vec::new();
        let mut up: Vec<[Vec<ContractedArc>; 2]> = Vec::new();
        let first = |state| Some(Reverse((rest.priority(state, &mut search)?, state)));
        let mut queue: BinaryHeap<Reverse<(u64, u32)>> = (0..n_states as u32).filter_map(first).collect();
        let mut pace = Pace::default();
        while rest.n_arcs <= DENSE * rest.n_states {
            pace.spend(MOST_SCANNED)?;
            let Some(Reverse((before, state))) = queue.pop() else { break };
            // Contractions since then may have changed the priority.
            let Some(priority) = rest.priority(state, &mut search) else { continue };
            if priority > before && queue.peek().is_some_and(|next| priority > next.0.0) {
                queue.push(Reverse((priority, state)));
                continue;
            }
            up.push(rest.contract(state, &search.shortcuts));
            contracted.push(state);
        }
        Ok(rest.layout(&contracted, up))
    }
}

/// From, to, cost, and the number of the transition.
type ArcStep = (u32, u32, Cost, u32);
/// A shortcut over the state that is to be contracted: from, to, cost.
type Shortcut = (u32, u32, Cost);

/// The network of the states that are not contracted yet.
struct Remaining {
    out: Vec<Vec<ContractedArc>>,
    into: Vec<Vec<ContractedArc>>,
    level: Vec<u32>,
    n_states: usize,
    n_arcs: usize,
}

impl Remaining {
    fn new(n_states: usize, steps: impl Iterator<Item = ArcStep>) -> Remaining {
        let empty = || vec![Vec::new(); n_states];
        let mut rest = Remaining { out: empty(), into: empty(), level: vec![0; n_states], n_states, n_arcs: 0 };
        // A self-loop is never part of a shortest path.
        let mut steps: Vec<ArcStep> = steps.filter(|step| step.0 != step.1).collect();
        steps.sort_unstable();
        steps.dedup_by_key(|step| (step.0, step.1));
        for (from, to, cost, transition) in steps {
            let via = Via::Step(transition);
            rest.out[from as usize].push(ContractedArc { cost, end: to, via });
            rest.into[to as usize].push(ContractedArc { cost, end: from, via });
            rest.n_arcs += 1;
        }
        rest
    }

    fn add(&mut self, from: u32, to: u32, cost: Cost, via: Via) {
        let is_new = put(&mut self.out[from as usize], ContractedArc { cost, end: to, via });
        put(&mut self.into[to as usize], ContractedArc { cost, end: from, via });
        self.n_arcs += usize::from(is_new);
    }

    /// The priority of a state; the lowest is contracted first. It favours states whose contraction adds few arcs and
    /// removes many, and spreads contractions evenly over the network. `None` if the state should stay in the core. The
    /// shortcuts that the contraction needs are left in `search`.
    fn priority(&self, state: u32, search: &mut WitnessSearch) -> Option<u64> {
        let (out, into) = (&self.out[state as usize], &self.into[state as usize]);
        let n_arcs = |end: u32| self.out[end as usize].len().max(self.into[end as usize].len());
        if out.len().saturating_mul(into.len()) > MOST_PATHS_THROUGH
            || out.iter().chain(into).any(|arc| n_arcs(arc.end) > MOST_ARCS)
        {
            return None;
        }
        search.find_shortcuts(self, state);
        let (added, removed) = (search.shortcuts.len() as u64, (out.len() + into.len()) as u64);
        Some(LEVEL_WEIGHT * u64::from(self.level[state as usize]) + ARC_WEIGHT * (added + 1) / (removed + 1))
    }

    fn contract(&mut self, state: u32, shortcuts: &[Shortcut]) -> [Vec<ContractedArc>; 2] {
        let level = self.level[state as usize] + 1;
        let [out, into] = [&mut self.out, &mut self.into].map(|lists| std::mem::take(&mut lists[state as usize]));
        for (arcs, others) in [(&out, &mut self.into), (&into, &mut self.out)] {
            for arc in arcs {
                others[arc.end as usize].retain(|back| back.end != state);
                self.level[arc.end as usize] = self.level[arc.end as usize].max(level);
            }
        }
        self.n_arcs -= out.len() + into.len();
        self.n_states -= 1;
        shortcuts.iter().for_each(|&(from, to, cost)| self.add(from, to, cost, Via::Shortcut(state)));
        [out, into]
    }

    fn layout(mut self, contracted: &[u32], mut up: Vec<[Vec<ContractedArc>; 2]>) -> Hierarchy {
        let mut is_core = vec![true; self.out.len()];
        contracted.iter().for_each(|&state| is_core[state as usize] = false);
        let core: Vec<u32> = (0..is_core.len() as u32).filter(|&state| is_core[state as usize]).collect();
        let mut place_of_state = vec![0; is_core.len()];
        for (place, &state) in core.iter().chain(contracted.iter().rev()).enumerate() {
            place_of_state[state as usize] = place as u32;
        }
        let place = |state: u32| place_of_state[state as usize];
        let moved = |mut arcs: Vec<ContractedArc>| {
            for arc in &mut arcs {
                arc.end = place(arc.end);
                if let Via::Shortcut(state) = &mut arc.via {
                    *state = place(*state);
                }
            }
            arcs
        };
        up.reverse();
        let (up_out, up_into): (Vec<_>, Vec<_>) = up.into_iter().map(|[out, into]| (moved(out), moved(into))).unzip();
        let core_out = core.iter().map(|&state| moved(std::mem::take(&mut self.out[state as usize])));
        let out = Rows::new(core_out.chain(up_out));
        let into = Rows::new(core.iter().map(|_| Vec::new()).chain(up_into));
        Hierarchy { n_core: core.len(), out, into, place_of_state }
    }
}

/// Adds an arc, or lowers the cost of the arc to the same end. Returns whether the arc is new.
fn put(arcs: &mut Vec<ContractedArc>, arc: ContractedArc) -> bool {
    let Some(old) = arcs.iter_mut().find(|old| old.end == arc.end) else {
        arcs.push(arc);
        return true;
    };
    if arc.cost < old.cost {
        *old = arc;
    }
    false
}

/// Searches for witnesses: paths around a state that are as short as the path through it.
struct WitnessSearch {
    /// The lowest cost found for each state, and its number of steps.
    reached: Vec<(Cost, u8)>,
    touched: Vec<u32>,
    heap: BinaryHeap<Reverse<(Cost, u32)>>,
    is_target: Vec<bool>,
    shortcuts: Vec<Shortcut>,
}

impl WitnessSearch {
    fn new(n_states: usize) -> WitnessSearch {
        WitnessSearch {
            reached: vec![(FAR, 0); n_states],
            touched: Vec::new(),
            heap: BinaryHeap::new(),
            is_target: vec![false; n_states],
            shortcuts: Vec::new(),
        }
    }

    /// Finds the shortcuts that contracting a state needs: the paths through it that have no witness.
    fn find_shortcuts(&mut self, rest: &Remaining, state: u32) {
        self.shortcuts.clear();
        let out = &rest.out[state as usize];
        for arc in &rest.into[state as usize] {
            let targets = out.iter().filter(|next| next.end != arc.end);
            let Some(limit) = targets.clone().map(|next| arc.cost + next.cost).max() else { continue };
            targets.clone().for_each(|next| self.is_target[next.end as usize] = true);
            self.run(rest, arc.end, state, limit, targets.clone().count());
            for next in targets {
                self.is_target[next.end as usize] = false;
                let through = arc.cost + next.cost;
                if self.reached[next.end as usize].0 > through {
                    self.shortcuts.push((arc.end, next.end, through));
                }
            }
        }
    }

    /// Dijkstra's algorithm from a state to all targets, up to a cost, without passing through `avoid`.
    fn run(&mut self, rest: &Remaining, from: u32, avoid: u32, limit: Cost, mut targets: usize) {
        self.touched.drain(..).for_each(|state| self.reached[state as usize] = (FAR, 0));
        self.heap.clear();
        self.reach(from, 0, 0);
        let mut scanned = 0;
        while let Some(Reverse((cost, state))) = self.heap.pop() {
            let (least, steps) = self.reached[state as usize];
            if cost > least {
                continue;
            }
            let out = &rest.out[state as usize];
            targets -= usize::from(self.is_target[state as usize]);
            scanned += out.len();
            if targets == 0 || scanned > MOST_SCANNED {
                break;
            }
            for arc in out.iter().filter(|arc| steps < MOST_STEPS && arc.end != avoid) {
                let cost = cost + arc.cost;
                if cost <= limit && cost < self.reached[arc.end as usize].0 {
                    self.reach(arc.end, cost, steps + 1);
                }
            }
        }
    }

    fn reach(&mut self, state: u32, cost: Cost, steps: u8) {
        if self.reached[state as usize].0 == FAR {
            self.touched.push(state);
        }
        self.reached[state as usize] = (cost, steps);
        self.heap.push(Reverse((cost, state)));
    }
}
