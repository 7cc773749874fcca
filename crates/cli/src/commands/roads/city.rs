//! `revealed roads city`: a small city that does not exist, with drivers whose preferences are known.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use revealed_formats::{atomic, demonstrations};
use revealed_roads::{CityOptions, TraceOptions, city, trace, write_trips_csv};
use serde_json::json;

use crate::args::roads::City;
use crate::commands::learn::{check_extension, check_output};
use crate::failure::Failure;
use crate::output::Output;

/// Makes it up and writes it.
pub fn run(args: &City, output: Output) -> Result<(), Failure> {
    check_output(&args.output, &[], "the map")?;
    check_extension(&args.output, "osm")?;
    for (file, extension) in args.trips.iter().map(|file| (file, "csv")).chain(args.paths.iter().map(|file| (file, "jsonl"))) {
        check_output(file, &[], "the trips")?;
        check_extension(file, extension)?;
    }
    let city = city(&CityOptions { seed: args.seed, ..CityOptions::default() })?;
    atomic::write(&args.output, |writer| writer.write_all(city.osm_xml().as_bytes()))?;
    let trips = if args.trips.is_some() || args.paths.is_some() { city.trips(args.n, args.seed)? } else { Vec::new() };
    if let Some(file) = &args.trips {
        let mut rng = Pcg64Mcg::seed_from_u64(args.seed);
        let mut traced = Vec::with_capacity(trips.len());
        for trip in &trips {
            let fixes = trace(&city.roads, &trip.states, &TraceOptions::default(), &mut rng);
            traced.push((trip.id.clone().unwrap_or_default(), fixes));
        }
        write_trips_csv(file, &traced)?;
    }
    if let Some(file) = &args.paths {
        demonstrations::save(&trips, file)?;
    }
    let names = &city.roads.features.names;
    let mut words = format!(
        "a city of {} segments and {} turns, {} trips\nwhat its drivers are after (reward of a unit of each feature)\n",
        city.roads.network.n_segments(),
        city.roads.network.n_turns(),
        trips.len()
    );
    for (name, theta) in names.iter().zip(&city.theta) {
        words.push_str(&format!("  {name:<20} {theta:>10.5}\n"));
    }
    words.push_str(&format!("written to {}\n", args.output.display()));
    let theta: serde_json::Map<_, _> = names.iter().cloned().zip(city.theta.iter().map(|&theta| json!(theta))).collect();
    let json = json!({
        "segments": city.roads.network.n_segments(), "turns": city.roads.network.n_turns(), "trips": trips.len(), "theta": theta,
        "horizon": city.horizon, "file": args.output.display().to_string(),
    });
    output.print(&words, &json)
}
