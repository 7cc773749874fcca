//! From plain columns to a problem: everything is checked on the way.

use revealed::{FeaturesBuilder, MdpBuilder};

use super::columns::ProblemColumns;
use super::layout;
use super::names::{REFERENCE, START, STATE, STATE_ACTION, TRANSITION, TRANSITIONS};
use super::problem::{Problem, faults_of_theta};
use crate::Fault;
use crate::files::column::negative;

impl ProblemColumns {
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

    /// Everything that is wrong; empty if [`build`](Self::build) succeeds. Checks that need columns of equal length, or
    /// indices in range, are made once these hold.
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

    /// The faults that show before any number is used as an index.
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

    /// The faults of the features that show although the MDP that they refer to is broken.
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
