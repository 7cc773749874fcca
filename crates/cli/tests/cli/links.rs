//! Links: those of others are not followed, and none is for a checkpoint.

use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};

use revealed_formats::Model;

use crate::helpers::{Place, fixtures};

const LEARN: &str = "learn problem.json demos.jsonl --bounds -10,10 -o";

#[test]
fn a_checkpoint_is_never_a_link() {
    let place = fixtures::place();
    place.write("precious.txt", "precious");
    for target in ["precious.txt", "nothing"] {
        symlink(target, place.path("new.json.partial")).unwrap();
        for resume in ["", "--resume"] {
            place.refuses(&format!("{LEARN} new.json {resume}"), &["new.json.partial: is a link", "remove it"]);
        }
        fs::remove_file(place.path("new.json.partial")).unwrap();
    }
    assert_eq!(place.read("precious.txt"), "precious");
}

#[test]
fn a_journal_is_never_a_link() {
    let place = Place::new();
    place.write("precious.txt", "precious");
    fs::create_dir(place.path("results")).unwrap();
    symlink("../precious.txt", place.path("results/worked-example.partial")).unwrap();
    let ran = place.run("reproduce worked-example --quick --out results");
    ran.refused(&["worked-example.partial: is a link", "remove it"]);
    assert_eq!(place.read("precious.txt"), "precious");
}

#[test]
fn an_output_link_is_followed_if_it_leads_somewhere() {
    let place = fixtures::place();
    fs::create_dir(place.path("far")).unwrap();
    symlink("far/model.json", place.path("link.json")).unwrap();
    place.refuses(&format!("{LEARN} link.json"), &["link.json: is a link to far/model.json, which does not exist"]);
    place.write("far/model.json", "old");
    place.run(&format!("{LEARN} link.json")).ended(0);
    assert!(place.path("link.json").is_symlink());
    Model::load(place.path("far/model.json")).unwrap();
    assert_eq!(fs::read_dir(place.path("far")).unwrap().count(), 1);
}

/// In a folder that all may write to, the kernel does not follow a link of somebody else, whoever asks. Only root can
/// make such a link for a test.
#[test]
fn a_link_that_somebody_else_left_in_a_shared_folder_is_not_followed() {
    let protected = fs::read_to_string("/proc/sys/fs/protected_symlinks").is_ok_and(|text| text.trim() == "1");
    let place = fixtures::place();
    fs::create_dir(place.path("shared")).unwrap();
    fs::set_permissions(place.path("shared"), fs::Permissions::from_mode(0o1777)).unwrap();
    place.write("precious.json", "precious");
    let plant = |name: &str| {
        symlink("../precious.json", place.path(name)).unwrap();
        lchown(place.path(name), Some(4242), Some(4242)).is_ok()
    };
    if !protected || !plant("shared/model.json") {
        eprintln!("skipped: needs root, and /proc/sys/fs/protected_symlinks = 1");
        return;
    }
    place.run(&format!("{LEARN} shared/model.json")).refused(&["shared/model.json", "Permission denied"]);
    assert!(plant("shared/new.json.partial"));
    place.run(&format!("{LEARN} shared/new.json")).refused(&["shared/new.json.partial: is a link"]);
    assert_eq!(place.read("precious.json"), "precious");
    assert_eq!(fs::read_dir(place.path("shared")).unwrap().count(), 2);
}

#[test]
fn two_outputs_are_two_files() {
    let place = Place::new();
    place.run("roads city -o city.osm --trips trips.csv -n 30").ended(0);
    place.run("roads import city.osm -o city.npz").ended(0);
    place.write("paths.jsonl", "old\n");
    symlink("paths.jsonl", place.path("dropped.csv")).unwrap();
    let words = ["dropped.csv: it is the same file as paths.jsonl", "a file of its own"];
    place.refuses("roads match city.npz trips.csv -o paths.jsonl --dropped dropped.csv", &words);
    fs::remove_file(place.path("paths.jsonl")).unwrap();
    // The link leads to what is about to be written.
    place.refuses("roads match city.npz trips.csv -o paths.jsonl --dropped dropped.csv", &["dropped.csv: is a link to"]);
    place.write("new.osm", "old");
    symlink("new.osm", place.path("new.csv")).unwrap();
    place.refuses("roads city -o new.osm --trips new.csv", &["new.csv: it is the same file as new.osm"]);
    place.write("new.npz", "old");
    symlink("new.npz", place.path("new.geojson")).unwrap();
    place.refuses("roads import city.osm -o new.npz --export new.geojson", &["new.geojson"]);
}
