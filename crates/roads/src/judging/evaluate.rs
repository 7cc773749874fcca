//! Compares a learned model with the baselines, and evaluates its forecasts of destinations.

use revealed::{Demonstrations, Ends, Horizon, MaxEnt, Method, Options, PathModel, Reward, Stopped, Trajectory, Watch};
use serde_json::Value;

use super::baselines::{self, Baseline};
use super::destination_scores::DestinationEvaluation;
use super::destinations::{DestinationOptions, evaluate_destinations};
use super::judge::Judge;
use super::score::Evaluation;
use crate::error::Error;
use crate::prediction::{DestinationLearning, DestinationModel, Predictions};

/// Ziebart's directions are not the gradient of any function: most of their progress comes in the first iterations.
const ZIEBART_ITERATIONS: usize = 200;

/// What is evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluateOptions {
    /// The largest number of trips whose destinations are predicted.
    pub destinations: usize,
    /// The seed of random weights and of the choice of trips.
    pub seed: u64,
}

impl Default for EvaluateOptions {
    fn default() -> Self {
        EvaluateOptions { destinations: 500, seed: 1 }
    }
}

/// The result of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// The scores of routes: the learned model first, and then the baselines.
    pub routes: Evaluation,
    /// The scores of destinations; `None` without training trips.
    pub destinations: Option<DestinationEvaluation>,
    /// The routes of the learned model.
    pub learned: Predictions,
    /// The shortest paths.
    pub shortest: Predictions,
}

/// Evaluates a learned model by trips that it was not learned from: its routes, compared with those of the
/// [`Baseline`]s, and its destinations. Ziebart's algorithm and destinations need the training trips. Ziebart's
/// algorithm also requires that all features are features of states.
///
/// `watch` receives the trips that are done under the name of each predictor, the iterations of Ziebart's algorithm,
/// and the destinations that are done.
///
/// # Errors
/// As [`predict`](crate::predict) and [`evaluate_destinations`]; and [`Error::Stopped`].
pub fn evaluate(
    judge: &Judge<'_>,
    (model, method): (&PathModel<'_>, Method),
    train: Option<&[Trajectory]>,
    options: &EvaluateOptions,
    watch: &Watch<'_>,
) -> Result<Evaluated, Error> {
    let learned = judge.routes("learned", model, method != Method::RecursiveLogit, watch)?;
    let baseline = |baseline: Baseline, reward: Reward| {
        let model = PathModel::new(&judge.problem.mdp, reward, model.horizon(), Ends::Anywhere)?;
        judge.routes(baseline.name(), &model, baseline.is_bounded(), watch)
    };
    let shortest = baseline(Baseline::Shortest, baselines::shortest(judge.roads))?;
    let mut scores = vec![learned.score, shortest.score];
    scores.push(baseline(Baseline::Fastest, baselines::fastest(judge.roads))?.score);
    if let Some(train) = train.filter(|_| judge.problem.features.on_states_only()) {
        scores.push(baseline(Baseline::Ziebart2008, ziebart(judge, train, watch)?)?.score);
    }
    scores.push(baseline(Baseline::RandomWeights, random(judge, options.seed)?)?.score);
    let destinations = match train.filter(|_| options.destinations > 0) {
        None => None,
        Some(train) => {
            let learning = DestinationLearning { seed: options.seed, work: judge.work };
            let destinations = DestinationModel::learn(judge.roads, model, train, &learning, watch)?;
            let DestinationOptions { seen, .. } = DestinationOptions::default();
            let options = DestinationOptions { most: options.destinations, seed: options.seed, work: judge.work, seen };
            Some(evaluate_destinations(judge.roads, model, &destinations, judge.trips, &options, watch)?)
        }
    };
    let routes = Evaluation { trained_on: train.map_or(0, <[Trajectory]>::len), judged_by: judge.trips.len(), scores };
    Ok(Evaluated { routes, destinations, learned: learned.predictions, shortest: shortest.predictions })
}

/// A horizon for these trips, which may be longer than those that a model was learned from.
pub fn long_enough(horizon: Horizon, trips: &[Trajectory]) -> Horizon {
    let longest = trips.iter().map(|trip| trip.states.len()).max().unwrap_or(1);
    longest.max(horizon.at_most().unwrap_or(1)).into()
}

fn random(judge: &Judge<'_>, seed: u64) -> Result<Reward, Error> {
    let theta = baselines::random_weights(judge.problem.features.n_features(), seed);
    Ok(judge.problem.features.reward(&judge.problem.mdp, &theta)?)
}

/// The reward that Ziebart's algorithm of 2008 learns from the training trips.
fn ziebart(judge: &Judge<'_>, train: &[Trajectory], watch: &Watch<'_>) -> Result<Reward, Error> {
    let (mdp, features) = (&judge.problem.mdp, &judge.problem.features);
    let demos = Demonstrations::new(mdp, train)?;
    let engine = Options { ends: Ends::Anywhere, horizon: None, work: judge.work };
    let method = Method::Ziebart2008;
    let settings = MaxEnt { method, options: engine, max_iterations: ZIEBART_ITERATIONS, ..MaxEnt::default() };
    let fit = settings.fit_watched(mdp, features, &demos, watch)?;
    if fit.stop == Stopped::Interrupted { Err(Error::Stopped) } else { Ok(features.reward(mdp, &fit.theta)?) }
}

impl Evaluated {
    /// For files.
    pub fn to_json(&self) -> Value {
        let mut json = self.routes.to_json();
        if let Some(destinations) = &self.destinations {
            json["destinations"] = destinations.to_json();
        }
        json
    }

    /// Tables for people.
    pub fn table(&self) -> String {
        let destinations = self.destinations.as_ref().map_or(String::new(), |found| format!("\n{}", found.table()));
        self.routes.table() + &destinations
    }
}
