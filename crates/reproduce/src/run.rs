//! Runs experiments: what is missing is done, what is finished is kept, and the report is written.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use crate::Settings;
use crate::error::Error;
use crate::experiment::Experiment;
use crate::plan::{Plan, Recipe};
use crate::report;
use crate::section::Section;
use crate::store::{Finished, State, Store};

/// How a caller follows a run, and how it stops one. Both are called from any thread.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Is told what happens.
    pub tell: &'a (dyn Fn(Event) + Sync),
    /// Says whether to stop after the units at hand.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// What happens in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// An experiment begins.
    Begun {
        /// Which.
        experiment: Experiment,
        /// Its units of work.
        units: usize,
        /// Those that an earlier run finished.
        kept: usize,
    },
    /// One more unit is finished.
    Progress {
        /// Of which experiment.
        experiment: Experiment,
        /// Units finished, those of earlier runs included.
        finished: usize,
        /// All units.
        units: usize,
    },
    /// A part of a unit that takes long is so far.
    Stage {
        /// Of which experiment.
        experiment: Experiment,
        /// Which part, in a word or two.
        stage: &'static str,
        /// Done of it.
        done: usize,
        /// All of it; 0 where nobody knows.
        all: usize,
    },
    /// An experiment ends, finished or not.
    Ended(Tally),
}

/// What a unit may look at besides its own case.
pub(crate) struct Context<'a> {
    pub settings: &'a Settings,
    /// The folder of results.
    pub folder: &'a Path,
    pub watch: &'a Watch<'a>,
}

/// What was done of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Which experiment.
    pub experiment: Experiment,
    /// Its units of work.
    pub units: usize,
    /// Those that an earlier run finished.
    pub kept: usize,
    /// Those that this run finished.
    pub done: usize,
    /// The time that this run took for them.
    pub seconds: f64,
}

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    /// What was done, experiment by experiment.
    pub tallies: Vec<Tally>,
    /// What all finished experiments in the folder say, in the order of the paper.
    pub sections: Vec<(Experiment, Section)>,
    /// Experiments that were not asked for and whose results in the folder cannot be read: the report does without them.
    pub left_out: Vec<(Experiment, Error)>,
    /// The experiment that was stopped, if one was. What is finished is kept: the same call goes on from there.
    pub unfinished: Option<Tally>,
    /// The report.
    pub index: PathBuf,
}

/// Runs experiments and writes everything to a folder. With `fresh`, what the folder has of them is done again.
///
/// # Errors
/// If the folder cannot be written to or has results of other settings (said before any work is done), or a setting
/// leaves nothing to do.
pub fn run(
    experiments: &[Experiment],
    settings: &Settings,
    folder: &Path,
    fresh: bool,
    watch: &Watch<'_>,
) -> Result<Outcome, Error> {
    for (setting, value, most) in [("--repeats", settings.repeats, 100_000), ("--threads", settings.threads, 1024)] {
        match value {
            Some(0) => return Err(Error::Zero { setting }),
            Some(value) if value > most => return Err(Error::TooMany { setting, value, most }),
            _ => {}
        }
    }
    if let Some(missing) = experiments.iter().find_map(|experiment| experiment.missing(settings)) {
        return Err(Error::Missing(missing));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.threads.unwrap_or(0)).build()?;
    let store = Store::open(folder)?;
    let mut experiments = experiments.to_vec();
    experiments.sort();
    experiments.dedup();
    let jobs = experiments.into_iter().map(|experiment| Job::new(experiment, settings, &store, fresh));
    let jobs = jobs.collect::<Result<Vec<Job>, Error>>()?;

    let mut tallies = Vec::new();
    let mut unfinished = None;
    for job in jobs {
        let context = Context { settings, folder, watch };
        let tally = job.run(&store, &pool, &context)?;
        (watch.tell)(Event::Ended(tally));
        tallies.push(tally);
        if tally.kept + tally.done < tally.units {
            unfinished = Some(tally);
            break;
        }
    }
    let asked: Vec<Experiment> = tallies.iter().map(|tally| tally.experiment).collect();
    let (sections, left_out) = sections(&store, &asked)?;
    let index = report::write(&store, &sections)?;
    Ok(Outcome { tallies, sections, left_out, unfinished, index })
}

/// An experiment that is asked for.
struct Job {
    experiment: Experiment,
    plan: Plan,
    recipe: Recipe,
    /// `None` where everything is finished.
    begun: Option<Finished>,
    /// Whether what is there is to be done again.
    fresh: bool,
}

impl Job {
    fn new(experiment: Experiment, settings: &Settings, store: &Store, fresh: bool) -> Result<Job, Error> {
        let plan = experiment.plan(settings);
        let recipe = plan.recipe(experiment.name(), settings);
        if fresh {
            return Ok(Job { experiment, plan, recipe, begun: Some(Finished::new()), fresh });
        }
        let begun = match store.state(&recipe)? {
            // Damaged results are better refused now than after the work.
            State::Finished => store.results(&plan, &recipe).map(|_| None)?,
            State::Begun(finished) => Some(finished),
        };
        Ok(Job { experiment, plan, recipe, begun, fresh })
    }

    fn run(self, store: &Store, pool: &rayon::ThreadPool, context: &Context<'_>) -> Result<Tally, Error> {
        let watch = context.watch;
        let Job { experiment, plan, recipe, begun, fresh } = self;
        if fresh {
            store.clear(experiment.name())?;
            experiment.forget(store.folder())?;
        }
        let units = plan.units();
        let kept = begun.as_ref().map_or(units, Finished::len);
        (watch.tell)(Event::Begun { experiment, units, kept });
        let clock = Instant::now();
        let tally = |done| Tally { experiment, units, kept, done, seconds: clock.elapsed().as_secs_f64() };
        let Some(mut finished) = begun else { return Ok(tally(0)) };

        let journal = store.journal(&recipe, &finished)?;
        let count = AtomicUsize::new(kept);
        let missing: Vec<usize> = (0..units).filter(|unit| !finished.contains_key(unit)).collect();
        let work = |&index: &usize| {
            if (watch.stop)() {
                return Ok(None);
            }
            let rows = match experiment.work(&plan.unit(&recipe, index), context) {
                Err(Error::Stopped) => return Ok(None),
                rows => rows?,
            };
            journal.add(index, &rows)?;
            let finished = count.fetch_add(1, Ordering::Relaxed) + 1;
            (watch.tell)(Event::Progress { experiment, finished, units });
            Ok(Some((index, rows)))
        };
        let done: Vec<_> = match plan.alone {
            true => missing.iter().map(work).collect::<Result<_, Error>>()?,
            // One unit at a time for each thread: units differ in length, and any of them may be the last.
            false => pool.install(|| missing.par_iter().with_max_len(1).map(work).collect::<Result<_, Error>>())?,
        };
        finished.extend(done.into_iter().flatten());
        if finished.len() == units {
            store.finish(&plan, &recipe, &finished)?;
        }
        Ok(tally(finished.len() - kept))
    }
}

/// What experiments say, in the order of the paper.
type Sections = Vec<(Experiment, Section)>;

/// What every finished experiment in the folder says, also those of earlier runs; and those that cannot be read, unless they were
/// asked for.
fn sections(store: &Store, asked: &[Experiment]) -> Result<(Sections, Vec<(Experiment, Error)>), Error> {
    let (mut sections, mut left_out) = (Vec::new(), Vec::new());
    for experiment in Experiment::ALL {
        match section(store, experiment) {
            Ok(section) => sections.extend(section.map(|section| (experiment, section))),
            Err(error) if asked.contains(&experiment) => return Err(error),
            Err(error) => left_out.push((experiment, error)),
        }
    }
    Ok((sections, left_out))
}

/// What one experiment says, if it is finished.
fn section(store: &Store, experiment: Experiment) -> Result<Option<Section>, Error> {
    let plan = experiment.plan(&Settings::default());
    // Results of an older version of an experiment cannot be read by the new one.
    let Some(recipe) = store.recipe(experiment.name())?.filter(|recipe| recipe.version == plan.version) else {
        return Ok(None);
    };
    let State::Finished = store.state(&recipe)? else { return Ok(None) };
    let results = store.results(&plan, &recipe)?;
    experiment.section(&recipe, &results, store.folder()).map(Some)
}
