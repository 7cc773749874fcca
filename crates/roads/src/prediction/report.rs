//! How well destinations are predicted, for files and for people.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{DestinationEvaluation, DestinationScore};
use crate::summary::shown;

impl DestinationEvaluation {
    /// For files.
    pub fn to_json(&self) -> Value {
        let score = |score: &DestinationScore| {
            json!({
                "forecaster": score.forecaster.name(), "seen": score.seen, "rank": score.rank.map(|rank| rank.to_json()),
                "error_m": score.error.to_json(), "centre_m": score.centre.to_json(), "expected_m": score.expected.to_json(),
            })
        };
        let scores: Vec<Value> = self.scores.iter().map(score).collect();
        json!({ "trips": self.trips, "asked": self.asked, "seconds": self.seconds, "scores": scores })
    }

    /// A table in words.
    pub fn table(&self) -> String {
        let mut text = format!("destinations of {} of {} trips, {:.1} s\n", self.asked, self.trips, self.seconds);
        let _ = writeln!(
            text,
            "{:>5} {:<18} {:<22} {:<22} {:<22} {:<22}",
            "seen", "forecaster", "rank", "error m", "error of the mean m", "expected error m"
        );
        for score in &self.scores {
            let rank = score.rank.map_or("-".to_string(), |rank| rank.to_string());
            let _ = writeln!(
                text,
                "{:>4}% {:<18} {:<22} {:<22} {:<22} {:<22}",
                shown(100.0 * score.seen),
                score.forecaster.name(),
                rank,
                score.error.to_string(),
                score.centre.to_string(),
                score.expected.to_string()
            );
        }
        text
    }
}
