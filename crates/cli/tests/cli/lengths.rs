//! `lengths`: numbers worked out by hand, the engine's own, and what is refused.

use revealed::{Given, PathModel, Work};
use revealed_formats::Problem;
use serde_json::{Value, json};

use crate::helpers::{close, fixtures, keys, numbers};

fn rows(found: &Value) -> Vec<Vec<f64>> {
    found["length"].as_array().unwrap().iter().map(numbers).collect()
}

/// With theta 0, 5/2 leads from state 0 to an end in one step and 1/2 back: 5/2 of two states, 5/4 of three.
#[test]
fn numbers_worked_out_by_hand() {
    let place = fixtures::fork_with_models(&[0.0; 3], 3);
    let found = place.run("lengths problem.json terminal.json --json").json();
    assert_eq!(keys(&found), ["ends", "horizon", "length", "mean", "median", "standard_deviation"]);
    close(&rows(&found).concat(), &[2.0, 2.0 / 3.0, 3.0, 1.0 / 3.0], 1e-14);
    close(&[found["mean"].as_f64().unwrap()], &[7.0 / 3.0], 1e-14);
    close(&[found["standard_deviation"].as_f64().unwrap()], &[2f64.sqrt() / 3.0], 1e-14);
    assert_eq!((&found["median"], &found["horizon"]), (&json!(2), &json!(3)));
    let after = place.run("lengths problem.json anywhere.json --prefix 0,2,0 --json").json();
    // Ending at once has weight 1, going on 1 + 1 + 1/4 + 1/4 + 1/2.
    close(&rows(&after).concat(), &[2.0, 0.25, 3.0, 0.75], 1e-14);
    close(&[after["expected_remaining"].as_f64().unwrap(), after["mean"].as_f64().unwrap()], &[0.75, 2.75], 1e-14);
    assert_eq!(after["prefix_length"], 2);
    // From a state to itself: 1 for staying, 1/2 and 1/4 for going round.
    let round = place.run("lengths problem.json goal.json --from 0 --to 0 --json").json();
    close(&rows(&round).concat(), &[1.0, 4.0 / 7.0, 2.0, 2.0 / 7.0, 3.0, 1.0 / 7.0], 1e-14);
    place.write("from.json", "[1, 1, 0]");
    let mixed = place.run("lengths problem.json terminal.json --from from.json --to 1 --json").json();
    // From state 1 the path is over; from state 0 it has weight 5/4 of two states and 5/8 of three.
    close(&rows(&mixed).concat(), &[1.0, 8.0 / 23.0, 2.0, 10.0 / 23.0, 3.0, 5.0 / 23.0], 1e-14);
}

#[test]
fn the_engine_says_the_same() {
    let place = fixtures::lake_place("");
    let theta: Vec<f64> = (0..16).map(|state| 0.1 * f64::from(state) - 1.0).collect();
    place.write_json("model.json", &json!({"theta": theta, "horizon": 60, "ends": "anywhere"}));
    let problem = Problem::load(place.path("lake.json")).unwrap();
    let reward = problem.features.reward(&problem.mdp, &theta).unwrap();
    for (option, to) in [("", None), ("--to 15", Some(15))] {
        let found = place.run(&format!("lengths lake.json model.json {option} --json")).json();
        let model = PathModel::new(&problem.mdp, reward.clone(), 60, revealed::Ends::Anywhere).unwrap();
        let mut paths = model.distribution(&Given::default().to(to), &Work::default()).unwrap();
        let expected = paths.length_distribution().unwrap();
        let expected: Vec<f64> = expected.into_iter().filter(|&p| p > 0.0).collect();
        let found: Vec<f64> = rows(&found).iter().map(|row| row[1]).collect();
        close(&found, &expected, 1e-12);
    }
    let ran = place.run("lengths lake.json model.json --from 0 --to 15").ended(0);
    assert!(ran.stdout.starts_with("paths from 0 to 15 (horizon 60, ends anywhere)\nmean "), "{ran:#?}");
    assert!(ran.stdout.contains("90 % between ") && ran.stdout.contains("####"), "{ran:#?}");
    assert!(ran.stdout.lines().count() <= 25 && ran.stdout.lines().all(|line| line.len() < 80), "{ran:#?}");
    // Many lengths share a bar, and none goes beyond the horizon.
    place.write_json("flat.json", &json!({"theta": vec![-1.2; 16], "horizon": 60, "ends": "anywhere"}));
    let words = place.run("lengths lake.json flat.json --from 0 --to 15").ended(0).stdout;
    let last = words.lines().last().unwrap().split_whitespace().take(3).collect::<Vec<_>>();
    assert!(words.lines().count() <= 24 && last[1..] == ["to", "60"], "{words}");
    let ran = place.run("lengths lake.json model.json --prefix 4,1,8 --ends terminal --horizon 9").ended(0);
    assert!(ran.stdout.contains(" states still to come after 2\n") && ran.stdout.contains("ends terminal"), "{ran:#?}");
    assert!(ran.stderr.starts_with("note: no path of the problem begins in state 4"), "{ran:#?}");
}

#[test]
fn lengths_refuses_bad_input() {
    let place = fixtures::fork_with_models(&[0.0; 3], 3);
    place.refuses("lengths problem.json goal.json", &["ends = goal", "give the state where paths end"]);
    place.refuses("lengths problem.json terminal.json --to 0", &["no path of this model ends in state 0"]);
    place
        .refuses("lengths problem.json goal.json --from 1 --to 2", &["no path from state 1 to state 2 exists within 3 states"]);
    place.refuses(
        "lengths problem.json terminal.json --horizon 1",
        &["no path from state 0 to a terminal state", "within 1 states"],
    );
    place.refuses("lengths problem.json terminal.json --from 3", &["--from 3", "0 to 2"]);
    place.refuses("lengths problem.json terminal.json --from nothing.json", &["--from nothing.json", "neither a state"]);
    place.refuses("lengths problem.json terminal.json --to 3", &["--to 3: there are 3 states, give one of 0 to 2"]);
    place.refuses("lengths problem.json terminal.json --prefix 0,2", &["has 2 numbers"]);
    let stuck = "lengths problem.json terminal.json --prefix 0,2,0,2,0";
    place.refuses(stuck, &["begins with this prefix of 3 states and leads to a terminal state"]);
    place.run("lengths problem.json terminal.json --from 0 --prefix 0").ended(2);
}
