//! On which threads work runs.

use std::sync::Arc;

use crate::Error;

/// The most threads that can be asked for.
pub const MOST_THREADS: usize = 1024;

/// A pool of threads of its own, or the caller's threads. Any number of threads gives the same bits.
#[derive(Debug, Clone)]
pub(crate) struct Threads(Option<Arc<rayon::ThreadPool>>);

impl Threads {
    /// A pool of so many threads; without a number, the caller's.
    ///
    /// # Errors
    /// If there are too few or too many, or the system has none to give.
    pub fn new(threads: Option<usize>) -> Result<Threads, Error> {
        let Some(threads) = threads else { return Ok(Threads(None)) };
        if !(1..=MOST_THREADS).contains(&threads) {
            return Err(Error::Count { what: "the number of threads", value: threads, least: 1, most: MOST_THREADS });
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|cause| Error::Threads { threads, cause: cause.to_string() })?;
        Ok(Threads(Some(Arc::new(pool))))
    }

    /// Does the work there.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Does large work there and small work in place: handing a small problem to another thread costs more than solving it.
    pub fn run_if<T: Send>(&self, large: bool, work: impl FnOnce() -> T + Send) -> T {
        if large { self.run(work) } else { work() }
    }
}
