//! `--horizon` and `--ends` of a command that asks a model: which paths it is a distribution over.

use clap::{Arg, Args};
use revealed::{Ends, Method, PathModel};
use revealed_formats::{Model, Problem};

use super::ends::ends;
use super::horizon::{Horizon, horizon};
use crate::terminal::Failure;
use crate::terminal::notes::note;

/// The paths that the model is a distribution over: its own, unless other settings are given.
#[derive(Args)]
pub struct PathSet {
    /// Maximum number of states in a path [default: the model's]
    #[arg(long, value_name = "L", value_parser = horizon)]
    pub horizon: Option<Horizon>,
    /// Where a path may end [default: the model's]
    #[arg(long, value_parser = ends())]
    pub ends: Option<Ends>,
}

/// The help of `--horizon` for a command that also accepts `none`.
pub fn or_none(horizon: Arg) -> Arg {
    horizon.help("Maximum number of states in a path; none means no maximum [default: the model's]")
}

impl PathSet {
    /// The horizon that was given, for a command whose paths must have one.
    pub fn states(&self) -> Result<Option<usize>, Failure> {
        match self.horizon {
            Some(Horizon::States(states)) => Ok(Some(states)),
            None => Ok(None),
            Some(Horizon::None) => Err(Failure::Usage(
                "--horizon none: this command sums over paths up to a length: give the number of states (path, score and \
                 likelihood take none)"
                    .to_string(),
            )),
        }
    }

    /// The horizon and the ends that hold for this model.
    pub fn of(&self, model: &Model) -> Result<(usize, Ends), Failure> {
        Ok((self.states()?.unwrap_or(model.horizon), self.ends.unwrap_or(model.ends)))
    }

    /// The model over these paths.
    pub fn path_model<'a>(&self, problem: &'a Problem, model: &Model) -> Result<PathModel<'a>, Failure> {
        path_model(problem, model, self.states()?, self.ends)
    }

    /// The model over these paths, with its own horizon if paths of any length are asked for.
    pub fn path_model_of_any_length<'a>(&self, problem: &'a Problem, model: &Model) -> Result<PathModel<'a>, Failure> {
        let states = match self.horizon {
            Some(Horizon::States(states)) => Some(states),
            Some(Horizon::None) | None => None,
        };
        path_model(problem, model, states, self.ends)
    }
}

/// The model with its own horizon and ends, unless others are given.
pub fn path_model<'a>(
    problem: &'a Problem,
    model: &Model,
    horizon: Option<usize>,
    ends: Option<Ends>,
) -> Result<PathModel<'a>, Failure> {
    if model.inference == Method::CausalEntropy {
        let message = "the model is one of causal entropy (inference causal): it gives policies but no weights of \
                       paths; `marginals` and `sample` can use it, for this learn with --inference exact";
        return Err(Failure::new(message));
    }
    let reward = problem.features.reward(&problem.mdp, &model.theta)?;
    let (horizon, ends) = (horizon.unwrap_or(model.horizon), ends.unwrap_or(model.ends));
    let paths = PathModel::new(&problem.mdp, reward, horizon, ends)?;
    note_precision(&paths);
    Ok(paths)
}

/// Says so if rewards are so large that the rounding of a path's reward shows in its probability.
fn note_precision(paths: &PathModel<'_>) {
    let reward = paths.reward();
    let largest = reward.state.iter().chain(&reward.transition).fold(0.0, |largest: f64, r| largest.max(r.abs()));
    let lost = largest * paths.horizon() as f64 * f64::EPSILON;
    if lost > 1e-3 {
        note(format!(
            "a single reward reaches {largest:e}: 64-bit numbers hold the reward of a path of {} states to about \
             {lost:.0e} only, and its probability to that share; scale the features or theta down",
            paths.horizon()
        ));
    }
}
