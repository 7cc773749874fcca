//! Timing on a noisy machine: the fastest of several runs.

use std::fmt::Write;
use std::time::Instant;

use revealed::worlds::World;
use revealed::{Demonstrations, Error, Likelihood, Mdp, Options, Trajectory, Work};

/// The seconds that `work` takes.
pub fn seconds(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64()
}

/// The fastest of several runs.
pub fn fastest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// One demonstration of one state: the gradient costs the same for any set of demonstrations.
pub fn some_demonstration(mdp: &Mdp) -> Result<Demonstrations, Error> {
    Demonstrations::new(mdp, &[Trajectory::new(vec![mdp.start()[0].0], Vec::new())])
}

/// The engine on a world, prepared for timing.
pub fn likelihood<'a>(
    world: &'a World,
    demos: &Demonstrations,
    horizon: usize,
    threads: usize,
) -> Result<Likelihood<'a>, Error> {
    let options = Options { horizon: Some(horizon.into()), work: Work::on(threads), ..Options::default() };
    Likelihood::new(&world.mdp, &world.features, demos, &options)
}

/// A time in seconds, milliseconds or microseconds, with three digits.
pub fn shown(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "µs"),
    };
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}

/// A Markdown table.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}
