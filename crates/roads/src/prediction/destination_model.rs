//! A model of where trips end: prior, lengths and routes together.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{PathModel, RouteSums, Scaled, Trajectory, Watch, Work};

use super::beginning::Beginning;
use super::continuations::{Continuations, log_ratio, over_copies, route_sums};
use super::distances::Distances;
use super::end_points::EndPoints;
use super::exponents::{Example, Exponents, fit};
use super::in_order::in_order;
use super::prefix::{driven, prefix_length};
use super::prior::{SPREAD, destination_prior};
use crate::error::Error;
use crate::geometry::Position;
use crate::world::Roads;

/// At most this share of the known trips is used for the exponents.
const PART: f64 = 0.3;
/// The largest number of them.
const MOST_EXAMPLES: usize = 500;
/// The largest number of destinations of all of them together. 12 bytes are kept for each.
const MOST_DESTINATIONS: usize = 30_000_000;
/// The number of examples between two reports of progress.
const TOGETHER: usize = 4;
/// How far a trip may go straight on, as a multiple of the straight line so far, and the steps between.
const FARTHEST: usize = 40;
const STEP: f64 = 0.05;

/// Where a trip that has begun will end, by where known trips ended, how long they were, and the likelihood of the
/// beginning in a model of routes:
///
/// P(G) ∝ p(G)^a · (S(G)/Z(G))^b · (L/m)^c · e^{d L/m}
///
/// p is the prior. S and Z are the sums of the paper (sec:me-inference). L is the length of the whole trip if it ends
/// in G: the length so far, and the shortest way from here to G. m is the mean length. The last two factors have the
/// form of a gamma distribution. a, b, c, d are the [`Exponents`]. With a = b = 1 and c = d = 0 this is the paper's
/// posterior.
#[derive(Debug)]
pub struct DestinationModel {
    /// The prior of each state. It need not sum to 1.
    pub prior: Vec<f64>,
    /// How much each factor counts.
    pub exponents: Exponents,
    /// The mean length of known trips in metres.
    pub mean: f64,
    /// How far trips go straight on: the rest of the straight line, divided by the part so far.
    pub straight_on: f64,
    /// The number of trips that the exponents were learned from.
    pub examples: usize,
    log_prior: Vec<f64>,
    pub(crate) places: EndPoints,
}

/// How the exponents are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DestinationLearning {
    /// The seed of the choice of trips, and of where they are cut.
    pub seed: u64,
    /// The threads. The memory budget is not used. The result does not depend on it.
    pub work: Work,
}

/// A known trip, of which only the beginning is shown.
struct Cut<'a> {
    trip: &'a Trajectory,
    /// The number of states that are shown.
    shown: usize,
}

impl DestinationModel {
    /// The paper's posterior with this prior, which need not sum to 1: lengths do not count.
    ///
    /// # Errors
    /// If the prior does not have a number for each state, or has a number that is negative or not finite.
    pub fn of_prior(roads: &Roads, prior: Vec<f64>) -> Result<DestinationModel, Error> {
        let (found, expected) = (prior.len(), roads.n_states());
        if found != expected {
            return Err(Error::Network(format!("the prior has {found} numbers, and there are {expected} states")));
        }
        if let Some(state) = prior.iter().position(|p| !(*p >= 0.0 && p.is_finite())) {
            let message = format!("the prior of state {state} is {}: give a number that is not negative", prior[state]);
            return Err(Error::Network(message));
        }
        // A road is one destination, however it is reached.
        let prior = roads.over_copies(prior);
        Ok(DestinationModel {
            log_prior: prior.iter().map(|p| p.ln()).collect(),
            prior,
            exponents: Exponents::PAPER,
            mean: 1e3,
            straight_on: 0.0,
            examples: 0,
            places: EndPoints::new(roads),
        })
    }

    /// The paper's posterior with a prior that is uniform over metres of road. Copies are the same road.
    ///
    /// # Errors
    /// As [`of_prior`](Self::of_prior).
    pub fn of_metres(roads: &Roads) -> Result<DestinationModel, Error> {
        let of = |state: usize| if roads.original(state) == state { roads.length(state) } else { 0.0 };
        DestinationModel::of_prior(roads, (0..roads.n_states()).map(of).collect())
    }

    /// The same with another prior, which need not sum to 1.
    ///
    /// # Errors
    /// As [`of_prior`](Self::of_prior).
    pub fn with_prior(self, roads: &Roads, prior: Vec<f64>) -> Result<DestinationModel, Error> {
        let DestinationModel { prior, log_prior, .. } = DestinationModel::of_prior(roads, prior)?;
        Ok(DestinationModel { prior, log_prior, ..self })
    }

    /// Learns from known trips. The prior is [`destination_prior`] of all of them. The exponents are learned from some
    /// trips, which are cut at a random part of their length, with the prior of the other trips. So the share of a trip
    /// that was seen is never told. If there are fewer than two trips, this is the paper's posterior.
    ///
    /// The number of examples is reported to `watch`.
    ///
    /// # Errors
    /// If a trip is not a path of the model; as [`RouteSums::new`](revealed::RouteSums::new); and [`Error::Stopped`].
    pub fn learn(
        roads: &Roads,
        model: &PathModel<'_>,
        trips: &[Trajectory],
        options: &DestinationLearning,
        watch: &Watch<'_>,
    ) -> Result<DestinationModel, Error> {
        let mut learned = DestinationModel::of_prior(roads, destination_prior(roads, trips, SPREAD))?;
        learned.mean = mean_length(roads, trips);
        let (cuts, others) = divide(roads, model, trips, options.seed)?;
        learned.straight_on = learned.farther(&cuts);
        let prior: Vec<f64> = destination_prior(roads, &others, SPREAD).iter().map(|p| p.ln()).collect();
        let (sums, distances) = (route_sums(model)?, Distances::new(roads));
        let groups: Vec<&[Cut<'_>]> = cuts.chunks(TOGETHER).collect();
        let scratch = || Continuations::new(model, sums.as_ref());
        let found = in_order(groups.len(), &options.work, scratch, |sums, group| {
            watch.tell_parts("destination model", group * TOGETHER, cuts.len())?;
            groups[group].iter().map(|cut| learned.example(&distances, sums, &prior, cut)).collect::<Result<Vec<_>, Error>>()
        })?;
        let examples: Vec<Example<'_>> = found.into_iter().flatten().collect();
        let (exponents, examples) = (fit(&examples, &options.work)?, examples.len());
        watch.tell_parts("destination model", cuts.len(), cuts.len())?;
        Ok(DestinationModel { exponents, examples, ..learned })
    }

    /// The probability of each state to be the last, after the states of a beginning; all zero if none can be reached.
    /// Routes have any length.
    ///
    /// # Errors
    /// If the beginning is empty or has a state that does not exist; or as
    /// [`RouteSums::new`](revealed::RouteSums::new).
    pub fn posterior(&self, roads: &Roads, model: &PathModel<'_>, states: &[usize]) -> Result<Vec<f64>, Error> {
        let (Some(&first), Some(&last)) = (states.first(), states.last()) else {
            return Err(Error::Trips("the trip has no states: give at least one".to_string()));
        };
        let n = roads.n_states();
        if let Some(state) = states.iter().find(|&&state| state >= n) {
            return Err(Error::Trips(format!("state {state} does not exist: the network has {n} states")));
        }
        let sums = RouteSums::new(model.mdp(), model.reward(), &Work::default())?;
        let found = Continuations::OfAnyLength(&sums).endings(&[(first, 1), (last, states.len())])?;
        let found: Vec<Vec<Scaled>> = found.into_iter().map(|weights| over_copies(roads, weights)).collect();
        let log_ratio = log_ratio(&found[1], &found[0], first)?;
        let rest = Distances::new(roads).from(last);
        Ok(self.beginning(log_ratio, &rest, driven(roads, states)).posterior(self.exponents))
    }

    /// The place with the smallest expected distance from the end, and that distance in metres; `None` if nothing can
    /// be reached.
    pub fn middle(&self, posterior: &[f64]) -> Option<(Position, f64)> {
        let at = super::middle::middle(&self.places.at, posterior)?;
        let sum: f64 = posterior.iter().sum();
        let expected: f64 = posterior.iter().enumerate().map(|(state, p)| p * self.places.apart(state, at)).sum();
        Some((self.places.plane.lift(at), expected / sum))
    }

    /// What a beginning says: ln S(G)/Z(G) and the metres from here for each destination, and the metres so far.
    pub(crate) fn beginning(&self, log_ratio: Vec<f64>, rest: &[f64], driven: f64) -> Beginning<'_> {
        let rest = rest.iter().map(|&metres| metres as f32).collect();
        Beginning { log_prior: &self.log_prior, log_ratio, rest, driven, mean: self.mean }
    }

    /// Where a trip ends if it goes straight on.
    pub(crate) fn straight(&self, first: usize, last: usize) -> [f64; 2] {
        self.places.beyond(first, last, self.straight_on)
    }

    fn example<'a>(
        &'a self,
        distances: &Distances<'_>,
        sums: &mut Continuations<'_, '_>,
        log_prior: &'a [f64],
        cut: &Cut<'_>,
    ) -> Result<Example<'a>, Error> {
        let states = &cut.trip.states;
        let (first, last) = (states[0], states[cut.shown - 1]);
        let found = sums.endings(&[(first, 1), (last, cut.shown)])?;
        let found: Vec<Vec<Scaled>> = found.into_iter().map(|weights| over_copies(distances.roads, weights)).collect();
        let log_ratio = log_ratio(&found[1], &found[0], first)?;
        let driven = driven(distances.roads, &states[..cut.shown]);
        let beginning = self.beginning(log_ratio, &distances.from(last), driven);
        let goal = distances.roads.original(states[states.len() - 1]);
        Ok(Example { beginning: Beginning { log_prior, ..beginning }, goal })
    }

    /// How far trips go straight on: the multiple with the smallest mean error.
    fn farther(&self, cuts: &[Cut<'_>]) -> f64 {
        let error = |by: f64| -> f64 {
            let one = |cut: &Cut<'_>| {
                let states = &cut.trip.states;
                let at = self.places.beyond(states[0], states[cut.shown - 1], by);
                self.places.apart(states[states.len() - 1], at)
            };
            cuts.iter().map(one).sum()
        };
        let tried = (0..=FARTHEST).map(|step| step as f64 * STEP).map(|by| (by, error(by)));
        tried.min_by(|one, other| one.1.total_cmp(&other.1)).map_or(0.0, |best| best.0)
    }
}

/// The mean length of trips in metres; a kilometre if there are none.
fn mean_length(roads: &Roads, trips: &[Trajectory]) -> f64 {
    let known = || trips.iter().filter(|trip| trip.states.iter().all(|&state| state < roads.n_states()));
    let metres: f64 = known().map(|trip| trip.weight * driven(roads, &trip.states)).sum();
    if metres > 0.0 { metres / known().map(|trip| trip.weight).sum::<f64>() } else { 1e3 }
}

/// Some trips at random, each cut at a random part of its length, and the other trips.
fn divide<'a>(
    roads: &Roads,
    model: &PathModel<'_>,
    trips: &'a [Trajectory],
    seed: u64,
) -> Result<(Vec<Cut<'a>>, Vec<Trajectory>), Error> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let fits = |trip: &Trajectory| (2..=model.horizon().at_most().unwrap_or(usize::MAX)).contains(&trip.states.len());
    let mut order: Vec<usize> = (0..trips.len()).filter(|&place| fits(&trips[place])).collect();
    let fitting = MOST_DESTINATIONS / roads.n_states().max(1);
    let most = MOST_EXAMPLES.min(fitting.max(1)).min((PART * order.len() as f64).ceil() as usize);
    let most = if trips.len() < 2 { 0 } else { most };
    for place in 0..most {
        let other = rng.random_range(place..order.len());
        order.swap(place, other);
    }
    order.truncate(most);
    let mut is_example = vec![false; trips.len()];
    let mut cuts = Vec::with_capacity(most);
    for place in order {
        let trip = &trips[place];
        model.check_prefix(trip)?;
        is_example[place] = true;
        cuts.push(Cut { trip, shown: prefix_length(roads, &trip.states, rng.random::<f64>()) });
    }
    let others = trips.iter().zip(is_example).filter(|row| !row.1).map(|row| row.0.clone()).collect();
    Ok((cuts, others))
}
