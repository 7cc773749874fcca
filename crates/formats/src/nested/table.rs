//! The table of a nested or discounted recursive logit.

use std::fmt::Write;

use revealed::shown;

use super::record::NestedRecord;
use crate::summaries::estimates::Estimates;
use crate::summaries::table::small;

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
    if let (Some(cluster), Some(clusters)) = (&record.cluster, record.n_clusters) {
        line("clusters", format!("{clusters}, by {}", shown(cluster)));
    }
    line("log-likelihood", format!("{:.6}", record.log_likelihood));
    line("recursive logit", format!("{:.6}", record.plain_log_likelihood));
    let (ratio, degrees) = (record.likelihood_ratio, record.degrees_of_freedom);
    line(
        "likelihood ratio",
        format!("{ratio:.4}, chi-squared with {degrees} degrees: p {}", small(record.likelihood_ratio_p_value)),
    );
    line("AIC", format!("{:.4}", record.aic));
    line("converged", if record.converged { "yes".to_string() } else { format!("no: {}", record.stopped_because) });
    let estimates = Estimates {
        names: &record.names,
        parameters: &record.parameters,
        standing: &record.standing,
        standard_errors: &record.standard_errors,
        robust_errors: record.robust_standard_errors.as_deref(),
        errors: &record.errors,
        is_clustered: record.cluster.is_some(),
        z_values: &record.z_values,
        p_values: &record.p_values,
    };
    text.push('\n');
    text + &estimates.table()
}
