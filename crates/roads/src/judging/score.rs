//! Scores of predictors on the same trips, as in the paper's table.

use std::collections::BTreeMap;
use std::fmt::Write;

use revealed::Trajectory;
use serde_json::{Value, json};

use super::metrics::{Comparison, Metrics};
use crate::prediction::Predictions;
use crate::statistics::{Summary, three_digits};

/// The scores of one predictor.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The name of the predictor.
    pub name: String,
    /// The number of trips that it was asked about.
    pub asked: usize,
    /// The number of trips without a prediction, by reason. They do not count in the numbers below.
    pub missing: BTreeMap<String, usize>,
    /// The distance match of the trips with a prediction, in per cent.
    pub distance_match: Summary,
    /// The share of the driven route that was predicted, in per cent.
    pub covered: Summary,
    /// The feature distance in km.
    pub feature_distance: Summary,
    /// The length of predicted routes in km.
    pub predicted: Summary,
    /// The share of trips, 0 to 1, whose whole route is predicted correctly.
    pub identical: f64,
    /// The time that the predictions took.
    pub seconds: f64,
}

impl Score {
    /// Scores the predictions for some trips, which are in the same order.
    pub fn new(name: &str, metrics: &Metrics, trips: &[Trajectory], predictions: &Predictions) -> Score {
        let mut missing = BTreeMap::new();
        let mut all = Vec::with_capacity(trips.len());
        for (trip, route) in trips.iter().zip(&predictions.routes) {
            match route {
                Ok(route) => all.push(metrics.compare(route, &trip.states)),
                Err(reason) => *missing.entry(reason.clone()).or_default() += 1,
            }
        }
        let of = |value: fn(&Comparison) -> f64| Summary::of(&all.iter().map(value).collect::<Vec<f64>>());
        Score {
            name: name.to_string(),
            asked: trips.len(),
            missing,
            distance_match: of(|one| one.distance_match),
            covered: of(|one| one.covered),
            feature_distance: of(|one| one.feature_distance),
            predicted: of(|one| one.predicted),
            identical: all.iter().filter(|one| one.identical).count() as f64 / all.len() as f64,
            seconds: predictions.seconds,
        }
    }

    /// For files.
    pub fn to_json(&self) -> Value {
        json!({
            "name": self.name, "asked": self.asked, "missing": self.missing, "distance_match": self.distance_match.to_json(),
            "covered": self.covered.to_json(), "feature_distance": self.feature_distance.to_json(),
            "predicted_km": self.predicted.to_json(), "identical": self.identical, "seconds": self.seconds,
        })
    }
}

/// The scores of several predictors on the same trips.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evaluation {
    /// The number of training trips.
    pub trained_on: usize,
    /// The number of test trips.
    pub judged_by: usize,
    /// One for each predictor.
    pub scores: Vec<Score>,
}

impl Evaluation {
    /// For files.
    pub fn to_json(&self) -> Value {
        let scores: Vec<Value> = self.scores.iter().map(Score::to_json).collect();
        json!({ "trained_on": self.trained_on, "judged_by": self.judged_by, "scores": scores })
    }

    /// A table for people: medians with 90 % intervals of the median, and means.
    pub fn table(&self) -> String {
        let mut text = format!("{} training trips, {} test trips\n", self.trained_on, self.judged_by);
        let width = self.scores.iter().map(|score| score.name.chars().count()).max().unwrap_or(0).max("predictor".len());
        let _ = writeln!(
            text,
            "{:<width$} {:>6}  {:<20} {:>5}  {:<20} {:<22} {:>5} {:>5} {:>7}",
            "predictor", "trips", "distance match %", "mean", "covered %", "feature distance km", "mean", "same", "s"
        );
        for score in &self.scores {
            let _ = writeln!(
                text,
                "{:<width$} {:>6}  {:<20} {:>5}  {:<20} {:<22} {:>5} {:>4.0}% {:>7.1}",
                score.name,
                score.distance_match.n,
                score.distance_match.to_string(),
                three_digits(score.distance_match.mean),
                score.covered.to_string(),
                score.feature_distance.to_string(),
                three_digits(score.feature_distance.mean),
                100.0 * score.identical,
                score.seconds
            );
        }
        for score in &self.scores {
            for (reason, count) in &score.missing {
                let _ = writeln!(text, "{}: no prediction for {count} of {} trips: {reason}", score.name, score.asked);
            }
        }
        text
    }
}
