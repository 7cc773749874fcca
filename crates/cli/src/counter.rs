//! Progress on stderr of work in equal parts: a bar on a terminal, a line every few seconds otherwise.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Seconds between two lines where nobody watches.
const QUIET: Duration = Duration::from_secs(5);
/// What is done sooner needs no bar.
const WORTH_A_BAR: Duration = Duration::from_millis(500);

/// How many parts are done.
pub struct Counter {
    what: &'static str,
    bar: Option<ProgressBar>,
    begun: Instant,
    said: Instant,
}

impl Counter {
    /// Begins; `what` says what the parts are.
    pub fn new(what: &'static str) -> Self {
        let now = Instant::now();
        Counter { what, bar: None, begun: now, said: now }
    }

    /// Shows that so many of all are done; with 0, nobody knows how many there are.
    pub fn show(&mut self, done: usize, all: usize) {
        let what = self.what;
        if all == 0 {
            return self.show_rate(done);
        }
        if self.bar.is_none() && self.begun.elapsed() >= WORTH_A_BAR && io::stderr().is_terminal() {
            let template = format!("{{bar:24}} {what}: {{pos}} of {{len}}, {{per_sec}}, about {{eta}} to go");
            let style = ProgressStyle::with_template(&template).expect("the template is sound");
            self.bar = Some(ProgressBar::new(all as u64).with_style(style).with_elapsed(self.begun.elapsed()));
        }
        match &self.bar {
            Some(bar) => bar.set_position(done as u64),
            None if self.said.elapsed() >= QUIET => {
                let seconds = self.begun.elapsed().as_secs_f64();
                let left = seconds * all.saturating_sub(done) as f64 / done.max(1) as f64;
                eprintln!("{what}: {done} of {all} ({:.1}/s), about {left:.0} s to go", done as f64 / seconds);
                self.said = Instant::now();
            }
            None => {}
        }
    }

    fn show_rate(&mut self, done: usize) {
        let what = self.what;
        if self.bar.is_none() && self.begun.elapsed() >= WORTH_A_BAR && io::stderr().is_terminal() {
            let template = format!("{{spinner}} {{pos}} {what}, {{per_sec}}");
            let style = ProgressStyle::with_template(&template).expect("the template is sound");
            self.bar = Some(ProgressBar::no_length().with_style(style).with_elapsed(self.begun.elapsed()));
        }
        match &self.bar {
            Some(bar) => bar.set_position(done as u64),
            None if self.said.elapsed() >= QUIET => {
                eprintln!("{done} {what} ({:.0}/s)", done as f64 / self.begun.elapsed().as_secs_f64());
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
