//! The elimination order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::dissection::{LEAF, separators};
use super::graph::Graph;
use super::limit::{FillIn, Limit};
use crate::Error;
use crate::watch::Watch;
use crate::world::Mdp;

/// The queue is cleared of outdated entries when it has more than this many for each state that is left.
const MOST_OUTDATED: usize = 8;
/// States with at most this many neighbours are eliminated before the network is divided: dead ends and chains, which
/// have no fill-in.
const CHAIN: usize = 2;

/// The number of neighbours of a state, its level, and the state.
type Waiting = (usize, u32, u32);

/// The network that is left, while states are eliminated.
struct Remaining {
    /// The neighbours of each state that is left, ascending.
    neighbours: Vec<Vec<u32>>,
    ranked: Vec<bool>,
    order: Vec<u32>,
    /// The level of each state in the elimination tree, as far as it is known.
    level: Vec<u32>,
    /// States of separators, which wait until all others are eliminated.
    held: Vec<bool>,
    fill_in: FillIn,
}

/// The neighbours of each state, ascending.
pub(super) fn neighbours(mdp: &Mdp) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); mdp.n_states()];
    for (&from, &to) in mdp.from().iter().zip(mdp.to()).filter(|(from, to)| from != to) {
        neighbours[from as usize].push(to);
        neighbours[to as usize].push(from);
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}

/// The states in the order of their elimination. Chains come first. What is left of a large network is divided by
/// separators, which come last. Within its parts the rule is minimum degree: the state with the fewest neighbours is
/// eliminated, and these neighbours are connected with each other. Ties go to the state with the lowest level in the
/// elimination tree, which keeps the tree shallow and the arcs short.
///
/// # Errors
/// [`Error::FillIn`] as soon as the arcs exceed the limit, whatever follows; [`Error::Stopped`].
pub(super) fn elimination_order(neighbours: Vec<Vec<u32>>, limit: &Limit, watch: &Watch<'_>) -> Result<Vec<u32>, Error> {
    let mut remaining = Remaining::new(neighbours);
    remaining.fill_in.check(limit)?;
    if remaining.ranked.len() > LEAF {
        remaining.least_degree(CHAIN, limit, watch)?;
        let (graph, name) = remaining.graph();
        let between = separators(&graph)?;
        between.iter().for_each(|&v| remaining.held[name[v as usize] as usize] = true);
        remaining.least_degree(usize::MAX, limit, watch)?;
        remaining.order.extend(between.iter().map(|&v| name[v as usize]));
    } else {
        remaining.least_degree(usize::MAX, limit, watch)?;
    }
    Ok(remaining.order)
}

impl Remaining {
    fn new(neighbours: Vec<Vec<u32>>) -> Remaining {
        let n = neighbours.len();
        let ends: usize = neighbours.iter().map(Vec::len).sum();
        let (ranked, held, order, level) = (vec![false; n], vec![false; n], Vec::with_capacity(n), vec![0u32; n]);
        Remaining { neighbours, ranked, order, level, held, fill_in: FillIn::new(n, ends / 2) }
    }

    /// Eliminates all states that are not held and have at most `most` neighbours when it is their turn.
    fn least_degree(&mut self, most: usize, limit: &Limit, watch: &Watch<'_>) -> Result<(), Error> {
        let free = (0..self.ranked.len()).filter(|&state| !self.ranked[state] && !self.held[state]);
        let mut waiting: BinaryHeap<Reverse<Waiting>> =
            free.map(|state| Reverse((self.neighbours[state].len(), self.level[state], state as u32))).collect();
        let mut joined = Vec::new();
        while let Some(Reverse((degree, when, state))) = waiting.pop() {
            if !self.is_current(&(degree, when, state)) {
                continue;
            }
            if degree > most {
                break;
            }
            if degree + 1 == self.fill_in.states_left() {
                // All that is left is connected with each other: there is no more fill-in.
                drop(waiting);
                self.finish();
                break;
            }
            self.eliminate(state, &mut waiting, &mut joined);
            if waiting.len() > MOST_OUTDATED * self.fill_in.states_left() {
                waiting.retain(|Reverse(entry)| self.is_current(entry));
            }
            self.fill_in.check(limit)?;
            self.fill_in.tell(watch)?;
        }
        Ok(())
    }

    /// Whether the state still waits with these neighbours and this level. If not, a newer entry is in the queue.
    fn is_current(&self, &(degree, level, state): &Waiting) -> bool {
        let here = state as usize;
        !self.ranked[here] && degree == self.neighbours[here].len() && level == self.level[here]
    }

    fn rank(&mut self, state: u32) {
        self.ranked[state as usize] = true;
        self.order.push(state);
    }

    fn eliminate(&mut self, state: u32, waiting: &mut BinaryHeap<Reverse<Waiting>>, joined: &mut Vec<u32>) {
        self.rank(state);
        let around = std::mem::take(&mut self.neighbours[state as usize]);
        let above = self.level[state as usize] + 1;
        let (mut ends, mut work) = (0, 0);
        // The lists of states that wait are not needed: their order is known.
        for &other in around.iter().filter(|&&other| !self.held[other as usize]) {
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
    }

    /// Ranks the states of a network in which all are neighbours, as the general rule would: the lowest level first.
    fn finish(&mut self) {
        let rest: Vec<u32> = (0..self.ranked.len() as u32).filter(|&state| !self.ranked[state as usize]).collect();
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
            // States of separators are ranked afterwards.
            if !self.held[state as usize] {
                self.rank(state);
            }
            self.fill_in.eliminate(left, 0, left);
        }
    }

    /// The states that are left as a graph, and the state of each vertex.
    fn graph(&self) -> (Graph, Vec<u32>) {
        let name: Vec<u32> = (0..self.ranked.len() as u32).filter(|&state| !self.ranked[state as usize]).collect();
        let mut number = vec![0u32; self.ranked.len()];
        name.iter().zip(0..).for_each(|(&state, vertex)| number[state as usize] = vertex);
        let (mut first, mut to) = (vec![0], Vec::new());
        for &state in &name {
            to.extend(self.neighbours[state as usize].iter().map(|&other| number[other as usize]));
            first.push(to.len() as u32);
        }
        (Graph { first, edge: vec![1; to.len()], weight: vec![1; name.len()], to }, name)
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
    fn small_networks_have_the_order_of_the_plain_rule() {
        let roads = worlds::road_like(90, 180, 1).unwrap().mdp;
        let networks = (1..6).map(|seed| random(20 * seed as usize, 1 + seed as usize % 4, seed)).chain([roads]);
        for mdp in networks {
            let found = elimination_order(neighbours(&mdp), &Limit::of_sums(usize::MAX), &Watch::none()).unwrap();
            let (rank_of, _) = plainly(&mdp);
            let expected = (0..mdp.n_states()).map(|rank| rank_of.iter().position(|&other| other as usize == rank).unwrap());
            assert_eq!(found.iter().map(|&state| state as usize).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_state_has_its_place_in_a_large_network() {
        for mdp in [worlds::road_like(3000, 6000, 1).unwrap().mdp, random(1500, 2, 3)] {
            let mut order = elimination_order(neighbours(&mdp), &Limit::of_sums(usize::MAX), &Watch::none()).unwrap();
            order.sort_unstable();
            assert_eq!(order, (0..mdp.n_states() as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_cannot_fit_is_refused_before_it_is_there() {
        let mdp = random(2000, 3, 5);
        let within = |memory| elimination_order(neighbours(&mdp), &Limit::of_sums(memory), &Watch::none());
        let enough = (1..40).map(|power| 1usize << power).find(|&memory| within(memory).is_ok()).unwrap();
        for memory in [enough / 2, enough / 4, 1000] {
            let Err(Error::FillIn { n_states, arcs, least, seconds, budget }) = within(memory) else { panic!() };
            assert_eq!((n_states, budget), (2000, memory));
            assert!(least > memory && least <= enough && arcs > 0 && seconds > 0.0, "{arcs} {least} {seconds}");
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
        let order = |watch: &Watch<'_>| elimination_order(neighbours(&mdp), &Limit::of_sums(usize::MAX), watch);
        assert_eq!(order(&Watch::new(&mut hear)).err(), Some(Error::Stopped));
        assert!(told.len() == 3 && told.windows(2).all(|two| two[0].0 < two[1].0), "{told:?}");
        assert!(told.iter().all(|step| step.1 == 3000));
        let cancelled = crate::Cancel::when(|| true).during(|| order(&Watch::none()));
        assert_eq!(cancelled.err(), Some(Error::Stopped));
    }
}
