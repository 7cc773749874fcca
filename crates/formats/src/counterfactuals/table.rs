//! The answer as people read it.

use std::fmt::Write;

use revealed::shown;

use super::record::{CounterfactualRecord, MeasuredRecord, RatioRecord};
use crate::summaries::table;

/// Smaller numbers are rounding errors of differences.
const ROUNDING: f64 = 1e-12;

/// The tables and the notes of an answer.
pub fn counterfactual_table(record: &CounterfactualRecord) -> String {
    let notes: String = record.notes.iter().map(|note| format!("note: {note}\n")).collect();
    let parts = [outcomes(record), elasticities(record), ratios(record), notes];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<String>>().join("\n")
}

fn outcomes(record: &CounterfactualRecord) -> String {
    let mut text = String::new();
    if record.outcomes.is_empty() {
        return text;
    }
    let travellers = match record.travellers {
        1.0 => "per path".to_string(),
        n => format!("visits, transitions and ends of {n} travellers, others per path"),
    };
    let covariance = if record.robust { "robust" } else { "model's" };
    let _ = writeln!(text, "{travellers}; intervals by the delta method, {covariance} covariance\n");
    let width = record.outcomes.iter().map(|one| one.outcome.chars().count()).max().unwrap_or(0);
    let interval = head(record.level);
    let names = format!("{:>11} {:>11} {:>12} {:>11}", "base", "scenario", "difference", "std. err.");
    line(&mut text, &format!("{:width$}  {names}  {interval:^25}", ""));
    for one in &record.outcomes {
        let (base, scenario) = (number(one.base.value), number(one.scenario.value));
        let _ = writeln!(text, "{:width$}  {base:>11} {scenario:>11} {}", one.outcome, row(&one.difference));
    }
    let arcs: Vec<_> = record.outcomes.iter().filter_map(|one| Some((&one.outcome, one.arc_elasticity?))).collect();
    if !arcs.is_empty() {
        line(&mut text, &format!("\n{:width$}  {:>12} {:>11}  {interval:^25}", "", "arc elast.", "std. err."));
        for (outcome, arc) in arcs {
            let _ = writeln!(text, "{outcome:width$}  {}", row(&arc));
        }
    }
    text
}

fn elasticities(record: &CounterfactualRecord) -> String {
    let mut text = String::new();
    if record.elasticities.is_empty() {
        return text;
    }
    let name = |outcome: &str, feature: &str| format!("{} by {}", shown(outcome), shown(feature));
    let names: Vec<String> = record.elasticities.iter().map(|one| name(&one.outcome, &one.feature)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    line(&mut text, &format!("{:width$}  {:>12} {:>11}  {:^25}", "", "elasticity", "std. err.", head(record.level)));
    for (one, name) in record.elasticities.iter().zip(&names) {
        let words = one.elasticity.as_ref().map_or_else(|| format!("{:>12}", "none: it is not positive"), row);
        let _ = writeln!(text, "{name:width$}  {words}");
    }
    text
}

fn ratios(record: &CounterfactualRecord) -> String {
    let mut text = String::new();
    if record.ratios.is_empty() {
        return text;
    }
    let name = |one: &RatioRecord| format!("{} / {}", shown(&one.numerator), shown(&one.denominator));
    let width = record.ratios.iter().map(|one| name(one).chars().count()).max().unwrap_or(0);
    let interval = head(record.level);
    let _ = writeln!(text, "{:width$}  {:>12} {:>11}  {interval:^25}  Fieller's", "", "ratio", "std. err.");
    for one in &record.ratios {
        line(&mut text, &format!("{:width$}  {}  {}", name(one), row(&one.ratio), fieller(one)));
    }
    text
}

/// A line without spaces at its end.
fn line(text: &mut String, words: &str) {
    let _ = writeln!(text, "{}", words.trim_end());
}

/// Six significant digits.
fn number(value: f64) -> String {
    table::number(if value.abs() < ROUNDING { 0.0 } else { value })
}

fn head(level: f64) -> String {
    format!("[{} % interval]", 100.0 * level)
}

/// The value, its standard error and its interval.
fn row(one: &MeasuredRecord) -> String {
    match (one.standard_error, one.interval) {
        (Some(error), Some([low, high])) => {
            let [value, error, low, high] = [one.value, error, low, high].map(number);
            format!("{value:>12} {error:>11}  {low:>12} {high:>12}")
        }
        _ => format!("{:>12} {:>11}", number(one.value), "not identified"),
    }
}

fn fieller(one: &RatioRecord) -> String {
    let end = |end: Option<f64>, infinity: &str| end.map_or_else(|| infinity.to_string(), number);
    match (one.fieller.as_deref(), one.fieller_ends) {
        (Some("between"), Some([low, high])) => format!("{} to {}", end(low, "-inf"), end(high, "inf")),
        (Some("outside"), Some([low, high])) => format!("not {} to {}", end(low, "-inf"), end(high, "inf")),
        (Some(_), _) => "any number".to_string(),
        _ => String::new(),
    }
}
