//! Learning in several worlds, and cutting a network into them.

use serde_json::json;

use crate::helpers::fixtures::{coin, coin_place};
use crate::helpers::{close, numbers};

#[test]
fn pairs_and_a_list_are_the_same_and_resume_goes_on() {
    let place = coin_place();
    let pairs = "coin.json demos.jsonl coin.json demos.jsonl";
    let alone = place.run("learn coin.json demos.jsonl -o alone.json --l2 0.1 --json").ended(0).json();
    let many = place.run(&format!("learn {pairs} -o many.json --l2 0.1 --summary --json")).ended(0).json();
    close(&numbers(&many["theta"]), &numbers(&alone["theta"]), 1e-6);
    assert_eq!(many["worlds"].as_array().unwrap().len(), 2, "{many}");
    assert_eq!(many["n_demonstrations"].as_u64().unwrap(), 2 * alone["n_demonstrations"].as_u64().unwrap());
    place.write("worlds.jsonl", "{\"problem\": \"coin.json\", \"demos\": \"demos.jsonl\"}\n".repeat(2));
    let listed = place.run("learn --manifest worlds.jsonl -o listed.json --l2 0.1 --json").ended(0).json();
    assert_eq!(listed["theta"], many["theta"]);

    let resumed = place.run(&format!("learn {pairs} -o many.json --l2 0.1 --resume --max-iterations 0 --json")).ended(0);
    close(&numbers(&resumed.json()["theta"]), &numbers(&many["theta"]), 1e-12);
    let other = place.run("learn coin.json demos.jsonl -o many.json --resume").ended(1);
    assert!(other.stderr.contains("it belongs to another problem"), "{other:#?}");
    // The model answers questions in its worlds, and says what it cannot do alone.
    place.run("marginals coin.json many.json --json").ended(0);
    let summary = place.run("summary coin.json many.json demos.jsonl").ended(1);
    assert!(summary.stderr.contains("it was learned in 2 worlds"), "{summary:#?}");
}

#[test]
fn what_does_not_fit_together_is_named() {
    let place = coin_place();
    let mut other = coin();
    other["features"]["names"] = json!(["right"]);
    place.write("other.json", other.to_string());
    let ran = place.run("learn coin.json demos.jsonl other.json demos.jsonl -o m.json").ended(1);
    assert!(ran.stderr.starts_with("error: other.json: world 1: feature 0 is right, but in world 0 it is left"), "{ran:#?}");
    for (line, message) in [
        ("learn coin.json demos.jsonl coin.json -o m.json", "coin.json stands alone"),
        ("learn -o m.json", "give a PROBLEM and its DEMOS, or --manifest"),
        ("learn coin.json demos.jsonl --manifest worlds.jsonl -o m.json", "--manifest lists all worlds"),
    ] {
        let ran = place.run(line).ended(2);
        assert!(ran.stderr.contains(message), "{ran:#?}");
    }
    place.write("worlds.jsonl", "{\"problem\": \"coin.json\"}\n");
    let ran = place.run("learn --manifest worlds.jsonl -o m.json").ended(1);
    assert!(ran.stderr.contains("worlds.jsonl: line 1: ") && ran.stderr.contains("demos"), "{ran:#?}");
    assert!(!place.path("m.json").exists());
}
