//! `counterfactual`: against the closed forms of a logit, and what is refused.

use serde_json::{Value, json};

use crate::helpers::{Place, close, numbers};

/// Two roads from 0 to 3: over 1 (10 minutes, 4 euros) or over 2 (20 minutes, 1 euro); 30 take the first, 10 the second.
fn place() -> Place {
    let place = Place::new();
    place.write_json("roads.json", &roads(4.0));
    place.write(
        "trips.jsonl",
        "{\"states\": [0, 1, 3], \"actions\": [0, 0], \"weight\": 30}\n{\"states\": [0, 2, 3], \"actions\": [1, 0], \"weight\": 10}\n",
    );
    // Only one direction of θ is identified: the price is known.
    place.write("bounds.json", "[[null, null], [-0.5, -0.5]]");
    place.run("learn roads.json trips.jsonl -o model.json --ends terminal --bounds bounds.json --summary").ended(0);
    place
}

fn roads(price: f64) -> Value {
    json!({
        "format": "revealed-problem/1", "n_states": 4, "n_actions": 2, "n_features": 2,
        "start": {"state": [0], "p": [1.0]}, "terminal": [3],
        "transitions": {"from": [0, 0, 1, 2], "action": [0, 1, 0, 0], "to": [1, 2, 3, 3], "p": [1.0, 1.0, 1.0, 1.0]},
        "features": {
            "names": ["time", "price"],
            "state": {"state": [1, 2, 1, 2], "feature": [0, 0, 1, 1], "value": [10.0, 20.0, price, 1.0]},
        },
    })
}

/// The share of the first road, and its standard error, if its price is 4 + toll: log odds = -10 θ - 0.5 (3 + toll).
fn share(toll: f64) -> (f64, f64) {
    let time = -(3f64.ln() + 1.5) / 10.0;
    let p = 1.0 / (1.0 + (10.0 * time + 0.5 * (3.0 + toll)).exp());
    // The variance of the log odds, 10 θ, is 1/30 + 1/10.
    (p, p * (1.0 - p) * (1.0f64 / 30.0 + 0.1).sqrt())
}

fn of<'a>(answer: &'a Value, outcome: &str) -> &'a Value {
    let rows = answer["outcomes"].as_array().unwrap();
    rows.iter().find(|row| row["outcome"] == outcome).unwrap_or_else(|| panic!("{outcome} is not in {answer:#}"))
}

fn measured(row: &Value) -> [f64; 4] {
    let number = |value: &Value| value.as_f64().unwrap();
    let interval = numbers(&row["interval"]);
    [number(&row["value"]), number(&row["standard_error"]), interval[0], interval[1]]
}

#[test]
fn a_toll_has_the_closed_form_of_a_logit() {
    let place = place();
    place.write_json("toll.json", &json!({"change_feature": [{"feature": "price", "add": 2, "states": [1]}]}));
    place.write_json("dear.json", &roads(6.0));
    place.write_json("utility.json", &json!({"add_reward": [{"reward": -1.0, "states": [1]}]}));
    let ((before, error_before), (after, error_after)) = (share(0.0), share(2.0));
    for how in ["--scenario toll.json", "--world dear.json", "--scenario utility.json"] {
        let answer = place.run(&format!("counterfactual roads.json model.json {how} --outcome visits:1 --json")).json();
        let row = of(&answer, "visits:1");
        close(&measured(&row["base"])[..2], &[before, error_before], 1e-6);
        let [value, error, low, high] = measured(&row["scenario"]);
        close(&[value, error], &[after, error_after], 1e-6);
        close(&[low, high], &[value - 1.959963984540054 * error, value + 1.959963984540054 * error], 1e-12);
        close(&measured(&row["difference"])[..2], &[after - before, (error_after - error_before).abs()], 1e-6);
        assert_eq!(numbers(&answer["scenario_visits"]).len(), 4);
        assert!(
            answer["notes"][0].as_str().unwrap().starts_with("at a bound or without an optimum, and taken as known: price")
        );
    }
}

#[test]
fn a_closed_road_sends_everybody_over_the_other() {
    let place = place();
    let line = "counterfactual roads.json model.json --close 1 --outcome visits:2 --outcome logsum --outcome surplus:price";
    let answer = place.run(&format!("{line} --travellers 1000 --level 0.9 --json")).json();
    close(&measured(&of(&answer, "visits:2")["scenario"]), &[1000.0, 0.0, 1000.0, 1000.0], 1e-9);
    let p = share(0.0).0;
    close(&measured(&of(&answer, "logsum")["difference"])[..1], &[(1.0 - p).ln()], 1e-6);
    // One euro costs half a unit of utility.
    close(&measured(&of(&answer, "surplus:price")["difference"])[..1], &[2.0 * (1.0 - p).ln()], 1e-6);
    let printed = place.run(line).ended(0).stdout;
    for words in ["difference", "std. err.", "[95 % interval]", "visits:1", "note: at a bound"] {
        assert!(printed.contains(words), "{words:?} is not in\n{printed}");
    }
    assert!(printed.lines().all(|line| !line.ends_with(' ')), "{printed}");
}

#[test]
fn elasticities_and_ratios_are_those_of_a_logit() {
    let place = place();
    let line = "counterfactual roads.json model.json --elasticity price --outcome visits:1 --ratio time/price --json";
    let answer = place.run(line).json();
    // 1 % more of the price changes the log odds by -0.5 · 3 · 1 %.
    let p = share(0.0).0;
    close(&measured(&answer["elasticities"][0]["elasticity"])[..1], &[-1.5 * (1.0 - p)], 1e-6);
    let ratio = &answer["ratios"][0];
    let (time, error) = (-(3f64.ln() + 1.5) / 10.0, (1.0f64 / 30.0 + 0.1).sqrt() / 10.0);
    let [value, found, low, high] = measured(&ratio["ratio"]);
    close(&[value, found], &[time / -0.5, error / 0.5], 1e-6);
    // The price is known, so both intervals are the same.
    assert_eq!(ratio["fieller"], "between");
    close(&numbers(&ratio["fieller_ends"]), &[low, high], 1e-9);
    assert_eq!(answer["outcomes"], json!([]));
}

#[test]
fn trips_with_weights_are_the_demand() {
    let place = place();
    place.write("pairs.csv", "from,to,weight\n0,3,2\n1,3,6\n");
    let answer = place.run("counterfactual roads.json model.json --close 2 --pairs pairs.csv --outcome visits:1 --json").json();
    let row = of(&answer, "visits:1");
    close(&measured(&row["base"])[..1], &[6.0 + 2.0 * share(0.0).0], 1e-6);
    close(&measured(&row["scenario"])[..1], &[8.0], 1e-9);
    place.write("bad.csv", "from,to,weight\n0,3,-2\n");
    place.refuses(
        "counterfactual roads.json model.json --close 2 --pairs bad.csv",
        &["bad.csv: line 2: weight is \"-2\": it must be a finite number, 0 or more"],
    );
}

#[test]
fn a_chart_shows_both_worlds() {
    let place = place();
    let line = "counterfactual roads.json model.json --close 1 --map";
    let printed = place.run(&format!("{line} chart.svg")).ended(0).stdout;
    assert!(printed.ends_with("drawn in chart.svg\n"), "{printed}");
    let chart = place.read("chart.svg");
    assert!([">base<", ">scenario<", ">visits per path<"].iter().all(|words| chart.contains(words)), "{chart}");
    place.run(&format!("{line} chart.png")).ended(0);
    assert!(place.files()["chart.png"].starts_with(b"\x89PNG"));
    place.refuses(&format!("{line} chart.pdf"), &["chart.pdf: a map is an .svg or .png file"]);
    place.refuses(&format!("{line} model.json"), &["model.json: it is also an input and would be overwritten"]);
    place.refuses(
        "counterfactual roads.json model.json --ratio 0/1 --map c.svg",
        &["--map draws how visits change: give a scenario"],
    );
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let place = place();
    place.run("learn roads.json trips.jsonl -o plain.json --ends terminal --bounds bounds.json").ended(0);
    place.write("typo.json", "{\"closed\": [1]}");
    place.write("nowhere.json", "{\"add_reward\": [{\"reward\": -1}]}");
    place.write("both.json", "{\"change_feature\": [{\"feature\": \"price\", \"add\": 1, \"factor\": 2, \"states\": [1]}]}");
    place.write("other.json", "{\"format\": \"revealed-scenario/2\"}");
    for (line, words) in [
        (
            "plain.json --close 1",
            "plain.json: the model has no standard errors, and intervals need them: learn again with --summary",
        ),
        ("model.json", "there is nothing to compare: give a scenario, another world, a ratio or an elasticity"),
        ("model.json --close 9", "--close 9: there are 4 states, give one of 0 to 3"),
        (
            "model.json --close 1,2",
            "no path is left from state 0 to where they may end: keep one open, learn with a horizon above 3",
        ),
        ("model.json --close 1 --outcome speed", "\"speed\" is not an outcome: it must be length, length-variance"),
        ("model.json --ratio time", "\"time\" is not a ratio of two weights: give it as time/price"),
        ("model.json --elasticity tim", "there is no feature \"tim\": give a name, or a number from 0 to 1 (time, price)"),
        ("model.json --close 1 --travellers 0", "travellers is 0: it must be a finite number above 0"),
        (
            "model.json --scenario typo.json",
            "typo.json: line 1 column 9: unknown field `closed`, expected one of `format`, `close`",
        ),
        ("model.json --scenario nowhere.json", "add_reward row 0 is without a place: it must be an object with states"),
        (
            "model.json --scenario both.json",
            "change_feature row 0 is not one change: it must be an object with either factor or add",
        ),
        (
            "model.json --scenario other.json",
            "other.json: format is \"revealed-scenario/2\": this program reads \"revealed-scenario/1\"",
        ),
    ] {
        place.refuses(&format!("counterfactual roads.json {line}"), &[words]);
    }
}

#[test]
fn a_model_of_an_older_version_works_if_every_parameter_is_estimated() {
    let place = place();
    let mut model = place.read_json("model.json");
    model["summary"].as_object_mut().unwrap().remove("full_covariance");
    place.write_json("old.json", &model);
    place.refuses(
        "counterfactual roads.json old.json --close 1",
        &["written by an older version, without the whole covariance"],
    );
    place.write_json(
        "one.json",
        &json!({
            "format": "revealed-problem/1", "n_states": 4, "n_actions": 2, "n_features": 1,
            "start": {"state": [0], "p": [1.0]}, "terminal": [3],
            "transitions": {"from": [0, 0, 1, 2], "action": [0, 1, 0, 0], "to": [1, 2, 3, 3], "p": [1.0, 1.0, 1.0, 1.0]},
            "features": {"state": {"state": [1], "feature": [0], "value": [1.0]}},
        }),
    );
    place.run("learn one.json trips.jsonl -o model.json --ends terminal --summary").ended(0);
    let line = "counterfactual one.json model.json --close 1 --json";
    let new = place.run(line).json();
    let mut model = place.read_json("model.json");
    model["summary"].as_object_mut().unwrap().remove("full_covariance");
    place.write_json("model.json", &model);
    assert_eq!(place.run(line).json(), new);
    let mut robust = place.run(&format!("{line} --robust")).json();
    assert_eq!(robust["robust"].take(), json!(true));
}
