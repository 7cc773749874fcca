//! `--horizon` and `--ends` of a command that asks a model: which paths it is a distribution over.

use clap::Args;
use revealed::{Chance, Ends, Horizon, PathModel};
use revealed_formats::{AskedModel, Model, Problem};

use super::ends::ends;
use super::horizon::horizon;
use super::work::Work;
use crate::terminal::Failure;
use crate::terminal::notes::note;

/// The paths that the model is a distribution over: its own, unless other settings are given.
#[derive(Args)]
pub struct PathSet {
    /// Maximum number of states in a path, or any for no maximum [default: the model's]
    #[arg(long, value_name = "L", value_parser = horizon)]
    pub horizon: Option<Horizon>,
    /// Where a path may end [default: the model's]
    #[arg(long, value_parser = ends())]
    pub ends: Option<Ends>,
}

impl PathSet {
    /// The horizon and the ends that hold for this model.
    pub fn of(&self, model: &Model) -> (Horizon, Ends) {
        (self.horizon.unwrap_or(model.horizon), self.ends.unwrap_or(model.ends))
    }

    /// The model over these paths, with a history or without.
    pub fn asked<'a>(&self, problem: &'a Problem, model: &Model, work: &Work) -> Result<AskedModel<'a>, Failure> {
        let asked = model.asked(problem, self.horizon, self.ends, &work.of_engine())?;
        if let AskedModel::Path(paths) = &asked {
            note_precision(paths);
        }
        Ok(asked)
    }

    /// The model over these paths.
    pub fn path_model<'a>(&self, problem: &'a Problem, model: &Model) -> Result<PathModel<'a>, Failure> {
        path_model(problem, model, self.horizon, self.ends)
    }
}

/// The model with its own horizon and ends, unless others are given.
pub fn path_model<'a>(
    problem: &'a Problem,
    model: &Model,
    horizon: Option<Horizon>,
    ends: Option<Ends>,
) -> Result<PathModel<'a>, Failure> {
    let paths = model.path_model(problem, horizon, ends)?;
    note_precision(&paths);
    Ok(paths)
}

/// Rejects a causal model where routes are searched for by their weights. `remedy` says what to do instead.
pub fn check_weights(paths: &PathModel<'_>, what: &str, remedy: &str) -> Result<(), Failure> {
    match paths.chance() {
        Chance::Tilted => Ok(()),
        Chance::Fixed => Err(Failure::new(format!(
            "{what}: the model is a causal one (inference causal), whose paths have no weights to search by: {remedy}"
        ))),
    }
}

/// Says so if rewards are so large that the rounding of a path's reward shows in its probability.
fn note_precision(paths: &PathModel<'_>) {
    let reward = paths.reward();
    let largest = reward.state.iter().chain(&reward.transition).fold(0.0, |largest: f64, r| largest.max(r.abs()));
    // A typical path without a horizon is no longer than there are states.
    let longest = paths.horizon().at_most().unwrap_or(paths.mdp().n_states());
    let lost = largest * longest as f64 * f64::EPSILON;
    // Where nothing is left, there is an error instead, unless what is so large is never paid.
    if lost > 1e-3 && lost < 1.0 {
        note(format!(
            "a single reward reaches {largest:e}: 64-bit numbers hold the reward of a path of {} states to about \
             {lost:.0e} only, and its probability to that share; scale the features or theta down",
            longest
        ));
    }
}
