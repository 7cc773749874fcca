//! The worlds of a search: problems with their demonstrations, and the files that they are from.

use std::path::{Path, PathBuf};

use revealed::{Demonstrations, Error, Evidence};
use revealed_formats::{LearnedHistory, Problem, WorldFiles, WorldRecord, demonstrations, load_manifest};

use crate::terminal::Failure;

/// A problem with its demonstrations, and their files.
pub struct World {
    pub problem: Problem,
    pub demos: Demonstrations,
    pub files: WorldFiles,
    /// The product with histories that `problem` and `demos` are of, if they are of one.
    pub history: Option<LearnedHistory>,
}

impl World {
    /// Loads both files.
    pub fn load(files: WorldFiles) -> Result<World, Failure> {
        let problem = Problem::load(&files.problem)?;
        let demos = demonstrations::load_for(&problem.mdp, &files.demos)?;
        Ok(World { problem, demos, files, history: None })
    }

    /// The same with a history: the search sees the product.
    pub fn with_history(self, history: Option<LearnedHistory>) -> World {
        let Some(mut history) = history else { return self };
        let problem = std::mem::replace(&mut history.problem, self.problem);
        let demos = std::mem::replace(&mut history.demos, self.demos);
        World { problem, demos, files: self.files, history: Some(history) }
    }

    /// As the engine has it.
    pub fn evidence(&self) -> Evidence<'_> {
        Evidence { mdp: &self.problem.mdp, features: &self.problem.features, demos: &self.demos }
    }

    /// As a model file has it.
    pub fn record(&self) -> WorldRecord {
        let record = WorldRecord::new(&self.problem, &self.demos);
        match &self.history {
            Some(history) => WorldRecord { problem_digest: history.digest().to_string(), ..record },
            None => record,
        }
    }
}

/// The files of all worlds: pairs of arguments, or the lines of a list.
pub fn files(pairs: &[PathBuf], manifest: Option<&Path>) -> Result<Vec<WorldFiles>, Failure> {
    match (manifest, pairs) {
        (Some(manifest), []) => Ok(load_manifest(manifest)?),
        (Some(_), _) => Err(Failure::Usage("--manifest lists all worlds: give no PROBLEM and DEMOS beside it".to_string())),
        (None, []) => Err(Failure::Usage("give a PROBLEM and its DEMOS, or --manifest".to_string())),
        (None, pairs) if pairs.len() % 2 == 1 => {
            let last = pairs.last().map_or(String::new(), |file| file.display().to_string());
            Err(Failure::Usage(format!("{last} stands alone: give a PROBLEM and its DEMOS for each world")))
        }
        (None, pairs) => {
            Ok(pairs.chunks(2).map(|pair| WorldFiles { problem: pair[0].clone(), demos: pair[1].clone() }).collect())
        }
    }
}

/// An error of the engine, with the file that it is about.
pub fn failure(error: Error, worlds: &[World]) -> Failure {
    let of = |world: usize| worlds.get(world).map(|world| &world.files);
    match &error {
        Error::Demonstration { .. } if worlds.len() == 1 => Failure::in_file(&worlds[0].files.demos, error),
        Error::InPart { world, message, .. } => match of(*world) {
            Some(files) if message.starts_with("demonstration ") => Failure::in_file(&files.demos, message),
            Some(files) => Failure::in_file(&files.problem, message),
            None => error.into(),
        },
        Error::OtherFeatures { world, .. } => match of(*world) {
            Some(files) => Failure::in_file(&files.problem, error),
            None => error.into(),
        },
        _ => error.into(),
    }
}
