//! Where a path may end: the paper's padding trick without the padding.
//!
//! The auxiliary state s_a of the padding trick always has the backward message 1. So reaching it is the same as adding
//! a constant `stop_t(s)` to the message of s (eq:beta-recurrence-padded). No padded MDP is built, and path sets other
//! than the paper's need no extra code.

use crate::engine::Horizon;

/// `stop_t(s)`: where the paths of one distribution may end. Like [`Ends`](crate::Ends), but with the goal state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// In any state.
    Anywhere,
    /// In any state at t = L, and in terminal states.
    Horizon,
    /// In terminal states.
    Terminal,
    /// In this state.
    At(usize),
    /// In this state, at t = L.
    AtHorizon(usize),
}

impl Stop {
    /// Whether a path of l = `length` states may end in `state`, given the horizon L.
    pub fn allows(self, is_terminal: bool, state: usize, length: usize, horizon: impl Into<Horizon>) -> bool {
        let horizon = horizon.into();
        match self {
            Stop::Anywhere => true,
            Stop::Horizon => is_terminal || horizon == Horizon::AtMost(length),
            Stop::Terminal => is_terminal,
            Stop::At(goal) => state == goal,
            Stop::AtHorizon(goal) => state == goal && horizon == Horizon::AtMost(length),
        }
    }
    /// The one state where paths end, if there is only one.
    pub fn goal(self) -> Option<usize> {
        match self {
            Stop::At(goal) | Stop::AtHorizon(goal) => Some(goal),
            Stop::Anywhere | Stop::Horizon | Stop::Terminal => None,
        }
    }
}
