//! Additional features, from a table.

use std::collections::HashMap;
use std::path::Path;

use super::roads::Roads;
use crate::error::Error;
use crate::files::Table;
use crate::network::Network;

/// How a table of features is read.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OwnFeatures {
    /// The value for segments without a row; if it is `None`, they are an error.
    pub missing: Option<f64>,
    /// Whether rows about segments or ways that are not in the network are skipped; otherwise they are an error.
    pub skip_unknown: bool,
    /// Whether values are per metre, to be multiplied by the length of each segment like the paper's features.
    pub per_metre: bool,
}

/// What was read from a table of features.
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
    /// Adds the features of a table: `.csv` or `.csv.gz`, with the column `segment` (the number of a segment) or `way`
    /// (the id of a way in OpenStreetMap, for all of its segments), and a column of numbers for each feature. In a
    /// compressed network a chain has the sum of its segments.
    ///
    /// # Errors
    /// If the table cannot be read, a value is not a finite number, a key is unknown or appears twice, a segment has no
    /// row, or a name is taken. The message names the line, and nothing is added.
    pub fn add_features(&mut self, path: impl AsRef<Path>, options: OwnFeatures) -> Result<OwnFeaturesRead, Error> {
        let mut table = Table::open(path.as_ref())?;
        let keys = Keys::new(&table, &self.network)?;
        let (read, values) = read_values(&mut table, keys, &self.network, options)?;
        let mut features = self.features.clone();
        for (name, values) in read.names.iter().zip(values) {
            let (mut of_states, mut most) = (vec![0.0; self.n_states()], 0.0_f64);
            for (segment, value) in values.into_iter().enumerate() {
                let value = if value.is_nan() { options.missing.unwrap_or(0.0) } else { value };
                let times = if options.per_metre { self.network.segments[segment].length } else { 1.0 };
                of_states[self.state_of(segment)] += value * times;
                most += (value * times).abs();
            }
            // Networks that are compressed later have sums of these numbers, too.
            if !most.is_finite() {
                return Err(table.of_all(format!("the values of {name:?} are too large to be added up: scale them down")));
            }
            features.add(name, &of_states, self.n_states())?;
        }
        self.features = features;
        Ok(read)
    }
}

/// The values of each feature by segment; NaN for segments without a row.
fn read_values(
    table: &mut Table,
    mut keys: Keys,
    network: &Network,
    options: OwnFeatures,
) -> Result<(OwnFeaturesRead, Vec<Vec<f64>>), Error> {
    let columns: Vec<usize> = (0..table.names.len()).filter(|&column| column != keys.column).collect();
    if columns.is_empty() {
        return Err(table.of_all("it has no column for a feature: add one beside the key".to_string()));
    }
    if let Some(&column) = columns.iter().find(|&&column| table.names[column].is_empty()) {
        return Err(table.of_all(format!("column {} has no name: name each feature in the first line", column + 1)));
    }
    let mut read = OwnFeaturesRead::default();
    read.names.extend(columns.iter().map(|&column| table.names[column].clone()));
    let mut values = vec![vec![f64::NAN; network.n_segments()]; columns.len()];
    let mut line_of = HashMap::new();
    while table.next()? {
        let key: i64 = table.number(keys.column, "whole number")?;
        if let Some(before) = line_of.insert(key, table.line) {
            return Err(table.wrong(format!("{} {key} appears twice: it is in line {before} already", keys.name)));
        }
        let segments: Vec<u32> = keys.segments(key).iter().flat_map(|&one| with_copies(network, one)).collect();
        if segments.is_empty() && !options.skip_unknown {
            let what =
                format!("{} {key} is not in the network: remove the row, or skip such rows with --skip-unknown", keys.name);
            return Err(table.wrong(what));
        }
        read.unknown += usize::from(segments.is_empty());
        for (values, &column) in values.iter_mut().zip(&columns) {
            let value = table.finite(column)?;
            segments.iter().for_each(|&segment| values[segment as usize] = value);
        }
    }
    let is_missing = |segment: &usize| values[0][*segment].is_nan();
    read.missing = (0..network.n_originals()).filter(is_missing).count();
    if let (Some(first), None) = ((0..network.n_originals()).find(is_missing), options.missing) {
        return Err(table.of_all(format!(
            "{} of {} segments have no row, the first of them {} {}: add them, or give their value with --missing",
            read.missing,
            network.n_originals(),
            keys.name,
            keys.of(first, network)
        )));
    }
    Ok((read, values))
}

/// A segment and its copies.
fn with_copies(network: &Network, segment: u32) -> impl Iterator<Item = u32> {
    std::iter::once(segment).chain(network.copies_of(segment as usize).map(|copy| copy as u32))
}

/// The column with the key of each row.
struct Keys {
    column: usize,
    name: &'static str,
    /// The segments of each way; `None` if the key is a segment.
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
                let what = "it has both a column segment and a column way: only one of them can be the key, remove the other";
                return Err(table.of_all(what.to_string()));
            }
            (None, None) => {
                let names = table.names.join(", ");
                return Err(
                    table.of_all(format!("its columns are {names}: the key is missing, add a column segment or a column way"))
                );
            }
        };
        let of_ways = (name == "way").then(|| {
            let mut of_ways: HashMap<i64, Vec<u32>> = HashMap::new();
            for segment in 0..network.n_originals() {
                of_ways.entry(network.way_of(segment).id).or_default().push(segment as u32);
            }
            of_ways
        });
        Ok(Keys { column, name, of_ways, n_segments: network.n_originals(), one: [0] })
    }

    /// The segments of a key; none if it is unknown.
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
