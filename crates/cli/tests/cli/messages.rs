//! What the command says when something is wrong: a good part of all errors, in the words that a user reads.

use std::fmt::Write;

use serde_json::json;

use crate::helpers::{Place, fixtures, same_as_snapshot};

/// Runs each line, which ends with this exit code, and keeps what it prints.
fn transcript(place: &Place, lines: &[&str], code: i32) -> String {
    let mut text = String::new();
    for line in lines {
        let ran = place.run(line).ended(code);
        let _ = writeln!(text, "$ revealed {line}\n{}{}", ran.stdout, ran.stderr);
    }
    text
}

/// The fork with models of every kind, and files that are wrong.
fn place() -> Place {
    let place = fixtures::place();
    let theta = [0.0; 3];
    place.write_model("goal.json", &theta, 4, "goal");
    place.write_model("short.json", &[1.0], 4, "anywhere");
    let causal = json!({"theta": theta, "horizon": 3, "ends": "horizon", "inference": "causal"});
    place.write_json("causal.json", &causal);
    place.write_json("contradiction.json", &json!({"theta": theta, "horizon": 3, "ends": "horizon", "chance": "fixed"}));
    place.write("pairs.csv", "from,to\n0,1\n");
    place.write_json("logit.json", &json!({"theta": theta, "horizon": 3, "ends": "goal", "inference": "recursive-logit"}));
    place.write("weights.json", "[1, 0, 0]");
    place.write("empty.jsonl", "");
    place.write("bad.jsonl", "{\"states\": [0, 2], \"actions\": [0]}\n");
    let mut problem = fixtures::fork();
    problem["transitions"]["p"] = json!([1.0, 0.5, 0.25, 0.25, 0.5]);
    place.write_json("broken.json", &problem);
    place
}

/// Options that are wrong: exit code 2.
const USAGE: &[&str] = &[
    "lern problem.json demos.jsonl",
    "learn problem.json demos.jsonl",
    "learn problem.json -o new.json",
    "learn problem.json demos.jsonl -o new.json --fast",
    "learn problem.json demos.jsonl -o new.json --ends nowhere",
    "learn problem.json demos.jsonl -o new.json --inference best",
    "learn problem.json demos.jsonl -o new.json --horizon many",
    "learn problem.json demos.jsonl -o new.json --level 0.9",
    "learn problem.json demos.jsonl -o new.json --summary --level 95",
    "learn problem.json demos.jsonl -o new.json --memory lots",
    "learn problem.json demos.jsonl -o new.json --baseline one",
    "learn problem.json demos.jsonl -o new.json --model-free samples.npz --resume",
    "likelihood problem.json demos.jsonl",
    "likelihood problem.json demos.jsonl --theta theta.json --model model.json",
    "marginals problem.json model.json --to weights.json",
    "sample problem.json model.json -o new.jsonl --from 0 --prefix 0",
    "path problem.json model.json --to 1",
    "path problem.json model.json --from 0 --pairs pairs.csv",
    "policy problem.json model.json --t 1 --rollouts 9",
    "destinations problem.json model.json",
    "plan problem.json --paid later",
    "rollouts problem.json -o new.jsonl --policy greedy",
    "samples problem.json -o new.jsonl --policy optimal",
    "cross-validate problem.json demos.jsonl --l2 much",
    "env frozenlake-4x4",
    "env --list --size 4",
    "env taxi -o new.json --features many",
    "roads match city.npz trips.csv -o new.jsonl --method guess",
    "roads forecast city.npz model.json --from 1",
];

/// Input that is wrong: exit code 1.
const INPUT: &[&str] = &[
    "learn problem.json demos.jsonl -o new.json --horizon any --ends horizon",
    "likelihood problem.json demos.jsonl --theta theta.json --horizon any --ends horizon",
    "score problem.json model.json demos.jsonl --horizon any --ends horizon",
    "marginals problem.json model.json --horizon any --ends horizon",
    "learn problem.json demos.jsonl -o new.json --horizon any --inference ziebart2008",
    "learn problem.json demos.jsonl -o new.json --horizon 4 --inference recursive-logit",
    "learn nothing.json demos.jsonl -o new.json",
    "learn problem.txt demos.jsonl -o new.json",
    "learn broken.json demos.jsonl -o new.json",
    "learn problem.json empty.jsonl -o new.json",
    "learn problem.json bad.jsonl -o new.json",
    "learn problem.json demos.jsonl -o demos.jsonl",
    "learn problem.json demos.jsonl -o no/new.json",
    "learn problem.json demos.jsonl -o new.json --bounds 3,-3",
    "learn problem.json demos.jsonl -o new.json --bounds 3",
    "learn problem.json demos.jsonl -o new.json --l2=-1",
    "learn problem.json demos.jsonl -o new.json --threads 0",
    "learn problem.json demos.jsonl -o new.json --horizon 2",
    "learn problem.json demos.jsonl -o new.json --inference ziebart2008",
    "learn problem.json demos.jsonl -o causal.json --resume",
    "summary problem.json causal.json demos.jsonl",
    "likelihood problem.json demos.jsonl --theta weights.txt",
    "likelihood problem.json demos.jsonl --model short.json",
    "marginals problem.json goal.json",
    "marginals problem.json model.json --t 9",
    "marginals problem.json model.json --to 7",
    "marginals problem.json model.json --from nowhere",
    "sample problem.json model.json -n 0 -o new.jsonl",
    "sample problem.json model.json -o new.jsonl --prefix 0,2",
    "sample problem.json causal.json -o new.jsonl --states 0",
    "path problem.json goal.json --from 0",
    "path problem.json goal.json --from 1 --to 2",
    "path problem.json causal.json --pairs pairs.csv",
    "marginals problem.json contradiction.json",
    "policy problem.json model.json --rollouts 1",
    "policy problem.json model.json --discount 2",
    "policy problem.json model.json -o policy.txt",
    "destinations problem.json model.json --prefix 0 --top 0",
    "destinations problem.json model.json --prefix 0 --prior nobody",
    "plan problem.json",
    "plan problem.json --temperature 0",
    "rollouts problem.json -o new.jsonl --policy boltzmann",
    "rollouts problem.json -o new.jsonl --policy uniform --temperature 1",
    "rollouts problem.json -o new.jsonl --policy uniform --discount 0.9",
    "rollouts problem.json -o new.jsonl --policy reference",
    "samples problem.json -n 1 -o new.jsonl",
    "samples problem.json -o new.jsonl --policy reference",
    "evaluate problem.json model.json",
    "score problem.json model.json demos.jsonl -o scores.txt",
    "cross-validate problem.json demos.jsonl --folds 3",
    "env lake -o new.json",
    "env taxi -o new.json --size 4",
    "check broken.json demos.jsonl",
    "demo -n 0",
    "reproduce everything",
    "roads import problem.json -o new.txt",
    "roads match problem.json trips.csv -o new.jsonl --area here",
];

#[test]
fn errors_are_as_they_were_reviewed() {
    let place = place();
    let before = place.files();
    same_as_snapshot("messages/usage.txt", &transcript(&place, USAGE, 2));
    same_as_snapshot("messages/input.txt", &transcript(&place, INPUT, 1));
    assert_eq!(place.files(), before);
}

#[test]
fn notes_beside_an_answer() {
    let lines = [
        "sample problem.json model.json -n 1 --prefix 1 -o new.jsonl",
        "destinations problem.json goal.json --prefix 0 --top 1",
        "learn problem.json demos.jsonl -o new.json --bounds -1,1 --resume --max-iterations 0",
    ];
    let place = place();
    let stderr: String = lines.iter().map(|line| place.run(line).ended(0).stderr).collect();
    same_as_snapshot("messages/notes.txt", &stderr);
}
