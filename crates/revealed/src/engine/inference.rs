//! The backward and the forward pass together: Z and the expected visits for one reward.
//!
//! Plain numbers are tried first. If a number might leave their range, the passes start again with wide numbers. So the
//! answer depends on the input only, never on a flag.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::Error;
use crate::engine::backward::{BackwardArrays, BackwardPass, BoundedPaths, Unfinished};
use crate::engine::digits::{Bounded, TiltedDigits, check_first, is_at_risk};
use crate::engine::elimination::{Elimination, Limit};
use crate::engine::fixed_point::FixedPoint;
use crate::engine::forward::ForwardPass;
use crate::engine::messages::worth_sharing;
use crate::engine::network::Network;
use crate::engine::number::{Number, Plain, Wide};
use crate::engine::path_set::PathSet;
pub(crate) use crate::engine::view::View;
use crate::engine::weights::{Weights, edge_weight};
use crate::engine::{Horizon, Stop};
use crate::numeric::checkpoints::least_room;
use crate::numeric::parallel;
use crate::numeric::scaled::Scaled;
use crate::watch::Watch;
use crate::world::{Mdp, Occupancy, Reward};

/// Where paths begin.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Start<'a> {
    /// p0: one distribution over the paths from all first states, Z = Σ_s p0(s) β_1(s).
    Joint(&'a [(usize, f64)]),
    /// The fraction of demonstrations that begin in each state. Each path is conditioned on its first state.
    Each(&'a [(usize, f64)]),
    /// The same for a distribution over first states. States from which no path leads to an end are skipped, and the
    /// distribution is normalised over the others.
    Drawn(&'a [(usize, f64)]),
}

/// log Z as in [`Expectation`], and the probabilities of the first states.
type Opening = (f64, Vec<(usize, f64)>);

impl<'a> Start<'a> {
    /// The first states with their numbers.
    pub fn rows(self) -> &'a [(usize, f64)] {
        let (Start::Joint(rows) | Start::Each(rows) | Start::Drawn(rows)) = self;
        rows
    }

    /// For paths of any length: log Z as in [`Expectation`], and the probabilities of the first states. `None` if no
    /// path leads to an end.
    fn first_states(self, reward: &Reward, point: &FixedPoint<'_>) -> Option<Opening> {
        let of_paths = |state: usize| Scaled::exp(reward.state[state]) * point.after(state);
        let given = |rows: Vec<(usize, f64)>| {
            let log_partition = rows.iter().map(|&(state, share)| share * of_paths(state).ln()).sum();
            (log_partition, rows)
        };
        let leads_on = |row: &&(usize, f64)| row.1 > 0.0 && !point.after(row.0).is_zero();
        match self {
            Start::Joint(rows) => {
                let weights: Vec<Scaled> = rows.iter().map(|&(state, p)| Scaled::from(p) * of_paths(state)).collect();
                let z: Scaled = weights.iter().copied().sum();
                let p = |(row, weight): (&(usize, f64), &Scaled)| (row.0, (*weight / z).to_f64());
                (!z.is_zero()).then(|| (z.ln(), rows.iter().zip(&weights).map(p).collect()))
            }
            Start::Each(rows) => rows.iter().all(|row| !point.after(row.0).is_zero()).then(|| given(rows.to_vec())),
            Start::Drawn(rows) => {
                let total: f64 = rows.iter().filter(leads_on).map(|row| row.1).sum();
                let rows: Vec<(usize, f64)> = rows.iter().filter(leads_on).map(|row| (row.0, row.1 / total)).collect();
                (!rows.is_empty()).then(|| given(rows))
            }
        }
    }
}

/// Z and the expected visits.
#[derive(Debug, Clone)]
pub(crate) struct Expectation {
    /// log Z; for [`Start::Each`] and [`Start::Drawn`], the mean over the first states of log Z given the first state.
    pub log_partition: f64,
    pub occupancy: Occupancy,
}

/// The arrays of both passes, allocated once.
#[derive(Debug)]
struct Passes<N> {
    weights: Weights,
    backward: BackwardArrays<N>,
    /// `None` if only b is needed.
    forward: Option<ForwardPass<N>>,
}

/// Exact inference on one MDP: the network and the arrays of the passes, which are reused.
#[derive(Debug)]
pub(crate) struct Inference {
    network: Arc<Network>,
    plain: Option<Passes<Plain>>,
    wide: Option<Passes<Wide>>,
    /// The stored messages. This is by far the largest array, so plain and wide numbers share it.
    slots: Vec<f64>,
    /// For paths of any length; computed when it is needed first.
    elimination: Option<Elimination>,
    settings: Settings,
    forward: bool,
}

/// What determines the sizes of the arrays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub discount: f64,
    pub horizon: Horizon,
    /// Whether the visits of transitions are counted.
    pub transitions: bool,
    /// Bytes that the arrays may take.
    pub memory: usize,
}

impl Inference {
    pub fn new(network: Arc<Network>, settings: Settings) -> Self {
        Inference { network, plain: None, wide: None, slots: Vec::new(), elimination: None, settings, forward: true }
    }

    /// For queries that need only b. It is half the work, and visits are not computed.
    pub fn backward_only(network: Arc<Network>, settings: Settings) -> Self {
        Inference { forward: false, ..Inference::new(network, settings) }
    }

    /// The layout for this MDP. Transitions between the same two states are merged into one edge, unless their weights
    /// change differently over time.
    pub fn network(mdp: &Mdp, rewards_on_transitions: bool) -> Arc<Network> {
        Arc::new(Network::new(mdp, mdp.discount() == 1.0 || !rewards_on_transitions))
    }

    /// log Z and the expected visits.
    pub fn expect(&mut self, mdp: &Mdp, reward: &Reward, start: Start<'_>, paths: PathSet) -> Result<Expectation, Error> {
        match paths.horizon {
            Horizon::AtMost(_) => self.watch(mdp, reward, start, paths, &mut |_| ControlFlow::Continue(())),
            Horizon::Any => self.watch(mdp, reward, start, paths, &mut |_| ControlFlow::Break(())),
        }
    }

    /// The same, and passes the messages of t = 1, 2, … to `visit` until it answers `Break`. The visits are those up to
    /// that time. For paths of any length, the visits are those of all times, and `visit` is called until it answers
    /// `Break` or the probability that a path has t states underflows.
    pub fn watch(
        &mut self,
        mdp: &Mdp,
        reward: &Reward,
        start: Start<'_>,
        paths: PathSet,
        visit: &mut (dyn FnMut(View<'_>) -> ControlFlow<()> + Send),
    ) -> Result<Expectation, Error> {
        let horizon = match paths.horizon {
            Horizon::AtMost(horizon) => horizon,
            Horizon::Any => return self.watch_any_length(mdp, reward, start, paths.stop, visit),
        };
        check_reward_size(reward, horizon)?;
        TiltedDigits { mdp, reward }.check(start, paths)?;
        let paths = BoundedPaths { horizon, stop: paths.stop };
        if self.plain.is_none() {
            self.plain = Some(self.allocate::<Plain>()?);
        }
        let plain = self.plain.as_mut().expect("just allocated");
        match plain.expect(mdp, reward, start, paths, &mut self.slots, visit) {
            Ok(expectation) => return expectation,
            Err(Unfinished::Stopped(stopped)) => return Err(stopped),
            Err(Unfinished::LeftRange) => {}
        }
        if self.wide.is_none() {
            self.wide = Some(self.allocate::<Wide>()?);
        }
        let wide = self.wide.as_mut().expect("just allocated");
        match wide.expect(mdp, reward, start, paths, &mut self.slots, visit) {
            Ok(expectation) => expectation,
            Err(Unfinished::Stopped(stopped)) => Err(stopped),
            Err(Unfinished::LeftRange) => unreachable!("wide numbers have no range to leave"),
        }
    }

    fn watch_any_length(
        &mut self,
        mdp: &Mdp,
        reward: &Reward,
        start: Start<'_>,
        stop: Stop,
        visit: &mut (dyn FnMut(View<'_>) -> ControlFlow<()> + Send),
    ) -> Result<Expectation, Error> {
        let (forward, transitions) = (self.forward, self.settings.transitions);
        let (point, (log_partition, first)) = self.solve(mdp, reward, start, stop)?;
        let occupancy = if forward { point.occupancy(mdp, &first, transitions) } else { Occupancy::default() };
        let set = PathSet { horizon: Horizon::Any, stop };
        point.watch(mdp, reward, set, forward.then_some(&first), visit)?;
        Ok(Expectation { log_partition, occupancy })
    }

    /// The mean and the variance of the number of states, for paths of any length.
    pub fn length_moments(&mut self, mdp: &Mdp, reward: &Reward, start: Start<'_>, stop: Stop) -> Result<[f64; 2], Error> {
        let (point, (_, first)) = self.solve(mdp, reward, start, stop)?;
        Ok(point.length_moments(&first))
    }

    /// The messages of paths of any length, log Z, and the probabilities of the first states.
    fn solve(&mut self, mdp: &Mdp, reward: &Reward, start: Start<'_>, stop: Stop) -> Result<(FixedPoint<'_>, Opening), Error> {
        let elimination = self.prepare(mdp, &Watch::none())?;
        let ends = log_ends(mdp, stop);
        let first = start.rows().iter().filter(|row| row.1 > 0.0).map(|row| row.0);
        let point = FixedPoint::new(elimination, mdp, reward, &ends, first)?;
        if is_at_risk(mdp, reward, mdp.n_states()) {
            check_first(mdp, reward, &point.known(mdp, reward, &ends), start)?;
        }
        match start.first_states(reward, &point) {
            Some(beginning) => Ok((point, beginning)),
            None => Err(no_path(PathSet { horizon: Horizon::Any, stop })),
        }
    }

    /// The elimination for paths of any length. It reports how far it is.
    ///
    /// # Errors
    /// As [`Elimination::new`].
    pub fn prepare(&mut self, mdp: &Mdp, watch: &Watch<'_>) -> Result<&Elimination, Error> {
        let made = match self.elimination.take() {
            Some(elimination) => elimination,
            None => Elimination::new(mdp, &Limit::of_sums(self.settings.memory), watch)?,
        };
        Ok(self.elimination.insert(made))
    }

    /// Whether several threads make a pass faster.
    pub fn is_large(&self) -> bool {
        worth_sharing(&self.network)
    }

    /// Shows what is known of the digits of b_L, …, b_1, or of b for t = 1 without a horizon. Nothing is shown if the
    /// rewards are small enough.
    pub fn show_digits(
        &mut self,
        mdp: &Mdp,
        reward: &Reward,
        start: Start<'_>,
        paths: PathSet,
        visit: &mut dyn FnMut(usize, &[Bounded]),
    ) -> Result<(), Error> {
        if !is_at_risk(mdp, reward, paths.horizon.at_most().unwrap_or(mdp.n_states())) {
            return Ok(());
        }
        match paths.horizon {
            Horizon::AtMost(_) => {
                TiltedDigits { mdp, reward }.backward(paths, visit);
            }
            Horizon::Any => {
                let ends = log_ends(mdp, paths.stop);
                let (point, _) = self.solve(mdp, reward, start, paths.stop)?;
                visit(1, &point.known(mdp, reward, &ends));
            }
        }
        Ok(())
    }

    fn allocate<N: Number>(&self) -> Result<Passes<N>, Error> {
        let room = self.room(N::WIDTH)?;
        let weights = Weights::new(Arc::clone(&self.network), self.settings.discount);
        let backward = BackwardArrays::new(&weights, self.settings.horizon.longest(), room);
        let forward = self.forward.then(|| ForwardPass::new(&weights, self.settings.transitions));
        Ok(Passes { weights, backward, forward })
    }

    /// The settings of each of several parallel passes over one network, with its share of the memory. `None` if the
    /// passes should run one after the other: there is only one, one pass keeps all threads busy, or a share of the
    /// memory is too small.
    pub fn at_once(network: &Arc<Network>, settings: Settings, passes: usize) -> Option<Settings> {
        let share = Settings { memory: settings.memory / parallel::threads_here(), ..settings };
        let fits = || Inference::new(Arc::clone(network), share).check_memory().is_ok();
        (passes > 1 && !worth_sharing(network) && fits()).then_some(share)
    }

    /// Checks that the memory budget suffices for any reward.
    pub fn check_memory(&self) -> Result<(), Error> {
        match self.settings.horizon {
            Horizon::AtMost(_) => self.room(2).map(|_| ()),
            Horizon::Any => Ok(()),
        }
    }

    /// How many messages fit into the memory budget. The horizon is a number here.
    fn room(&self, width: usize) -> Result<usize, Error> {
        let message = |width: usize| self.network.n_places() * width;
        // One scratch slot, one slot for a message that has settled, and some to work with. The minimum is that of wide
        // numbers, because only the reward decides which numbers are needed.
        let messages = 2 + least_room(self.settings.horizon.longest());
        let least = (self.besides_messages(2) + messages * message(2)) * size_of::<f64>();
        let budget = self.settings.memory;
        if budget < least {
            return Err(Error::Memory { budget, least, n_states: self.network.place_of_state.len() });
        }
        Ok((budget / size_of::<f64>() - self.besides_messages(width)) / message(width) - 2)
    }

    /// The number of `f64`s in all arrays except the stored messages.
    fn besides_messages(&self, width: usize) -> usize {
        let network = &self.network;
        let slots = network.children.n_slots() + network.parents.n_slots();
        let of_edges = if self.settings.transitions { network.parents.n_slots() } else { 0 };
        let discounted = if self.settings.discount == 1.0 { 0 } else { 1 };
        // The wide arrays may exist in addition to the plain ones.
        let (kinds, widths) = if width == 1 { (1, 1) } else { (2, 3) };
        let by_place = 2 * kinds + widths + kinds * discounted;
        let by_edge = 3;
        4 * network.padded_len * widths
            + slots * (widths + kinds * discounted)
            + network.n_places() * by_place
            + network.n_edges * by_edge
            + of_edges * kinds
            // The scales: an i32 for each time.
            + kinds * (self.settings.horizon.longest() / 2 + 2)
    }
}

impl<N: Number> Passes<N> {
    fn expect(
        &mut self,
        mdp: &Mdp,
        reward: &Reward,
        start: Start<'_>,
        paths: BoundedPaths,
        slots: &mut Vec<f64>,
        visit: &mut (dyn FnMut(View<'_>) -> ControlFlow<()> + Send),
    ) -> Result<Result<Expectation, Error>, Unfinished> {
        let Passes { weights, backward, forward } = self;
        let set = PathSet { horizon: paths.horizon.into(), stop: paths.stop };
        weights.fill::<N>(mdp, reward);
        let mut backward = backward.with(slots);
        backward.run(weights, paths)?;
        let Some((log_partition, first)) = begin::<N>(weights, &backward, start, paths) else {
            return Ok(Err(no_path(set)));
        };
        let ascended = backward.ascend(weights, paths, &mut |t, b, scale| {
            let mass = forward.as_mut().map_or(0.0, |forward| match t {
                1 => forward.start(b, first.iter().copied()),
                _ => forward.step(weights, t - 1, b, scale[t] - scale[t - 1]),
            });
            let scale = Scaled { mantissa: 1.0, exponent: f64::from(scale[t]) };
            let place = |state: usize| weights.network.place_of_state[state] as usize;
            let previous_discount = if t > 1 { weights.power(t - 2) } else { 1.0 };
            let stop = |state: usize, t: usize| set.stop_weight(mdp, state, t);
            let a = |state| forward.as_ref().map_or(Scaled::ZERO, |forward| forward.message(place(state)) / scale);
            visit(View {
                t,
                mass,
                before: &a,
                after: &|state| N::get(b, place(state)) * scale,
                of_state: &|state| weights.of_state(t, place(state)),
                step: &|transition| edge_weight(mdp, reward, transition, previous_discount),
                stop: &|state| stop(state, t),
                previous_stop: &|state| stop(state, t.wrapping_sub(1)),
            })
        });
        ascended.map_err(Unfinished::Stopped)?;
        let occupancy = forward.as_ref().map_or_else(Occupancy::default, |forward| forward.occupancy(weights, mdp, reward));
        Ok(Ok(Expectation { log_partition, occupancy }))
    }
}

/// log Z, and a_1 by places: p0 e^R / Z, or share / b_1 if the first state is given.
fn begin<N: Number>(
    weights: &Weights,
    backward: &BackwardPass<'_, N>,
    start: Start<'_>,
    paths: BoundedPaths,
) -> Option<(f64, Vec<(usize, Scaled)>)> {
    let b = backward.first(paths.horizon);
    let place_of = |state: usize| weights.network.place_of_state[state] as usize;
    let scale = Scaled { mantissa: 1.0, exponent: f64::from(backward.scale(1)) };
    match start {
        Start::Joint(start) => {
            let paid = |&(state, p): &(usize, f64)| Scaled::from(p) * weights.of_state(1, place_of(state));
            let z: Scaled = start.iter().map(|row| paid(row) * N::get(b, place_of(row.0))).sum();
            let first = || start.iter().map(|row| (place_of(row.0), paid(row) / z)).collect();
            (!z.is_zero()).then(|| ((z * scale).ln(), first()))
        }
        Start::Each(start) => given_first::<N>(weights, b, scale, start),
        Start::Drawn(start) => {
            let leads_on = |row: &&(usize, f64)| row.1 > 0.0 && !N::get(b, place_of(row.0)).is_zero();
            let total: f64 = start.iter().filter(leads_on).map(|row| row.1).sum();
            let shares: Vec<(usize, f64)> = start.iter().filter(leads_on).map(|row| (row.0, row.1 / total)).collect();
            (!shares.is_empty()).then(|| given_first::<N>(weights, b, scale, &shares)).flatten()
        }
    }
}

/// The mean over the first states of log Z given the first state, and a_1 = share / b_1.
fn given_first<N: Number>(
    weights: &Weights,
    b: &[f64],
    scale: Scaled,
    start: &[(usize, f64)],
) -> Option<(f64, Vec<(usize, Scaled)>)> {
    let mut log_partition = 0.0;
    let mut first = Vec::with_capacity(start.len());
    for &(state, share) in start {
        let place = weights.network.place_of_state[state] as usize;
        let b = N::get(b, place);
        if b.is_zero() {
            return None;
        }
        log_partition += share * (weights.of_state(1, place) * b * scale).ln();
        first.push((place, Scaled::from(share) / b));
    }
    Some((log_partition, first))
}

/// The logarithm of the weight of ending in each state, for paths of any length.
fn log_ends(mdp: &Mdp, stop: Stop) -> Vec<f64> {
    let may_end = |state| stop.allows(mdp.is_terminal(state), state, 1, Horizon::Any);
    (0..mdp.n_states()).map(|state| if may_end(state) { 0.0 } else { f64::NEG_INFINITY }).collect()
}

pub(crate) fn no_path(paths: PathSet) -> Error {
    let what = match paths.stop {
        Stop::Anywhere | Stop::Horizon => "of this length".to_string(),
        Stop::Terminal => "to a terminal state".to_string(),
        Stop::At(goal) | Stop::AtHorizon(goal) => format!("to state {goal}"),
    };
    Error::NoPath { what, horizon: paths.horizon.at_most() }
}

/// Rejects a horizon that is 0 or too large.
pub(crate) fn check_horizon(horizon: impl Into<Horizon>) -> Result<(), Error> {
    let most = i32::MAX as usize / 4;
    let Horizon::AtMost(horizon) = horizon.into() else { return Ok(()) };
    let in_range = (1..=most).contains(&horizon);
    if in_range { Ok(()) } else { Err(Error::Count { what: "the horizon", value: horizon, least: 1, most }) }
}

/// Rejects rewards so large that the reward of a path would not fit into an f64.
pub(crate) fn check_reward_size(reward: &Reward, horizon: usize) -> Result<(), Error> {
    let largest = reward.state.iter().chain(&reward.transition).fold(0.0, |largest: f64, r| largest.max(r.abs()));
    let sum = largest * 2.0 * std::f64::consts::LOG2_E * horizon as f64;
    if sum < 1e307 { Ok(()) } else { Err(Error::RewardTooLarge { horizon, largest }) }
}
