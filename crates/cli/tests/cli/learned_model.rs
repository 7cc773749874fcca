//! `revealed learn`: the model that it prints and writes.

use std::fs;

use revealed_formats::Model;
use serde_json::json;

use crate::helpers::fixtures::coin_place;
use crate::helpers::{close, keys, numbers};

#[test]
fn learn_prints_the_model_that_it_writes() {
    let place = coin_place();
    let printed = place.run("learn coin.json demos.jsonl -o model.json --ends terminal --json").json();
    assert_eq!(printed, place.read_json("model.json"));
    let always = [
        "format",
        "theta",
        "names",
        "horizon",
        "ends",
        "inference",
        "chance",
        "discount",
        "log_likelihood",
        "iterations",
        "evaluations",
        "converged",
        "stopped_because",
        "gradient_norm",
    ];
    for field in always {
        assert!(printed.get(field).is_some_and(|value| !value.is_null()), "{field} is not in {printed}");
    }
    let besides = ["version", "seconds", "n_demonstrations", "bounds", "l2", "problem_digest", "notes"];
    let stranger = keys(&printed).into_iter().find(|key| !always.contains(key) && !besides.contains(key));
    assert_eq!(stranger, None);

    close(&numbers(&printed["theta"]), &[3f64.ln()], 1e-7);
    let entropy = 0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln();
    close(&[printed["log_likelihood"].as_f64().unwrap()], &[entropy], 1e-12);
    assert!(printed["gradient_norm"].as_f64().unwrap() < 1e-6);
    let exact = json!({"format": "revealed-model/1", "names": ["left"], "horizon": 2, "ends": "terminal", "discount": 1.0,
        "converged": true, "n_demonstrations": 2});
    for (field, value) in exact.as_object().unwrap() {
        assert_eq!(&printed[field], value, "{field}");
    }
    assert!(printed["evaluations"].as_u64() >= printed["iterations"].as_u64() && printed["iterations"].as_u64() > Some(0));
    assert_eq!(place.files().into_keys().collect::<Vec<_>>(), ["coin.json", "demos.jsonl", "model.json"]);
}

#[test]
fn learn_without_json_is_text() {
    let place = coin_place();
    let ran = place.run("learn coin.json demos.jsonl -o model.json --ends terminal").ended(0);
    for words in ["log-likelihood  -0.5623", "converged: the gradient", "left", "1.0986", "written to model.json"] {
        assert!(ran.stdout.contains(words), "{words} is not in {ran:#?}");
    }
    assert_eq!(ran.stderr, "");
}

#[test]
fn learn_replaces_an_old_model_as_a_whole() {
    let place = coin_place();
    place.write("model.json", "old");
    // A second name of the old file sees what happens to its content: nothing, if the new one is moved into its place.
    fs::hard_link(place.path("model.json"), place.path("witness")).unwrap();
    place.run("learn coin.json demos.jsonl -o model.json --ends terminal").ended(0);
    assert_eq!(place.read("witness"), "old");
    close(&Model::load(place.path("model.json")).unwrap().theta, &[3f64.ln()], 1e-7);
}

#[test]
fn learn_keeps_to_bounds_and_penalty() {
    let place = coin_place();
    place.write("bounds.json", "[[null, 0.5]]");
    for bounds in ["-1,0.5", "-inf,0.5", "bounds.json"] {
        let line = format!("learn coin.json demos.jsonl -o model.json --ends terminal --json --bounds {bounds}");
        let model = place.run(&line).json();
        assert_eq!(model["theta"], json!([0.5]), "{bounds}");
        assert_eq!(model["converged"], json!(true), "{bounds}");
        assert!(model["notes"].to_string().contains("at a bound: left"), "{model}");
    }
    let model = place.run("learn coin.json demos.jsonl -o model.json --ends terminal --json --l2 0.5").json();
    let theta = numbers(&model["theta"])[0];
    // Where 3/4 - p(left) - theta/2 vanishes.
    close(&[0.75 - theta.exp() / (theta.exp() + 1.0) - 0.5 * theta], &[0.0], 1e-7);
    assert_eq!(model["l2"], json!(0.5));
}

#[test]
fn learn_uses_the_horizon() {
    let place = coin_place();
    let model = place.run("learn coin.json demos.jsonl -o model.json --horizon 7 --json").json();
    assert_eq!((&model["horizon"], &model["ends"]), (&json!(7), &json!("anywhere")));
    // Path 0 itself, of weight 1, is one of three, and never shown: e^theta / (2 + e^theta) = 3/4.
    close(&numbers(&model["theta"]), &[6f64.ln()], 1e-7);
}
