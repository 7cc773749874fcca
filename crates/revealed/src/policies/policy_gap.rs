//! What is lost by a stationary policy: the question that the paper leaves open (sec:discussion).

use std::ops::ControlFlow;

use crate::Error;
use crate::model::PathDistribution;
use crate::planning::Planning;
use crate::policies::path_policy::Moment;
use crate::policies::stationary::StationarySums;
use crate::policies::{Executed, Execution, StationaryPolicy};
use crate::world::Mdp;

/// One reward, four ways to act on it. Values are by the rewards of the [`Execution`], in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyGap {
    /// The path distribution itself. It is the model's own hope: e^R tilts chance and, where they compete, first states.
    pub paths: Executed,
    /// Its exact non-stationary policy, executed: what of the hope comes true.
    pub policy: Executed,
    /// Its stationary projection, executed.
    pub projected: Executed,
    /// The optimal stationary policy for the model's reward, executed; it never stops by itself. Or why there is none.
    pub optimal: Result<Executed, Error>,
    /// The stationary projection.
    pub projection: StationaryPolicy,
    /// The optimal policy.
    pub optimal_policy: Option<StationaryPolicy>,
    /// E[Σ_t log π_t(a_t|s_t) / π̄(a_t|s_t)] over the path distribution, stopping included, in nats per path: the Kullback-Leibler
    /// divergence of what it does from its stationary projection. 0 means that nothing is lost by a stationary policy.
    pub divergence: f64,
    /// The part of it that each state has: large where what to do depends on the time.
    pub divergence_of_state: Vec<f64>,
}

impl PolicyGap {
    /// Evaluates them all, exactly: executed from the same first states, with the same discount, for at most L states. `planning`
    /// finds the optimal policy; its discount is that of the execution.
    ///
    /// ```
    /// use revealed::{Execution, PathDistribution, Planning, PolicyGap, Stop, worlds};
    ///
    /// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
    /// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
    /// let mut paths = PathDistribution::new(&lake.mdp, reward.clone(), 20, Stop::Terminal)?;
    /// let execution = Execution { start: lake.mdp.start().to_vec(), discount: 0.99, rewards: vec![&reward] };
    /// let gap = PolicyGap::new(&mut paths, &execution, &Planning::default())?;
    /// // Ice is slippery: the model hopes for luck that its policy does not have.
    /// assert!(gap.paths.values[0] > gap.policy.values[0]);
    /// assert!(gap.divergence > 0.0);
    /// # Ok::<(), revealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the execution or the planning does not fit. That no optimal policy exists is no error.
    pub fn new(paths: &mut PathDistribution<'_>, execution: &Execution<'_>, planning: &Planning) -> Result<Self, Error> {
        let (mdp, horizon) = (paths.mdp(), paths.horizon());
        let mut walk = execution.walk(mdp)?;
        let mut sums = StationarySums::new(mdp);
        let mut hope = Executed { values: vec![0.0; execution.rewards.len()], mean_length: 0.0 };
        let mut power = 1.0;
        paths.watch_policy(&mut |moment| {
            let last = moment.t == horizon;
            walk.step(&moment.policy.choice, &moment.policy.stop, last);
            if !last {
                sums.add(moment);
            }
            pay(&mut hope, mdp, moment, power, execution);
            power *= execution.discount;
            ControlFlow::Continue(())
        })?;
        let policy = walk.executed;
        let (projection, divergence_of_state) = sums.projection();
        let projected = execution.of_policy(mdp, horizon, &projection)?;
        let planning = Planning { discount: Some(execution.discount), ..planning.clone() };
        let (optimal, optimal_policy) = match planning.solve(mdp, paths.reward()) {
            Ok(plan) => {
                let best = StationaryPolicy::never_stops(mdp, plan.policy);
                (Ok(execution.of_policy(mdp, horizon, &best)?), Some(best))
            }
            Err(error @ (Error::NeverEnds(_) | Error::Unsettled { .. } | Error::PaysForEver { .. })) => (Err(error), None),
            Err(error) => return Err(error),
        };
        // Rounding may leave a trace below 0.
        let divergence = divergence_of_state.iter().sum::<f64>().max(0.0);
        Ok(PolicyGap { paths: hope, policy, projected, optimal, projection, optimal_policy, divergence, divergence_of_state })
    }
}

/// What the paths of the model are paid at one time.
fn pay(hope: &mut Executed, mdp: &Mdp, moment: &Moment<'_>, power: f64, execution: &Execution<'_>) {
    hope.mean_length += moment.probability.iter().sum::<f64>();
    for (value, reward) in hope.values.iter_mut().zip(&execution.rewards) {
        *value += power * moment.probability.iter().zip(&reward.state).map(|(p, pays)| p * pays).sum::<f64>();
        if !reward.transition.is_empty() {
            let pays = |transition: usize| moment.probability_of(transition) * reward.of_transition(transition);
            *value += power * (0..mdp.n_transitions()).map(pays).sum::<f64>();
        }
    }
}
