//! The likeliest routes between two places, street by street.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

use revealed::{BestPath, PathModel, PathQuery, Work, best_paths, different_paths, shown};
use serde_json::{Value, json};

use crate::error::Error;
use crate::geometry::Position;
use crate::network::{Leg, directions, segments_at};
use crate::world::Roads;

/// A place farther than this from every road is probably a mistake, in metres.
const FAR: f64 = 1000.0;

/// The states at a place: those of the nearest segments.
///
/// # Errors
/// If every road is more than a kilometre away.
pub fn states_at(roads: &Roads, place: Position) -> Result<Vec<usize>, Error> {
    let (segments, metres) = segments_at(&roads.network, place);
    if segments.is_empty() || metres > FAR {
        let message =
            format!("the nearest road of the network is {:.1} km away: are latitude and longitude swapped?", metres / 1e3);
        return Err(Error::Network(message));
    }
    let mut states: Vec<usize> = segments.iter().map(|&segment| roads.state_of(segment as usize)).collect();
    states.sort_unstable();
    states.dedup();
    Ok(states)
}

/// A likely route.
#[derive(Debug, Clone, PartialEq)]
pub struct LikelyRoute {
    /// Its states.
    pub states: Vec<usize>,
    /// Its streets.
    pub legs: Vec<Leg>,
    /// Its probability divided by that of the likeliest route.
    pub relative_weight: f64,
    /// The largest share of its length, or of that of the other route if this is shorter, that it has in common with a
    /// likelier route; 0 for the likeliest.
    pub overlap: f64,
}

/// The likeliest routes, the likeliest first.
#[derive(Debug, Clone, PartialEq)]
pub struct LikelyRoutes {
    /// At least one.
    pub routes: Vec<LikelyRoute>,
}

/// The `k` likeliest routes from one of some states to one of others, of any length. More than one are without loops.
///
/// # Errors
/// If no route leads there, or some cycle has a positive reward, so that there is no likeliest route.
pub fn likeliest_routes(
    roads: &Roads,
    model: &PathModel<'_>,
    [from, to]: [&[usize]; 2],
    k: usize,
    work: &Work,
) -> Result<LikelyRoutes, Error> {
    let query = PathQuery { loopless: k > 1, work: *work, ..query(roads, [from, to], k) };
    Ok(LikelyRoutes::new(roads, best_paths(model, &query)?.paths))
}

/// Likely routes from one of some states to one of others, of any length, of which no two have more than this share of
/// the length of the shorter one in common ([`different_paths`]). There may be fewer than `k`.
///
/// # Errors
/// As [`likeliest_routes`], and if the share is not between 0 and 1.
pub fn different_routes(
    roads: &Roads,
    model: &PathModel<'_>,
    ends: [&[usize]; 2],
    k: usize,
    most_overlap: f64,
) -> Result<LikelyRoutes, Error> {
    Ok(LikelyRoutes::new(roads, different_paths(model, &query(roads, ends, k), &roads.lengths(), most_overlap)?))
}

/// A route ends on a road however it was reached: on any copy of a state.
fn query(roads: &Roads, [from, to]: [&[usize]; 2], k: usize) -> PathQuery {
    let with_copies = |&state: &usize| {
        let original = roads.original(state);
        std::iter::once(original).chain(roads.copies_of(original))
    };
    let weighed = |states: BTreeSet<usize>| states.into_iter().map(|state| (state, 1.0)).collect();
    let from = weighed(from.iter().map(|&state| roads.original(state)).collect());
    let to = weighed(to.iter().flat_map(with_copies).collect());
    PathQuery { k, bounded: false, ..PathQuery::new(from, Some(to)) }
}

impl LikelyRoute {
    /// Its length in metres.
    pub fn metres(&self) -> f64 {
        self.legs.iter().map(|leg| leg.metres).sum()
    }

    /// The time to drive it in seconds, at the speed limit or at the usual speed.
    pub fn seconds(&self) -> f64 {
        self.legs.iter().map(|leg| leg.seconds).sum()
    }

    /// For files.
    pub fn to_json(&self) -> Value {
        let leg = |leg: &Leg| json!({ "street": leg.street, "metres": leg.metres, "seconds": leg.seconds });
        let legs: Vec<Value> = self.legs.iter().map(leg).collect();
        json!({
            "states": self.states, "metres": self.metres(), "seconds": self.seconds(),
            "relative_weight": self.relative_weight, "overlap": self.overlap, "legs": legs,
        })
    }
}

impl LikelyRoutes {
    fn new(roads: &Roads, found: Vec<BestPath>) -> LikelyRoutes {
        let most = found.first().map_or(0.0, |best| best.log_weight);
        let metres = |states: &[usize]| states.iter().map(|&state| roads.length(state)).sum::<f64>();
        let mut routes: Vec<LikelyRoute> = Vec::with_capacity(found.len());
        for best in found {
            let states = best.path.states;
            let on: HashSet<usize> = states.iter().map(|&state| roads.original(state)).collect();
            let shared = |other: &LikelyRoute| {
                let both: Vec<usize> =
                    other.states.iter().copied().filter(|&state| on.contains(&roads.original(state))).collect();
                let least = metres(&states).min(metres(&other.states));
                if least > 0.0 { metres(&both) / least } else { 0.0 }
            };
            let overlap = routes.iter().map(shared).fold(0.0, f64::max);
            let legs = directions(&roads.network, &roads.segments_of_path(&states));
            routes.push(LikelyRoute { states, legs, relative_weight: (best.log_weight - most).exp(), overlap });
        }
        LikelyRoutes { routes }
    }

    /// A description, street by street.
    pub fn description(&self) -> String {
        let mut text = String::new();
        for (number, route) in self.routes.iter().enumerate() {
            let name = match number {
                0 => "likeliest route".to_string(),
                _ => format!(
                    "{}. route, {:.2} times as likely as the first, {:.0} % shared with a likelier one",
                    number + 1,
                    route.relative_weight,
                    100.0 * route.overlap
                ),
            };
            let (km, minutes) = (route.metres() / 1e3, route.seconds() / 60.0);
            let _ = writeln!(text, "{name}: {km:.2} km, {minutes:.0} min at the usual speeds");
            for leg in &route.legs {
                let _ = writeln!(text, "  {:>6.0} m  {}", leg.metres, shown(&leg.street));
            }
        }
        text
    }
}
