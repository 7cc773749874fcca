//! Likeliest paths of any length between many pairs of states.
//!
//! Without a discount, a likeliest path is a shortest path (sec:me-inference). The network is prepared once. States are
//! contracted as long as few shortcuts replace them (`prepared/contraction.rs`). In the remaining core, landmarks give
//! lower bounds for an A* search (`prepared/landmarks.rs`). A query then looks at a few hundred states of a city
//! instead of all (`prepared/search.rs`).

mod contraction;
mod landmarks;
mod search;

use std::sync::{Mutex, PoisonError};

use self::contraction::{Cost, Hierarchy};
use self::landmarks::Landmarks;
use self::search::RouteSearch;
use crate::Error;
use crate::cancel::Cancel;
use crate::engine::Stop;
use crate::model::PathModel;
use crate::model::path_model::log_weight;
use crate::numeric::Work;
use crate::numeric::parallel;
use crate::numeric::threads::Threads;
use crate::routes::costs::Costs;

/// The number of pairs that a thread takes at once.
const CHUNK: usize = 32;
/// Bits of the cost of the most expensive path. With more bits, sums would overflow.
const BITS: i32 = 120;
/// Exponents e for which both 2^e and 2^-e are normal numbers.
const EXPONENTS: std::ops::RangeInclusive<i32> = -1000..=1000;

/// A likeliest path between two states.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// s_1 … s_l.
    pub states: Vec<usize>,
    /// The transition numbers of its steps: one fewer than states.
    pub transitions: Vec<usize>,
    /// log q(τ) e^{R(τ)} without p0, as [`PathModel::log_weight`] computes it.
    pub log_weight: f64,
}

/// The network of a model, prepared for many shortest-path queries: the likeliest path between two states. Paths may
/// have any length, even beyond the horizon of the model: check the length of the result.
///
/// ```
/// use revealed::{Ends, PathModel, Routes, Work, worlds};
///
/// let roads = worlds::road_like(100, 200, 1)?;
/// let reward = roads.features.reward(&roads.mdp, &roads.theta)?;
/// let routes = Routes::new(&PathModel::new(&roads.mdp, reward, 50, Ends::Anywhere)?)?;
/// let there = routes.find(3, 70)?;
/// assert_eq!((there.states[0], there.states.last()), (3, Some(&70)));
/// assert_eq!(routes.find_all(&[(3, 70), (5, 5)], &Work::on(2))?[0], Ok(there));
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Routes<'a> {
    model: PathModel<'a>,
    hierarchy: Hierarchy,
    landmarks: Landmarks,
    error_bound: f64,
    /// The arrays of finished queries, to be reused.
    spare: Mutex<Vec<RouteSearch>>,
}

impl<'a> Routes<'a> {
    /// Prepares the network of a model. This takes some seconds for a city of 300,000 segments. It uses one thread.
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
        let hierarchy = Hierarchy::new(mdp.n_states(), steps)?;
        let landmarks = Landmarks::new(&hierarchy);
        let error_bound = (mdp.n_states() - 1) as f64 * unit.size;
        Ok(Routes { model: model.clone(), hierarchy, landmarks, error_bound, spare: Mutex::default() })
    }

    /// The model that was prepared.
    pub fn model(&self) -> &PathModel<'a> {
        &self.model
    }

    /// A bound on how far the log-weight of a path that is found may lie below that of the best path. It assumes that
    /// the costs c = −log T π0 − R, reduced to be 0 or more and rounded to f64, are added up without further rounding.
    ///
    /// Costs are integers in units of u = 2^k: ⌊c / u⌋ + 1. So a path of m steps and cost C has a cost C_u in units
    /// with C < u C_u ≤ C + m u. Let P be the path that is found, and B the best path, which visits no state twice:
    ///
    /// ```text
    /// C(P) < u C_u(P) ≤ u C_u(B) ≤ C(B) + (|𝓢| − 1) u
    /// ```
    ///
    /// Sums of integers are exact, and u is 2^-120 times the largest possible cost of a path. So the bound is far below
    /// the rounding errors of the costs themselves, unless these differ by twenty orders of magnitude. The added unit
    /// makes every step cost something, and among equally likely paths the one with the fewest states wins.
    pub fn error_bound(&self) -> f64 {
        self.error_bound
    }

    /// The likeliest path from one state to another. Among equally likely paths it has the fewest states. If `from` is
    /// `to`, it is the path of that one state.
    ///
    /// # Errors
    /// If a state does not exist. [`Error::NotAnEnd`] if paths of the model cannot end in `to`, or only at the horizon.
    /// [`Error::Unreachable`] if no path leads to `to`.
    pub fn find(&self, from: usize, to: usize) -> Result<Route, Error> {
        let mut search = self.search();
        let found = self.find_with(&mut search, from, to);
        self.put_back(search);
        found
    }

    /// The same for many pairs (from, to), in their order, on the threads of `work`, whose memory budget
    /// is not used. Any number of threads gives the same answers.
    ///
    /// # Errors
    /// If the threads cannot be started. The error of a pair is in its entry.
    pub fn find_all(&self, pairs: &[(usize, usize)], work: &Work) -> Result<Vec<Result<Route, Error>>, Error> {
        let all = || {
            let chunk = |pairs: &[(usize, usize)]| {
                let mut search = self.search();
                let found: Vec<_> = pairs.iter().map(|&(from, to)| self.find_with(&mut search, from, to)).collect();
                self.put_back(search);
                found
            };
            parallel::map(pairs.chunks(CHUNK), chunk).into_iter().flatten().collect()
        };
        let found = Threads::new(work.threads)?.run_if(pairs.len() > CHUNK, all);
        Cancel::check()?;
        Ok(found)
    }

    fn find_with(&self, search: &mut RouteSearch, from: usize, to: usize) -> Result<Route, Error> {
        Cancel::check()?;
        self.model.check_state("the first state", from)?;
        if matches!(self.model.stop(Some(to))?, Stop::AtHorizon(_)) {
            let rule = "its paths end at the horizon (ends = horizon) or in terminal states, and this state is not \
                        terminal; use ends = goal for paths of any length to it";
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

    fn put_back(&self, search: RouteSearch) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(search);
    }
}

/// The unit of the costs: a power of two.
struct Unit {
    size: f64,
    per_cost: f64,
}

impl Unit {
    /// Chooses the unit by a bound on the cost of any path: a path visits no state twice, and leaves each by its most
    /// expensive step at worst.
    fn new(from: &[u32], costs: &[f64]) -> Unit {
        let finite = || costs.iter().copied().zip(from).filter(|row| row.0.is_finite());
        let largest = finite().fold(0.0, |largest: f64, (cost, _)| largest.max(cost));
        if largest == 0.0 {
            return Unit { size: 1.0, per_cost: 1.0 };
        }
        let (mut shares, mut most_expensive, mut state) = (0.0, 0.0, u32::MAX);
        for (cost, &from) in finite() {
            if from != state {
                (shares, most_expensive, state) = (shares + most_expensive, 0.0, from);
            }
            most_expensive = (cost / largest).max(most_expensive);
        }
        let exponent = (largest.log2() + (shares + most_expensive).log2()).ceil() as i32 - BITS;
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
