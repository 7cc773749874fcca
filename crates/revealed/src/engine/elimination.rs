//! Sums over all paths of any length between many pairs of states: G = (I − W)⁻¹ = Σ_k W^k, by sparse elimination.
//!
//! W(s, s') is the total weight of the steps from s to s'. States are eliminated one after another. Eliminating a state
//! adds fill-in: new arcs between its neighbours that carry the weight of the paths through it. The rank of a state is
//! its place in the elimination order (`order.rs`, `dissection.rs`). Every path has one state of highest rank, so
//!
//! ```text
//! G(s, s') = Σ_v up(s, v) · loops(v) · down(v, s')
//! ```
//!
//! where `up(s, v)` sums the paths from s to v whose earlier states all rank lower than v, and `down` is its mirror
//! image. Only the ancestors of s and s' in the elimination tree contribute: a few hundred states in a city network.
//! The pattern of arcs does not depend on the weights, so the order is computed once and each reward only recomputes
//! the numbers ([`EliminationSums`]). States with the same arcs form dense matrices (`fronts.rs`), and the work is their
//! products (`factor.rs`; all pairs together, `pairs.rs`; derivatives, `reverse.rs`).
//!
//! Roads have little fill-in. Networks without geography fill in almost completely, and then no order helps. So the
//! arcs are counted while the order is computed, and an elimination that cannot fit is refused ([`Limit`]).
//!
//! Except for 1 − loops, every number is a sum or product of non-negative numbers. There is no cancellation, so each is
//! accurate to rounding however small it is.

mod dissection;
mod ends;
mod factor;
mod fronts;
mod graph;
mod limit;
mod order;
mod pairs;
#[cfg(test)]
mod plain;
mod reverse;
mod separator;
mod slopes;
mod subtrees;
mod sums;
mod within;

use self::fronts::Fronts;
pub(crate) use self::limit::Limit;
use self::order::{elimination_order, neighbours};
pub(crate) use self::pairs::PairSums;
pub(crate) use self::slopes::Slopes;
use self::subtrees::Subtrees;
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
    fronts: Fronts,
    subtrees: Subtrees,
    place_of: Vec<Place>,
}

impl Elimination {
    /// Computes the order and the pattern, and reports how many states have been eliminated.
    ///
    /// # Errors
    /// [`Error::FillIn`] if the arcs do not fit into the memory; [`Error::Stopped`].
    pub(crate) fn new(mdp: &Mdp, limit: &Limit, watch: &Watch<'_>) -> Result<Elimination, Error> {
        let neighbours = neighbours(mdp);
        let order = elimination_order(neighbours.clone(), limit, watch)?;
        let fronts = Fronts::new(&neighbours, &order, limit)?;
        let arc = |low: u32, high: u32| fronts.arc(low, high).expect("every step has an arc") as u32;
        let place = |transition: usize| {
            let [from, to] = [mdp.from()[transition], mdp.to()[transition]].map(|state| fronts.rank_of[state as usize]);
            match from.cmp(&to) {
                std::cmp::Ordering::Equal => Place::Loop(from),
                std::cmp::Ordering::Less => Place::Rise(arc(from, to)),
                std::cmp::Ordering::Greater => Place::Fall(arc(to, from)),
            }
        };
        let place_of = (0..mdp.n_transitions()).map(place).collect();
        Ok(Elimination { subtrees: Subtrees::new(&fronts), fronts, place_of })
    }

    fn n(&self) -> usize {
        self.fronts.rank_of.len()
    }

    /// The number of entries for arcs, both those of the network and the fill-in.
    pub(crate) fn n_arcs(&self) -> usize {
        self.fronts.base[self.fronts.len()]
    }

    /// The entries of the arcs to higher ranks, and these ranks.
    fn arcs(&self, v: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (entries, ranks) = self.fronts.arcs(v);
        entries.zip(ranks)
    }

    /// The ranks that can lie on a path from or to this one as its highest rank: itself and its ancestors in the
    /// elimination tree.
    fn chain(&self, rank: u32) -> impl Iterator<Item = usize> + '_ {
        let parent = |v: &usize| self.fronts.arcs(*v).1.next();
        std::iter::successors(Some(rank as usize), parent)
    }
}
