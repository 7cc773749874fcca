//! `destinations`: the library's numbers, the ranking as a path grows, and what is refused.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use revealed::{Destinations, PathModel, Prior, Trajectory, Work};
use revealed_formats::Problem;
use serde_json::{Value, json};

use crate::helpers::{HANGS, Place, REVEALED, close, fixtures, keys, numbers};

const THETA: [f64; 3] = [0.5, -1.0, 0.25];

/// FrozenLake, and a model that likes the goal.
fn lake() -> Place {
    let place = fixtures::lake_place("");
    let theta: Vec<f64> = (0..16).map(|state| if state == 15 { 5.0 } else { -0.1 }).collect();
    place.write_model("model.json", &theta, 20, "terminal");
    place
}

/// The library's posterior on the fork, as the command lists it.
fn expected(place: &Place, ends: &str, prior: Prior, prefix: &Trajectory) -> (Vec<(usize, f64)>, f64) {
    let problem = Problem::load(place.path("problem.json")).unwrap();
    let reward = problem.features.reward(&problem.mdp, &THETA).unwrap();
    let model = PathModel::new(&problem.mdp, reward, 4, revealed::Ends::from_name(ends).unwrap()).unwrap();
    let mut destinations = Destinations::new(&model, prior, &Work::default()).unwrap();
    let posterior = destinations.posterior(prefix).unwrap();
    let mut rows: Vec<(usize, f64)> = posterior.into_iter().enumerate().filter(|row| row.1 > 0.0).collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    (rows, destinations.lengths(prefix).unwrap().mean())
}

#[test]
fn json_is_the_posterior_of_the_library() {
    let place = fixtures::fork_with_models(&THETA, 4);
    place.write("prior.json", "[0, 3, 1]");
    let prefix = Trajectory::new(vec![0, 0], vec![2]);
    for (ends, option, prior) in [
        ("anywhere", "", Prior::Model),
        ("anywhere", "--prior uniform", Prior::Uniform),
        ("terminal", "--prior prior.json", Prior::Given(vec![0.0, 3.0, 1.0])),
        ("horizon", "--prior model", Prior::Model),
        ("goal", "--prior uniform", Prior::Uniform),
    ] {
        let found = place.run(&format!("destinations problem.json {ends}.json --prefix 0,2,0 {option} --json")).json();
        let fields = ["ends", "expected_length", "expected_remaining", "horizon", "posterior", "prefix_length", "prior"];
        assert_eq!(keys(&found), fields);
        let (rows, mean) = expected(&place, ends, prior, &prefix);
        assert_eq!(found["posterior"], json!(rows), "{ends} {option}");
        assert_eq!((&found["prefix_length"], &found["horizon"], &found["ends"]), (&json!(2), &json!(4), &json!(ends)));
        let numbers = [&found["expected_length"], &found["expected_remaining"]].map(|number| number.as_f64().unwrap());
        close(&numbers, &[mean, mean - 2.0], 1e-12);
    }
}

/// By hand: with theta 0 and ends = terminal, the dice leads back with 1/2. From 0 at t = 3 of 4 one step is left: to 1
/// by action 0 (weight 1) or the dice (1/4), to 2 likewise.
#[test]
fn numbers_worked_out_by_hand() {
    let place = fixtures::fork_with_models(&THETA, 4);
    place.write_json("zero.json", &json!({"theta": [0.0, 0.0, 0.0], "horizon": 4, "ends": "terminal"}));
    let ask = |options: &str| {
        let found = place.run(&format!("destinations problem.json zero.json --prefix 0,2,0,2,0 --json {options}")).json();
        found["posterior"].as_array().unwrap().iter().map(numbers).collect::<Vec<_>>()
    };
    assert_eq!(ask(""), [[1.0, 0.5], [2.0, 0.5]]);
    assert_eq!(ask("--top 1"), [[1.0, 0.5]]);
    // With ends = anywhere it may also end here, now (weight 1) or after the way back (1/2), against 5/4 for each of
    // the others.
    let anywhere = ask("--ends anywhere");
    assert_eq!(anywhere, [[0.0, 1.5 / 4.0], [1.0, 1.25 / 4.0], [2.0, 1.25 / 4.0]]);
    // With a horizon of 3 the path is at its end.
    assert_eq!(ask("--ends anywhere --horizon 3"), [[0.0, 1.0]]);
}

#[test]
fn words_have_a_table_and_a_map() {
    let place = lake();
    let ran = place.run("destinations lake.json model.json --prefix 0,1,4,1,8").ended(0);
    assert!(
        ran.stdout
            .starts_with("destinations of a path that is in state 8 after 3 states (horizon 20, ends terminal, prior model)\n")
    );
    assert!(ran.stdout.contains("probability of ending there\n"), "{ran:#?}");
    assert!(ran.stdout.contains("     1  15 ") && ran.stdout.contains("  1.00000000\n"), "{ran:#?}");
    assert!(ran.stdout.contains("are still to come\n"), "{ran:#?}");
    assert_eq!(ran.stderr, "");
    let ran = place.run("destinations lake.json model.json --prefix 8 --top 2").ended(0);
    assert!(ran.stdout.contains("  and 3 more states: --top N lists N"), "{ran:#?}");
    assert!(ran.stderr.starts_with("note: no path of the problem begins in state 8"), "{ran:#?}");
}

#[test]
fn models_of_goals_have_no_prior_of_their_own() {
    let place = fixtures::fork_with_models(&THETA, 4);
    let ran = place.run("destinations problem.json goal.json --prefix 0 --json").ended(0);
    assert!(ran.stderr.starts_with("note: ") && ran.stderr.contains("the prior is uniform"), "{ran:#?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["prior"], "uniform");
    // Without any evidence the posterior is the prior.
    let rows: Vec<f64> = found["posterior"].as_array().unwrap().iter().map(|row| row[1].as_f64().unwrap()).collect();
    close(&rows, &[1.0 / 3.0; 3], 1e-15);
    place.refuses("destinations problem.json goal.json --prefix 0 --prior model", &["ends = goal", "give a prior, uniform"]);
}

#[test]
fn destinations_refuses_bad_input() {
    let place = fixtures::fork_with_models(&THETA, 4);
    let ask = "destinations problem.json terminal.json --prefix";
    for (prefix, words) in [
        ("0,2", "has 2 numbers"),
        ("0,x,0", "\"x\" is not an action"),
        ("0,0,2", "action 0 in state 0 never leads to state 2"),
        ("0,2,1,0,1", "goes on after terminal state 1"),
        ("3", "state 3 is out of range"),
        ("0,2,0,2,0,2,0,2,0", "5 states, more than the horizon 4"),
        ("0,2,0,2,0,2,0", "no path that begins with this prefix of 4 states and leads to a terminal state"),
    ] {
        place.refuses(&format!("{ask} {prefix}"), &[words]);
    }
    place.write("short.json", "[1, 2]");
    place.write("zero.json", "[0, 0, 0]");
    place.write("negative.json", "[1, -2, 0]");
    place.write("here.json", "[1, 0, 0]");
    for (prior, words) in [
        ("short.json", ["short.json", "the prior", "3 states"]),
        ("zero.json", ["zero.json", "the prior", "above 0"]),
        ("negative.json", ["negative.json", "the prior row 1 is -2", "0 or more"]),
        ("missing.json", ["--prior missing.json", "neither model nor uniform", "3 weights"]),
        ("here.json", ["the prior is 0 wherever", "now in state 0", "horizon 4"]),
    ] {
        place.refuses(&format!("{ask} 0,2,0 --prior {prior}"), &words);
    }
    place.refuses(&format!("{ask} 0 --top 0"), &["--top is 0"]);
    place.refuses(&format!("{ask} 0 --horizon 0"), &["the horizon is 0"]);
    place.refuses(&format!("{ask} 0 --threads 0"), &["threads"]);
    place.run("destinations problem.json terminal.json").ended(2);
}

/// The program with its stdin open, and a thread that reads its lines.
struct Following {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Following {
    fn new(place: &Place, line: &str) -> Following {
        let mut child = Command::new(REVEALED)
            .args(line.split_whitespace())
            .current_dir(place.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Following { stdin: child.stdin.take(), child, lines }
    }

    fn say(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// The next line, while stdin is still open.
    fn hear(&self) -> String {
        self.lines.recv_timeout(HANGS).expect("a line")
    }

    fn end(mut self) -> (Option<i32>, Vec<String>, String) {
        drop(self.stdin.take());
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), self.lines.iter().collect(), String::from_utf8(output.stderr).unwrap())
    }
}

#[test]
fn follow_answers_each_line_while_the_next_is_awaited() {
    let place = fixtures::fork_with_models(&THETA, 4);
    let line = "destinations problem.json anywhere.json --prior uniform --follow --json";
    let mut following = Following::new(&place, line);
    let prefixes =
        [Trajectory::new(vec![0], vec![]), Trajectory::new(vec![0, 0], vec![2]), Trajectory::new(vec![0, 0, 2], vec![2, 1])];
    for (said, prefix) in ["0\n", "2 0\n", "\n  1,  2\n"].into_iter().zip(&prefixes) {
        following.say(said);
        let found: Value = serde_json::from_str(&following.hear()).unwrap();
        let (rows, mean) = expected(&place, "anywhere", Prior::Uniform, prefix);
        assert_eq!((&found["posterior"], &found["prefix_length"]), (&json!(rows), &json!(prefix.states.len())));
        close(&[found["expected_length"].as_f64().unwrap()], &[mean], 1e-12);
    }
    let (code, rest, stderr) = following.end();
    assert_eq!((code, rest, stderr.as_str()), (Some(0), vec![], ""));
}

#[test]
fn follow_leaves_out_what_is_no_step() {
    let place = fixtures::fork_with_models(&THETA, 4);
    let mut following = Following::new(&place, "destinations problem.json terminal.json --follow --top 1");
    following.say("0 1\nhello\n7\n");
    following.say("0\n");
    assert!(following.hear().starts_with("t = 1, state 0: 1 (0."), "the first state that exists begins the path");
    following.say("2\n0 2\n2 x\n\u{0}\u{1}\n9 9\n18446744073709551616 0\n");
    following.say("2 0\n");
    let line = following.hear();
    assert!(line.starts_with("t = 2, state 0: ") && line.ends_with("states to come"), "{line}");
    // At t = 4 no terminal state can be reached any more: nothing can be said, and the step was taken all the same.
    following.say("2 0\n2 0\n0 1");
    assert!(following.hear().starts_with("t = 3, state 0: "));
    let (code, rest, stderr) = following.end();
    assert_eq!(code, Some(0));
    assert!(rest.is_empty(), "{rest:?}");
    let said: Vec<&str> = stderr.lines().collect();
    for (line, words) in [
        ("line 1: ", "the first line is a state alone"),
        ("line 2: ", "\"hello\" is not a state"),
        ("line 3: ", "state 7 is out of range"),
        ("line 5: ", "give an action and the state that it led to"),
        ("line 6: ", "action 0 in state 0 never leads to state 2"),
        ("line 7: ", "\"x\" is not a state"),
        ("line 8: ", "give an action"),
        ("line 9: ", "state 9 is out of range"),
        ("line 10: ", "\"18446744073709551616\" is not an action"),
        ("line 13: ", "no path that begins with this prefix of 4 states"),
        ("line 14: ", "it has 5 states, more than the horizon 4"),
    ] {
        let begins = format!("stdin, {line}");
        let found = said.iter().find(|said| said.starts_with(&begins)).unwrap_or_else(|| panic!("{line} {stderr}"));
        assert!(found.contains(words) && (found.ends_with("it is skipped") != line.contains("13")), "{found}");
    }
    assert_eq!(said.len(), 11, "{stderr}");
}

#[test]
fn follow_goes_on_from_a_prefix_and_stops_with_its_reader() {
    let place = fixtures::fork_with_models(&THETA, 4);
    let mut following = Following::new(&place, "destinations problem.json terminal.json --prefix 0,2,0 --follow");
    assert!(following.hear().starts_with("t = 2, state 0: "));
    following.say("0 1\n");
    assert!(following.hear().starts_with("t = 3, state 1: 1 (1.0000)"));
    assert_eq!(following.end().0, Some(0));
    // Nobody reads on: the program ends although stdin never does.
    let steps = "(echo 0; yes 2 0)";
    let line = format!("{steps} | revealed destinations problem.json anywhere.json --horizon 100000 --follow | head -n 1");
    assert!(place.shell(&line).ended(0).stdout.starts_with("t = 1"));
    place.shell("revealed destinations problem.json terminal.json --follow < /dev/null").ended(0);
    place.refuses("destinations problem.json terminal.json --prefix 9 --follow", &["state 9 is out of range"]);
}
