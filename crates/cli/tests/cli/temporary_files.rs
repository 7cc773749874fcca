//! What a killed run leaves is removed by the next that writes there, and what a living run writes is left alone.

use std::fs::{self, OpenOptions};
use std::path::Path;

use crate::helpers::{Place, Running, fixtures};

fn temporary(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(".revealed-")).collect()
}

#[test]
fn those_of_the_dead_are_removed() {
    let place = fixtures::coin_place();
    place.write(".revealed-abc.part", "half a model");
    place.write(".revealed-note.txt", "of the user");
    place.run("learn coin.json demos.jsonl -o model.json --ends terminal").ended(0);
    assert_eq!(temporary(place.root()), [".revealed-note.txt"]);
    let command = "env frozenlake-4x4 -o lake.npz";
    place.write(".revealed-def.part", "");
    place.run(command).ended(0);
    assert_eq!(temporary(place.root()), [".revealed-note.txt"]);
}

/// Matching writes as it goes: it has a temporary file for as long as its trips take to arrive.
#[test]
fn those_of_the_living_are_kept() {
    let place = Place::new();
    place.run("roads city -o city.osm").ended(0);
    place.run("roads import city.osm -o city.npz").ended(0);
    place.shell("mkfifo trips.csv").ended(0);
    let mut running = Running::start(&place, "roads match city.npz trips.csv -o paths.jsonl");
    // Opens when the run reads, and keeps it waiting for more.
    let mut pipe = OpenOptions::new().write(true).open(place.path("trips.csv")).unwrap();
    std::io::Write::write_all(&mut pipe, b"trip,lat,lon,time\n").unwrap();
    let alive = running.wait_for("a temporary file", || temporary(place.root()).pop());
    place.run("env frozenlake-4x4 -o lake.json").ended(0);
    assert_eq!(temporary(place.root()), [alive], "another run writes to it");
    assert_eq!(running.signal("KILL").code, None);
    assert_eq!(temporary(place.root()).len(), 1, "nobody could remove it");
    place.run("env frozenlake-4x4 -o lake.json").ended(0);
    assert!(temporary(place.root()).is_empty());
}
