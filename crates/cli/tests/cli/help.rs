//! `--help` of every command, and the examples in it.

use serde_json::json;

use crate::bench::write_ring;
use crate::helpers::{Place, same_as_snapshot};

/// The commands that the help of `command` lists.
fn listed(place: &Place, command: &str) -> Vec<String> {
    let help = place.run(&format!("{command} --help")).ended(0).stdout;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split_once(' ').filter(|(name, _)| !name.is_empty()));
    names.map(|(name, _)| name.to_string()).filter(|name| name != "help").collect()
}

/// Every command, those of `roads` among them.
fn commands(place: &Place) -> Vec<String> {
    let below = |name: String| {
        let below = listed(place, &name).into_iter().map(|below| format!("{name} {below}")).collect::<Vec<_>>();
        std::iter::once(name).chain(below)
    };
    listed(place, "").into_iter().flat_map(below).collect()
}

/// The lines under `Example:`.
fn examples(place: &Place, command: &str) -> Vec<String> {
    let help = place.run(&format!("{command} --help")).ended(0).stdout;
    let lines = help.lines().skip_while(|line| *line != "Example:").skip(1);
    lines.map(|line| line.trim().to_string()).filter(|line| !line.is_empty()).collect()
}

#[test]
fn help_is_as_it_was_reviewed() {
    let place = Place::new();
    for command in std::iter::once(String::new()).chain(commands(&place)) {
        let [long, short, by_name] = [format!("{command} --help"), format!("{command} -h"), format!("help {command}")]
            .map(|line| place.run(&line).ended(0));
        assert_eq!((long.stderr.as_str(), &long.stdout), ("", &by_name.stdout), "{command}");
        assert!(!short.stdout.is_empty() && short.stdout.len() <= long.stdout.len(), "{command}");
        let name = if command.is_empty() { "revealed".to_string() } else { command.replace(' ', "-") };
        same_as_snapshot(&format!("help/{name}.txt"), &long.stdout);
    }
    let version = place.run("--version").ended(0).stdout;
    assert_eq!(version, format!("revealed {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_command_has_an_example_that_works() {
    let place = Place::new();
    let night = |night: u8| format!("{{\"states\": [0, 4], \"actions\": [1], \"trip\": {{\"night\": {night}}}}}\n");
    place.write("nights.jsonl", night(0) + &night(1));
    let streets = json!({
        "n_states": 4, "n_actions": 2, "n_features": 1, "start": {"state": [0], "p": [1]}, "terminal": [3],
        "transitions": {"from": [0, 0, 1, 2], "action": [0, 1, 0, 0], "to": [1, 2, 3, 3], "p": [1, 1, 1, 1]},
        "features": {"state": {"state": [1, 2], "feature": [0, 0], "value": [1, 2]}, "names": ["length"]},
    });
    place.write_json("streets.json", &streets);
    let trip = |street: u8, weight: u8| {
        format!("{{\"states\": [0, {street}, 3], \"actions\": [{}, 0], \"weight\": {weight}}}\n", street - 1)
    };
    place.write("streets.jsonl", trip(1, 30) + &trip(2, 10));
    for (town, shorter) in [("north", 3), ("south", 2)] {
        place.write_json(&format!("{town}.json"), &streets);
        place.write(&format!("{town}.jsonl"), trip(1, shorter) + &trip(2, 1));
    }
    write_ring(&place, "labyrinth");
    place.write("demand.csv", "from,to,weight\n10,900,50\n20,800,30\n");
    place.write("pairs.csv", "from,to\n0,15\n4,15\n");
    place.write("toll.json", "{\"add_reward\": [{\"reward\": -1, \"states\": [10]}]}");
    let all = commands(&place);
    assert!(all.len() > 20 && all.contains(&"roads match".to_string()), "{all:?}");
    // In the order in which the files that they name come to be.
    let makes_files = [
        "demo",
        "env",
        "samples",
        "learn",
        "roads",
        "roads city",
        "roads import",
        "roads match",
        "roads speeds",
        "roads regions",
        "roads learn",
    ];
    let rest = all.iter().map(String::as_str).filter(|name| !makes_files.contains(name));
    for command in makes_files.into_iter().chain(rest) {
        let examples = examples(&place, command);
        assert!(!examples.is_empty(), "{command} --help has no example");
        for line in examples {
            assert!(line.starts_with(&format!("revealed {command} ")), "{line}");
            place.shell(&line).ended(0);
        }
        if command == "demo" {
            std::fs::copy(place.path("demo/demos.jsonl"), place.path("demos.jsonl")).unwrap();
        }
    }
}
