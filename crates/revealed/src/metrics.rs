//! How good a learned reward is: by what its optimal policy is worth, and by what it makes of demonstrations.

use crate::{CausalLikelihood, Demonstrations, Error, Evaluation, Likelihood, Mdp, Plan, Planning, Reward};

/// What is lost by following the policy that is optimal for a learned reward instead of the one that is optimal for the true
/// reward. Both are valued by the true reward.
///
/// The [`Planning`] says what terminal states are worth and when rewards are paid. The differences depend on it: on
/// FrozenLake 4x4 (slippery, γ = 0.99) the largest inverse learning error possible, that of a policy that never reaches the
/// goal, is
///
/// | terminal states | rewards are paid | largest ILE | |
/// |---|---|---|---|
/// | [`Ends`](crate::AtTerminal::Ends) | [`InState`](crate::Paid::InState) | 6.276 | the default |
/// | [`Ends`](crate::AtTerminal::Ends) | [`OnArrival`](crate::Paid::OnArrival) | 6.340 | Gymnasium's scale |
/// | [`KeepsPaying`](crate::AtTerminal::KeepsPaying) | [`InState`](crate::Paid::InState) | 627.6 | |
/// | [`KeepsPaying`](crate::AtTerminal::KeepsPaying) | [`OnArrival`](crate::Paid::OnArrival) | 634.0 | the paper's figures |
#[derive(Debug, Clone, PartialEq)]
pub struct Recovery {
    /// ILE = ‖v(π*_GT) - v(π*_L)‖₁ (the paper, "Characterizing reward recovery performance").
    pub inverse_learning_error: f64,
    /// Σ_s p0(s) (v(π*_GT)(s) - v(π*_L)(s)).
    pub expected_value_difference: f64,
    /// The inverse learning error is off by at most this; `None` with discount 1, where nothing bounds the error.
    pub error_bound: Option<f64>,
    /// In how many states the two policies take different actions.
    pub n_different: usize,
    /// V(s) of the optimal policy of the true reward.
    pub optimal: Vec<f64>,
    /// v(s) of the optimal policy of the learned reward, by the true reward.
    pub learned: Vec<f64>,
}

impl Recovery {
    /// Plans for both rewards and compares. Where several actions are best, [`Plan::policy`] says which is taken. If the two
    /// policies are the same, every difference is exactly 0.
    ///
    /// # Errors
    /// As [`Planning::solve`].
    pub fn new(mdp: &Mdp, truth: &Reward, learned: &Reward, planning: &Planning) -> Result<Recovery, Error> {
        let optimal = planning.solve(mdp, truth)?;
        Recovery::against(mdp, truth, &optimal, learned, planning)
    }

    /// The same with a plan for the true reward that is at hand, for many learned rewards.
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
            // v(π*_GT) is within both bounds of the values: they are V* but for the error, and the policy but for its loss.
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

/// ILE = ‖v(π*_GT) - v(π*_L)‖₁; [`Recovery`] has more.
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

/// Σ_s p0(s) (v(π*_GT)(s) - v(π*_L)(s)): what is lost from the start; [`Recovery`] has more.
///
/// # Errors
/// As [`Planning::solve`].
pub fn expected_value_difference(mdp: &Mdp, truth: &Reward, learned: &Reward, planning: &Planning) -> Result<f64, Error> {
    Ok(Recovery::new(mdp, truth, learned, planning)?.expected_value_difference)
}

/// `E_D[φ] - E_Θ[φ]`: how far the features of demonstrations are from what a model expects.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureGap {
    /// The difference of each feature.
    pub difference: Vec<f64>,
    /// The largest absolute difference.
    pub largest: f64,
    /// The Euclidean length of the difference.
    pub euclidean: f64,
}

impl FeatureGap {
    fn new(difference: Vec<f64>) -> FeatureGap {
        let largest = difference.iter().fold(0.0, |most: f64, part| most.max(part.abs()));
        // Squares of numbers in units of the largest neither overflow nor vanish.
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let squares: f64 = difference.iter().map(|part| (part / unit) * (part / unit)).sum();
        FeatureGap { largest, euclidean: unit * squares.sqrt(), difference }
    }
}

/// What a model makes of demonstrations that it need not have learned from.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    /// The mean of log p(τ) (eq:log-likelihood).
    pub mean_log_likelihood: f64,
    /// Σ weight · log p(τ): the logarithm of the probability of all of them.
    pub total_log_likelihood: f64,
    /// How far their features are from the model's.
    pub feature_gap: FeatureGap,
}

impl HeldOut {
    /// Evaluates the likelihood of these demonstrations once.
    ///
    /// # Errors
    /// As [`Likelihood::evaluate`].
    pub fn new(likelihood: &mut Likelihood<'_>, demos: &Demonstrations, theta: &[f64]) -> Result<HeldOut, Error> {
        let evaluation = likelihood.evaluate(theta)?;
        Ok(HeldOut::from(evaluation.log_likelihood, &evaluation.gradient, demos))
    }

    /// The same under maximum causal entropy.
    ///
    /// # Errors
    /// As [`CausalLikelihood::evaluate`].
    pub fn causal(likelihood: &mut CausalLikelihood<'_>, demos: &Demonstrations, theta: &[f64]) -> Result<HeldOut, Error> {
        let evaluation = likelihood.evaluate(theta)?;
        Ok(HeldOut::from(evaluation.log_likelihood, &evaluation.gradient, demos))
    }

    fn from(log_likelihood: f64, gradient: &[f64], demos: &Demonstrations) -> HeldOut {
        HeldOut {
            mean_log_likelihood: log_likelihood,
            total_log_likelihood: log_likelihood * demos.total_weight(),
            feature_gap: FeatureGap::new(gradient.to_vec()),
        }
    }
}

/// `E_D[φ] - E_Θ[φ]` of an evaluation, which is the gradient of the log-likelihood, and its norms.
///
/// ```
/// use revealed::{Demonstrations, Features, Likelihood, MdpBuilder, Options, Trajectory, feature_gap};
///
/// let mut builder = MdpBuilder::new(2, 1);
/// builder.start(0, 1.0).transition(0, 0, 1, 1.0).terminal(1);
/// let mdp = builder.build()?;
/// let features = Features::one_hot(&mdp);
/// let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 1], vec![0])])?;
/// let mut likelihood = Likelihood::new(&mdp, &features, &demos, &Options::default())?;
/// // The demonstration visits both states; the model expects half a visit to the second.
/// let gap = feature_gap(&likelihood.evaluate(&[0.0, 0.0])?);
/// assert_eq!((gap.largest, gap.euclidean), (0.5, 0.5));
/// # Ok::<(), revealed::Error>(())
/// ```
pub fn feature_gap(evaluation: &Evaluation) -> FeatureGap {
    FeatureGap::new(evaluation.gradient.clone())
}
