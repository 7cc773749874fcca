//! The objective of learning and its derivatives, in one backward and one forward pass.
//!
//! The log-likelihood of the actions given the states is Σ_t log π_t(a_t|s_t). With n_t(s,a) the demonstrated actions
//! and n_t(s) their sum, its derivative flows forward in time, through the same steps as visits do:
//!
//! ```text
//! u_t(s,a)    = n_t(s,a) + π_t(a|s) (x_t(s) - n_t(s))                x_1 = 0
//! x_{t+1}(s') = γ Σ_{s,a} u_t(s,a) T(s'|s,a)
//! ∇ℓ          = Σ_t Σ_{s,a} u_t(s,a) (φ(s,a) + Σ_s' T(s'|s,a) φ(s,a,s')) + Σ_{t>1} Σ_s x_t(s) φ(s)
//! ```
//!
//! So u and x are visits with a sign: what follows from what was done, minus what was expected. With n = 0 and x_1 = p0
//! they are the expected discounted visits themselves, which the dual needs. Without a horizon, x solves a linear
//! system.

use std::sync::Arc;

use super::chain::blame_digits;
use super::digits::CausalDigits;
use super::finite::FiniteHorizon;
use super::kernel::{Flows, arrivals, expectations, flows};
use super::layout::ChoiceLayout;
use super::linear::Side;
use super::recursion::Recursion;
use super::stationary::Stationary;
use crate::Error;
use crate::engine::Horizon;
use crate::engine::inference::check_reward_size;
use crate::engine::network::LANES;
use crate::engine::path_set::PathSet;
use crate::numeric::parallel;
use crate::world::{Mdp, Occupancy, Reward};

/// Numbers that a thread adds at once.
const CHUNK: usize = 32_768;

/// What was done, with weights: the n_t of the derivative.
#[derive(Debug, Default)]
pub(crate) struct Deeds {
    /// For each time from 1, or all of them in one list without a horizon: the choices.
    pub choices: Vec<Vec<(usize, f64)>>,
    /// Likewise the states in which a demonstration ended although it might have gone on.
    pub stops: Vec<Vec<(usize, f64)>>,
}

/// Where the visits of the derivative come from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sources<'a> {
    /// The derivative of the log-likelihood of what was done.
    Deeds(&'a Deeds),
    /// Expected visits from these first states.
    Start(&'a [(usize, f64)]),
}

/// A callback that receives t, ∂V_t and ∂V_{t+1}.
type ShowDerivative<'a> = dyn FnMut(usize, &[f64], &[f64]) + 'a;

/// A callback that receives t, its place in a list by time, log π_t of a choice and log σ_t of a state.
type ShowPolicy<'a> = dyn FnMut(usize, usize, &dyn Fn(usize) -> f64, &dyn Fn(usize) -> f64) + 'a;

/// A choice or a stop that is impossible: (the time, or 1 without a horizon; the choice, or the state that ends).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Impossible {
    Choice(usize, usize),
    Stop(usize, usize),
}

/// The arrays of both passes, for one MDP and one horizon.
#[derive(Debug)]
pub(crate) struct CausalPasses {
    recursion: Recursion,
    horizon: Horizon,
    finite: Option<FiniteHorizon>,
    stationary: Stationary,
    /// Whether visits of transitions are needed.
    transitions: bool,
    /// V_1 by places.
    first: Vec<f64>,
}

impl CausalPasses {
    /// # Errors
    /// If the memory budget, in bytes, is too small.
    pub fn new(mdp: &Mdp, horizon: Horizon, transitions: bool, memory: usize) -> Result<CausalPasses, Error> {
        let recursion = Recursion::new(Arc::new(ChoiceLayout::new(mdp)), mdp);
        let finite = match horizon {
            Horizon::AtMost(horizon) => Some(FiniteHorizon::new(&recursion, horizon, memory, false)?),
            Horizon::Any => None,
        };
        Ok(CausalPasses { recursion, horizon, finite, stationary: Stationary::new(memory), transitions, first: Vec::new() })
    }

    /// Whether several threads make a pass faster.
    pub fn is_large(&self) -> bool {
        self.recursion.share
    }

    /// The backward pass for a reward. Returns the log-likelihood of what was done, or what is impossible.
    ///
    /// # Errors
    /// If the reward is too large, or the values are not finite.
    pub fn solve(
        &mut self,
        mdp: &Mdp,
        reward: &Reward,
        paths: PathSet,
        deeds: &Deeds,
    ) -> Result<Result<f64, Impossible>, Error> {
        let mut sum = Ok(0.0);
        let mut add = |term: f64, what: Impossible| {
            if let Ok(total) = &mut sum {
                *total += term;
            }
            if term == f64::NEG_INFINITY {
                sum = Err(what);
            }
        };
        self.show(mdp, reward, paths, &mut |t, place, of_choice, of_stop| {
            for &(choice, weight) in deeds.choices.get(place).into_iter().flatten() {
                add(weight * of_choice(choice), Impossible::Choice(t, choice));
            }
            for &(state, weight) in deeds.stops.get(place).into_iter().flatten() {
                add(weight * of_stop(state), Impossible::Stop(t, state));
            }
        })?;
        self.check_digits(mdp, reward, paths, deeds)?;
        Ok(sum)
    }

    /// The backward pass for a reward. Shows log π_t of each choice and log σ_t of each state, for every t < L from the
    /// last to the first, or once without a horizon: t, its place in a list by time, and the two logarithms.
    ///
    /// # Errors
    /// If the reward is too large, or the values are not finite.
    pub fn show(&mut self, mdp: &Mdp, reward: &Reward, paths: PathSet, show: &mut ShowPolicy<'_>) -> Result<(), Error> {
        check_reward_size(reward, self.horizon.at_most().unwrap_or(mdp.n_states()))?;
        self.recursion.set(mdp, reward, paths);
        let CausalPasses { recursion, finite, stationary, first, .. } = self;
        let mut at = |t: usize, place: usize, value: &[f64], next: &[f64]| {
            let of_choice = |choice: usize| recursion.log_policy(mdp, choice, value, next);
            show(t, place, &of_choice, &|state| recursion.log_stop(state, value));
        };
        match finite {
            Some(finite) => *first = finite.sweep(recursion, &mut |step| at(step.t, step.t - 1, step.value, step.next))?,
            None => {
                stationary.solve(mdp, recursion, paths).map_err(|error| blame_digits(mdp, reward, error))?;
                at(1, 0, &stationary.value, &stationary.value);
                first.clone_from(&stationary.value);
            }
        }
        Ok(())
    }

    /// Refuses if digits are lost of what follows a state in which something was done.
    ///
    /// # Errors
    /// [`Error::DigitsLost`].
    pub fn check_digits(&self, mdp: &Mdp, reward: &Reward, paths: PathSet, deeds: &Deeds) -> Result<(), Error> {
        let digits = CausalDigits { mdp, reward, paths };
        if !digits.is_at_risk() {
            return Ok(());
        }
        let states_at = |place: usize| {
            let chosen = deeds.choices.get(place).into_iter().flatten().map(|deed| mdp.state_of(deed.0));
            chosen.chain(deeds.stops.get(place).into_iter().flatten().map(|deed| deed.0))
        };
        if self.horizon == Horizon::Any {
            let value = self.recursion.layout.by_state(&self.stationary.value);
            let known = digits.stationary(&value, self.stationary.error, states_at(0));
            return states_at(0).try_for_each(|state| known[state].check(mdp));
        }
        let mut found = Ok(());
        digits.backward(&mut |t, known| {
            if found.is_ok() {
                found = states_at(t - 1).try_for_each(|state| known[state].check(mdp));
            }
        });
        found
    }

    /// Refuses if digits are lost of what follows the first states, after [`solve`](Self::solve).
    ///
    /// # Errors
    /// [`Error::DigitsLost`].
    pub fn check_start(&self, mdp: &Mdp, reward: &Reward, paths: PathSet, start: &[(usize, f64)]) -> Result<(), Error> {
        let value = || self.recursion.layout.by_state(&self.stationary.value);
        let solved = (self.horizon == Horizon::Any).then(value);
        let solved = solved.as_ref().map(|value| (&value[..], self.stationary.error));
        CausalDigits { mdp, reward, paths }.check(start, solved)
    }

    /// The first states from which an episode can end as it should, and their share of all weights, after
    /// [`solve`](Self::solve).
    pub fn alive(&self, start: &[(usize, f64)]) -> (Vec<(usize, f64)>, f64) {
        let value = |state: usize| self.first[self.recursion.layout.place_of_state[state] as usize];
        let alive: Vec<(usize, f64)> = start.iter().copied().filter(|row| value(row.0) > f64::NEG_INFINITY).collect();
        let [some, all] = [&alive[..], start].map(|rows| rows.iter().map(|row| row.1).sum::<f64>());
        (alive.into_iter().map(|(state, p)| (state, p * (all / some))).collect(), some / all)
    }

    /// Σ weight · V_1(s) over first states, after [`solve`](Self::solve).
    pub fn expected_value(&self, start: &[(usize, f64)]) -> f64 {
        let value = |state: usize| self.first[self.recursion.layout.place_of_state[state] as usize];
        start.iter().filter(|row| row.1 > 0.0).map(|&(state, weight)| weight * value(state)).sum()
    }

    /// The derivative of the values in one direction of the reward, after [`solve`](Self::solve): shows ∂V_t and
    /// ∂V_{t+1}, by places, for every t < L from the last to the first, or once without a horizon. `of_state` is the
    /// derivative of R(s) by places, and `of_slot` that of Σ_s' T (R(s,a) + R(s,a,s')) by slots.
    ///
    /// # Errors
    /// As [`visits`](Self::visits).
    pub fn derivative(
        &mut self,
        mdp: &Mdp,
        of_state: &[f64],
        of_slot: &[f64],
        visit: &mut ShowDerivative<'_>,
    ) -> Result<(), Error> {
        let CausalPasses { recursion, horizon, finite, stationary, .. } = self;
        let (layout, share, discount) = (Arc::clone(&recursion.layout), recursion.share, recursion.discount);
        // ∂R(s) + Σ_a π_t(a|s) ∂R(s,a).
        let own = |policy: &[f64]| {
            let mut own = of_state.to_vec();
            for slot in (0..layout.n_slots()).filter(|&slot| of_slot[slot] != 0.0) {
                let state = mdp.state_of(layout.choice_of_slot[slot] as usize);
                own[layout.place_of_state[state] as usize] += policy[slot] * of_slot[slot];
            }
            own
        };
        let Horizon::AtMost(horizon) = *horizon else {
            let own = own(&stationary.policy);
            let solved = stationary.system(mdp, recursion, discount, Side::Sums, &own)?;
            let value = solved.ok_or(Error::Overflow { what: "the derivative of the values", value: f64::INFINITY })?;
            visit(1, &value, &value);
            return Ok(());
        };
        let finite = finite.as_mut().expect("the horizon is a number");
        let mut next = of_state.to_vec();
        for t in (1..horizon).rev() {
            let policy = finite.policy(recursion, t)?;
            let (mut value, own) = (of_state.to_vec(), own(policy));
            expectations(&layout, share, discount, policy, &next, &mut value);
            let inner = layout.inner_slices * LANES;
            value[..inner].iter_mut().zip(&own).for_each(|(value, own)| *value += own);
            visit(t, &value, &next);
            next = value;
        }
        Ok(())
    }

    /// The layout of states and choices.
    pub fn layout(&self) -> Arc<ChoiceLayout> {
        Arc::clone(&self.recursion.layout)
    }

    /// The forward pass: the (signed) visits of states and, if they are needed, of transitions.
    ///
    /// # Errors
    /// If the values are so close to infinity that the linear system has no solution.
    pub fn visits(&mut self, mdp: &Mdp, sources: Sources<'_>) -> Result<Occupancy, Error> {
        let (of_place, of_slot) = match self.horizon {
            Horizon::AtMost(horizon) => self.finite_visits(mdp, horizon, sources)?,
            Horizon::Any => self.stationary_visits(mdp, sources)?,
        };
        let layout = &self.recursion.layout;
        let transition = match self.transitions {
            true => {
                let of_choice = layout.by_choice(&of_slot);
                let visits = |(&choice, p): (&u32, &f64)| of_choice[choice as usize] * p;
                mdp.choice_of().iter().zip(mdp.probability()).map(visits).collect()
            }
            false => Vec::new(),
        };
        Ok(Occupancy { state: layout.by_state(&of_place), transition })
    }

    fn finite_visits(&mut self, mdp: &Mdp, horizon: usize, sources: Sources<'_>) -> Result<(Vec<f64>, Vec<f64>), Error> {
        let CausalPasses { recursion, finite, transitions, .. } = self;
        let finite = finite.as_mut().expect("the horizon is a number");
        let layout = Arc::clone(&recursion.layout);
        let share = recursion.share;
        let (mut x, mut next) = (vec![0.0; layout.padded_places], vec![0.0; layout.padded_places]);
        let mut flow = Flows::new(&layout, *transitions);
        let (mut of_place, mut of_slot) = (x.clone(), if *transitions { flow.of_slot.clone() } else { Vec::new() });
        if let Sources::Start(start) = sources {
            start.iter().for_each(|&(state, p)| x[layout.place_of_state[state] as usize] += p);
            of_place.clone_from(&x);
        }
        for t in 1..horizon {
            let [choices, stops] = sources.at(t - 1);
            for &(choice, weight) in choices {
                x[layout.place_of_state[mdp.state_of(choice)] as usize] -= weight;
            }
            stops.iter().for_each(|&(state, weight)| x[layout.place_of_state[state] as usize] -= weight);
            flows(&layout, share, finite.policy(recursion, t)?, &x, &mut flow);
            for &(choice, weight) in choices {
                flow.add(&layout, choice, weight);
            }
            if *transitions {
                add(share, &flow.of_slot[..layout.n_slots()], &mut of_slot);
            }
            arrivals(&layout, share, recursion.discount, &flow, &mut next);
            std::mem::swap(&mut x, &mut next);
            add(share, &x[..layout.n_places()], &mut of_place);
        }
        Ok((of_place, of_slot))
    }

    fn stationary_visits(&mut self, mdp: &Mdp, sources: Sources<'_>) -> Result<(Vec<f64>, Vec<f64>), Error> {
        let CausalPasses { recursion, stationary, .. } = self;
        let layout = Arc::clone(&recursion.layout);
        let (share, discount) = (recursion.share, recursion.discount);
        // u and x before the chain goes on: those of what was done, and of the first states.
        let (mut x, mut flow) = (vec![0.0; layout.padded_places], Flows::new(&layout, true));
        if let Sources::Start(start) = sources {
            start.iter().for_each(|&(state, p)| x[layout.place_of_state[state] as usize] += p);
        }
        let mut done = vec![0.0; layout.padded_places];
        let [choices, stops] = sources.at(0);
        for &(choice, weight) in choices {
            done[layout.place_of_state[mdp.state_of(choice)] as usize] -= weight;
        }
        stops.iter().for_each(|&(state, weight)| done[layout.place_of_state[state] as usize] -= weight);
        flows(&layout, share, &stationary.policy, &done, &mut flow);
        for &(choice, weight) in choices {
            flow.add(&layout, choice, weight);
        }
        let mut begin = vec![0.0; layout.padded_places];
        arrivals(&layout, share, discount, &flow, &mut begin);
        add(share, &x, &mut begin);
        let solved = stationary.system(mdp, recursion, discount, Side::Visits, &begin)?;
        x = solved.ok_or(Error::Overflow { what: "the expected number of visits", value: f64::INFINITY })?;
        let mut onward = Flows::new(&layout, true);
        flows(&layout, share, &stationary.policy, &x, &mut onward);
        add(share, &onward.of_slot, &mut flow.of_slot);
        Ok((x, flow.of_slot))
    }
}

impl<'a> Sources<'a> {
    /// The choices and the stops of one time.
    fn at(self, place: usize) -> [&'a [(usize, f64)]; 2] {
        match self {
            Sources::Start(_) => [&[], &[]],
            Sources::Deeds(deeds) => {
                let of = |list: &'a [Vec<(usize, f64)>]| list.get(place).map_or(&[][..], Vec::as_slice);
                [of(&deeds.choices), of(&deeds.stops)]
            }
        }
    }
}

fn add(share: bool, numbers: &[f64], sums: &mut [f64]) {
    let of_chunk = |(sums, numbers): (&mut [f64], &[f64])| sums.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += x);
    match share && numbers.len() > CHUNK {
        true => parallel::for_each(sums.chunks_mut(CHUNK).zip(numbers.chunks(CHUNK)), of_chunk),
        false => of_chunk((sums, numbers)),
    }
}
