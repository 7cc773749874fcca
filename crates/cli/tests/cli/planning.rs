//! `plan`, `rollouts` and `evaluate`: numbers worked out by hand, the library's own, and what is refused.

use revealed::worlds::{FROZEN_LAKE_4X4, frozen_lake};
use revealed::{Planning, Policy};
use revealed_formats::{Problem, demonstrations};
use serde_json::{Value, json};

use crate::helpers::{Place, close, fixtures, keys, numbers};

/// The fork with a true reward: 1 in state 1, 1/2 for action 2, 1/2 for the way back.
fn fork_place() -> Place {
    let place = Place::new();
    let mut problem = fixtures::fork();
    problem["reward"] = json!({"true": [1.0, 0.5, 0.5]});
    place.write_json("problem.json", &problem);
    place.write("demos.jsonl", fixtures::fork_demos());
    place
}

/// FrozenLake as `lake.json`, and a model with this θ as `model.json`.
fn lake(theta: &[f64]) -> Place {
    let place = fixtures::lake_place("--discount 0.99");
    place.write_model("model.json", theta, 100, "anywhere");
    place
}

fn goal(reward: f64) -> Vec<f64> {
    (0..16).map(|state| if state == 15 { reward } else { 0.0 }).collect()
}

/// What stays for ever pays 1 a step; the way out pays nothing.
fn tempting(terminal: bool) -> Value {
    json!({
        "n_states": 2, "n_actions": 2, "n_features": 1,
        "start": {"state": [0], "p": [1.0]},
        "terminal": if terminal { vec![1] } else { vec![] },
        "transitions": {"from": [0, 0, 1], "action": [0, 1, 0], "to": [0, 1, 1], "p": [1.0, 1.0, 1.0]},
        "features": {"state": {"state": [0], "feature": [0], "value": [1.0]}},
        "reward": {"true": [1.0]},
    })
}

#[test]
fn plan_has_the_values_worked_out_by_hand() {
    let place = fork_place();
    for (options, values, action) in [
        ("--discount 0.5", [7.0 / 6.0, 1.0, 0.0], 2),
        ("--discount 0.5 --paid on-arrival", [4.0 / 3.0, 0.0, 0.0], 2),
        ("--discount 0.5 --at-terminal keeps-paying", [4.0 / 3.0, 2.0, 0.0], 2),
        ("--discount 0.5 --at-terminal keeps-paying --paid on-arrival", [2.0, 2.0, 0.0], 0),
        ("--discount 0", [0.75, 1.0, 0.0], 2),
        ("", [2.0, 1.0, 0.0], 2),
    ] {
        let found = place.run(&format!("plan problem.json --json {options}")).json();
        let fields = [
            "at_terminal",
            "converged",
            "discount",
            "error_bound",
            "iterations",
            "paid",
            "policy",
            "policy_loss",
            "seconds",
            "values",
        ];
        assert_eq!(keys(&found), fields);
        close(&numbers(&found["values"]), &values, 1e-9);
        assert_eq!(found["policy"], json!([action, null, null]), "{options}");
        let discount = found["discount"].as_f64().unwrap();
        assert_eq!(
            discount,
            if options.contains("--discount 0.5") {
                0.5
            } else if options.is_empty() {
                1.0
            } else {
                0.0
            }
        );
        assert_eq!(found["error_bound"].as_f64().is_some_and(|bound| bound < 1e-9), discount < 1.0);
        assert_eq!(found["converged"], json!(true));
        let named = |option: &str, other: &str| if options.contains(option) { option.to_string() } else { other.to_string() };
        assert_eq!(found["at_terminal"], json!(named("keeps-paying", "ends")));
        assert_eq!(found["paid"], json!(named("on-arrival", "in-state")));
    }
}

#[test]
fn plan_with_a_temperature_has_probabilities() {
    let place = fork_place();
    let found = place.run("plan problem.json --discount 0.5 --temperature 0.25 --json").json();
    let weights = [0.5, 0.0, 7.0 / 6.0].map(|q: f64| (q / 0.25).exp());
    let sum: f64 = weights.iter().sum();
    close(&numbers(&found["policy"][0]), &weights.map(|weight| weight / sum), 1e-9);
    assert_eq!((&found["policy"][1], &found["temperature"]), (&Value::Null, &json!(0.25)));
    // The values stay those of the optimal policy.
    close(&numbers(&found["values"]), &[7.0 / 6.0, 1.0, 0.0], 1e-9);
}

#[test]
fn plan_takes_the_reward_of_a_model() {
    let place = fork_place();
    place.write_json("model.json", &json!({"theta": [-1.0, -2.0, 0.0], "horizon": 3, "ends": "anywhere"}));
    let found = place.run("plan problem.json --model model.json --discount 0.5 --json").json();
    close(&numbers(&found["values"]), &[0.0, -1.0, 0.0], 1e-9);
    assert_eq!(found["policy"], json!([1, null, null]));
    place.write_json("problem.json", &fixtures::fork());
    assert_eq!(place.run("plan problem.json --model model.json --discount 0.5 --json").json()["values"], found["values"]);
}

#[test]
fn plan_writes_what_it_prints_and_draws_grids() {
    let place = lake(&goal(1.0));
    let mut printed = place.run("plan lake.json --paid on-arrival -o policy.json --threads 2 --json").json();
    assert_eq!(place.read_json("policy.json"), printed);
    close(&[numbers(&printed["values"])[0]], &[0.542_025_932_000_472_6], 1e-9);
    let again = place.run("plan lake.json --paid on-arrival --threads 1 --json").json();
    printed["seconds"] = again["seconds"].clone();
    assert_eq!(printed, again);
    let words = place.run("plan lake.json --paid on-arrival -o policy.json").ended(0).stdout;
    for part in ["discount        0.99", "    0.54     0.50", "  0  3  3  3\n  0  -  0  -\n", "written to policy.json"] {
        assert!(words.contains(part), "{part:?} is not in {words}");
    }
    let fork = fork_place().run("plan problem.json").ended(0).stdout;
    assert!(fork.contains("0           2.00000000        2\n") && fork.contains("none with discount 1"), "{fork}");
}

#[test]
fn plan_refuses_what_it_cannot_do() {
    let place = fork_place();
    for (options, words) in [
        ("--discount 1.5", ["--discount 1.5", "between 0 and 1"]),
        ("--discount -0.5", ["--discount -0.5", "between 0 and 1"]),
        ("--discount NaN", ["--discount NaN", "between 0 and 1"]),
        ("--temperature 0", ["--temperature 0", "above 0"]),
        ("--temperature -1", ["--temperature -1", "above 0"]),
        ("--temperature inf", ["--temperature inf", "finite number"]),
        ("--threads 0", ["threads", "0"]),
        ("-o problem.json", ["problem.json", "write the policy elsewhere"]),
        ("-o missing/policy.json", ["missing/policy.json", "directory"]),
        ("--model missing.json", ["missing.json", "No such file"]),
        ("--at-terminal keeps-paying", ["terminal state 1 keeps paying 1", "give a discount below 1"]),
    ] {
        place.refuses(&format!("plan problem.json {options}"), &words);
    }
    place.refuses("plan missing.json", &["missing.json"]);
    place.run("plan problem.json --paid never").ended(2);
    place.write_json("problem.json", &fixtures::fork());
    place.refuses("plan problem.json", &["problem.json", "no true reward", "--model"]);
    place.refuses("rollouts problem.json -o new.jsonl", &["problem.json", "no true reward", "--model"]);
}

/// No hang without a discount: neither where nothing ends, nor where one who stays gains for ever.
#[test]
fn without_a_discount_episodes_must_end() {
    let place = Place::new();
    place.write_json("never.json", &tempting(false));
    place.write_json("tempting.json", &tempting(true));
    place.write_json("model.json", &json!({"theta": [2.0], "horizon": 3, "ends": "anywhere"}));
    for (file, words) in [("never.json", "no terminal state can be reached"), ("tempting.json", "episodes may last for ever")] {
        for line in ["plan FILE", "rollouts FILE -o new.jsonl", "evaluate FILE model.json"] {
            place.refuses(&line.replace("FILE", file), &[words, "give a discount below 1"]);
        }
        let found = place.run(&format!("plan {file} --discount 0.5 --json")).json();
        close(&numbers(&found["values"]), &[2.0, 0.0], 1e-9);
    }
}

/// A reference policy that never takes the way on by action 0.
#[test]
fn rollouts_may_follow_the_reference_policy() {
    let place = fork_place();
    let mut problem = fixtures::fork();
    problem["reference"] = json!({"state": [0, 0, 0], "action": [0, 1, 2], "p": [0.0, 1.0, 0.0]});
    place.write_json("problem.json", &problem);
    let found = place.run("rollouts problem.json -n 9 -o new.jsonl --policy reference --json").json();
    assert_eq!((&found["policy"], &found["n_ended"]), (&json!("reference"), &json!(9)));
    let episodes = demonstrations::load(place.path("new.jsonl")).unwrap();
    assert!(episodes.iter().all(|episode| episode.states == [0, 2]), "{episodes:?}");
}

#[test]
fn rollouts_are_those_of_the_library() {
    let place = lake(&goal(1.0));
    let world = frozen_lake(&FROZEN_LAKE_4X4, true).unwrap().with_discount(0.99).unwrap();
    let reward = world.features.reward(&world.mdp, &world.theta).unwrap();
    let planning = Planning { discount: Some(0.9), ..Planning::default() };
    let plan = planning.solve(&world.mdp, &reward).unwrap();
    let q = planning.action_values(&world.mdp, &reward, &plan.values).unwrap();
    for (options, policy) in [
        ("--discount 0.9", plan.policy),
        (
            "--discount 0.9 --model model.json --policy boltzmann --temperature 0.1",
            Policy::boltzmann(&world.mdp, &q, 0.1).unwrap(),
        ),
        ("--policy uniform", Policy::uniform(&world.mdp)),
    ] {
        let expected = revealed::rollouts(&world.mdp, &policy, 30, 20, 5).unwrap();
        for file in ["new.jsonl", "new.npz"] {
            let found = place.run(&format!("rollouts lake.json -n 30 --seed 5 --longest 20 -o {file} --json {options}")).json();
            assert_eq!(demonstrations::load(place.path(file)).unwrap(), expected, "{options}");
            let ended = expected.iter().filter(|path| world.mdp.is_terminal(*path.states.last().unwrap())).count();
            let lengths: usize = expected.iter().map(|path| path.states.len()).sum();
            assert_eq!((&found["n"], &found["n_ended"], &found["seed"]), (&json!(30), &json!(ended), &json!(5)));
            close(&[found["mean_length"].as_f64().unwrap()], &[lengths as f64 / 30.0], 1e-12);
            assert!(ended > 0 && ended < 30, "{options}: {ended}");
        }
    }
    place.run("check lake.json new.jsonl").ended(0);
    let words = place.run("rollouts lake.json -n 3 -o new.jsonl").ended(0).stdout;
    assert!(words.starts_with("3 episodes of ") && words.ends_with("written to new.jsonl\n"), "{words}");
}

#[test]
fn rollouts_of_the_uniform_policy_need_no_reward() {
    let place = Place::new();
    place.write_json("problem.json", &fixtures::fork());
    place.run("rollouts problem.json --policy uniform -n 5 -o new.jsonl").ended(0);
    assert_eq!(place.read("new.jsonl").lines().count(), 5);
}

#[test]
fn rollouts_refuse_what_cannot_be_meant() {
    let place = fork_place();
    place.write_json("model.json", &json!({"theta": [1.0, 0.0, 0.0], "horizon": 3, "ends": "anywhere"}));
    for (options, words) in [
        ("-n 0", ["-n is 0", "at least one episode"]),
        ("--longest 0", ["--longest is 0", "at least one state"]),
        ("--temperature 1", ["--temperature is for --policy boltzmann", "optimal"]),
        ("--policy uniform --temperature 1", ["--temperature is for --policy boltzmann", "uniform"]),
        ("--policy boltzmann", ["--policy boltzmann", "--temperature"]),
        ("--policy boltzmann --temperature 0", ["--temperature 0", "above 0"]),
        ("--policy uniform --model model.json", ["--model", "omit it"]),
        ("--policy uniform --discount 0.9", ["--discount", "omit it"]),
        ("--discount 2", ["--discount 2", "between 0 and 1"]),
    ] {
        place.refuses(&format!("rollouts problem.json -o new.jsonl {options}"), &words);
    }
    place.refuses("rollouts problem.json -o demos.txt", &["demos.txt", ".jsonl or .npz"]);
    place.refuses("rollouts problem.json -o problem.json", &["problem.json", "write the episodes elsewhere"]);
}

#[test]
fn evaluate_has_the_known_errors_of_frozen_lake() {
    let scale = |found: &Value, at: usize| {
        let scale = &found["scales"][at];
        let number = |name: &str| scale[name].as_f64().unwrap_or_else(|| panic!("{name}: {scale}"));
        (number("inverse_learning_error"), number("expected_value_difference"), scale["n_different"].as_u64().unwrap())
    };
    let found = lake(&goal(7.0)).run("evaluate lake.json model.json --json").json();
    assert_eq!(keys(&found), ["discount", "n_states", "scales"]);
    assert_eq!((scale(&found, 0), scale(&found, 1)), ((0.0, 0.0, 0), (0.0, 0.0, 0)));
    // Who shuns the goal loses all that there is to be had.
    let place = lake(&goal(-1000.0));
    let found = place.run("evaluate lake.json model.json --json").json();
    let ours = &found["scales"][0];
    assert_eq!(
        (&ours["at_terminal"], &ours["paid"], &ours["is_the_papers"]),
        (&json!("ends"), &json!("in-state"), &json!(false))
    );
    let papers = &found["scales"][1];
    let named = (&papers["at_terminal"], &papers["paid"], &papers["is_the_papers"]);
    assert_eq!(named, (&json!("keeps-paying"), &json!("on-arrival"), &json!(true)));
    close(&[scale(&found, 0).0, scale(&found, 1).0], &[6.276_421_342_9, 633.981_953_831_0], 1e-9);
    let first = place.run("plan lake.json --json").json()["values"][0].as_f64().unwrap();
    close(&[scale(&found, 0).1], &[first], 1e-9);
    assert!(scale(&found, 0).2 > 0);
    let words = place.run("evaluate lake.json model.json").ended(0).stdout;
    for part in ["discount 0.99", "the paper's scale (keeps-paying, on-arrival)", "6.276421", "633.98195", "of 16 states"] {
        assert!(words.contains(part), "{part:?} is not in {words}");
    }
}

#[test]
fn evaluate_says_what_is_not_finite_without_a_discount() {
    let place = lake(&goal(2.0));
    let found = place.run("evaluate lake.json model.json --discount 1 --json").json();
    assert_eq!(found["scales"][0]["inverse_learning_error"], json!(0.0));
    assert_eq!(found["scales"][1]["inverse_learning_error"], Value::Null);
    assert!(found["scales"][1]["not_finite_because"].as_str().unwrap().contains("keeps paying"));
}

#[test]
fn evaluate_scores_held_out_demonstrations_as_likelihood_does() {
    let place = fork_place();
    place.write_json("model.json", &json!({"theta": [0.5, -1.0, 0.25], "horizon": 4, "ends": "terminal"}));
    let found = place.run("evaluate problem.json model.json --discount 0.9 --demos demos.jsonl --json").json();
    let expected = place.run("likelihood problem.json demos.jsonl --model model.json --json").json();
    let held_out = &found["held_out"];
    assert_eq!(held_out["mean_log_likelihood"], expected["log_likelihood"]);
    let mean = expected["log_likelihood"].as_f64().unwrap();
    close(&[held_out["total_log_likelihood"].as_f64().unwrap()], &[2.0 * mean], 1e-12);
    assert_eq!(held_out["feature_gap"]["difference"], expected["gradient"]);
    assert_eq!((&held_out["n_demonstrations"], &held_out["ends"]), (&json!(2), &json!("terminal")));
    let words = place.run("evaluate problem.json model.json --discount 0.9 --demos demos.jsonl").ended(0).stdout;
    assert!(words.contains("held out: 2 demonstrations, horizon 4, ends terminal"), "{words}");
    // The model's horizon holds: this path is too long for it.
    place.write("long.jsonl", "{\"states\": [0, 0, 0, 0, 0, 1], \"actions\": [2, 2, 2, 2, 0]}\n");
    let line = "evaluate problem.json model.json --discount 0.9 --demos long.jsonl";
    place.refuses(line, &["long.jsonl", "horizon"]);
}

#[test]
fn evaluate_refuses_bad_input() {
    let place = fixtures::place();
    place.refuses("evaluate problem.json model.json", &["problem.json", "no true reward"]);
    let mut problem = Problem::load(place.path("problem.json")).unwrap();
    problem.true_theta = Some(vec![1.0, 0.0, 0.0]);
    problem.save(place.path("problem.json")).unwrap();
    place.refuses("evaluate problem.json model.json --discount 1.01", &["--discount 1.01", "between 0 and 1"]);
    place.refuses("evaluate problem.json model.json --discount 0.9 --demos missing.jsonl", &["missing.jsonl"]);
    place.write_json("short.json", &json!({"theta": [1.0], "horizon": 3, "ends": "anywhere"}));
    for line in ["evaluate problem.json short.json", "plan problem.json --model short.json"] {
        place.refuses(line, &["short.json", "theta has 1 entries", "3 features"]);
    }
}

#[test]
fn evaluate_scores_causal_models_by_their_own_likelihood() {
    let place = lake(&goal(1.0));
    place.run("rollouts lake.json -n 20 --seed 1 --longest 1000 -o demos.jsonl").ended(0);
    place.run("learn lake.json demos.jsonl -o causal.json --inference causal --bounds -2,2").ended(0);
    let found = place.run("evaluate lake.json causal.json --demos demos.jsonl --json").json();
    let expected = place.run("likelihood lake.json demos.jsonl --model causal.json --json").json();
    assert_eq!(found["held_out"]["mean_log_likelihood"], expected["log_likelihood"]);
    let dual = place.run("likelihood lake.json demos.jsonl --model causal.json --inference causal-dual --json").json();
    assert_eq!(found["held_out"]["feature_gap"]["difference"], dual["gradient"]);
}

#[test]
fn rollouts_and_plans_know_their_limits() {
    let place = Place::new();
    place.run("env nchain --n 1000 -o chain.json").ended(0);
    place.refuses("rollouts chain.json -n 1 --policy uniform --threads 0 -o new.jsonl", &["threads"]);
    let longest = "rollouts chain.json -n 1 --policy uniform --longest 18446744073709551615 -o new.jsonl";
    place.refuses(longest, &["the number of states of all episodes", "200000000"]);
    let shown = place.run("plan chain.json --discount 0.9").ended(0).stdout;
    assert!(shown.lines().all(|line| line.chars().count() < 200), "{shown}");
}
