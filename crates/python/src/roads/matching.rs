//! Map matching, and the division of paths into training and test sets.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use revealed::{Step, Watch};
use revealed_roads::matching::{Method, Refinement, Round, preferring};
use revealed_roads::{Area, MatchOptions, MatchOutputs, Matcher, Position, match_files, split};
use serde_json::json;

use super::network::{Roads, model_of};
use crate::failure::{of_json, of_roads};
use crate::inputs::options::{unknown, within};
use crate::mdp::demonstrations::{GivenPaths, given_paths};
use crate::threads::progress::{Callback, Stage, StageListener, call_with_stage};
use crate::threads::run::{Reporter, run_watched};

/// How trips are matched.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct MatchSettings {
    method: String,
    sigma: Option<f64>,
    radius: Option<f64>,
    min_seconds: Option<f64>,
    min_metres: Option<f64>,
    area: Option<(f64, f64, f64)>,
    strict: bool,
    keep_cyclic: bool,
    seed: u64,
    threads: Option<usize>,
}

impl MatchSettings {
    fn of_engine(&self) -> PyResult<MatchOptions> {
        let usual = MatchOptions::default();
        Ok(MatchOptions {
            method: match self.method.as_str() {
                "hmm" => Method::Hmm,
                "particles" => Method::Particles,
                name => return Err(unknown("method", name, &["hmm", "particles"])),
            },
            sigma: self.sigma.unwrap_or(usual.sigma),
            radius: self.radius.unwrap_or(usual.radius),
            least_seconds: self.min_seconds.unwrap_or(usual.least_seconds),
            least_metres: self.min_metres.unwrap_or(usual.least_metres),
            area: self.area.map(|(lat, lon, km)| Area { centre: Position { lat, lon }, radius: 1000.0 * km }),
            strict: self.strict,
            keep_cyclic: self.keep_cyclic,
            seed: self.seed,
            ..usual
        })
    }
}

/// Where the paths, the dropped trips and the lines are written.
type MatchFiles = (PathBuf, PathBuf, Option<PathBuf>);

/// Matches the trips of a file. Routes are weighed by their lengths, by a model, or by preferences that are learned in at
/// most `rounds` rounds. `callback` gets (what, done, all). The answers are JSON: what became of the trips, and the learned
/// model.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn match_trips(
    py: Python<'_>,
    roads: &Roads,
    trips: PathBuf,
    files: MatchFiles,
    settings: MatchSettings,
    model: Option<&str>,
    rounds: Option<usize>,
    callback: Callback,
) -> PyResult<(String, Option<String>)> {
    let options = settings.of_engine()?;
    let model = model.map(model_of).transpose()?;
    let problem = model.is_some().then(|| roads.shared_problem()).transpose()?;
    let (roads, mut listener) = (Arc::clone(&roads.roads), StageListener::new(callback.is_some()));
    let done = run_watched(
        py,
        settings.threads,
        move |reporter: &Reporter<Stage, _>| {
            let mut hear = |step: &Step<'_>| listener.hear(reporter, step);
            let (watch, work, (paths, dropped, lines)) = (Watch::new(&mut hear), within(None), files);
            let outputs = MatchOutputs { paths: &paths, details: true, lines: lines.as_deref(), dropped: Some(&dropped) };
            if let Some(rounds) = rounds {
                let refinement = Refinement { roads: &roads, options: &options, rounds, work };
                let refined = refinement.run(&trips, &outputs, &mut |_| (), &watch)?;
                let mut told = refined.tally.to_json();
                told["rounds"] = json!(refined.rounds.iter().map(Round::to_json).collect::<Vec<_>>());
                told["settled"] = json!(refined.settled);
                return Ok((told, Some(refined.model(&roads)?)));
            }
            let matcher = match (&model, &problem) {
                (Some(model), Some(problem)) => preferring(&roads, problem, &model.theta, options)?,
                _ => Matcher::new(&roads.network, options)?,
            };
            Ok((match_files(&roads, &matcher, &trips, &outputs, &work, &watch)?.to_json(), None))
        },
        |py, stage| call_with_stage(py, &callback, stage),
    );
    let (told, model) = done?.map_err(of_roads)?;
    Ok((told.to_string(), model.map(|model| of_json(serde_json::to_string(&model))).transpose()?))
}

/// The numbers of the paths of a training set and of a test set.
#[pyfunction]
pub fn split_paths(paths: GivenPaths<'_>, share: f64, seed: u64) -> PyResult<(Vec<usize>, Vec<usize>)> {
    let found = split(&given_paths(&paths)?, share, seed).map_err(of_roads)?;
    Ok((found.train, found.test))
}
