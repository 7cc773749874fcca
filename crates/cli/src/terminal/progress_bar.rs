//! The progress bar. On a terminal it is a bar with rate and remaining time, for work of more than half a second;
//! elsewhere a line every five seconds.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use revealed::{Progress, Step, ValidationProgress};

use super::notes::status;

/// Work that is done sooner needs no bar.
const BEFORE_A_BAR: Duration = Duration::from_millis(500);
/// Between two lines where stderr is not a terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(5);
/// Before this share is done, the remaining time of a search would be a guess.
const FORECAST_FROM: f64 = 0.1;
/// The resolution of the bar.
const STEPS: u64 = 1000;

/// How much of the work is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Done {
    /// The number of finished units, and the number of all units.
    Of(usize, usize),
    /// The number of finished units; the number of all units is not known.
    Units(usize),
    /// Units that are done, and an estimate of the share of the whole work, from 0 to 1.
    Share(usize, f64),
}

/// Shows how far some work is.
pub struct Bar {
    /// What the work is called; otherwise its steps say what its units are.
    name: Option<String>,
    /// The units of the last step.
    what: String,
    drawn: Option<ProgressBar>,
    begun: Instant,
    said: Instant,
    /// Units that were finished before: they took no time.
    kept: usize,
    search: Search,
}

impl Bar {
    /// The work begins now.
    pub fn new() -> Self {
        let now = Instant::now();
        Bar { name: None, what: String::new(), drawn: None, begun: now, said: now, kept: 0, search: Search::default() }
    }

    /// Work with a name, as in `shortest path: 12 of 40`.
    pub fn named(name: impl Into<String>) -> Self {
        Bar { name: Some(name.into()), ..Bar::new() }
    }

    /// A search that ends when the norm of the gradient is below `tolerance`.
    pub fn of_search(tolerance: f64) -> Self {
        Bar { search: Search { tolerance, ..Search::default() }, ..Bar::new() }
    }

    /// The same work, of which `kept` units were finished by an earlier run.
    pub fn with_kept(self, kept: usize) -> Self {
        Bar { kept, ..self }
    }

    /// Shows one step of the work.
    pub fn step(&mut self, step: &Step<'_>) {
        match *step {
            Step::Iteration(Progress { iteration, evaluations, objective, gradient_norm, .. }) => {
                let share = self.search.share(gradient_norm);
                self.show("evaluations", Done::Share(evaluations, share), || {
                    format!("log-likelihood {objective:.6}, gradient {gradient_norm:.1e}, iteration {iteration}")
                });
            }
            Step::Validation(ValidationProgress { finished, fits, fold, l2, iterations }) => {
                self.show("fits", Done::Of(finished, fits), || format!("l2 {l2}, fold {fold}, iteration {iterations}"));
            }
            Step::Parts { what, done, all: 0 } | Step::Stage { what, done, all: 0 } => {
                self.show(what, Done::Units(done), String::new)
            }
            Step::Parts { what, done, all } | Step::Stage { what, done, all } => {
                self.show(what, Done::Of(done, all), String::new)
            }
        }
    }

    /// Shows how much is done. `what` names the units, and `details` describe the state of the work.
    pub fn show(&mut self, what: &str, done: Done, details: impl FnOnce() -> String) {
        if self.what != what {
            self.begin(what);
        }
        let elapsed = self.begun.elapsed();
        if self.drawn.is_none() && elapsed >= BEFORE_A_BAR && io::stderr().is_terminal() {
            self.drawn = Some(drawn(done));
        }
        let line = || line(self.name.as_deref().unwrap_or(what), done, self.kept, elapsed, &details());
        if let Some(bar) = &self.drawn {
            bar.set_message(line());
            bar.set_position((done.share().unwrap_or(0.0) * STEPS as f64) as u64);
        } else if self.said.elapsed() >= BETWEEN_LINES && !io::stderr().is_terminal() {
            status(line());
            self.said = Instant::now();
        }
    }

    /// Begins the next part of the work, whose units are others.
    fn begin(&mut self, what: &str) {
        if !self.what.is_empty() {
            self.drawn.take().into_iter().for_each(|bar| bar.finish_and_clear());
            self.begun = Instant::now();
        }
        self.what = what.to_string();
    }

    /// Removes the bar from the terminal.
    pub fn finish(self) {
        if let Some(bar) = self.drawn {
            bar.finish_and_clear();
        }
    }
}

/// How far a search is, judged by how far the gradient has fallen on a logarithmic scale.
#[derive(Default)]
struct Search {
    tolerance: f64,
    first_norm: Option<f64>,
    furthest: f64,
}

impl Search {
    fn share(&mut self, gradient_norm: f64) -> f64 {
        let first = *self.first_norm.get_or_insert(gradient_norm);
        let whole = (first / self.tolerance).ln().max(1e-9);
        let part = ((first / gradient_norm).ln() / whole).clamp(0.0, 1.0);
        self.furthest = self.furthest.max(part);
        self.furthest
    }
}

impl Done {
    pub fn units(self) -> usize {
        match self {
            Done::Of(units, _) | Done::Units(units) | Done::Share(units, _) => units,
        }
    }

    fn share(self) -> Option<f64> {
        match self {
            Done::Of(units, all) => Some(units as f64 / all.max(1) as f64),
            Done::Units(_) => None,
            Done::Share(_, share) => Some(share),
        }
    }
}

fn drawn(done: Done) -> ProgressBar {
    // The message is cut to the width of the terminal.
    let template = if done.share().is_some() { "{bar:12} {wide_msg}" } else { "{spinner} {wide_msg}" };
    ProgressBar::new(STEPS).with_style(ProgressStyle::with_template(template).expect("the template is sound"))
}

/// `pairs: 120 of 400 (60.0/s), about 5 s to go; details`
fn line(what: &str, done: Done, kept: usize, elapsed: Duration, details: &str) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let rate = done.units().saturating_sub(kept) as f64 / seconds;
    let mut text = format!("{what}: {}", done.units());
    if let Done::Of(_, all) = done {
        let _ = write!(text, " of {all}");
    }
    let _ = write!(text, " ({rate:.1}/s)");
    let left = match done {
        Done::Of(units, all) => (rate > 0.0).then(|| all.saturating_sub(units) as f64 / rate),
        Done::Units(_) => None,
        Done::Share(_, share) => (share > FORECAST_FROM).then(|| seconds * (1.0 - share) / share),
    };
    if let Some(left) = left {
        let _ = write!(text, ", about {} to go", duration(left));
    }
    if !details.is_empty() {
        let _ = write!(text, "; {details}");
    }
    text
}

/// In a unit that keeps the number short.
fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 600.0 => format!("{seconds:.0} s"),
        seconds if seconds < 36_000.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.0} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_ten_seconds(done: Done, kept: usize, details: &str) -> String {
        line("trips", done, kept, Duration::from_secs(10), details)
    }

    #[test]
    fn a_line_has_the_rate_and_the_remaining_time() {
        assert_eq!(after_ten_seconds(Done::Of(20, 60), 0, ""), "trips: 20 of 60 (2.0/s), about 20 s to go");
        assert_eq!(after_ten_seconds(Done::Of(20, 60), 0, "fold 1"), "trips: 20 of 60 (2.0/s), about 20 s to go; fold 1");
        assert_eq!(after_ten_seconds(Done::Units(35), 0, ""), "trips: 35 (3.5/s)");
        assert_eq!(after_ten_seconds(Done::Share(5, 0.2), 0, ""), "trips: 5 (0.5/s), about 40 s to go");
    }

    #[test]
    fn the_remaining_time_is_not_guessed() {
        assert_eq!(after_ten_seconds(Done::Of(0, 60), 0, ""), "trips: 0 of 60 (0.0/s)");
        assert_eq!(after_ten_seconds(Done::Share(5, 0.05), 0, ""), "trips: 5 (0.5/s)");
    }

    #[test]
    fn what_an_earlier_run_finished_took_no_time() {
        assert_eq!(after_ten_seconds(Done::Of(40, 60), 30, ""), "trips: 40 of 60 (1.0/s), about 20 s to go");
    }

    #[test]
    fn a_search_is_as_far_as_its_gradient_has_fallen() {
        let mut search = Search { tolerance: 1e-8, ..Search::default() };
        assert_eq!(search.share(1.0), 0.0);
        assert!((search.share(1e-4) - 0.5).abs() < 1e-12);
        assert!((search.share(1e-2) - 0.5).abs() < 1e-12, "it does not go back");
        assert_eq!(search.share(1e-9), 1.0);
    }

    #[test]
    fn long_times_are_in_minutes_and_hours() {
        assert_eq!([599.0, 1800.0, 86_400.0].map(duration), ["599 s", "30 min", "24 h"]);
    }
}
