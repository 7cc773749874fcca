//! Paths of any length: the backward message as the fixed point of its recursion, and the Markov chain that it defines.
//!
//! Without a discount, the recursion of the backward message (eq:beta-recurrence-padded) is the same at every time. If
//! paths may have any length, its message solves b = stop + W b, where W(s, s') is the weight of the steps from s to
//! s', the reward of s' included. The solution b = (I − W)⁻¹ stop is a sum over infinitely many paths. It is finite if
//! and only if loops cost enough.
//!
//! Elimination (`elimination.rs`) solves this system. Before that, the weights are divided by those of the heaviest
//! continuations, e^{h(s)} (`potentials.rs`):
//!
//! ```text
//! W'(s, s') = e^{-h(s)} W(s, s') e^{h(s')} <= 1         b(s) = e^{h(s)} b'(s),   b' = (I − W')⁻¹ e^{-h} stop
//! ```
//!
//! So rewards of any size stay within the range of f64. Then P(s, s') = W'(s, s') b'(s') / b'(s) is a Markov chain that
//! stops in s with probability stop(s) / b(s), and its paths have the probabilities of the model.

mod potentials;

use std::ops::ControlFlow;

use self::potentials::{Heaviest, heaviest_loop, potentials};
use crate::Error;
use crate::cancel::Pace;
use crate::engine::digits::{Alternative, Bounded, LARGEST_LOG, Payer, Payment, is_at_risk, sums_of_graph};
use crate::engine::elimination::{Elimination, EliminationSums};
use crate::engine::path_set::PathSet;
use crate::engine::view::View;
use crate::engine::weights::edge_weight;
use crate::numeric::rounding::ROUNDING;
use crate::numeric::scaled::Scaled;
use crate::world::parents::Parents;
use crate::world::{Mdp, Occupancy, Reward};

/// Lists of the lengths of paths of any length end where the probability of longer paths is below this.
pub const TAIL: f64 = 1e-12;
/// The longest such list.
pub(crate) const LONGEST_TAIL: usize = 10_000_000;

/// b(s) and the Markov chain of paths of any length, for one reward and one weight of ending in each state.
#[derive(Debug)]
pub(crate) struct FixedPoint<'a> {
    elimination: &'a Elimination,
    sums: EliminationSums,
    /// h(s): the logarithm of the weight of the heaviest continuation; -∞ if there is none.
    potential: Heaviest,
    /// b'(s) = e^{-h(s)} b(s), at least 1 up to rounding; 0 if there is no continuation.
    relative: Vec<f64>,
    /// The probability of each transition, given that the path is in its first state.
    pub step: Vec<f64>,
    /// The probability that a path that is in a state ends there.
    pub stop: Vec<f64>,
}

impl<'a> FixedPoint<'a> {
    /// Solves for the paths from the states `first` that end in s with an additional weight of e^{`ends`[s]}; -∞ means
    /// that no path ends there.
    ///
    /// b is computed for all states. If it is infinite in some states that cannot be reached from `first`, it is 0 in
    /// all such states.
    ///
    /// # Errors
    /// [`Error::DiscountedSum`] if there is a discount; [`Error::Diverges`] if the sum is not finite.
    pub fn new(
        elimination: &'a Elimination,
        mdp: &Mdp,
        reward: &Reward,
        ends: &[f64],
        first: impl Iterator<Item = usize>,
    ) -> Result<FixedPoint<'a>, Error> {
        if mdp.discount() != 1.0 {
            return Err(Error::DiscountedSum { discount: mdp.discount() });
        }
        let log_weight = log_weights(mdp, reward);
        let solved = FixedPoint::of_weights(elimination, mdp, &log_weight, ends, first);
        solved.map_err(|error| blame_digits(mdp, reward, &log_weight, error))
    }

    /// The same from the logarithm of the weight of each transition, with the reward of the next state included.
    ///
    /// # Errors
    /// [`Error::Diverges`] if the sum is not finite.
    pub fn of_weights(
        elimination: &'a Elimination,
        mdp: &Mdp,
        log_weight: &[f64],
        ends: &[f64],
        first: impl Iterator<Item = usize>,
    ) -> Result<FixedPoint<'a>, Error> {
        let parents = Parents::taken(mdp);
        match FixedPoint::within(elimination, mdp, log_weight, &parents, ends, |_| true) {
            Err(Error::Diverges { .. }) => {}
            solved => return solved,
        }
        let reached = reached(mdp, first);
        FixedPoint::within(elimination, mdp, log_weight, &parents, ends, |state| reached[state])
    }

    /// The same for the paths within some states.
    fn within(
        elimination: &'a Elimination,
        mdp: &Mdp,
        log_weight: &[f64],
        parents: &Parents,
        ends: &[f64],
        counts: impl Fn(usize) -> bool,
    ) -> Result<FixedPoint<'a>, Error> {
        let potential = potentials(log_weight, ends, |state| before(mdp, parents, state), &counts)?;
        let weights =
            reduced(mdp, log_weight, |transition| [mdp.to(), mdp.from()].map(|end| potential.log[end[transition] as usize]));
        let sums = EliminationSums::new(elimination, &weights)
            .map_err(|unsolved| unsolved.or(|diverges| heaviest_loop(mdp, &weights, diverges.state, diverges.loops)))?;
        let end = |(end, potential): (&f64, &f64)| if *end == f64::NEG_INFINITY { 0.0 } else { (end - potential).exp() };
        let ending: Vec<f64> = ends.iter().zip(&potential.log).map(end).collect();
        let relative = sums.column(elimination, &ending);
        // So close to divergence that rounding decides.
        if let Some(state) = relative.iter().position(|b| !b.is_finite()) {
            return Err(heaviest_loop(mdp, &weights, state, 1.0));
        }
        let of_pair = |transition: usize| {
            let [from, to] = [mdp.from(), mdp.to()].map(|end| relative[end[transition] as usize]);
            if from > 0.0 { weights[transition] * to / from } else { 0.0 }
        };
        let step = (0..weights.len()).map(of_pair).collect();
        let stop = ending.iter().zip(&relative).map(|(end, b)| if *b > 0.0 { end / b } else { 0.0 }).collect();
        Ok(FixedPoint { elimination, sums, potential, relative, step, stop })
    }

    /// b(s).
    pub fn after(&self, state: usize) -> Scaled {
        match self.relative[state] {
            0.0 => Scaled::ZERO,
            relative => Scaled::exp(self.potential.log[state]) * Scaled::from(relative),
        }
    }

    /// What is known of the digits of b(s), if `ends` are those for which it was solved.
    pub fn known(&self, mdp: &Mdp, reward: &Reward, ends: &[f64]) -> Vec<Bounded> {
        let alternatives = |state: usize| {
            let mut found: Vec<Alternative> = vec![(known_source(ends[state]), Vec::new())];
            for transition in mdp.children(state) {
                let to = mdp.to()[transition] as usize;
                found.push((known_step(mdp, reward, &self.potential, to, transition), vec![to]));
            }
            found
        };
        sums_of_graph(mdp.n_states(), LARGEST_LOG, alternatives)
    }

    /// The expected number of visits to each state by paths whose first state has these probabilities.
    pub fn visits(&self, first: &[(usize, f64)]) -> Vec<f64> {
        let mut from = vec![0.0; self.relative.len()];
        for &(state, p) in first.iter().filter(|row| row.1 > 0.0) {
            from[state] += p / self.relative[state];
        }
        let arriving = self.sums.row(self.elimination, &from);
        arriving.iter().zip(&self.relative).map(|(arriving, b)| arriving * b).collect()
    }

    /// For each state s, the expected sum of `of_state` over the states of a path from s on, s included.
    pub fn expected_sum(&self, of_state: &[f64]) -> Vec<f64> {
        let weighed: Vec<f64> = of_state.iter().zip(&self.relative).map(|(of_state, b)| of_state * b).collect();
        let sums = self.sums.column(self.elimination, &weighed);
        sums.iter().zip(&self.relative).map(|(sum, b)| if *b > 0.0 { sum / b } else { 0.0 }).collect()
    }

    /// P(|τ| = 1), P(|τ| = 2), … of the paths from one state, until the probability of longer paths is below [`TAIL`].
    ///
    /// # Errors
    /// [`Error::TailTooLong`].
    pub fn lengths(&self, mdp: &Mdp, first: usize) -> Result<Vec<f64>, Error> {
        let mut probability = vec![0.0; mdp.n_states()];
        probability[first] = 1.0;
        let (mut next, mut lengths, mut pace) = (probability.clone(), Vec::new(), Pace::default());
        while probability.iter().sum::<f64>() >= TAIL {
            if lengths.len() >= LONGEST_TAIL {
                return Err(Error::TailTooLong { most: LONGEST_TAIL, tail: TAIL });
            }
            pace.spend(mdp.n_transitions())?;
            lengths.push(probability.iter().zip(&self.stop).map(|(p, stop)| p * stop).sum());
            self.next(mdp, &probability, &mut next);
            std::mem::swap(&mut probability, &mut next);
        }
        Ok(lengths)
    }

    /// The mean and the variance of the number of states of a path whose first state has these probabilities.
    pub fn length_moments(&self, first: &[(usize, f64)]) -> [f64; 2] {
        let remaining = self.expected_sum(&vec![1.0; self.relative.len()]);
        // E[n²] = E[Σ over the states of (2 · remaining − 1)].
        let squares = self.expected_sum(&remaining.iter().map(|remaining| 2.0 * remaining - 1.0).collect::<Vec<f64>>());
        let mean: f64 = first.iter().map(|&(state, p)| p * remaining[state]).sum();
        let square: f64 = first.iter().map(|&(state, p)| p * squares[state]).sum();
        [mean, (square - mean * mean).max(0.0)]
    }

    /// The expected visits to states and, if `transitions`, to transitions.
    pub fn occupancy(&self, mdp: &Mdp, first: &[(usize, f64)], transitions: bool) -> Occupancy {
        let state = self.visits(first);
        let of_step = |(step, &from): (&f64, &u32)| state[from as usize] * step;
        let transition = if transitions { self.step.iter().zip(mdp.from()).map(of_step).collect() } else { Vec::new() };
        Occupancy { state, transition }
    }

    /// Passes the messages of t = 1, 2, … to `visit` until it answers `Break`. With the probabilities of the first
    /// states it also passes p_t, and ends when p_t is 0 everywhere.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn watch(
        &self,
        mdp: &Mdp,
        reward: &Reward,
        set: PathSet,
        first: Option<&Vec<(usize, f64)>>,
        visit: &mut (dyn FnMut(View<'_>) -> ControlFlow<()> + Send),
    ) -> Result<(), Error> {
        let after: Vec<Scaled> = (0..mdp.n_states()).map(|state| self.after(state)).collect();
        let of_state: Vec<Scaled> = reward.state.iter().map(|&reward| Scaled::exp(reward)).collect();
        let mut probability = vec![0.0; mdp.n_states()];
        first.into_iter().flatten().for_each(|&(state, p)| probability[state] += p);
        let (mut next, mut pace) = (probability.clone(), Pace::default());
        for t in 1.. {
            pace.spend(mdp.n_transitions())?;
            let mass: f64 = probability.iter().sum();
            let before = |state: usize| match probability[state] {
                0.0 => Scaled::ZERO,
                p => Scaled::from(p) / after[state],
            };
            let flow = visit(View {
                t,
                mass,
                before: &before,
                after: &|state| after[state],
                of_state: &|state| of_state[state],
                step: &|transition| edge_weight(mdp, reward, transition, 1.0),
                stop: &|state| set.stop_weight(mdp, state, t),
                previous_stop: &|state| set.stop_weight(mdp, state, t),
            });
            if flow.is_break() || (first.is_some() && mass == 0.0) {
                break;
            }
            if first.is_some() {
                self.next(mdp, &probability, &mut next);
                std::mem::swap(&mut probability, &mut next);
            }
        }
        Ok(())
    }

    /// p_{t+1}(s) from p_t(s).
    fn next(&self, mdp: &Mdp, probability: &[f64], next: &mut [f64]) {
        next.fill(0.0);
        for (transition, step) in self.step.iter().enumerate() {
            next[mdp.to()[transition] as usize] += probability[mdp.from()[transition] as usize] * step;
        }
    }
}

/// log q(a, s'|s) + R(s, a, s') + R(s') of each transition.
pub(crate) fn log_weights(mdp: &Mdp, reward: &Reward) -> Vec<f64> {
    let of = |transition: usize| {
        let to = mdp.to()[transition] as usize;
        mdp.log_base_weight(transition) + reward.of_transition(transition) + reward.state[to]
    };
    (0..mdp.n_transitions()).map(of).collect()
}

/// How a heaviest continuation begins: a transition and the state that this leads to, or `None` if it ends at once.
pub(crate) type Beginning = Option<(usize, usize)>;

/// For each state, the logarithm of the weight of its heaviest continuation that ends with an additional weight of
/// e^`ends`, and how it begins.
///
/// # Errors
/// [`Error::Diverges`] if a loop gains.
pub(crate) fn heaviest_continuations(
    mdp: &Mdp,
    log_weight: &[f64],
    ends: &[f64],
) -> Result<(Vec<f64>, Vec<Beginning>), Error> {
    let parents = Parents::taken(mdp);
    let found = potentials(log_weight, ends, |state| before(mdp, &parents, state), |_| true)?;
    Ok((found.log, found.back))
}

/// Why sums over all paths of these weights are not finite. `state` lies on loops that weigh at least 1 together.
pub(crate) fn divergence(mdp: &Mdp, log_weight: &[f64], state: usize, loops: f64) -> Error {
    let parents = Parents::taken(mdp);
    match potentials(log_weight, &vec![0.0; mdp.n_states()], |state| before(mdp, &parents, state), |_| true) {
        Err(gains) => gains,
        Ok(potential) => {
            let ends = |transition| [mdp.to(), mdp.from()].map(|end| potential.log[end[transition] as usize]);
            heaviest_loop(mdp, &reduced(mdp, log_weight, ends), state, loops)
        }
    }
}

/// If rewards are so large that rounding can make loops heavier than they are, says that instead of
/// [`Error::Diverges`]. A cycle that really gains is still a divergence.
fn blame_digits(mdp: &Mdp, reward: &Reward, log_weight: &[f64], error: Error) -> Error {
    let Error::Diverges { states, .. } = &error else { return error };
    if !is_at_risk(mdp, reward, mdp.n_states()) {
        return error;
    }
    let step = |(from, to): (&usize, &usize)| {
        let leads = |&transition: &usize| mdp.to()[transition] as usize == *to;
        mdp.children(*from).filter(leads).map(|transition| log_weight[transition]).fold(f64::NEG_INFINITY, f64::max)
    };
    let gain: f64 = states.iter().zip(states.iter().cycle().skip(1)).map(step).sum();
    if gain > 0.0 { error } else { Payment::largest(reward).digits_lost(mdp) }
}

/// For each state, the total weight of the paths of any length to it from the states of `start` with their weights.
/// Rewards of both ends are included. Only paths within the states that `counts` count.
///
/// # Errors
/// As [`FixedPoint::new`].
pub(crate) fn arrivals(
    elimination: &Elimination,
    mdp: &Mdp,
    reward: &Reward,
    start: &[(usize, f64)],
    counts: impl Fn(usize) -> bool,
) -> Result<Vec<Scaled>, Error> {
    if mdp.discount() != 1.0 {
        return Err(Error::DiscountedSum { discount: mdp.discount() });
    }
    let log_weight = log_weights(mdp, reward);
    let sources = sources(mdp, reward, start, &counts);
    let potential = heaviest_arrivals(mdp, &log_weight, &sources, counts)?.log;
    let weights = reduced(mdp, &log_weight, |transition| [mdp.from(), mdp.to()].map(|end| potential[end[transition] as usize]));
    let sums = EliminationSums::new(elimination, &weights)
        .map_err(|unsolved| unsolved.or(|diverges| heaviest_loop(mdp, &weights, diverges.state, diverges.loops)))
        .map_err(|error| blame_digits(mdp, reward, &log_weight, error))?;
    let source =
        |(source, potential): (&f64, &f64)| if *source == f64::NEG_INFINITY { 0.0 } else { (source - potential).exp() };
    let first: Vec<f64> = sources.iter().zip(&potential).map(source).collect();
    let weigh = |(relative, potential): (f64, &f64)| match relative {
        0.0 => Scaled::ZERO,
        relative => Scaled::exp(*potential) * Scaled::from(relative),
    };
    Ok(sums.row(elimination, &first).into_iter().zip(&potential).map(weigh).collect())
}

/// What is known of the digits of [`arrivals`].
///
/// # Errors
/// [`Error::Diverges`].
pub(crate) fn known_arrivals(
    mdp: &Mdp,
    reward: &Reward,
    start: &[(usize, f64)],
    counts: impl Fn(usize) -> bool,
) -> Result<Vec<Bounded>, Error> {
    let sources = sources(mdp, reward, start, &counts);
    let potential = heaviest_arrivals(mdp, &log_weights(mdp, reward), &sources, &counts)?;
    let parents = Parents::taken(mdp);
    let alternatives = |state: usize| {
        let mut found: Vec<Alternative> = vec![(known_source(sources[state]), Vec::new())];
        for (transition, from) in before(mdp, &parents, state).filter(|_| counts(state)) {
            found.push((known_step(mdp, reward, &potential, from, transition), vec![from]));
        }
        found
    };
    Ok(sums_of_graph(mdp.n_states(), LARGEST_LOG, alternatives))
}

/// The logarithm of the weight of the first states; -∞ for others.
fn sources(mdp: &Mdp, reward: &Reward, start: &[(usize, f64)], counts: impl Fn(usize) -> bool) -> Vec<f64> {
    let mut sources = vec![f64::NEG_INFINITY; mdp.n_states()];
    for &(state, weight) in start.iter().filter(|row| row.1 > 0.0 && counts(row.0)) {
        sources[state] = weight.ln() + reward.state[state];
    }
    sources
}

/// The heaviest path from the sources to each state.
fn heaviest_arrivals(
    mdp: &Mdp,
    log_weight: &[f64],
    sources: &[f64],
    counts: impl Fn(usize) -> bool,
) -> Result<Heaviest, Error> {
    let taken = |transition: &usize| mdp.reference_probability(*transition) > 0.0;
    let after = |state: usize| mdp.children(state).filter(taken).map(|transition| (transition, mdp.to()[transition] as usize));
    potentials(log_weight, sources, after, counts)
}

/// A source, or an end, of this logarithm.
fn known_source(log: f64) -> Bounded {
    if log == f64::NEG_INFINITY { Bounded::NOTHING } else { Bounded::ONE.times(log) }
}

/// The heaviest path at a state, with a step beside it.
fn known_step(mdp: &Mdp, reward: &Reward, potential: &Heaviest, state: usize, transition: usize) -> Bounded {
    let base = mdp.log_base_weight(transition);
    if potential.log[state] == f64::NEG_INFINITY || base == f64::NEG_INFINITY {
        return Bounded::NOTHING;
    }
    let rest = Bounded { log: potential.log[state], error: ROUNDING * potential.size[state], ..Bounded::ONE };
    let to = mdp.to()[transition] as usize;
    let paid = rest.times(base).paid(reward.state[to], 0.0, Payer::State(to));
    paid.paid(reward.of_transition(transition), 0.0, Payer::Transition(transition))
}

/// The weights of the transitions, divided by those of the heaviest paths: e^{log_weight + h(near) − h(far)}, with the
/// potentials h of the ends that `ends` gives as [near, far]. 0 if one of them is -∞.
fn reduced(mdp: &Mdp, log_weight: &[f64], ends: impl Fn(usize) -> [f64; 2]) -> Vec<f64> {
    let weight = |transition: usize| match ends(transition) {
        [near, far] if near == f64::NEG_INFINITY || far == f64::NEG_INFINITY => 0.0,
        [near, far] => (log_weight[transition] + near - far).exp(),
    };
    (0..mdp.n_transitions()).map(weight).collect()
}

/// The transitions into a state, and where they come from.
fn before<'a>(mdp: &'a Mdp, parents: &'a Parents, state: usize) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    parents.of(state).iter().map(|&transition| (transition as usize, mdp.from()[transition as usize] as usize))
}

/// Whether a path leads from each state to one of `ends`.
pub(crate) fn leads_to(mdp: &Mdp, ends: impl Fn(usize) -> bool) -> Vec<bool> {
    let parents = Parents::taken(mdp);
    let mut leads: Vec<bool> = (0..mdp.n_states()).map(ends).collect();
    let mut open: Vec<usize> = (0..mdp.n_states()).filter(|&state| leads[state]).collect();
    while let Some(state) = open.pop() {
        for (_, from) in before(mdp, &parents, state) {
            if !std::mem::replace(&mut leads[from], true) {
                open.push(from);
            }
        }
    }
    leads
}

/// Whether each state can be reached from the first ones.
pub(crate) fn reached(mdp: &Mdp, first: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut reached = vec![false; mdp.n_states()];
    let mut open: Vec<usize> = first.collect();
    open.iter().for_each(|&state| reached[state] = true);
    while let Some(state) = open.pop() {
        for transition in mdp.children(state).filter(|&transition| mdp.reference_probability(transition) > 0.0) {
            let to = mdp.to()[transition] as usize;
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    reached
}
