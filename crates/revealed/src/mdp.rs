//! 𝓜 without R: a sparse Markov decision process, checked once when it is built.

use crate::{Error, Scaled};

/// How far a sum of probabilities may be from 1.
const SUM_TOLERANCE: f64 = 1e-6;
/// More states without actions than this are not listed.
const MOST_DEAD_ENDS: usize = 50;
/// States, choices and transitions are indexed by `u32`.
const MOST: usize = 1 << 30;

/// Collects the parts of an MDP; [`build`](MdpBuilder::build) checks them and freezes the result.
///
/// ```
/// let mut builder = revealed::MdpBuilder::new(3, 2);
/// builder.start(0, 1.0).terminal(2);
/// builder.transition(0, 0, 1, 1.0);
/// builder.transition(0, 1, 0, 0.5).transition(0, 1, 2, 0.5);
/// builder.transition(1, 0, 2, 1.0);
/// let mdp = builder.build()?;
/// assert_eq!(mdp.n_transitions(), 4);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MdpBuilder {
    n_states: usize,
    n_actions: usize,
    discount: f64,
    start: Vec<(usize, f64)>,
    terminal: Vec<usize>,
    transitions: Vec<(usize, usize, usize, f64)>,
    reference: Vec<(usize, usize, f64)>,
}

impl MdpBuilder {
    /// An MDP with this many states and actions, discount 1, and nothing else yet.
    pub fn new(n_states: usize, n_actions: usize) -> Self {
        MdpBuilder {
            n_states,
            n_actions,
            discount: 1.0,
            start: Vec::new(),
            terminal: Vec::new(),
            transitions: Vec::new(),
            reference: Vec::new(),
        }
    }

    /// The discount γ in [0, 1]; 1 unless set.
    pub fn discount(&mut self, discount: f64) -> &mut Self {
        self.discount = discount;
        self
    }

    /// Adds p0(state) = p.
    pub fn start(&mut self, state: usize, p: f64) -> &mut Self {
        self.start.push((state, p));
        self
    }

    /// Marks a state that ends an episode.
    pub fn terminal(&mut self, state: usize) -> &mut Self {
        self.terminal.push(state);
        self
    }

    /// Adds T(to | from, action) = p. Rows keep their order: features refer to them by number.
    pub fn transition(&mut self, from: usize, action: usize, to: usize, p: f64) -> &mut Self {
        self.transitions.push((from, action, to, p));
        self
    }

    /// Adds π0(action | state) = p to the reference policy. Without any, π0 is 1 everywhere (MaxEnt IRL);
    /// with a proper policy the model is Relative Entropy IRL. Pairs that are not named have probability 0.
    pub fn reference(&mut self, state: usize, action: usize, p: f64) -> &mut Self {
        self.reference.push((state, action, p));
        self
    }

    /// Everything that is wrong, in the order of the tables; empty if [`build`](Self::build) succeeds.
    pub fn faults(&self) -> Vec<Error> {
        self.assemble().err().unwrap_or_default()
    }

    /// Checks everything and freezes the MDP.
    ///
    /// # Errors
    /// The first of the [`faults`](Self::faults).
    pub fn build(&self) -> Result<Mdp, Error> {
        self.assemble().map_err(|faults| faults.into_iter().next().expect("a failed build names a fault"))
    }

    fn assemble(&self) -> Result<Mdp, Vec<Error>> {
        let mut faults = self.faults_of_rows();
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut is_terminal = vec![false; self.n_states];
        for &state in &self.terminal {
            if std::mem::replace(&mut is_terminal[state], true) {
                faults.push(Error::DuplicateState { table: "terminal", state });
            }
        }
        let start = self.assemble_start(&mut faults);
        let mut mdp = self.assemble_transitions(is_terminal, &mut faults);
        mdp.start = start;
        if !self.reference.is_empty() {
            mdp.reference = Some(self.assemble_reference(&mdp, &mut faults));
        }
        if faults.is_empty() { Ok(mdp) } else { Err(faults) }
    }

    /// Indices in range, numbers that are numbers, and no state without anything to do: what has to hold
    /// before tables of `n_states` entries are worth allocating.
    fn faults_of_rows(&self) -> Vec<Error> {
        let mut faults = Vec::new();
        let counts = [("n_states", self.n_states), ("n_actions", self.n_actions)];
        for (what, value) in counts {
            if !(1..=MOST).contains(&value) {
                faults.push(Error::Count { what, value, least: 1, most: MOST });
            }
        }
        if self.transitions.len() > MOST {
            faults.push(Error::Count {
                what: "the number of transitions",
                value: self.transitions.len(),
                least: 0,
                most: MOST,
            });
        }
        if !(0.0..=1.0).contains(&self.discount) {
            faults.push(Error::Discount(self.discount));
        }
        let mut index = |table, row, what, index, count| {
            if index >= count {
                faults.push(Error::OutOfRange { table, row, what, index, count });
            }
        };
        for (row, &(state, _)) in self.start.iter().enumerate() {
            index("start", row, "state", state, self.n_states);
        }
        for (row, &state) in self.terminal.iter().enumerate() {
            index("terminal", row, "state", state, self.n_states);
        }
        for (row, &(from, action, to, _)) in self.transitions.iter().enumerate() {
            index("transitions", row, "from state", from, self.n_states);
            index("transitions", row, "action", action, self.n_actions);
            index("transitions", row, "to state", to, self.n_states);
        }
        for (row, &(state, action, _)) in self.reference.iter().enumerate() {
            index("reference", row, "state", state, self.n_states);
            index("reference", row, "action", action, self.n_actions);
        }
        let tables: [(&'static str, Vec<f64>); 3] = [
            ("start", self.start.iter().map(|row| row.1).collect()),
            ("transitions", self.transitions.iter().map(|row| row.3).collect()),
            ("reference", self.reference.iter().map(|row| row.2).collect()),
        ];
        for (table, column) in tables {
            for (row, value) in column.into_iter().enumerate() {
                if !(value.is_finite() && value >= 0.0) {
                    faults.push(Error::BadNumber { table, row, what: "p", value, expected: "a finite number, 0 or more" });
                }
            }
        }
        if faults.is_empty() {
            faults.extend(self.dead_ends().into_iter().map(Error::DeadEnd));
        }
        faults
    }

    /// The first states with neither a transition nor the mark of a terminal one. Found without a table of all states:
    /// their number may be a typing error.
    fn dead_ends(&self) -> Vec<usize> {
        let mut alive: Vec<usize> = self.transitions.iter().map(|row| row.0).chain(self.terminal.iter().copied()).collect();
        alive.sort_unstable();
        alive.dedup();
        let before = std::iter::once(0).chain(alive.iter().map(|state| state + 1));
        let gaps = before.zip(alive.iter().copied().chain([self.n_states]));
        gaps.flat_map(|(from, to)| from..to).take(MOST_DEAD_ENDS).collect()
    }

    fn assemble_start(&self, faults: &mut Vec<Error>) -> Vec<(usize, f64)> {
        let mut start = self.start.clone();
        start.sort_unstable_by_key(|row| row.0);
        for pair in start.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            faults.push(Error::DuplicateState { table: "start", state: pair[0].0 });
        }
        start.retain(|row| row.1 > 0.0);
        // From 0, as the sum of no numbers is -0 otherwise.
        let sum = start.iter().fold(0.0, |sum: f64, row| sum + row.1);
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            faults.push(Error::StartSum(sum));
        }
        start
    }

    fn assemble_transitions(&self, is_terminal: Vec<bool>, faults: &mut Vec<Error>) -> Mdp {
        let mut order: Vec<u32> = (0..self.transitions.len() as u32).collect();
        order.sort_by_key(|&row| {
            let (from, action, to, _) = self.transitions[row as usize];
            (from, action, to)
        });
        let mut mdp = Mdp::empty(self.n_states, self.n_actions, self.discount, is_terminal);
        mdp.transition_of_row = vec![None; self.transitions.len()];
        let mut previous: Option<(usize, usize, usize, usize)> = None;
        for &row in &order {
            let row = row as usize;
            let (from, action, to, p) = self.transitions[row];
            if let Some((first, f, a, t)) = previous
                && (f, a, t) == (from, action, to)
            {
                faults.push(Error::DuplicateTransition { first, second: row, from, action, to });
                continue;
            }
            previous = Some((row, from, action, to));
            if mdp.is_terminal[from] {
                if from != to && p > 0.0 {
                    faults.push(Error::LeavesTerminal { row, state: from, to });
                }
                continue;
            }
            if p > 0.0 {
                mdp.transition_of_row[row] = Some(mdp.to.len() as u32);
                mdp.push(from, action, to, p);
            }
        }
        mdp.close();
        let choice_of = |&row: &u32| (self.transitions[row as usize].0, self.transitions[row as usize].1);
        for rows in order.chunk_by(|a, b| choice_of(a) == choice_of(b)) {
            let (state, action) = choice_of(&rows[0]);
            let sum: f64 = rows.iter().map(|&row| self.transitions[row as usize].3).sum();
            if !mdp.is_terminal[state] && (sum - 1.0).abs() > SUM_TOLERANCE {
                faults.push(Error::TransitionSum { state, action, sum });
            }
        }
        mdp
    }

    fn assemble_reference(&self, mdp: &Mdp, faults: &mut Vec<Error>) -> Vec<f64> {
        let mut reference = vec![f64::NAN; mdp.n_choices()];
        for (row, &(state, action, p)) in self.reference.iter().enumerate() {
            if mdp.is_terminal(state) {
                continue;
            }
            match mdp.choice(state, action) {
                Some(choice) if !reference[choice].is_nan() => faults.push(Error::DuplicateReference { row, state, action }),
                Some(choice) => reference[choice] = p,
                None if p > 0.0 => faults.push(Error::ReferenceAction { row, state, action }),
                None => {}
            }
        }
        reference.iter_mut().filter(|p| p.is_nan()).for_each(|p| *p = 0.0);
        for state in (0..mdp.n_states()).filter(|&state| !mdp.is_terminal(state)) {
            let sum: f64 = reference[mdp.choices(state)].iter().sum();
            if (sum - 1.0).abs() > SUM_TOLERANCE {
                faults.push(Error::ReferenceSum { state, sum });
            }
        }
        reference
    }
}

/// A Markov decision process without its reward: states, the actions that each offers, where they lead,
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

    /// Appends a transition; the caller goes through them in the order of (from, action, to).
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

    /// π0(a|s) of each choice, where there is a reference policy.
    pub fn reference(&self) -> Option<&[f64]> {
        self.reference.as_deref()
    }

    /// T(s'|s, a) π0(a|s): the factor of a transition in q(τ).
    pub fn base_weight(&self, transition: usize) -> f64 {
        self.probability[transition] * self.reference_probability(transition)
    }

    /// The same, also where the product is too small for an f64.
    pub(crate) fn scaled_base_weight(&self, transition: usize) -> Scaled {
        Scaled::from(self.probability[transition]) * Scaled::from(self.reference_probability(transition))
    }

    /// Its logarithm, also where the product is too small for an f64.
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

    /// How many rows the builder was given.
    pub fn n_rows(&self) -> usize {
        self.transition_of_row.len()
    }
}
