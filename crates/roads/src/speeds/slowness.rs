//! The slowness of each kind of road in each hour, as a table.

use std::collections::BTreeMap;
use std::path::Path;

use revealed_formats::atomic;
use serde_json::{Value, json};

use super::drives::TimedDrives;
use super::estimate::Effects;
use crate::error::Error;
use crate::files::Table;
use crate::world::Roads;

/// A slowness below this counts as this.
const LEAST: f64 = 0.1;
/// Stands for all kinds of roads together.
const ALL: &str = "*";

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct SlownessRow {
    /// The value of the tag `highway`; `*` for all kinds of roads together.
    pub highway: String,
    /// The hour from 0 to 23; `None` for all hours together.
    pub hour: Option<usize>,
    /// The seconds that a drive takes for each second at the usual speed.
    pub slowness: f64,
    /// The standard error of the slowness.
    pub error: f64,
    /// The observed time at the usual speed, in seconds.
    pub usual: f64,
}

impl SlownessRow {
    /// For files.
    pub fn to_json(&self) -> Value {
        json!({
            "highway": self.highway, "hour": self.hour, "slowness": self.slowness, "standard_error": self.error,
            "usual_seconds": self.usual,
        })
    }
}

/// How much longer drives take than at the usual speeds, by kind of road and hour.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Slowness {
    /// The rows, by kind of road and then by hour, each kind after its mean.
    pub rows: Vec<SlownessRow>,
}

impl Slowness {
    /// Estimates the slowness of each kind of road in each hour.
    ///
    /// # Errors
    /// If no path has times.
    pub fn estimate(drives: &TimedDrives) -> Result<Slowness, Error> {
        let n_kinds = drives.kinds.len();
        let Some(effects) = Effects::new(n_kinds, &drives.stretches) else {
            let message = format!(
                "none of {} paths has times that fit its roads: match trips with times by the hidden Markov model",
                drives.paths + drives.without_times
            );
            return Err(Error::Trips(message));
        };
        let mut usual: BTreeMap<(Option<usize>, Option<usize>), f64> = BTreeMap::new();
        for stretch in &drives.stretches {
            for &(kind, seconds) in &stretch.usual {
                for key in [(Some(kind), None), (None, None)] {
                    *usual.entry(key).or_default() += seconds;
                }
                if let Some(hour) = stretch.hour {
                    *usual.entry((Some(kind), Some(hour))).or_default() += seconds;
                    *usual.entry((None, Some(hour))).or_default() += seconds;
                }
            }
        }
        let has_hours = drives.stretches.iter().any(|stretch| stretch.hour.is_some());
        let hours = || std::iter::once(None).chain((0..24).filter(|_| has_hours).map(Some));
        let mut rows = Vec::new();
        for kind in std::iter::once(None).chain((0..n_kinds).map(Some)) {
            for hour in hours() {
                let [slowness, error] = match (kind, hour) {
                    (Some(kind), hour) => effects.slowness(kind, hour),
                    (None, Some(hour)) => effects.of_hour(hour),
                    (None, None) => effects.mean(),
                };
                rows.push(SlownessRow {
                    highway: kind.map_or(ALL.to_string(), |kind| drives.kinds[kind].clone()),
                    hour,
                    slowness: slowness.max(LEAST),
                    error,
                    usual: usual.get(&(kind, hour)).copied().unwrap_or(0.0),
                });
            }
        }
        Ok(Slowness { rows })
    }

    /// The slowness of a kind of road in an hour, or in the mean of all; that of all kinds together if it is not in the
    /// table, and 1 if the table is empty.
    pub fn of(&self, highway: &str, hour: Option<usize>) -> f64 {
        let find = |highway: &str| self.rows.iter().find(|row| row.highway == highway && row.hour == hour);
        find(highway).or_else(|| find(ALL)).map_or(1.0, |row| row.slowness)
    }

    /// How much slower an hour is than the mean of all, for all kinds of roads together.
    pub fn of_hour(&self, hour: usize) -> f64 {
        self.of(ALL, Some(hour)) / self.of(ALL, None)
    }

    /// Writes the table (`.csv`).
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        Ok(atomic::write(path.as_ref(), |writer| {
            let mut table = csv::Writer::from_writer(writer);
            table.write_record(["highway", "hour", "slowness", "standard_error", "usual_seconds"])?;
            for row in &self.rows {
                let hour = row.hour.map_or(String::new(), |hour| hour.to_string());
                let numbers = [row.slowness, row.error, row.usual].map(|number| number.to_string());
                table.write_record([&row.highway, &hour, &numbers[0], &numbers[1], &numbers[2]])?;
            }
            table.flush()
        })?)
    }

    /// Reads a table that [`save`](Self::save) wrote, or one with the columns `highway`, `hour` and `slowness`. A blank
    /// hour stands for all, and the kind `*` for all kinds of roads.
    ///
    /// # Errors
    /// If it cannot be read, or a slowness is not positive. The message names the line.
    pub fn load(path: impl AsRef<Path>) -> Result<Slowness, Error> {
        let mut table = Table::open(path.as_ref())?;
        let column = |name: &str| {
            let missing = || table.of_all(format!("the column {name:?} is missing: give highway, hour and slowness"));
            table.column(&[name]).ok_or_else(missing)
        };
        let [highway, hour, slowness] = [column("highway")?, column("hour")?, column("slowness")?];
        let others = ["standard_error", "usual_seconds"].map(|name| table.column(&[name]));
        let mut rows: Vec<SlownessRow> = Vec::new();
        while table.next()? {
            let number = |column: Option<usize>| column.map_or(Ok(0.0), |column| table.finite(column));
            let row = SlownessRow {
                highway: table.text(highway).unwrap_or(ALL).to_string(),
                hour: table.text(hour).map(|_| table.number(hour, "whole number")).transpose()?,
                slowness: table.finite(slowness)?,
                error: number(others[0])?,
                usual: number(others[1])?,
            };
            if row.slowness <= 0.0 {
                return Err(table.wrong(format!("the slowness is {}: give a positive number", row.slowness)));
            }
            if row.hour.is_some_and(|hour| hour > 23) {
                return Err(table.wrong(format!("the hour is {}: give 0 to 23", row.hour.unwrap_or_default())));
            }
            if rows.iter().any(|known| known.highway == row.highway && known.hour == row.hour) {
                return Err(table.wrong(format!("{} appears twice at this hour", row.highway)));
            }
            rows.push(row);
        }
        Ok(Slowness { rows })
    }
}

impl Roads {
    /// Multiplies the feature `time` by the slowness of each kind of road in an hour, or in the mean of all hours.
    ///
    /// # Errors
    /// If the network has no feature `time`.
    pub fn slow_down(&mut self, slowness: &Slowness, hour: Option<usize>) -> Result<(), Error> {
        let Some(time) = self.features.names.iter().position(|name| name == "time") else {
            let message = "the network has no feature time: import it with --features time and others";
            return Err(Error::Network(message.to_string()));
        };
        let factor = |segment: usize| slowness.of(&self.network.way_of(segment).highway, hour);
        let mut seconds = vec![0.0; self.n_states()];
        for segment in 0..self.network.n_segments() {
            seconds[self.state_of(segment)] += self.network.seconds(segment) * factor(segment);
        }
        for row in self.features.of_segments.iter_mut().filter(|row| row.1 == time) {
            row.2 = seconds[row.0];
        }
        Ok(())
    }
}
