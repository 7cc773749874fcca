//! What can go wrong with an experiment or with the folder of its results.

use std::io;
use std::path::{Path, PathBuf};

/// Why an experiment could not be run, kept or shown. Messages name the place, the value and the remedy.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name of no experiment.
    #[error("there is no experiment {name}: choose from {known}")]
    UnknownName {
        /// The name that was given.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A setting that leaves nothing to do.
    #[error("{setting} is 0: ask for at least 1")]
    Zero {
        /// The setting, as on the command line.
        setting: &'static str,
    },
    /// A setting that is too large.
    #[error("{setting} is {value}: ask for at most {most}")]
    TooMany {
        /// The setting, as on the command line.
        setting: &'static str,
        /// The value that was given.
        value: usize,
        /// The largest value that is allowed.
        most: usize,
    },
    /// The folder cannot hold results.
    #[error("{}: {cause}: name a folder that can be written to", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the operating system says.
        cause: io::Error,
    },
    /// Another run is writing to the folder.
    #[error("{}: another run is writing to this folder: wait for it, or name another with --out", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The folder has results of other settings.
    #[error(
        "{}: its results have {setting} {found}, but this run has {setting} {asked}: name another folder with --out, or \
         replace the results with --fresh", path.display()
    )]
    OtherSettings {
        /// The file that says so.
        path: PathBuf,
        /// The setting that differs.
        setting: &'static str,
        /// Its value there.
        found: String,
        /// Its value now.
        asked: String,
    },
    /// A file of results that is not as this program writes it.
    #[error("{}: {problem}: was it edited? --fresh runs this experiment again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file could not be read or added to.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        cause: io::Error,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] revealed_formats::Error),
    /// The engine refused.
    #[error("{experiment}: {cause}")]
    Engine {
        /// The experiment.
        experiment: &'static str,
        /// What it said.
        cause: revealed::Error,
    },
    /// The engine refused in a study of public data.
    #[error(transparent)]
    Study(#[from] revealed::Error),
    /// A figure could not be drawn.
    #[error(transparent)]
    Draw(#[from] revealed_draw::Error),
    /// A file that an experiment needs does not exist.
    #[error("{0}")]
    Missing(String),
    /// The road network or the trips are refused.
    #[error(transparent)]
    Roads(#[from] revealed_roads::Error),
    /// The run was stopped in the middle of a unit.
    #[error("it was stopped")]
    Stopped,
    /// Threads could not be started.
    #[error("--threads: {0}")]
    Threads(revealed::Error),
}

impl Error {
    /// Whether it only says that the work was cancelled.
    pub(crate) fn is_stopped(&self) -> bool {
        match self {
            Error::Stopped | Error::Roads(revealed_roads::Error::Stopped) => true,
            Error::Engine { cause, .. } => *cause == revealed::Error::Stopped,
            _ => false,
        }
    }

    pub(crate) fn file(path: &Path, cause: io::Error) -> Error {
        Error::File { path: path.to_path_buf(), cause }
    }

    pub(crate) fn damaged(path: &Path, problem: impl ToString) -> Error {
        Error::Damaged { path: path.to_path_buf(), problem: problem.to_string() }
    }
}
