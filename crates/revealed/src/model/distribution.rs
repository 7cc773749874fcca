//! p_Θ(τ): the distribution over paths that a reward defines.

use std::ops::ControlFlow;

use crate::Error;
use crate::causal::chain::KnownEnds;
use crate::engine::digits::TiltedDigits;
use crate::engine::fixed_point::{LONGEST_TAIL, leads_to, reached};
use crate::engine::inference::{Expectation, Inference, Settings, Start, View, check_horizon};
use crate::engine::path_set::PathSet;
use crate::engine::{Horizon, Stop, TAIL};
use crate::model::border;
use crate::model::path_model::log_weight;
use crate::model::solver::{Inquiry, Solver};
use crate::model::{Chance, Given, PathModel};
use crate::numeric::Work;
use crate::numeric::rounding::ROUNDING;
use crate::numeric::scaled::Scaled;
use crate::numeric::threads::Threads;
use crate::world::state_weights::check_state_weights;
use crate::world::{Mdp, Occupancy, Reward, Trajectory};

/// With fewer transitions than this, one thread reads the messages of a time faster than several.
pub(crate) const LARGE_MDP: usize = 4096;

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
    /// If the first state is given: log Z of each state of `start`, whose numbers are then probabilities.
    given_first: Option<Vec<f64>>,
    paths: PathSet,
    /// The last state, if it is known and not already part of `paths`.
    to: Option<usize>,
    solver: Solver,
    threads: Threads,
    log_partition: f64,
    occupancy: Occupancy,
}

impl<'a> PathDistribution<'a> {
    /// The distribution over paths of at most `horizon` states, from p0.
    ///
    /// It visits every transition twice per time step.
    ///
    /// # Errors
    /// If the reward does not fit the MDP, or no path exists.
    pub fn new(mdp: &'a Mdp, reward: Reward, horizon: impl Into<Horizon>, stop: Stop) -> Result<Self, Error> {
        Self::from(mdp, reward, mdp.start().to_vec(), horizon, stop)
    }

    /// The same with another distribution over the first state.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from(
        mdp: &'a Mdp,
        reward: Reward,
        start: Vec<(usize, f64)>,
        horizon: impl Into<Horizon>,
        stop: Stop,
    ) -> Result<Self, Error> {
        Self::with(mdp, reward, start, horizon, stop, &Work::default())
    }

    /// The same with a choice of threads and memory.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(
        mdp: &'a Mdp,
        reward: Reward,
        start: Vec<(usize, f64)>,
        horizon: impl Into<Horizon>,
        stop: Stop,
        work: &Work,
    ) -> Result<Self, Error> {
        let paths = PathSet { horizon: horizon.into(), stop };
        Self::prepare(mdp, reward, start, paths, work, (Chance::Tilted, true))?.solve()
    }

    /// The paths *given their first state*, which is drawn from `start`: p(τ) = f(s_1) p_Θ(τ | s_1). First states from
    /// which no path leads to an end are skipped, and f is normalised over the others.
    ///
    /// A model of paths to a goal ([`Ends::Goal`](crate::Ends::Goal)) has no distribution over first states, so this is
    /// its meaning for several first states. Otherwise the paths from all first states share one distribution: see
    /// [`with`](Self::with).
    ///
    /// ```
    /// use revealed::{PathDistribution, Reward, Stop, Work, worlds};
    ///
    /// let chain = worlds::linear_chain(4)?;
    /// let (reward, start) = (Reward::of_states(vec![-1.0; 4]), vec![(0, 0.25), (2, 0.75)]);
    /// let work = Work::default();
    /// let paths = PathDistribution::given_first_state(&chain.mdp, reward, start, 4, Stop::At(3), &work)?;
    /// // One path from each: its probability is that of its first state, whatever the reward.
    /// assert!((paths.occupancy().state[0] - 0.25).abs() < 1e-12);
    /// # Ok::<(), revealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn given_first_state(
        mdp: &'a Mdp,
        reward: Reward,
        start: Vec<(usize, f64)>,
        horizon: impl Into<Horizon>,
        stop: Stop,
        work: &Work,
    ) -> Result<Self, Error> {
        let paths = PathSet { horizon: horizon.into(), stop };
        let paths = Self::prepare(mdp, reward, start, paths, work, (Chance::Tilted, true))?;
        PathDistribution { given_first: Some(Vec::new()), ..paths }.solve()
    }

    /// The episodes of a causal model, before anything is solved. `forward` says whether queries may ask for visits.
    pub(crate) fn causal(
        model: &PathModel<'a>,
        start: Vec<(usize, f64)>,
        to: Option<usize>,
        work: &Work,
        forward: bool,
    ) -> Result<Self, Error> {
        let (stop, to) = model.causal_stop(to)?;
        let paths = PathSet { horizon: model.horizon(), stop };
        let chance = (Chance::Fixed, forward);
        let found = Self::prepare(model.mdp(), model.reward().clone(), start, paths, work, chance)?;
        Ok(PathDistribution { to, ..found })
    }

    /// For queries that need only the backward message. Visits are not computed. `given_first` means the same as in
    /// [`given_first_state`](Self::given_first_state).
    pub(crate) fn backward_only(model: &PathModel<'a>, given: &Given, work: &Work, given_first: bool) -> Result<Self, Error> {
        let (rest, start) = given.rest(model)?;
        if model.chance() == Chance::Fixed {
            return Self::causal(&rest, start, given.to, work, false);
        }
        let paths = PathSet { horizon: rest.horizon(), stop: model.stop(given.to)? };
        let paths = Self::prepare(rest.mdp(), rest.reward().clone(), start, paths, work, (Chance::Tilted, false))?;
        Ok(PathDistribution { given_first: given_first.then(Vec::new), ..paths })
    }

    /// Checks everything, without running a pass.
    fn prepare(
        mdp: &'a Mdp,
        reward: Reward,
        start: Vec<(usize, f64)>,
        paths: PathSet,
        work: &Work,
        (chance, forward): (Chance, bool),
    ) -> Result<Self, Error> {
        reward.check(mdp)?;
        check_horizon(paths.horizon)?;
        if chance == Chance::Tilted && paths.horizon == Horizon::Any && matches!(paths.stop, Stop::Horizon | Stop::AtHorizon(_))
        {
            return Err(Error::AnyLength { rule: "paths cannot end at a horizon that they do not have; give one" });
        }
        check_states(mdp, &start, paths.stop)?;
        let settings = Settings { discount: mdp.discount(), horizon: paths.horizon, transitions: true, memory: work.memory };
        let network = || Inference::network(mdp, !reward.transition.is_empty());
        let solver = Solver::new(chance, mdp, network, settings, forward);
        let threads = Threads::new(work.threads)?;
        let (log_partition, occupancy, given_first, to) = (0.0, Occupancy::default(), None, None);
        Ok(PathDistribution { mdp, reward, start, given_first, paths, to, solver, threads, log_partition, occupancy })
    }

    /// Runs both passes for Z and the expected visits.
    pub(crate) fn solve(mut self) -> Result<Self, Error> {
        let start = self.start.clone();
        // The visits are counted along the way, unless paths have any length.
        let flow = if self.paths.horizon == Horizon::Any { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let mut of_first = Vec::new();
        let expectation = self.watch(&mut |view| {
            if view.t == 1 {
                let log_z = |state| (view.of_state(state) * view.after(state)).ln();
                of_first = start.iter().map(|&(state, p)| (state, p, log_z(state))).collect();
            }
            flow
        })?;
        self.occupancy = border::visits(expectation.occupancy, self.paths.horizon)?;
        self.log_partition = expectation.log_partition;
        if matches!(self.solver, Solver::Fixed(_)) {
            // First states from which no episode ends as it should are not states of the model.
            let kept = of_first.iter().filter(|row| row.2 > f64::NEG_INFINITY);
            self.start = kept.map(|row| (row.0, row.1)).collect();
        }
        if self.given_first.is_some() {
            of_first.retain(|row| row.1 > 0.0 && row.2 > f64::NEG_INFINITY);
            let total: f64 = of_first.iter().map(|row| row.1).sum();
            self.start = of_first.iter().map(|row| (row.0, row.1 / total)).collect();
            self.given_first = Some(of_first.iter().map(|row| row.2).collect());
        }
        Ok(self)
    }

    /// log Z(Θ) (eq:partition-variablelength); if the first state is given, the mean of log Z(Θ | s_1) over it.
    pub fn log_partition(&self) -> f64 {
        self.log_partition
    }

    /// Σ_t γ^{t-1} p_t of every state and transition.
    pub fn occupancy(&self) -> &Occupancy {
        &self.occupancy
    }

    /// P(|τ| = l) for l = 1, …, L. For paths of any length, the list ends where P(|τ| > l) is below [`TAIL`].
    ///
    /// # Errors
    /// None after [`new`](Self::new) succeeded, except for paths of any length that are so long that the list would not
    /// end ([`Error::TailTooLong`]).
    pub fn length_distribution(&mut self) -> Result<Vec<f64>, Error> {
        self.check_ends()?;
        let mdp = self.mdp;
        let (mut lengths, mut tail) = (Vec::new(), Tail::new(self.paths.horizon));
        self.watch(&mut |view| {
            let flow = tail.flow(&view);
            if flow.is_continue() {
                let stops = |state| (view.stop(state), view.before(state));
                let ending = (0..mdp.n_states()).map(stops).filter(|(stop, _)| !stop.is_zero());
                lengths.push(ending.map(|(stop, before)| (stop * before).to_f64()).sum());
            }
            flow
        })?;
        border::distribution("the probability of a length", tail.end(lengths)?)
    }

    /// P(|τ| >= t) for t = 1, …, L, as the sums over s of p_t(s). For paths of any length, the list ends where it is
    /// below [`TAIL`].
    ///
    /// # Errors
    /// As [`length_distribution`](Self::length_distribution).
    pub fn survival(&mut self) -> Result<Vec<f64>, Error> {
        self.check_ends()?;
        let (mut survival, mut tail) = (Vec::new(), Tail::new(self.paths.horizon));
        self.watch(&mut |view| {
            let flow = tail.flow(&view);
            if flow.is_continue() {
                survival.push(view.mass);
            }
            flow
        })?;
        border::probabilities("the probability of a length or more", tail.end(survival)?)
    }

    /// E|τ| and its variance, exactly. For paths of any length they are the solutions of linear systems.
    ///
    /// # Errors
    /// As [`length_distribution`](Self::length_distribution).
    pub fn length_moments(&mut self) -> Result<[f64; 2], Error> {
        if self.paths.horizon == Horizon::Any {
            self.check_ends()?;
            let PathDistribution { mdp, reward, start, given_first, paths, to, solver, .. } = self;
            let start = if given_first.is_some() { Start::Drawn(start) } else { Start::Joint(start) };
            let moments = solver.length_moments(mdp, reward, Inquiry { start, paths: *paths, to: *to })?;
            return border::moments(moments, 1, Horizon::Any);
        }
        let lengths = self.length_distribution()?;
        let mean: f64 = lengths.iter().enumerate().map(|(place, p)| (place + 1) as f64 * p).sum();
        let variance = lengths.iter().enumerate().map(|(place, p)| ((place + 1) as f64 - mean).powi(2) * p).sum();
        border::moments([mean, variance], 1, self.paths.horizon)
    }

    /// log p_Θ(τ): the logarithm of the probability of one path; -∞ if it is not in the path set.
    ///
    /// # Errors
    /// If it is not a path of the MDP.
    pub fn log_prob(&mut self, path: &Trajectory) -> Result<f64, Error> {
        let fault = |fault| Error::Demonstration { index: 0, id: path.id.clone(), fault };
        let transitions = path.transitions(self.mdp).map_err(fault)?;
        let (first, last, length) = (path.states[0], path.states[path.states.len() - 1], path.states.len());
        let row = self.start.iter().position(|row| row.0 == first);
        let start = row.map_or(0.0, |row| self.start[row].1);
        let may_end = self.is_endless() || self.paths.may_end(self.mdp.is_terminal(last), last, length);
        let ends = self.paths.horizon.allows(length) && may_end;
        if start == 0.0 || !ends {
            return Ok(f64::NEG_INFINITY);
        }
        if matches!(self.solver, Solver::Fixed(_)) {
            return self.causal_log_prob(path, &transitions);
        }
        let log_weight = log_weight(self.mdp, &self.reward, &path.states, &transitions);
        let of_first = self.given_first.as_ref().zip(row).map(|(log_z, row)| log_z[row]);
        let log_prob = start.ln() + log_weight - of_first.unwrap_or(self.log_partition);
        let path = TiltedDigits { mdp: self.mdp, reward: &self.reward }.of_path(&path.states, &transitions);
        let size = path.error / ROUNDING + of_first.unwrap_or(self.log_partition).abs();
        let lost = || path.largest.digits_lost(self.mdp);
        border::log_difference("the log-probability of a path", log_prob, size, lost)
    }

    /// log p(τ) by the factors of the causal model.
    fn causal_log_prob(&mut self, path: &Trajectory, transitions: &[usize]) -> Result<f64, Error> {
        let (first, last, length) = (path.states[0], path.states[path.states.len() - 1], path.states.len());
        let start = self.start.clone();
        // A demonstration that is a part of an episode has no end.
        let is_part = self.is_endless();
        let mut log_prob = 0.0;
        self.watch(&mut |view| {
            if view.t == 1 {
                let weight = |&(state, p): &(usize, f64)| Scaled::from(p) * view.after(state);
                let total: Scaled = start.iter().map(weight).sum();
                let p: Scaled = start.iter().filter(|row| row.0 == first).map(|row| Scaled::from(row.1)).sum();
                log_prob += (p / total).ln();
            }
            if let Some(&transition) = view.t.checked_sub(2).and_then(|step| transitions.get(step)) {
                log_prob += view.step(transition).ln();
            }
            if view.t < length {
                return ControlFlow::Continue(());
            }
            log_prob += if is_part { 0.0 } else { view.stop(last).ln() };
            ControlFlow::Break(())
        })?;
        border::log_probability("the log-probability of a path", log_prob)
    }

    /// Rejects questions about the ends of paths that may go on for ever.
    pub(crate) fn check_ends(&self) -> Result<(), Error> {
        let (mdp, paths) = (self.mdp, self.paths);
        if !matches!(self.solver, Solver::Fixed(_)) || paths.horizon != Horizon::Any {
            return Ok(());
        }
        let leads = leads_to(mdp, |state| paths.may_end(mdp.is_terminal(state), state, 1));
        let begins = self.start.iter().filter(|row| row.1 > 0.0).map(|row| row.0);
        let reached = reached(mdp, begins);
        match (0..mdp.n_states()).find(|&state| reached[state] && !leads[state]) {
            // With a known end, or if episodes must end, the agent does not go there.
            Some(state) if self.is_endless() && mdp.discount() < 1.0 && self.to.is_none() => Err(Error::GoesOn { state }),
            _ => Ok(()),
        }
    }

    /// The probability that a path ends in each state.
    pub(crate) fn endings(&mut self) -> Result<Vec<f64>, Error> {
        let mdp = self.mdp;
        let mut endings = vec![0.0; mdp.n_states()];
        if self.paths.horizon == Horizon::Any {
            self.check_ends()?;
            if let PathDistribution { reward, start, paths, to, solver: Solver::Fixed(causal), .. } = self {
                let known = KnownEnds { start, to: *to, checks_digits: true };
                return border::at_most_one("the probability of a last state", causal.endings(mdp, reward, known, *paths)?);
            }
        }
        self.watch(&mut |view| {
            for (state, ending) in endings.iter_mut().enumerate() {
                *ending += (view.before(state) * view.stop(state)).to_f64();
            }
            ControlFlow::Continue(())
        })?;
        border::at_most_one("the probability of a last state", endings)
    }

    /// Refuses if digits are lost of what follows any state at any time.
    pub(crate) fn check_digits(&mut self) -> Result<(), Error> {
        let PathDistribution { mdp, reward, start, given_first, paths, to, solver, .. } = self;
        let start = if given_first.is_some() { Start::Drawn(start) } else { Start::Joint(start) };
        let mut found = Ok(());
        solver.show_digits(mdp, reward, Inquiry { start, paths: *paths, to: *to }, &mut |_, known| {
            if found.is_ok() {
                found = known.iter().try_for_each(|known| known.check(mdp));
            }
        })?;
        found
    }

    /// V_1 of each state, for a causal model.
    pub(crate) fn causal_values(&mut self) -> Result<Option<Vec<f64>>, Error> {
        let PathDistribution { mdp, reward, paths, solver, .. } = self;
        match solver {
            Solver::Tilted(_) => Ok(None),
            Solver::Fixed(causal) => Ok(Some(causal.values(mdp, reward, *paths)?)),
        }
    }

    /// Whether the weights of steps are the same at every time.
    pub(crate) fn steps_are_constant(&self) -> bool {
        self.solver.steps_are_constant(self.mdp, &self.reward, self.paths.horizon)
    }

    /// Runs both passes and calls `visit` with the messages of each time.
    pub(crate) fn watch(&mut self, visit: &mut (dyn FnMut(View<'_>) -> ControlFlow<()> + Send)) -> Result<Expectation, Error> {
        let large = self.mdp.n_transitions() >= LARGE_MDP;
        self.watch_if_large(large, visit)
    }

    /// The same for a `visit` that several threads make faster if `large`.
    pub(crate) fn watch_if_large(
        &mut self,
        large: bool,
        visit: &mut (dyn FnMut(View<'_>) -> ControlFlow<()> + Send),
    ) -> Result<Expectation, Error> {
        let PathDistribution { mdp, reward, start, given_first, paths, to, solver, threads, .. } = self;
        let start = if given_first.is_some() { Start::Drawn(start) } else { Start::Joint(start) };
        let asked = Inquiry { start, paths: *paths, to: *to };
        let large = large || solver.is_large();
        threads.run_if(large, || solver.watch(mdp, reward, asked, visit))
    }

    /// The MDP.
    pub fn mdp(&self) -> &'a Mdp {
        self.mdp
    }

    pub(crate) fn reward(&self) -> &Reward {
        &self.reward
    }

    /// The first states and their weights; if the first state is given, their probabilities.
    pub fn start(&self) -> &[(usize, f64)] {
        &self.start
    }

    /// Whether the distribution is conditioned on the first state.
    pub(crate) fn is_given_first(&self) -> bool {
        self.given_first.is_some()
    }

    /// How many states a path may have.
    pub fn horizon(&self) -> Horizon {
        self.paths.horizon
    }

    /// Whether episodes may go on for ever, so that demonstrations are parts of them.
    pub(crate) fn is_endless(&self) -> bool {
        self.paths.horizon == Horizon::Any && self.paths.stop == Stop::Horizon
    }
}

/// Where a list over all times ends.
struct Tail {
    horizon: Horizon,
    is_too_long: bool,
}

impl Tail {
    fn new(horizon: Horizon) -> Tail {
        Tail { horizon, is_too_long: false }
    }

    fn flow(&mut self, view: &View<'_>) -> ControlFlow<()> {
        self.is_too_long = self.horizon == Horizon::Any && view.t > LONGEST_TAIL;
        let ended = self.horizon == Horizon::Any && view.mass < TAIL;
        if ended || self.is_too_long { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn end(self, list: Vec<f64>) -> Result<Vec<f64>, Error> {
        if self.is_too_long { Err(Error::TailTooLong { most: LONGEST_TAIL, tail: TAIL }) } else { Ok(list) }
    }
}

pub(crate) fn check_states(mdp: &Mdp, start: &[(usize, f64)], stop: Stop) -> Result<(), Error> {
    let count = mdp.n_states();
    if let Some(index) = stop.goal().filter(|&goal| goal >= count) {
        return Err(Error::OutOfRange { table: "goal", row: 0, what: "state", index, count });
    }
    check_start(mdp, start)
}

/// Rejects invalid weights of first states, states that do not exist, and states that are listed twice.
pub(crate) fn check_start(mdp: &Mdp, start: &[(usize, f64)]) -> Result<(), Error> {
    check_state_weights(mdp, "start", "p", start.iter().copied())
}
