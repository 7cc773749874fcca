//! One file a command.

pub mod check;
pub mod cross_validate;
pub mod demo;
pub mod env;
pub mod evaluate;
pub mod learn;
pub mod likelihood;
pub mod marginals;
pub mod model_free;
pub mod path;
pub mod plan;
pub mod reproduce;
pub mod rollouts;
pub mod sample;
pub mod samples;
pub mod score;

use std::path::Path;

use revealed::{Baseline, CausalEntropy, Ends, Marginals, Method, Occupancy, Options, PathDistribution, Stop, Trajectory};
use revealed_formats::{Model, Problem};

use crate::args::Work;
use crate::failure::Failure;
use crate::memory;

impl Work {
    /// The options of the engine.
    pub fn options(&self, ends: Ends, horizon: Option<usize>) -> Options {
        let memory = self.memory.unwrap_or_else(memory::default);
        Options { ends, horizon, threads: self.threads, memory }
    }
}

/// A model, checked to belong to the problem.
fn load_model(path: &Path, problem: &Problem) -> Result<Model, Failure> {
    let model = Model::load(path)?;
    let (found, expected) = (model.theta.len(), problem.features.n_features());
    if found != expected {
        return Err(Failure::new(format!(
            "{}: theta has {found} entries, but the problem has {expected} features: give a model of this problem",
            path.display()
        )));
    }
    let baseline = model.model_free.as_ref().map(|record| record.baseline.as_str());
    if problem.mdp.reference().is_some() && baseline == Some(Baseline::One.name()) {
        return Err(Failure::new(format!(
            "{}: it was learned with --baseline one, and the problem has a reference policy: give the problem without `reference`, \
             or learn with --baseline reference",
            path.display()
        )));
    }
    if let Some(digest) = model.problem_digest.as_ref().filter(|&digest| *digest != problem.digest()) {
        eprintln!("note: {} was learned on another problem (digest {digest})", path.display());
    }
    Ok(model)
}

/// The distribution over paths of a model.
enum Paths<'a> {
    MaxEnt(Box<PathDistribution<'a>>),
    Causal(Box<CausalEntropy<'a>>),
}

impl<'a> Paths<'a> {
    fn of(problem: &'a Problem, model: &Model, goal: Option<usize>, work: &Work) -> Result<Paths<'a>, Failure> {
        let stop = stop(problem, model, goal)?;
        let reward = problem.features.reward(&problem.mdp, &model.theta)?;
        let options = work.options(model.ends, Some(model.horizon));
        if model.inference == Method::CausalEntropy {
            model.inference.check(&problem.mdp, &problem.features, model.ends)?;
            return Ok(Paths::Causal(Box::new(CausalEntropy::new(&problem.mdp, reward, model.horizon, &options)?)));
        }
        let start = problem.mdp.start().to_vec();
        let paths = PathDistribution::with(&problem.mdp, reward, start, model.horizon, stop, &options)?;
        Ok(Paths::MaxEnt(Box::new(paths)))
    }

    fn marginals(&mut self, t: usize) -> Result<Marginals, Failure> {
        Ok(match self {
            Paths::MaxEnt(paths) => paths.marginals(t)?,
            Paths::Causal(causal) => causal.marginals(t)?,
        })
    }

    fn occupancy(&self) -> &Occupancy {
        match self {
            Paths::MaxEnt(paths) => paths.occupancy(),
            Paths::Causal(causal) => causal.occupancy(),
        }
    }

    fn sample(&mut self, n: usize, seed: u64) -> Result<Vec<Trajectory>, Failure> {
        Ok(match self {
            Paths::MaxEnt(paths) => revealed::sample(paths, n, seed)?,
            Paths::Causal(causal) => causal.sample(n, seed)?,
        })
    }
}

/// Where the paths of a model end.
fn stop(problem: &Problem, model: &Model, goal: Option<usize>) -> Result<Stop, Failure> {
    let n_states = problem.mdp.n_states();
    if let Some(goal) = goal.filter(|&goal| goal >= n_states) {
        return Err(Failure::new(format!("--goal {goal}: there are {n_states} states, give one of 0 to {}", n_states - 1)));
    }
    match (model.ends, goal) {
        (Ends::Goal, Some(goal)) => Ok(Stop::At(goal)),
        (ends, Some(_)) => {
            let message =
                format!("--goal is for models learned with --ends goal, and this one has ends {}: leave it out", ends.name());
            Err(Failure::new(message))
        }
        (Ends::Anywhere, None) => Ok(Stop::Anywhere),
        (Ends::Horizon, None) => Ok(Stop::Horizon),
        (Ends::Terminal, None) => Ok(Stop::Terminal),
        (Ends::Goal, None) => {
            Err(Failure::new("the model was learned with --ends goal: say where paths end with --goal STATE"))
        }
    }
}
