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
    for absent in ["null_log_likelihood", "likelihood_ratio", "likelihood_ratio_p_value", "rho_squared"] {
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

/// Paths of any length are asked for by a model of that kind, or by `--horizon any` where paths go to a goal.
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
        let asked = place.run(&format!("{command} {} --horizon any --json", files("exact.json"))).json();
        assert_eq!(asked["horizon"], "any", "{asked}");
        assert_eq!(fields(usual, names), fields(asked, names), "{command}");
    }
    let learned = place.read("model.json");
    place.run(&format!("{LEARN} --horizon any")).ended(0);
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

/// Four states with a loop: 0 to 1 or 2, 1 to 0 or 3, 2 to 3. A round 0, 1, 0 weighs 0.2.
fn loop_place() -> Place {
    let place = Place::new();
    place.write_json(
        "loop.json",
        &json!({
            "format": "revealed-problem/1", "n_states": 4, "n_actions": 2, "n_features": 2, "discount": 1,
            "start": {"state": [0], "p": [1]}, "terminal": [3],
            "transitions": {"from": [0, 0, 1, 1, 2], "action": [0, 1, 0, 1, 0], "to": [1, 2, 0, 3, 3], "p": [1, 1, 1, 1, 1]},
            "features": {
                "state": {"state": [0, 1, 2, 3], "feature": [0, 0, 1, 0], "value": [1, 1, 1.5, 1]}, "names": ["a", "b"],
            },
            "reward": {"true": [-1, -1]},
        }),
    );
    let path = |states: &str, actions: &str| format!("{{\"states\": {states}, \"actions\": {actions}}}\n");
    let held_out =
        [path("[0, 1, 3]", "[0, 1]"), path("[0, 2, 3]", "[1, 0]"), path("[0, 1, 0, 1, 0, 1, 3]", "[0, 0, 0, 0, 0, 1]")];
    place.write("held_out.jsonl", held_out.concat());
    // As an older version wrote it: the horizon is the length of the longest demonstration.
    place.write_json(
        "model.json",
        &json!({
            "format": "revealed-model/1", "theta": [-0.804_718_956_258_350_1, -1.268_887_496_180_607], "names": ["a", "b"],
            "horizon": 5, "ends": "goal", "inference": "recursive-logit", "discount": 1.0,
        }),
    );
    place
}

#[test]
fn one_probability_has_one_value_in_every_command() {
    let place = loop_place();
    let json = |line: &str| place.run(&format!("{line} --json")).json();
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"));
    // Three trips: 0.6, 0.2, and 0.6 with two rounds of 0.2 each.
    let mean = [0.6f64, 0.2, 0.6 * 0.04].map(f64::ln).iter().sum::<f64>() / 3.0;
    let likelihood = json("likelihood loop.json held_out.jsonl --model model.json");
    let score = json("score loop.json model.json held_out.jsonl");
    let evaluate = json("evaluate loop.json model.json --demos held_out.jsonl");
    let found = [&likelihood["log_likelihood"], &score["log_likelihood"], &evaluate["held_out"]["mean_log_likelihood"]];
    close(&found.map(number), &[mean; 3], 1e-8);
    assert_eq!([&likelihood["horizon"], &score["horizon"], &evaluate["held_out"]["horizon"]], [&json!("any"); 3]);
    let path = json("path loop.json model.json --from 0 --to 3");
    close(&[number(&path["probability"])], &[0.6], 1e-8);
    let lengths = json("lengths loop.json model.json --from 0 --to 3");
    let visits = json("marginals loop.json model.json --to 3");
    close(&[number(&lengths["mean"]), numbers(&visits["state"]).iter().sum()], &[3.5; 2], 1e-8);
    let policy = json("policy loop.json model.json --to 3");
    close(&[number(&policy["paths"]["mean_length"]), number(&policy["stationary"]["mean_length"])], &[3.5; 2], 1e-8);
    let drawn = json("sample loop.json model.json -n 20000 --seed 3 --to 3 -o drawn.jsonl");
    assert_eq!(drawn["n"], 20000);
    let direct = place.read("drawn.jsonl").lines().filter(|line| line.contains("[0,1,3]")).count();
    assert!((direct as f64 / 20_000.0 - 0.6).abs() < 5.0 * (0.24f64 / 20_000.0).sqrt(), "{direct}");
    let first = json("destinations loop.json model.json --prefix 0,0,1 --prior model --ends terminal");
    assert_eq!((&first["posterior"], &first["horizon"]), (&json!([[3, 1.0]]), &json!("any")));
    // In state 1 a path ends after 1 + 2 / 4 states: every fifth time it goes round again.
    assert!(number(&first["expected_remaining"]) > 1.0);
}
