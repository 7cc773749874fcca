//! The model file that a command reads.

use std::path::Path;

use revealed::{Baseline, shown};
use revealed_formats::{Model, Problem};

use crate::terminal::Failure;
use crate::terminal::notes::note;

/// Why a model is refused.
const NO_HISTORY: &str = "the model has a history, which this command does not support: path, destinations, lengths, marginals, \
    sample, score, likelihood, and policy with --t or --prefix do";

/// Loads a model and checks that it belongs to the problem. It has no history.
pub fn load_model(file: &Path, problem: &Problem) -> Result<Model, Failure> {
    let model = load_any_model(file, problem)?;
    match model.history {
        Some(_) => Err(Failure::in_file(file, NO_HISTORY)),
        None => Ok(model),
    }
}

/// The same for commands that also take models with a history.
pub fn load_any_model(file: &Path, problem: &Problem) -> Result<Model, Failure> {
    let model = Model::load(file)?;
    let of_windows = model.history.as_ref().map_or(0, |history| history.n_features);
    let (found, expected) = (model.theta.len(), problem.features.n_features() + of_windows);
    if found != expected {
        let message =
            format!("theta has {found} entries, but the problem has {expected} features: give a model of this problem");
        return Err(Failure::in_file(file, message));
    }
    let baseline = model.model_free.as_ref().map(|record| record.baseline.as_str());
    if problem.mdp.reference().is_some() && baseline == Some(Baseline::One.name()) {
        let message = "it was learned with --baseline one, and the problem has a reference policy: give the problem \
                       without `reference`, or learn with --baseline reference";
        return Err(Failure::in_file(file, message));
    }
    if let Some(discount) = model.discount.filter(|&discount| discount != problem.mdp.discount()) {
        let used = problem.mdp.discount();
        note(format!("{} was learned with discount {discount}; the problem's {used} is used", file.display()));
    }
    check_names(file, &model, problem)?;
    match (&model.problem_digest, &model.worlds) {
        (Some(digest), _) if *digest != problem.digest() => {
            note(format!("{} was learned on another problem (digest {digest})", file.display()));
        }
        (_, Some(worlds)) if !model.knows(&problem.digest()) => {
            note(format!("{} was learned in {} other worlds with the same features", file.display(), worlds.len()));
        }
        _ => {}
    }
    Ok(model)
}

/// A model of several worlds is for worlds with the same features.
fn check_names(file: &Path, model: &Model, problem: &Problem) -> Result<(), Failure> {
    let found = problem.features.names();
    let differs = (0..model.names.len()).find(|&k| model.worlds.is_some() && found.get(k) != model.names.get(k));
    let Some(feature) = differs else { return Ok(()) };
    let (name, of_problem) = (&model.names[feature], problem.features.name(feature));
    let message = format!(
        "its feature {feature} is {}, and the problem's is {of_problem}: give a problem with the same features",
        shown(name)
    );
    Err(Failure::in_file(file, message))
}
