//! `--help` of every command, and the examples in it.

use crate::place::Place;

/// The commands that `revealed --help` lists.
fn commands(place: &Place) -> Vec<String> {
    let help = place.run("--help").ended(0).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<String> = listed.filter_map(|line| line.split_whitespace().next().map(str::to_string)).collect();
    names.into_iter().filter(|name| name != "help").collect()
}

/// The lines under `Example:`.
fn examples(place: &Place, command: &str) -> Vec<String> {
    let ran = place.run(&format!("{command} --help")).ended(0);
    assert_eq!(ran.stderr, "");
    assert!(ran.stdout.contains("Usage: revealed"), "{ran:#?}");
    let lines = ran.stdout.lines().skip_while(|line| *line != "Example:").skip(1);
    lines.map(|line| line.trim().to_string()).filter(|line| !line.is_empty()).collect()
}

#[test]
fn every_command_has_an_example_that_works() {
    let place = Place::new();
    place.write("pairs.csv", "from,to\n0,15\n4,15\n");
    let all = commands(&place);
    for expected in [
        "learn",
        "likelihood",
        "marginals",
        "path",
        "sample",
        "samples",
        "policy",
        "plan",
        "rollouts",
        "evaluate",
        "env",
        "check",
        "demo",
        "roads",
    ] {
        assert!(all.iter().any(|name| name == expected), "{expected} is not in {all:?}");
    }
    // In the order in which the files that they name come to be.
    let makes_files = ["demo", "env", "samples", "learn"];
    let rest = all.iter().map(String::as_str).filter(|name| !makes_files.contains(name));
    for command in makes_files.into_iter().chain(rest) {
        let examples = examples(&place, command);
        assert!(!examples.is_empty(), "{command} --help has no example");
        for line in examples {
            assert!(line.starts_with(&format!("revealed {command} ")), "{line}");
            place.shell(&line).ended(0);
        }
        if command == "roads" {
            for part in ["city", "import", "match", "learn", "evaluate", "forecast"] {
                let examples = self::examples(&place, &format!("roads {part}"));
                assert!(!examples.is_empty(), "roads {part} --help has no example");
                examples.iter().for_each(|line| drop(place.shell(line).ended(0)));
            }
        }
        if command == "demo" {
            std::fs::copy(place.path("demo/demos.jsonl"), place.path("demos.jsonl")).unwrap();
        }
    }
}

#[test]
fn help_goes_to_stdout_and_short_help_is_short() {
    let place = Place::new();
    for command in commands(&place).iter().map(String::as_str).chain([""]) {
        let [long, short, by_name] = [format!("{command} --help"), format!("{command} -h"), format!("help {command}")]
            .map(|line| place.run(&line).ended(0).stdout);
        assert!(!short.is_empty() && short.len() <= long.len(), "{command}");
        assert_eq!(long, by_name, "{command}");
    }
    let version = place.run("--version").ended(0).stdout;
    assert_eq!(version, format!("revealed {}\n", env!("CARGO_PKG_VERSION")));
}
