//! The readers of problems, demonstrations, models, samples, pairs, priors and scenarios.

use std::fmt::Display;
use std::path::Path;

use revealed::{PathDistribution, SampleColumns, Stop, Trajectory};
use revealed_formats::{
    FeatureDemonstrations, Model, Problem, ScenarioRecord, demonstrations, load_additions, load_over_states, load_pairs,
    load_theta, samples,
};

use crate::containers::{split, zip};
use crate::scratch::Scratch;

/// The states of the problems that pairs and priors belong to.
const N_STATES: usize = 6;
/// What is larger is read but not used further.
const SMALL: usize = 200;

/// A message as users see it: it must say something.
pub(crate) fn message(error: impl Display) -> String {
    let text = error.to_string();
    assert!(text.len() > 10, "the message {text:?} says too little");
    text
}

pub fn problem_json(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let path = scratch.file("in.json", input);
    problem(scratch, &path)
}

pub fn problem_npz(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let path = scratch.file("in.npz", &archive(input)?);
    problem(scratch, &path)
}

/// An archive whose very bytes are mutated.
pub fn npz_raw(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let path = scratch.file("in.npz", input);
    let _ = load_additions(&path, "");
    let _ = demonstrations::load(&path);
    problem(scratch, &path)
}

fn archive(input: &[u8]) -> Result<Vec<u8>, String> {
    zip(&split(input)).ok_or_else(|| "the archive cannot be made".to_string())
}

/// What is read can be used, and is the same after it was written in either format.
fn problem(scratch: &mut Scratch, path: &Path) -> Result<(), String> {
    let problem = Problem::load(path).map_err(message)?;
    if problem.mdp.n_transitions() > SMALL || problem.mdp.n_states() > SMALL || problem.features.n_features() > SMALL {
        return Ok(());
    }
    for name in ["out.json", "out.npz"] {
        let out = scratch.path(name);
        problem.save(&out).unwrap_or_else(|error| panic!("it cannot be written: {error}"));
        let again = Problem::load(&out).unwrap_or_else(|error| panic!("it cannot be read again: {error}"));
        assert_eq!(problem.digest(), again.digest(), "{name} is another problem");
    }
    let theta = vec![0.25; problem.features.n_features()];
    let reward = problem.features.reward(&problem.mdp, &theta).map_err(message)?;
    let paths = PathDistribution::new(&problem.mdp, reward, 3, Stop::Anywhere).map_err(message)?;
    assert!(!paths.log_partition().is_nan(), "log Z is not a number");
    Ok(())
}

pub fn demonstrations_jsonl(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let path = scratch.file("in.jsonl", input);
    trajectories(scratch, &path)
}

pub fn demonstrations_npz(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let path = scratch.file("in.npz", &archive(input)?);
    trajectories(scratch, &path)
}

fn trajectories(scratch: &mut Scratch, path: &Path) -> Result<(), String> {
    let features = FeatureDemonstrations::load(path).map(drop).map_err(message);
    let read = demonstrations::load(path).map_err(message)?;
    let _ = features;
    for name in ["out.jsonl", "out.npz"] {
        let out = scratch.path(name);
        // Paths are checked against a problem later; an archive cannot hold those that no problem has.
        demonstrations::save(&read, &out).map_err(message)?;
        let again = demonstrations::load(&out).unwrap_or_else(|error| panic!("they cannot be read again: {error}"));
        // An archive has no ids.
        let id = |one: &Trajectory| one.id.clone().filter(|_| name.ends_with("jsonl"));
        let expected: Vec<Trajectory> = read.iter().map(|one| Trajectory { id: id(one), ..one.clone() }).collect();
        assert_eq!(expected, again, "{name} has other demonstrations");
    }
    Ok(())
}

pub fn model_json(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let path = scratch.file("in.json", input);
    let model = Model::load(&path).map_err(message)?;
    let out = scratch.path("out.json");
    model.save(&out).unwrap_or_else(|error| panic!("it cannot be written: {error}"));
    let again = Model::load(&out).unwrap_or_else(|error| panic!("it cannot be read again: {error}"));
    assert_eq!(format!("{model:?}"), format!("{again:?}"), "it is another model");
    Ok(())
}

pub fn theta_json(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let theta = load_theta(scratch.file("in.json", input)).map_err(message)?;
    assert!(theta.iter().all(|weight| weight.is_finite()), "{theta:?}");
    Ok(())
}

pub fn samples_jsonl(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let path = scratch.file("in.jsonl", input);
    columns(scratch, &path)
}

pub fn samples_npz(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let path = scratch.file("in.npz", &archive(input)?);
    columns(scratch, &path)
}

fn columns(scratch: &mut Scratch, path: &Path) -> Result<(), String> {
    let read = samples::load(path).map_err(message)?;
    for name in ["out.jsonl", "out.npz"] {
        let out = scratch.path(name);
        // Not every table of samples fits each format: then it is refused, and nothing is written.
        if samples::save(&read, &out).is_ok() {
            let again = samples::load(&out).unwrap_or_else(|error| panic!("they cannot be read again: {error}"));
            // Lines have no place for the names of features.
            let names = if name.ends_with("npz") { read.names.clone() } else { again.names.clone() };
            let expected = SampleColumns { names, ..read.clone() };
            assert_eq!(format!("{expected:?}"), format!("{again:?}"), "{name} has other samples");
        }
    }
    Ok(())
}

pub fn pairs_csv(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    pairs(&scratch.file("in.csv", input))
}

pub fn pairs_jsonl(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    pairs(&scratch.file("in.jsonl", input))
}

fn pairs(path: &Path) -> Result<(), String> {
    for pair in load_pairs(path, N_STATES).map_err(message)? {
        assert!(pair.from < N_STATES && pair.to < N_STATES && pair.weight >= 0.0, "{pair:?}");
    }
    Ok(())
}

pub fn prior_json(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    let prior = load_over_states(scratch.file("in.json", input), "prior", N_STATES).map_err(message)?;
    assert!(prior.len() == N_STATES && prior.iter().all(|weight| weight.is_finite() && *weight >= 0.0), "{prior:?}");
    Ok(())
}

pub fn scenario_json(scratch: &mut Scratch, input: &[u8]) -> Result<(), String> {
    ScenarioRecord::load(scratch.file("in.json", input)).map(drop).map_err(message)
}
