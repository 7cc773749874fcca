//! The paper's experiments: what is written, what is kept, and what is refused.

use std::collections::BTreeMap;
use std::io::Cursor;

use serde_json::Value;

use crate::helpers::{Place, Running, files_in};

/// The experiment of this name in the JSON of a run.
#[track_caller]
fn experiment<'a>(json: &'a Value, name: &str) -> &'a Value {
    let found = json["experiments"].as_array().unwrap().iter().find(|experiment| experiment["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not in {json}"))
}

/// One of the numbers of an experiment.
#[track_caller]
fn measured(experiment: &Value, name: &str) -> f64 {
    let found = experiment["numbers"].as_array().unwrap().iter().find(|number| number["name"] == name);
    found.and_then(|number| number["ours"].as_f64()).unwrap_or_else(|| panic!("{name} is not in {experiment}"))
}

#[test]
fn unknown_names_and_zeros_are_refused() {
    let place = Place::new();
    place
        .run("reproduce paddling")
        .refused(&["paddling", "reward-recovery, ziebart, padding, worked-example, propositions, model-free"]);
    place.run("reproduce padding --repeats 0").refused(&["--repeats is 0", "at least 1"]);
    place.run("reproduce padding --threads 0").refused(&["--threads is 0", "at least 1"]);
    assert!(place.files().is_empty(), "nothing is made for a run that is refused");
}

#[test]
fn a_folder_that_cannot_be_written_to_is_refused_before_any_work() {
    let place = Place::new();
    place.write("file", "precious");
    place.run("reproduce worked-example --out file").refused(&["file: ", "name a folder that can be written to"]);
    place.run("reproduce worked-example --out file/below").refused(&["file/below: ", "name a folder"]);
    assert_eq!(place.read("file"), "precious");
    // Nobody, not even root, makes files there.
    place.run("reproduce worked-example --out /proc/self").refused(&["/proc/self"]);
}

#[test]
fn results_of_other_settings_are_neither_mixed_nor_replaced() {
    let place = Place::new();
    place.run("reproduce propositions --repeats 2 --seed 1 --out out").ended(0);
    let before = files_in(&place.path("out"));
    let refused = |line: &str, words: &[&str]| {
        place.run(line).refused(words);
        assert_eq!(files_in(&place.path("out")), before, "{line}");
    };
    let remedy = ["propositions.json", "--out", "--fresh"];
    refused(
        "reproduce propositions --repeats 2 --seed 2 --out out",
        &[&["seed 1, but this run has seed 2"], &remedy[..]].concat(),
    );
    refused(
        "reproduce propositions --repeats 3 --out out",
        &[&["repeats 2, but this run has repeats 3"], &remedy[..]].concat(),
    );
    // Refused before the experiment that could be run is run.
    refused("reproduce worked-example propositions --repeats 3 --out out", &remedy);

    let json = place.run("reproduce propositions --repeats 3 --fresh --out out --json").json();
    assert_eq!(experiment(&json, "propositions")["done"], 18);
    place.write("out/propositions.csv", "spread,state\n1,2\n");
    place.run("reproduce propositions --repeats 3 --out out").ended(1);
    let ran = place.run("reproduce propositions --repeats 3 --out out");
    assert!(
        ran.stderr.contains("propositions.csv: its columns are spread,state") && ran.stderr.contains("--fresh"),
        "{ran:#?}"
    );
}

/// Files without the date and the times of a run, which are in one file and in one section of the page.
fn without_provenance(mut files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    files.remove("provenance.json").expect("a file with the provenance");
    let page = String::from_utf8(files.remove("index.html").unwrap()).unwrap();
    let (before, rest) = page.split_once("<section id=\"provenance\">").unwrap();
    let after = rest.split_once("<!-- provenance -->").unwrap().1;
    files.insert("index.html".to_string(), format!("{before}{after}").into_bytes());
    files
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads() {
    let place = Place::new();
    let runs = ["--threads 1 --out a", "--threads 2 --out b", "--out c", "--seed 2 --out d"];
    for run in runs {
        place.run(&format!("reproduce propositions worked-example --repeats 7 {run}")).ended(0);
    }
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|folder| without_provenance(files_in(&place.path(folder))));
    assert_eq!(a["propositions.csv"].iter().filter(|&&byte| byte == b'\n').count(), 6 * 7 * 8 + 1);
    assert!(a == b && b == c, "figures and page have no timings here, so they are the same, too");
    assert_ne!(a["propositions.csv"], d["propositions.csv"]);
    assert_eq!(a["worked-example.csv"], d["worked-example.csv"]);
}

#[test]
fn an_interrupted_run_goes_on_and_does_only_what_is_missing() {
    let place = Place::new();
    let line = "reproduce padding --quick --repeats 4 --out out";
    let mut running = Running::start(&place, line);
    let journal = place.path("out/padding.partial");
    // The recipe, and two units.
    let kept = || std::fs::read_to_string(&journal).is_ok_and(|text| text.lines().count() >= 3);
    running.wait_for("two units", || kept().then_some(()));
    let ran = running.signal("INT").ended(130);
    let said = "of 12 of padding are finished and kept in out; the same command continues from there\n";
    assert!(ran.stderr.ends_with(said), "{ran:#?}");
    assert!(!place.path("out/padding.csv").exists() && place.path("out/index.html").is_file());

    place
        .run("reproduce padding --quick --repeats 4 --seed 9 --out out")
        .refused(&["padding.partial", "seed 1, but this run has seed 9"]);
    let kept = std::fs::read_to_string(&journal).unwrap().lines().count() - 1;
    assert!((2..12).contains(&kept));
    let json = place.run(&format!("{line} --json")).json();
    let found = experiment(&json, "padding");
    assert_eq!((&found["kept"], &found["done"]), (&Value::from(kept), &Value::from(12 - kept)), "{found}");
    // The engine, Algorithm 2 and Algorithm 1 are in this order at 4x4, however busy the machine is.
    assert!(measured(found, "times_faster_4x4") > 2.0 && measured(found, "engine_times_faster_4x4") > 20.0, "{found}");

    let again = place.run(&format!("{line} --json")).json();
    assert_eq!((&experiment(&again, "padding")["kept"], &experiment(&again, "padding")["done"]), (&12.into(), &0.into()));
    // What was not interrupted has the same results, timings aside.
    place.run(&line.replace("--out out", "--out other")).ended(0);
    assert_eq!(place.read("out/padding.csv"), place.read("other/padding.csv"));
    assert!(!journal.exists());
}

#[test]
fn the_page_needs_nothing_but_itself_and_every_file_that_it_names_is_there() {
    let place = Place::new();
    place.run("reproduce worked-example --out out").ended(0);
    let json = place.run("reproduce propositions --quick --out out --json").json();
    assert_eq!(measured(experiment(&json, "worked-example"), "printed_wrongly"), 8.0);
    let propositions = experiment(&json, "propositions");
    assert_eq!(propositions["verdict"], "reproduced");
    assert!(measured(propositions, "ziebart_off_uniform") < 1e-12 && measured(propositions, "distance_spread_1") > 0.05);

    let html = place.read("out/index.html");
    for words in ["id=\"worked-example\"", "id=\"propositions\"", "<svg viewBox", "(printed: 19.25)"] {
        assert!(html.contains(words), "{words}");
    }
    assert!(!html.contains("<script") && !html.contains("<link") && !html.contains("@import") && !html.contains("url(http"));
    let addresses: Vec<&str> = ["src=\"", "href=\""]
        .iter()
        .flat_map(|before| html.split(before).skip(1))
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert!(addresses.len() > 8);
    for address in addresses.into_iter().filter(|address| !address.starts_with('#')) {
        assert!(!address.contains("//"), "{address}");
        let file = std::fs::read(place.path("out").join(address)).unwrap_or_else(|error| panic!("{address}: {error}"));
        if address.ends_with(".png") {
            let mut png = png::Decoder::new(Cursor::new(file)).read_info().unwrap();
            let mut pixels = vec![0; png.output_buffer_size().unwrap()];
            let frame = png.next_frame(&mut pixels).unwrap();
            assert!(frame.width >= 1000 && pixels.iter().any(|&byte| byte != pixels[0]), "{address} is empty");
        }
    }
}

#[test]
fn damaged_results_are_refused_and_others_do_without_them() {
    let place = Place::new();
    place.run("reproduce propositions --repeats 2 --out out").ended(0);
    let table = place.read("out/propositions.csv");
    place.write("out/propositions.csv", table.lines().take(3).collect::<Vec<_>>().join("\n") + "\n");
    place.run("reproduce propositions --repeats 2 --out out").refused(&[
        "propositions.csv",
        "it has 2 rows, and 96 were written",
        "--fresh",
    ]);
    let ran = place.run("reproduce worked-example --out out").ended(0);
    assert!(ran.stderr.contains("warning: the report does not include propositions"), "{}", ran.stderr);
    let page = place.read("out/index.html");
    assert!(page.contains("id=\"worked-example\"") && !page.contains("id=\"propositions\""));
    place.run("reproduce propositions --repeats 2 --fresh --out out").ended(0);
    assert_eq!(place.read("out/propositions.csv"), table);
}

#[test]
fn one_repeat_says_little_and_nothing_that_is_no_number() {
    let place = Place::new();
    let all = "reward-recovery ziebart model-free propositions model-free-rewards reference-policy stationary-policy";
    place.run(&format!("reproduce {all} --quick --repeats 1 --out out")).ended(0);
    let page = place.read("out/index.html");
    assert!(!page.contains("NaN") && page.contains("too few repeats (1)"));
    place.run("reproduce padding --threads 100000 --out out").refused(&["--threads is 100000", "at most 1024"]);
    place.run("reproduce padding --repeats 18446744073709551615 --out out").refused(&["--repeats", "at most 100000"]);
}
