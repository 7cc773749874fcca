//! A disk without room: one clear line, and what was there before is still there.

use std::path::Path;

use revealed_formats::Model;

use crate::helpers::fixtures;
use crate::helpers::{Place, Ran, files_in};

/// Runs a command beside a disk of so many pages that is mounted at `disk` for it alone and begins with a one-page
/// `disk/model.json`; what is on it afterwards is copied to `after`.
fn with_disk(place: &Place, pages: usize, command: &str) -> Option<Ran> {
    let inside = |command: &str| {
        place.shell(&format!(
            "mkdir -p disk after && unshare -rm sh -c '\
                 mount -t tmpfs -o size=$(({pages} * $(getconf PAGESIZE))) none disk || exit 99; \
                 cp model.json disk/model.json && {command}; code=$?; cp -a disk/. after/; exit $code'"
        ))
    };
    if inside("true").code != Some(0) {
        eprintln!("skipped: no disk can be mounted here");
        return None;
    }
    Some(inside(command))
}

#[test]
fn no_room_at_all() {
    for command in [
        "revealed learn problem.json demos.jsonl -o disk/model.json --bounds -10,10",
        "revealed learn problem.json demos.jsonl -o disk/new.json --bounds -10,10",
        "revealed sample problem.json model.json -n 9 -o disk/new.jsonl",
        "revealed env frozenlake-8x8 -o disk/new.json",
        "revealed env frozenlake-8x8 -o disk/new.npz",
    ] {
        let place = fixtures::place();
        let old = place.read("model.json").into_bytes();
        let Some(ran) = with_disk(&place, 1, command) else { return };
        ran.refused(&["disk/", "cannot be written: No space left on device", "free some space, or write elsewhere"]);
        let left = files_in(&place.path("after"));
        assert_eq!(left.into_iter().collect::<Vec<_>>(), [("model.json".to_string(), old)], "{command}");
    }
}

#[test]
fn room_for_a_checkpoint_but_not_for_the_model() {
    let place = fixtures::place();
    let old = place.read("model.json").into_bytes();
    let command = "revealed learn problem.json demos.jsonl -o disk/model.json --bounds -10,10";
    let Some(ran) = with_disk(&place, 2, command) else { return };
    ran.refused(&["disk/model.json: cannot be written", "free some space", "disk/model.json.partial is kept", "--resume"]);
    let left = files_in(&place.path("after"));
    assert_eq!(left.keys().collect::<Vec<_>>(), ["model.json", "model.json.partial"]);
    assert_eq!(left["model.json"], old);
    Model::load(place.path("after/model.json.partial")).expect("the checkpoint is whole");
    place.run("learn problem.json demos.jsonl -o after/model.json --bounds -10,10 --resume").ended(0);
    assert_eq!(files_in(&place.path("after")).into_keys().collect::<Vec<_>>(), ["model.json"]);
}

#[test]
fn a_disk_that_cannot_be_written_to() {
    let place = fixtures::place();
    let command = "mount -o remount,ro disk && revealed learn problem.json demos.jsonl -o disk/new.json";
    let Some(ran) = with_disk(&place, 9, command) else { return };
    ran.refused(&["disk/new.json", "cannot be written: Read-only file system", "write elsewhere"]);
}

#[test]
fn a_full_device() {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full");
        return;
    }
    let place = fixtures::place();
    for name in ["full.json", "full.jsonl"] {
        std::os::unix::fs::symlink("/dev/full", place.path(name)).unwrap();
    }
    let before = place.files();
    for line in [
        "learn problem.json demos.jsonl -o full.json --bounds -10,10",
        "learn problem.json demos.jsonl -o /dev/full --bounds -10,10",
        "sample problem.json model.json -n 9 -o full.jsonl",
        "env frozenlake-4x4 -o full.json",
    ] {
        place.run(line).refused(&["full", "cannot be written: No space left on device", "free some space, or write elsewhere"]);
        assert_eq!(place.files(), before, "{line}");
        assert!(!Path::new("/dev/full.partial").exists(), "{line}");
    }
}
