//! `learn --inference recursive-logit`: how sure it is, and what is said where loops hardly cost anything.

use serde_json::{Value, json};

use crate::helpers::{Place, close, numbers};

/// ```text
///            2 m, 2 m, 2 m, 2 m
///            ┌─ 1 → 2 → 3 ──┬─ 5 (100 m) ─┐
///   0 (50 m)─┤  ↑       ↓   │             ├─ 7
///            └  └── 4 ──┘   └─ 6 (200 m) ─┘
/// ```
fn roundabout(link: bool) -> Value {
    let steps = [(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 5), (3, 1, 6), (3, 2, 4), (4, 0, 1), (5, 0, 7), (6, 0, 7)];
    let metres = [50.0, 2.0, 2.0, 2.0, 2.0, 100.0, 200.0, 50.0];
    let mut rows: Vec<(usize, usize, f64)> = metres.iter().enumerate().map(|(state, &metres)| (state, 0, metres)).collect();
    if link {
        rows.extend((0..8).map(|state| (state, 1, 1.0)));
    }
    json!({
        "format": "revealed-problem/1", "n_states": 8, "n_actions": 3, "n_features": 1 + usize::from(link), "discount": 1,
        "start": {"state": [0], "p": [1.0]}, "terminal": [7],
        "transitions": {
            "from": steps.map(|step| step.0), "action": steps.map(|step| step.1), "to": steps.map(|step| step.2), "p": steps.map(|_| 1.0),
        },
        "features": {"state": {
            "state": rows.iter().map(|row| row.0).collect::<Vec<_>>(),
            "feature": rows.iter().map(|row| row.1).collect::<Vec<_>>(),
            "value": rows.iter().map(|row| row.2).collect::<Vec<_>>(),
        }},
    })
}

const TRIPS: &str = r#"{"states": [0, 1, 2, 3, 5, 7], "actions": [0, 0, 0, 0, 0], "weight": 14}
{"states": [0, 1, 2, 3, 6, 7], "actions": [0, 0, 0, 1, 0], "weight": 5}
{"states": [0, 1, 2, 3, 4, 1, 2, 3, 5, 7], "actions": [0, 0, 0, 2, 0, 0, 0, 0, 0]}
"#;
const LEARN: &str = "learn roads.json trips.jsonl -o model.json --inference recursive-logit --summary";

fn place(link: bool) -> Place {
    let place = Place::new();
    place.write_json("roads.json", &roundabout(link));
    place.write("trips.jsonl", TRIPS);
    place
}

#[test]
fn a_summary_has_errors_and_says_what_it_has_not() {
    let place = place(false);
    let model = place.run(&format!("{LEARN} --json")).json();
    let summary = &model["summary"];
    // The street is a coin with odds e^(100 θ), and rounds are geometric with r = e^(8 θ).
    let theta = numbers(&model["theta"])[0];
    let (odds, r) = ((100.0 * theta).exp(), (8.0 * theta).exp());
    let variance = 100.0f64.powi(2) * odds / (1.0 + odds).powi(2) + 8.0f64.powi(2) * r / (1.0 - r).powi(2);
    close(&numbers(&summary["standard_errors"]), &[1.0 / (20.0 * variance).sqrt()], 1e-7);
    for absent in
        ["null_log_likelihood", "likelihood_ratio", "likelihood_ratio_p_value", "rho_squared", "robust_standard_errors"]
    {
        assert_eq!(summary[absent], Value::Null, "{absent}");
    }
    let again = place.run("summary roads.json model.json trips.jsonl --json").json();
    assert_eq!(again["summary"], *summary);

    let printed = place.run("summary roads.json model.json trips.jsonl").ended(0).stdout;
    for words in [
        "model                 recursive logit, exact\n",
        "paths                 of any length between each demonstration's own ends\n",
        "note: no null model to compare with: at theta = 0 loops cost nothing",
    ] {
        assert!(printed.contains(words), "{words:?} is not in\n{printed}");
    }
    assert!(!printed.contains("null log-likelihood") && !printed.contains("rho-squared"), "{printed}");
}

#[test]
fn loops_that_hardly_cost_anything_are_warned_of() {
    let warned = place(false).run(LEARN).ended(0).stderr;
    let words = ["warning: paths of the learned model have ", "where the demonstrations have 6.2: loops hardly cost anything"];
    for words in words.into_iter().chain(["most of all at state ", "`roads import --features paper,link,turns`"]) {
        assert!(warned.contains(words), "{words:?} is not in\n{warned}");
    }
    // Where links count, the model goes round as often as the trips do.
    let silent = place(true).run(LEARN).ended(0).stderr;
    assert!(!silent.contains("warning"), "{silent}");
}

/// Paths of any length are asked for by a model of that kind, or by `--horizon none` where paths go to a goal.
#[test]
fn any_length_is_the_same_however_it_is_asked_for() {
    let place = place(true);
    place.run(LEARN).ended(0);
    let mut exact = place.read_json("model.json");
    exact["inference"] = json!("exact");
    place.write_json("exact.json", &exact);
    let fields = |json: Value, names: &[&str]| names.iter().map(|name| json[name].clone()).collect::<Vec<_>>();
    for (command, names) in [
        ("likelihood roads.json trips.jsonl --model", &["log_likelihood", "gradient", "horizon", "ends"][..]),
        ("score roads.json", &["log_likelihood", "demonstrations", "horizon", "ends"]),
    ] {
        let files = |model: &str| if command.starts_with("score") { format!("{model} trips.jsonl") } else { model.to_string() };
        let usual = place.run(&format!("{command} {} --json", files("model.json"))).json();
        let asked = place.run(&format!("{command} {} --horizon none --json", files("exact.json"))).json();
        assert_eq!(asked["horizon"], Value::Null, "{asked}");
        assert_eq!(fields(usual, names), fields(asked, names), "{command}");
    }
    let learned = place.read("model.json");
    place.run(&format!("{LEARN} --horizon none")).ended(0);
    let theta = |text: &str| numbers(&serde_json::from_str::<Value>(text).unwrap()["theta"]);
    assert_eq!(theta(&learned), theta(&place.read("model.json")));
}

#[test]
fn cross_validation_fits_the_same_model() {
    let place = place(true);
    let line = "cross-validate roads.json trips.jsonl --folds 2 --bounds -1,0";
    let logit = place.run(&format!("{line} --inference recursive-logit --json")).json();
    assert_eq!((&logit["inference"], &logit["ends"]), (&json!("recursive-logit"), &json!("goal")));
    let exact = place.run(&format!("{line} --ends goal --json")).json();
    assert_eq!(exact.get("inference"), None);
    assert_ne!(logit["penalties"][0]["held_out"], exact["penalties"][0]["held_out"], "loops longer than any trip count");
}
