//! Read access to the messages of a pass, for computations outside the kernel.

use crate::engine::weights::Weights;
use crate::numeric::scaled::Scaled;

/// Both messages at one time.
pub(crate) struct View<'a> {
    pub t: usize,
    /// Σ_s p_t(s) = P(length >= t); 0 without a forward pass.
    pub mass: f64,
    pub weights: &'a Weights,
    pub a: &'a (dyn Fn(usize) -> Scaled + Sync),
    pub b: &'a (dyn Fn(usize) -> Scaled + Sync),
    pub scale: Scaled,
}

impl View<'_> {
    fn place(&self, state: usize) -> usize {
        self.weights.network.place_of_state[state] as usize
    }

    /// b_t(s).
    pub fn after(&self, state: usize) -> Scaled {
        (self.b)(self.place(state)) * self.scale
    }

    /// α_t(s) / Z; 0 without a forward pass.
    pub fn before(&self, state: usize) -> Scaled {
        (self.a)(self.place(state)) / self.scale
    }

    /// p_t(s) = α_t(s) b_t(s) / Z (eq:s-marginals-padded); 0 without a forward pass.
    pub fn probability(&self, state: usize) -> f64 {
        ((self.a)(self.place(state)) * (self.b)(self.place(state))).to_f64()
    }

    /// e^{γ^{t-1} R(s)}.
    pub fn of_state(&self, state: usize) -> Scaled {
        self.weights.of_state(self.t, self.place(state))
    }

    /// γ^{t-2}: the discount of the step that led here.
    pub fn previous_discount(&self) -> f64 {
        self.weights.power(self.t - 2)
    }
}
