//! The table of a nested or discounted recursive logit.

use std::fmt::Write;

use revealed::shown;

use super::record::NestedRecord;
use crate::summaries::table::{number, small};

/// The header, the estimates, and the test against the plain recursive logit.
pub fn nested_table(record: &NestedRecord) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<22}{value}");
    };
    let kind = match (record.scale.is_empty(), record.discounted) {
        (false, false) => "nested recursive logit",
        (false, true) => "nested recursive logit with a discount",
        (true, _) => "discounted recursive logit",
    };
    line("model", kind.to_string());
    line("N", format!("{}", record.n));
    line("log-likelihood", format!("{:.6}", record.log_likelihood));
    line("recursive logit", format!("{:.6}", record.plain_log_likelihood));
    let (ratio, degrees) = (record.likelihood_ratio, record.degrees_of_freedom);
    line(
        "likelihood ratio",
        format!("{ratio:.4}, chi-squared with {degrees} degrees: p {}", small(record.likelihood_ratio_p_value)),
    );
    line("AIC", format!("{:.4}", record.aic));
    line("converged", if record.converged { "yes".to_string() } else { format!("no: {}", record.stopped_because) });
    let names: Vec<String> = record.names.iter().map(|name| shown(name).into_owned()).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let _ = writeln!(text, "\n{:width$}  {:>12} {:>11} {:>8} {:>7}", "", "estimate", "std. err.", "z", "P>|z|");
    for (k, name) in names.iter().enumerate() {
        let estimate = format!("{name:width$}  {:>12}", number(record.parameters[k]));
        let shown = |value: Option<f64>, digits: usize| value.map_or(String::new(), |value| format!("{value:.digits$}"));
        let _ = match record.standard_errors[k] {
            None => writeln!(text, "{estimate} {:>11}", record.standing[k]),
            Some(error) => {
                let (z, p) = (shown(record.z_values[k], 2), shown(record.p_values[k], 3));
                writeln!(text, "{estimate} {:>11} {z:>8} {p:>7}", number(error))
            }
        };
    }
    text
}
