//! Whether enough digits are left: bounds of the rounding errors of messages.
//!
//! A reward R is known to about |R| ε, and so is the logarithm of a path's weight. This is an absolute error: at
//! R = 1e17 it is 20 nats, and says nothing about probabilities. It does no harm where one alternative outweighs all
//! others by more than the error: a step that costs 1e18 has probability 0, whatever its last digits are.
//!
//! So each message has a logarithm and a bound of its error, and alternatives are compared. Digits are lost where two
//! or more alternatives count and the error of one of them exceeds [`MOST_ERROR`]. They are also lost where the exponent
//! of a message is no exact integer any more. Such a loss matters only to the messages to which the alternative counts.
//!
//! The bounds are computed only for rewards that are large enough to need them ([`is_at_risk`]).

use crate::Error;
use crate::engine::inference::Start;
use crate::engine::path_set::PathSet;
use crate::numeric::rounding::{CANCELLED, MOST_ERROR, ROUNDING};
use crate::world::{Mdp, Reward};

/// An alternative that is lighter than the heaviest by more than this many nats has a probability of 0 in an f64.
const NEGLIGIBLE: f64 = 750.0;
/// The largest logarithm of a number whose exponent is an exact integer: 2^52 ln(2).
pub(crate) const LARGEST_LOG: f64 = 3.1e15;

/// A reward and whose it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Payment {
    pub reward: f64,
    pub of: Payer,
}

/// What has a reward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Payer {
    State(usize),
    Transition(usize),
}

impl Payment {
    pub const NOTHING: Payment = Payment { reward: 0.0, of: Payer::State(0) };

    pub fn larger(self, other: Payment) -> Payment {
        if other.reward.abs() > self.reward.abs() { other } else { self }
    }

    /// The largest reward of all.
    pub fn largest(reward: &Reward) -> Payment {
        let of_state = |(state, &reward): (usize, &f64)| Payment { reward, of: Payer::State(state) };
        let of_transition = |(transition, &reward): (usize, &f64)| Payment { reward, of: Payer::Transition(transition) };
        let all =
            (reward.state.iter().enumerate().map(of_state)).chain(reward.transition.iter().enumerate().map(of_transition));
        all.fold(Payment::NOTHING, Payment::larger)
    }

    /// The error that names it.
    pub fn digits_lost(self, mdp: &Mdp) -> Error {
        let (state, step) = match self.of {
            Payer::State(state) => (state, None),
            Payer::Transition(transition) => {
                let action = mdp.action_of(mdp.choice_of()[transition] as usize);
                (mdp.from()[transition] as usize, Some([action, mdp.to()[transition] as usize]))
            }
        };
        Error::DigitsLost { state, step, reward: self.reward }
    }
}

/// The logarithm of a message, and what is known of its digits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounded {
    /// -∞ if there is no path.
    pub log: f64,
    /// A bound of the error of `log`.
    pub error: f64,
    /// The largest reward that counts.
    pub largest: Payment,
    /// Whether digits are lost here or in a message that counts here.
    pub is_lost: bool,
}

impl Bounded {
    pub const NOTHING: Bounded = Bounded { log: f64::NEG_INFINITY, error: 0.0, largest: Payment::NOTHING, is_lost: false };
    pub const ONE: Bounded = Bounded { log: 0.0, ..Bounded::NOTHING };

    /// With a factor of this logarithm, whose own rounding is the only one: exponents are added without an error.
    pub fn times(self, log: f64) -> Bounded {
        Bounded { log: self.log + log, error: self.error + ROUNDING * log.abs(), ..self }
    }

    /// With a factor of e^`reward`. `size` is the error of the reward in units of its rounding.
    pub fn paid(self, reward: f64, size: f64, of: Payer) -> Bounded {
        let paid = self.times(reward);
        let error = paid.error + size * ROUNDING * reward.abs();
        Bounded { error, largest: self.largest.larger(Payment { reward, of }), ..paid }
    }

    /// Divided by a number that is not zero where this is not.
    pub fn over(self, other: &Bounded) -> Bounded {
        match self.log == f64::NEG_INFINITY || other.log == f64::NEG_INFINITY {
            true => Bounded::NOTHING,
            false => Bounded {
                log: self.log - other.log,
                error: self.error + other.error,
                largest: self.largest.larger(other.largest),
                is_lost: self.is_lost || other.is_lost,
            },
        }
    }

    /// Whether it may be more than nothing, next to something of at least e^`least`.
    pub fn counts(&self, least: f64) -> bool {
        self.log > f64::NEG_INFINITY && self.log + self.error > least - NEGLIGIBLE
    }

    /// The sum of alternatives. With `most`, digits are also lost if its logarithm is larger than that.
    pub fn any_of(options: &[Bounded], most: f64) -> Bounded {
        let least = least_of_heaviest(options);
        let mut sum = Bounded::NOTHING;
        let (mut count, heaviest) = (0, options.iter().fold(f64::NEG_INFINITY, |most, option| option.log.max(most)));
        let mut total = 0.0;
        for option in options.iter().filter(|option| option.counts(least)) {
            count += 1;
            total += (option.log - heaviest).exp();
            sum.error = sum.error.max(option.error);
            sum.largest = sum.largest.larger(option.largest);
            sum.is_lost |= option.is_lost;
        }
        if count > 0 {
            sum.log = heaviest + total.ln();
            sum.is_lost |= (count > 1 && sum.error > MOST_ERROR) || sum.log.abs() > most;
        }
        sum
    }

    /// The best of alternatives. Its digits are lost if rewards cancel: if the error is large, also relative to the
    /// logarithm itself.
    pub fn best_of(options: &[Bounded]) -> Bounded {
        let least = least_of_heaviest(options);
        let mut best = Bounded::NOTHING;
        for option in options.iter().filter(|option| option.log > f64::NEG_INFINITY && option.log + option.error >= least) {
            best.log = best.log.max(option.log);
            best.error = best.error.max(option.error);
            best.largest = best.largest.larger(option.largest);
            best.is_lost |= option.is_lost;
        }
        Bounded { is_lost: best.is_lost || best.error > MOST_ERROR.max(CANCELLED * best.log.abs()), ..best }
    }

    /// # Errors
    /// [`Error::DigitsLost`].
    pub fn check(&self, mdp: &Mdp) -> Result<(), Error> {
        if self.is_lost { Err(self.largest.digits_lost(mdp)) } else { Ok(()) }
    }
}

/// A lower bound of the logarithm of the heaviest alternative.
pub(crate) fn least_of_heaviest(options: &[Bounded]) -> f64 {
    let alive = options.iter().filter(|option| option.log > f64::NEG_INFINITY);
    alive.fold(f64::NEG_INFINITY, |most, option| most.max(option.log - option.error))
}

/// Whether rewards are so large that the errors of paths of `length` states have to be bounded.
pub(crate) fn is_at_risk(mdp: &Mdp, reward: &Reward, length: usize) -> bool {
    let largest = reward.state.iter().chain(&reward.transition).fold(0.0, |largest: f64, r| largest.max(r.abs()));
    // With a discount, the powers of γ have errors, too, but there are fewer rewards that count.
    let states = (length as f64).min(1.0 / (1.0 - mdp.discount()));
    let size = if mdp.discount() == 1.0 { 1.0 } else { states };
    2.0 * largest * states * (1.0 + size) * ROUNDING > MOST_ERROR
}

/// The recursions of the path model with a horizon, with bounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TiltedDigits<'a> {
    pub mdp: &'a Mdp,
    pub reward: &'a Reward,
}

impl TiltedDigits<'_> {
    /// γ^{t-1}, and the error of its product with a reward in units of rounding.
    fn power(&self, t: usize) -> (f64, f64) {
        match self.mdp.discount() {
            1.0 => (1.0, 0.0),
            discount => (discount.powi(t as i32 - 1), t as f64),
        }
    }

    /// `after` with the step from t - 1 to t before it.
    fn after_step(&self, after: Bounded, transition: usize, t: usize) -> Bounded {
        let base = self.mdp.log_base_weight(transition);
        if after.log == f64::NEG_INFINITY || base == f64::NEG_INFINITY {
            return Bounded::NOTHING;
        }
        let to = self.mdp.to()[transition] as usize;
        let ((before, size_before), (now, size)) = (self.power(t - 1), self.power(t));
        let paid = after.times(base).paid(now * self.reward.state[to], size, Payer::State(to));
        paid.paid(before * self.reward.of_transition(transition), size_before, Payer::Transition(transition))
    }

    /// Shows b_L, …, b_1, and returns b_1.
    pub fn backward(&self, paths: PathSet, visit: &mut dyn FnMut(usize, &[Bounded])) -> Vec<Bounded> {
        let ending = |state: usize, t: usize| match paths.may_end(self.mdp.is_terminal(state), state, t) {
            true => 0.0,
            false => f64::NEG_INFINITY,
        };
        let sum = |options: &[Bounded]| Bounded::any_of(options, LARGEST_LOG);
        self.recursion(paths.horizon.longest(), &ending, &sum, visit)
    }

    /// The same for the best path from each state, where `ending` is the logarithm of the weight of ending in a state.
    pub fn best(&self, horizon: usize, ending: &dyn Fn(usize, usize) -> f64) -> Vec<Bounded> {
        self.recursion(horizon, ending, &Bounded::best_of, &mut |_, _| ())
    }

    fn recursion(
        &self,
        horizon: usize,
        ending: &dyn Fn(usize, usize) -> f64,
        combine: &dyn Fn(&[Bounded]) -> Bounded,
        visit: &mut dyn FnMut(usize, &[Bounded]),
    ) -> Vec<Bounded> {
        let mdp = self.mdp;
        let end = |state: usize, t: usize| match ending(state, t) {
            f64::NEG_INFINITY => Bounded::NOTHING,
            log => Bounded::ONE.times(log),
        };
        let mut after: Vec<Bounded> = (0..mdp.n_states()).map(|state| end(state, horizon)).collect();
        visit(horizon, &after);
        let mut options = Vec::new();
        for t in (1..horizon).rev() {
            let of_state = |state: usize| {
                options.clear();
                options.push(end(state, t));
                let onward = |transition: usize| self.after_step(after[mdp.to()[transition] as usize], transition, t + 1);
                options.extend(mdp.children(state).map(onward));
                combine(&options)
            };
            after = (0..mdp.n_states()).map(of_state).collect();
            visit(t, &after);
        }
        after
    }

    /// The weight of one path, without that of its start.
    pub fn of_path(&self, states: &[usize], transitions: &[usize]) -> Bounded {
        let first = Bounded::ONE.paid(self.reward.state[states[0]], 0.0, Payer::State(states[0]));
        let steps = transitions.iter().enumerate();
        let path = steps.fold(first, |path, (step, &transition)| self.after_step(path, transition, step + 2));
        Bounded::best_of(&[path])
    }

    /// The weight of the paths from the states of `start` at time `first` to each state in which they may end.
    pub fn endings(
        &self,
        start: &[(usize, f64)],
        first: usize,
        horizon: usize,
        may_end: impl Fn(usize, usize) -> bool,
    ) -> Vec<Bounded> {
        let mdp = self.mdp;
        let (power, size) = self.power(first);
        let mut before = vec![Bounded::NOTHING; mdp.n_states()];
        for &(state, p) in start.iter().filter(|row| row.1 > 0.0) {
            before[state] = Bounded::ONE.times(p.ln()).paid(power * self.reward.state[state], size, Payer::State(state));
        }
        let mut ending = vec![Bounded::NOTHING; mdp.n_states()];
        for t in first..=horizon {
            for state in (0..mdp.n_states()).filter(|&state| may_end(state, t)) {
                ending[state] = Bounded::any_of(&[ending[state], before[state]], LARGEST_LOG);
            }
            let mut arriving = vec![Vec::new(); mdp.n_states()];
            for transition in 0..mdp.n_transitions() {
                let arrived = self.after_step(before[mdp.from()[transition] as usize], transition, t + 1);
                arriving[mdp.to()[transition] as usize].push(arrived);
            }
            before = arriving.iter().map(|options| Bounded::any_of(options, LARGEST_LOG)).collect();
        }
        ending
    }

    /// Refuses if digits are lost of the distribution over the paths from these first states.
    ///
    /// # Errors
    /// [`Error::DigitsLost`].
    pub fn check(&self, start: Start<'_>, paths: PathSet) -> Result<(), Error> {
        if !is_at_risk(self.mdp, self.reward, paths.horizon.longest()) {
            return Ok(());
        }
        check_first(self.mdp, self.reward, &self.backward(paths, &mut |_, _| ()), start)
    }
}

/// Refuses if digits are lost of the paths from the first states, given what follows each state.
///
/// # Errors
/// [`Error::DigitsLost`].
pub(crate) fn check_first(mdp: &Mdp, reward: &Reward, after: &[Bounded], start: Start<'_>) -> Result<(), Error> {
    let first = |&(state, p): &(usize, f64)| match p {
        0.0 => Bounded::NOTHING,
        p => after[state].times(p.ln()).paid(reward.state[state], 0.0, Payer::State(state)),
    };
    let options: Vec<Bounded> = start.rows().iter().map(first).collect();
    match start {
        Start::Joint(_) => Bounded::any_of(&options, LARGEST_LOG).check(mdp),
        // Given the first state, first states are no alternatives.
        Start::Each(_) | Start::Drawn(_) => {
            options.iter().try_for_each(|option| Bounded::any_of(&[*option], LARGEST_LOG).check(mdp))
        }
    }
}

/// An alternative of a state of a graph, and the states whose messages it contains.
pub(crate) type Alternative = (Bounded, Vec<usize>);

/// The sums of the alternatives of each state of a graph. Digits that are lost in one state are lost in all states to
/// which it counts. `most` is that of [`Bounded::any_of`].
pub(crate) fn sums_of_graph(n_states: usize, most: f64, alternatives: impl Fn(usize) -> Vec<Alternative>) -> Vec<Bounded> {
    let mut counted_by = vec![Vec::new(); n_states];
    let mut sums = Vec::with_capacity(n_states);
    for state in 0..n_states {
        let (options, next): (Vec<Bounded>, Vec<Vec<usize>>) = alternatives(state).into_iter().unzip();
        let least = least_of_heaviest(&options);
        for (_, next) in options.iter().zip(next).filter(|(option, _)| option.counts(least)) {
            next.into_iter().for_each(|next| counted_by[next].push(state));
        }
        sums.push(Bounded::any_of(&options, most));
    }
    let mut open: Vec<usize> = (0..n_states).filter(|&state| sums[state].is_lost).collect();
    while let Some(state) = open.pop() {
        for &other in &counted_by[state] {
            if !sums[other].is_lost {
                (sums[other].is_lost, sums[other].largest) = (true, sums[other].largest.larger(sums[state].largest));
                open.push(other);
            }
        }
    }
    sums
}
