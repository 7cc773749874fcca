//! What the tests share: drawings of maps, maps as files of OpenStreetMap, small networks, drives, and files.

pub mod drawing;
pub mod drives;
pub mod fork;
pub mod map;
pub mod pbf;
pub mod scene;

use std::io::Write;
use std::path::PathBuf;

/// A file in a directory that is removed when it is dropped.
pub fn file(name: &str, content: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, content).unwrap();
    (directory, path)
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}
