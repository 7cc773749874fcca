//! Paths of any length on networks that fill in: refused within the memory budget, with a remedy that works.

use std::time::{Duration, Instant};

use crate::helpers::network;

/// In a debug build on a busy machine. On an idle one a release build takes less than a second.
const SOON: Duration = Duration::from_secs(60);

const LOGIT: &str = "learn network.json demos.jsonl -o model.json --inference recursive-logit";

#[test]
fn what_does_not_fit_is_refused_soon_and_the_remedy_works() {
    let place = network::place(20_000, 20, 9);
    let begun = Instant::now();
    let words = ["eliminating 20000 states", "the memory budget is 20 MB", "--ends goal", "--horizon N", "--memory"];
    place.refuses(&format!("{LOGIT} --memory 20M"), &words);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    // The remedies, in their order.
    let model = place.run("learn network.json demos.jsonl -o goal.json --ends goal --memory 20M --json").json();
    assert_eq!((&model["ends"], &model["horizon"]), (&"goal".into(), &9.into()));
}

#[test]
fn every_question_about_paths_of_any_length_has_the_limit() {
    let place = network::place(3_000, 5, 6);
    place.write("goal.json", r#"{"theta": [-3], "horizon": "any", "ends": "goal", "inference": "recursive-logit"}"#);
    place.write("any.json", r#"{"theta": [-3], "horizon": "any", "ends": "anywhere"}"#);
    place.write("within.json", r#"{"theta": [-3], "horizon": 20, "ends": "goal"}"#);
    let words = ["eliminating 3000 states", "the memory budget is 2 MB"];
    let questions = [
        ("likelihood network.json demos.jsonl --model goal.json", "likelihood network.json demos.jsonl --model within.json"),
        ("score network.json goal.json demos.jsonl", "score network.json within.json demos.jsonl"),
        ("lengths network.json any.json", "lengths network.json any.json --horizon 20"),
        ("marginals network.json any.json", "marginals network.json any.json --horizon 20"),
        ("destinations network.json any.json --prefix 0", "destinations network.json any.json --horizon 20 --prefix 0"),
        ("learn network.json demos.jsonl -o new.json --horizon any", "learn network.json demos.jsonl -o new.json"),
        (LOGIT, "learn network.json demos.jsonl -o new.json --ends goal"),
    ];
    for (any, within) in questions {
        place.refuses(&format!("{any} --memory 2M"), &words);
        place.run(&format!("{within} --memory 2M")).ended(0);
    }
}

/// The same network fits into more memory, and gives the answer of a path set with a long horizon.
#[test]
fn more_memory_is_a_remedy() {
    let place = network::place(1_000, 10, 8);
    place.refuses(&format!("{LOGIT} --memory 1M"), &["eliminating 1000 states"]);
    let any = place.run(&format!("{LOGIT} --memory 200M --json")).json();
    let long = "learn network.json demos.jsonl -o long.json --ends goal --horizon 200 --json";
    let long = place.run(long).json();
    let [any, long] = [any, long].map(|model| model["log_likelihood"].as_f64().unwrap());
    assert!((any - long).abs() < 1e-6, "{any} {long}");
}
