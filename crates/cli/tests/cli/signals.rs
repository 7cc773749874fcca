//! Signals: those that a process was told to ignore stay ignored.

use revealed_formats::Model;

use crate::helpers::slow_roads::{ROADS, learn_line};
use crate::helpers::{Place, Running};

fn wait_for_checkpoint(running: &mut Running, place: &Place) {
    let path = place.path("model.json.partial");
    running.wait_for("a checkpoint", || path.exists().then_some(()));
}

#[test]
fn nohup_is_respected() {
    let place = Place::new();
    let mut running = Running::start_ignoring(&place, &learn_line(&ROADS.demos, "--max-iterations 12"), "HUP");
    wait_for_checkpoint(&mut running, &place);
    let ran = running.signal("HUP");
    assert!(!ran.stderr.contains("stopping") && ran.code == Some(0), "{ran:#?}");
    assert_eq!(Model::load(place.path("model.json")).unwrap().iterations, Some(12));
}

#[test]
fn a_job_in_the_background_ignores_ctrl_c_but_not_a_polite_kill() {
    let place = Place::new();
    let mut running = Running::start_ignoring(&place, &learn_line(&ROADS.demos, ""), "INT");
    wait_for_checkpoint(&mut running, &place);
    running.send("INT");
    let ran = running.signal("TERM").ended(130);
    assert_eq!(ran.stderr.matches("stopping after this step").count(), 1, "{ran:#?}");
}

#[test]
fn a_hangup_is_an_interruption_otherwise() {
    let place = Place::new();
    let mut running = Running::start(&place, &learn_line(&ROADS.demos, ""));
    wait_for_checkpoint(&mut running, &place);
    running.signal("HUP").ended(130);
    assert_eq!(Model::load(place.path("model.json")).unwrap().converged, Some(false));
}
