//! `revealed roads speeds`: how long drives take, by kind of road and hour, learned from the trips themselves.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use revealed::shown;
use revealed_roads::{ClockOptions, Roads, Slowness, SlownessRow, TimedDrives, add_slowness};
use serde_json::json;

use crate::files::output_file::{check_apart, check_extension, check_output};
use crate::terminal::{Failure, Output, interrupt};

/// Learn travel times from matched trips, by kind of road and hour
///
/// The slowness of a road is the seconds that a drive takes for each second at the usual speed. Hours and kinds of roads
/// with few trips are drawn towards the mean of their kind.
#[derive(Args)]
#[command(after_help = "Example:\n  revealed roads speeds city.npz paths.jsonl -o speeds.csv --network timed.npz\n  \
    revealed roads speeds city.npz paths.jsonl -o speeds.csv --paths hours.jsonl --utc-offset 1")]
pub struct SpeedsArgs {
    /// The road network (.npz)
    roads: PathBuf,
    /// Matched paths with times (.jsonl)
    paths: PathBuf,
    /// Where to write the slowness of each kind of road in each hour (.csv)
    #[arg(short, long, value_name = "TABLE")]
    output: PathBuf,
    /// Where to write the network with the feature `time` as it was observed (.npz)
    #[arg(long, value_name = "ROADS")]
    network: Option<PathBuf>,
    /// The hour of the times in --network, from 0 to 23 [default: the mean of all]
    #[arg(long, value_name = "H", requires = "network", value_parser = clap::value_parser!(u8).range(0..24))]
    hour: Option<u8>,
    /// Where to write the paths with the columns `hour` and `slowness` of their trips (.jsonl): how much slower that hour
    /// is than the mean, for `revealed trips --product time:slowness`
    #[arg(long = "paths", value_name = "FILE")]
    with_hours: Option<PathBuf>,
    /// The column of trips with the time at which they begin, in seconds since 1970 [default: the times of the fixes, or
    /// the column TIMESTAMP]
    #[arg(long, value_name = "COLUMN")]
    clock: Option<String>,
    /// Hours to add to the time in Greenwich
    #[arg(long, value_name = "HOURS", default_value_t = 0.0, allow_negative_numbers = true)]
    utc_offset: f64,
}

/// Estimates, writes and prints.
pub fn run(args: &SpeedsArgs, output: Output) -> Result<(), Failure> {
    let inputs = [args.roads.as_path(), args.paths.as_path()];
    let outputs = [
        (Some(&args.output), "the speeds", "csv"),
        (args.network.as_ref(), "the network", "npz"),
        (args.with_hours.as_ref(), "the paths", "jsonl"),
    ];
    for (file, what, extension) in outputs {
        if let Some(file) = file {
            check_output(file, &inputs, what)?;
            check_extension(file, extension)?;
        }
    }
    check_apart(&outputs.map(|one| one.0.map(PathBuf::as_path)))?;
    check_extension(&args.paths, "jsonl")?;
    if !(-24.0..=24.0).contains(&args.utc_offset) {
        return Err(Failure::new(format!("--utc-offset {}: give hours between -24 and 24", args.utc_offset)));
    }
    interrupt::listen();
    let mut roads = Roads::load(&args.roads)?;
    let clock = ClockOptions { column: args.clock.clone(), offset: args.utc_offset };
    let drives = TimedDrives::read(&roads, &args.paths, &clock)?;
    let found = Slowness::estimate(&drives)?;
    if let Some(file) = &args.network {
        roads.slow_down(&found, args.hour.map(usize::from))?;
        interrupt::check(|| "nothing is written".to_string())?;
        roads.save(file)?;
    }
    if let Some(file) = &args.with_hours {
        add_slowness(&args.paths, file, &found, &clock)?;
    }
    found.save(&args.output)?;
    report(args, &drives, &found, output)
}

fn report(args: &SpeedsArgs, drives: &TimedDrives, found: &Slowness, output: Output) -> Result<(), Failure> {
    let mut words = format!("{} paths with times, {} without\n", drives.paths, drives.without_times);
    if drives.without_hour > 0 {
        let _ = writeln!(words, "{} paths without a known hour: --clock names a column with their time", drives.without_hour);
    }
    if drives.left_out > 0 {
        let _ = writeln!(words, "{} stretches left out: ten times faster or slower than usual", drives.left_out);
    }
    words.push_str("seconds for each second at the usual speed, all hours\n");
    let of_all = |row: &&SlownessRow| row.hour.is_none();
    for row in found.rows.iter().filter(of_all) {
        let kind = if row.highway == "*" { "all roads" } else { &row.highway };
        let hours = row.usual / 3600.0;
        let _ = writeln!(words, "  {:<16} {:.3} ± {:.3}  {hours:.1} h observed", shown(kind), row.slowness, row.error);
    }
    let hours = found.rows.iter().filter(|row| row.highway == "*" && row.hour.is_some() && row.usual > 0.0);
    if let (Some(least), Some(most)) =
        (hours.clone().min_by(|a, b| a.slowness.total_cmp(&b.slowness)), hours.max_by(|a, b| a.slowness.total_cmp(&b.slowness)))
    {
        let hour = |row: &SlownessRow| row.hour.unwrap_or_default();
        let _ = writeln!(
            words,
            "fastest hour {} with {:.3}, slowest {} with {:.3}",
            hour(least),
            least.slowness,
            hour(most),
            most.slowness
        );
    }
    let files: Vec<String> = [Some(&args.output), args.network.as_ref(), args.with_hours.as_ref()]
        .into_iter()
        .flatten()
        .map(|file| file.display().to_string())
        .collect();
    let _ = writeln!(words, "written to {}", files.join(", "));
    let json = json!({
        "paths": drives.paths, "without_times": drives.without_times, "without_hour": drives.without_hour,
        "left_out": drives.left_out, "slowness": found.rows.iter().map(SlownessRow::to_json).collect::<Vec<_>>(), "files": files,
    });
    output.print(&words, &json)
}
