//! What goes with standard errors.

use revealed::{Ends, Features, Standing, Uncertainty};

use crate::Model;

/// So many directions or parameters are named in a note.
const NAMED: usize = 5;

/// What a reader of the summary of a model has to know, in words.
pub fn summary_notes(sure: &Uncertainty, model: &Model, features: &Features) -> Vec<String> {
    let mut notes = Vec::new();
    let with = |standing: Standing| -> Vec<String> {
        let which = (0..sure.theta.len()).filter(|&k| sure.standing[k] == standing);
        which.map(|k| features.name(k)).collect()
    };
    if model.converged == Some(false) {
        notes.push("the search did not converge: errors hold at an optimum alone".to_string());
    }
    let no_optimum = with(Standing::NoOptimum);
    if !no_optimum.is_empty() {
        notes.push(format!(
            "no finite optimum, or the search was ended early: the demonstrations still get more likely along {}; they have no \
             error, and the others are given where they stand; learn with bounds or an l2 penalty",
            some(&no_optimum)
        ));
    }
    let at_bound = with(Standing::AtBound);
    if !at_bound.is_empty() {
        notes.push(format!("at a bound, and the others are given that: {}", some(&at_bound)));
    }
    if !sure.unidentified.is_empty() {
        let directions: Vec<String> = sure.unidentified.iter().map(ToString::to_string).collect();
        let s = if directions.len() == 1 { "" } else { "s" };
        let remedy = match sure.unidentified.iter().any(|one| one.direction.terms.len() > 1) {
            true => "; hold a parameter of each by bounds of its own to have errors of the others",
            false => "",
        };
        notes.push(format!("the data cannot tell {} direction{s} of theta: {}{remedy}", directions.len(), some(&directions)));
    }
    for weak in sure.weak.iter().take(NAMED) {
        notes.push(format!(
            "the data hardly tell {} ({:.0e} of the information along the best known direction): errors along it are large, and \
             only roughly known",
            weak.direction, weak.share
        ));
    }
    if sure.l2 > 0.0 {
        notes.push(format!(
            "the estimate is shrunk towards 0 by l2 = {}: errors are those of the shrunk estimate, and intervals do not allow for \
             what it was shrunk by",
            sure.l2
        ));
    }
    if model.ends == Ends::Goal {
        notes.push("no robust errors with ends goal: each pair of ends would take a gradient of its own".to_string());
    }
    if sure.statistics.null_log_likelihood.is_none() {
        notes.push(
            "no null model to compare with: at theta = 0 loops cost nothing, and sums over paths of any length are not finite"
                .to_string(),
        );
    }
    notes
}

/// The first few, and how many more there are.
fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names[..names.len().min(NAMED)].join(", ") + &more
}
