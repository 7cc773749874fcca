//! `--horizon`: the maximum number of states in a path.

/// The maximum number of states in a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Horizon {
    /// This number of states.
    States(usize),
    /// Paths of any length.
    None,
}

/// Parses `--horizon`: a number of states, or `none`.
pub fn horizon(text: &str) -> Result<Horizon, String> {
    match text.parse() {
        Ok(states) => Ok(Horizon::States(states)),
        Err(_) if text == "none" => Ok(Horizon::None),
        Err(_) => Err("give a number of states, or none for paths of any length".to_string()),
    }
}
