//! Where a trip that was begun will end, and how often such predictions are right.
//!
//! The paper describes this (sec:me-inference) and does not measure it. With S(G) the weight of all that may follow a prefix and ends
//! in G, and Z(G) that of all paths from its first state to G, the model's own distribution is P(G) ∝ S(G), and with a prior of one's
//! own it is P(G) ∝ S(G) / Z(G) · p(G).

mod prior;
mod report;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Ends, Options, PathModel, RouteSums, Scaled, Spread, Trajectory};

use self::prior::Places;
pub use self::prior::destination_prior;
use crate::error::Error;
use crate::roads::Roads;
use crate::summary::Summary;

/// How much of a trip is known: shares of its length.
pub const SEEN: [f64; 4] = [0.1, 0.3, 0.5, 0.7];

/// Where known trips ended is spread by so many metres to be a prior of destinations.
pub const SPREAD: f64 = 100.0;

/// Trips that a thread takes at once.
const TOGETHER: usize = 6;

/// What predicts a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Forecaster {
    /// The model's own distribution over where its paths end.
    Model,
    /// The model with the prior: the paper's ratio.
    ModelWithPrior,
    /// The prior alone, whatever was seen.
    Prior,
    /// It ends where it is now.
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

/// How trips are chosen and prefixes cut.
#[derive(Debug, Clone, PartialEq)]
pub struct DestinationOptions {
    /// Shares of the length that are seen: the prefix is the shortest that has as much.
    pub seen: Vec<f64>,
    /// The most trips; of more, so many are drawn.
    pub most: usize,
    /// Draws them.
    pub seed: u64,
    /// Threads; all cores unless set. Any number gives the same answer.
    pub threads: Option<usize>,
}

impl Default for DestinationOptions {
    fn default() -> Self {
        DestinationOptions { seen: SEEN.to_vec(), most: usize::MAX, seed: 0, threads: None }
    }
}

/// How well destinations are predicted from one share of each trip, by one forecaster.
#[derive(Debug, Clone, PartialEq)]
pub struct DestinationScore {
    /// By what.
    pub forecaster: Forecaster,
    /// How much was seen.
    pub seen: f64,
    /// The place of the true last segment when all are sorted by probability, from 1; those as probable as it count half. None for a
    /// forecaster without probabilities.
    pub rank: Option<Summary>,
    /// Metres from the end of the most probable segment to the end of the true one.
    pub error: Summary,
    /// Metres from the mean place to the end of the true one.
    pub centre: Summary,
    /// The expected distance from the true end in metres.
    pub expected: Summary,
}

/// How well destinations are predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct DestinationEvaluation {
    /// Trips that there were.
    pub trips: usize,
    /// Trips that were asked about.
    pub asked: usize,
    /// The time that it took.
    pub seconds: f64,
    /// By share, then by forecaster.
    pub scores: Vec<DestinationScore>,
}

/// What came of one question.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Outcome {
    rank: f64,
    error: f64,
    centre: f64,
    expected: f64,
}

/// A trip, and for each part of it what came of each forecaster.
type Answer = (usize, Vec<[Outcome; 4]>);

/// How many states the shortest prefix has that is at least this share of the length of a trip; not the whole of it.
pub fn prefix_length(roads: &Roads, states: &[usize], seen: f64) -> usize {
    let whole: f64 = states.iter().map(|&state| roads.length(state)).sum();
    let mut length = 0.0;
    let enough = states.iter().position(|&state| {
        length += roads.length(state);
        length >= seen * whole
    });
    enough.map_or(states.len(), |place| place + 1).min(states.len().saturating_sub(1)).max(1)
}

/// Predicts the last segment of each trip from the first parts of it, and compares.
///
/// Distances are those on the plane that touches the earth at the network, good to one in a thousand. Each question costs a forward
/// pass of the model, and so does each first state; they are computed side by side.
///
/// # Errors
/// If the prior does not fit, a trip is no path of the model, or `stop` said so.
pub fn evaluate_destinations(
    roads: &Roads,
    model: &PathModel<'_>,
    prior: &[f64],
    trips: &[Trajectory],
    options: &DestinationOptions,
    watch: &(dyn Fn(usize) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<DestinationEvaluation, Error> {
    let begun = Instant::now();
    let (found, expected) = (prior.len(), roads.n_states());
    if found != expected {
        return Err(Error::Network(format!("the prior has {found} numbers, and there are {expected} segments")));
    }
    let mut order = chosen(trips, options);
    order.iter().try_for_each(|&trip| model.check_prefix(&trips[trip]).map(|_| ()))?;
    // Those with one beginning stand together and share a pass.
    order.sort_by_key(|&trip| (trips[trip].states[0], trip));
    let groups: Vec<&[usize]> = order.chunks(TOGETHER).collect();
    let threads = options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
    let routes = match model.ends() {
        Ends::Goal => Some(RouteSums::new(model.mdp(), model.reward())?),
        _ => None,
    };
    let task = Task { roads, prior, trips, options, places: Places::new(roads) };
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let answers: Mutex<Vec<Answer>> = Mutex::default();
    let fault: Mutex<Option<Error>> = Mutex::default();
    let work = || {
        let all = || -> Result<(), Error> {
            // Trips are divided among threads, not passes.
            let mut sums = match &routes {
                Some(routes) => Ways::OfAnyLength(routes),
                None => Ways::WithinHorizon(Box::new(Spread::new(model, &Options { threads: Some(1), ..Options::default() })?)),
            };
            while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stop() || fault.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
                    return Err(Error::Network("stopped: destinations are not evaluated".to_string()));
                }
                let found = task.answer(&mut sums, group)?;
                answers.lock().unwrap_or_else(PoisonError::into_inner).extend(group.iter().copied().zip(found));
                watch(done.fetch_add(group.len(), Ordering::Relaxed) + group.len());
            }
            Ok(())
        };
        if let Err(error) = all() {
            fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    };
    std::thread::scope(|scope| (0..threads.min(groups.len())).for_each(|_| drop(scope.spawn(work))));
    if let Some(error) = fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_unstable_by_key(|answer| answer.0);
    let scores = scores(model, options, &answers);
    Ok(DestinationEvaluation { trips: trips.len(), asked: answers.len(), seconds: begun.elapsed().as_secs_f64(), scores })
}

/// Which trips are asked about: those with a state that is not the last, or so many of them.
fn chosen(trips: &[Trajectory], options: &DestinationOptions) -> Vec<usize> {
    let mut places: Vec<usize> = (0..trips.len()).filter(|&trip| trips[trip].states.len() > 1).collect();
    let mut rng = Pcg64Mcg::seed_from_u64(options.seed);
    let most = options.most.min(places.len());
    for place in 0..most {
        let other = rng.random_range(place..places.len());
        places.swap(place, other);
    }
    places.truncate(most);
    places
}

fn scores(model: &PathModel<'_>, options: &DestinationOptions, answers: &[Answer]) -> Vec<DestinationScore> {
    let mut scores = Vec::new();
    for (part, &seen) in options.seen.iter().enumerate() {
        for (column, forecaster) in Forecaster::ALL.into_iter().enumerate() {
            // A model of paths to a goal says nothing about goals.
            if forecaster == Forecaster::Model && model.ends() == Ends::Goal {
                continue;
            }
            let of = |value: fn(&Outcome) -> f64| {
                Summary::of(&answers.iter().map(|answer| value(&answer.1[part][column])).collect::<Vec<f64>>())
            };
            scores.push(DestinationScore {
                forecaster,
                seen,
                rank: (forecaster != Forecaster::HereAndNow).then(|| of(|one| one.rank)),
                error: of(|one| one.error),
                centre: of(|one| one.centre),
                expected: of(|one| one.expected),
            });
        }
    }
    scores
}

/// The paper's ratio for one trip: where a trip that began in `first` and is now in `last` may end, by the sums over routes of any length
/// and a prior over the states that need not sum to 1. All zero if none can be reached.
///
/// # Errors
/// If there is no such state, or the prior does not fit.
pub fn posterior(sums: &RouteSums, prior: &[f64], first: usize, last: usize) -> Result<Vec<f64>, Error> {
    let (whole, after) = (sums.from(first)?, sums.from(last)?);
    if prior.len() != whole.len() {
        return Err(Error::Network(format!("the prior has {} numbers, and there are {} states", prior.len(), whole.len())));
    }
    let lost = (0..prior.len()).find(|&state| after[state].is_finite() && !whole[state].is_finite());
    lost.map_or(Ok(()), |state| Err(too_costly(first, state)))?;
    let log = |state: usize| Some(after[state] - whole[state] + prior[state].ln()).filter(|log| log.is_finite());
    let weight = |state: usize| log(state).map_or(Scaled::ZERO, Scaled::exp);
    Ok(normalised(&(0..prior.len()).map(weight).collect::<Vec<Scaled>>()))
}

/// A destination that can be reached on from a trip, and by its own costs not from where the trip began: the sum underflowed.
fn too_costly(first: usize, goal: usize) -> Error {
    Error::Network(format!(
        "routes from state {first} to state {goal} cost too much to be summed in numbers of this range: are the features in units that \
         make a step cost hundreds?"
    ))
}

/// What sums over the ways to every destination.
enum Ways<'a, 'b> {
    /// Those that the horizon has room for.
    WithinHorizon(Box<Spread<'b>>),
    /// All of them: the recursive logit's.
    OfAnyLength(&'a RouteSums),
}

impl Ways<'_, '_> {
    /// For each state and the time of being there, the weight of all ways to each destination.
    fn endings(&mut self, asked: &[(usize, usize)]) -> Result<Vec<Vec<Scaled>>, Error> {
        match self {
            Ways::WithinHorizon(spread) => Ok(spread.endings_of_many(asked)?),
            Ways::OfAnyLength(sums) => {
                let row = |&(state, _): &(usize, usize)| Ok(sums.from(state)?.into_iter().map(Scaled::exp).collect());
                asked.iter().map(row).collect()
            }
        }
    }
}

struct Task<'a> {
    roads: &'a Roads,
    prior: &'a [f64],
    trips: &'a [Trajectory],
    options: &'a DestinationOptions,
    places: Places,
}

impl Task<'_> {
    /// What every forecaster makes of each part of some trips.
    fn answer(&self, ways: &mut Ways<'_, '_>, group: &[usize]) -> Result<Vec<Vec<[Outcome; 4]>>, Error> {
        let cuts = |trip: usize| {
            let states = &self.trips[trip].states;
            self.options.seen.iter().map(|&seen| prefix_length(self.roads, states, seen)).map(|t| (states[t - 1], t))
        };
        let mut asked: Vec<(usize, usize)> = group.iter().map(|&trip| (self.trips[trip].states[0], 1)).collect();
        group.iter().for_each(|&trip| asked.extend(cuts(trip)));
        asked.sort_unstable();
        asked.dedup();
        let found = ways.endings(&asked)?;
        let of = |start: (usize, usize)| &found[asked.partition_point(|&other| other < start)];
        for &trip in group {
            let (first, whole) = (self.trips[trip].states[0], of((self.trips[trip].states[0], 1)));
            let lost = |cut| of(cut).iter().zip(whole).position(|(after, whole)| !after.is_zero() && whole.is_zero());
            if let Some(state) = cuts(trip).find_map(lost) {
                return Err(too_costly(first, state));
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
                let own = self.judge(&normalised(after), goal, &apart);
                let ratio = |(state, (after, whole)): (usize, (&Scaled, &Scaled))| match after.is_zero() || whole.is_zero() {
                    true => Scaled::ZERO,
                    false => *after / *whole * Scaled::from(self.prior[state]),
                };
                let ratios: Vec<Scaled> = after.iter().zip(whole).enumerate().map(ratio).collect();
                let with_prior = self.judge(&normalised(&ratios), goal, &apart);
                let here = apart[cut.0];
                [own, with_prior, by_prior, Outcome { rank: f64::NAN, error: here, centre: here, expected: here }]
            });
            outcomes.collect()
        };
        Ok(group.iter().map(answer).collect())
    }

    /// `apart` has the distance of each segment's end from that of the goal.
    fn judge(&self, posterior: &[f64], goal: usize, apart: &[f64]) -> Outcome {
        let (mut above, mut equal, mut best, mut expected, mut mean) = (0, 0, 0, 0.0, [0.0, 0.0]);
        // Destinations that a prefix does not tell apart are equally probable but for rounding.
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

/// Numbers over their sum, without under- or overflow.
fn normalised(weights: &[Scaled]) -> Vec<f64> {
    let most = weights.iter().fold(f64::NEG_INFINITY, |most, weight| weight.exponent.max(most));
    let unit = Scaled { mantissa: 1.0, exponent: if most.is_finite() { -most } else { 0.0 } };
    let shares: Vec<f64> = weights.iter().map(|&weight| (weight * unit).to_f64()).collect();
    let sum: f64 = shares.iter().sum();
    shares.into_iter().map(|share| if sum > 0.0 { share / sum } else { 0.0 }).collect()
}
