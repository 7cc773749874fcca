//! `path --pairs`: routes of many pairs, and what is refused.

use std::fmt::Write;

use revealed::{Ends, PathModel, Routes, worlds};
use revealed_formats::Problem;
use serde_json::{Value, json};

use crate::helpers::slow_roads::ROADS;
use crate::helpers::{Place, Running, close, keys, lines, numbers};

/// A ring 0 → 1 → 2 → 3 → 0 with a shortcut 0 → 2 that costs more, and 3 → 4, which is terminal. θ is the cost of a
/// state.
fn ring(horizon: usize, ends: &str) -> Place {
    let place = Place::new();
    place.write_json(
        "problem.json",
        &json!({
            "n_states": 5, "n_actions": 2, "n_features": 2,
            "start": {"state": [0], "p": [1.0]}, "terminal": [4],
            "transitions": {
                "from": [0, 0, 1, 2, 3, 3], "action": [0, 1, 0, 0, 0, 1], "to": [1, 2, 2, 3, 0, 4], "p": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
            },
            "features": {
                "state": {"state": [0, 1, 2, 3, 4], "feature": [0, 0, 0, 0, 0], "value": [1.0, 1.0, 1.0, 1.0, 1.0]},
                "transition": {"transition": [1], "feature": [1], "value": [1.0]},
            },
        }),
    );
    place.write_json("model.json", &json!({"theta": [-1.0, -1.5], "horizon": horizon, "ends": ends}));
    place
}

#[test]
fn the_answers_are_those_worked_out_by_hand() {
    let place = ring(5, "anywhere");
    place.write("pairs.csv", "id,to,from\nall the way,4,0\n,3,3\nback,0,4\n\"there, and\",2,0\n");
    place.write(
        "pairs.jsonl",
        "{\"from\": 0, \"to\": 4, \"id\": \"all the way\"}\n{\"from\": 3, \"to\": 3}\n\n{\"from\": 4, \"to\": 0, \"id\": \"back\"}\n\
         {\"from\": 0, \"to\": 2, \"id\": \"there, and\"}\n",
    );
    let back = "no path leads from state 4 to state 0, of any length: check the transitions, and the reference policy if there is one, \
                which may never take them";
    let expected = [
        json!({"id": "all the way", "from": 0, "to": 4, "states": [0, 1, 2, 3, 4], "actions": [0, 0, 0, 1], "log_weight": -5.0}),
        json!({"from": 3, "to": 3, "states": [3], "actions": [], "log_weight": -1.0}),
        json!({"id": "back", "from": 4, "to": 0, "error": back}),
        json!({"id": "there, and", "from": 0, "to": 2, "states": [0, 1, 2], "actions": [0, 0], "log_weight": -3.0}),
    ];
    for file in ["pairs.csv", "pairs.jsonl"] {
        let ran = place.run(&format!("path problem.json model.json --pairs {file} -o routes.jsonl --json"));
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:#?}");
        assert!(ran.stderr.starts_with("note: 2 of 4 pairs begin where no path of the problem does"), "{ran:#?}");
        let report = ran.json();
        let fields = [
            "ends",
            "error_bound",
            "file",
            "horizon",
            "microseconds_per_query",
            "n_found",
            "n_pairs",
            "seconds_preparing",
            "seconds_queries",
        ];
        assert_eq!(keys(&report), fields);
        assert_eq!([&report["n_pairs"], &report["n_found"], &report["horizon"]], [4, 3, 5]);
        assert_eq!(lines(&place.read("routes.jsonl")), expected);
        let printed = place.run(&format!("path problem.json model.json --pairs {file} --json")).json();
        assert_eq!(printed["paths"], json!(expected));
    }
    let words = place.run("path problem.json model.json --pairs pairs.csv").ended(0).stdout;
    for expected in ["0 to 4: 5 states, log-weight -5.000000\n", "4 to 0: no path leads", "4 pairs, 3 with a path; prepared in"]
    {
        assert!(words.contains(expected), "{words}");
    }
}

#[test]
fn the_horizon_and_the_ends_hold() {
    let place = ring(4, "anywhere");
    place.write("pairs.csv", "from,to\n0,4\n0,3\n");
    let run = |options: &str| place.run(&format!("path problem.json model.json --pairs pairs.csv --json {options}")).json();
    let error = |report: &Value, pair: usize| report["paths"][pair]["error"].as_str().unwrap().to_string();
    // 0 1 2 3 4 has five states: within four, the more expensive shortcut is the best.
    let report = run("");
    assert_eq!(report["paths"][1]["states"], json!([0, 1, 2, 3]));
    assert_eq!((&report["paths"][0]["states"], &report["paths"][0]["log_weight"]), (&json!([0, 2, 3, 4]), &json!(-5.5)));
    let report = run("--horizon 3");
    assert_eq!(report["n_found"], 1);
    assert!(error(&report, 0).contains("4 states"), "{report}");
    assert_eq!(run("--horizon 5")["n_found"], 2);
    let report = run("--horizon any");
    assert_eq!((&report["n_found"], &report["horizon"]), (&json!(2), &json!("any")));
    let report = run("--horizon 5 --ends terminal");
    assert!(error(&report, 1).contains("no path of this model ends in state 3"), "{report}");
    assert_eq!(report["paths"][0]["log_weight"], -5.0);
    place.refuses(
        "path problem.json model.json --pairs pairs.csv --horizon any --ends horizon",
        &["any length", "ends = horizon", "give a horizon"],
    );
    assert_eq!(run("--horizon 5 --ends goal")["n_found"], 2);
}

#[test]
fn where_there_is_no_likeliest_path_of_any_length_a_horizon_is_needed() {
    let place = ring(4, "anywhere");
    place.write("pairs.csv", "from,to\n0,3\n");
    place.write_json("gains.json", &json!({"theta": [1.0, 0.0], "horizon": 4, "ends": "anywhere"}));
    let ran = place.run("path problem.json gains.json --pairs pairs.csv --json").ended(0);
    assert!(ran.stderr.contains("multiplies the weight of a path by e^") && ran.stderr.contains("within the horizon of 4"));
    let one = place.run("path problem.json gains.json --from 0 --to 3 --json").json();
    assert_eq!(ran.json()["paths"][0]["log_weight"], one["log_weight"]);
    place.refuses(
        "path problem.json gains.json --pairs pairs.csv --horizon none",
        &["the cycle through states", "give a horizon"],
    );
    let mut discounted = place.read_json("problem.json");
    discounted["discount"] = json!(0.9);
    place.write_json("problem.json", &discounted);
    place.refuses("path problem.json model.json --pairs pairs.csv --horizon none", &["discount of 0.9", "give a horizon"]);
}

#[test]
fn bad_pairs_are_refused_by_line_and_value() {
    let place = ring(4, "anywhere");
    for (name, text, words) in [
        ("a.csv", "from,to\n0,1\n0,7\n", &["a.csv: line 3: to is \"7\": there are 5 states, give one of 0 to 4"][..]),
        ("b.csv", "from,to\n-1,1\n", &["b.csv: line 2: from is \"-1\": it must be a state"]),
        ("c.csv", "from,to\n0,1,2\n", &["c.csv: line 2: it has 3 fields where the first line has 2"]),
        ("d.csv", "origin,to\n0,1\n", &["d.csv: from is missing: it is required (not known: origin)"]),
        ("e.csv", "from,to\n", &["e.csv: the number of pairs is 0: it must be at least 1"]),
        ("f.csv", "from,to\n0,\n", &["f.csv: line 2: to is \"\": it must be a state"]),
        ("g.jsonl", "{\"from\": 0, \"to\": 1}\n{\"from\": 0.5, \"to\": 1}\n", &["g.jsonl: line 2: from is 0.5"]),
        ("h.jsonl", "{\"from\": 0, \"to\": 5}\n", &["h.jsonl: line 1: to is 5: there are 5 states"]),
        ("i.jsonl", "{\"from\": 0, \"to\"\n", &["i.jsonl: line 1 column"]),
        ("j.jsonl", "{\"from\": 0, \"too\": 1}\n", &["j.jsonl: line 1: to is missing", "too"]),
        ("k.txt", "0 1\n", &["k.txt: has the extension .txt: pairs are a .csv or .jsonl file"]),
        ("l.csv", "", &["l.csv: is empty"]),
    ] {
        place.write(name, text);
        place.refuses(&format!("path problem.json model.json --pairs {name} -o routes.jsonl"), words);
    }
    place.write("m.csv", b"from,to\n\xff,1\n");
    place.refuses("path problem.json model.json --pairs m.csv", &["m.csv: line 2: it is not text in UTF-8"]);
    place.refuses("path problem.json model.json --pairs none.csv", &["none.csv: cannot be read"]);
    place.write("ok.csv", "from,to\n0,1\n");
    place.refuses("path problem.json model.json --pairs ok.csv -o ok.csv", &["it is also an input"]);
    place.refuses("path problem.json model.json --pairs ok.csv --threads 0", &["the number of threads is 0"]);
    place.run("path problem.json model.json --pairs ok.csv --horizon many").ended(2);
}

#[test]
fn a_network_has_the_same_answers_on_any_number_of_threads_and_those_of_the_library() {
    let place = Place::new();
    let world = worlds::road_like(900, 1900, 8).unwrap();
    let pairs: Vec<(usize, usize)> = (0..1200).map(|pair| (pair * 17 % 900, pair * 29 % 900)).collect();
    let text = pairs.iter().fold("from,to\n".to_string(), |mut text, (from, to)| {
        let _ = writeln!(text, "{from},{to}");
        text
    });
    place.write("pairs.csv", text);
    place.write_json("model.json", &json!({"theta": world.theta, "horizon": 300, "ends": "anywhere"}));
    let reward = world.features.reward(&world.mdp, &world.theta).unwrap();
    let routes = Routes::new(&PathModel::new(&world.mdp, reward, 300, Ends::Anywhere).unwrap()).unwrap();
    let expected: Vec<f64> = pairs.iter().map(|&(from, to)| routes.find(from, to).unwrap().log_weight).collect();
    let problem = Problem { mdp: world.mdp.clone(), features: world.features.clone(), layout: None, true_theta: None };
    problem.save(place.path("problem.npz")).unwrap();
    for threads in [1, 3] {
        place.run(&format!("path problem.npz model.json --pairs pairs.csv -o {threads}.jsonl --threads {threads}")).ended(0);
    }
    assert_eq!(place.read("1.jsonl"), place.read("3.jsonl"));
    let found: Vec<Value> = lines(&place.read("1.jsonl")).into_iter().map(|mut line| line["log_weight"].take()).collect();
    close(&numbers(&json!(found)), &expected, 1e-15);
}

#[test]
fn an_interruption_keeps_what_is_answered() {
    let place = Place::new();
    place.write_json("model.json", &json!({"theta": vec![-0.02; 14], "horizon": 5000, "ends": "anywhere"}));
    let pair = |pair: usize| format!("{},{}\n", pair * 7919 % 20_000, pair * 104_729 % 20_000);
    place.write("pairs.csv", "from,to\n".to_string() + &(0..500_000).map(pair).collect::<String>());
    let problem = ROADS.problem.display();
    let line = format!("path {problem} model.json --pairs pairs.csv -o routes.jsonl --threads 1");
    let mut running = Running::start(&place, &line);
    let is_part = |name: &String| name.ends_with(".part") && place.files().get(name).is_some_and(|content| !content.is_empty());
    running.wait_for("part of an answer", || place.files().keys().any(is_part).then_some(()));
    let ran = running.signal("INT").ended(130);
    let stderr = ran.stderr;
    let answers = lines(&place.read("routes.jsonl"));
    assert!(stderr.contains("preparing the network of 20000 states"), "{stderr}");
    let said = format!("interrupted: {} of 500000 pairs are answered; these answers are in routes.jsonl", answers.len());
    assert!(stderr.contains(&said), "{stderr}");
    assert!((512..500_000).contains(&answers.len()) && answers.len().is_multiple_of(512), "{}", answers.len());
}
