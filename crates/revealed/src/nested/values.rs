//! V of one destination: the fixed point of a Bellman equation that is not linear.

use crate::Error;
use crate::engine::elimination::{Elimination, EliminationSums};
use crate::world::Mdp;

/// Newton's method doubles the correct digits with each step, unless loops hardly cost anything.
const MOST_STEPS: usize = 200;
/// The values have converged if the equation holds to this, relative to their size.
const CLOSE: f64 = 1e-13;

/// What steps pay, and the scales of the errors.
pub(super) struct Steps<'a> {
    pub mdp: &'a Mdp,
    pub network: &'a Elimination,
    /// v: the reward of each transition and of the state that it leads to.
    pub paid: Vec<f64>,
    /// μ of each state.
    pub scale: Vec<f64>,
    /// γ.
    pub discount: f64,
}

/// The solution for one destination.
pub(super) struct Values {
    /// V(s); -∞ if no path leads to the destination.
    pub value: Vec<f64>,
    /// The probability of each transition in its first state.
    pub share: Vec<f64>,
    /// (I − γP)⁻¹.
    pub sums: EliminationSums,
}

impl Steps<'_> {
    /// Solves V(s) = μ_s log(\[s is the goal\] + Σ exp((v + γ V(s')) / μ_s)) (Mai, Fosgerau and Frejinger 2015, eq. 6).
    ///
    /// The right-hand side T(V) is convex, and its derivative is γP. The values of the best paths are a sub-solution,
    /// V ≤ T(V). From there, Newton's method never decreases: each step solves a linear system with I − γP. After one
    /// step from any other point, V ≤ T(V) holds, too, because T lies above its tangents. So `near`, the solution of
    /// similar parameters, saves steps.
    ///
    /// # Errors
    /// [`Error::NoSum`] if loops cost too little for a finite solution; [`Error::Stopped`].
    pub fn solve(&self, goal: usize, near: Option<Vec<f64>>) -> Result<Values, Error> {
        if let Some(near) = near {
            match self.solve_from(goal, near) {
                Err(Error::NoSum { .. }) => {}
                solved => return solved,
            }
        }
        self.solve_from(goal, self.best(goal).ok_or(Error::NoSum { pair: Some([goal, goal]) })?)
    }

    fn solve_from(&self, goal: usize, mut value: Vec<f64>) -> Result<Values, Error> {
        let none = || Error::NoSum { pair: Some([goal, goal]) };
        let mut share = vec![0.0; self.paid.len()];
        for _ in 0..MOST_STEPS {
            let next = self.update(goal, &value, &mut share);
            let gap: Vec<f64> =
                next.iter().zip(&value).map(|(next, value)| if value.is_finite() { next - value } else { 0.0 }).collect();
            let size = value.iter().filter(|value| value.is_finite()).fold(1.0, |most: f64, value| most.max(value.abs()));
            let weights: Vec<f64> = share.iter().map(|share| self.discount * share).collect();
            let sums = EliminationSums::new(self.network, &weights).map_err(|unsolved| unsolved.or(|_| none()))?;
            let step = sums.column(self.network, &gap);
            if step.iter().any(|step| !step.is_finite()) {
                return Err(none());
            }
            value.iter_mut().zip(&step).for_each(|(value, step)| *value += step);
            if step.iter().all(|step| step.abs() <= CLOSE * size) {
                self.update(goal, &value, &mut share);
                return Ok(Values { value, share, sums });
            }
        }
        Err(none())
    }

    /// The values of the best paths; `None` if a loop pays for itself.
    fn best(&self, goal: usize) -> Option<Vec<f64>> {
        let mut value = vec![f64::NEG_INFINITY; self.mdp.n_states()];
        value[goal] = 0.0;
        for _ in 0..=self.mdp.n_states() {
            let mut changed = false;
            for (transition, paid) in self.paid.iter().enumerate() {
                let (from, to) = (self.mdp.from()[transition] as usize, self.mdp.to()[transition] as usize);
                let there = paid + self.discount * value[to];
                if there > value[from] {
                    value[from] = there;
                    changed = true;
                }
            }
            if !changed {
                return Some(value);
            }
        }
        None
    }

    /// T(V), and the probability of each transition.
    fn update(&self, goal: usize, value: &[f64], share: &mut [f64]) -> Vec<f64> {
        let mut next = vec![f64::NEG_INFINITY; value.len()];
        for state in (0..value.len()).filter(|&state| value[state].is_finite()) {
            let scale = self.scale[state];
            let exponent =
                |transition: usize| (self.paid[transition] + self.discount * value[self.mdp.to()[transition] as usize]) / scale;
            let stops = if state == goal { 0.0 } else { f64::NEG_INFINITY };
            let most = self.mdp.children(state).map(exponent).fold(stops, f64::max);
            let sum: f64 =
                self.mdp.children(state).map(|step| (exponent(step) - most).exp()).sum::<f64>() + (stops - most).exp();
            let log_sum = most + sum.ln();
            self.mdp.children(state).for_each(|step| share[step] = (exponent(step) - log_sum).exp());
            next[state] = scale * log_sum;
        }
        next
    }
}
