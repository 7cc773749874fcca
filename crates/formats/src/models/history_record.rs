//! The history of a model: its windows, from which the product of the world is made again.

use std::path::Path;

use revealed::{Error as EngineError, Mdp, Window, Windows};
use serde::{Deserialize, Serialize};

use crate::files::{input, json};
use crate::{Error, Fault};

/// Features of the last states and the next step: in a model file those that were learned, in a file of its own those
/// to learn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryRecord {
    /// The most states of a window.
    pub order: usize,
    /// For indicators: how much stronger the penalty is for windows that are one state longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrinkage: Option<f64>,
    /// How many features the windows have.
    pub n_features: usize,
    /// Their names; empty if they have none. A model file has them in `names`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The windows, as columns.
    pub windows: WindowColumns,
}

/// A column for each part of a window.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WindowColumns {
    /// The last states of the path.
    pub states: Vec<Vec<usize>>,
    /// The action; `null` for any. Absent if no window has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub action: Vec<Option<usize>>,
    /// The next state; `null` for any. Absent if no window has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<Option<usize>>,
    /// The feature, from 0.
    pub feature: Vec<usize>,
    /// Its value.
    pub value: Vec<f64>,
}

impl HistoryRecord {
    /// Of these windows.
    pub fn new(windows: &Windows, shrinkage: Option<f64>) -> HistoryRecord {
        let all = windows.windows();
        let some = |column: Vec<Option<usize>>| if column.iter().any(Option::is_some) { column } else { Vec::new() };
        HistoryRecord {
            order: windows.order(),
            shrinkage,
            n_features: windows.n_features(),
            names: windows.names().to_vec(),
            windows: WindowColumns {
                states: all.iter().map(|window| window.states.clone()).collect(),
                action: some(all.iter().map(|window| window.action).collect()),
                to: some(all.iter().map(|window| window.to).collect()),
                feature: all.iter().map(|window| window.feature).collect(),
                value: all.iter().map(|window| window.value).collect(),
            },
        }
    }

    /// Reads a table of windows.
    ///
    /// # Errors
    /// If the file cannot be read, or its columns differ in length.
    pub fn load(path: impl AsRef<Path>) -> Result<HistoryRecord, Error> {
        let path = path.as_ref();
        let read = || {
            let record: HistoryRecord = json::parse(&input::read(path)?)?;
            record.check("windows").map(|()| record)
        };
        read().map_err(|fault: Fault| Error::new(path, fault))
    }

    /// The windows, checked against the world.
    ///
    /// # Errors
    /// As [`Windows::new`].
    pub fn windows(&self, mdp: &Mdp) -> Result<Windows, EngineError> {
        let columns = &self.windows;
        let optional = |column: &[Option<usize>], row: usize| column.get(row).copied().flatten();
        let window = |(row, states): (usize, &Vec<usize>)| Window {
            states: states.clone(),
            action: optional(&columns.action, row),
            to: optional(&columns.to, row),
            feature: columns.feature[row],
            value: columns.value[row],
        };
        let windows = columns.states.iter().enumerate().map(window).collect();
        Windows::new(mdp, self.order, self.n_features, self.names.clone(), windows)
    }

    /// Columns of one length.
    pub(super) fn check(&self, field: &str) -> Result<(), Fault> {
        let WindowColumns { states, action, to, feature, value } = &self.windows;
        let expected = states.len();
        let optional = [("action", action.len()), ("to", to.len())].into_iter().filter(|column| column.1 > 0);
        for (name, found) in [("feature", feature.len()), ("value", value.len())].into_iter().chain(optional) {
            if found != expected {
                return Err(Fault::entries(&format!("{field}.{name}"), found, expected, format!("states has {expected}")));
            }
        }
        Ok(())
    }
}
