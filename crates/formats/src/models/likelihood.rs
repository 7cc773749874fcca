//! The likelihood of a model of either kind.

use revealed::{
    CausalLikelihood, CausalObjective, CausalPartialLikelihood, Demonstrations, Ends, Error, Features, HeldOut, Horizon,
    Likelihood, Mdp, Method, Options, PartialDemonstrations, PartialLikelihood,
};

/// Demonstrations under the model of an inference method, as a function of θ.
#[derive(Debug)]
pub enum ModelLikelihood<'a> {
    /// Under the path model.
    Path(Box<Likelihood<'a>>),
    /// Under the causal model.
    Causal(Box<CausalLikelihood<'a>>),
    /// Under the path model, of demonstrations that were seen in part.
    Partial(Box<PartialLikelihood<'a>>),
    /// Under the causal model, of demonstrations that were seen in part.
    CausalPartial(Box<CausalPartialLikelihood<'a>>),
}

/// A model at one θ.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelEvaluation {
    /// The mean log-likelihood of a demonstration.
    pub log_likelihood: f64,
    /// What learning maximises: the log-likelihood, or for [`Method::CausalDual`] the dual of feature matching.
    pub objective: f64,
    /// The gradient of `objective`.
    pub gradient: Vec<f64>,
    /// log Z; `None` with [`Ends::Goal`] and for causal models.
    pub log_partition: Option<f64>,
}

impl<'a> ModelLikelihood<'a> {
    /// Prepares everything that does not depend on θ. Ziebart's methods have the likelihood of the path model. An absent
    /// horizon is the usual one of the method.
    ///
    /// # Errors
    /// As [`Likelihood::new`] and [`CausalLikelihood::new`].
    pub fn new(
        method: Method,
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &'a Demonstrations,
        options: &Options,
    ) -> Result<ModelLikelihood<'a>, Error> {
        let horizon = options.horizon.map_or_else(|| method.horizon(None, demos.longest()), Ok)?;
        let options = &Options { horizon: Some(horizon), ..options.clone() };
        let causal = |objective| {
            let likelihood = CausalLikelihood::new(mdp, features, demos, options, objective)?;
            Ok(ModelLikelihood::Causal(Box::new(likelihood)))
        };
        match method {
            Method::Causal => causal(CausalObjective::Likelihood),
            Method::CausalDual => causal(CausalObjective::Dual),
            Method::Exact | Method::Ziebart2008 | Method::Ziebart2010 | Method::RecursiveLogit => {
                Ok(ModelLikelihood::Path(Box::new(Likelihood::new(mdp, features, demos, options)?)))
            }
        }
    }

    /// The same for demonstrations that were seen in part.
    ///
    /// # Errors
    /// As [`PartialLikelihood::new`] and [`CausalPartialLikelihood::new`]; [`Error::NeedsWhole`] for
    /// [`Method::CausalDual`].
    pub fn partial(
        method: Method,
        mdp: &'a Mdp,
        features: &'a Features,
        demos: &'a PartialDemonstrations,
        options: &Options,
    ) -> Result<ModelLikelihood<'a>, Error> {
        let horizon = match method {
            Method::RecursiveLogit => Some(method.horizon(options.horizon, demos.longest())?),
            _ => options.horizon,
        };
        let options = &Options { horizon, ..options.clone() };
        match method {
            Method::Causal => {
                let likelihood = CausalPartialLikelihood::new(mdp, features, demos, options)?;
                Ok(ModelLikelihood::CausalPartial(Box::new(likelihood)))
            }
            Method::CausalDual => {
                let rule = "its gradient is that of the features of the demonstrations; give --inference causal";
                Err(Error::NeedsWhole { what: "causal-dual", rule })
            }
            Method::Exact | Method::Ziebart2008 | Method::Ziebart2010 | Method::RecursiveLogit => {
                Ok(ModelLikelihood::Partial(Box::new(PartialLikelihood::new(mdp, features, demos, options)?)))
            }
        }
    }

    /// E_D[φ], if the demonstrations were seen whole.
    pub fn observed(&self) -> Option<&[f64]> {
        match self {
            ModelLikelihood::Path(likelihood) => Some(likelihood.observed()),
            ModelLikelihood::Causal(likelihood) => Some(likelihood.observed()),
            ModelLikelihood::Partial(_) | ModelLikelihood::CausalPartial(_) => None,
        }
    }

    /// How many states a path may have.
    pub fn horizon(&self) -> Horizon {
        match self {
            ModelLikelihood::Path(likelihood) => likelihood.horizon(),
            ModelLikelihood::Causal(likelihood) => likelihood.horizon(),
            ModelLikelihood::Partial(likelihood) => likelihood.horizon(),
            ModelLikelihood::CausalPartial(likelihood) => likelihood.horizon(),
        }
    }

    /// Where paths end.
    pub fn ends(&self) -> Ends {
        match self {
            ModelLikelihood::Path(likelihood) => likelihood.ends(),
            ModelLikelihood::Causal(likelihood) => likelihood.ends(),
            ModelLikelihood::Partial(likelihood) => likelihood.ends(),
            ModelLikelihood::CausalPartial(likelihood) => likelihood.ends(),
        }
    }

    /// The likelihood at θ, and the objective with its gradient.
    ///
    /// # Errors
    /// As [`Likelihood::evaluate`] and [`CausalLikelihood::evaluate`].
    pub fn evaluate(&mut self, theta: &[f64]) -> Result<ModelEvaluation, Error> {
        match self {
            ModelLikelihood::Path(likelihood) => {
                let at = likelihood.evaluate(theta)?;
                let (log_likelihood, log_partition) = (at.log_likelihood, at.log_partition);
                Ok(ModelEvaluation { log_likelihood, objective: log_likelihood, gradient: at.gradient, log_partition })
            }
            ModelLikelihood::Partial(likelihood) => {
                let at = likelihood.evaluate(theta)?;
                let (log_likelihood, log_partition) = (at.log_likelihood, at.log_partition);
                Ok(ModelEvaluation { log_likelihood, objective: log_likelihood, gradient: at.gradient, log_partition })
            }
            ModelLikelihood::CausalPartial(likelihood) => {
                let at = likelihood.evaluate(theta)?;
                let (log_likelihood, objective) = (at.log_likelihood, at.objective);
                Ok(ModelEvaluation { log_likelihood, objective, gradient: at.gradient, log_partition: None })
            }
            ModelLikelihood::Causal(likelihood) => {
                let at = likelihood.evaluate(theta)?;
                let (log_likelihood, objective) = (at.log_likelihood, at.objective);
                Ok(ModelEvaluation { log_likelihood, objective, gradient: at.gradient, log_partition: None })
            }
        }
    }

    /// The scores of these demonstrations at θ.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn held_out(&mut self, demos: &Demonstrations, theta: &[f64]) -> Result<HeldOut, Error> {
        match self {
            ModelLikelihood::Path(likelihood) => HeldOut::new(likelihood, demos, theta),
            ModelLikelihood::Causal(likelihood) => HeldOut::causal(likelihood, demos, theta),
            ModelLikelihood::Partial(_) | ModelLikelihood::CausalPartial(_) => {
                Err(Error::NeedsWhole { what: "a comparison of features", rule: "give demonstrations that were seen whole" })
            }
        }
    }
}
