//! `revealed roads forecast`: the likeliest routes between two places, or where a trip that was begun will end.

use std::fmt::Write;
use std::path::Path;

use revealed::{BestPath, PathModel, PathQuery, Spread, best_paths};
use revealed_formats::{Problem, atomic};
use revealed_roads::{Leg, Position, Roads, directions, segments_at};
use serde_json::{Value, json};

use super::drawing::{Line, write_drawing, write_lines};
use super::trace;
use crate::args::roads::Forecast;
use crate::commands::learn::{check_extension, check_output};
use crate::commands::load_model;
use crate::failure::Failure;
use crate::output::Output;
use crate::question::path_model;

/// A place this far from every road is hardly meant.
const FAR: f64 = 500.0;

/// Answers, draws and prints.
pub fn run(args: &Forecast, output: Output) -> Result<(), Failure> {
    let inputs: Vec<&Path> = [&args.roads, &args.model].into_iter().chain(&args.trace).map(|path| path.as_path()).collect();
    for (file, what) in args.map.iter().map(|file| (file, "the map")).chain(args.output.iter().map(|file| (file, "the route"))) {
        check_output(file, &inputs, what)?;
    }
    if let Some(file) = &args.output {
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

/// The likeliest routes between two places.
fn routes(args: &Forecast, places: [&str; 2], roads: &Roads, paths: &PathModel<'_>, output: Output) -> Result<(), Failure> {
    let [from, to] = [places_of(places[0], "--from", roads)?, places_of(places[1], "--to", roads)?];
    let query = PathQuery {
        k: args.k,
        bounded: false,
        loopless: args.k > 1,
        threads: args.work.threads,
        ..PathQuery::new(from, Some(to))
    };
    let found = best_paths(paths, &query)?.paths;
    let mut words = String::new();
    let mut each = Vec::new();
    for (number, best) in found.iter().enumerate() {
        let legs = directions(&roads.network, &roads.segments(&best.path.states));
        let name = if number == 0 { "likeliest route".to_string() } else { format!("{}. route", number + 1) };
        let relative = (best.log_weight - found[0].log_weight).exp();
        describe(&mut words, &name, &legs, (number > 0).then_some(relative));
        each.push(of_route(best, &legs, relative));
    }
    if let Some(file) = &args.output {
        let lines = found.iter().zip(&each).map(|(best, properties)| Line { states: &best.path.states, properties });
        write_lines(file, roads, lines)?;
    }
    if let Some(file) = &args.map {
        write_drawing(file, &super::drawing::routes(roads, &found)?)?;
    }
    output.print(&words, &json!({ "routes": each }))
}
