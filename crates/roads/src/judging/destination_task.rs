//! The predictions and their outcomes for a few trips, in one thread.

use revealed::{Scaled, Trajectory};

use super::destination_scores::Forecaster;
use super::destinations::DestinationOptions;
use crate::error::Error;
use crate::prediction::{
    Continuations, DestinationModel, Distances, Exponents, driven, log_ratio, middle, over_copies, prefix_length,
};
use crate::world::Roads;

/// The outcome of one prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outcome {
    pub rank: f64,
    pub error: f64,
    pub place: f64,
    pub expected: f64,
    pub square: f64,
}

/// The outcomes of all predictors.
pub(super) type Outcomes = [Outcome; Forecaster::ALL.len()];

/// The side of a square in metres.
const SIDE: f64 = 1000.0;

/// The square kilometre of a place.
fn square([x, y]: [f64; 2]) -> [i64; 2] {
    [x, y].map(|metres| (metres / SIDE).floor() as i64)
}

/// What all threads share.
pub(super) struct DestinationTask<'a> {
    pub roads: &'a Roads,
    pub model: &'a DestinationModel,
    pub trips: &'a [Trajectory],
    pub options: &'a DestinationOptions,
    pub distances: Distances<'a>,
    /// The middle of the prior.
    pub usual: Option<[f64; 2]>,
    /// Whether the route model has its own distribution over destinations.
    pub has_own: bool,
}

/// The end of a trip.
struct Truth {
    goal: usize,
    at: [f64; 2],
    /// The distance of the end of each state from it.
    apart: Vec<f64>,
}

impl DestinationTask<'_> {
    /// The outcomes of all predictors for each part of some trips.
    pub fn answer(&self, sums: &mut Continuations<'_, '_>, group: &[usize]) -> Result<Vec<Vec<Outcomes>>, Error> {
        let mut asked: Vec<(usize, usize)> = group.iter().map(|&trip| (self.trips[trip].states[0], 1)).collect();
        group.iter().for_each(|&trip| asked.extend(self.cuts(trip)));
        asked.sort_unstable();
        asked.dedup();
        let found = sums.endings(&asked)?;
        let found: Vec<Vec<Scaled>> = found.into_iter().map(|weights| over_copies(self.roads, weights)).collect();
        let of = |start: (usize, usize)| &found[asked.partition_point(|&other| other < start)];
        let answer = |&trip: &usize| {
            let states = &self.trips[trip].states;
            let (truth, whole) = (self.truth(self.roads.original(states[states.len() - 1])), of((states[0], 1)));
            let by_prior = self.judge(&self.model.prior, self.usual, &truth);
            self.cuts(trip).map(|cut| self.outcomes(&states[..cut.1], [of(cut), whole], &truth, by_prior)).collect()
        };
        group.iter().map(answer).collect()
    }

    /// The last states of the parts of a trip that are seen, and the times there.
    fn cuts(&self, trip: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let states = &self.trips[trip].states;
        self.options.seen.iter().map(|&seen| prefix_length(self.roads, states, seen)).map(|t| (states[t - 1], t))
    }

    fn truth(&self, goal: usize) -> Truth {
        let places = &self.model.places;
        let at = places.at[goal];
        Truth { goal, at, apart: (0..places.at.len()).map(|state| places.apart(state, at)).collect() }
    }

    /// The outcomes after a part of a trip, in the order of [`Forecaster::ALL`].
    fn outcomes(
        &self,
        seen: &[usize],
        [after, whole]: [&[Scaled]; 2],
        truth: &Truth,
        by_prior: Outcome,
    ) -> Result<Outcomes, Error> {
        let (places, first, last) = (&self.model.places, seen[0], seen[seen.len() - 1]);
        let judge = |posterior: &[f64]| self.judge(posterior, middle(&places.at, posterior), truth);
        let own = || Scaled::normalised(after).unwrap_or_else(|| vec![0.0; after.len()]);
        let none = Outcome { rank: f64::NAN, error: f64::NAN, place: f64::NAN, expected: f64::NAN, square: f64::NAN };
        let rest = self.distances.from(last);
        let beginning = self.model.beginning(log_ratio(after, whole, first)?, &rest, driven(self.roads, seen));
        let point = |at: [f64; 2]| {
            let apart = (at[0] - truth.at[0]).hypot(at[1] - truth.at[1]);
            Outcome { rank: f64::NAN, error: apart, place: apart, expected: apart, square: f64::NAN }
        };
        Ok(Forecaster::ALL.map(|forecaster| match forecaster {
            Forecaster::Model if self.has_own => judge(&own()),
            Forecaster::Model => none,
            Forecaster::ModelWithPrior => judge(&beginning.posterior(Exponents::PAPER)),
            Forecaster::Together => judge(&beginning.posterior(self.model.exponents)),
            Forecaster::Prior => by_prior,
            Forecaster::HereAndNow => point(places.at[last]),
            Forecaster::StraightOn => point(self.model.straight(first, last)),
        }))
    }

    /// The outcome of a posterior and its middle.
    fn judge(&self, posterior: &[f64], middle: Option<[f64; 2]>, truth: &Truth) -> Outcome {
        let (mut above, mut equal, mut best, mut expected, mut inside) = (0, 0, 0, 0.0, 0.0);
        // Destinations that the prefix does not distinguish are equally probable up to rounding.
        let (here, tie, home) = (posterior[truth.goal], 1.0 + 1e-9, square(truth.at));
        for (state, (&p, &at)) in posterior.iter().zip(&self.model.places.at).enumerate() {
            above += usize::from(p > here * tie);
            equal += usize::from(p * tie >= here && p <= here * tie);
            best = if p > posterior[best] * tie { state } else { best };
            expected += p * truth.apart[state];
            inside += if square(at) == home { p } else { 0.0 };
        }
        Outcome {
            rank: above as f64 + (equal as f64 + 1.0) / 2.0,
            error: truth.apart[best],
            place: middle.map_or(truth.apart[best], |[x, y]| (x - truth.at[0]).hypot(y - truth.at[1])),
            expected,
            square: inside,
        }
    }
}
