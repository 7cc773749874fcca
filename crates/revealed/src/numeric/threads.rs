//! The threads on which a computation runs.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::parallel;
use crate::Error;
use crate::cancel::Cancel;

/// The largest number of threads that can be requested.
pub const MOST_THREADS: usize = 1024;

/// The threads for a piece of work. Any number of threads gives the same bits.
#[derive(Debug, Clone)]
pub struct Threads(Kind);

#[derive(Debug, Clone)]
enum Kind {
    /// The thread of the caller alone.
    One,
    /// A separate pool.
    Pool(Arc<ThreadPool>),
    /// The pool of the caller; outside of any pool, that of the process with a thread for each core.
    Cores,
}

/// The pool of a process, and the process: a fork copies the memory but not the threads.
type OfProcess = (u32, Option<Arc<ThreadPool>>);

static CORES: Mutex<Option<OfProcess>> = Mutex::new(None);

impl Default for Threads {
    /// The pool of the caller, and outside of any pool a thread for each core.
    fn default() -> Self {
        Threads(Kind::Cores)
    }
}

impl Threads {
    /// This number of threads; with `None`, the pool of the caller, and outside of any pool a thread for each core.
    ///
    /// One thread is that of the caller. `None` starts nothing yet, and never fails: if the operating system refuses so
    /// many threads, there are fewer.
    ///
    /// # Errors
    /// If the number is out of range, or the operating system cannot start the threads.
    pub fn new(threads: Option<usize>) -> Result<Threads, Error> {
        let Some(threads) = threads else { return Ok(Threads::default()) };
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(Error::Count { what: "the number of threads", value: threads, least: 1, most: MOST_THREADS });
        }
        if threads == 1 {
            return Ok(Threads(Kind::One));
        }
        Ok(Threads(Kind::Pool(Arc::new(pool(threads)?))))
    }

    /// Runs the work on these threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Kind::One => parallel::alone(work),
            Kind::Pool(pool) => install(pool, work),
            Kind::Cores if parallel::is_alone() || rayon::current_thread_index().is_some() => work(),
            Kind::Cores => match cores() {
                Some(pool) => install(&pool, work),
                None => work(),
            },
        }
    }

    /// Runs large work on these threads and small work in place: handing a small problem to another thread costs more
    /// than solving it.
    pub fn run_if<T: Send>(&self, large: bool, work: impl FnOnce() -> T + Send) -> T {
        if large { self.run(work) } else { work() }
    }
}

fn install<T: Send>(pool: &ThreadPool, work: impl FnOnce() -> T + Send) -> T {
    let cancel = Cancel::current();
    pool.install(|| Cancel::set(cancel, work))
}

fn pool(threads: usize) -> Result<ThreadPool, Error> {
    let name = |thread| format!("revealed-{thread}");
    let made = ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
    made.map_err(|cause| Error::Threads { threads, cause: cause.to_string() })
}

/// The pool of this process with a thread for each core, or with as many as can be had. `None` if there is one core, or
/// no thread can be had.
fn cores() -> Option<Arc<ThreadPool>> {
    let mut cores = CORES.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*cores {
        Some((owner, pool)) if *owner == process => pool.clone(),
        _ => {
            let most = Some(parallel::cores());
            let mut fewer = std::iter::successors(most, |threads| Some(threads / 2)).take_while(|&threads| threads > 1);
            let made = fewer.find_map(|threads| pool(threads).ok()).map(Arc::new);
            // A pool of the parent is leaked: dropping it would wait for threads that do not exist.
            std::mem::forget(cores.replace((process, made.clone())));
            made
        }
    }
}
