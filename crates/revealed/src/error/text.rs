//! Parts of messages.

/// The first states of a cycle, as text.
pub(super) fn some_of(states: &[usize]) -> String {
    let named: Vec<String> = states.iter().take(8).map(usize::to_string).collect();
    named.join(", ") + if states.len() > 8 { ", …" } else { "" }
}

/// Between which states, if that is known.
pub(super) fn of_pair(pair: &Option<[usize; 2]>) -> String {
    pair.map_or(String::new(), |[from, to]| format!(" from state {from} to state {to}"))
}
