//! From the raw files to paths and models. Each stage is kept in the folder `porto` beside the results.

use std::collections::HashMap;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fs, io};

use revealed::{DEFAULT_MEMORY, Demonstrations, Ends, Horizon, MaxEnt, Options, Step, Stopped, Trajectory, Watch, Work};
use revealed_formats::{Fnv1a, Model, Problem, atomic, demonstrations};
use revealed_roads::matching::match_files;
use revealed_roads::{Area, Extract, Group, MatchOptions, MatchOutputs, Matcher, Network, Roads};
use serde::{Deserialize, Serialize};

use super::VERSION;
use super::case::name;
use super::moved_paths::moved;
use super::reading::Dataset;
use crate::error::Error;
use crate::work::{Context, Settings};

/// The folder of the stages, within that of the results.
pub(super) const FOLDER: &str = "porto";
/// The file that says which raw files and which version the stages in the folder were made from.
const INPUTS: &str = "inputs.txt";
/// How the names of files of the stages begin, besides those of models.
const STAGES: [&str; 8] = ["import", "roads", "matching", "paths", "dropped", "pictures.json", "track-", "reading-"];

/// The number of trips by what became of them.
type Counts = Vec<(String, usize)>;

/// The record of a finished stage.
#[derive(Debug, Serialize, Deserialize)]
struct Finished {
    seconds: f64,
    #[serde(default)]
    counts: Counts,
}

/// The stages of one run.
pub(super) struct Stages<'a, 'w> {
    context: &'a Context<'a, 'w>,
    folder: PathBuf,
}

/// The raw files by name, size and a fingerprint.
pub(super) fn inputs(settings: &Settings) -> String {
    let of = |path: &Path| {
        let name = path.file_name().map(|name| name.to_string_lossy().to_string()).unwrap_or_default();
        match fingerprint(path) {
            Ok((bytes, hash)) => format!("{name} ({bytes} bytes, {hash:016x})"),
            // The stage that reads it reports the error.
            Err(cause) => format!("{name} ({cause})"),
        }
    };
    format!("{}, {}", of(&settings.porto.trips), of(&settings.porto.map))
}

/// The size of a file and a fingerprint. It is read in parts because it may not fit into memory.
fn fingerprint(path: &Path) -> io::Result<(usize, u64)> {
    let (mut file, mut part) = (fs::File::open(path)?, vec![0; 1 << 16]);
    let (mut bytes, mut hash) = (0, Fnv1a::new());
    loop {
        match file.read(&mut part)? {
            0 => return Ok((bytes, hash.value())),
            read => {
                bytes += read;
                hash.write(&part[..read]);
            }
        }
    }
}

/// Forgets the stages that are kept in a folder of results. The files go when the next run begins.
pub(crate) fn forget(folder: &Path) -> Result<(), Error> {
    remove(&folder.join(FOLDER).join(INPUTS))
}

/// Removes the files of older stages. Other files stay.
fn clear(folder: &Path) -> Result<(), Error> {
    remove(&folder.join(INPUTS))?;
    let is_ours = |name: &str| {
        let is_model = name::ALL.iter().any(|model| name.starts_with(&slug(model)) && name.ends_with(".json"));
        is_model || STAGES.iter().any(|stage| name.starts_with(stage))
    };
    for entry in fs::read_dir(folder).map_err(|cause| Error::file(folder, cause))? {
        let entry = entry.map_err(|cause| Error::file(folder, cause))?;
        if is_ours(&entry.file_name().to_string_lossy()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

fn remove(file: &Path) -> Result<(), Error> {
    match fs::remove_file(file) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(Error::file(file, cause)),
        _ => Ok(()),
    }
}

/// A predictor's name as part of a file's.
pub(super) fn slug(name: &str) -> String {
    name.replace(", ", "-").replace(' ', "-").replace('\'', "")
}

impl<'a, 'w> Stages<'a, 'w> {
    pub fn new(context: &'a Context<'a, 'w>) -> Result<Stages<'a, 'w>, Error> {
        let folder = context.folder.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|cause| Error::file(&folder, cause))?;
        let inputs = format!("version {VERSION}: {}", inputs(context.settings));
        let file = folder.join(INPUTS);
        if fs::read_to_string(&file).ok().as_deref() != Some(&inputs) {
            clear(&folder)?;
            atomic::write(&file, |writer| writer.write_all(inputs.as_bytes()))?;
        }
        Ok(Stages { context, folder })
    }

    pub fn work(&self) -> Work {
        Work { threads: self.context.settings.threads, memory: DEFAULT_MEMORY / 2 }
    }

    pub fn is_quick(&self) -> bool {
        self.context.settings.quick
    }

    pub fn options(&self, ends: Ends, horizon: Horizon) -> Options {
        Options { ends, horizon: Some(horizon), work: self.work() }
    }

    fn tell(&self, what: &'static str, done: usize, all: usize) -> ControlFlow<()> {
        self.context.watch.tell(&Step::Stage { what, done, all })
    }

    /// Tells the run of each step as a part of this stage, and stops with the run.
    fn hear(&self, stage: &'static str) -> impl FnMut(&Step<'_>) -> ControlFlow<()> + Send + '_ {
        move |step: &Step<'_>| {
            let iteration = || step.iteration().map(|step| (step.evaluations, 0));
            let (done, all) = step.parts().or_else(iteration).unwrap_or((0, 0));
            self.tell(stage, done, all)
        }
    }

    /// Does work on roads as a stage of this name.
    pub fn watched<T>(
        &self,
        stage: &'static str,
        work: impl FnOnce(&Watch<'_>) -> Result<T, revealed_roads::Error>,
    ) -> Result<T, Error> {
        work(&Watch::new(&mut self.hear(stage))).map_err(|error| match error {
            revealed_roads::Error::Stopped => Error::Stopped,
            error => error.into(),
        })
    }

    /// The record of a stage, if it is finished.
    fn finished(&self, stage: &str) -> Option<Finished> {
        let text = fs::read_to_string(self.folder.join(format!("{stage}.json"))).ok()?;
        serde_json::from_str(&text).ok()
    }

    fn finish(&self, stage: &str, begun: Instant, counts: Counts) -> Result<Finished, Error> {
        let finished = Finished { seconds: begun.elapsed().as_secs_f64(), counts };
        let file = self.folder.join(format!("{stage}.json"));
        atomic::write(&file, |writer| writeln!(writer, "{}", serde_json::to_string_pretty(&finished)?))?;
        Ok(finished)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The tracks whose files exist.
    pub fn tracks(&self) -> impl Iterator<Item = &[PathBuf; 2]> {
        self.context.settings.porto.tracks.iter().filter(|files| files.iter().all(|file| file.is_file()))
    }

    /// The fixes of some trips, by their ids.
    pub fn fixes(&self, ids: &[String]) -> Result<HashMap<String, Vec<[f64; 2]>>, Error> {
        super::pictures::fixes_of(&self.context.settings.porto.trips, ids)
    }

    /// The network, and the time that the import took.
    pub fn network(&self, dataset: Dataset) -> Result<(Roads, Option<f64>), Error> {
        let suffix = dataset.network_suffix();
        let (stage, file) = (format!("import{suffix}"), self.folder.join(format!("roads{suffix}.npz")));
        if let Some(finished) = self.finished(&stage) {
            return Ok((Roads::load(&file)?, Some(finished.seconds)));
        }
        let begun = Instant::now();
        let map = &self.context.settings.porto.map;
        let extract = self.watched("bytes of the map", |watch| Extract::read_watched(map, dataset.service, watch))?;
        let roads = Roads::new(Network::new(&extract, dataset.network())?, &Group::PAPER);
        roads.save(&file)?;
        Ok((roads, Some(self.finish(&stage, begun, Vec::new())?.seconds)))
    }

    /// The paths of the trips, the number of trips by what became of them, and the time that matching took.
    pub fn paths(&self, dataset: Dataset, roads: &Roads) -> Result<(Vec<Trajectory>, Counts, Option<f64>), Error> {
        if dataset.moved {
            let (matched_to, _) = self.network(dataset.matched_to())?;
            let (paths, counts, seconds) = self.paths(dataset.matched_to(), &matched_to)?;
            return Ok((moved(&paths, &matched_to, roads), counts, seconds));
        }
        let suffix = dataset.paths_suffix();
        let (stage, file) = (format!("matching{suffix}"), self.folder.join(format!("paths{suffix}.jsonl")));
        if let Some(finished) = self.finished(&stage) {
            return Ok((demonstrations::load(&file)?, finished.counts, Some(finished.seconds)));
        }
        let begun = Instant::now();
        let options = MatchOptions { area: Some(area(roads)), ..dataset.matching() };
        let matcher = Matcher::new(&roads.network, options)?;
        let trips = &self.context.settings.porto.trips;
        let (work, dropped) = (self.work(), self.folder.join(format!("dropped{suffix}.csv")));
        let outputs = MatchOutputs { paths: &file, details: false, lines: None, dropped: Some(&dropped) };
        let tally = self.watched("matching", |watch| match_files(roads, &matcher, trips, &outputs, &work, watch))?;
        if tally.interrupted {
            return Err(Error::Stopped);
        }
        let mut counts = vec![("trips".to_string(), tally.trips)];
        counts.extend(tally.reasons().map(|(reason, count)| (reason.name().to_string(), count)));
        counts.push(("matched".to_string(), tally.matched));
        let finished = self.finish(&stage, begun, counts)?;
        Ok((demonstrations::load(&file)?, finished.counts, Some(finished.seconds)))
    }
}

/// The paper's circle, or one around the middle of the network if that is another city.
fn area(roads: &Roads) -> Area {
    let nodes = &roads.network.nodes;
    let middle = |value: fn(&revealed_roads::Position) -> f64| {
        let values = || nodes.iter().map(|node| value(&node.position));
        (values().fold(f64::INFINITY, f64::min) + values().fold(f64::NEG_INFINITY, f64::max)) / 2.0
    };
    let centre = revealed_roads::Position { lat: middle(|place| place.lat), lon: middle(|place| place.lon) };
    if Area::PORTO.centre.distance(centre) <= Area::PORTO.radius { Area::PORTO } else { Area { centre, ..Area::PORTO } }
}

/// Learns a model, or reads it from the file of this name if it was learned before. A search that was stopped continues
/// from its last θ.
pub(super) fn learn_watched(
    stages: &Stages<'_, '_>,
    (name, file): (&'static str, &str),
    settings: &MaxEnt,
    problem: &Problem,
    demos: &Demonstrations,
) -> Result<Model, Error> {
    let file = stages.folder.join(format!("{file}.json"));
    let mut settings = settings.clone();
    let digest = problem.digest();
    let of_these = |model: &Model| {
        model.problem_digest.as_ref() == Some(&digest)
            && model.n_demonstrations == Some(demos.len())
            && Some(model.horizon) == settings.options.horizon
    };
    if let Ok(model) = Model::load(&file)
        && of_these(&model)
    {
        if model.stopped_because != Some(Stopped::Interrupted.to_string()) {
            return Ok(model);
        }
        settings.start = Some(model.theta);
    }
    let begun = Instant::now();
    let _ = stages.tell(name, 0, 0);
    let watch = &mut stages.hear(name);
    let fit = settings.fit_watched(&problem.mdp, &problem.features, demos, &Watch::new(watch)).map_err(super::engine)?;
    let model = Model { seconds: Some(begun.elapsed().as_secs_f64()), ..Model::of_fit(&fit, &settings, problem, demos) };
    model.save(&file)?;
    if fit.stop == Stopped::Interrupted { Err(Error::Stopped) } else { Ok(model) }
}
