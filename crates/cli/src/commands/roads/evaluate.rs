//! `revealed roads evaluate`: forecasts compared with what was driven, and with simpler forecasts.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{Demonstrations, Watch};
use revealed_draw::evaluation_maps;
use revealed_formats::{Model, demonstrations};
use revealed_roads::{EvaluateOptions, Evaluated, Judge, Roads, evaluate, long_enough};
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

/// Evaluates, draws and prints.
pub fn run(args: &RoadsEvaluateArgs, output: Output) -> Result<(), Failure> {
    check_files(args)?;
    let roads = Roads::load(&args.roads)?;
    let problem = roads.problem()?;
    let model = load_model(&args.model, &problem)?;
    let test = demonstrations::load(&args.paths)?;
    Demonstrations::new(&problem.mdp, &test).map_err(|error| Failure::in_demos(error, &args.paths))?;
    let train = args.train.as_ref().map(demonstrations::load).transpose()?;
    let paths = path_model(&problem, &model, Some(long_enough(model.horizon, &test)), None)?;
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
        let drawn = draw(folder, &judge, &model, &found)?;
        let _ = writeln!(words, "drawn in {}: {}", folder.display(), drawn.join(", "));
        json["maps"] = json!(drawn);
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

/// Draws the maps into a folder, and returns the names of the files.
fn draw(folder: &Path, judge: &Judge<'_>, model: &Model, found: &Evaluated) -> Result<Vec<String>, Failure> {
    let visits = judge.model_visits(&model.theta, model.inference, &found.learned)?;
    let mut drawn = Vec::new();
    for (name, canvas) in evaluation_maps(judge, &model.theta, &visits, found)? {
        for end in ["svg", "png"] {
            let file = format!("{name}.{end}");
            write_picture(&folder.join(&file), &canvas)?;
            drawn.push(file);
        }
    }
    Ok(drawn)
}
