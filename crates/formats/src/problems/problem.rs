//! A problem: an MDP without its reward, and its features.

use std::path::Path;

use revealed::worlds::{Layout, World};
use revealed::{Features, Mdp};
use serde_json::Value;

use super::columns::ProblemColumns;
use super::digest::digest;
use super::layout;
use crate::files::column::not_finite;
use crate::{Error, Fault};

/// The field `format` of problem files.
pub const PROBLEM_FORMAT: &str = "revealed-problem/1";

/// An MDP without its reward, and its features, checked; with the layout and the true θ if the file has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// 𝓜 without R.
    pub mdp: Mdp,
    /// φ.
    pub features: Features,
    /// Where the states are drawn.
    pub layout: Option<Layout>,
    /// The true θ, if it is known.
    pub true_theta: Option<Vec<f64>>,
}

impl From<World> for Problem {
    /// A world with its layout and its true θ.
    fn from(world: World) -> Problem {
        Problem { mdp: world.mdp, features: world.features, layout: Some(world.layout), true_theta: Some(world.theta) }
    }
}

impl Problem {
    /// Reads and checks a `.json` or `.npz` file.
    ///
    /// # Errors
    /// The first fault; [`ProblemColumns::faults`] lists all.
    pub fn load(path: impl AsRef<Path>) -> Result<Problem, Error> {
        let path = path.as_ref();
        ProblemColumns::load(path)?.build().map_err(|fault| Error::new(path, fault))
    }

    /// A problem of the content of its `.json` file, checked.
    ///
    /// # Errors
    /// The first fault.
    pub fn of_json(document: Value) -> Result<Problem, Fault> {
        ProblemColumns::of_json(document)?.build()
    }

    /// The content of its `.json` file. Transitions are in the order of the MDP.
    pub fn to_json(&self) -> Result<Value, Fault> {
        self.columns().to_json()
    }

    /// Writes a `.json` or `.npz` file. Transitions are in the order of the MDP.
    ///
    /// # Errors
    /// If the layout or the true θ do not fit the problem, or the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let layout = self.layout.iter().flat_map(|layout| layout::faults(layout, self.mdp.n_states()));
        let theta = self.true_theta.iter().flat_map(|theta| faults_of_theta(theta, self.features.n_features()));
        match layout.chain(theta).next() {
            Some(fault) => Err(Error::new(path, fault)),
            None => self.columns().write(path),
        }
    }

    /// The problem as plain columns.
    pub fn columns(&self) -> ProblemColumns {
        let (mdp, features) = (&self.mdp, &self.features);
        let mut columns = ProblemColumns::new(mdp.n_states(), mdp.n_actions(), features.n_features());
        columns.discount = mdp.discount();
        for &(state, p) in mdp.start() {
            columns.start.push([state], p);
        }
        columns.terminal = (0..mdp.n_states()).filter(|&state| mdp.is_terminal(state)).map(|state| state as i64).collect();
        for (transition, &p) in mdp.probability().iter().enumerate() {
            let choice = mdp.choice_of()[transition] as usize;
            columns.transitions.push([mdp.state_of(choice), mdp.action_of(choice), mdp.to()[transition] as usize], p);
        }
        for (choice, &p) in mdp.reference().into_iter().flatten().enumerate() {
            columns.reference.push([mdp.state_of(choice), mdp.action_of(choice)], p);
        }
        let [by_state, by_choice, by_transition] = features.blocks();
        for (state, feature, value) in entries(by_state) {
            columns.state_features.push([state, feature], value);
        }
        for (choice, feature, value) in entries(by_choice) {
            columns.state_action_features.push([mdp.state_of(choice), mdp.action_of(choice), feature], value);
        }
        for (transition, feature, value) in entries(by_transition) {
            columns.transition_features.push([transition, feature], value);
        }
        columns.names = features.names().to_vec();
        columns.layout = self.layout.clone();
        columns.true_theta = self.true_theta.clone();
        columns
    }

    /// A fingerprint of the MDP and the features: the same for the same content in either format and in any order
    /// of rows. Names, layout, true θ and feature values of 0 do not change it.
    pub fn digest(&self) -> String {
        digest(&self.mdp, &self.features)
    }
}

/// The (row, feature, value) entries of a block.
pub(crate) fn entries(block: &revealed::Sparse) -> impl Iterator<Item = (usize, usize, f64)> {
    (0..block.n_rows()).flat_map(|row| block.row(row).map(move |(feature, value)| (row, feature, value)))
}

/// A known θ of the wrong length, or with numbers that are not finite.
pub(crate) fn faults_of_theta(theta: &[f64], n_features: usize) -> Vec<Fault> {
    let mut faults = Vec::new();
    if theta.len() != n_features {
        let why = format!("there are {n_features} features");
        faults.push(Fault::entries("reward.true", theta.len(), n_features, why));
    }
    faults.extend(not_finite("reward.true", theta));
    faults
}
