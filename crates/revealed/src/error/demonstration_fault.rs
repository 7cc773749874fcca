//! The faults of a single path.

/// What is wrong with one demonstration. Steps are counted from 0.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DemonstrationFault {
    /// It has no state.
    #[error("it has no states: give at least one")]
    Empty,
    /// The numbers of states and actions do not match.
    #[error("{states} states need {} actions, but there are {actions}", .states - 1)]
    ActionCount {
        /// Number of states.
        states: usize,
        /// Number of actions.
        actions: usize,
    },
    /// A state that does not exist.
    #[error("step {step}: state {state} is out of range, there are {count}")]
    State {
        /// The step.
        step: usize,
        /// The state.
        state: usize,
        /// How many there are.
        count: usize,
    },
    /// An action that the state does not offer.
    #[error("step {step}: state {state} does not offer action {action}")]
    Action {
        /// The step.
        step: usize,
        /// The state.
        state: usize,
        /// The action.
        action: usize,
    },
    /// A transition that cannot happen.
    #[error("step {step}: action {action} in state {state} never leads to state {to} (probability 0)")]
    Transition {
        /// The step.
        step: usize,
        /// The state.
        state: usize,
        /// The action.
        action: usize,
        /// The state that was entered.
        to: usize,
    },
    /// An action that the reference policy never takes.
    #[error("step {step}: the reference policy never takes action {action} in state {state} (probability 0)")]
    Reference {
        /// The step.
        step: usize,
        /// The state.
        state: usize,
        /// The action.
        action: usize,
    },
    /// An action that may lead where no episode of a causal model can end as it should.
    #[error(
        "step {step}: action {action} in state {state} may lead where chance decides whether the episode ends as the \
         model says; set ends to horizon, or the horizon to any"
    )]
    Unsafe {
        /// The step.
        step: usize,
        /// The state.
        state: usize,
        /// The action.
        action: usize,
    },
    /// It continues after a terminal state.
    #[error("step {step}: it goes on after terminal state {state}")]
    AfterTerminal {
        /// The step.
        step: usize,
        /// The terminal state.
        state: usize,
    },
    /// It starts in a state with start probability 0.
    #[error("it starts in state {state}, which has start probability 0")]
    Start {
        /// The state.
        state: usize,
    },
    /// Its weight is not a non-negative number.
    #[error("its weight is {0}: it must be a finite number, 0 or more")]
    Weight(f64),
    /// It lacks a column of its trip.
    #[error("its trip has no column {}: {}", super::shown(column), super::text::of_columns(known))]
    NoTripColumn {
        /// The column.
        column: String,
        /// The columns that some demonstration has.
        known: Vec<String>,
    },
    /// A number of its trip is not finite.
    #[error("column {} of its trip is not a finite number", super::shown(column))]
    TripValue {
        /// The column.
        column: String,
    },
    /// A number was needed.
    #[error("column {} of its trip is {value}: a product with a feature needs a number, such as 0 or 1", super::shown(column))]
    TripText {
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// It is longer than the horizon.
    #[error("it has {length} states, more than the horizon {horizon}: raise the horizon to at least {length}")]
    TooLong {
        /// Its number of states.
        length: usize,
        /// The horizon.
        horizon: usize,
    },
    /// It ends where no path of the path set may end.
    #[error("it ends after {length} states in state {state}, but with ends = {ends} {rule}")]
    Ending {
        /// Its number of states.
        length: usize,
        /// Its last state.
        state: usize,
        /// The path set.
        ends: &'static str,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// An action that does not exist.
    #[error("step {step}: action {action} is out of range, there are {count}")]
    ActionRange {
        /// The step.
        step: usize,
        /// The action.
        action: usize,
        /// How many there are.
        count: usize,
    },
    /// A weight of what was seen that is negative or not finite.
    #[error("step {step}: the weight of {what} {index} is {weight}: it must be a finite number, 0 or more")]
    SightWeight {
        /// The step.
        step: usize,
        /// `state` or `action`.
        what: &'static str,
        /// Which.
        index: usize,
        /// Its weight.
        weight: f64,
    },
    /// Weights of what was seen that are all zero.
    #[error(
        "step {step}: the weight of every {what} is 0, so that none agrees with what was seen; for a {what} that was not seen, give null"
    )]
    SightZero {
        /// The step.
        step: usize,
        /// `state` or `action`.
        what: &'static str,
    },
    /// Two weights for one state or action.
    #[error("step {step}: {what} {index} has two weights: give one")]
    SightTwice {
        /// The step.
        step: usize,
        /// `state` or `action`.
        what: &'static str,
        /// Which.
        index: usize,
    },
    /// An action after the last state.
    #[error("step {step}: an action was seen in the last state, but no step follows; give none there, or a gap after it")]
    LastAction {
        /// The step.
        step: usize,
    },
    /// No path agrees with what was seen.
    #[error("step {step}: what was seen here does not agree with what was seen before it: no path of this world has both")]
    Impossible {
        /// The step.
        step: usize,
    },
    /// No path of the path set agrees with what was seen.
    #[error("no path of the model agrees with all that was seen: {rule}")]
    NotInPathSet {
        /// What may be in the way.
        rule: &'static str,
    },
    /// A part of a path that was not seen, where the method needs it.
    #[error("step {step}: {what} was not seen, and {rule}")]
    NotSeen {
        /// The step.
        step: usize,
        /// What was not seen.
        what: &'static str,
        /// Why it is needed.
        rule: &'static str,
    },
}
