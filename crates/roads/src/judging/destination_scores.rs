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
    /// The model, a prior and lengths of trips: [`DestinationModel`](crate::DestinationModel).
    Together,
    /// The prior alone, whatever part of the trip was seen.
    Prior,
    /// The current position.
    HereAndNow,
    /// The trip goes straight on, by a learned multiple of the straight line so far.
    StraightOn,
}

impl Forecaster {
    /// All of them, in the order of tables.
    pub const ALL: [Forecaster; 6] = [
        Forecaster::Together,
        Forecaster::ModelWithPrior,
        Forecaster::Model,
        Forecaster::Prior,
        Forecaster::HereAndNow,
        Forecaster::StraightOn,
    ];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Forecaster::Model => "model",
            Forecaster::ModelWithPrior => "model with prior",
            Forecaster::Together => "model, prior, length",
            Forecaster::Prior => "prior alone",
            Forecaster::HereAndNow => "current position",
            Forecaster::StraightOn => "straight on",
        }
    }

    /// Whether it has a probability for each destination, and not only one place.
    pub const fn has_probabilities(self) -> bool {
        !matches!(self, Forecaster::HereAndNow | Forecaster::StraightOn)
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
    /// Metres from the place with the smallest expected distance (the geometric median) to the end of the true segment.
    pub place: Summary,
    /// The expected distance from the true end in metres.
    pub expected: Summary,
    /// The probability of the true square kilometre. `None` for a predictor without probabilities.
    pub square: Option<Summary>,
    /// The logarithm of that probability.
    pub log_score: Option<Summary>,
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
                "error_m": score.error.to_json(), "place_m": score.place.to_json(), "expected_m": score.expected.to_json(),
                "square_km_p": score.square.map(|p| p.to_json()), "square_km_log_p": score.log_score.map(|p| p.to_json()),
            })
        };
        let scores: Vec<Value> = self.scores.iter().map(score).collect();
        json!({ "trips": self.trips, "asked": self.asked, "seconds": self.seconds, "scores": scores })
    }

    /// A table for people.
    pub fn table(&self) -> String {
        let mut text = format!("destinations of {} of {} trips, {:.1} s\n", self.asked, self.trips, self.seconds);
        let mut row = |cells: [&str; 7]| {
            let [seen, forecaster, rank, error, place, expected, square] = cells;
            let line = format!("{seen:>5} {forecaster:<20} {rank:<19} {error:<19} {place:<19} {expected:<19} {square}");
            let _ = writeln!(text, "{}", line.trim_end());
        };
        row(["seen", "forecaster", "rank", "likeliest m", "place m", "expected m", "true km²"]);
        for score in &self.scores {
            let rank = score.rank.map_or("-".to_string(), |rank| rank.to_string());
            let square = score.square.map_or("-".to_string(), |p| three_digits(p.mean));
            row([
                &format!("{}%", three_digits(100.0 * score.seen)),
                score.forecaster.name(),
                &rank,
                &score.error.to_string(),
                &score.place.to_string(),
                &score.expected.to_string(),
                &square,
            ]);
        }
        let _ = writeln!(
            text,
            "medians with 90 % intervals; likeliest: metres from the likeliest segment; place: from the place with the \
             smallest expected distance; true km²: mean probability of the true square kilometre"
        );
        text
    }
}
