//! What must not change the answer, not even its last bit: the format of the files, and how the work is shared.

use serde_json::{Value, json};

use crate::helpers::Place;
use crate::helpers::fixtures;
use crate::helpers::slow_roads::{ROADS, SlowRoads};

/// Runs a command for its JSON, without what depends on the clock or repeats a file name.
#[track_caller]
fn answer(place: &Place, line: &str) -> Value {
    let mut json = place.run(&format!("{line} --json")).json();
    let object = json.as_object_mut().unwrap();
    object.remove("seconds");
    object.remove("demonstrations");
    json
}

#[test]
fn json_and_npz_give_the_same() {
    let place = fixtures::place();
    fixtures::as_npz(&place);
    let both = |line: &str| {
        let npz = line.replace("problem.json", "problem.npz").replace("demos.jsonl", "demos.npz");
        assert_ne!(line, npz);
        let (text, arrays) = (answer(&place, line), answer(&place, &npz));
        assert_eq!(text, arrays, "{line}");
    };
    for ends in ["anywhere", "horizon", "terminal", "goal"] {
        both(&format!("likelihood problem.json demos.jsonl --theta theta.json --ends {ends}"));
        both(&format!("learn problem.json demos.jsonl -o again.json --bounds -10,10 --ends {ends}"));
    }
    both("marginals problem.json model.json");
    both("marginals problem.json model.json --t 2");
    both("check problem.json demos.jsonl");
    let sample = |problem: &str| {
        place.run(&format!("sample {problem} model.json -n 20 --seed 3 -o {problem}.jsonl")).ended(0);
        place.read(&format!("{problem}.jsonl"))
    };
    assert_eq!(sample("problem.json"), sample("problem.npz"));
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let place = fixtures::place();
    let SlowRoads { problem, demos, .. } = &*ROADS;
    let [problem, demos] = [problem, demos].map(|path| path.display());
    let theta = vec![-0.005; 14];
    place.write_json("roads.json", &json!({"theta": theta, "horizon": 100, "ends": "anywhere"}));
    place.write_json("exactly.json", &json!({"theta": theta, "horizon": 40, "ends": "horizon"}));
    for line in [
        format!("likelihood {problem} {demos} --model roads.json"),
        format!("marginals {problem} exactly.json"),
        "likelihood problem.json demos.jsonl --theta theta.json --ends goal".to_string(),
        "learn problem.json demos.jsonl -o again.json --bounds -10,10".to_string(),
    ] {
        let [one, two, five] = [1, 2, 5].map(|threads| answer(&place, &format!("{line} --threads {threads}")));
        assert_eq!(one, two, "{line}");
        assert_eq!(one, five, "{line}");
    }
}

#[test]
fn any_budget_of_memory_gives_the_same() {
    let place = Place::new();
    let SlowRoads { problem, demos, .. } = &*ROADS;
    let [problem, demos] = [problem, demos].map(|path| path.display());
    place.write_json("roads.json", &json!({"theta": vec![-0.005; 14], "horizon": 100, "ends": "anywhere"}));
    let [much, little] = ["1G", "12M"]
        .map(|memory| answer(&place, &format!("likelihood {problem} {demos} --model roads.json --memory {memory}")));
    assert_eq!(much, little);
    let line = format!("likelihood {problem} {demos} --model roads.json --memory 1K");
    place.run(&line).refused(&["memory budget of 1000 bytes", "too small", "20000 states"]);
}
