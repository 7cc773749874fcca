//! One division of the paths: models are learned from one part and judged by the other.

use std::collections::BTreeMap;

use revealed::{Bounds, Demonstrations, Ends, MaxEnt, Method, PathModel, Reward, RouteChoice, RouteSums, Trajectory};
use revealed_formats::{Model, Problem};
use revealed_roads::prediction::{
    DestinationOptions, SPREAD, destination_prior, evaluate_destinations, posterior, prefix_length,
};
use revealed_roads::{Metrics, Predictions, Roads, Score, baselines, predict};

use super::pictures::Pictures;
use super::stages::{Stages, learn_watched};
use super::{Rows, engine};
use crate::error::Error;

/// Trips that destinations are forecast for in a first look.
const QUICK_TRIPS: usize = 100;

/// Names of predictors, in tables and files.
pub(super) mod name {
    pub const LOGIT: &str = "recursive logit";
    pub const WIDE: &str = "recursive logit, more features";
    pub const PAPER: &str = "paper's model";
    pub const COSTS: &str = "paper's model, costs only";
    pub const PAPER_WIDE: &str = "paper's model, more features";
    pub const SHORTEST: &str = "shortest path";
    pub const FASTEST: &str = "fastest path";
    pub const ZIEBART: &str = "Ziebart 2008";
    pub const RANDOM: &str = "random weights";

    /// In the order of tables.
    pub const ALL: [&str; 9] = [WIDE, LOGIT, PAPER, COSTS, PAPER_WIDE, FASTEST, SHORTEST, ZIEBART, RANDOM];
}

/// The routes of a predictor, or why there is none.
pub(super) type Forecast = Vec<Result<Vec<usize>, String>>;

/// One division of the paths.
pub(super) struct Case<'a> {
    pub stages: &'a Stages<'a>,
    pub roads: &'a Roads,
    /// With the paper's features.
    pub problem: &'a Problem,
    /// With more of them. States and transitions are the same.
    pub wide: &'a Problem,
    pub train: &'a [Trajectory],
    pub test: &'a [Trajectory],
    pub horizon: usize,
    pub seed: u64,
    /// Whether it is the one that is drawn.
    pub is_first: bool,
}

/// What was learned, and what it forecasts, by name.
#[derive(Default)]
pub(super) struct Learned {
    pub models: BTreeMap<&'static str, Model>,
    pub routes: BTreeMap<&'static str, Forecast>,
    /// How often paths of the recursive logits come through each state between the ends of a trip that was held out.
    pub visits: BTreeMap<&'static str, Vec<f64>>,
}

impl Case<'_> {
    pub fn judge(&self, table: &mut Rows) -> Result<(), Error> {
        let demos = Demonstrations::new(&self.problem.mdp, self.train).map_err(engine)?;
        let mut learned = Learned::default();
        for (name, reward) in
            [(name::SHORTEST, baselines::shortest(self.roads)), (name::FASTEST, baselines::fastest(self.roads))]
        {
            learned.routes.insert(name, self.score(table, name, reward, Ends::Anywhere, false)?);
        }
        let costs = Bounds::Same(f64::NEG_INFINITY, 0.0);
        for (name, problem, method, bounds) in [
            (name::LOGIT, self.problem, Method::RecursiveLogit, Bounds::None),
            (name::WIDE, self.wide, Method::RecursiveLogit, Bounds::None),
            (name::PAPER, self.problem, Method::Exact, Bounds::None),
            (name::COSTS, self.problem, Method::Exact, costs),
            (name::PAPER_WIDE, self.wide, Method::Exact, Bounds::None),
            (name::ZIEBART, self.problem, Method::Ziebart2008, Bounds::None),
        ] {
            let ends = method.usual_ends();
            let options = self.stages.options(ends, self.horizon);
            // Ziebart's directions are the gradient of nothing: most of what they do, they do at once.
            let max_iterations = if method == Method::Ziebart2008 { 150 } else { 1000 };
            let settings = MaxEnt { method, options, bounds, max_iterations, ..MaxEnt::default() };
            let model = learn_watched(self.stages, name, self.seed, &settings, problem, &demos)?;
            table.stage(&format!("learning, {name}"), model.seconds);
            if let Some(log_likelihood) = model.log_likelihood {
                table.value("models", name, "log-likelihood", self.train.len(), log_likelihood);
            }
            for (feature, theta) in model.theta.iter().enumerate() {
                table.value("theta", name, &problem.features.name(feature), 0, *theta);
            }
            if method == Method::RecursiveLogit {
                learned.visits.insert(name, self.visits(table, name, problem, &model)?);
            }
            let reward = problem.features.reward(&problem.mdp, &model.theta).map_err(engine)?;
            let routes = self.score(table, name, reward, ends, method != Method::RecursiveLogit)?;
            learned.routes.insert(name, routes);
            learned.models.insert(name, model);
        }
        let features = &self.problem.features;
        let theta = baselines::random_weights(features.n_features(), self.seed);
        let reward = features.reward(&self.problem.mdp, &theta).map_err(engine)?;
        self.score(table, name::RANDOM, reward, Ends::Anywhere, true)?;
        self.destinations(table, &learned.models[name::WIDE])?;
        if self.is_first {
            Pictures::keep(self, &learned)?;
        }
        Ok(())
    }

    /// How often a recursive logit expects each state on a trip that was held out, and how likely it finds such trips.
    fn visits(&self, table: &mut Rows, name: &'static str, problem: &Problem, model: &Model) -> Result<Vec<f64>, Error> {
        let held_out = Demonstrations::new(&problem.mdp, self.test).map_err(engine)?;
        let mut choice = RouteChoice::new(&problem.mdp, &problem.features, &held_out, self.stages.threads()).map_err(engine)?;
        let log_likelihood = choice.evaluate(&model.theta).map_err(engine)?.log_likelihood;
        table.value("models", name, "log-likelihood of trips held out", self.test.len(), log_likelihood);
        let visits = choice.visits(&model.theta).map_err(engine)?.state;
        table.value("models", name, "states expected", self.test.len(), visits.iter().sum());
        let driven = self.test.iter().map(|trip| trip.states.len()).sum::<usize>() as f64 / self.test.len() as f64;
        table.value("models", name, "states driven", self.test.len(), driven);
        Ok(visits)
    }

    /// Forecasts every path that was held out, and judges the forecasts.
    fn score(
        &self,
        table: &mut Rows,
        name: &'static str,
        reward: Reward,
        ends: Ends,
        bounded: bool,
    ) -> Result<Forecast, Error> {
        let predictions = self.predict(name, reward, ends, bounded)?;
        let score = Score::new(name, &Metrics::new(self.roads), self.test, &predictions);
        table.summary("routes", name, "distance match", &score.distance_match);
        table.summary("routes", name, "feature distance", &score.feature_distance);
        table.summary("routes", name, "covered", &score.covered);
        table.summary("routes", name, "length", &score.predicted);
        let asked = score.asked;
        table.value("routes", name, "identical", asked, 100.0 * score.identical);
        table.value("routes", name, "in circles", asked, f64::from(predictions.in_circles));
        table.stage(&format!("forecasts, {name}"), Some(score.seconds));
        Ok(predictions.routes)
    }

    fn predict(&self, name: &'static str, reward: Reward, ends: Ends, bounded: bool) -> Result<Predictions, Error> {
        let model = PathModel::new(&self.problem.mdp, reward, self.horizon, ends).map_err(engine)?;
        let threads = self.stages.threads();
        let mut watch = |done: usize| self.stages.tell(name, done, self.test.len());
        let found = predict(&model, self.test, bounded, threads, &mut watch, self.stages.stop());
        if self.stages.stop()() {
            return Err(Error::Stopped);
        }
        Ok(found?)
    }

    /// Where a trip may end after half of it, by the recursive logit with more features, and how many states that is.
    pub fn destination_picture(&self, model: &Model, trip: usize) -> Result<(Vec<f64>, usize), Error> {
        let Some(trip) = self.test.get(trip) else { return Ok((Vec::new(), 0)) };
        let reward = self.wide.features.reward(&self.wide.mdp, &model.theta).map_err(engine)?;
        let prefix = prefix_length(self.roads, &trip.states, 0.5);
        let sums = RouteSums::new(&self.wide.mdp, &reward).map_err(engine)?;
        let prior = destination_prior(self.roads, self.train, SPREAD);
        Ok((posterior(&sums, &prior, trip.states[0], trip.states[prefix - 1])?, prefix))
    }

    fn destinations(&self, table: &mut Rows, model: &Model) -> Result<(), Error> {
        let reward = self.wide.features.reward(&self.wide.mdp, &model.theta).map_err(engine)?;
        let paths = PathModel::new(&self.wide.mdp, reward, self.horizon, Ends::Goal).map_err(engine)?;
        let prior = destination_prior(self.roads, self.train, SPREAD);
        let most = if self.stages.is_quick() { QUICK_TRIPS } else { usize::MAX };
        let options =
            DestinationOptions { most, seed: self.seed, threads: self.stages.threads(), ..DestinationOptions::default() };
        let watch = |done: usize| self.stages.tell("destinations", done, self.test.len().min(most));
        let found = evaluate_destinations(self.roads, &paths, &prior, self.test, &options, &watch, self.stages.stop());
        if self.stages.stop()() {
            return Err(Error::Stopped);
        }
        let found = found?;
        for score in &found.scores {
            let row = format!("{}, {:.0} % seen", score.forecaster.name(), 100.0 * score.seen);
            if let Some(rank) = &score.rank {
                table.summary("destinations", &row, "rank", rank);
            }
            table.summary("destinations", &row, "error", &score.error);
            table.summary("destinations", &row, "expected error", &score.expected);
        }
        table.stage("forecasts, destinations", Some(found.seconds));
        Ok(())
    }
}
