//! Samples for model-free learning, and demonstrations by their features.

use revealed::{Baseline, SampleColumns, Samples};
use revealed_formats::FeatureDemonstrations;
use revealed_formats::samples::{load, save};
use zip::CompressionMethod;

use crate::helpers::{Place, archive, float64, int64, message, npy};

fn full() -> SampleColumns {
    SampleColumns {
        n_features: 2,
        names: vec!["höhe".to_string(), "toll".to_string()],
        features: vec![0.1, -2.5, 1.0 / 3.0, 1e-300, 7.0, 0.0],
        log_policy: vec![-0.1, -1.0, -2.5],
        log_reference: Some(vec![-0.7, f64::NEG_INFINITY, -0.2]),
        length: Some(vec![1, 2, 3]),
        rollout: Some(vec![4, 4, -9]),
    }
}

#[test]
fn samples_come_back_as_they_were() {
    let place = Place::new();
    let columns = full();
    save(&columns, place.path("s.npz")).unwrap();
    assert_eq!(load(place.path("s.npz")).unwrap(), columns);
    save(&columns, place.path("s.jsonl")).unwrap();
    assert_eq!(load(place.path("s.jsonl")).unwrap(), SampleColumns { names: Vec::new(), ..columns.clone() });
    let least = SampleColumns { log_reference: None, length: None, rollout: None, names: Vec::new(), ..columns.clone() };
    for name in ["least.npz", "least.jsonl"] {
        save(&least, place.path(name)).unwrap();
        assert_eq!(load(place.path(name)).unwrap(), least);
    }
    assert!(Samples::new(&columns, Baseline::Reference).is_ok());
    let bad = SampleColumns { log_policy: vec![-0.1, f64::NAN, 0.0], ..columns };
    let path = place.path("bad.npz");
    assert_eq!(message(&path, save(&bad, &path)), "log_policy row 1 is NaN: it must be a finite number");
    assert!(!path.exists());
    let path = place.path("s.csv");
    assert!(message(&path, save(&full(), &path)).contains("has the extension .csv"));
    assert!(message(&path, load(&path)).contains("has the extension .csv"));
}

fn matrix(shape: &str, values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    npy("<f8", shape, &data)
}

#[test]
fn either_order_of_a_matrix_is_read() {
    let place = Place::new();
    let path = place.path("s.npz");
    let by_rows = matrix("(2, 3)", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    // What numpy.savez writes for a transposed array.
    let by_columns = matrix("(2, 3)", &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let text = String::from_utf8_lossy(&by_columns[10..]).find("False").unwrap() + 10;
    let by_columns = [&by_columns[..text], b"True ", &by_columns[text + 5..]].concat();
    for features in [by_rows, by_columns] {
        archive(&path, &[("features", features), ("log_policy", float64(&[0.0, -1.0]))], CompressionMethod::Deflated);
        let columns = load(&path).unwrap();
        assert_eq!((columns.n_features, columns.features), (3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    }
}

#[track_caller]
fn of_lines(text: &str) -> String {
    let place = Place::new();
    let path = place.file("s.jsonl", text);
    message(&path, load(&path))
}

#[test]
fn lines_that_are_no_samples() {
    let good = "{\"features\": [1, 2], \"log_policy\": -1}\n\n";
    let third = |line: &str| of_lines(&format!("{good}{line}\n"));
    assert_eq!(of_lines(""), "is empty (0 bytes): write it again");
    assert_eq!(of_lines("\n\n"), "the file is without samples: it must be one of at least two rollouts");
    assert_eq!(third(r#"{"log_policy": -1}"#), "line 3: features is missing: it is required");
    assert_eq!(
        third(r#"{"features": [1, 2], "log_p": -1}"#),
        "line 3: log_policy is missing: it is required (not known: log_p)"
    );
    assert_eq!(
        third(r#"{"features": [1, 2, 3], "log_policy": -1}"#),
        "line 3: features has 3 entries, but the first line has 2: give it 2"
    );
    assert_eq!(
        third(r#"{"features": [], "log_policy": -1}"#),
        "line 3: features is without numbers: it must be one number per feature"
    );
    assert_eq!(third(r#"{"features": [1, "x"], "log_policy": 0}"#), "line 3: features row 1 is \"x\": it must be a number");
    assert!(third(r#"{"features": [1, NaN], "log_policy": 0}"#).starts_with("line 3 column 18: "));
    assert_eq!(
        third(r#"{"features": [1, 2], "log_policy": 0, "length": 0}"#),
        "line 3: length is 0: it must be a whole number, 1 or more"
    );
    assert_eq!(
        third(r#"{"features": [1, 2], "log_policy": 0, "log_reference": -1}"#),
        "line 3: log_reference is missing from the lines before this one: it must be given on every line or on none"
    );
    assert_eq!(
        of_lines("{\"features\": [1], \"log_policy\": 0, \"rollout\": 1}\n{\"features\": [1], \"log_policy\": 0}\n"),
        "line 2: rollout is missing: it must be given on every line or on none"
    );
    assert_eq!(third(r#"{"features": [1, 2], "log_policy": "-inf"}"#), "line 3: log_policy is \"-inf\": it must be a number");
    assert!(third("[1]").contains("line 3: the document is an array: it must be an object"));
}

#[test]
fn arrays_that_are_no_samples() {
    let place = Place::new();
    let path = place.path("s.npz");
    let of = |arrays: &[(&str, Vec<u8>)]| {
        archive(&path, arrays, CompressionMethod::Stored);
        message(&path, load(&path))
    };
    let features = || ("features", matrix("(2, 1)", &[1.0, 2.0]));
    let policy = || ("log_policy", float64(&[0.0, 0.0]));
    assert!(of(&[("features", float64(&[1.0, 2.0])), policy()]).contains("it must be a two-dimensional array"));
    assert_eq!(of(&[features()]), "log_policy is missing: it is required");
    assert_eq!(of(&[policy(), ("phi", float64(&[1.0]))]), "features is missing: it is required (not known: phi)");
    assert_eq!(
        of(&[features(), ("log_policy", float64(&[0.0]))]),
        "log_policy has 1 entries, but features has 2 rows: give it 2"
    );
    assert_eq!(
        of(&[features(), policy(), ("rollout", int64(&[1]))]),
        "rollout has 1 entries, but features has 2 rows: give it 2"
    );
    assert_eq!(
        of(&[features(), policy(), ("length", int64(&[3, -1]))]),
        "length row 1 is -1: it must be a whole number, 1 or more"
    );
    // Any number of rows of nothing fits into a small file.
    let endless = matrix("(1099511627776, 0)", &[]);
    assert_eq!(of(&[("features", endless), policy()]), "features is without numbers: it must be one number per feature");
    assert!(of(&[("features", matrix("(0, 2)", &[])), ("log_policy", float64(&[]))]).contains("without samples"));
}

#[test]
fn demonstrations_need_features_alone() {
    let place = Place::new();
    let lines =
        place.file("d.jsonl", "{\"features\": [1, 0], \"weight\": 3, \"length\": 7}\n{\"features\": [0, 4], \"length\": 2}\n");
    let demos = FeatureDemonstrations::load(&lines).unwrap();
    assert_eq!((demos.mean(), demos.len(), demos.longest), (vec![0.75, 1.0], 2, Some(7)));
    let path = place.path("d.npz");
    let features = || ("features", matrix("(2, 2)", &[1.0, 0.0, 0.0, 4.0]));
    archive(&path, &[features(), ("weights", float64(&[3.0, 1.0]))], CompressionMethod::Stored);
    assert_eq!(FeatureDemonstrations::load(&path).unwrap().mean(), [0.75, 1.0]);
    archive(&path, &[features()], CompressionMethod::Stored);
    assert_eq!(FeatureDemonstrations::load(&path).unwrap().mean(), [0.5, 2.0]);

    let of = |weights: &[f64]| {
        archive(&path, &[features(), ("weights", float64(weights))], CompressionMethod::Stored);
        message(&path, FeatureDemonstrations::load(&path))
    };
    assert_eq!(of(&[1.0]), "weights has 1 entries, but features has 2 rows: give it 2");
    assert_eq!(of(&[1.0, -1.0]), "weight row 1 is -1: it must be a finite number, 0 or more");
    assert_eq!(of(&[0.0, 0.0]), "there are no demonstrations, or all of them have weight 0: give at least one that counts");
    assert_eq!(of(&[f64::MAX, f64::MAX]), "the weights of the demonstrations sum to inf: scale them down");
    archive(&path, &[("features", matrix("(1, 2)", &[1.0, f64::INFINITY]))], CompressionMethod::Stored);
    assert_eq!(message(&path, FeatureDemonstrations::load(&path)), "features[1] row 0 is inf: it must be a finite number");
    let empty = place.file("e.jsonl", "\n");
    assert_eq!(
        message(&empty, FeatureDemonstrations::load(&empty)),
        "there are no demonstrations, or all of them have weight 0: give at least one that counts"
    );
}
