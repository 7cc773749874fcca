//! The threads on which a computation runs.

use std::sync::Arc;

use crate::Error;

/// The largest number of threads that can be requested.
pub const MOST_THREADS: usize = 1024;

/// A separate pool of threads, or the threads of the caller. Any number of threads gives the same bits.
#[derive(Debug, Clone)]
pub(crate) struct Threads(Option<Arc<rayon::ThreadPool>>);

impl Threads {
    /// A pool of `threads` threads; with `None`, the threads of the caller.
    ///
    /// # Errors
    /// If the number is out of range, or the operating system cannot start the threads.
    pub fn new(threads: Option<usize>) -> Result<Threads, Error> {
        let Some(threads) = threads else { return Ok(Threads(None)) };
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(Error::Count { what: "the number of threads", value: threads, least: 1, most: MOST_THREADS });
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|cause| Error::Threads { threads, cause: cause.to_string() })?;
        Ok(Threads(Some(Arc::new(pool))))
    }

    /// Runs the work on these threads.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Runs large work on these threads and small work in place: handing a small problem to another thread costs more
    /// than solving it.
    pub fn run_if<T: Send>(&self, large: bool, work: impl FnOnce() -> T + Send) -> T {
        if large { self.run(work) } else { work() }
    }
}
