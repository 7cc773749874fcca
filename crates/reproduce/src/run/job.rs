//! One experiment of a run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use revealed::parallel::beside;
use revealed::{Cancel, Step, Threads};

use crate::error::Error;
use crate::folder::{FinishedUnits, Journal, Standing, Store};
use crate::work::{Context, Experiment, Plan, Recipe, Settings, Tally};

/// An experiment that is asked for.
pub(super) struct Job {
    experiment: Experiment,
    plan: Plan,
    recipe: Recipe,
    /// `None` where everything is finished.
    begun: Option<FinishedUnits>,
    /// Whether to replace what is there.
    fresh: bool,
}

impl Job {
    /// The experiment with what the folder has of it.
    pub fn new(experiment: Experiment, settings: &Settings, store: &Store, fresh: bool) -> Result<Job, Error> {
        let plan = experiment.plan(settings);
        let recipe = plan.recipe(experiment.name(), settings);
        if fresh {
            return Ok(Job { experiment, plan, recipe, begun: Some(FinishedUnits::new()), fresh });
        }
        let begun = match store.standing(&recipe)? {
            // Damaged results are refused before any work is done.
            Standing::Finished => store.results(&plan, &recipe).map(|_| None)?,
            Standing::Begun(finished) => Some(finished),
        };
        Ok(Job { experiment, plan, recipe, begun, fresh })
    }

    /// Does the units that are missing, until all are done or the run is stopped.
    pub fn run(self, store: &Store, threads: &Threads, context: &Context<'_, '_>) -> Result<Tally, Error> {
        if self.fresh {
            store.clear(self.experiment.name())?;
            self.experiment.forget(store.folder())?;
        }
        let (experiment, units) = (self.experiment, self.plan.units());
        let kept = self.begun.as_ref().map_or(units, FinishedUnits::len);
        let _ = context.watch.tell(&Step::Parts { what: experiment.name(), done: kept, all: units });
        let clock = Instant::now();
        let tally = |done| Tally { experiment, units, kept, done, seconds: clock.elapsed().as_secs_f64() };
        let Some(begun) = &self.begun else { return Ok(tally(0)) };

        let journal = store.journal(&self.recipe, begun)?;
        let done = self.do_missing(begun, &journal, threads, context)?;
        let mut finished = begun.clone();
        finished.extend(done);
        if finished.len() == units {
            store.finish(&self.plan, &self.recipe, &finished)?;
        }
        Ok(tally(finished.len() - kept))
    }

    /// Does the units that are not finished, and adds each to the journal.
    fn do_missing(
        &self,
        begun: &FinishedUnits,
        journal: &Journal,
        threads: &Threads,
        context: &Context<'_, '_>,
    ) -> Result<FinishedUnits, Error> {
        let (experiment, units) = (self.experiment, self.plan.units());
        let count = AtomicUsize::new(begun.len());
        let work = |&index: &usize| {
            if context.watch.is_stopped() {
                return Ok(None);
            }
            let rows = match experiment.work(&self.plan.unit(&self.recipe, index), context) {
                Err(error) if error.is_stopped() => return Ok(None),
                rows => rows?,
            };
            // Something within may have been cancelled and left out.
            if Cancel::check().is_err() {
                return Ok(None);
            }
            journal.add(index, &rows)?;
            let finished = count.fetch_add(1, Ordering::Relaxed) + 1;
            let _ = context.watch.tell(&Step::Parts { what: experiment.name(), done: finished, all: units });
            Ok(Some((index, rows)))
        };
        let missing: Vec<usize> = (0..units).filter(|unit| !begun.contains_key(unit)).collect();
        let done: Vec<Option<_>> = match self.plan.alone {
            true => missing.iter().map(work).collect::<Result<_, Error>>()?,
            false => feed(threads, context.settings.threads, &missing, work)?,
        };
        Ok(done.into_iter().flatten().collect())
    }
}

/// Does the work on each item on some threads, as many items at once as there are threads. Items differ in length, and any of
/// them may be the last.
///
/// A parallel iterator would not do. A thread of a pool that waits for another pool, such as that of a fit, takes
/// further items meanwhile, one inside the other, until its stack is full.
fn feed<I: Sync, T: Send>(
    threads: &Threads,
    number: Option<usize>,
    items: &[I],
    work: impl Fn(&I) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<Result<T, Error>>> = Mutex::default();
    let some = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = threads.run(|| work(item));
            if result.is_err() {
                next.store(items.len(), Ordering::Relaxed);
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).push(result);
        }
    };
    beside(number, items.len(), some).map_err(Error::Threads)?;
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a parallel iterator, the stack is full after some hundred items.
    #[test]
    fn work_that_waits_for_another_pool_does_not_pile_up() {
        let pool = |threads| Threads::new(Some(threads)).unwrap();
        let (outer, items) = (pool(2), (0..20_000).collect::<Vec<u64>>());
        let (depth, deepest) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let inner = pool(2);
        let done = feed(&outer, Some(2), &items, |&item| {
            deepest.fetch_max(depth.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let twice = inner.run(|| 2 * item);
            depth.fetch_sub(1, Ordering::SeqCst);
            Ok(twice)
        });
        let mut done = done.unwrap();
        done.sort_unstable();
        assert_eq!(done, items.iter().map(|item| 2 * item).collect::<Vec<_>>());
        assert!(deepest.load(Ordering::SeqCst) <= 2, "{deepest:?}");
    }

    #[test]
    fn the_first_error_ends_the_work() {
        const ALL: usize = 100_000;
        let pool = Threads::new(Some(2)).unwrap();
        let begun = AtomicUsize::new(0);
        let found = feed(&pool, Some(2), &(0..ALL).collect::<Vec<usize>>(), |&item| {
            begun.fetch_add(1, Ordering::Relaxed);
            if item == 10 { Err(Error::Stopped) } else { Ok(item) }
        });
        assert!(matches!(found, Err(Error::Stopped)) && begun.load(Ordering::Relaxed) < ALL);
    }
}
