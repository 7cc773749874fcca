//! The model that all queries refer to: a reward and a path set.

use crate::Error;
use crate::engine::inference::{check_horizon, check_reward_size};
use crate::engine::{Horizon, Stop};
use crate::error::DemonstrationFault;
use crate::model::{Chance, Ends, Given, PathDistribution};
use crate::numeric::Work;
use crate::world::{Mdp, Reward, Trajectory};

/// A reward and a path set: p_Θ(τ) ∝ q(τ) e^{R(τ)} over the paths of at most L states, or of any length, that end where
/// `ends` says.
///
/// This is only the description of a distribution, which every query takes (which path, which destination, which
/// length). [`PathDistribution`] computes the messages.
///
/// ```
/// use revealed::{Ends, PathModel, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let model = PathModel::new(&lake.mdp, reward, 20, Ends::Terminal)?;
/// assert!(model.stop(Some(15)).is_ok());
/// // No path of this model ends in a state that is not terminal.
/// assert!(model.stop(Some(14)).is_err());
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PathModel<'a> {
    mdp: &'a Mdp,
    reward: Reward,
    horizon: Horizon,
    ends: Ends,
    chance: Chance,
}

impl<'a> PathModel<'a> {
    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// If the reward does not fit the MDP, or the horizon is 0 or too large for it; for paths of any length, if there
    /// is a discount ([`Error::DiscountedSum`]) or they end at the horizon.
    pub fn new(mdp: &'a Mdp, reward: Reward, horizon: impl Into<Horizon>, ends: Ends) -> Result<Self, Error> {
        let horizon = horizon.into();
        reward.check(mdp)?;
        check_path_set(mdp, horizon, ends)?;
        check_reward_size(&reward, horizon.at_most().unwrap_or(mdp.n_states()))?;
        Ok(PathModel { mdp, reward, horizon, ends, chance: Chance::Tilted })
    }

    /// The model of maximum causal entropy: the agent chooses its actions by the reward, and chance decides their
    /// outcomes as the MDP says. Every query takes it like any other model.
    ///
    /// ```text
    /// V_t(s)   = R(s) + log(stop_t(s) + Σ_a π0(a|s) e^{Q_t(s,a)})       V_L(s) = R(s)
    /// Q_t(s,a) = Σ_s' T(s'|s,a) (R(s,a) + R(s,a,s') + γ V_{t+1}(s'))
    /// π_t(a|s) = π0(a|s) e^{Q_t(s,a)} / (stop_t(s) + Σ_a' π0(a'|s) e^{Q_t(s,a')})
    /// ```
    ///
    /// The first state has the distribution p0. With [`Ends::Horizon`] an episode has L states, or fewer if it reaches a
    /// terminal state. Without a horizon ([`Horizon::Any`]) the policy is stationary. Then [`Ends::Horizon`] means that
    /// only terminal states end an episode, and that demonstrations may be parts of episodes. With another [`Ends`], an
    /// episode must end there: no action is taken that might prevent it.
    ///
    /// ```
    /// use revealed::{Chance, Ends, Given, PathModel, Work, worlds};
    ///
    /// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
    /// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
    /// let model = PathModel::causal(&lake.mdp, reward, 20, Ends::Horizon)?;
    /// assert_eq!(model.chance(), Chance::Fixed);
    /// let mut episodes = model.distribution(&Given::default(), &Work::default())?;
    /// let policy = episodes.policy(1)?;
    /// let first: f64 = lake.mdp.choices(0).map(|choice| policy.choice[choice]).sum();
    /// assert!((first - 1.0).abs() < 1e-12);
    /// # Ok::<(), revealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the reward does not fit the MDP, or the horizon is 0 or too large for it.
    pub fn causal(mdp: &'a Mdp, reward: Reward, horizon: impl Into<Horizon>, ends: Ends) -> Result<Self, Error> {
        let horizon = horizon.into();
        reward.check(mdp)?;
        check_horizon(horizon)?;
        check_reward_size(&reward, horizon.at_most().unwrap_or(mdp.n_states()))?;
        Ok(PathModel { mdp, reward, horizon, ends, chance: Chance::Fixed })
    }

    /// Who decides the outcomes of actions.
    pub fn chance(&self) -> Chance {
        self.chance
    }

    /// The same model without a horizon or with another one, or with other ends.
    ///
    /// # Errors
    /// As [`new`](Self::new) or [`causal`](Self::causal).
    pub fn with_paths(&self, horizon: impl Into<Horizon>, ends: Ends) -> Result<Self, Error> {
        match self.chance {
            Chance::Tilted => PathModel::new(self.mdp, self.reward.clone(), horizon, ends),
            Chance::Fixed => PathModel::causal(self.mdp, self.reward.clone(), horizon, ends),
        }
    }

    /// Where the agent of a causal model may end an episode, and the last state if it is known besides. With
    /// [`Ends::Goal`] the agent wants to reach the goal. With other ends, `to` is only what happened.
    pub(crate) fn causal_stop(&self, to: Option<usize>) -> Result<(Stop, Option<usize>), Error> {
        let known = self.stop(to)?;
        match self.ends {
            Ends::Goal => Ok((known, None)),
            _ => Ok((self.stop(None)?, to)),
        }
    }

    /// The MDP.
    pub fn mdp(&self) -> &'a Mdp {
        self.mdp
    }

    /// R.
    pub fn reward(&self) -> &Reward {
        &self.reward
    }

    /// How many states a path may have.
    pub fn horizon(&self) -> Horizon {
        self.horizon
    }

    /// L, or `usize::MAX` for paths of any length.
    pub(crate) fn longest(&self) -> usize {
        self.horizon.longest()
    }

    /// The path set.
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// Where paths end, given the last state `to`, if it is known.
    ///
    /// # Errors
    /// If `to` is not a state or no path of the model ends there; for [`Ends::Goal`], if it is not given.
    pub fn stop(&self, to: Option<usize>) -> Result<Stop, Error> {
        let Some(goal) = to else {
            return match self.ends {
                Ends::Anywhere => Ok(Stop::Anywhere),
                Ends::Horizon => Ok(Stop::Horizon),
                Ends::Terminal => Ok(Stop::Terminal),
                Ends::Goal => Err(Error::NoGoal),
            };
        };
        self.check_state("the last state", goal)?;
        match self.ends {
            Ends::Anywhere | Ends::Goal => Ok(Stop::At(goal)),
            Ends::Horizon if self.horizon == Horizon::Any && !self.mdp.is_terminal(goal) => {
                let rule = "only terminal states end its episodes, and this state is not terminal";
                Err(Error::NotAnEnd { state: goal, rule })
            }
            _ if self.mdp.is_terminal(goal) => Ok(Stop::At(goal)),
            Ends::Horizon => Ok(Stop::AtHorizon(goal)),
            Ends::Terminal => {
                let rule = "its paths end in terminal states (ends = terminal), and this state is not terminal; use \
                            ends = goal for paths to any state";
                Err(Error::NotAnEnd { state: goal, rule })
            }
        }
    }

    /// Whether a path of `length` states may end in `state`. For [`Ends::Goal`] any state may be a goal.
    pub fn may_end(&self, state: usize, length: usize) -> bool {
        let stop = match self.ends {
            Ends::Anywhere | Ends::Goal => Stop::Anywhere,
            Ends::Horizon => Stop::Horizon,
            Ends::Terminal => Stop::Terminal,
        };
        stop.allows(self.mdp.is_terminal(state), state, length, self.horizon)
    }

    /// Rejects a state that does not exist.
    pub(crate) fn check_state(&self, table: &'static str, state: usize) -> Result<(), Error> {
        let count = self.mdp.n_states();
        if state < count {
            return Ok(());
        }
        Err(Error::OutOfRange { table, row: 0, what: "state", index: state, count })
    }

    /// The transitions of a prefix: the first states and actions of a path.
    ///
    /// # Errors
    /// If the prefix cannot happen in this MDP, or is longer than the horizon. Any first state is accepted, whatever
    /// its p0.
    pub fn check_prefix(&self, prefix: &Trajectory) -> Result<Vec<usize>, Error> {
        let transitions = prefix.transitions(self.mdp).map_err(Error::Prefix)?;
        let (length, horizon) = (prefix.states.len(), self.longest());
        if length > horizon {
            return Err(Error::Prefix(DemonstrationFault::TooLong { length, horizon }));
        }
        Ok(transitions)
    }

    /// The continuations of a prefix, as a separate model: the paths from the last state s_t of the prefix, with at
    /// most L - t + 1 states, and every reward times γ^{t-1}.
    ///
    /// # Erratum
    /// The destination posterior of the paper (sec:me-inference) ignores that a continuation has less of the horizon
    /// left, and that its rewards are discounted from the beginning of the path.
    ///
    /// # Errors
    /// As [`check_prefix`](Self::check_prefix).
    pub fn after(&self, prefix: &Trajectory) -> Result<PathModel<'a>, Error> {
        self.check_prefix(prefix)?;
        let before = prefix.states.len() - 1;
        let horizon = self.horizon.after(before);
        // The values of a causal model are discounted from the present state on.
        if self.chance == Chance::Fixed {
            return Ok(PathModel { horizon, ..self.clone() });
        }
        let power = self.mdp.discount().powi(before as i32);
        Ok(PathModel { reward: self.reward.times(power), horizon, ..self.clone() })
    }

    /// The distribution over the paths of the model, given what is known. A model with [`Ends::Goal`] has no
    /// distribution over first states: the start is this distribution then, as in
    /// [`PathDistribution::given_first_state`]. With a prefix, it is the distribution over the continuations, which
    /// begin with the last state of the prefix (see [`after`](Self::after)).
    ///
    /// # Errors
    /// As [`stop`](Self::stop), [`check_prefix`](Self::check_prefix) and [`PathDistribution::with`];
    /// [`Error::StartAndPrefix`].
    pub fn distribution(&self, given: &Given, work: &Work) -> Result<PathDistribution<'a>, Error> {
        let (rest, start) = given.rest(self)?;
        let stop = self.stop(given.to)?;
        let PathModel { mdp, horizon, ends, chance, .. } = rest;
        let found = match (chance, ends) {
            (Chance::Fixed, _) => PathDistribution::causal(&rest, start, given.to, work, true)?.solve(),
            (Chance::Tilted, Ends::Goal) => PathDistribution::given_first_state(mdp, rest.reward, start, horizon, stop, work),
            (Chance::Tilted, _) => PathDistribution::with(mdp, rest.reward, start, horizon, stop, work),
        };
        given.name_prefix(found, self)
    }

    /// log q(τ) e^{R(τ)} of a path, without p0.
    ///
    /// # Errors
    /// If the path cannot happen in this MDP.
    pub fn log_weight(&self, path: &Trajectory) -> Result<f64, Error> {
        let fault = |fault| Error::Demonstration { index: 0, id: path.id.clone(), fault };
        let transitions = path.transitions(self.mdp).map_err(fault)?;
        Ok(log_weight(self.mdp, &self.reward, &path.states, &transitions))
    }
}

/// Rejects a horizon that is 0 or too large, and paths of any length where they have no meaning.
pub(crate) fn check_path_set(mdp: &Mdp, horizon: Horizon, ends: Ends) -> Result<(), Error> {
    check_horizon(horizon)?;
    match horizon {
        Horizon::AtMost(_) => Ok(()),
        Horizon::Any if mdp.discount() != 1.0 => Err(Error::DiscountedSum { discount: mdp.discount() }),
        Horizon::Any if ends == Ends::Horizon => Err(Error::AnyLength {
            rule: "with ends = horizon a path has exactly as many states as the horizon, unless it ends in a terminal \
                   state; give a horizon, or set ends to terminal",
        }),
        Horizon::Any => Ok(()),
    }
}

/// log q(τ) e^{R(τ)} without p0.
pub(crate) fn log_weight(mdp: &Mdp, reward: &Reward, states: &[usize], transitions: &[usize]) -> f64 {
    let (mut log_weight, mut discount) = (0.0, 1.0);
    for (step, &state) in states.iter().enumerate() {
        log_weight += discount * reward.state[state];
        if let Some(&transition) = transitions.get(step) {
            log_weight += mdp.log_base_weight(transition) + discount * reward.of_transition(transition);
        }
        discount *= mdp.discount();
    }
    log_weight
}
