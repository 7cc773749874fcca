//! Notes on standard errors: when they hold, and why some are absent.

use revealed::{Chance, Features, Standing, Uncertainty};

use crate::models::Model;

/// A note names at most this many directions or parameters.
const NAMED: usize = 5;

/// Clustered errors are valid for many clusters. Below this number, textbooks advise against them.
const FEW_CLUSTERS: usize = 40;

/// The notes that go with the summary of a model.
pub fn summary_notes(sure: &Uncertainty, model: &Model, features: &Features) -> Vec<String> {
    let mut notes = Vec::new();
    let with = |standing: Standing| -> Vec<String> {
        let which = (0..sure.theta.len()).filter(|&k| sure.standing[k] == standing);
        which.map(|k| features.name(k)).collect()
    };
    if model.converged == Some(false) {
        notes.push("the search did not converge: standard errors are valid only at an optimum".to_string());
    }
    let no_optimum = with(Standing::NoOptimum);
    if !no_optimum.is_empty() {
        notes.push(format!(
            "no finite optimum, or the search was ended early: the likelihood still grows along {}; these have no error, and \
             the errors of the others are conditional on their values; learn with bounds or an l2 penalty",
            some(&no_optimum)
        ));
    }
    let at_bound = with(Standing::AtBound);
    if !at_bound.is_empty() {
        notes.push(format!("at a bound; the errors of the others are conditional on that: {}", some(&at_bound)));
    }
    if !sure.unidentified.is_empty() {
        let directions: Vec<String> = sure.unidentified.iter().map(ToString::to_string).collect();
        let (s, are) = if directions.len() == 1 { ("", "is") } else { ("s", "are") };
        let remedy = match sure.unidentified.iter().any(|one| one.direction.terms.len() > 1) {
            true => "; fix one parameter of each by bounds of its own to get errors of the others",
            false => "",
        };
        let n = directions.len();
        notes.push(format!("{n} direction{s} of theta {are} not identified by the data: {}{remedy}", some(&directions)));
    }
    for weak in sure.weak.iter().take(NAMED) {
        notes.push(format!(
            "{} is weakly identified ({:.0e} of the information along the best identified direction): errors along it are \
             large, and only roughly known",
            weak.direction, weak.share
        ));
    }
    if sure.l2 > 0.0 {
        notes.push(format!(
            "the estimate is shrunk towards 0 by l2 = {}: errors are those of the shrunk estimate, and intervals do not account \
             for its bias",
            sure.l2
        ));
    }
    if let Some(few) = sure.n_clusters.filter(|&clusters| clusters < FEW_CLUSTERS) {
        notes.push(format!("only {few} clusters: clustered errors are too small with few clusters"));
    }
    if sure.statistics.null_log_likelihood.is_none() {
        let why = match model.chance {
            Chance::Tilted => "at theta = 0 loops cost nothing, and sums over paths of any length are not finite",
            Chance::Fixed => "at theta = 0 going on costs nothing, and the values of episodes of any length are not finite",
        };
        notes.push(format!("no null model to compare with: {why}"));
    }
    notes
}

/// The first few, and how many more there are.
fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names[..names.len().min(NAMED)].join(", ") + &more
}
