//! A problem, a model and its demonstrations that answer questions.

use revealed::{Demonstrations, Ends, Given, MarginalKind, PathQuery, Prior, Trajectory, Work};
use serde_json::{Value, json};

use super::question::Question;
use super::scored::ScoredDemonstrations;
use super::{compared, destinations, fit, learning, path_set_json, world};
use super::{lengths_json, log_total, paths_json, policy_json, visits_json};
use crate::files::json;
use crate::models::{AskedModel, Model};
use crate::problems::Problem;
use crate::{Fault, demonstrations as files};

/// A problem, a model and its demonstrations that answer questions. The answers are those of the command line.
///
/// ```
/// use revealed::{Ends, Trajectory, Work, worlds};
/// use revealed_formats::{Model, Problem, answers::Session};
///
/// let lake = Problem::from(worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?);
/// let model = Model::new(vec![0.0; 16], 10, Ends::Anywhere);
/// let mut session = Session::new(lake, model, None, Work::default());
/// let answer = session.ask(r#"{"ask": "marginals", "t": 1}"#.as_bytes())?;
/// assert_eq!(answer["state"][0], 1.0);
/// assert!(session.ask(r#"{"ask": "fit"}"#.as_bytes()).unwrap_err().to_string().contains("demonstrations"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Session {
    problem: Problem,
    model: Model,
    demos: Option<Demonstrations>,
    work: Work,
}

impl Session {
    /// Of a model that belongs to the problem.
    pub fn new(problem: Problem, model: Model, demos: Option<Demonstrations>, work: Work) -> Session {
        Session { problem, model, demos, work }
    }

    /// Reads `{"problem": …, "model": …, "demonstrations": "lines"}`: the content of the files, of which the last is
    /// optional.
    ///
    /// # Errors
    /// If a part is missing or wrong.
    pub fn open(document: &[u8], work: Work) -> Result<Session, Fault> {
        let mut document = json::document(document)?;
        let mut part = |name: &str| match document.get_mut(name).map(Value::take) {
            None | Some(Value::Null) => None,
            Some(value) => Some(value),
        };
        let problem = Problem::of_json(part("problem").ok_or_else(|| Fault::missing("problem", &[]))?)?;
        let model = Model::of_json(part("model").ok_or_else(|| Fault::missing("model", &[]))?)?;
        problem.features.check_theta(&model.theta)?;
        let lines = part("demonstrations");
        let mut session = Session::new(problem, model, None, work);
        if let Some(lines) = lines.as_ref().and_then(Value::as_str) {
            session.demos = Some(session.demonstrations(lines)?);
        }
        Ok(session)
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The model, with the θ of the last question that changed it.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The demonstrations.
    pub fn demos(&self) -> Option<&Demonstrations> {
        self.demos.as_ref()
    }

    /// The answer to a [`Question`] in JSON.
    ///
    /// # Errors
    /// If it is not a question, needs demonstrations and there are none, or the model has no answer.
    pub fn ask(&mut self, question: &[u8]) -> Result<Value, Fault> {
        let question: Question = json::parse(question)?;
        self.answer(question)
    }

    /// The answer to a question.
    ///
    /// # Errors
    /// If it needs demonstrations and there are none, or the model has no answer.
    pub fn answer(&mut self, question: Question) -> Result<Value, Fault> {
        match question {
            Question::World => Ok(world::world(&self.problem)),
            Question::Model => Ok(json!(self.model)),
            Question::Reward => self.reward(),
            Question::Marginals { t, from, to } => self.marginals(t, from, to),
            Question::Policy { t, from, to } => self.policy(t, from, to),
            Question::Path { from, to, k } => self.path(from, to, k),
            Question::Destinations { states, actions, top } => self.destinations(&Trajectory::new(states, actions), top),
            Question::Lengths { from, to } => self.lengths(from, to),
            Question::Fit => fit::fit(&self.problem, &self.model, self.seen()?, &self.work),
            Question::Compared => compared::compared(&self.problem, &self.model, self.seen()?, &self.work),
            Question::Scores => self.scores(|scored, paths| scored.json(paths.horizon(), paths.ends())),
            Question::Steps { demonstration } => self.steps(demonstration),
            Question::Summary { level } => {
                let record = fit::summary(&self.problem, &self.model, self.seen()?, level, &self.work)?;
                self.model.summary = Some(record);
                Ok(json!(self.model.summary))
            }
            Question::Theta { theta } => self.set_theta(theta),
            Question::Demonstrations { lines } => {
                let demos = self.demonstrations(&lines)?;
                let answer = json!({ "n_demonstrations": demos.len(), "longest": demos.longest() });
                self.demos = Some(demos);
                Ok(answer)
            }
            Question::Learn(asked) => {
                let (model, answer) = learning::learn(&asked, &self.problem, &self.model, self.seen()?, &self.work)?;
                self.model = model;
                Ok(answer)
            }
        }
    }

    fn demonstrations(&self, lines: &str) -> Result<Demonstrations, Fault> {
        let trajectories = files::of_lines(lines.as_bytes())?;
        Ok(Demonstrations::new(&self.problem.mdp, &trajectories)?)
    }

    fn seen(&self) -> Result<&Demonstrations, Fault> {
        self.demos.as_ref().ok_or_else(|| Fault::missing("demonstrations", &[]))
    }

    fn paths(&self) -> Result<AskedModel<'_>, Fault> {
        Ok(self.model.asked(&self.problem, None, None, &self.work)?)
    }

    fn given(&self, from: Option<usize>, to: Option<usize>) -> Result<Given, Fault> {
        let n_states = self.problem.mdp.n_states();
        for (field, state) in [("from", from), ("to", to)] {
            if let Some(state) = state.filter(|&state| state >= n_states) {
                return Err(Fault::State { field, found: state.to_string(), n_states });
            }
        }
        if to.is_none() && self.model.ends == Ends::Goal {
            return Err(Fault::value("to", None, "absent", "the last state, because this model is one of paths to a goal"));
        }
        Ok(from.map_or_else(Given::default, Given::from_state).to(to))
    }

    fn set_theta(&mut self, theta: Vec<f64>) -> Result<Value, Fault> {
        self.problem.features.check_theta(&theta)?;
        self.model.theta = theta;
        Ok(json!({ "theta": self.model.theta }))
    }

    fn reward(&self) -> Result<Value, Fault> {
        let reward = self.problem.features.reward(&self.problem.mdp, &self.model.theta)?;
        Ok(json!({ "state": reward.state, "transition": reward.transition }))
    }

    fn marginals(&self, t: Option<usize>, from: Option<usize>, to: Option<usize>) -> Result<Value, Fault> {
        let paths = self.paths()?;
        let visits = paths.visits(&self.given(from, to)?, MarginalKind::State, t, &self.work)?;
        let mut json = path_set_json(paths.horizon(), paths.ends());
        json["t"] = json!(t);
        json["state"] = visits_json(&self.problem.mdp, MarginalKind::State, &visits);
        Ok(json)
    }

    fn policy(&self, t: usize, from: Option<usize>, to: Option<usize>) -> Result<Value, Fault> {
        let paths = self.paths()?;
        let policy = paths.policy(&self.given(from, to)?, t, &self.work)?;
        Ok(policy_json(&self.problem.mdp, &policy, t, path_set_json(paths.horizon(), paths.ends())))
    }

    fn path(&self, from: usize, to: Option<usize>, k: usize) -> Result<Value, Fault> {
        let paths = self.paths()?;
        self.given(Some(from), to)?;
        let to = to.map(|to| vec![(to, 1.0)]);
        let query = PathQuery { k, work: self.work, ..PathQuery::new(vec![(from, 1.0)], to) };
        let found = paths.best_paths(&query)?;
        let total = log_total(&paths, &query, |_| ())?;
        let mut json = path_set_json(paths.horizon(), paths.ends());
        json["search"] = json!(found.search.name());
        json["paths"] = json!(paths_json(&found, total));
        Ok(json)
    }

    fn destinations(&self, prefix: &Trajectory, top: Option<usize>) -> Result<Value, Fault> {
        let paths = self.paths()?;
        let (prior, name) = if paths.ends() == Ends::Goal { (Prior::Uniform, "uniform") } else { (Prior::Model, "model") };
        let mut asked = paths.destinations(prior, &self.work)?;
        Ok(destinations::RankedDestinations::new(&mut asked, (paths.horizon(), paths.ends()), prefix)?.json(top, name))
    }

    fn lengths(&self, from: Option<usize>, to: Option<usize>) -> Result<Value, Fault> {
        let paths = self.paths()?;
        let found = paths.lengths(&self.given(from, to)?, &self.work)?;
        Ok(lengths_json(&found, path_set_json(paths.horizon(), paths.ends())))
    }

    fn scores<T>(&self, of: impl FnOnce(&ScoredDemonstrations<'_>, &AskedModel<'_>) -> T) -> Result<T, Fault> {
        let (paths, demos) = (self.paths()?, self.seen()?);
        let answers = paths.scores(demos, &self.work)?;
        Ok(of(&ScoredDemonstrations { mdp: &self.problem.mdp, demos, answers: &answers }, &paths))
    }

    fn steps(&self, demonstration: usize) -> Result<Value, Fault> {
        let n = self.seen()?.len();
        if demonstration >= n {
            let found = format!("{demonstration} of {n} demonstrations");
            return Err(Fault::value("demonstration", None, found, "the number of one of them, from 0"));
        }
        self.scores(|scored, _| scored.every_step(demonstration))
    }
}
