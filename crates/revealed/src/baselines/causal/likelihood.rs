//! The objective of learning in the causal model: the concave dual of feature matching.

use super::CausalEntropy;
use crate::Error;
use crate::engine::Horizon;
use crate::model::Ends;
use crate::model::Options;
use crate::model::likelihood::{check_endings, observed};
use crate::numeric::vector::{all_representable, minus};
use crate::world::{Demonstrations, Features, Mdp, Reward};

/// Demonstrations under the causal model, as a function of θ.
///
/// ```
/// use revealed::{CausalLikelihood, Demonstrations, Features, MdpBuilder, Options, Trajectory};
///
/// let mut builder = MdpBuilder::new(3, 2);
/// builder.start(0, 1.0).terminal(1).terminal(2).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
/// let mdp = builder.build()?;
/// let features = Features::one_hot(&mdp);
/// let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 1], vec![0])])?;
/// let mut causal = CausalLikelihood::new(&mdp, &features, &demos, &Options::default())?;
/// let evaluation = causal.evaluate(&[0.0, 3f64.ln(), 0.0])?;
/// assert!((evaluation.log_likelihood - 0.75f64.ln()).abs() < 1e-15);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct CausalLikelihood<'a> {
    features: &'a Features,
    demos: &'a Demonstrations,
    observed: Vec<f64>,
    causal: CausalEntropy<'a>,
}

/// The causal model at one θ.
#[derive(Debug, Clone, PartialEq)]
pub struct CausalEvaluation {
    /// J(θ) = `E_D[θ·φ(τ)] - E_{p0}[V_1]`: the objective that learning maximises. Concave.
    pub dual: f64,
    /// ∇J = `E_D[φ] - E_π[φ]`, discounted.
    pub gradient: Vec<f64>,
    /// The mean over the demonstrations of log p(τ), where p(τ) = p0 Π π_t T is the model's distribution over episodes.
    /// If the MDP is deterministic, it differs from J by a constant. Otherwise the difference also depends on how far
    /// the demonstrated outcomes are from their means.
    pub log_likelihood: f64,
}

impl<'a> CausalLikelihood<'a> {
    /// Checks that the demonstrations are episodes of the model, and prepares the evaluation. The `ends` of the options
    /// is not used: the model always has [`Ends::Horizon`].
    ///
    /// # Errors
    /// If a demonstration is longer than the horizon, or shorter and ends in a state that is not terminal.
    pub fn new(
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &'a Demonstrations,
        options: &Options,
    ) -> Result<CausalLikelihood<'a>, Error> {
        let Horizon::AtMost(horizon) = options.horizon.unwrap_or(Horizon::AtMost(demos.longest())) else {
            return Err(Error::MethodHorizon {
                method: "causal",
                rule: "its recursion needs a number of states: give a horizon",
            });
        };
        check_endings(mdp, demos, Ends::Horizon, horizon.into())?;
        let observed = observed(mdp, features, demos);
        all_representable("a mean feature of the demonstrations", &observed)?;
        let nothing = Reward::of_states(vec![0.0; mdp.n_states()]);
        let causal = CausalEntropy::new(mdp, nothing, horizon, &options.work)?;
        Ok(CausalLikelihood { features, demos, observed, causal })
    }

    /// L.
    pub fn horizon(&self) -> usize {
        self.causal.horizon
    }

    /// E_D[φ(τ)].
    pub fn observed(&self) -> &[f64] {
        &self.observed
    }

    /// J(θ), its gradient, and the log-likelihood. Costs as much as [`CausalEntropy::new`].
    ///
    /// # Errors
    /// If θ has the wrong length or is not finite, or if a result is not finite.
    pub fn evaluate(&mut self, theta: &[f64]) -> Result<CausalEvaluation, Error> {
        let mdp = self.causal.backup.mdp;
        self.causal.solve(self.features.reward(mdp, theta)?)?;
        let expected = self.features.expectation(mdp, self.causal.occupancy());
        let gradient = minus(&self.observed, &expected);
        let fit: f64 = self.observed.iter().zip(theta).map(|(phi, theta)| phi * theta).sum();
        let (dual, log_likelihood) = (fit - self.causal.expected_value(), self.log_likelihood());
        all_representable("the dual or the log-likelihood", &[dual, log_likelihood])?;
        all_representable("a component of the gradient", &gradient)?;
        Ok(CausalEvaluation { dual, gradient, log_likelihood })
    }

    fn log_likelihood(&mut self) -> f64 {
        let CausalEntropy { backup, values, .. } = &mut self.causal;
        let (mdp, demos, total) = (backup.mdp, self.demos, self.demos.total_weight());
        let start = |index: usize| mdp.start_probability(demos.states(index)[0] as usize).ln();
        let mut mean: f64 = (0..demos.len()).map(|index| demos.weight(index) / total * start(index)).sum();
        // Time is the outer loop, because V_t may have to be recomputed.
        for t in 1..demos.longest() {
            let next = values.at(backup, t + 1);
            for index in 0..demos.len() {
                if let Some(&transition) = demos.transitions(index).get(t - 1) {
                    let transition = transition as usize;
                    let policy = backup.log_policy(mdp.choice_of()[transition] as usize, next);
                    mean += demos.weight(index) / total * (policy + mdp.probability()[transition].ln());
                }
            }
        }
        mean
    }
}
