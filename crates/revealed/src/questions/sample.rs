//! Exact samples of paths.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use crate::Error;
use crate::engine::backward::PathSet;
use crate::engine::inference::View;
use crate::model::Ends;
use crate::model::distribution::edge_weight;
use crate::model::{Options, PathDistribution, PathModel};
use crate::numeric::random::{check_number, choose, over, stream};
use crate::numeric::scaled::Scaled;
use crate::questions::lengths::no_path_after;
use crate::world::{Mdp, Reward, Trajectory};

/// A path that is being drawn, with its own random numbers, so that no path depends on the others.
struct Walker {
    path: Trajectory,
    rng: Pcg64Mcg,
    done: bool,
    options: Vec<Next>,
}

/// What may come next, and its weight: a transition, or `None` for the end.
pub(crate) type Next = (Option<usize>, Scaled);

/// Draws `n` paths from the distribution, independently. The same seed gives the same paths, on any number of
/// threads.
///
/// All paths walk at once, one pass over the messages serves them all: costs as much as
/// [`PathDistribution::new`], and little more. If samples are all that is wanted, [`sample_from`] is faster.
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
            options: Vec::new(),
        })
        .collect();
    let (mdp, reward, set, given_first) = (paths.mdp(), paths.reward().clone(), paths.paths(), paths.is_given_first());
    paths.watch(&mut |view| {
        if view.t == 1 {
            let first = FirstStates::new(&start, |row| first_weight(*row, given_first, &view));
            walkers.iter_mut().for_each(|walker| walker.path.states.push(first.draw(&mut walker.rng)));
            return ControlFlow::Continue(());
        }
        walkers.par_iter_mut().filter(|walker| !walker.done).for_each(|walker| {
            let state = walker.path.states[walker.path.states.len() - 1];
            fill_next(mdp, &reward, set, &view, state, &mut walker.options);
            match choose(&walker.options, &mut walker.rng).expect("a walker is where paths lead on") {
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

/// Draws `n` paths of a model from the states of `start` with their weights f(s), given that the last state is `to`, if that is
/// known. The same seed gives the same paths, on any number of threads.
///
/// The paths from all first states compete, p(τ) ∝ f(s_1) q(τ) e^{R(τ)}. A model with [`Ends::Goal`] says nothing about first
/// states: there the first state is drawn from f, of those that can reach the goal, and the path given both ends.
///
/// Needs the backward message alone, so it costs half of [`PathDistribution::new`].
///
/// ```
/// use revealed::{Ends, Options, PathModel, sample_from, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let model = PathModel::new(&lake.mdp, reward, 20, Ends::Anywhere)?;
/// let paths = sample_from(&model, vec![(4, 1.0)], Some(15), 10, 1, &Options::default())?;
/// assert!(paths.iter().all(|path| path.states[0] == 4 && path.states.last() == Some(&15)));
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If there is no such path, a state does not exist, or `n` is more than memory holds.
pub fn sample_from(
    model: &PathModel<'_>,
    start: Vec<(usize, f64)>,
    to: Option<usize>,
    n: usize,
    seed: u64,
    options: &Options,
) -> Result<Vec<Trajectory>, Error> {
    let given_first = model.ends() == Ends::Goal;
    sample(&mut PathDistribution::backward_only(model, start, to, options, given_first)?, n, seed)
}

/// Draws `n` paths that begin with `prefix`, given that the last state is `to`, if that is known: what follows has the horizon
/// and the discount that are left (see [`PathModel::after`]). The same seed gives the same paths, on any number of threads.
///
/// ```
/// use revealed::{Ends, Options, PathModel, Trajectory, sample_after, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let model = PathModel::new(&lake.mdp, reward, 20, Ends::Terminal)?;
/// let begun = Trajectory::new(vec![0, 1, 2], vec![2, 2]);
/// let paths = sample_after(&model, &begun, None, 10, 1, &Options::default())?;
/// assert!(paths.iter().all(|path| path.states.starts_with(&[0, 1, 2]) && path.states.len() <= 20));
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If the prefix is not one of the model, no path of the model begins with it, or `n` is more than memory holds.
pub fn sample_after(
    model: &PathModel<'_>,
    prefix: &Trajectory,
    to: Option<usize>,
    n: usize,
    seed: u64,
    options: &Options,
) -> Result<Vec<Trajectory>, Error> {
    let rest = model.after(prefix)?;
    let last = prefix.states[prefix.states.len() - 1];
    let suffixes = sample_from(&rest, vec![(last, 1.0)], to, n, seed, options).map_err(|error| match error {
        Error::NoPath { .. } => no_path_after(model, prefix.states.len(), to),
        error => error,
    })?;
    let glued = suffixes.into_iter().map(|suffix| {
        let states = prefix.states.iter().chain(&suffix.states[1..]).copied().collect();
        let actions = prefix.actions.iter().chain(&suffix.actions).copied().collect();
        Trajectory::new(states, actions)
    });
    Ok(glued.collect())
}

/// What may come after a state at t, given the messages of t + 1.
pub(crate) fn fill_next(mdp: &Mdp, reward: &Reward, set: PathSet, next: &View<'_>, state: usize, options: &mut Vec<Next>) {
    let stop = set.stop.allows(mdp.is_terminal(state), state, next.t - 1, set.horizon);
    options.clear();
    options.push((None, if stop { Scaled::ONE } else { Scaled::ZERO }));
    options.extend(mdp.children(state).map(|transition| {
        let to = mdp.to()[transition] as usize;
        let step = edge_weight(mdp, reward, transition, next.previous_discount());
        (Some(transition), step * next.of_state(to) * next.after(to))
    }));
}

/// p0(s) e^{R(s)} b_1(s) of a first state; where it is given, p0(s) if paths lead on from it.
fn first_weight((state, p): (usize, f64), given_first: bool, view: &View<'_>) -> Scaled {
    match view.after(state) {
        after if after.is_zero() => Scaled::ZERO,
        _ if given_first => Scaled::from(p),
        after => Scaled::from(p) * view.of_state(state) * after,
    }
}

/// A distribution over first states, as sums, because there may be as many as states.
pub(crate) struct FirstStates<'a> {
    start: &'a [(usize, f64)],
    /// The weight of the rows up to each.
    up_to: Vec<f64>,
}

impl<'a> FirstStates<'a> {
    pub fn new(start: &'a [(usize, f64)], weight: impl Fn(&(usize, f64)) -> Scaled) -> Self {
        let weights: Vec<Scaled> = start.iter().map(weight).collect();
        let largest = weights.iter().fold(f64::NEG_INFINITY, |largest, weight| largest.max(weight.exponent));
        let mut sum = 0.0;
        let add = |weight: &Scaled| {
            sum += over(*weight, largest);
            sum
        };
        FirstStates { start, up_to: weights.iter().map(add).collect() }
    }

    pub fn draw(&self, rng: &mut Pcg64Mcg) -> usize {
        let total = self.up_to[self.up_to.len() - 1];
        let mark = rng.random::<f64>() * total;
        // Rounding may put the mark at the end: the last row that adds something is the one before.
        let row = self.up_to.partition_point(|&sum| sum <= mark).min(self.up_to.partition_point(|&sum| sum < total));
        self.start[row].0
    }
}
