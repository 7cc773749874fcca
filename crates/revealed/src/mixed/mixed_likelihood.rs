//! The simulated log-likelihood of the mixed recursive logit, and its gradient.

use super::draws::{Draws, PRIMES, Sharing};
use super::mixed_logit::{MOST_DRAWS, MixedLogit};
use super::travellers::{Set, Trip, sets};
use crate::Error;
use crate::cancel::Cancel;
use crate::engine::elimination::{Elimination, EliminationScratch, EliminationSums, Limit, PairSums, Unsolved};
use crate::engine::fixed_point::log_weights;
use crate::model::Evaluation;
use crate::model::route_choice::{MISSING, expected_between};
use crate::numeric::threads::Threads;
use crate::numeric::vector::{all_representable, dot, minus};
use crate::numeric::{Work, parallel};
use crate::watch::Watch;
use crate::world::{Demonstrations, Features, Mdp, Occupancy, Reward};

/// A draw with a smaller share of a traveller's likelihood changes no digit of the gradient.
const NEGLIGIBLE: f64 = 1e-22;

/// The mean simulated log-likelihood of demonstrations given where each begins and ends, as a function of the locations
/// and the spreads of the coefficients.
///
/// ```text
/// ℓ = Σ_n log (1/R Σ_r Π_τ p(τ | θ_nr)) / N        θ_nrk = b_k + s_k z_nrk
/// ```
///
/// n are the travellers, r their draws, and τ their trips. p is the recursive logit
/// ([`RouteChoice`](crate::RouteChoice)). The draws z are the same at every evaluation. A draw whose loops cost too
/// little for a finite sum over paths has probability 0: this is the limit as the sum grows.
#[derive(Debug)]
pub struct MixedLikelihood<'a> {
    mdp: &'a Mdp,
    features: &'a Features,
    model: &'a MixedLogit,
    draws: Draws,
    sets: Vec<Set>,
    network: Elimination,
    limit: Limit,
    threads: Threads,
}

/// Each traveller's likelihood, and what each draw adds to it.
pub(super) struct Posterior {
    /// log (1/R Σ_r Π p) of each traveller.
    log_likelihood: Vec<f64>,
    /// The share of each draw in the likelihood of each traveller.
    shares: Vec<Vec<f64>>,
    /// The number of draws without a finite sum.
    diverged: usize,
}

/// The recursive logit at the coefficients of one draw.
struct Drawn {
    theta: Vec<f64>,
    /// The derivatives of each random coefficient by its location and its spread.
    slopes: Vec<[f64; 2]>,
    reward: Reward,
    /// The weights of the transitions, and the elimination with them; `None` if the sums over paths are not finite.
    solution: Option<(Vec<f64>, EliminationSums)>,
}

impl<'a> MixedLikelihood<'a> {
    /// Groups the demonstrations by traveller, and computes the elimination order.
    ///
    /// # Errors
    /// If the model has no random coefficient, too many or one twice, or a number of draws out of range;
    /// [`Error::DiscountedSum`] if there is a discount; as [`Cluster::check`](crate::Cluster::check);
    /// [`Error::FillIn`] if the elimination does not fit into the memory.
    pub fn new(
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &Demonstrations,
        model: &'a MixedLogit,
        work: &Work,
    ) -> Result<Self, Error> {
        if mdp.discount() != 1.0 {
            return Err(Error::DiscountedSum { discount: mdp.discount() });
        }
        let (most, count) = (PRIMES.len(), features.n_features());
        match model.random.len() {
            0 => return Err(Error::NothingRandom),
            value if value > most => {
                return Err(Error::Count { what: "the number of random coefficients", value, least: 1, most });
            }
            _ => {}
        }
        for (row, random) in model.random.iter().enumerate() {
            let index = random.feature;
            if index >= count {
                return Err(Error::OutOfRange { table: "random coefficients", row, what: "feature", index, count });
            }
            if model.random[..row].iter().any(|earlier| earlier.feature == index) {
                return Err(Error::RandomTwice { feature: index });
            }
        }
        if !(1..=MOST_DRAWS).contains(&model.draws) {
            return Err(Error::Count { what: "the number of draws", value: model.draws, least: 1, most: MOST_DRAWS });
        }
        let limit = Limit::of_uses(work.memory);
        Ok(MixedLikelihood {
            mdp,
            features,
            model,
            draws: Draws::new(model.random.len(), model.draws, model.seed),
            sets: sets(mdp, features, demos, &model.panel, model.sharing)?,
            network: Elimination::new(mdp, &limit, &Watch::none())?,
            limit,
            threads: Threads::new(work.threads)?,
        })
    }

    /// How many travellers there are.
    pub fn n_travellers(&self) -> usize {
        self.sets.iter().map(|set| set.travellers.len()).sum()
    }

    /// How many draws there are in total. An evaluation takes an elimination for each, and up to two more for the
    /// gradient.
    pub fn n_draws(&self) -> usize {
        self.sets.len() * self.draws.each()
    }

    /// The standard normal z of each draw of a traveller, one for each random coefficient.
    pub fn draws_of(&self, traveller: usize) -> Vec<Vec<f64>> {
        let set = if self.model.sharing == Sharing::Common { 0 } else { traveller };
        (0..self.draws.each()).map(|r| self.draws.of(set, r)).collect()
    }

    /// The mean simulated log-likelihood and its gradient by θ (or the locations b) and the spreads s.
    ///
    /// # Errors
    /// If the parameters have the wrong length or are not finite; [`Error::NoDraw`] if loops cost too little at all
    /// draws of a traveller; [`Error::NoSum`] if a sum does not fit into an f64.
    pub fn evaluate(&self, parameters: &[f64]) -> Result<Evaluation, Error> {
        let (mut log_likelihood, mut gradient) = (0.0, vec![0.0; self.n_parameters()]);
        for found in self.over_sets(parameters, |number, set| {
            let posterior = self.posterior(parameters, number, set)?;
            let slope = self.slope(parameters, number, set, &posterior)?;
            Ok((set.mean(&posterior), slope))
        })? {
            log_likelihood += found.0;
            gradient.iter_mut().zip(found.1).for_each(|(sum, slope)| *sum += slope);
        }
        all_representable("the log-likelihood", &[log_likelihood])?;
        all_representable("a component of the gradient", &gradient)?;
        Ok(Evaluation { log_partition: None, log_likelihood, gradient })
    }

    /// The mean simulated log-likelihood alone, and the share of draws without a finite sum over paths.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn value(&self, parameters: &[f64]) -> Result<(f64, f64), Error> {
        let (mut log_likelihood, mut diverged) = (0.0, 0);
        for found in self.over_sets(parameters, |number, set| {
            let posterior = self.posterior(parameters, number, set)?;
            Ok((set.mean(&posterior), posterior.diverged))
        })? {
            log_likelihood += found.0;
            diverged += found.1;
        }
        all_representable("the log-likelihood", &[log_likelihood])?;
        Ok((log_likelihood, diverged as f64 / self.n_draws() as f64))
    }

    /// For each traveller its share and the gradient of its simulated log-likelihood.
    pub(super) fn scores(&self, parameters: &[f64]) -> Result<Vec<(f64, Vec<f64>)>, Error> {
        let of_set = |number: usize, set: &Set| {
            let posterior = self.posterior(parameters, number, set)?;
            let scores = match &set.travellers[..] {
                [only] => {
                    let slope = self.slope(parameters, number, set, &posterior)?;
                    vec![slope.into_iter().map(|slope| slope / only.share).collect::<Vec<f64>>()]
                }
                _ => self.scores_of_set(parameters, number, set, &posterior)?,
            };
            Ok(set.travellers.iter().map(|traveller| traveller.share).zip(scores).collect::<Vec<_>>())
        };
        Ok(self.over_sets(parameters, of_set)?.into_iter().flatten().collect())
    }

    pub(super) fn n_parameters(&self) -> usize {
        self.features.n_features() + self.model.random.len()
    }

    /// An answer for each set, on all threads for which there is memory.
    fn over_sets<T: Send>(
        &self,
        parameters: &[f64],
        of: impl Fn(usize, &Set) -> Result<T, Error> + Sync + Send,
    ) -> Result<Vec<T>, Error> {
        let expected = self.n_parameters();
        if parameters.len() != expected {
            return Err(Error::Length { what: "the parameters", found: parameters.len(), expected });
        }
        let work = || -> Result<Vec<T>, Error> {
            let sets = self.sets.iter().enumerate();
            match self.at_once() >= parallel::threads_here() {
                true => parallel::map(sets, |(number, set)| of(number, set)).into_iter().collect(),
                false => sets.map(|(number, set)| of(number, set)).collect(),
            }
        };
        self.threads.run_if(self.n_draws() > 1, work)
    }

    /// An answer for each draw of a set.
    fn over_draws<T: Send>(&self, of: impl Fn(usize) -> Result<T, Error> + Sync + Send) -> Result<Vec<T>, Error> {
        let numbers: Vec<usize> = (0..self.draws.each()).collect();
        let mut all = Vec::with_capacity(numbers.len());
        for some in numbers.chunks(self.at_once()) {
            for one in parallel::map(some, |&r| of(r)) {
                all.push(one?);
            }
        }
        Ok(all)
    }

    /// For how many draws the arrays fit into the memory at the same time: the weights of arcs, and their uses.
    fn at_once(&self) -> usize {
        self.limit.arrays_at_once(self.network.n_arcs() * 2 * size_of::<[f64; 2]>())
    }

    fn drawn(&self, parameters: &[f64], number: usize, r: usize) -> Result<Drawn, Error> {
        Cancel::check()?;
        let (locations, spreads) = parameters.split_at(self.features.n_features());
        let mut theta = locations.to_vec();
        let mut slopes = Vec::with_capacity(spreads.len());
        for ((random, &spread), z) in self.model.random.iter().zip(spreads).zip(self.draws.of(number, r)) {
            let (coefficient, slope) = random.distribution.at(locations[random.feature], spread, z);
            theta[random.feature] = coefficient;
            slopes.push(slope);
        }
        let reward = self.features.reward(self.mdp, &theta)?;
        let weights: Vec<f64> = log_weights(self.mdp, &reward).iter().map(|weight| weight.exp()).collect();
        let solution = match EliminationSums::new(&self.network, &weights) {
            Ok(sums) => Some((weights, sums)),
            Err(Unsolved::Diverges(_)) => None,
            Err(Unsolved::Stopped(stopped)) => return Err(stopped),
        };
        Ok(Drawn { theta, slopes, reward, solution })
    }

    /// The likelihood of each traveller of a set, and the share of each draw in it.
    fn posterior(&self, parameters: &[f64], number: usize, set: &Set) -> Result<Posterior, Error> {
        let logs = self.over_draws(|r| self.log_probabilities(&self.drawn(parameters, number, r)?, set))?;
        let diverged = logs.iter().filter(|logs| logs.is_none()).count();
        let none = vec![f64::NEG_INFINITY; set.travellers.len()];
        let mut shares: Vec<Vec<f64>> = logs.into_iter().map(|logs| logs.unwrap_or_else(|| none.clone())).collect();
        let mut log_likelihood = Vec::with_capacity(set.travellers.len());
        for (place, traveller) in set.travellers.iter().enumerate() {
            let most = shares.iter().map(|logs| logs[place]).fold(f64::NEG_INFINITY, f64::max);
            if most == f64::NEG_INFINITY {
                return Err(Error::NoDraw { demonstration: traveller.first });
            }
            let sum: f64 = shares.iter().map(|logs| (logs[place] - most).exp()).sum();
            shares.iter_mut().for_each(|logs| logs[place] = (logs[place] - most).exp() / sum);
            log_likelihood.push(most + (sum / shares.len() as f64).ln());
        }
        Ok(Posterior { log_likelihood, shares, diverged })
    }

    /// log Π p(τ | θ) of each traveller; `None` if the sums over paths are not finite.
    fn log_probabilities(&self, drawn: &Drawn, set: &Set) -> Result<Option<Vec<f64>>, Error> {
        let Some((_, sums)) = &drawn.solution else { return Ok(None) };
        let mut scratch = EliminationScratch::default();
        let mut log_sums = Vec::with_capacity(set.pairs.len());
        for &pair in &set.pairs {
            let log_sum = sums.pair(&self.network, pair, None, &mut scratch).ok_or(Error::NoSum { pair: Some(pair) })?;
            log_sums.push(drawn.reward.state[pair[0]] + log_sum);
        }
        let mut logs = vec![0.0; set.travellers.len()];
        for trip in &set.trips {
            let (log_sum, path) = (log_sums[trip.pair], trip.log_q + dot(&trip.phi, &drawn.theta));
            // A sum is at least as large as the weight of a demonstration, unless weights were too small for an f64.
            if path - log_sum > MISSING * (1.0 + log_sum.abs()) {
                return Err(Error::NoSum { pair: Some(set.pairs[trip.pair]) });
            }
            logs[trip.traveller] += trip.count * (path - log_sum);
        }
        Ok(Some(logs))
    }

    /// The gradient of the travellers' shares of the mean log-likelihood: the mean of the gradients of log Π p at the
    /// draws, by the share of each draw in the likelihood.
    fn slope(&self, parameters: &[f64], number: usize, set: &Set, posterior: &Posterior) -> Result<Vec<f64>, Error> {
        let of_draw = |r: usize| {
            if posterior.shares[r].iter().all(|&share| share < NEGLIGIBLE) {
                return Ok(None);
            }
            let drawn = self.drawn(parameters, number, r)?;
            let weight = |trip: &Trip| set.travellers[trip.traveller].share * posterior.shares[r][trip.traveller] * trip.count;
            let by_theta = self.by_theta(&drawn, set, weight)?;
            Ok(Some(self.by_parameters(&drawn, &by_theta)))
        };
        let mut sum = vec![0.0; self.n_parameters()];
        for slope in self.over_draws(of_draw)?.into_iter().flatten() {
            sum.iter_mut().zip(slope).for_each(|(sum, slope)| *sum += slope);
        }
        Ok(sum)
    }

    /// Σ weight · ∂ log p(τ | θ) / ∂θ over the trips: one elimination in reverse.
    fn by_theta(&self, drawn: &Drawn, set: &Set, weight: impl Fn(&Trip) -> f64) -> Result<Vec<f64>, Error> {
        let none = || Error::NoSum { pair: None };
        let (weights, sums) = drawn.solution.as_ref().ok_or_else(none)?;
        let mut observed = vec![0.0; drawn.theta.len()];
        let mut of_pair = vec![0.0; set.pairs.len()];
        for trip in &set.trips {
            let weight = weight(trip);
            of_pair[trip.pair] += weight;
            observed.iter_mut().zip(&trip.phi).for_each(|(sum, phi)| *sum += weight * phi);
        }
        let pairs: Vec<([usize; 2], f64)> =
            set.pairs.iter().copied().zip(of_pair).filter(|(_, weight)| *weight > 0.0).collect();
        let PairSums { log_sum, uses: transition } = PairSums::new(&self.network, sums, weights, &pairs, &self.limit)?;
        if log_sum.contains(&None) {
            return Err(none());
        }
        let mut state = vec![0.0; self.mdp.n_states()];
        pairs.iter().for_each(|&(pair, weight)| state[pair[0]] += weight);
        transition.iter().zip(self.mdp.to()).for_each(|(visits, &to)| state[to as usize] += visits);
        Ok(minus(&observed, &self.features.expectation(self.mdp, &Occupancy { state, transition })))
    }

    /// From the derivatives by θ of a draw to those by locations and spreads.
    fn by_parameters(&self, drawn: &Drawn, by_theta: &[f64]) -> Vec<f64> {
        let mut slope = by_theta.to_vec();
        for (random, by) in self.model.random.iter().zip(&drawn.slopes) {
            slope[random.feature] = by[0] * by_theta[random.feature];
            slope.push(by[1] * by_theta[random.feature]);
        }
        slope
    }

    /// The gradient of each traveller's log-likelihood where many have the same draws: an elimination with derivatives
    /// for each feature and draw.
    fn scores_of_set(
        &self,
        parameters: &[f64],
        number: usize,
        set: &Set,
        posterior: &Posterior,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let mut scores = vec![vec![0.0; self.n_parameters()]; set.travellers.len()];
        for (r, shares) in posterior.shares.iter().enumerate() {
            let drawn = self.drawn(parameters, number, r)?;
            let Some(solution) = &drawn.solution else { continue };
            let expected = expected_between(self.mdp, self.features, &self.network, solution, &set.pairs, &self.limit)?;
            for trip in &set.trips {
                let factor = shares[trip.traveller] * trip.count;
                let slope = self.by_parameters(&drawn, &minus(&trip.phi, &expected[trip.pair]));
                scores[trip.traveller].iter_mut().zip(slope).for_each(|(sum, slope)| *sum += factor * slope);
            }
        }
        Ok(scores)
    }
}

impl Set {
    /// The travellers' shares of the mean log-likelihood.
    fn mean(&self, posterior: &Posterior) -> f64 {
        self.travellers.iter().zip(&posterior.log_likelihood).map(|(traveller, log)| traveller.share * log).sum()
    }
}
