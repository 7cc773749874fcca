//! Demonstrations that are seen in part.

use revealed::{PartialTrajectory, Sight, Sighting};
use revealed_formats::demonstrations::{Seen, load, load_partial, load_seen, save_partial};

use crate::helpers::{Place, columns, message};

/// The message for a file of these lines, checked against the sample problem.
#[track_caller]
fn of_lines(text: &str) -> String {
    let place = Place::new();
    let path = place.file("d.jsonl", text);
    message(&path, load_seen(&columns().build().unwrap().mdp, &path))
}

#[test]
fn every_kind_of_entry_comes_back() {
    let place = Place::new();
    let text = "{\"states\": [0, null, [[1, 0.25], [3, 0.75]], \"...\", 3], \"actions\": [[[0, 1.0], [1, 0.5]], 0, null, null], \
                \"weight\": 2, \"id\": \"a\", \"trip\": {\"driver\": \"x\"}}\n{\"states\": [0, 3], \"actions\": null}\n\
                {\"states\": [0, 3], \"actions\": [1]}\n";
    let path = place.file("d.jsonl", text);
    let seen = load_partial(&path).unwrap();
    assert_eq!(seen.len(), 3);
    let weighted = Sight::Weighted(vec![(1, 0.25), (3, 0.75)]);
    assert_eq!(seen[0].sightings[2], Sighting::Step { state: weighted, action: Sight::Unseen });
    assert_eq!(seen[0].sightings[3], Sighting::Gap);
    assert_eq!((seen[0].weight, seen[0].id.as_deref(), seen[0].trip.len()), (2.0, Some("a"), 1));
    assert_eq!(seen[1], PartialTrajectory::new(vec![Sighting::state(0), Sighting::state(3)]));
    let again = place.path("again.jsonl");
    save_partial(&seen, &again).unwrap();
    assert_eq!(load_partial(&again).unwrap(), seen);
    // Where whole ones are needed, the message says who takes such.
    let found = message(&path, load(&path));
    assert!(found.starts_with("line 1: this demonstration is seen in part"), "{found}");
    assert!(save_partial(&seen, place.path("d.npz")).unwrap_err().to_string().contains(".jsonl"));
}

#[test]
fn whole_files_are_whole() {
    let place = Place::new();
    let path = place.file("d.jsonl", "{\"states\": [0, 3], \"actions\": [1]}\n");
    assert!(matches!(load_seen(&columns().build().unwrap().mdp, &path).unwrap(), Seen::Whole(demos) if demos.len() == 1));
}

#[test]
fn faults_name_the_place() {
    let expected = "a state, null where none was seen, \"...\" for any number of unseen ones, or a list of [state, weight]";
    assert_eq!(
        of_lines(r#"{"states": [null, "x"], "actions": [0]}"#),
        format!("line 1: states row 1 is \"x\": it must be {expected}")
    );
    assert_eq!(
        of_lines(r#"{"states": [null, 3], "actions": []}"#),
        "line 1: actions has 0 entries, but there are 2 states, gaps included: give it 1"
    );
    assert_eq!(
        of_lines(r#"{"states": ["...", 3], "actions": [1]}"#),
        "line 1: actions row 0 is 1: it must be null: the action before the next state is one of a gap"
    );
    assert_eq!(of_lines(r#"{"states": [null, 3]}"#), "line 1: actions is missing: it is required");
    assert_eq!(
        of_lines(r#"{"states": [0, [[3, -1]]], "actions": [1], "id": "b"}"#),
        "demonstration 0 (id b): step 1: the weight of state 3 is -1: it must be a finite number, 0 or more"
    );
    assert_eq!(
        of_lines(r#"{"states": [0, [[3, 0], [1, 0]]], "actions": [1]}"#),
        "demonstration 0: step 1: the weight of every state is 0, so that none agrees with what was seen; for a state that \
         was not seen, give null"
    );
    assert_eq!(
        of_lines(r#"{"states": [0, [[3, 1], [3, 2]]], "actions": [1]}"#),
        "demonstration 0: step 1: state 3 has two weights: give one"
    );
    assert_eq!(
        of_lines(r#"{"states": [0, [[9, 1]]], "actions": [1]}"#),
        "demonstration 0: step 1: state 9 is out of range, there are 4"
    );
    assert_eq!(
        of_lines(r#"{"states": [0, null], "actions": [7]}"#),
        "demonstration 0: step 0: action 7 is out of range, there are 2"
    );
    assert_eq!(
        of_lines("{\"states\": [0, 3], \"actions\": [1]}\n{\"states\": [3, \"...\", 0], \"actions\": null}"),
        "demonstration 1: it starts in state 3, which has start probability 0"
    );
    assert_eq!(
        of_lines(r#"{"states": [0, null, null, null, 0, null], "actions": [1, null, null, null, null]}"#),
        "demonstration 0: step 3: what was seen here does not agree with what was seen before it: no path of this world has \
         both"
    );
}
