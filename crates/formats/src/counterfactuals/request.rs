//! What is asked.

use revealed::{Demand, Ends, Features, Outcome, Trip};
use serde::{Deserialize, Serialize};

use super::names;
use super::scenario::ScenarioRecord;
use crate::Fault;
use crate::models::Model;
use crate::problems::Problem;

/// With more features, their expectations are not among the default outcomes.
const MOST_FEATURES: usize = 12;

/// What is asked of a model: which world to compare with, over which paths, and which outcomes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CounterfactualRequest {
    /// The changes of the world.
    pub scenario: Option<ScenarioRecord>,
    /// Outcomes by name, such as `visits:3`; if empty, lengths, rewards, the logsum and up to 12 features.
    pub outcomes: Vec<String>,
    /// How many states to add to them, those whose visits change most.
    pub flows: usize,
    /// Features of which point elasticities are asked.
    pub elasticities: Vec<String>,
    /// Ratios of weights, such as `time/price`.
    pub ratios: Vec<String>,
    /// The demand as trips; if empty, the paths from `start` to `to`.
    pub trips: Vec<TripRecord>,
    /// Weights of first states; absent for those of the world.
    pub start: Option<Vec<(usize, f64)>>,
    /// The last state.
    pub to: Option<usize>,
    /// Visits, transitions and ends are multiplied by this number of travellers.
    pub travellers: f64,
    /// The confidence level of the intervals.
    pub level: f64,
    /// Whether to use the robust covariance.
    pub robust: bool,
}

/// A trip of the demand.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TripRecord {
    /// The first state.
    pub from: usize,
    /// The last state.
    #[serde(default)]
    pub to: Option<usize>,
    /// How much it counts.
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

impl Default for CounterfactualRequest {
    fn default() -> Self {
        CounterfactualRequest {
            scenario: None,
            outcomes: Vec::new(),
            flows: 5,
            elasticities: Vec::new(),
            ratios: Vec::new(),
            trips: Vec::new(),
            start: None,
            to: None,
            travellers: 1.0,
            level: 0.95,
            robust: false,
        }
    }
}

impl CounterfactualRequest {
    /// The outcomes, without those that are added because they change most.
    pub(super) fn outcomes(&self, features: &Features) -> Result<Vec<Outcome>, Fault> {
        if !self.outcomes.is_empty() {
            return self.outcomes.iter().map(|text| names::outcome(text, features)).collect();
        }
        let mut outcomes = vec![Outcome::Length, Outcome::Reward, Outcome::Logsum];
        if features.n_features() <= MOST_FEATURES {
            outcomes.extend((0..features.n_features()).map(Outcome::Feature));
        }
        Ok(outcomes)
    }

    /// Over which paths outcomes are averaged.
    pub(super) fn demand(&self, problem: &Problem, model: &Model) -> Result<Demand, Fault> {
        if !self.trips.is_empty() {
            let trip = |trip: &TripRecord| Trip { from: trip.from, to: trip.to, weight: trip.weight };
            let trips: Vec<Trip> = self.trips.iter().map(trip).collect();
            return match trips.iter().position(|trip| model.ends == Ends::Goal && trip.to.is_none()) {
                Some(row) => Err(Fault::value("trips", row, "without a last state", "one with `to`: the model has ends goal")),
                None => Ok(Demand::Trips(trips)),
            };
        }
        match (model.ends, self.to, &self.start) {
            (Ends::Goal, None, _) => Err(Fault::Request(
                "the model is one of paths to a goal (ends goal): say which trips there are, as pairs of states, or as one \
                 first and one last state"
                    .to_string(),
            )),
            (_, None, None) => Ok(Demand::Start),
            (_, to, Some(start)) => Ok(Demand::From { start: start.clone(), to }),
            (_, to, None) => Ok(Demand::From { start: problem.mdp.start().to_vec(), to }),
        }
    }
}
