//! The reward that is planned for, and the discount.

use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{Planning, Reward, Work};
use revealed_formats::Problem;

use crate::files::model::load_model;
use crate::terminal::Failure;

/// A problem with a known reward: its own, or that of a model.
#[derive(Args)]
pub struct KnownReward {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// The reward of this model instead of the problem's true one
    #[arg(long, value_name = "MODEL")]
    pub model: Option<PathBuf>,
}

impl KnownReward {
    /// The reward on the loaded problem.
    pub fn reward(&self, problem: &Problem) -> Result<Reward, Failure> {
        let theta = match (&self.model, &problem.true_theta) {
            (Some(file), _) => load_model(file, problem)?.theta,
            (None, Some(theta)) => theta.clone(),
            (None, None) => {
                let message = "the problem has no true reward (`reward.true`): give it one, or name a model with --model";
                return Err(Failure::in_file(&self.problem, message));
            }
        };
        Ok(problem.features.reward(&problem.mdp, &theta)?)
    }

    /// The files that an output must not overwrite.
    pub fn inputs(&self) -> Vec<&Path> {
        [Some(&self.problem), self.model.as_ref()].into_iter().flatten().map(PathBuf::as_path).collect()
    }
}

/// Settings of planning. Rejects a discount that is out of its range.
pub fn planning(discount: Option<f64>, work: Work) -> Result<Planning, Failure> {
    match discount.filter(|discount| !(0.0..=1.0).contains(discount)) {
        Some(discount) => Err(Failure::new(format!("--discount {discount}: it must lie between 0 and 1"))),
        None => Ok(Planning { discount, work, ..Planning::default() }),
    }
}

/// Rejects a temperature that is not positive and finite.
pub fn check_temperature(temperature: Option<f64>) -> Result<(), Failure> {
    match temperature.filter(|&temperature| !(temperature.is_finite() && temperature > 0.0)) {
        Some(temperature) => Err(Failure::new(format!("--temperature {temperature}: it must be a finite number above 0"))),
        None => Ok(()),
    }
}
