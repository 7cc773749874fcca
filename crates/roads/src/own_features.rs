//! Features of the user's own, from a table.

use std::collections::HashMap;
use std::path::Path;

use crate::error::Error;
use crate::network::Network;
use crate::roads::Roads;
use crate::table::Table;

/// How a table of features is taken.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OwnFeatures {
    /// What segments without a row have; without it they are an error.
    pub missing: Option<f64>,
    /// Whether rows that are about no segment of this network are skipped; otherwise they are an error.
    pub skip_unknown: bool,
    /// Whether values are per metre, and are to be multiplied by the length of each segment as the paper's are.
    pub per_metre: bool,
}

/// What became of a table of features.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnFeaturesRead {
    /// The features that were added.
    pub names: Vec<String>,
    /// Rows about segments or ways that are not in the network.
    pub unknown: usize,
    /// Segments without a row.
    pub missing: usize,
}

impl Roads {
    /// Adds the features of a table: `.csv` or `.csv.gz`, with the column `segment` (the number of a segment) or `way` (the number of
    /// a way in OpenStreetMap, for all of its segments), and a column of numbers for each feature. In a compressed network a
    /// chain has the sum of its segments.
    ///
    /// # Errors
    /// If the table cannot be read, a number is none, a key is unknown or there twice, a segment has no row, or a name is taken; with
    /// the line. Nothing is added then.
    pub fn add_features(&mut self, path: impl AsRef<Path>, options: OwnFeatures) -> Result<OwnFeaturesRead, Error> {
        let mut table = Table::open(path.as_ref())?;
        let mut keys = Keys::new(&table, &self.network)?;
        let columns: Vec<usize> = (0..table.names.len()).filter(|&column| column != keys.column).collect();
        if columns.is_empty() {
            return Err(table.of_all("it has no column of a feature: add one beside the key".to_string()));
        }
        let mut read = OwnFeaturesRead::default();
        read.names.extend(columns.iter().map(|&column| table.names[column].clone()));
        let mut values = vec![vec![f64::NAN; self.network.n_segments()]; columns.len()];
        let mut line_of = HashMap::new();
        while table.next()? {
            let key: i64 = table.number(keys.column, "whole number")?;
            if let Some(before) = line_of.insert(key, table.line) {
                return Err(table.wrong(format!("{} {key} is there twice: in line {before} already", keys.name)));
            }
            let segments = keys.segments(key);
            if segments.is_empty() && !options.skip_unknown {
                return Err(table.wrong(format!(
                    "{} {key} is not in the network: leave it out, or skip such rows with --skip-unknown",
                    keys.name
                )));
            }
            read.unknown += usize::from(segments.is_empty());
            for (values, &column) in values.iter_mut().zip(&columns) {
                let value = table.finite(column)?;
                segments.iter().for_each(|&segment| values[segment as usize] = value);
            }
        }
        let is_missing = |segment: &usize| values[0][*segment].is_nan();
        read.missing = (0..self.network.n_segments()).filter(is_missing).count();
        if let (Some(first), None) = ((0..self.network.n_segments()).find(is_missing), options.missing) {
            let key = keys.of(first, &self.network);
            return Err(table.of_all(format!(
                "{} of {} segments have no row, the first of them {} {key}: add them, or give their value with --missing",
                read.missing,
                self.network.n_segments(),
                keys.name
            )));
        }
        let mut features = self.features.clone();
        for (name, values) in read.names.iter().zip(values) {
            let mut of_states = vec![0.0; self.n_states()];
            for (segment, value) in values.into_iter().enumerate() {
                let value = if value.is_nan() { options.missing.unwrap_or(0.0) } else { value };
                let times = if options.per_metre { self.network.segments[segment].length } else { 1.0 };
                of_states[self.state_of(segment)] += value * times;
            }
            features.add(name, &of_states, self.n_states())?;
        }
        self.features = features;
        Ok(read)
    }
}

/// The column that says what a row is about.
struct Keys {
    column: usize,
    name: &'static str,
    /// The segments of each way; `None` if rows are about segments.
    of_ways: Option<HashMap<i64, Vec<u32>>>,
    n_segments: usize,
    one: [u32; 1],
}

impl Keys {
    fn new(table: &Table, network: &Network) -> Result<Keys, Error> {
        let (column, name) = match (table.column(&["segment"]), table.column(&["way"])) {
            (Some(column), None) => (column, "segment"),
            (None, Some(column)) => (column, "way"),
            (Some(_), Some(_)) => {
                let what = "it has both a column segment and a column way: which of them is the key? Leave one out";
                return Err(table.of_all(what.to_string()));
            }
            (None, None) => {
                let names = table.names.join(", ");
                return Err(table.of_all(format!("it has {names}, and neither a column segment nor a column way")));
            }
        };
        let of_ways = (name == "way").then(|| {
            let mut of_ways: HashMap<i64, Vec<u32>> = HashMap::new();
            for segment in 0..network.n_segments() {
                of_ways.entry(network.way_of(segment).id).or_default().push(segment as u32);
            }
            of_ways
        });
        Ok(Keys { column, name, of_ways, n_segments: network.n_segments(), one: [0] })
    }

    /// The segments that a key is about; none if it is unknown.
    fn segments(&mut self, key: i64) -> &[u32] {
        match &self.of_ways {
            Some(of_ways) => of_ways.get(&key).map_or(&[], Vec::as_slice),
            None => match u32::try_from(key).ok().filter(|&key| (key as usize) < self.n_segments) {
                Some(segment) => {
                    self.one = [segment];
                    &self.one
                }
                None => &[],
            },
        }
    }

    /// The key of a segment.
    fn of(&self, segment: usize, network: &Network) -> i64 {
        if self.of_ways.is_some() { network.way_of(segment).id } else { segment as i64 }
    }
}
