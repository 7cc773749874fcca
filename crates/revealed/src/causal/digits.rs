//! Whether enough digits are left in the causal model: see `engine/digits.rs`.
//!
//! The values are logarithms here. The policy is a difference of values, so digits are also lost where a value is so
//! large that a nat does not show. An outcome that is possible counts however bad it is, because a value is a mean over
//! the outcomes of an action.

use crate::Error;
use crate::engine::Horizon;
use crate::engine::digits::{Alternative, Bounded, Payer, Payment, is_at_risk, least_of_heaviest, sums_of_graph};
use crate::engine::path_set::PathSet;
use crate::numeric::rounding::{MOST_ERROR, ROUNDING};
use crate::world::{Mdp, Reward};

/// The largest value that is known to [`MOST_ERROR`].
const LARGEST_VALUE: f64 = MOST_ERROR / (2.0 * ROUNDING);

/// The soft Bellman recursion with bounds of its errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CausalDigits<'a> {
    pub mdp: &'a Mdp,
    pub reward: &'a Reward,
    pub paths: PathSet,
}

impl CausalDigits<'_> {
    /// Whether rewards are so large that there is something to check.
    pub fn is_at_risk(&self) -> bool {
        let length = self.paths.horizon.at_most().unwrap_or(self.mdp.n_states());
        is_at_risk(self.mdp, self.reward, length)
    }

    /// log π0(a|s) + Q(s,a).
    fn choice(&self, choice: usize, next: &[Bounded]) -> Bounded {
        let (mdp, discount) = (self.mdp, self.mdp.discount());
        let mut sum = Bounded::ONE;
        let mut log = mdp.reference().map_or(0.0, |reference| reference[choice].ln());
        for transition in mdp.outcomes(choice).filter(|&transition| mdp.probability()[transition] > 0.0) {
            let (p, after) = (mdp.probability()[transition], next[mdp.to()[transition] as usize]);
            if after.log == f64::NEG_INFINITY {
                return Bounded::NOTHING;
            }
            let (pays, later) = (p * self.reward.of_transition(transition), p * discount * after.log);
            log += pays + later;
            sum.error += p * discount * after.error + ROUNDING * (pays.abs() + later.abs());
            sum.is_lost |= after.is_lost;
            let own = Payment { reward: self.reward.of_transition(transition), of: Payer::Transition(transition) };
            sum.largest = sum.largest.larger(after.largest).larger(own);
        }
        if log == f64::NEG_INFINITY {
            Bounded::NOTHING
        } else {
            Bounded { log, error: sum.error + ROUNDING * log.abs(), ..sum }
        }
    }

    /// The alternatives of a state, each with the states that may follow. Without `next`, no action follows.
    fn alternatives(&self, state: usize, t: usize, next: Option<&[Bounded]>) -> Vec<Alternative> {
        let mdp = self.mdp;
        let ends = self.paths.may_end(mdp.is_terminal(state), state, t);
        let mut found = vec![(if ends { Bounded::ONE } else { Bounded::NOTHING }, Vec::new())];
        for choice in next.into_iter().flat_map(|_| mdp.choices(state)) {
            let to = mdp.outcomes(choice).map(|transition| mdp.to()[transition] as usize).collect();
            found.push((next.map_or(Bounded::NOTHING, |next| self.choice(choice, next)), to));
        }
        found
    }

    fn value(&self, state: usize, options: &[Bounded]) -> Bounded {
        let sum = Bounded::any_of(options, LARGEST_VALUE);
        match sum.log {
            f64::NEG_INFINITY => Bounded::NOTHING,
            _ => {
                let reward = self.reward.state[state];
                let paid = sum.paid(reward, 0.0, Payer::State(state));
                or_lost(Bounded { error: paid.error + ROUNDING * paid.log.abs(), ..paid }, reward)
            }
        }
    }

    /// Shows V_L, …, V_1, and returns V_1. There is a horizon.
    pub fn backward(&self, visit: &mut dyn FnMut(usize, &[Bounded])) -> Vec<Bounded> {
        let horizon = self.paths.horizon.longest();
        let mut after: Vec<Bounded> = Vec::new();
        for t in (1..=horizon).rev() {
            let next = (t < horizon).then_some(&after[..]);
            let options = |state| self.alternatives(state, t, next).into_iter().map(|option| option.0).collect::<Vec<_>>();
            after = (0..self.mdp.n_states()).map(|state| self.value(state, &options(state))).collect();
            visit(t, &after);
        }
        after
    }

    /// What is known of the values without a horizon, given the values and a bound of the error of their solution.
    pub fn stationary(&self, value: &[f64], error: f64, first: impl Iterator<Item = usize>) -> Vec<Bounded> {
        let known = |error: f64| -> Vec<Bounded> {
            value.iter().map(|&log| Bounded { log, error, ..Bounded::ONE }).map(nothing_if_impossible).collect()
        };
        let guess = known(error);
        let reached = self.reached(&guess, first);
        let largest =
            (0..value.len()).filter(|&state| reached[state]).fold(0.0, |most: f64, state| most.max(value[state].abs()));
        let states = (self.mdp.n_states() as f64).min(1.0 / (1.0 - self.mdp.discount()));
        let next = known(error + ROUNDING * states * largest);
        let paid = |state: usize| {
            let own = Payment { reward: self.reward.state[state], of: Payer::State(state) };
            let mut found = self.alternatives(state, 1, Some(&next));
            for (option, _) in &mut found {
                *option = Bounded { largest: option.largest.larger(own), ..or_lost(*option, own.reward) };
            }
            found
        };
        sums_of_graph(self.mdp.n_states(), LARGEST_VALUE, paid)
    }

    /// Which states are reached from the first ones by actions that count.
    fn reached(&self, value: &[Bounded], first: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut reached = vec![false; value.len()];
        let mut open: Vec<usize> = first.filter(|&state| value[state].log > f64::NEG_INFINITY).collect();
        open.iter().for_each(|&state| reached[state] = true);
        while let Some(state) = open.pop() {
            let (options, next): (Vec<Bounded>, Vec<Vec<usize>>) = self.alternatives(state, 1, Some(value)).into_iter().unzip();
            let least = least_of_heaviest(&options);
            for to in options.iter().zip(next).filter(|row| row.0.counts(least)).flat_map(|row| row.1) {
                if !std::mem::replace(&mut reached[to], true) {
                    open.push(to);
                }
            }
        }
        reached
    }

    /// Refuses if digits are lost of what follows these states at t = 1. `solved` are the values without a horizon and
    /// a bound of their error.
    ///
    /// # Errors
    /// [`Error::DigitsLost`].
    pub fn check(&self, first: &[(usize, f64)], solved: Option<(&[f64], f64)>) -> Result<(), Error> {
        if !self.is_at_risk() && solved.is_none_or(|(_, error)| error <= MOST_ERROR) {
            return Ok(());
        }
        let first = || first.iter().filter(|row| row.1 > 0.0).map(|row| row.0);
        let known = match (self.paths.horizon, solved) {
            (Horizon::Any, Some((value, error))) => self.stationary(value, error, first()),
            (Horizon::Any, None) => return Ok(()),
            (Horizon::AtMost(_), _) => self.backward(&mut |_, _| ()),
        };
        first().try_for_each(|state| known[state].check(self.mdp))
    }
}

/// Lost, if it or a reward that is added to it is too large for a difference.
fn or_lost(known: Bounded, reward: f64) -> Bounded {
    let is_large = known.log > f64::NEG_INFINITY && known.log.abs().max(reward.abs()) > LARGEST_VALUE;
    Bounded { is_lost: known.is_lost || is_large, ..known }
}

fn nothing_if_impossible(known: Bounded) -> Bounded {
    if known.log == f64::NEG_INFINITY { Bounded::NOTHING } else { known }
}
