//! The likeliest route of a model for each of many trips.

use std::time::Instant;

use revealed::{Itineraries, PathModel, Route, Trajectory, Watch, Work};

use crate::error::Error;
use crate::world::Roads;

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

/// The likeliest route of a model for each trip, between its first state and the road of its last: that state or a copy.
///
/// With `bounded`, the number of states of a route is at most the horizon of the model. This is the paper's search. It
/// is the only one that is defined if a cycle has a positive reward. Without `bounded`, routes have any length. The
/// number of finished trips is reported to `watch` under the name `what`.
///
/// # Errors
/// If the threads cannot be started; [`Error::Stopped`]; or, without `bounded`, if some cycle has a positive reward.
pub fn predict(
    roads: &Roads,
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
    let mut order: Vec<(usize, usize, usize)> = Vec::with_capacity(trips.len());
    for (place, (from, to)) in trips.iter().enumerate().filter_map(|(place, trip)| Some((place, ends(trip)?))) {
        let copies = |to: usize| std::iter::once(to).chain(roads.copies_of(to));
        match to < roads.n_states() && roads.has_copies() {
            true => order.extend(copies(roads.original(to)).map(|to| (from, to, place))),
            false => order.push((from, to, place)),
        }
    }
    order.sort_unstable();
    let mut routes: Vec<Result<Route, String>> = vec![Err("it has no states".to_string()); trips.len()];
    let mut done = 0;
    for chunk in order.chunks(CHUNK) {
        watch.tell_parts(what, done, trips.len())?;
        let pairs: Vec<(usize, usize)> = chunk.iter().map(|row| (row.0, row.1)).collect();
        for (row, found) in chunk.iter().zip(itineraries.find(&pairs, work)?) {
            let likelier = |new: &Route, old: &Route| new.log_weight > old.log_weight;
            match (found, &routes[row.2]) {
                (Ok(new), Ok(old)) if !likelier(&new, old) => {}
                (Ok(new), _) => routes[row.2] = Ok(new),
                (Err(error), Err(_)) => routes[row.2] = Err(reason(&error)),
                (Err(_), Ok(_)) => {}
            }
        }
        done = (done + chunk.len()).min(trips.len());
    }
    watch.tell_parts(what, trips.len(), trips.len())?;
    let in_circles = matches!(itineraries.refused(), Some(revealed::Error::Gains { .. }));
    let routes = routes.into_iter().map(|found| found.map(|best| best.states)).collect();
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
