//! `revealed likelihood`: the sum over every path of a small chain.

use serde_json::json;

use crate::helpers::chain::{self, PATHS, THETA};
use crate::helpers::{Place, close, keys, numbers};

/// The chain as `chain.json`, demonstrations by their numbers in [`PATHS`], and θ.
fn chain_place(reference: bool, demos: &[(usize, f64)]) -> Place {
    let place = Place::new();
    place.write_json("chain.json", &chain::problem(reference));
    place.write("demos.jsonl", demos.iter().map(|&(demo, weight)| PATHS[demo].line(weight)).collect::<String>());
    place.write_json("theta.json", &json!(THETA));
    place
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
            assert!(found["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
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
    place.write_model("model.json", &THETA, 3, "terminal");
    for (options, ends, horizon) in [("", "terminal", 3), ("--ends anywhere", "anywhere", 3), ("--horizon 2", "terminal", 2)] {
        let found = place.run(&format!("likelihood chain.json demos.jsonl --model model.json --json {options}")).json();
        assert_eq!((&found["ends"], &found["horizon"]), (&json!(ends), &json!(horizon)), "{options}");
        let expected = chain::likelihood(&demos, ends, horizon, false);
        close(&[found["log_likelihood"].as_f64().unwrap()], &[expected.log_likelihood], 1e-14);
    }
}

#[test]
fn likelihood_without_json_is_text() {
    let demos = [(9, 1.0)];
    let place = chain_place(false, &demos);
    let ran = place.run("likelihood chain.json demos.jsonl --theta theta.json").ended(0);
    let expected = chain::likelihood(&demos, "anywhere", 2, false);
    assert!(ran.stdout.contains(&format!("log-likelihood  {:.10}", expected.log_likelihood)), "{ran:#?}");
    assert!(ran.stdout.contains(&format!("log Z           {:.10}", expected.log_partition)), "{ran:#?}");
    assert_eq!(ran.stderr, "");
}
