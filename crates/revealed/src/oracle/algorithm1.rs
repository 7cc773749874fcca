//! The paper's Algorithm 1 (alg:maxent-irl): exact, and quadratic in L.
//!
//! One generalisation: a path of l states may end in s only if `stop_l(s)` allows it. The paper's set of paths is
//! `Stop::Anywhere`. R(s, a) and R(s, a, s') are given as one sum.

use super::{Answer, DiscountedReward, Scaled};
use crate::engine::Stop;
use crate::model::Marginals;
use crate::world::{Mdp, Reward};

/// α_l(s) at `[l - 1][s]`: the weight of all paths of l states that reach s, whether or not they may end
/// there (eq:alpha-basecase, eq:alpha-recurrence).
///
/// ```text
/// α_1(s)      = p0(s) e^{R(s)}
/// α_{l+1}(s') = Σ_{(s,a) ∈ 𝒫(s')} α_l(s) T(s'|s,a) e^{γ^{l-1}(R(s,a) + R(s,a,s')) + γ^l R(s')}
/// ```
///
/// # Erratum
/// The pseudo-code counts the loop with t and writes γ^{l-1}; t and l are the same index.
pub fn alpha(mdp: &Mdp, reward: &Reward, start: &[(usize, f64)], horizon: usize) -> Vec<Vec<Scaled>> {
    let weights = StepWeights::new(mdp, reward, horizon);
    let mut alpha = vec![vec![Scaled::ZERO; mdp.n_states()]; horizon];
    if let Some(first) = alpha.first_mut() {
        for &(state, p) in start {
            first[state] += Scaled::from(p) * weights.of_state(1, state);
        }
    }
    for l in 1..horizon {
        for transition in 0..mdp.n_transitions() {
            let (s, s_next) = (mdp.from()[transition] as usize, mdp.to()[transition] as usize);
            let term = alpha[l - 1][s] * weights.of_transition(l, transition) * weights.of_state(l + 1, s_next);
            alpha[l][s_next] += term;
        }
    }
    alpha
}

/// β_{l,t}(s) at `[l - 1][t - 1][s]`: the weight of the last t states of paths of l states, starting in s
/// (eq:beta-basecase, eq:beta-recurrence).
///
/// ```text
/// β_{l,1}(s)   = e^{γ^{l-1} R(s)} stop_l(s)
/// β_{l,t+1}(s) = Σ_{(a,s') ∈ 𝒞(s)} T(s'|s,a) e^{γ^{l-t-1}(R(s) + R(s,a) + R(s,a,s'))} β_{l,t}(s')
/// ```
///
/// # Erratum
/// The printed definition sums e^{R(τ)} over suffixes τ of t states. A suffix is discounted by its position in the
/// path, so it must be e^{γ^{l-t} R(τ)}, which is what the recurrence computes.
pub fn beta_quadratic(mdp: &Mdp, reward: &Reward, horizon: usize, stop: Stop) -> Vec<Vec<Vec<Scaled>>> {
    let weights = StepWeights::new(mdp, reward, horizon);
    (1..=horizon).map(|l| beta_of_length(mdp, &weights, l, |state| may_stop(mdp, stop, state, l, horizon))).collect()
}

fn beta_of_length(mdp: &Mdp, weights: &StepWeights, l: usize, may_end: impl Fn(usize) -> bool) -> Vec<Vec<Scaled>> {
    let end = |s| if may_end(s) { weights.of_state(l, s) } else { Scaled::ZERO };
    let mut beta: Vec<Vec<Scaled>> = vec![(0..mdp.n_states()).map(end).collect()];
    for t in 1..l {
        let time = l - t;
        let onwards = |transition| weights.of_transition(time, transition) * beta[t - 1][mdp.to()[transition] as usize];
        let longer = |s| weights.of_state(time, s) * mdp.children(s).map(onwards).sum();
        beta.push((0..mdp.n_states()).map(longer).collect());
    }
    beta
}

/// The partition function and marginals of Algorithm 1 (eq:partition-variablelength, eq:s-marginals, eq:sa-marginals,
/// eq:sas-marginals). `None` if no path exists.
///
/// ```text
/// Z              = Σ_l Σ_s α_l(s) stop_l(s)
/// p_t(s)         = α_t(s) ( stop_t(s) + Σ_{(a,s')} f_t(s,a,s') ) / Z
/// p_t(s, a)      = α_t(s) Σ_{s'} f_t(s,a,s') / Z
/// p_t(s, a, s')  = α_t(s) f_t(s,a,s') / Z
/// f_t(s, a, s')  = T(s'|s,a) e^{γ^{t-1}(R(s,a) + R(s,a,s'))} Σ_{l=t+1}^L β_{l,l-t}(s')
/// ```
pub fn algorithm1(mdp: &Mdp, reward: &Reward, start: &[(usize, f64)], horizon: usize, stop: Stop) -> Option<Answer> {
    let weights = StepWeights::new(mdp, reward, horizon);
    let alpha = alpha(mdp, reward, start, horizon);
    let beta = beta_quadratic(mdp, reward, horizon, stop);
    let stops = |t, s| if may_stop(mdp, stop, s, t, horizon) { Scaled::ONE } else { Scaled::ZERO };
    let ending = |l: usize| (0..mdp.n_states()).map(|s| alpha[l - 1][s] * stops(l, s)).sum();
    let partition: Scaled = (1..=horizon).map(ending).sum();
    if partition.is_zero() {
        return None;
    }
    let marginals = (1..=horizon).map(|t| {
        let p = |s: usize, suffixes: Scaled| (alpha[t - 1][s] * suffixes / partition).to_f64();
        let follow = |transition: usize| {
            let next = mdp.to()[transition] as usize;
            let suffixes: Scaled = (t + 1..=horizon).map(|l| beta[l - 1][l - t - 1][next]).sum();
            weights.of_transition(t, transition) * suffixes
        };
        Marginals {
            state: (0..mdp.n_states()).map(|s| p(s, stops(t, s) + mdp.children(s).map(follow).sum())).collect(),
            choice: (0..mdp.n_choices()).map(|c| p(mdp.state_of(c), mdp.outcomes(c).map(follow).sum())).collect(),
            transition: (0..mdp.n_transitions()).map(|i| p(mdp.from()[i] as usize, follow(i))).collect(),
        }
    });
    Some(Answer { log_partition: partition.ln(), marginals: marginals.collect() })
}

fn may_stop(mdp: &Mdp, stop: Stop, state: usize, length: usize, horizon: usize) -> bool {
    stop.allows(mdp.is_terminal(state), state, length, horizon)
}

/// The factors that one step contributes to the weight of a path.
struct StepWeights<'a> {
    mdp: &'a Mdp,
    reward: &'a Reward,
    discounted: DiscountedReward,
}

impl<'a> StepWeights<'a> {
    fn new(mdp: &'a Mdp, reward: &'a Reward, horizon: usize) -> Self {
        StepWeights { mdp, reward, discounted: DiscountedReward::new(mdp.discount(), horizon) }
    }

    /// e^{γ^{t-1} R(s)}.
    fn of_state(&self, t: usize, state: usize) -> Scaled {
        self.discounted.exp(t, self.reward.state[state])
    }

    /// T(s'|s,a) π0(a|s) e^{γ^{t-1}(R(s,a) + R(s,a,s'))}.
    fn of_transition(&self, t: usize, transition: usize) -> Scaled {
        let base = Scaled::from(self.mdp.base_weight(transition));
        base * self.discounted.exp(t, self.reward.of_transition(transition))
    }
}
