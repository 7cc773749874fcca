//! Runs experiments: it does what is missing, keeps what is finished, and writes the report.
//!
//! It is the last room and may use all others. Begin with [`run`]; `job.rs` does the units of one experiment.

mod job;

use std::path::{Path, PathBuf};

use revealed::{Cancel, Threads, Watch};

use self::job::Job;
use crate::error::Error;
use crate::folder::{Standing, Store};
use crate::report::{self, Section};
use crate::work::{Context, Experiment, Settings, Tally};

/// The outcome of a run.
#[derive(Debug)]
pub struct Outcome {
    /// What was done, experiment by experiment.
    pub tallies: Vec<Tally>,
    /// What all finished experiments in the folder show, in the order of the paper.
    pub sections: Vec<(Experiment, Section)>,
    /// Experiments that were not asked for and whose results in the folder cannot be read. The report does not have
    /// them.
    pub left_out: Vec<(Experiment, Error)>,
    /// The experiment that was stopped, if one was. Finished units are kept: the same call continues from there.
    pub unfinished: Option<Tally>,
    /// The report.
    pub index: PathBuf,
}

/// Runs experiments and writes everything to a folder. With `fresh`, it replaces their results in the folder.
///
/// The watch receives a [`Step::Parts`](revealed::Step::Parts) with the name of each experiment when it starts and
/// after each unit, and a [`Step::Stage`](revealed::Step::Stage) within a long unit. A run that is cancelled finishes
/// the units that it has begun, unless they can stop earlier themselves.
///
/// # Errors
/// If the folder cannot be written to or has results of other settings, or a setting is out of range. That is checked
/// before any work is done.
pub fn run(
    experiments: &[Experiment],
    settings: &Settings,
    folder: &Path,
    fresh: bool,
    watch: &Watch<'_>,
) -> Result<Outcome, Error> {
    check(experiments, settings)?;
    let threads = Threads::new(settings.threads).map_err(Error::Threads)?;
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
        let tally = job.run(&store, &threads, &context)?;
        store.note(&tally, settings.commit.as_deref())?;
        tallies.push(tally);
        if tally.kept + tally.done < tally.units {
            unfinished = Some(tally);
            break;
        }
    }
    let asked: Vec<Experiment> = tallies.iter().map(|tally| tally.experiment).collect();
    // The report is written after a run that was cancelled, too.
    let (sections, left_out, index) = Cancel::when(|| false).during(|| {
        let (sections, left_out) = sections(&store, &asked)?;
        let index = report::write(&store, &sections)?;
        Ok::<_, Error>((sections, left_out, index))
    })?;
    Ok(Outcome { tallies, sections, left_out, unfinished, index })
}

/// Refuses settings that cannot be used, and experiments whose files do not exist.
fn check(experiments: &[Experiment], settings: &Settings) -> Result<(), Error> {
    for (setting, value, most) in [("--repeats", settings.repeats, 100_000), ("--threads", settings.threads, 1024)] {
        match value {
            Some(0) => return Err(Error::Zero { setting }),
            Some(value) if value > most => return Err(Error::TooMany { setting, value, most }),
            _ => {}
        }
    }
    let missing = experiments.iter().find_map(|experiment| experiment.missing(settings));
    missing.map_or(Ok(()), |missing| Err(Error::Missing(missing)))
}

/// What experiments show, in the order of the paper.
type Sections = Vec<(Experiment, Section)>;

/// What every finished experiment in the folder shows, including those of earlier runs, and the experiments whose
/// results cannot be read. That is an error for an experiment that was asked for.
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

/// What an experiment shows, if it is finished.
fn section(store: &Store, experiment: Experiment) -> Result<Option<Section>, Error> {
    let plan = experiment.plan(&Settings::default());
    // Results of an older version of an experiment cannot be read by the new one.
    let Some(recipe) = store.recipe(experiment.name())?.filter(|recipe| recipe.version == plan.version) else {
        return Ok(None);
    };
    let Standing::Finished = store.standing(&recipe)? else { return Ok(None) };
    let results = store.results(&plan, &recipe)?;
    experiment.section(&recipe, &results, store.folder()).map(Some)
}
