//! Progress of learning on stderr: a bar on a terminal, a line every few seconds otherwise.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use revealed::Progress;

/// Seconds between two lines where nobody watches.
const QUIET: Duration = Duration::from_secs(5);
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
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30} {msg} | {elapsed} gone, about {eta} to go");
            ProgressBar::new(STEPS).with_style(style.expect("the template is sound"))
        });
        let now = Instant::now();
        LearningProgress { bar, begun: now, said: now, first_norm: None, tolerance, furthest: 0.0 }
    }

    /// Shows one iteration.
    pub fn show(&mut self, progress: &Progress<'_>) {
        let first = *self.first_norm.get_or_insert(progress.gradient_norm);
        let whole = (first / self.tolerance).ln().max(1e-9);
        let part = ((first / progress.gradient_norm).ln() / whole).clamp(0.0, 1.0);
        self.furthest = self.furthest.max(part);
        let rate = progress.evaluations as f64 / self.begun.elapsed().as_secs_f64().max(1e-9);
        let words = format!(
            "iteration {}, {} evaluations ({rate:.1}/s), log-likelihood {:.6}, gradient {:.1e}",
            progress.iteration, progress.evaluations, progress.objective, progress.gradient_norm
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position((self.furthest * STEPS as f64) as u64);
                bar.set_message(words);
            }
            None if self.said.elapsed() >= QUIET => {
                // Before that the gradient has hardly moved, and a forecast would be a guess.
                let forecast = if self.furthest > 0.1 {
                    let left = self.begun.elapsed().as_secs_f64() * (1.0 - self.furthest) / self.furthest;
                    format!(", about {left:.0} s to go")
                } else {
                    String::new()
                };
                eprintln!("{words}{forecast}");
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
