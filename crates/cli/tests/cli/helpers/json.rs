//! Answers in JSON, and numbers that are the same but for rounding.

use serde_json::Value;

/// The names of the fields of an object, sorted.
#[track_caller]
pub fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// A number.
#[track_caller]
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// One JSON value a line.
#[track_caller]
pub fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

/// The numbers of an array.
#[track_caller]
pub fn numbers(array: &Value) -> Vec<f64> {
    array.as_array().unwrap_or_else(|| panic!("{array} is not an array")).iter().map(number).collect()
}

/// Asserts that numbers agree to `tolerance`, or to that share of them where they exceed 1.
#[track_caller]
pub fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = (found - expected).abs();
        assert!(difference <= tolerance * expected.abs().max(1.0), "[{place}] is {found}, not {expected}");
    }
}
