//! One file a command.

pub mod check;
pub mod cross_validate;
pub mod demo;
pub mod destinations;
pub mod env;
pub mod evaluate;
mod follow;
pub mod learn;
pub mod lengths;
pub mod likelihood;
pub mod marginals;
pub mod model_free;
mod pairs;
pub mod path;
pub mod plan;
pub mod policy;
pub mod reproduce;
pub mod roads;
pub mod rollouts;
pub mod sample;
pub mod samples;
pub mod score;
pub mod summary;

use std::path::Path;

use revealed::{Baseline, Ends, Options};
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
    if let Some(discount) = model.discount.filter(|&discount| discount != problem.mdp.discount()) {
        let used = problem.mdp.discount();
        eprintln!("note: {} was learned with discount {discount}, and the problem's {used} is used", path.display());
    }
    if let Some(digest) = model.problem_digest.as_ref().filter(|&digest| *digest != problem.digest()) {
        eprintln!("note: {} was learned on another problem (digest {digest})", path.display());
    }
    Ok(model)
}
