//! The likeliest route of a model for each of many trips.

use std::time::Instant;

use revealed::{Itineraries, PathModel, Trajectory, Watch, Work};

use crate::error::Error;

/// The number of trips between two reports of progress.
const CHUNK: usize = 512;

/// Routes between the ends of trips.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions {
    /// The states of each route, or the reason why there is none.
    pub routes: Vec<Result<Vec<usize>, String>>,
    /// The time that they took, including the preparation.
    pub seconds: f64,
    /// Whether some cycle has a positive reward, so that the likeliest path drives in circles until the horizon ends
    /// it.
    pub in_circles: bool,
}

/// The likeliest route of a model for each trip, between its first state and its last.
///
/// With `bounded`, the number of states of a route is at most the horizon of the model. This is the paper's search. It
/// is the only one that is defined if a cycle has a positive reward. Without `bounded`, routes have any length. The
/// number of finished trips is reported to `watch` under the name `what`.
///
/// # Errors
/// If the threads cannot be started; [`Error::Stopped`]; or, without `bounded`, if some cycle has a positive reward.
pub fn predict(
    model: &PathModel<'_>,
    trips: &[Trajectory],
    bounded: bool,
    work: &Work,
    what: &'static str,
    watch: &Watch<'_>,
) -> Result<Predictions, Error> {
    let begun = Instant::now();
    let itineraries = Itineraries::new(model, bounded, true)?;
    let ends = |trip: &Trajectory| match trip.states[..] {
        [] => None,
        [first, ..] => Some((first, trip.states[trip.states.len() - 1])),
    };
    // Trips with the same start are sorted together, so that they share a search.
    let mut order: Vec<(usize, usize, usize)> =
        trips.iter().enumerate().filter_map(|(place, trip)| ends(trip).map(|(from, to)| (from, to, place))).collect();
    order.sort_unstable();
    let mut routes = vec![Err("it has no states".to_string()); trips.len()];
    let mut done = 0;
    for chunk in order.chunks(CHUNK) {
        watch.tell_parts(what, done, trips.len())?;
        let pairs: Vec<(usize, usize)> = chunk.iter().map(|row| (row.0, row.1)).collect();
        for (row, found) in chunk.iter().zip(itineraries.find(&pairs, work)?) {
            routes[row.2] = found.map(|route| route.states).map_err(|error| reason(&error));
        }
        done += chunk.len();
    }
    watch.tell_parts(what, trips.len(), trips.len())?;
    let in_circles = matches!(itineraries.refused(), Some(revealed::Error::Gains { .. }));
    Ok(Predictions { routes, seconds: begun.elapsed().as_secs_f64(), in_circles })
}

/// The reason without the numbers of states, so that equal reasons can be counted.
fn reason(error: &revealed::Error) -> String {
    match error {
        revealed::Error::Unreachable { .. } => "no route leads from its first segment to its last".to_string(),
        revealed::Error::ShortHorizon { horizon, .. } | revealed::Error::NoPath { horizon: Some(horizon), .. } => {
            format!("no route from its first segment to its last has at most {horizon} segments")
        }
        other => other.to_string(),
    }
}
