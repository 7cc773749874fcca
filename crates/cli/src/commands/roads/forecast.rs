//! `revealed roads forecast`: the likeliest routes between two places, or where a trip that was begun will end.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{PathModel, PathQuery, best_paths};
use revealed_draw::{MapOptions, RoadMap, TripPicture};
use revealed_roads::{Leg, Position, Roads, directions, segments_at};
use serde_json::{Value, json};

use super::drawing::{check_picture, write_lines, write_picture};
use super::numbers;
use super::trace;
use crate::args::path_set::path_model;
use crate::args::states::state;
use crate::args::work::Work;
use crate::files::model::load_model;
use crate::files::output_file::{check_extension, check_output};
use crate::terminal::{Failure, Output};

/// Forecast a route between two places, or where a trip that has begun will end
#[derive(Args)]
#[command(
    override_usage = "revealed roads forecast [OPTIONS] --from <PLACE> --to <PLACE> <ROADS> <MODEL>\n       \
        revealed roads forecast [OPTIONS] --trace <FILE> <ROADS> <MODEL>",
    after_help = "Example:\n  \
        revealed roads forecast city.npz taxi.json --from 10 --to 900 --k 3 --map route.svg\n  \
        revealed roads forecast city.npz taxi.json --trace trips.csv --map ends.png"
)]
pub struct ForecastArgs {
    /// The road network (.npz)
    roads: PathBuf,
    /// Model file (.json)
    model: PathBuf,
    /// Where the route begins: LAT,LON, or the number of a state
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true, requires = "to", required_unless_present = "trace")]
    from: Option<String>,
    /// Where the route ends: LAT,LON, or the number of a state
    #[arg(long, value_name = "PLACE", alias = "goal", allow_hyphen_values = true, requires = "from")]
    to: Option<String>,
    /// How many routes, the likeliest first
    #[arg(long, value_name = "K", default_value_t = 1, requires = "from")]
    k: usize,
    /// A trip that has begun (.gpx, or the first of a .csv): where will it end?
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "to"])]
    trace: Option<PathBuf>,
    /// Draw it (.svg or .png)
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Write it for other programs (.geojson)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// A place this far from every road is hardly meant, in metres.
const FAR: f64 = 1000.0;

/// Answers, draws and prints.
pub fn run(args: &ForecastArgs, output: Output) -> Result<(), Failure> {
    let inputs: Vec<&Path> = [&args.roads, &args.model].into_iter().chain(&args.trace).map(|path| path.as_path()).collect();
    if let Some(file) = &args.map {
        check_output(file, &inputs, "the map")?;
        check_picture(file)?;
    }
    if let Some(file) = &args.output {
        check_output(file, &inputs, "the route")?;
        check_extension(file, "geojson")?;
    }
    let roads = Roads::load(&args.roads)?;
    let problem = roads.problem()?;
    let model = load_model(&args.model, &problem)?;
    let paths = path_model(&problem, &model, None, None)?;
    match (&args.trace, &args.from, &args.to) {
        (Some(file), _, _) => trace::run(args, file, &roads, &paths, output),
        (None, Some(from), Some(to)) => routes(args, [from, to], &roads, &paths, output),
        _ => Err(Failure::new("give --from and --to, or --trace")),
    }
}

fn routes(args: &ForecastArgs, places: [&str; 2], roads: &Roads, paths: &PathModel<'_>, output: Output) -> Result<(), Failure> {
    let [from, to] = [states_at(places[0], "--from", roads)?, states_at(places[1], "--to", roads)?];
    let query = PathQuery {
        k: args.k,
        bounded: false,
        loopless: args.k > 1,
        threads: args.work.threads,
        ..PathQuery::new(from, Some(to))
    };
    let found = best_paths(paths, &query)?.paths;
    let (mut words, mut each) = (String::new(), Vec::new());
    for (number, best) in found.iter().enumerate() {
        let legs = directions(&roads.network, &roads.segments_of_path(&best.path.states));
        let relative = (best.log_weight - found[0].log_weight).exp();
        let name = match number {
            0 => "likeliest route".to_string(),
            _ => format!("{}. route, {relative:.2} times as likely as the first", number + 1),
        };
        describe(&mut words, &name, &legs);
        each.push(as_json(&best.path.states, &legs, relative));
    }
    if let Some(file) = &args.output {
        let lines: Vec<(&[usize], &Value)> = found.iter().zip(&each).map(|(best, one)| (&best.path.states[..], one)).collect();
        write_lines(file, roads, &lines)?;
        let _ = writeln!(words, "written to {}", file.display());
    }
    if let Some(file) = &args.map {
        let names: Vec<String> = (2..=found.len()).map(|number| format!("{number}. route")).collect();
        let others: Vec<(&str, &[usize])> =
            names.iter().zip(&found[1..]).map(|(name, best)| (name.as_str(), &best.path.states[..])).collect();
        let picture = TripPicture {
            title: "The likeliest route",
            forecast: &found[0].path.states,
            others: &others,
            ..TripPicture::default()
        };
        write_picture(file, &RoadMap::new(roads, MapOptions::of(roads))?.trip(&picture)?)?;
        let _ = writeln!(words, "drawn in {}", file.display());
    }
    output.print(&words, &json!({ "routes": each }))
}

/// The states at a place, given by its coordinates or by a number.
fn states_at(text: &str, option: &'static str, roads: &Roads) -> Result<Vec<(usize, f64)>, Failure> {
    if let Ok(number) = text.parse::<usize>() {
        return Ok(vec![(state(number, option, roads.n_states())?, 1.0)]);
    }
    let place = match numbers(text)[..] {
        [lat, lon] if Position { lat, lon }.is_valid() => Position { lat, lon },
        _ => {
            let message =
                format!("{option} {text}: give latitude and longitude, as in 41.158,-8.629, or the number of a state");
            return Err(Failure::new(message));
        }
    };
    let (segments, metres) = segments_at(&roads.network, place);
    if segments.is_empty() || metres > FAR {
        let message =
            format!("{option} {text}: the nearest road of the network is {:.1} km away: are they swapped?", metres / 1e3);
        return Err(Failure::new(message));
    }
    let mut states: Vec<usize> = segments.iter().map(|&segment| roads.state_of(segment as usize)).collect();
    states.sort_unstable();
    states.dedup();
    Ok(states.into_iter().map(|state| (state, 1.0)).collect())
}

fn describe(words: &mut String, name: &str, legs: &[Leg]) {
    let (metres, seconds) = legs.iter().fold((0.0, 0.0), |sum, leg| (sum.0 + leg.metres, sum.1 + leg.seconds));
    let _ = writeln!(words, "{name}: {:.2} km, {:.0} min at the usual speeds", metres / 1e3, seconds / 60.0);
    for leg in legs {
        let _ = writeln!(words, "  {:>6.0} m  {}", leg.metres, leg.street);
    }
}

fn as_json(states: &[usize], legs: &[Leg], relative: f64) -> Value {
    let metres: f64 = legs.iter().map(|leg| leg.metres).sum();
    let seconds: f64 = legs.iter().map(|leg| leg.seconds).sum();
    let legs: Vec<Value> =
        legs.iter().map(|leg| json!({ "street": leg.street, "metres": leg.metres, "seconds": leg.seconds })).collect();
    json!({ "states": states, "metres": metres, "seconds": seconds, "relative_weight": relative, "legs": legs })
}
