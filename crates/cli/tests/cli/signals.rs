//! Signals: in the middle of a step that takes minutes, and those that a process was told to ignore.

use std::fs;
use std::time::{Duration, Instant};

use revealed_formats::Model;

use crate::helpers::slow_roads::{ROADS, learn_line};
use crate::helpers::{Place, Running, network};

/// An idle machine answers in some milliseconds, and a very busy one in seconds. The work takes minutes.
const SOON: Duration = Duration::from_secs(10);

/// Starts a run, sends the signal when it has worked for a while, and says what it answered.
#[cfg(target_os = "linux")]
#[track_caller]
fn stops(place: &Place, line: &str, signal: &str) -> String {
    let before = place.files();
    let mut running = Running::start(place, line);
    let tasks = format!("/proc/{}/task", running.id());
    let listens = || {
        let mut tasks = fs::read_dir(&tasks).ok()?.flatten();
        tasks.any(|task| fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.trim() == "signals")).then_some(())
    };
    running.wait_for("a handler of signals", listens);
    std::thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    let ran = running.signal(signal).ended(130);
    assert!(begun.elapsed() < SOON, "{line}: {:?}", begun.elapsed());
    assert_eq!(place.files(), before, "{line}");
    ran.stderr
}

/// A demonstration of 300,000 states: a single pass takes minutes in a debug build.
#[cfg(target_os = "linux")]
#[test]
fn a_pass_is_interrupted() {
    let place = network::place(10_000, 1, 300_000);
    for (options, signal) in [("", "TERM"), ("--memory 20M --threads 1", "INT"), ("--inference ziebart2010", "TERM")] {
        let said = stops(&place, &format!("learn network.json demos.jsonl -o model.json {options}"), signal);
        assert!(said.contains("interrupted: the work is not finished"), "{said}");
    }
    let causal = "learn network.json demos.jsonl -o model.json --inference causal";
    assert!(stops(&place, causal, "TERM").contains("interrupted"));
}

/// The fill-in of 20,000 states takes minutes, if there is memory for it.
#[cfg(target_os = "linux")]
#[test]
fn an_elimination_is_interrupted() {
    let place = network::place(20_000, 20, 9);
    let line = "learn network.json demos.jsonl -o model.json --inference recursive-logit --memory 20G";
    assert!(stops(&place, line, "INT").contains("interrupted: the work is not finished"));
}

fn wait_for_checkpoint(running: &mut Running, place: &Place) {
    let path = place.path("model.json.partial");
    running.wait_for("a checkpoint", || path.exists().then_some(()));
}

#[test]
fn nohup_is_respected() {
    let place = Place::new();
    let mut running = Running::start_ignoring(&place, &learn_line(&ROADS.demos, "--max-iterations 12"), "HUP");
    wait_for_checkpoint(&mut running, &place);
    let ran = running.signal("HUP");
    assert!(!ran.stderr.contains("stopping") && ran.code == Some(0), "{ran:#?}");
    assert_eq!(Model::load(place.path("model.json")).unwrap().iterations, Some(12));
}

#[test]
fn a_job_in_the_background_ignores_ctrl_c_but_not_a_polite_kill() {
    let place = Place::new();
    let mut running = Running::start_ignoring(&place, &learn_line(&ROADS.demos, ""), "INT");
    wait_for_checkpoint(&mut running, &place);
    running.send("INT");
    let ran = running.signal("TERM").ended(130);
    assert_eq!(ran.stderr.matches("stopping after this step").count(), 1, "{ran:#?}");
}

#[test]
fn a_hangup_is_an_interruption_otherwise() {
    let place = Place::new();
    let mut running = Running::start(&place, &learn_line(&ROADS.demos, ""));
    wait_for_checkpoint(&mut running, &place);
    running.signal("HUP").ended(130);
    assert_eq!(Model::load(place.path("model.json")).unwrap().converged, Some(false));
}
