//! `revealed roads city`: a small city that does not exist, with drivers whose preferences are known.

use std::path::PathBuf;

use clap::Args;
use revealed_formats::{atomic, demonstrations};
use revealed_roads::{CityOptions, TraceOptions, city, traces, write_trips_csv};
use serde_json::json;

use crate::files::output_file::{check_apart, check_extension, check_optional, check_output};
use crate::terminal::{Failure, Output};

/// Generate a small city with drivers whose preferences are known
#[derive(Args)]
#[command(after_help = "Example:\n  revealed roads city -o city.osm --trips trips.csv --seed 1")]
pub struct CityArgs {
    /// Where to write the map (.osm)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where to write GPS trips of its drivers (.csv, in the format of the Porto taxis)
    #[arg(long, value_name = "FILE")]
    trips: Option<PathBuf>,
    /// Where to write the paths that they took (.jsonl)
    #[arg(long, value_name = "FILE")]
    paths: Option<PathBuf>,
    /// The width of the city in blocks of about 110 m, from 12 to 400; the number of segments grows with its square
    #[arg(long, value_name = "N", default_value_t = CityOptions::default().blocks)]
    size: usize,
    /// How many trips
    #[arg(short, value_name = "N", default_value_t = 1000)]
    n: usize,
    /// The same seed gives the same city and trips
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// Makes it up and writes it.
pub fn run(args: &CityArgs, output: Output) -> Result<(), Failure> {
    check_output(&args.output, &[], "the map")?;
    check_extension(&args.output, "osm")?;
    check_optional(args.trips.as_deref(), &[], "the trips", "csv")?;
    check_optional(args.paths.as_deref(), &[], "the paths", "jsonl")?;
    check_apart(&[Some(&args.output), args.trips.as_deref(), args.paths.as_deref()])?;
    let city = city(&CityOptions { seed: args.seed, blocks: args.size, ..CityOptions::default() })?;
    atomic::write(&args.output, |writer| writer.write_all(city.osm_xml().as_bytes()))?;
    let trips = if args.trips.is_some() || args.paths.is_some() { city.trips(args.n, args.seed)? } else { Vec::new() };
    if let Some(file) = &args.trips {
        write_trips_csv(file, &traces(&city.roads, &trips, &TraceOptions::default(), args.seed))?;
    }
    if let Some(file) = &args.paths {
        demonstrations::save(&trips, file)?;
    }
    let names = &city.roads.features.names;
    let mut words = format!(
        "a city of {} segments and {} turns, {} trips\npreferences of its drivers (reward per unit of each feature)\n",
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
