//! A problem as plain columns: the content of its file, before it is checked.

use std::path::Path;

use revealed::worlds::Layout;
use serde_json::Value;

use super::additions::{Addition, ROADS};
use super::layout;
use super::names::{REFERENCE, START, STATE, STATE_ACTION, TRANSITION, TRANSITIONS};
use super::problem::PROBLEM_FORMAT;
use super::table::Table;
use crate::files::column::{self, Column};
use crate::files::fields::Fields;
use crate::files::input;
use crate::{Error, Fault};

/// The fields of a problem file. Both formats are read into it and written from it.
///
/// Nothing is checked until [`build`](Self::build); [`faults`](Self::faults) lists everything that is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct ProblemColumns {
    /// |𝓢|.
    pub n_states: i64,
    /// |𝓐|.
    pub n_actions: i64,
    /// The length of θ.
    pub n_features: i64,
    /// γ.
    pub discount: f64,
    /// p0: `[state]`, `p`.
    pub start: Table<1>,
    /// The states that end an episode.
    pub terminal: Vec<i64>,
    /// T: `[from, action, to]`, `p`.
    pub transitions: Table<3>,
    /// φ_s: `[state, feature]`, `value`.
    pub state_features: Table<2>,
    /// φ_sa: `[state, action, feature]`, `value`.
    pub state_action_features: Table<3>,
    /// φ_sas': `[transition, feature]`, `value`; `transition` is a row of `transitions`.
    pub transition_features: Table<2>,
    /// The names of the features; empty if there are none.
    pub names: Vec<String>,
    /// π0: `[state, action]`, `p`; empty if there is none.
    pub reference: Table<2>,
    /// Where the states are drawn.
    pub layout: Option<Layout>,
    /// The true θ, if it is known: `reward.true`.
    pub true_theta: Option<Vec<f64>>,
    /// Names in the file that have no meaning here: they belong to other tools, or are misspelt.
    pub unknown: Vec<String>,
    /// Arrays in the file for other parts of revealed, such as the roads of a road network. They are not
    /// checked here. Their names have a dot, and the part before it names the owner.
    /// [`load_additions`](crate::load_additions) reads them.
    pub additions: Vec<(String, Addition)>,
}

impl ProblemColumns {
    /// A problem of these sizes, discount 1, and nothing else yet.
    pub fn new(n_states: usize, n_actions: usize, n_features: usize) -> Self {
        ProblemColumns {
            n_states: n_states as i64,
            n_actions: n_actions as i64,
            n_features: n_features as i64,
            discount: 1.0,
            start: Table::default(),
            terminal: Vec::new(),
            transitions: Table::default(),
            state_features: Table::default(),
            state_action_features: Table::default(),
            transition_features: Table::default(),
            names: Vec::new(),
            reference: Table::default(),
            layout: None,
            true_theta: None,
            unknown: Vec::new(),
            additions: Vec::new(),
        }
    }

    /// The fields that a problem file may have, under their dotted names.
    pub fn field_names() -> Vec<String> {
        let single = ["format", "n_states", "n_actions", "n_features", "discount", "terminal", "features.names"];
        let ours = ["layout.grid", "layout.x", "layout.y", "reward.true"];
        let mut names: Vec<String> = single.into_iter().chain(ours).map(str::to_string).collect();
        names.extend(START.columns());
        names.extend(TRANSITIONS.columns());
        names.extend(STATE.columns());
        names.extend(STATE_ACTION.columns());
        names.extend(TRANSITION.columns());
        names.extend(REFERENCE.columns());
        names
    }

    /// Reads a `.json` or `.npz` file. The content is not checked yet, only that it can be read.
    ///
    /// # Errors
    /// If the file cannot be read, or a field is missing or of the wrong type.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let mut fields = match input::extension(path).as_str() {
            "json" => Fields::read_json(path),
            "npz" => Fields::open_npz(path),
            _ => Err(unknown_extension(path)),
        }
        .map_err(|fault| Error::new(path, fault))?;
        Self::read(&mut fields).map_err(|fault| Error::new(path, fault))
    }

    /// The columns of the content of a `.json` file.
    pub(crate) fn of_json(document: Value) -> Result<Self, Fault> {
        Self::read(&mut Fields::Json(document))
    }

    /// The content of its `.json` file.
    pub(crate) fn to_json(&self) -> Result<Value, Fault> {
        column::to_json(&self.columns())
    }

    fn read(fields: &mut Fields) -> Result<Self, Fault> {
        fields.check_format(PROBLEM_FORMAT)?;
        let known = Self::field_names();
        let mut unknown = fields.unknown(&known.iter().map(String::as_str).collect::<Vec<_>>());
        unknown.retain(|name| !name.starts_with(ROADS));
        Self::read_columns(fields).map(|columns| ProblemColumns { unknown: unknown.clone(), ..columns }).map_err(|fault| {
            match fault {
                Fault::Missing { field, .. } => Fault::Missing { field, unknown },
                other => other,
            }
        })
    }

    fn read_columns(fields: &mut Fields) -> Result<Self, Fault> {
        Ok(ProblemColumns {
            n_states: count(fields, "n_states")?,
            n_actions: count(fields, "n_actions")?,
            n_features: count(fields, "n_features")?,
            discount: fields.float("discount")?.unwrap_or(1.0),
            start: Table::read(fields, &START, true)?,
            terminal: fields.integers("terminal")?.unwrap_or_default(),
            transitions: Table::read(fields, &TRANSITIONS, true)?,
            state_features: Table::read(fields, &STATE, false)?,
            state_action_features: Table::read(fields, &STATE_ACTION, false)?,
            transition_features: Table::read(fields, &TRANSITION, false)?,
            names: fields.texts("features.names")?.unwrap_or_default(),
            reference: Table::read(fields, &REFERENCE, false)?,
            layout: layout::read(fields)?,
            true_theta: fields.floats("reward.true")?,
            unknown: Vec::new(),
            additions: Vec::new(),
        })
    }

    /// Writes a `.json` or `.npz` file, after checking it.
    ///
    /// # Errors
    /// The first of the [`faults`](Self::faults), or the reason why the file could not be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        self.build().map_err(|fault| Error::new(path, fault))?;
        self.write(path)
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), Error> {
        match input::extension(path).as_str() {
            "json" => column::write_json(path, &self.columns()),
            "npz" => column::write_npz(path, &self.columns()),
            _ => Err(Error::new(path, unknown_extension(path))),
        }
    }

    /// The fields under their dotted names, in the order of the file format.
    fn columns(&self) -> Vec<(String, Column<'_>)> {
        let mut columns = vec![
            ("format".to_string(), Column::Text(PROBLEM_FORMAT)),
            ("n_states".to_string(), Column::Integer(self.n_states)),
            ("n_actions".to_string(), Column::Integer(self.n_actions)),
            ("n_features".to_string(), Column::Integer(self.n_features)),
            ("discount".to_string(), Column::Float(self.discount)),
        ];
        self.start.columns(&START, &mut columns);
        columns.push(("terminal".to_string(), Column::Integers((&self.terminal).into())));
        self.transitions.columns(&TRANSITIONS, &mut columns);
        self.state_features.columns_unless_empty(&STATE, &mut columns);
        self.state_action_features.columns_unless_empty(&STATE_ACTION, &mut columns);
        self.transition_features.columns_unless_empty(&TRANSITION, &mut columns);
        if !self.names.is_empty() {
            columns.push(("features.names".to_string(), Column::Texts(&self.names)));
        }
        self.reference.columns_unless_empty(&REFERENCE, &mut columns);
        if let Some(layout) = &self.layout {
            layout::columns(layout, &mut columns);
        }
        if let Some(theta) = &self.true_theta {
            columns.push(("reward.true".to_string(), Column::Floats(theta.into())));
        }
        columns.extend(self.additions.iter().map(|(name, addition)| (name.clone(), addition.column())));
        columns
    }
}

fn unknown_extension(path: &Path) -> Fault {
    input::unknown_extension(path, "a problem is a", ".json or .npz file")
}

fn count(fields: &mut Fields, name: &str) -> Result<i64, Fault> {
    fields.integer(name)?.ok_or_else(|| Fault::missing(name, &[]))
}
