//! The problem, and the model or the demonstrations that belong to it.

use std::path::{Path, PathBuf};

use clap::Args;
use revealed::Demonstrations;
use revealed_formats::{Model, Problem, Seen, demonstrations};

use crate::files::model::{load_any_model, load_model};
use crate::terminal::Failure;

/// The files of a command that asks a model.
#[derive(Args)]
pub struct ProblemAndModel {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Model file (.json)
    pub model: PathBuf,
}

impl ProblemAndModel {
    /// Loads both, and checks that they belong together. The model has no history.
    pub fn load(&self) -> Result<(Problem, Model), Failure> {
        let problem = Problem::load(&self.problem)?;
        let model = load_model(&self.model, &problem)?;
        Ok((problem, model))
    }

    /// The same for commands that also take models with a history.
    pub fn load_any(&self) -> Result<(Problem, Model), Failure> {
        let problem = Problem::load(&self.problem)?;
        let model = load_any_model(&self.model, &problem)?;
        Ok((problem, model))
    }

    /// The files that an output must not overwrite.
    pub fn inputs(&self) -> [&Path; 2] {
        [&self.problem, &self.model]
    }
}

/// The files of a command that learns from demonstrations.
#[derive(Args)]
pub struct ProblemAndDemos {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Demonstrations (.jsonl or .npz)
    pub demos: PathBuf,
}

impl ProblemAndDemos {
    /// Loads both, and checks that they belong together.
    pub fn load(&self) -> Result<(Problem, Demonstrations), Failure> {
        let problem = Problem::load(&self.problem)?;
        let demos = demonstrations::load_for(&problem.mdp, &self.demos)?;
        Ok((problem, demos))
    }

    /// The same, where demonstrations may be seen in part.
    pub fn load_seen(&self) -> Result<(Problem, Seen), Failure> {
        let problem = Problem::load(&self.problem)?;
        let demos = demonstrations::load_seen(&problem.mdp, &self.demos)?;
        Ok((problem, demos))
    }
}
