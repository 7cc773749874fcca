//! Cost against the horizon and the number of states, compared with the paper's Algorithm 1.

use revealed::Stop;
use revealed::oracle::algorithm1;
use revealed::worlds::{World, road_like};

use crate::clock::{fastest, likelihood, seconds, shown, some_demonstration, table};

/// Algorithm 1 is not run if an evaluation is expected to take longer than this many seconds.
const TOO_SLOW: f64 = 20.0;

/// Two Markdown tables.
pub fn run() -> Result<String, String> {
    let words = |error: revealed::Error| error.to_string();
    let world = road_like(1000, 2033, 1).map_err(words)?;
    let horizons = [50, 100, 200, 400, 800, 1600, 3200];
    let mut slow = Some(0.0);
    let mut rows = Vec::new();
    for horizon in horizons {
        eprintln!("scaling: L = {horizon}");
        let time = engine(&world, horizon)?;
        slow = slow.filter(|&last| last < TOO_SLOW / 4.0).map(|_| quadratic(&world, horizon));
        rows.push(row(&[horizon.to_string()], time, horizon as f64, slow));
    }
    let by_horizon = table(&["L", "engine", "per unit of L", "Algorithm 1", "ratio"], &rows);

    let mut slow = Some(0.0);
    let mut rows = Vec::new();
    for states in [1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000] {
        eprintln!("scaling: {states} states");
        let world = road_like(states, states * 2033 / 1000, 1).map_err(words)?;
        let time = engine(&world, 100)?;
        slow = slow.filter(|&last| last < TOO_SLOW / 4.0).map(|_| quadratic(&world, 100));
        rows.push(row(&[states.to_string()], time, states as f64, slow));
    }
    let by_states = table(&["states", "engine", "per state", "Algorithm 1", "ratio"], &rows);
    Ok(format!(
        "### Cost against L (1000 road-like states, one thread)\n\n{by_horizon}\n\
         ### Cost against the number of states (road-like, L = 100, one thread)\n\n{by_states}"
    ))
}

fn row(first: &[String], time: f64, units: f64, slow: Option<f64>) -> Vec<String> {
    let mut row = first.to_vec();
    row.extend([shown(time), shown(time / units)]);
    row.push(slow.map_or("too slow".to_string(), shown));
    row.push(slow.map_or("–".to_string(), |slow| format!("{:.0}×", slow / time)));
    row
}

fn engine(world: &World, horizon: usize) -> Result<f64, String> {
    let words = |error: revealed::Error| error.to_string();
    let demos = some_demonstration(&world.mdp).map_err(words)?;
    let mut likelihood = likelihood(world, &demos, horizon, 1).map_err(words)?;
    likelihood.evaluate(&world.theta).map_err(words)?;
    let times: Vec<f64> = (0..5).map(|_| seconds(|| assert!(likelihood.evaluate(&world.theta).is_ok()))).collect();
    Ok(fastest(&times))
}

/// The time of one evaluation of Algorithm 1, after a check that its log Z is the engine's.
fn quadratic(world: &World, horizon: usize) -> f64 {
    let reward = world.features.reward(&world.mdp, &world.theta).expect("a world's own reward");
    let mut answer = None;
    let time = seconds(|| answer = algorithm1(&world.mdp, &reward, world.mdp.start(), horizon, Stop::Anywhere));
    let demos = some_demonstration(&world.mdp).expect("a start state");
    let mut likelihood = likelihood(world, &demos, horizon, 1).expect("a sound problem");
    let ours = likelihood.evaluate(&world.theta).expect("a sound problem").log_partition.expect("paths end anywhere");
    let theirs = answer.expect("paths exist").log_partition;
    assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "{ours} against {theirs}");
    time
}
