//! One gradient with half of the steps hidden, beside one with all of them seen.

use revealed::worlds::{self, StepFeatures, World};
use revealed::{
    Demonstrations, Ends, Error, Given, Horizon, Likelihood, Options, PartialDemonstrations, PartialLikelihood,
    PartialTrajectory, PathModel, RouteChoice, Sight, Sighting, Trajectory, Work, sample,
};

use crate::clock::{fastest, seconds, shown, table};

/// Demonstrations of each world.
const PATHS: usize = 1000;

/// Numbers that look random, always the same.
struct Draws(u64);

impl Draws {
    /// One of `count`.
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// The table.
pub fn run(rounds: usize) -> Result<String, String> {
    measure(rounds).map_err(|error| error.to_string())
}

fn measure(rounds: usize) -> Result<String, Error> {
    let mut rows = Vec::new();
    let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_8X8, true)?;
    rows.push(within_a_horizon("FrozenLake 8x8", &lake, 60, rounds)?);
    rows.push(within_a_horizon("Taxi", &worlds::taxi(StepFeatures::Kinds)?, 30, rounds)?);
    for (states, edges) in [(1_000, 2_000), (10_000, 20_000)] {
        let roads = worlds::road_like(states, edges, 1)?;
        rows.push(within_a_horizon(&format!("{states} road segments"), &roads, 60, rounds)?);
        rows.push(of_any_length(&format!("{states} road segments, gaps of any length"), &roads, rounds)?);
    }
    Ok(table(&["world", "all seen", "half hidden", "ratio"], &rows))
}

fn row(name: &str, times: [Vec<f64>; 2]) -> Vec<String> {
    let [whole, partial] = times.map(|times| fastest(&times));
    vec![name.to_string(), shown(whole), shown(partial), format!("{:.2}", partial / whole)]
}

fn hidden(path: &Trajectory, rng: &mut Draws) -> PartialTrajectory {
    let mut seen = PartialTrajectory::from(path);
    for sighting in &mut seen.sightings {
        if rng.coin() {
            *sighting = Sighting::unseen();
        } else if let Sighting::Step { action, .. } = sighting {
            *action = if rng.coin() { Sight::Unseen } else { action.clone() };
        }
    }
    seen
}

fn within_a_horizon(name: &str, world: &World, horizon: usize, rounds: usize) -> Result<Vec<String>, Error> {
    let (mdp, features) = (&world.mdp, &world.features);
    let theta: Vec<f64> = world.theta.iter().map(|theta| theta.clamp(-1.0, 1.0)).collect();
    let model = PathModel::new(mdp, features.reward(mdp, &theta)?, horizon, Ends::Anywhere)?;
    let paths = sample(&model, &Given::default(), PATHS, 1, &Work::default())?;
    let mut rng = Draws(2);
    let seen: Vec<PartialTrajectory> = paths.iter().map(|path| hidden(path, &mut rng)).collect();
    let (whole, seen) = (Demonstrations::new(mdp, &paths)?, PartialDemonstrations::new(mdp, &seen)?);
    let options = Options { horizon: Some(horizon.into()), work: Work::on(1), ..Options::default() };
    let mut all = Likelihood::new(mdp, features, &whole, &options)?;
    let mut half = PartialLikelihood::new(mdp, features, &seen, &options)?;
    let (mut times, mut failed) = ([Vec::new(), Vec::new()], Ok(()));
    for _ in 0..rounds {
        times[0].push(seconds(|| failed = all.evaluate(&theta).map(|_| ())));
        failed.clone()?;
        times[1].push(seconds(|| failed = half.evaluate(&theta).map(|_| ())));
        failed.clone()?;
    }
    Ok(row(name, times))
}

/// Trips between random ends, of which every other state was lost in gaps of unknown length.
fn of_any_length(name: &str, world: &World, rounds: usize) -> Result<Vec<String>, Error> {
    let (mdp, features) = (&world.mdp, &world.features);
    let theta = vec![-2.0; features.n_features()];
    let mut rng = Draws(3);
    let (mut paths, mut seen) = (Vec::new(), Vec::new());
    for _ in 0..PATHS {
        let (mut states, mut actions) = (vec![mdp.start()[rng.below(mdp.start().len())].0], Vec::new());
        for _ in 0..4 + rng.below(16) {
            let children = mdp.children(states[states.len() - 1]);
            if children.is_empty() {
                break;
            }
            let step = children.start + rng.below(children.len());
            actions.push(mdp.action_of(mdp.choice_of()[step] as usize));
            states.push(mdp.to()[step] as usize);
        }
        let mut sightings = Vec::new();
        for (step, &state) in states.iter().enumerate() {
            if step > 0 && step + 1 < states.len() && rng.coin() {
                sightings.push(Sighting::Gap);
            } else {
                sightings.push(Sighting::state(state));
            }
        }
        seen.push(PartialTrajectory::new(sightings));
        paths.push(Trajectory::new(states, actions));
    }
    let (whole, seen) = (Demonstrations::new(mdp, &paths)?, PartialDemonstrations::new(mdp, &seen)?);
    let options = Options { ends: Ends::Goal, horizon: Some(Horizon::Any), work: Work::on(1) };
    let mut all = RouteChoice::new(mdp, features, &whole, &options.work)?;
    let mut half = PartialLikelihood::new(mdp, features, &seen, &options)?;
    let (mut times, mut failed) = ([Vec::new(), Vec::new()], Ok(()));
    for _ in 0..rounds {
        times[0].push(seconds(|| failed = all.evaluate(&theta).map(|_| ())));
        failed.clone()?;
        times[1].push(seconds(|| failed = half.evaluate(&theta).map(|_| ())));
        failed.clone()?;
    }
    Ok(row(name, times))
}
