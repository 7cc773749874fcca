//! The iterations that take values to their fixed point.

use super::{Plan, Planning, Values};
use crate::Error;
use crate::cancel::Pace;
use crate::planning::Policy;
use crate::planning::bellman::{Bellman, Change, Direction};
use crate::planning::chain::Chain;

/// The maximum number of evaluation sweeps between two policy improvements.
const MOST_SWEEPS: usize = 100;
/// Evaluation stops when a sweep changes values by less than this fraction of the last improvement's change.
const FORCING: f64 = 0.1;

/// The current values, and memory for the next ones.
pub(super) struct PolicySearch<'a> {
    planning: &'a Planning,
    bellman: &'a Bellman<'a>,
    has_terminal: bool,
    values: Vec<f64>,
    next: Vec<f64>,
    sweeps: usize,
    /// Sweeps alternate their direction, because a goal may have the lowest or the highest state number.
    direction: Direction,
    pace: Pace,
}

impl<'a> PolicySearch<'a> {
    /// Starts from values that are correct in terminal states.
    pub fn new(planning: &'a Planning, bellman: &'a Bellman<'a>, start: Vec<f64>) -> Self {
        let has_terminal = (0..start.len()).any(|state| bellman.mdp.is_terminal(state));
        PolicySearch {
            planning,
            bellman,
            has_terminal,
            next: start.clone(),
            values: start,
            sweeps: 0,
            direction: Direction::Up,
            pace: Pace::default(),
        }
    }

    /// Modified policy iteration.
    ///
    /// The invariant is V ≤ T V, which implies V ≤ V* (Puterman, Markov Decision Processes, 6.5): the first step
    /// establishes it with MacQueen's lower bound, and evaluation from below maintains it.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn iterate_policies(mut self) -> Result<Plan, Error> {
        let mut best = vec![0; self.values.len()];
        let mut chain = Chain::default();
        let mut iterations = 0;
        let mut is_near = true;
        loop {
            iterations += 1;
            // Bounds need a full application. They are useful at first, at last, and if all values can be shifted by
            // them.
            if is_near || !self.has_terminal {
                let change = self.bellman.apply(&self.values, &mut self.next, &mut best);
                self.step()?;
                let rounding = self.bellman.rounding(change.largest);
                let converged = self.is_enough(change, rounding);
                if converged || iterations >= self.planning.max_iterations {
                    self.centre(change);
                    let error = self.rest() * self.apart(change) + rounding / (1.0 - self.bellman.modulus);
                    return Ok(self.finish(best, error, iterations, converged));
                }
                if iterations == 1 || change.least > 0.0 {
                    self.shift(self.rest() * change.least);
                }
            }
            let direction = if iterations % 2 == 1 { Direction::Down } else { Direction::Up };
            let change = self.bellman.sweep(&self.values, &mut self.next, &mut best, direction);
            self.step()?;
            let rounding = self.bellman.rounding(change.largest);
            is_near = self.is_enough(change, rounding) || iterations + 1 == self.planning.max_iterations;
            if !is_near {
                chain.follow(self.bellman, &best);
                self.approach(&chain, (FORCING * change.size()).max(rounding / 4.0), MOST_SWEEPS)?;
            }
        }
    }

    /// Value iteration, for a discount of 1.
    pub fn iterate_values(mut self) -> Result<Plan, Error> {
        let mut best = vec![0; self.values.len()];
        loop {
            let change = self.bellman.apply(&self.values, &mut self.next, &mut best);
            self.step()?;
            let iterations = self.sweeps;
            if self.has_settled(change, self.bellman.rounding(change.largest)) {
                return Ok(self.finish(best, f64::INFINITY, iterations, true));
            }
            if iterations >= self.planning.max_iterations {
                return Err(Error::Unsettled { sweeps: iterations, change: change.size() });
            }
        }
    }

    /// The values of a chain.
    pub fn evaluate(mut self, chain: &Chain) -> Result<Values, Error> {
        let is_bounded = self.bellman.modulus < 1.0;
        let mut target = self.planning.tolerance * (1.0 - self.bellman.modulus);
        loop {
            let change = chain.apply(&self.values, &mut self.next);
            self.step()?;
            let rounding = chain.rounding(change.largest);
            if !is_bounded {
                if self.has_settled(change, rounding) {
                    return Ok(self.values_with(None, true));
                }
                if self.sweeps >= self.planning.max_iterations {
                    return Err(Error::Unsettled { sweeps: self.sweeps, change: change.size() });
                }
                continue;
            }
            let converged = self.is_enough(change, rounding);
            self.centre(change);
            if converged || self.sweeps >= self.planning.max_iterations {
                let rest = chain.apply(&self.values, &mut self.next);
                let bound = (rest.size() + rounding) / (1.0 - self.bellman.modulus);
                return Ok(self.values_with(Some(bound), converged));
            }
            self.approach(chain, target, self.planning.max_iterations - self.sweeps)?;
            // A small change in one sweep may still leave values far from the fixed point: be stricter next time.
            target = (target / 4.0).max(rounding / 4.0);
        }
    }

    /// Sweeps over a chain until no value changes by more than `target`. If the chain is deterministic, it is solved
    /// exactly.
    fn approach(&mut self, chain: &Chain, target: f64, most: usize) -> Result<(), Error> {
        if chain.is_certain() {
            chain.solve_certain(&mut self.values);
            self.sweeps += 1;
            return Ok(());
        }
        for _ in 0..most {
            self.direction = self.direction.turned();
            let change = chain.sweep(&self.values, &mut self.next, self.direction);
            self.step()?;
            if change <= target {
                break;
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), Error> {
        std::mem::swap(&mut self.values, &mut self.next);
        self.sweeps += 1;
        self.pace.spend(self.bellman.mdp.n_transitions())
    }

    /// γ + γ² + …: the sum of all later steps, relative to the last one.
    fn rest(&self) -> f64 {
        self.bellman.modulus / (1.0 - self.bellman.modulus)
    }

    /// Whether the fixed point is within the tolerance after a step with this change: its distance lies between `rest`
    /// times the least and `rest` times the largest change (MacQueen). Also true if rounding hides what remains.
    fn is_enough(&self, change: Change, rounding: f64) -> bool {
        let apart = self.apart(change);
        self.rest() * apart <= self.planning.tolerance || apart <= 2.0 * rounding
    }

    /// The largest possible distance from the fixed point, divided by `rest`, once the values are
    /// [centred](Self::centre).
    fn apart(&self, change: Change) -> f64 {
        if self.has_terminal { change.size() } else { (change.most - change.least) / 2.0 }
    }

    /// Whether a step without a discount changed values by no more than the tolerance or rounding.
    fn has_settled(&self, change: Change, rounding: f64) -> bool {
        change.size() <= self.planning.tolerance.max(rounding)
    }

    /// Moves the values to the middle of their bounds. Not done if there are terminal states: it would blur the small
    /// values that point to a distant goal.
    fn centre(&mut self, change: Change) {
        if !self.has_terminal {
            self.shift(self.rest() * (change.least + change.most) / 2.0);
        }
    }

    /// Adds the same number to the value of every state that is not terminal.
    fn shift(&mut self, by: f64) {
        for (state, value) in self.values.iter_mut().enumerate() {
            if !self.bellman.mdp.is_terminal(state) {
                *value += by;
            }
        }
    }

    /// The policy for values that are off by at most `error`, and the error bounds of both.
    fn finish(mut self, mut chosen: Vec<u32>, error: f64, iterations: usize, converged: bool) -> Plan {
        let (best, of_chosen) = self.bellman.choose(&self.values, error, &mut chosen, &mut self.next);
        if self.bellman.modulus >= 1.0 {
            self.bellman.choose_paths_that_end(&self.values, &mut chosen);
        }
        let rounding = self.bellman.rounding(best.largest);
        let bound = |distance: f64| (self.bellman.modulus < 1.0).then(|| distance / (1.0 - self.bellman.modulus));
        Plan {
            policy: Policy::of_choices(self.bellman.mdp, &chosen),
            error_bound: bound(best.size() + rounding),
            policy_loss: bound((best.most - of_chosen.least).max(0.0) + 2.0 * rounding),
            iterations,
            sweeps: self.sweeps + 1,
            converged,
            values: self.values,
        }
    }

    fn values_with(self, error_bound: Option<f64>, converged: bool) -> Values {
        Values { values: self.values, error_bound, sweeps: self.sweeps, converged }
    }
}
