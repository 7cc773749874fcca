//! `revealed roads export`: a network and learned costs for other programs.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;
use revealed_formats::{Model, demonstrations};
use revealed_roads::export::ExportFormat;
use revealed_roads::{EngineAgreement, GraphHopperModel, OsrmTables, RoadCosts, Roads, ValhallaOptions};
use serde_json::{Map, Value, json};

use crate::args::choice::choice;
use crate::files::model::load_model;
use crate::files::output_file::{check_apart, check_extension, check_output, write_json};
use crate::terminal::{Failure, Output};

/// Write a road network for other programs, or learned costs for a routing engine
#[derive(Args)]
#[command(after_help = "Example:\n  revealed roads export city.npz taxi.json -o costs.parquet\n  \
    revealed roads export city.npz --routes test.jsonl -o routes.gpkg\n  \
    revealed roads export city.npz taxi.json --to graphhopper -o taxi-model.json\n  \
    revealed roads export city.npz taxi.json --to osrm -o segments.csv --turns turns.csv")]
pub struct ExportArgs {
    /// The road network (.npz)
    roads: PathBuf,
    /// Model file (.json), whose costs are written; needed with --to
    #[arg(required_if_eq_any = [("to", "osrm"), ("to", "graphhopper"), ("to", "valhalla")])]
    model: Option<PathBuf>,
    /// The engine that is to search for routes by the learned costs
    #[arg(long, value_parser = engine())]
    to: Option<Engine>,
    /// Write these paths instead (.jsonl), such as matched ones: a line for each, with what else the file has of it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["to", "model"])]
    routes: Option<PathBuf>,
    /// Where to write it (.geojson, .fgb, .parquet or .gpkg: a line for each state, with its cost; .csv with --to osrm;
    /// .json with another engine)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where to write the costs of turns with --to osrm (.csv)
    #[arg(long, value_name = "FILE", required_if_eq("to", "osrm"))]
    turns: Option<PathBuf>,
}

/// A routing engine.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Engine {
    Osrm,
    GraphHopper,
    Valhalla,
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Engine::Osrm => "osrm",
            Engine::GraphHopper => "graphhopper",
            Engine::Valhalla => "valhalla",
        }
    }
}

fn engine() -> impl TypedValueParser<Value = Engine> {
    choice(&[Engine::Osrm, Engine::GraphHopper, Engine::Valhalla], Engine::name, |engine| match engine {
        Engine::Osrm => "OSRM: tables of segments and of turns, which can express all costs",
        Engine::GraphHopper => "GraphHopper: a custom model, with rules by type of road, speed limit, lanes, toll and turn",
        Engine::Valhalla => "Valhalla: costing options, which only weigh time, distance, motorways and tolls",
    })
}

/// What was written for an engine.
struct Written {
    scale: f64,
    /// What is in the files, in words and as numbers.
    rows: String,
    counts: Value,
    agreement: Option<EngineAgreement>,
    lost: Vec<String>,
}

/// Writes, and prints what is lost.
pub fn run(args: &ExportArgs, output: Output) -> Result<(), Failure> {
    check(args)?;
    let roads = Roads::load(&args.roads)?;
    if let Some(file) = &args.routes {
        return write_paths(args, &roads, file, output);
    }
    let theta = args.model.as_deref().map(|file| theta(&roads, file)).transpose()?;
    match (args.to, theta) {
        (Some(engine), Some(theta)) => {
            let written = write(args, engine, &RoadCosts::new(&roads, &theta)?)?;
            report(args, engine, &written, output)
        }
        (Some(engine), None) => Err(Failure::new(format!("--to {}: give a model, whose costs are written", engine.name()))),
        (None, theta) => {
            let costs = theta.map(|theta| costs_of_states(&roads, &theta));
            let columns: Vec<(&str, &[f64])> = costs.iter().map(|costs| ("cost", &costs[..])).collect();
            roads.export(&args.output, &columns)?;
            let (n, file) = (roads.n_states(), args.output.display());
            let words = format!(
                "{n} states, {}; written to {file}\n",
                if costs.is_some() { "each with its cost" } else { "without costs" }
            );
            output.print(&words, &json!({ "n_states": n, "costs": costs.is_some(), "file": file.to_string() }))
        }
    }
}

fn check(args: &ExportArgs) -> Result<(), Failure> {
    let inputs: Vec<&Path> = [&args.roads].into_iter().chain(&args.model).chain(&args.routes).map(PathBuf::as_path).collect();
    check_output(&args.output, &inputs, "the export")?;
    match args.to {
        None => {
            ExportFormat::of(&args.output)?;
        }
        Some(Engine::Osrm) => check_extension(&args.output, "csv")?,
        Some(_) => check_extension(&args.output, "json")?,
    }
    match (&args.turns, args.to) {
        (Some(file), Some(Engine::Osrm)) => {
            check_output(file, &inputs, "the turns")?;
            check_extension(file, "csv")?;
        }
        (Some(_), _) => return Err(Failure::new("--turns is for --to osrm: other engines have turns in one file with roads")),
        (None, _) => {}
    }
    check_apart(&[Some(&args.output), args.turns.as_deref()])
}

/// Writes a line for each path, with its other fields.
fn write_paths(args: &ExportArgs, roads: &Roads, file: &Path, output: Output) -> Result<(), Failure> {
    check_extension(file, "jsonl")?;
    let paths = demonstrations::load_for(&roads.problem()?.mdp, file)?;
    let text = fs::read_to_string(file).map_err(|cause| Failure::in_file(file, cause))?;
    let fields = text.lines().filter(|line| !line.trim().is_empty()).map(|line| {
        let mut fields: Map<String, Value> = serde_json::from_str(line).map_err(|fault| Failure::in_file(file, fault))?;
        fields.remove("actions");
        Ok(Value::Object(fields))
    });
    let fields: Vec<Value> = fields.collect::<Result<_, Failure>>()?;
    let states: Vec<Vec<usize>> =
        (0..paths.len()).map(|index| paths.states(index).iter().map(|&state| state as usize).collect()).collect();
    let lines: Vec<(&[usize], &Value)> = states.iter().map(Vec::as_slice).zip(&fields).collect();
    roads.export_routes(&args.output, &lines)?;
    let (n, file) = (lines.len(), args.output.display());
    output.print(&format!("{n} paths; written to {file}\n"), &json!({ "paths": n, "file": file.to_string() }))
}

fn theta(roads: &Roads, file: &Path) -> Result<Vec<f64>, Failure> {
    let model: Model = load_model(file, &roads.problem()?)?;
    Ok(model.theta)
}

/// Minus the reward of each state.
fn costs_of_states(roads: &Roads, theta: &[f64]) -> Vec<f64> {
    let mut costs = vec![0.0; roads.n_states()];
    roads.features.of_segments.iter().for_each(|&(state, feature, value)| costs[state] -= theta[feature] * value);
    costs
}

fn write(args: &ExportArgs, engine: Engine, costs: &RoadCosts<'_>) -> Result<Written, Failure> {
    Ok(match (engine, &args.turns) {
        (Engine::Osrm, Some(turns)) => {
            let tables = OsrmTables::new(costs)?;
            tables.save(&args.output, turns)?;
            let [segments, n_turns] = tables.len();
            Written {
                scale: tables.scale,
                rows: format!("{segments} segments, and {n_turns} turns in {}", turns.display()),
                counts: json!({ "segments": segments, "turns": n_turns, "turns_file": turns.display().to_string() }),
                agreement: None,
                lost: tables.lost,
            }
        }
        (Engine::Osrm, None) => return Err(Failure::new("--to osrm: give --turns, too")),
        (Engine::GraphHopper, _) => {
            let GraphHopperModel { json, scale, n_classes, agreement, lost } = GraphHopperModel::new(costs)?;
            write_json(&args.output, &json)?;
            let (rows, counts) = (format!("{n_classes} classes of roads"), json!({ "classes": n_classes }));
            Written { scale, rows, counts, agreement: Some(agreement), lost }
        }
        (Engine::Valhalla, _) => {
            let ValhallaOptions { json, scale, agreement, lost } = ValhallaOptions::new(costs)?;
            write_json(&args.output, &json)?;
            let rows = json["costing_options"]["auto"].to_string();
            Written { scale, rows, counts: json, agreement: Some(agreement), lost }
        }
    })
}

fn report(args: &ExportArgs, engine: Engine, written: &Written, output: Output) -> Result<(), Failure> {
    let Written { scale, rows, counts, agreement, lost } = written;
    let mut words = format!("{rows}\na unit of cost has the weight {scale:.6}\n");
    if let Some(EngineAgreement { error, correlation }) = agreement {
        let error = 100.0 * error;
        let _ = writeln!(words, "costs of segments differ by {error:.2} % on average; their correlation is {correlation:.6}");
    }
    lost.iter().for_each(|what| {
        let _ = writeln!(words, "lost            {what}");
    });
    let _ = writeln!(words, "written to {}", args.output.display());
    let json = json!({
        "engine": engine.name(), "scale": scale, "content": counts, "agreement": agreement.map(|found| found.to_json()),
        "lost": lost, "file": args.output.display().to_string(),
    });
    output.print(&words, &json)
}
