//! Questions and answers in JSON: what a page asks the engine.

use revealed::worlds::{FROZEN_LAKE_4X4, frozen_lake};
use revealed::{Bounds, Demonstrations, Ends, MaxEnt, Options, PathDistribution, Stop, Trajectory, Work};
use revealed_formats::answers::Session;
use revealed_formats::{Model, Problem, demonstrations};
use serde_json::{Value, json};

const ONE: Work = Work { threads: Some(1), memory: 100_000_000 };

/// The slippery lake, and paths on it.
fn lake() -> (Problem, Vec<Trajectory>) {
    let problem = Problem::from(frozen_lake(&FROZEN_LAKE_4X4, true).unwrap());
    let reward = problem.features.reward(&problem.mdp, &[-0.3; 16]).unwrap();
    let paths = PathDistribution::new(&problem.mdp, reward, 12, Stop::Anywhere).unwrap().sample(30, 1).unwrap();
    (problem, paths)
}

fn settings() -> MaxEnt {
    MaxEnt { bounds: Bounds::Same(-5.0, 5.0), options: Options { work: ONE, ..Options::default() }, ..MaxEnt::default() }
}

fn learned() -> (Problem, Demonstrations, Model) {
    let (problem, paths) = lake();
    let demos = Demonstrations::new(&problem.mdp, &paths).unwrap();
    let fit = settings().fit(&problem.mdp, &problem.features, &demos).unwrap();
    let model = Model::of_fit(&fit, &settings(), &problem, &demos);
    (problem, demos, model)
}

/// A session from texts alone, as a page opens it.
fn session() -> (Session, Model) {
    let (problem, demos, model) = learned();
    let lines = demonstrations::to_lines(&problem.mdp, &demos);
    let document = json!({ "problem": problem.to_json().unwrap(), "model": model, "demonstrations": lines });
    (Session::open(document.to_string().as_bytes(), ONE).unwrap(), model)
}

fn ask(session: &mut Session, question: Value) -> Value {
    session.ask(question.to_string().as_bytes()).unwrap_or_else(|fault| panic!("{question}: {fault}"))
}

fn refusal(session: &mut Session, question: &str) -> String {
    session.ask(question.as_bytes()).unwrap_err().to_string()
}

#[test]
fn texts_are_the_same_problem_model_and_demonstrations() {
    let (problem, demos, model) = learned();
    let (session, _) = session();
    assert_eq!(session.problem().digest(), problem.digest());
    assert_eq!((session.problem(), session.model()), (&problem, &model));
    let seen = session.demos().unwrap();
    assert_eq!(seen, &demos);
}

#[test]
fn every_question_has_an_answer() {
    let (mut session, model) = session();
    let fit = ask(&mut session, json!({ "ask": "fit" }));
    let (given, found) = (model.log_likelihood.unwrap(), fit["log_likelihood"].as_f64().unwrap());
    assert!((given - found).abs() < 1e-9, "{given} {found}");
    for k in 0..16 {
        let [observed, expected, gradient] = ["observed", "expected", "gradient"].map(|field| fit[field][k].as_f64().unwrap());
        assert!((observed - expected - gradient).abs() < 1e-12);
    }
    let scores = ask(&mut session, json!({ "ask": "scores" }));
    assert!((scores["log_likelihood"].as_f64().unwrap() - given).abs() < 1e-9);
    let steps = ask(&mut session, json!({ "ask": "steps", "demonstration": 3 }));
    assert_eq!(steps["log_likelihood"], scores["demonstrations"][3]["log_likelihood"]);
    let compared = ask(&mut session, json!({ "ask": "compared" }));
    let sum = |rows: &Value| rows.as_array().unwrap().iter().map(|row| row[1].as_f64().unwrap()).sum::<f64>();
    for side in ["observed", "expected"] {
        assert!((sum(&compared["lengths"][side]) - 1.0).abs() < 1e-9);
    }
    // One-hot features: visits are features.
    assert!((compared["visits"]["expected"][0].as_f64().unwrap() - fit["expected"][0].as_f64().unwrap()).abs() < 1e-9);
    let first = ask(&mut session, json!({ "ask": "marginals", "t": 1 }))["state"][0].as_f64().unwrap();
    assert!((first - 1.0).abs() < 1e-12, "{first}");
    assert_eq!(ask(&mut session, json!({ "ask": "policy", "t": 1 }))["stop"].as_array().unwrap().len(), 16);
    let paths = ask(&mut session, json!({ "ask": "path", "from": 0, "to": 15, "k": 3 }));
    assert!(paths["paths"].as_array().unwrap().len() == 3 && paths["paths"][0]["probability"].as_f64().unwrap() > 0.0);
    let ends = ask(&mut session, json!({ "ask": "destinations", "states": [0, 4], "actions": [1] }));
    assert!((sum(&ends["posterior"]) - 1.0).abs() < 1e-9);
    assert!((sum(&ask(&mut session, json!({ "ask": "lengths" }))["length"]) - 1.0).abs() < 1e-9);
    assert_eq!(ask(&mut session, json!({ "ask": "world" }))["n_transitions"], session.problem().mdp.n_transitions());
    assert_eq!(ask(&mut session, json!({ "ask": "reward" }))["state"], json!(model.theta));
    let summary = ask(&mut session, json!({ "ask": "summary", "level": 0.9 }));
    assert_eq!((summary["level"].as_f64(), summary["intervals"].as_array().map(Vec::len)), (Some(0.9), Some(16)));
}

#[test]
fn questions_follow_other_parameters_and_demonstrations() {
    let (mut session, model) = session();
    let before = ask(&mut session, json!({ "ask": "fit" }));
    ask(&mut session, json!({ "ask": "theta", "theta": vec![0.0; 16] }));
    let without = ask(&mut session, json!({ "ask": "fit" }));
    assert_eq!(without["log_likelihood"], before["null_log_likelihood"]);
    let again = ask(&mut session, json!({ "ask": "learn" }));
    assert_eq!(again["model"]["theta"], json!(model.theta));
    assert!(again["trace"].as_array().unwrap().len() > 2);
    let lines = "{\"states\": [0, 4, 8], \"actions\": [1, 1]}\n";
    let taken = ask(&mut session, json!({ "ask": "demonstrations", "lines": lines }));
    assert_eq!(taken, json!({ "n_demonstrations": 1, "longest": 3 }));
    let causal = json!({ "ask": "learn", "inference": "causal", "horizon": "longest", "bounds": [-2, 2], "l2": 0.1 });
    let learned = ask(&mut session, causal);
    assert_eq!((&learned["model"]["chance"], &learned["model"]["horizon"]), (&json!("fixed"), &json!(3)));
}

#[test]
fn bad_questions_are_refused_and_change_nothing() {
    let (mut session, model) = session();
    for (question, words) in [
        ("", "line 1"),
        ("{\"ask\": \"everything\"}", "unknown variant"),
        ("{\"ask\": \"marginals\", \"t\": 0}", "t is 0"),
        ("{\"ask\": \"marginals\", \"t\": 3, \"when\": 4}", "when"),
        ("{\"ask\": \"path\", \"from\": 99}", "from is 99"),
        ("{\"ask\": \"theta\", \"theta\": [1]}", "theta"),
        ("{\"ask\": \"steps\", \"demonstration\": 99}", "99 of 30"),
        ("{\"ask\": \"demonstrations\", \"lines\": \"{}\"}", "line 1: states is missing"),
        ("{\"ask\": \"demonstrations\", \"lines\": \"\"}", "no demonstrations"),
        ("{\"ask\": \"destinations\", \"states\": [0, 15], \"actions\": [1]}", "15"),
        ("{\"ask\": \"destinations\", \"states\": [], \"actions\": []}", ""),
        ("{\"ask\": \"learn\", \"bounds\": [3, -3]}", "bounds"),
    ] {
        let said = refusal(&mut session, question);
        assert!(said.to_lowercase().contains(words), "{question}: {said}");
    }
    assert_eq!(session.model(), &model);
    let none = Session::new(session.problem().clone(), Model::new(vec![0.0; 16], 5, Ends::Goal), None, ONE);
    let mut none = none;
    assert!(refusal(&mut none, "{\"ask\": \"fit\"}").contains("demonstrations"));
    assert!(refusal(&mut none, "{\"ask\": \"marginals\"}").contains("paths to a goal"));
    for document in ["", "{}", "[]", "{\"problem\": 3, \"model\": {}}", "{\"problem\": {}}"] {
        assert!(Session::open(document.as_bytes(), ONE).is_err(), "{document}");
    }
}
