//! `--level`: the confidence level of intervals.

/// Parses `--level`: a probability strictly between 0 and 1.
pub fn level(text: &str) -> Result<f64, String> {
    let level = text.parse().ok().filter(|&level: &f64| level > 0.0 && level < 1.0);
    level.ok_or_else(|| "give a number between 0 and 1, such as 0.95".to_string())
}
