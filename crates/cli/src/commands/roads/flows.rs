//! `revealed roads flows`: the expected flow on every road, of trips between given ends.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use revealed::{Horizon, PathModel, RouteSums, flow_elasticities, route_flows, shown};
use revealed_draw::{MapOptions, RoadMap, Values};
use revealed_formats::{atomic, csv_cell, load_pairs};
use revealed_roads::Roads;
use revealed_roads::export::ExportFormat;
use serde_json::json;

use crate::args::feature::feature_named;
use crate::args::path_set::{check_weights, path_model};
use crate::args::work::Work;
use crate::files::model::load_model;
use crate::files::output_file::check_output;
use crate::files::picture::{check_picture, write_picture};
use crate::terminal::notes::note;
use crate::terminal::{Failure, Output};

/// Assign an origin-destination table to the roads: the expected flow on each
#[derive(Args)]
#[command(after_help = "Example:\n  revealed roads flows city.npz taxi.json demand.csv -o flows.csv --map flows.png\n  \
    revealed roads flows city.npz taxi.json demand.csv -o flows.parquet --elasticity time")]
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
    /// Add the elasticity of each flow by this feature: by how many per cent it changes if the feature is 1 % larger
    /// everywhere; may be repeated
    #[arg(long, value_name = "NAME")]
    elasticity: Vec<String>,
    /// Draw them (.svg or .png)
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// Flows of states, and more columns about them.
struct Assigned {
    flows: Vec<f64>,
    elasticities: Vec<(String, Vec<f64>)>,
    pairs: usize,
    trips: f64,
    seconds: f64,
}

/// Assigns, writes, draws and prints.
pub fn run(args: &FlowsArgs, output: Output) -> Result<(), Failure> {
    check(args)?;
    let roads = Roads::load(&args.roads)?;
    let found = assign(args, &roads)?;
    write(args, &roads, &found)?;
    if let Some(file) = &args.map {
        let title = format!("Expected flows of {} trips", found.trips);
        let values = Values {
            title: &title,
            label: "trips in a direction, the mean of both",
            values: &found.flows,
            log: true,
            ..Values::default()
        };
        write_picture(file, &RoadMap::new(&roads, MapOptions::of(&roads))?.coloured(&values)?)?;
    }
    report(args, &roads, &found, output)
}

fn is_table(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

fn check(args: &FlowsArgs) -> Result<(), Failure> {
    let inputs: [&Path; 3] = [&args.roads, &args.model, &args.pairs];
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
    let by: Vec<usize> =
        args.elasticity.iter().map(|name| feature_named(name, &problem.features, "--elasticity")).collect::<Result<_, _>>()?;
    let trips: Vec<([usize; 2], f64)> =
        load_pairs(&args.pairs, roads.n_states())?.into_iter().map(|pair| ([pair.from, pair.to], pair.weight)).collect();
    let (begun, work) = (Instant::now(), args.work.of_engine());
    let n_pairs = trips.len();
    let trips = to_copies(roads, &paths, trips, &work)?;
    let (flows, elasticities) = match by.is_empty() {
        true => (route_flows(&problem.mdp, paths.reward(), &trips, &work)?.state, Vec::new()),
        false => {
            let found = flow_elasticities(&problem.mdp, &problem.features, &model.theta, &trips, &by, &work)?;
            let named = args.elasticity.iter().map(|name| format!("elasticity_{name}"));
            (found.flows, named.zip(found.of_features).collect())
        }
    };
    let seconds = begun.elapsed().as_secs_f64();
    let over_copies = |(name, values): (String, Vec<f64>)| {
        // The elasticity of a sum of flows is their mean, weighed by the flows.
        let weighed = values.iter().zip(&flows).map(|(value, flow)| if *flow > 0.0 { value * flow } else { 0.0 }).collect();
        (name, roads.over_copies(weighed))
    };
    let elasticities: Vec<(String, Vec<f64>)> = match roads.has_copies() {
        false => elasticities,
        true => elasticities.into_iter().map(over_copies).collect(),
    };
    let flows = roads.over_copies(flows);
    let elasticities = match roads.has_copies() {
        false => elasticities,
        true => elasticities
            .into_iter()
            .map(|(name, sums)| (name, sums.iter().zip(&flows).map(|(sum, flow)| sum / flow).collect()))
            .collect(),
    };
    Ok(Assigned { flows, elasticities, pairs: n_pairs, trips: trips.iter().map(|trip| trip.1).sum(), seconds })
}

/// Divides the trips to a road with copies: a route ends on any of them, as likely as the model says.
fn to_copies(
    roads: &Roads,
    paths: &PathModel<'_>,
    trips: Vec<([usize; 2], f64)>,
    work: &revealed::Work,
) -> Result<Vec<([usize; 2], f64)>, Failure> {
    let is_split = |state: usize| roads.copies_of(roads.original(state)).next().is_some();
    if !trips.iter().any(|trip| is_split(trip.0[1])) {
        return Ok(trips);
    }
    let sums = RouteSums::new(paths.mdp(), paths.reward(), work)?;
    let mut divided = Vec::with_capacity(trips.len());
    for ([from, to], weight) in trips {
        if !is_split(to) {
            divided.push(([from, to], weight));
            continue;
        }
        let (original, logs) = (roads.original(to), sums.from(from)?);
        let ends: Vec<usize> = std::iter::once(original).chain(roads.copies_of(original)).collect();
        let most = ends.iter().map(|&end| logs[end]).fold(f64::NEG_INFINITY, f64::max);
        let share = |end: usize| (logs[end] - most).exp();
        let sum: f64 = ends.iter().map(|&end| share(end)).sum();
        let some = ends.iter().map(|&end| ([from, end], weight * share(end) / sum)).filter(|trip| trip.1 > 0.0);
        divided.extend(some);
    }
    Ok(divided)
}

fn write(args: &FlowsArgs, roads: &Roads, found: &Assigned) -> Result<(), Failure> {
    let more = found.elasticities.iter().map(|(name, values)| (name.as_str(), &values[..]));
    let columns: Vec<(&str, &[f64])> = std::iter::once(("flow", &found.flows[..])).chain(more).collect();
    if !is_table(&args.output) {
        return Ok(roads.export(&args.output, &columns)?);
    }
    Ok(atomic::write(&args.output, |writer| {
        let quoted = |name: &str| format!("\"{}\"", csv_cell(name).replace('"', "\"\""));
        let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let name = |name: &str| if plain(name) { name.to_string() } else { quoted(name) };
        let names: Vec<String> = columns.iter().map(|column| name(column.0)).collect();
        writeln!(writer, "state,{}", names.join(","))?;
        roads.roads().try_for_each(|state| {
            write!(writer, "{state}")?;
            // An elasticity of no flow is not a number, and is left blank.
            columns.iter().try_for_each(|(_, values)| match values[state] {
                value if value.is_finite() => write!(writer, ",{value}"),
                _ => write!(writer, ","),
            })?;
            writeln!(writer)
        })
    })?)
}

fn report(args: &FlowsArgs, roads: &Roads, found: &Assigned, output: Output) -> Result<(), Failure> {
    let Assigned { flows, elasticities, pairs, trips, seconds } = found;
    let metres: f64 = flows.iter().enumerate().map(|(state, flow)| flow * roads.length(state)).sum();
    let mut words = format!(
        "{trips} trips between {pairs} pairs on {} states in {seconds:.2} s; {:.1} km and {:.1} states per trip\nwritten to {}\n",
        flows.len(),
        metres / 1000.0 / trips,
        flows.iter().sum::<f64>() / trips,
        args.output.display()
    );
    if let Some(file) = &args.map {
        let _ = writeln!(words, "drawn in {}", file.display());
    }
    // Of all driven metres together: the elasticity of each road, weighed by its metres.
    let of_all = |values: &[f64]| {
        let of = |state: usize| if flows[state] > 0.0 { flows[state] * roads.length(state) * values[state] } else { 0.0 };
        (0..flows.len()).map(of).sum::<f64>() / metres
    };
    let mut by_name = serde_json::Map::new();
    for (name, values) in elasticities {
        let of_all = of_all(values);
        let _ = writeln!(words, "{}: {of_all:.4} for all driven kilometres together", shown(name));
        by_name.insert(name.clone(), json!(of_all));
    }
    let mut json = json!({
        "pairs": pairs, "trips": trips, "n_states": flows.len(), "seconds": seconds,
        "km_per_trip": metres / 1000.0 / trips, "states_per_trip": flows.iter().sum::<f64>() / trips,
        "file": args.output.display().to_string(),
    });
    if !by_name.is_empty() {
        json["of_all_kilometres"] = json!(by_name);
    }
    output.print(&words, &json)
}
