//! One experiment of a run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use revealed::Step;

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
    pub fn run(self, store: &Store, pool: &rayon::ThreadPool, context: &Context<'_, '_>) -> Result<Tally, Error> {
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
        let done = self.do_missing(begun, &journal, pool, context)?;
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
        pool: &rayon::ThreadPool,
        context: &Context<'_, '_>,
    ) -> Result<FinishedUnits, Error> {
        let (experiment, units) = (self.experiment, self.plan.units());
        let count = AtomicUsize::new(begun.len());
        let work = |&index: &usize| {
            if context.watch.is_stopped() {
                return Ok(None);
            }
            let rows = match experiment.work(&self.plan.unit(&self.recipe, index), context) {
                Err(Error::Stopped) => return Ok(None),
                rows => rows?,
            };
            journal.add(index, &rows)?;
            let finished = count.fetch_add(1, Ordering::Relaxed) + 1;
            let _ = context.watch.tell(&Step::Parts { what: experiment.name(), done: finished, all: units });
            Ok(Some((index, rows)))
        };
        let missing: Vec<usize> = (0..units).filter(|unit| !begun.contains_key(unit)).collect();
        let done: Vec<Option<_>> = match self.plan.alone {
            true => missing.iter().map(work).collect::<Result<_, Error>>()?,
            // One unit at a time for each thread: units differ in length, and any of them may be the last.
            false => pool.install(|| missing.par_iter().with_max_len(1).map(work).collect::<Result<_, Error>>())?,
        };
        Ok(done.into_iter().flatten().collect())
    }
}
