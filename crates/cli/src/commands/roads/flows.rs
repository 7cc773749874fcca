//! `revealed roads flows`: the expected flow on every road, of trips between given ends.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use revealed::{Horizon, shown};
use revealed_draw::flow_map;
use revealed_formats::load_pairs;
use revealed_roads::export::ExportFormat;
use revealed_roads::{AssignedFlows, Demand, Roads, on_all_copies};
use serde_json::json;

use crate::args::feature::feature_named;
use crate::args::path_set::{check_weights, path_model};
use crate::args::scenario::changes;
use crate::args::states::one_state;
use crate::args::work::Work;
use crate::files::model::load_model;
use crate::files::output_file::check_output;
use crate::files::picture::{check_picture, write_picture};
use crate::terminal::notes::note;
use crate::terminal::{Failure, Output};

/// Assign an origin-destination table to the roads: the expected flow on each
#[derive(Args)]
#[command(after_help = "Example:\n  revealed roads flows city.npz taxi.json demand.csv -o flows.csv --map flows.png\n  \
    revealed roads flows city.npz taxi.json demand.csv -o flows.parquet --elasticity time\n  \
    revealed roads flows city.npz taxi.json demand.csv -o flows.csv --close 17,18 --map changes.png")]
pub struct FlowsArgs {
    /// The road network (.npz)
    roads: PathBuf,
    /// Model file (.json), learned with --inference recursive-logit
    model: PathBuf,
    /// Pairs of states with their numbers of trips (.csv or .jsonl): from, to and weight
    pairs: PathBuf,
    /// Where to write the flow of each state (.csv, .geojson, .fgb, .parquet or .gpkg)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Add the flows with these changes of the roads, and the differences: closures, tolls, feature values (.json)
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// States that no trip visits, in addition to those of the scenario
    #[arg(long, value_name = "S,S", value_delimiter = ',', value_parser = one_state)]
    close: Vec<usize>,
    /// Add the elasticity of each flow by this feature: by how many per cent it changes if the feature is 1 % larger
    /// everywhere; may be repeated
    #[arg(long, value_name = "NAME")]
    elasticity: Vec<String>,
    /// Draw them, or how they change (.svg or .png)
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Flows, and how they were found.
struct Assigned {
    found: AssignedFlows,
    pairs: usize,
    seconds: f64,
}

/// Assigns, writes, draws and prints.
pub fn run(args: &FlowsArgs, output: Output) -> Result<(), Failure> {
    check(args)?;
    let roads = Roads::load(&args.roads)?;
    let found = assign(args, &roads)?;
    match is_table(&args.output) {
        true => found.found.save(&roads, &args.output)?,
        false => roads.export(&args.output, &found.found.columns())?,
    }
    if let Some(file) = &args.map {
        write_picture(file, &flow_map(&roads, &found.found)?)?;
    }
    report(args, &roads, &found, output)
}

fn is_table(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

fn check(args: &FlowsArgs) -> Result<(), Failure> {
    let inputs: Vec<&Path> =
        [&args.roads, &args.model, &args.pairs].into_iter().chain(&args.scenario).map(PathBuf::as_path).collect();
    check_output(&args.output, &inputs, "the flows")?;
    if !is_table(&args.output) && ExportFormat::of(&args.output).is_err() {
        let message = "the extension is not known: give .csv, .geojson, .fgb, .parquet or .gpkg";
        return Err(Failure::in_file(&args.output, message));
    }
    if let Some(file) = &args.map {
        check_output(file, &inputs, "the map")?;
        check_picture(file)?;
    }
    Ok(())
}

fn assign(args: &FlowsArgs, roads: &Roads) -> Result<Assigned, Failure> {
    let problem = roads.problem()?;
    let model = load_model(&args.model, &problem)?;
    let paths = path_model(&problem, &model, Some(Horizon::Any), Some(revealed::Ends::Goal))?;
    check_weights(&paths, "roads flows", "roads have no chance, so learn with --inference recursive-logit or exact")?;
    if model.horizon != Horizon::Any {
        note("the model was learned with a horizon; its weights are used for routes of any length");
    }
    let numbered = |name: &String| Ok((name.clone(), feature_named(name, &problem.features, "--elasticity")?));
    let by: Vec<(String, usize)> = args.elasticity.iter().map(numbered).collect::<Result<_, Failure>>()?;
    let demand: Vec<Demand> =
        load_pairs(&args.pairs, roads.n_states())?.into_iter().map(|pair| ([pair.from, pair.to], pair.weight)).collect();
    let changes = changes(args.scenario.as_deref(), &args.close, roads.n_states())?;
    let scenario = changes.map(|mut changes| {
        on_all_copies(roads, &mut changes);
        changes.build(&problem).map_err(Failure::new)
    });
    let scenario = scenario.transpose()?;
    let (begun, work) = (Instant::now(), args.work.of_engine());
    let mut found = AssignedFlows::new(roads, &problem, &model, &paths, &demand, &by, &work)?;
    if let Some(scenario) = &scenario {
        found = found.in_scenario(roads, &model, scenario, &demand, &work)?;
    }
    Ok(Assigned { found, pairs: demand.len(), seconds: begun.elapsed().as_secs_f64() })
}

fn report(args: &FlowsArgs, roads: &Roads, assigned: &Assigned, output: Output) -> Result<(), Failure> {
    let Assigned { found, pairs, seconds } = assigned;
    let (trips, n_states) = (found.trips, found.flows.len());
    let mut words = format!(
        "{trips} trips between {pairs} pairs on {n_states} states in {seconds:.2} s; {:.1} km and {:.1} states per trip\nwritten to {}\n",
        found.km_per_trip(),
        found.states_per_trip(),
        args.output.display()
    );
    if let Some(changed) = &found.changed {
        let more = 100.0 * (changed.km_per_trip / found.km_per_trip() - 1.0);
        let _ = writeln!(words, "scenario: {:.3} km per trip ({more:+.2} %)", changed.km_per_trip);
    }
    if let Some(file) = &args.map {
        let _ = writeln!(words, "drawn in {}", file.display());
    }
    let mut by_name = serde_json::Map::new();
    for (name, values) in &found.elasticities {
        let of_all = found.of_all_metres(roads, values);
        let _ = writeln!(words, "{}: {of_all:.4} for all driven kilometres together", shown(name));
        by_name.insert(name.clone(), json!(of_all));
    }
    let mut json = json!({
        "pairs": pairs, "trips": trips, "n_states": n_states, "seconds": seconds,
        "km_per_trip": found.km_per_trip(), "states_per_trip": found.states_per_trip(),
        "file": args.output.display().to_string(),
    });
    if let Some(changed) = &found.changed {
        json["scenario_km_per_trip"] = json!(changed.km_per_trip);
    }
    if !by_name.is_empty() {
        json["of_all_kilometres"] = json!(by_name);
    }
    output.print(&words, &json)
}
