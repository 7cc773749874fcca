//! Progress on stderr, of learning and of experiments: a bar on a terminal, a line every few seconds otherwise.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use revealed::Progress;
use revealed_reproduce::{Event, Tally};

/// Seconds between two lines where nobody watches.
const QUIET: Duration = Duration::from_secs(5);
/// What is done sooner needs no bar.
const WORTH_A_BAR: Duration = Duration::from_millis(500);
const STEPS: u64 = 1000;

/// How far a search is, judged by how far the gradient has fallen on a logarithmic scale.
pub struct LearningProgress {
    bar: Option<ProgressBar>,
    begun: Instant,
    said: Instant,
    first_norm: Option<f64>,
    tolerance: f64,
    furthest: f64,
}

impl LearningProgress {
    /// Begins; `tolerance` is where the search is to end.
    pub fn new(tolerance: f64) -> Self {
        let now = Instant::now();
        LearningProgress { bar: None, begun: now, said: now, first_norm: None, tolerance, furthest: 0.0 }
    }

    /// Shows one iteration.
    pub fn show(&mut self, progress: &Progress<'_>) {
        let first = *self.first_norm.get_or_insert(progress.gradient_norm);
        let whole = (first / self.tolerance).ln().max(1e-9);
        let part = ((first / progress.gradient_norm).ln() / whole).clamp(0.0, 1.0);
        self.furthest = self.furthest.max(part);
        let rate = progress.evaluations as f64 / self.begun.elapsed().as_secs_f64().max(1e-9);
        let Progress { iteration, evaluations, objective, gradient_norm, .. } = *progress;
        if self.bar.is_none() && self.begun.elapsed() >= WORTH_A_BAR && io::stderr().is_terminal() {
            // The message is cut to what is left of the line.
            let style = ProgressStyle::with_template("{bar:12} about {eta} to go | {wide_msg}").expect("the template is sound");
            self.bar = Some(ProgressBar::new(STEPS).with_style(style).with_elapsed(self.begun.elapsed()));
        }
        match &self.bar {
            Some(bar) => {
                bar.set_position((self.furthest * STEPS as f64) as u64);
                bar.set_message(format!("log-likelihood {objective:.4}, gradient {gradient_norm:.0e}, {rate:.1}/s"));
            }
            None if self.said.elapsed() >= QUIET => {
                // Before that the gradient has hardly moved, and a forecast would be a guess.
                let forecast = if self.furthest > 0.1 {
                    let left = self.begun.elapsed().as_secs_f64() * (1.0 - self.furthest) / self.furthest;
                    format!(", about {left:.0} s to go")
                } else {
                    String::new()
                };
                eprintln!(
                    "iteration {iteration}, {evaluations} evaluations ({rate:.1}/s), log-likelihood {objective:.6}, \
                     gradient {gradient_norm:.1e}{forecast}"
                );
                self.said = Instant::now();
            }
            None => {}
        }
    }

    /// Clears the bar.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How far an experiment is, in units of work.
pub struct ExperimentProgress {
    bar: Option<ProgressBar>,
    begun: Instant,
    said: Instant,
    kept: usize,
    stage: Option<&'static str>,
}

impl ExperimentProgress {
    /// Nothing runs yet.
    pub fn new() -> Self {
        let now = Instant::now();
        ExperimentProgress { bar: None, begun: now, said: now, kept: 0, stage: None }
    }

    /// Shows what happens.
    pub fn show(&mut self, event: Event) {
        match event {
            Event::Begun { experiment, units, kept } => {
                *self = ExperimentProgress { kept, ..Self::new() };
                let name = experiment.name();
                match kept {
                    0 => eprintln!("{name}: {units} to do"),
                    _ if kept == units => eprintln!("{name}: finished by an earlier run"),
                    _ => eprintln!("{name}: {units} to do, {kept} of them finished by an earlier run"),
                }
                if io::stderr().is_terminal() && kept < units {
                    let template = "{bar:24} {pos} of {len}, {per_sec}, about {eta} to go {wide_msg}";
                    let style = ProgressStyle::with_template(template).expect("the template is sound");
                    let bar = ProgressBar::new(units as u64).with_style(style).with_position(kept as u64);
                    bar.reset_eta();
                    self.bar = Some(bar);
                }
            }
            Event::Progress { experiment, finished, units } => match &self.bar {
                Some(bar) => bar.set_position(finished as u64),
                None if self.said.elapsed() >= QUIET => {
                    let rate = (finished - self.kept) as f64 / self.begun.elapsed().as_secs_f64();
                    let left = (units - finished) as f64 / rate;
                    eprintln!("{}: {finished} of {units} ({rate:.1}/s), about {left:.0} s to go", experiment.name());
                    self.said = Instant::now();
                }
                None => {}
            },
            Event::Stage { experiment, stage, done, all } => {
                let so_far = match (done, all) {
                    (0, _) => String::new(),
                    (done, 0) => format!(", {done} so far"),
                    (done, all) => format!(", {done} of {all}"),
                };
                if let Some(bar) = &self.bar {
                    bar.set_message(format!("{stage}{so_far}"));
                    bar.tick();
                } else if self.stage != Some(stage) || self.said.elapsed() >= QUIET {
                    eprintln!("{}: {stage}{so_far} ({:.0} s)", experiment.name(), self.begun.elapsed().as_secs_f64());
                    self.said = Instant::now();
                }
                self.stage = Some(stage);
            }
            Event::Ended(Tally { experiment, done, seconds, .. }) => {
                if let Some(bar) = self.bar.take() {
                    bar.finish_and_clear();
                }
                if done > 0 {
                    eprintln!("{}: {done} done in {seconds:.1} s", experiment.name());
                }
            }
        }
    }
}

/// How far a list of queries is.
pub struct QueryProgress {
    bar: Option<ProgressBar>,
    begun: Instant,
    said: Instant,
    n: usize,
}

impl QueryProgress {
    /// So many are to be answered.
    pub fn new(n: usize) -> Self {
        let now = Instant::now();
        QueryProgress { bar: None, begun: now, said: now, n }
    }

    /// So many are answered.
    pub fn show(&mut self, answered: usize) {
        if self.bar.is_none() && self.begun.elapsed() >= WORTH_A_BAR && io::stderr().is_terminal() {
            let template = "{bar:24} {pos} of {len} pairs, {per_sec}, about {eta} to go";
            let style = ProgressStyle::with_template(template).expect("the template is sound");
            self.bar = Some(ProgressBar::new(self.n as u64).with_style(style).with_elapsed(self.begun.elapsed()));
        }
        match &self.bar {
            Some(bar) => bar.set_position(answered as u64),
            None if self.said.elapsed() >= QUIET => {
                let rate = answered as f64 / self.begun.elapsed().as_secs_f64();
                eprintln!(
                    "{answered} of {} pairs ({rate:.0}/s), about {:.0} s to go",
                    self.n,
                    (self.n - answered) as f64 / rate
                );
                self.said = Instant::now();
            }
            None => {}
        }
    }

    /// Clears the bar.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
