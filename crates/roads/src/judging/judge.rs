//! Judges predictors by the same trips.

use std::path::Path;

use revealed::{Demonstrations, Method, PathModel, RouteChoice, Trajectory, Watch, Work};
use revealed_formats::{Problem, atomic, csv_cell};

use super::examples::examples;
use super::flows::{visits, visits_of_all};
use super::metrics::{Comparison, Metrics};
use super::score::Score;
use crate::error::Error;
use crate::prediction::{Predictions, predict};
use crate::world::Roads;

/// The columns of the table of comparisons.
const COLUMNS: [&str; 8] =
    ["trip", "states", "km", "distance_match", "covered", "feature_distance_km", "predicted_km", "identical"];

/// Judges predictors by the same trips, which none of them was learned from.
#[derive(Debug, Clone)]
pub struct Judge<'a> {
    /// The network.
    pub roads: &'a Roads,
    /// Its problem.
    pub problem: &'a Problem,
    /// The test trips.
    pub trips: &'a [Trajectory],
    /// Threads and memory. No result depends on them.
    pub work: Work,
    metrics: Metrics,
}

/// The predictions of one predictor, and their scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// A route for each trip.
    pub predictions: Predictions,
    /// The scores.
    pub score: Score,
}

impl<'a> Judge<'a> {
    /// Prepares the metrics of a network.
    pub fn new(roads: &'a Roads, problem: &'a Problem, trips: &'a [Trajectory], work: Work) -> Judge<'a> {
        Judge { roads, problem, trips, work, metrics: Metrics::new(roads) }
    }

    /// The metrics of the network.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Predicts the route of every trip as [`predict`] does, and scores the predictions.
    ///
    /// # Errors
    /// As [`predict`].
    pub fn routes(&self, name: &'static str, model: &PathModel<'_>, bounded: bool, watch: &Watch<'_>) -> Result<Judged, Error> {
        let predictions = predict(self.roads, model, self.trips, bounded, &self.work, name, watch)?;
        let score = Score::new(name, &self.metrics, self.trips, &predictions);
        Ok(Judged { predictions, score })
    }

    /// The trips to show, as [`examples`] chooses them.
    pub fn examples(&self, predictions: &Predictions, least_states: usize, shares: [f64; 3]) -> [Option<usize>; 3] {
        examples(&self.metrics, self.trips, predictions, least_states, shares)
    }

    /// How often each state is visited by the trips. A state and its copies count together.
    pub fn driven_visits(&self) -> Vec<f64> {
        self.roads.over_copies(visits(self.roads.n_states(), self.trips.iter().map(|trip| &trip.states[..])))
    }

    /// How often a model visits each state between the ends of the trips: in expectation for a recursive logit, and by
    /// its predicted routes otherwise. A state and its copies count together.
    ///
    /// # Errors
    /// If sums over routes of any length do not exist for θ.
    pub fn model_visits(&self, theta: &[f64], method: Method, predictions: &Predictions) -> Result<Vec<f64>, Error> {
        if method != Method::RecursiveLogit {
            let routes = predictions.routes.iter().flatten().map(|route| &route[..]);
            return Ok(self.roads.over_copies(visits(self.roads.n_states(), routes)));
        }
        let trips = Demonstrations::new(&self.problem.mdp, self.trips)?;
        let mut choice = RouteChoice::new(&self.problem.mdp, &self.problem.features, &trips, &self.work)?;
        Ok(self.roads.over_copies(visits_of_all(&choice.visits(theta)?.state, self.trips.len())))
    }

    /// The trips that have a prediction, with their comparisons.
    pub fn comparisons(&self, predictions: &Predictions) -> Vec<(usize, Comparison)> {
        let routes = predictions.routes.iter().enumerate();
        let compared = |(trip, route): (usize, &Vec<usize>)| (trip, self.metrics.compare(route, &self.trips[trip].states));
        routes.filter_map(|(trip, route)| Some((trip, route.as_ref().ok()?))).map(compared).collect()
    }

    /// Writes a table with the comparison of every trip that has a prediction (`.csv`). Ids are written as [`csv_cell`]
    /// does.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_comparisons(&self, file: &Path, predictions: &Predictions) -> Result<(), Error> {
        Ok(atomic::write(file, |writer| {
            let mut table = csv::Writer::from_writer(writer);
            table.write_record(COLUMNS)?;
            for (trip, one) in self.comparisons(predictions) {
                let trip = &self.trips[trip];
                let (id, states) = (csv_cell(trip.id.as_deref().unwrap_or_default()), trip.states.len().to_string());
                let numbers = [one.driven, one.distance_match, one.covered, one.feature_distance, one.predicted];
                let [driven, matched, covered, distance, predicted] = numbers.map(|number| number.to_string());
                let identical = one.identical.to_string();
                table.write_record([&id, &states[..], &driven, &matched, &covered, &distance, &predicted, &identical])?;
            }
            table.flush()
        })?)
    }
}
