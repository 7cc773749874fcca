//! The rooms of the crate build on each other in the order of `lib.rs`: none uses a later one.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, in the order in which `lib.rs` declares them.
fn rooms() -> Vec<String> {
    let source = fs::read_to_string(source().join("lib.rs")).unwrap();
    let declared = source.lines().filter_map(|line| line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod "));
    declared.filter_map(|name| name.strip_suffix(';')).filter(|name| source_of(name).is_dir()).map(str::to_string).collect()
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn source_of(room: &str) -> PathBuf {
    source().join(room)
}

/// All files in a directory and below.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The first names after `crate::`, such as `files` or `Fault`; of a list in braces, all.
fn used(code: &str) -> Vec<String> {
    let first =
        |path: &str| path.trim().split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap().to_string();
    let after = code.split("crate::").skip(1);
    after
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap().split(',').map(first).filter(|name| !name.is_empty()).collect(),
            None => vec![first(rest)],
        })
        .collect()
}

/// What a file of the room uses and must not: later rooms, and names that `lib.rs` exports from somewhere.
fn forbidden(code: &str, room: usize, rooms: &[String]) -> Vec<String> {
    let allowed = |name: &String| ["Error", "Fault"].contains(&name.as_str()) || rooms[..=room].contains(name);
    used(code).into_iter().filter(|name| !allowed(name)).collect()
}

#[test]
fn no_room_uses_a_later_one() {
    let rooms = rooms();
    assert_eq!(rooms, ["files", "problems", "demonstrations", "samples", "questions", "models", "summaries"]);
    for (room, name) in rooms.iter().enumerate() {
        for file in files(&source_of(name)) {
            // Links in comments may lead anywhere.
            let text = fs::read_to_string(&file).unwrap();
            let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let forbidden = forbidden(&code.join("\n"), room, &rooms);
            assert!(forbidden.is_empty(), "{}: {} may not use {forbidden:?}", file.display(), name);
        }
    }
}

/// The check can fail: code that reaches upwards is found, however it is written.
#[test]
fn a_room_that_reaches_upwards_is_found() {
    let rooms = rooms();
    assert_eq!(forbidden("use crate::files::input;\nuse crate::{Error, Fault};", 1, &rooms), [""; 0]);
    assert_eq!(forbidden("use crate::models::Model;", 1, &rooms), ["models"]);
    assert_eq!(forbidden("use crate::{Error, samples::load};", 1, &rooms), ["samples"]);
    assert_eq!(forbidden("fn f() -> crate::Model {", 1, &rooms), ["Model"]);
}
