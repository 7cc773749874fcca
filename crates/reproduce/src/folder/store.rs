//! The files of a folder of results. Finished work is kept at once, and never mixed with that of other settings.
//!
//! | file | what it is |
//! |---|---|
//! | `NAME.partial` | a journal while the experiment runs: its recipe, then one line for each finished unit |
//! | `NAME.csv` | the raw results in the order of the units; the same recipe gives the same bytes |
//! | `NAME.timings.csv` | the timings, if anything was timed |
//! | `NAME.json` | the recipe; it is written last, so it shows that the experiment is finished |
//! | `provenance.json` | the program, the machine and the day of each experiment, and the time that it took |

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use revealed_formats::atomic;
use serde::{Deserialize, Serialize};

use super::journal::{FinishedUnits, Journal};
use super::results::Results;
use crate::error::Error;
use crate::work::{Plan, Recipe};

/// A folder that this process alone writes results to.
pub(crate) struct Store {
    folder: PathBuf,
    /// Released when the process ends, however it ends.
    _lock: Option<File>,
}

/// How far an experiment has come.
pub(crate) enum Standing {
    Finished,
    Begun(FinishedUnits),
}

impl Store {
    /// Creates the folder. Refuses one that cannot be written to, or that another run is writing to.
    pub fn open(folder: &Path) -> Result<Store, Error> {
        let refused = |cause| Error::Folder { path: folder.to_path_buf(), cause };
        if folder.exists() && !folder.is_dir() {
            return Err(refused(io::Error::from(io::ErrorKind::NotADirectory)));
        }
        fs::create_dir_all(folder).map_err(refused)?;
        atomic::check(folder.join("index.html"))?;
        // Some systems cannot open or lock a folder. There, two runs in one folder are not detected.
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

    /// How far an experiment has come in this folder.
    ///
    /// # Errors
    /// If the folder has results of other settings.
    pub fn standing(&self, asked: &Recipe) -> Result<Standing, Error> {
        let name = &asked.experiment;
        let same = |path: &Path, found: &Recipe| match found.difference(asked) {
            None => Ok(()),
            Some((setting, found, asked)) => Err(Error::OtherSettings { path: path.to_path_buf(), setting, found, asked }),
        };
        if let Some(recipe) = self.recipe(name)? {
            same(&self.path(&format!("{name}.json")), &recipe)?;
            if self.path(&format!("{name}.csv")).is_file() {
                return Ok(Standing::Finished);
            }
        }
        let read = Journal::read(&self.journal_path(name))?;
        let Some((recipe, finished)) = read else { return Ok(Standing::Begun(FinishedUnits::new())) };
        same(&self.journal_path(name), &recipe)?;
        Ok(Standing::Begun(finished))
    }

    /// Removes all files of an experiment.
    pub fn clear(&self, name: &str) -> Result<(), Error> {
        // The file that shows that the experiment is finished goes first.
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

    /// A journal that has the finished units, and to which more can be added.
    pub fn journal(&self, recipe: &Recipe, finished: &FinishedUnits) -> Result<Journal, Error> {
        Journal::start(self.journal_path(&recipe.experiment), recipe, finished)
    }

    /// Writes the tables of a finished experiment, in the order of the units.
    pub fn finish(&self, plan: &Plan, recipe: &Recipe, finished: &FinishedUnits) -> Result<(), Error> {
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
        // The tables have the same rows, so a journal that cannot be removed does no harm.
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::work::Row;

    fn recipe() -> Recipe {
        Recipe { experiment: "toy".to_string(), version: 1, seed: Some(3), repeats: 2, cases: vec!["a".to_string()] }
    }

    fn rows(text: &str) -> Vec<Row> {
        vec![Row { cells: vec![text.to_string()], seconds: vec![Some(0.5)] }]
    }

    fn begun(store: &Store) -> FinishedUnits {
        match store.standing(&recipe()).unwrap() {
            Standing::Begun(finished) => finished,
            Standing::Finished => panic!("it is not finished"),
        }
    }

    #[test]
    fn a_line_that_was_cut_short_is_done_again_and_the_rest_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let journal = store.journal(&recipe(), &FinishedUnits::new()).unwrap();
        journal.add(1, &rows("one, \"quoted\"")).unwrap();
        let mut cut = fs::OpenOptions::new().append(true).open(store.path("toy.partial")).unwrap();
        cut.write_all(b"{\"unit\":0,\"rows\":[{\"ce").unwrap();
        let kept = begun(&store);
        assert_eq!(kept, FinishedUnits::from([(1, rows("one, \"quoted\""))]));
        // The next unit begins on a new line.
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
        let journal = store.journal(&recipe(), &FinishedUnits::new()).unwrap();
        journal.add(1, &rows("one, \"quoted\"")).unwrap();
        journal.add(0, &rows("zero")).unwrap();
        store.finish(&plan, &recipe(), &begun(&store)).unwrap();
        assert_eq!(fs::read_to_string(store.path("toy.csv")).unwrap(), "value\nzero\n\"one, \"\"quoted\"\"\"\n");
        assert!(matches!(store.standing(&recipe()).unwrap(), Standing::Finished) && !store.path("toy.partial").exists());
        let results = store.results(&plan, &recipe()).unwrap();
        assert_eq!(results.rows().map(|row| row.text("value").to_string()).collect::<Vec<_>>(), ["zero", "one, \"quoted\""]);
        assert_eq!(results.rows().next().unwrap().number("seconds").unwrap(), 0.5);

        let other = Recipe { seed: Some(4), ..recipe() };
        let words = store.standing(&other).err().unwrap().to_string();
        assert!(words.contains("seed 3, but this run has seed 4") && words.contains("--fresh"), "{words}");
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
