//! The command line of a search for theta.

use clap::Args;

use super::summary::level;

/// How theta is searched for, and what is said about it.
#[derive(Args)]
pub struct Search {
    /// Bounds of every weight, such as -10,10 or -inf,0; or a file with a JSON array of [lo, hi] per feature
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true)]
    pub bounds: Option<String>,
    /// Subtract X/2 times the squared length of theta from the mean log-likelihood
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true)]
    pub l2: f64,
    /// Print standard errors, intervals and fit statistics, and keep them in the model; see `revealed summary`
    #[arg(long)]
    pub summary: bool,
    /// The probability with which the intervals of --summary cover
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = level, requires = "summary")]
    pub level: f64,
    /// Go on where an earlier run with the same output stopped or was killed
    #[arg(long)]
    pub resume: bool,
    /// Give up after this many iterations
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub max_iterations: usize,
}
