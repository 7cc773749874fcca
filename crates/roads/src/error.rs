//! What can be wrong with files, networks and trips.

use std::path::{Path, PathBuf};

/// Why something cannot be done. Messages name the place, the value and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or is not valid.
    #[error("{}: {fault}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: Fault,
    },
    /// A network is not valid, or what is asked of it is not.
    #[error("{0}")]
    Network(String),
    /// Trips cannot be used, or an option of matching is out of range.
    #[error("{0}")]
    Trips(String),
    /// The caller asked to stop. Nothing was written.
    #[error("stopped before the work was finished")]
    Stopped,
    /// The engine rejects its input.
    #[error(transparent)]
    Engine(revealed::Error),
    /// A problem or demonstration file is not valid.
    #[error(transparent)]
    Format(#[from] revealed_formats::Error),
}

impl From<revealed::Error> for Error {
    fn from(error: revealed::Error) -> Error {
        match error {
            revealed::Error::Stopped => Error::Stopped,
            error => Error::Engine(error),
        }
    }
}

impl Error {
    /// The same, with the name of the file that a network is made of.
    pub fn in_file(self, path: &Path) -> Error {
        match self {
            Error::Network(what) => Fault::Content(what).of(path),
            other => other,
        }
    }
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It cannot be read.
    #[error("{0}")]
    Read(#[from] std::io::Error),
    /// Its extension is not known.
    #[error("the extension is not known: give .osm.pbf, .osm or .osm.gz")]
    Extension,
    /// Broken protocol buffers.
    #[error("not a complete .osm.pbf file: {0}; download it again")]
    Pbf(String),
    /// Broken XML.
    #[error("not valid OpenStreetMap XML, at byte {byte}: {what}")]
    Xml {
        /// The place in the file.
        byte: u64,
        /// What is wrong there.
        what: String,
    },
    /// A row of a table is not valid.
    #[error("line {line}: {what}")]
    Row {
        /// The line, from 1.
        line: u64,
        /// What is wrong there.
        what: String,
    },
    /// Anything else.
    #[error("{0}")]
    Content(String),
}

impl Fault {
    /// The error about this file.
    pub fn of(self, path: &Path) -> Error {
        Error::File { path: path.to_path_buf(), fault: self }
    }
}
