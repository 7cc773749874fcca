//! A model that is asked, with a history or without.

use revealed::{
    BestPaths, Chance, DemonstrationFault, Demonstrations, Destinations, Ends, Error, Given, HistoryModel, Horizon, Lengths,
    MarginalKind, Mdp, PathModel, PathQuery, PolicyAt, Prior, Score, Spread, Trajectory, Work,
};

use super::model::Model;
use crate::problems::Problem;

/// The model of the engine that answers: both have the same questions, about the states of the problem.
#[derive(Debug)]
pub enum AskedModel<'a> {
    /// Rewards of states and steps.
    Path(PathModel<'a>),
    /// Rewards that depend on histories, too.
    History(Box<HistoryModel<'a>>),
}

impl Model {
    /// As [`path_model`](Self::path_model), for models with a history, too.
    ///
    /// # Errors
    /// The same, and as [`HistoryModel::new`].
    pub fn asked<'a>(
        &self,
        problem: &'a Problem,
        horizon: Option<Horizon>,
        ends: Option<Ends>,
        work: &Work,
    ) -> Result<AskedModel<'a>, Error> {
        let Some(history) = &self.history else {
            return Ok(AskedModel::Path(self.path_model(problem, horizon, ends)?));
        };
        let paths = (horizon.unwrap_or(self.horizon), ends.unwrap_or(self.ends), self.chance);
        let windows = history.windows(&problem.mdp)?;
        let world = (&problem.mdp, &problem.features);
        Ok(AskedModel::History(Box::new(HistoryModel::new(world, &windows, &self.theta, paths, work)?)))
    }
}

impl<'a> AskedModel<'a> {
    /// The world.
    pub fn mdp(&self) -> &'a Mdp {
        match self {
            AskedModel::Path(model) => model.mdp(),
            AskedModel::History(model) => model.mdp(),
        }
    }

    /// How many states a path may have.
    pub fn horizon(&self) -> Horizon {
        match self {
            AskedModel::Path(model) => model.horizon(),
            AskedModel::History(model) => model.horizon(),
        }
    }

    /// Where paths end.
    pub fn ends(&self) -> Ends {
        match self {
            AskedModel::Path(model) => model.ends(),
            AskedModel::History(model) => model.ends(),
        }
    }

    /// Who decides the outcomes of actions.
    pub fn chance(&self) -> Chance {
        match self {
            AskedModel::Path(model) => model.chance(),
            AskedModel::History(model) => model.chance(),
        }
    }

    /// The model without a history.
    ///
    /// # Errors
    /// [`Error::HistoryCannot`] with what was asked, if it has one.
    pub fn without_history(&self, what: &'static str) -> Result<&PathModel<'a>, Error> {
        match self {
            AskedModel::Path(model) => Ok(model),
            AskedModel::History(_) => Err(Error::HistoryCannot { what }),
        }
    }

    /// As [`revealed::best_paths`].
    ///
    /// # Errors
    /// The same.
    pub fn best_paths(&self, query: &PathQuery) -> Result<BestPaths, Error> {
        match self {
            AskedModel::Path(model) => revealed::best_paths(model, query),
            AskedModel::History(model) => model.best_paths(query),
        }
    }

    /// log Σ f(s_1) q(τ) e^{R(τ)} g(s_l) over all paths of the model.
    ///
    /// # Errors
    /// As [`Spread::endings`].
    pub fn log_total(&self, query: &PathQuery) -> Result<f64, Error> {
        let model = match self {
            AskedModel::Path(model) => model,
            AskedModel::History(model) => return model.log_total(query),
        };
        let endings = Spread::new(model, &query.work)?.endings(&query.from, 1)?;
        let total: revealed::Scaled = match &query.to {
            None => endings.into_iter().sum(),
            Some(to) => to.iter().map(|&(state, weight)| revealed::Scaled::from(weight) * endings[state]).sum(),
        };
        Ok(total.ln())
    }

    /// As [`revealed::lengths`].
    ///
    /// # Errors
    /// The same.
    pub fn lengths(&self, given: &Given, work: &Work) -> Result<Lengths, Error> {
        match self {
            AskedModel::Path(model) => revealed::lengths(model, given, work),
            AskedModel::History(model) => model.lengths(given, work),
        }
    }

    /// As [`revealed::sample`], or with a number of states as [`revealed::sample_first`].
    ///
    /// # Errors
    /// The same.
    pub fn sample(
        &self,
        given: &Given,
        states: Option<usize>,
        (n, seed): (usize, u64),
        work: &Work,
    ) -> Result<Vec<Trajectory>, Error> {
        match (self, states) {
            (AskedModel::Path(model), Some(states)) => revealed::sample_first(model, given, states, n, seed, work),
            (AskedModel::Path(model), None) => revealed::sample(model, given, n, seed, work),
            (AskedModel::History(model), states) => model.sample(given, states, (n, seed), work),
        }
    }

    /// The marginals at time t, or without t the discounted visits.
    ///
    /// # Errors
    /// As [`revealed::PathDistribution::visits`].
    pub fn visits(&self, given: &Given, kind: MarginalKind, t: Option<usize>, work: &Work) -> Result<Vec<f64>, Error> {
        match self {
            AskedModel::Path(model) => model.distribution(given, work)?.visits(kind, t),
            AskedModel::History(model) => model.visits(given, kind, t, work),
        }
    }

    /// The policy at time t, counted from the last state of a prefix if there is one.
    ///
    /// # Errors
    /// As [`revealed::PathDistribution::policy`].
    pub fn policy(&self, given: &Given, t: usize, work: &Work) -> Result<PolicyAt, Error> {
        match self {
            AskedModel::Path(model) => model.distribution(given, work)?.policy(t),
            AskedModel::History(model) => model.policy(given, t, work),
        }
    }

    /// As [`revealed::soft_values`].
    ///
    /// # Errors
    /// The same.
    pub fn values(&self, to: Option<usize>, work: &Work) -> Result<Vec<f64>, Error> {
        match self {
            AskedModel::Path(model) => revealed::soft_values(model, to, work),
            AskedModel::History(model) => model.values(to, work),
        }
    }

    /// As [`revealed::scores`].
    ///
    /// # Errors
    /// The same.
    pub fn scores(&self, demos: &Demonstrations, work: &Work) -> Result<Vec<Result<Score, DemonstrationFault>>, Error> {
        match self {
            AskedModel::Path(model) => revealed::scores(model, demos, work),
            AskedModel::History(model) => model.scores(demos, work),
        }
    }

    /// What answers about destinations, one prefix after another.
    ///
    /// # Errors
    /// As [`Destinations::new`].
    pub fn destinations(&self, prior: Prior, work: &Work) -> Result<AskedDestinations<'_, 'a>, Error> {
        match self {
            AskedModel::Path(model) => Ok(AskedDestinations::Path(Box::new(Destinations::new(model, prior, work)?))),
            AskedModel::History(model) => Ok(AskedDestinations::History { model, prior, work: *work }),
        }
    }
}

/// The posterior over destinations, with a history or without.
#[derive(Debug)]
pub enum AskedDestinations<'m, 'a> {
    /// Of a model without a history.
    Path(Box<Destinations<'a>>),
    /// Of a model with one.
    History {
        /// The model.
        model: &'m HistoryModel<'a>,
        /// The prior.
        prior: Prior,
        /// Threads and memory.
        work: Work,
    },
}

impl AskedDestinations<'_, '_> {
    /// As [`Destinations::posterior`].
    ///
    /// # Errors
    /// The same.
    pub fn posterior(&mut self, prefix: &Trajectory) -> Result<Vec<f64>, Error> {
        match self {
            AskedDestinations::Path(destinations) => destinations.posterior(prefix),
            AskedDestinations::History { model, prior, work } => model.posterior(prefix, prior, work),
        }
    }

    /// As [`Destinations::lengths`].
    ///
    /// # Errors
    /// The same.
    pub fn lengths(&mut self, prefix: &Trajectory) -> Result<Lengths, Error> {
        match self {
            AskedDestinations::Path(destinations) => destinations.lengths(prefix),
            AskedDestinations::History { model, prior, work } => {
                let posterior = model.posterior(prefix, prior, work)?;
                model.lengths_to(prefix, prior, &posterior, work)
            }
        }
    }

    /// Checks that a prefix can happen.
    ///
    /// # Errors
    /// As [`PathModel::check_prefix`].
    pub fn check_prefix(&self, prefix: &Trajectory) -> Result<(), Error> {
        match self {
            AskedDestinations::Path(destinations) => destinations.model().check_prefix(prefix).map(|_| ()),
            AskedDestinations::History { model, .. } => model.check_prefix(prefix),
        }
    }
}
