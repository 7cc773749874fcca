//! `--ends` and `--horizon` of a command that learns: the paths of the model that is fitted.

use clap::Args;
use revealed::{Ends, Method, Options};

use super::ends::ends;
use super::horizon::{Horizon, horizon};
use super::work::Work;
use crate::terminal::Failure;

/// The paths of the model that is fitted.
#[derive(Args)]
pub struct FittedPaths {
    /// Where a path may end [default: anywhere; with --inference causal, horizon; with recursive-logit, goal]
    #[arg(long, value_parser = ends())]
    pub ends: Option<Ends>,
    /// Maximum number of states in a path; none means no maximum (only with --inference recursive-logit) [default:
    /// the length of the longest demonstration]
    #[arg(long, value_name = "L", value_parser = horizon)]
    pub horizon: Option<Horizon>,
}

impl FittedPaths {
    /// The options of the engine.
    pub fn options(&self, method: Method, work: &Work) -> Result<Options, Failure> {
        let is_of_any_length = method == Method::RecursiveLogit;
        let horizon = self.states(is_of_any_length, "learn with --inference recursive-logit, or give the number of states")?;
        Ok(work.options(self.ends.unwrap_or(method.usual_ends()), horizon))
    }

    /// The horizon that was given. Rejects `none` if the paths of the model must have a horizon.
    pub fn states(&self, may_be_none: bool, remedy: &str) -> Result<Option<usize>, Failure> {
        match self.horizon {
            Some(Horizon::States(states)) => Ok(Some(states)),
            Some(Horizon::None) if !may_be_none => {
                Err(Failure::Usage(format!("--horizon none: the paths of this model have a horizon: {remedy}")))
            }
            Some(Horizon::None) | None => Ok(None),
        }
    }
}
