//! The objective that the search maximises, for each method.

use crate::Error;
use crate::baselines::ziebart::Ziebart;
use crate::engine::Horizon;
use crate::learning::{MaxEnt, Method};
use crate::model::likelihood::observed;
use crate::model::{CausalLikelihood, CausalObjective, Ends, Likelihood, Options};
use crate::numeric::rows::worth_sharing;
use crate::numeric::threads::Threads;
use crate::numeric::vector::{all_representable, minus};
use crate::watch::Watch;
use crate::world::{Demonstrations, Features, Mdp};

/// The objective of one method on one problem.
pub(crate) enum Objective<'a> {
    Exact(Box<Likelihood<'a>>),
    Ziebart(Box<ZiebartMismatch<'a>>),
    Causal(Box<CausalLikelihood<'a>>),
}

/// Ziebart's expectations together with the exact likelihood.
pub(crate) struct ZiebartMismatch<'a> {
    algorithm: Ziebart,
    mdp: &'a Mdp,
    features: &'a Features,
    observed: Vec<f64>,
    likelihood: Likelihood<'a>,
    threads: Threads,
}

/// The objective at one θ.
pub(crate) struct Point {
    /// The value that is maximised, without the penalty.
    pub objective: f64,
    pub log_likelihood: f64,
    pub log_partition: Option<f64>,
    /// The observed features minus those that the method expects.
    pub gradient: Vec<f64>,
}

impl<'a> Objective<'a> {
    pub fn new(
        settings: &MaxEnt,
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &'a Demonstrations,
        watch: &Watch<'_>,
    ) -> Result<Self, Error> {
        let options = &settings.options;
        settings.method.check(mdp, features, options.ends)?;
        let horizon = settings.method.horizon(options.horizon, demos.longest())?;
        let options = &Options { horizon: Some(horizon), ..options.clone() };
        let causal = match settings.method {
            Method::Causal => Some(CausalObjective::Likelihood),
            Method::CausalDual => Some(CausalObjective::Dual),
            _ => None,
        };
        if let Some(objective) = causal {
            return Ok(Objective::Causal(Box::new(CausalLikelihood::new(mdp, features, demos, options, objective)?)));
        }
        let likelihood = Likelihood::watched(mdp, features, demos, options, watch)?;
        let Some(algorithm) = settings.method.ziebart() else { return Ok(Objective::Exact(Box::new(likelihood))) };
        let undiscounted = mdp.clone().with_discount(1.0)?;
        let observed = observed(&undiscounted, features, demos);
        all_representable("a mean feature of the demonstrations", &observed)?;
        let threads = Threads::new(options.work.threads)?;
        Ok(Objective::Ziebart(Box::new(ZiebartMismatch {
            algorithm,
            mdp,
            features,
            observed,
            likelihood: likelihood.without_gradient(),
            threads,
        })))
    }

    pub fn evaluate(&mut self, theta: &[f64]) -> Result<Point, Error> {
        match self {
            Objective::Exact(likelihood) => {
                let at = likelihood.evaluate(theta)?;
                let (log_likelihood, log_partition) = (at.log_likelihood, at.log_partition);
                Ok(Point { objective: log_likelihood, log_likelihood, log_partition, gradient: at.gradient })
            }
            Objective::Ziebart(mismatch) => mismatch.evaluate(theta),
            Objective::Causal(causal) => {
                let at = causal.evaluate(theta)?;
                let (objective, log_likelihood) = (at.objective, at.log_likelihood);
                Ok(Point { objective, log_likelihood, log_partition: None, gradient: at.gradient })
            }
        }
    }

    /// The mean features of the demonstrations.
    pub fn observed(&self) -> &[f64] {
        match self {
            Objective::Exact(likelihood) => likelihood.observed(),
            Objective::Ziebart(mismatch) => &mismatch.observed,
            Objective::Causal(causal) => causal.observed(),
        }
    }

    pub fn horizon(&self) -> Horizon {
        match self {
            Objective::Exact(likelihood) => likelihood.horizon(),
            Objective::Ziebart(mismatch) => mismatch.likelihood.horizon(),
            Objective::Causal(causal) => causal.horizon(),
        }
    }

    pub fn ends(&self) -> Ends {
        match self {
            Objective::Exact(likelihood) => likelihood.ends(),
            Objective::Ziebart(mismatch) => mismatch.likelihood.ends(),
            Objective::Causal(causal) => causal.ends(),
        }
    }

    /// The default start: 0, except for paths of any length, whose sums need not be finite there.
    pub fn start(&mut self) -> Result<Vec<f64>, Error> {
        match self {
            Objective::Exact(likelihood) => likelihood.start(),
            Objective::Causal(causal) => causal.start(),
            Objective::Ziebart(_) => Ok(vec![0.0; self.observed().len()]),
        }
    }
}

impl ZiebartMismatch<'_> {
    fn evaluate(&mut self, theta: &[f64]) -> Result<Point, Error> {
        let exact = self.likelihood.evaluate(theta)?;
        let reward = self.features.reward(self.mdp, theta)?;
        let horizon = self.likelihood.horizon().longest();
        let run = || self.algorithm.visits(self.mdp, &reward, horizon);
        let pass = self.threads.run_if(worth_sharing(self.mdp.n_transitions()), run)?;
        let visits = crate::world::Occupancy { state: pass.visits, transition: Vec::new() };
        let expected = self.features.expectation(self.mdp, &visits);
        let gradient = minus(&self.observed, &expected);
        all_representable("a component of the gradient", &gradient)?;
        let (log_likelihood, log_partition) = (exact.log_likelihood, exact.log_partition);
        Ok(Point { objective: log_likelihood, log_likelihood, log_partition, gradient })
    }
}
