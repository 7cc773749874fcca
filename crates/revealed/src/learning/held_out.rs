//! How well a model explains demonstrations, whether it has learned from them or not.

use crate::Error;
use crate::model::{CausalLikelihood, Evaluation, Likelihood};
use crate::world::Demonstrations;

/// `E_D[φ] - E_Θ[φ]`: the observed minus the expected features.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureGap {
    /// The difference of each feature.
    pub difference: Vec<f64>,
    /// The largest absolute difference.
    pub largest: f64,
    /// The Euclidean norm of the difference.
    pub euclidean: f64,
}

impl FeatureGap {
    fn new(difference: Vec<f64>) -> FeatureGap {
        let largest = difference.iter().fold(0.0, |most: f64, part| most.max(part.abs()));
        // Dividing by the largest number first keeps the squares from overflow and underflow.
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let squares: f64 = difference.iter().map(|part| (part / unit) * (part / unit)).sum();
        FeatureGap { largest, euclidean: unit * squares.sqrt(), difference }
    }
}

/// The scores of a model on demonstrations, whether it has learned from them or not.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    /// The mean of log p(τ) (eq:log-likelihood).
    pub mean_log_likelihood: f64,
    /// Σ weight · log p(τ): the log-likelihood of all of them together.
    pub total_log_likelihood: f64,
    /// The difference between their features and the model's.
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

    /// As [`new`](Self::new), in the causal model.
    ///
    /// # Errors
    /// As [`CausalLikelihood::evaluate`].
    pub fn causal(likelihood: &mut CausalLikelihood<'_>, demos: &Demonstrations, theta: &[f64]) -> Result<HeldOut, Error> {
        let (evaluation, difference) = (likelihood.evaluate(theta)?, likelihood.feature_difference(theta)?);
        Ok(HeldOut::from(evaluation.log_likelihood, &difference, demos))
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
