//! `revealed cross-validate`.

use serde_json::json;

use crate::helpers::fixtures::{COIN_DEMOS, coin_place};
use crate::helpers::slow_roads::{ROADS, learn_line};
use crate::helpers::{Place, Running, close, keys, numbers};

/// Tosses of a coin, one a line.
fn tosses(lefts: usize, rights: usize) -> Place {
    let place = coin_place();
    let left = "{\"states\": [0, 1], \"actions\": [0]}\n".repeat(lefts);
    let right = "{\"states\": [0, 2], \"actions\": [1]}\n".repeat(rights);
    place.write("demos.jsonl", left + &right);
    place
}

#[test]
fn leave_one_out_of_a_coin_by_hand() {
    let place = tosses(2, 4);
    let answer = place.run("cross-validate coin.json demos.jsonl --folds 6 --ends terminal --json").json();
    let expected = [
        "best_l2",
        "ends",
        "fold_of",
        "folds",
        "group_identical",
        "horizon",
        "n_demonstrations",
        "notes",
        "penalties",
        "seed",
        "simplest_l2",
    ];
    assert_eq!(keys(&answer), expected);
    // Whoever goes left is predicted from one of five, whoever goes right from three of five.
    let (left, right) = ((1f64 / 5.0).ln(), (3f64 / 5.0).ln());
    let penalty = &answer["penalties"][0];
    close(&numbers(&penalty["demonstrations"]), &[left, left, right, right, right, right], 1e-7);
    let mean = (2.0 * left + 4.0 * right) / 6.0;
    close(&[penalty["held_out"].as_f64().unwrap()], &[mean], 1e-7);
    let squares = 2.0 * (left - mean).powi(2) + 4.0 * (right - mean).powi(2);
    close(&[penalty["standard_error"].as_f64().unwrap()], &[(squares / 30.0).sqrt()], 1e-7);
    assert!(penalty["in_sample"].as_f64() > penalty["held_out"].as_f64());
    assert_eq!(penalty["folds"].as_array().unwrap().len(), 6);
    assert_eq!(answer["notes"], json!([]));
}

#[test]
fn penalties_are_compared_and_threads_do_not_show() {
    let place = Place::new();
    place.run("demo --out demo -n 30").ended(0);
    let line = "cross-validate demo/problem.json demo/demos.jsonl --l2 0,0.001,0.01,0.1,100 --bounds -10,10 --seed 3";
    let one = place.run(&format!("{line} --threads 1 --json")).json();
    assert_eq!(place.run(&format!("{line} --threads 2 --json")).json(), one);
    let rows = one["penalties"].as_array().unwrap();
    let held_out: Vec<f64> = rows.iter().map(|row| row["held_out"].as_f64().unwrap()).collect();
    let best = held_out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let place_of = rows.iter().position(|row| row["l2"] == one["best_l2"]).unwrap();
    assert_eq!(held_out[place_of], best);
    assert!(one["best_l2"].as_f64() > Some(0.0) && one["simplest_l2"].as_f64() >= one["best_l2"].as_f64(), "{one}");
    let text = place.run(line).ended(0).stdout;
    assert!(text.starts_with("30 demonstrations in 5 folds (seed 3)\n"), "{text}");
    assert!(text.contains("less than best") && text.contains("  best\n"), "{text}");
}

#[test]
fn a_fold_without_an_optimum_is_named_with_the_remedy() {
    let place = tosses(1, 3);
    let line = "cross-validate coin.json demos.jsonl --folds 4 --ends terminal";
    let answer = place.run(&format!("{line} --json")).json();
    let alone = answer["fold_of"][0].as_u64().unwrap();
    let notes = answer["notes"].as_array().unwrap();
    assert_eq!(notes.len(), 1, "{answer}");
    let note = notes[0].as_str().unwrap();
    for words in [&format!("fold {alone} held out"), "no demonstration ever has left", "set bounds or l2"] {
        assert!(note.contains(words), "{words:?} is not in {note}");
    }
    assert!(place.run(line).ended(0).stdout.contains(note));
    for remedy in ["--bounds -5,5", "--l2 0.1"] {
        assert_eq!(place.run(&format!("{line} {remedy} --json")).json()["notes"], json!([]));
    }
}

#[test]
fn identical_routes_can_be_kept_together() {
    let place = tosses(3, 3);
    let line = "cross-validate coin.json demos.jsonl --folds 2 --ends terminal --bounds -5,5 --group-identical --json";
    let fold_of = place.run(line).json()["fold_of"].clone();
    assert_eq!((&fold_of[0], &fold_of[3]), (&fold_of[1], &fold_of[5]));
    assert_ne!(fold_of[0], fold_of[3]);
    let line = line.replace("--folds 2", "--folds 3");
    place.run(&line).refused(&["3 folds of 2 distinct demonstrations"]);
}

#[test]
fn bad_input_is_refused() {
    let place = tosses(2, 2);
    place.run("cross-validate coin.json demos.jsonl --folds 5").refused(&["5 folds of 4 demonstrations"]);
    place.run("cross-validate coin.json demos.jsonl --folds 1").refused(&["at least 2 folds"]);
    place.run("cross-validate coin.json demos.jsonl --folds 2 --l2 0,-1").refused(&["l2 is -1"]);
    place.run("cross-validate coin.json demos.jsonl --folds 2 --bounds 3").refused(&["--bounds 3"]);
    place.run("cross-validate coin.json demos.jsonl --folds 2 --horizon 1").refused(&["demos.jsonl", "demonstration 0"]);
    place.run("cross-validate coin.json demos.jsonl --l2 much").ended(2);
    place.write("demos.jsonl", COIN_DEMOS);
    place.run("cross-validate coin.json demos.jsonl").refused(&["5 folds of 2 demonstrations"]);
}

/// Ctrl-C ends it with nothing on stdout, long before it would be done.
#[test]
fn ctrl_c_ends_it_without_an_answer() {
    let place = Place::new();
    let line = learn_line(&ROADS.demos, "").replace("learn ", "cross-validate ").replace("-o model.json ", "");
    let mut running = Running::start(&place, &format!("{line} --l2 0,0.1,0.2"));
    // The first line comes after seconds of work; by then it listens.
    let text = running.first_line();
    assert!(text.starts_with("fits: ") && text.contains(" of 15 (") && text.contains("; l2 "), "{text}");
    let ran = running.signal("INT").ended(130);
    assert_eq!(ran.stdout, "", "{ran:#?}");
    assert!(ran.stderr.contains("stopping after this step"), "{ran:#?}");
    assert!(ran.stderr.ends_with("interrupted: nothing was kept: run it again for an answer\n"), "{ran:#?}");
    assert!(place.files().is_empty());
}
