//! The pools of threads: one for each number of threads and depth of callbacks, in each process.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

const MOST_THREADS: usize = 1024;

/// The pools, and the process that they belong to. A fork copies the memory but not the threads.
struct Pools {
    process: u32,
    by_kind: HashMap<Kind, Arc<ThreadPool>>,
}

/// The number of threads, and the number of callbacks around the work. Work that waits for a callback keeps its thread,
/// so the work of the callback needs others.
type Kind = (usize, usize);

thread_local! {
    /// How many callbacks this thread is in.
    static CALLBACKS: Cell<usize> = const { Cell::new(0) };
}

static POOLS: Mutex<Option<Pools>> = Mutex::new(None);

/// The pool with the given number of threads; by default one for each core.
pub fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    if !(1..=MOST_THREADS).contains(&threads) {
        let message = format!("threads is {threads}: it must be between 1 and {MOST_THREADS}");
        return Err(PyValueError::new_err(message));
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.as_ref().is_none_or(|pools| pools.process != process) {
        // The pools of the parent are leaked: dropping them would wait for threads that do not exist.
        std::mem::forget(pools.replace(Pools { process, by_kind: HashMap::new() }));
    }
    let kind = (threads, CALLBACKS.get());
    let by_kind = &mut pools.as_mut().expect("just made").by_kind;
    if let Some(pool) = by_kind.get(&kind) {
        return Ok(Arc::clone(pool));
    }
    let name = |thread| format!("revealed-{thread}");
    let made = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    let failed = |cause| PyRuntimeError::new_err(format!("a pool of {threads} threads could not be made: {cause}"));
    let made = Arc::new(made.map_err(failed)?);
    by_kind.insert(kind, Arc::clone(&made));
    Ok(made)
}

/// Gives up a pool that is busy with work whose caller was interrupted: the next caller gets new threads.
pub fn abandon(pool: &Arc<ThreadPool>) {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pools) = pools.as_mut() {
        pools.by_kind.retain(|_, one| !Arc::ptr_eq(one, pool));
    }
}

/// Runs a callback. The engine work that it starts gets its own threads.
pub fn in_callback<T>(callback: impl FnOnce() -> T) -> T {
    CALLBACKS.set(CALLBACKS.get() + 1);
    let answer = callback();
    CALLBACKS.set(CALLBACKS.get() - 1);
    answer
}
