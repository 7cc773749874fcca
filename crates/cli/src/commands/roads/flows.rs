//! `revealed roads flows`: the expected flow on every road, of trips between given ends.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use revealed::{Horizon, route_flows};
use revealed_draw::{MapOptions, RoadMap, Values};
use revealed_formats::{atomic, load_pairs};
use revealed_roads::Roads;
use revealed_roads::export::ExportFormat;
use serde_json::json;

use crate::args::path_set::{check_weights, path_model};
use crate::args::work::Work;
use crate::files::model::load_model;
use crate::files::output_file::check_output;
use crate::files::picture::{check_picture, write_picture};
use crate::terminal::notes::note;
use crate::terminal::{Failure, Output};

/// Assign an origin-destination table to the roads: the expected flow on each
#[derive(Args)]
#[command(after_help = "Example:\n  revealed roads flows city.npz taxi.json demand.csv -o flows.csv --map flows.png")]
pub struct FlowsArgs {
    /// The road network (.npz)
    roads: PathBuf,
    /// Model file (.json), learned with --inference recursive-logit
    model: PathBuf,
    /// Pairs of states with their numbers of trips (.csv or .jsonl): from, to and weight
    pairs: PathBuf,
    /// Where to write the flow of each state (.csv, .geojson or .fgb)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Draw them (.svg or .png)
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Assigns, writes, draws and prints.
pub fn run(args: &FlowsArgs, output: Output) -> Result<(), Failure> {
    let inputs: [&Path; 3] = [&args.roads, &args.model, &args.pairs];
    check_output(&args.output, &inputs, "the flows")?;
    let is_table = args.output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    if !is_table {
        ExportFormat::of(&args.output)
            .map_err(|_| Failure::in_file(&args.output, "the extension is not known: give .csv, .geojson or .fgb"))?;
    }
    if let Some(file) = &args.map {
        check_output(file, &inputs, "the map")?;
        check_picture(file)?;
    }
    let roads = Roads::load(&args.roads)?;
    let problem = roads.problem()?;
    let model = load_model(&args.model, &problem)?;
    let paths = path_model(&problem, &model, Some(Horizon::Any), Some(revealed::Ends::Goal))?;
    check_weights(&paths, "roads flows", "roads have no chance, so learn with --inference recursive-logit or exact")?;
    if model.horizon != Horizon::Any {
        note("the model was learned with a horizon; its weights are used for routes of any length");
    }
    let trips: Vec<([usize; 2], f64)> =
        load_pairs(&args.pairs, roads.n_states())?.into_iter().map(|pair| ([pair.from, pair.to], pair.weight)).collect();
    let begun = Instant::now();
    let flows = route_flows(&problem.mdp, paths.reward(), &trips, &args.work.of_engine())?.state;
    let seconds = begun.elapsed().as_secs_f64();
    let total: f64 = trips.iter().map(|trip| trip.1).sum();
    match is_table {
        true => atomic::write(&args.output, |writer| {
            writeln!(writer, "state,flow")?;
            flows.iter().enumerate().try_for_each(|(state, flow)| writeln!(writer, "{state},{flow}"))
        })?,
        false => roads.export(&args.output, &[("flow", &flows)])?,
    }
    let metres: f64 = flows.iter().enumerate().map(|(state, flow)| flow * roads.length(state)).sum();
    let mut words = format!(
        "{total} trips between {} pairs on {} states in {seconds:.2} s; {:.1} km and {:.1} states per trip\nwritten to {}\n",
        trips.len(),
        flows.len(),
        metres / 1000.0 / total,
        flows.iter().sum::<f64>() / total,
        args.output.display()
    );
    if let Some(file) = &args.map {
        let title = format!("Expected flows of {total} trips");
        let values = Values { title: &title, label: "trips", values: &flows, log: true, ..Values::default() };
        write_picture(file, &RoadMap::new(&roads, MapOptions::of(&roads))?.coloured(&values)?)?;
        let _ = writeln!(words, "drawn in {}", file.display());
    }
    let json = json!({
        "pairs": trips.len(), "trips": total, "n_states": flows.len(), "seconds": seconds,
        "km_per_trip": metres / 1000.0 / total, "states_per_trip": flows.iter().sum::<f64>() / total,
        "file": args.output.display().to_string(),
    });
    output.print(&words, &json)
}
