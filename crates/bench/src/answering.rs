//! The Rust side of `benchmarks/python_overhead.py`, which times Python and Rust alternately: one gradient per line of
//! stdin.

use std::io::{BufRead, Write, stdin, stdout};

use revealed::worlds::road_like;
use serde_json::json;

use crate::clock::{likelihood, seconds, some_demonstration};

/// Evaluates once for each input line, and prints the time and the result. The first line printed says that it is
/// ready.
pub fn run(states: usize, transitions: usize, horizon: usize, threads: usize) -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    let world = road_like(states, transitions, 1).map_err(words)?;
    let demos = some_demonstration(&world.mdp).map_err(words)?;
    let mut engine = likelihood(&world, &demos, horizon, threads).map_err(words)?;
    // The first evaluation also touches every page for the first time.
    engine.evaluate(&world.theta).map_err(words)?;
    say(&json!({"states": states, "transitions": world.mdp.n_transitions(), "threads": threads}))?;
    for line in stdin().lock().lines() {
        line.map_err(|error| error.to_string())?;
        let mut found = None;
        let took = seconds(|| found = Some(engine.evaluate(&world.theta)));
        let at = found.expect("just evaluated").map_err(words)?;
        say(&json!({"seconds": took, "log_likelihood": at.log_likelihood, "gradient": at.gradient}))?;
    }
    Ok(String::new())
}

fn say(answer: &serde_json::Value) -> Result<(), String> {
    let mut out = stdout().lock();
    writeln!(out, "{answer}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}
