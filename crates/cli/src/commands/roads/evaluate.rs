//! `revealed roads evaluate`: forecasts compared with what was driven, and with simpler forecasts.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{Demonstrations, Watch};
use revealed_draw::{Canvas, Flows, MapOptions, RoadMap, TripPicture, Values, cost_per_metre, flow_scatter};
use revealed_formats::{Model, demonstrations};
use revealed_roads::{Baseline, EvaluateOptions, Evaluated, Judge, Roads, evaluate};
use serde_json::json;

use crate::args::path_set::{check_weights, path_model};
use crate::args::work::Work;
use crate::files::model::load_model;
use crate::files::output_file::check_optional;
use crate::files::picture::write_picture;
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched;
use crate::terminal::{Failure, Output};

/// Forecast the routes and destinations of trips, and compare them with the true ones and with baselines
#[derive(Args)]
#[command(after_help = "Example:\n  \
    revealed roads evaluate city.npz taxi.json test.jsonl --train train.jsonl --maps maps")]
pub struct RoadsEvaluateArgs {
    /// The road network (.npz)
    roads: PathBuf,
    /// Model file (.json)
    model: PathBuf,
    /// Paths that the model has not seen (.jsonl or .npz)
    paths: PathBuf,
    /// The paths that the model was learned from, for Ziebart's model and for the model of destinations
    #[arg(long, value_name = "FILE")]
    train: Option<PathBuf>,
    /// Where to write the numbers of every trip (.csv)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Folder for maps: costs, flows, trips
    #[arg(long, value_name = "DIR")]
    maps: Option<PathBuf>,
    /// Forecast the destinations of this number of trips
    #[arg(long, value_name = "N", default_value_t = 500)]
    destinations: usize,
    /// Seed of random weights and of the choice of trips
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Shorter trips are not drawn.
const LEAST_STATES: usize = 21;
/// The trips that are drawn, by their rank among all forecasts as a fraction, the best first: file, title and rank.
const EXAMPLES: [(&str, &str, f64); 3] = [
    ("trip-good", "A forecast among the best", 0.1),
    ("trip-median", "A median forecast", 0.5),
    ("trip-bad", "A forecast among the worst", 0.9),
];

/// Evaluates, draws and prints.
pub fn run(args: &RoadsEvaluateArgs, output: Output) -> Result<(), Failure> {
    check_files(args)?;
    let roads = Roads::load(&args.roads)?;
    let problem = roads.problem()?;
    let model = load_model(&args.model, &problem)?;
    let test = demonstrations::load(&args.paths)?;
    Demonstrations::new(&problem.mdp, &test).map_err(|error| Failure::in_demos(error, &args.paths))?;
    let train = args.train.as_ref().map(demonstrations::load).transpose()?;
    // Trips may be longer than those that were learned from.
    let longest = test.iter().map(|trip| trip.states.len()).max().unwrap_or(1);
    let horizon = longest.max(model.horizon.at_most().unwrap_or(1)).into();
    let paths = path_model(&problem, &model, Some(horizon), None)?;
    check_weights(&paths, "roads evaluate", "roads have no chance, so learn with --inference recursive-logit or exact")?;
    let judge = Judge::new(&roads, &problem, &test, args.work.of_engine());
    let options = EvaluateOptions { destinations: args.destinations, seed: args.seed };
    let work = |watch: &Watch<'_>| evaluate(&judge, (&paths, model.inference), train.as_deref(), &options, watch);
    let found = watched(Bar::new(), work)
        .map_err(|error| Failure::from(error).if_interrupted("the forecasts are not finished, and nothing is written"))?;
    let (mut words, mut json) = (found.table(), found.to_json());
    if let Some(file) = &args.output {
        judge.write_comparisons(file, &found.learned)?;
        let _ = writeln!(words, "written to {}", file.display());
    }
    if let Some(folder) = &args.maps {
        let mut maps = Maps { folder, drawn: Vec::new() };
        maps.draw(&judge, &model, &found)?;
        let _ = writeln!(words, "drawn in {}: {}", folder.display(), maps.drawn.join(", "));
        json["maps"] = json!(maps.drawn);
    }
    output.print(&words, &json)
}

fn check_files(args: &RoadsEvaluateArgs) -> Result<(), Failure> {
    let inputs: Vec<&Path> =
        [&args.roads, &args.model, &args.paths].into_iter().chain(&args.train).map(|path| path.as_path()).collect();
    check_optional(args.output.as_deref(), &inputs, "the numbers", "csv")?;
    if let Some(folder) = &args.maps {
        fs::create_dir_all(folder).map_err(|cause| Failure::in_file(folder, cause))?;
    }
    Ok(())
}

/// A folder of maps.
struct Maps<'a> {
    folder: &'a Path,
    /// The names of the files.
    drawn: Vec<String>,
}

impl Maps<'_> {
    fn draw(&mut self, judge: &Judge<'_>, model: &Model, found: &Evaluated) -> Result<(), Failure> {
        let map = RoadMap::new(judge.roads, MapOptions::of(judge.roads))?;
        let costs = cost_per_metre(judge.roads, &model.theta)?;
        let (title, label) = ("Cost of a metre of each road", "learned cost, nats per metre");
        self.write("costs", &map.coloured(&Values { title, label, values: &costs, ..Values::default() })?)?;
        let data = judge.driven_visits();
        let flows = judge.model_visits(&model.theta, model.inference, &found.learned)?;
        let label = format!("visits of {} trips", judge.trips.len());
        let both = Flows {
            title: "Visits of each road: data and model",
            label: &label,
            data: &data,
            model: &flows,
            ..Flows::default()
        };
        self.write("flows", &map.flows(&both)?)?;
        self.write("flow-difference", &map.flow_difference(&both)?)?;
        self.write("flow-scatter", &flow_scatter("Visits of each segment", &data, &flows)?)?;
        let trips = judge.examples(&found.learned, LEAST_STATES, EXAMPLES.map(|example| example.2));
        for ((name, title, _), trip) in EXAMPLES.into_iter().zip(trips) {
            if let Some(trip) = trip {
                self.write(name, &trip_picture(&map, judge, found, title, trip)?)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, name: &str, canvas: &Canvas) -> Result<(), Failure> {
        for end in ["svg", "png"] {
            let file = format!("{name}.{end}");
            write_picture(&self.folder.join(&file), canvas)?;
            self.drawn.push(file);
        }
        Ok(())
    }
}

fn trip_picture(map: &RoadMap<'_>, judge: &Judge<'_>, found: &Evaluated, title: &str, trip: usize) -> Result<Canvas, Failure> {
    let truth = &judge.trips[trip].states;
    let forecast = found.learned.routes[trip].as_deref().unwrap_or_default();
    let others: Vec<(&str, &[usize])> =
        found.shortest.routes[trip].iter().map(|route| (Baseline::Shortest.name(), &route[..])).collect();
    Ok(map.trip(&TripPicture {
        title,
        truth,
        // The paths may have been matched, or be known from elsewhere: the file does not say.
        truth_name: "driven route",
        forecast,
        matched: Some(judge.metrics().compare(forecast, truth).distance_match),
        others: &others,
        ..TripPicture::default()
    })?)
}
