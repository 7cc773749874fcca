//! The recursive logit of route choice: paths of any length between each demonstration's own first and last state.

use std::collections::BTreeMap;

use crate::Error;
use crate::cancel::Cancel;
use crate::engine::digits::Payment;
use crate::engine::elimination::{Elimination, EliminationScratch, EliminationSums, Limit, PairSums, Slopes, Uses};
use crate::engine::fixed_point::{divergence, log_weights};
use crate::model::Evaluation;
use crate::model::border;
use crate::model::likelihood::{observed, size_of_sum};
use crate::numeric::threads::Threads;
use crate::numeric::vector::{all_representable, dot, minus};
use crate::numeric::{Work, parallel};
use crate::watch::Watch;
use crate::world::{Demonstrations, Features, Mdp, Occupancy, PlaceSums, Reward};

/// With fewer arcs times pairs than this, one thread is faster than several.
const WORTH_SHARING: usize = 1 << 18;
/// The number of pairs of ends in a sample of the demonstrations, or a little more.
const SAMPLE: usize = 400;
/// With fewer states than this, one thread is faster than several when the order is computed.
pub(crate) const WORTH_DIVIDING: usize = 10_000;
/// The first trial cost of a feature where it is present.
const LEAST_COST: f64 = 1e-3;
/// The cost is doubled at most this many times. If loops are still too cheap, no cost makes the sums finite.
const MOST_DOUBLINGS: usize = 20;
/// The logarithm of a sum may be below that of one of its terms by this much, relative to its size.
pub(crate) const MISSING: f64 = 1e-9;

/// The log-likelihood of demonstrations given where each begins and ends, among paths of any length.
///
/// This is the model of [`Ends::Goal`](crate::Ends::Goal) without a horizon:
///
/// ```text
/// p(τ | s_1, s_l) = q(τ) e^{R(τ)} / Σ over all paths from s_1 to s_l, of every length
/// ```
///
/// Transport science calls it the recursive logit (Fosgerau, Frejinger and Karlström 2013). The sum is finite as long
/// as loops cost enough. One elimination gives the sums of all pairs (`elimination.rs`): on a city of 84,000 segments,
/// a gradient over 8,000 trips takes about as long as a gradient of the paper's model.
/// [`Likelihood`](crate::Likelihood) would need one pass for each destination.
///
/// ```
/// use revealed::{Demonstrations, RouteChoice, Trajectory, Work, worlds};
///
/// let roads = worlds::road_like(100, 200, 1)?;
/// let mut to = roads.mdp.children(3).map(|step| roads.mdp.to()[step] as usize);
/// let trip = Trajectory::new(vec![3, to.next().unwrap()], vec![0]);
/// let demos = Demonstrations::new(&roads.mdp, &[trip])?;
/// let mut choice = RouteChoice::new(&roads.mdp, &roads.features, &demos, &Work::default())?;
/// let theta = vec![-1.0; roads.features.n_features()];
/// assert!(choice.evaluate(&theta)?.log_likelihood <= 0.0);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct RouteChoice<'a> {
    mdp: &'a Mdp,
    features: &'a Features,
    network: Elimination,
    trips: Trips,
    /// Some of the trips; `None` if there are not many more.
    sample: Option<Trips>,
    /// The mean number of visits of the demonstrations to each state.
    seen: Vec<f64>,
    longest: usize,
    limit: Limit,
    threads: Threads,
}

/// Demonstrations as the likelihood sees them.
#[derive(Debug)]
struct Trips {
    /// First and last states, each with its share of the total weight.
    pairs: Vec<([usize; 2], f64)>,
    /// The demonstrations.
    paths: Vec<Path>,
    /// E_D[φ(τ)].
    observed: Vec<f64>,
    mean_log_q: f64,
}

/// One demonstration.
#[derive(Debug, Clone)]
struct Path {
    /// Its place among the pairs.
    pair: usize,
    share: f64,
    /// log q(τ) without p0.
    log_q: f64,
    /// φ(τ).
    phi: Vec<f64>,
}

impl Trips {
    /// The trips between every n-th pair, so that about [`SAMPLE`] pairs are left. `None` if there are not many more.
    fn sample(&self) -> Option<Trips> {
        let every = self.pairs.len() / SAMPLE;
        if every < 2 {
            return None;
        }
        let taken = |path: &&Path| path.pair.is_multiple_of(every);
        let total: f64 = self.paths.iter().filter(taken).map(|path| path.share).sum();
        let paths = self.paths.iter().filter(taken);
        let paths = paths.map(|path| Path { pair: path.pair / every, share: path.share / total, ..path.clone() });
        let paths: Vec<Path> = paths.collect();
        let pairs = self.pairs.iter().step_by(every).map(|&(pair, share)| (pair, share / total)).collect();
        let mut observed = vec![0.0; self.observed.len()];
        for path in &paths {
            observed.iter_mut().zip(&path.phi).for_each(|(sum, phi)| *sum += path.share * phi);
        }
        let mean_log_q = paths.iter().map(|path| path.share * path.log_q).sum();
        Some(Trips { pairs, paths, observed, mean_log_q })
    }
}

impl<'a> RouteChoice<'a> {
    /// Computes the elimination order.
    ///
    /// # Errors
    /// [`Error::DiscountedSum`] if there is a discount; [`Error::FillIn`] if the elimination does not fit into the
    /// memory. It is also an error if the number of threads is out of range.
    pub fn new(mdp: &'a Mdp, features: &'a Features, demos: &Demonstrations, work: &Work) -> Result<Self, Error> {
        RouteChoice::watched(mdp, features, demos, work, &Watch::none())
    }

    /// The same, and reports how many states have been eliminated.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`Error::Stopped`].
    pub fn watched(
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &Demonstrations,
        work: &Work,
        watch: &Watch<'_>,
    ) -> Result<Self, Error> {
        if mdp.discount() != 1.0 {
            return Err(Error::DiscountedSum { discount: mdp.discount() });
        }
        let observed = observed(mdp, features, demos);
        all_representable("a mean feature of the demonstrations", &observed)?;
        let total = demos.total_weight();
        let (mut pairs, mut mean_log_q, mut seen) = (BTreeMap::new(), 0.0, vec![0.0; mdp.n_states()]);
        let mut paths = Vec::new();
        for index in (0..demos.len()).filter(|&index| demos.weight(index) > 0.0) {
            let (states, share) = (demos.states(index), demos.weight(index) / total);
            *pairs.entry(ends_of(states)).or_insert(0.0) += share;
            states.iter().for_each(|&state| seen[state as usize] += share);
            let steps = demos.transitions(index).iter().map(|&transition| mdp.log_base_weight(transition as usize));
            let log_q = steps.sum::<f64>();
            mean_log_q += share * log_q;
            paths.push((ends_of(states), share, log_q, features.of_path(mdp, demos, index)));
        }
        let pairs: Vec<([usize; 2], f64)> = pairs.into_iter().collect();
        let place = |ends: [usize; 2]| pairs.binary_search_by(|pair| pair.0.cmp(&ends)).expect("every path has its pair");
        let path = |(ends, share, log_q, phi)| Path { pair: place(ends), share, log_q, phi };
        let paths = paths.into_iter().map(path).collect();
        let trips = Trips { pairs, paths, observed, mean_log_q };
        let (threads, limit) = (Threads::new(work.threads)?, Limit::of_uses(work.memory));
        let network = threads.run_if(mdp.n_states() >= WORTH_DIVIDING, || Elimination::new(mdp, &limit, watch))?;
        Ok(RouteChoice {
            mdp,
            features,
            network,
            sample: trips.sample(),
            trips,
            seen,
            longest: demos.longest(),
            limit,
            threads,
        })
    }

    /// E_D[φ(τ)].
    pub fn observed(&self) -> &[f64] {
        &self.trips.observed
    }

    /// The mean number of visits of the demonstrations to each state.
    pub(crate) fn seen(&self) -> &[f64] {
        &self.seen
    }

    /// The features φ.
    pub(crate) fn features(&self) -> &'a Features {
        self.features
    }

    /// The number of states of the longest demonstration. Paths of the model may have any number.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The mean log-likelihood at θ, and its gradient.
    ///
    /// # Errors
    /// If θ has the wrong length or is not finite; [`Error::Diverges`] if loops do not cost enough for the sum over
    /// all paths to be finite; [`Error::NoSum`] if a sum does not fit into an f64.
    pub fn evaluate(&mut self, theta: &[f64]) -> Result<Evaluation, Error> {
        self.threads.run_if(self.is_large(), || self.at(theta, &self.trips))
    }

    /// The same for a sample of the demonstrations, which takes less time if there are many.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub(crate) fn evaluate_sample(&self, theta: &[f64]) -> Result<Evaluation, Error> {
        self.threads.run_if(self.is_large(), || self.at(theta, self.sample.as_ref().unwrap_or(&self.trips)))
    }

    /// The mean number of visits of the model's paths to each state and transition, over the demonstrations' pairs of
    /// ends.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn visits(&mut self, theta: &[f64]) -> Result<Occupancy, Error> {
        Ok(self.threads.run_if(self.is_large(), || self.expect(theta, &self.trips))?.1)
    }

    /// E\[φ(τ) | s_1, s_l\] for each pair of ends of the demonstrations. The score of a
    /// demonstration, ∂ log p(τ) / ∂θ, is φ(τ) minus that.
    ///
    /// All pairs together take one elimination with derivatives for each feature. A gradient for each pair would take
    /// one elimination in reverse for each.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn expected(&mut self, theta: &[f64]) -> Result<BTreeMap<[usize; 2], Vec<f64>>, Error> {
        self.threads.run_if(self.is_large(), || self.expected_by_pair(theta))
    }

    fn expected_by_pair(&self, theta: &[f64]) -> Result<BTreeMap<[usize; 2], Vec<f64>>, Error> {
        let solution = solved(self.mdp, &self.network, &self.features.reward(self.mdp, theta)?)?;
        let pairs: Vec<[usize; 2]> = self.trips.pairs.iter().map(|pair| pair.0).collect();
        let means = expected_between(self.mdp, self.features, &self.network, &solution, &pairs, &self.limit)?;
        Ok(pairs.into_iter().zip(means).collect())
    }

    /// Whether several threads make an evaluation faster.
    fn is_large(&self) -> bool {
        self.trips.pairs.len() > 1 && is_large(&self.network, self.trips.pairs.len())
    }

    fn at(&self, theta: &[f64], trips: &Trips) -> Result<Evaluation, Error> {
        let (mean_log_sum, visits) = self.expect(theta, trips)?;
        let expected = self.features.expectation(self.mdp, &visits);
        let fit: f64 = trips.observed.iter().zip(theta).map(|(phi, theta)| phi * theta).sum();
        let log_likelihood = fit + trips.mean_log_q - mean_log_sum;
        let gradient = minus(&trips.observed, &expected);
        all_representable("the log-likelihood", &[log_likelihood])?;
        let size = size_of_sum(&trips.observed, theta) + trips.mean_log_q.abs() + mean_log_sum.abs();
        let lost =
            || self.features.reward(self.mdp, theta).map_or_else(|error| error, |r| Payment::largest(&r).digits_lost(self.mdp));
        let log_likelihood = border::log_difference("the log-likelihood", log_likelihood, size, lost)?;
        all_representable("a component of the gradient", &gradient)?;
        Ok(Evaluation { log_partition: None, log_likelihood, gradient })
    }

    /// The mean of log Σ over the pairs, and the mean number of visits to states and transitions.
    fn expect(&self, theta: &[f64], trips: &Trips) -> Result<(f64, Occupancy), Error> {
        let reward = self.features.reward(self.mdp, theta)?;
        // A sum is at least as large as the weight of a demonstration.
        let mut least = vec![f64::NEG_INFINITY; trips.pairs.len()];
        for path in &trips.paths {
            least[path.pair] = least[path.pair].max(path.log_q + dot(&path.phi, theta));
        }
        between_pairs(self.mdp, &self.network, &reward, &trips.pairs, Some(&least), &self.limit)
    }

    /// Whether the sums over paths between any two states are finite. It takes less time than an evaluation.
    pub(crate) fn has_sums(&self, theta: &[f64]) -> bool {
        let reward = self.features.reward(self.mdp, theta);
        let weights = reward.map(|reward| log_weights(self.mdp, &reward).iter().map(|weight| weight.exp()).collect());
        weights.is_ok_and(|weights: Vec<f64>| EliminationSums::new(&self.network, &weights).is_ok())
    }
}

/// The first and the last state.
fn ends_of(states: &[u32]) -> [usize; 2] {
    [states[0], states[states.len() - 1]].map(|state| state as usize)
}

/// Whether several threads make the sums of this many pairs faster.
pub(crate) fn is_large(network: &Elimination, pairs: usize) -> bool {
    network.n_arcs().saturating_mul(pairs) >= WORTH_SHARING
}

/// The weights of the transitions, and the elimination with them.
pub(crate) fn solved(mdp: &Mdp, network: &Elimination, reward: &Reward) -> Result<(Vec<f64>, EliminationSums), Error> {
    let log_weights = log_weights(mdp, reward);
    let weights: Vec<f64> = log_weights.iter().map(|weight| weight.exp()).collect();
    let sums = EliminationSums::new(network, &weights)
        .map_err(|unsolved| unsolved.or(|diverges| divergence(mdp, &log_weights, diverges.state, diverges.loops)))?;
    Ok((weights, sums))
}

/// E\[φ(τ) | s_1, s_l\] of each pair of ends, with the weights of the transitions and the elimination with them.
pub(crate) fn expected_between(
    mdp: &Mdp,
    features: &Features,
    network: &Elimination,
    (weights, sums): &(Vec<f64>, EliminationSums),
    pairs: &[[usize; 2]],
    limit: &Limit,
) -> Result<Vec<Vec<f64>>, Error> {
    let (blocks, n) = (features.blocks(), features.n_features());
    let mut found: Vec<Vec<f64>> = pairs.iter().map(|_| Vec::with_capacity(n)).collect();
    let width = limit.arrays_at_once(Slopes::bytes(network)).clamp(1, n.max(1));
    for first in (0..n).step_by(width) {
        let block = first..(first + width).min(n);
        let inside = |entry: &(usize, f64)| block.contains(&entry.0);
        let entries = |transition: usize| {
            let (to, choice) = (mdp.to()[transition] as usize, mdp.choice_of()[transition] as usize);
            let rows = blocks[0].row(to).chain(blocks[1].row(choice)).chain(blocks[2].row(transition));
            rows.filter(inside).map(|(k, value)| (k - block.start, value))
        };
        let slopes = Slopes::new(network, sums, weights, block.len(), entries)?;
        let new = || (Uses::new(network), EliminationScratch::default());
        let of_pair = |(uses, scratch): &mut (Uses, EliminationScratch), pair: [usize; 2]| {
            Cancel::check()?;
            let mut mean = slopes.of_pair(network, sums, pair, uses, scratch).ok_or(Error::NoSum { pair: Some(pair) })?;
            blocks[0].row(pair[0]).filter(inside).for_each(|(k, value)| mean[k - block.start] += value);
            Ok::<Vec<f64>, Error>(mean)
        };
        let means = parallel::map_with(pairs.iter().copied(), new, of_pair);
        for (found, mean) in found.iter_mut().zip(means) {
            found.extend(mean?);
        }
    }
    Ok(found)
}

/// The mean of log Σ over pairs of first and last states with their shares, and the mean number of visits to states and
/// transitions, among paths of any length. Where weights are too small for an f64, paths are missing in a sum. If the
/// logarithm of a sum is below `least`, it is an error.
pub(crate) fn between_pairs(
    mdp: &Mdp,
    network: &Elimination,
    reward: &Reward,
    pairs: &[([usize; 2], f64)],
    least: Option<&[f64]>,
    limit: &Limit,
) -> Result<(f64, Occupancy), Error> {
    between_solved(mdp, network, &solved(mdp, network, reward)?, reward, pairs, least, limit)
}

/// The same with the weights of the transitions and the elimination with them.
pub(crate) fn between_solved(
    mdp: &Mdp,
    network: &Elimination,
    (weights, sums): &(Vec<f64>, EliminationSums),
    reward: &Reward,
    pairs: &[([usize; 2], f64)],
    least: Option<&[f64]>,
    limit: &Limit,
) -> Result<(f64, Occupancy), Error> {
    if pairs.is_empty() {
        return Err(Error::NoDemonstrations);
    }
    let PairSums { log_sum, uses: transition } = PairSums::new(network, sums, weights, pairs, limit)?;
    let mut mean_log_sum = 0.0;
    for (number, (&(pair, share), log_sum)) in pairs.iter().zip(log_sum).enumerate() {
        let log_sum = reward.state[pair[0]] + log_sum.ok_or(Error::NoSum { pair: Some(pair) })?;
        if least.is_some_and(|least| log_sum < least[number] - MISSING * (1.0 + log_sum.abs())) {
            return Err(Error::NoSum { pair: Some(pair) });
        }
        mean_log_sum += share * log_sum;
    }
    let mut state = vec![0.0; mdp.n_states()];
    pairs.iter().for_each(|&([first, _], share)| state[first] += share);
    transition.iter().zip(mdp.to()).for_each(|(visits, &to)| state[to as usize] += visits);
    Ok((mean_log_sum, Occupancy { state, transition }))
}

/// A θ at which sums over paths of any length are finite. Every feature that is never negative, or never positive, gets
/// the same cost where it has its typical value, which is Σ φ² / Σ φ; other features get 0. The mean would not do: a link
/// size is nearly 0 in most places, and would cost far too much where it counts. `None` if no such cost makes the sums finite.
pub(crate) fn first_costs(places: &[PlaceSums], mut is_finite: impl FnMut(&[f64]) -> bool) -> Option<Vec<f64>> {
    let of = |of_each: f64, places: &PlaceSums| match (places.positive, places.negative) {
        (0.0, n) | (n, 0.0) if n > 0.0 => -of_each * places.sum / places.squares,
        _ => 0.0,
    };
    let cost = |of_each: f64| -> Vec<f64> { places.iter().map(|places| of(of_each, places)).collect() };
    let costs = std::iter::successors(Some(LEAST_COST), |cost| Some(2.0 * cost)).take(MOST_DOUBLINGS);
    costs.into_iter().find(|&of_each| is_finite(&cost(of_each))).map(|of_each| cost(1.5 * of_each))
}
