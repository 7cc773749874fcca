//! `revealed score`.

use serde_json::{Value, json};

use crate::helpers::fixtures::{self, COIN_DEMOS, coin_place};
use crate::helpers::{Place, close, keys, lines};

const TWO_THIRDS_LEFT: &str = r#"{"theta": [0.6931471805599453], "horizon": 2, "ends": "terminal", "names": ["left"]}"#;

/// A coin that the model thinks twice as likely to fall left as right.
fn loaded_coin() -> Place {
    let place = coin_place();
    place.write("model.json", TWO_THIRDS_LEFT);
    place
}

#[test]
fn a_coin_by_hand() {
    let place = loaded_coin();
    let answer = place.run("score coin.json model.json demos.jsonl --json").json();
    let expected = [
        "demonstrations",
        "ends",
        "horizon",
        "log_likelihood",
        "n_demonstrations",
        "n_scored",
        "parts",
        "perplexity_per_step",
        "total_log_likelihood",
    ];
    assert_eq!(keys(&answer), expected);
    let (left, right) = ((2f64 / 3.0).ln(), (1f64 / 3.0).ln());
    let total = 3.0 * left + right;
    close(&[answer["log_likelihood"].as_f64().unwrap()], &[total / 4.0], 1e-12);
    close(&[answer["total_log_likelihood"].as_f64().unwrap()], &[total], 1e-12);
    close(&[answer["perplexity_per_step"].as_f64().unwrap()], &[(-total / 8.0).exp()], 1e-12);
    // A choice decides everything: there is no luck.
    let parts = ["choices", "outcomes", "chance", "luck"].map(|name| answer["parts"][name].as_f64().unwrap());
    close(&parts, &[total / 4.0, 0.0, 0.0, 0.0], 1e-12);
    assert_eq!((&answer["n_demonstrations"], &answer["horizon"], &answer["ends"]), (&json!(2), &json!(2), &json!("terminal")));
    let second = &answer["demonstrations"][1];
    assert_eq!((&second["length"], &second["id"], &second["index"]), (&json!(2), &Value::Null, &json!(1)));
    close(&[second["log_likelihood"].as_f64().unwrap(), second["per_step"].as_f64().unwrap()], &[right, right / 2.0], 1e-12);
    let surprises = second["surprises"].as_array().unwrap();
    assert_eq!(surprises.len(), 1, "everything else was certain: {second}");
    let surprise = &surprises[0];
    assert_eq!((&surprise["t"], &surprise["kind"], &surprise["state"]), (&json!(1), &json!("choice"), &json!(0)));
    assert_eq!((&surprise["happened"], &surprise["likeliest"]), (&json!({"action": 1}), &json!({"action": 0})));
    let found = ["log_probability", "likeliest_log_probability"].map(|key| surprise[key].as_f64().unwrap());
    close(&found, &[right, left], 1e-12);
    // The mean is what `likelihood` says.
    let likelihood = place.run("likelihood coin.json demos.jsonl --model model.json --json").json();
    close(&[answer["log_likelihood"].as_f64().unwrap()], &[likelihood["log_likelihood"].as_f64().unwrap()], 1e-12);
}

#[test]
fn words_name_the_least_likely_and_what_was_expected() {
    let place = loaded_coin();
    let text = place.run("score coin.json model.json demos.jsonl --worst 1").ended(0).stdout;
    for words in [
        "mean of 2 demonstrations",
        "perplexity",
        "per step, -1.0986 for 2 states: demonstration 1",
        "step 1: in state 0 it took action 1 (p = 0.333), expected action 0 (p = 0.667)",
    ] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
    assert!(!text.contains("demonstration 0"), "{text}");
    let none = place.run("score coin.json model.json demos.jsonl --worst 0").ended(0).stdout;
    assert!(!none.contains("least likely"), "{none}");
}

#[test]
fn every_step_goes_to_a_file_and_sums_to_the_whole() {
    let place = fixtures::place();
    let line = "score problem.json model.json demos.jsonl -o scores.jsonl --json";
    let answer = place.run(line).json();
    let text = place.read("scores.jsonl");
    let lines = lines(&text);
    assert_eq!(lines.len(), 2);
    for (line, short) in lines.iter().zip(answer["demonstrations"].as_array().unwrap()) {
        assert_eq!(line["log_likelihood"], short["log_likelihood"]);
        let log_p = |factor: &Value| factor["log_probability"].as_f64().unwrap();
        let steps = line["steps"].as_array().unwrap();
        assert_eq!(steps.len() + 1, short["length"].as_u64().unwrap() as usize);
        let of_steps: f64 = steps.iter().map(|step| log_p(&step["choice"]) + log_p(&step["outcome"])).sum();
        let sum = log_p(&line["start"]) + of_steps + log_p(&line["stop"]);
        close(&[sum], &[line["log_likelihood"].as_f64().unwrap()], 1e-12);
    }
    let second = &lines[1];
    assert_eq!(second["id"], json!("second"));
    let [first, last] = [&second["steps"][0], &second["steps"][1]];
    assert_eq!((&first["state"], &first["action"], &first["to"]), (&json!(0), &json!(2), &json!(0)));
    assert_eq!((&last["state"], &last["action"], &last["to"]), (&json!(0), &json!(1), &json!(2)));
    assert_eq!(place.run("score problem.json model.json demos.jsonl -o more.jsonl --threads 1 --json").json(), answer);
    assert_eq!(place.read("more.jsonl"), text);
    // Inputs are not overwritten, and a place that cannot be written is found out first.
    place.run("score problem.json model.json demos.jsonl -o demos.jsonl").refused(&["demos.jsonl", "input"]);
    place.run("score problem.json model.json demos.jsonl -o no/scores.jsonl").refused(&["no/scores.jsonl"]);
}

#[test]
fn demonstrations_that_are_not_paths_of_the_model_are_listed() {
    let place = loaded_coin();
    place.write("demos.jsonl", format!("{{\"states\": [0], \"actions\": [], \"id\": \"stays\"}}\n{COIN_DEMOS}"));
    let ran = place.run("score coin.json model.json demos.jsonl --json");
    assert_eq!(ran.stderr, "");
    let answer = ran.json();
    assert_eq!((&answer["n_demonstrations"], &answer["n_scored"]), (&json!(3), &json!(2)));
    let first = &answer["demonstrations"][0];
    assert_eq!((&first["log_likelihood"], first.get("surprises")), (&Value::Null, None));
    assert!(first["impossible_because"].as_str().unwrap().contains("ends after 1 states in state 0"), "{first}");
    assert!(answer["log_likelihood"].is_number());
    let text = place.run("score coin.json model.json demos.jsonl").ended(0).stdout;
    assert!(text.contains("1 of 3 are not paths of this model (log-likelihood -inf)"), "{text}");
    assert!(text.contains("demonstration 0 (id stays): it ends after 1 states"), "{text}");
    // None at all.
    let none = place.run("score coin.json model.json demos.jsonl --horizon 1 --json").json();
    assert_eq!((&none["log_likelihood"], &none["n_scored"]), (&Value::Null, &json!(0)));
    // Other ends make a path of it.
    let anywhere = place.run("score coin.json model.json demos.jsonl --ends anywhere --json").json();
    assert_eq!((&anywhere["n_scored"], &anywhere["ends"]), (&json!(3), &json!("anywhere")));
}

#[test]
fn an_unlikely_step_keeps_its_logarithm() {
    let place = loaded_coin();
    place.write("model.json", r#"{"theta": [-2000.0], "horizon": 2, "ends": "terminal"}"#);
    place.write("demos.jsonl", "{\"states\": [0, 1], \"actions\": [0]}\n");
    let answer = place.run("score coin.json model.json demos.jsonl --json").json();
    close(&[answer["log_likelihood"].as_f64().unwrap()], &[-2000.0], 1e-12);
    let text = place.run("score coin.json model.json demos.jsonl").ended(0).stdout;
    assert!(text.contains("it took action 0 (p = e^-2000.0), expected action 1 (p = 1.000)"), "{text}");
    // The perplexity is beyond what JSON can say, and is left out rather than wrong.
    assert_eq!(answer["perplexity_per_step"], Value::Null);
}

#[test]
fn grids_are_drawn_and_goals_are_given() {
    let place = Place::new();
    place.run("demo --out demo").ended(0);
    let text = place.run("score demo/problem.json demo/model.json demo/demos.jsonl --worst 2").ended(0).stdout;
    assert!(text.contains("mean surprise, -log p, of the steps in each state"), "{text}");
    let demos = place.read("demo/demos.jsonl");
    assert!(demos.lines().count() > 10);
    let goal = place.run("score demo/problem.json demo/model.json demo/demos.jsonl --ends goal --json").json();
    let likelihood = "likelihood demo/problem.json demo/demos.jsonl --model demo/model.json --ends goal --json";
    let likelihood = place.run(likelihood).json();
    close(&[goal["log_likelihood"].as_f64().unwrap()], &[likelihood["log_likelihood"].as_f64().unwrap()], 1e-10);
}

#[test]
fn bad_files_are_refused() {
    let place = fixtures::place();
    place.run("score problem.json model.json nothing.jsonl").refused(&["nothing.jsonl"]);
    place.write("bad.jsonl", "{\"states\": [0, 2], \"actions\": [0]}\n");
    place.run("score problem.json model.json bad.jsonl").refused(&["bad.jsonl", "demonstration 0", "never leads to state 2"]);
    place.run("score problem.json model.json demos.jsonl --horizon 0").refused(&["horizon is 0"]);
}

/// One action, and chance decides. The model hopes for the outcome that pays log 3.
#[test]
fn luck_is_what_the_model_makes_likelier_than_the_world_does() {
    let place = Place::new();
    place.write_json(
        "toss.json",
        &json!({
            "format": "revealed-problem/1", "n_states": 3, "n_actions": 1, "n_features": 1, "discount": 1,
            "start": {"state": [0], "p": [1]}, "terminal": [1, 2],
            "transitions": {"from": [0, 0], "action": [0, 0], "to": [1, 2], "p": [0.5, 0.5]},
            "features": {"state": {"state": [2], "feature": [0], "value": [1]}},
        }),
    );
    let path = |to: usize| format!("{{\"states\": [0, {to}], \"actions\": [0]}}\n");
    place.write("tosses.jsonl", [path(2), path(2), path(2), path(1)].concat());
    let learned = place.run("learn toss.json tosses.jsonl -o hopes.json --ends terminal --json").json();
    let answer = place.run("score toss.json hopes.json tosses.jsonl --json").json();
    let mean = 0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln();
    let parts = ["choices", "outcomes", "chance", "luck"].map(|name| answer["parts"][name].as_f64().unwrap());
    close(&parts, &[0.0, mean, 0.5f64.ln(), mean - 0.5f64.ln()], 1e-6);
    let text = place.run("score toss.json hopes.json tosses.jsonl").ended(0).stdout;
    assert!(text.contains("luck            0.1308") && text.contains("--inference causal"), "{text}");
    // Everything that was learned is luck, and the model says so.
    let notes = learned["notes"].to_string();
    assert!(notes.contains("of the 0.1308 by which") && notes.contains("0.1308 is luck"), "{notes}");
    close(&["explained", "luck"].map(|name| learned["luck"][name].as_f64().unwrap()), &[mean - 0.5f64.ln(); 2], 1e-6);
    let silent = place.run("learn toss.json tosses.jsonl -o causal.json --inference causal --ends horizon --json").json();
    assert!(!silent["notes"].to_string().contains("luck") && silent.get("luck").is_none(), "{silent}");
    let text = place.run("score toss.json causal.json tosses.jsonl").ended(0).stdout;
    assert!(text.contains("of which        choices") && !text.contains("luck"), "{text}");
}
