//! The checkpoint of a search: `MODEL.partial` next to the output, from which `--resume` continues.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use revealed::{Features, MaxEnt, Progress};
use revealed_formats::{Model, WorldRecord, atomic};

use crate::files::worlds::World;
use crate::terminal::Failure;
use crate::terminal::notes::{note, status, warning};

/// A killed run loses only the work after its last checkpoint.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(2);

/// A model file next to the output that holds θ while the search runs. A pipe or a device has no checkpoint.
pub struct Checkpoint {
    path: Option<PathBuf>,
    output: PathBuf,
    template: Model,
    saved: Option<Instant>,
    /// The last step, whether it was saved or not.
    last: Option<Model>,
}

impl Checkpoint {
    /// `MODEL.partial` next to the output. It is refused if it is a link, also before a search.
    pub fn new(output: &Path, worlds: &[World], settings: &MaxEnt) -> Result<Self, Failure> {
        let mut path = output.as_os_str().to_os_string();
        path.push(".partial");
        let longest = worlds.iter().map(|world| world.demos.longest()).max().unwrap_or(0);
        let horizon = settings.method.horizon(settings.options.horizon, longest)?;
        let features = worlds.first().map(|world| &world.problem.features);
        let mut records: Vec<WorldRecord> = worlds.iter().map(World::record).collect();
        let one = if records.len() == 1 { records.pop() } else { None };
        let template = Model {
            names: features.map_or(Vec::new(), |features| features.names().to_vec()),
            problem_digest: one.map(|world| world.problem_digest),
            worlds: (!records.is_empty()).then_some(records),
            converged: Some(false),
            inference: settings.method,
            chance: settings.method.chance(),
            stopped_because: Some("a checkpoint of a search that is not finished".to_string()),
            ..Model::new(vec![0.0; features.map_or(0, Features::n_features)], horizon, settings.options.ends)
        };
        let path: Option<PathBuf> = (output.is_file() || !output.exists()).then(|| path.into());
        if let Some(path) = &path {
            atomic::refuse_link(path)?;
        }
        Ok(Checkpoint { path, output: output.to_path_buf(), template, saved: None, last: None })
    }

    /// θ of the checkpoint, or of a model that was written when the search was interrupted.
    pub fn load(&self) -> Result<Option<Vec<f64>>, Failure> {
        let Some(path) = self.path.iter().chain([&self.output]).find(|path| path.is_file()) else {
            note(format!("there is nothing to resume next to {}: starting from zero", self.output.display()));
            return Ok(None);
        };
        if Some(path) == self.path.as_ref() {
            atomic::refuse_link(path)?;
        }
        let model = Model::load(path)?;
        let same_worlds = model.problem_digest == self.template.problem_digest && model.worlds == self.template.worlds;
        if !same_worlds || model.theta.len() != self.template.theta.len() {
            return Err(Failure::in_file(path, "it belongs to another problem: remove it, or omit --resume"));
        }
        if model.inference != self.template.inference {
            let (found, asked) = (model.inference.name(), self.template.inference.name());
            let message =
                format!("it was learned with --inference {found}, not {asked}: give --inference {found}, or omit --resume");
            return Err(Failure::in_file(path, message));
        }
        status(format!("resuming from {}", path.display()));
        Ok(Some(model.theta))
    }

    /// Saves if the last checkpoint is old enough. It is an error if the first checkpoint cannot be written, because
    /// the model could then not be written, either.
    pub fn save_now_and_then(&mut self, step: &Progress<'_>) -> Result<(), Failure> {
        let Some(path) = &self.path else { return Ok(()) };
        let model = Model {
            theta: step.theta.to_vec(),
            log_likelihood: Some(step.objective),
            iterations: Some(step.iteration),
            evaluations: Some(step.evaluations),
            gradient_norm: Some(step.gradient_norm),
            ..self.template.clone()
        };
        let model = self.last.insert(model);
        if self.saved.is_some_and(|saved| saved.elapsed() < BETWEEN_CHECKPOINTS) {
            return Ok(());
        }
        if let Err(error) = model.save_beside(path) {
            if self.saved.is_none() {
                return Err(error.into());
            }
            // Learning goes on: a full disk may have room again when the model is written.
            warning(format!("no checkpoint was written: {error}"));
        }
        self.saved = Some(Instant::now());
        Ok(())
    }

    /// The search failed in the middle: keeps its last step, and says so.
    pub fn after(&self, failure: Failure) -> Failure {
        match (&self.path, &self.last) {
            (Some(path), Some(last)) if last.save_beside(path).is_ok() => {
                failure.with(&format!("{} has the last theta: --resume continues from it", path.display()))
            }
            _ => failure,
        }
    }

    /// The model could not be written: says what is left of the search.
    pub fn still_there(&self, error: revealed_formats::Error) -> Failure {
        match self.path.as_ref().filter(|path| path.is_file()) {
            Some(path) => Failure::new(format!("{error}; {} is kept: --resume continues from it", path.display())),
            None => error.into(),
        }
    }

    /// Removes it, now that the model is written.
    pub fn remove(&self) {
        // It may never have been written.
        let _ = self.path.as_ref().map(std::fs::remove_file);
    }
}
