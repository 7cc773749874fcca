//! The table of a mixed recursive logit.

use std::fmt::Write;

use revealed::shown;

use super::record::MixedRecord;
use crate::summaries::estimates::Estimates;
use crate::summaries::table::small;

/// The header, the estimates, the test against the plain recursive logit, and what a reader should know.
pub fn mixed_table(record: &MixedRecord) -> String {
    let mut text = header(record);
    let estimates = Estimates {
        names: &record.names,
        parameters: &record.parameters,
        standing: &record.standing,
        standard_errors: &record.standard_errors,
        robust_errors: record.robust_standard_errors.as_deref(),
        errors: &record.errors,
        is_clustered: record.panel.is_some(),
        z_values: &record.z_values,
        p_values: &record.p_values,
    };
    let _ = writeln!(text, "\n{}", estimates.table());
    for note in notes(record) {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

fn header(record: &MixedRecord) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<22}{value}");
    };
    line("model", "mixed recursive logit".to_string());
    line("N", format!("{}", record.n));
    let by = record.panel.as_deref().map_or(String::new(), |panel| format!(", by {}", shown(panel)));
    line("travellers", format!("{}{by}", record.n_travellers));
    let whose = if record.sharing == "common" { "the same for all" } else { "for each traveller" };
    line("draws", format!("{}, {whose} (seed {})", record.draws, record.seed));
    line("log-likelihood", format!("{:.6}, simulated", record.log_likelihood));
    line("recursive logit", format!("{:.6}", record.plain_log_likelihood));
    let (ratio, degrees) = (record.likelihood_ratio, record.degrees_of_freedom);
    line(
        "likelihood ratio",
        format!("{ratio:.4}, chi-squared with {degrees} degrees: p {}", small(record.likelihood_ratio_p_value)),
    );
    line("AIC, BIC", format!("{:.4}, {:.4}", record.aic, record.bic));
    line("converged", if record.converged { "yes".to_string() } else { format!("no: {}", record.stopped_because) });
    text
}

/// What a reader should know.
fn notes(record: &MixedRecord) -> Vec<String> {
    let mut notes = vec![
        "in the plain model the spreads (sd) are at their bound 0: the p-value of the likelihood ratio is an upper bound"
            .to_string(),
    ];
    if record.diverged > 0.0 {
        notes.push(format!(
            "at {:.2}% of the draws loops cost too little for a finite sum over paths; they have probability 0",
            100.0 * record.diverged
        ));
    }
    notes
}
