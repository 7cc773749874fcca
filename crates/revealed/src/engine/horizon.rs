//! How many states a path may have.

use std::fmt;

/// How many states a path may have.
///
/// ```
/// use revealed::Horizon;
///
/// assert!(Horizon::AtMost(20).allows(20) && !Horizon::AtMost(20).allows(21));
/// assert!(Horizon::Any.allows(1_000_000));
/// assert_eq!((Horizon::from(20).to_string(), Horizon::Any.to_string()), ("20".to_string(), "any".to_string()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Horizon {
    /// At most this many, L.
    AtMost(usize),
    /// Any number. The sums over paths are then infinite series, and the discount must be 1.
    Any,
}

impl Horizon {
    /// L, if there is one.
    pub fn at_most(self) -> Option<usize> {
        match self {
            Horizon::AtMost(states) => Some(states),
            Horizon::Any => None,
        }
    }

    /// L, or `usize::MAX` for any number.
    pub(crate) fn longest(self) -> usize {
        self.at_most().unwrap_or(usize::MAX)
    }

    /// Whether a path may have `length` states.
    pub fn allows(self, length: usize) -> bool {
        length <= self.longest()
    }

    /// What is left of the horizon after `states` states.
    pub(crate) fn after(self, states: usize) -> Horizon {
        match self {
            Horizon::AtMost(most) => Horizon::AtMost(most - states),
            Horizon::Any => Horizon::Any,
        }
    }
}

impl From<usize> for Horizon {
    fn from(states: usize) -> Horizon {
        Horizon::AtMost(states)
    }
}

impl fmt::Display for Horizon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Horizon::AtMost(states) => write!(f, "{states}"),
            Horizon::Any => write!(f, "any"),
        }
    }
}
