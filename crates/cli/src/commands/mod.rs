//! One file a command.

pub mod check;
pub mod demo;
pub mod env;
pub mod learn;
pub mod likelihood;
pub mod marginals;
pub mod sample;

use std::path::Path;

use revealed::{Ends, Options, PathDistribution, Stop};
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
    if let Some(digest) = model.problem_digest.as_ref().filter(|&digest| *digest != problem.digest()) {
        eprintln!("note: {} was learned on another problem (digest {digest})", path.display());
    }
    Ok(model)
}

/// The distribution over paths of a model.
fn paths_of<'a>(
    problem: &'a Problem,
    model: &Model,
    goal: Option<usize>,
    work: &Work,
) -> Result<PathDistribution<'a>, Failure> {
    let n_states = problem.mdp.n_states();
    if let Some(goal) = goal.filter(|&goal| goal >= n_states) {
        return Err(Failure::new(format!("--goal {goal}: there are {n_states} states, give one of 0 to {}", n_states - 1)));
    }
    let stop = match (model.ends, goal) {
        (Ends::Goal, Some(goal)) => Stop::At(goal),
        (ends, Some(_)) => {
            let message =
                format!("--goal is for models learned with --ends goal, and this one has ends {}: leave it out", ends.name());
            return Err(Failure::new(message));
        }
        (Ends::Anywhere, None) => Stop::Anywhere,
        (Ends::Horizon, None) => Stop::Horizon,
        (Ends::Terminal, None) => Stop::Terminal,
        (Ends::Goal, None) => {
            return Err(Failure::new("the model was learned with --ends goal: say where paths end with --goal STATE"));
        }
    };
    let reward = problem.features.reward(&problem.mdp, &model.theta)?;
    let options = work.options(model.ends, Some(model.horizon));
    Ok(PathDistribution::with(&problem.mdp, reward, problem.mdp.start().to_vec(), model.horizon, stop, &options)?)
}
