//! Where the engine works: on threads of ours, so that Python's other threads go on, Ctrl-C is heard, and a fork is survived.

use std::any::Any;
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// How long Ctrl-C may go unheard.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);
/// About half a millisecond of work.
const SMALL: usize = 50_000;
const MOST_THREADS: usize = 1024;

/// The pools, and the process that they belong to: a fork copies the memory and not the threads.
struct Pools {
    process: u32,
    by_kind: HashMap<Kind, Arc<ThreadPool>>,
}

/// How many threads, and how deep within callbacks. Work that waits for a callback keeps its thread, so what the callback asks for
/// needs others.
type Kind = (usize, usize);

thread_local! {
    /// How many callbacks this thread is in.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    if !(1..=MOST_THREADS).contains(&threads) {
        let message = format!("threads is {threads}: it must be between 1 and {MOST_THREADS}");
        return Err(PyValueError::new_err(message));
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.as_ref().is_none_or(|pools| pools.process != process) {
        // Those of the parent are forgotten: dropping them would wait for threads that are not there.
        std::mem::forget(pools.replace(Pools { process, by_kind: HashMap::new() }));
    }
    let kind = (threads, DEPTH.get());
    let by_kind = &mut pools.as_mut().expect("just made").by_kind;
    if let Some(pool) = by_kind.get(&kind) {
        return Ok(Arc::clone(pool));
    }
    let name = |thread| format!("revealed-{thread}");
    let made = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    let made = Arc::new(made.map_err(|cause| PyRuntimeError::new_err(format!("no {threads} threads: {cause}")))?);
    by_kind.insert(kind, Arc::clone(&made));
    Ok(made)
}

/// The next caller gets new threads: these are busy with work that nobody waits for any more.
fn abandon(pool: &Arc<ThreadPool>) {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pools) = pools.as_mut() {
        pools.by_kind.retain(|_, one| !Arc::ptr_eq(one, pool));
    }
}

enum News<S, T> {
    Step(S, SyncSender<ControlFlow<()>>),
    Done(Result<T, Box<dyn Any + Send>>),
}

/// What work uses to tell the thread that asked for it how it stands.
pub struct Asker<S, T> {
    news: Sender<News<S, T>>,
    gone: Arc<AtomicBool>,
}

impl<S, T> Asker<S, T> {
    /// Tells, and waits for what is to be done.
    pub fn tell(&self, step: S) -> ControlFlow<()> {
        let (reply, answer) = sync_channel(1);
        if self.news.send(News::Step(step, reply)).is_err() {
            return ControlFlow::Break(());
        }
        answer.recv().unwrap_or(ControlFlow::Break(()))
    }

    /// Whether nobody waits any more.
    pub fn gone(&self) -> ControlFlow<()> {
        if self.gone.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Runs work and waits for it. Ctrl-C raises at once; what cannot be stopped in the middle is then finished unheard.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    run_watched(py, threads, |_: &Asker<(), T>| work(), |_, ()| Ok(false))
}

/// Runs work that takes less than a millisecond where it stands, and other work as [`run`]: handing it over takes as long as solving a
/// small problem. `size` is the number of transitions times the horizon; problems as small as this are solved by one thread.
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

/// The same for work that tells of its steps. `told` hears of them in the thread that asked, and ends the work with true; what it
/// raises is raised.
pub fn run_watched<S: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Asker<S, T>) -> T + Send + 'static,
    mut told: impl FnMut(Python<'_>, S) -> PyResult<bool>,
) -> PyResult<T> {
    let pool = pool(threads)?;
    let gone = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = channel();
    let asker = Asker { news: sender.clone(), gone: Arc::clone(&gone) };
    pool.spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&asker)));
        // Nobody may be listening any more.
        let _ = sender.send(News::Done(done));
    });
    loop {
        let news;
        (news, receiver) = py.detach(move || wait(receiver));
        let heard = match news {
            Ok(News::Done(Ok(answer))) => return Ok(answer),
            Ok(News::Done(Err(panic))) => return Err(failed(panic.as_ref())),
            Ok(News::Step(step, reply)) => deeper(|| told(py, step)).and_then(|stop| {
                py.check_signals()?;
                // It waits for this.
                let _ = reply.send(if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
                Ok(())
            }),
            Err(RecvTimeoutError::Timeout) => py.check_signals(),
            Err(RecvTimeoutError::Disconnected) => Err(PyRuntimeError::new_err("the engine's threads are gone")),
        };
        if let Err(error) = heard {
            gone.store(true, Ordering::Relaxed);
            abandon(&pool);
            return Err(error);
        }
    }
}

/// Runs a callback, and what it asks the engine for on threads of its own.
fn deeper<T>(callback: impl FnOnce() -> T) -> T {
    DEPTH.set(DEPTH.get() + 1);
    let answer = callback();
    DEPTH.set(DEPTH.get() - 1);
    answer
}

type Heard<S, T> = (Result<News<S, T>, RecvTimeoutError>, Receiver<News<S, T>>);

fn wait<S, T>(receiver: Receiver<News<S, T>>) -> Heard<S, T> {
    (receiver.recv_timeout(BETWEEN_SIGNALS), receiver)
}

fn failed(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    PyRuntimeError::new_err(format!("the engine failed, which is a bug in revealed: {}", text.unwrap_or("no message")))
}
