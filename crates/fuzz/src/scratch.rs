//! A folder for the files of one input.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder in memory, if the machine has such a thing.
pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// An empty folder, which vanishes with it.
    ///
    /// # Panics
    /// If there is no place for temporary files.
    pub fn new() -> Scratch {
        let memory = Path::new("/dev/shm");
        let folder = tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir());
        Scratch { folder: folder.expect("temporary files can be written") }
    }

    /// A file with this content.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn file(&mut self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("temporary files can be written");
        path
    }

    /// Where a file of this name would be.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch::new()
    }
}
