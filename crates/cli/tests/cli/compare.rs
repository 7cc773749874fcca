//! `revealed compare`.

use crate::helpers::fixtures::coin_place;
use crate::helpers::{Place, close};

#[test]
fn a_coin_without_chance_has_one_model_of_each_length() {
    let place = coin_place();
    let left = "{\"states\": [0, 1], \"actions\": [0]}\n".repeat(2);
    let right = "{\"states\": [0, 2], \"actions\": [1]}\n".repeat(4);
    place.write("demos.jsonl", left + &right);
    let line = "compare coin.json demos.jsonl --folds 6 --l2 0";
    let answer = place.run(&format!("{line} --json")).json();
    // Whoever goes left is predicted from one of five, whoever goes right from three of five.
    let expected = (2.0 * (1f64 / 5.0).ln() + 4.0 * (3f64 / 5.0).ln()) / 6.0;
    for (place, fitted) in [(0, true), (1, true), (2, false), (3, false)] {
        let model = &answer["models"][place];
        assert_eq!(model["reason"].is_null(), fitted, "{model}");
        if fitted {
            close(&[model["held_out"].as_f64().unwrap()], &[expected], 1e-7);
            close(&[model["luck"].as_f64().unwrap()], &[0.0], 1e-12);
        }
    }
    assert_eq!(answer["has_chance"], false);
    let words = place.run(line).ended(0).stdout;
    assert!(words.contains("nothing is left to chance") && words.contains("they say the same"), "{words}");
}

#[test]
fn the_causal_model_of_a_lake_is_written_and_drawn() {
    let place = Place::new();
    place.run("demo --out demo -n 30").ended(0);
    let line = "compare demo/problem.json demo/demos.jsonl --folds 3 -o model.json --picture models.svg";
    let words = place.run(line).ended(0).stdout;
    assert!(words.contains("causal") && words.contains("  best\n") && words.contains("Vuong"), "{words}");
    let model = place.run("summary demo/problem.json model.json demo/demos.jsonl --json").json();
    assert_eq!((model["inference"].as_str(), model["chance"].as_str()), (Some("causal"), Some("fixed")));
    let picture = place.read("models.svg");
    assert!(picture.starts_with("<svg") || picture.starts_with("<?xml"), "{}", &picture[..40]);
    assert!(picture.contains("held out"));
    place.run("compare demo/problem.json demo/demos.jsonl --folds 1").refused(&["at least 2 folds"]);
    place.run("compare demo/problem.json demo/demos.jsonl -o demo/demos.jsonl").refused(&["also an input"]);
    place.run("compare demo/problem.json demo/demos.jsonl --picture models.txt").refused(&[".svg"]);
}
