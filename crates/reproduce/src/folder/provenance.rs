//! Where results come from: the program, the machine, the day and the time that they took.

use std::collections::BTreeMap;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use revealed_formats::atomic;
use serde::{Deserialize, Serialize};

use super::store::Store;
use crate::error::Error;
use crate::work::Tally;

/// The file, one for the folder. Results do not depend on it, so it may be missing.
const FILE: &str = "provenance.json";

/// Where the results of an experiment come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Provenance {
    pub version: String,
    /// `None` if it is not known. With a + if files differed from the commit.
    pub commit: Option<String>,
    pub machine: String,
    /// When the last unit was finished.
    pub date: String,
    /// The time of all runs that did units.
    pub seconds: f64,
}

impl Provenance {
    /// Of results that this program finishes now.
    pub fn now(seconds: f64, commit: Option<String>) -> Provenance {
        Provenance {
            version: env!("CARGO_PKG_VERSION").to_string(),
            commit,
            machine: machine(),
            date: date(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())),
            seconds,
        }
    }
}

impl Store {
    /// Where the results of each experiment come from, by name. Empty if the file is missing or damaged.
    pub fn provenance(&self) -> BTreeMap<String, Provenance> {
        let text = fs::read_to_string(self.path(FILE)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Adds what a run did to the provenance.
    pub fn note(&self, tally: &Tally, commit: Option<&str>) -> Result<(), Error> {
        if tally.done == 0 {
            return Ok(());
        }
        let mut all = self.provenance();
        let name = tally.experiment.name().to_string();
        let before = all.get(&name).filter(|_| tally.kept > 0).map_or(0.0, |before| before.seconds);
        all.insert(name, Provenance::now(before + tally.seconds, commit.map(str::to_string)));
        Ok(atomic::write(self.path(FILE), |file| writeln!(file, "{}", serde_json::to_string_pretty(&all)?))?)
    }
}

/// The processor, the number of its cores, and the system.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model.trim());
    let plural = if cores == 1 { "core" } else { "cores" };
    format!("{model}, {cores} {plural}, {}", std::env::consts::OS)
}

/// The day and the minute of a time since 1970, in UTC.
fn date(seconds: u64) -> String {
    let (days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    // Years that begin in March have the leap day at their end (Howard Hinnant, "chrono-compatible date algorithms").
    let day = days + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Experiment;

    #[test]
    fn dates_are_right_around_leap_days() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (951_868_800, "2000-03-01 00:00 UTC"),
            (1_735_689_599, "2024-12-31 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }

    #[test]
    fn a_run_that_goes_on_adds_its_time_and_a_new_one_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let tally = |kept, done, seconds| Tally { experiment: Experiment::Padding, units: 4, kept, done, seconds };
        let seconds = |tally: Tally| {
            store.note(&tally, Some("abc123+")).unwrap();
            store.provenance()["padding"].seconds
        };
        assert_eq!(seconds(tally(0, 2, 3.0)), 3.0);
        assert_eq!(store.provenance()["padding"].commit.as_deref(), Some("abc123+"));
        assert_eq!(seconds(tally(2, 2, 4.0)), 7.0);
        assert_eq!(seconds(tally(4, 0, 9.0)), 7.0);
        assert_eq!(seconds(tally(0, 4, 5.0)), 5.0);
        fs::write(store.path(FILE), "damaged").unwrap();
        assert!(store.provenance().is_empty());
    }
}
