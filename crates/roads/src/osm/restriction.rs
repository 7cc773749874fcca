//! Turn restrictions.

/// A restriction of the turn from one way over a node into another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restriction {
    /// The way that the turn leaves.
    pub from: i64,
    /// The node.
    pub via: i64,
    /// The way that the turn enters.
    pub to: i64,
    /// For `only_...`, all other turns are forbidden; for `no_...`, this one is.
    pub only: bool,
    /// The direction that the restriction names.
    pub turn: RuleTurn,
}

/// The direction of a turn, as a restriction names it.
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
    /// `no_entry`, `no_exit`: any direction.
    Any,
}

impl RuleTurn {
    /// The direction in a value of the tag `restriction`.
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
