//! The destination of a trip that is recorded by GPS.

use std::fmt::Write;

use revealed::{PathModel, shown};
use serde_json::{Value, json};

use super::destination_model::DestinationModel;
use crate::error::Error;
use crate::geometry::Position;
use crate::matching::{MatchOptions, Matcher, Reason};
use crate::network::directions;
use crate::trips::Trip;
use crate::world::Roads;

/// The number of destinations that are listed.
const LISTED: usize = 10;

/// The posterior of destinations of an unfinished trip.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceForecast {
    /// The id of the trip.
    pub trip: String,
    /// Its states so far; those of its last part if its route breaks.
    pub states: Vec<usize>,
    /// The number of its parts.
    pub parts: usize,
    /// The length so far in metres.
    pub metres: f64,
    /// The number of fixes that were used to match it.
    pub used: usize,
    /// The confidence of the match, from 0 to 1.
    pub confidence: f64,
    /// The probability of each state to be the last.
    pub posterior: Vec<f64>,
    /// The place with the smallest expected distance from the end, and that distance in metres; `None` if no destination
    /// can be reached.
    pub place: Option<(Position, f64)>,
    /// The ten likeliest destinations, the likeliest first.
    pub destinations: Vec<LikelyDestination>,
}

/// A likely destination.
#[derive(Debug, Clone, PartialEq)]
pub struct LikelyDestination {
    /// The last state of the trip.
    pub state: usize,
    /// Its probability.
    pub p: f64,
    /// Where the state ends.
    pub position: Position,
    /// The street.
    pub street: String,
}

/// Matches a trip that has begun, and predicts its destination. If its route breaks, the last part counts: it says
/// where the trip is now.
///
/// # Errors
/// If the trip cannot be matched, or sums over routes of any length do not exist for the rewards of the model.
pub fn forecast_trace(
    roads: &Roads,
    model: &PathModel<'_>,
    destinations: &DestinationModel,
    trip: &Trip,
) -> Result<TraceForecast, Error> {
    let options = MatchOptions { least_seconds: 0.0, least_metres: 0.0, keep_cyclic: true, ..MatchOptions::default() };
    let unmatched = |reason: Reason| Error::Trips(format!("trip {} cannot be matched: {}", shown(&trip.id), reason.name()));
    let parts = Matcher::new(&roads.network, options)?.match_parts(trip).map_err(|dropped| unmatched(dropped.reason))?;
    let (n_parts, last) = (parts.len(), parts.into_iter().next_back());
    let matched = last.ok_or_else(|| unmatched(Reason::Still))?;
    let path = roads.path(&matched.segments);
    let states = path.map_err(|_| Error::Trips("the matched segments are not connected".to_string()))?.states;
    let posterior = destinations.posterior(roads, model, &states)?;
    let place = destinations.middle(&posterior);
    let mut order: Vec<usize> = (0..posterior.len()).collect();
    order.sort_by(|&a, &b| posterior[b].total_cmp(&posterior[a]));
    let listed = order.iter().take(LISTED).map(|&state| destination(roads, state, posterior[state])).collect();
    Ok(TraceForecast {
        trip: trip.id.clone(),
        parts: n_parts,
        metres: directions(&roads.network, &matched.segments).iter().map(|leg| leg.metres).sum(),
        used: matched.used,
        confidence: matched.confidence,
        states,
        posterior,
        place,
        destinations: listed,
    })
}

fn destination(roads: &Roads, state: usize, p: f64) -> LikelyDestination {
    let position = roads.line(state).last().copied().unwrap_or_default();
    let street = directions(&roads.network, &roads.segments_of_path(&[state])).pop().map(|leg| leg.street);
    LikelyDestination { state, p, position, street: street.unwrap_or_default() }
}

impl TraceForecast {
    /// For files.
    pub fn to_json(&self) -> Value {
        let one = |one: &LikelyDestination| {
            let Position { lat, lon } = one.position;
            json!({ "state": one.state, "p": one.p, "lat": lat, "lon": lon, "street": one.street })
        };
        let destinations: Vec<Value> = self.destinations.iter().map(one).collect();
        let place = self.place.map(|(Position { lat, lon }, metres)| json!({ "lat": lat, "lon": lon, "expected_m": metres }));
        json!({
            "trip": self.trip, "states": self.states, "parts": self.parts, "confidence": self.confidence, "metres": self.metres,
            "place": place, "destinations": destinations,
        })
    }

    /// A description with a line for each destination.
    pub fn description(&self) -> String {
        let mut text = format!(
            "so far          {:.2} km, {} segments, {} fixes, confidence {:.2}\n",
            self.metres / 1e3,
            self.states.len(),
            self.used,
            self.confidence
        );
        if self.parts > 1 {
            let _ = writeln!(text, "broken          the last of {} parts counts", self.parts);
        }
        if let Some((Position { lat, lon }, metres)) = self.place {
            let _ = writeln!(text, "place           {lat:.5},{lon:.5}, expected to be {:.2} km from the end", metres / 1e3);
        }
        text.push_str("likeliest destinations\n");
        for LikelyDestination { p, position, street, .. } in &self.destinations {
            let _ = writeln!(text, "  {p:>8.5}  {:.5},{:.5}  {}", position.lat, position.lon, shown(street));
        }
        text
    }
}
