//! What a learned model is compared with: routes by other rewards.

use std::time::Instant;

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use revealed::{Itineraries, PathModel, Reward, Trajectory};

use crate::error::Error;
use crate::normal;
use crate::roads::Roads;

/// Pairs that are answered between two looks at `stop`.
const CHUNK: usize = 512;

/// The reward by which the likeliest route is the shortest: minus the metres of a segment.
pub fn shortest(roads: &Roads) -> Reward {
    Reward::of_states(roads.lengths().iter().map(|length| -length).collect())
}

/// The reward by which the likeliest route is the fastest: minus the seconds of a segment, at the limit or at what is usual.
pub fn fastest(roads: &Roads) -> Reward {
    Reward::of_states((0..roads.n_states()).map(|state| -roads.seconds(state)).collect())
}

/// Weights that mean nothing: each is drawn from a standard normal distribution, as in the paper.
pub fn random_weights(n_features: usize, seed: u64) -> Vec<f64> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut normal = || {
        let (distance, angle) = normal::polar(&mut rng);
        distance * angle.cos()
    };
    (0..n_features).map(|_| normal()).collect()
}

/// Routes between the ends of trips.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions {
    /// The states of each, or in words why there is none.
    pub routes: Vec<Result<Vec<usize>, String>>,
    /// The time that they took, with the preparation.
    pub seconds: f64,
    /// Whether cycles pay by this reward, so that the likeliest walk is one that drives in circles as long as the horizon lets it.
    pub in_circles: bool,
}

/// The likeliest route of a model for each trip, between its first state and its last.
///
/// With `bounded`, routes of at most the model's horizon: that is the paper's search, and the only one where cycles pay. Without,
/// routes of any length. `watch` is told how many are done, now and then; `stop` is asked as often.
///
/// # Errors
/// If the threads cannot be had, `stop` said so, or without `bounded` there is no likeliest route because cycles pay.
pub fn predict(
    model: &PathModel<'_>,
    trips: &[Trajectory],
    bounded: bool,
    threads: Option<usize>,
    watch: &mut dyn FnMut(usize),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Predictions, Error> {
    let begun = Instant::now();
    let itineraries = Itineraries::new(model, bounded, true)?;
    let ends = |trip: &Trajectory| match trip.states[..] {
        [] => None,
        [first, ..] => Some((first, trip.states[trip.states.len() - 1])),
    };
    // Trips from the same place stand together, so that they share a search.
    let mut order: Vec<(usize, usize, usize)> =
        trips.iter().enumerate().filter_map(|(place, trip)| ends(trip).map(|(from, to)| (from, to, place))).collect();
    order.sort_unstable();
    let mut routes = vec![Err("it has no states".to_string()); trips.len()];
    let mut done = 0;
    for chunk in order.chunks(CHUNK) {
        if stop() {
            return Err(Error::Network(format!("stopped: {done} of {} routes are predicted", trips.len())));
        }
        let pairs: Vec<(usize, usize)> = chunk.iter().map(|row| (row.0, row.1)).collect();
        for (row, found) in chunk.iter().zip(itineraries.find(&pairs, threads)?) {
            routes[row.2] = found.map(|route| route.states).map_err(|error| reason(&error));
        }
        done += chunk.len();
        watch(done);
    }
    let in_circles = matches!(itineraries.refused(), Some(revealed::Error::Gains { .. }));
    Ok(Predictions { routes, seconds: begun.elapsed().as_secs_f64(), in_circles })
}

/// Without the names of states, so that reasons can be counted.
fn reason(error: &revealed::Error) -> String {
    match error {
        revealed::Error::Unreachable { .. } => "no way leads from its first segment to its last".to_string(),
        revealed::Error::ShortHorizon { horizon, .. } | revealed::Error::NoPath { horizon, .. } => {
            format!("no way from its first segment to its last has at most {horizon} segments")
        }
        other => other.to_string(),
    }
}
