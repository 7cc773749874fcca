//! Independent pieces of work at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use revealed::parallel::beside;

use crate::Error;

/// The answers to the pieces 0, 1, …, n - 1, in this order. `done` hears of each piece that is finished.
///
/// # Errors
/// The error of the first piece that has one, or if threads cannot be started.
pub fn several<T: Send>(
    n: usize,
    threads: Option<usize>,
    done: &(dyn Fn() + Sync),
    piece: impl Fn(usize) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= n {
                return;
            }
            let answer = piece(number);
            let failed = answer.is_err();
            found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, answer));
            if failed {
                next.store(n, Ordering::Relaxed);
            }
            done();
        }
    };
    beside(threads, n, work).map_err(Error::Threads)?;
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort_by_key(|row| row.0);
    found.into_iter().map(|row| row.1).collect()
}
