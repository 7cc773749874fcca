//! How near predicted routes come to those that were driven: the paper's table.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use revealed::Trajectory;
use serde_json::{Value, json};

use crate::baselines::Predictions;
use crate::features::{Group, RoadFeatures};
use crate::roads::Roads;
use crate::summary::{Summary, shown};

/// A predicted route beside the one that was driven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The paper's distance match, in per cent: how much of the length of the predicted route is on the one that was driven. A
    /// segment that is predicted more often than it was driven counts as often as it was driven.
    pub distance_match: f64,
    /// How much of the length of the route that was driven is on the predicted one, in per cent.
    pub covered: f64,
    /// The paper's feature distance in km: the L2 norm of the difference of the two routes' 14 features, which are lengths.
    pub feature_distance: f64,
    /// The length of the predicted route in km.
    pub predicted: f64,
    /// The length of the route that was driven in km.
    pub driven: f64,
    /// Whether they are the same.
    pub identical: bool,
}

/// Compares routes on one network.
#[derive(Debug, Clone)]
pub struct Metrics {
    lengths: Vec<f64>,
    n_features: usize,
    first: Vec<usize>,
    features: Vec<(usize, f64)>,
}

impl Metrics {
    /// The lengths and the paper's features of a network, whatever other features it has, so that models with different features
    /// compare.
    pub fn new(roads: &Roads) -> Metrics {
        let of_segments = RoadFeatures::new(&roads.network, &Group::PAPER);
        let found = match &roads.chains {
            Some(chains) => chains.features(&roads.network, &of_segments),
            None => of_segments,
        };
        let mut first = vec![0; roads.n_states() + 1];
        found.of_segments.iter().for_each(|row| first[row.0 + 1] += 1);
        for state in 0..roads.n_states() {
            first[state + 1] += first[state];
        }
        let features = found.of_segments.iter().map(|row| (row.1, row.2)).collect();
        Metrics { lengths: roads.lengths(), n_features: found.names.len(), first, features }
    }

    /// The features of a route, in metres.
    pub fn features(&self, states: &[usize]) -> Vec<f64> {
        let mut sum = vec![0.0; self.n_features];
        for &state in states {
            self.features[self.first[state]..self.first[state + 1]].iter().for_each(|&(feature, value)| sum[feature] += value);
        }
        sum
    }

    /// Compares a predicted route with the one that was driven. Where one of them has no length, they match if they are the same.
    pub fn compare(&self, predicted: &[usize], driven: &[usize]) -> Comparison {
        let mut left: HashMap<usize, usize> = HashMap::new();
        driven.iter().for_each(|&state| *left.entry(state).or_default() += 1);
        let mut common = 0.0;
        for state in predicted {
            if let Some(times) = left.get_mut(state).filter(|times| **times > 0) {
                *times -= 1;
                common += self.lengths[*state];
            }
        }
        let length = |states: &[usize]| states.iter().map(|&state| self.lengths[state]).sum::<f64>();
        let (of_predicted, of_driven) = (length(predicted), length(driven));
        let identical = predicted == driven;
        let share = |whole: f64| if whole > 0.0 { (100.0 * common / whole).min(100.0) } else { 100.0 * f64::from(identical) };
        let (one, other) = (self.features(predicted), self.features(driven));
        let squares: f64 = one.iter().zip(&other).map(|(one, other)| (one - other).powi(2)).sum();
        Comparison {
            distance_match: share(of_predicted),
            covered: share(of_driven),
            feature_distance: squares.sqrt() / 1000.0,
            predicted: of_predicted / 1000.0,
            driven: of_driven / 1000.0,
            identical,
        }
    }
}

/// How well one predictor does.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// What it is called.
    pub name: String,
    /// Trips that it was asked for.
    pub asked: usize,
    /// Trips without a prediction, by the reason. They are in none of the numbers below.
    pub missing: BTreeMap<String, usize>,
    /// Of the trips with a prediction.
    pub distance_match: Summary,
    /// The same for the share of the driven route that was predicted.
    pub covered: Summary,
    /// In km.
    pub feature_distance: Summary,
    /// The length of predicted routes in km.
    pub predicted: Summary,
    /// The share of trips, 0 to 1, whose route is predicted to the last segment.
    pub identical: f64,
    /// The time that the predictions took.
    pub seconds: f64,
}

impl Score {
    /// Judges predictions for trips, which are in the same order.
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

/// What came of several predictors on the same trips.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evaluation {
    /// Trips that the models were learned from.
    pub trained_on: usize,
    /// Trips that they are judged by.
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

    /// A table in words: medians with 90 % intervals of the median, and means.
    pub fn table(&self) -> String {
        let mut text = format!("{} trips to learn from, {} to judge by\n", self.trained_on, self.judged_by);
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
                shown(score.distance_match.mean),
                score.covered.to_string(),
                score.feature_distance.to_string(),
                shown(score.feature_distance.mean),
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
