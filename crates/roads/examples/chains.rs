//! Compresses a road network and times a gradient of both: `chains ROADS.npz`.
//!
//! The demonstration is a walk that always takes the first turn, over 60 chains, with [`Ends::Goal`] and a horizon of
//! its length: it is about time, not about drivers.

use std::time::Instant;

use revealed::{Demonstrations, Ends, Likelihood, Options, Trajectory};
use revealed_roads::Roads;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give a road network, such as roads.npz")?;
    let fine = Roads::load(path)?;
    let coarse = fine.clone().compressed();
    let walk: Vec<usize> =
        (0..60).scan(0, |state, _| Some(std::mem::replace(state, coarse.turns_of(*state)[0] as usize))).collect();
    let segments = coarse.segments_of_path(&walk);
    println!(
        "{} segments, {} chains: {:.1} to one",
        fine.n_states(),
        coarse.n_states(),
        fine.n_states() as f64 / coarse.n_states() as f64
    );
    let mut times = Vec::new();
    for (name, roads) in [("segments", &fine), ("chains", &coarse)] {
        let problem = roads.problem()?;
        let path: Trajectory = roads.path(&segments).map_err(|place| format!("no turn at {place}"))?;
        let demos = Demonstrations::new(&problem.mdp, std::slice::from_ref(&path))?;
        let theta = vec![-0.01; problem.features.n_features()];
        let options = Options { ends: Ends::Goal, horizon: Some(path.states.len().into()), ..Options::default() };
        let mut likelihood = Likelihood::new(&problem.mdp, &problem.features, &demos, &options)?;
        likelihood.evaluate(&theta)?;
        let clock = Instant::now();
        for _ in 0..3 {
            likelihood.evaluate(&theta)?;
        }
        times.push(clock.elapsed().as_secs_f64() / 3.0);
        println!("{name}: a path of {} states, {:.0} ms for a gradient", path.states.len(), 1e3 * times[times.len() - 1]);
    }
    println!("{:.1} times faster", times[0] / times[1]);
    Ok(())
}
