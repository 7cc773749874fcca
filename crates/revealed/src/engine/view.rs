//! Read access to the messages of a pass, for computations outside the kernel.

use crate::numeric::scaled::Scaled;

/// A number of each state.
pub(crate) type OfState<'a> = &'a (dyn Fn(usize) -> Scaled + Sync);

/// A number of each transition.
pub(crate) type OfTransition<'a> = &'a (dyn Fn(usize) -> Scaled + Sync);

/// Both messages at one time.
pub(crate) struct View<'a> {
    pub t: usize,
    /// Σ_s p_t(s) = P(length >= t); 0 without a forward pass.
    pub mass: f64,
    /// α_t(s) / Z; 0 without a forward pass.
    pub before: OfState<'a>,
    /// b_t(s).
    pub after: OfState<'a>,
    /// e^{γ^{t-1} R(s)}; 1 in the causal model.
    pub of_state: OfState<'a>,
    /// m_{t-1}(s, a, s') of each transition: the weight of the step that led here.
    pub step: OfTransition<'a>,
    /// stop_t(s), or σ_t(s) in the causal model.
    pub stop: OfState<'a>,
    /// stop_{t-1}(s), or σ_{t-1}(s).
    pub previous_stop: OfState<'a>,
}

impl View<'_> {
    /// b_t(s).
    pub fn after(&self, state: usize) -> Scaled {
        (self.after)(state)
    }

    /// α_t(s) / Z; 0 without a forward pass.
    pub fn before(&self, state: usize) -> Scaled {
        (self.before)(state)
    }

    /// p_t(s) = α_t(s) b_t(s) / Z (eq:s-marginals-padded); 0 without a forward pass.
    pub fn probability(&self, state: usize) -> f64 {
        (self.before(state) * self.after(state)).to_f64()
    }

    /// e^{γ^{t-1} R(s)}.
    pub fn of_state(&self, state: usize) -> Scaled {
        (self.of_state)(state)
    }

    /// m_{t-1}(s, a, s') β_t(s'): the weight of a step from t - 1 and of everything that may follow it.
    pub fn onward(&self, transition: usize, to: usize) -> Scaled {
        (self.step)(transition) * self.of_state(to) * self.after(to)
    }

    /// m_{t-1}(s, a, s').
    pub fn step(&self, transition: usize) -> Scaled {
        (self.step)(transition)
    }

    /// stop_t(s), or σ_t(s) in the causal model.
    pub fn stop(&self, state: usize) -> Scaled {
        (self.stop)(state)
    }

    /// stop_{t-1}(s), or σ_{t-1}(s).
    pub fn previous_stop(&self, state: usize) -> Scaled {
        (self.previous_stop)(state)
    }
}
