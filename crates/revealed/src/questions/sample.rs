//! Exact samples of paths.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::Error;
use crate::engine::inference::View;
use crate::model::Ends;
use crate::model::{Given, PathDistribution, PathModel};
use crate::numeric::Work;
use crate::numeric::parallel;
use crate::numeric::random::{check_number, choose, over, stream};
use crate::numeric::scaled::Scaled;
use crate::world::{Mdp, Trajectory};

/// Fewer paths than this are drawn faster by one thread.
pub(crate) const WORTH_SHARING: usize = 64;

/// A path that is being drawn. It has its own random numbers, so that paths do not depend on each other.
struct Walker {
    path: Trajectory,
    rng: Pcg64Mcg,
    done: bool,
    /// Whether nothing may follow the last state, although it was drawn.
    is_stuck: bool,
    options: Vec<Next>,
}

/// A possible next step and its weight: a transition, or `None` for the end of the path.
pub(crate) type Next = (Option<usize>, Scaled);

impl PathDistribution<'_> {
    /// Draws `n` independent paths. The same seed gives the same paths, on any number of threads.
    ///
    /// All paths are drawn together, in one pass over the messages. So this costs little more than
    /// [`PathDistribution::new`]. If only samples are needed, [`sample`] is faster.
    ///
    /// # Errors
    /// If `n` is too large.
    pub fn sample(&mut self, n: usize, seed: u64) -> Result<Vec<Trajectory>, Error> {
        self.check_ends()?;
        self.draw(n, seed, usize::MAX)
    }

    /// Draws the first `most` states of `n` independent paths.
    fn draw(&mut self, n: usize, seed: u64, most: usize) -> Result<Vec<Trajectory>, Error> {
        check_number(n)?;
        let start = self.start().to_vec();
        let mut walkers: Vec<Walker> = (0..n as u64)
            .map(|index| Walker {
                path: Trajectory::new(Vec::new(), Vec::new()),
                rng: Pcg64Mcg::seed_from_u64(stream(seed, index)),
                done: false,
                is_stuck: false,
                options: Vec::new(),
            })
            .collect();
        let (mdp, given_first) = (self.mdp(), self.is_given_first());
        self.watch_if_large(n >= WORTH_SHARING, &mut |view| {
            if view.t == 1 {
                let first = FirstStates::new(&start, |row| first_weight(*row, given_first, &view));
                walkers.iter_mut().for_each(|walker| walker.path.states.push(first.draw(&mut walker.rng)));
            }
            if view.t > most {
                return ControlFlow::Break(());
            }
            if view.t == 1 {
                return ControlFlow::Continue(());
            }
            parallel::for_each(walkers.iter_mut().filter(|walker| !walker.done), |walker| {
                let state = walker.path.states[walker.path.states.len() - 1];
                fill_next(mdp, &view, state, &mut walker.options);
                match choose(&walker.options, &mut walker.rng) {
                    None => walker.is_stuck = true,
                    Some(None) => walker.done = true,
                    Some(Some(transition)) => {
                        walker.path.actions.push(mdp.action_of(mdp.choice_of()[transition] as usize));
                        walker.path.states.push(mdp.to()[transition] as usize);
                    }
                }
            });
            let is_over = walkers.iter().all(|walker| walker.done) || walkers.iter().any(|walker| walker.is_stuck);
            if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if walkers.iter().any(|walker| walker.is_stuck) {
            let (what, expected) = ("the probability to go on or to end", "1, in every state that was drawn");
            return Err(Error::ImpossibleAnswer { what, value: 0.0, expected });
        }
        Ok(walkers.into_iter().map(|walker| walker.path).collect())
    }
}

/// Draws `n` independent paths of a model, given what is known of them. The same seed gives the same paths, on any
/// number of threads. Paths after a prefix begin with it.
///
/// It needs only the backward message, so it costs half of [`PathDistribution::new`].
///
/// ```
/// use revealed::{Ends, Given, PathModel, Trajectory, Work, sample, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let model = PathModel::new(&lake.mdp, reward, 20, Ends::Anywhere)?;
/// let paths = sample(&model, &Given::from_state(4).to(15), 10, 1, &Work::default())?;
/// assert!(paths.iter().all(|path| path.states[0] == 4 && path.states.last() == Some(&15)));
///
/// let begun = Given::after(Trajectory::new(vec![0, 1, 2], vec![2, 2]));
/// let paths = sample(&model, &begun, 10, 1, &Work::default())?;
/// assert!(paths.iter().all(|path| path.states.starts_with(&[0, 1, 2]) && path.states.len() <= 20));
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If no such path exists, a state does not exist, the prefix cannot happen, or `n` is too large;
/// [`Error::StartAndPrefix`].
pub fn sample(model: &PathModel<'_>, given: &Given, n: usize, seed: u64, work: &Work) -> Result<Vec<Trajectory>, Error> {
    drawn(model, given, n, work, |rest| rest.sample(n, seed))
}

/// Draws the first `states` states of `n` paths, as an observer sees them who does not wait for the end. The paths of a
/// causal model without a horizon may have no end: this is how they are sampled.
///
/// ```
/// use revealed::{Ends, Given, Horizon, MdpBuilder, PathModel, Reward, Work, sample_first};
///
/// // Two states and no end.
/// let mut builder = MdpBuilder::new(2, 2);
/// builder.discount(0.9).start(0, 1.0);
/// builder.transition(0, 0, 0, 1.0).transition(0, 1, 1, 1.0).transition(1, 0, 0, 1.0).transition(1, 1, 1, 1.0);
/// let mdp = builder.build()?;
/// let model = PathModel::causal(&mdp, Reward::of_states(vec![0.0, 1.0]), Horizon::Any, Ends::Horizon)?;
/// let parts = sample_first(&model, &Given::default(), 50, 10, 1, &Work::default())?;
/// assert!(parts.iter().all(|part| part.states.len() == 50));
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// As [`sample`], and if `states` is 0.
pub fn sample_first(
    model: &PathModel<'_>,
    given: &Given,
    states: usize,
    n: usize,
    seed: u64,
    work: &Work,
) -> Result<Vec<Trajectory>, Error> {
    let before = given.prefix.as_ref().map_or(0, |prefix| prefix.states.len() - 1);
    if states <= before {
        return Err(Error::Count { what: "the number of states", value: states, least: before + 1, most: usize::MAX });
    }
    drawn(model, given, n, work, |rest| rest.draw(n, seed, states - before))
}

/// Paths that begin with the prefix, if there is one.
fn drawn(
    model: &PathModel<'_>,
    given: &Given,
    n: usize,
    work: &Work,
    draw: impl FnOnce(&mut PathDistribution<'_>) -> Result<Vec<Trajectory>, Error>,
) -> Result<Vec<Trajectory>, Error> {
    check_number(n)?;
    let given_first = model.ends() == Ends::Goal;
    let mut rest = PathDistribution::backward_only(model, given, work, given_first)?;
    let paths = given.name_prefix(draw(&mut rest), model)?;
    let Some(prefix) = &given.prefix else { return Ok(paths) };
    let whole = paths.into_iter().map(|suffix| {
        let states = prefix.states.iter().chain(&suffix.states[1..]).copied().collect();
        let actions = prefix.actions.iter().chain(&suffix.actions).copied().collect();
        Trajectory::new(states, actions)
    });
    Ok(whole.collect())
}

/// The possible next steps from a state at t, given the messages of t + 1.
pub(crate) fn fill_next(mdp: &Mdp, next: &View<'_>, state: usize, options: &mut Vec<Next>) {
    options.clear();
    options.push((None, next.previous_stop(state)));
    let onward = |transition: usize| (Some(transition), next.onward(transition, mdp.to()[transition] as usize));
    options.extend(mdp.children(state).map(onward));
}

/// p0(s) e^{R(s)} b_1(s) of a first state; if the first state is given, p0(s), or 0 if no path leads from it to an end.
fn first_weight((state, p): (usize, f64), given_first: bool, view: &View<'_>) -> Scaled {
    match view.after(state) {
        after if after.is_zero() => Scaled::ZERO,
        _ if given_first => Scaled::from(p),
        after => Scaled::from(p) * view.of_state(state) * after,
    }
}

/// A distribution over first states, as cumulative sums, because there may be as many first states as states.
pub(crate) struct FirstStates<'a> {
    start: &'a [(usize, f64)],
    /// The cumulative weights.
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
        // Rounding may put the mark at the total. Then the last row with a positive weight is drawn.
        let row = self.up_to.partition_point(|&sum| sum <= mark).min(self.up_to.partition_point(|&sum| sum < total));
        self.start[row].0
    }
}
