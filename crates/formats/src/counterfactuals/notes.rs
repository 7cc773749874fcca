//! What a reader of a counterfactual should know.

use revealed::{Features, ThetaCovariance};

use super::names::short;
use super::record::CounterfactualRecord;
use crate::models::Model;

/// At most this many names are listed.
const NAMED: usize = 5;

/// The notes on an answer.
pub(super) fn notes(record: &CounterfactualRecord, known: &ThetaCovariance, model: &Model, features: &Features) -> Vec<String> {
    let mut notes = Vec::new();
    let fixed = known.fixed();
    if !fixed.is_empty() {
        let named: Vec<String> = fixed.iter().take(NAMED).map(|&k| short(k, features)).collect();
        let more = if fixed.len() > NAMED { format!(" and {} more", fixed.len() - NAMED) } else { String::new() };
        notes.push(format!(
            "at a bound or without an optimum, and taken as known: {}{more}; intervals are conditional on their values",
            named.join(", ")
        ));
    }
    let outcomes = record.outcomes.iter().flat_map(|one| [&one.base, &one.scenario, &one.difference]);
    let elasticities = record.elasticities.iter().filter_map(|one| one.elasticity.as_ref());
    let ratios = record.ratios.iter().map(|one| &one.ratio);
    if outcomes.chain(elasticities).chain(ratios).any(|one| one.standard_error.is_none()) {
        notes.push(
            "what is not identified has no interval: it changes along a direction of theta about which the data say nothing; \
             fix a parameter by bounds of its own, or ask for a difference in which it cancels"
                .to_string(),
        );
    }
    if model.l2.is_some_and(|l2| l2 > 0.0) {
        notes.push("theta was shrunk by an l2 penalty: intervals do not account for its bias".to_string());
    }
    if model.converged == Some(false) {
        notes.push("the search for theta did not converge: standard errors are valid only at an optimum".to_string());
    }
    notes
}
