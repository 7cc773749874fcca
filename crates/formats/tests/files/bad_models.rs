use revealed::Ends;
use revealed_formats::{Model, load_theta};

use crate::helpers::{Place, columns, message};

#[track_caller]
fn of_model(text: &str) -> String {
    let place = Place::new();
    let path = place.file("m.json", text);
    message(&path, Model::load(&path))
}

#[track_caller]
fn of_theta(text: &str) -> String {
    let place = Place::new();
    let path = place.file("theta.json", text);
    message(&path, load_theta(&path))
}

#[test]
fn models() {
    assert_eq!(
        of_model(r#"{"format": "revealed-model/9", "parameters": []}"#),
        "format is \"revealed-model/9\": this program reads \"revealed-model/1\""
    );
    assert_eq!(of_model(r#"{"horizon": 3, "ends": "goal"}"#), "line 1 column 30: missing field `theta`");
    assert_eq!(
        of_model(r#"{"theta": [1], "horizon": 3, "ends": "nowhere"}"#),
        "line 1 column 47: ends is \"nowhere\": it must be one of anywhere, horizon, terminal, goal"
    );
    assert_eq!(
        of_model(r#"{"theta": [1], "horizon": 0, "ends": "goal"}"#),
        "horizon is 0: it must be a whole number, 1 or more, or \"any\""
    );
    assert_eq!(
        of_model(r#"{"theta": [], "horizon": 1, "ends": "goal"}"#),
        "theta is an array of no numbers: it must be one number per feature"
    );
    assert_eq!(
        of_model(r#"{"theta": [1], "names": ["a", "b"], "horizon": 1, "ends": "goal"}"#),
        "names has 2 entries, but theta has 1: give it 1"
    );
    let summary = r#""summary": {"n": 1, "estimated": 1, "log_likelihood": -1, "null_log_likelihood": -2, "likelihood_ratio": 2,
        "degrees_of_freedom": 1, "likelihood_ratio_p_value": 0.1, "aic": 4, "bic": 2, "condition": 1, "standing": ["estimated"],
        "standard_errors": [0.1, null], "z_values": [1], "p_values": [0.3], "level": 0.95, "intervals": [null],
        "unidentified": [], "weak": [], "correlations": [], "notes": []}"#;
    assert_eq!(
        of_model(&format!(r#"{{"theta": [1], "horizon": 1, "ends": "goal", {summary}}}"#)),
        "summary.standard_errors has 2 entries, but theta has 1: give it 1"
    );
    assert!(
        of_model(r#"{"theta": [1e999], "horizon": 1, "ends": "goal"}"#).ends_with("number out of range: give a finite number")
    );
    assert!(of_model(r#"{"theta": [NaN], "horizon": 1, "ends": "goal"}"#).contains("NaN and Infinity are not numbers here"));
    assert!(of_model(r#"{"theta": [1], "horizon": -1, "ends": "goal"}"#).contains("horizon is -1: it must be a whole number"));
    assert!(of_model(r#"{"theta": [1], "horiz"#).ends_with("the file is cut short, write it again"));
    assert_eq!(of_model("[]"), "the document is an array: it must be an object");
}

#[test]
fn a_bad_model_is_not_written() {
    let place = Place::new();
    let path = place.path("m.json");
    let model = Model::new(vec![1.0, f64::INFINITY], 3, Ends::Anywhere);
    assert_eq!(message(&path, model.save(&path)), "theta row 1 is inf: it must be a finite number");
    assert!(!path.exists());
}

#[test]
fn thetas() {
    assert_eq!(of_theta("{\"theta\": [1]}"), "theta is an object: it must be an array");
    assert_eq!(of_theta("[1, \"2\"]"), "theta row 1 is \"2\": it must be a number");
    assert_eq!(of_theta("[1, null]"), "theta row 1 is null: it must be a number");
    assert_eq!(
        of_theta("[1, NaN]"),
        "line 1 column 5: expected value: NaN and Infinity are not numbers here, give a finite one"
    );
    assert_eq!(of_theta("[1, 2"), "line 1 column 5: EOF while parsing a list: the file is cut short, write it again");
    assert_eq!(of_theta("[1] x"), "line 1 column 5: trailing characters");
}

#[test]
fn theta_of_the_wrong_length() {
    let place = Place::new();
    let theta = load_theta(place.file("theta.json", "[1, 2]")).unwrap();
    let error = columns().build().unwrap().features.check_theta(&theta).unwrap_err();
    assert_eq!(error.to_string(), "theta has 2 entries, expected 3");
}

#[test]
fn histories() {
    let of = |history: &str| of_model(&format!(r#"{{"theta": [1, 2], "horizon": 3, "ends": "goal", "history": {history}}}"#));
    assert_eq!(
        of(r#"{"order": 2, "n_features": 1, "windows": {"states": [[0], [0, 1]], "feature": [0, 0], "value": [1]}}"#),
        "history.windows.value has 1 entries, but states has 2: give it 2"
    );
    assert_eq!(
        of(r#"{"order": 2, "n_features": 2, "windows": {"states": [[0]], "feature": [0], "value": [1]}}"#),
        "history.n_features is 2: it must be less than the length of theta, where the features of the problem come first"
    );
}
