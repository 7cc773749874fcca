//! The folder of results: finished work is kept at once, and never mixed with that of other settings.
//!
//! | file | what it is |
//! |---|---|
//! | `NAME.partial` | a journal while the experiment runs: its recipe, then one line for each finished unit |
//! | `NAME.csv` | the raw results in the order of the units; the same bytes for the same recipe |
//! | `NAME.timings.csv` | what was timed, if anything was |
//! | `NAME.json` | the recipe; written last, so that it says that the experiment is finished |

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use revealed_formats::atomic;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::plan::{Plan, Recipe, Row};
use crate::results::Results;

/// Finished units by their numbers.
pub(crate) type Finished = BTreeMap<usize, Vec<Row>>;

/// A folder that this process alone writes results to.
pub(crate) struct Store {
    folder: PathBuf,
    /// Released when the process ends, however it ends.
    _lock: Option<File>,
}

/// How far an experiment is.
pub(crate) enum State {
    Finished,
    Begun(Finished),
}

#[derive(Serialize, Deserialize)]
struct Line {
    unit: usize,
    rows: Vec<Row>,
}

impl Store {
    /// Makes the folder, and refuses one that cannot be written to or that another run is at work in.
    pub fn open(folder: &Path) -> Result<Store, Error> {
        let refused = |cause| Error::Folder { path: folder.to_path_buf(), cause };
        if folder.exists() && !folder.is_dir() {
            return Err(refused(io::Error::from(io::ErrorKind::NotADirectory)));
        }
        fs::create_dir_all(folder).map_err(refused)?;
        atomic::check(folder.join("index.html"))?;
        // Not every system can open or lock a folder: then there is no protection, and no harm either.
        let lock = File::open(folder).ok();
        if lock.as_ref().is_some_and(|lock| matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock))) {
            return Err(Error::Busy { path: folder.to_path_buf() });
        }
        Ok(Store { folder: folder.to_path_buf(), _lock: lock })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// What is there of an experiment.
    ///
    /// # Errors
    /// If it is of other settings.
    pub fn state(&self, asked: &Recipe) -> Result<State, Error> {
        let name = &asked.experiment;
        let same = |path: &Path, found: &Recipe| match found.difference(asked) {
            None => Ok(()),
            Some((setting, found, asked)) => Err(Error::OtherSettings { path: path.to_path_buf(), setting, found, asked }),
        };
        if let Some(recipe) = self.recipe(name)? {
            same(&self.path(&format!("{name}.json")), &recipe)?;
            if self.path(&format!("{name}.csv")).is_file() {
                return Ok(State::Finished);
            }
        }
        let Some((recipe, finished)) = self.read_journal(name)? else { return Ok(State::Begun(Finished::new())) };
        same(&self.journal_path(name), &recipe)?;
        Ok(State::Begun(finished))
    }

    /// Forgets what is there of an experiment.
    pub fn clear(&self, name: &str) -> Result<(), Error> {
        // The one that says "finished" goes first.
        for end in ["json", "partial", "csv", "timings.csv"] {
            let path = self.path(&format!("{name}.{end}"));
            match fs::remove_file(&path) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(Error::file(&path, cause)),
                _ => {}
            }
        }
        Ok(())
    }

    fn journal_path(&self, name: &str) -> PathBuf {
        self.path(&format!("{name}.partial"))
    }

    /// The recipe of a finished experiment.
    pub fn recipe(&self, name: &str) -> Result<Option<Recipe>, Error> {
        let path = self.path(&format!("{name}.json"));
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|fault| Error::damaged(&path, fault)),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(Error::file(&path, cause)),
        }
    }

    fn read_journal(&self, name: &str) -> Result<Option<(Recipe, Finished)>, Error> {
        let path = self.journal_path(name);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(Error::file(&path, cause)),
        };
        let mut lines = BufReader::new(file).lines();
        let first = lines.next().transpose().map_err(|cause| Error::file(&path, cause))?.unwrap_or_default();
        let recipe = serde_json::from_str(&first).map_err(|fault| Error::damaged(&path, fault))?;
        let mut finished = Finished::new();
        // A kill may have cut the last line short: that unit is done again.
        for line in lines.map_while(Result::ok) {
            let Ok(Line { unit, rows }) = serde_json::from_str(&line) else { break };
            finished.insert(unit, rows);
        }
        Ok(Some((recipe, finished)))
    }

    /// A journal that has what is finished already, and to which more can be added.
    pub fn journal(&self, recipe: &Recipe, finished: &Finished) -> Result<Journal, Error> {
        let path = self.journal_path(&recipe.experiment);
        atomic::write(&path, |file| {
            writeln!(file, "{}", serde_json::to_string(recipe)?)?;
            finished.iter().try_for_each(|(&unit, rows)| writeln!(file, "{}", Line::of(unit, rows)?))
        })?;
        let file = OpenOptions::new().append(true).open(&path).map_err(|cause| Error::file(&path, cause))?;
        Ok(Journal { path, file: Mutex::new(file) })
    }

    /// Writes the tables of a finished experiment, in the order of the units.
    pub fn finish(&self, plan: &Plan, recipe: &Recipe, finished: &Finished) -> Result<(), Error> {
        let name = &recipe.experiment;
        let rows = || finished.values().flatten();
        atomic::write(self.path(&format!("{name}.csv")), |file| {
            let mut table = csv::Writer::from_writer(file);
            table.write_record(plan.columns)?;
            rows().try_for_each(|row| table.write_record(&row.cells))?;
            table.flush()
        })?;
        if !plan.timings.is_empty() {
            atomic::write(self.path(&format!("{name}.timings.csv")), |file| {
                let mut table = csv::Writer::from_writer(file);
                table.write_record(plan.timings)?;
                let shown = |seconds: &Option<f64>| seconds.map_or(String::new(), |seconds| format!("{seconds:.3e}"));
                rows().try_for_each(|row| table.write_record(row.seconds.iter().map(shown)))?;
                table.flush()
            })?;
        }
        let kept = Kept { recipe: recipe.clone(), rows: rows().count() };
        atomic::write(self.path(&format!("{name}.json")), |file| writeln!(file, "{}", serde_json::to_string_pretty(&kept)?))?;
        // Everything in it is in the tables now; if it stays, it does no harm.
        let _ = fs::remove_file(self.journal_path(name));
        Ok(())
    }

    /// The results of a finished experiment.
    pub fn results(&self, plan: &Plan, recipe: &Recipe) -> Result<Results, Error> {
        let name = &recipe.experiment;
        let (table, kept) = (self.path(&format!("{name}.csv")), self.path(&format!("{name}.json")));
        let mut results = Results::read(&table, plan.columns)?;
        let text = fs::read_to_string(&kept).map_err(|cause| Error::file(&kept, cause))?;
        let Kept { rows, .. } = serde_json::from_str(&text).map_err(|fault| Error::damaged(&kept, fault))?;
        if results.rows().count() != rows {
            return Err(Error::damaged(&table, format!("it has {} rows, and {rows} were written", results.rows().count())));
        }
        if !plan.timings.is_empty() {
            results.beside(Results::read(&self.path(&format!("{name}.timings.csv")), plan.timings)?)?;
        }
        Ok(results)
    }
}

/// NAME.json: the recipe of a finished experiment, and how many rows it gave.
#[derive(Serialize, Deserialize)]
struct Kept {
    #[serde(flatten)]
    recipe: Recipe,
    rows: usize,
}

impl Line {
    fn of(unit: usize, rows: &[Row]) -> serde_json::Result<String> {
        serde_json::to_string(&Line { unit, rows: rows.to_vec() })
    }
}

/// The journal of an experiment that runs.
pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// Keeps a finished unit: a kill after this does not lose it.
    pub fn add(&self, unit: usize, rows: &[Row]) -> Result<(), Error> {
        let failed = |cause| Error::file(&self.path, cause);
        let line = Line::of(unit, rows).map_err(|fault| failed(fault.into()))? + "\n";
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(line.as_bytes()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe() -> Recipe {
        Recipe { experiment: "toy".to_string(), version: 1, seed: Some(3), repeats: 2, cases: vec!["a".to_string()] }
    }

    fn rows(text: &str) -> Vec<Row> {
        vec![Row { cells: vec![text.to_string()], seconds: vec![Some(0.5)] }]
    }

    fn begun(store: &Store) -> Finished {
        match store.state(&recipe()).unwrap() {
            State::Begun(finished) => finished,
            State::Finished => panic!("it is not finished"),
        }
    }

    #[test]
    fn a_line_that_was_cut_short_is_done_again_and_the_rest_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let journal = store.journal(&recipe(), &Finished::new()).unwrap();
        journal.add(1, &rows("one, \"quoted\"")).unwrap();
        journal.file.lock().unwrap().write_all(b"{\"unit\":0,\"rows\":[{\"ce").unwrap();
        let kept = begun(&store);
        assert_eq!(kept, Finished::from([(1, rows("one, \"quoted\""))]));
        // What is added next does not stick to the rest of that line.
        store.journal(&recipe(), &kept).unwrap().add(0, &rows("zero")).unwrap();
        assert_eq!(begun(&store).keys().copied().collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn tables_are_in_the_order_of_units_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let plan = Plan {
            version: 1,
            cases: vec!["a".to_string()],
            repeats: 2,
            seeded: true,
            alone: false,
            columns: &["value"],
            timings: &["seconds"],
        };
        let journal = store.journal(&recipe(), &Finished::new()).unwrap();
        journal.add(1, &rows("one, \"quoted\"")).unwrap();
        journal.add(0, &rows("zero")).unwrap();
        store.finish(&plan, &recipe(), &begun(&store)).unwrap();
        assert_eq!(fs::read_to_string(store.path("toy.csv")).unwrap(), "value\nzero\n\"one, \"\"quoted\"\"\"\n");
        assert!(matches!(store.state(&recipe()).unwrap(), State::Finished) && !store.path("toy.partial").exists());
        let results = store.results(&plan, &recipe()).unwrap();
        assert_eq!(results.rows().map(|row| row.text("value").to_string()).collect::<Vec<_>>(), ["zero", "one, \"quoted\""]);
        assert_eq!(results.rows().next().unwrap().number("seconds").unwrap(), 0.5);

        let other = Recipe { seed: Some(4), ..recipe() };
        let words = store.state(&other).err().unwrap().to_string();
        assert!(words.contains("seed 3, and seed 4 is asked for") && words.contains("--fresh"), "{words}");
        store.clear("toy").unwrap();
        assert!(begun(&store).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn two_runs_do_not_share_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let first = Store::open(folder.path()).unwrap();
        assert!(matches!(Store::open(folder.path()), Err(Error::Busy { .. })));
        drop(first);
        assert!(Store::open(folder.path()).is_ok());
    }
}
