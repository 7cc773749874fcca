//! `revealed roads export`: a network and learned costs for other programs.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;
use revealed_formats::Model;
use revealed_roads::export::ExportFormat;
use revealed_roads::{Engine, EngineAgreement, EngineExport, RoadCosts, Roads};
use serde_json::json;

use crate::args::choice::choice;
use crate::files::model::load_model;
use crate::files::output_file::{check_apart, check_extension, check_output};
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

fn engine() -> impl TypedValueParser<Value = Engine> {
    choice(&Engine::ALL, Engine::name, |engine| match engine {
        Engine::Osrm => "OSRM: tables of segments and of turns, which can express all costs",
        Engine::GraphHopper => "GraphHopper: a custom model, with rules by type of road, speed limit, lanes, toll and turn",
        Engine::Valhalla => "Valhalla: costing options, which only weigh time, distance, motorways and tolls",
    })
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
            let costs = RoadCosts::new(&roads, &theta)?;
            report(args, &EngineExport::write(engine, &costs, &args.output, args.turns.as_deref())?, output)
        }
        (Some(engine), None) => Err(Failure::new(format!("--to {}: give a model, whose costs are written", engine.name()))),
        (None, theta) => {
            let costs = theta.map(|theta| roads.costs(&theta)).transpose()?;
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
    let (n, file) = (roads.export_paths(&args.output, file)?, args.output.display());
    output.print(&format!("{n} paths; written to {file}\n"), &json!({ "paths": n, "file": file.to_string() }))
}

fn theta(roads: &Roads, file: &Path) -> Result<Vec<f64>, Failure> {
    let model: Model = load_model(file, &roads.problem()?)?;
    Ok(model.theta)
}

fn report(args: &ExportArgs, written: &EngineExport, output: Output) -> Result<(), Failure> {
    let EngineExport { scale, rows, agreement, lost, .. } = written;
    let mut words = format!("{rows}\na unit of cost has the weight {scale:.6}\n");
    if let Some(EngineAgreement { error, correlation }) = agreement {
        let error = 100.0 * error;
        let _ = writeln!(words, "costs of segments differ by {error:.2} % on average; their correlation is {correlation:.6}");
    }
    lost.iter().for_each(|what| {
        let _ = writeln!(words, "lost            {what}");
    });
    let _ = writeln!(words, "written to {}", args.output.display());
    let mut json = written.to_json();
    json["file"] = json!(args.output.display().to_string());
    output.print(&words, &json)
}
