//! Runs work on a pool while the calling thread waits without the GIL, checks for Ctrl-C and runs callbacks.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use revealed::Cancel;

use super::pools::{abandon, in_callback, pool};

/// The longest time until Ctrl-C is noticed.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);
/// About half a millisecond of work.
const SMALL: usize = 50_000;

enum News<S, T> {
    Step(S, SyncSender<ControlFlow<()>>),
    Done(Result<T, Box<dyn Any + Send>>),
}

/// The end of the channel that work reports its steps on, to the calling thread.
pub struct Reporter<S, T> {
    news: Sender<News<S, T>>,
    gone: Arc<AtomicBool>,
}

impl<S, T> Reporter<S, T> {
    /// Reports a step, and waits for the answer whether to go on.
    pub fn tell(&self, step: S) -> ControlFlow<()> {
        let (reply, answer) = sync_channel(1);
        if self.news.send(News::Step(step, reply)).is_err() {
            return ControlFlow::Break(());
        }
        answer.recv().unwrap_or(ControlFlow::Break(()))
    }

    /// Reports a step if it is wanted; otherwise only asks whether to go on.
    pub fn tell_if(&self, wanted: bool, step: S) -> ControlFlow<()> {
        if wanted { self.tell(step) } else { self.go_on() }
    }

    /// Whether to go on: no, if the caller was interrupted.
    pub fn go_on(&self) -> ControlFlow<()> {
        if self.gone.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Runs work and waits for it. Ctrl-C raises at once. The work ends soon after, and its result is dropped.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    run_watched(py, threads, |_: &Reporter<(), T>| work(), |_, ()| Ok(false))
}

/// Runs work that takes less than a millisecond on the calling thread, and other work as [`run`]: handing work over
/// takes as long as solving a small problem. `size` is the number of transitions times the horizon; one thread solves
/// small ones.
pub fn run_sized<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    size: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if size > SMALL {
        return run(py, threads, work);
    }
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    done.map_err(|panic| failed(panic.as_ref()))
}

/// Runs work that reports its steps. `told` gets them in the calling thread, and ends the work by returning true; its
/// exceptions are raised.
pub fn run_watched<S: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Reporter<S, T>) -> T + Send + 'static,
    mut told: impl FnMut(Python<'_>, S) -> PyResult<bool>,
) -> PyResult<T> {
    let pool = pool(threads)?;
    let gone = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = channel();
    let reporter = Reporter { news: sender.clone(), gone: Arc::clone(&gone) };
    let asked = Arc::clone(&gone);
    let cancel = Cancel::when(move || asked.load(Ordering::Relaxed));
    pool.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| cancel.during(|| work(&reporter))));
        // The caller may have been interrupted.
        let _ = sender.send(News::Done(done));
    });
    loop {
        let news;
        (news, receiver) = py.detach(move || wait(receiver));
        let heard = match news {
            Ok(News::Done(Ok(answer))) => return Ok(answer),
            Ok(News::Done(Err(panic))) => return Err(failed(panic.as_ref())),
            Ok(News::Step(step, reply)) => in_callback(|| told(py, step)).and_then(|stop| {
                py.check_signals()?;
                // The work waits for this answer.
                let _ = reply.send(if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
                Ok(())
            }),
            Err(RecvTimeoutError::Timeout) => py.check_signals(),
            Err(RecvTimeoutError::Disconnected) => Err(PyRuntimeError::new_err("the engine ended without an answer")),
        };
        if let Err(error) = heard {
            gone.store(true, Ordering::Relaxed);
            abandon(&pool);
            return Err(error);
        }
    }
}

type Heard<S, T> = (Result<News<S, T>, RecvTimeoutError>, Receiver<News<S, T>>);

fn wait<S, T>(receiver: Receiver<News<S, T>>) -> Heard<S, T> {
    (receiver.recv_timeout(BETWEEN_SIGNALS), receiver)
}

fn failed(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    PyRuntimeError::new_err(format!("the engine failed, which is a bug in revealed: {}", text.unwrap_or("no message")))
}
