//! Read access to the messages of a pass, for computations outside the kernel.

use crate::numeric::scaled::Scaled;

/// A number of each state.
pub(crate) type OfState<'a> = &'a (dyn Fn(usize) -> Scaled + Sync);

/// Both messages at one time.
pub(crate) struct View<'a> {
    pub t: usize,
    /// Σ_s p_t(s) = P(length >= t); 0 without a forward pass.
    pub mass: f64,
    /// γ^{t-2}: the discount of the step that led here.
    pub previous_discount: f64,
    /// α_t(s) / Z; 0 without a forward pass.
    pub before: OfState<'a>,
    /// b_t(s).
    pub after: OfState<'a>,
    /// e^{γ^{t-1} R(s)}.
    pub of_state: OfState<'a>,
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

    /// γ^{t-2}: the discount of the step that led here.
    pub fn previous_discount(&self) -> f64 {
        self.previous_discount
    }
}
