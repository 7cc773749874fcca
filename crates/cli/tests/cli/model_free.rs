//! `revealed samples` and `revealed learn --model-free`.

use serde_json::json;

use crate::helpers::fixtures;
use crate::helpers::{Place, close, keys, numbers};

/// Heads and tails in turn, of a fair hand; somebody had heads three times out of four.
fn tosses() -> Place {
    let place = Place::new();
    let line = |toss: usize| json!({"features": [toss % 2], "log_policy": 0.5f64.ln(), "length": 2}).to_string() + "\n";
    place.write("samples.jsonl", (0..100).map(line).collect::<String>());
    place.write("demos.jsonl", "{\"features\": [1], \"weight\": 3}\n{\"features\": [0]}\n");
    place
}

const LEARN: &str = "learn --model-free samples.jsonl demos.jsonl -o model.json";

#[test]
fn a_reward_is_learned_without_a_problem() {
    let place = tosses();
    let printed = place.run(&format!("{LEARN} --json")).json();
    assert_eq!(printed, place.read_json("model.json"));
    close(&numbers(&printed["theta"]), &[3f64.ln()], 1e-6);
    assert_eq!((&printed["horizon"], &printed["ends"], &printed["converged"]), (&json!(2), &json!("horizon"), &json!(true)));
    assert_eq!((&printed["log_likelihood"], &printed["n_demonstrations"]), (&json!(null), &json!(2)));
    let record = &printed["model_free"];
    assert_eq!(
        keys(record),
        [
            "baseline",
            "effective_sample_size",
            "flat_directions",
            "gradient_error",
            "largest_share",
            "log_partition",
            "log_partition_error",
            "objective",
            "rollouts",
            "samples",
            "standard_error",
            "worthless"
        ]
    );
    assert_eq!((&record["samples"], &record["baseline"], &record["worthless"]), (&json!(100), &json!("one"), &json!(false)));
    // Weights 3 and 1: (50·3 + 50)² / (50·9 + 50), and the standard error of a log odds of two halves.
    close(&[record["effective_sample_size"].as_f64().unwrap()], &[80.0], 1e-6);
    close(&numbers(&record["standard_error"]), &[(100.0f64 / 99.0 * (1.0 / 50.0 + 1.0 / 50.0)).sqrt()], 1e-6);
    assert_eq!(printed["notes"], json!([]));

    let words = place.run(LEARN).ended(0);
    assert_eq!(words.stderr, "");
    for part in ["effective size  80.0 samples", "log Z ", "± 0.20", "written to model.json"] {
        assert!(words.stdout.contains(part), "{part:?} is not in {words:#?}");
    }
}

#[test]
fn with_a_problem_demonstrations_are_paths() {
    let place = Place::new();
    place.write_json("coin.json", &fixtures::coin());
    place.write("demos.jsonl", fixtures::COIN_DEMOS);
    for file in ["samples.npz", "samples.jsonl"] {
        let made = place.run(&format!("samples coin.json -n 5000 --seed 3 --longest 2 -o {file} --json")).json();
        assert_eq!(keys(&made), ["ends", "file", "longest", "mean_length", "rollouts", "samples", "seed"]);
        assert_eq!((&made["rollouts"], &made["samples"], &made["ends"]), (&json!(5000), &json!(5000), &json!("horizon")));
        let line = format!("learn coin.json demos.jsonl --model-free {file} -o model.json --json");
        let model = place.run(&line).json();
        let error = model["model_free"]["standard_error"][0].as_f64().unwrap();
        assert!((model["theta"][0].as_f64().unwrap() - 3f64.ln()).abs() < 4.0 * error && error < 0.05, "{model}");
        assert_eq!(model["names"], json!(["left"]));
        // The model is one like any other.
        let found = place.run("likelihood coin.json demos.jsonl --model model.json --json").json();
        assert_eq!((&found["ends"], &found["horizon"]), (&json!("horizon"), &json!(2)));
    }
    // The same seed gives the same file; prefixes are the paper's path set.
    let before = place.files();
    place.run("samples coin.json -n 5000 --seed 3 --longest 2 -o samples.npz").ended(0);
    assert_eq!(place.files(), before);
    let made = place.run("samples coin.json -n 5000 --prefixes --longest 2 -o samples.npz --json").json();
    assert_eq!((&made["samples"], &made["ends"]), (&json!(10_000), &json!("anywhere")));
    let model = place.run("learn coin.json demos.jsonl --model-free samples.npz -o model.json --json --bounds -9,9").json();
    assert_eq!((&model["ends"], &model["model_free"]["rollouts"]), (&json!("anywhere"), &json!(5000)));
}

#[test]
fn the_reference_policy_is_the_baseline_where_there_is_one() {
    let place = Place::new();
    let mut coin = fixtures::coin();
    coin["reference"] = json!({"state": [0, 0], "action": [0, 1], "p": [0.25, 0.75]});
    place.write_json("coin.json", &coin);
    place.write("demos.jsonl", fixtures::COIN_DEMOS);
    let learned = |policy: &str, options: &str| {
        place.run(&format!("samples coin.json -n 5000 --longest 2 --policy {policy} -o s.npz")).ended(0);
        let model = place.run(&format!("learn coin.json demos.jsonl --model-free s.npz -o m.json --json {options}")).json();
        assert_eq!(model["model_free"]["baseline"], json!(if options.contains("one") { "one" } else { "reference" }));
        model["theta"][0].as_f64().unwrap()
    };
    // Three to one against a reference of one to three: log 9. Whoever sampled.
    for policy in ["uniform", "reference"] {
        assert!((learned(policy, "") - 9f64.ln()).abs() < 0.2);
        assert!((learned(policy, "--baseline reference") - 9f64.ln()).abs() < 0.2);
        assert!((learned(policy, "--baseline one") - 3f64.ln()).abs() < 0.2);
    }
    let exact = place.run("learn coin.json demos.jsonl --ends horizon -o m.json --json").json();
    close(&numbers(&exact["theta"]), &[9f64.ln()], 1e-6);
}

#[test]
fn worthless_estimates_say_so_and_are_written() {
    let place = tosses();
    place.write(
        "few.jsonl",
        (0..10).map(|toss| format!("{{\"features\": [{}], \"log_policy\": -1}}\n", toss % 2)).collect::<String>(),
    );
    let ran = place.run("learn --model-free few.jsonl demos.jsonl -o model.json --json").ended(0);
    assert!(
        ran.stderr.starts_with("warning: the estimate is worthless: 10 rollouts have an effective sample size of 8.0"),
        "{ran:#?}"
    );
    let model = place.read_json("model.json");
    assert_eq!(model["model_free"]["worthless"], json!(true));
    let notes = model["notes"].to_string();
    assert!(notes.contains("worthless") && notes.contains("horizon is set to 1"), "{notes}");
    // Probabilities where logarithms belong.
    place.write("odd.jsonl", "{\"features\": [0], \"log_policy\": 0.5}\n{\"features\": [1], \"log_policy\": 0.5}\n");
    let model = place.run("learn --model-free odd.jsonl demos.jsonl -o model.json --json").json();
    assert!(model["notes"].to_string().contains("every log_policy is above 0"), "{}", model["notes"]);
}

#[test]
fn demonstrations_outside_the_samples_do_not_converge() {
    let place = tosses();
    place.write("demos.jsonl", "{\"features\": [2.5], \"length\": 9}\n");
    let ran = place.run(&format!("{LEARN} --json")).ended(0);
    assert!(ran.stderr.contains("warning: the demonstrations have feature 0 2.5 on average, and no sample has more than 1"));
    assert!(ran.stderr.contains("warning: a demonstration has 9 states and no sample more than 2"), "{ran:#?}");
    let model = place.read_json("model.json");
    assert_eq!(model["converged"], json!(false));
    assert!(model["stopped_because"].as_str().unwrap().contains("set bounds or l2"), "{model}");
    let model = place.run(&format!("{LEARN} --json --bounds -10,10")).json();
    assert_eq!((&model["converged"], &model["theta"]), (&json!(true), &json!([10.0])));
}

#[test]
fn bad_samples_are_refused() {
    let place = tosses();
    place.write("model.json", "{}");
    let with = |file: &str| format!("learn --model-free {file} demos.jsonl -o model.json");
    for (name, content, words) in [
        ("empty.jsonl", "", "is empty"),
        ("blank.jsonl", "\n", "without samples"),
        ("one.jsonl", "{\"features\": [1], \"log_policy\": 0}\n", "the number of rollouts among the samples is 1"),
        ("no_policy.jsonl", "{\"features\": [1]}\n", "line 1: log_policy is missing"),
        ("nan.jsonl", "{\"features\": [NaN], \"log_policy\": 0}\n", "NaN and Infinity are not numbers here"),
        (
            "uneven.jsonl",
            "{\"features\": [1], \"log_policy\": 0}\n{\"features\": [1, 2], \"log_policy\": 0}\n",
            "line 2: features has 2",
        ),
        (
            "zero.jsonl",
            "{\"features\": [1], \"log_policy\": 0, \"log_reference\": \"-inf\"}\n{\"features\": [0], \"log_policy\": 0, \"log_reference\": \"-inf\"}\n",
            "every sample has weight 0",
        ),
        (
            "two.jsonl",
            "{\"features\": [1, 2], \"log_policy\": 0}\n{\"features\": [0, 1], \"log_policy\": 0}\n",
            "it has 1 features, but the samples in two.jsonl have 2",
        ),
    ] {
        place.write(name, content);
        let named = if name == "two.jsonl" { "demos.jsonl: " } else { name };
        place.refuses(&with(name), &[named, words]);
    }
    place.refuses(&with("nowhere.npz"), &["nowhere.npz: cannot be read", "check the path"]);
}

#[test]
fn bad_options_are_refused() {
    let place = tosses();
    place.write_json("problem.json", &fixtures::fork());
    place.write("paths.jsonl", fixtures::fork_demos());
    place.write("model.json", "{}");
    place.refuses(&format!("{LEARN} --baseline reference"), &["samples.jsonl", "no log_reference", "baseline one"]);
    place.refuses(&format!("{LEARN} --ends goal"), &["--ends goal cannot be used with --model-free"]);
    place.refuses(&format!("{LEARN} --horizon 1"), &["--horizon 1", "a sample has 2 states"]);
    place.refuses(&format!("{LEARN} --horizon 0"), &["--horizon is 0"]);
    place.refuses(&format!("{LEARN} --l2=-1"), &["l2 is -1"]);
    place.refuses(&format!("{LEARN} --bounds 3,2"), &["--bounds 3,2", "lower bound 3"]);
    place.refuses(&format!("{LEARN} --threads 0"), &["the number of threads is 0"]);
    place.refuses(
        "learn problem.json paths.jsonl --model-free samples.jsonl -o model.json",
        &["problem.json", "3 features", "have 1"],
    );
    place.refuses("learn --model-free samples.jsonl demos.jsonl -o samples.jsonl", &["it is also an input"]);
    place.refuses("learn --model-free samples.jsonl demos.csv -o model.json", &["demos.csv"]);
    for (line, words) in [
        ("samples problem.json -n 1 -o s.npz", "-n is 1"),
        ("samples problem.json --longest 0 -o s.npz", "--longest is 0"),
        ("samples problem.json --policy reference -o s.npz", "problem.json: it has no reference policy"),
        ("samples problem.json -o s.csv", "extension .csv"),
        ("samples nowhere.json -o s.npz", "nowhere.json: cannot be read"),
    ] {
        place.refuses(line, &[words]);
    }
    // Wrong usage.
    for line in [
        "learn demos.jsonl -o model.json",
        "learn problem.json paths.jsonl -o m.json --baseline one",
        &format!("{LEARN} --resume"),
    ] {
        let ran = place.run(line).ended(2);
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{ran:#?}");
    }
}

#[test]
fn any_number_of_threads_writes_the_same_model() {
    let place = Place::new();
    place.write_json("problem.json", &fixtures::fork());
    place.write("demos.jsonl", fixtures::fork_demos());
    place.run("samples problem.json -n 20000 --prefixes --longest 6 -o s.npz").ended(0);
    let learned = |threads: usize| {
        let line = "learn problem.json demos.jsonl --model-free s.npz -o m.json --bounds -10,10 --json --threads";
        let mut model = place.run(&format!("{line} {threads}")).json();
        model["seconds"] = json!(null);
        model
    };
    let one = learned(1);
    assert_eq!((one.clone(), one), (learned(2), learned(5)));
}

#[test]
fn samples_are_not_written_over_their_problem_nor_taken_for_others() {
    let place = Place::new();
    place.run("env frozenlake-4x4 -o lake.npz").ended(0);
    place.refuses("samples lake.npz -n 3 -o lake.npz", &["lake.npz", "it is also an input"]);
    place.refuses("samples lake.npz -n 18446744073709551615 -o samples.npz", &["the number of paths", "10000000"]);
    place.run("samples lake.npz -n 500 --prefixes --longest 8 -o samples.npz").ended(0);
    place.run("rollouts lake.npz -n 20 --policy uniform --longest 8 -o demos.jsonl").ended(0);
    let line = "learn lake.npz demos.jsonl --model-free samples.npz -o model.json --bounds -1,1";
    place.refuses(&format!("{line} --ends horizon"), &["--ends horizon", "parts of a rollout"]);
    place.run(line).ended(0);
}
