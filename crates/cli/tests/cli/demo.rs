//! `revealed demo`, the first thing that a new user runs.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::helpers::slow_roads::{ROADS, learn_line};
use crate::helpers::{Place, keys, numbers};

/// A line of shell as it runs on a terminal; `None`, with a message, where nothing can play one.
fn on_a_terminal(place: &Place, line: &str) -> Option<String> {
    let version = Command::new("script").arg("--version").stdout(Stdio::piped()).stderr(Stdio::null()).output();
    if !version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("util-linux")) {
        eprintln!("skipped: `script` of util-linux is not here, so there is no terminal");
        return None;
    }
    let ran = place.shell(&format!("script -qec '{line}' /dev/null < /dev/null")).ended(0);
    Some(ran.stdout)
}

#[test]
fn it_needs_nothing_and_shows_both_rewards() {
    let place = Place::new();
    let ran = place.run("demo").ended(0);
    assert_eq!(ran.stderr, "");
    for words in ["FrozenLake 4x4", "50 episodes", "the true reward", "the reward that the episodes reveal"] {
        assert!(ran.stdout.contains(words), "{words} is not in {ran:#?}");
    }
    for words in ["log-likelihood -", " iterations, ", " evaluations in ", " ms; converged"] {
        assert!(ran.stdout.contains(words), "{words} is not in {ran:#?}");
    }
    let model = place.read_json("revealed-demo/model.json");
    let learned = numbers(&model["theta"]);
    let grid: Vec<&str> = ran.stdout.lines().skip_while(|line| !line.starts_with("the true reward")).skip(1).take(4).collect();
    assert_eq!(grid.len(), 4, "{ran:#?}");
    for (row, line) in grid.iter().enumerate() {
        let letters = |letter: char| letter.is_ascii_uppercase() || letter == ' ';
        let cells: Vec<f64> = line.split(letters).filter(|cell| !cell.is_empty()).map(|cell| cell.parse().unwrap()).collect();
        let truth = |column| if (row, column) == (3, 3) { 1.0 } else { 0.0 };
        let expected: Vec<f64> = (0..4).map(truth).chain((0..4).map(|column| learned[4 * row + column])).collect();
        assert_eq!(cells.len(), 8, "{line}");
        assert!(cells.iter().zip(&expected).all(|(cell, value)| (cell - value).abs() <= 0.00501), "{line} {expected:?}");
    }
}

#[test]
fn every_command_that_it_suggests_works_as_it_stands() {
    for (out, folder) in [("", "revealed-demo"), ("--out \"it's my lake\"", "it's my lake")] {
        let place = Place::new();
        let ran = place.shell(&format!("revealed demo {out}")).ended(0);
        let suggested: Vec<&str> = ran
            .stdout
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .filter(|line| line.starts_with("revealed "))
            .collect();
        for command in ["marginals", "likelihood", "sample"] {
            assert!(suggested.iter().any(|line| line.starts_with(&format!("revealed {command} "))), "{ran:#?}");
        }
        for line in suggested {
            let ran = place.shell(line).ended(0);
            assert!(!ran.stdout.is_empty() && ran.stderr.is_empty(), "{ran:#?}");
        }
        assert!(place.path(folder).join("sampled.jsonl").is_file(), "{ran:#?}");
    }
}

#[test]
fn its_files_are_taken_by_the_other_commands() {
    let place = Place::new();
    let printed = place.run("demo --out lake --seed 3 -n 20 --json").json();
    assert_eq!(
        keys(&printed),
        ["demonstrations", "model", "model_file", "n_demonstrations", "n_successful", "page", "problem", "true_theta"]
    );
    assert_eq!(printed["n_demonstrations"], json!(20));
    assert_eq!(printed["model"], place.read_json("lake/model.json"));
    let [problem, demos, model] = ["problem", "demonstrations", "model_file"].map(|field| printed[field].as_str().unwrap());
    let facts = place.run(&format!("check {problem} {demos} --json")).json();
    assert_eq!((&facts["ok"], &facts["n_demonstrations"]), (&json!(true), &json!(20)));
    let likelihood = place.run(&format!("likelihood {problem} {demos} --model {model} --json")).json();
    assert_eq!(likelihood["log_likelihood"], printed["model"]["log_likelihood"]);
    let learned = place.run(&format!("learn {problem} {demos} -o again.json --bounds -10,10 --json")).json();
    assert_eq!(learned["theta"], printed["model"]["theta"]);
    assert_eq!(
        crate::helpers::files_in(&place.path("lake")).into_keys().collect::<Vec<_>>(),
        ["demos.jsonl", "model.json", "problem.json", "report.html"]
    );
}

#[test]
fn the_seed_makes_the_demonstrations() {
    let place = Place::new();
    let demos = |line: &str| {
        place.run(&format!("demo --out lake {line}")).ended(0);
        place.read("lake/demos.jsonl")
    };
    let first = demos("--seed 1");
    assert_eq!(first, demos(""));
    assert_ne!(first, demos("--seed 2"));
}

#[test]
fn colours_are_for_terminals_alone() {
    let place = Place::new();
    let piped = place.run("demo").ended(0).stdout;
    assert!(!piped.contains('\x1b'), "{piped:?}");
    let Some(shown) = on_a_terminal(&place, "env -u NO_COLOR revealed demo") else { return };
    assert!(shown.matches("\x1b[48;2;").count() == 32, "two grids of 16 cells: {shown:?}");
    assert!(shown.matches("\x1b[0m").count() >= 32, "{shown:?}");
    // Progress moves the cursor about, so stderr is put away.
    let plain = on_a_terminal(&place, "NO_COLOR=1 revealed demo 2> progress").unwrap();
    assert!(plain.contains("the true reward") && !plain.contains('\x1b'), "{plain:?}");
}

#[test]
fn progress_is_shown_on_the_terminal_and_stdout_stays_clean() {
    let place = Place::new();
    let line = learn_line(&ROADS.demos, "--max-iterations 4");
    let Some(shown) = on_a_terminal(&place, &format!("revealed {line} > printed.json")) else { return };
    for words in ["log-likelihood -", "gradient ", "/s", "to go"] {
        assert!(shown.contains(words), "{words} is not in {shown:?}");
    }
    assert_eq!(place.read_json("printed.json"), place.read_json("model.json"));
}

#[test]
fn bad_wishes_are_refused() {
    let place = Place::new();
    place.run("demo -n 0").refused(&["-n is 0", "at least one"]);
    place.write("file", "mine");
    place.run("demo --out file").refused(&["--out file", "File exists", "name a folder"]);
    assert_eq!(place.read("file"), "mine");
    assert!(!Path::new(&place.path("revealed-demo")).exists());
}
