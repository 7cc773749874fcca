//! `--bounds`: bounds of θ.

use std::path::Path;

use revealed::Bounds;

use crate::terminal::Failure;

/// `LO,HI` for all weights, or a file with a JSON array of `[lo, hi]` for each feature, null for no bound.
pub fn parse(text: Option<&str>, n_features: usize) -> Result<Bounds, Failure> {
    let Some(text) = text else { return Ok(Bounds::None) };
    let bounds = of_text(text)?;
    bounds.each(n_features).map_err(|error| Failure::new(format!("--bounds {text}: {error}")))?;
    Ok(bounds)
}

fn of_text(text: &str) -> Result<Bounds, Failure> {
    if let Some((lo, hi)) = text.split_once(',') {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| !number.is_nan());
        if let (Some(lo), Some(hi)) = (number(lo), number(hi)) {
            return Ok(Bounds::Same(lo, hi));
        }
    }
    if !Path::new(text).is_file() {
        return Err(Failure::new(format!(
            "--bounds {text}: give two numbers such as -10,10, or a JSON file with [lo, hi] per feature"
        )));
    }
    let content = std::fs::read_to_string(text).map_err(|error| Failure::new(format!("{text}: {error}")))?;
    let pairs: Vec<[Option<f64>; 2]> = serde_json::from_str(&content)
        .map_err(|error| Failure::new(format!("{text}: expected a JSON array of [lo, hi], null for no bound: {error}")))?;
    Ok(Bounds::Each(pairs.into_iter().map(pair).collect()))
}

fn pair([lo, hi]: [Option<f64>; 2]) -> (f64, f64) {
    (lo.unwrap_or(f64::NEG_INFINITY), hi.unwrap_or(f64::INFINITY))
}
