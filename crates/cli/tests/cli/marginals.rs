//! `revealed marginals`: where the paths of a small chain are.

use serde_json::{Value, json};

use crate::helpers::chain::{self, THETA};
use crate::helpers::{close, keys, numbers};

#[test]
fn marginals_are_the_sums_over_paths() {
    let place = chain::place("anywhere", 3, false);
    for ends in ["anywhere", "horizon", "terminal"] {
        place.write_model("model.json", &THETA, 3, ends);
        let counts = |path: &chain::Path| chain::may_end(path, ends, 3);
        let mut sum = vec![0.0; 3];
        for t in 1..=3 {
            let found = place.run(&format!("marginals chain.json model.json --t {t} --json")).json();
            assert_eq!(keys(&found), ["ends", "horizon", "state", "t"]);
            assert_eq!(found["t"], json!(t));
            let expected = chain::marginal(t, counts);
            close(&numbers(&found["state"]), &expected, 1e-14);
            sum.iter_mut().zip(&expected).for_each(|(sum, p)| *sum += chain::DISCOUNT.powi(t as i32 - 1) * p);
        }
        let found = place.run("marginals chain.json model.json --json").json();
        close(&numbers(&found["state"]), &sum, 1e-14);
        assert_eq!(found["t"], Value::Null);
    }
}

/// Rows without their last number, and the last numbers.
fn rows_of(found: &Value) -> (Vec<Vec<u64>>, Vec<f64>) {
    let row = |row: &Value| {
        let cells = row.as_array().unwrap();
        let (p, place) = cells.split_last().unwrap();
        (place.iter().map(|cell| cell.as_u64().unwrap()).collect(), p.as_f64().unwrap())
    };
    found.as_array().unwrap().iter().map(row).unzip()
}

#[test]
fn marginals_of_actions_and_transitions_are_the_sums_over_paths() {
    let place = chain::place("anywhere", 3, false);
    let places: [&[&[u64]]; 2] = [&[&[0, 0], &[0, 1], &[1, 0]], &[&[0, 0, 1], &[0, 1, 0], &[0, 1, 2], &[1, 0, 2]]];
    for ends in ["anywhere", "horizon", "terminal"] {
        place.write_model("model.json", &THETA, 3, ends);
        for (kind, field, places) in [("state-action", "state_action", places[0]), ("transition", "transition", places[1])] {
            let ask = |t: &str| place.run(&format!("marginals chain.json model.json {t} --of {kind} --json")).json();
            let mut sum = vec![0.0; places.len()];
            for t in 1..=3 {
                let found = ask(&format!("--t {t}"));
                let mut fields = ["ends", "horizon", field, "t"];
                fields.sort_unstable();
                assert_eq!(keys(&found), fields);
                let (rows, p) = rows_of(&found[field]);
                assert_eq!(rows, places);
                let counts = |path: &chain::Path| chain::may_end(path, ends, 3);
                let expected: Vec<f64> = places.iter().map(|place| chain::marginal_step(t, place, counts)).collect();
                close(&p, &expected, 1e-14);
                sum.iter_mut().zip(&expected).for_each(|(sum, p)| *sum += chain::DISCOUNT.powi(t as i32 - 1) * p);
            }
            close(&rows_of(&ask("")[field]).1, &sum, 1e-14);
        }
    }
}

#[test]
fn marginals_of_actions_as_text_are_a_table() {
    let place = chain::place("anywhere", 3, false);
    let ran = place.run("marginals chain.json model.json --t 1 --of state-action").ended(0);
    let expected = chain::marginal_step(1, &[0, 1], |_| true);
    assert!(ran.stdout.contains(&format!("state 0        action 1    {expected:.8}")), "{ran:#?}");
    let ran = place.run("marginals chain.json model.json --t 1 --of transition").ended(0);
    let expected = chain::marginal_step(1, &[0, 1, 2], |_| true);
    assert!(ran.stdout.contains(&format!("state 0        action 1    to 2        {expected:.8}")), "{ran:#?}");
    let ran = place.run("marginals chain.json model.json --of choice").ended(2);
    assert!(["choice", "state-action", "transition"].iter().all(|word| ran.stderr.contains(word)), "{ran:#?}");
}

#[test]
fn marginals_of_a_goal_model_need_the_goal() {
    let place = chain::place("goal", 3, false);
    place.run("marginals chain.json model.json").refused(&["ends = goal", "--to"]);
    let found = place.run("marginals chain.json model.json --goal 1 --t 2 --json").json();
    close(&numbers(&found["state"]), &chain::marginal_given_first(2, |path| path.states.last() == Some(&1)), 1e-14);
    place.run("marginals chain.json model.json --goal 3").refused(&["--to 3", "3 states", "0 to 2"]);
    place.run("marginals chain.json model.json --goal 1 --t 4").refused(&["t is 4", "1 and 3"]);
    place.run("marginals chain.json model.json --goal 1 --t 0").refused(&["t is 0", "1 and 3"]);
}

#[test]
fn marginals_as_text_are_a_table_or_a_grid() {
    let place = chain::place("anywhere", 3, false);
    let ran = place.run("marginals chain.json model.json --t 1").ended(0);
    let expected = chain::marginal(1, |_| true);
    assert!(ran.stdout.contains(&format!("state 0        {:.8}", expected[0])), "{ran:#?}");

    let mut problem = chain::problem(false);
    problem["layout"] = json!({"grid": [1, 3]});
    place.write_json("chain.json", &problem);
    let ran = place.run("marginals chain.json model.json --t 1").ended(0);
    let last = ran.stdout.lines().last().unwrap();
    let drawn: Vec<&str> = last.split_whitespace().collect();
    assert_eq!(drawn, expected.iter().map(|p| format!("{p:.2}")).collect::<Vec<_>>(), "{ran:#?}");
}
