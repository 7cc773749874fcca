//! The likeliest routes between two places, street by street.

use std::fmt::Write;

use revealed::{PathModel, PathQuery, Work, best_paths, shown};
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
    let [from, to] = [from, to].map(|states| states.iter().map(|&state| (state, 1.0)).collect());
    let query = PathQuery { k, bounded: false, loopless: k > 1, work: *work, ..PathQuery::new(from, Some(to)) };
    let found = best_paths(model, &query)?.paths;
    let most = found.first().map_or(0.0, |best| best.log_weight);
    let route = |best: revealed::BestPath| LikelyRoute {
        legs: directions(&roads.network, &roads.segments_of_path(&best.path.states)),
        relative_weight: (best.log_weight - most).exp(),
        states: best.path.states,
    };
    Ok(LikelyRoutes { routes: found.into_iter().map(route).collect() })
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
            "relative_weight": self.relative_weight, "legs": legs,
        })
    }
}

impl LikelyRoutes {
    /// A description, street by street.
    pub fn description(&self) -> String {
        let mut text = String::new();
        for (number, route) in self.routes.iter().enumerate() {
            let name = match number {
                0 => "likeliest route".to_string(),
                _ => format!("{}. route, {:.2} times as likely as the first", number + 1, route.relative_weight),
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
