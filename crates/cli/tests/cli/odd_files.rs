//! Files in other encodings, with names twice, cut short, or much larger than they look: each has a remedy.

use std::fs;

use serde_json::json;

use crate::helpers::{Place, fixtures};

#[test]
fn encodings_have_a_remedy() {
    let place = fixtures::place();
    let utf16 =
        |text: &str| [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect::<Vec<u8>>();
    let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    for (line, name) in [
        ("check BAD.json", "problem.json"),
        ("check problem.json BAD.jsonl", "demos.jsonl"),
        ("marginals problem.json BAD.json", "model.json"),
        ("likelihood problem.json demos.jsonl --theta BAD.json", "theta.json"),
    ] {
        let (text, bad) = (place.read(name), format!("BAD.{}", name.rsplit('.').next().unwrap()));
        place.write(&bad, format!("\u{feff}{text}"));
        place.refuses(line, &[&bad, "line 1 column 1", "begins with a byte order mark, save it as UTF-8 without one"]);
        for bytes in [utf16(&text), big(&text)] {
            place.write(&bad, bytes);
            place.refuses(line, &[&bad, "line 1 column 1", "is in UTF-16, save it as UTF-8"]);
        }
        fs::remove_file(place.path(&bad)).unwrap();
    }
}

#[test]
fn a_key_that_appears_twice_is_a_fault() {
    let place = fixtures::place();
    let twice = |name: &str, first: &str| {
        let text = place.read(name);
        place.write(&format!("bad.{}", name.rsplit('.').next().unwrap()), text.replacen('{', &format!("{{{first}, "), 1));
    };
    twice("problem.json", "\"n_states\": 7");
    place.refuses("check bad.json", &["bad.json: line 1 column", "the key \"n_states\" appears twice: remove one"]);
    twice("demos.jsonl", "\"states\": [0]");
    place.refuses("check problem.json bad.jsonl", &["bad.jsonl: line 1 column", "\"states\" appears twice"]);
    twice("model.json", "\"unknown\": {\"a\": 1, \"a\": 2}");
    place.refuses("marginals problem.json bad.json", &["bad.json: line", "the key \"a\" appears twice"]);
    twice("model.json", "\"theta\": [1, 2, 3]");
    place.refuses("marginals problem.json bad.json", &["the key \"theta\" appears twice"]);
}

/// No writer makes an archive that has an array twice: one of its arrays gets the name of another.
#[test]
fn an_array_that_appears_twice_is_a_fault() {
    let place = fixtures::place();
    fixtures::as_npz(&place);
    let (from, to) = (b"features.state_action.state.npy", b"features.state_action.value.npy");
    let mut bytes = fs::read(place.path("problem.npz")).unwrap();
    let places: Vec<usize> = (0..bytes.len() - from.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
    assert_eq!(places.len(), 2, "beside the array, and in the directory of the archive");
    places.iter().for_each(|&at| bytes[at..at + to.len()].copy_from_slice(to));
    place.write("bad.npz", bytes);
    place.refuses("check bad.npz", &["bad.npz: the array features.state_action.value appears twice", "remove one"]);
}

#[test]
fn names_of_features_are_given_and_different() {
    let place = fixtures::place();
    let mut problem = fixtures::fork();
    for (names, words) in [
        (json!(["left", "dice", "left"]), "features.names[0] and features.names[2] are both \"left\""),
        (json!(["left", "", "back"]), "features.names[1] is empty"),
        (json!(["left", " ", "back"]), "features.names[1] is empty"),
    ] {
        problem["features"]["names"] = names.clone();
        place.write_json("bad.json", &problem);
        place.refuses("learn bad.json demos.jsonl -o new.json", &["bad.json", words, "give each feature a name"]);
        let mut model = place.read_json("model.json");
        model["names"] = names;
        place.write_json("bad.json", &model);
        place.refuses("marginals problem.json bad.json", &["bad.json", words]);
    }
}

/// Compresses what a command prints.
fn gzip(place: &Place, name: &str, command: &str) {
    place.shell(&format!("{{ {command}; }} | gzip -1 >{name}")).ended(0);
}

#[test]
fn a_gigabyte_of_blanks_takes_little_memory() {
    let place = Place::new();
    place.run("roads city -o city.osm").ended(0);
    place.run("roads import city.osm -o city.npz").ended(0);
    gzip(&place, "blanks.osm.gz", "printf '<osm>'; head -c 600000000 /dev/zero | tr '\\0' ' '");
    for name in ["blanks.csv.gz", "blanks.gpx.gz"] {
        fs::copy(place.path("blanks.osm.gz"), place.path(name)).unwrap();
    }
    for line in [
        "roads import blanks.osm.gz -o new.npz",
        "roads import blanks.csv.gz -o new.npz",
        "roads match city.npz blanks.csv.gz -o new.jsonl",
        "roads match city.npz blanks.gpx.gz -o new.jsonl",
    ] {
        let ran = place.shell(&format!("ulimit -v 400000; exec revealed {line}"));
        ran.refused(&["blanks", "more than 16 MB without an end of a row or an element"]);
        assert!(!place.path("new.npz").exists() && !place.path("new.jsonl").exists());
    }
}

#[test]
fn a_truncated_gz_says_so() {
    let place = Place::new();
    place.run("roads city -o city.osm --trips trips.csv -n 20").ended(0);
    place.run("roads import city.osm -o city.npz").ended(0);
    let cut = |from: &str, to: &str| {
        gzip(&place, to, &format!("cat {from}"));
        let bytes = fs::read(place.path(to)).unwrap();
        place.write(to, &bytes[..bytes.len() / 2]);
    };
    cut("city.osm", "cut.osm.gz");
    place.refuses("roads import cut.osm.gz -o new.npz", &["cut.osm.gz", "the file is truncated: get it again"]);
    cut("trips.csv", "cut.csv.gz");
    place.refuses("roads match city.npz cut.csv.gz -o new.jsonl", &["cut.csv.gz", "the file is truncated: get it again"]);
    place.refuses("roads import cut.csv.gz -o new.npz", &["cut.csv.gz"]);
    place.write("edges.csv", format!("from,to,from_lat,from_lon,to_lat,to_lon\n{}", "1,2,0.5,0.5,0.6,0.6\n".repeat(9000)));
    cut("edges.csv", "edges.csv.gz");
    place.refuses("roads import edges.csv.gz -o new.npz", &["edges.csv.gz", "the file is truncated: get it again"]);
}

#[test]
fn the_file_at_fault_is_named() {
    let place = Place::new();
    place.run("roads city -o city.osm").ended(0);
    let segments = place.run("roads import city.osm -o city.npz --json").json()["segments"].as_u64().unwrap();
    let rows: Vec<String> = (0..segments).map(|segment| format!("{segment},1e308")).collect();
    place.write("columns.csv", format!("segment,huge\n{}\n", rows.join("\n")));
    for compress in ["", "--compress"] {
        let line = format!("roads import city.osm -o new.npz --columns columns.csv {compress}");
        place.refuses(&line, &["columns.csv: the values of \"huge\" are too large to be added up: scale them down"]);
    }
    place.write("columns.csv", "segment,\n0,1\n");
    place.refuses("roads import city.osm -o new.npz --columns columns.csv", &["columns.csv: column 2 has no name"]);
    place.write("empty.osm", "<osm><node id='1' lat='0' lon='0'/></osm>");
    place.refuses("roads import empty.osm -o new.npz", &["empty.osm: there are no roads for cars"]);
}

/// A full disk has a remedy, also where a library writes.
#[test]
fn a_full_disk_has_a_remedy() {
    let place = Place::new();
    place.run("roads city -o city.osm --trips trips.csv -n 60").ended(0);
    place.run("roads import city.osm -o city.npz").ended(0);
    for (name, line) in [
        ("full.jsonl", "roads match city.npz trips.csv -o full.jsonl --min-metres 1"),
        ("full.fgb", "roads import city.osm -o new.npz --export full.fgb"),
        ("full.geojson", "roads import city.osm -o new.npz --export full.geojson"),
        ("full.parquet", "roads export city.npz -o full.parquet"),
        ("full.gpkg", "roads export city.npz -o full.gpkg"),
    ] {
        std::os::unix::fs::symlink("/dev/full", place.path(name)).unwrap();
        let ran = place.run(line).ended(1);
        for word in [name, "No space left on device", "free some space, or write elsewhere"] {
            assert!(ran.stderr.contains(word), "{word}: {ran:#?}");
        }
    }
}
