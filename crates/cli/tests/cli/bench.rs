//! `bench`: on small data of the same form, whose answer is planted.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed_formats::save_data_array;
use serde_json::{Value, json};

use crate::helpers::{Place, number};

const STATES: usize = 8;
const SEQUENCES: usize = 20;
const STEPS: usize = 100;
/// How often a walker goes on as it came.
const AHEAD: f64 = 0.9;

/// Walks on a ring, in the files of the labyrinth.
fn ring() -> Place {
    let place = Place::new();
    write_ring(&place, ".");
    place
}

/// The same in a folder.
pub fn write_ring(place: &Place, folder: &str) {
    std::fs::create_dir_all(place.path(folder)).unwrap();
    let file = |name: &str| place.path(folder).join(name);
    let mut leads = vec![0; STATES * 2 * STATES];
    for state in 0..STATES {
        leads[(state * 2) * STATES + (state + 1) % STATES] = 1;
        leads[(state * 2 + 1) * STATES + (state + STATES - 1) % STATES] = 1;
    }
    save_data_array(file("trans_probs.npy"), &[STATES, 2, STATES], &leads).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut seen = Vec::new();
    for _ in 0..SEQUENCES {
        let (mut state, mut action) = (rng.random_range(0..STATES), rng.random_range(0..2));
        for _ in 0..STEPS {
            seen.extend([state as i64, action as i64]);
            state = if action == 0 { (state + 1) % STATES } else { (state + STATES - 1) % STATES };
            action = if rng.random_bool(AHEAD) { action } else { 1 - action };
        }
    }
    save_data_array(file("emissions500new.npy"), &[SEQUENCES, STEPS, 2], &seen).unwrap();
}

fn row<'a>(found: &'a Value, name: &str) -> &'a Value {
    found["rows"].as_array().unwrap().iter().find(|row| row["name"] == json!(name)).unwrap()
}

#[test]
fn the_labyrinth_s_study_finds_what_was_planted() {
    let place = ring();
    let found = place.run("bench labyrinth . -o kept.json --json").json();
    assert_eq!(place.read_json("kept.json"), found);
    assert_eq!((&found["split"]["train"], &found["split"]["test"]), (&json!(16), &json!(4)));
    let entropy = AHEAD * AHEAD.ln() + (1.0 - AHEAD) * (1.0 - AHEAD).ln();
    // The first action of each sequence cannot be known.
    assert!((number(&row(&found, "history of order 2")["held_out"]) - entropy).abs() < 0.06, "{found}");
    assert!((number(&row(&found, "history of order 1")["held_out"]) + 2f64.ln()).abs() < 0.05);
    assert!((number(&row(&found, "uniform")["held_out"]) + 2f64.ln()).abs() < 1e-12);
    assert!(number(&found["chosen"]["order"]) >= 2.0);
    assert_eq!(row(&found, "SWIRL: 3 modes, history of 2")["published"], json!(true));
    // The best of what was compared is chosen, and no setting was judged by the test.
    let best = found["compared"].as_array().unwrap().iter().map(|row| number(&row["cross_validated"])).fold(f64::MIN, f64::max);
    let of = |row: &&Value| ["order", "shrinkage", "penalty"].iter().all(|key| row[*key] == found["chosen"][*key]);
    let chosen = found["compared"].as_array().unwrap().iter().find(of).unwrap();
    assert_eq!(number(&chosen["cross_validated"]), best);
    let again = place.run("bench labyrinth . --threads 1 --json").json();
    assert_eq!(again["rows"], found["rows"]);
    let words = place.run("bench labyrinth .").ended(0).stdout;
    assert!(words.contains("chosen by five folds of the training part") && words.contains("as published"), "{words}");
}

#[test]
fn absent_and_wrong_data_are_named() {
    let place = Place::new();
    place.refuses("bench labyrinth nowhere", &["nowhere/emissions500new.npy: there is no such file", "SWIRL"]);
    let place = ring();
    save_data_array(place.path("emissions500new.npy"), &[10, 3, 2], &[0, 1, 0, 1, 0, 1].repeat(10)).unwrap();
    place.refuses("bench labyrinth .", &["emissions500new.npy: sequence 0, step 0: action 1 in state 0 does not lead on"]);
    save_data_array(place.path("trans_probs.npy"), &[2, 3], &[0; 6]).unwrap();
    place.refuses("bench labyrinth .", &["trans_probs.npy: it has 2 dimensions and must have 3"]);
}
