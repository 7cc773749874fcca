use revealed_formats::{Layout, Problem, ProblemColumns};
use serde_json::{Value, json};
use zip::CompressionMethod;

use crate::helpers::{Place, archive, arrays, arrays_with, columns, document, float64, int64, message, npy, scalar};

/// The message for [`document`] with one value (at a JSON pointer) replaced.
#[track_caller]
fn with(pointer: &str, value: Value) -> String {
    let mut document = document();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    document.pointer_mut(parent).unwrap()[key] = value;
    of_text(&document.to_string())
}

#[track_caller]
fn of_text(text: &str) -> String {
    let place = Place::new();
    let path = place.file("p.json", text);
    message(&path, Problem::load(&path))
}

#[track_caller]
fn of_arrays(arrays: &[(&str, Vec<u8>)]) -> String {
    let place = Place::new();
    let path = place.path("p.npz");
    archive(&path, arrays, CompressionMethod::Stored);
    message(&path, Problem::load(&path))
}

#[track_caller]
fn with_array(name: &'static str, array: Vec<u8>) -> String {
    of_arrays(&arrays_with(name, array))
}

#[test]
fn probabilities() {
    assert_eq!(
        with("/transitions/p", json!([0.97, 1.0])),
        "state 0, action 0: the transition probabilities sum to 0.97, expected 1"
    );
    assert_eq!(
        with("/transitions/p", json!([1.0, -0.5])),
        "transitions row 1: p is -0.5: it must be a finite number, 0 or more"
    );
    assert_eq!(with("/start/p", json!([0.5])), "the start probabilities sum to 0.5, expected 1");
    assert_eq!(with("/transitions/p", json!([1.0, "one"])), "transitions.p row 1 is \"one\": it must be a number");
    assert_eq!(with("/transitions/p", json!([1.0, null])), "transitions.p row 1 is null: it must be a number");
    assert_eq!(
        with_array("transitions.p", float64(&[1.0, f64::NAN])),
        "transitions row 1: p is NaN: it must be a finite number, 0 or more"
    );
    assert_eq!(
        with_array("features.state.value", float64(&[f64::INFINITY])),
        "features.state row 0: value is inf: it must be a finite number"
    );
    assert_eq!(with("/discount", json!(1.5)), "discount is 1.5: it must lie between 0 and 1");
    assert_eq!(with("/discount", json!("high")), "discount is \"high\": it must be a number");
}

#[test]
fn numbers_that_json_does_not_have() {
    let bad = |number: &str| of_text(&format!("{{\n  \"discount\": {number},\n  \"n_states\": 2\n}}"));
    let expected = "line 2 column 15: expected value: NaN and Infinity are not numbers here, give a finite one";
    assert_eq!(bad("NaN"), expected);
    assert_eq!(bad("Infinity"), expected);
    assert_eq!(bad("-Infinity"), expected.replace("15: expected value", "16: invalid number"));
    let huge = bad("1e999");
    assert!(huge.starts_with("line 2 column") && huge.ends_with(": number out of range: give a finite number"), "{huge}");
}

#[test]
fn indices() {
    assert_eq!(with("/transitions/to", json!([2, 0])), "transitions row 0: to state 2 is out of range, there are 2 (0 to 1)");
    assert_eq!(with("/transitions/action", json!([0, 7])), "transitions row 1: action 7 is out of range, there are 2 (0 to 1)");
    assert_eq!(with("/terminal", json!([5])), "terminal row 0: state 5 is out of range, there are 2 (0 to 1)");
    assert_eq!(
        with("/features/state/feature", json!([1])),
        "features.state row 0: feature 1 is out of range, there are 1 (0 to 0)"
    );
    assert_eq!(
        with("/features/transition", json!({"transition": [2], "feature": [0], "value": [1]})),
        "features.transition row 0: transition 2 is out of range, there are 2 (0 to 1)"
    );
    assert_eq!(with("/transitions/from", json!([0, -1])), "transitions.from row 1 is -1: it must be a whole number, 0 or more");
    assert_eq!(with("/transitions/from", json!([0, 0.5])), "transitions.from row 1 is 0.5: it must be a whole number");
    assert_eq!(with("/terminal", json!([true])), "terminal row 0 is true: it must be a whole number");
    assert_eq!(with("/terminal", json!([-3])), "terminal row 0 is -3: it must be a whole number, 0 or more");
    assert_eq!(with_array("terminal", int64(&[-3])), "terminal row 0 is -3: it must be a whole number, 0 or more");
    let huge = npy("<u8", "(1,)", &u64::MAX.to_le_bytes());
    assert_eq!(with_array("terminal", huge), "terminal row 0 is 18446744073709551615: it must be a whole number below 2^63");
}

#[test]
fn structure() {
    let twice = json!({"from": [0, 0, 0], "action": [0, 0, 1], "to": [1, 1, 0], "p": [0.5, 0.5, 1.0]});
    assert_eq!(
        with("/transitions", twice),
        "transitions rows 0 and 1 both lead from state 0 by action 0 to state 1: add their probabilities into one row"
    );
    assert_eq!(
        with("/terminal", json!([])),
        "state 1 offers no action and is not terminal: give it a transition, or list it under `terminal`"
    );
    assert_eq!(
        with("/transitions", json!({"from": [0, 1], "action": [0, 0], "to": [1, 0], "p": [1.0, 1.0]})),
        "transitions row 1: terminal state 1 leads to state 0: remove the row, or remove the state from `terminal`"
    );
    assert_eq!(
        with("/reference", json!({"state": [0], "action": [0], "p": [0.9]})),
        "reference: the probabilities of state 0 sum to 0.9, expected 1"
    );
    assert_eq!(
        with("/transitions/p", json!([1.0])),
        "transitions.from has 2 rows but transitions.p has 1: give them the same number"
    );
    assert_eq!(with("/features/names", json!(["a", "b"])), "features.names has 2 entries, expected 1");
}

#[test]
fn counts() {
    assert_eq!(
        with("/n_states", json!(1_000_000_000_000_000_000_u64)),
        "n_states is 1000000000000000000: it must lie between 1 and 1073741824"
    );
    assert_eq!(with("/n_states", json!(1e18)), with("/n_states", json!(1_000_000_000_000_000_000_u64)));
    assert_eq!(with("/n_states", json!(1e19)), "n_states is 1e+19: it must be a whole number");
    assert!(with("/n_states", json!(1_000_000_000)).starts_with("state 2 offers no action"));
    assert!(with("/n_features", json!(u32::MAX)).starts_with("n_features is 4294967295: it must lie between 1 and"));
    assert_eq!(with("/n_states", json!(-2)), "n_states is -2: it must be a whole number, 1 or more");
    assert_eq!(with("/n_actions", json!(1.5)), "n_actions is 1.5: it must be a whole number");
    assert!(with("/n_actions", json!(0)).starts_with("n_actions is 0: it must lie between 1 and"));
    assert!(with_array("n_states", scalar(1_000_000_000_000_000_000)).starts_with("n_states is 1000000000000000000:"));
}

#[test]
fn shapes() {
    assert_eq!(of_text("[]"), "the document is an array: it must be an object");
    assert_eq!(of_text("3"), "the document is 3: it must be an object");
    assert_eq!(with("/transitions", json!([1, 2])), "transitions is an array: it must be an object");
    assert_eq!(with("/transitions/from", json!({"a": 1})), "transitions.from is an object: it must be an array");
    assert_eq!(with("/transitions/from", Value::Null), "transitions.from is missing: it is required");
    assert_eq!(with("/start", Value::Null), "start.p is missing: it is required");
    assert_eq!(
        with("/features/state", json!({"state": [1], "feature": [0], "vlaue": [1]})),
        "features.state.value is missing: it is required (not known: features.state.vlaue)"
    );
    assert_eq!(of_text("{}"), "n_states is missing: it is required");
    assert_eq!(
        with("/format", json!("revealed-problem/2")),
        "format is \"revealed-problem/2\": this program reads \"revealed-problem/1\""
    );
    assert_eq!(with("/format", json!(1)), "format is 1: it must be a text");
}

#[test]
fn layouts_and_the_true_theta() {
    assert_eq!(
        with("/layout", json!({"grid": [2, 2]})),
        "layout.grid has 2 rows and 2 columns, but there are 2 states: give it one cell per state"
    );
    assert!(
        with("/layout", json!({"grid": [4_611_686_018_427_387_905_i64, 4]}))
            .starts_with("layout.grid has 4611686018427387905 rows")
    );
    assert_eq!(with("/layout", json!({"grid": [2]})), "layout.grid is [2]: it must be [rows, columns]");
    assert_eq!(with("/layout", json!({"grid": [-1, -2]})), "layout.grid is [-1, -2]: it must be [rows, columns]");
    assert_eq!(with("/layout", json!({"x": [0, 1]})), "layout.y is missing: it is required");
    assert_eq!(with("/layout", json!({"x": [0, 1], "y": [0]})), "layout.y has 1 entries, but there are 2 states: give it 2");
    assert_eq!(
        with("/layout", json!({"grid": [1, 2], "x": [0, 1], "y": [0, 1]})),
        "layout is both a grid and points: it must be either `grid`, or `x` and `y`"
    );
    assert_eq!(with("/reward", json!({"true": [1, 2]})), "reward.true has 2 entries, but there are 1 features: give it 1");
    assert_eq!(with_array("reward.true", float64(&[f64::NAN])), "reward.true row 0 is NaN: it must be a finite number");
}

#[test]
fn every_fault_is_found() {
    let mut columns = columns();
    columns.transitions.value[0] = 0.5;
    columns.transitions.value[3] = 0.25;
    columns.start.value[0] = 0.5;
    columns.state_features.index[1][1] = 9;
    columns.transition_features.index[0][0] = 99;
    columns.names.pop();
    let faults: Vec<String> = columns.faults().iter().map(ToString::to_string).collect();
    let expected = [
        "the start probabilities sum to 0.75, expected 1",
        "state 0, action 0: the transition probabilities sum to 0.5, expected 1",
        "state 1, action 0: the transition probabilities sum to 0.25, expected 1",
        "features.state row 1: feature 9 is out of range, there are 3 (0 to 2)",
        "features.transition row 0: transition 99 is out of range, there are 5 (0 to 4)",
        "features.names has 2 entries, expected 3",
    ];
    assert_eq!(faults, expected);
    columns.transitions.value.pop();
    columns.terminal = vec![-1, 3, -2];
    assert_eq!(columns.faults().len(), 3);
}

#[test]
fn a_sound_problem_has_no_faults_and_a_bad_one_is_not_written() {
    assert!(columns().faults().is_empty());
    let place = Place::new();
    let path = place.path("p.json");
    let mut bad = columns();
    bad.start.value[0] = f64::NAN;
    assert_eq!(message(&path, bad.save(&path)), "start row 0: p is NaN: it must be a finite number, 0 or more");
    assert!(!path.exists());
    let mut problem = columns().build().unwrap();
    problem.layout = Some(Layout::Grid { rows: 1, columns: 2 });
    assert!(message(&path, problem.save(&path)).starts_with("layout.grid has 1 rows and 2 columns"));
    assert!(!path.exists());
}

#[test]
fn arrays_of_the_wrong_kind() {
    let mut missing = arrays();
    missing.retain(|entry| entry.0 != "transitions.p");
    missing.push(("transition.p", float64(&[1.0, 1.0])));
    assert_eq!(of_arrays(&missing), "transitions.p is missing: it is required (not known: transition.p)");
    assert_eq!(
        with_array("transitions.from", float64(&[0.0, 0.0])),
        "transitions.from is an array of type <f8 and shape (2): it must be an array of integers (numpy.int64)"
    );
    assert_eq!(
        with_array("transitions.p", npy("<f2", "(2,)", &[0; 4])),
        "transitions.p is an array of type <f2 and shape (2): it must be an array of numbers (numpy.float64)"
    );
    assert_eq!(
        with_array("transitions.p", npy("<f8", "(1, 2)", &[0; 16])),
        "transitions.p is an array of type <f8 and shape (1, 2): it must be a one-dimensional array"
    );
    assert_eq!(
        with_array("n_states", int64(&[1, 2])),
        "n_states is an array of type <i8 and shape (2): it must be a single number or text"
    );
    assert_eq!(
        with_array("features.names", int64(&[1])),
        "features.names is an array of type <i8 and shape (1): it must be an array of texts (numpy.str_)"
    );
    assert_eq!(
        with_array("start.p", npy("|O", "(1,)", b"pickle")),
        "start.p is an array of Python objects: it must be an array of plain numbers or texts"
    );
    let structured = npy("x", "(1,)", &[0; 4]);
    assert!(with_array("start.p", structured).starts_with("start.p is an array of a type that is not a plain one"));
}

#[test]
fn arrays_that_promise_what_they_do_not_hold() {
    let damaged = "the file is damaged or cut short, write it again";
    assert_eq!(
        with_array("terminal", npy("<i8", "(1000000000000,)", &[0; 8])),
        format!("array terminal cannot be read (its header states 8000000000000 bytes, but it holds 8): {damaged}")
    );
    let overflowing = with_array("terminal", npy("<i8", "(9223372036854775807, 9223372036854775807)", &[0; 8]));
    assert!(overflowing.starts_with("array terminal cannot be read (its header states an array of type <i8"), "{overflowing}");
    assert!(with_array("terminal", npy("<U0", "(1000000000000000,)", &[])).contains("states 1000000000000000 bytes"));
    assert!(with_array("features.names", npy("<U4000000000000000000", "(1,)", &[])).contains("cannot be read"));
    assert!(with_array("terminal", npy("<i8", "(1,)", &[0; 9])).contains("states 8 bytes, but it holds more"));
    assert_eq!(
        with_array("terminal", b"no array".to_vec()),
        format!("array terminal cannot be read (it is not a numpy array): {damaged}")
    );
    assert!(with_array("terminal", b"\x93NUM".to_vec()).contains("(it is cut short)"));
    let mut long_header = b"\x93NUMPY\x02\x00".to_vec();
    long_header.extend(u32::MAX.to_le_bytes());
    assert!(with_array("terminal", long_header).contains("(its header has 4294967295 bytes)"));
    let nested = npy("<i8", &"(".repeat(50_000), &[]);
    assert!(with_array("terminal", nested).contains("(its header has no shape)"));
}

#[test]
fn truncated_json_names_line_and_column() {
    let text = serde_json::to_string_pretty(&document()).unwrap();
    let message = of_text(&text[..text.len() / 2]);
    assert!(message.starts_with("line ") && message.contains(" column "), "{message}");
    assert!(message.ends_with(": the file is cut short, write it again"), "{message}");
    assert_eq!(of_text("{\"n_states\": 2,}"), "line 1 column 16: trailing comma");
}

#[test]
fn loading_a_problem_checks_the_extension() {
    let place = Place::new();
    let path = place.file("p.yaml", "a: 1");
    assert_eq!(message(&path, Problem::load(&path)), "has the extension .yaml: a problem is a .json or .npz file");
    let path = place.file("problem", "");
    assert_eq!(message(&path, ProblemColumns::load(&path)), "has the extension none: a problem is a .json or .npz file");
    assert_eq!(message(&path, columns().save(&path)), "has the extension none: a problem is a .json or .npz file");
}
