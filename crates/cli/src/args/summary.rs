//! The command line of summaries.

use std::path::PathBuf;

use clap::Args;

use super::Work;

/// `revealed summary`
#[derive(Args)]
pub struct Summary {
    /// Problem file (.json or .npz)
    pub problem: PathBuf,
    /// Model file, learned from these demonstrations
    pub model: PathBuf,
    /// Demonstrations (.jsonl or .npz)
    pub demos: PathBuf,
    /// The probability with which intervals cover
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = level, allow_negative_numbers = true)]
    pub level: f64,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}

/// A probability that is neither 0 nor 1.
pub fn level(text: &str) -> Result<f64, String> {
    let level = text.parse().ok().filter(|&level: &f64| level > 0.0 && level < 1.0);
    level.ok_or_else(|| "give a number between 0 and 1, such as 0.95".to_string())
}
