//! Ctrl-C: once to stop and save, twice to leave at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C (or a polite kill) is remembered and the second one ends the process.
pub fn listen() {
    // Without a handler Ctrl-C ends the process as ever, and files stay whole: nothing to report.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        eprintln!("stopping after this step (Ctrl-C again: at once)");
    });
}

/// Whether the user asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
