//! `revealed policy`: a model as a policy, and what a stationary one would lose.

use serde_json::{Value, json};

use crate::helpers::chain::{self, PATHS, THETA};
use crate::helpers::{Place, close, keys, number, numbers};

const TRUTH: [f64; 3] = [0.2, 0.5, -0.3];

/// The chain with a true reward.
fn place(ends: &str) -> Place {
    let place = chain::place(ends, 3, false);
    let mut problem = chain::problem(false);
    problem["reward"] = json!({"true": TRUTH});
    place.write_json("chain.json", &problem);
    place
}

/// R(τ) by the weights θ.
fn paid(path: &chain::Path, theta: &[f64]) -> f64 {
    path.weight(theta).ln()
}

#[test]
fn the_gap_is_reported_on_both_rewards() {
    let place = place("anywhere");
    let found = place.run("policy chain.json model.json --json").json();
    let names = [
        "discount",
        "divergence",
        "ends",
        "gap",
        "horizon",
        "most_time_dependent",
        "optimal",
        "paths",
        "policy",
        "seconds",
        "stationary",
    ];
    assert_eq!(keys(&found), names);
    let mass = |path: &chain::Path| path.q(false, false) * path.weight(&THETA);
    let z: f64 = PATHS.iter().map(mass).sum();
    for (name, theta) in [("learned", &THETA), ("true", &TRUTH)] {
        let expected: f64 = PATHS.iter().map(|path| mass(path) / z * paid(path, theta)).sum();
        close(&[number(&found["paths"][name])], &[expected], 1e-12);
        let loss = number(&found["policy"][name]) - number(&found["stationary"][name]);
        close(&[number(&found["gap"][name])], &[loss], 1e-15);
    }
    let expected: f64 = PATHS.iter().map(|path| mass(path) / z * path.states.len() as f64).sum();
    close(&[number(&found["paths"]["mean_length"])], &[expected], 1e-12);
    assert!(number(&found["divergence"]) > 0.0);
    assert_eq!(found["most_time_dependent"][0][0], json!(0));

    let words = place.run("policy chain.json model.json").ended(0).stdout;
    for part in ["learned reward", "true reward", "stationary projection, executed", "nats per path", "in state 0"] {
        assert!(words.contains(part), "{part:?} is not in {words}");
    }
    // Without a true reward there is one column.
    place.write_json("chain.json", &chain::problem(false));
    let found = place.run("policy chain.json model.json --json").json();
    assert_eq!(keys(&found["policy"]), ["learned", "mean_length"]);
}

/// At t = 3 everything is over; at t = 2 the paths of the table say what is done.
#[test]
fn the_policy_of_one_time() {
    let place = place("anywhere");
    let found = place.run("policy chain.json model.json --t 2 --json").json();
    assert_eq!(keys(&found), ["ends", "horizon", "policy", "stop", "t", "undefined"]);
    let mass = |counts: &dyn Fn(&chain::Path) -> bool| -> f64 {
        PATHS.iter().filter(|path| counts(path)).map(|path| path.q(false, false) * path.weight(&THETA)).sum()
    };
    let in_0 = |path: &chain::Path| path.states.len() >= 2 && path.states[1] == 0;
    let goes_on = |path: &chain::Path| in_0(path) && path.states.len() > 2;
    let stop = mass(&|path| in_0(path) && path.states.len() == 2) / mass(&in_0);
    let by_0 = mass(&|path| goes_on(path) && path.actions[1] == 0) / mass(&goes_on);
    // From state 1 one goes on to 2, which pays γ² θ_0 · 1; state 2 is terminal.
    let in_1 = 1.0 / (1.0 + (0.25 * THETA[0]).exp());
    close(&numbers(&found["stop"]), &[stop, in_1, 1.0], 1e-12);
    let expected = [[0.0, 0.0, by_0], [0.0, 1.0, 1.0 - by_0], [1.0, 0.0, 1.0]];
    for (row, expected) in found["policy"].as_array().unwrap().iter().zip(expected) {
        close(&numbers(row), &expected, 1e-12);
    }
    assert_eq!((&found["undefined"], &found["t"]), (&json!([]), &json!(2)));
    let found = place.run("policy chain.json model.json --t 3 --to 1 --json").json();
    assert_eq!((&found["stop"], &found["undefined"]), (&json!([1.0, 1.0, 1.0]), &json!([0, 2])));
    let words = place.run("policy chain.json model.json --t 2 --to 1").ended(0).stdout;
    assert!(words.contains("state 2        stop 1.0000  (no path of the model is in this state at this time)"), "{words}");
    place.run("policy chain.json model.json --t 4").refused(&["t is 4", "1 and 3"]);
    place.run("policy chain.json model.json --t 0").refused(&["t is 0", "1 and 3"]);
}

#[test]
fn rollouts_agree_with_the_exact_values_and_are_seeded() {
    let place = place("terminal");
    let run = |options: &str| place.run(&format!("policy chain.json model.json --json --rollouts 5000 {options}")).json();
    let found = run("--seed 7");
    for policy in ["policy", "stationary", "optimal"] {
        for reward in ["learned", "true"] {
            let rolled = &found["rollouts"][policy][reward];
            let (mean, error) = (number(&rolled["mean"]), number(&rolled["standard_error"]));
            let exact = number(&found[policy][reward]);
            assert!((mean - exact).abs() <= 5.0 * error, "{policy} {reward}: {mean} ± {error}, exactly {exact}");
        }
    }
    assert_eq!((&found["rollouts"]["n"], &found["rollouts"]["seed"]), (&json!(5000), &json!(7)));
    assert_eq!(found["rollouts"], run("--seed 7 --threads 1")["rollouts"]);
    assert_ne!(found["rollouts"], run("--seed 8")["rollouts"]);
    let words = place.run("policy chain.json model.json --rollouts 100").ended(0).stdout;
    assert!(words.contains("by 100 episodes") && words.contains('±'), "{words}");
    place.run("policy chain.json model.json --rollouts 1").refused(&["--rollouts 1", "at least 2"]);
    place.run("policy chain.json model.json --discount 2").refused(&["--discount 2", "between 0 and 1"]);
}

/// Every field of the file has the name and the shape that `plan --temperature -o` gives it.
#[test]
fn the_projection_is_written_as_plan_writes_policies() {
    let place = place("anywhere");
    place.run("plan chain.json --temperature 1 -o plan.json").ended(0);
    place.run("policy chain.json model.json -o policy.json --json").json();
    let (plan, policy) = (place.read_json("plan.json"), place.read_json("policy.json"));
    for field in ["values", "policy", "discount", "at_terminal", "paid"] {
        assert!(plan.get(field).is_some() && policy.get(field).is_some(), "{field}");
    }
    assert_eq!((&plan["paid"], &plan["at_terminal"]), (&policy["paid"], &policy["at_terminal"]));
    let rows = policy["policy"].as_array().unwrap();
    assert_eq!(rows.len(), plan["policy"].as_array().unwrap().len());
    assert_eq!((&rows[2], &plan["policy"][2]), (&Value::Null, &Value::Null));
    // Action 0 of state 0 among all that is done there; state 1 offers one action.
    let mass = |path: &chain::Path| path.q(false, false) * path.weight(&THETA);
    let times = |path: &chain::Path, action: usize| {
        let taken = path.states.iter().zip(path.actions).filter(|&(&state, &taken)| state == 0 && taken == action);
        taken.count() as f64
    };
    let [by_0, by_1] = [0, 1].map(|action| PATHS.iter().map(|path| mass(path) * times(path, action)).sum::<f64>());
    close(&numbers(&rows[0]), &[by_0 / (by_0 + by_1), by_1 / (by_0 + by_1)], 1e-12);
    close(&numbers(&rows[1]), &[1.0, 0.0], 1e-12);
    let ends_in = |state: usize| move |path: &&chain::Path| path.states.len() < 3 && path.states.last() == Some(&state);
    let stops: f64 = PATHS.iter().filter(ends_in(0)).map(mass).sum();
    close(&[number(&policy["stop"][0])], &[stops / (stops + by_0 + by_1)], 1e-12);
    // The value of the start is the mean of the values.
    let values = numbers(&policy["values"]);
    let found = place.run("policy chain.json model.json --json").json();
    close(&[0.75 * values[0] + 0.25 * values[1]], &[number(&found["stationary"]["learned"])], 1e-12);
    place.run("policy chain.json model.json -o chain.json").refused(&["chain.json", "would be overwritten"]);
    place.run("policy chain.json model.json -o no/such/place.json").refused(&["no/such"]);
    place.run("policy chain.json model.json -o new.json --t 1").ended(2);
}

#[test]
fn without_an_end_and_a_discount_there_is_no_optimal_policy() {
    let place = Place::new();
    let problem = json!({
        "n_states": 2, "n_actions": 1, "n_features": 1, "start": {"state": [0], "p": [1.0]}, "terminal": [],
        "transitions": {"from": [0, 1], "action": [0, 0], "to": [1, 0], "p": [1.0, 1.0]},
        "features": {"state": {"state": [0, 1], "feature": [0, 0], "value": [1.0, 1.0]}},
    });
    place.write_json("ring.json", &problem);
    place.write_json("model.json", &json!({"theta": [-0.5], "horizon": 4, "ends": "horizon"}));
    let found = place.run("policy ring.json model.json --json").json();
    assert_eq!((&found["optimal"], number(&found["policy"]["learned"])), (&Value::Null, -2.0));
    assert!(found["no_optimal_because"].as_str().unwrap().contains("discount below 1"), "{found}");
    // One action, and every path goes on to the horizon.
    assert_eq!((number(&found["divergence"]), &found["most_time_dependent"]), (0.0, &json!([])));
    let words = place.run("policy ring.json model.json").ended(0).stdout;
    assert!(words.contains("a stationary policy loses nothing") && words.contains("none: no terminal state"), "{words}");
    let found = place.run("policy ring.json model.json --discount 0.5 --json").json();
    close(&[number(&found["optimal"]["learned"])], &[-0.5 * (1.0 + 0.5 + 0.25 + 0.125)], 1e-12);
}
