//! Ctrl-C: once to stop and save, twice to leave at once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::Failure;

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C (or SIGTERM) is remembered, and the second one ends the process.
pub fn listen() {
    // Without a handler Ctrl-C ends the process as usual, and files stay whole: nothing to report.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        eprintln!("stopping after this step (press Ctrl-C again to stop at once)");
    });
}

/// Whether the user asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// The answer to work that reports its steps: go on, unless the user asked to stop.
pub fn flow() -> ControlFlow<()> {
    if asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Fails if the user asked to stop. `left` says what is left of the work.
pub fn check(left: impl FnOnce() -> String) -> Result<(), Failure> {
    if asked() { Err(Failure::Interrupted(left())) } else { Ok(()) }
}
