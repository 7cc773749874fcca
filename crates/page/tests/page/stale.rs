//! Whether the committed assets were built from the sources that are here. This needs neither Node nor a compiler for
//! WebAssembly.

use std::fs;
use std::path::{Path, PathBuf};

use revealed_formats::Fnv1a;
use revealed_page::stamps;

/// The same lists as in `web/build.mjs`.
const WEB: [&str; 3] = ["crates/page/web/src", "crates/page/web/package.json", "crates/page/web/build.mjs"];
const ENGINE: [&str; 5] =
    ["crates/revealed/src", "crates/revealed/Cargo.toml", "crates/formats/src", "crates/formats/Cargo.toml", "crates/wasm"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_file() {
        found.push(path.to_path_buf());
        return;
    }
    for entry in fs::read_dir(path).unwrap() {
        files(&entry.unwrap().path(), found);
    }
}

/// FNV-1a of the names and the contents, in the order of the names.
fn digest(places: &[&str]) -> String {
    let root = root();
    let mut found = Vec::new();
    places.iter().for_each(|place| files(&root.join(place), &mut found));
    let name = |file: &PathBuf| file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
    let mut named: Vec<(String, PathBuf)> = found.into_iter().map(|file| (name(&file), file)).collect();
    named.sort();
    let mut hash = Fnv1a::new();
    for (name, file) in named {
        for bytes in [name.into_bytes(), fs::read(file).unwrap()] {
            hash.write(&(bytes.len() as u64).to_le_bytes());
            hash.write(&bytes);
        }
    }
    format!("fnv1a64:{:016x}", hash.value())
}

#[test]
fn the_script_and_the_style_sheet_are_those_of_the_sources() {
    assert_eq!(stamps().web_sources, digest(&WEB), "run crates/page/web/build web, and commit what it makes");
}

#[test]
fn the_engine_is_that_of_the_sources() {
    assert_eq!(stamps().engine_sources, digest(&ENGINE), "run crates/page/web/build engine, and commit what it makes");
}

#[test]
fn the_engine_is_small() {
    let bytes = fs::metadata(root().join("crates/page/assets/engine.wasm.gz")).unwrap().len();
    assert!(bytes < 600_000, "{bytes} bytes");
}
