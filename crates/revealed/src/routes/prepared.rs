//! Likeliest paths of any length, for many pairs of states at once.
//!
//! Without a discount a likeliest path is a shortest one (sec:me-inference). The network is prepared once: states are left out
//! (`routes/contraction.rs`) as long as few arcs replace them, and landmarks tell in what remains which way leads towards the
//! goal (`routes/landmarks.rs`). A query then looks at a few hundred states of a city instead of all (`routes/search.rs`).

mod contraction;
mod landmarks;
mod search;

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use self::contraction::{Cost, Hierarchy};
use self::landmarks::Landmarks;
use self::search::RouteSearch;
use crate::Error;
use crate::engine::Stop;
use crate::model::PathModel;
use crate::model::path_model::log_weight;
use crate::numeric::threads::Threads;
use crate::routes::costs::Costs;

/// Pairs that a thread takes at once.
const CHUNK: usize = 32;
/// Bits of the dearest path. More would leave no room for sums.
const BITS: i32 = 120;
/// Powers of two that an f64 holds with their inverse.
const EXPONENTS: std::ops::RangeInclusive<i32> = -1000..=1000;

/// A likeliest path between two states.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// s_1 … s_l.
    pub states: Vec<usize>,
    /// The transition numbers of its steps, one fewer.
    pub transitions: Vec<usize>,
    /// log q(τ) e^{R(τ)} without p0, as [`PathModel::log_weight`] has it.
    pub log_weight: f64,
}

/// A model's network, prepared for many questions of the kind: which path from here to there is the likeliest? Paths may have
/// any length, also beyond the model's horizon: look at the length of what is found.
///
/// ```
/// use revealed::{Ends, PathModel, Routes, worlds};
///
/// let roads = worlds::road_like(100, 200, 1)?;
/// let reward = roads.features.reward(&roads.mdp, &roads.theta)?;
/// let routes = Routes::new(&PathModel::new(&roads.mdp, reward, 50, Ends::Anywhere)?)?;
/// let there = routes.find(3, 70)?;
/// assert_eq!((there.states[0], there.states.last()), (3, Some(&70)));
/// assert_eq!(routes.find_all(&[(3, 70), (5, 5)], Some(2))?[0], Ok(there));
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Routes<'a> {
    model: PathModel<'a>,
    hierarchy: Hierarchy,
    landmarks: Landmarks,
    error_bound: f64,
    /// Arrays of queries that are done.
    spare: Mutex<Vec<RouteSearch>>,
}

impl<'a> Routes<'a> {
    /// Prepares a model's network: some seconds for a city of 300,000 segments. The result does not depend on threads; one is
    /// used.
    ///
    /// # Errors
    /// [`Error::Gains`] if a cycle has a weight above 1, so that there is no likeliest path of any length;
    /// [`Error::DiscountedRoute`] if there is a discount.
    pub fn new(model: &PathModel<'a>) -> Result<Self, Error> {
        let mdp = model.mdp();
        let costs = Costs::new(model, &vec![true; mdp.n_states()])?;
        let unit = Unit::new(mdp.from(), &costs.reduced);
        let steps = costs.reduced.iter().enumerate().filter(|(_, cost)| cost.is_finite());
        let steps = steps
            .map(|(transition, &cost)| (mdp.from()[transition], mdp.to()[transition], unit.count(cost), transition as u32));
        let hierarchy = Hierarchy::new(mdp.n_states(), steps);
        let landmarks = Landmarks::new(&hierarchy);
        let error_bound = (mdp.n_states() - 1) as f64 * unit.size;
        Ok(Routes { model: model.clone(), hierarchy, landmarks, error_bound, spare: Mutex::default() })
    }

    /// The model that was prepared.
    pub fn model(&self) -> &PathModel<'a> {
        &self.model
    }

    /// By how much the log-weight of a path that is found may lie below that of the best, were the cost of each transition,
    /// c = −log T π0 − R with what makes it 0 or more (an f64), added up without rounding.
    ///
    /// Costs are counted in units of u = 2^k, as ⌊c / u⌋ + 1. So a path of m steps costs C < u C_u ≤ C + m u, and for the path
    /// that is found, P, and the best one, B, which visits no state twice:
    ///
    /// ```text
    /// C(P) < u C_u(P) ≤ u C_u(B) ≤ C(B) + (|𝓢| − 1) u
    /// ```
    ///
    /// Sums of whole numbers are exact, and u is 2^-120 times what the dearest path may cost: the bound is far below the rounding
    /// of the costs themselves unless these differ by twenty orders of magnitude. The unit that each step adds lets the path
    /// with the fewest states win among equals, and no step is free.
    pub fn error_bound(&self) -> f64 {
        self.error_bound
    }

    /// The likeliest path from one state to another; of equally likely ones one with the fewest states. Where `from` is `to`, it is
    /// the path of that one state.
    ///
    /// # Errors
    /// If a state does not exist; [`Error::NotAnEnd`] if paths of the model do not end in `to`, or only by their length;
    /// [`Error::Unreachable`] if no path leads there.
    pub fn find(&self, from: usize, to: usize) -> Result<Route, Error> {
        let mut search = self.search();
        let found = self.find_with(&mut search, from, to);
        self.keep(search);
        found
    }

    /// The same for many pairs (from, to), in their order and with the same answers on any number of threads; all cores unless
    /// set.
    ///
    /// # Errors
    /// If the threads cannot be had. What is wrong with a pair stands in its place.
    pub fn find_all(&self, pairs: &[(usize, usize)], threads: Option<usize>) -> Result<Vec<Result<Route, Error>>, Error> {
        let work = || {
            let chunk = |pairs: &[(usize, usize)]| {
                let mut search = self.search();
                let found: Vec<_> = pairs.iter().map(|&(from, to)| self.find_with(&mut search, from, to)).collect();
                self.keep(search);
                found
            };
            pairs.par_chunks(CHUNK).flat_map_iter(chunk).collect()
        };
        Ok(Threads::new(threads)?.run(work))
    }

    fn find_with(&self, search: &mut RouteSearch, from: usize, to: usize) -> Result<Route, Error> {
        self.model.check_state("the first state", from)?;
        if matches!(self.model.stop(Some(to))?, Stop::AtHorizon(_)) {
            let rule = "its paths end by their length (ends = horizon) or in terminal states, and this is none; ask for ends = goal \
                        to have paths of any length to it";
            return Err(Error::NotAnEnd { state: to, rule });
        }
        let place = |state: usize| self.hierarchy.place_of_state[state];
        let found = search.run(&self.hierarchy, &self.landmarks, place(from), place(to));
        let transitions = found.ok_or_else(|| Error::Unreachable { what: format!("from state {from} to state {to}") })?;
        let mdp = self.model.mdp();
        let entered = transitions.iter().map(|&transition| mdp.to()[transition] as usize);
        let states: Vec<usize> = std::iter::once(from).chain(entered).collect();
        let log_weight = log_weight(mdp, self.model.reward(), &states, &transitions);
        Ok(Route { states, transitions, log_weight })
    }

    fn search(&self) -> RouteSearch {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| RouteSearch::new(self.model.mdp().n_states()))
    }

    fn keep(&self, search: RouteSearch) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(search);
    }
}

/// What costs are counted in: a power of two.
struct Unit {
    size: f64,
    per_cost: f64,
}

impl Unit {
    /// A path visits no state twice, and leaves each by its dearest step at worst.
    fn new(from: &[u32], costs: &[f64]) -> Unit {
        let finite = || costs.iter().copied().zip(from).filter(|row| row.0.is_finite());
        let largest = finite().fold(0.0, |largest: f64, (cost, _)| largest.max(cost));
        if largest == 0.0 {
            return Unit { size: 1.0, per_cost: 1.0 };
        }
        let (mut shares, mut dearest, mut state) = (0.0, 0.0, u32::MAX);
        for (cost, &from) in finite() {
            if from != state {
                (shares, dearest, state) = (shares + dearest, 0.0, from);
            }
            dearest = (cost / largest).max(dearest);
        }
        let exponent = (largest.log2() + (shares + dearest).log2()).ceil() as i32 - BITS;
        let exponent = exponent.clamp(*EXPONENTS.start(), *EXPONENTS.end());
        Unit { size: 2f64.powi(exponent), per_cost: 2f64.powi(-exponent) }
    }

    fn count(&self, cost: f64) -> Cost {
        (cost * self.per_cost) as Cost + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_hold_any_path_and_lose_nothing() {
        let check = |from: &[u32], costs: &[f64], bits: i32| {
            let unit = Unit::new(from, costs);
            let finite = || costs.iter().filter(|cost| cost.is_finite());
            let total: Cost = finite().map(|&cost| unit.count(cost)).sum();
            assert!(total < 1 << (BITS + 2), "{costs:?}: {total}");
            for &cost in finite() {
                let counted = unit.count(cost) as f64 * unit.size;
                assert!((counted - cost).abs() <= unit.size + cost * f64::EPSILON, "{cost}: {counted}");
            }
            assert!(finite().all(|&cost| cost == 0.0 || unit.size <= cost * 2f64.powi(-bits)), "{costs:?}: {}", unit.size);
        };
        check(&[0, 0, 1], &[0.25, 3.0, 1e-3], 100);
        check(&[0, 1], &[0.0, f64::INFINITY], 0);
        check(&[0, 1, 2], &[1e300, f64::MAX, 1e290], 50);
        check(&[0, 1], &[1e-300, 1e-299], 3);
        check(&[0, 1], &[1e15, 1e-3], 50);
    }
}
