//! The distribution over episodes of a causal model, as messages that every query can read.
//!
//! The agent's policy makes the world a Markov chain. Its messages have the same meaning as those of the path model
//! (`engine/view.rs`): the weight of a step is π_t(a|s) T(s'|s,a), the weight of an end is σ_t(s), and the weight of
//! everything that may follow is the probability h_t(s) that an episode that is in s at t ends in the given last state.
//! If no last state is given, h = 1 wherever the agent can make sure that the episode ends as it should.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::digits::CausalDigits;
use super::finite::FiniteHorizon;
use super::kernel::{Flows, arrivals, expectations, flows};
use super::layout::ChoiceLayout;
use super::linear::Side;
use super::possible::possible_ends;
use super::recursion::Recursion;
use super::stationary::Stationary;
use crate::Error;
use crate::cancel::Cancel;
use crate::engine::Horizon;
use crate::engine::digits::{Bounded, Payment, is_at_risk};
use crate::engine::elimination::{Elimination, EliminationSums, Limit};
use crate::engine::fixed_point::FixedPoint;
use crate::engine::inference::{Expectation, check_reward_size, no_path};
use crate::engine::path_set::PathSet;
use crate::engine::view::View;
use crate::numeric::scaled::Scaled;
use crate::watch::Watch;
use crate::world::{Mdp, Occupancy, Reward};

/// Exact inference in the causal model on one MDP. The arrays are reused.
#[derive(Debug)]
pub(crate) struct CausalInference {
    recursion: Recursion,
    horizon: Horizon,
    memory: usize,
    /// Whether visits are counted.
    forward: bool,
    finite: Option<FiniteHorizon>,
    stationary: Stationary,
    elimination: Option<Elimination>,
}

/// h_t(s): the probability that an episode ends as it is known to end.
enum Hits {
    /// No last state is given.
    All,
    /// The same at every time, by places.
    Constant(Vec<f64>),
    /// h_1, h_2, …, h_L by places.
    ByTime(Vec<Vec<f64>>),
}

/// What is known of the episodes that are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownEnds<'a> {
    /// Weights of first states.
    pub start: &'a [(usize, f64)],
    /// The last state.
    pub to: Option<usize>,
    /// Whether to refuse if digits are lost of what follows the first states.
    pub checks_digits: bool,
}

impl CausalInference {
    pub fn new(mdp: &Mdp, horizon: Horizon, memory: usize, forward: bool) -> CausalInference {
        let recursion = Recursion::new(Arc::new(ChoiceLayout::new(mdp)), mdp);
        let (finite, stationary, elimination) = (None, Stationary::new(memory), None);
        CausalInference { recursion, horizon, memory, forward, finite, stationary, elimination }
    }

    /// Whether several threads make a step faster.
    pub fn is_large(&self) -> bool {
        self.recursion.share
    }

    /// Solves for V_1, and passes the messages of t = 1, 2, … to `visit` until it answers `Break` or the horizon is
    /// reached. The expected visits are those up to that time; without a horizon those of all times. `paths` says where
    /// and when the agent may end an episode.
    ///
    /// `log_partition` of the answer is the mean of V_1 over the first states.
    ///
    /// # Errors
    /// If no such episode exists, the memory is too small, or the values are not finite.
    pub fn watch(
        &mut self,
        mdp: &Mdp,
        reward: &Reward,
        known: KnownEnds<'_>,
        paths: PathSet,
        visit: &mut (dyn FnMut(View<'_>) -> ControlFlow<()> + Send),
    ) -> Result<Expectation, Error> {
        let value = self.solve(mdp, reward, paths)?;
        self.check_digits(mdp, reward, known, paths)?;
        let hits = self.hits(mdp, known, paths)?;
        let first = self.first_states(known, &hits, &value).ok_or_else(|| no_episode(mdp, known, paths))?;
        let of_first = |&(state, p): &(usize, f64)| p * value[self.recursion.layout.place_of_state[state] as usize];
        let log_partition = first.iter().map(of_first).sum();
        let mut occupancy = self.walk(mdp, known, paths, &first, &hits, visit)?;
        if self.forward && self.horizon == Horizon::Any {
            occupancy = self.visits(mdp, known, &first, &hits)?;
        }
        Ok(Expectation { log_partition, occupancy })
    }

    /// The mean and the variance of the number of states of an episode, without a horizon.
    ///
    /// # Errors
    /// As [`watch`](Self::watch).
    pub fn length_moments(
        &mut self,
        mdp: &Mdp,
        reward: &Reward,
        known: KnownEnds<'_>,
        paths: PathSet,
    ) -> Result<[f64; 2], Error> {
        let value = self.solve(mdp, reward, paths)?;
        self.check_digits(mdp, reward, known, paths)?;
        let hits = self.hits(mdp, known, paths)?;
        let first = self.first_states(known, &hits, &value).ok_or_else(|| no_episode(mdp, known, paths))?;
        Ok(self.fixed_point(mdp, known)?.length_moments(&first))
    }

    /// V_1 of each state.
    ///
    /// # Errors
    /// As [`watch`](Self::watch).
    pub fn values(&mut self, mdp: &Mdp, reward: &Reward, paths: PathSet) -> Result<Vec<f64>, Error> {
        let value = self.solve(mdp, reward, paths)?;
        Ok(self.recursion.layout.by_state(&value))
    }

    /// P(the episode ends in s) for each state s, without a horizon. The first states have these weights, of which
    /// those count from which an episode can end as it should.
    ///
    /// # Errors
    /// As [`watch`](Self::watch).
    pub fn endings(&mut self, mdp: &Mdp, reward: &Reward, known: KnownEnds<'_>, paths: PathSet) -> Result<Vec<f64>, Error> {
        let value = self.solve(mdp, reward, paths)?;
        self.check_digits(mdp, reward, known, paths)?;
        let Some(first) = self.first_states(known, &Hits::All, &value) else { return Ok(vec![0.0; mdp.n_states()]) };
        let point = self.fixed_point(mdp, known)?;
        Ok(point.visits(&first).iter().zip(&point.stop).map(|(visits, stop)| visits * stop).collect())
    }

    /// V_1, by places.
    fn solve(&mut self, mdp: &Mdp, reward: &Reward, paths: PathSet) -> Result<Vec<f64>, Error> {
        reward.check(mdp)?;
        check_reward_size(reward, self.horizon.at_most().unwrap_or(mdp.n_states()))?;
        self.recursion.set(mdp, reward, paths);
        let Horizon::AtMost(horizon) = self.horizon else {
            self.stationary.solve(mdp, &self.recursion, paths).map_err(|error| blame_digits(mdp, reward, error))?;
            return Ok(self.stationary.value.clone());
        };
        if self.finite.is_none() {
            self.finite = Some(FiniteHorizon::new(&self.recursion, horizon, self.memory, true)?);
        }
        let finite = self.finite.as_mut().expect("just made");
        finite.sweep(&self.recursion, &mut |_| ())
    }

    /// Refuses if digits are lost of what follows the first states, after [`solve`](Self::solve).
    fn check_digits(&self, mdp: &Mdp, reward: &Reward, known: KnownEnds<'_>, paths: PathSet) -> Result<(), Error> {
        if !known.checks_digits {
            return Ok(());
        }
        let value = || self.recursion.layout.by_state(&self.stationary.value);
        let solved = (self.horizon == Horizon::Any).then(value);
        let solved = solved.as_ref().map(|value| (&value[..], self.stationary.error));
        CausalDigits { mdp, reward, paths }.check(known.start, solved)
    }

    /// Shows what is known of the digits of V_L, …, V_1, or of V for t = 1 without a horizon. Nothing is shown if the
    /// rewards are small enough.
    ///
    /// # Errors
    /// As [`watch`](Self::watch).
    pub fn show_digits(
        &mut self,
        mdp: &Mdp,
        reward: &Reward,
        paths: PathSet,
        visit: &mut dyn FnMut(usize, &[Bounded]),
    ) -> Result<(), Error> {
        let digits = CausalDigits { mdp, reward, paths };
        if !digits.is_at_risk() {
            return Ok(());
        }
        if self.horizon != Horizon::Any {
            digits.backward(visit);
            return Ok(());
        }
        let value = self.solve(mdp, reward, paths)?;
        let value = self.recursion.layout.by_state(&value);
        visit(1, &digits.stationary(&value, self.stationary.error, 0..mdp.n_states()));
        Ok(())
    }

    /// h_t, after [`solve`](Self::solve).
    fn hits(&mut self, mdp: &Mdp, known: KnownEnds<'_>, paths: PathSet) -> Result<Hits, Error> {
        let Some(goal) = known.to else { return Ok(Hits::All) };
        let Horizon::AtMost(horizon) = self.horizon else {
            let point = self.fixed_point(mdp, known);
            let after: Vec<f64> = match point {
                Ok(point) => (0..mdp.n_states()).map(|state| point.after(state).to_f64()).collect(),
                Err(error) => return Err(error),
            };
            return Ok(Hits::Constant(self.recursion.layout.by_place(|state| after[state])));
        };
        let CausalInference { recursion, finite, memory, .. } = self;
        let (layout, finite) = (&recursion.layout, finite.as_mut().expect("solved"));
        let least = horizon * layout.padded_places * size_of::<f64>();
        if least > *memory {
            return Err(Error::Memory { budget: *memory, least, n_states: mdp.n_states() });
        }
        let ends = |length| if paths.may_end(mdp.is_terminal(goal), goal, length) { 1.0 } else { 0.0 };
        let place = layout.place_of_state[goal] as usize;
        let only = |p: f64| layout.by_place(|state| if state == goal { p } else { 0.0 });
        let mut hits = vec![only(ends(horizon))];
        for t in (1..horizon).rev() {
            let stop = recursion.log_stop(goal, finite.value(recursion, t)?).exp();
            let mut hit = only(if mdp.is_terminal(goal) { ends(t) } else { 0.0 });
            let next = &hits[hits.len() - 1];
            expectations(layout, recursion.share, 1.0, finite.policy(recursion, t)?, next, &mut hit);
            if !mdp.is_terminal(goal) {
                hit[place] += stop;
            }
            hits.push(hit);
        }
        hits.reverse();
        Ok(Hits::ByTime(hits))
    }

    /// The chain of a stationary policy, as paths of any length.
    fn fixed_point(&mut self, mdp: &Mdp, known: KnownEnds<'_>) -> Result<FixedPoint<'_>, Error> {
        let (recursion, value) = (&self.recursion, &self.stationary.value);
        let elimination = match &mut self.elimination {
            Some(elimination) => elimination,
            none => none.insert(Elimination::new(mdp, &Limit::of_sums(self.memory), &Watch::none())?),
        };
        let of_choice = |choice| recursion.log_policy(mdp, choice, value, value);
        let log_policy: Vec<f64> = (0..mdp.n_choices()).map(of_choice).collect();
        let weight = |transition: usize| log_policy[mdp.choice_of()[transition] as usize] + mdp.probability()[transition].ln();
        let weights: Vec<f64> = (0..mdp.n_transitions()).map(weight).collect();
        let end = |state: usize| match known.to.is_none_or(|to| to == state) {
            true => recursion.log_stop(state, value),
            false => f64::NEG_INFINITY,
        };
        let ends: Vec<f64> = (0..mdp.n_states()).map(end).collect();
        FixedPoint::of_weights(elimination, mdp, &weights, &ends, known.start.iter().map(|row| row.0))
    }

    /// The probabilities of the first states, f(s) h_1(s) / Z; `None` if no episode is left.
    fn first_states(&self, known: KnownEnds<'_>, hits: &Hits, value: &[f64]) -> Option<Vec<(usize, f64)>> {
        let weight = |&(state, f): &(usize, f64)| (state, f * self.hit(hits, 1, state, value));
        let weights: Vec<(usize, f64)> = known.start.iter().map(weight).collect();
        let total: f64 = weights.iter().map(|row| row.1).sum();
        (total > 0.0).then(|| weights.into_iter().filter(|row| row.1 > 0.0).map(|(state, p)| (state, p / total)).collect())
    }

    /// h_t(s), given V_t.
    fn hit(&self, hits: &Hits, t: usize, state: usize, value: &[f64]) -> f64 {
        let place = self.recursion.layout.place_of_state[state] as usize;
        match hits {
            Hits::All => f64::from(value[place] > f64::NEG_INFINITY),
            Hits::Constant(hits) => hits[place],
            Hits::ByTime(hits) => hits[t - 1][place],
        }
    }

    /// Goes forward in time. The visits are those up to the last time that was shown.
    fn walk(
        &mut self,
        mdp: &Mdp,
        known: KnownEnds<'_>,
        paths: PathSet,
        first: &[(usize, f64)],
        hits: &Hits,
        visit: &mut (dyn FnMut(View<'_>) -> ControlFlow<()> + Send),
    ) -> Result<Occupancy, Error> {
        let layout = Arc::clone(&self.recursion.layout);
        let mut occupancy = Occupancy { state: vec![0.0; mdp.n_states()], transition: vec![0.0; mdp.n_transitions()] };
        // α_t(s) / Z: where episodes are, if how they end is not taken into account.
        let mut before = vec![0.0; layout.padded_places];
        let mut value = self.value(1)?;
        for &(state, p) in first {
            before[layout.place_of_state[state] as usize] = p / self.hit(hits, 1, state, &value);
        }
        let (mut previous, mut flow, mut next) = (value.clone(), Flows::new(&layout, true), vec![0.0; layout.padded_places]);
        let (mut earlier, mut discount) = (0.0, 1.0);
        for t in 1..=self.horizon.longest() {
            let shown =
                Shown { inference: self, mdp, known, paths, hits, t, value: &value, previous: &previous, before: &before };
            let (mass, flow_of_time) = shown.show(visit);
            let last = self.horizon == Horizon::AtMost(t);
            if self.forward {
                shown.count([earlier, discount], &flow.of_slot, &mut occupancy);
            }
            let is_over = self.horizon == Horizon::Any && self.forward && mass == 0.0;
            if flow_of_time.is_break() || last || is_over {
                break;
            }
            if self.forward {
                let share = self.recursion.share;
                flows(&layout, share, self.policy(t)?, &before, &mut flow);
                arrivals(&layout, share, 1.0, &flow, &mut next);
                std::mem::swap(&mut before, &mut next);
            }
            std::mem::swap(&mut previous, &mut value);
            value = self.value(t + 1)?;
            (earlier, discount) = (discount, discount * mdp.discount());
        }
        Ok(occupancy)
    }

    /// V_t.
    fn value(&mut self, t: usize) -> Result<Vec<f64>, Error> {
        match (self.horizon, &mut self.finite) {
            (Horizon::AtMost(horizon), Some(finite)) if t < horizon => Ok(finite.value(&self.recursion, t)?.to_vec()),
            (Horizon::AtMost(_), _) => Ok(self.recursion.last.clone()),
            (Horizon::Any, _) => Cancel::check().map(|()| self.stationary.value.clone()),
        }
    }

    /// π_t for t < L.
    fn policy(&mut self, t: usize) -> Result<&[f64], Error> {
        match &mut self.finite {
            Some(finite) => finite.policy(&self.recursion, t),
            None => Ok(&self.stationary.policy),
        }
    }

    /// Σ_t γ^{t-1} p_t without a horizon.
    fn visits(&mut self, mdp: &Mdp, known: KnownEnds<'_>, first: &[(usize, f64)], hits: &Hits) -> Result<Occupancy, Error> {
        let layout = Arc::clone(&self.recursion.layout);
        let discount = self.recursion.discount;
        if matches!(hits, Hits::All) {
            let mut begin = vec![0.0; layout.padded_places];
            first.iter().for_each(|&(state, p)| begin[layout.place_of_state[state] as usize] += p);
            let solved = self.stationary.system(mdp, &self.recursion, discount, Side::Visits, &begin)?;
            let visits = solved.ok_or(Error::GoesOn { state: first[0].0 })?;
            let state = layout.by_state(&visits);
            let of_choice = |choice: usize| self.stationary.policy[layout.slot_of_choice[choice] as usize];
            let of_transition = |transition: usize| {
                state[mdp.from()[transition] as usize]
                    * of_choice(mdp.choice_of()[transition] as usize)
                    * mdp.probability()[transition]
            };
            return Ok(Occupancy { transition: (0..mdp.n_transitions()).map(of_transition).collect(), state });
        }
        let step = self.fixed_point(mdp, known)?.step.iter().map(|step| discount * step).collect::<Vec<f64>>();
        let elimination = self.elimination.as_ref().expect("made for the fixed point");
        let sums = EliminationSums::new(elimination, &step)
            .map_err(|unsolved| unsolved.or(|stays| Error::GoesOn { state: stays.state }))?;
        let mut begin = vec![0.0; mdp.n_states()];
        first.iter().for_each(|&(state, p)| begin[state] += p);
        let state = sums.row(elimination, &begin);
        // `step` has one factor γ too many: the action is counted at the time of its state.
        let of_transition = |transition: usize| match discount {
            0.0 => 0.0,
            discount => state[mdp.from()[transition] as usize] * step[transition] / discount,
        };
        Ok(Occupancy { transition: (0..mdp.n_transitions()).map(of_transition).collect(), state })
    }
}

/// If rewards are so large that values leave their range, says that instead of [`Error::NoValue`].
pub(super) fn blame_digits(mdp: &Mdp, reward: &Reward, error: Error) -> Error {
    match error {
        Error::NoValue { .. } if is_at_risk(mdp, reward, mdp.n_states()) => Payment::largest(reward).digits_lost(mdp),
        error => error,
    }
}

/// The error if no episode is left: there is none, or it is too unlikely.
fn no_episode(mdp: &Mdp, known: KnownEnds<'_>, paths: PathSet) -> Error {
    match known.to.filter(|&to| possible_ends(mdp, paths, known.start)[to]) {
        Some(state) => Error::TooUnlikely { state },
        None => no_path(conditioned(paths, known.to)),
    }
}

/// The path set of the episodes whose last state is known, for messages.
fn conditioned(paths: PathSet, to: Option<usize>) -> PathSet {
    to.map_or(paths, |to| PathSet { stop: crate::engine::Stop::At(to), ..paths })
}

/// One time of the walk.
struct Shown<'a> {
    inference: &'a CausalInference,
    mdp: &'a Mdp,
    known: KnownEnds<'a>,
    paths: PathSet,
    hits: &'a Hits,
    t: usize,
    value: &'a [f64],
    previous: &'a [f64],
    before: &'a [f64],
}

impl Shown<'_> {
    fn hit(&self, state: usize) -> f64 {
        self.inference.hit(self.hits, self.t, state, self.value)
    }

    fn before(&self, state: usize) -> f64 {
        self.before[self.inference.recursion.layout.place_of_state[state] as usize]
    }

    /// Calls `visit` with the messages. Returns P(length >= t) and the answer.
    fn show(&self, visit: &mut (dyn FnMut(View<'_>) -> ControlFlow<()> + Send)) -> (f64, ControlFlow<()>) {
        let Shown { inference, mdp, known, paths, t, value, previous, .. } = *self;
        let recursion = &inference.recursion;
        let mass = match inference.forward {
            true => (0..mdp.n_states()).map(|state| self.before(state) * self.hit(state)).sum(),
            false => 0.0,
        };
        let stop = |state: usize, t: usize, value: &[f64]| {
            if known.to.is_some_and(|to| to != state) || !paths.may_end(mdp.is_terminal(state), state, t) {
                return Scaled::ZERO;
            }
            match paths.horizon == Horizon::AtMost(t) || mdp.is_terminal(state) {
                true => Scaled::ONE,
                false => Scaled::exp(recursion.log_stop(state, value)),
            }
        };
        let step = |transition: usize| {
            let log_policy = recursion.log_policy(mdp, mdp.choice_of()[transition] as usize, previous, value);
            Scaled::exp(log_policy) * Scaled::from(mdp.probability()[transition])
        };
        let flow = visit(View {
            t,
            mass,
            before: &|state| Scaled::from(self.before(state)),
            after: &|state| Scaled::from(self.hit(state)),
            of_state: &|_| Scaled::ONE,
            step: &step,
            stop: &|state| stop(state, t, value),
            previous_stop: &|state| if t > 1 { stop(state, t - 1, previous) } else { Scaled::ZERO },
        });
        (mass, flow)
    }

    /// Adds γ^{t-1} p_t(s), and γ^{t-2} p_{t-1}(s, a, s') from the flow that led here.
    fn count(&self, [earlier, discount]: [f64; 2], flow: &[f64], occupancy: &mut Occupancy) {
        let (mdp, layout) = (self.mdp, &self.inference.recursion.layout);
        for (state, visits) in occupancy.state.iter_mut().enumerate() {
            *visits += discount * self.before(state) * self.hit(state);
        }
        if earlier == 0.0 {
            return;
        }
        for (transition, visits) in occupancy.transition.iter_mut().enumerate() {
            let slot = layout.slot_of_choice[mdp.choice_of()[transition] as usize] as usize;
            let to = mdp.to()[transition] as usize;
            *visits += earlier * flow[slot] * mdp.probability()[transition] * self.hit(to);
        }
    }
}
