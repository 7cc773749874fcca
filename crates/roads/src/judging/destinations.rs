//! How well destinations are predicted from the first part of each trip.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Ends, PathModel, Trajectory, Watch, Work};

use super::destination_scores::{DestinationEvaluation, DestinationScore, Forecaster};
use super::destination_task::{DestinationTask, Outcome, Outcomes};
use crate::error::Error;
use crate::prediction::{Continuations, DestinationModel, Distances, in_order, middle, route_sums};
use crate::statistics::Summary;
use crate::world::Roads;

/// The shares of the length of a trip that are seen by default.
pub const SEEN: [f64; 4] = [0.1, 0.3, 0.5, 0.7];

/// The number of trips that a thread takes at a time.
const TOGETHER: usize = 6;

/// Which trips are judged, and which parts of them are seen.
#[derive(Debug, Clone, PartialEq)]
pub struct DestinationOptions {
    /// The shares of the length of a trip that are seen. The prefix is the shortest that has this share.
    pub seen: Vec<f64>,
    /// The largest number of trips. Of more trips, this many are drawn at random.
    pub most: usize,
    /// The seed of this draw.
    pub seed: u64,
    /// The threads. The memory budget is not used. The result does not depend on it.
    pub work: Work,
}

impl Default for DestinationOptions {
    fn default() -> Self {
        DestinationOptions { seen: SEEN.to_vec(), most: usize::MAX, seed: 0, work: Work::default() }
    }
}

/// A trip, and for each share of it the outcome of each predictor.
type Answer = (usize, Vec<Outcomes>);

/// Predicts the last segment of each trip from its first parts, and scores the predictions.
///
/// Distances are measured on a plane that touches the earth at the network, with an error of one in a thousand. Each
/// prefix and each first state cost a forward pass of the model; several are computed together.
///
/// # Errors
/// If the destination model is of another network, or a trip is not a path of the model; and [`Error::Stopped`].
pub fn evaluate_destinations(
    roads: &Roads,
    model: &PathModel<'_>,
    destinations: &DestinationModel,
    trips: &[Trajectory],
    options: &DestinationOptions,
    watch: &Watch<'_>,
) -> Result<DestinationEvaluation, Error> {
    let begun = Instant::now();
    let (found, expected) = (destinations.prior.len(), roads.n_states());
    if found != expected {
        let message = format!("the destination model has {found} states, and there are {expected}: learn it on this network");
        return Err(Error::Network(message));
    }
    let mut order = chosen(trips, options);
    order.iter().try_for_each(|&trip| model.check_prefix(&trips[trip]).map(|_| ()))?;
    // Trips with the same first state are sorted together and share a pass.
    order.sort_by_key(|&trip| (trips[trip].states[0], trip));
    let usual = middle(&destinations.places.at, &destinations.prior);
    // A model of paths to a given goal has no distribution over goals.
    let (has_own, distances) = (model.ends() != Ends::Goal, Distances::new(roads));
    let task = DestinationTask { roads, model: destinations, trips, options, distances, usual, has_own };
    let answers = answers(&task, model, &order, watch)?;
    let scores = scores(has_own, options, &answers);
    Ok(DestinationEvaluation { trips: trips.len(), asked: answers.len(), seconds: begun.elapsed().as_secs_f64(), scores })
}

/// The trips that are judged: those with more than one state, or some of them at random.
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

/// The answers for all trips in parallel, sorted by trip. Trips are divided among threads, not passes.
fn answers(
    task: &DestinationTask<'_>,
    model: &PathModel<'_>,
    order: &[usize],
    watch: &Watch<'_>,
) -> Result<Vec<Answer>, Error> {
    let groups: Vec<&[usize]> = order.chunks(TOGETHER).collect();
    let (routes, done) = (route_sums(model)?, AtomicUsize::new(0));
    let scratch = || Continuations::new(model, routes.as_ref());
    let found = in_order(groups.len(), &task.options.work, scratch, |sums, group| {
        watch.tell_parts("destinations", done.load(Ordering::Relaxed), order.len())?;
        let found = task.answer(sums, groups[group])?;
        done.fetch_add(found.len(), Ordering::Relaxed);
        Ok(found)
    })?;
    let mut answers: Vec<Answer> = order.iter().copied().zip(found.into_iter().flatten()).collect();
    answers.sort_unstable_by_key(|answer| answer.0);
    Ok(answers)
}

fn scores(has_own: bool, options: &DestinationOptions, answers: &[Answer]) -> Vec<DestinationScore> {
    let mut scores = Vec::new();
    for (part, &seen) in options.seen.iter().enumerate() {
        for (column, forecaster) in Forecaster::ALL.into_iter().enumerate() {
            if forecaster == Forecaster::Model && !has_own {
                continue;
            }
            let of = |value: fn(&Outcome) -> f64| {
                Summary::of(&answers.iter().map(|answer| value(&answer.1[part][column])).collect::<Vec<f64>>())
            };
            scores.push(DestinationScore {
                forecaster,
                seen,
                rank: forecaster.has_probabilities().then(|| of(|one| one.rank)),
                error: of(|one| one.error),
                place: of(|one| one.place),
                expected: of(|one| one.expected),
                square: forecaster.has_probabilities().then(|| of(|one| one.square)),
                log_score: forecaster.has_probabilities().then(|| of(|one| one.square.ln())),
            });
        }
    }
    scores
}
