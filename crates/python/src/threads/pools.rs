//! The pools of threads: those in use, and the last of each depth of callbacks, in each process.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use revealed::{Error, MOST_THREADS, parallel};

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

/// The pool with the given number of threads; by default one for each core, or as many as can be had. Whoever uses it
/// holds it: a pool that nobody holds ends when another number of threads is asked for.
pub fn pool(threads: Option<usize>) -> PyResult<Arc<ThreadPool>> {
    let wanted = threads.unwrap_or_else(parallel::cores);
    if !(1..=MOST_THREADS).contains(&wanted) {
        let message = format!("threads is {wanted}: it must be between 1 and {MOST_THREADS}");
        return Err(PyValueError::new_err(message));
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.as_ref().is_none_or(|pools| pools.process != process) {
        // The pools of the parent are leaked: dropping them would reach for threads that do not exist.
        std::mem::forget(pools.replace(Pools { process, by_kind: HashMap::new() }));
    }
    let depth = CALLBACKS.get();
    let by_kind = &mut pools.as_mut().expect("just made").by_kind;
    if let Some(pool) = by_kind.get(&(wanted, depth)) {
        return Ok(Arc::clone(pool));
    }
    // Their threads end when they have nothing to do; nobody waits for them. They are ended first, so that there is
    // room for the new ones.
    by_kind.retain(|_, pool| Arc::strong_count(pool) > 1);
    let made = Arc::new(match threads {
        Some(threads) => make(threads),
        None => make_some(wanted),
    }?);
    by_kind.insert((wanted, depth), Arc::clone(&made));
    Ok(made)
}

fn make(threads: usize) -> PyResult<ThreadPool> {
    let name = |thread| format!("revealed-{thread}");
    let made = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    made.map_err(|cause| PyRuntimeError::new_err(Error::Threads { threads, cause: cause.to_string() }.to_string()))
}

/// As many threads as can be had.
fn make_some(most: usize) -> PyResult<ThreadPool> {
    match make(most) {
        Err(_) if most > 1 => make_some(most / 2),
        made => made,
    }
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
