//! Who travels: where paths begin and end, and with which weight.

use crate::Error;
use crate::world::Mdp;

/// A trip: its first state, its last state if that is known, and how much it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trip {
    /// The first state.
    pub from: usize,
    /// The last state. [`Ends::Goal`](crate::Ends::Goal) requires it.
    pub to: Option<usize>,
    /// Its weight, such as a number of travellers.
    pub weight: f64,
}

/// Over which paths outcomes are averaged.
#[derive(Debug, Clone, PartialEq)]
pub enum Demand {
    /// The paths from p0 of each world.
    Start,
    /// The paths from these first states with their weights, given the last state if there is one. They mean the same
    /// as in [`PathModel::distribution`](crate::PathModel::distribution).
    From {
        /// (s, f(s)).
        start: Vec<(usize, f64)>,
        /// The last state.
        to: Option<usize>,
    },
    /// The mean over trips, each given its ends.
    Trips(Vec<Trip>),
}

impl Demand {
    /// Rejects states that do not exist and weights that are negative, not finite, or all zero.
    pub(super) fn check(&self, mdp: &Mdp) -> Result<(), Error> {
        let Demand::Trips(trips) = self else { return Ok(()) };
        let count = mdp.n_states();
        for (row, trip) in trips.iter().enumerate() {
            for (what, index) in [("from", Some(trip.from)), ("to", trip.to)] {
                if let Some(index) = index.filter(|&state| state >= count) {
                    return Err(Error::OutOfRange { table: "trips", row, what, index, count });
                }
            }
            let value = trip.weight;
            if !(value.is_finite() && value >= 0.0) {
                let expected = "a finite number, 0 or more";
                return Err(Error::BadNumber { table: "trips", row, what: "weight", value, expected });
            }
        }
        match trips.iter().map(|trip| trip.weight).sum::<f64>() {
            total if total > 0.0 && total.is_finite() => Ok(()),
            value => Err(Error::Setting { what: "the sum of the trips' weights", value, expected: "finite and above 0" }),
        }
    }
}

/// Trips to one last state: (first state, share of all trips), each first state once.
pub(super) struct TripGroup {
    pub to: Option<usize>,
    pub share: f64,
    pub start: Vec<(usize, f64)>,
}

/// The trips by their last state, with shares that sum to 1.
pub(super) fn groups(trips: &[Trip]) -> Vec<TripGroup> {
    let total: f64 = trips.iter().map(|trip| trip.weight).sum();
    let mut shares = std::collections::BTreeMap::<Option<usize>, std::collections::BTreeMap<usize, f64>>::new();
    for trip in trips.iter().filter(|trip| trip.weight > 0.0) {
        *shares.entry(trip.to).or_default().entry(trip.from).or_insert(0.0) += trip.weight / total;
    }
    let group = |(to, start): (Option<usize>, std::collections::BTreeMap<usize, f64>)| TripGroup {
        to,
        share: start.values().sum(),
        start: start.into_iter().collect(),
    };
    shares.into_iter().map(group).collect()
}
