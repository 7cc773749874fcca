//! The forward message α by itself: the total weight of the paths from given states to each state.
//!
//! Without the backward message, these numbers are not bounded as probabilities are. They are plain as long as none can
//! leave the range of an `f64`, and wide from there on. Both are rounded in the same way, so the answer does not depend
//! on which are used.

mod feeders;
mod kernel;
mod pass;

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use self::feeders::Feeders;
use self::pass::{Pass, WantedMessages};
use crate::Error;
use crate::cancel::Pace;
use crate::causal::possible::possible_ends;
use crate::engine::Horizon;
use crate::engine::digits::{Bounded, TiltedDigits, check_first, is_at_risk};
use crate::engine::elimination::{Elimination, Limit};
use crate::engine::fixed_point::{FixedPoint, arrivals, known_arrivals, leads_to};
use crate::engine::inference::{Inference, Start};
use crate::engine::network::Network;
use crate::engine::number::{Number, Plain, Wide};
use crate::engine::path_set::PathSet;
use crate::engine::weights::padded_zeros;
use crate::model::{Chance, Ends, PathDistribution, PathModel, border};
use crate::numeric::Work;
use crate::numeric::scaled::Scaled;
use crate::numeric::threads::Threads;
use crate::questions::Lengths;
use crate::routes::junctions::{JunctionSums, Junctions, SUM_LANES};
use crate::watch::Watch;

/// The forward message (eq:alpha-basecase, eq:alpha-recurrence) from any state at any time, for one model.
///
/// It is prepared once for many queries, which reuse its arrays.
///
/// ```
/// use revealed::{Ends, Given, PathModel, Spread, Work, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let model = PathModel::new(&lake.mdp, reward.clone(), 20, Ends::Anywhere)?;
/// let mut spread = Spread::new(&model, &Work::default())?;
/// let total: revealed::Scaled = spread.endings(&[(0, 1.0)], 1)?.into_iter().sum();
/// let paths = model.distribution(&Given::from_state(0), &Work::default())?;
/// assert!((total.ln() - paths.log_partition()).abs() < 1e-12);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Spread<'a> {
    model: PathModel<'a>,
    network: Arc<Network>,
    feeders: Feeders,
    plain: Pass<Plain>,
    /// Allocated when plain numbers do not suffice.
    wide: Option<Pass<Wide>>,
    threads: Threads,
    work: Work,
    /// For paths of any length; computed at the first query.
    elimination: OnceLock<Elimination>,
    /// Built at the first query for many states; `None` inside if junctions do not suit the model.
    junctions: OnceLock<Option<(Junctions<'a>, JunctionSums)>>,
}

impl<'a> Spread<'a> {
    /// Prepares for one model. Only paths of any length use the memory budget.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(model: &PathModel<'a>, work: &Work) -> Result<Self, Error> {
        let network = Inference::network(model.mdp(), !model.reward().transition.is_empty());
        let feeders = Feeders::new(&network.parents);
        let plain = Pass::new(&network, model, &feeders);
        let threads = Threads::new(work.threads)?;
        Ok(Spread {
            model: model.clone(),
            network,
            feeders,
            plain,
            wide: None,
            threads,
            work: *work,
            elimination: OnceLock::new(),
            junctions: OnceLock::new(),
        })
    }

    /// How the work is done.
    pub(crate) fn work(&self) -> &Work {
        &self.work
    }

    /// The model.
    pub fn model(&self) -> &PathModel<'a> {
        &self.model
    }

    /// For each state G, Σ f(s) q(τ) e^{R(τ)} over the paths τ of the model from the states of `start` at time `t` to
    /// G, within the horizon of the model, if it has one. `start` is a list of (s, f(s)). Rewards before `t` are not
    /// included; later rewards are discounted from the beginning of the path. The weight is zero for states in which no
    /// path ends.
    ///
    /// With [`Ends::Goal`] every state counts as a goal.
    ///
    /// # Errors
    /// If a state does not exist, or `t` is not in 1..L.
    pub fn endings(&mut self, start: &[(usize, f64)], t: usize) -> Result<Vec<Scaled>, Error> {
        if self.model.chance() == Chance::Fixed {
            return self.causal_endings(start, t);
        }
        if self.model.horizon() == Horizon::Any {
            crate::model::distribution::check_start(self.model.mdp(), start)?;
            return self.any_endings(start);
        }
        // With [`Ends::Horizon`], paths end in states with children only at the last time.
        let sums = self.plain.is_fixed() && self.model.ends() != Ends::Horizon;
        let wanted = if sums { WantedMessages::Sum } else { WantedMessages::Endings };
        let mut endings = Vec::new();
        let (horizon, model) = (self.model.longest(), self.model.clone());
        let network = Arc::clone(&self.network);
        self.run(start, t, wanted, &mut |t, message| {
            if t == horizon {
                let ending = |(state, &place): (usize, &u32)| match wanted {
                    WantedMessages::Sum if !model.may_end(state, horizon) => Scaled::ZERO,
                    WantedMessages::Sum => message.at(place as usize),
                    _ => message.total(place as usize),
                };
                endings = network.place_of_state.iter().enumerate().map(ending).collect();
            }
        })?;
        Ok(endings)
    }

    /// The episodes of a causal model from these states at time `t`.
    fn causal_paths(&self, start: &[(usize, f64)], t: usize) -> Result<PathDistribution<'a>, Error> {
        let horizon = self.model.longest();
        if t < 1 || t > horizon {
            return Err(Error::Count { what: "t", value: t, least: 1, most: horizon });
        }
        let later = self.model.with_paths(self.model.horizon().after(t - 1), self.model.ends())?;
        PathDistribution::causal(&later, start.to_vec(), None, &self.work, true)
    }

    /// [`endings`](Self::endings) of the causal model: probabilities instead of weights.
    fn causal_endings(&self, start: &[(usize, f64)], t: usize) -> Result<Vec<Scaled>, Error> {
        if self.model.ends() == Ends::Goal {
            let surely = |goal| self.surely_reached(start, t, goal).map(Scaled::from);
            return (0..self.model.mdp().n_states()).map(surely).collect();
        }
        let total: f64 = start.iter().map(|row| row.1).sum();
        match self.causal_paths(start, t)?.endings() {
            Ok(endings) => Ok(endings.into_iter().map(|p| Scaled::from(total * p)).collect()),
            Err(Error::NoPath { .. }) => Ok(vec![Scaled::ZERO; self.model.mdp().n_states()]),
            Err(error) => Err(error),
        }
    }

    /// Whether an episode of a causal model from one state at time `t` may end in each state.
    pub(crate) fn possible_ends(&self, first: usize, t: usize) -> Result<Vec<bool>, Error> {
        let horizon = self.model.horizon().after(t - 1);
        let paths = PathSet { horizon, stop: self.model.stop(None)? };
        Ok(possible_ends(self.model.mdp(), paths, &[(first, 1.0)]))
    }

    /// The weight of the first states from which the agent of a causal model can make sure to reach a goal: given the
    /// goal, all episodes end there.
    fn surely_reached(&self, start: &[(usize, f64)], t: usize, goal: usize) -> Result<f64, Error> {
        let later = self.model.with_paths(self.model.horizon().after(t - 1), Ends::Goal)?;
        let mut paths = PathDistribution::causal(&later, start.to_vec(), Some(goal), &self.work, false)?;
        let values = paths.causal_values()?.unwrap_or_default();
        Ok(start.iter().filter(|row| values[row.0] > f64::NEG_INFINITY).map(|row| row.1).sum())
    }

    /// The weights of lengths in the causal model, where ending in state s counts `share(s)` times.
    fn causal_lengths(
        &self,
        start: &[(usize, f64)],
        t: usize,
        share: impl Fn(usize) -> Scaled + Sync,
    ) -> Result<Vec<Scaled>, Error> {
        let n = self.model.mdp().n_states();
        let (mut lengths, mut paths) = (Vec::new(), self.causal_paths(start, t)?);
        let found = paths.watch(&mut |view| {
            lengths.push((0..n).map(|state| view.before(state) * view.stop(state) * share(state)).sum());
            ControlFlow::Continue(())
        });
        match found {
            Ok(_) | Err(Error::NoPath { .. }) => Ok(lengths),
            Err(error) => Err(error),
        }
    }

    /// The elimination for paths of any length, which is computed when it is needed first.
    fn elimination(&self) -> Result<&Elimination, Error> {
        if let Some(elimination) = self.elimination.get() {
            return Ok(elimination);
        }
        let made = Elimination::new(self.model.mdp(), &Limit::of_sums(self.work.memory), &Watch::none())?;
        Ok(self.elimination.get_or_init(|| made))
    }

    /// [`endings`](Self::endings) of paths of any length.
    fn any_endings(&self, start: &[(usize, f64)]) -> Result<Vec<Scaled>, Error> {
        let (mdp, model) = (self.model.mdp(), &self.model);
        let elimination = self.elimination()?;
        let leads_on = leads_to(mdp, |state| model.may_end(state, 1));
        let weights = arrivals(elimination, mdp, model.reward(), start, |state| leads_on[state])?;
        let ending = |(state, weight)| if model.may_end(state, 1) { weight } else { Scaled::ZERO };
        Ok(weights.into_iter().enumerate().map(ending).collect())
    }

    /// What is known of the digits of [`endings`](Self::endings) from one state at time `t`, for a path model whose
    /// rewards are so large that digits may be lost.
    pub(crate) fn known_endings(&self, first: usize, t: usize) -> Result<Option<Vec<Bounded>>, Error> {
        let (model, mdp, reward) = (&self.model, self.model.mdp(), self.model.reward());
        let length = model.horizon().at_most().unwrap_or(mdp.n_states());
        if model.chance() == Chance::Fixed || !is_at_risk(mdp, reward, length) {
            return Ok(None);
        }
        let start = [(first, 1.0)];
        if model.horizon() == Horizon::Any {
            let leads_on = leads_to(mdp, |state| model.may_end(state, 1));
            let mut known = known_arrivals(mdp, reward, &start, |state| leads_on[state])?;
            (0..mdp.n_states()).filter(|&state| !model.may_end(state, 1)).for_each(|state| known[state] = Bounded::NOTHING);
            return Ok(Some(known));
        }
        let may_end = |state, t| model.may_end(state, t);
        Ok(Some(TiltedDigits { mdp, reward }.endings(&start, t, model.longest(), may_end)))
    }

    /// The distribution of |τ| for paths of any length from `last`, the t-th state of a path, where `shares[G]` is the
    /// weight of ending in G.
    pub(crate) fn any_lengths_of_shares(&self, last: usize, t: usize, shares: &[Scaled]) -> Result<Lengths, Error> {
        let (mdp, reward) = (self.model.mdp(), self.model.reward());
        let elimination = self.elimination()?;
        let ends: Vec<f64> = shares.iter().map(|share| share.ln()).collect();
        let point = FixedPoint::new(elimination, mdp, reward, &ends, std::iter::once(last))?;
        if is_at_risk(mdp, reward, mdp.n_states()) {
            check_first(mdp, reward, &point.known(mdp, reward, &ends), Start::Each(&[(last, 1.0)]))?;
        }
        let moments = border::moments(point.length_moments(&[(last, 1.0)]), 1, Horizon::Any)?;
        let (probability, [mean, variance]) = (point.lengths(mdp, last)?, moments);
        Lengths { first: t, probability, moments: Some([mean + (t - 1) as f64, variance]) }.checked()
    }

    /// [`endings`](Self::endings) for many (s, t), each from one state. Without a discount, and if paths may end
    /// anywhere, several are computed together, from junction to junction, on the calling thread. This is two to three
    /// times as fast on roads, and the results are equal up to rounding.
    ///
    /// # Errors
    /// As [`endings`](Self::endings).
    pub fn endings_of_many(&mut self, starts: &[(usize, usize)]) -> Result<Vec<Vec<Scaled>>, Error> {
        let horizon = self.model.longest();
        for &(state, t) in starts {
            self.model.check_state("the first state", state)?;
            if t < 1 || t > horizon {
                return Err(Error::Count { what: "t", value: t, least: 1, most: horizon });
            }
        }
        self.junctions.get_or_init(|| {
            let suits = self.model.mdp().discount() == 1.0
                && self.model.chance() == Chance::Tilted
                && self.model.horizon() != Horizon::Any
                && matches!(self.model.ends(), Ends::Anywhere | Ends::Goal);
            let junctions = suits.then(|| Junctions::new(&self.model)).flatten()?;
            let sums = JunctionSums::new(&junctions)?;
            Some((junctions, sums))
        });
        let mut found = Vec::with_capacity(starts.len());
        for starts in starts.chunks(SUM_LANES) {
            let together = match self.junctions.get_mut() {
                Some(Some((junctions, sums))) => sums.endings(junctions, starts),
                _ => None,
            };
            match together {
                Some(together) => found.extend(together),
                None => {
                    for &(state, t) in starts {
                        found.push(self.endings(&[(state, 1.0)], t)?);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The same by lengths: entry `[l - t]` is the weight of the paths whose last state has time l and, if `to` is
    /// given, is `to`.
    ///
    /// # Errors
    /// As [`endings`](Self::endings), and if no path of the model ends in `to`.
    pub fn lengths(&mut self, start: &[(usize, f64)], t: usize, to: Option<usize>) -> Result<Vec<Scaled>, Error> {
        if self.model.chance() == Chance::Fixed {
            self.model.stop(to)?;
            let counts = |state| if to.is_none_or(|to| to == state) { Scaled::ONE } else { Scaled::ZERO };
            return self.causal_lengths(start, t, counts);
        }
        let mut lengths = Vec::new();
        if let Some(to) = to {
            let (stop, is_terminal) = (self.model.stop(Some(to))?, self.model.mdp().is_terminal(to));
            let (place, horizon) = (self.network.place_of_state[to] as usize, self.model.horizon());
            self.run(start, t, WantedMessages::Messages, &mut |t, message| {
                let ends = stop.allows(is_terminal, to, t, horizon);
                lengths.push(if ends { message.at(place) } else { Scaled::ZERO });
            })?;
        } else {
            let (model, inner) = (self.model.clone(), self.network.inner_slices);
            let visit = &mut |t, message: &dyn Message| lengths.push(message.sum(first_ending(&model, inner, t)));
            self.run(start, t, WantedMessages::Messages, visit)?;
        }
        Ok(lengths)
    }

    /// The same as a weighted sum over G: `shares[G]` times the weight of the paths to G.
    pub(crate) fn lengths_of_shares(
        &mut self,
        start: &[(usize, f64)],
        t: usize,
        shares: &[Scaled],
    ) -> Result<Vec<Scaled>, Error> {
        if self.model.chance() == Chance::Fixed {
            return self.causal_lengths(start, t, |state| shares[state]);
        }
        let (model, inner) = (self.model.clone(), self.network.inner_slices);
        let mut by_place = padded_zeros::<Wide>(&self.network);
        for (&place, &share) in self.network.place_of_state.iter().zip(shares) {
            Wide::set(&mut by_place, place as usize, share);
        }
        let mut lengths = Vec::new();
        self.run(start, t, WantedMessages::Messages, &mut |t, message| {
            lengths.push(Scaled::from(message.dot(first_ending(&model, inner, t), &by_place)));
        })?;
        Ok(lengths)
    }

    /// Calls `visit` with x_t, x_{t+1}, …, x_L.
    fn run(
        &mut self,
        start: &[(usize, f64)],
        t: usize,
        wanted: WantedMessages,
        visit: &mut ShowMessage<'_>,
    ) -> Result<(), Error> {
        let horizon = self.model.longest();
        if self.model.horizon() == Horizon::Any {
            return Err(Error::AnyLength {
                rule: "the lengths of paths without a horizon have no end; ask for their distribution",
            });
        }
        if t < 1 || t > horizon {
            return Err(Error::Count { what: "t", value: t, least: 1, most: horizon });
        }
        crate::model::distribution::check_start(self.model.mdp(), start)?;
        self.threads.clone().run_if(self.plain.share(), || self.passes(start, t, wanted, visit))
    }

    fn passes(
        &mut self,
        start: &[(usize, f64)],
        first: usize,
        wanted: WantedMessages,
        visit: &mut ShowMessage<'_>,
    ) -> Result<(), Error> {
        let (work, mut pace) = (self.network.parents.n_slots(), Pace::default());
        let Spread { model, network, feeders, plain, wide, .. } = self;
        let horizon = model.longest();
        let ends = |place: usize| model.may_end(network.state_of_place[place] as usize, first);
        let ending = |t: usize| first_ending(model, network.inner_slices, t);
        let sources = plain.sources(start, first);
        let mut t = first;
        let scale = plain.scale_for(&sources);
        if let Some(scale) = scale {
            plain.begin(&sources, scale, ends);
            visit(t, plain);
            while t < horizon && plain.is_safe(feeders) {
                pace.spend(work)?;
                plain.step(feeders, t, wanted, t == first, ending(t + 1));
                t = if wanted == WantedMessages::Sum && !plain.is_live() { horizon } else { t + 1 };
                visit(t, plain);
            }
        }
        if scale.is_some() && t == horizon {
            return Ok(());
        }
        let wide = wide.get_or_insert_with(|| Pass::new(network, model, feeders));
        if scale.is_some() {
            wide.take_over(plain);
        } else {
            wide.begin(&sources, 0.0, ends);
            visit(t, wide);
        }
        while t < horizon {
            pace.spend(work)?;
            wide.step(feeders, t, wanted, t == first, ending(t + 1));
            t = if wanted == WantedMessages::Sum && !wide.is_live() { horizon } else { t + 1 };
            visit(t, wide);
        }
        Ok(())
    }
}

/// A callback that receives t and x_t.
type ShowMessage<'a> = dyn FnMut(usize, &dyn Message) + Send + 'a;

/// x_t, in plain or wide numbers.
trait Message {
    fn at(&self, place: usize) -> Scaled;
    fn total(&self, place: usize) -> Scaled;
    fn sum(&self, slice: usize) -> Scaled;
    fn dot(&self, slice: usize, shares: &[f64]) -> f64;
}

impl<N: Number> Message for Pass<N> {
    fn at(&self, place: usize) -> Scaled {
        Pass::at(self, place)
    }
    fn total(&self, place: usize) -> Scaled {
        Pass::total(self, place)
    }
    fn sum(&self, slice: usize) -> Scaled {
        Pass::sum(self, slice)
    }
    fn dot(&self, slice: usize, shares: &[f64]) -> f64 {
        Pass::dot(self, slice, shares)
    }
}

/// The first slice whose states may end paths of t states. Inner slices come first, then terminal states.
fn first_ending(model: &PathModel<'_>, inner_slices: usize, t: usize) -> usize {
    let inner_ends = match model.ends() {
        Ends::Anywhere | Ends::Goal => true,
        Ends::Horizon => t == model.longest(),
        Ends::Terminal => false,
    };
    if inner_ends { 0 } else { inner_slices }
}
