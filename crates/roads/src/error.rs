//! What can be wrong with files and networks.

use std::path::{Path, PathBuf};

/// Something that cannot be done, with the file that it is about.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file.
    #[error("{}: {fault}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        fault: Fault,
    },
    /// A network that is none.
    #[error("{0}")]
    Network(String),
    /// Trips that are of no use.
    #[error("{0}")]
    Trips(String),
    /// The engine refuses.
    #[error(transparent)]
    Engine(#[from] revealed::Error),
    /// A problem or demonstration file.
    #[error(transparent)]
    Format(#[from] revealed_formats::Error),
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It cannot be read.
    #[error("{0}")]
    Read(#[from] std::io::Error),
    /// It is none of the known kinds.
    #[error("its name ends in nothing that is known: give .osm.pbf, .osm or .osm.gz")]
    Extension,
    /// Broken protocol buffers.
    #[error("it is no whole .osm.pbf: {0}; download it again")]
    Pbf(String),
    /// Broken XML.
    #[error("it is no OpenStreetMap XML, at byte {byte}: {what}")]
    Xml {
        /// Where.
        byte: u64,
        /// What.
        what: String,
    },
    /// A row of a table.
    #[error("line {line}: {what}")]
    Row {
        /// From 1.
        line: u64,
        /// What is wrong there.
        what: String,
    },
    /// Whoever asked for it wants it no more.
    #[error("it is not read to its end: stopped")]
    Stopped,
    /// Anything else, in words.
    #[error("{0}")]
    Content(String),
}

impl Fault {
    /// The error of this file.
    pub fn of(self, path: &Path) -> Error {
        Error::File { path: path.to_path_buf(), fault: self }
    }
}
