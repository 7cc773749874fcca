//! Learning that is interrupted, killed, resumed, or has nothing to find.

use revealed_formats::{Model, Problem};
use serde_json::{Value, json};

use crate::helpers::fixtures::{self, coin, coin_place};
use crate::helpers::slow_roads::{ROADS, UNDISTURBED, learn_line, learn_roads};
use crate::helpers::{Place, Running, close, numbers};

/// How far a resumed search may end from an undisturbed one.
const SAME: f64 = 1e-6;

/// Waits for a checkpoint of an iteration after `iteration`. Whenever there is one, it is a whole model.
fn checkpoint_after(running: &mut Running, place: &Place, iteration: usize) -> Model {
    let path = place.path("model.json.partial");
    running.wait_for("such a checkpoint", || {
        let model = path.exists().then(|| Model::load(&path).expect("a checkpoint is whole at any time"));
        model.filter(|model| model.iterations > Some(iteration))
    })
}

/// Asserts that two searches on the roads ended in the same place, in θ and in rewards.
#[track_caller]
fn same_end(found: &Value, expected: &Model) {
    let theta = numbers(&found["theta"]);
    close(&theta, &expected.theta, SAME);
    let Problem { mdp, features, .. } = Problem::load(&ROADS.problem).unwrap();
    let [found, expected] = [&theta, &expected.theta].map(|theta| features.reward(&mdp, theta).unwrap().state);
    close(&found, &expected, SAME);
}

fn names(place: &Place) -> Vec<String> {
    place.files().into_keys().collect()
}

#[test]
fn ctrl_c_keeps_the_best_so_far_and_resume_goes_on() {
    let place = Place::new();
    let mut running = Running::start(&place, &learn_line(&ROADS.demos, ""));
    let checkpoint = checkpoint_after(&mut running, &place, 1);
    let ran = running.signal("INT").ended(130);
    assert_eq!(ran.stdout, "", "{ran:#?}");
    assert!(ran.stderr.contains("stopping after this step (press Ctrl-C again to stop at once)\n"), "{ran:#?}");
    let said = "interrupted: the best theta so far is in model.json; --resume continues from it\n";
    assert!(ran.stderr.ends_with(said), "{ran:#?}");
    assert_eq!(names(&place), ["model.json"], "the checkpoint has nothing that the model has not");
    let model = Model::load(place.path("model.json")).unwrap();
    assert_eq!(model.converged, Some(false));
    assert!(model.stopped_because.as_ref().unwrap().contains("interrupted"), "{model:?}");
    assert!(model.iterations >= checkpoint.iterations && model.log_likelihood >= checkpoint.log_likelihood, "{model:?}");
    assert!(model.iterations < UNDISTURBED.iterations, "it was not in the middle: {model:?}");

    // With no iterations allowed, the result is where the search began.
    let resumed = learn_roads(&place, "--resume --max-iterations 0");
    assert_eq!(resumed.stderr, "resuming from model.json\n");
    close(&numbers(&resumed.json()["theta"]), &model.theta, 1e-15);
    let resumed = learn_roads(&place, "--resume").json();
    assert_eq!(resumed["converged"], json!(true));
    same_end(&resumed, &UNDISTURBED);
}

#[test]
fn a_killed_run_leaves_a_whole_checkpoint_and_resume_goes_on() {
    let place = Place::new();
    place.write("model.json", "an older model");
    let mut running = Running::start(&place, &learn_line(&ROADS.demos, ""));
    let seen = checkpoint_after(&mut running, &place, 1);
    let ran = running.signal("KILL");
    assert_eq!((ran.code, ran.stdout.as_str()), (None, ""), "{ran:#?}");
    assert_eq!(place.read("model.json"), "an older model");
    let checkpoint = Model::load(place.path("model.json.partial")).unwrap();
    assert!(checkpoint.iterations >= seen.iterations);
    assert_eq!((checkpoint.converged, checkpoint.theta.len()), (Some(false), 14));
    assert!(checkpoint.stopped_because.as_ref().unwrap().contains("checkpoint"), "{checkpoint:?}");
    assert!(checkpoint.iterations < UNDISTURBED.iterations, "it was not in the middle: {checkpoint:?}");

    let ran = learn_roads(&place, "--resume");
    assert!(ran.stderr.starts_with("resuming from model.json.partial\n"), "{ran:#?}");
    let resumed = ran.json();
    assert_eq!(resumed["converged"], json!(true));
    same_end(&resumed, &UNDISTURBED);
    assert_eq!(place.read_json("model.json"), resumed);
    assert!(!place.path("model.json.partial").exists());
}

#[test]
fn a_polite_kill_is_an_interruption_even_where_there_is_no_optimum() {
    let place = Place::new();
    let mut running = Running::start(&place, &learn_line(&ROADS.avoiding, ""));
    checkpoint_after(&mut running, &place, 0);
    running.signal("TERM").ended(130);
    let model = Model::load(place.path("model.json")).unwrap();
    assert_eq!(model.converged, Some(false));
    assert!(model.stopped_because.as_ref().unwrap().contains("interrupted"), "{model:?}");
}

#[test]
fn nothing_to_resume_is_said() {
    let place = coin_place();
    let ran = place.run("learn coin.json demos.jsonl -o model.json --ends terminal --resume --json");
    assert_eq!(ran.stderr, "note: there is nothing to resume next to model.json: starting from zero\n");
    close(&numbers(&ran.json()["theta"]), &[3f64.ln()], 1e-7);
}

#[test]
fn a_finished_model_is_resumed_without_work() {
    let place = coin_place();
    let first = place.run("learn coin.json demos.jsonl -o model.json --ends terminal --json").json();
    let ran = place.run("learn coin.json demos.jsonl -o model.json --ends terminal --resume --json");
    assert_eq!(ran.stderr, "resuming from model.json\n");
    let again = ran.json();
    assert_eq!(again["iterations"], json!(0));
    close(&numbers(&again["theta"]), &numbers(&first["theta"]), 1e-15);
}

#[test]
fn what_belongs_to_another_problem_is_not_resumed() {
    let other = fixtures::place();
    for name in ["model.json", "model.json.partial"] {
        let place = coin_place();
        place.write(name, other.read("model.json"));
        let before = place.files();
        let line = "learn coin.json demos.jsonl -o model.json --resume";
        place.run(line).refused(&[name, "another problem", "remove it", "omit --resume"]);
        assert_eq!(place.files(), before);
        place.run("learn coin.json demos.jsonl -o model.json --ends terminal").ended(0);
    }
    // The same number of features, but another problem all the same.
    let place = coin_place();
    place.run("learn coin.json demos.jsonl -o model.json --ends terminal").ended(0);
    let mut problem = coin();
    problem["features"]["state"]["value"] = json!([2.0]);
    place.write_json("coin.json", &problem);
    place.run("learn coin.json demos.jsonl -o model.json --ends terminal --resume").refused(&["model.json", "another problem"]);
}

#[test]
fn a_damaged_checkpoint_is_not_resumed() {
    let place = coin_place();
    place.write("model.json.partial", "{\"theta\": [0.5], \"hori");
    let before = place.files();
    let line = "learn coin.json demos.jsonl -o model.json --resume";
    place.run(line).refused(&["model.json.partial", "line 1 column 22", "cut short"]);
    assert_eq!(place.files(), before);
}

#[test]
fn without_an_optimum_it_says_why_and_with_bounds_it_ends_there() {
    let place = coin_place();
    place.write("demos.jsonl", "{\"states\": [0, 2], \"actions\": [1]}\n");
    let learn = |options: &str| {
        let model = place.run(&format!("learn coin.json demos.jsonl -o model.json --ends terminal --json {options}")).json();
        assert_eq!(model, place.read_json("model.json"));
        (numbers(&model["theta"])[0], model["converged"] == json!(true), model["stopped_because"].to_string(), model)
    };
    let (theta, converged, because, model) = learn("");
    assert!(!converged && theta < -10.0 && theta.is_finite(), "{model}");
    for words in ["did not converge, because no demonstration ever has left", "-infinity", "set bounds or l2"] {
        assert!(because.contains(words), "{words} is not in {because}");
    }
    assert!(model["evaluations"].as_u64() < Some(200), "{model}");

    let (theta, converged, _, model) = learn("--bounds -5,5");
    assert!(converged && theta == -5.0, "{model}");
    assert!(model["notes"].to_string().contains("at a bound: left"), "{model}");
    assert_eq!(model["bounds"], json!([[-5.0, 5.0]]));

    let (theta, converged, _, model) = learn("--l2 0.1");
    assert!(converged && theta > -10.0 && theta < 0.0, "{model}");
}

#[test]
fn too_few_iterations_are_no_convergence() {
    let place = coin_place();
    let line = "learn coin.json demos.jsonl -o model.json --ends terminal --max-iterations 1 --json";
    let model = place.run(line).json();
    assert_eq!(model["converged"], json!(false));
    assert!(model["stopped_because"].as_str().unwrap().contains("largest number of iterations"), "{model}");
}
