//! Worlds whose true reward is known.

use std::sync::Arc;

use pyo3::prelude::*;
use revealed::worlds::{self, StepFeatures, World};

use super::problem::Problem;
use crate::failure::of_engine;
use crate::inputs::options::unknown;

fn problem(world: Result<World, revealed::Error>, discount: f64) -> PyResult<Problem> {
    let world = world.and_then(|world| world.with_discount(discount)).map_err(of_engine)?;
    Ok(Problem(Arc::new(world.into())))
}

fn step_features(name: &str) -> PyResult<StepFeatures> {
    match name {
        "kinds" => Ok(StepFeatures::Kinds),
        "state-actions" => Ok(StepFeatures::StateActions),
        "transitions" => Ok(StepFeatures::Transitions),
        name => Err(unknown("features", name, &["kinds", "state-actions", "transitions"])),
    }
}

/// FrozenLake-v1 of a map.
#[pyfunction]
pub fn frozen_lake(map: Vec<String>, slippery: bool, discount: f64) -> PyResult<Problem> {
    problem(worlds::frozen_lake(&map, slippery), discount)
}

/// The rows of Gymnasium's maps "4x4" and "8x8", or of a random one in which the goal can be reached.
#[pyfunction]
pub fn lake_map(size: usize, p_frozen: Option<f64>, seed: u64) -> PyResult<Vec<String>> {
    let rows = |map: &[&str]| Ok(map.iter().map(ToString::to_string).collect());
    match (size, p_frozen) {
        (4, None) => rows(&worlds::FROZEN_LAKE_4X4),
        (8, None) => rows(&worlds::FROZEN_LAKE_8X8),
        (size, p_frozen) => worlds::random_lake(size, p_frozen.unwrap_or(0.8), seed).map_err(of_engine),
    }
}

/// CliffWalking-v1.
#[pyfunction]
pub fn cliff_walking(slippery: bool, features: &str, discount: f64) -> PyResult<Problem> {
    problem(worlds::cliff_walking(slippery, step_features(features)?), discount)
}

/// Taxi-v3.
#[pyfunction]
pub fn taxi(features: &str, discount: f64) -> PyResult<Problem> {
    problem(worlds::taxi(step_features(features)?), discount)
}

/// NChain-v0.
#[pyfunction]
pub fn n_chain(n: usize, slip: f64, small: f64, large: f64, features: &str, discount: f64) -> PyResult<Problem> {
    problem(worlds::n_chain(n, slip, small, large, step_features(features)?), discount)
}

/// The chain of the paper's worked example.
#[pyfunction]
pub fn linear_chain(n: usize, discount: f64) -> PyResult<Problem> {
    problem(worlds::linear_chain(n), discount)
}

/// A road-like network.
#[pyfunction]
pub fn road_like(n_states: usize, n_transitions: usize, seed: u64, discount: f64) -> PyResult<Problem> {
    problem(worlds::road_like(n_states, n_transitions, seed), discount)
}
