//! A road network on which learning takes several seconds, so that it can be interrupted.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use revealed::{PathDistribution, Stop, worlds};
use revealed_formats::{Model, Problem, demonstrations};
use serde_json::json;

use crate::helpers::{Place, Ran};

/// Short paths, of two or three segments: they spread over the network and meet every kind of road. Longer ones gather
/// in a few cheap rings, and leave weights without an optimum.
const COSTLIER: f64 = 1.5;
/// How long one of the forty evaluations or more of a fit should take: a fit then outlasts two checkpoints on any
/// machine.
const SECONDS: f64 = 0.08;

pub struct SlowRoads {
    pub problem: PathBuf,
    pub demos: PathBuf,
    /// Those demonstrations that never use a highway, so that its weight has no finite optimum.
    pub avoiding: PathBuf,
}

/// The files. They are the same in every run: made once, kept under `target`.
pub static ROADS: LazyLock<SlowRoads> = LazyLock::new(|| {
    let world = worlds::road_like(20_000, 40_000, 1).unwrap();
    let theta: Vec<f64> = world.theta.iter().map(|theta| COSTLIER * theta).collect();
    let reward = world.features.reward(&world.mdp, &theta).unwrap();
    let mut paths = PathDistribution::new(&world.mdp, reward, 100, Stop::Anywhere).unwrap();
    let drawn = paths.sample(2000, 1).unwrap();
    let highway = world.features.names().iter().position(|name| name == "type_highway").unwrap();
    let uses = |state: &usize| world.features.blocks()[0].row(*state).any(|entry| entry.0 == highway);
    let avoiding: Vec<_> = drawn.iter().filter(|path| !path.states.iter().any(uses)).cloned().collect();

    let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let roads = SlowRoads {
        problem: kept.join("roads.npz"),
        demos: kept.join("roads-demos.npz"),
        avoiding: kept.join("roads-avoiding.npz"),
    };
    demonstrations::save(&drawn, &roads.demos).unwrap();
    demonstrations::save(&avoiding, &roads.avoiding).unwrap();
    Problem { mdp: world.mdp, features: world.features, layout: None, true_theta: None }.save(&roads.problem).unwrap();
    roads
});

/// Much longer than the demonstrations, by as much as makes an evaluation take [`SECONDS`].
static HORIZON: LazyLock<usize> = LazyLock::new(|| {
    let place = Place::new();
    let [problem, demos] = [&ROADS.problem, &ROADS.demos].map(|path| path.display());
    place.write_json("theta.json", &json!(vec![-0.02; 14]));
    let line = format!("likelihood {problem} {demos} --theta theta.json --horizon 400 --threads 1 --json");
    let seconds = (0..3).map(|_| place.run(&line).json()["seconds"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    ((400.0 * SECONDS / seconds) as usize).clamp(600, 6000)
});

/// The model that a run finds which nothing disturbs.
pub static UNDISTURBED: LazyLock<Model> = LazyLock::new(|| {
    let place = Place::new();
    let printed = learn_roads(&place, "").json();
    let model = Model::load(place.path("model.json")).unwrap();
    assert_eq!(printed, serde_json::to_value(&model).unwrap());
    assert_eq!(model.converged, Some(true), "{printed}");
    model
});

/// The arguments of a fit of several seconds, on one thread so that such fits do not get in each other's way.
pub fn learn_line(demos: &Path, options: &str) -> String {
    let SlowRoads { problem, .. } = &*ROADS;
    let [problem, demos] = [problem, demos].map(|path| path.display());
    format!("learn {problem} {demos} -o model.json --horizon {} --threads 1 --json {options}", *HORIZON)
}

/// Learns to the end.
#[track_caller]
pub fn learn_roads(place: &Place, options: &str) -> Ran {
    place.run(&learn_line(&ROADS.demos, options))
}
