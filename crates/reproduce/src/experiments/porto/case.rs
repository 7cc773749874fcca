//! One split of the paths: models are learned from the training paths and evaluated on the test paths.

use std::collections::BTreeMap;

use revealed::{Demonstrations, Ends, Horizon, MaxEnt, Method, PathModel, Reward, RouteChoice, RouteSums, Trajectory};
use revealed_formats::{Model, Problem};
use revealed_roads::{Judge, Predictions, Roads, SPREAD, baselines, destination_prior, posterior, prefix_length};

use super::pictures::Pictures;
use super::reading::{Bound, Dataset, Reading};
use super::stages::{Stages, learn_watched, slug};
use super::study::costs_per_km;
use super::{Rows, engine};
use crate::error::Error;

/// Ziebart's directions are not the gradient of any function: most of their progress comes in the first iterations.
pub(super) const ZIEBART_ITERATIONS: usize = 150;

/// Names of predictors, in tables and files.
pub(super) mod name {
    use revealed_roads::Baseline;

    pub const LOGIT: &str = "recursive logit";
    pub const WIDE: &str = "recursive logit, more features";
    pub const PAPER: &str = "paper's model";
    /// With the bounds of [`Reading::CENTRE`](super::super::reading::Reading::CENTRE) and a uniform start.
    pub const BOUNDED: &str = "paper's model, -10 to 0 per km";
    pub const COSTS: &str = "paper's model, costs only";
    pub const PAPER_WIDE: &str = "paper's model, more features";
    pub const SHORTEST: &str = Baseline::Shortest.name();
    pub const FASTEST: &str = Baseline::Fastest.name();
    pub const FEWEST: &str = "fewest segments";
    pub const ZIEBART: &str = Baseline::Ziebart2008.name();
    pub const RANDOM: &str = Baseline::RandomWeights.name();

    /// In the order of tables.
    pub const ALL: [&str; 11] = [WIDE, LOGIT, BOUNDED, PAPER, COSTS, PAPER_WIDE, FASTEST, SHORTEST, FEWEST, ZIEBART, RANDOM];
    /// On the network with U-turns.
    pub const WITH_U_TURNS: [&str; 6] = [BOUNDED, FASTEST, SHORTEST, FEWEST, ZIEBART, RANDOM];
}

/// One split of the paths into training and test paths.
pub(super) struct Case<'a, 'w> {
    pub stages: &'a Stages<'a, 'w>,
    /// Evaluates on the test paths. Its problem has the paper's features.
    pub judge: Judge<'a>,
    /// The problem with more features. States and transitions are the same.
    pub wide: &'a Problem,
    /// The problem with the paper's features and a uniform start.
    pub uniform: &'a Problem,
    pub train: &'a [Trajectory],
    pub horizon: usize,
    pub seed: u64,
    /// Whether its results are drawn.
    pub is_first: bool,
}

/// The models and their predictions, by name.
#[derive(Default)]
pub(super) struct Learned {
    pub models: BTreeMap<&'static str, Model>,
    pub routes: BTreeMap<&'static str, Predictions>,
    /// The mean visits of each state on a test trip, as the recursive logits expect them.
    pub visits: BTreeMap<&'static str, Vec<f64>>,
}

impl Case<'_, '_> {
    pub fn roads(&self) -> &Roads {
        self.judge.roads
    }

    /// The test paths.
    pub fn test(&self) -> &[Trajectory] {
        self.judge.trips
    }

    /// Learns every model, and scores it and the baselines.
    pub fn score_all(&self, table: &mut Rows) -> Result<(), Error> {
        let demos = Demonstrations::new(&self.judge.problem.mdp, self.train).map_err(engine)?;
        let mut learned = Learned::default();
        let fewest = Reward::of_states(vec![-1.0; self.roads().n_states()]);
        for (name, reward) in [
            (name::SHORTEST, baselines::shortest(self.roads())),
            (name::FASTEST, baselines::fastest(self.roads())),
            (name::FEWEST, fewest),
        ] {
            learned.routes.insert(name, self.score(table, name, reward, Ends::Anywhere, false)?);
        }
        for (name, problem, method, bound) in [
            (name::LOGIT, self.judge.problem, Method::RecursiveLogit, Bound::Free),
            (name::WIDE, self.wide, Method::RecursiveLogit, Bound::Free),
            (name::BOUNDED, self.uniform, Method::Exact, Reading::CENTRE.bound),
            (name::PAPER, self.judge.problem, Method::Exact, Bound::Free),
            (name::COSTS, self.judge.problem, Method::Exact, Bound::Costs),
            (name::PAPER_WIDE, self.wide, Method::Exact, Bound::Free),
            (name::ZIEBART, self.judge.problem, Method::Ziebart2008, Bound::Free),
        ] {
            let model = self.learn(table, name, problem, (method, bound), &demos)?;
            if method == Method::RecursiveLogit {
                learned.visits.insert(name, self.visits(table, name, problem, &model)?);
            }
            let reward = problem.features.reward(&problem.mdp, &model.theta).map_err(engine)?;
            if problem.features.on_states_only() {
                for (road_type, cost) in costs_per_km(self.roads(), &reward) {
                    table.value("models", name, &format!("cost of {road_type} roads"), 0, cost);
                }
            }
            let routes = self.score(table, name, reward, method.usual_ends(), method != Method::RecursiveLogit)?;
            learned.routes.insert(name, routes);
            learned.models.insert(name, model);
        }
        let features = &self.judge.problem.features;
        let theta = baselines::random_weights(features.n_features(), self.seed);
        let reward = features.reward(&self.judge.problem.mdp, &theta).map_err(engine)?;
        self.score(table, name::RANDOM, reward, Ends::Anywhere, true)?;
        self.destinations(table, &learned.models[name::WIDE])?;
        if self.is_first {
            Pictures::keep(self, &learned)?;
        }
        Ok(())
    }

    fn learn(
        &self,
        table: &mut Rows,
        name: &'static str,
        problem: &Problem,
        (method, bound): (Method, Bound),
        demos: &Demonstrations,
    ) -> Result<Model, Error> {
        let horizon = if method == Method::RecursiveLogit { Horizon::Any } else { Horizon::AtMost(self.horizon) };
        let options = self.stages.options(method.usual_ends(), horizon);
        let max_iterations = if method == Method::Ziebart2008 { ZIEBART_ITERATIONS } else { 1000 };
        let settings = MaxEnt { method, options, bounds: bound.bounds(), max_iterations, ..MaxEnt::default() };
        // The study has the same model among its readings.
        let same = Reading { dataset: Dataset::PLAIN, ..Reading::CENTRE };
        let file = if name == name::BOUNDED { same.file() } else { slug(name) };
        let model = learn_watched(self.stages, (name, &format!("{file}-{}", self.seed)), &settings, problem, demos)?;
        table.stage(&format!("learning, {name}"), model.seconds);
        if let Some(log_likelihood) = model.log_likelihood {
            table.value("models", name, "log-likelihood", self.train.len(), log_likelihood);
        }
        for (feature, theta) in model.theta.iter().enumerate() {
            table.value("theta", name, &problem.features.name(feature), 0, *theta);
        }
        Ok(model)
    }

    /// The visits of each state that a recursive logit expects on a test trip, and its log-likelihood of test trips.
    fn visits(&self, table: &mut Rows, name: &'static str, problem: &Problem, model: &Model) -> Result<Vec<f64>, Error> {
        let held_out = Demonstrations::new(&problem.mdp, self.test()).map_err(engine)?;
        let mut choice = RouteChoice::new(&problem.mdp, &problem.features, &held_out, &self.stages.work()).map_err(engine)?;
        let log_likelihood = choice.evaluate(&model.theta).map_err(engine)?.log_likelihood;
        table.value("models", name, "log-likelihood of trips held out", self.test().len(), log_likelihood);
        let visits = choice.visits(&model.theta).map_err(engine)?.state;
        table.value("models", name, "states expected", self.test().len(), visits.iter().sum());
        let driven = self.test().iter().map(|trip| trip.states.len()).sum::<usize>() as f64 / self.test().len() as f64;
        table.value("models", name, "states driven", self.test().len(), driven);
        Ok(visits)
    }

    /// Predicts every test path, and scores the predictions.
    fn score(
        &self,
        table: &mut Rows,
        name: &'static str,
        reward: Reward,
        ends: Ends,
        bounded: bool,
    ) -> Result<Predictions, Error> {
        let model = PathModel::new(&self.judge.problem.mdp, reward, self.horizon, ends).map_err(engine)?;
        let judged = self.stages.watched(name, |watch| self.judge.routes(name, &model, bounded, watch))?;
        table.score("routes", name, &judged);
        table.stage(&format!("forecasts, {name}"), Some(judged.score.seconds));
        Ok(judged.predictions)
    }

    /// The posterior of destinations after half of a trip, by the recursive logit with more features, and the number of
    /// states in that half.
    pub fn destination_picture(&self, model: &Model, trip: usize) -> Result<(Vec<f64>, usize), Error> {
        let Some(trip) = self.test().get(trip) else { return Ok((Vec::new(), 0)) };
        let reward = self.wide.features.reward(&self.wide.mdp, &model.theta).map_err(engine)?;
        let prefix = prefix_length(self.roads(), &trip.states, 0.5);
        let sums = RouteSums::new(&self.wide.mdp, &reward, &self.stages.work()).map_err(engine)?;
        let prior = destination_prior(self.roads(), self.train, SPREAD);
        Ok((posterior(&sums, &prior, trip.states[0], trip.states[prefix - 1])?, prefix))
    }
}
