//! How many threads a run starts, and what it says if it cannot have them.

use std::fs;

use crate::helpers::{Running, network};

/// The names of the threads of a process.
fn names(process: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let name = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).ok();
    tasks.filter_map(name).map(|name| name.trim().to_string()).collect()
}

/// The threads of a run that is large enough for several, when it has worked for a while.
#[cfg(target_os = "linux")]
fn while_it_learns(threads: &str) -> Vec<String> {
    let place = network::place(40_000, 1, 20_000);
    let mut running = Running::start(&place, &format!("learn network.json demos.jsonl -o model.json {threads}"));
    let process = running.id();
    // The handler of signals is there as soon as the search begins.
    running.wait_for("a thread for signals", || names(process).iter().any(|name| name == "signals").then_some(()));
    let mut most = Vec::new();
    for _ in 0..100 {
        std::thread::sleep(std::time::Duration::from_millis(10));
        let now = names(process);
        // The latest: a new thread has the name of its parent for a moment.
        most = if now.len() >= most.len() { now } else { most };
    }
    running.signal("TERM").ended(130);
    most
}

/// The main thread and the one for signals; with more threads the main one waits for them.
#[cfg(target_os = "linux")]
#[test]
fn as_many_threads_work_as_asked_for() {
    let one = while_it_learns("--threads 1");
    assert_eq!(one.len(), 2, "{one:?}");
    let three = while_it_learns("--threads 3");
    assert_eq!(three.len(), 2 + 3, "{three:?}");
    assert_eq!(three.iter().filter(|name| name.starts_with("revealed-")).count(), 3, "{three:?}");
    let cores = std::thread::available_parallelism().unwrap().get();
    let all = while_it_learns("");
    assert_eq!(all.len(), 2 + if cores > 1 { cores } else { 0 }, "{all:?}");
}

/// Each thread has a stack of 2 MB, so that a thousand do not fit into 600 MB of addresses.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_had_are_an_error() {
    let place = network::place(40_000, 1, 20);
    let line = "ulimit -v 600000; revealed learn network.json demos.jsonl -o model.json --memory 100M --threads";
    place.shell(&format!("{line} 1000")).refused(&["cannot start 1000 threads", "ask for fewer", "--threads 1"]);
    place.shell(&format!("{line} 1")).ended(0);
}
