//! Everything that can be wrong with the input. Each message names the place, the value and the remedy.
//!
//! It touches nothing else in the crate. Begin with [`Error`]; `demonstration_fault.rs` has the faults of a single
//! path.

mod demonstration_fault;
mod part_fault;
mod shown;
mod text;

pub use demonstration_fault::DemonstrationFault;
pub use part_fault::PartFault;
pub use shown::shown;
use text::{longer, of_fill_in, of_loops, of_other_features, of_pair, of_payer, of_step, of_trip, some_of, within};

/// Everything that the library rejects. Invalid input is an `Error`. A fit that did not converge is not an error: see
/// [`Fit::stop`](crate::Fit).
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A count is too small, or larger than the library can index.
    #[error("{what} is {value}: it must lie between {least} and {most}")]
    Count {
        /// The name of the count.
        what: &'static str,
        /// The value given.
        value: usize,
        /// Smallest value allowed.
        least: usize,
        /// Largest value allowed.
        most: usize,
    },
    /// The discount is not in [0, 1].
    #[error("discount is {0}: it must lie between 0 and 1")]
    Discount(f64),
    /// An index is out of range.
    #[error("{table} row {row}: {what} {index} is out of range, there are {count} (0 to {last})", last = count.saturating_sub(1))]
    OutOfRange {
        /// The table that contains it, named as in the problem file.
        table: &'static str,
        /// The row of that table.
        row: usize,
        /// What is indexed.
        what: &'static str,
        /// The index given.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A number is NaN, infinite, or of the wrong sign.
    #[error("{table} row {row}: {what} is {value}: it must be {expected}")]
    BadNumber {
        /// The table that contains it.
        table: &'static str,
        /// The row of that table.
        row: usize,
        /// What the number is.
        what: &'static str,
        /// The number given.
        value: f64,
        /// A description of what was expected.
        expected: &'static str,
    },
    /// The probabilities of one (state, action) pair do not sum to 1.
    #[error("state {state}, action {action}: the transition probabilities sum to {sum}, expected 1")]
    TransitionSum {
        /// The state.
        state: usize,
        /// The action.
        action: usize,
        /// What they sum to.
        sum: f64,
    },
    /// A transition is listed twice.
    #[error(
        "transitions rows {first} and {second} both lead from state {from} by action {action} to state {to}: add their \
         probabilities into one row"
    )]
    DuplicateTransition {
        /// The earlier row.
        first: usize,
        /// The later row.
        second: usize,
        /// The state left.
        from: usize,
        /// The action taken.
        action: usize,
        /// The state entered.
        to: usize,
    },
    /// The start distribution does not sum to 1.
    #[error("the start probabilities sum to {0}, expected 1")]
    StartSum(f64),
    /// A state is listed twice where it may be listed only once.
    #[error("{table}: state {state} is listed twice")]
    DuplicateState {
        /// The table that contains it.
        table: &'static str,
        /// The state.
        state: usize,
    },
    /// A state offers no action and is not terminal.
    #[error("state {0} offers no action and is not terminal: give it a transition, or list it under `terminal`")]
    DeadEnd(usize),
    /// A terminal state has a transition to another state.
    #[error(
        "transitions row {row}: terminal state {state} leads to state {to}: remove the row, or remove the state from \
         `terminal`"
    )]
    LeavesTerminal {
        /// The row.
        row: usize,
        /// The terminal state.
        state: usize,
        /// Where it leads.
        to: usize,
    },
    /// A reference policy names an action that the state does not offer.
    #[error("reference row {row}: state {state} does not offer action {action}")]
    ReferenceAction {
        /// The row.
        row: usize,
        /// The state.
        state: usize,
        /// The action.
        action: usize,
    },
    /// A reference policy names a (state, action) pair twice.
    #[error("reference row {row}: state {state}, action {action} is listed twice")]
    DuplicateReference {
        /// The later row.
        row: usize,
        /// The state.
        state: usize,
        /// The action.
        action: usize,
    },
    /// A reference policy does not sum to 1 in some state.
    #[error("reference: the probabilities of state {state} sum to {sum}, expected 1")]
    ReferenceSum {
        /// The state.
        state: usize,
        /// What they sum to.
        sum: f64,
    },
    /// A list has the wrong length.
    #[error("{what} has {found} entries, expected {expected}")]
    Length {
        /// The list.
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many it needs.
        expected: usize,
    },
    /// A feature whose name is empty.
    #[error("features.names[{feature}] is empty: give each feature a name, or none of them")]
    NoName {
        /// The feature.
        feature: usize,
    },
    /// Two features of one name.
    #[error(
        "features.names[{}] and features.names[{}] are both {name:?}: give each feature a name of its own",
        features[0], features[1]
    )]
    NameTwice {
        /// The name.
        name: String,
        /// The features.
        features: [usize; 2],
    },
    /// The computation was cancelled by its [`Watch`](crate::Watch).
    #[error("stopped before the work was finished")]
    Stopped,
    /// A number in a vector (theta, a reward) is not finite.
    #[error("{what}[{index}] is {value}: it must be a finite number; scale the features or theta down if it grew too large")]
    NotFinite {
        /// The vector.
        what: &'static str,
        /// The index in it.
        index: usize,
        /// The value.
        value: f64,
    },
    /// There are no demonstrations.
    #[error("there are no demonstrations, or all of them have weight 0: give at least one that counts")]
    NoDemonstrations,
    /// The number of folds of a cross-validation is too small or too large.
    #[error("{folds} folds of {n} {of}: there must be at least 2 folds and no more than there are {of}")]
    Folds {
        /// How many folds were requested.
        folds: usize,
        /// How many items there are to divide into folds.
        n: usize,
        /// What the items are, in the plural.
        of: &'static str,
    },
    /// Something is wrong with one demonstration.
    #[error("demonstration {index}{}: {fault}", .id.as_ref().map(|id| format!(" (id {})", shown(id))).unwrap_or_default())]
    Demonstration {
        /// Its number, from 0.
        index: usize,
        /// Its id, if it has one.
        id: Option<String>,
        /// What is wrong with it.
        fault: DemonstrationFault,
    },
    /// A lower bound above its upper bound, or a NaN.
    #[error("bounds of feature {feature}: the lower bound {lo} must not exceed the upper bound {hi}")]
    Bounds {
        /// The feature.
        feature: usize,
        /// Its lower bound.
        lo: f64,
        /// Its upper bound.
        hi: f64,
    },
    /// A setting is out of its range.
    #[error("{what} is {value}: it must be {expected}")]
    Setting {
        /// The setting.
        what: &'static str,
        /// The value given.
        value: f64,
        /// A description of what was expected.
        expected: &'static str,
    },
    /// A method that supports only rewards of states was given other rewards.
    #[error(
        "{method} supports rewards of states only, but there are features of state-action pairs or transitions: remove \
         those, or use inference exact or causal"
    )]
    StateRewardsOnly {
        /// The method.
        method: &'static str,
    },
    /// A method that does not support a reference policy was given one.
    #[error("{method} does not support a reference policy: remove it from the problem, or use inference exact or causal")]
    NoReference {
        /// The method.
        method: &'static str,
    },
    /// A method that does not support the path set.
    #[error("inference {method} with ends = {ends}: {rule}")]
    MethodEnds {
        /// The method.
        method: &'static str,
        /// The path set.
        ends: &'static str,
        /// What the method requires.
        rule: &'static str,
    },
    /// Standard errors were requested for a method without an exact likelihood.
    #[error(
        "inference {method}: standard errors are available for the exact models only; learn with inference exact, \
         causal or recursive-logit"
    )]
    NoStandardErrors {
        /// The method.
        method: &'static str,
    },
    /// There are too many parameters for a matrix with an entry for each pair.
    #[error(
        "standard errors of {found} parameters: the limit is {most}, because they need the inverse of a matrix with an \
         entry for each pair of parameters"
    )]
    TooManyParameters {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A map contains an unknown letter.
    #[error("the map has {letter:?} in row {row}, column {column}: it must be S, F, H or G")]
    MapLetter {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// The letter.
        letter: char,
    },
    /// No path satisfies the conditions, so Z = 0.
    #[error(
        "no path {what} exists{}check the transitions, `start`, `terminal` and `ends`",
        .horizon.map_or_else(|| ": ".to_string(), |states| format!(" within {states} states: raise the horizon if it is too short, or "))
    )]
    NoPath {
        /// Which paths were requested.
        what: String,
        /// The horizon L; `None` for paths of any length.
        horizon: Option<usize>,
    },
    /// The prefix is not the beginning of a path of the model.
    #[error("the prefix: {0}")]
    Prefix(DemonstrationFault),
    /// No path of the model can end in this state.
    #[error("no path of this model ends in state {state}: {rule}")]
    NotAnEnd {
        /// The state.
        state: usize,
        /// Where paths end, and what to do about it.
        rule: &'static str,
    },
    /// Both a start and a prefix were given.
    #[error(
        "a start ({first_states} first states) and a prefix ({length} states) are both given, but the prefix says where \
         paths begin: omit the start or the prefix"
    )]
    StartAndPrefix {
        /// How many first states the start has.
        first_states: usize,
        /// How many states the prefix has.
        length: usize,
    },
    /// A model of paths to a goal was given no goal.
    #[error("the model is one of paths to a goal (ends = goal): say where paths end")]
    NoGoal,
    /// A model of paths to a goal has no distribution over destinations.
    #[error(
        "the model is one of paths to a goal (ends = goal) and has no distribution over destinations of its own: give \
         a prior, uniform or a weight for each state"
    )]
    NoOwnPrior,
    /// The prior is 0 everywhere.
    #[error("the prior is 0 for every state: give at least one state a weight above 0")]
    NoPrior,
    /// The prefix contradicts the prior.
    #[error(
        "the prior is 0 wherever a path that begins with this prefix of {length} states, now in state {last}, can \
         end{}: give those states some weight{}", within(*.horizon), if .horizon.is_some() { ", or raise the horizon" } else { "" }
    )]
    PriorExcludes {
        /// The number of states of the prefix.
        length: usize,
        /// The last of them.
        last: usize,
        /// The horizon L; `None` for paths of any length.
        horizon: Option<usize>,
    },
    /// A cycle has a weight above 1, so each round makes a path likelier.
    #[error(
        "there is no likeliest path of any length: the cycle through states {} multiplies the weight of a path by \
         e^{gain:.6} with every round; give a horizon", some_of(.states)
    )]
    Gains {
        /// The states of the cycle, in its order.
        states: Vec<usize>,
        /// The logarithm of its weight.
        gain: f64,
    },
    /// The weights of the paths of any length have no finite sum.
    #[error(
        "the weights of all paths of any length{} have no sum that fits into an f64: {}", of_pair(.pair),
        if .pair.is_some() { "no path leads there, or it costs too much; scale theta or the features down" }
        else {
            "some loops cost too little; begin with larger costs (start), bound the weights, or add a feature that \
             every state has, such as a length"
        }
    )]
    NoSum {
        /// The first and the last state; `None` if the sum over the loops of the network is not finite.
        pair: Option<[usize; 2]>,
    },
    /// Loops cost too little for the sum over all paths of any length to be finite.
    #[error(
        "the sum over paths of any length is not finite: {}; give a horizon, bound the weights, or add a cost that every \
         state has, such as a length", of_loops(.states, *.log_weight, *.state, *.together)
    )]
    Diverges {
        /// A state on these loops.
        state: usize,
        /// The states of the heaviest loop found, in its order.
        states: Vec<usize>,
        /// The logarithm of the weight of that loop.
        log_weight: f64,
        /// The weight of all loops through the state, as far as it was computed: at least 1.
        together: f64,
    },
    /// The values of a causal model without a horizon are not finite.
    #[error(
        "the values of a causal model without a horizon are not finite at discount {discount}: from state {state} on, \
         going on pays more than any end; give a horizon, a discount below 1, or bounds that keep rewards lower"
    )]
    NoValue {
        /// A state whose value grows without bound.
        state: usize,
        /// γ.
        discount: f64,
    },
    /// Episodes of a causal model that do not end.
    #[error(
        "episodes of this model go on for ever from state {state}: it has no horizon, and no end can be reached from \
         there; give a horizon, or cut the episodes after a number of states"
    )]
    GoesOn {
        /// A state from which no end can be reached.
        state: usize,
    },
    /// Paths of any length whose lengths cannot be listed.
    #[error(
        "more than {most} states are needed until the probability of longer paths is below {tail:e}: loops cost very \
         little; ask for the mean, or give a horizon"
    )]
    TailTooLong {
        /// The longest list.
        most: usize,
        /// Where it would end.
        tail: f64,
    },
    /// The method does not support the horizon.
    #[error("inference {method}: {rule}")]
    MethodHorizon {
        /// The name of the method.
        method: &'static str,
        /// What it needs.
        rule: &'static str,
    },
    /// With a discount the weight of a step depends on its time, so paths of any length cannot be summed.
    #[error("with a discount of {discount} paths of any length cannot be summed: set the discount to 1, or give a horizon")]
    DiscountedSum {
        /// γ.
        discount: f64,
    },
    /// With a discount a likeliest path of any length need not exist.
    #[error(
        "with a discount of {discount} a detour delays later costs and so reduces them: a likeliest path needs a \
         horizon, give one"
    )]
    DiscountedRoute {
        /// γ.
        discount: f64,
    },
    /// No path of any length leads from the first states to the last states.
    #[error(
        "no path leads {what}, of any length: check the transitions, and the reference policy if there is one, which \
         may never take them"
    )]
    Unreachable {
        /// Which paths were requested.
        what: String,
    },
    /// Every path is longer than the horizon.
    #[error(
        "the shortest path {what} has {shortest} states, more than the horizon {horizon}: raise the horizon to at \
         least {shortest}"
    )]
    ShortHorizon {
        /// Which paths were requested.
        what: String,
        /// The number of states of the shortest one.
        shortest: usize,
        /// The horizon L.
        horizon: usize,
    },
    /// Paths of any length were requested where they cannot be searched for.
    #[error("paths of any length are not possible here: {rule}")]
    AnyLength {
        /// Why, and what to do about it.
        rule: &'static str,
    },
    /// A search skipped too many paths and gave up.
    #[error("the search gave up with {found} of {k} paths: the likeliest others all have loops or too many states; {remedy}")]
    GaveUp {
        /// The number of paths found.
        found: usize,
        /// The number of paths requested.
        k: usize,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The reward of a path does not fit into an `f64`.
    #[error(
        "the reward of a path of {horizon} states does not fit into a 64-bit number (largest single reward \
         {largest:e}): scale the features or theta down"
    )]
    RewardTooLarge {
        /// The horizon L.
        horizon: usize,
        /// The largest absolute reward.
        largest: f64,
    },
    /// A reward is so large that rounding hides what decides between paths.
    #[error(
        "the reward of {} is {reward:e}: the numbers have 16 digits, and too few are left to compare paths; scale the \
         features or theta down, or use tighter bounds on theta", of_payer(*.state, *.step)
    )]
    DigitsLost {
        /// The state that has the reward, or from which the transition leads.
        state: usize,
        /// The action and the next state, if the reward is that of a transition.
        step: Option<[usize; 2]>,
        /// The largest reward that counts, with its discount.
        reward: f64,
    },
    /// The features of a reward cancel, and only rounding is left.
    #[error(
        "feature {feature} adds {term:e} to the reward of {payer} {state}, and other features cancel it: too few digits \
         of the reward are left; scale the features or theta down, or use tighter bounds on theta"
    )]
    FeaturesCancel {
        /// The feature with the largest term.
        feature: usize,
        /// Its weight times its value.
        term: f64,
        /// What has the reward: a state, or a transition from it.
        payer: &'static str,
        /// The state.
        state: usize,
    },
    /// A last state is so unlikely that its probability is 0 in a 64-bit number, and the question divides by it.
    #[error(
        "state {state} is possible as a last state, but so unlikely that its probability does not fit into a 64-bit \
         number: use the prior of the model, leave the last state open, or scale the features or theta down"
    )]
    TooUnlikely {
        /// The state.
        state: usize,
    },
    /// An answer is not what it must be. Only lost digits can be the reason.
    #[error(
        "{what} is {value}, and it must be {expected}: digits are lost; scale the features or theta down, or use \
         tighter bounds on theta"
    )]
    ImpossibleAnswer {
        /// The number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// A description of what it must be.
        expected: &'static str,
    },
    /// The operating system could not start the threads.
    #[error("cannot start {threads} threads: {cause}; ask for fewer (`--threads 1` or threads=1 starts none)")]
    Threads {
        /// How many were requested.
        threads: usize,
        /// The message of the operating system.
        cause: String,
    },
    /// The likelihood or one of its parts is not a finite number.
    #[error("{what} is {value}: scale the features or theta down")]
    Overflow {
        /// What overflowed.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// The weights of the demonstrations do not have a finite sum.
    #[error("the weights of the demonstrations sum to {0}: scale them down")]
    WeightSum(f64),
    /// The probabilities of a policy do not sum to 1 in some state.
    #[error("policy: the probabilities of state {state} sum to {sum}, expected 1")]
    PolicySum {
        /// The state.
        state: usize,
        /// What they sum to.
        sum: f64,
    },
    /// Rollouts are not samples of this path set.
    #[error(
        "rollouts are not samples of the path set {ends}: choose anywhere (all their prefixes) or horizon (whole rollouts)"
    )]
    SampledEnds {
        /// The path set.
        ends: &'static str,
    },
    /// Relative Entropy IRL was requested, but the samples lack the log-probabilities of the reference policy.
    #[error("the samples have no log_reference: give it for each sample, or choose the baseline one")]
    NoLogReference,
    /// The reference policy cannot produce any of the samples.
    #[error(
        "every sample has weight 0, because its log_reference is -inf: sample from a policy that takes every action \
         that the reference policy takes, or choose the baseline one"
    )]
    NoWeight,
    /// A policy takes an action that the state does not offer, or no action in a state that is not terminal.
    #[error("policy: state {state} {}", match action {
        Some(action) => format!("does not offer action {action}"),
        None => "is not terminal and has no action: give it one".to_string(),
    })]
    PolicyAction {
        /// The state.
        state: usize,
        /// The action.
        action: Option<usize>,
    },
    /// Without a discount, an episode that never ends has no finite value.
    #[error(
        "no terminal state can be reached from state {0}, and rewards are paid there for ever: its value is not finite \
         with discount 1; give a discount below 1, or list the states where episodes end under `terminal`"
    )]
    NeverEnds(usize),
    /// A terminal state that pays its reward for ever has no finite value without a discount.
    #[error(
        "terminal state {state} keeps paying {reward}, which is not finite with discount 1: give a discount below 1, \
         or let episodes end there"
    )]
    PaysForEver {
        /// The state.
        state: usize,
        /// What it pays.
        reward: f64,
    },
    /// Planning without a discount did not converge.
    #[error(
        "values still change by {change:e} after {sweeps} sweeps with discount 1: episodes may last for ever; give a \
         discount below 1"
    )]
    Unsettled {
        /// The number of sweeps over all states.
        sweeps: usize,
        /// The largest change of the last sweep.
        change: f64,
    },
    /// A scenario refers to a choice or a transition that the world does not have.
    #[error("{table} row {row}: the world has no transition {}; give one that it has", of_step(*.state, *.action, *.to))]
    NoSuchStep {
        /// The part of the scenario.
        table: &'static str,
        /// The row of that part.
        row: usize,
        /// The state.
        state: usize,
        /// The action.
        action: usize,
        /// The next state; `None` for the choice as a whole.
        to: Option<usize>,
    },
    /// A change of a feature's values changes nothing.
    #[error("feature {feature} is 0 {places}: scaling it changes nothing; name another feature, or other places")]
    NothingToScale {
        /// The feature.
        feature: usize,
        /// Where.
        places: &'static str,
    },
    /// A surplus in units of a feature that has no weight.
    #[error("the weight of feature {feature} is 0: the logsum cannot be divided by it; name another cost")]
    NoCost {
        /// The feature.
        feature: usize,
    },
    /// Two worlds cannot be compared.
    #[error("the scenario has {found} {what}, and the world of the model has {expected}: give worlds with the same numbers")]
    OtherWorld {
        /// What is counted.
        what: &'static str,
        /// How many the scenario has.
        found: usize,
        /// How many the world of the model has.
        expected: usize,
    },
    /// A trip of the demand has no path.
    #[error("no path is left {}: keep one open{}, or leave this trip out of the demand", of_trip(*.from, *.to), longer(*.horizon))]
    NoTripLeft {
        /// The first state; `None` if there are several, and none has a path.
        from: Option<usize>,
        /// The last state, if it is given.
        to: Option<usize>,
        /// The horizon L; `None` for paths of any length.
        horizon: Option<usize>,
    },
    /// Robust standard errors were requested where there are none.
    #[error("there is no robust covariance: it needs more than one demonstration; use that of the model")]
    NoRobustCovariance,
    /// Too many copies of a world for the memory.
    #[error(
        "features of trips need a copy of the world for each kind of trip: {copies} copies of the first {trips} trips, with \
         {n_states} states, take about {} MB, and the memory budget is {} MB; use fewer trips, columns with fewer values, or \
         more memory",
        .least.div_ceil(1_000_000),
        .budget.div_ceil(1_000_000)
    )]
    Copies {
        /// How many copies.
        copies: usize,
        /// The trips that need them.
        trips: usize,
        /// Their states.
        n_states: usize,
        /// The bytes that they take.
        least: usize,
        /// The memory budget, in bytes.
        budget: usize,
    },
    /// A window of a history cannot occur, or has a wrong value.
    #[error("window {row} of the history: {what}")]
    Window {
        /// The row of the table of windows.
        row: usize,
        /// What is wrong, and the remedy.
        what: String,
    },
    /// No demonstration has a step, so that there is no window.
    #[error("no demonstration has a step: a history needs steps to have features of")]
    NoWindows,
    /// A function of windows would be asked too often.
    #[error(
        "more than {most} windows of {length} states can occur, and the function of the history would be asked about each: \
         use indicators or a table, a lower order than {order}, or raise the limit"
    )]
    ManyWindows {
        /// The most states of a window.
        order: usize,
        /// The number of states at which there were too many.
        length: usize,
        /// The limit.
        most: usize,
    },
    /// Too many histories for the memory.
    #[error(
        "a history of order {order} makes {n_states} states with {n_transitions} transitions, which take about {} MB, and the \
         memory budget is {} MB; use a lower order, fewer windows, or more memory",
        .least.div_ceil(1_000_000),
        .budget.div_ceil(1_000_000)
    )]
    Histories {
        /// The most states of a window.
        order: usize,
        /// The states of the product.
        n_states: usize,
        /// Its transitions.
        n_transitions: usize,
        /// The bytes that they take.
        least: usize,
        /// The memory budget, in bytes.
        budget: usize,
    },
    /// A history with a reference policy and given last states.
    #[error(
        "a model with a history and a reference policy cannot be asked about paths to a given state: remove the reference \
         policy, or ask about paths with any end"
    )]
    HistoryReference,
    /// A question that a model with a history does not answer.
    #[error("a model with a history does not answer this: {what}")]
    HistoryCannot {
        /// What, and what to do instead.
        what: &'static str,
    },
    /// A nested or discounted recursive logit in a world that it is not defined in.
    #[error(
        "nested and discounted recursive logits need a world without chance, without a reference policy and with discount 1: \
         every action leads to one state"
    )]
    Chance,
    /// A scale that depends on actions or next states.
    #[error("feature {feature} has values of actions or transitions: the scale of a state needs a feature of states alone")]
    ScaleOfSteps {
        /// The feature.
        feature: usize,
    },
    /// A nested recursive logit without scales and without a discount.
    #[error("there is nothing to learn besides theta: name features for the scale, or learn the discount")]
    NothingNested,
    /// A mixed recursive logit without random coefficients.
    #[error("no coefficient is random: name the features whose coefficients differ from traveller to traveller")]
    NothingRandom,
    /// A coefficient that is random twice.
    #[error("the coefficient of feature {feature} is random twice: name it once")]
    RandomTwice {
        /// The feature.
        feature: usize,
    },
    /// No draw of a traveller has a finite sum over paths.
    #[error(
        "demonstration {demonstration}: loops cost too little for a finite sum over all paths at every draw of its traveller's \
         coefficients: take more draws, or lognormal coefficients, which keep their sign"
    )]
    NoDraw {
        /// The first demonstration of the traveller.
        demonstration: usize,
    },
    /// The evidence is divided into parts, such as worlds, and one of them has this error.
    #[error("world {world}: {message}")]
    InPart {
        /// The number of the world, from 0.
        world: usize,
        /// What the error means for a search.
        kind: PartFault,
        /// The error.
        message: String,
    },
    /// Worlds of one reward have different features.
    #[error("{}", of_other_features(*world, *feature, found.as_deref(), expected.as_deref()))]
    OtherFeatures {
        /// The number of the world, from 0.
        world: usize,
        /// The first feature that differs.
        feature: usize,
        /// Its name in this world; `None` if it has none.
        found: Option<String>,
        /// Its name in world 0; `None` if it has none.
        expected: Option<String>,
    },
    /// What holds the evidence gave no answer, or one that does not fit the question.
    #[error("{message}")]
    NoAnswer {
        /// What happened.
        message: String,
    },
    /// Clustered standard errors were requested with a single cluster.
    #[error("all demonstrations are in one cluster ({}): clustered errors need many, so cluster by something else", shown(by))]
    FewClusters {
        /// What the clusters are.
        by: String,
    },
    /// Sums over paths of any length need more memory than there is. All numbers are the least that is certain.
    #[error("{}", of_fill_in(*n_states, *arcs, *least, *seconds, *budget))]
    FillIn {
        /// The number of states.
        n_states: usize,
        /// The number of arcs, fill-in included.
        arcs: usize,
        /// The bytes that they take.
        least: usize,
        /// The seconds that one solution takes, about.
        seconds: f64,
        /// The memory budget, in bytes.
        budget: usize,
    },
    /// The paths that agree with what was seen take more than the memory budget.
    #[error(
        "the states and steps that agree with what was seen take more than the memory budget of {budget} bytes: raise the \
         budget, or give demonstrations that are seen more often"
    )]
    HiddenMemory {
        /// The budget.
        budget: usize,
    },
    /// Demonstrations with gaps of unknown length, and no horizon was given.
    #[error(
        "some demonstrations have gaps of unknown length, so that their lengths say nothing of how long paths may be: give \
         a horizon, or set it to any"
    )]
    GapNeedsHorizon,
    /// A question or a method that needs demonstrations that were seen whole.
    #[error("{what} needs demonstrations that were seen whole: {rule}")]
    NeedsWhole {
        /// The question or the method.
        what: &'static str,
        /// What to do instead.
        rule: &'static str,
    },
    /// The memory budget is too small for the smallest working arrays.
    #[error("the memory budget of {budget} bytes is too small: at least {least} bytes are needed for {n_states} states")]
    Memory {
        /// The budget.
        budget: usize,
        /// The smallest budget that suffices.
        least: usize,
        /// The size of the problem.
        n_states: usize,
    },
}
