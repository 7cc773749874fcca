//! `--ends` and `--horizon` of a command that learns: the paths of the model that is fitted.

use clap::Args;
use revealed::{Ends, Horizon, Method, Options};

use super::ends::ends;
use super::horizon::horizon;
use super::work::Work;

/// The paths of the model that is fitted.
#[derive(Args)]
pub struct FittedPaths {
    /// Where a path may end [default: anywhere; with --inference causal or causal-dual, horizon; with recursive-logit, goal]
    #[arg(long, value_parser = ends())]
    pub ends: Option<Ends>,
    /// Maximum number of states in a path, or any for no maximum [default: the length of the longest demonstration;
    /// with --inference recursive-logit, any]
    #[arg(long, value_name = "L", value_parser = horizon)]
    pub horizon: Option<Horizon>,
}

impl FittedPaths {
    /// The options of the engine.
    pub fn options(&self, method: Method, work: &Work) -> Options {
        work.options(self.ends.unwrap_or(method.usual_ends()), self.horizon)
    }
}
