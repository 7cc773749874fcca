//! Which standard errors a summary reports.

use clap::Args;
use clap::builder::TypedValueParser;
use revealed::{Cluster, ErrorKind};

use super::choice::choice;

/// The errors of z-values, p-values and intervals.
#[derive(Args)]
pub struct ErrorArgs {
    /// Errors of the z-values and intervals: the model's, or the robust ones (sandwich), which hold even if the model
    /// is wrong [default: model, or robust with --cluster]
    #[arg(long, value_parser = kind_of_errors())]
    errors: Option<ErrorKind>,
    /// Robust errors that let demonstrations depend on each other: those between the same two states
    /// (origin-destination), or those with the same value in a column of `trip`, such as driver
    #[arg(long, value_name = "COLUMN")]
    cluster: Option<String>,
}

/// What a summary reports.
#[derive(Clone)]
pub struct Reported {
    /// The level of the intervals.
    pub level: f64,
    /// The errors of the z-values and intervals.
    pub errors: ErrorKind,
    /// The clusters of the robust errors.
    pub cluster: Cluster,
}

impl ErrorArgs {
    /// Whether any was given.
    pub fn is_given(&self) -> bool {
        self.errors.is_some() || self.cluster.is_some()
    }

    /// With intervals of this level.
    pub fn reported(&self, level: f64) -> Reported {
        let usual = if self.cluster.is_some() { ErrorKind::Robust } else { ErrorKind::Model };
        let cluster = self.cluster.as_deref().map_or(Cluster::Each, Cluster::from_name);
        Reported { level, errors: self.errors.unwrap_or(usual), cluster }
    }
}

/// The names of the errors.
pub fn kind_of_errors() -> impl TypedValueParser<Value = ErrorKind> {
    choice(&[ErrorKind::Model, ErrorKind::Robust], ErrorKind::name, |kind| match kind {
        ErrorKind::Model => "Of the model: it is right, and demonstrations are independent",
        ErrorKind::Robust => "The sandwich of the information and the demonstrations' own scores",
    })
}
