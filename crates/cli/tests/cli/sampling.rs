//! `sample` and `marginals` under conditions: from, to, after a prefix, with another horizon or path set.

use std::collections::BTreeMap;
use std::fs;

use revealed_formats::demonstrations;
use serde_json::json;

use crate::helpers::chain::{self, PATHS, THETA};
use crate::helpers::{Place, close, fixtures, keys, numbers};

const N: usize = 4000;

/// Draws paths and compares the share of each with its probability among those that count, at five standard errors.
#[track_caller]
fn drawn_as(place: &Place, options: &str, mass: impl Fn(&chain::Path) -> f64) {
    place.run(&format!("sample chain.json model.json -n {N} --seed 3 -o paths.jsonl {options}")).ended(0);
    let drawn = demonstrations::load(place.path("paths.jsonl")).unwrap();
    let total: f64 = PATHS.iter().map(&mass).sum();
    let mut counted = 0;
    for path in &PATHS {
        let p = mass(path) / total;
        let seen = drawn.iter().filter(|drawn| drawn.states == path.states && drawn.actions == path.actions).count();
        let share = seen as f64 / N as f64;
        let error = (p * (1.0 - p) / N as f64).sqrt();
        assert!((share - p).abs() <= 5.0 * error, "{options}: {:?} has {share}, not {p}", path.states);
        counted += seen;
    }
    assert_eq!(counted, N, "{options}: paths that are none of the problem's");
}

fn weight(path: &chain::Path) -> f64 {
    path.q(false, false) * path.weight(&THETA)
}

fn one(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

#[test]
fn samples_are_of_the_paths_asked_for() {
    let place = chain::place("anywhere", 3, false);
    drawn_as(&place, "--from 0", |path| one(path.states[0] == 0) * weight(path));
    for name in ["to", "goal"] {
        drawn_as(&place, &format!("--{name} 2"), |path| one(path.states.last() == Some(&2)) * weight(path));
    }
    drawn_as(&place, "--from 0 --to 2", |path| one(path.states[0] == 0 && path.states.last() == Some(&2)) * weight(path));
    drawn_as(&place, "--prefix 0,1,0", |path| one(path.states.starts_with(&[0, 0])) * weight(path));
    drawn_as(&place, "--prefix 0,1,0 --to 1", |path| {
        one(path.states.starts_with(&[0, 0]) && path.states.last() == Some(&1)) * weight(path)
    });
    drawn_as(&place, "--horizon 2", |path| one(path.states.len() <= 2) * weight(path));
    drawn_as(&place, "--ends terminal", |path| one(path.states.last() == Some(&2)) * weight(path));
    drawn_as(&place, "--ends horizon --to 0", |path| one(path.states == [0, 0, 0]) * weight(path));
    // Weights of first states instead of p0 = (3/4, 1/4, 0).
    place.write("from.json", "[1, 9, 0]");
    let given = |path: &chain::Path| path.weight(&THETA) * path.t;
    drawn_as(&place, "--from from.json", |path| [1.0, 9.0, 0.0][path.states[0]] * given(path));
    let ran = place.run("sample chain.json model.json -n 5 -o paths.jsonl --prefix 2").ended(0);
    assert!(ran.stderr.contains("note: no path of the problem begins in state 2"), "{ran:#?}");
}

/// A goal model says nothing about first states: they are drawn from p0, or from what is given.
#[test]
fn a_goal_model_draws_first_states_as_they_are() {
    let place = chain::place("goal", 3, false);
    let to_1 = |path: &chain::Path| path.states.last() == Some(&1);
    let given_first = |path: &chain::Path, p0: [f64; 2]| {
        let rivals = PATHS.iter().filter(|rival| to_1(rival) && rival.states[0] == path.states[0]);
        let mass = |path: &chain::Path| path.q(true, false) * path.weight(&THETA);
        one(to_1(path)) * p0[path.states[0]] * mass(path) / rivals.map(mass).sum::<f64>().max(1e-300)
    };
    drawn_as(&place, "--to 1", |path| given_first(path, [0.75, 0.25]));
    place.write("from.json", "[1, 9, 0]");
    drawn_as(&place, "--goal 1 --from from.json", |path| given_first(path, [0.1, 0.9]));
    // State 2 cannot reach it, so only the other is left.
    place.write("from.json", "[1, 0, 1]");
    drawn_as(&place, "--goal 1 --from from.json", |path| given_first(path, [1.0, 0.0]));
    let found = place.run("marginals chain.json model.json --to 1 --t 1 --json").json();
    close(&numbers(&found["state"]), &[0.75, 0.25, 0.0], 1e-14);
    drawn_as(&place, "--goal 1 --prefix 0,1,0", |path| one(path.states == [0, 0, 1]));
}

#[test]
fn marginals_are_of_the_paths_asked_for() {
    let place = chain::place("anywhere", 3, false);
    let asked = |options: &str, counts: &dyn Fn(&chain::Path) -> bool| {
        for t in 1..=2 {
            let found = place.run(&format!("marginals chain.json model.json --t {t} --json {options}")).json();
            close(&numbers(&found["state"]), &chain::marginal(t, counts), 1e-14);
        }
    };
    asked("--from 0", &|path| path.states[0] == 0);
    asked("--to 2", &|path| path.states.last() == Some(&2));
    asked("--goal 2 --from 1", &|path| path.states == [1, 2]);
    asked("--horizon 2", &|path| path.states.len() <= 2);
    asked("--ends horizon", &|path| chain::may_end(path, "horizon", 3));
    let found = place.run("marginals chain.json model.json --horizon 2 --ends terminal --json").json();
    assert_eq!((&found["horizon"], &found["ends"]), (&json!(2), &json!("terminal")));
}

#[test]
fn conditions_that_cannot_be_met() {
    let place = chain::place("anywhere", 3, false);
    place.write("short.json", "[1, 2]");
    place.write("nothing.json", "[0, 0, 0]");
    for (options, words) in [
        ("--to 3", &["--to 3", "3 states", "0 to 2"][..]),
        ("--goal 3", &["--to 3", "3 states", "0 to 2"]),
        ("--from 3", &["--from 3", "3 states", "0 to 2"]),
        ("--from nowhere", &["--from nowhere", "neither a state", "nor a file"]),
        ("--from short.json", &["short.json", "2", "3"]),
        ("--from nothing.json", &["nothing.json", "0"]),
        ("--from 1 --to 0", &["no path to state 0", "within 3 states"]),
        ("--ends goal", &["ends = goal", "--to"]),
        ("--ends terminal --to 1", &["state 1", "terminal", "ends = goal"]),
        ("--horizon 0", &["horizon is 0"]),
    ] {
        place.run(&format!("sample chain.json model.json -n 1 -o new.jsonl {options}")).refused(words);
        place.run(&format!("marginals chain.json model.json {options}")).refused(words);
        place.run(&format!("policy chain.json model.json {options}")).refused(words);
    }
    for (prefix, words) in [
        ("0,1", &["0,1", "2 numbers"][..]),
        ("0,x,1", &["\"x\" is not an action"]),
        ("0,0,2", &["the prefix", "state 0", "action 0"]),
        ("0,1,0,1,0,1,0", &["the prefix", "4 states", "horizon"]),
        ("0,0,1 --to 0", &["this prefix of 2 states and leads to state 0", "within 3 states"]),
    ] {
        place.run(&format!("sample chain.json model.json -n 1 -o new.jsonl --prefix {prefix}")).refused(words);
    }
    for line in ["--to 1 --goal 1", "--prefix 0 --from 0"] {
        place.run(&format!("sample chain.json model.json -o new.jsonl {line}")).ended(2);
    }
    assert!(!place.path("new.jsonl").exists());
}

#[test]
fn samples_follow_the_model() {
    const N: usize = 20_000;
    let place = chain::place("anywhere", 3, false);
    let printed = place.run(&format!("sample chain.json model.json -n {N} --seed 5 -o paths.npz --json")).json();
    assert_eq!(keys(&printed), ["demonstrations", "mean_length", "n", "seed"]);
    let mut seen = BTreeMap::new();
    let paths = demonstrations::load(place.path("paths.npz")).unwrap();
    for path in &paths {
        *seen.entry((path.states.clone(), path.actions.clone())).or_insert(0.0) += 1.0;
    }
    let mass = |path: &chain::Path| path.q(false, false) * path.weight(&THETA);
    let z: f64 = PATHS.iter().map(mass).sum();
    for path in &PATHS {
        let p = mass(path) / z;
        let share = seen.remove(&(path.states.to_vec(), path.actions.to_vec())).unwrap_or(0.0) / N as f64;
        let deviation = (p * (1.0 - p) / N as f64).sqrt();
        assert!((share - p).abs() < 5.0 * deviation, "{:?} has {share}, not {p}", path.states);
    }
    assert!(seen.is_empty(), "no paths of the problem: {seen:?}");
    let mean = paths.iter().map(|path| path.states.len()).sum::<usize>() as f64 / N as f64;
    close(&[printed["mean_length"].as_f64().unwrap()], &[mean], 1e-12);
    assert_eq!(printed["n"], json!(N));
}

#[test]
fn samples_are_the_same_for_the_same_seed_and_can_be_learned_from() {
    let place = fixtures::place();
    let sample = |seed: usize, name: &str| {
        place.run(&format!("sample problem.json model.json -n 30 --seed {seed} -o {name}")).ended(0);
        fs::read(place.path(name)).unwrap()
    };
    let first = sample(7, "first.jsonl");
    assert_eq!(first, sample(7, "again.jsonl"));
    assert_ne!(first, sample(8, "other.jsonl"));
    assert_eq!(first.iter().filter(|&&byte| byte == b'\n').count(), 30);
    sample(7, "first.npz");
    let of = |name: &str| demonstrations::load(place.path(name)).unwrap();
    assert_eq!(of("first.jsonl"), of("first.npz"));
    for name in ["first.jsonl", "first.npz"] {
        let model = place.run(&format!("learn problem.json {name} -o again.json --bounds -10,10 --json")).json();
        assert_eq!(model["n_demonstrations"], json!(30));
    }
}

#[test]
fn samples_of_a_goal_model_end_at_the_goal() {
    let place = chain::place("goal", 3, false);
    place.run("sample chain.json model.json -n 5 -o paths.jsonl").refused(&["--to"]);
    place.run("sample chain.json model.json -n 50 --goal 1 -o paths.jsonl").ended(0);
    let paths = demonstrations::load(place.path("paths.jsonl")).unwrap();
    assert!(paths.len() == 50 && paths.iter().all(|path| path.states.last() == Some(&1)), "{paths:?}");
}
