//! The search for θ: its bounds and its end, and what is done with the result.

use clap::Args;
use revealed::{MaxEnt, Method, Options};

use super::bounds;
use super::errors::{ErrorArgs, Reported};
use super::level::level;
use crate::terminal::Failure;

/// Where a search may go and when it gives up.
#[derive(Args)]
pub struct SearchLimits {
    /// Bounds of every weight, such as -10,10 or -inf,0; or a file with a JSON array of [lo, hi] per feature
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true)]
    pub bounds: Option<String>,
    /// Maximum number of iterations of the search
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub max_iterations: usize,
}

impl SearchLimits {
    /// The settings of a fit within these limits.
    pub fn settings(&self, method: Method, options: Options, n_features: usize) -> Result<MaxEnt, Failure> {
        let bounds = bounds::parse(self.bounds.as_deref(), n_features)?;
        Ok(MaxEnt { method, options, bounds, max_iterations: self.max_iterations, ..MaxEnt::default() })
    }
}

/// One search, from its settings to the summary of its result.
#[derive(Args)]
pub struct SearchArgs {
    /// Its limits
    #[command(flatten)]
    pub limits: SearchLimits,
    /// Subtract X/2 times the squared length of theta from the mean log-likelihood
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    pub l2: f64,
    /// Print standard errors, intervals and fit statistics, and keep them in the model; see `revealed summary`
    #[arg(long, visible_alias = "standard-errors")]
    pub summary: bool,
    /// Confidence level of the intervals of --summary
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = level, allow_negative_numbers = true, requires = "summary")]
    pub level: f64,
    /// Which standard errors --summary reports
    #[command(flatten)]
    pub errors: ErrorArgs,
    /// Continue where an earlier run with the same output stopped or was killed
    #[arg(long)]
    pub resume: bool,
}

impl SearchArgs {
    /// The settings of the fit.
    pub fn settings(&self, method: Method, options: Options, n_features: usize) -> Result<MaxEnt, Failure> {
        Ok(MaxEnt { l2: self.l2, ..self.limits.settings(method, options, n_features)? })
    }

    /// What the summary reports, if one is asked for.
    ///
    /// # Errors
    /// If --errors or --cluster is given without --summary.
    pub fn summary(&self) -> Result<Option<Reported>, Failure> {
        if !self.summary && self.errors.is_given() {
            return Err(Failure::Usage("--errors and --cluster say what --summary reports: add --summary".to_string()));
        }
        Ok(self.summary.then(|| self.errors.reported(self.level)))
    }
}
