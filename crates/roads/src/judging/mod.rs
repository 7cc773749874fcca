//! Judging predictions: metrics, baselines, and the tables of an evaluation.
//!
//! This module divides trips into training and test sets, and compares predictions with what was driven and with
//! simpler predictors. It uses `prediction` and `world`. Begin with [`evaluate`], which does all of it, and with
//! [`Judge`] for its parts.

pub mod baselines;
mod destination_scores;
mod destination_task;
mod destinations;
mod evaluate;
mod examples;
mod flows;
mod judge;
mod metrics;
mod score;
mod split;

pub use self::baselines::Baseline;
pub use self::destination_scores::{DestinationEvaluation, DestinationScore, Forecaster};
pub use self::destinations::{DestinationOptions, SEEN, evaluate_destinations};
pub use self::evaluate::{EvaluateOptions, Evaluated, evaluate, long_enough};
pub use self::examples::examples;
pub use self::flows::{visits, visits_of_all};
pub use self::judge::{Judge, Judged};
pub use self::metrics::{Comparison, Metrics};
pub use self::score::{Evaluation, Score};
pub use self::split::{Split, split};
