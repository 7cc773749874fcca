//! The stationary policy closest to the path distribution.

use std::ops::ControlFlow;

use crate::Error;
use crate::engine::Horizon;
use crate::model::{PathDistribution, border};
use crate::numeric::scaled::Scaled;
use crate::planning::Policy;
use crate::policies::PolicyAt;
use crate::policies::path_policy::{Moment, fallback, for_each, possible};
use crate::world::Mdp;

/// A policy that does not change with time. It may end an episode by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct StationaryPolicy {
    /// π(a|s), given that the episode continues.
    pub policy: Policy,
    /// The probability of each state that the policy ends the episode there. Ends in terminal states and at the horizon
    /// are not choices and do not count.
    pub stop: Vec<f64>,
}

impl StationaryPolicy {
    /// A policy whose episodes continue until a terminal state or the horizon.
    pub fn never_stops(mdp: &Mdp, policy: Policy) -> Self {
        StationaryPolicy { policy, stop: vec![0.0; mdp.n_states()] }
    }

    /// Rejects a policy that does not fit the MDP, and stopping probabilities outside 0 to 1.
    pub(crate) fn check(&self, mdp: &Mdp) -> Result<(), Error> {
        self.policy.check(mdp)?;
        let (found, expected) = (self.stop.len(), mdp.n_states());
        if found != expected {
            return Err(Error::Length { what: "the probabilities to stop", found, expected });
        }
        match self.stop.iter().position(|p| !(0.0..=1.0).contains(p)) {
            Some(row) => {
                let (table, what, expected) = ("the probabilities to stop", "p", "between 0 and 1");
                Err(Error::BadNumber { table, row, what, value: self.stop[row], expected })
            }
            None => Ok(()),
        }
    }
}

impl PathDistribution<'_> {
    /// The stationary projection: the stationary policy that maximises the expected log-likelihood of paths of this
    /// distribution,
    ///
    /// ```text
    /// π̄(a|s) = Σ_t p_t(s,a) / Σ_t Σ_a' p_t(s,a')          σ̄(s) = Σ_{t<L} p(|τ| = t, s_t = s) / Σ_{t<L} p_t(s)
    /// ```
    ///
    /// (undiscounted whatever γ is, because every step of a path counts equally). States that paths never leave get the
    /// reference policy, or a uniform one. States that paths never visit before L get a stopping probability of 0.
    ///
    /// For paths of any length it is the policy itself: it does not depend on the time.
    ///
    /// # Errors
    /// [`Error::DigitsLost`] if rewards are so large that the policy of some state is not known.
    pub fn stationary_projection(&mut self) -> Result<StationaryPolicy, Error> {
        let mdp = self.mdp();
        let Horizon::AtMost(horizon) = self.horizon() else {
            let PolicyAt { choice, mut stop, .. } = self.policy(1)?;
            let ends = |(state, stop): (usize, &mut f64)| *stop = if mdp.is_terminal(state) { 0.0 } else { *stop };
            stop.iter_mut().enumerate().for_each(ends);
            return Ok(StationaryPolicy { policy: possible(mdp, choice)?, stop });
        };
        let mut sums = StationarySums::new(mdp);
        self.watch_policy(&mut |moment| {
            if moment.t < horizon {
                sums.add(moment);
            }
            ControlFlow::Continue(())
        })?;
        Ok(sums.projection()?.0)
    }
}

/// How often each action is taken before the horizon, and the sum of its E[log π_t].
pub(crate) struct StationarySums<'m> {
    mdp: &'m Mdp,
    /// Σ_t p_t(s,a). Scaled numbers, because a state may be left so rarely that an f64 would underflow to 0.
    choice: Vec<Scaled>,
    /// Σ_t p(|τ| = t, s_t = s).
    stop: Vec<f64>,
    /// Σ_t p_t(s) E[log of the probability of the action | s_t = s].
    log_policy: Vec<f64>,
}

impl<'m> StationarySums<'m> {
    pub fn new(mdp: &'m Mdp) -> Self {
        let n_states = mdp.n_states();
        StationarySums {
            mdp,
            choice: vec![Scaled::ZERO; mdp.n_choices()],
            stop: vec![0.0; n_states],
            log_policy: vec![0.0; n_states],
        }
    }

    /// Adds one time step before the horizon.
    pub fn add(&mut self, moment: &Moment<'_>) {
        let StationarySums { mdp, choice, stop, log_policy } = self;
        let (policy, p) = (&moment.policy, &moment.probability);
        for_each(choice, |choice, sum| {
            let state = mdp.state_of(choice);
            let share = p[state] * policy.choice[choice];
            if share > 0.0 {
                *sum += Scaled::from(share) * moment.go[state];
            }
        });
        let chooses = |state: usize| p[state] > 0.0 && !mdp.is_terminal(state);
        for_each(stop, |state, stop| *stop += if chooses(state) { p[state] * policy.stop[state] } else { 0.0 });
        for_each(log_policy, |state, sum| *sum += if chooses(state) { p[state] * moment.log_policy[state] } else { 0.0 });
    }

    /// The projection, and the contribution of each state to E[Σ_t log π_t(a_t|s_t) / π̄(a_t|s_t)], stopping included.
    ///
    /// # Errors
    /// If probabilities are impossible, because digits are lost.
    pub fn projection(&self) -> Result<(StationaryPolicy, Vec<f64>), Error> {
        let mut probability = fallback(self.mdp);
        let mut stop = vec![0.0; self.stop.len()];
        let mut divergence = self.log_policy.clone();
        for state in (0..self.mdp.n_states()).filter(|&state| !self.mdp.is_terminal(state)) {
            let go: Scaled = self.mdp.choices(state).map(|choice| self.choice[choice]).sum();
            let visits = go + Scaled::from(self.stop[state]);
            if visits.is_zero() {
                continue;
            }
            stop[state] = (Scaled::from(self.stop[state]) / visits).to_f64();
            if stop[state] > 0.0 {
                divergence[state] -= self.stop[state] * stop[state].ln();
            }
            if go.is_zero() {
                continue;
            }
            let log_go = (go / visits).ln();
            for choice in self.mdp.choices(state) {
                let (sum, p) = (self.choice[choice].to_f64(), self.choice[choice] / go);
                probability[choice] = p.to_f64();
                if sum > 0.0 {
                    divergence[state] -= sum * (log_go + p.ln());
                }
            }
        }
        let policy = possible(self.mdp, probability)?;
        let stop = border::probabilities("the probability to stop", stop)?;
        Ok((StationaryPolicy { policy, stop }, divergence))
    }
}
