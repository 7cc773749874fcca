//! Sums over all paths of any length between many pairs of states: G = (I − W)⁻¹ = Σ_k W^k, by sparse elimination.
//!
//! W(s, s') is the total weight of the steps from s to s'. States are eliminated one after another, those with the
//! fewest neighbours first. Eliminating a state adds fill-in: new arcs between its neighbours that carry the weight of
//! the paths through it. The rank of a state is its place in the elimination order. Every path has one state of highest
//! rank, so
//!
//! ```text
//! G(s, s') = Σ_v up(s, v) · loops(v) · down(v, s')
//! ```
//!
//! where `up(s, v)` sums the paths from s to v whose earlier states all rank lower than v, and `down` is its mirror
//! image. Only the ancestors of s and s' in the elimination tree contribute: a few hundred states in a city network.
//! The pattern of arcs does not depend on the weights, so the order is computed once and each reward only recomputes
//! the numbers ([`EliminationSums`]).
//!
//! Roads have little fill-in. Networks without geography fill in almost completely, and then no order helps. So the
//! arcs are counted while the order is computed, and an elimination that cannot fit is refused ([`Limit`]).
//!
//! Except for 1 − loops, every number is a sum or product of non-negative numbers. There is no cancellation, so each is
//! accurate to rounding however small it is.

mod limit;
mod order;
mod slopes;
mod sums;

pub(crate) use self::limit::Limit;
use self::order::{Order, least_degree};
pub(crate) use self::slopes::Slopes;
pub(crate) use self::sums::{EliminationScratch, EliminationSums, Unsolved, Uses};
use crate::Error;
use crate::watch::Watch;
use crate::world::Mdp;

/// The entry of the elimination to which a transition adds its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// The loop at a rank.
    Loop(u32),
    /// An arc to a higher rank.
    Rise(u32),
    /// An arc from a higher rank.
    Fall(u32),
}

/// The elimination order and the pattern of arcs, fill-in included. States are numbered by rank.
#[derive(Debug)]
pub(crate) struct Elimination {
    rank_of: Vec<u32>,
    /// Arcs between v and higher ranks are `first_up[v]..first_up[v + 1]`.
    first_up: Vec<u32>,
    /// The higher end of each arc, ascending for each v.
    up: Vec<u32>,
    /// Arcs between a and lower ranks are `first_down[a]..first_down[a + 1]` of `down`.
    first_down: Vec<u32>,
    /// (the lower end, the number of the arc).
    down: Vec<(u32, u32)>,
    place_of: Vec<Place>,
}

impl Elimination {
    /// Computes the order and the pattern, and reports how many states have been eliminated.
    ///
    /// # Errors
    /// [`Error::FillIn`] if the arcs do not fit into the memory; [`Error::Stopped`].
    pub(crate) fn new(mdp: &Mdp, limit: &Limit, watch: &Watch<'_>) -> Result<Elimination, Error> {
        let Order { rank_of, first_up, up } = least_degree(mdp, limit, watch)?;
        let n = rank_of.len();
        let mut first_down = vec![0u32; n + 1];
        up.iter().for_each(|&a| first_down[a as usize + 1] += 1);
        (0..n).for_each(|a| first_down[a + 1] += first_down[a]);
        let (mut next, mut down) = (first_down.clone(), vec![(0, 0); up.len()]);
        for v in 0..n {
            for arc in first_up[v]..first_up[v + 1] {
                let place = &mut next[up[arc as usize] as usize];
                down[*place as usize] = (v as u32, arc);
                *place += 1;
            }
        }
        let arc = |low: u32, high: u32| {
            let arcs = first_up[low as usize]..first_up[low as usize + 1];
            let place = up[arcs.start as usize..arcs.end as usize].binary_search(&high).expect("every step has an arc");
            arcs.start + place as u32
        };
        let place = |transition: usize| {
            let [from, to] = [mdp.from()[transition], mdp.to()[transition]].map(|state| rank_of[state as usize]);
            match from.cmp(&to) {
                std::cmp::Ordering::Equal => Place::Loop(from),
                std::cmp::Ordering::Less => Place::Rise(arc(from, to)),
                std::cmp::Ordering::Greater => Place::Fall(arc(to, from)),
            }
        };
        let place_of = (0..mdp.n_transitions()).map(place).collect();
        Ok(Elimination { rank_of, first_up, up, first_down, down, place_of })
    }

    fn n(&self) -> usize {
        self.rank_of.len()
    }

    /// The number of arcs, both those of the network and the fill-in.
    pub(crate) fn n_arcs(&self) -> usize {
        self.up.len()
    }

    fn arcs(&self, v: usize) -> std::ops::Range<usize> {
        self.first_up[v] as usize..self.first_up[v + 1] as usize
    }

    /// The arcs to lower ranks.
    fn lower(&self, a: usize) -> &[(u32, u32)] {
        &self.down[self.first_down[a] as usize..self.first_down[a + 1] as usize]
    }

    /// The ranks that can lie on a path from or to this one as its highest rank: itself and its ancestors in the
    /// elimination tree.
    fn chain(&self, rank: u32) -> impl Iterator<Item = usize> + '_ {
        let parent = |v: &usize| self.up[self.arcs(*v)].first().map(|&parent| parent as usize);
        std::iter::successors(Some(rank as usize), parent)
    }
}
