//! p_Θ(τ): the distribution over paths that a reward gives.

use std::ops::ControlFlow;

use crate::backward::PathSet;
use crate::inference::{Expectation, Inference, Settings, Start, View, check_horizon, pool};
use crate::path_model::log_weight;
use crate::scaled::Scaled;
use crate::{Error, Marginals, Mdp, Occupancy, Options, Reward, Stop, Trajectory};

/// The distribution p_Θ(τ) = q(τ) e^{R(τ)} / Z(Θ) over the paths of an MDP (eq:maxent-dist).
///
/// ```
/// use revealed::{PathDistribution, Reward, Stop, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let mut paths = PathDistribution::new(&lake.mdp, reward, 20, Stop::Anywhere)?;
/// let p3 = paths.marginals(3)?;
/// let longer_than_two: f64 = paths.length_distribution()?[2..].iter().sum();
/// assert!((p3.state.iter().sum::<f64>() - longer_than_two).abs() < 1e-12);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct PathDistribution<'a> {
    mdp: &'a Mdp,
    reward: Reward,
    start: Vec<(usize, f64)>,
    paths: PathSet,
    inference: Inference,
    pool: Option<rayon::ThreadPool>,
    log_partition: f64,
    occupancy: Occupancy,
}

impl<'a> PathDistribution<'a> {
    /// The distribution over paths of at most `horizon` states, from p0.
    ///
    /// Costs two visits of every transition per unit of the horizon.
    ///
    /// # Errors
    /// If the reward does not fit the MDP, or no path exists.
    pub fn new(mdp: &'a Mdp, reward: Reward, horizon: usize, stop: Stop) -> Result<Self, Error> {
        Self::from(mdp, reward, mdp.start().to_vec(), horizon, stop)
    }

    /// The same, from another distribution over the first state.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from(mdp: &'a Mdp, reward: Reward, start: Vec<(usize, f64)>, horizon: usize, stop: Stop) -> Result<Self, Error> {
        Self::with(mdp, reward, start, horizon, stop, &Options::default())
    }

    /// The same, with threads and memory chosen; `ends` and `horizon` of the options are not used.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(
        mdp: &'a Mdp,
        reward: Reward,
        start: Vec<(usize, f64)>,
        horizon: usize,
        stop: Stop,
        options: &Options,
    ) -> Result<Self, Error> {
        reward.check(mdp)?;
        check_horizon(horizon)?;
        check_states(mdp, &start, stop)?;
        let settings = Settings { discount: mdp.discount(), horizon, transitions: true, memory: options.memory };
        let inference = Inference::new(Inference::network(mdp, !reward.transition.is_empty()), settings);
        let pool = options.threads.map(pool).transpose()?;
        let paths = PathSet { horizon, stop };
        let mut distribution = PathDistribution {
            mdp,
            reward,
            start,
            paths,
            inference,
            pool,
            log_partition: 0.0,
            occupancy: Occupancy::default(),
        };
        let expectation = distribution.watch(&mut |_| ControlFlow::Continue(()))?;
        (distribution.log_partition, distribution.occupancy) = (expectation.log_partition, expectation.occupancy);
        Ok(distribution)
    }

    /// log Z(Θ) (eq:partition-variablelength).
    pub fn log_partition(&self) -> f64 {
        self.log_partition
    }

    /// Σ_t γ^{t-1} p_t of every state and transition.
    pub fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// p_t(s), p_t(s, a) and p_t(s, a, s'), for t from 1 (eq:s-marginals, eq:sa-marginals, eq:sas-marginals).
    ///
    /// Costs as much as [`new`](Self::new).
    ///
    /// # Errors
    /// If t is not in 1..L.
    pub fn marginals(&mut self, t: usize) -> Result<Marginals, Error> {
        if t < 1 || t > self.paths.horizon {
            return Err(Error::Count { what: "t", value: t, least: 1, most: self.paths.horizon });
        }
        let (mdp, reward) = (self.mdp, self.reward.clone());
        let mut before: Vec<Scaled> = Vec::new();
        let mut marginals = Marginals::zeros(mdp);
        self.watch(&mut |view| {
            if view.t == t {
                before = (0..mdp.n_states()).map(|state| view.before(state)).collect();
                marginals.state = (0..mdp.n_states()).map(|state| view.probability(state)).collect();
            }
            if view.t == t + 1 {
                fill_transitions(mdp, &reward, &before, &view, &mut marginals);
            }
            if view.t > t { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(marginals)
    }

    /// P(|τ| = l) for l = 1, …, L.
    ///
    /// # Errors
    /// None after [`new`](Self::new) succeeded.
    pub fn length_distribution(&mut self) -> Result<Vec<f64>, Error> {
        let (mdp, paths) = (self.mdp, self.paths);
        let mut lengths = Vec::with_capacity(paths.horizon);
        self.watch(&mut |view| {
            let stops = |state: &usize| paths.stop.allows(mdp.is_terminal(*state), *state, view.t, paths.horizon);
            lengths.push((0..mdp.n_states()).filter(stops).map(|state| view.before(state).to_f64()).sum());
            ControlFlow::Continue(())
        })?;
        Ok(lengths)
    }

    /// P(|τ| >= t) for t = 1, …, L, as the sums over s of p_t(s).
    ///
    /// # Errors
    /// None after [`new`](Self::new) succeeded.
    pub fn survival(&mut self) -> Result<Vec<f64>, Error> {
        let mut survival = Vec::with_capacity(self.paths.horizon);
        self.watch(&mut |view| {
            survival.push(view.mass);
            ControlFlow::Continue(())
        })?;
        Ok(survival)
    }

    /// log p_Θ(τ): the logarithm of the probability of one path; -∞ if it is not in the path set.
    ///
    /// # Errors
    /// If it is not a path of the MDP.
    pub fn log_prob(&self, path: &Trajectory) -> Result<f64, Error> {
        let fault = |fault| Error::Demonstration { index: 0, id: path.id.clone(), fault };
        let transitions = path.transitions(self.mdp).map_err(fault)?;
        let (first, last, length) = (path.states[0], path.states[path.states.len() - 1], path.states.len());
        let start = self.start.iter().find(|row| row.0 == first).map_or(0.0, |row| row.1);
        let horizon = self.paths.horizon;
        let ends = length <= horizon && self.paths.stop.allows(self.mdp.is_terminal(last), last, length, horizon);
        if start == 0.0 || !ends {
            return Ok(f64::NEG_INFINITY);
        }
        let log_weight = log_weight(self.mdp, &self.reward, &path.states, &transitions);
        Ok(start.ln() + log_weight - self.log_partition)
    }

    /// Both passes, with the messages shown on the way.
    pub(crate) fn watch(&mut self, visit: &mut (dyn FnMut(View<'_>) -> ControlFlow<()> + Send)) -> Result<Expectation, Error> {
        let PathDistribution { mdp, reward, start, paths, inference, pool, .. } = self;
        let mut run = || inference.watch(mdp, reward, Start::Joint(start), *paths, visit);
        match pool {
            Some(pool) => pool.install(run),
            None => run(),
        }
    }

    pub(crate) fn mdp(&self) -> &'a Mdp {
        self.mdp
    }

    pub(crate) fn reward(&self) -> &Reward {
        &self.reward
    }

    pub(crate) fn start(&self) -> &[(usize, f64)] {
        &self.start
    }

    pub(crate) fn paths(&self) -> PathSet {
        self.paths
    }
}

fn check_states(mdp: &Mdp, start: &[(usize, f64)], stop: Stop) -> Result<(), Error> {
    let count = mdp.n_states();
    if let Some(index) = stop.goal().filter(|&goal| goal >= count) {
        return Err(Error::OutOfRange { table: "goal", row: 0, what: "state", index, count });
    }
    check_start(mdp, start)
}

/// Refuses weights of first states that are no numbers, and states that do not exist or stand twice.
pub(crate) fn check_start(mdp: &Mdp, start: &[(usize, f64)]) -> Result<(), Error> {
    let count = mdp.n_states();
    for (row, &(_, p)) in start.iter().enumerate() {
        if !(p.is_finite() && p >= 0.0) {
            return Err(Error::BadNumber { table: "start", row, what: "p", value: p, expected: "a finite number, 0 or more" });
        }
    }
    let mut states: Vec<usize> = start.iter().map(|row| row.0).collect();
    states.sort_unstable();
    if let Some(pair) = states.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::DuplicateState { table: "start", state: pair[0] });
    }
    match start.iter().position(|row| row.0 >= count) {
        Some(row) => Err(Error::OutOfRange { table: "start", row, what: "state", index: start[row].0, count }),
        None => Ok(()),
    }
}

/// p_t(s, a, s') = α_t(s) m_t(s, a, s') e^{γ^t R(s')} b_{t+1}(s') / Z, from α_t / Z and the messages of t + 1.
fn fill_transitions(mdp: &Mdp, reward: &Reward, before: &[Scaled], next: &View<'_>, marginals: &mut Marginals) {
    for transition in 0..mdp.n_transitions() {
        let (from, to) = (mdp.from()[transition] as usize, mdp.to()[transition] as usize);
        let step = edge_weight(mdp, reward, transition, next.previous_discount());
        let p = (before[from] * step * next.of_state(to) * next.after(to)).to_f64();
        marginals.transition[transition] = p;
        marginals.choice[mdp.choice_of()[transition] as usize] += p;
    }
}

/// m_t(s, a, s') at γ^{t-1} = `discount`.
pub(crate) fn edge_weight(mdp: &Mdp, reward: &Reward, transition: usize, discount: f64) -> Scaled {
    mdp.scaled_base_weight(transition) * Scaled::exp(discount * reward.of_transition(transition))
}
