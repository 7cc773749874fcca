//! `revealed reproduce`: the paper's experiments, and a page with its numbers beside ours.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use revealed_reproduce::{Event, Experiment, Outcome, PortoFiles, RunWatch, Settings};
use serde_json::{Value, json};

use crate::args::Reproduce;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::progress::ExperimentProgress;

/// Runs what is missing and writes the report.
pub fn run(args: &Reproduce, output: Output) -> Result<(), Failure> {
    let named = args.names.iter().map(|name| Experiment::from_name(name)).collect::<Result<Vec<_>, _>>()?;
    let mut porto = PortoFiles::default();
    for (file, given) in [(&mut porto.trips, &args.trips), (&mut porto.map, &args.map)] {
        given.iter().for_each(|given| file.clone_from(given));
    }
    let settings = Settings { repeats: args.repeats, seed: args.seed, quick: args.quick, threads: args.threads, porto };
    let experiments = if named.is_empty() { with_what_is_there(&settings) } else { named };
    interrupt::listen();
    let progress = Mutex::new(ExperimentProgress::new());
    let tell = |event: Event| progress.lock().unwrap_or_else(PoisonError::into_inner).show(event);
    let watch = RunWatch { tell: &tell, stop: &interrupt::asked };
    let outcome = revealed_reproduce::run(&experiments, &settings, &args.out, args.fresh, &watch)?;
    for (experiment, error) in &outcome.left_out {
        eprintln!("warning: the report does without {}: {error}", experiment.name());
    }
    if let Some(tally) = outcome.unfinished {
        let (name, finished) = (tally.experiment.name(), tally.kept + tally.done);
        let again = if args.fresh { "the same command without --fresh" } else { "the same command" };
        let place = args.out.display();
        let message =
            format!("{finished} of {} of {name} are finished and kept in {place}; {again} goes on from there", tally.units);
        return Err(Failure::Interrupted(message));
    }
    output.print(&words(&outcome), &json(&outcome))
}

/// All experiments but those that need what is not there, or that take minutes where a quick look is asked for.
fn with_what_is_there(settings: &Settings) -> Vec<Experiment> {
    let there = |experiment: &Experiment| match experiment.missing(settings) {
        None if *experiment == Experiment::Porto && settings.quick => {
            eprintln!("note: porto is left out of a quick run: ask for it by its name");
            false
        }
        None => true,
        Some(missing) => {
            eprintln!("note: {} is left out: {missing}", experiment.name());
            false
        }
    };
    Experiment::ALL.into_iter().filter(there).collect()
}

fn words(outcome: &Outcome) -> String {
    let mut text = String::new();
    for (experiment, section) in &outcome.sections {
        let _ = writeln!(text, "{}: {}. {}", experiment.name(), section.verdict.name(), section.verdict.reason());
    }
    let _ = writeln!(text, "written to {}", outcome.index.display());
    text
}

fn json(outcome: &Outcome) -> Value {
    let experiment = |(experiment, section): &(Experiment, revealed_reproduce::Section)| {
        let tally = outcome.tallies.iter().find(|tally| tally.experiment == *experiment);
        json!({
            "name": experiment.name(),
            "verdict": section.verdict.name(),
            "reason": section.verdict.reason(),
            "units": tally.map(|tally| tally.units),
            "kept": tally.map(|tally| tally.kept),
            "done": tally.map(|tally| tally.done),
            "seconds": tally.map(|tally| tally.seconds),
            "numbers": section.numbers,
        })
    };
    let experiments: Vec<Value> = outcome.sections.iter().map(experiment).collect();
    json!({ "index": outcome.index.display().to_string(), "experiments": experiments })
}
