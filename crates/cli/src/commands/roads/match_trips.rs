//! `revealed roads match`: the roads that GPS trips took.

use std::cell::RefCell;
use std::time::Instant;

use revealed_roads::matching::{Method, match_files};
use revealed_roads::{Area, MatchOptions, Matcher, Position, Roads, Tally};
use serde_json::json;

use super::numbers;
use crate::args::roads::{Match, MatchMethod};
use crate::commands::learn::{check_extension, check_output};
use crate::counter::Counter;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;

/// Matches and writes.
pub fn run(args: &Match, output: Output) -> Result<(), Failure> {
    let inputs = [args.roads.as_path(), &args.trips];
    check_output(&args.output, &inputs, "the paths")?;
    check_extension(&args.output, "jsonl")?;
    if let Some(file) = &args.dropped {
        check_output(file, &inputs, "the dropped trips")?;
        check_extension(file, "csv")?;
    }
    let usual = MatchOptions::default();
    let options = MatchOptions {
        method: match args.method {
            MatchMethod::Hmm => Method::Hmm,
            MatchMethod::Particles => Method::Particles,
        },
        sigma: args.sigma.unwrap_or(usual.sigma),
        radius: args.radius.unwrap_or(usual.radius),
        least_seconds: args.shortest.unwrap_or(usual.least_seconds),
        least_metres: args.least_metres.unwrap_or(usual.least_metres),
        area: args.area.as_deref().map(area).transpose()?,
        keep_cyclic: args.keep_cyclic,
        seed: args.seed,
        ..usual
    };
    let roads = Roads::load(&args.roads)?;
    let matcher = Matcher::new(&roads.network, options)?;
    interrupt::listen();
    let begun = Instant::now();
    let counter = RefCell::new(Counter::new("trips"));
    let progress = |tally: &Tally| counter.borrow_mut().show(tally.trips, 0);
    let files = [args.trips.as_path(), &args.output];
    let tally = match_files(&roads, &matcher, files, args.dropped.as_deref(), args.threads, &progress, &interrupt::asked);
    counter.into_inner().finish();
    let (tally, seconds) = (tally?, begun.elapsed().as_secs_f64());
    if tally.interrupted {
        let message =
            format!("{} trips are looked at; the {} paths found are in {}", tally.trips, tally.matched, args.output.display());
        return Err(Failure::Interrupted(message));
    }
    let words = format!("{tally}\nwritten to {} in {seconds:.1} s\n", args.output.display());
    let dropped: serde_json::Map<_, _> = tally.reasons().map(|(reason, n)| (reason.name().to_string(), json!(n))).collect();
    let json = json!({
        "trips": tally.trips, "matched": tally.matched, "dropped": dropped, "seconds": seconds,
        "file": args.output.display().to_string(),
    });
    output.print(&words, &json)
}

/// LAT,LON,KM.
fn area(text: &str) -> Result<Area, Failure> {
    match numbers(text)[..] {
        [lat, lon, km] if Position { lat, lon }.is_valid() && km > 0.0 => {
            Ok(Area { centre: Position { lat, lon }, radius: 1000.0 * km })
        }
        _ => Err(Failure::new(format!("--area {text}: give latitude, longitude and kilometres, as in 41.148,-8.633,15"))),
    }
}
