//! Exact samples of paths.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use crate::distribution::edge_weight;
use crate::inference::View;
use crate::rollouts::check_number;
use crate::scaled::Scaled;
use crate::{Error, PathDistribution, Trajectory};

/// A path that is being drawn, with its own random numbers, so that no path depends on the others.
struct Walker {
    path: Trajectory,
    rng: Pcg64Mcg,
    done: bool,
}

/// Draws `n` paths from the distribution, independently. The same seed gives the same paths, on any number of
/// threads.
///
/// All paths walk at once, one pass over the messages serves them all: costs as much as
/// [`PathDistribution::new`], and little more.
///
/// # Errors
/// If `n` is more than memory holds.
pub fn sample(paths: &mut PathDistribution<'_>, n: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
    check_number(n)?;
    let start = paths.start().to_vec();
    let mut walkers: Vec<Walker> = (0..n as u64)
        .map(|index| Walker {
            path: Trajectory::new(Vec::new(), Vec::new()),
            rng: Pcg64Mcg::seed_from_u64(stream(seed, index)),
            done: false,
        })
        .collect();
    let (mdp, reward, set) = (paths.mdp(), paths.reward().clone(), paths.paths());
    paths.watch(&mut |view| {
        if view.t == 1 {
            let first = first_states(&start, &view);
            walkers.iter_mut().for_each(|walker| walker.path.states.push(choose(&first, &mut walker.rng)));
            return ControlFlow::Continue(());
        }
        let options = |state: usize| {
            let t = view.t - 1;
            let stop = set.stop.allows(mdp.is_terminal(state), state, t, set.horizon);
            let mut options = vec![(None, if stop { Scaled::ONE } else { Scaled::ZERO })];
            options.extend(mdp.children(state).map(|transition| {
                let to = mdp.to()[transition] as usize;
                let step = edge_weight(mdp, &reward, transition, view.previous_discount());
                (Some(transition), step * view.of_state(to) * view.after(to))
            }));
            options
        };
        walkers.par_iter_mut().filter(|walker| !walker.done).for_each(|walker| {
            let state = walker.path.states[walker.path.states.len() - 1];
            match choose(&options(state), &mut walker.rng) {
                None => walker.done = true,
                Some(transition) => {
                    walker.path.actions.push(mdp.action_of(mdp.choice_of()[transition] as usize));
                    walker.path.states.push(mdp.to()[transition] as usize);
                }
            }
        });
        if walkers.iter().all(|walker| walker.done) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(walkers.into_iter().map(|walker| walker.path).collect())
}

/// The seed of one path's own random numbers: odd multiples of a large constant keep the streams apart.
pub(crate) fn stream(seed: u64, index: u64) -> u64 {
    seed ^ index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// p0(s) e^{R(s)} b_1(s) of each first state.
fn first_states(start: &[(usize, f64)], view: &View<'_>) -> Vec<(usize, Scaled)> {
    start.iter().map(|&(state, p)| (state, Scaled::from(p) * view.of_state(state) * view.after(state))).collect()
}

/// One of the options, in proportion to their weights.
fn choose<T: Copy>(options: &[(T, Scaled)], rng: &mut Pcg64Mcg) -> T {
    let largest = options.iter().fold(f64::NEG_INFINITY, |largest, option| largest.max(option.1.exponent));
    let weight = |option: &(T, Scaled)| Scaled { exponent: option.1.exponent - largest, ..option.1 }.to_f64();
    let total: f64 = options.iter().map(weight).sum();
    let mut left = rng.random::<f64>() * total;
    for option in options {
        left -= weight(option);
        if left < 0.0 {
            return option.0;
        }
    }
    let possible = options.iter().rev().find(|option| weight(option) > 0.0);
    possible.expect("some option has a positive weight").0
}
