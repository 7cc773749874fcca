//! The loss from acting by a stationary policy: a question that the paper leaves open (sec:discussion).

use std::ops::ControlFlow;

use crate::Error;
use crate::engine::Horizon;
use crate::engine::TAIL;
use crate::engine::fixed_point::LONGEST_TAIL;
use crate::model::PathDistribution;
use crate::planning::Planning;
use crate::policies::path_policy::Moment;
use crate::policies::stationary::StationarySums;
use crate::policies::{Executed, Execution, StationaryPolicy};
use crate::world::Mdp;

/// One reward and four ways to act on it. The values are those of the [`Execution`]'s rewards, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyGap {
    /// The path distribution itself. It is optimistic: e^R tilts the outcomes and, if first states compete, the start
    /// as well.
    pub paths: Executed,
    /// Its exact non-stationary policy, executed: outcomes follow the MDP.
    pub policy: Executed,
    /// Its stationary projection, executed.
    pub projected: Executed,
    /// The optimal stationary policy for the model's reward, executed. It never stops by itself. An error says why no
    /// optimal policy exists.
    pub optimal: Result<Executed, Error>,
    /// The stationary projection.
    pub projection: StationaryPolicy,
    /// The optimal policy.
    pub optimal_policy: Option<StationaryPolicy>,
    /// E[Σ_t log π_t(a_t|s_t) / π̄(a_t|s_t)] over the path distribution, stopping included, in nats per path: the
    /// Kullback-Leibler divergence from the stationary projection. 0 means that a stationary policy loses nothing.
    pub divergence: f64,
    /// The contribution of each state to the divergence: large where the policy depends on the time.
    pub divergence_of_state: Vec<f64>,
}

impl PolicyGap {
    /// Evaluates all four, exactly: executed from the same first states, with the same discount, for at most L states.
    /// `planning` finds the optimal policy, with the discount of the execution.
    ///
    /// ```
    /// use revealed::{Execution, PathDistribution, Planning, PolicyGap, Stop, worlds};
    ///
    /// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
    /// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
    /// let mut paths = PathDistribution::new(&lake.mdp, reward.clone(), 20, Stop::Terminal)?;
    /// let execution = Execution { start: lake.mdp.start().to_vec(), discount: 0.99, rewards: vec![&reward] };
    /// let gap = PolicyGap::new(&mut paths, &execution, &Planning::default())?;
    /// // Ice is slippery. The model expects better outcomes than its policy gets.
    /// assert!(gap.paths.values[0] > gap.policy.values[0]);
    /// assert!(gap.divergence > 0.0);
    /// # Ok::<(), revealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the execution or the planning does not fit. It is not an error if no optimal policy exists.
    pub fn new(paths: &mut PathDistribution<'_>, execution: &Execution<'_>, planning: &Planning) -> Result<Self, Error> {
        let (mdp, horizon) = (paths.mdp(), paths.horizon());
        let mut walk = execution.walk(mdp)?;
        let mut mass = 1.0;
        let mut sums = StationarySums::new(mdp);
        let mut tilted = Executed { values: vec![0.0; execution.rewards.len()], mean_length: 0.0 };
        let mut power = 1.0;
        paths.watch_policy(&mut |moment| {
            let last = horizon == Horizon::AtMost(moment.t);
            walk.step(&moment.policy.choice, &moment.policy.stop, last);
            if !last {
                sums.add(moment);
            }
            pay(&mut tilted, mdp, moment, power, execution);
            power *= execution.discount;
            mass = moment.probability.iter().sum::<f64>();
            let ended = horizon == Horizon::Any && (mass < TAIL || moment.t >= LONGEST_TAIL);
            if ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if mass >= TAIL && horizon == Horizon::Any {
            return Err(Error::TailTooLong { most: LONGEST_TAIL, tail: TAIL });
        }
        let (policy, projection, divergence_of_state) = match horizon {
            Horizon::AtMost(_) => {
                let (projection, divergence) = sums.projection()?;
                (walk.executed, projection, divergence)
            }
            // The policy does not depend on the time: it is its own projection.
            Horizon::Any => {
                let projection = paths.stationary_projection()?;
                (execution.of_policy(mdp, horizon, &projection)?, projection, vec![0.0; mdp.n_states()])
            }
        };
        let projected = execution.of_policy(mdp, horizon, &projection)?;
        let planning = Planning { discount: Some(execution.discount), ..planning.clone() };
        let (optimal, optimal_policy) = match planning.solve(mdp, paths.reward()) {
            Ok(plan) => {
                let best = StationaryPolicy::never_stops(mdp, plan.policy);
                match execution.of_policy(mdp, horizon, &best) {
                    Err(error @ Error::TailTooLong { .. }) => (Err(error), Some(best)),
                    executed => (Ok(executed?), Some(best)),
                }
            }
            Err(error @ (Error::NeverEnds(_) | Error::Unsettled { .. } | Error::PaysForEver { .. })) => (Err(error), None),
            Err(error) => return Err(error),
        };
        // Rounding may make the sum slightly negative.
        let divergence = divergence_of_state.iter().sum::<f64>().max(0.0);
        Ok(PolicyGap { paths: tilted, policy, projected, optimal, projection, optimal_policy, divergence, divergence_of_state })
    }
}

/// Adds the expected reward of the model's paths at one time.
fn pay(tilted: &mut Executed, mdp: &Mdp, moment: &Moment<'_>, power: f64, execution: &Execution<'_>) {
    tilted.mean_length += moment.probability.iter().sum::<f64>();
    for (value, reward) in tilted.values.iter_mut().zip(&execution.rewards) {
        *value += power * moment.probability.iter().zip(&reward.state).map(|(p, pays)| p * pays).sum::<f64>();
        if !reward.transition.is_empty() {
            let pays = |transition: usize| moment.probability_of(transition) * reward.of_transition(transition);
            *value += power * (0..mdp.n_transitions()).map(pays).sum::<f64>();
        }
    }
}
