//! Parts of messages.

use super::shown;

/// The first states of a cycle, as text.
pub(super) fn some_of(states: &[usize]) -> String {
    let named: Vec<String> = states.iter().take(8).map(usize::to_string).collect();
    named.join(", ") + if states.len() > 8 { ", …" } else { "" }
}

/// Between which states, if that is known.
pub(super) fn of_pair(pair: &Option<[usize; 2]>) -> String {
    pair.map_or(String::new(), |[from, to]| format!(" from state {from} to state {to}"))
}

/// Which loops make a sum infinite.
pub(super) fn of_loops(states: &[usize], log_weight: f64, state: usize, together: f64) -> String {
    let cycle = some_of(states);
    match log_weight >= 0.0 {
        true => format!("the cycle through states {cycle} pays for itself, each round has a weight of e^{log_weight:.6}"),
        false => format!(
            "the cycles through state {state} have a total weight of {together:.6}, which must be below 1; the heaviest, \
             through states {cycle}, has a weight of e^{log_weight:.6}"
        ),
    }
}

/// Why an elimination is refused, and what to do instead.
pub(super) fn of_fill_in(n_states: usize, arcs: usize, least: usize, seconds: f64, budget: usize) -> String {
    let mega = |bytes: usize| format!("{} MB", bytes.div_ceil(1_000_000));
    format!(
        "sums over paths of any length do not fit: eliminating {n_states} states makes at least {arcs} arcs, which take at \
         least {} and about {} or more for each solution, and the memory budget is {}; give paths a horizon, which needs no \
         elimination (`--ends goal` or ends='goal' in place of recursive-logit, `--horizon N` or horizon=N elsewhere), or \
         give more memory (`--memory` or memory=)",
        mega(least),
        of_time(seconds),
        mega(budget)
    )
}

/// A time to one or two digits.
fn of_time(seconds: f64) -> String {
    match seconds {
        s if s < 0.1 => "0.1 s".to_string(),
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 600.0 => format!("{s:.0} s"),
        s if s < 36_000.0 => format!("{:.0} minutes", s / 60.0),
        s => format!("{:.0} hours", s / 3600.0),
    }
}

/// Within which horizon, if there is one.
pub(super) fn within(horizon: Option<usize>) -> String {
    horizon.map_or_else(String::new, |horizon| format!(" within the horizon {horizon}"))
}

/// A step of a path.
pub(super) fn of_step(state: usize, action: usize, to: Option<usize>) -> String {
    format!("from state {state} by action {action}") + &to.map_or_else(String::new, |to| format!(" to state {to}"))
}

/// What has a reward: a state, or a transition with its action and its next state.
pub(super) fn of_payer(state: usize, step: Option<[usize; 2]>) -> String {
    match step {
        None => format!("state {state}"),
        Some([action, to]) => format!("the transition {}", of_step(state, action, Some(to))),
    }
}

/// Where a trip begins and ends.
pub(super) fn of_trip(from: Option<usize>, to: Option<usize>) -> String {
    let from = from.map_or_else(|| "from where paths begin".to_string(), |from| format!("from state {from}"));
    from + &to.map_or_else(|| " to where they may end".to_string(), |to| format!(" to state {to}"))
}

/// What to do about a horizon that may be too short.
pub(super) fn longer(horizon: Option<usize>) -> String {
    horizon.map_or_else(String::new, |states| format!(", learn with a horizon above {states} if the way round is longer"))
}

/// The columns that there are.
pub(super) fn of_columns(known: &[String]) -> String {
    match known {
        [] => "no demonstration has any".to_string(),
        known => format!("give it one; others have {}", known.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")),
    }
}

/// Features that differ between worlds.
pub(super) fn of_other_features(world: usize, feature: usize, found: Option<&str>, expected: Option<&str>) -> String {
    let remedy = "worlds of one reward have the same features in the same order";
    match (found, expected) {
        (Some(found), Some(expected)) => {
            let (found, expected) = (shown(found), shown(expected));
            format!("world {world}: feature {feature} is {found}, but in world 0 it is {expected}: {remedy}")
        }
        (Some(found), None) => format!("world {world}: world 0 has no feature {}: {remedy}", shown(found)),
        (None, Some(expected)) => format!("world {world}: the feature {} of world 0 is missing: {remedy}", shown(expected)),
        (None, None) => format!("world {world}: the number of features is {feature}, not that of world 0: {remedy}"),
    }
}
