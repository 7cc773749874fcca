//! The rooms of the crate, in the order of `lib.rs`, use only those above them.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn no_room_uses_a_later_one() {
    revealed_layers::check(env!("CARGO_MANIFEST_DIR"));
}

/// Outside of a pool, every other use of rayon starts its global pool.
#[test]
fn two_files_use_rayon() {
    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match entry.is_dir() {
                true => files(&entry, found),
                false => found.push(entry),
            }
        }
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&sources, &mut all);
    let uses = |file: &&PathBuf| fs::read_to_string(file).unwrap().contains("rayon::");
    let mut using: Vec<&Path> = all.iter().filter(uses).map(|file| file.strip_prefix(&sources).unwrap()).collect();
    using.sort();
    assert_eq!(using, ["numeric/parallel.rs", "numeric/threads.rs"].map(Path::new));
}
