//! How good a learned reward is: the loss of its optimal policy under the true reward.

use crate::Error;
use crate::planning::{Plan, Planning};
use crate::world::{Mdp, Reward};

/// The loss from following the policy that is optimal for a learned reward instead of the one that is optimal for the
/// true reward. Both are evaluated with the true reward.
///
/// The [`Planning`] says which value terminal states have and when rewards are paid. The losses depend on it. On
/// FrozenLake 4x4 (slippery, γ = 0.99), the largest possible inverse learning error is that of a policy that never
/// reaches the goal:
///
/// | terminal states | rewards are paid | largest ILE | |
/// |---|---|---|---|
/// | [`Ends`][ends] | [`InState`][in] | 6.276 | the default |
/// | [`Ends`][ends] | [`OnArrival`][on] | 6.340 | Gymnasium's scale |
/// | [`KeepsPaying`][keeps] | [`InState`][in] | 627.6 | |
/// | [`KeepsPaying`][keeps] | [`OnArrival`][on] | 634.0 | the paper's figures |
///
/// [ends]: crate::AtTerminal::Ends
/// [keeps]: crate::AtTerminal::KeepsPaying
/// [in]: crate::Paid::InState
/// [on]: crate::Paid::OnArrival
#[derive(Debug, Clone, PartialEq)]
pub struct Recovery {
    /// ILE = ‖v(π*_GT) - v(π*_L)‖₁ (the paper, "Characterizing reward recovery performance").
    pub inverse_learning_error: f64,
    /// Σ_s p0(s) (v(π*_GT)(s) - v(π*_L)(s)).
    pub expected_value_difference: f64,
    /// A bound on the error of the inverse learning error; `None` with discount 1, because there is no bound.
    pub error_bound: Option<f64>,
    /// The number of states in which the two policies take different actions.
    pub n_different: usize,
    /// V(s) of the optimal policy of the true reward.
    pub optimal: Vec<f64>,
    /// v(s) of the optimal policy of the learned reward, evaluated with the true reward.
    pub learned: Vec<f64>,
}

impl Recovery {
    /// Plans for both rewards and compares. If several actions are tied, [`Plan::policy`] says which is taken. If the
    /// two policies are the same, every difference is exactly 0.
    ///
    /// # Errors
    /// As [`Planning::solve`].
    pub fn new(mdp: &Mdp, truth: &Reward, learned: &Reward, planning: &Planning) -> Result<Recovery, Error> {
        let optimal = planning.solve(mdp, truth)?;
        Recovery::against(mdp, truth, &optimal, learned, planning)
    }

    /// As [`new`](Self::new), with a given plan for the true reward: useful for many learned rewards.
    ///
    /// # Errors
    /// As [`Planning::solve`].
    pub fn against(
        mdp: &Mdp,
        truth: &Reward,
        optimal: &Plan,
        learned: &Reward,
        planning: &Planning,
    ) -> Result<Recovery, Error> {
        optimal.policy.check(mdp)?;
        let policy = planning.solve(mdp, learned)?.policy;
        let differs = |state: &usize| policy.choice(mdp, *state) != optimal.policy.choice(mdp, *state);
        let n_different = (0..mdp.n_states()).filter(differs).count();
        let (values, bound) = if n_different == 0 {
            (optimal.values.clone(), Some(0.0))
        } else {
            let values = planning.evaluate(mdp, truth, &policy)?;
            // V* is within the error bound of the values, and v(π*_GT) is within the policy loss of V*.
            let of_optimal = optimal.error_bound.zip(optimal.policy_loss).map(|(error, loss)| error + loss);
            (values.values, values.error_bound.zip(of_optimal).map(|(first, second)| first + second))
        };
        let apart = |state: usize| optimal.values[state] - values[state];
        Ok(Recovery {
            inverse_learning_error: (0..mdp.n_states()).map(|state| apart(state).abs()).sum(),
            expected_value_difference: mdp.start().iter().map(|&(state, p)| p * apart(state)).sum(),
            error_bound: bound.map(|bound| bound * mdp.n_states() as f64),
            n_different,
            optimal: optimal.values.clone(),
            learned: values,
        })
    }
}

/// ILE = ‖v(π*_GT) - v(π*_L)‖₁. See [`Recovery`] for the details.
///
/// ```
/// use revealed::worlds::{FROZEN_LAKE_4X4, frozen_lake};
/// use revealed::{Planning, inverse_learning_error};
/// let lake = frozen_lake(&FROZEN_LAKE_4X4, true)?.with_discount(0.99)?;
/// let truth = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let mut doubled = truth.clone();
/// doubled.state.iter_mut().for_each(|reward| *reward *= 2.0);
/// // Twice the reward, the same policy.
/// assert_eq!(inverse_learning_error(&lake.mdp, &truth, &doubled, &Planning::default())?, 0.0);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// As [`Planning::solve`].
pub fn inverse_learning_error(mdp: &Mdp, truth: &Reward, learned: &Reward, planning: &Planning) -> Result<f64, Error> {
    Ok(Recovery::new(mdp, truth, learned, planning)?.inverse_learning_error)
}

/// Σ_s p0(s) (v(π*_GT)(s) - v(π*_L)(s)): the expected loss from the start. See [`Recovery`] for the details.
///
/// # Errors
/// As [`Planning::solve`].
pub fn expected_value_difference(mdp: &Mdp, truth: &Reward, learned: &Reward, planning: &Planning) -> Result<f64, Error> {
    Ok(Recovery::new(mdp, truth, learned, planning)?.expected_value_difference)
}
