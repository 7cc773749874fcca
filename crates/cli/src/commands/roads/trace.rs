//! `revealed roads forecast --trace`: the destination of an unfinished trip.

use std::fmt::Write;
use std::path::Path;

use revealed::{Demonstrations, Ends, PathModel, Watch};
use revealed_draw::destination_map;
use revealed_formats::{demonstrations, load_over_states};
use revealed_roads::{DestinationLearning, DestinationModel, Error, Roads, Trips, forecast_trace};
use serde_json::json;

use super::forecast::ForecastArgs;
use crate::files::picture::write_picture;
use crate::terminal::progress_bar::Bar;
use crate::terminal::watched::watched;
use crate::terminal::{Failure, Output};

/// Matches the trip, predicts its destination, and prints.
pub fn run(args: &ForecastArgs, file: &Path, roads: &Roads, paths: &PathModel<'_>, output: Output) -> Result<(), Failure> {
    let trip = Trips::first(file)?;
    let destinations = destination_model(args, roads, paths)?;
    let found = forecast_trace(roads, paths, &destinations, &trip).map_err(|error| match error {
        Error::Trips(_) => Failure::in_file(file, error),
        error => error.into(),
    })?;
    let mut words = found.description();
    if let Some(file) = &args.output {
        let properties = json!({ "trip": found.trip, "metres": found.metres });
        roads.export_routes(file, &[(&found.states, &properties)])?;
        let _ = writeln!(words, "the trip so far is written to {}", file.display());
    }
    if let Some(file) = &args.map {
        write_picture(file, &destination_map(roads, &found)?)?;
        let _ = writeln!(words, "drawn in {}", file.display());
    }
    output.print(&words, &found.to_json())
}

/// Learns where trips end from known trips. Without any, the prior is uniform over metres of road. A prior that is
/// given takes the place of both, and the lengths of known trips still count.
fn destination_model(args: &ForecastArgs, roads: &Roads, paths: &PathModel<'_>) -> Result<DestinationModel, Failure> {
    let learned = match &args.train {
        Some(file) => learned(args, file, roads, paths)?,
        None => DestinationModel::of_metres(roads)?,
    };
    match &args.prior {
        Some(file) => Ok(learned.with_prior(roads, load_over_states(file, "the prior", roads.n_states())?)?),
        None => Ok(learned),
    }
}

fn learned(args: &ForecastArgs, file: &Path, roads: &Roads, paths: &PathModel<'_>) -> Result<DestinationModel, Failure> {
    let trips = demonstrations::load(file)?;
    Demonstrations::new(paths.mdp(), &trips).map_err(|error| Failure::in_demos(error, file))?;
    // As the forecast: routes to a given end, of any length.
    let routes = PathModel::new(paths.mdp(), paths.reward().clone(), paths.horizon(), Ends::Goal)?;
    let options = DestinationLearning { seed: args.seed, work: args.work.of_engine() };
    let work = |watch: &Watch<'_>| DestinationModel::learn(roads, &routes, &trips, &options, watch);
    watched(Bar::new(), work).map_err(|error| Failure::from(error).if_interrupted("the destination is not forecast"))
}
