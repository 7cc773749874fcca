//! `revealed roads forecast --trace`: where a trip that was begun will end.

use std::fmt::Write;
use std::path::Path;

use revealed::{PathModel, RouteSums};
use revealed_draw::{DestinationPicture, MapOptions, RoadMap};
use revealed_roads::prediction::posterior;
use revealed_roads::{Leg, MatchOptions, Matcher, Roads, Trips, directions};
use serde_json::{Value, json};

use super::drawing::{write_lines, write_picture};
use super::forecast::ForecastArgs;
use crate::terminal::{Failure, Output};

/// How many destinations are listed.
const LISTED: usize = 10;

/// Matches the trip and tells destinations by the paper's ratio: how much likelier the trip so far is if one wants to go there than the
/// best that could have been done. Every metre of road is as likely a destination as any other before the trip is seen.
pub fn run(args: &ForecastArgs, file: &Path, roads: &Roads, paths: &PathModel<'_>, output: Output) -> Result<(), Failure> {
    let trip = match Trips::open(file)?.next() {
        Some(trip) => trip?,
        None => return Err(Failure::new(format!("{}: there is no trip in it", file.display()))),
    };
    let options = MatchOptions { least_seconds: 0.0, least_metres: 0.0, keep_cyclic: true, ..MatchOptions::default() };
    let matched = Matcher::new(&roads.network, options)?.match_trip(&trip).map_err(|dropped| {
        Failure::new(format!("{}: trip {} cannot be matched: {}", file.display(), dropped.id, dropped.reason.name()))
    })?;
    let prefix = roads.path(&matched.segments).map_err(|_| Failure::new("the matched segments are not connected"))?.states;
    let (first, last) = (prefix[0], prefix[prefix.len() - 1]);
    let sums = RouteSums::new(paths.mdp(), paths.reward())?;
    let posterior = posterior(&sums, &roads.lengths(), first, last)?;
    let mut order: Vec<usize> = (0..posterior.len()).collect();
    order.sort_by(|&a, &b| posterior[b].total_cmp(&posterior[a]));

    let driven = directions(&roads.network, &matched.segments);
    let metres: f64 = driven.iter().map(|leg: &Leg| leg.metres).sum();
    let mut words = format!(
        "so far          {:.2} km, {} segments, {} fixes, confidence {:.2}\nlikeliest destinations\n",
        metres / 1e3,
        prefix.len(),
        matched.used,
        matched.confidence
    );
    let listed: Vec<Value> = order.iter().take(LISTED).map(|&state| destination(roads, state, posterior[state])).collect();
    for one in &listed {
        let _ = writeln!(
            words,
            "  {:>8.5}  {:.5},{:.5}  {}",
            one["p"].as_f64().unwrap_or(0.0),
            one["lat"].as_f64().unwrap_or(0.0),
            one["lon"].as_f64().unwrap_or(0.0),
            one["street"].as_str().unwrap_or("")
        );
    }
    if let Some(file) = &args.output {
        let properties = json!({ "trip": trip.id, "metres": metres });
        write_lines(file, roads, &[(&prefix, &properties)])?;
        let _ = writeln!(words, "the trip so far is written to {}", file.display());
    }
    if let Some(file) = &args.map {
        let picture = DestinationPicture {
            title: "Where will it end?",
            prefix: &prefix,
            posterior: &posterior,
            ..DestinationPicture::default()
        };
        write_picture(file, &RoadMap::new(roads, MapOptions::of(roads))?.destinations(&picture)?)?;
        let _ = writeln!(words, "drawn in {}", file.display());
    }
    let json = json!({ "trip": trip.id, "states": prefix, "confidence": matched.confidence, "metres": metres, "destinations": listed });
    output.print(&words, &json)
}

fn destination(roads: &Roads, state: usize, p: f64) -> Value {
    let end = roads.line(state).last().copied().unwrap_or_default();
    let street = directions(&roads.network, &roads.segments_of_path(&[state])).pop().map(|leg| leg.street).unwrap_or_default();
    json!({ "state": state, "p": p, "lat": end.lat, "lon": end.lon, "street": street })
}
