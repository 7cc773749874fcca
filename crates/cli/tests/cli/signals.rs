//! Ctrl-C and SIGTERM in the middle of a step that takes minutes.

use std::fs;
use std::time::{Duration, Instant};

use crate::helpers::{Place, Running, network};

/// An idle machine answers in some milliseconds.
const SOON: Duration = Duration::from_secs(3);

/// Starts a run, sends the signal when it has worked for a while, and says what it answered.
#[cfg(target_os = "linux")]
#[track_caller]
fn stops(place: &Place, line: &str, signal: &str) -> String {
    let before = place.files();
    let mut running = Running::start(place, line);
    let tasks = format!("/proc/{}/task", running.id());
    let listens = || {
        let mut tasks = fs::read_dir(&tasks).ok()?.flatten();
        tasks.any(|task| fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.trim() == "ctrl-c")).then_some(())
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
