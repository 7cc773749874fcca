//! `revealed reproduce`: the paper's experiments, and a page with its numbers beside ours.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use revealed::{Step, Watch};
use revealed_reproduce::{Experiment, Outcome, PortoFiles, Section, Settings, plain};
use serde_json::{Value, json};

use crate::terminal::notes::{note, status, warning};
use crate::terminal::progress_bar::{Bar, Done};
use crate::terminal::{Failure, Output, interrupt};

/// Run the paper's experiments and show its numbers beside ours
#[derive(Args)]
#[command(after_help = "Example:\n  revealed reproduce worked-example --out results")]
pub struct ReproduceArgs {
    /// The experiments [default: all of them]; an unknown name lists them
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Repeats of each case [default: the paper's number]
    #[arg(long, value_name = "N")]
    repeats: Option<usize>,
    /// The same seed gives the same CSV files, except for timings
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Folder for results, figures and index.html; finished work in it is not done again
    #[arg(long, value_name = "DIR", default_value = "revealed-reproduce")]
    out: PathBuf,
    /// Fewer repeats and cases: everything in under a minute
    #[arg(long)]
    quick: bool,
    /// Replace the results of these experiments in DIR
    #[arg(long)]
    fresh: bool,
    /// GPS trips for porto, in the format of UCI's taxi data [default:
    /// ../shared/data/porto_trips/porto_trips_17084.csv.gz]
    #[arg(long, value_name = "FILE")]
    trips: Option<PathBuf>,
    /// OpenStreetMap for porto [default: ../shared/data/porto_osm/porto_2022-11.osm.gz]
    #[arg(long, value_name = "FILE", alias = "map")]
    osm: Option<PathBuf>,
    /// Threads to use; all cores by default. Any number gives the same CSV files; timed work runs alone
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Runs what is missing and writes the report.
pub fn run(args: &ReproduceArgs, output: Output) -> Result<(), Failure> {
    let named = args.names.iter().map(|name| Experiment::from_name(name)).collect::<Result<Vec<_>, _>>()?;
    let mut porto = PortoFiles::default();
    for (file, given) in [(&mut porto.trips, &args.trips), (&mut porto.map, &args.osm)] {
        given.iter().for_each(|given| file.clone_from(given));
    }
    // Set by the build script, and empty without git.
    let commit = Some(env!("REVEALED_COMMIT").to_string()).filter(|commit| !commit.is_empty());
    let settings = Settings { repeats: args.repeats, seed: args.seed, quick: args.quick, threads: args.threads, porto, commit };
    let experiments = if named.is_empty() { with_what_is_there(&settings) } else { named };
    interrupt::listen();
    let mut progress = RunProgress::default();
    let mut hear = |step: &Step<'_>| {
        progress.show(step);
        interrupt::flow()
    };
    let outcome = revealed_reproduce::run(&experiments, &settings, &args.out, args.fresh, &Watch::new(&mut hear))?;
    progress.end();
    for (experiment, error) in &outcome.left_out {
        warning(format!("the report does not include {}: {error}", experiment.name()));
    }
    if let Some(tally) = outcome.unfinished {
        let (name, finished) = (tally.experiment.name(), tally.kept + tally.done);
        let again = if args.fresh { "the same command without --fresh" } else { "the same command" };
        let place = args.out.display();
        let message =
            format!("{finished} of {} of {name} are finished and kept in {place}; {again} continues from there", tally.units);
        return Err(Failure::Interrupted(message));
    }
    output.print(&words(&outcome), &json(&outcome))
}

/// All experiments whose input files exist. A quick run does not include `porto`, which takes minutes.
fn with_what_is_there(settings: &Settings) -> Vec<Experiment> {
    let there = |experiment: &Experiment| match experiment.missing(settings) {
        None if *experiment == Experiment::Porto && settings.quick => {
            note("porto is not part of a quick run: name it to run it");
            false
        }
        None => true,
        Some(missing) => {
            note(format!("{} is skipped: {missing}", experiment.name()));
            false
        }
    };
    Experiment::ALL.into_iter().filter(there).collect()
}

/// Shows the progress of a run.
#[derive(Default)]
struct RunProgress {
    /// The experiment that is running.
    experiment: Option<ExperimentProgress>,
}

impl RunProgress {
    fn show(&mut self, step: &Step<'_>) {
        match *step {
            Step::Parts { what, done, all } => {
                if self.experiment.as_ref().is_none_or(|running| running.name != what) {
                    self.end();
                    self.experiment = Some(ExperimentProgress::new(what, done, all));
                }
                self.experiment.iter_mut().for_each(|running| running.units(done, all));
            }
            Step::Stage { what, done, all } => self.experiment.iter_mut().for_each(|running| running.stage(what, done, all)),
            // An experiment reports its searches as stages.
            Step::Iteration(_) | Step::Validation(_) => {}
        }
    }

    /// Ends the experiment that is running.
    fn end(&mut self) {
        self.experiment.take().into_iter().for_each(ExperimentProgress::end);
    }
}

/// The progress bar of one experiment.
struct ExperimentProgress {
    name: &'static str,
    bar: Bar,
    begun: Instant,
    /// Units that an earlier run finished.
    kept: usize,
    done: Done,
    stage: String,
}

impl ExperimentProgress {
    fn new(name: &'static str, kept: usize, units: usize) -> Self {
        match kept {
            0 => status(format!("{name}: {units} to do")),
            _ if kept == units => status(format!("{name}: finished by an earlier run")),
            _ => status(format!("{name}: {units} to do, {kept} of them finished by an earlier run")),
        }
        let (bar, begun) = (Bar::named(name).with_kept(kept), Instant::now());
        ExperimentProgress { name, bar, begun, kept, done: Done::Of(kept, units), stage: String::new() }
    }

    fn units(&mut self, finished: usize, units: usize) {
        self.done = Done::Of(finished, units);
        self.redraw();
    }

    fn stage(&mut self, stage: &str, done: usize, all: usize) {
        self.stage = match (done, all) {
            (0, _) => stage.to_string(),
            (done, 0) => format!("{stage}, {done} so far"),
            (done, all) => format!("{stage}, {done} of {all}"),
        };
        self.redraw();
    }

    fn redraw(&mut self) {
        self.bar.show("units", self.done, || self.stage.clone());
    }

    fn end(self) {
        self.bar.finish();
        let done = self.done.units() - self.kept;
        if done > 0 {
            status(format!("{}: {done} done in {:.1} s", self.name, self.begun.elapsed().as_secs_f64()));
        }
    }
}

fn words(outcome: &Outcome) -> String {
    let mut text = String::new();
    for (experiment, section) in &outcome.sections {
        let _ = writeln!(text, "{}: {}. {}", experiment.name(), section.verdict.name(), plain(section.verdict.reason()));
    }
    let _ = writeln!(text, "written to {}", outcome.index.display());
    text
}

fn json(outcome: &Outcome) -> Value {
    let experiment = |(experiment, section): &(Experiment, Section)| {
        let tally = outcome.tallies.iter().find(|tally| tally.experiment == *experiment);
        json!({
            "name": experiment.name(),
            "verdict": section.verdict.name(),
            "reason": plain(section.verdict.reason()),
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
