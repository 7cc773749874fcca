//! The predictions and their outcomes for a few trips, in one thread.

use revealed::{PathModel, RouteSums, Scaled, Spread, Trajectory, Work, with_prior};

use super::destinations::{DestinationOptions, prefix_length};
use crate::error::Error;
use crate::prediction::{EndPoints, too_expensive};
use crate::world::Roads;

/// The outcome of one prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outcome {
    pub rank: f64,
    pub error: f64,
    pub centre: f64,
    pub expected: f64,
}

/// The weights of all continuations, by destination.
pub(super) enum Continuations<'a, 'b> {
    /// Those within the horizon.
    WithinHorizon(Box<Spread<'b>>),
    /// Those of any length, as in the recursive logit.
    OfAnyLength(&'a RouteSums),
}

impl<'a, 'b> Continuations<'a, 'b> {
    pub fn new(model: &'b PathModel<'b>, routes: Option<&'a RouteSums>) -> Result<Self, Error> {
        Ok(match routes {
            Some(routes) => Continuations::OfAnyLength(routes),
            None => Continuations::WithinHorizon(Box::new(Spread::new(model, &Work::on(1))?)),
        })
    }

    /// For each state and the time there, the weight of all continuations to each destination.
    fn endings(&mut self, asked: &[(usize, usize)]) -> Result<Vec<Vec<Scaled>>, Error> {
        match self {
            Continuations::WithinHorizon(spread) => Ok(spread.endings_of_many(asked)?),
            Continuations::OfAnyLength(sums) => {
                let row = |&(state, _): &(usize, usize)| Ok(sums.from(state)?.into_iter().map(Scaled::exp).collect());
                asked.iter().map(row).collect()
            }
        }
    }
}

/// What all threads share.
pub(super) struct DestinationTask<'a> {
    pub roads: &'a Roads,
    pub prior: &'a [f64],
    pub trips: &'a [Trajectory],
    pub options: &'a DestinationOptions,
    pub places: EndPoints,
}

impl DestinationTask<'_> {
    /// The outcomes of all predictors for each part of some trips.
    pub fn answer(&self, sums: &mut Continuations<'_, '_>, group: &[usize]) -> Result<Vec<Vec<[Outcome; 4]>>, Error> {
        let cuts = |trip: usize| {
            let states = &self.trips[trip].states;
            self.options.seen.iter().map(|&seen| prefix_length(self.roads, states, seen)).map(|t| (states[t - 1], t))
        };
        let mut asked: Vec<(usize, usize)> = group.iter().map(|&trip| (self.trips[trip].states[0], 1)).collect();
        group.iter().for_each(|&trip| asked.extend(cuts(trip)));
        asked.sort_unstable();
        asked.dedup();
        let found = sums.endings(&asked)?;
        let of = |start: (usize, usize)| &found[asked.partition_point(|&other| other < start)];
        for &trip in group {
            let (first, whole) = (self.trips[trip].states[0], of((self.trips[trip].states[0], 1)));
            let lost = |cut| of(cut).iter().zip(whole).position(|(after, whole)| !after.is_zero() && whole.is_zero());
            if let Some(state) = cuts(trip).find_map(lost) {
                return Err(too_expensive(first, state));
            }
        }
        let answer = |&trip: &usize| {
            let states = &self.trips[trip].states;
            let goal = states[states.len() - 1];
            let apart: Vec<f64> =
                (0..self.roads.n_states()).map(|state| self.places.apart(state, self.places.at[goal])).collect();
            let (by_prior, whole) = (self.judge(self.prior, goal, &apart), of((states[0], 1)));
            let outcomes = cuts(trip).map(|cut| {
                let after = of(cut);
                let judge = |weights: &[Scaled]| match Scaled::normalised(weights) {
                    Some(posterior) => self.judge(&posterior, goal, &apart),
                    None => self.judge(&vec![0.0; weights.len()], goal, &apart),
                };
                let own = judge(after);
                let with_prior = judge(&with_prior(after, whole, |state| self.prior[state]));
                let here = apart[cut.0];
                [own, with_prior, by_prior, Outcome { rank: f64::NAN, error: here, centre: here, expected: here }]
            });
            outcomes.collect()
        };
        Ok(group.iter().map(answer).collect())
    }

    /// The outcome of a posterior. `apart` has the distance of the end of each segment from that of the goal.
    fn judge(&self, posterior: &[f64], goal: usize, apart: &[f64]) -> Outcome {
        let (mut above, mut equal, mut best, mut expected, mut mean) = (0, 0, 0, 0.0, [0.0, 0.0]);
        // Destinations that the prefix does not distinguish are equally probable up to rounding.
        let (here, tie) = (posterior[goal], 1.0 + 1e-9);
        for (state, (&p, &[x, y])) in posterior.iter().zip(&self.places.at).enumerate() {
            above += usize::from(p > here * tie);
            equal += usize::from(p * tie >= here && p <= here * tie);
            best = if p > posterior[best] * tie { state } else { best };
            expected += p * apart[state];
            mean = [mean[0] + p * x, mean[1] + p * y];
        }
        let [x, y] = self.places.at[goal];
        Outcome {
            rank: above as f64 + (equal as f64 + 1.0) / 2.0,
            error: apart[best],
            centre: (mean[0] - x).hypot(mean[1] - y),
            expected,
        }
    }
}
