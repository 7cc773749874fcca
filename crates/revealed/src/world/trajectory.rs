//! τ and 𝓓: trajectories and sets of demonstrations.

use std::collections::BTreeSet;

use crate::Error;
use crate::error::DemonstrationFault;
use crate::world::{Mdp, TripColumns, TripValue};

/// A path s_1 a_1 s_2 … s_l: one action fewer than states.
#[derive(Debug, Clone, PartialEq)]
pub struct Trajectory {
    /// s_1 … s_l.
    pub states: Vec<usize>,
    /// a_1 … a_{l-1}.
    pub actions: Vec<usize>,
    /// Its weight in the likelihood; 1 unless set.
    pub weight: f64,
    /// A name that appears in error messages.
    pub id: Option<String>,
    /// What is known of it besides the path, such as its hour or its driver.
    pub trip: TripColumns,
}

impl Trajectory {
    /// A path of weight 1.
    pub fn new(states: Vec<usize>, actions: Vec<usize>) -> Self {
        Trajectory { states, actions, weight: 1.0, id: None, trip: TripColumns::new() }
    }

    /// The transition numbers along the path.
    ///
    /// # Errors
    /// The first fault, if it is not a path of this MDP.
    pub fn transitions(&self, mdp: &Mdp) -> Result<Vec<usize>, DemonstrationFault> {
        let transitions = self.steps(mdp)?;
        match transitions.iter().position(|&transition| mdp.reference_probability(transition) == 0.0) {
            Some(step) => Err(DemonstrationFault::Reference { step, state: self.states[step], action: self.actions[step] }),
            None => Ok(transitions),
        }
    }

    /// The same for a path that the reference policy need not be able to take.
    pub(crate) fn steps(&self, mdp: &Mdp) -> Result<Vec<usize>, DemonstrationFault> {
        if self.states.is_empty() {
            return Err(DemonstrationFault::Empty);
        }
        if self.actions.len() + 1 != self.states.len() {
            return Err(DemonstrationFault::ActionCount { states: self.states.len(), actions: self.actions.len() });
        }
        if let Some(step) = self.states.iter().position(|&state| state >= mdp.n_states()) {
            return Err(DemonstrationFault::State { step, state: self.states[step], count: mdp.n_states() });
        }
        let mut transitions = Vec::with_capacity(self.actions.len());
        for (step, (&action, pair)) in self.actions.iter().zip(self.states.windows(2)).enumerate() {
            let (state, to) = (pair[0], pair[1]);
            if mdp.is_terminal(state) {
                return Err(DemonstrationFault::AfterTerminal { step, state });
            }
            if mdp.choice(state, action).is_none() {
                return Err(DemonstrationFault::Action { step, state, action });
            }
            let Some(transition) = mdp.transition(state, action, to) else {
                return Err(DemonstrationFault::Transition { step, state, action, to });
            };
            transitions.push(transition);
        }
        Ok(transitions)
    }
}

/// 𝓓: demonstrations that were checked against their MDP, stored in flat arrays.
#[derive(Debug, Clone, PartialEq)]
pub struct Demonstrations {
    offsets: Vec<usize>,
    states: Vec<u32>,
    /// The transition of each step; the entry of a last state is unused.
    transitions: Vec<u32>,
    weights: Vec<f64>,
    ids: Vec<Option<String>>,
    trips: Vec<TripColumns>,
}

impl Demonstrations {
    /// Checks each trajectory against the MDP.
    ///
    /// # Errors
    /// The first fault, with the index of its demonstration.
    pub fn new(mdp: &Mdp, trajectories: &[Trajectory]) -> Result<Self, Error> {
        let mut demonstrations = Demonstrations::empty();
        for (index, trajectory) in trajectories.iter().enumerate() {
            let transitions =
                check(mdp, trajectory).map_err(|fault| Error::Demonstration { index, id: trajectory.id.clone(), fault })?;
            demonstrations.push(trajectory, &transitions);
        }
        match total_fault(trajectories) {
            Some(fault) => Err(fault),
            None => Ok(demonstrations),
        }
    }

    /// All faults of these trajectories; empty if [`new`](Self::new) succeeds.
    pub fn faults(mdp: &Mdp, trajectories: &[Trajectory]) -> Vec<Error> {
        let mut faults: Vec<Error> = (trajectories.iter().enumerate())
            .filter_map(|(index, trajectory)| {
                let fault = check(mdp, trajectory).err()?;
                Some(Error::Demonstration { index, id: trajectory.id.clone(), fault })
            })
            .collect();
        if faults.is_empty() {
            faults.extend(total_fault(trajectories));
        }
        faults
    }

    fn empty() -> Self {
        let (states, transitions, weights, ids, trips) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Demonstrations { offsets: vec![0], states, transitions, weights, ids, trips }
    }

    fn push(&mut self, trajectory: &Trajectory, transitions: &[usize]) {
        self.states.extend(trajectory.states.iter().map(|&state| state as u32));
        self.transitions.extend(transitions.iter().map(|&transition| transition as u32));
        self.transitions.push(u32::MAX);
        self.offsets.push(self.states.len());
        self.weights.push(trajectory.weight);
        self.ids.push(trajectory.id.clone());
        self.trips.push(trajectory.trip.clone());
    }

    /// The demonstrations with these indices, in this order. At least one must have a positive weight.
    pub(crate) fn subset(&self, indices: &[usize]) -> Demonstrations {
        let mut subset = Demonstrations::empty();
        for &index in indices {
            let span = self.offsets[index]..self.offsets[index + 1];
            subset.states.extend_from_slice(&self.states[span.clone()]);
            subset.transitions.extend_from_slice(&self.transitions[span]);
            subset.offsets.push(subset.states.len());
            subset.weights.push(self.weights[index]);
            subset.ids.push(self.ids[index].clone());
            subset.trips.push(self.trips[index].clone());
        }
        subset
    }

    /// |𝓓|.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Always false: an empty set is rejected.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// L: the number of states of the longest demonstration.
    pub fn longest(&self) -> usize {
        self.offsets.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }

    /// The states of one demonstration.
    pub fn states(&self, index: usize) -> &[u32] {
        &self.states[self.offsets[index]..self.offsets[index + 1]]
    }

    /// The transitions of one demonstration, one fewer than its states.
    pub fn transitions(&self, index: usize) -> &[u32] {
        &self.transitions[self.offsets[index]..self.offsets[index + 1] - 1]
    }

    /// The weight of one demonstration.
    pub fn weight(&self, index: usize) -> f64 {
        self.weights[index]
    }

    /// The weights of all.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The id of one demonstration.
    pub fn id(&self, index: usize) -> Option<&str> {
        self.ids[index].as_deref()
    }

    /// What is known of one demonstration besides its path.
    pub fn trip(&self, index: usize) -> &TripColumns {
        &self.trips[index]
    }

    /// The error that a demonstration lacks a column, with the columns that there are.
    pub(crate) fn no_column(&self, index: usize, column: &str) -> Error {
        let known: BTreeSet<&String> = self.trips.iter().flat_map(|trip| trip.keys()).collect();
        let known = known.into_iter().cloned().collect();
        let fault = DemonstrationFault::NoTripColumn { column: column.to_string(), known };
        Error::Demonstration { index, id: self.ids[index].clone(), fault }
    }

    /// The error that the value of a column is no number.
    pub(crate) fn not_a_number(&self, index: usize, column: &str, value: &TripValue) -> Error {
        let fault = DemonstrationFault::TripText { column: column.to_string(), value: value.to_string() };
        Error::Demonstration { index, id: self.ids[index].clone(), fault }
    }

    /// One demonstration as a path of this MDP, which is that of [`new`](Self::new).
    pub fn trajectory(&self, mdp: &Mdp, index: usize) -> Trajectory {
        let actions = self.transitions(index).iter().map(|&step| mdp.action_of(mdp.choice_of()[step as usize] as usize));
        let states = self.states(index).iter().map(|&state| state as usize);
        Trajectory {
            weight: self.weight(index),
            id: self.id(index).map(str::to_string),
            trip: self.trip(index).clone(),
            ..Trajectory::new(states.collect(), actions.collect())
        }
    }

    /// The sum of the weights.
    pub fn total_weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// log q(τ) of one demonstration: log p0(s_1) + Σ log T + log π0.
    pub fn log_q(&self, mdp: &Mdp, index: usize) -> f64 {
        let start = mdp.start_probability(self.states(index)[0] as usize).ln();
        start + self.transitions(index).iter().map(|&transition| mdp.log_base_weight(transition as usize)).sum::<f64>()
    }
}

fn total_fault(trajectories: &[Trajectory]) -> Option<Error> {
    weight_sum_fault(trajectories.iter().map(|trajectory| trajectory.weight).sum())
}

/// What is wrong with a sum of weights.
pub(crate) fn weight_sum_fault(total: f64) -> Option<Error> {
    if !total.is_finite() {
        return Some(Error::WeightSum(total));
    }
    (total <= 0.0).then_some(Error::NoDemonstrations)
}

fn check(mdp: &Mdp, trajectory: &Trajectory) -> Result<Vec<usize>, DemonstrationFault> {
    if !(trajectory.weight.is_finite() && trajectory.weight >= 0.0) {
        return Err(DemonstrationFault::Weight(trajectory.weight));
    }
    trip_fault(&trajectory.trip)?;
    let transitions = trajectory.transitions(mdp)?;
    let state = trajectory.states[0];
    if mdp.start_probability(state) == 0.0 {
        return Err(DemonstrationFault::Start { state });
    }
    Ok(transitions)
}

/// Rejects a number that is not finite.
pub(crate) fn trip_fault(trip: &TripColumns) -> Result<(), DemonstrationFault> {
    let bad = |value: &TripValue| matches!(value, TripValue::Number(number) if !number.is_finite());
    match trip.iter().find(|(_, value)| bad(value)) {
        Some((column, _)) => Err(DemonstrationFault::TripValue { column: column.clone() }),
        None => Ok(()),
    }
}
