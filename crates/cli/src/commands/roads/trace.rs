//! `revealed roads forecast --trace`: the destination of an unfinished trip.

use std::fmt::Write;
use std::path::Path;

use revealed::PathModel;
use revealed_draw::{DestinationPicture, MapOptions, RoadMap};
use revealed_roads::{Error, Roads, Trips, forecast_trace};
use serde_json::json;

use super::forecast::ForecastArgs;
use crate::files::picture::write_picture;
use crate::terminal::{Failure, Output};

/// Matches the trip, predicts its destination, and prints.
pub fn run(args: &ForecastArgs, file: &Path, roads: &Roads, paths: &PathModel<'_>, output: Output) -> Result<(), Failure> {
    let found = forecast_trace(roads, paths, &Trips::first(file)?).map_err(|error| match error {
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
        let picture = DestinationPicture {
            title: "Destination of the trip",
            prefix: &found.states,
            posterior: &found.posterior,
            ..DestinationPicture::default()
        };
        write_picture(file, &RoadMap::new(roads, MapOptions::of(roads))?.destinations(&picture)?)?;
        let _ = writeln!(words, "drawn in {}", file.display());
    }
    output.print(&words, &found.to_json())
}
