//! `revealed roads match`: the roads that GPS trips took.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use clap::builder::TypedValueParser;
use revealed::Watch;
use revealed_roads::matching::{Method, Refinement, Round, match_files, preferring};
use revealed_roads::{Area, MatchOptions, MatchOutputs, Matcher, Position, Roads, Tally};
use serde_json::json;

use super::numbers;
use crate::args::choice::choice;
use crate::args::work::Threads;
use crate::files::model::load_model;
use crate::files::output_file::{check_apart, check_extension, check_optional, check_output};
use crate::terminal::notes::{note, status};
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched;
use crate::terminal::{Failure, Output};

/// Match GPS trips to the roads that they took
#[derive(Args)]
#[command(after_help = "Example:\n  \
    revealed roads match city.npz trips.csv -o paths.jsonl --min-seconds 60 --dropped out.csv")]
pub struct MatchArgs {
    /// The road network (.npz)
    roads: PathBuf,
    /// GPS trips: .csv or .csv.gz with TRIP_ID and POLYLINE as in the data of the Porto taxis, or with trip, lat, lon
    /// and time (seconds), one fix per row and those of a trip together, - for such a table from stdin; .gpx or .gpx.gz
    trips: PathBuf,
    /// Where to write the paths (.jsonl), each with its trip's id, a confidence, times, and the trip's other columns
    #[arg(short, long, value_name = "PATHS")]
    output: PathBuf,
    /// Where to write the trips that were dropped, and why (.csv)
    #[arg(long, value_name = "FILE")]
    dropped: Option<PathBuf>,
    /// Where to write the routes as lines (.geojson), from the first fix to the last
    #[arg(long, value_name = "FILE")]
    geojson: Option<PathBuf>,
    /// How trips are matched
    #[arg(long, value_parser = method(), default_value = "hmm")]
    method: Method,
    /// Weigh routes between fixes by the preferences of this model (.json) instead of their lengths: for fixes that are
    /// far apart, such as a minute
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["strict", "learn"])]
    model: Option<PathBuf>,
    /// Match, learn preferences from the routes, and match by them, in at most N rounds, until the routes do not change
    #[arg(long, value_name = "N", requires = "learned", conflicts_with = "strict",
        value_parser = clap::value_parser!(u64).range(1..=1000))]
    learn: Option<u64>,
    /// Where --learn writes the model (.json)
    #[arg(long, value_name = "MODEL", requires = "learn")]
    learned: Option<PathBuf>,
    /// Standard deviation of the GPS in metres, from which the estimate for each trip begins
    #[arg(long, value_name = "M")]
    sigma: Option<f64>,
    /// Roads farther than this from a fix are not considered, in metres
    #[arg(long, value_name = "M")]
    radius: Option<f64>,
    /// Drop trips that take less time, in seconds; 120 by default, as in the paper
    #[arg(long, value_name = "S", alias = "shortest")]
    min_seconds: Option<f64>,
    /// Drop trips whose route is shorter, in metres; 250 by default, the shortest of the paper
    #[arg(long, value_name = "M", alias = "least-metres")]
    min_metres: Option<f64>,
    /// Drop trips that leave this circle
    #[arg(long, value_name = "LAT,LON,KM", allow_hyphen_values = true)]
    area: Option<String>,
    /// Drop a trip with one bad stretch, as in the paper: fixes off the network, no way between fixes, a segment used
    /// twice. Otherwise outliers are skipped, and a trip whose route breaks is written in parts
    #[arg(long)]
    strict: bool,
    /// With --strict or --method particles: keep trips that use a segment twice
    #[arg(long)]
    keep_cyclic: bool,
    /// The same seed gives the same particles
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// How the work is done
    #[command(flatten)]
    work: Threads,
}

fn method() -> impl TypedValueParser<Value = Method> {
    let name = |method| match method {
        Method::Hmm => "hmm",
        Method::Particles => "particles",
    };
    choice(&[Method::Hmm, Method::Particles], name, |method| match method {
        Method::Hmm => "A hidden Markov model (Newson and Krumm)",
        Method::Particles => "A particle filter, as in the paper",
    })
}

impl MatchArgs {
    fn options(&self) -> Result<MatchOptions, Failure> {
        let usual = MatchOptions::default();
        Ok(MatchOptions {
            method: self.method,
            sigma: self.sigma.unwrap_or(usual.sigma),
            radius: self.radius.unwrap_or(usual.radius),
            least_seconds: self.min_seconds.unwrap_or(usual.least_seconds),
            least_metres: self.min_metres.unwrap_or(usual.least_metres),
            area: self.area.as_deref().map(area).transpose()?,
            strict: self.strict,
            keep_cyclic: self.keep_cyclic,
            seed: self.seed,
            ..usual
        })
    }
}

/// Matches and writes.
pub fn run(args: &MatchArgs, output: Output) -> Result<(), Failure> {
    let inputs = [args.roads.as_path(), &args.trips];
    check_output(&args.output, &inputs, "the paths")?;
    check_extension(&args.output, "jsonl")?;
    check_optional(args.dropped.as_deref(), &inputs, "the dropped trips", "csv")?;
    check_optional(args.geojson.as_deref(), &inputs, "the routes", "geojson")?;
    check_optional(args.learned.as_deref(), &inputs, "the model", "json")?;
    check_apart(&[Some(&args.output), args.dropped.as_deref(), args.geojson.as_deref(), args.learned.as_deref()])?;
    let options = args.options()?;
    let roads = Roads::load(&args.roads)?;
    if let (Some(most), Some(file)) = (args.learn, &args.learned) {
        return learn(args, &roads, &options, most as usize, file, output);
    }
    let matcher = match &args.model {
        None => Matcher::new(&roads.network, options)?,
        Some(file) => {
            let problem = roads.problem()?;
            let model = load_model(file, &problem)?;
            preferring(&roads, &problem, &model.theta, options)?
        }
    };
    let begun = Instant::now();
    let outputs = outputs(args);
    let work = |watch: &Watch<'_>| match_files(&roads, &matcher, &args.trips, &outputs, &args.work.of_engine(), watch);
    let (tally, seconds) = (watched(Bar::new(), work)?, begun.elapsed().as_secs_f64());
    report(args, &tally, seconds, serde_json::Map::new(), output)
}

fn outputs(args: &MatchArgs) -> MatchOutputs<'_> {
    let (lines, dropped) = (args.geojson.as_deref(), args.dropped.as_deref());
    MatchOutputs { paths: &args.output, details: true, lines, dropped }
}

/// Matches and learns in turn, and writes the model as well.
fn learn(
    args: &MatchArgs,
    roads: &Roads,
    options: &MatchOptions,
    most: usize,
    file: &Path,
    output: Output,
) -> Result<(), Failure> {
    let begun = Instant::now();
    let mut hear = |round: &Round| {
        let Round { number, log_likelihood, changed, .. } = round;
        let changed = 100.0 * changed;
        status(format!("round {number}: log-likelihood {log_likelihood:.4}, {changed:.2} % of the states changed"));
    };
    let refinement = Refinement { roads, options, rounds: most, work: args.work.of_engine() };
    let refined = watched(Bar::new(), |watch: &Watch<'_>| refinement.run(&args.trips, &outputs(args), &mut hear, watch))?;
    refined.model(roads)?.save(file)?;
    let words = if refined.settled { "the routes no longer change" } else { "the routes still change: raise --learn" };
    note(format!("{} rounds; {words}; the preferences are in {}", refined.rounds.len(), file.display()));
    let rounds: Vec<_> = refined.rounds.iter().map(Round::to_json).collect();
    let more = serde_json::Map::from_iter([
        ("rounds".to_string(), json!(rounds)),
        ("settled".to_string(), json!(refined.settled)),
        ("model".to_string(), json!(file.display().to_string())),
    ]);
    report(args, &refined.tally, begun.elapsed().as_secs_f64(), more, output)
}

/// Says what became of the trips.
fn report(
    args: &MatchArgs,
    tally: &Tally,
    seconds: f64,
    more: serde_json::Map<String, serde_json::Value>,
    output: Output,
) -> Result<(), Failure> {
    if tally.interrupted {
        let message = format!(
            "{} trips were read; the {} paths found so far are in {}",
            tally.trips,
            tally.matched,
            args.output.display()
        );
        return Err(Failure::Interrupted(message));
    }
    let words = format!("{tally}\nwritten to {} in {seconds:.1} s\n", args.output.display());
    let mut json = tally.to_json();
    json["seconds"] = json!(seconds);
    json["file"] = json!(args.output.display().to_string());
    if let serde_json::Value::Object(json) = &mut json {
        json.extend(more);
    }
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
