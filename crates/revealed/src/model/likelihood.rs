//! ℓ(Θ) and its gradient: the objective of learning.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Error;
use crate::engine::digits::Payment;
use crate::engine::inference::{Inference, Settings, Start};
use crate::engine::network::Network;
use crate::engine::path_set::PathSet;
use crate::engine::{Horizon, Stop};
use crate::error::DemonstrationFault;
use crate::model::Ends;
use crate::model::Options;
use crate::model::border;
use crate::model::path_model::check_path_set;
use crate::model::route_choice::RouteChoice;
use crate::numeric::parallel;
use crate::numeric::threads::Threads;
use crate::numeric::vector::{all_representable, dot, minus};
use crate::watch::Watch;
use crate::world::{Demonstrations, Features, Mdp};

/// ℓ(Θ) at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// log Z(Θ); `None` for [`Ends::Goal`], which has a log Z for each pair of first and last state.
    pub log_partition: Option<f64>,
    /// The mean of log p(τ) over the demonstrations (eq:log-likelihood).
    pub log_likelihood: f64,
    /// ∇ℓ = `E_D[φ] - E_Θ[φ]` (eq:s-grad, eq:sa-grad, eq:sas-grad).
    pub gradient: Vec<f64>,
}

/// The number of goals whose expectations are computed before they are added up.
const BATCH: usize = 256;

/// Demonstrations that share a path set: all of them, or with [`Ends::Goal`] those with the same last state.
#[derive(Debug)]
struct GoalGroup {
    stop: Stop,
    /// The first states and their fractions of the group's weight.
    starts: Vec<(usize, f64)>,
    /// The group's fraction of the total weight.
    share: f64,
}

/// The log-likelihood of demonstrations as a function of θ. Everything that does not depend on θ is prepared once.
///
/// ```
/// use revealed::{Demonstrations, Features, Likelihood, MdpBuilder, Options, Trajectory};
///
/// let mut builder = MdpBuilder::new(3, 1);
/// builder.start(0, 1.0).transition(0, 0, 1, 1.0).transition(1, 0, 2, 1.0).terminal(2);
/// let mdp = builder.build()?;
/// let features = Features::one_hot(&mdp);
/// let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 1, 2], vec![0, 0])])?;
/// let mut likelihood = Likelihood::new(&mdp, &features, &demos, &Options::default())?;
/// // Three paths (lengths 1, 2 and 3), all of weight 1: the demonstration has probability 1/3.
/// let evaluation = likelihood.evaluate(&[0.0, 0.0, 0.0])?;
/// assert!((evaluation.log_likelihood - (1.0f64 / 3.0).ln()).abs() < 1e-15);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Likelihood<'a> {
    mdp: &'a Mdp,
    features: &'a Features,
    ends: Ends,
    groups: Vec<GoalGroup>,
    observed: Vec<f64>,
    mean_log_q: f64,
    network: Arc<Network>,
    inference: Inference,
    settings: Settings,
    /// For paths of any length between each demonstration's own ends: one elimination serves all pairs.
    routes: Option<Box<RouteChoice<'a>>>,
    threads: Threads,
}

impl<'a> Likelihood<'a> {
    /// Checks that the demonstrations belong to the path set, and prepares the evaluation.
    ///
    /// # Errors
    /// If a demonstration is longer than the horizon or ends where it may not.
    /// For paths of any length also [`Error::FillIn`] if they need more memory than there is.
    pub fn new(mdp: &'a Mdp, features: &'a Features, demos: &Demonstrations, options: &Options) -> Result<Self, Error> {
        Likelihood::watched(mdp, features, demos, options, &Watch::none())
    }

    /// The same, and for paths of any length reports how many states have been eliminated.
    pub(crate) fn watched(
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &Demonstrations,
        options: &Options,
        watch: &Watch<'_>,
    ) -> Result<Self, Error> {
        let horizon = options.horizon.unwrap_or(Horizon::AtMost(demos.longest()));
        check_path_set(mdp, horizon, options.ends)?;
        check_endings(mdp, demos, options.ends, horizon)?;
        let observed = observed(mdp, features, demos);
        all_representable("a mean feature of the demonstrations", &observed)?;
        let routes = match (horizon, options.ends) {
            (Horizon::Any, Ends::Goal) => Some(Box::new(RouteChoice::watched(mdp, features, demos, &options.work, watch)?)),
            _ => None,
        };
        let of_demo = |index: usize| {
            let states = demos.states(index);
            ([states[0] as usize, states[states.len() - 1] as usize], demos.weight(index))
        };
        let ends: Vec<([usize; 2], f64)> = (0..demos.len()).map(of_demo).collect();
        let options = Options { horizon: Some(horizon), ..options.clone() };
        let free = Likelihood::free(mdp, features, group(&ends, options.ends), &options, routes.is_none(), watch)?;
        Ok(Likelihood { observed, mean_log_q: mean_log_q(mdp, demos, options.ends), routes, ..free })
    }

    /// The model without demonstrations, for paths between these ends: its Z and its expectations.
    pub(crate) fn without_demonstrations(
        mdp: &'a Mdp,
        features: &'a Features,
        ends: &[([usize; 2], f64)],
        options: &Options,
        watch: &Watch<'_>,
    ) -> Result<Self, Error> {
        Likelihood::free(mdp, features, group(ends, options.ends), options, true, watch)
    }

    fn free(
        mdp: &'a Mdp,
        features: &'a Features,
        groups: Vec<GoalGroup>,
        options: &Options,
        sums: bool,
        watch: &Watch<'_>,
    ) -> Result<Self, Error> {
        let horizon = options.horizon.unwrap_or(Horizon::Any);
        let transitions = !features.on_states_only();
        let settings = Settings { discount: mdp.discount(), horizon, transitions, memory: options.work.memory };
        let network = Inference::network(mdp, transitions);
        let threads = Threads::new(options.work.threads)?;
        let mut inference = Inference::new(Arc::clone(&network), settings);
        if horizon == Horizon::Any && sums && mdp.discount() == 1.0 {
            inference.prepare(mdp, watch)?;
        }
        let observed = vec![0.0; features.n_features()];
        let (ends, mean_log_q, routes) = (options.ends, 0.0, None);
        Ok(Likelihood { mdp, features, ends, groups, observed, mean_log_q, inference, network, settings, routes, threads })
    }

    /// The mean of log Z over the ends, and of the expected features.
    pub(crate) fn expected(&mut self, reward: &crate::world::Reward) -> Result<(f64, Vec<f64>), Error> {
        let large = self.is_large() || self.groups.len() > 1;
        self.threads.clone().run_if(large, || self.expect(reward))
    }

    /// Runs only the backward pass, for half the work. `gradient` is then E_D[φ], without the expectation of the model.
    pub(crate) fn without_gradient(self) -> Self {
        Likelihood { inference: Inference::backward_only(Arc::clone(&self.network), self.settings), ..self }
    }

    /// How many states a path may have.
    pub fn horizon(&self) -> Horizon {
        self.settings.horizon
    }

    /// The path set.
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// E_D[φ(τ)].
    pub fn observed(&self) -> &[f64] {
        &self.observed
    }

    /// φ.
    pub(crate) fn features(&self) -> &'a Features {
        self.features
    }

    /// ℓ(Θ), its gradient, and log Z.
    ///
    /// It visits every transition twice per time step. With [`Ends::Goal`] it does so once for each distinct last state
    /// of the demonstrations. For paths of any length it solves one sparse linear system.
    ///
    /// # Errors
    /// If θ has the wrong length or is not finite, or if no path exists; for paths of any length [`Error::Diverges`]
    /// and [`Error::NoSum`].
    pub fn evaluate(&mut self, theta: &[f64]) -> Result<Evaluation, Error> {
        if let Some(routes) = &mut self.routes {
            return routes.evaluate(theta);
        }
        let reward = self.features.reward(self.mdp, theta)?;
        let (log_partition, expected) = self.expected(&reward)?;
        let log_likelihood = dot(&self.observed, theta) + self.mean_log_q - log_partition;
        let gradient = minus(&self.observed, &expected);
        all_representable("the log-likelihood", &[log_likelihood])?;
        let size = size_of_sum(&self.observed, theta) + self.mean_log_q.abs() + log_partition.abs();
        let lost = || Payment::largest(&reward).digits_lost(self.mdp);
        let log_likelihood = border::log_difference("the log-likelihood", log_likelihood, size, lost)?;
        all_representable("a component of the gradient", &gradient)?;
        let log_partition = (self.ends != Ends::Goal).then_some(log_partition);
        Ok(Evaluation { log_partition, log_likelihood, gradient })
    }

    /// E\[φ(τ) | s_1, s_l\] for each pair of first and last states of the demonstrations; empty unless the path set is
    /// [`Ends::Goal`].
    ///
    /// With a horizon, each pair takes a pass of its own. For paths of any length see [`RouteChoice::expected`].
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub(crate) fn expected_by_ends(&mut self, theta: &[f64]) -> Result<BTreeMap<[usize; 2], Vec<f64>>, Error> {
        if let Some(routes) = &mut self.routes {
            return routes.expected(theta);
        }
        let reward = self.features.reward(self.mdp, theta)?;
        let of_group = |group: &GoalGroup| match group.stop {
            Stop::At(goal) => group.starts.iter().map(|&(first, _)| [first, goal]).collect(),
            _ => Vec::new(),
        };
        let pairs: Vec<[usize; 2]> = self.groups.iter().flat_map(of_group).collect();
        let large = self.is_large() || pairs.len() > 1;
        let found = self.threads.clone().run_if(large, || self.expect_pairs(&reward, &pairs))?;
        Ok(pairs.into_iter().zip(found).collect())
    }

    fn expect_pairs(&mut self, reward: &crate::world::Reward, pairs: &[[usize; 2]]) -> Result<Vec<Vec<f64>>, Error> {
        let Likelihood { mdp, features, network, inference, settings, .. } = self;
        let of_pair = |inference: &mut Inference, &[first, goal]: &[usize; 2]| {
            let paths = PathSet { horizon: settings.horizon, stop: Stop::At(goal) };
            let expectation = inference.expect(mdp, reward, Start::Each(&[(first, 1.0)]), paths)?;
            Ok::<Vec<f64>, Error>(features.expectation(mdp, &expectation.occupancy))
        };
        match Inference::at_once(network, *settings, pairs.len()) {
            None => pairs.iter().map(|pair| of_pair(inference, pair)).collect(),
            Some(share) => {
                let new = || Inference::new(Arc::clone(network), share);
                parallel::map_with(pairs, new, of_pair).into_iter().collect()
            }
        }
    }

    /// Whether θ has finite sums over paths.
    pub(crate) fn has_sums(&mut self, theta: &[f64]) -> bool {
        match &self.routes {
            Some(routes) => routes.has_sums(theta),
            None => self.evaluate(theta).is_ok(),
        }
    }

    /// The log-likelihood of a sample of the demonstrations, for trips of any length; otherwise that of all.
    pub(crate) fn evaluate_sample(&mut self, theta: &[f64]) -> Result<Evaluation, Error> {
        match &self.routes {
            Some(routes) => routes.evaluate_sample(theta),
            None => self.evaluate(theta),
        }
    }

    fn is_large(&self) -> bool {
        crate::engine::messages::worth_sharing(&self.network)
    }

    /// The mean of log Z and of E_Θ[φ] over the groups.
    fn expect(&mut self, reward: &crate::world::Reward) -> Result<(f64, Vec<f64>), Error> {
        let Likelihood { mdp, features, ends, groups, network, inference, settings, .. } = self;
        let of_group = |inference: &mut Inference, group: &GoalGroup| {
            let start = if *ends == Ends::Goal { Start::Each(&group.starts) } else { Start::Joint(mdp.start()) };
            let paths = PathSet { horizon: settings.horizon, stop: group.stop };
            let expectation = inference.expect(mdp, reward, start, paths)?;
            let expected = match expectation.occupancy.state.is_empty() {
                true => vec![0.0; features.n_features()],
                false => features.expectation(mdp, &expectation.occupancy),
            };
            Ok((expectation.log_partition, expected))
        };
        let mut mean = (0.0, vec![0.0; features.n_features()]);
        let mut add = |group: &GoalGroup, (log_partition, expected): (f64, Vec<f64>)| {
            mean.0 += group.share * log_partition;
            mean.1.iter_mut().zip(&expected).for_each(|(mean, expected)| *mean += group.share * expected);
        };
        let Some(share) = Inference::at_once(network, *settings, groups.len()) else {
            for group in groups.iter() {
                add(group, of_group(inference, group)?);
            }
            return Ok(mean);
        };
        let new = || Inference::new(Arc::clone(network), share);
        // Batches limit the memory of the answers. They are added in order, so that the result does not
        // depend on the number of threads.
        for batch in groups.chunks(BATCH) {
            let answers = parallel::map_with(batch, new, |inference, group| of_group(inference, group));
            for (group, answer) in batch.iter().zip(answers) {
                add(group, answer?);
            }
        }
        Ok(mean)
    }
}

/// Σ |φ θ|.
pub(crate) fn size_of_sum(observed: &[f64], theta: &[f64]) -> f64 {
    observed.iter().zip(theta).map(|(phi, theta)| (phi * theta).abs()).sum()
}

pub(crate) fn check_endings(mdp: &Mdp, demos: &Demonstrations, ends: Ends, horizon: Horizon) -> Result<(), Error> {
    for index in 0..demos.len() {
        if let Some(fault) = ending_fault(mdp, demos, index, ends, horizon) {
            return Err(Error::Demonstration { index, id: demos.id(index).map(str::to_string), fault });
        }
    }
    Ok(())
}

/// Why a demonstration is not in the path set; `None` if it is.
pub(crate) fn ending_fault(
    mdp: &Mdp,
    demos: &Demonstrations,
    index: usize,
    ends: Ends,
    horizon: Horizon,
) -> Option<DemonstrationFault> {
    let states = demos.states(index);
    let (length, state) = (states.len(), states[states.len() - 1] as usize);
    let broken = ending_rule(mdp, ends, horizon, state, length);
    match broken {
        _ if !horizon.allows(length) => Some(DemonstrationFault::TooLong { length, horizon: horizon.longest() }),
        broken => broken.map(|rule| DemonstrationFault::Ending { length, state, ends: ends.name(), rule }),
    }
}

/// The rule that a path of `length` states breaks if it ends in a state.
pub(crate) fn ending_rule(mdp: &Mdp, ends: Ends, horizon: Horizon, state: usize, length: usize) -> Option<&'static str> {
    let is_terminal = mdp.is_terminal(state);
    match ends {
        // Without a horizon, demonstrations are parts of episodes of a causal model.
        Ends::Horizon if !is_terminal && horizon != Horizon::AtMost(length) && horizon != Horizon::Any => {
            Some("a path has exactly as many states as the horizon unless a terminal state ends it")
        }
        Ends::Terminal if !is_terminal => Some("a path ends in a terminal state"),
        _ => None,
    }
}

/// The groups of demonstrations with these ends and weights.
fn group(demos: &[([usize; 2], f64)], ends: Ends) -> Vec<GoalGroup> {
    let stop = match ends {
        Ends::Anywhere => Stop::Anywhere,
        Ends::Horizon => Stop::Horizon,
        Ends::Terminal => Stop::Terminal,
        Ends::Goal => return group_by_goal(demos),
    };
    vec![GoalGroup { stop, starts: Vec::new(), share: 1.0 }]
}

fn group_by_goal(demos: &[([usize; 2], f64)]) -> Vec<GoalGroup> {
    let mut by_goal: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
    for &([first, last], weight) in demos.iter().filter(|demo| demo.1 > 0.0) {
        *by_goal.entry(last).or_default().entry(first).or_default() += weight;
    }
    let total: f64 = demos.iter().map(|demo| demo.1).sum();
    (by_goal.into_iter())
        .map(|(goal, starts)| {
            let weight: f64 = starts.values().sum();
            let starts = starts.into_iter().map(|(state, part)| (state, part / weight)).collect();
            GoalGroup { stop: Stop::At(goal), starts, share: weight / total }
        })
        .collect()
}

/// E_D[φ(τ)].
pub(crate) fn observed(mdp: &Mdp, features: &Features, demos: &Demonstrations) -> Vec<f64> {
    let mut mean = vec![0.0; features.n_features()];
    let total = demos.total_weight();
    for index in 0..demos.len() {
        let share = demos.weight(index) / total;
        features.add_path(mdp, demos, index, share, &mut mean);
    }
    mean
}

/// E_D[log q(τ)]. Given the first state, q does not contain p0.
fn mean_log_q(mdp: &Mdp, demos: &Demonstrations, ends: Ends) -> f64 {
    let total = demos.total_weight();
    (0..demos.len())
        .map(|index| {
            let start = demos.states(index)[0] as usize;
            let given = if ends == Ends::Goal { mdp.start_probability(start).ln() } else { 0.0 };
            demos.weight(index) / total * (demos.log_q(mdp, index) - given)
        })
        .sum()
}
