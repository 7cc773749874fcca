//! Rules about turns.

/// A rule about a turn from one way over a node into another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restriction {
    /// The way that one comes from.
    pub from: i64,
    /// The node.
    pub via: i64,
    /// The way that one goes into.
    pub to: i64,
    /// `only_...`: all other turns are forbidden. Otherwise this one is.
    pub only: bool,
    /// What the rule calls the turn.
    pub turn: RuleTurn,
}

/// Which way a rule says that a turn goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleTurn {
    /// `..._left_turn`
    Left,
    /// `..._right_turn`
    Right,
    /// `..._straight_on`
    Straight,
    /// `..._u_turn`
    Back,
    /// `no_entry`, `no_exit`: whichever way.
    Any,
}

impl RuleTurn {
    /// Of a value of the tag `restriction`.
    pub(super) fn of(rule: &str) -> RuleTurn {
        match rule.split_once('_').map(|parts| parts.1) {
            Some("left_turn") => RuleTurn::Left,
            Some("right_turn") => RuleTurn::Right,
            Some("straight_on") => RuleTurn::Straight,
            Some("u_turn") => RuleTurn::Back,
            _ => RuleTurn::Any,
        }
    }
}
