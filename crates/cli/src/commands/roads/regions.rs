//! `revealed roads regions`: a network as several worlds.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use revealed::Demonstrations;
use revealed_formats::{Problem, demonstrations};
use revealed_roads::{Region, RegionOptions, regions};
use serde_json::{Value, json};

use crate::terminal::notes::note;
use crate::terminal::{Failure, Output};

/// Cut a network into regions with overlap, so that each trip lies within one
#[derive(Args)]
#[command(after_help = "Example:\n  revealed roads regions city.npz paths.jsonl -o regions --regions 4")]
pub struct RegionsArgs {
    /// The road network (.npz), or any problem with coordinates
    roads: PathBuf,
    /// The paths in it (.jsonl or .npz)
    paths: PathBuf,
    /// The folder for the regions: a problem and its paths for each, and the list `worlds.jsonl`
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// The number of regions
    #[arg(long, value_name = "K")]
    regions: usize,
    /// How far each region extends over its neighbours, in the units of the coordinates [default: the least with which
    /// every path lies within one]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    margin: Option<f64>,
    /// Leave out paths that lie within no region, which are an error otherwise
    #[arg(long)]
    drop: bool,
}

/// Cuts, writes and reports.
pub fn run(args: &RegionsArgs, output: Output) -> Result<(), Failure> {
    let problem = Problem::load(&args.roads)?;
    let paths = demonstrations::load(&args.paths)?;
    Demonstrations::new(&problem.mdp, &paths).map_err(|error| Failure::in_demos(error, &args.paths))?;
    let cut = regions(&problem, &paths, &RegionOptions { count: args.regions, margin: args.margin })
        .map_err(|error| Failure::in_file(&args.roads, error))?;
    if let (Some(&first), false) = (cut.without.first(), args.drop) {
        let name = paths[first].id.as_ref().map_or(String::new(), |id| format!(" ({id})"));
        let message = format!(
            "{} of {} paths lie within no region with a margin of {}, the first is path {first}{name}: give a larger --margin or \
             fewer --regions, or leave them out with --drop",
            cut.without.len(),
            paths.len(),
            cut.margin
        );
        return Err(Failure::in_file(&args.paths, message));
    }
    if cut.without.len() == paths.len() {
        return Err(Failure::in_file(&args.paths, "no path lies within a region: give a larger --margin"));
    }
    let manifest = cut.save(&args.output)?;
    let mut listed: Vec<Value> = Vec::new();
    for (number, region) in cut.regions.iter().enumerate() {
        let (states, trips, files) = (region.states.len(), region.trips.len(), Region::files(number));
        listed.push(json!({"problem": files.problem, "demos": files.demos, "states": states, "paths": trips}));
        if trips == 0 {
            note(format!("region {number} has {states} states and no path: it is not written"));
        }
    }
    let n = problem.mdp.n_states();
    let json = json!({
        "regions": listed,
        "margin": cut.margin,
        "paths": paths.len(),
        "paths_without_region": cut.without.len(),
        "states": n,
        "states_in_several_regions": cut.shared,
        "transitions_cut": cut.cut,
        "manifest": manifest.display().to_string(),
    });
    let mut words = String::new();
    let _ = writeln!(words, "regions         {} with a margin of {:.6}", cut.regions.len(), cut.margin);
    let _ = writeln!(words, "paths           {}, of which {} lie within no region", paths.len(), cut.without.len());
    let _ = writeln!(words, "states          {n}, of which {} are in several regions", cut.shared);
    let _ = writeln!(words, "transitions     {}, of which {} are in no region", problem.mdp.n_transitions(), cut.cut);
    let _ = writeln!(words, "region  states   paths");
    for (number, region) in cut.regions.iter().enumerate() {
        let _ = writeln!(words, "{number:>6} {:>7} {:>7}", region.states.len(), region.trips.len());
    }
    let _ = writeln!(words, "written to {}", manifest.display());
    output.print(&words, &json)
}
