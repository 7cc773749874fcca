//! `learn --summary` and `summary`: standard errors, and when there are none.

use serde_json::{Value, json};

use crate::helpers::fixtures::{self, COIN_DEMOS, coin, coin_place};
use crate::helpers::{close, numbers};

/// Three of four go left: θ = log 3 with variance 1/3 + 1.
#[test]
fn a_coin_has_the_closed_form() {
    let place = coin_place();
    let model = place.run("learn coin.json demos.jsonl -o model.json --ends terminal --summary --json").json();
    let summary = &model["summary"];
    let error = (4.0f64 / 3.0).sqrt();
    close(&numbers(&summary["standard_errors"]), &[error], 1e-8);
    close(&numbers(&summary["robust_standard_errors"]), &[error], 1e-8);
    close(&numbers(&summary["z_values"]), &[3f64.ln() / error], 1e-7);
    let half = 1.959963984540054 * error;
    close(&numbers(&summary["intervals"][0]), &[3f64.ln() - half, 3f64.ln() + half], 1e-7);
    let (best, null) = (3.0 * 0.75f64.ln() + 0.25f64.ln(), 4.0 * 0.5f64.ln());
    let expected = [
        ("n", 4.0),
        ("log_likelihood", best),
        ("null_log_likelihood", null),
        ("likelihood_ratio", 2.0 * (best - null)),
        ("rho_squared", 1.0 - best / null),
        ("adjusted_rho_squared", 1.0 - (best - 1.0) / null),
        ("aic", 2.0 - 2.0 * best),
        ("bic", 4f64.ln() - 2.0 * best),
        ("level", 0.95),
    ];
    for (name, expected) in expected {
        close(&[summary[name].as_f64().unwrap()], &[expected], 1e-9);
    }
    assert_eq!((&summary["estimated"], &summary["degrees_of_freedom"]), (&json!(1), &json!(1)));
    assert_eq!((&summary["standing"], &summary["notes"]), (&json!(["estimated"]), &json!([])));

    // The file keeps it, and the command says the same of a model that has none.
    assert_eq!(place.read_json("model.json")["summary"], *summary);
    place.run("learn coin.json demos.jsonl -o plain.json --ends terminal").ended(0);
    assert_eq!(place.read_json("plain.json").get("summary"), None);
    let again = place.run("summary coin.json plain.json demos.jsonl --json").json();
    assert_eq!(again["summary"], *summary);
    assert_eq!(again["theta"], model["theta"]);
    let narrow = place.run("summary coin.json plain.json demos.jsonl --level 0.5 --json").json();
    let half = 0.6744897501960817 * error;
    close(&numbers(&narrow["summary"]["intervals"][0]), &[3f64.ln() - half, 3f64.ln() + half], 1e-7);
}

#[test]
fn people_get_a_table() {
    let place = coin_place();
    let learned = place.run("learn coin.json demos.jsonl -o model.json --ends terminal --summary").ended(0).stdout;
    for words in [
        "model                 maximum entropy, exact\n",
        "paths                 ends terminal, horizon 2, discount 1\n",
        "parameters            1, of which 1 estimated\n",
        "log-likelihood        -2.249341\n",
        "null log-likelihood   -2.772589 (theta = 0)\n",
        "likelihood ratio      1.0465, chi-squared with 1 degrees: p = 0.3063\n",
        "rho-squared           0.1887 (McFadden), adjusted -0.1720\n",
        "converged             yes\n",
        "estimate   std. err.        z   P>|z|      [95 % interval]      robust s.e.\n",
        "\nleft       1.09861     1.15470     0.95   0.341     -1.16456      3.36178     1.15470\n",
        "written to model.json\n",
    ] {
        assert!(learned.contains(words), "{words:?} is not in\n{learned}");
    }
    let asked = place.run("summary coin.json model.json demos.jsonl --level 0.8").ended(0).stdout;
    assert!(asked.contains("[80 % interval]") && !asked.contains("written"), "{asked}");
    // Without --summary, learning prints what it always did.
    let plain = place.run("learn coin.json demos.jsonl -o model.json --ends terminal").ended(0).stdout;
    assert!(plain.contains("theta (the largest first)") && !plain.contains("std. err."), "{plain}");
}

/// Feature names of [`fixtures::fork`]: left, dice, back.
#[test]
fn what_has_no_error_is_named() {
    let place = fixtures::place();
    let summary = |options: &str| {
        let line = format!("learn problem.json demos.jsonl -o model.json --summary --json {options}");
        place.run(&line).json()["summary"].take()
    };
    let notes = |summary: &Value| summary["notes"].to_string();
    let bounded = summary("--bounds -0.1,0.1 --ends terminal");
    let held: Vec<&str> = bounded["standing"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(held.contains(&"at bound"), "{bounded}");
    assert!(notes(&bounded).contains("at a bound; the errors of the others are conditional on that: "), "{bounded}");
    for (k, standing) in held.iter().enumerate() {
        assert_eq!(bounded["standard_errors"][k].is_null(), *standing != "estimated", "{bounded}");
        assert_eq!(bounded["covariance"][k][k].is_null(), *standing != "estimated", "{bounded}");
    }
    assert!(notes(&summary("--l2 0.1")).contains("shrunk towards 0 by l2 = 0.1"));
    let goal = summary("--ends goal --l2 0.1 --horizon 4");
    assert!(goal["robust_standard_errors"].is_array(), "{goal}");

    // Two features that are the same, and one of a place where nobody can go.
    let mut problem = coin();
    problem["n_features"] = json!(3);
    problem["n_states"] = json!(4);
    problem["terminal"] = json!([1, 2, 3]);
    problem["features"] = json!({
        "state": {"state": [1, 1, 3], "feature": [0, 1, 2], "value": [1.0, 2.0, 1.0]},
        "names": ["left", "twice left", "moon"],
    });
    place.write_json("problem.json", &problem);
    place.write("demos.jsonl", COIN_DEMOS);
    let hidden = summary("--ends terminal");
    let words: Vec<&str> = hidden["unidentified"].as_array().unwrap().iter().filter_map(|one| one["words"].as_str()).collect();
    assert_eq!(words, ["left - 0.500000 twice left", "moon"]);
    assert_eq!(hidden["unidentified"][0]["changes_rewards"], json!(false));
    assert_eq!(hidden["standing"], json!(["not identified", "not identified", "not identified"]));
    assert_eq!(hidden["estimated"], json!(1));
    let text = place.run("summary problem.json model.json demos.jsonl").ended(0).stdout;
    assert!(
        text.contains("2 directions of theta are not identified by the data: left - 0.500000 twice left (changes no reward)"),
        "{text}"
    );

    // One of the two is held: the other has its error.
    assert!(text.contains("fix one parameter of each by bounds of its own"), "{text}");
    place.write("bounds.json", "[[null, null], [0, 0], [null, null]]");
    let held = summary("--ends terminal --bounds bounds.json");
    assert_eq!(held["standing"], json!(["estimated", "at bound", "not identified"]));
    close(&[held["standard_errors"][0].as_f64().unwrap()], &[(4.0f64 / 3.0).sqrt()], 1e-7);

    // Everybody goes left.
    place.write("demos.jsonl", "{\"states\": [0, 1], \"actions\": [0]}\n");
    place.write_json("problem.json", &coin());
    let runaway = summary("--ends terminal");
    assert_eq!((&runaway["standing"], &runaway["standard_errors"]), (&json!(["no optimum"]), &json!([null])));
    assert!(notes(&runaway).contains("the likelihood still grows along left"), "{runaway}");
}

#[test]
fn models_without_standard_errors_are_refused_with_a_message() {
    let place = fixtures::place();
    let before = place.read("model.json");
    for inference in ["causal-dual", "ziebart2008"] {
        let line = format!("learn problem.json demos.jsonl -o other.json --inference {inference} --summary --horizon 3");
        place.run(&line).refused(&[inference, "standard errors are available for the exact models only"]);
        assert!(!place.path("other.json").exists());
    }
    let mut model: Value = serde_json::from_str(&before).unwrap();
    (model["inference"], model["chance"]) = (json!("causal-dual"), json!("fixed"));
    place.write_json("causal.json", &model);
    place.run("summary problem.json causal.json demos.jsonl").refused(&["causal-dual", "available for the exact models only"]);
    place.run("samples problem.json -n 200 --prefixes --longest 3 -o samples.jsonl").ended(0);
    let line = "learn problem.json demos.jsonl --model-free samples.jsonl -o free.json --bounds -5,5";
    place.run(line).ended(0);
    place.run("summary problem.json free.json demos.jsonl").refused(&["free.json", "learned from samples"]);
    // Wrong usage.
    place.run(&format!("{line} --summary")).ended(2);
    place.run("learn problem.json demos.jsonl -o other.json --level 0.9").ended(2);
    for level in ["0", "1", "95", "-0.5", "x", "nan"] {
        let ran = place.run(&format!("summary problem.json model.json demos.jsonl --level {level}")).ended(2);
        assert!(ran.stderr.contains("between 0 and 1"), "{ran:#?}");
    }
}

#[test]
fn threads_and_memory_change_no_bit_and_other_demonstrations_are_noted() {
    let place = fixtures::place();
    let run = |options: &str| place.run(&format!("summary problem.json model.json demos.jsonl --json {options}")).json();
    assert_eq!(run("--threads 1"), run("--threads 2"));
    assert_eq!(run("--threads 1"), run("--memory 1M"));
    place.write("fewer.jsonl", "{\"states\": [0, 1], \"actions\": [0]}\n");
    let ran = place.run("summary problem.json model.json fewer.jsonl").ended(0);
    assert!(ran.stderr.contains("learned from 2 demonstrations, and fewer.jsonl has 1"), "{ran:#?}");
}
