//! The scores of predicted destinations, for files and for people.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::statistics::{Summary, three_digits};

/// A predictor of destinations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Forecaster {
    /// The model's own distribution over where its paths end.
    Model,
    /// The model with a prior: the paper's posterior.
    ModelWithPrior,
    /// The prior alone, whatever part of the trip was seen.
    Prior,
    /// The current position.
    HereAndNow,
}

impl Forecaster {
    /// All of them, in the order of tables.
    pub const ALL: [Forecaster; 4] = [Forecaster::Model, Forecaster::ModelWithPrior, Forecaster::Prior, Forecaster::HereAndNow];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Forecaster::Model => "model",
            Forecaster::ModelWithPrior => "model with prior",
            Forecaster::Prior => "prior alone",
            Forecaster::HereAndNow => "current position",
        }
    }
}

/// The scores of one predictor, for one share of each trip.
#[derive(Debug, Clone, PartialEq)]
pub struct DestinationScore {
    /// The predictor.
    pub forecaster: Forecaster,
    /// The share of the length of each trip that was seen.
    pub seen: f64,
    /// The rank of the true last segment when all are sorted by probability, from 1. Segments that are as probable
    /// count half. `None` for a predictor without probabilities.
    pub rank: Option<Summary>,
    /// Metres from the end of the most probable segment to the end of the true segment.
    pub error: Summary,
    /// Metres from the mean position to the end of the true segment.
    pub centre: Summary,
    /// The expected distance from the true end in metres.
    pub expected: Summary,
}

/// The scores of predicted destinations.
#[derive(Debug, Clone, PartialEq)]
pub struct DestinationEvaluation {
    /// The number of trips.
    pub trips: usize,
    /// The number of trips whose destinations were predicted.
    pub asked: usize,
    /// The time that it took.
    pub seconds: f64,
    /// By share, then by predictor.
    pub scores: Vec<DestinationScore>,
}

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

    /// A table for people.
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
                three_digits(100.0 * score.seen),
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
