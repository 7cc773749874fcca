//! GPS trips matched to a road network.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use revealed::{Step, Watch, Work};
use revealed_roads::matching::{MatchLines, Method, match_lines, preferring};
use revealed_roads::{Area, Error, Fix, MatchOptions, Matcher, Position, Roads, Trip, Trips};

use crate::failure::of_roads;
use crate::inputs::arrays::{Floats, optional};
use crate::threads::run::run_watched;

/// The settings of matching; what is absent is as usual.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct MatchSettings {
    method: String,
    strict: bool,
    keep_cyclic: bool,
    sigma: Option<f64>,
    radius: Option<f64>,
    min_seconds: Option<f64>,
    min_metres: Option<f64>,
    area: Option<(f64, f64, f64)>,
    seed: u64,
    /// Not for the engine, which works in the pool that it is run in.
    threads: Option<usize>,
}

impl MatchSettings {
    fn of_engine(&self) -> PyResult<MatchOptions> {
        let usual = MatchOptions::default();
        let method = match self.method.as_str() {
            "hmm" => Method::Hmm,
            "particles" => Method::Particles,
            other => return Err(PyValueError::new_err(format!("method is {other:?}: it must be 'hmm' or 'particles'"))),
        };
        let area = |(lat, lon, km): (f64, f64, f64)| match (Position { lat, lon }, km > 0.0) {
            (centre, true) if centre.is_valid() => Ok(Area { centre, radius: 1000.0 * km }),
            _ => Err(PyValueError::new_err(format!("area is ({lat}, {lon}, {km}): give latitude, longitude and kilometres"))),
        };
        Ok(MatchOptions {
            method,
            sigma: self.sigma.unwrap_or(usual.sigma),
            radius: self.radius.unwrap_or(usual.radius),
            least_seconds: self.min_seconds.unwrap_or(usual.least_seconds),
            least_metres: self.min_metres.unwrap_or(usual.least_metres),
            area: self.area.map(area).transpose()?,
            strict: self.strict,
            keep_cyclic: self.keep_cyclic,
            seed: self.seed,
            ..usual
        })
    }
}

/// For each fix: the id of its trip, latitude, longitude, and seconds if they are known. The fixes of a trip are
/// together.
type Fixes<'py> = (Vec<String>, Floats<'py>, Floats<'py>, Option<Floats<'py>>);

/// Matches the trips of a file or of columns. The answer has the lines of a file of paths, the dropped trips with their
/// reasons, and the numbers of trips and of matched trips.
#[pyfunction]
pub fn match_trips(
    py: Python<'_>,
    roads: PathBuf,
    file: Option<PathBuf>,
    fixes: Option<Fixes<'_>>,
    theta: Option<Floats<'_>>,
    settings: MatchSettings,
) -> PyResult<(Vec<String>, Vec<(String, String)>, (usize, usize))> {
    let (options, theta) = (settings.of_engine()?, optional(&theta)?);
    let trips = fixes.map(trips_of).transpose()?.unwrap_or_default();
    let found = run_watched(
        py,
        settings.threads,
        move |reporter| {
            let mut hear = |_: &Step<'_>| reporter.go_on();
            matched(&roads, file, trips, theta, options, &Watch::new(&mut hear))
        },
        |_, ()| Ok(false),
    );
    let MatchLines { paths, dropped, tally } = found?.map_err(of_roads)?;
    let dropped = dropped.into_iter().map(|(id, reason)| (id, reason.name().to_string())).collect();
    Ok((paths, dropped, (tally.trips, tally.matched)))
}

fn matched(
    roads: &PathBuf,
    file: Option<PathBuf>,
    trips: Vec<Trip>,
    theta: Option<Vec<f64>>,
    options: MatchOptions,
    watch: &Watch<'_>,
) -> Result<MatchLines, Error> {
    let roads = Roads::load(roads)?;
    let matcher = match theta {
        None => Matcher::new(&roads.network, options)?,
        Some(theta) => preferring(&roads, &roads.problem()?, &theta, options)?,
    };
    match file {
        Some(file) => match_lines(&roads, &matcher, &mut Trips::open(file)?, &Work::default(), watch),
        None => match_lines(&roads, &matcher, &mut trips.into_iter().map(Ok), &Work::default(), watch),
    }
}

/// The trips of columns.
fn trips_of((ids, lat, lon, seconds): Fixes<'_>) -> PyResult<Vec<Trip>> {
    let (lat, lon, seconds) = (lat.as_slice()?, lon.as_slice()?, optional(&seconds)?);
    let mut trips: Vec<Trip> = Vec::new();
    for (at, id) in ids.into_iter().enumerate() {
        let position = Position { lat: lat[at], lon: lon[at] };
        let fix = Fix { position, seconds: seconds.as_ref().map(|seconds| seconds[at]) };
        match trips.last_mut().filter(|trip| trip.id == id) {
            Some(trip) => trip.fixes.push(fix),
            None => trips.push(Trip { id, fixes: vec![fix], ..Trip::default() }),
        }
    }
    Ok(trips)
}
