//! 𝓜 without R: a sparse Markov decision process, checked once when it is built.

mod builder;

pub use builder::MdpBuilder;

use crate::Error;
use crate::numeric::Scaled;

/// A Markov decision process without its reward: the states, the actions that each offers, their outcomes, the states
/// where episodes start and end, and the discount.
///
/// Stored as two levels of compressed rows: state → *choices* (s, a) → *transitions* (s, a, s').
/// Choices and transitions are numbered in the order of (s, a, s'). A terminal state has no choices.
#[derive(Debug, Clone, PartialEq)]
pub struct Mdp {
    n_actions: usize,
    discount: f64,
    start: Vec<(usize, f64)>,
    is_terminal: Vec<bool>,
    first_choice: Vec<u32>,
    choice_state: Vec<u32>,
    choice_action: Vec<u32>,
    first_outcome: Vec<u32>,
    from: Vec<u32>,
    choice_of: Vec<u32>,
    to: Vec<u32>,
    probability: Vec<f64>,
    reference: Option<Vec<f64>>,
    transition_of_row: Vec<Option<u32>>,
}

impl Mdp {
    fn empty(n_states: usize, n_actions: usize, discount: f64, is_terminal: Vec<bool>) -> Self {
        let mut first_choice = Vec::with_capacity(n_states + 1);
        first_choice.push(0);
        Mdp {
            n_actions,
            discount,
            start: Vec::new(),
            is_terminal,
            first_choice,
            choice_state: Vec::new(),
            choice_action: Vec::new(),
            first_outcome: Vec::new(),
            from: Vec::new(),
            choice_of: Vec::new(),
            to: Vec::new(),
            probability: Vec::new(),
            reference: None,
            transition_of_row: Vec::new(),
        }
    }

    /// Appends a transition. The caller adds transitions in the order of (from, action, to).
    fn push(&mut self, from: usize, action: usize, to: usize, p: f64) {
        let same_choice =
            self.choice_state.last() == Some(&(from as u32)) && self.choice_action.last() == Some(&(action as u32));
        if !same_choice {
            while self.first_choice.len() <= from {
                self.first_choice.push(self.choice_state.len() as u32);
            }
            self.choice_state.push(from as u32);
            self.choice_action.push(action as u32);
            self.first_outcome.push(self.to.len() as u32);
        }
        self.from.push(from as u32);
        self.choice_of.push(self.choice_state.len() as u32 - 1);
        self.to.push(to as u32);
        self.probability.push(p);
    }

    fn close(&mut self) {
        while self.first_choice.len() <= self.is_terminal.len() {
            self.first_choice.push(self.choice_state.len() as u32);
        }
        self.first_outcome.push(self.to.len() as u32);
    }

    /// The same MDP with another discount γ.
    ///
    /// # Errors
    /// [`Error::Discount`] if it is not in [0, 1].
    pub fn with_discount(mut self, discount: f64) -> Result<Mdp, Error> {
        if !(0.0..=1.0).contains(&discount) {
            return Err(Error::Discount(discount));
        }
        self.discount = discount;
        Ok(self)
    }

    /// The same MDP, with the same numbers of states, choices and transitions, in which no path begins in some states
    /// and some choices are never taken: their π0 is 0. What remains is not normalised: p0 and π0 of what is open stay
    /// as they are, so that their sums may be below 1.
    pub(crate) fn restricted(mut self, begins: impl Fn(usize) -> bool, is_open: impl Fn(usize) -> bool) -> Mdp {
        self.start.retain(|row| begins(row.0));
        let mut reference = self.reference.take().unwrap_or_else(|| vec![1.0; self.n_choices()]);
        reference.iter_mut().enumerate().filter(|row| !is_open(row.0)).for_each(|row| *row.1 = 0.0);
        self.reference = Some(reference);
        self
    }

    /// |𝓢|.
    pub fn n_states(&self) -> usize {
        self.is_terminal.len()
    }

    /// |𝓐|.
    pub fn n_actions(&self) -> usize {
        self.n_actions
    }

    /// The number of (s, a) pairs that are offered.
    pub fn n_choices(&self) -> usize {
        self.choice_state.len()
    }

    /// The number of (s, a, s') with T(s'|s, a) > 0, out of states that are not terminal.
    pub fn n_transitions(&self) -> usize {
        self.to.len()
    }

    /// γ.
    pub fn discount(&self) -> f64 {
        self.discount
    }

    /// The states with p0(s) > 0 and their probabilities, in the order of the states.
    pub fn start(&self) -> &[(usize, f64)] {
        &self.start
    }

    /// p0(state).
    pub fn start_probability(&self, state: usize) -> f64 {
        self.start.binary_search_by_key(&state, |row| row.0).map_or(0.0, |place| self.start[place].1)
    }

    /// Whether the state ends an episode.
    pub fn is_terminal(&self, state: usize) -> bool {
        self.is_terminal[state]
    }

    /// The choices (s, a) of a state, as a range of choice numbers.
    pub fn choices(&self, state: usize) -> std::ops::Range<usize> {
        self.first_choice[state] as usize..self.first_choice[state + 1] as usize
    }

    /// The choice number of (state, action), if the state offers it.
    pub fn choice(&self, state: usize, action: usize) -> Option<usize> {
        let choices = self.choices(state);
        let action = u32::try_from(action).ok()?;
        self.choice_action[choices.clone()].binary_search(&action).ok().map(|place| choices.start + place)
    }

    /// The state of a choice.
    pub fn state_of(&self, choice: usize) -> usize {
        self.choice_state[choice] as usize
    }

    /// The action of a choice.
    pub fn action_of(&self, choice: usize) -> usize {
        self.choice_action[choice] as usize
    }

    /// The transitions of a choice, as a range of transition numbers.
    pub fn outcomes(&self, choice: usize) -> std::ops::Range<usize> {
        self.first_outcome[choice] as usize..self.first_outcome[choice + 1] as usize
    }

    /// 𝓒(s): the transitions out of a state, as a range of transition numbers.
    pub fn children(&self, state: usize) -> std::ops::Range<usize> {
        let choices = self.choices(state);
        self.first_outcome[choices.start] as usize..self.first_outcome[choices.end] as usize
    }

    /// The transition number of (state, action, to), if it has a positive probability.
    pub fn transition(&self, state: usize, action: usize, to: usize) -> Option<usize> {
        let outcomes = self.outcomes(self.choice(state, action)?);
        let to = u32::try_from(to).ok()?;
        self.to[outcomes.clone()].binary_search(&to).ok().map(|place| outcomes.start + place)
    }

    /// s of each transition.
    pub fn from(&self) -> &[u32] {
        &self.from
    }

    /// The choice (s, a) of each transition.
    pub fn choice_of(&self) -> &[u32] {
        &self.choice_of
    }

    /// s' of each transition.
    pub fn to(&self) -> &[u32] {
        &self.to
    }

    /// T(s'|s, a) of each transition.
    pub fn probability(&self) -> &[f64] {
        &self.probability
    }

    /// π0(a|s) of each choice, if there is a reference policy.
    pub fn reference(&self) -> Option<&[f64]> {
        self.reference.as_deref()
    }

    /// T(s'|s, a) π0(a|s): the factor of a transition in q(τ).
    pub fn base_weight(&self, transition: usize) -> f64 {
        self.probability[transition] * self.reference_probability(transition)
    }

    /// The same, without underflow.
    pub(crate) fn scaled_base_weight(&self, transition: usize) -> Scaled {
        Scaled::from(self.probability[transition]) * Scaled::from(self.reference_probability(transition))
    }

    /// Its logarithm, without underflow.
    pub fn log_base_weight(&self, transition: usize) -> f64 {
        self.probability[transition].ln() + self.reference_probability(transition).ln()
    }

    /// π0(a|s) of a transition; 1 without a reference policy.
    pub fn reference_probability(&self, transition: usize) -> f64 {
        self.reference.as_ref().map_or(1.0, |reference| reference[self.choice_of[transition] as usize])
    }

    /// The transition that a row of the builder became; `None` for rows of probability 0 or out of terminal
    /// states.
    pub fn transition_of_row(&self, row: usize) -> Option<usize> {
        self.transition_of_row[row].map(|transition| transition as usize)
    }

    /// The number of transition rows of the builder.
    pub fn n_rows(&self) -> usize {
        self.transition_of_row.len()
    }
}
