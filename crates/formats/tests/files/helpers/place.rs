//! A directory for files, and the messages of files that cannot be loaded.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A directory that files are put into.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }
}

/// The message of an error, after the path with which it must begin.
#[track_caller]
pub fn message<T: std::fmt::Debug>(path: &Path, result: Result<T, revealed_formats::Error>) -> String {
    let error = result.expect_err("the file is bad").to_string();
    let start = format!("{}: ", path.display());
    error.strip_prefix(&start).unwrap_or_else(|| panic!("{error} does not begin with {start}")).to_string()
}
