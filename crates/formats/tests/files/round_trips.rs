use revealed::{Ends, Trajectory};
use revealed_formats::{Layout, Model, Problem, ProblemColumns, demonstrations, load_theta};
use zip::CompressionMethod;

use crate::helpers::{Place, archive, arrays, arrays_with, columns, document, npy};

#[test]
fn json_and_npz_hold_the_same_problem() {
    let place = Place::new();
    let (json, npz) = (place.path("p.json"), place.path("p.npz"));
    columns().save(&json).unwrap();
    Problem::load(&json).unwrap().save(&npz).unwrap();
    assert_eq!(ProblemColumns::load(&json).unwrap(), columns());
    assert_eq!(ProblemColumns::load(&npz).unwrap(), columns());
    let (from_json, from_npz) = (Problem::load(&json).unwrap(), Problem::load(&npz).unwrap());
    assert_eq!(from_json, from_npz);
    assert_eq!(from_json.digest(), from_npz.digest());
    assert_eq!(from_npz.features.names()[0], "länge");
}

#[test]
fn json_is_laid_out_for_people() {
    let place = Place::new();
    let path = place.path("p.json");
    columns().save(&path).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.starts_with("{\n  \"format\": \"revealed-problem/1\",\n  \"n_states\": 4,\n"), "{text}");
    assert!(
        text.contains("  \"transitions\": {\n    \"from\": [0, 0, 0, 1, 2],\n    \"action\": [0, 1, 1, 0, 0],\n"),
        "{text}"
    );
    assert!(text.contains("  \"layout\": {\n    \"grid\": [2, 2]\n  },\n"), "{text}");
    assert!(text.ends_with("  \"reward\": {\n    \"true\": [-1.0, 0.25, 3.0]\n  }\n}\n"), "{text}");
}

#[test]
fn the_digest_does_not_depend_on_the_order_of_rows() {
    let digest = columns().build().unwrap().digest();
    assert!(digest.starts_with("fnv1a64:") && digest.len() == 24, "{digest}");
    let mut shuffled = columns();
    for column in &mut shuffled.transitions.index {
        column.reverse();
    }
    shuffled.transitions.value.reverse();
    shuffled.transition_features.index[0][0] = 2; // row 2 of 5 stays in the middle
    shuffled.start.index[0].reverse();
    shuffled.start.value.reverse();
    for column in &mut shuffled.state_features.index {
        column.reverse();
    }
    shuffled.state_features.value.reverse();
    assert_eq!(shuffled.build().unwrap().digest(), digest);
}

#[test]
fn the_digest_depends_on_every_part() {
    type Change = fn(&mut ProblemColumns);
    let changes: [Change; 7] = [
        |columns| columns.discount = 0.8,
        |columns| columns.start.value = vec![0.5, 0.5],
        |columns| columns.transitions.value[1..3].reverse(),
        |columns| columns.reference = Default::default(),
        |columns| columns.state_features.value[0] = 0.2,
        |columns| columns.state_action_features.index[1][0] = 0,
        |columns| columns.transition_features.index[1][0] = 1,
    ];
    let digest = columns().build().unwrap().digest();
    for (number, change) in changes.into_iter().enumerate() {
        let mut changed = columns();
        change(&mut changed);
        assert_ne!(changed.build().unwrap().digest(), digest, "change {number}");
    }
    let mut renamed = columns();
    renamed.names.clear();
    assert_eq!(renamed.build().unwrap().digest(), digest);
}

#[test]
fn archives_of_numpy_are_read_stored_and_deflated() {
    let place = Place::new();
    let json = place.file("p.json", document().to_string());
    let expected = Problem::load(json).unwrap().digest();
    for (name, method) in [("stored.npz", CompressionMethod::Stored), ("deflated.npz", CompressionMethod::Deflated)] {
        let path = place.path(name);
        archive(&path, &arrays(), method);
        assert_eq!(Problem::load(&path).unwrap().digest(), expected, "{name}");
    }
}

#[test]
fn every_integer_type_is_read() {
    let place = Place::new();
    let path = place.path("p.npz");
    let types: [(&str, &[u8]); 10] = [
        ("|b1", &[1]),
        ("|i1", &[1]),
        ("|u1", &[1]),
        ("<i2", &[1, 0]),
        ("<u2", &[1, 0]),
        ("<i4", &[1, 0, 0, 0]),
        ("<u4", &[1, 0, 0, 0]),
        ("<u8", &[1, 0, 0, 0, 0, 0, 0, 0]),
        (">i8", &[0, 0, 0, 0, 0, 0, 0, 1]),
        (">i4", &[0, 0, 0, 1]),
    ];
    for (descr, data) in types {
        archive(&path, &arrays_with("terminal", npy(descr, "(1,)", data)), CompressionMethod::Stored);
        assert_eq!(ProblemColumns::load(&path).unwrap().terminal, [1], "{descr}");
        archive(&path, &arrays_with("start.p", npy(descr, "(1,)", data)), CompressionMethod::Stored);
        assert_eq!(ProblemColumns::load(&path).unwrap().start.value, [1.0], "{descr}");
    }
    archive(&path, &arrays_with("start.p", npy("<f4", "(1,)", &1f32.to_le_bytes())), CompressionMethod::Stored);
    assert!(Problem::load(&path).is_ok());
}

#[test]
fn texts_of_numpy_are_read() {
    let place = Place::new();
    let path = place.path("p.npz");
    let text: Vec<u8> = "revealed-problem/1".chars().flat_map(|letter| (letter as u32).to_le_bytes()).collect();
    let mut arrays = arrays_with("format", npy("<U18", "()", &text));
    arrays.push(("features.names", npy("<U2", "(1,)", &[0xe4, 0, 0, 0, 0, 0, 0, 0])));
    archive(&path, &arrays, CompressionMethod::Stored);
    assert_eq!(Problem::load(&path).unwrap().features.names(), ["ä"]);
}

#[test]
fn points_are_kept() {
    let place = Place::new();
    let mut columns = columns();
    columns.layout = Some(Layout::Points { x: vec![0.0, 1.0, 2.0, 3.0], y: vec![0.5, -1.5, 2.5, 1e-9] });
    for name in ["p.json", "p.npz"] {
        columns.save(place.path(name)).unwrap();
        assert_eq!(Problem::load(place.path(name)).unwrap().layout, columns.layout, "{name}");
    }
}

#[test]
fn unknown_names_are_collected_and_do_no_harm() {
    let place = Place::new();
    let mut document = document();
    document["terminals"] = serde_json::json!([1]);
    document["features"]["nmaes"] = serde_json::json!(["a"]);
    document["comment"] = serde_json::json!({"made": {"by": "hand"}});
    let path = place.file("p.json", document.to_string());
    assert_eq!(ProblemColumns::load(&path).unwrap().unknown, ["comment", "features.nmaes", "terminals"]);
    assert!(Problem::load(&path).is_ok());

    let path = place.path("p.npz");
    archive(&path, &arrays_with("extra", npy("|O", "(3,)", b"a pickle")), CompressionMethod::Stored);
    assert_eq!(ProblemColumns::load(&path).unwrap().unknown, ["extra"]);
    assert!(Problem::load(&path).is_ok());
}

#[test]
fn null_is_absent_and_whole_floats_are_integers() {
    let place = Place::new();
    let mut document = document();
    document["reference"] = serde_json::Value::Null;
    document["terminal"] = serde_json::json!([1.0]);
    document["n_states"] = serde_json::json!(2e0);
    assert!(Problem::load(place.file("p.json", document.to_string())).is_ok());
}

#[test]
fn a_terminal_self_loop_is_ignored() {
    let place = Place::new();
    let mut document = document();
    document["transitions"] =
        serde_json::json!({"from": [1, 0, 0], "action": [0, 0, 1], "to": [1, 1, 0], "p": [1.0, 1.0, 1.0]});
    let problem = Problem::load(place.file("p.json", document.to_string())).unwrap();
    assert_eq!(problem.mdp.n_transitions(), 2);
    assert_eq!(problem.digest(), Problem::load(place.file("q.json", self::document().to_string())).unwrap().digest());
}

fn trajectories() -> Vec<Trajectory> {
    let weighted = Trajectory { weight: 2.5, ..Trajectory::new(vec![1, 2, 3], vec![0, 0]) };
    vec![Trajectory::new(vec![0, 3], vec![1]), Trajectory::new(vec![0], vec![]), weighted]
}

#[test]
fn demonstrations_survive_both_formats() {
    let place = Place::new();
    for name in ["d.jsonl", "d.npz"] {
        demonstrations::save(&trajectories(), place.path(name)).unwrap();
        assert_eq!(demonstrations::load(place.path(name)).unwrap(), trajectories(), "{name}");
    }
    let mdp = columns().build().unwrap().mdp;
    assert_eq!(demonstrations::load_for(&mdp, place.path("d.npz")).unwrap().longest(), 3);
    let text = std::fs::read_to_string(place.path("d.jsonl")).unwrap();
    assert_eq!(text.lines().next().unwrap(), r#"{"states":[0,3],"actions":[1]}"#);
}

#[test]
fn lines_may_be_blank_and_carry_ids_and_more() {
    let place = Place::new();
    let text = "\n{\"states\": [0], \"actions\": [], \"id\": 17, \"driver\": \"x\"}\r\n  \n{\"id\": \"b\", \"states\": [0], \"actions\": []}";
    let trajectories = demonstrations::load(place.file("d.jsonl", text)).unwrap();
    let ids: Vec<_> = trajectories.iter().map(|trajectory| trajectory.id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["17", "b"]);
    demonstrations::save(&trajectories, place.path("again.jsonl")).unwrap();
    assert_eq!(demonstrations::load(place.path("again.jsonl")).unwrap(), trajectories);
}

#[test]
fn a_model_survives() {
    let place = Place::new();
    let model = Model {
        names: vec!["a".into(), "b".into()],
        log_likelihood: Some(-1.0 / 3.0),
        converged: Some(true),
        bounds: Some(vec![[None, Some(0.0)], [Some(-1.0), None]]),
        notes: vec!["made by hand".into()],
        ..Model::new(vec![0.1, -2e-17], 12, Ends::Goal)
    };
    let path = place.path("m.json");
    model.save(&path).unwrap();
    assert_eq!(Model::load(&path).unwrap(), model);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"ends\": \"goal\"") && text.contains("\"bounds\": [[null, 0.0], [-1.0, null]]"), "{text}");
}

#[test]
fn a_model_needs_only_theta_horizon_and_ends() {
    let place = Place::new();
    let path = place.file("m.json", r#"{"theta": [1, 2.5], "horizon": 3, "ends": "anywhere", "seed": 4}"#);
    let model = Model::load(path).unwrap();
    assert_eq!((model.theta, model.horizon, model.ends, model.converged), (vec![1.0, 2.5], 3.into(), Ends::Anywhere, None));
}

#[test]
fn theta_is_an_array() {
    let place = Place::new();
    assert_eq!(load_theta(place.file("theta.json", "[1, -2.5e-3]\n")).unwrap(), [1.0, -2.5e-3]);
}
