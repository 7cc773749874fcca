//! Cancels work from outside, in the middle of a step.
//!
//! A [`Watch`](crate::Watch) is asked between the steps of a search. One step of a large problem takes minutes, so its
//! loops ask here, too. The question travels with the work from thread to thread, and no function has to hand it on.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use crate::Error;

/// The units of work between two questions, about a tenth of a millisecond.
const UNITS: usize = 1 << 17;

thread_local! {
    static CURRENT: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// Whether work should end before it is finished. Its loops ask about every millisecond, and then return
/// [`Error::Stopped`]. A search for θ returns the best θ so far, if it has one.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use revealed::{Cancel, Error, PathDistribution, Stop, worlds};
///
/// let asked = Arc::new(AtomicBool::new(true));
/// let flag = Arc::clone(&asked);
/// let cancel = Cancel::when(move || flag.load(Ordering::Relaxed));
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let found = cancel.during(|| PathDistribution::new(&lake.mdp, reward, 100_000, Stop::Anywhere));
/// assert_eq!(found.err(), Some(Error::Stopped));
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Clone)]
pub struct Cancel(Arc<dyn Fn() -> bool + Send + Sync>);

impl Cancel {
    /// Asks this function, from any thread. It should take no more than some nanoseconds.
    pub fn when(asked: impl Fn() -> bool + Send + Sync + 'static) -> Cancel {
        Cancel(Arc::new(asked))
    }

    /// Does work that can be cancelled, on this thread and on those that help it.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        Cancel::set(Some(self.clone()), work)
    }

    /// Fails if the work on this thread should end. Work of other crates that takes long asks this now and then.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn check() -> Result<(), Error> {
        match Cancel::current() {
            Some(cancel) if (cancel.0)() => Err(Error::Stopped),
            _ => Ok(()),
        }
    }

    /// The one that applies to the work on this thread.
    pub(crate) fn current() -> Option<Cancel> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Does work to which this one applies, or none.
    pub(crate) fn set<T>(cancel: Option<Cancel>, work: impl FnOnce() -> T) -> T {
        let _entered = Cancel::enter(cancel);
        work()
    }

    /// From now on this one applies to the work on this thread, or none, until the answer is dropped.
    pub(crate) fn enter(cancel: Option<Cancel>) -> Entered {
        Entered(CURRENT.replace(cancel))
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Cancel").finish_non_exhaustive()
    }
}

/// Puts back what applied before when it is dropped, also after a panic.
#[must_use]
pub(crate) struct Entered(Option<Cancel>);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Counts the work of a loop and asks now and then, so that the question costs nothing.
#[derive(Debug, Default, Clone)]
pub(crate) struct Pace(usize);

impl Pace {
    /// Takes note of some units of work: numbers read, about a nanosecond each.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    #[inline]
    pub(crate) fn spend(&mut self, units: usize) -> Result<(), Error> {
        // A step of a loop that does nothing else is a unit, too.
        self.0 += units.max(1);
        if self.0 < UNITS {
            return Ok(());
        }
        self.0 = 0;
        Cancel::check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::parallel;
    use crate::numeric::threads::Threads;

    #[test]
    fn the_question_follows_the_work_to_other_threads_and_no_further() {
        assert_eq!(Cancel::check(), Ok(()));
        let always = Cancel::when(|| true);
        let never = Cancel::when(|| false);
        let threads = Threads::new(Some(4)).unwrap();
        let ask = || parallel::map(0..64, |_| Cancel::check());
        let inside = always.during(|| {
            let innermost = never.during(|| threads.run(ask));
            assert!(innermost.iter().all(Result::is_ok));
            threads.run(ask)
        });
        assert!(inside.iter().all(|asked| *asked == Err(Error::Stopped)));
        assert!(threads.run(ask).iter().all(Result::is_ok));
        assert_eq!(Cancel::check(), Ok(()));
    }

    #[test]
    fn a_panic_ends_what_applied() {
        let caught = std::panic::catch_unwind(|| Cancel::when(|| true).during(|| std::panic::resume_unwind(Box::new(()))));
        assert!(caught.is_err());
        assert_eq!(Cancel::check(), Ok(()));
    }

    #[test]
    fn a_pace_asks_after_enough_work() {
        Cancel::when(|| true).during(|| {
            let mut pace = Pace::default();
            assert_eq!(pace.spend(UNITS - 1), Ok(()));
            assert_eq!(pace.spend(0), Err(Error::Stopped));
            assert_eq!(pace.spend(1), Ok(()));
        });
    }
}
