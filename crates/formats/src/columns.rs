//! A problem as plain columns: what the files hold, before it is checked.

use std::path::Path;

use revealed::worlds::Layout;
use revealed::{FeaturesBuilder, MdpBuilder};

use crate::additions::{Addition, ROADS};
use crate::fields::{self, Column, Fields};
use crate::layout;
use crate::problem::{PROBLEM_FORMAT, Problem, faults_of_theta};
use crate::table::{Names, Table, negative};
use crate::{Error, Fault, input};

const START: Names<1> = Names { table: "start", index: ["state"], value: "p" };
const TRANSITIONS: Names<3> = Names { table: "transitions", index: ["from", "action", "to"], value: "p" };
const STATE: Names<2> = Names { table: "features.state", index: ["state", "feature"], value: "value" };
const STATE_ACTION: Names<3> = Names { table: "features.state_action", index: ["state", "action", "feature"], value: "value" };
const TRANSITION: Names<2> = Names { table: "features.transition", index: ["transition", "feature"], value: "value" };
const REFERENCE: Names<2> = Names { table: "reference", index: ["state", "action"], value: "p" };

/// The contract's fields of a problem. Both file formats are read into it and written from it.
///
/// Nothing is checked until [`build`](Self::build); [`faults`](Self::faults) says everything that is wrong.
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
    /// The names of the features; empty where there are none.
    pub names: Vec<String>,
    /// π0: `[state, action]`, `p`; empty where there is none.
    pub reference: Table<2>,
    /// Where the states are drawn.
    pub layout: Option<Layout>,
    /// The true θ, where it is known: `reward.true`.
    pub true_theta: Option<Vec<f64>>,
    /// Names in the file that mean nothing here: additions of other tools, or misspelt.
    pub unknown: Vec<String>,
    /// Arrays that the file carries for other parts of revealed, such as the roads of a road network; not checked here. Their names
    /// have a dot, and what is before it is their owner. [`load_additions`](crate::load_additions) reads them.
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

    /// Reads a `.json` or `.npz` file. What it says is not checked yet, only that it can be read.
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
    /// The first of the [`faults`](Self::faults), or what kept the file from being written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        self.build().map_err(|fault| Error::new(path, fault))?;
        self.write(path)
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), Error> {
        match input::extension(path).as_str() {
            "json" => fields::write_json(path, &self.columns()),
            "npz" => fields::write_npz(path, &self.columns()),
            _ => Err(Error::new(path, unknown_extension(path))),
        }
    }

    /// The fields under their dotted names, in the order of the contract.
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

    /// Checks everything and freezes the problem.
    ///
    /// # Errors
    /// The first of the [`faults`](Self::faults).
    pub fn build(&self) -> Result<Problem, Fault> {
        if let Some(fault) = self.faults_of_columns().into_iter().next() {
            return Err(fault);
        }
        let mdp = self.mdp_builder().build()?;
        let features = self.features_builder().build(&mdp)?;
        Ok(Problem { mdp, features, layout: self.layout.clone(), true_theta: self.true_theta.clone() })
    }

    /// Everything that is wrong; empty if [`build`](Self::build) succeeds. What rests on columns of equal length,
    /// or on indices in range, is judged once those are.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = self.faults_of_columns();
        if !faults.is_empty() {
            return faults;
        }
        let builder = self.mdp_builder();
        match builder.build() {
            Ok(mdp) => faults.extend(self.features_builder().faults(&mdp).into_iter().map(Fault::from)),
            Err(_) => {
                faults.extend(builder.faults().into_iter().map(Fault::from));
                faults.extend(self.faults_of_features_alone());
            }
        }
        faults
    }

    /// What can be said before any number is taken for an index.
    fn faults_of_columns(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (name, count) in [("n_states", self.n_states), ("n_actions", self.n_actions), ("n_features", self.n_features)] {
            if count < 0 {
                faults.push(Fault::value(name, None, count, "a whole number, 1 or more"));
            }
        }
        faults.extend(self.start.faults(&START));
        faults.extend(negative("terminal", &self.terminal));
        faults.extend(self.transitions.faults(&TRANSITIONS));
        faults.extend(self.state_features.faults(&STATE));
        faults.extend(self.state_action_features.faults(&STATE_ACTION));
        faults.extend(self.transition_features.faults(&TRANSITION));
        faults.extend(self.reference.faults(&REFERENCE));
        faults.extend(self.layout.iter().flat_map(|layout| layout::faults(layout, self.n_states.max(0) as usize)));
        faults.extend(self.true_theta.iter().flat_map(|theta| faults_of_theta(theta, self.n_features.max(0) as usize)));
        faults
    }

    /// What can be said of the features although the MDP that they refer to is broken.
    fn faults_of_features_alone(&self) -> Vec<Fault> {
        let [n_states, n_actions, n_features] = [self.n_states, self.n_actions, self.n_features].map(|count| count as usize);
        let mut faults = self.state_features.out_of_range(&STATE, [n_states, n_features]);
        faults.extend(self.state_action_features.out_of_range(&STATE_ACTION, [n_states, n_actions, n_features]));
        faults.extend(self.transition_features.out_of_range(&TRANSITION, [self.transitions.len(), n_features]));
        if !self.names.is_empty() && self.names.len() != n_features {
            let (found, expected) = (self.names.len(), n_features);
            faults.push(revealed::Error::Length { what: "features.names", found, expected }.into());
        }
        faults
    }

    fn mdp_builder(&self) -> MdpBuilder {
        let mut builder = MdpBuilder::new(self.n_states as usize, self.n_actions as usize);
        builder.discount(self.discount);
        for ([state], p) in self.start.rows() {
            builder.start(state, p);
        }
        for &state in &self.terminal {
            builder.terminal(state as usize);
        }
        for ([from, action, to], p) in self.transitions.rows() {
            builder.transition(from, action, to, p);
        }
        for ([state, action], p) in self.reference.rows() {
            builder.reference(state, action, p);
        }
        builder
    }

    fn features_builder(&self) -> FeaturesBuilder {
        let mut builder = FeaturesBuilder::new(self.n_features as usize);
        builder.names(self.names.clone());
        for ([state, feature], value) in self.state_features.rows() {
            builder.state(state, feature, value);
        }
        for ([state, action, feature], value) in self.state_action_features.rows() {
            builder.state_action(state, action, feature, value);
        }
        for ([transition, feature], value) in self.transition_features.rows() {
            builder.transition(transition, feature, value);
        }
        builder
    }
}

fn unknown_extension(path: &Path) -> Fault {
    input::unknown_extension(path, "a problem is a", ".json or .npz file")
}

fn count(fields: &mut Fields, name: &str) -> Result<i64, Fault> {
    fields.integer(name)?.ok_or_else(|| Fault::missing(name))
}
