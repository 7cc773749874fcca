//! `revealed check`: a summary of a problem, and everything that is wrong with it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use revealed::{Demonstrations, Features, Mdp, null_directions};
use revealed_formats::{Problem, ProblemColumns, demonstrations};
use serde_json::{Value, json};

use crate::terminal::{Failure, Output};

/// Print a summary of a problem, and everything that is wrong with it
#[derive(Args)]
#[command(after_help = "Example:\n  revealed check lake.json demos.jsonl")]
pub struct CheckArgs {
    /// Problem file (.json or .npz)
    problem: PathBuf,
    /// Demonstrations (.jsonl or .npz)
    demos: Option<PathBuf>,
}

/// The maximum number of faults that are listed. The others are only counted.
const LISTED: usize = 50;

/// What was found.
#[derive(Default)]
struct Report {
    words: String,
    facts: serde_json::Map<String, Value>,
    faults: Vec<String>,
    warnings: Vec<String>,
}

/// Reads, describes, and lists faults; fails if there are any.
pub fn run(args: &CheckArgs, output: Output) -> Result<(), Failure> {
    let columns = ProblemColumns::load(&args.problem)?;
    let mut report = Report::default();
    for name in &columns.unknown {
        report.warnings.push(format!("{}: unknown field {name:?} is ignored", args.problem.display()));
    }
    match columns.build() {
        Ok(problem) => {
            report.describe(&args.problem, &problem);
            if let Some(demos) = &args.demos {
                report.describe_demos(demos, &problem)?;
            }
        }
        Err(_) => {
            report.faults = columns.faults().iter().map(|fault| format!("{}: {fault}", args.problem.display())).collect();
            if let Some(demos) = &args.demos {
                match demonstrations::load(demos) {
                    Ok(_) => {
                        report.warnings.push(format!("{} was read, but not compared with a broken problem", demos.display()))
                    }
                    Err(error) => report.faults.push(error.to_string()),
                }
            }
        }
    }
    report.print(output)
}

impl Report {
    fn describe(&mut self, path: &Path, problem: &Problem) {
        let (mdp, features) = (&problem.mdp, &problem.features);
        let terminal = (0..mdp.n_states()).filter(|&state| mdp.is_terminal(state)).count();
        let certain = mdp.probability().iter().all(|&p| p == 1.0);
        let [of_states, of_choices, of_transitions] = features.blocks().map(|block| !block.is_zero());
        let kinds: Vec<&str> = [(of_states, "states"), (of_choices, "state-action pairs"), (of_transitions, "transitions")]
            .into_iter()
            .filter_map(|(present, kind)| present.then_some(kind))
            .collect();
        let _ = writeln!(
            self.words,
            "{}: {} states ({terminal} terminal), {} actions, {} transitions, {}, discount {}, {} start state{}",
            path.display(),
            mdp.n_states(),
            mdp.n_actions(),
            mdp.n_transitions(),
            if certain { "deterministic" } else { "stochastic" },
            mdp.discount(),
            mdp.start().len(),
            if mdp.start().len() == 1 { "" } else { "s" },
        );
        let on = if kinds.is_empty() { "nothing".to_string() } else { kinds.join(", ") };
        let _ = writeln!(
            self.words,
            "  {} features, on {on}; reference policy: {}",
            features.n_features(),
            if mdp.reference().is_some() { "given" } else { "none (MaxEnt)" }
        );
        self.facts.extend(
            json!({
                "n_states": mdp.n_states(), "n_actions": mdp.n_actions(), "n_transitions": mdp.n_transitions(),
                "n_features": features.n_features(), "n_terminal": terminal, "discount": mdp.discount(),
                "deterministic": certain, "n_start": mdp.start().len(), "digest": problem.digest(),
            })
            .as_object()
            .cloned()
            .unwrap_or_default(),
        );
        self.warn_about_states(mdp);
        self.warn_about_features(features);
    }

    fn warn_about_states(&mut self, mdp: &Mdp) {
        let reached = reachable(mdp);
        let lost = reached.iter().filter(|&&reached| !reached).count();
        if lost > 0 {
            self.warnings.push(format!("{lost} states cannot be reached from the start"));
        }
        let terminals = (0..mdp.n_states()).filter(|&state| mdp.is_terminal(state));
        let (all, near) = terminals.fold((0, 0), |(all, near), state| (all + 1, near + usize::from(reached[state])));
        if all > 0 && near == 0 {
            self.warnings.push("no terminal state can be reached from the start".to_string());
        }
    }

    fn warn_about_features(&mut self, features: &Features) {
        for direction in null_directions(features) {
            let words = match direction.terms.as_slice() {
                [(feature, _)] => format!("{} is zero everywhere: its weight has no effect", features.name(*feature)),
                _ => format!("{direction} is zero everywhere: the weights are not identified along it"),
            };
            self.warnings.push(words);
        }
    }

    fn describe_demos(&mut self, path: &Path, problem: &Problem) -> Result<(), Failure> {
        let trajectories = demonstrations::load(path)?;
        let faults = Demonstrations::faults(&problem.mdp, &trajectories);
        self.faults.extend(faults.iter().map(|fault| format!("{}: {fault}", path.display())));
        let mut lengths: Vec<usize> = trajectories.iter().map(|trajectory| trajectory.states.len()).collect();
        lengths.sort_unstable();
        let (Some(shortest), Some(longest)) = (lengths.first(), lengths.last()) else { return Ok(()) };
        let median = lengths[lengths.len() / 2];
        let _ = writeln!(
            self.words,
            "{}: {} demonstrations of {shortest} to {longest} states (median {median})",
            path.display(),
            lengths.len()
        );
        self.facts.insert("n_demonstrations".to_string(), json!(lengths.len()));
        self.facts.insert("longest".to_string(), json!(longest));
        if faults.is_empty() {
            let finished = trajectories.iter().filter(|t| problem.mdp.is_terminal(t.states[t.states.len() - 1])).count();
            let _ = writeln!(self.words, "  {finished} of them end in a terminal state");
            self.facts.insert("n_finished".to_string(), json!(finished));
        }
        Ok(())
    }

    fn print(mut self, output: Output) -> Result<(), Failure> {
        for warning in &self.warnings {
            let _ = writeln!(self.words, "warning: {warning}");
        }
        for fault in self.faults.iter().take(LISTED) {
            let _ = writeln!(self.words, "fault: {fault}");
        }
        let summary = match self.faults.len() {
            0 => "no faults".to_string(),
            1 => "1 fault".to_string(),
            n if n > LISTED => format!("{n} faults, of which the first {LISTED} are listed"),
            n => format!("{n} faults"),
        };
        let _ = writeln!(self.words, "{summary}");
        self.facts.insert("ok".to_string(), json!(self.faults.is_empty()));
        self.facts.insert("faults".to_string(), json!(self.faults));
        self.facts.insert("warnings".to_string(), json!(self.warnings));
        output.print(&self.words, &Value::Object(self.facts))?;
        if self.faults.is_empty() { Ok(()) } else { Err(Failure::Said) }
    }
}

/// Whether each state can be reached from the start.
fn reachable(mdp: &Mdp) -> Vec<bool> {
    let mut reached = vec![false; mdp.n_states()];
    let mut waiting: Vec<usize> = mdp.start().iter().map(|row| row.0).collect();
    while let Some(state) = waiting.pop() {
        if !std::mem::replace(&mut reached[state], true) {
            waiting.extend(mdp.children(state).map(|transition| mdp.to()[transition] as usize));
        }
    }
    reached
}
