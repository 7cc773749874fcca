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

/// A restriction of the drive from one way over one or several ways into another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayRestriction {
    /// The way that the drive comes from.
    pub from: i64,
    /// The ways between, at least one.
    pub via: Vec<i64>,
    /// The way that the drive enters.
    pub to: i64,
    /// For `only_...`, whoever comes from `from` leaves the last way between into `to` only; for `no_...`, not into it.
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
