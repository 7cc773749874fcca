//! A reward and the distribution over paths that it leads to: the queries after learning.

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::prelude::*;
use revealed::{
    Chance, Completion, Ends, Error, Given, Horizon, PathQuery, Prior, Reward, Score, ScoreParts, StepPosterior, Trajectory,
    Work,
};
use revealed_formats::{AskedModel, Model};

use crate::failure::{of_engine, of_json};
use crate::inputs::arrays::{Float, Floats, Int, Integers, RewardColumns, Weights, prefix, reward};
use crate::inputs::options::{PathLength, chance, ends, marginal_kind, unknown, within};
use crate::mdp::demonstrations::{Demonstrations, PathColumns, path_columns};
use crate::mdp::partial::PartialDemonstrations;
use crate::mdp::problem::Problem;
use crate::threads::run::run;

/// States, actions, log-weight.
pub type Best<'py> = (Int<'py>, Int<'py>, f64);

/// What describes a model of paths.
pub struct PathParts {
    pub problem: Arc<revealed_formats::Problem>,
    reward: Paid,
    horizon: Horizon,
    ends: Ends,
    chance: Chance,
    memory: Option<usize>,
}

/// What a path is paid.
enum Paid {
    /// For states and steps.
    InPlace(Reward),
    /// For histories, too: a model as its file has it.
    WithHistory(Box<Model>),
}

impl PathParts {
    /// How its queries are worked on.
    pub fn work(&self) -> Work {
        within(self.memory)
    }

    /// As the engine has it; the problem is passed for the sake of its lifetime.
    pub fn of_engine<'a>(&self, problem: &'a revealed_formats::Problem) -> Result<revealed::PathModel<'a>, Error> {
        let Paid::InPlace(reward) = &self.reward else {
            let what = "routes between many pairs, which are searched for without a history; ask predict_path for each";
            return Err(Error::HistoryCannot { what });
        };
        let (mdp, reward) = (&problem.mdp, reward.clone());
        match self.chance {
            Chance::Tilted => revealed::PathModel::new(mdp, reward, self.horizon, self.ends),
            Chance::Fixed => revealed::PathModel::causal(mdp, reward, self.horizon, self.ends),
        }
    }
}

impl PathParts {
    /// The same, with a history or without.
    fn asked<'a>(&self, problem: &'a revealed_formats::Problem) -> Result<AskedModel<'a>, Error> {
        match &self.reward {
            Paid::InPlace(_) => Ok(AskedModel::Path(self.of_engine(problem)?)),
            Paid::WithHistory(model) => model.asked(problem, Some(self.horizon), Some(self.ends), &self.work()),
        }
    }
}

/// A reward, the set of paths, and who decides the outcomes of actions.
#[pyclass(frozen, module = "revealed._native")]
pub struct PathModel(pub Arc<PathParts>);

#[pymethods]
impl PathModel {
    /// From a problem, a reward, the set of paths, and who decides the outcomes of actions.
    #[new]
    fn new(
        problem: &Problem,
        rewards: RewardColumns<'_>,
        horizon: PathLength,
        ends_name: &str,
        chance_name: &str,
        memory: Option<usize>,
    ) -> PyResult<Self> {
        let reward = reward(&rewards)?;
        let (ends, chance) = (ends(ends_name)?, chance(chance_name)?);
        let reward = Paid::InPlace(reward);
        let parts = PathParts { problem: Arc::clone(&problem.0), reward, horizon: horizon.0, ends, chance, memory };
        parts.of_engine(&parts.problem).map_err(of_engine)?;
        Ok(PathModel(Arc::new(parts)))
    }

    /// From a problem, a model with a history as its file has it, and the set of paths.
    #[staticmethod]
    fn with_history(
        problem: &Problem,
        model: &str,
        horizon: PathLength,
        ends_name: &str,
        memory: Option<usize>,
    ) -> PyResult<Self> {
        let model: Model = of_json(serde_json::from_str(model))?;
        let (ends, chance) = (ends(ends_name)?, model.chance);
        let reward = Paid::WithHistory(Box::new(model));
        let parts = PathParts { problem: Arc::clone(&problem.0), reward, horizon: horizon.0, ends, chance, memory };
        parts.asked(&parts.problem).map_err(of_engine)?;
        Ok(PathModel(Arc::new(parts)))
    }

    /// The k likeliest paths.
    #[allow(clippy::too_many_arguments)]
    fn best_paths<'py>(
        &self,
        py: Python<'py>,
        start: Weights,
        to: Option<Weights>,
        k: usize,
        bounded: bool,
        loopless: bool,
        threads: Option<usize>,
    ) -> PyResult<Vec<Best<'py>>> {
        let query = PathQuery { k, bounded, loopless, work: self.0.work(), ..PathQuery::new(start, to) };
        let found = self.ask(py, threads, move |model, _| model.best_paths(&query))?;
        let each = found.paths.into_iter();
        Ok(each.map(|one| best(py, one.path.states, one.path.actions, one.log_weight)).collect())
    }

    /// The posterior over destinations after a prefix, or with `follow` after each of its states, one after another.
    /// The prior is "model", "uniform" or an array.
    #[allow(clippy::too_many_arguments)]
    fn posterior<'py>(
        &self,
        py: Python<'py>,
        states: Integers<'py>,
        actions: Integers<'py>,
        prior: PriorInput<'py>,
        follow: bool,
        threads: Option<usize>,
    ) -> PyResult<Float<'py>> {
        let (prefix, prior) = (prefix(&states, &actions)?, prior.of_engine()?);
        let found = self.ask(py, threads, move |model, work| {
            let mut destinations = model.destinations(prior, work)?;
            if !follow {
                return destinations.posterior(&prefix);
            }
            let mut all = Vec::new();
            for n in 1..=prefix.states.len() {
                let actions = prefix.actions[..(n - 1).min(prefix.actions.len())].to_vec();
                all.extend(destinations.posterior(&Trajectory::new(prefix.states[..n].to_vec(), actions))?);
            }
            Ok(all)
        });
        Ok(found?.into_pyarray(py))
    }

    /// The smallest length, the probability of it and of each longer one, the mean, and the variance.
    fn lengths<'py>(
        &self,
        py: Python<'py>,
        beginning: Beginning<'py>,
        to: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<(usize, Float<'py>, f64, f64)> {
        let given = beginning.of_engine()?.to(to);
        let found = self.ask(py, threads, move |model, work| model.lengths(&given, work))?;
        let (mean, variance) = (found.mean(), found.variance());
        Ok((found.first, found.probability.into_pyarray(py), mean, variance))
    }

    /// Exact samples, or only their first states.
    #[allow(clippy::too_many_arguments)]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        beginning: Beginning<'py>,
        to: Option<usize>,
        n: usize,
        seed: u64,
        states: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<PathColumns<'py>> {
        let given = beginning.of_engine()?.to(to);
        let paths = self.ask(py, threads, move |model, work| model.sample(&given, states, (n, seed), work))?;
        Ok(path_columns(py, paths))
    }

    /// The paths that agree with what was seen of each demonstration: the likeliest, or draws. Returns the paths, and for
    /// the likeliest ones their log-probabilities.
    fn complete<'py>(
        &self,
        py: Python<'py>,
        demos: &PartialDemonstrations,
        samples: Option<usize>,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<(PathColumns<'py>, Float<'py>)> {
        let demos = Arc::clone(&demos.0);
        let (paths, log_probability) = self.ask(py, threads, move |model, work| {
            let (mut paths, mut log_probability) = (Vec::new(), Vec::new());
            for index in 0..demos.len() {
                let completion = Completion::new(model.without_history(COMPLETE)?, &demos, index, work)?;
                match samples {
                    Some(n) => {
                        let drawn = completion.sample(n, seed.wrapping_add(index as u64))?.into_iter();
                        paths.extend(drawn.map(|path| Trajectory { weight: path.weight / n as f64, ..path }));
                    }
                    None => {
                        let best = completion.likeliest()?;
                        log_probability.push(best.log_probability);
                        paths.push(best.path);
                    }
                }
            }
            Ok((paths, log_probability))
        })?;
        Ok((path_columns(py, paths), log_probability.into_pyarray(py)))
    }

    /// What is known of each step of each demonstration: (states, actions, unseen before), with the states and the
    /// actions as pairs (number, probability); and the expected number of unseen states after the last.
    #[allow(clippy::type_complexity)]
    fn posterior_of_steps(
        &self,
        py: Python<'_>,
        demos: &PartialDemonstrations,
        threads: Option<usize>,
    ) -> PyResult<Vec<(Vec<(Vec<(usize, f64)>, Vec<(usize, f64)>, f64)>, f64)>> {
        let demos = Arc::clone(&demos.0);
        self.ask(py, threads, move |model, work| {
            let of = |index: usize| {
                let completion = Completion::new(model.without_history(COMPLETE)?, &demos, index, work)?;
                let step = |step: &StepPosterior| (step.states.clone(), step.actions.clone(), step.unseen_before);
                Ok((completion.posterior().iter().map(step).collect(), completion.unseen_after()))
            };
            (0..demos.len()).map(of).collect()
        })
    }

    /// p_t of each state, choice or transition, or without t the discounted visits; from first states, to a last one.
    fn marginals<'py>(
        &self,
        py: Python<'py>,
        start: Weights,
        to: Option<usize>,
        t: Option<usize>,
        of: &str,
        threads: Option<usize>,
    ) -> PyResult<Float<'py>> {
        let kind = marginal_kind(of)?;
        let visits =
            self.ask(py, threads, move |model, work| model.visits(&Given::from_states(start).to(to), kind, t, work))?;
        Ok(visits.into_pyarray(py))
    }

    /// The expected visits to each state, of trips between pairs of states, each with its number of trips.
    fn flows<'py>(&self, py: Python<'py>, trips: Vec<([usize; 2], f64)>, threads: Option<usize>) -> PyResult<Float<'py>> {
        let flows = self.ask(py, threads, move |model, work| {
            let model = model.without_history(FLOWS)?;
            revealed::route_flows(model.mdp(), model.reward(), &trips, work).map(|flows| flows.state)
        })?;
        Ok(flows.into_pyarray(py))
    }

    /// The elasticity of each flow by each of these features, for the weights θ that the reward comes from.
    fn flow_elasticities<'py>(
        &self,
        py: Python<'py>,
        trips: Vec<([usize; 2], f64)>,
        theta: Vec<f64>,
        features: Vec<usize>,
        threads: Option<usize>,
    ) -> PyResult<Vec<Float<'py>>> {
        let parts = Arc::clone(&self.0);
        let found = self.ask(py, threads, move |model, work| {
            let model = model.without_history(FLOWS)?;
            revealed::flow_elasticities(model.mdp(), &parts.problem.features, &theta, &trips, &features, work)
        })?;
        Ok(found.of_features.into_iter().map(|values| values.into_pyarray(py)).collect())
    }

    /// Likely paths of any length that share at most a part of their lengths.
    #[allow(clippy::too_many_arguments)]
    fn different_paths<'py>(
        &self,
        py: Python<'py>,
        start: Weights,
        to: Option<Weights>,
        k: usize,
        lengths: Vec<f64>,
        overlap: f64,
        threads: Option<usize>,
    ) -> PyResult<Vec<Best<'py>>> {
        let query = PathQuery { k, bounded: false, work: self.0.work(), ..PathQuery::new(start, to) };
        let found = self.ask(py, threads, move |model, _| {
            let what = "paths that differ; ask predict_path for more paths (k)";
            revealed::different_paths(model.without_history(what)?, &query, &lengths, overlap)
        })?;
        Ok(found.into_iter().map(|one| best(py, one.path.states, one.path.actions, one.log_weight)).collect())
    }

    /// The log-weight of all paths from each state, in a causal model its V; minus infinity if there is none.
    fn values<'py>(&self, py: Python<'py>, to: Option<usize>, threads: Option<usize>) -> PyResult<Float<'py>> {
        let values = self.ask(py, threads, move |model, work| model.values(to, work))?;
        Ok(values.into_pyarray(py))
    }

    /// π_t of each choice and the probability to stop in each state; without t, of the stationary projection.
    fn policy<'py>(
        &self,
        py: Python<'py>,
        start: Weights,
        to: Option<usize>,
        t: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<(Float<'py>, Float<'py>)> {
        let (choice, stop) = self.ask(py, threads, move |model, work| {
            let given = Given::from_states(start).to(to);
            if let Some(t) = t {
                return model.policy(&given, t, work).map(|policy| (policy.choice, policy.stop));
            }
            let what = "a stationary policy of states alone; give t, or ask policy_after about a path";
            let mut paths = model.without_history(what)?.distribution(&given, work)?;
            paths.stationary_projection().map(|fixed| (fixed.policy.probabilities().to_vec(), fixed.stop))
        })?;
        Ok((choice.into_pyarray(py), stop.into_pyarray(py)))
    }

    /// π of each choice and the probability to stop in each state, after a prefix: those of its last state.
    fn policy_after<'py>(
        &self,
        py: Python<'py>,
        states: Integers<'py>,
        actions: Integers<'py>,
        to: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<(Float<'py>, Float<'py>)> {
        let given = Given::after(prefix(&states, &actions)?).to(to);
        let policy = self.ask(py, threads, move |model, work| model.policy(&given, 1, work))?;
        Ok((policy.choice.into_pyarray(py), policy.stop.into_pyarray(py)))
    }

    /// The parts of the log-likelihood of each demonstration; minus infinity if it is not a path of the model.
    fn score_parts<'py>(
        &self,
        py: Python<'py>,
        demonstrations: &Demonstrations,
        threads: Option<usize>,
    ) -> PyResult<Parts<'py>> {
        let demos = Arc::clone(&demonstrations.0);
        let parts = self.ask(py, threads, move |model, work| {
            let scores = model.scores(&demos, work)?;
            let of = |(index, score): (usize, Result<Score, _>)| {
                score.ok().map(|score| ScoreParts::new(model.mdp(), &demos, index, &score))
            };
            Ok(scores.into_iter().enumerate().map(of).collect::<Vec<Option<ScoreParts>>>())
        })?;
        let column = |of: fn(&ScoreParts) -> f64| -> Float<'py> {
            let values = parts.iter().map(|parts| parts.as_ref().map_or(f64::NEG_INFINITY, of));
            values.collect::<Vec<f64>>().into_pyarray(py)
        };
        Ok([
            column(|parts| parts.start),
            column(|parts| parts.choices),
            column(|parts| parts.outcomes),
            column(|parts| parts.stop),
            column(|parts| parts.chance),
        ])
    }

    /// The log-likelihood of each demonstration; minus infinity if it is not a path of the model.
    fn scores<'py>(&self, py: Python<'py>, demonstrations: &Demonstrations, threads: Option<usize>) -> PyResult<Float<'py>> {
        let demos = Arc::clone(&demonstrations.0);
        let scores = self.ask(py, threads, move |model, work| model.scores(&demos, work))?;
        let each = scores.into_iter().map(|score| score.map_or(f64::NEG_INFINITY, |score| score.log_likelihood));
        Ok(each.collect::<Vec<f64>>().into_pyarray(py))
    }
}

/// Why completions need a model without a history.
const COMPLETE: &str = "completions of demonstrations that are seen in part; ask a model without one";
/// Why flows need a model without a history.
const FLOWS: &str = "flows of the recursive logit; add up the marginals of each trip";

/// Start, choices, outcomes, stop and chance of each demonstration.
pub type Parts<'py> = [Float<'py>; 5];

impl PathModel {
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        question: impl FnOnce(&AskedModel<'_>, &Work) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<T> {
        let parts = Arc::clone(&self.0);
        run(py, threads, move || question(&parts.asked(&parts.problem)?, &parts.work()))?.map_err(of_engine)
    }
}

/// A path as Python gets it.
pub fn best(py: Python<'_>, states: Vec<usize>, actions: Vec<usize>, log_weight: f64) -> Best<'_> {
    let whole = |numbers: Vec<usize>| numbers.into_iter().map(|n| n as i64).collect::<Vec<i64>>().into_pyarray(py);
    (whole(states), whole(actions), log_weight)
}

/// Where paths begin: in first states with weights, or after the states and actions of a prefix.
#[derive(FromPyObject)]
pub enum Beginning<'py> {
    First(Weights),
    After((Integers<'py>, Integers<'py>)),
}

impl Beginning<'_> {
    /// As the engine has it.
    fn of_engine(self) -> PyResult<Given> {
        Ok(match self {
            Beginning::First(start) => Given::from_states(start),
            Beginning::After((states, actions)) => Given::after(prefix(&states, &actions)?),
        })
    }
}

/// A prior over destinations, by name or as a weight for each state.
#[derive(FromPyObject)]
pub enum PriorInput<'py> {
    Name(String),
    Given(Floats<'py>),
}

impl PriorInput<'_> {
    fn of_engine(&self) -> PyResult<Prior> {
        match self {
            PriorInput::Name(name) if name == "model" => Ok(Prior::Model),
            PriorInput::Name(name) if name == "uniform" => Ok(Prior::Uniform),
            PriorInput::Name(name) => Err(unknown("prior", name, &["model", "uniform", "a weight for each state"])),
            PriorInput::Given(weights) => Ok(Prior::Given(weights.as_slice()?.to_vec())),
        }
    }
}
