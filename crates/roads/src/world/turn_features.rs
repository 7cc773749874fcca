//! Additional features of turns, from a table.

use std::collections::HashMap;
use std::path::Path;

use super::own_features::OwnFeaturesRead;
use super::roads::Roads;
use crate::error::Error;
use crate::files::Table;

/// The names of the columns with the key.
const SEGMENTS: [&str; 2] = ["from_segment", "to_segment"];
const WAYS: [&str; 2] = ["from_way", "to_way"];

impl Roads {
    /// Adds features of turns from a table: `.csv` or `.csv.gz`, with the columns `from_segment` and `to_segment` (numbers
    /// of segments), or `from_way` and `to_way` (ids of ways in OpenStreetMap, for all turns between them), and a column
    /// of numbers for each feature. Other turns have 0. Rows about turns that do not exist are an error, or skipped with
    /// `skip_unknown`.
    ///
    /// # Errors
    /// If the network is compressed, the table cannot be read, a value is not a finite number, a key is unknown or
    /// appears twice, or a name is taken. The message names the line, and nothing is added.
    pub fn add_turn_features(&mut self, path: impl AsRef<Path>, skip_unknown: bool) -> Result<OwnFeaturesRead, Error> {
        if self.chains.is_some() {
            let message =
                "the states of the network are chains, and turns are between segments: add them before it is compressed";
            return Err(Error::Network(message.to_string()));
        }
        let mut table = Table::open(path.as_ref())?;
        let columns = |names: [&str; 2]| Some([table.column(&[names[0]])?, table.column(&[names[1]])?]);
        let (key, by_way) = match (columns(SEGMENTS), columns(WAYS)) {
            (Some(key), None) => (key, false),
            (None, Some(key)) => (key, true),
            _ => {
                let names = table.names.join(", ");
                let what = format!(
                    "its columns are {names}: the key of a turn is from_segment and to_segment, or from_way and to_way"
                );
                return Err(table.of_all(what));
            }
        };
        let named: Vec<usize> = (0..table.names.len()).filter(|column| !key.contains(column)).collect();
        if named.is_empty() || named.iter().any(|&column| table.names[column].is_empty()) {
            return Err(table.of_all("it needs a column with a name for each feature, beside the key".to_string()));
        }
        let turns = self.turns_by_key(by_way);
        let mut read =
            OwnFeaturesRead { names: named.iter().map(|&one| table.names[one].clone()).collect(), ..Default::default() };
        let mut features = self.features.clone();
        if let Some(name) = read.names.iter().find(|name| features.names.contains(name)) {
            return Err(Error::Network(format!("the feature {name:?} exists already: choose another name")));
        }
        let first = features.names.len();
        features.names.extend(read.names.iter().cloned());
        let mut line_of = HashMap::new();
        let mut known = 0;
        while table.next()? {
            let key: [i64; 2] = [table.number(key[0], "whole number")?, table.number(key[1], "whole number")?];
            let [from, to] = key;
            if let Some(before) = line_of.insert(key, table.line) {
                return Err(table.wrong(format!("the turn from {from} to {to} appears twice: it is in line {before} already")));
            }
            let some = turns.get(&key).map_or(&[] as &[u32], Vec::as_slice);
            if some.is_empty() && !skip_unknown {
                let what = "remove the row, or skip such rows with --skip-unknown";
                return Err(table.wrong(format!("there is no turn from {from} to {to} in the network: {what}")));
            }
            read.unknown += usize::from(some.is_empty());
            known += some.len();
            for (feature, &column) in (first..).zip(&named) {
                let value = table.finite(column)?;
                features.of_turns.extend(some.iter().filter(|_| value != 0.0).map(|&turn| (turn as usize, feature, value)));
            }
        }
        read.missing = self.network.n_turns() - known;
        features.of_turns.sort_unstable_by_key(|row| (row.0, row.1));
        self.features = features;
        Ok(read)
    }

    /// The numbers of the turns between two segments or ways. Turns between copies are the same.
    fn turns_by_key(&self, by_way: bool) -> HashMap<[i64; 2], Vec<u32>> {
        let key = |segment: u32| match by_way {
            true => self.network.way_of(segment as usize).id,
            false => self.network.original(segment as usize) as i64,
        };
        let mut found: HashMap<[i64; 2], Vec<u32>> = HashMap::new();
        for (turn, (from, to)) in (0..).zip(self.network.turns()) {
            found.entry([key(from), key(to)]).or_default().push(turn);
        }
        found
    }
}
