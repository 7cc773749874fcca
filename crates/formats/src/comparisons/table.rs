//! The table of a comparison.

use std::fmt::Write;

use super::record::{ComparedRecord, ComparisonRecord};
use super::verdict::small;

/// The table, the reasons, and the verdict.
pub fn comparison_table(record: &ComparisonRecord) -> String {
    let mut text = String::new();
    let ComparisonRecord { n_demonstrations, folds, seed, ends, .. } = record;
    let _ = writeln!(text, "{n_demonstrations} demonstrations, {folds} folds (seed {seed}), ends {ends}");
    let _ = writeln!(text, "log-likelihood of the choices, per demonstration");
    let width = record.models.iter().map(|model| model.title.len()).max().unwrap_or(0);
    let head = ["in sample", "held out", "luck", "of the fit", "k", "AIC", "BIC", "Vuong", "p"];
    let [a, b, c, d, e, f, g, h, i] = head;
    let line = format!("  {:width$} {a:>12} {b:>12} {c:>9} {d:>10} {e:>5} {f:>12} {g:>12} {h:>8} {i:>10}", "");
    let _ = writeln!(text, "{}", line.trim_end());
    for model in record.models.iter().filter(|model| model.reason.is_none()) {
        let _ = writeln!(text, "{}", row(record, model, width).trim_end());
    }
    for model in &record.models {
        if let Some(reason) = &model.reason {
            let _ = writeln!(text, "note: {} is not fitted: {reason}", model.title);
        }
        notes(&mut text, model);
    }
    for sentence in &record.verdict {
        let _ = writeln!(text, "{sentence}");
    }
    text
}

fn row(record: &ComparisonRecord, model: &ComparedRecord, width: usize) -> String {
    let shown = |value: Option<f64>, digits: usize| value.map_or("-inf".to_string(), |value| format!("{value:.digits$}"));
    let (in_sample, held_out) = (shown(model.in_sample, 6), shown(model.held_out, 6));
    let luck = model.luck.map_or(String::new(), |luck| format!("{luck:.4}"));
    let share = model.luck_share.map_or(String::new(), |share| format!("{:.1} %", 100.0 * share));
    let (k, aic, bic) = (model.parameters.unwrap_or(0), shown(model.aic, 2), shown(model.bic, 2));
    let (vuong, p) = match &model.vuong {
        Some(vuong) => (format!("{:.2}", vuong.statistic), small(vuong.p_value)),
        None => (String::new(), String::new()),
    };
    let name = Some(&model.model);
    let mark = match () {
        () if record.chosen.as_ref() == name && record.best.as_ref() == name => "  best",
        () if record.chosen.as_ref() == name => "  taken",
        () if record.best.as_ref() == name => "  largest",
        () => "",
    };
    let title = &model.title;
    format!(
        "  {title:width$} {in_sample:>12} {held_out:>12} {luck:>9} {share:>10} {k:>5} {aic:>12} {bic:>12} {vuong:>8} {p:>10}{mark}"
    )
}

/// What a reader of the row must know.
fn notes(text: &mut String, model: &ComparedRecord) {
    let title = &model.title;
    if let (Some(false), Some(because)) = (model.converged, &model.stopped_because) {
        let _ = writeln!(text, "note: {title}: {because}");
    }
    if let Some(folds) = model.unconverged_folds.filter(|&folds| folds > 0) {
        let _ = writeln!(text, "note: {title}: {folds} of the fits without a fold did not converge");
    }
    if let Some(reason) = &model.no_standard_errors {
        let _ = writeln!(text, "note: {title} has no standard errors: {reason}");
    }
}
