//! `--inference`: the methods as a user meets them.

use serde_json::{Value, json};

use crate::helpers::fixtures::{COIN_DEMOS, coin, coin_place};
use crate::helpers::{Place, close, numbers};

/// The coin, edited.
fn edited_coin(edit: impl FnOnce(&mut Value)) -> Place {
    let place = coin_place();
    let mut problem = coin();
    edit(&mut problem);
    place.write_json("coin.json", &problem);
    place
}

#[test]
fn a_causal_model_is_learned_and_used() {
    let place = coin_place();
    let model = place.run("learn coin.json demos.jsonl -o model.json --inference causal --json").json();
    assert_eq!((&model["inference"], &model["ends"], &model["converged"]), (&json!("causal"), &json!("horizon"), &json!(true)));
    close(&numbers(&model["theta"]), &[3f64.ln()], 1e-6);
    let entropy = 0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln();
    close(&[model["log_likelihood"].as_f64().unwrap()], &[entropy], 1e-9);

    let likelihood = place.run("likelihood coin.json demos.jsonl --model model.json --json").json();
    assert_eq!(likelihood["inference"], "causal");
    assert_eq!(likelihood["log_likelihood"], model["log_likelihood"]);
    close(&numbers(&likelihood["gradient"]), &[0.0], 1e-6);
    let marginals = place.run("marginals coin.json model.json --t 2 --json").json();
    close(&numbers(&marginals["state"]), &[0.0, 0.75, 0.25], 1e-6);
    let visits = place.run("marginals coin.json model.json --json").json();
    close(&numbers(&visits["state"]), &[1.0, 0.75, 0.25], 1e-6);
    let sampled = place.run("sample coin.json model.json -n 50 -o sampled.jsonl --json").json();
    assert_eq!(sampled["mean_length"], 2.0);
    place.run("learn coin.json sampled.jsonl -o again.json --inference causal --bounds -9,9").ended(0);
}

/// The coin with a gamble: action 1 goes right only half of the time. MaxEnt and causal entropy learn different weights
/// from the same demonstrations.
#[test]
fn the_models_differ_where_there_is_chance() {
    let place = edited_coin(|problem| {
        problem["transitions"] = json!({"from": [0, 0, 0], "action": [0, 1, 1], "to": [1, 1, 2], "p": [1.0, 0.5, 0.5]});
    });
    let theta = |inference: &str| {
        let model =
            place.run(&format!("learn coin.json demos.jsonl -o m.json --ends horizon --inference {inference} --json")).json();
        assert_eq!(model["inference"], inference);
        model["theta"][0].as_f64().unwrap()
    };
    // MaxEnt: P(right) = (1/2) / (e^θ + e^θ/2 + 1/2) = 1/4, e^θ = 1. The dual sees half of the gambles, P(gamble) = 1/2,
    // so that Q(left) = θ equals Q(gamble) = θ/2. By the likelihood P(gamble) = 1/4, which was chosen: e^{θ/2} = 3.
    close(&["exact", "causal-dual", "causal"].map(theta), &[0.0, 0.0, 9f64.ln()], 1e-6);
    place.write("demos.jsonl", COIN_DEMOS.replace("\"weight\": 3", "\"weight\": 7"));
    // P(right) = 1/8: MaxEnt 3/2 e^θ = 7/2; dual P(gamble) = 1/4 = e^{θ/2} / (e^{θ/2} + e^θ), e^{θ/2} = 3; likelihood 7.
    close(&["exact", "causal-dual", "causal"].map(theta), &[(7.0f64 / 3.0).ln(), 9f64.ln(), 49f64.ln()], 1e-6);
}

#[test]
fn ziebarts_algorithms_learn_and_say_what_they_are() {
    let place = edited_coin(|problem| problem["discount"] = json!(0.9));
    let model = place.run("learn coin.json demos.jsonl -o model.json --ends terminal --inference ziebart2008 --json").json();
    assert_eq!((&model["inference"], &model["converged"]), (&json!("ziebart2008"), &json!(false)));
    assert!(model["stopped_because"].as_str().unwrap().contains("ziebart2008 expects differ by"), "{model}");
    assert!(model["notes"].to_string().contains("ziebart2008 ignores the discount"), "{model}");
    // Its likelihood is that of the exact model at its θ.
    let exact = place.run("likelihood coin.json demos.jsonl --model model.json --json").json();
    close(&[exact["log_likelihood"].as_f64().unwrap()], &[model["log_likelihood"].as_f64().unwrap()], 1e-12);
    let words = place.run("learn coin.json demos.jsonl -o m.json --inference ziebart2010 --max-iterations 5").ended(0);
    assert!(words.stdout.contains("inference       ziebart2010"), "{words:#?}");
    place.run("marginals coin.json m.json").ended(0);
}

#[test]
fn what_contradicts_the_inference_is_refused() {
    let place = edited_coin(|problem| {
        problem["features"]["state_action"] = json!({"state": [0], "action": [0], "feature": [0], "value": [1.0]});
    });
    let refused =
        |line: &str, words: &[&str]| place.run(&format!("learn coin.json demos.jsonl -o m.json {line}")).refused(words);
    refused("--inference ziebart2008", &["ziebart2008 supports rewards of states only", "inference exact or causal"]);
    refused("--inference ziebart2010 --ends goal", &["ends = goal", "set ends to anywhere"]);
    refused("--inference causal --horizon 1", &["demos.jsonl", "more than the horizon 1"]);
    let usage = place.run("learn coin.json demos.jsonl -o m.json --inference best").ended(2);
    assert!(usage.stderr.contains("ziebart2008"), "{usage:#?}");
}

#[test]
fn resuming_needs_the_same_inference() {
    let place = coin_place();
    place.run("learn coin.json demos.jsonl -o m.json --inference causal").ended(0);
    place.run("learn coin.json demos.jsonl -o m.json --resume").refused(&["m.json", "--inference causal, not exact"]);
    let again = place.run("learn coin.json demos.jsonl -o m.json --resume --inference causal --json").ended(0);
    assert!(again.stderr.contains("resuming from m.json"), "{again:#?}");
    // Older models do not say.
    let mut old = place.read_json("m.json");
    old.as_object_mut().unwrap().retain(|name, _| name != "inference" && name != "chance");
    place.write_json("m.json", &old);
    place.run("marginals coin.json m.json").ended(0);
    old["inference"] = json!("best");
    place.write_json("m.json", &old);
    place.run("marginals coin.json m.json").refused(&[
        "m.json",
        "inference is \"best\"",
        "exact, ziebart2008, ziebart2010, causal",
    ]);
}
