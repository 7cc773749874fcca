//! Progress of learning on stderr: a bar on a terminal, a line every few seconds otherwise.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use revealed::Progress;

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
