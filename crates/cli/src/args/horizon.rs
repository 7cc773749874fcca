//! `--horizon`: how many states a path may have.

use revealed::Horizon;
pub use revealed_formats::answers::horizon_json as in_json;

/// Parses `--horizon`: a number of states, or `any`.
pub fn horizon(text: &str) -> Result<Horizon, String> {
    match text.parse() {
        Ok(states) => Ok(Horizon::AtMost(states)),
        // Older versions call it none.
        Err(_) if text == "any" || text == "none" => Ok(Horizon::Any),
        Err(_) => Err("give a number of states, or any for paths of any length".to_string()),
    }
}
