//! `revealed roads forecast`: the likeliest routes between two places, or the destination of an unfinished trip.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use revealed::PathModel;
use revealed_draw::routes_map;
use revealed_roads::export::ExportFormat;
use revealed_roads::{LikelyRoute, Position, Roads, different_routes, likeliest_routes, states_at};
use serde_json::{Value, json};

use super::numbers;
use super::trace;
use crate::args::path_set::{check_weights, path_model};
use crate::args::states::state;
use crate::args::work::Work;
use crate::files::model::load_model;
use crate::files::output_file::{check_apart, check_output};
use crate::files::picture::{check_picture, write_picture};
use crate::terminal::notes::note;
use crate::terminal::{Failure, Output};

/// Forecast the route between two places, or the destination of an unfinished trip
#[derive(Args)]
#[command(
    override_usage = "revealed roads forecast [OPTIONS] --from <PLACE> --to <PLACE> <ROADS> <MODEL>\n       \
        revealed roads forecast [OPTIONS] --trace <FILE> <ROADS> <MODEL>",
    after_help = "Example:\n  \
        revealed roads forecast city.npz taxi.json --from 10 --to 900 --k 3 --map route.svg\n  \
        revealed roads forecast city.npz taxi.json --trace trips.csv --train train.jsonl --map ends.png"
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
    /// The largest share of its length that a route may have in common with another; 1 gives the K likeliest routes,
    /// which often differ by a block only
    #[arg(long, value_name = "SHARE", default_value_t = 0.7, requires = "from")]
    overlap: f64,
    /// An unfinished trip (.gpx, or the first of a .csv), to forecast its destination
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "to"])]
    trace: Option<PathBuf>,
    /// Known trips (.jsonl or .npz), such as those that the model was learned from: where trips end and how long they
    /// are. Otherwise all metres of road are as probable
    #[arg(long, value_name = "FILE", requires = "trace")]
    pub train: Option<PathBuf>,
    /// Where trips end: a file with a JSON array of weights over states [default: the ends of the known trips]
    #[arg(long, value_name = "PRIOR", requires = "trace")]
    pub prior: Option<PathBuf>,
    /// Seed of the choice of known trips
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "train")]
    pub seed: u64,
    /// Draw it (.svg or .png)
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Write it for other programs (.geojson, .fgb, .parquet or .gpkg)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}

/// Answers, draws and prints.
pub fn run(args: &ForecastArgs, output: Output) -> Result<(), Failure> {
    let inputs: Vec<&Path> = [&args.roads, &args.model]
        .into_iter()
        .chain(&args.trace)
        .chain(&args.train)
        .chain(&args.prior)
        .map(|path| path.as_path())
        .collect();
    if let Some(file) = &args.map {
        check_output(file, &inputs, "the map")?;
        check_picture(file)?;
    }
    if let Some(file) = &args.output {
        check_output(file, &inputs, "the route")?;
        ExportFormat::of(file)?;
    }
    check_apart(&[args.map.as_deref(), args.output.as_deref()])?;
    let roads = Roads::load(&args.roads)?;
    let problem = roads.problem()?;
    let model = load_model(&args.model, &problem)?;
    let paths = path_model(&problem, &model, None, None)?;
    check_weights(&paths, "roads forecast", "roads have no chance, so learn with --inference recursive-logit or exact")?;
    match (&args.trace, &args.from, &args.to) {
        (Some(file), _, _) => trace::run(args, file, &roads, &paths, output),
        (None, Some(from), Some(to)) => routes(args, [from, to], &roads, &paths, output),
        _ => Err(Failure::new("give --from and --to, or --trace")),
    }
}

fn routes(args: &ForecastArgs, places: [&str; 2], roads: &Roads, paths: &PathModel<'_>, output: Output) -> Result<(), Failure> {
    let [from, to] = [states(places[0], "--from", roads)?, states(places[1], "--to", roads)?];
    if !(0.0..=1.0).contains(&args.overlap) {
        return Err(Failure::new(format!("--overlap {}: give a share between 0 and 1", args.overlap)));
    }
    let found = match args.k == 1 || args.overlap == 1.0 {
        true => likeliest_routes(roads, paths, [&from, &to], args.k, &args.work.of_engine())?,
        false => different_routes(roads, paths, [&from, &to], args.k, args.overlap)?,
    };
    if found.routes.len() < args.k {
        note(format!("only {} routes differ so much: raise --overlap for more", found.routes.len()));
    }
    let mut words = found.description();
    let each: Vec<Value> = found.routes.iter().map(LikelyRoute::to_json).collect();
    if let Some(file) = &args.output {
        let lines: Vec<(&[usize], &Value)> =
            found.routes.iter().zip(&each).map(|(route, properties)| (&route.states[..], properties)).collect();
        roads.export_routes(file, &lines)?;
        let _ = writeln!(words, "written to {}", file.display());
    }
    if let Some(file) = &args.map {
        write_picture(file, &routes_map(roads, &found)?)?;
        let _ = writeln!(words, "drawn in {}", file.display());
    }
    output.print(&words, &json!({ "routes": each }))
}

/// The states at a place, which is given by its coordinates or by the number of a state.
fn states(text: &str, option: &'static str, roads: &Roads) -> Result<Vec<usize>, Failure> {
    if let Ok(number) = text.parse::<usize>() {
        return Ok(vec![state(number, option, roads.n_states())?]);
    }
    let place = match numbers(text)[..] {
        [lat, lon] if Position { lat, lon }.is_valid() => Position { lat, lon },
        _ => {
            let message =
                format!("{option} {text}: give latitude and longitude, as in 41.158,-8.629, or the number of a state");
            return Err(Failure::new(message));
        }
    };
    states_at(roads, place).map_err(|error| Failure::new(format!("{option} {text}: {error}")))
}
