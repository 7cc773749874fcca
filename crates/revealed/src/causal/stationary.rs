//! Episodes without a horizon: the fixed point of the soft Bellman recursion, and its stationary policy.
//!
//! The recursion is a contraction if γ < 1. Newton's method on V = F(V) solves (I − γP) δ = F(V) − V with the policy of
//! the current V, which is one step of policy iteration. After its first step, V rises to the fixed point, and the
//! number of correct digits doubles with every step (the nested fixed point of Rust, 1987).

use super::certain::certain_to_end;
use super::linear::{PolicySystem, Side};
use super::recursion::Recursion;
use crate::Error;
use crate::engine::elimination::Elimination;
use crate::engine::path_set::PathSet;
use crate::world::Mdp;

/// The error of V that counts as zero, relative to the largest value.
const EXACT: f64 = 1e-13;
/// After a step of this size the error is about its square.
const CLOSE: f64 = 1e-8;
/// The last step that is accepted if rounding prevents a smaller one.
const ACCEPTED: f64 = 1e-6;
const MOST_STEPS: usize = 200;
/// Values beyond this grow without bound.
const UNBOUNDED: f64 = 1e12;

/// V and π, which do not depend on the time.
#[derive(Debug)]
pub(crate) struct Stationary {
    /// V by places.
    pub value: Vec<f64>,
    /// π by slots.
    pub policy: Vec<f64>,
    /// A bound of |V − V*|: that of the contraction, or the last step of Newton's method.
    pub error: f64,
    /// Whether the agent can make sure from each state that an episode ends as it should.
    certain: Vec<bool>,
    certain_for: Option<PathSet>,
    elimination: Option<Elimination>,
    /// The memory budget of an elimination, in bytes.
    memory: usize,
}

impl Stationary {
    pub fn new(memory: usize) -> Stationary {
        let (value, policy, certain) = (Vec::new(), Vec::new(), Vec::new());
        Stationary { value, policy, error: 0.0, certain, certain_for: None, elimination: None, memory }
    }

    /// Solves for the current reward, from the last solution.
    ///
    /// # Errors
    /// [`Error::NoValue`] if the values are not finite; [`Error::FillIn`] and [`Error::Stopped`].
    pub fn solve(&mut self, mdp: &Mdp, recursion: &Recursion, paths: PathSet) -> Result<(), Error> {
        self.begin(mdp, recursion, paths);
        let solved = self.iterate(mdp, recursion);
        // Where every state costs much, a policy that expects no costs hardly ever ends.
        let is_lost = matches!(solved, Err(Error::NoValue { .. })) && recursion.discount == 1.0;
        if is_lost && self.begin_with_a_walk(mdp, recursion)? { self.iterate(mdp, recursion) } else { solved }
    }

    /// Newton's method from the current values.
    fn iterate(&mut self, mdp: &Mdp, recursion: &Recursion) -> Result<(), Error> {
        let (mut image, mut change) = (recursion.blank(), vec![0.0; self.value.len()]);
        let mut before = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            recursion.backup().step(&self.value, &mut image, &mut self.policy);
            let size = largest(&self.value).max(1.0);
            for ((change, image), value) in change.iter_mut().zip(&image).zip(&self.value) {
                *change = if value.is_finite() { image - value } else { 0.0 };
            }
            // The contraction bounds the error, without a further step.
            let bound = largest(&change) / (1.0 - recursion.discount);
            if bound <= EXACT * size {
                self.error = bound;
                return Ok(());
            }
            let step = self.system(mdp, recursion, recursion.discount, Side::Sums, &change)?;
            let Some(step) = step else { return Err(self.no_value(recursion)) };
            for (value, step) in self.value.iter_mut().zip(&step).filter(|(value, _)| value.is_finite()) {
                *value += step;
            }
            let moved = largest(&step);
            if largest(&self.value) > UNBOUNDED {
                return Err(self.no_value(recursion));
            }
            // The next step would be about the square of this one, unless rounding is all that is left.
            if moved <= CLOSE * size || (moved >= 0.5 * before && moved <= ACCEPTED * size) {
                self.error = moved;
                recursion.backup().step(&self.value, &mut image, &mut self.policy);
                return if self.is_proper(mdp, recursion)? { Ok(()) } else { Err(self.no_value(recursion)) };
            }
            before = moved;
        }
        Err(self.no_value(recursion))
    }

    /// Values from which the iteration can start: the last ones, but -∞ exactly where no episode can surely end.
    fn begin(&mut self, mdp: &Mdp, recursion: &Recursion, paths: PathSet) {
        if self.certain_for != Some(paths) {
            let endless = mdp.discount() < 1.0 && paths.stop == crate::engine::Stop::Horizon;
            let ends = |state| paths.may_end(mdp.is_terminal(state), state, 1);
            self.certain = if endless { vec![true; mdp.n_states()] } else { certain_to_end(mdp, ends) };
            self.certain_for = Some(paths);
            self.value.clear();
        }
        self.policy.resize(recursion.layout.padded_slots, 0.0);
        let known = std::mem::take(&mut self.value);
        let start = |state: usize| match (self.certain[state], mdp.is_terminal(state)) {
            (false, _) => f64::NEG_INFINITY,
            (true, true) => recursion.last[recursion.layout.place_of_state[state] as usize],
            (true, false) => known.get(recursion.layout.place_of_state[state] as usize).copied().unwrap_or(0.0),
        };
        self.value = recursion.layout.by_place(start);
    }

    /// Sets the values to those of a random walk by choices that cannot prevent an end. It ends for certain, and Newton's
    /// method improves upon it. `false` if its values are not finite.
    fn begin_with_a_walk(&mut self, mdp: &Mdp, recursion: &Recursion) -> Result<bool, Error> {
        let (layout, certain) = (&recursion.layout, &self.certain);
        let safe = layout.by_place(|state| if certain[state] { 0.0 } else { f64::NEG_INFINITY });
        let weight = |choice: usize| recursion.backup().of_choice(layout.slot_of_choice[choice] as usize, &safe);
        self.policy.fill(0.0);
        let mut of_state = vec![0.0; mdp.n_states()];
        for state in (0..mdp.n_states()).filter(|&state| certain[state]) {
            let place = layout.place_of_state[state] as usize;
            let choices: Vec<usize> = mdp.choices(state).filter(|&choice| weight(choice) > f64::NEG_INFINITY).collect();
            if mdp.is_terminal(state) || choices.is_empty() {
                of_state[state] = recursion.last[place];
                continue;
            }
            let options = choices.len() as f64 + if recursion.stop[place] == 0.0 { 1.0 } else { 0.0 };
            let pays: f64 = choices.iter().map(|&choice| weight(choice)).sum();
            of_state[state] = recursion.reward[place] + pays / options + options.ln();
            choices.iter().for_each(|&choice| self.policy[layout.slot_of_choice[choice] as usize] = 1.0 / options);
        }
        let of_place = layout.by_place(|state| of_state[state]);
        let Some(values) = self.system(mdp, recursion, recursion.discount, Side::Sums, &of_place)? else {
            return Ok(false);
        };
        let known = |state: usize| match self.certain[state] {
            true => values[recursion.layout.place_of_state[state] as usize],
            false => f64::NEG_INFINITY,
        };
        self.value = recursion.layout.by_place(known);
        Ok(largest(&self.value) <= UNBOUNDED)
    }

    /// Whether episodes are short enough for the values to be known. Where values are infinite, the policy goes on for
    /// ever, until rounding hides it.
    fn is_proper(&mut self, mdp: &Mdp, recursion: &Recursion) -> Result<bool, Error> {
        if recursion.discount < 1.0 {
            return Ok(true);
        }
        let ones = recursion.layout.by_place(|_| 1.0);
        let lengths = self.system(mdp, recursion, 1.0, Side::Sums, &ones)?;
        Ok(lengths.is_some_and(|lengths| largest(&lengths) < UNBOUNDED))
    }

    /// Solves a system of the current policy.
    ///
    /// # Errors
    /// As [`PolicySystem::solve`].
    pub fn system(
        &mut self,
        mdp: &Mdp,
        recursion: &Recursion,
        factor: f64,
        side: Side,
        b: &[f64],
    ) -> Result<Option<Vec<f64>>, Error> {
        let Stationary { policy, elimination, memory, .. } = self;
        let (layout, share) = (&recursion.layout, recursion.share);
        let system = PolicySystem { mdp, layout, policy, factor, share, memory: *memory };
        system.solve(side, b, elimination)
    }

    /// The error that names a state with the largest value so far.
    fn no_value(&self, recursion: &Recursion) -> Error {
        let value = |state: usize| self.value[recursion.layout.place_of_state[state] as usize];
        let states = (0..recursion.layout.place_of_state.len()).filter(|&state| value(state).is_finite());
        let state = states.max_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap_or(0);
        Error::NoValue { state, discount: recursion.discount }
    }
}

/// The largest absolute value among the finite numbers.
fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().filter(|number| number.is_finite()).fold(0.0, |most: f64, number| most.max(number.abs()))
}
