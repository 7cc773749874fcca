//! π_t(a|s): the path distribution as a policy that changes with time.
//!
//! "We can interpret p_Θ(τ) as a non-stationary policy" (sec:the-principle-of-maximum-entropy). With
//! b_t(s) = stop_t(s) + Σ_a w_t(s,a), the total weight of all continuations,
//!
//! ```text
//! w_t(s,a)  = Σ_s' m_t(s,a,s') β_{t+1}(s')
//! σ_t(s)    = p(|τ| = t | s_t = s)          = stop_t(s) / b_t(s)
//! π_t(a|s)  = p_t(s,a) / Σ_a' p_t(s,a')     = w_t(s,a) / Σ_a' w_t(s,a')
//! ```
//!
//! These formulas do not need p_t: the policy is defined wherever a continuation exists, even in states that no path of
//! the model reaches.

use std::ops::ControlFlow;

use crate::Error;
use crate::engine::Horizon;
use crate::engine::inference::View;
use crate::model::{PathDistribution, border};
use crate::numeric::parallel;
use crate::numeric::scaled::Scaled;
use crate::planning::Policy;
use crate::world::Mdp;

/// The policy of the path distribution at one time t.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyAt {
    /// π_t(a|s) of each choice, given that the path continues. Sums to 1 in every state that is not terminal. Where no
    /// path continues, it is the reference policy, or uniform if there is none.
    pub choice: Vec<f64>,
    /// σ_t(s) of each state: the probability that the path ends there. 1 at t = L and in terminal states, where every
    /// path ends; 0 where the policy is not defined.
    pub stop: Vec<f64>,
    /// Whether the model's paths have a continuation from the state at t. From other states no action leads back to a
    /// path of the model; an execution continues to the horizon with the reference policy, or with a uniform one.
    pub defined: Vec<bool>,
}

impl PolicyAt {
    /// The same, if its probabilities are possible.
    fn checked(self, mdp: &Mdp) -> Result<PolicyAt, Error> {
        let PolicyAt { choice, stop, defined } = self;
        let stop = border::probabilities("the probability to stop", stop)?;
        Ok(PolicyAt { choice: possible(mdp, choice)?.into_probabilities(), stop, defined })
    }
}

impl PathDistribution<'_> {
    /// π_t(a|s) and σ_t(s), for t from 1.
    ///
    /// ```
    /// use revealed::{PathDistribution, Reward, Stop, worlds};
    ///
    /// let chain = worlds::linear_chain(3)?;
    /// let reward = Reward::of_states(vec![0.0, 0.0, 2f64.ln()]);
    /// let mut paths = PathDistribution::new(&chain.mdp, reward, 3, Stop::Anywhere)?;
    /// // Stopping in the first state has weight 1, in the second 1, and in the last 2.
    /// assert!((paths.policy(1)?.stop[0] - 0.25).abs() < 1e-12);
    /// assert!((paths.policy(2)?.stop[1] - 1.0 / 3.0).abs() < 1e-12);
    /// # Ok::<(), revealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If t is not in 1..L. For paths of any length, any t has the same policy.
    pub fn policy(&mut self, t: usize) -> Result<PolicyAt, Error> {
        self.check_time(t)?;
        // Without a horizon, the policy does not depend on the time.
        let t = if self.horizon() == Horizon::Any { 1 } else { t };
        let mut found = None;
        self.watch_policy(&mut |moment| {
            if moment.t < t {
                return ControlFlow::Continue(());
            }
            found = Some(moment.policy.clone());
            ControlFlow::Break(())
        })?;
        let (what, expected) = ("the policy of a time within the horizon", "defined");
        found.ok_or(Error::ImpossibleAnswer { what, value: f64::NAN, expected })?.checked(self.mdp())
    }

    /// Calls `visit` with p_t and the policy of t = 1, 2, …, L, until it breaks.
    pub(crate) fn watch_policy(&mut self, visit: &mut (dyn FnMut(&Moment<'_>) -> ControlFlow<()> + Send)) -> Result<(), Error> {
        self.check_digits()?;
        let (mdp, horizon) = (self.mdp(), self.horizon());
        let mut moment = Moment::new(mdp, self.steps_are_constant());
        self.watch(&mut |view| {
            // The policy of t depends on the messages of t + 1.
            if view.t > 1 {
                moment.fill(&view);
                visit(&moment)?;
            }
            moment.t = view.t;
            for_each(&mut moment.ending, |state, ending| *ending = view.stop(state));
            for_each(&mut moment.probability, |state, p| *p = view.probability(state));
            if view.t < horizon.longest() {
                return ControlFlow::Continue(());
            }
            moment.end();
            visit(&moment)
        })?;
        Ok(())
    }
}

/// One time t of the path distribution, as a policy.
pub(crate) struct Moment<'m> {
    mdp: &'m Mdp,
    pub t: usize,
    /// p_t(s).
    pub probability: Vec<f64>,
    pub policy: PolicyAt,
    /// P(|τ| > t | s_t = s), kept because 1 - σ_t(s) loses precision near 0.
    pub go: Vec<Scaled>,
    /// E[log of the probability of the action | s_t = s], where stopping counts as an action.
    pub log_policy: Vec<f64>,
    /// The policy where the model defines none.
    fallback: Vec<f64>,
    /// m_t of each transition.
    edges: Vec<Scaled>,
    /// Whether m_t does not depend on t.
    is_constant: bool,
    /// stop_t(s), or σ_t(s) in the causal model.
    ending: Vec<Scaled>,
    /// β_{t+1}, and memory for the next.
    beta: [Vec<Scaled>; 2],
    /// w_t(s,a).
    weight: Vec<Scaled>,
    /// b_t(s).
    total: Vec<Scaled>,
}

impl<'m> Moment<'m> {
    fn new(mdp: &'m Mdp, is_constant: bool) -> Self {
        let (n_states, n_choices) = (mdp.n_states(), mdp.n_choices());
        let fallback = fallback(mdp);
        Moment {
            mdp,
            t: 0,
            probability: vec![0.0; n_states],
            policy: PolicyAt { choice: fallback.clone(), stop: vec![0.0; n_states], defined: vec![false; n_states] },
            go: vec![Scaled::ZERO; n_states],
            log_policy: vec![0.0; n_states],
            fallback,
            edges: vec![Scaled::ZERO; mdp.n_transitions()],
            is_constant,
            ending: vec![Scaled::ZERO; n_states],
            beta: [vec![Scaled::ZERO; n_states], vec![Scaled::ZERO; n_states]],
            weight: vec![Scaled::ZERO; n_choices],
            total: vec![Scaled::ZERO; n_states],
        }
    }

    /// The policy of t, from the messages of t + 1.
    fn fill(&mut self, next: &View<'_>) {
        for_each(&mut self.beta[1], |state, beta| *beta = next.of_state(state) * next.after(state));
        self.beta.swap(0, 1);
        if self.t == 1 || !self.is_constant {
            for_each(&mut self.edges, |transition, edge| *edge = next.step(transition));
        }
        // Far from the horizon, messages converge to the last bit, and the policy no longer changes.
        if self.t > 1 && self.is_constant && self.beta[0] == self.beta[1] {
            return;
        }
        let mut weight = std::mem::take(&mut self.weight);
        for_each(&mut weight, |choice, weight| {
            *weight = self.mdp.outcomes(choice).map(|transition| self.of_transition(transition)).sum();
        });
        self.weight = weight;
        self.divide();
    }

    /// The policy of L, where every path ends.
    fn end(&mut self) {
        self.weight.fill(Scaled::ZERO);
        self.beta[0].fill(Scaled::ZERO);
        self.divide();
        self.policy.stop.fill(1.0);
        self.log_policy.fill(0.0);
    }

    /// Normalises weights to probabilities.
    fn divide(&mut self) {
        let Moment { mdp, ending, policy, go, total, weight, fallback, log_policy, .. } = self;
        let PolicyAt { choice, stop, defined } = policy;
        // `go` holds weights at first, and probabilities at the end.
        for_each(go, |state, go| *go = mdp.choices(state).map(|choice| weight[choice]).sum());
        for_each(total, |state, total| *total = go[state] + ending[state]);
        for_each(choice, |choice, p| {
            let go = go[mdp.state_of(choice)];
            *p = if go.is_zero() { fallback[choice] } else { (weight[choice] / go).to_f64() };
        });
        for_each(defined, |state, defined| *defined = !total[state].is_zero());
        for_each(go, |state, go| *go = if total[state].is_zero() { Scaled::ZERO } else { *go / total[state] });
        for_each(stop, |state, stop| {
            *stop = match ending[state].is_zero() {
                _ if mdp.is_terminal(state) => 1.0,
                true => 0.0,
                false => (ending[state] / total[state]).to_f64(),
            };
        });
        for_each(log_policy, |state, log_policy| {
            let of_choice: f64 = mdp.choices(state).map(|taken| x_log_x(choice[taken])).sum();
            let of_going = if go[state].is_zero() { 0.0 } else { go[state].to_f64() * (go[state].ln() + of_choice) };
            *log_policy = x_log_x(stop[state]) + of_going;
        });
    }

    /// m_t(s,a,s') β_{t+1}(s').
    fn of_transition(&self, transition: usize) -> Scaled {
        self.edges[transition] * self.beta[0][self.mdp.to()[transition] as usize]
    }

    /// p_t(s, a, s').
    pub fn probability_of(&self, transition: usize) -> f64 {
        let from = self.mdp.from()[transition] as usize;
        match self.probability[from] {
            0.0 => 0.0,
            p => p * (self.of_transition(transition) / self.total[from]).to_f64(),
        }
    }
}

/// A policy of these probabilities, if they are possible.
pub(crate) fn possible(mdp: &Mdp, choice: Vec<f64>) -> Result<Policy, Error> {
    Policy::new(mdp, border::probabilities("the probability of an action", choice)?).map_err(|error| match error {
        Error::PolicySum { sum, .. } => {
            let what = "the sum of the probabilities of the actions of a state";
            Error::ImpossibleAnswer { what, value: sum, expected: "1" }
        }
        error => error,
    })
}

fn x_log_x(x: f64) -> f64 {
    if x > 0.0 { x * x.ln() } else { 0.0 }
}

/// The policy where the model defines none: the reference policy, or a uniform one.
pub(crate) fn fallback(mdp: &Mdp) -> Vec<f64> {
    match mdp.reference() {
        Some(reference) => reference.to_vec(),
        None => Policy::uniform(mdp).probabilities().to_vec(),
    }
}

/// With fewer numbers than this, one thread is faster.
const SHARED: usize = 4096;
/// The numbers that a thread computes at once.
const PART: usize = 512;

/// Computes each number independently, so that the result does not depend on the number of threads.
pub(crate) fn for_each<T: Send>(numbers: &mut [T], of: impl Fn(usize, &mut T) + Sync) {
    if numbers.len() < SHARED {
        numbers.iter_mut().enumerate().for_each(|(index, number)| of(index, number));
    } else {
        parallel::for_each(numbers.chunks_mut(PART).enumerate(), |(part, numbers)| {
            (part * PART..).zip(numbers).for_each(|(index, number)| of(index, number));
        });
    }
}
