//! What contract.md promises of each command: fields and what they mean, exit codes, stdout and stderr.

use std::collections::BTreeMap;
use std::fs;

use revealed_formats::{Model, Problem, demonstrations};
use serde_json::{Value, json};

use crate::chain::{self, PATHS, THETA};
use crate::place::{Place, close, keys, numbers};
use crate::sound::{self, COIN_DEMOS, coin};

/// The chain as `chain.json`, demonstrations by their numbers in [`PATHS`], and θ.
fn chain_place(reference: bool, demos: &[(usize, f64)]) -> Place {
    let place = Place::new();
    place.write_json("chain.json", &chain::problem(reference));
    place.write("demos.jsonl", demos.iter().map(|&(demo, weight)| PATHS[demo].line(weight)).collect::<String>());
    place.write_json("theta.json", &json!(THETA));
    place
}

fn chain_model(place: &Place, ends: &str, horizon: usize) {
    place.write_json("model.json", &json!({"theta": THETA, "horizon": horizon, "ends": ends}));
}

#[test]
fn likelihood_is_the_sum_over_paths() {
    let demos: [(&str, &[(usize, f64)]); 4] = [
        ("anywhere", &[(2, 1.0), (4, 2.0), (8, 1.0), (0, 0.5)]),
        ("horizon", &[(5, 1.0), (9, 3.0), (6, 1.0)]),
        ("terminal", &[(4, 2.0), (7, 1.0), (9, 1.0)]),
        ("goal", &[(5, 1.0), (3, 2.0), (4, 1.0), (8, 1.0), (9, 0.25)]),
    ];
    for (ends, demos) in demos {
        for reference in [false, true] {
            let place = chain_place(reference, demos);
            let found = place.run(&format!("likelihood chain.json demos.jsonl --theta theta.json --ends {ends} --json")).json();
            let expected = chain::likelihood(demos, ends, chain::LONGEST, reference);
            let goal = ends == "goal";
            let log_partition = if goal { "seconds" } else { "log_partition" };
            let mut fields =
                ["gradient", "horizon", "log_likelihood", log_partition, "seconds", "ends", "n_demonstrations"].to_vec();
            fields.sort_unstable();
            fields.dedup();
            assert_eq!(keys(&found), fields);
            if !goal {
                close(&[found["log_partition"].as_f64().unwrap()], &[expected.log_partition], 1e-14);
            }
            close(&[found["log_likelihood"].as_f64().unwrap()], &[expected.log_likelihood], 1e-14);
            close(&numbers(&found["gradient"]), &expected.gradient, 1e-14);
            assert_eq!((&found["horizon"], &found["ends"]), (&json!(3), &json!(ends)));
            assert!(found["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0 && seconds < 10.0));
        }
    }
}

#[test]
fn likelihood_counts_no_path_beyond_the_horizon() {
    let demos = [(1, 1.0), (9, 1.0)];
    let place = chain_place(false, &demos);
    for horizon in [2, 3] {
        let line = format!("likelihood chain.json demos.jsonl --theta theta.json --horizon {horizon} --json");
        let found = place.run(&line).json();
        let expected = chain::likelihood(&demos, "anywhere", horizon, false);
        close(&[found["log_partition"].as_f64().unwrap()], &[expected.log_partition], 1e-14);
        close(&numbers(&found["gradient"]), &expected.gradient, 1e-14);
        assert_eq!(found["horizon"], json!(horizon));
    }
    // Without one it is the longest demonstration; with theta = 0 each path counts q: 1 + 1.75 = 2.75 by hand.
    place.write("theta.json", "[0, 0, 0]");
    let found = place.run("likelihood chain.json demos.jsonl --theta theta.json --json").json();
    assert_eq!(found["horizon"], json!(2));
    close(&[found["log_partition"].as_f64().unwrap()], &[2.75f64.ln()], 1e-15);
    let found = place.run("likelihood chain.json demos.jsonl --theta theta.json --horizon 3 --json").json();
    close(&[found["log_partition"].as_f64().unwrap()], &[4.625f64.ln()], 1e-15);
}

#[test]
fn likelihood_takes_ends_and_horizon_from_a_model_unless_told() {
    let demos = [(9, 1.0)];
    let place = chain_place(false, &demos);
    chain_model(&place, "terminal", 3);
    for (options, ends, horizon) in [("", "terminal", 3), ("--ends anywhere", "anywhere", 3), ("--horizon 2", "terminal", 2)] {
        let found = place.run(&format!("likelihood chain.json demos.jsonl --model model.json --json {options}")).json();
        assert_eq!((&found["ends"], &found["horizon"]), (&json!(ends), &json!(horizon)), "{options}");
        let expected = chain::likelihood(&demos, ends, horizon, false);
        close(&[found["log_likelihood"].as_f64().unwrap()], &[expected.log_likelihood], 1e-14);
    }
}

#[test]
fn likelihood_without_json_is_in_words() {
    let demos = [(9, 1.0)];
    let place = chain_place(false, &demos);
    let ran = place.run("likelihood chain.json demos.jsonl --theta theta.json").ended(0);
    let expected = chain::likelihood(&demos, "anywhere", 2, false);
    assert!(ran.stdout.contains(&format!("log-likelihood  {:.10}", expected.log_likelihood)), "{ran:#?}");
    assert!(ran.stdout.contains(&format!("log Z           {:.10}", expected.log_partition)), "{ran:#?}");
    assert_eq!(ran.stderr, "");
}

#[test]
fn learn_prints_the_model_that_it_writes() {
    let place = Place::new();
    place.write_json("coin.json", &coin());
    place.write("demos.jsonl", COIN_DEMOS);
    let printed = place.run("learn coin.json demos.jsonl -o model.json --ends terminal --json").json();
    assert_eq!(printed, place.read_json("model.json"));
    let contract = [
        "format",
        "theta",
        "names",
        "horizon",
        "ends",
        "discount",
        "log_likelihood",
        "iterations",
        "evaluations",
        "converged",
        "stopped_because",
        "gradient_norm",
    ];
    for field in contract {
        assert!(printed.get(field).is_some_and(|value| !value.is_null()), "{field} is not in {printed}");
    }
    let besides = ["version", "seconds", "n_demonstrations", "bounds", "l2", "problem_digest", "notes", "inference"];
    let stranger = keys(&printed).into_iter().find(|key| !contract.contains(key) && !besides.contains(key));
    assert_eq!(stranger, None);

    close(&numbers(&printed["theta"]), &[3f64.ln()], 1e-7);
    let entropy = 0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln();
    close(&[printed["log_likelihood"].as_f64().unwrap()], &[entropy], 1e-12);
    assert!(printed["gradient_norm"].as_f64().unwrap() < 1e-6);
    let exact = json!({"format": "revealed-model/1", "names": ["left"], "horizon": 2, "ends": "terminal", "discount": 1.0,
        "converged": true, "n_demonstrations": 2});
    for (field, value) in exact.as_object().unwrap() {
        assert_eq!(&printed[field], value, "{field}");
    }
    assert!(printed["evaluations"].as_u64() >= printed["iterations"].as_u64() && printed["iterations"].as_u64() > Some(0));
    assert_eq!(place.files().into_keys().collect::<Vec<_>>(), ["coin.json", "demos.jsonl", "model.json"]);
}

#[test]
fn learn_without_json_is_in_words() {
    let place = Place::new();
    place.write_json("coin.json", &coin());
    place.write("demos.jsonl", COIN_DEMOS);
    let ran = place.run("learn coin.json demos.jsonl -o model.json --ends terminal").ended(0);
    for words in ["log-likelihood  -0.5623", "converged: the gradient", "left", "1.0986", "written to model.json"] {
        assert!(ran.stdout.contains(words), "{words} is not in {ran:#?}");
    }
    assert_eq!(ran.stderr, "");
}

#[test]
fn learn_replaces_an_old_model_as_a_whole() {
    let place = Place::new();
    place.write_json("coin.json", &coin());
    place.write("demos.jsonl", COIN_DEMOS);
    place.write("model.json", "old");
    // A second name of the old file sees what happens to its content: nothing, if the new one is moved into its place.
    fs::hard_link(place.path("model.json"), place.path("witness")).unwrap();
    place.run("learn coin.json demos.jsonl -o model.json --ends terminal").ended(0);
    assert_eq!(place.read("witness"), "old");
    close(&Model::load(place.path("model.json")).unwrap().theta, &[3f64.ln()], 1e-7);
}

#[test]
fn learn_keeps_to_bounds_and_penalty() {
    let place = Place::new();
    place.write_json("coin.json", &coin());
    place.write("demos.jsonl", COIN_DEMOS);
    place.write("bounds.json", "[[null, 0.5]]");
    for bounds in ["-1,0.5", "-inf,0.5", "bounds.json"] {
        let line = format!("learn coin.json demos.jsonl -o model.json --ends terminal --json --bounds {bounds}");
        let model = place.run(&line).json();
        assert_eq!(model["theta"], json!([0.5]), "{bounds}");
        assert_eq!(model["converged"], json!(true), "{bounds}");
        assert!(model["notes"].to_string().contains("at a bound: left"), "{model}");
    }
    let model = place.run("learn coin.json demos.jsonl -o model.json --ends terminal --json --l2 0.5").json();
    let theta = numbers(&model["theta"])[0];
    // Where 3/4 - p(left) - theta/2 vanishes.
    close(&[0.75 - theta.exp() / (theta.exp() + 1.0) - 0.5 * theta], &[0.0], 1e-7);
    assert_eq!(model["l2"], json!(0.5));
}

#[test]
fn learn_uses_the_horizon() {
    let place = Place::new();
    place.write_json("coin.json", &coin());
    place.write("demos.jsonl", COIN_DEMOS);
    let model = place.run("learn coin.json demos.jsonl -o model.json --horizon 7 --json").json();
    assert_eq!((&model["horizon"], &model["ends"]), (&json!(7), &json!("anywhere")));
    // Path 0 itself, of weight 1, is one of three, and never shown: e^theta / (2 + e^theta) = 3/4.
    close(&numbers(&model["theta"]), &[6f64.ln()], 1e-7);
}

#[test]
fn marginals_are_the_sums_over_paths() {
    let place = chain_place(false, &[(0, 1.0)]);
    for ends in ["anywhere", "horizon", "terminal"] {
        chain_model(&place, ends, 3);
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

#[test]
fn marginals_of_a_goal_model_need_the_goal() {
    let place = chain_place(false, &[(0, 1.0)]);
    chain_model(&place, "goal", 3);
    place.run("marginals chain.json model.json").refused(&["--ends goal", "--goal STATE"]);
    let found = place.run("marginals chain.json model.json --goal 1 --t 2 --json").json();
    close(&numbers(&found["state"]), &chain::marginal_given_first(2, |path| path.states.last() == Some(&1)), 1e-14);
    place.run("marginals chain.json model.json --goal 3").refused(&["--goal 3", "3 states", "0 to 2"]);
    place.run("marginals chain.json model.json --goal 1 --t 4").refused(&["t is 4", "1 and 3"]);
    place.run("marginals chain.json model.json --goal 1 --t 0").refused(&["t is 0", "1 and 3"]);
}

#[test]
fn marginals_in_words_are_a_table_or_a_grid() {
    let place = chain_place(false, &[(0, 1.0)]);
    chain_model(&place, "anywhere", 3);
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

#[test]
fn samples_follow_the_model() {
    const N: usize = 20_000;
    let place = chain_place(false, &[(0, 1.0)]);
    chain_model(&place, "anywhere", 3);
    let printed = place.run(&format!("sample chain.json model.json -n {N} --seed 5 -o paths.npz --json")).json();
    assert_eq!(keys(&printed), ["demonstrations", "mean_length", "n", "seed"]);
    let mut seen = BTreeMap::new();
    let paths = demonstrations::load(place.path("paths.npz")).unwrap();
    for path in &paths {
        *seen.entry((path.states.clone(), path.actions.clone())).or_insert(0.0) += 1.0;
    }
    let mass = |path: &chain::Path| path.q(false, false) * path.weight(&THETA);
    let z: f64 = PATHS.iter().map(mass).sum();
    for path in &PATHS {
        let p = mass(path) / z;
        let share = seen.remove(&(path.states.to_vec(), path.actions.to_vec())).unwrap_or(0.0) / N as f64;
        let deviation = (p * (1.0 - p) / N as f64).sqrt();
        assert!((share - p).abs() < 5.0 * deviation, "{:?} has {share}, not {p}", path.states);
    }
    assert!(seen.is_empty(), "no paths of the problem: {seen:?}");
    let mean = paths.iter().map(|path| path.states.len()).sum::<usize>() as f64 / N as f64;
    close(&[printed["mean_length"].as_f64().unwrap()], &[mean], 1e-12);
    assert_eq!(printed["n"], json!(N));
}

#[test]
fn samples_are_the_same_for_the_same_seed_and_can_be_learned_from() {
    let place = sound::place();
    let sample = |seed: usize, name: &str| {
        place.run(&format!("sample problem.json model.json -n 30 --seed {seed} -o {name}")).ended(0);
        fs::read(place.path(name)).unwrap()
    };
    let first = sample(7, "first.jsonl");
    assert_eq!(first, sample(7, "again.jsonl"));
    assert_ne!(first, sample(8, "other.jsonl"));
    assert_eq!(first.iter().filter(|&&byte| byte == b'\n').count(), 30);
    sample(7, "first.npz");
    let of = |name: &str| demonstrations::load(place.path(name)).unwrap();
    assert_eq!(of("first.jsonl"), of("first.npz"));
    for name in ["first.jsonl", "first.npz"] {
        let model = place.run(&format!("learn problem.json {name} -o again.json --bounds -10,10 --json")).json();
        assert_eq!(model["n_demonstrations"], json!(30));
    }
}

#[test]
fn samples_of_a_goal_model_end_at_the_goal() {
    let place = chain_place(false, &[(0, 1.0)]);
    chain_model(&place, "goal", 3);
    place.run("sample chain.json model.json -n 5 -o paths.jsonl").refused(&["--goal STATE"]);
    place.run("sample chain.json model.json -n 50 --goal 1 -o paths.jsonl").ended(0);
    let paths = demonstrations::load(place.path("paths.jsonl")).unwrap();
    assert!(paths.len() == 50 && paths.iter().all(|path| path.states.last() == Some(&1)), "{paths:?}");
}

#[test]
fn env_writes_gymnasiums_lakes() {
    // (name, states, terminal): 4 holes and a goal, 10 holes and a goal.
    for (name, states, terminal) in [("frozenlake-4x4", 16, 5), ("FrozenLake-v1", 16, 5), ("FrozenLake8x8-v1", 64, 11)] {
        for file in ["lake.json", "lake.npz"] {
            let place = Place::new();
            let sizes = place.run(&format!("env {name} -o {file} --discount 0.9 --json")).json();
            let expected =
                ["discount", "n_actions", "n_features", "n_states", "n_terminal", "n_transitions", "name", "problem"];
            assert_eq!(keys(&sizes), expected);
            let problem = Problem::load(place.path(file)).unwrap();
            let exact = json!({"n_states": states, "n_actions": 4, "n_features": states, "n_terminal": terminal,
                "n_transitions": problem.mdp.n_transitions(), "discount": 0.9, "problem": file});
            for (field, value) in exact.as_object().unwrap() {
                assert_eq!(&sizes[field], value, "{name} {field}");
            }
            // Left from the start: against the edge twice, or down; each of three ways has 1/3.
            let stays = problem.mdp.transition(0, 0, 0).unwrap();
            close(&[problem.mdp.probability()[stays]], &[2.0 / 3.0], 1e-15);
            assert_eq!(problem.true_theta.unwrap()[states - 1], 1.0);
        }
    }
    let place = Place::new();
    let sizes = place.run("env frozenlake-4x4 -o lake.json --not-slippery --json").json();
    assert_eq!(sizes["n_transitions"], json!(11 * 4));
}

#[test]
fn check_says_what_there_is() {
    let place = sound::place();
    let facts = place.run("check problem.json demos.jsonl --json").json();
    let exact = json!({"ok": true, "faults": [], "n_states": 3, "n_actions": 3, "n_features": 3, "n_transitions": 5,
        "n_terminal": 2, "deterministic": false, "n_demonstrations": 2, "longest": 3, "n_finished": 2});
    for (field, value) in exact.as_object().unwrap() {
        assert_eq!(&facts[field], value, "{field}");
    }
    let words = place.run("check problem.json demos.jsonl").ended(0).stdout;
    for part in ["3 states (2 terminal)", "5 transitions", "stochastic", "2 demonstrations of 2 to 3 states", "no faults"] {
        assert!(words.contains(part), "{part} is not in {words}");
    }
}

#[test]
fn check_lists_everything_that_is_wrong() {
    let place = sound::place();
    let mut problem = sound::fork();
    problem["transitions"]["p"] = json!([1.0, 0.5, 0.25, 0.25, 0.75]);
    problem["start"]["p"] = json!([0.5]);
    problem["features"]["state"]["feature"] = json!([3]);
    place.write_json("problem.json", &problem);
    let ran = place.run("check problem.json --json").ended(1);
    let facts: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(facts["ok"], json!(false));
    let faults = facts["faults"].to_string();
    for part in ["start probabilities sum to 0.5", "state 0, action 1", "sum to 0.5", "state 0, action 2", "1.25", "feature 3"]
    {
        assert!(faults.contains(part), "{part} is not in {faults}");
    }
    let words = place.run("check problem.json").ended(1).stdout;
    assert!(words.ends_with("4 faults\n") && words.contains("fault: problem.json: state 0, action 1"), "{words}");

    place.write_json("problem.json", &sound::fork());
    place.write("demos.jsonl", "{\"states\": [1], \"actions\": []}\n{\"states\": [0, 2], \"actions\": [0]}\n");
    let ran = place.run("check problem.json demos.jsonl --json").ended(1);
    let facts: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(facts["faults"].as_array().unwrap().len(), 2, "{facts}");
    assert!(facts["faults"][1].as_str().unwrap().contains("demos.jsonl: demonstration 1: step 0"), "{facts}");
}

#[test]
fn wrong_usage_is_2_with_nothing_on_stdout() {
    let place = sound::place();
    let before = place.files();
    for line in [
        "",
        "lern problem.json demos.jsonl -o new.json",
        "learn problem.json demos.jsonl",
        "learn problem.json -o new.json",
        "learn problem.json demos.jsonl -o new.json --fast",
        "learn problem.json demos.jsonl -o new.json --ends nowhere",
        "learn problem.json demos.jsonl -o new.json --horizon many",
        "learn problem.json demos.jsonl -o new.json --threads -1",
        "learn problem.json demos.jsonl -o new.json --memory lots",
        "learn problem.json demos.jsonl -o new.json --l2 soft",
        "likelihood problem.json demos.jsonl",
        "likelihood problem.json demos.jsonl --theta theta.json --model model.json",
        "marginals problem.json",
        "sample problem.json model.json -n -3 -o new.jsonl",
        "env -o new.json",
        "check",
    ] {
        let ran = place.run(line).ended(2);
        assert_eq!(ran.stdout, "", "{ran:#?}");
        assert!(ran.stderr.contains("--help"), "{ran:#?}");
    }
    assert_eq!(place.files(), before);
    let ran = place.run("likelihood problem.json demos.jsonl").ended(2);
    assert!(ran.stderr.contains("--theta <FILE>") && ran.stderr.contains("--model <FILE>"), "{ran:#?}");
}

#[test]
fn every_command_prints_one_json_object_and_nothing_else() {
    let place = sound::place();
    for line in [
        "learn problem.json demos.jsonl -o new.json --bounds -10,10",
        "likelihood problem.json demos.jsonl --model model.json",
        "marginals problem.json model.json",
        "marginals problem.json model.json --t 2",
        "sample problem.json model.json -n 2 -o new.jsonl",
        "env frozenlake-4x4 -o lake.json",
        "check problem.json demos.jsonl",
        "demo --out demo",
    ] {
        // Wherever the option stands.
        place.run(&format!("{line} --json")).json();
        place.run(&format!("--json {line}")).json();
        let words = place.run(line).ended(0).stdout;
        assert!(!words.is_empty() && serde_json::from_str::<Value>(&words).is_err(), "{words}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure_and_a_full_stdout_is_one() {
    let place = sound::place();
    let ran = place.shell("{ revealed check problem.json; echo $? >&2; } | true");
    assert_eq!(ran.stderr, "0\n", "{ran:#?}");
    if std::path::Path::new("/dev/full").exists() {
        let ran = place.shell("revealed learn problem.json demos.jsonl -o new.json --bounds -10,10 > /dev/full");
        ran.refused(&["stdout", "No space left"]);
        Model::load(place.path("new.json")).expect("the model was written before it was printed");
    }
}

#[test]
fn names_that_are_no_text_are_names_all_the_same() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = sound::place();
    for (command, name) in [
        ("env frozenlake-4x4 --json -o", &b"\xff.json"[..]),
        ("sample problem.json model.json -n 1 --json -o", b"\xff.jsonl"),
        ("learn problem.json demos.jsonl --bounds -1,1 --json -o", b"\xff.json"),
        ("demo --json --out", b"\xff"),
    ] {
        let mut run = assert_cmd::Command::new(crate::place::REVEALED);
        run.current_dir(place.root()).args(command.split_whitespace()).arg(OsStr::from_bytes(name));
        crate::place::Ran::from(command, run.output().unwrap()).json();
        assert!(place.root().join(OsStr::from_bytes(name)).exists(), "{command}");
    }
}
