use revealed::Trajectory;
use revealed_formats::demonstrations::{load, load_for, save};
use zip::CompressionMethod;

use crate::helpers::{Place, archive, columns, float64, int64, message};

/// The message for a file of these lines, checked against the sample problem.
#[track_caller]
fn of_lines(text: &str) -> String {
    let place = Place::new();
    let path = place.file("d.jsonl", text);
    message(&path, load_for(&columns().build().unwrap().mdp, &path))
}

#[track_caller]
fn of_arrays(offsets: &[i64], states: &[i64], actions: &[i64]) -> String {
    let place = Place::new();
    let path = place.path("d.npz");
    let arrays = [("offsets", int64(offsets)), ("states", int64(states)), ("actions", int64(actions))];
    archive(&path, &arrays, CompressionMethod::Deflated);
    message(&path, load(&path))
}

#[test]
fn paths_that_the_mdp_does_not_have() {
    assert_eq!(
        of_lines("{\"states\": [0, 3], \"actions\": [1]}\n{\"states\": [0, 3], \"actions\": [0], \"id\": \"trip 7\"}"),
        "demonstration 1 (id trip 7): step 0: action 0 in state 0 never leads to state 3 (probability 0)"
    );
    assert_eq!(
        of_lines(r#"{"states": [0, 1, 2], "actions": [0, 1]}"#),
        "demonstration 0: step 1: state 1 does not offer action 1"
    );
    assert_eq!(
        of_lines(r#"{"states": [0, 1], "actions": [0, 0, 0]}"#),
        "demonstration 0: 2 states need 1 actions, but there are 3"
    );
    assert_eq!(
        of_lines(r#"{"states": [2, 3], "actions": [0]}"#),
        "demonstration 0: it starts in state 2, which has start probability 0"
    );
    assert_eq!(
        of_lines(r#"{"states": [0, 3, 3], "actions": [1, 0]}"#),
        "demonstration 0: step 1: it goes on after terminal state 3"
    );
    assert_eq!(
        of_lines(r#"{"states": [0, 9], "actions": [0]}"#),
        "demonstration 0: step 1: state 9 is out of range, there are 4"
    );
    assert_eq!(of_lines(r#"{"states": [], "actions": []}"#), "demonstration 0: it has no states: give at least one");
    assert_eq!(
        of_lines(r#"{"states": [0], "actions": [], "weight": -1}"#),
        "demonstration 0: its weight is -1: it must be a finite number, 0 or more"
    );
}

#[test]
fn lines_that_are_no_demonstrations() {
    let good = "{\"states\": [0], \"actions\": []}\n\n";
    let third = |line: &str| of_lines(&format!("{good}{line}\n"));
    assert_eq!(
        third(r#"{"states": [0, 1"#),
        "line 3 column 16: EOF while parsing a list: the file is cut short, write it again"
    );
    assert_eq!(
        third(r#"{"states": [0, -1], "actions": [0]}"#),
        "line 3: states row 1 is -1: it must be a whole number, 0 or more"
    );
    assert_eq!(third(r#"{"states": [0, 0.5], "actions": [0]}"#), "line 3: states row 1 is 0.5: it must be a whole number");
    assert_eq!(third(r#"{"states": [0]}"#), "line 3: actions is missing: it is required");
    assert_eq!(third("[0, 1]"), "line 3: the document is an array: it must be an object");
    assert_eq!(third(r#"{"states": [0], "actions": [], "id": []}"#), "line 3: id is an array: it must be a text or a number");
    assert_eq!(
        third(r#"{"states": [0], "actions": [], "weight": NaN}"#),
        "line 3 column 42: expected value: NaN and Infinity are not numbers here, give a finite one"
    );
}

#[test]
fn nothing_there() {
    assert_eq!(of_lines(""), "is empty (0 bytes): write it again");
    assert_eq!(of_lines("\n\n"), "there are no demonstrations, or all of them have weight 0: give at least one that counts");
    assert_eq!(
        of_arrays(&[0], &[], &[]),
        "there are no demonstrations, or all of them have weight 0: give at least one that counts"
    );
    assert_eq!(
        of_lines(r#"{"states": [0], "actions": [], "weight": 0}"#),
        "there are no demonstrations, or all of them have weight 0: give at least one that counts"
    );
}

#[test]
fn arrays_that_are_no_demonstrations() {
    assert_eq!(
        of_arrays(&[0, 2], &[0, 3], &[1, 0]),
        "actions row 1 is 0: it must be -1, as this is the last step of a demonstration"
    );
    assert_eq!(
        of_arrays(&[0, 1, 4], &[0, 0, 1, 2], &[-1, 0, -1, -1]),
        "actions row 2 is -1: it must be a whole number, 0 or more (only the last step of a demonstration has -1)"
    );
    assert_eq!(of_arrays(&[1, 2], &[0, 3], &[1, -1]), "offsets row 0 is 1: the first must be 0");
    assert_eq!(
        of_arrays(&[0, 2, 1, 2], &[0, 3], &[1, -1]),
        "offsets row 2 is 1: it must not be less than the one before it, 2"
    );
    assert_eq!(of_arrays(&[0, 3], &[0, 3], &[1, -1]), "offsets row 1 is 3: the last must be the number of steps, 2");
    assert_eq!(
        of_arrays(&[], &[0, 3], &[1, -1]),
        "offsets is an array of no elements: it must be one more than there are demonstrations"
    );
    assert_eq!(of_arrays(&[0, 2], &[0, 3], &[-1]), "states has 2 rows but actions has 1: give them the same number");
    assert_eq!(of_arrays(&[0, 2], &[0, -3], &[1, -1]), "states row 1 is -3: it must be a whole number, 0 or more");
}

#[test]
fn arrays_that_are_missing_or_of_the_wrong_type() {
    let place = Place::new();
    let path = place.path("d.npz");
    archive(&path, &[("offsets", int64(&[0, 1])), ("state", int64(&[0]))], CompressionMethod::Stored);
    assert_eq!(message(&path, load(&path)), "states is missing: it is required (not known: state)");
    let mut arrays = vec![("offsets", int64(&[0, 1])), ("states", int64(&[0])), ("actions", float64(&[-1.0]))];
    archive(&path, &arrays, CompressionMethod::Stored);
    assert!(
        message(&path, load(&path))
            .starts_with("actions is an array of type <f8 and shape (1): it must be an array of integers")
    );
    arrays[2] = ("actions", int64(&[-1]));
    arrays.push(("weights", float64(&[1.0, 2.0])));
    archive(&path, &arrays, CompressionMethod::Stored);
    assert_eq!(message(&path, load(&path)), "weights has 2 entries, but there are 1 demonstrations: give it 1");
}

#[test]
fn what_cannot_be_written() {
    let place = Place::new();
    let (npz, jsonl, text) = (place.path("d.npz"), place.path("d.jsonl"), place.path("d.txt"));
    let crooked = [Trajectory::new(vec![0, 1], vec![])];
    assert_eq!(message(&npz, save(&crooked, &npz)), "demonstration 0: 2 states need 1 actions, but there are 0");
    let weightless = [Trajectory { weight: f64::NAN, ..Trajectory::new(vec![0], vec![]) }];
    assert_eq!(message(&jsonl, save(&weightless, &jsonl)), "weights row 0 is NaN: it must be a finite number");
    assert_eq!(message(&text, save(&[], &text)), "has the extension .txt: demonstrations are a .jsonl or .npz file");
    assert!(!npz.exists() && !jsonl.exists() && !text.exists());
}
