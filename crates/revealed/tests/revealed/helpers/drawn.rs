//! Demonstrations drawn at random.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use revealed::{Demonstrations, Mdp, PathDistribution, Trajectory};

/// This many paths of a distribution.
pub fn drawn(mut paths: PathDistribution<'_>, n: usize, seed: u64) -> Demonstrations {
    let mdp = paths.mdp();
    Demonstrations::new(mdp, &paths.sample(n, seed).unwrap()).unwrap()
}

/// This many walks of up to eight states, from any state, by transitions drawn at random, of unequal weights.
pub fn walks(mdp: &Mdp, n: usize, rng: &mut Pcg64Mcg) -> Demonstrations {
    let walk = |_| {
        let (mut states, mut actions) = (vec![rng.random_range(0..mdp.n_states())], Vec::new());
        for _ in 0..rng.random_range(0..8) {
            let step = rng.random_range(mdp.children(states[states.len() - 1]));
            actions.push(super::action_of(mdp, step));
            states.push(mdp.to()[step] as usize);
        }
        Trajectory { weight: rng.random_range(0.5..2.0), ..Trajectory::new(states, actions) }
    };
    let trips: Vec<Trajectory> = (0..n).map(walk).collect();
    Demonstrations::new(mdp, &trips).unwrap()
}
