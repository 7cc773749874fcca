//! Turns rows in any order, possibly invalid, into an [`Mdp`] that needs no further checks.

use super::Mdp;
use crate::Error;

/// The largest accepted distance of a sum of probabilities from 1.
const SUM_TOLERANCE: f64 = 1e-6;
/// The maximum number of states without actions that are listed as faults.
const MOST_DEAD_ENDS: usize = 50;
/// The maximum number of states, of choices and of transitions: they are indexed by `u32`.
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
    /// Starts with these numbers of states and actions, discount 1, and no transitions.
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

    /// Adds T(to | from, action) = p. Rows are numbered in this order, and features refer to these numbers.
    pub fn transition(&mut self, from: usize, action: usize, to: usize, p: f64) -> &mut Self {
        self.transitions.push((from, action, to, p));
        self
    }

    /// Adds π0(action | state) = p to the reference policy. Without a reference policy, π0 is 1 everywhere (MaxEnt
    /// IRL). With one, the model is Relative Entropy IRL, and pairs that are not given have probability 0.
    pub fn reference(&mut self, state: usize, action: usize, p: f64) -> &mut Self {
        self.reference.push((state, action, p));
        self
    }

    /// All faults, in the order of the tables; empty if [`build`](Self::build) succeeds.
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

    /// Checks what must hold before tables of `n_states` entries are allocated: indices are in range, numbers are
    /// finite, and every state is terminal or has a transition.
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

    /// The first states that have no transition and are not terminal. This needs no table of all states, because
    /// `n_states` may be a typing error.
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
        // Starts from 0: the sum of an empty iterator would be -0.
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
