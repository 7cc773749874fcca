//! A summary as econometricians print it.

use std::fmt::Write;

use revealed::{Chance, Ends, Horizon, Method, shown};

use crate::models::{Model, SummaryRecord};

/// Longer names are cut.
const LONGEST_NAME: usize = 28;
/// At most this many correlations are printed.
const MOST_CORRELATIONS: usize = 10;

/// The header, the table and the notes of a model's summary; empty for a model without one.
pub fn summary_table(model: &Model) -> String {
    let mut text = String::new();
    if let Some(summary) = &model.summary {
        header(&mut text, model, summary);
        table(&mut text, model, summary);
        correlations(&mut text, model, summary);
        for note in &summary.notes {
            let _ = writeln!(text, "note: {note}");
        }
    }
    text
}

fn header(text: &mut String, model: &Model, summary: &SummaryRecord) {
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<22}{value}");
    };
    let discount = model.discount.map_or(String::new(), |discount| format!(", discount {discount}"));
    let paths = format!("ends {}, horizon {}{discount}", model.ends.name(), model.horizon);
    match (model.chance, model.horizon, model.ends) {
        (Chance::Tilted, Horizon::Any, Ends::Goal) => {
            line("model", "recursive logit, exact".to_string());
            line("paths", "of any length between each demonstration's own ends".to_string());
        }
        (Chance::Tilted, ..) => {
            line("model", "maximum entropy, exact".to_string());
            line("paths", paths);
        }
        (Chance::Fixed, ..) => {
            let by =
                if model.inference == Method::CausalDual { "feature matching" } else { "maximum likelihood of the actions" };
            line("model", format!("causal (dynamic discrete choice), {by}"));
            line("paths", paths);
        }
    }
    line("N", format!("{}", summary.n));
    if let (Some(cluster), Some(clusters)) = (&summary.cluster, summary.n_clusters) {
        line("clusters", format!("{clusters}, by {}", shown(cluster)));
    }
    line("parameters", format!("{}, of which {} estimated", model.theta.len(), summary.estimated));
    line("log-likelihood", format!("{:.6}", summary.log_likelihood));
    if let Some(null) = summary.null_log_likelihood {
        line("null log-likelihood", format!("{null:.6} (theta = 0)"));
    }
    if let (Some(ratio), Some(p)) = (summary.likelihood_ratio, summary.likelihood_ratio_p_value) {
        let degrees = summary.degrees_of_freedom;
        line("likelihood ratio", format!("{ratio:.4}, chi-squared with {degrees} degrees: p {}", small(p)));
    }
    if let (Some(rho), Some(adjusted)) = (summary.rho_squared, summary.adjusted_rho_squared) {
        line("rho-squared", format!("{rho:.4} (McFadden), adjusted {adjusted:.4}"));
    }
    line("AIC, BIC", format!("{:.4}, {:.4}", summary.aic, summary.bic));
    let converged = match (model.converged, &model.stopped_because) {
        (Some(true), _) => "yes".to_string(),
        (Some(false), because) => format!("no: {}", because.as_deref().unwrap_or("the model does not say why")),
        (None, _) => "the model does not say".to_string(),
    };
    line("converged", converged);
}

fn table(text: &mut String, model: &Model, summary: &SummaryRecord) {
    let width = (0..model.theta.len()).map(|k| name(model, k).chars().count()).max().unwrap_or(0);
    let interval = format!("[{} % interval]", 100.0 * summary.level);
    let robust = if summary.cluster.is_some() { "clust. s.e." } else { "robust s.e." };
    let (used, other) = if summary.is_robust() { (robust, "model s.e.") } else { ("std. err.", robust) };
    let [errors, others] = summary.errors_in_use();
    let other = if others.is_some() { other } else { "" };
    let head = format!("{:width$}  {:>12} {used:>11} {:>8} {:>7} ", "", "estimate", "z", "P>|z|");
    let _ = writeln!(text, "\n{}", format!("{head}{interval:^25} {other:>11}").trim_end());
    let of = |errors: Option<&[Option<f64>]>, k: usize| errors.and_then(|errors| errors[k]);
    for k in 0..model.theta.len() {
        let estimate = format!("{:width$}  {:>12}", name(model, k), number(model.theta[k]));
        let (Some(error), Some([low, high])) = (of(errors, k), summary.intervals[k]) else {
            let _ = writeln!(text, "{estimate} {:>11}", summary.standing[k]);
            continue;
        };
        let shown = |value: Option<f64>, digits: usize| value.map_or(String::new(), |value| format!("{value:.digits$}"));
        let (z, p) = (shown(summary.z_values[k], 2), shown(summary.p_values[k], 3));
        let other = of(others, k).map_or(String::new(), number);
        let [error, low, high] = [error, low, high].map(number);
        let line = format!("{estimate} {error:>11} {z:>8} {p:>7} {low:>12} {high:>12} {other:>11}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn correlations(text: &mut String, model: &Model, summary: &SummaryRecord) {
    if summary.correlations.is_empty() {
        return;
    }
    let _ = writeln!(text, "\ncorrelations of estimates above 0.9");
    for &(i, j, r) in summary.correlations.iter().take(MOST_CORRELATIONS) {
        let _ = writeln!(text, "  {r:>8.4}  {}, {}", name(model, i), name(model, j));
    }
    let more = summary.correlations.len().saturating_sub(MOST_CORRELATIONS);
    if more > 0 {
        let _ = writeln!(text, "  and {more} more");
    }
}

fn name(model: &Model, k: usize) -> String {
    let name = model.names.get(k).map_or(format!("feature {k}"), |name| shown(name).into_owned());
    match name.chars().count() {
        0..=LONGEST_NAME => name,
        _ => name.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
    }
}

/// Six significant digits.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_string(),
        size if (1e-4..1e6).contains(&size) => {
            let before = size.log10().floor() as i32;
            format!("{value:.digits$}", digits = (5 - before).clamp(0, 9) as usize)
        }
        _ => format!("{value:.4e}"),
    }
}

/// A p-value, also if it is tiny.
pub(crate) fn small(p: f64) -> String {
    match p {
        p if p >= 1e-4 => format!("= {p:.4}"),
        p if p >= 1e-300 => format!("= {p:.1e}"),
        _ => "< 1e-300".to_string(),
    }
}
