//! Work that is divided among threads, with results in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use revealed::Work;
use revealed::parallel::beside;

use crate::error::Error;

/// The answers to the questions 0, 1, …, in their order. Each thread has its own scratch. No answer depends on the
/// number of threads.
///
/// # Errors
/// An error of some question. The others are then not asked. Also if the threads cannot be started.
pub(crate) fn in_order<S, T: Send>(
    questions: usize,
    work: &Work,
    scratch: impl Fn() -> Result<S, Error> + Sync,
    answer: impl Fn(&mut S, usize) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let next = AtomicUsize::new(0);
    let answers: Mutex<Vec<(usize, T)>> = Mutex::default();
    let fault: Mutex<Option<Error>> = Mutex::default();
    let all = || -> Result<(), Error> {
        let mut scratch = scratch()?;
        loop {
            let question = next.fetch_add(1, Ordering::Relaxed);
            if question >= questions || fault.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
                return Ok(());
            }
            let found = answer(&mut scratch, question)?;
            answers.lock().unwrap_or_else(PoisonError::into_inner).push((question, found));
        }
    };
    let run = || {
        if let Err(error) = all() {
            fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    };
    beside(work.threads, questions, run)?;
    if let Some(error) = fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_unstable_by_key(|answer| answer.0);
    Ok(answers.into_iter().map(|answer| answer.1).collect())
}
