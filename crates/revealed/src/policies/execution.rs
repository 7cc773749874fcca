//! The expected reward of a policy when it is executed: outcomes follow the MDP's probabilities, not the model's.
//!
//! At time t in s the episode ends with probability σ(s); otherwise a ~ π(a|s) and s' ~ T(s'|s,a). It also ends in
//! terminal states and at L. The path distribution is optimistic, because e^R also tilts T. Execution uses its policy
//! but not its tilted outcomes.

mod rollout;

use std::ops::ControlFlow;

pub use self::rollout::RolloutMean;
use crate::Error;
use crate::engine::Horizon;
use crate::engine::TAIL;
use crate::engine::fixed_point::LONGEST_TAIL;
use crate::engine::inference::check_horizon;
use crate::model::PathDistribution;
use crate::model::distribution::check_start;
use crate::policies::StationaryPolicy;
use crate::world::{Mdp, Reward};

/// The setting in which policies are executed, and the rewards that evaluate them.
///
/// ```
/// use revealed::{Execution, PathDistribution, Policy, StationaryPolicy, Stop, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let execution = Execution { start: lake.mdp.start().to_vec(), discount: 1.0, rewards: vec![&reward] };
/// let walk = StationaryPolicy::never_stops(&lake.mdp, Policy::uniform(&lake.mdp));
/// let exactly = execution.of_policy(&lake.mdp, 100, &walk)?.values[0];
/// let sampled = execution.roll_out_policy(&lake.mdp, 100, &walk, 1000, 1)?[0];
/// assert!((sampled.mean - exactly).abs() < 5.0 * sampled.standard_error);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Execution<'e> {
    /// The first states and their weights, which need not sum to 1.
    pub start: Vec<(usize, f64)>,
    /// The discount γ of the values.
    pub discount: f64,
    /// E[R(τ)] is computed for each of these rewards.
    pub rewards: Vec<&'e Reward>,
}

/// The result of executing a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// E[R(τ)] of each reward.
    pub values: Vec<f64>,
    /// E[|τ|]: the mean number of states.
    pub mean_length: f64,
}

impl Execution<'_> {
    /// Executes the path distribution's own non-stationary policy up to its horizon, exactly.
    ///
    /// # Errors
    /// If a reward, the start or the discount does not fit.
    pub fn of_paths(&self, paths: &mut PathDistribution<'_>) -> Result<Executed, Error> {
        let Horizon::AtMost(horizon) = paths.horizon() else {
            let policy = paths.stationary_projection()?;
            return self.of_policy(paths.mdp(), Horizon::Any, &policy);
        };
        let mut walk = self.walk(paths.mdp())?;
        paths.watch_policy(&mut |moment| {
            walk.step(&moment.policy.choice, &moment.policy.stop, moment.t == horizon);
            ControlFlow::Continue(())
        })?;
        Ok(walk.executed)
    }

    /// Executes a stationary policy for at most `horizon` states, exactly. Without a horizon, until the probability
    /// that an episode continues is below [`TAIL`].
    ///
    /// # Errors
    /// As [`of_paths`](Self::of_paths), or if the policy or the horizon does not fit; [`Error::TailTooLong`] if
    /// episodes do not end.
    pub fn of_policy(&self, mdp: &Mdp, horizon: impl Into<Horizon>, policy: &StationaryPolicy) -> Result<Executed, Error> {
        let horizon = horizon.into();
        check_horizon(horizon)?;
        policy.check(mdp)?;
        let mut walk = self.walk(mdp)?;
        for t in 1..=horizon.longest() {
            walk.step(policy.policy.probabilities(), &policy.stop, horizon == Horizon::AtMost(t));
            if horizon == Horizon::Any && walk.mass() < TAIL {
                break;
            }
            if horizon == Horizon::Any && t >= LONGEST_TAIL {
                return Err(Error::TailTooLong { most: LONGEST_TAIL, tail: TAIL });
            }
        }
        Ok(walk.executed)
    }

    /// The value of each state under a stationary policy, with the first reward and `horizon` states to go, including
    /// the state itself. Without a horizon, until a further state changes no value by more than [`TAIL`] of its size.
    ///
    /// # Errors
    /// As [`of_policy`](Self::of_policy).
    pub fn values(&self, mdp: &Mdp, horizon: impl Into<Horizon>, policy: &StationaryPolicy) -> Result<Vec<f64>, Error> {
        let horizon = horizon.into();
        check_horizon(horizon)?;
        policy.check(mdp)?;
        self.check(mdp)?;
        let Some(reward) = self.rewards.first() else { return Ok(vec![0.0; mdp.n_states()]) };
        let mut values = reward.state.clone();
        for t in 1..horizon.longest() {
            let of_choice = |choice: usize| -> f64 {
                let pays = |t: usize| reward.of_transition(t) + self.discount * values[mdp.to()[t] as usize];
                mdp.outcomes(choice).map(|transition| mdp.probability()[transition] * pays(transition)).sum()
            };
            let of_state = |state: usize| {
                let next: f64 = mdp.choices(state).map(|c| policy.policy.probability(c) * of_choice(c)).sum();
                reward.state[state] + (1.0 - policy.stop[state]) * next
            };
            let next: Vec<f64> = (0..mdp.n_states()).map(of_state).collect();
            let settled = |(before, after): (&f64, &f64)| (after - before).abs() <= TAIL * (1.0 + after.abs());
            let is_settled = horizon == Horizon::Any && values.iter().zip(&next).all(settled);
            values = next;
            if is_settled {
                break;
            }
            if horizon == Horizon::Any && t >= LONGEST_TAIL {
                return Err(Error::TailTooLong { most: LONGEST_TAIL, tail: TAIL });
            }
        }
        Ok(values)
    }

    fn check(&self, mdp: &Mdp) -> Result<(), Error> {
        self.rewards.iter().try_for_each(|reward| reward.check(mdp))?;
        check_start(mdp, &self.start)?;
        let sum: f64 = self.start.iter().map(|row| row.1).sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(Error::StartSum(sum));
        }
        if (0.0..=1.0).contains(&self.discount) { Ok(()) } else { Err(Error::Discount(self.discount)) }
    }

    /// The start of an exact evaluation.
    pub(crate) fn walk<'w>(&'w self, mdp: &'w Mdp) -> Result<PolicyWalk<'w>, Error> {
        self.check(mdp)?;
        let mut state = vec![0.0; mdp.n_states()];
        let sum: f64 = self.start.iter().map(|row| row.1).sum();
        self.start.iter().for_each(|&(first, p)| state[first] = p / sum);
        let executed = Executed { values: vec![0.0; self.rewards.len()], mean_length: 0.0 };
        Ok(PolicyWalk { mdp, execution: self, power: 1.0, next: vec![0.0; state.len()], state, executed })
    }
}

/// The distribution of a policy's episodes over states, and their expected reward so far.
pub(crate) struct PolicyWalk<'w> {
    mdp: &'w Mdp,
    execution: &'w Execution<'w>,
    /// γ^{t-1}.
    power: f64,
    /// The probability of being in each state at t.
    state: Vec<f64>,
    next: Vec<f64>,
    pub executed: Executed,
}

impl PolicyWalk<'_> {
    /// The probability that an episode has a state at t.
    fn mass(&self) -> f64 {
        self.state.iter().sum()
    }

    /// From t to t + 1.
    pub fn step(&mut self, choice: &[f64], stop: &[f64], last: bool) {
        let PolicyWalk { mdp, execution, power, state, next, executed } = self;
        executed.mean_length += state.iter().sum::<f64>();
        for (value, reward) in executed.values.iter_mut().zip(&execution.rewards) {
            *value += *power * state.iter().zip(&reward.state).map(|(p, pays)| p * pays).sum::<f64>();
        }
        next.fill(0.0);
        let moving = |&state_of: &usize| !last && !mdp.is_terminal(state_of) && state[state_of] > 0.0;
        for from in (0..mdp.n_states()).filter(moving) {
            let going = state[from] * (1.0 - stop[from]);
            for taken in mdp.choices(from).filter(|&taken| choice[taken] > 0.0) {
                for transition in mdp.outcomes(taken) {
                    let p = going * choice[taken] * mdp.probability()[transition];
                    next[mdp.to()[transition] as usize] += p;
                    for (value, reward) in executed.values.iter_mut().zip(&execution.rewards) {
                        *value += *power * p * reward.of_transition(transition);
                    }
                }
            }
        }
        std::mem::swap(state, next);
        *power *= execution.discount;
    }
}
