//! The paths of one distribution.

use crate::engine::{Horizon, Stop};
use crate::numeric::scaled::Scaled;
use crate::world::Mdp;

/// The paths of one distribution: how many states they may have, and where they may end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PathSet {
    pub horizon: Horizon,
    pub stop: Stop,
}

impl PathSet {
    /// Whether a path of `length` states may end in `state`.
    pub fn may_end(&self, is_terminal: bool, state: usize, length: usize) -> bool {
        self.stop.allows(is_terminal, state, length, self.horizon)
    }

    /// stop_t(s).
    pub fn stop_weight(&self, mdp: &Mdp, state: usize, t: usize) -> Scaled {
        if self.may_end(mdp.is_terminal(state), state, t) { Scaled::ONE } else { Scaled::ZERO }
    }
}
