//! The objective that the search maximises, for each method.

use crate::Error;
use crate::baselines::ziebart::Ziebart;
use crate::learning::evidence::PartialEvidence;
use crate::learning::parts::Point;
use crate::learning::{Evidence, MaxEnt, Method};
use crate::model::likelihood::observed;
use crate::model::{CausalLikelihood, CausalObjective, Ends, Likelihood, Options};
use crate::numeric::rows::worth_sharing;
use crate::numeric::threads::Threads;
use crate::numeric::vector::{all_representable, minus};
use crate::partial::{CausalPartialLikelihood, PartialLikelihood, Summary};
use crate::watch::Watch;
use crate::world::{Features, Mdp};

/// The objective of one method on one problem.
#[derive(Debug)]
pub(crate) enum Objective<'a> {
    Exact(Box<Likelihood<'a>>),
    Ziebart(Box<ZiebartMismatch<'a>>),
    Causal(Box<CausalLikelihood<'a>>),
    Partial(Box<PartialLikelihood<'a>>),
    CausalPartial(Box<CausalPartialLikelihood<'a>>),
}

/// Ziebart's expectations together with the exact likelihood.
#[derive(Debug)]
pub(crate) struct ZiebartMismatch<'a> {
    algorithm: Ziebart,
    mdp: &'a Mdp,
    features: &'a Features,
    observed: Vec<f64>,
    likelihood: Likelihood<'a>,
    threads: Threads,
}

impl<'a> Objective<'a> {
    /// `longest` is the length of the longest demonstration of all worlds.
    pub fn new(settings: &MaxEnt, evidence: &Evidence<'a>, longest: usize, watch: &Watch<'_>) -> Result<Self, Error> {
        let &Evidence { mdp, features, demos } = evidence;
        let options = &settings.options;
        settings.method.check(mdp, features, options.ends)?;
        let horizon = settings.method.horizon(options.horizon, longest)?;
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

    /// The same for demonstrations that were seen in part.
    pub fn partial(settings: &MaxEnt, evidence: &PartialEvidence<'a>, watch: &Watch<'_>) -> Result<Self, Error> {
        let &PartialEvidence { mdp, features, demos } = evidence;
        settings.method.check(mdp, features, settings.options.ends)?;
        let rule = match settings.method {
            Method::Exact | Method::RecursiveLogit | Method::Causal => None,
            Method::CausalDual => Some(
                "its objective is the features of the demonstrations, which are not known where nobody saw them; learn with \
                 inference causal, the likelihood of what was seen",
            ),
            Method::Ziebart2008 | Method::Ziebart2010 => {
                Some("it is defined for whole paths; learn with inference exact or causal")
            }
        };
        if let Some(rule) = rule {
            return Err(Error::NeedsWhole { what: settings.method.name(), rule });
        }
        let given = match settings.method {
            Method::RecursiveLogit => Some(settings.method.horizon(settings.options.horizon, demos.longest())?),
            _ => settings.options.horizon,
        };
        let options = &Options { horizon: given, ..settings.options.clone() };
        Ok(match settings.method {
            Method::Causal => Objective::CausalPartial(Box::new(CausalPartialLikelihood::new(mdp, features, demos, options)?)),
            _ => Objective::Partial(Box::new(PartialLikelihood::watched(mdp, features, demos, options, watch)?)),
        })
    }

    /// What the demonstrations have, or might have where nobody saw them.
    pub fn summary(&self) -> Result<Summary, Error> {
        match self {
            Objective::Partial(likelihood) => likelihood.summary(),
            Objective::CausalPartial(likelihood) => likelihood.summary(),
            _ => Err(Error::NoDemonstrations),
        }
    }

    /// The gradient of the log-likelihood of each demonstration that was seen in part.
    pub fn scores_in_part(&mut self, theta: &[f64]) -> Result<Vec<Vec<f64>>, Error> {
        match self {
            Objective::Partial(likelihood) => likelihood.scores(theta),
            Objective::CausalPartial(likelihood) => likelihood.scores(theta),
            _ => Err(Error::NoDemonstrations),
        }
    }

    pub fn evaluate(&mut self, theta: &[f64]) -> Result<Point, Error> {
        match self {
            Objective::Partial(likelihood) => {
                let at = likelihood.evaluate(theta)?;
                let (log_likelihood, log_partition) = (at.log_likelihood, at.log_partition);
                Ok(Point { objective: log_likelihood, log_likelihood, log_partition, gradient: at.gradient })
            }
            Objective::CausalPartial(likelihood) => {
                let at = likelihood.evaluate(theta)?;
                let (objective, log_likelihood) = (at.objective, at.log_likelihood);
                Ok(Point { objective, log_likelihood, log_partition: None, gradient: at.gradient })
            }
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

    /// The objective of a sample of the demonstrations where that takes less time, otherwise of all.
    pub fn evaluate_sample(&mut self, theta: &[f64]) -> Result<Point, Error> {
        let Objective::Exact(likelihood) = self else { return self.evaluate(theta) };
        let at = likelihood.evaluate_sample(theta)?;
        let (log_likelihood, log_partition) = (at.log_likelihood, at.log_partition);
        Ok(Point { objective: log_likelihood, log_likelihood, log_partition, gradient: at.gradient })
    }

    /// The mean features of the demonstrations.
    pub fn observed(&self) -> &[f64] {
        match self {
            Objective::Exact(likelihood) => likelihood.observed(),
            Objective::Ziebart(mismatch) => &mismatch.observed,
            Objective::Causal(causal) => causal.observed(),
            Objective::Partial(_) | Objective::CausalPartial(_) => &[],
        }
    }

    /// Whether sums over paths are finite at θ.
    pub fn has_sums(&mut self, theta: &[f64]) -> bool {
        match self {
            Objective::Exact(likelihood) => likelihood.has_sums(theta),
            Objective::Causal(causal) => causal.evaluate(theta).is_ok(),
            Objective::Ziebart(_) => true,
            Objective::Partial(_) | Objective::CausalPartial(_) => self.evaluate(theta).is_ok(),
        }
    }

    /// Whether [`scores`](Self::scores) are the features of the demonstrations alone.
    pub fn scores_lack_expectation(&self) -> bool {
        match self {
            Objective::Exact(likelihood) => likelihood.ends() != Ends::Goal,
            Objective::Ziebart(_) => true,
            Objective::Causal(_) | Objective::Partial(_) | Objective::CausalPartial(_) => false,
        }
    }

    /// The gradient of log p(τ) of each demonstration, up to a vector that is the same for all.
    pub fn scores(&mut self, evidence: &Evidence<'_>, theta: &[f64]) -> Result<Vec<Vec<f64>>, Error> {
        let Evidence { mdp, features, demos } = evidence;
        let of_path = |index: usize| features.of_path(mdp, demos, index);
        match self {
            Objective::Partial(_) | Objective::CausalPartial(_) => self.scores_in_part(theta),
            Objective::Causal(causal) => causal.scores(theta),
            Objective::Exact(likelihood) if likelihood.ends() == Ends::Goal => {
                let expected = likelihood.expected_by_ends(theta)?;
                let of = |index: usize| {
                    let states = demos.states(index);
                    let ends = [states[0], states[states.len() - 1]].map(|state| state as usize);
                    // A demonstration of weight 0 need not have its pair.
                    expected.get(&ends).map_or_else(|| vec![0.0; theta.len()], |expected| minus(&of_path(index), expected))
                };
                Ok((0..demos.len()).map(of).collect())
            }
            Objective::Exact(_) | Objective::Ziebart(_) => Ok((0..demos.len()).map(of_path).collect()),
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
