//! φ_s, φ_sa, φ_sas' and Θ: three sparse blocks over one parameter vector.

use crate::Error;
use crate::numeric::rounding::is_reward_known;
use crate::numeric::vector::all_finite;
use crate::world::feature_names::{check_names, name_of};
use crate::world::{Demonstrations, Mdp, Reward};

/// The maximum number of parameters: a longer vector would not fit into memory.
const MOST_FEATURES: usize = 100_000_000;

/// Collects features. [`build`](FeaturesBuilder::build) checks them against an MDP and returns [`Features`]. If several
/// values are given for the same entry, they are added.
#[derive(Debug, Clone, Default)]
pub struct FeaturesBuilder {
    n_features: usize,
    names: Vec<String>,
    state: Vec<(usize, usize, f64)>,
    state_action: Vec<(usize, usize, usize, f64)>,
    transition: Vec<(usize, usize, f64)>,
}

impl FeaturesBuilder {
    /// Starts with a parameter vector of this length and no features.
    pub fn new(n_features: usize) -> Self {
        FeaturesBuilder { n_features, ..Default::default() }
    }

    /// Names the parameters: all of them, or none.
    pub fn names(&mut self, names: Vec<String>) -> &mut Self {
        self.names = names;
        self
    }

    /// Adds `value` to entry `feature` of φ_s(state).
    pub fn state(&mut self, state: usize, feature: usize, value: f64) -> &mut Self {
        self.state.push((state, feature, value));
        self
    }

    /// Adds `value` to entry `feature` of φ_sa(state, action). A pair that the MDP does not offer is never visited, and
    /// its features are ignored.
    pub fn state_action(&mut self, state: usize, action: usize, feature: usize, value: f64) -> &mut Self {
        self.state_action.push((state, action, feature, value));
        self
    }

    /// Adds `value` to entry `feature` of φ_sas' for the transition in this row of the
    /// [`MdpBuilder`](crate::MdpBuilder).
    pub fn transition(&mut self, row: usize, feature: usize, value: f64) -> &mut Self {
        self.transition.push((row, feature, value));
        self
    }

    /// All faults; empty if [`build`](Self::build) succeeds.
    pub fn faults(&self, mdp: &Mdp) -> Vec<Error> {
        let mut faults = Vec::new();
        if self.n_features < 1 || self.n_features > MOST_FEATURES {
            faults.push(Error::Count { what: "n_features", value: self.n_features, least: 1, most: MOST_FEATURES });
        }
        if !self.names.is_empty() && self.names.len() != self.n_features {
            faults.push(Error::Length { what: "features.names", found: self.names.len(), expected: self.n_features });
        }
        faults.extend(check_names(&self.names).err());
        for (row, &(state, feature, value)) in self.state.iter().enumerate() {
            let table = "features.state";
            self.check_row(table, row, &[("state", state, mdp.n_states())], feature, value, &mut faults);
        }
        for (row, &(state, action, feature, value)) in self.state_action.iter().enumerate() {
            let table = "features.state_action";
            let indices = [("state", state, mdp.n_states()), ("action", action, mdp.n_actions())];
            self.check_row(table, row, &indices, feature, value, &mut faults);
        }
        for (row, &(transition, feature, value)) in self.transition.iter().enumerate() {
            let table = "features.transition";
            self.check_row(table, row, &[("transition", transition, mdp.n_rows())], feature, value, &mut faults);
        }
        faults
    }

    fn check_row(
        &self,
        table: &'static str,
        row: usize,
        indices: &[(&'static str, usize, usize)],
        feature: usize,
        value: f64,
        faults: &mut Vec<Error>,
    ) {
        for &(what, index, count) in indices.iter().chain(&[("feature", feature, self.n_features)]) {
            if index >= count {
                faults.push(Error::OutOfRange { table, row, what, index, count });
            }
        }
        if !value.is_finite() {
            faults.push(Error::BadNumber { table, row, what: "value", value, expected: "a finite number" });
        }
    }

    /// Checks everything and freezes the features.
    ///
    /// # Errors
    /// The first of the [`faults`](Self::faults).
    pub fn build(&self, mdp: &Mdp) -> Result<Features, Error> {
        if let Some(fault) = self.faults(mdp).into_iter().next() {
            return Err(fault);
        }
        let choices = (self.state_action.iter())
            .filter_map(|&(state, action, feature, value)| Some((mdp.choice(state, action)?, feature, value)));
        let transitions =
            self.transition.iter().filter_map(|&(row, feature, value)| Some((mdp.transition_of_row(row)?, feature, value)));
        Ok(Features {
            n_features: self.n_features,
            names: self.names.clone(),
            state: Sparse::new(mdp.n_states(), self.state.clone()),
            choice: Sparse::new(mdp.n_choices(), choices.collect()),
            transition: Sparse::new(mdp.n_transitions(), transitions.collect()),
        })
    }
}

/// The features φ_s, φ_sa and φ_sas', which share one parameter vector θ.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    n_features: usize,
    names: Vec<String>,
    state: Sparse,
    choice: Sparse,
    transition: Sparse,
}

/// Σ_t γ^{t-1} p_t: the expected discounted number of visits of each state and each transition.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Occupancy {
    /// Σ_t γ^{t-1} p_t(s) of each state.
    pub state: Vec<f64>,
    /// Σ_t γ^{t-1} p_t(s, a, s') of each transition; empty if it was not requested.
    pub transition: Vec<f64>,
}

impl Occupancy {
    /// Σ_t γ^{t-1} p_t(s, a) of each choice: the sums over its outcomes.
    pub fn choice(&self, mdp: &Mdp) -> Vec<f64> {
        let mut choice = vec![0.0; mdp.n_choices()];
        for (&visits, &of) in self.transition.iter().zip(mdp.choice_of()) {
            choice[of as usize] += visits;
        }
        choice
    }
}

impl Features {
    /// One indicator per state.
    pub fn one_hot(mdp: &Mdp) -> Features {
        let mut builder = FeaturesBuilder::new(mdp.n_states());
        for state in 0..mdp.n_states() {
            builder.state(state, state, 1.0);
        }
        builder.build(mdp).expect("indicators are valid features")
    }

    /// The same parameters with other entries (row, feature, value) of the three blocks, for an MDP of these sizes.
    pub(crate) fn with_entries(&self, mdp: &Mdp, entries: [Vec<(usize, usize, f64)>; 3]) -> Features {
        let [state, choice, transition] = entries;
        Features {
            n_features: self.n_features,
            names: self.names.clone(),
            state: Sparse::new(mdp.n_states(), state),
            choice: Sparse::new(mdp.n_choices(), choice),
            transition: Sparse::new(mdp.n_transitions(), transition),
        }
    }

    /// The length of θ.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// The names of the parameters; empty if none were given.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of one parameter as texts show it (see [`shown`](crate::shown)), or its number.
    pub fn name(&self, feature: usize) -> String {
        name_of(&self.names, feature)
    }

    /// Whether all features are features of states, so that no reward depends on the action or on the next state.
    pub fn on_states_only(&self) -> bool {
        self.choice.is_zero() && self.transition.is_zero()
    }

    /// The feature blocks as (feature, value) rows: states, choices (s, a), transitions.
    pub fn blocks(&self) -> [&Sparse; 3] {
        [&self.state, &self.choice, &self.transition]
    }

    /// R = θᵀφ, with R_sa and R_sas' folded into one number per transition.
    ///
    /// # Errors
    /// If θ has the wrong length or is not finite, or a reward is not; [`Error::FeaturesCancel`] if rounding is all that
    /// is left of a reward.
    pub fn reward(&self, mdp: &Mdp, theta: &[f64]) -> Result<Reward, Error> {
        self.check_theta(theta)?;
        let state = self.state.times(theta);
        let mut transition = Vec::new();
        if !self.on_states_only() {
            let of_choice = self.choice.times(theta);
            transition = self.transition.times(theta);
            for (reward, &choice) in transition.iter_mut().zip(mdp.choice_of()) {
                *reward += of_choice[choice as usize];
            }
        }
        let reward = Reward { state, transition };
        reward.check(mdp)?;
        self.check_digits(mdp, theta, &reward)?;
        Ok(reward)
    }

    /// Refuses a reward that is what rounding leaves of terms that cancel.
    fn check_digits(&self, mdp: &Mdp, theta: &[f64], reward: &Reward) -> Result<(), Error> {
        let largest = |numbers: &[f64]| numbers.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
        let value = self.blocks().map(|block| largest(&block.value)).into_iter().fold(0.0, f64::max);
        let terms = 2 * self.n_features;
        if is_reward_known(0.0, largest(theta) * value * terms as f64) {
            return Ok(());
        }
        let lost = |payer: &'static str, state: usize, rows: &[(&Sparse, usize)], reward: f64| {
            let terms = || rows.iter().flat_map(|(block, row)| block.row(*row)).map(|(k, value)| (k, theta[k] * value));
            let size: f64 = terms().map(|term| term.1.abs()).sum();
            let largest = terms().reduce(|one, other| if other.1.abs() > one.1.abs() { other } else { one });
            match largest {
                Some((feature, term)) if !is_reward_known(reward, size) => {
                    Err(Error::FeaturesCancel { feature, term, payer, state })
                }
                _ => Ok(()),
            }
        };
        let mut states = reward.state.iter().enumerate();
        states.try_for_each(|(state, &reward)| lost("state", state, &[(&self.state, state)], reward))?;
        reward.transition.iter().enumerate().try_for_each(|(transition, &reward)| {
            let (choice, from) = (mdp.choice_of()[transition] as usize, mdp.from()[transition] as usize);
            lost("a transition from state", from, &[(&self.choice, choice), (&self.transition, transition)], reward)
        })
    }

    /// Rejects a θ of the wrong length or with entries that are not finite.
    ///
    /// # Errors
    /// [`Error::Length`] or [`Error::NotFinite`].
    pub fn check_theta(&self, theta: &[f64]) -> Result<(), Error> {
        check_theta(theta, self.n_features)
    }

    /// E[φ(τ)] = Σ φ · occupancy (eq:s-grad, eq:sa-grad, eq:sas-grad).
    ///
    /// # Erratum
    /// The printed equations sum the marginals without the factor γ^{t-1}. The occupancy includes it.
    pub fn expectation(&self, mdp: &Mdp, occupancy: &Occupancy) -> Vec<f64> {
        let mut expectation = vec![0.0; self.n_features];
        self.state.add_transposed(&occupancy.state, &mut expectation);
        if !self.on_states_only() {
            self.choice.add_transposed(&occupancy.choice(mdp), &mut expectation);
            self.transition.add_transposed(&occupancy.transition, &mut expectation);
        }
        expectation
    }

    /// One feature: φ(s) of each state, and φ(s,a) + Σ_s' T(s'|s,a) φ(s,a,s') of each choice.
    pub(crate) fn of_one(&self, mdp: &Mdp, feature: usize) -> (Vec<f64>, Vec<f64>) {
        let of = |block: &Sparse, row: usize| block.row(row).find(|entry| entry.0 == feature).map_or(0.0, |entry| entry.1);
        let of_state = (0..mdp.n_states()).map(|state| of(&self.state, state)).collect();
        if self.on_states_only() {
            return (of_state, vec![0.0; mdp.n_choices()]);
        }
        let of_choice = |choice: usize| {
            let outcomes = mdp.outcomes(choice);
            of(&self.choice, choice) + outcomes.map(|t| mdp.probability()[t] * of(&self.transition, t)).sum::<f64>()
        };
        (of_state, (0..mdp.n_choices()).map(of_choice).collect())
    }

    /// Σ |φ| · occupancy.
    pub(crate) fn absolute_expectation(&self, mdp: &Mdp, occupancy: &Occupancy) -> Vec<f64> {
        let absolute =
            |block: &Sparse| Sparse { value: block.value.iter().map(|value| value.abs()).collect(), ..block.clone() };
        let [state, choice, transition] = [&self.state, &self.choice, &self.transition].map(absolute);
        Features { state, choice, transition, names: Vec::new(), ..*self }.expectation(mdp, occupancy)
    }

    /// φ(τ) = Σ_t γ^{t-1} φ of one demonstration.
    pub fn of_path(&self, mdp: &Mdp, demonstrations: &Demonstrations, index: usize) -> Vec<f64> {
        let mut sum = vec![0.0; self.n_features];
        self.add_path(mdp, demonstrations, index, 1.0, &mut sum);
        sum
    }

    /// Adds `factor` times φ(τ).
    pub(crate) fn add_path(&self, mdp: &Mdp, demonstrations: &Demonstrations, index: usize, factor: f64, sum: &mut [f64]) {
        let transitions = demonstrations.transitions(index);
        let mut discount = factor;
        for (step, &state) in demonstrations.states(index).iter().enumerate() {
            self.state.add_row(state as usize, discount, sum);
            if let Some(&transition) = transitions.get(step) {
                self.choice.add_row(mdp.choice_of()[transition as usize] as usize, discount, sum);
                self.transition.add_row(transition as usize, discount, sum);
            }
            discount *= mdp.discount();
        }
    }
}

/// Rejects a θ of the wrong length or with entries that are not finite.
pub(crate) fn check_theta(theta: &[f64], expected: usize) -> Result<(), Error> {
    if theta.len() != expected {
        return Err(Error::Length { what: "theta", found: theta.len(), expected });
    }
    all_finite("theta", theta)
}

/// A sparse matrix, stored by rows: one row per state, choice or transition, and one column per feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    offsets: Vec<usize>,
    column: Vec<u32>,
    value: Vec<f64>,
}

impl Sparse {
    fn new(n_rows: usize, mut entries: Vec<(usize, usize, f64)>) -> Self {
        entries.sort_by_key(|entry| (entry.0, entry.1));
        entries.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        let mut offsets = vec![0; n_rows + 1];
        for entry in &entries {
            offsets[entry.0 + 1] += 1;
        }
        for row in 0..n_rows {
            offsets[row + 1] += offsets[row];
        }
        let column = entries.iter().map(|entry| entry.1 as u32).collect();
        let value = entries.iter().map(|entry| entry.2).collect();
        Sparse { offsets, column, value }
    }

    /// Whether nothing is stored.
    pub fn is_zero(&self) -> bool {
        self.value.is_empty()
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The (feature, value) entries of one row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.offsets[row]..self.offsets[row + 1];
        self.column[range.clone()].iter().map(|&column| column as usize).zip(self.value[range].iter().copied())
    }

    fn times(&self, theta: &[f64]) -> Vec<f64> {
        (0..self.n_rows()).map(|row| self.row(row).map(|(column, value)| theta[column] * value).sum()).collect()
    }

    fn add_row(&self, row: usize, factor: f64, sum: &mut [f64]) {
        for (column, value) in self.row(row) {
            sum[column] += factor * value;
        }
    }

    fn add_transposed(&self, weights: &[f64], sum: &mut [f64]) {
        for (row, &weight) in weights.iter().enumerate() {
            if weight != 0.0 {
                self.add_row(row, weight, sum);
            }
        }
    }
}
