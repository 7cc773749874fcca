//! Ctrl-C: once to stop and save, twice to leave at once.

use std::ops::ControlFlow;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::Failure;
use super::notes::status;

static ASKED: AtomicBool = AtomicBool::new(false);
static LISTENING: Once = Once::new();

/// From now on the first Ctrl-C, SIGTERM or SIGHUP is remembered, and the second one ends the process. A signal that the
/// process was told to ignore stays ignored, as `nohup` expects.
pub fn listen() {
    // Without a handler Ctrl-C ends the process as usual, and files stay whole: nothing to report.
    LISTENING.call_once(|| {
        let _ = signals::handle(|| {
            if ASKED.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            status("stopping after this step (press Ctrl-C again to stop at once)");
        });
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

#[cfg(unix)]
mod signals {
    use std::io;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    /// Calls a function, on a thread of its own, for each signal that asks the process to end.
    pub fn handle(asked: impl Fn() + Send + 'static) -> io::Result<()> {
        let ignored = ignored();
        // Where it is not known what is ignored, a hangup is left to the system: it ends the process, or nothing.
        let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| match ignored {
            Some(mask) => mask >> (signal - 1) & 1 == 0,
            None => signal != SIGHUP,
        });
        let mut signals = Signals::new(heard)?;
        let listen = move || signals.forever().for_each(|_| asked());
        std::thread::Builder::new().name("signals".to_string()).spawn(listen).map(drop)
    }

    /// The signals that are ignored, one bit for each, as Linux tells it.
    fn ignored() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/self/status").ok()?;
        let mask = text.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }
}

#[cfg(not(unix))]
mod signals {
    /// Elsewhere Ctrl-C ends the process; files stay whole, and checkpoints are kept.
    pub fn handle(_asked: impl Fn() + Send + 'static) -> std::io::Result<()> {
        Ok(())
    }
}
