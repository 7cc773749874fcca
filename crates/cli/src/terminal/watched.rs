//! Long work with a progress bar and Ctrl-C.

use std::ops::ControlFlow;

use revealed::{Step, Watch};

use super::interrupt;
use super::progress_bar::Bar;

/// Does the work under a [`Watch`] that shows its steps and stops it when the user presses Ctrl-C.
pub fn watched<T>(bar: Bar, work: impl FnOnce(&Watch<'_>) -> T) -> T {
    watched_by(bar, |_| ControlFlow::Continue(()), work)
}

/// The same, with a function that receives each step and may stop the work.
pub fn watched_by<T>(
    mut bar: Bar,
    mut other: impl FnMut(&Step<'_>) -> ControlFlow<()> + Send,
    work: impl FnOnce(&Watch<'_>) -> T,
) -> T {
    interrupt::listen();
    let mut hear = |step: &Step<'_>| {
        bar.step(step);
        match other(step) {
            ControlFlow::Continue(()) => interrupt::flow(),
            stop => stop,
        }
    };
    let answer = work(&Watch::new(&mut hear));
    bar.finish();
    answer
}
