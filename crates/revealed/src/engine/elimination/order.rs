//! The elimination order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::limit::{FillIn, Limit};
use crate::Error;
use crate::watch::Watch;
use crate::world::Mdp;

/// The queue is cleared of outdated entries when it has more than this many for each state that is left.
const MOST_OUTDATED: usize = 8;

/// The number of neighbours of a state, its level, and the state.
type Waiting = (usize, u32, u32);

/// The rank of each state, and the arcs to higher ranks.
pub(super) struct Order {
    pub rank_of: Vec<u32>,
    /// Arcs between v and higher ranks are `first_up[v]..first_up[v + 1]`.
    pub first_up: Vec<u32>,
    /// The higher end of each arc, ascending for each v.
    pub up: Vec<u32>,
}

/// The network that is left, while states are eliminated.
struct Remaining {
    /// The neighbours of each state, ascending; for a state that has been eliminated, those that it had then.
    neighbours: Vec<Vec<u32>>,
    rank_of: Vec<u32>,
    order: Vec<u32>,
    /// The level of each state in the elimination tree, as far as it is known.
    level: Vec<u32>,
    /// From this rank on, each state has all that follow as neighbours.
    dense_from: usize,
    fill_in: FillIn,
}

/// Minimum degree: eliminates the state with the fewest neighbours, connects these neighbours with each other, and
/// repeats. Ties go to the state with the lowest level in the elimination tree, which keeps the tree shallow and the
/// arcs short.
///
/// # Errors
/// [`Error::FillIn`] as soon as the arcs exceed the limit, whatever follows; [`Error::Stopped`].
pub(super) fn least_degree(mdp: &Mdp, limit: &Limit, watch: &Watch<'_>) -> Result<Order, Error> {
    let mut remaining = Remaining::new(mdp);
    remaining.fill_in.check(limit)?;
    let first = remaining.neighbours.iter().enumerate().map(|(state, list)| Reverse((list.len(), 0, state as u32)));
    let mut waiting: BinaryHeap<Reverse<Waiting>> = first.collect();
    let mut joined = Vec::new();
    while let Some(Reverse((degree, when, state))) = waiting.pop() {
        if !remaining.is_current(&(degree, when, state)) {
            continue;
        }
        if degree + 1 == remaining.fill_in.states_left() {
            // All that is left is connected with each other: there is no more fill-in.
            drop(waiting);
            remaining.finish();
            break;
        }
        remaining.eliminate(state, &mut waiting, &mut joined);
        if waiting.len() > MOST_OUTDATED * remaining.fill_in.states_left() {
            waiting.retain(|Reverse(entry)| remaining.is_current(entry));
        }
        remaining.fill_in.check(limit)?;
        remaining.fill_in.tell(watch)?;
    }
    Ok(remaining.into_order())
}

impl Remaining {
    fn new(mdp: &Mdp) -> Remaining {
        let n = mdp.n_states();
        let mut neighbours = vec![Vec::new(); n];
        for (&from, &to) in mdp.from().iter().zip(mdp.to()).filter(|(from, to)| from != to) {
            neighbours[from as usize].push(to);
            neighbours[to as usize].push(from);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        let ends: usize = neighbours.iter().map(Vec::len).sum();
        let (rank_of, order, level) = (vec![u32::MAX; n], Vec::with_capacity(n), vec![0u32; n]);
        Remaining { neighbours, rank_of, order, level, dense_from: n, fill_in: FillIn::new(n, ends / 2) }
    }

    fn is_ranked(&self, state: usize) -> bool {
        self.rank_of[state] != u32::MAX
    }

    /// Whether the state still waits with these neighbours and this level. If not, a newer entry is in the queue.
    fn is_current(&self, &(degree, level, state): &Waiting) -> bool {
        let here = state as usize;
        !self.is_ranked(here) && degree == self.neighbours[here].len() && level == self.level[here]
    }

    fn rank(&mut self, state: u32) {
        self.rank_of[state as usize] = self.order.len() as u32;
        self.order.push(state);
    }

    fn eliminate(&mut self, state: u32, waiting: &mut BinaryHeap<Reverse<Waiting>>, joined: &mut Vec<u32>) {
        self.rank(state);
        let mut around = std::mem::take(&mut self.neighbours[state as usize]);
        around.shrink_to_fit();
        let above = self.level[state as usize] + 1;
        let (mut ends, mut work) = (0, 0);
        for &other in &around {
            let (list, level) = (&mut self.neighbours[other as usize], &mut self.level[other as usize]);
            join(list, &around, [state, other], joined);
            work += list.len() + around.len();
            // The list has lost `state`.
            ends += joined.len() + 1 - list.len();
            std::mem::swap(list, joined);
            *level = (*level).max(above);
            waiting.push(Reverse((list.len(), *level, other)));
        }
        self.fill_in.eliminate(around.len(), ends / 2, work);
        self.neighbours[state as usize] = around;
    }

    /// Ranks the states of a network in which all are neighbours, as the general rule would: the lowest level first.
    fn finish(&mut self) {
        self.dense_from = self.order.len();
        let rest: Vec<u32> = (0..self.rank_of.len() as u32).filter(|&state| !self.is_ranked(state as usize)).collect();
        // Each elimination raises the levels of all others above its own: `floor`.
        let mut above: BinaryHeap<Reverse<(u32, u32)>> =
            rest.iter().map(|&state| Reverse((self.level[state as usize], state))).collect();
        let (mut at_floor, mut floor) = (BinaryHeap::new(), 0);
        for left in (0..rest.len()).rev() {
            while let Some(&Reverse((_, state))) = above.peek().filter(|entry| entry.0.0 <= floor) {
                above.pop();
                at_floor.push(Reverse(state));
            }
            let (level, state) = match at_floor.pop() {
                Some(Reverse(state)) => (floor, state),
                None => above.pop().map_or((floor, 0), |Reverse(entry)| entry),
            };
            floor = level + 1;
            self.rank(state);
            self.fill_in.eliminate(left, 0, left);
        }
        rest.iter().for_each(|&state| self.neighbours[state as usize] = Vec::new());
    }

    /// The arcs by rank. Lists are freed as they are copied.
    fn into_order(mut self) -> Order {
        let n = self.order.len();
        let (mut first_up, mut up) = (Vec::with_capacity(n + 1), Vec::with_capacity(self.fill_in.n_arcs()));
        first_up.push(0);
        for (rank, &state) in self.order.iter().enumerate() {
            let from = up.len();
            match rank >= self.dense_from {
                true => up.extend(rank as u32 + 1..n as u32),
                false => {
                    let around = std::mem::take(&mut self.neighbours[state as usize]);
                    up.extend(around.iter().map(|&other| self.rank_of[other as usize]));
                    up[from..].sort_unstable();
                }
            }
            first_up.push(up.len() as u32);
        }
        Order { rank_of: self.rank_of, first_up, up }
    }
}

/// The union of two sorted lists, without the two states `but`.
fn join(a: &[u32], b: &[u32], but: [u32; 2], joined: &mut Vec<u32>) {
    joined.clear();
    let (mut i, mut j) = (0, 0);
    loop {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => {
                i += usize::from(x <= y);
                j += usize::from(y <= x);
                x.min(y)
            }
            (Some(&x), None) => {
                i += 1;
                x
            }
            (None, Some(&y)) => {
                j += 1;
                y
            }
            (None, None) => return,
        };
        if !but.contains(&next) {
            joined.push(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::world::MdpBuilder;
    use crate::worlds;

    /// The same rule, as plainly as possible.
    fn plainly(mdp: &Mdp) -> (Vec<u32>, Vec<Vec<u32>>) {
        let n = mdp.n_states();
        let mut around = vec![BTreeSet::new(); n];
        for (&from, &to) in mdp.from().iter().zip(mdp.to()).filter(|(from, to)| from != to) {
            around[from as usize].insert(to as usize);
            around[to as usize].insert(from as usize);
        }
        let (mut rank_of, mut level, mut higher) = (vec![u32::MAX; n], vec![0; n], Vec::new());
        for rank in 0..n {
            let left = (0..n).filter(|&state| rank_of[state] == u32::MAX);
            let state = left.min_by_key(|&state| (around[state].len(), level[state], state)).unwrap();
            rank_of[state] = rank as u32;
            let others = std::mem::take(&mut around[state]);
            for &other in &others {
                around[other].extend(others.iter().copied().filter(|&third| third != other));
                around[other].remove(&state);
                level[other] = level[other].max(level[state] + 1);
            }
            higher.push(others);
        }
        let ranks = |others: &BTreeSet<usize>| {
            let mut ranks: Vec<u32> = others.iter().map(|&other| rank_of[other]).collect();
            ranks.sort_unstable();
            ranks
        };
        let higher = higher.iter().map(ranks).collect();
        (rank_of, higher)
    }

    /// `arcs` arcs from each state to states that a congruence draws.
    fn random(n: usize, arcs: usize, seed: u64) -> Mdp {
        let mut builder = MdpBuilder::new(n, arcs);
        builder.start(0, 1.0);
        let mut drawn = seed;
        for state in 0..n {
            let mut ends = BTreeSet::new();
            while ends.len() < arcs {
                drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ends.insert((drawn >> 33) as usize % n);
            }
            for (action, to) in ends.into_iter().enumerate() {
                builder.transition(state, action, to, 1.0);
            }
        }
        builder.build().unwrap()
    }

    #[test]
    fn the_order_is_that_of_the_plain_rule() {
        let roads = worlds::road_like(150, 300, 1).unwrap().mdp;
        let networks = (1..8).map(|seed| random(20 * seed as usize, 1 + seed as usize % 4, seed)).chain([roads]);
        for mdp in networks {
            let (rank_of, higher) = plainly(&mdp);
            let found = least_degree(&mdp, &Limit::of_sums(usize::MAX), &Watch::none()).unwrap();
            assert_eq!(found.rank_of, rank_of);
            let lists = found.first_up.windows(2).map(|ends| found.up[ends[0] as usize..ends[1] as usize].to_vec());
            assert_eq!(lists.collect::<Vec<_>>(), higher);
        }
    }

    #[test]
    fn what_cannot_fit_is_refused_before_it_is_there() {
        let mdp = random(2000, 3, 5);
        let arcs = least_degree(&mdp, &Limit::of_sums(usize::MAX), &Watch::none()).unwrap().up.len();
        let within = |memory| least_degree(&mdp, &Limit::of_sums(memory), &Watch::none()).map(|order| order.up.len());
        let enough = arcs * 28 + 2000 * 64;
        assert_eq!(within(enough), Ok(arcs));
        // The last arcs are known long before they are made.
        for memory in [enough - 1, enough / 2, 1000] {
            let Err(Error::FillIn { n_states, arcs: known, least, seconds, budget }) = within(memory) else { panic!() };
            assert_eq!((n_states, budget), (2000, memory));
            assert!(least > memory && least <= enough && known <= arcs && seconds > 0.0, "{known} {least} {seconds}");
        }
    }

    #[test]
    fn it_can_be_watched_and_stopped() {
        let mdp = random(3000, 3, 2);
        let mut told = Vec::new();
        let mut hear = |step: &crate::Step<'_>| {
            told.extend(step.parts());
            if told.len() < 3 { std::ops::ControlFlow::Continue(()) } else { std::ops::ControlFlow::Break(()) }
        };
        let stopped = least_degree(&mdp, &Limit::of_sums(usize::MAX), &Watch::new(&mut hear)).err();
        assert_eq!(stopped, Some(Error::Stopped));
        assert!(told.len() == 3 && told.windows(2).all(|two| two[0].0 < two[1].0), "{told:?}");
        assert!(told.iter().all(|step| step.1 == 3000));
        let cancelled = crate::Cancel::when(|| true).during(|| least_degree(&mdp, &Limit::of_sums(usize::MAX), &Watch::none()));
        assert_eq!(cancelled.err(), Some(Error::Stopped));
    }
}
