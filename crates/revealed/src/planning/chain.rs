//! The Markov chain with rewards that a policy induces in an MDP, and the computation of its values.

use crate::planning::Policy;
use crate::planning::bellman::{Bellman, Change, Direction, in_chunks, read};

/// Rows of at most this many entries are padded to the same width, so that the inner loop has a constant length.
const NARROW: usize = 4;

/// Marks of states during a walk, larger than every row number: on the current walk, and finished.
const UNDER_WAY: u32 = u32::MAX - 1;
const DONE: u32 = u32::MAX;

/// v(s) = r(s) + Σ_s' m(s, s') v(s') with m = γ Σ_a π(a|s) T(s'|s, a), as a compressed sparse row matrix of the states
/// that are not terminal.
#[derive(Default)]
pub(crate) struct Chain {
    /// The state of each row, in order.
    state: Vec<u32>,
    /// r of each row.
    reward: Vec<f64>,
    /// Row k has the entries `first[k]..first[k + 1]`.
    first: Vec<u32>,
    to: Vec<u32>,
    weight: Vec<f64>,
    /// The number of entries of every row, if it is constant.
    width: Option<usize>,
    /// The largest number of entries.
    widest: usize,
}

impl Chain {
    /// The chain of a policy.
    pub fn of_policy(bellman: &Bellman<'_>, policy: &Policy) -> Chain {
        let mdp = bellman.mdp;
        let likely = |state: usize| {
            let choices = mdp.choices(state).map(|choice| (choice, policy.probability(choice)));
            choices.filter(|option| option.1 > 0.0)
        };
        let mut chain = Chain::default();
        chain.fill(bellman, likely);
        chain
    }

    /// Becomes the chain of one choice per state. Reuses its memory.
    pub fn follow(&mut self, bellman: &Bellman<'_>, choice: &[u32]) {
        self.fill(bellman, |state| std::iter::once((choice[state] as usize, 1.0)));
    }

    fn fill<I: Iterator<Item = (usize, f64)>>(&mut self, bellman: &Bellman<'_>, likely: impl Fn(usize) -> I) {
        let mdp = bellman.mdp;
        self.state.clear();
        self.state.extend((0..mdp.n_states() as u32).filter(|&state| !mdp.is_terminal(state as usize)));
        let width = |&state: &u32| likely(state as usize).map(|(choice, _)| mdp.outcomes(choice).len()).sum();
        self.widest = self.state.iter().map(width).max().unwrap_or(0);
        self.width = (self.widest <= NARROW).then_some(self.widest);
        self.reward.clear();
        self.first.clear();
        self.to.clear();
        self.weight.clear();
        self.first.push(0);
        for &state in &self.state {
            self.reward.push(likely(state as usize).map(|(choice, p)| p * bellman.reward[choice]).sum());
            for (choice, p) in likely(state as usize) {
                let outcomes = mdp.outcomes(choice);
                self.to.extend_from_slice(&mdp.to()[outcomes.clone()]);
                self.weight.extend(mdp.probability()[outcomes].iter().map(|t| bellman.discount * p * t));
            }
            if let Some(width) = self.width {
                self.to.resize(self.reward.len() * width, state);
                self.weight.resize(self.reward.len() * width, 0.0);
            }
            self.first.push(self.to.len() as u32);
        }
    }

    /// A bound on the effect of rounding on a value, as [`Bellman::rounding`].
    pub fn rounding(&self, largest: f64) -> f64 {
        (self.widest + 3) as f64 * f64::EPSILON * largest
    }

    /// Whether each state has one successor.
    pub fn is_certain(&self) -> bool {
        self.width == Some(1)
    }

    /// The exact values of a chain in which each state has one successor: every walk ends in a terminal state or in a
    /// cycle, and a cycle gives one equation. Needs a discount below 1.
    pub fn solve_certain(&self, values: &mut [f64]) {
        let mut row_of = vec![DONE; values.len()];
        self.state.iter().zip(0..).for_each(|(&state, row)| row_of[state as usize] = row);
        let mut walk: Vec<usize> = Vec::new();
        for &start in &self.state {
            let mut state = start as usize;
            while row_of[state] < UNDER_WAY {
                walk.push(row_of[state] as usize);
                row_of[state] = UNDER_WAY;
                state = self.to[walk[walk.len() - 1]] as usize;
            }
            if row_of[state] == UNDER_WAY {
                let cycle = walk.iter().rposition(|&row| self.state[row] as usize == state).unwrap_or(0);
                let around =
                    |(pays, weight): (f64, f64), &row: &usize| (pays + weight * self.reward[row], weight * self.weight[row]);
                let (pays, weight) = walk[cycle..].iter().fold((0.0, 1.0), around);
                values[state] = pays / (1.0 - weight);
            }
            for row in walk.drain(..).rev() {
                let at = self.state[row] as usize;
                values[at] = self.reward[row] + self.weight[row] * values[self.to[row] as usize];
                row_of[at] = DONE;
            }
        }
    }

    /// Writes r + M v; terminal states keep their values.
    pub fn apply(&self, values: &[f64], next: &mut [f64]) -> Change {
        let no_others = &mut vec![(); next.len()];
        in_chunks(next, no_others, |base, next, _| {
            let mut change = Change::NOTHING;
            let old = &values[base..base + next.len()];
            next.copy_from_slice(old);
            for row in self.rows(base, next.len()) {
                let entries = self.first[row] as usize..self.first[row + 1] as usize;
                let terms = self.to[entries.clone()].iter().zip(&self.weight[entries]);
                next[self.state[row] as usize - base] =
                    terms.fold(self.reward[row], |sum, (&to, &weight)| sum + weight * values[to as usize]);
            }
            old.iter().zip(next).for_each(|(&old, next)| change.see(old, *next));
            change
        })
    }

    /// One sweep: writes values that are closer to those of the chain. Within a chunk new values are used at once
    /// (Gauss-Seidel); other chunks are read as they were before the sweep (Jacobi). Returns the largest change.
    pub fn sweep(&self, values: &[f64], next: &mut [f64], direction: Direction) -> f64 {
        let no_others = &mut vec![(); next.len()];
        let change = in_chunks(next, no_others, |base, next, _| {
            next.copy_from_slice(&values[base..base + next.len()]);
            let size = match self.width {
                Some(1) => self.sweep_narrow::<1>(base, values, next, direction),
                Some(2) => self.sweep_narrow::<2>(base, values, next, direction),
                Some(3) => self.sweep_narrow::<3>(base, values, next, direction),
                Some(4) => self.sweep_narrow::<4>(base, values, next, direction),
                _ => self.sweep_wide(base, values, next, direction),
            };
            Change { least: -size, most: size, largest: 0.0 }
        });
        change.size()
    }

    fn sweep_narrow<const WIDTH: usize>(&self, base: usize, values: &[f64], next: &mut [f64], direction: Direction) -> f64 {
        let rows = self.rows(base, next.len());
        let (states, rewards) = (&self.state[rows.clone()], &self.reward[rows.clone()]);
        let (to, _) = self.to[rows.start * WIDTH..rows.end * WIDTH].as_chunks::<WIDTH>();
        let (weights, _) = self.weight[rows.start * WIDTH..rows.end * WIDTH].as_chunks::<WIDTH>();
        let mut size = 0.0;
        let visit = |at: usize| {
            let mut sum = rewards[at];
            for (&to, weight) in to[at].iter().zip(&weights[at]) {
                sum += weight * read(base, values, next, to);
            }
            renew(&mut next[states[at] as usize - base], sum, &mut size);
        };
        match direction {
            Direction::Up => (0..rows.len()).for_each(visit),
            Direction::Down => (0..rows.len()).rev().for_each(visit),
        }
        size
    }

    fn sweep_wide(&self, base: usize, values: &[f64], next: &mut [f64], direction: Direction) -> f64 {
        let rows = self.rows(base, next.len());
        let mut size = 0.0;
        let visit = |row: usize| {
            let entries = self.first[row] as usize..self.first[row + 1] as usize;
            let terms = self.to[entries.clone()].iter().zip(&self.weight[entries]);
            let sum = terms.fold(self.reward[row], |sum, (&to, &weight)| sum + weight * read(base, values, next, to));
            renew(&mut next[self.state[row] as usize - base], sum, &mut size);
        };
        match direction {
            Direction::Up => rows.for_each(visit),
            Direction::Down => rows.rev().for_each(visit),
        }
        size
    }

    /// The rows of the states of a chunk.
    fn rows(&self, base: usize, len: usize) -> std::ops::Range<usize> {
        let before = |end: usize| self.state.partition_point(|&state| (state as usize) < end);
        before(base)..before(base + len)
    }
}

#[inline(always)]
fn renew(value: &mut f64, new: f64, size: &mut f64) {
    let change = (new - *value).abs();
    if change > *size {
        *size = change;
    }
    *value = new;
}
