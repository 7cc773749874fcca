//! The paper's Algorithm 2 (alg:maxent-irl-padded) on an MDP that is padded in memory.
//!
//! An auxiliary state s_a and action a_a are added, every path is padded to exactly L states, and then the
//! forward-backward algorithm for paths of one length applies.

use super::{Answer, DiscountedReward, Scaled};
use crate::engine::Stop;
use crate::model::Marginals;
use crate::world::{Mdp, Reward};

/// β_t(s) at `[t - 1][s]`, the auxiliary state s_a last (eq:beta-basecase-padded, eq:beta-recurrence-padded).
///
/// ```text
/// β_1(s)     = e^{γ^{L-1} R(s)}, if a padded path may end in s
/// β_{t+1}(s) = Σ_{(a,s') ∈ 𝒞(s)} T(s'|s,a) e^{γ^{L-t-1}(R(s) + R(s,a) + R(s,a,s'))} β_t(s')
/// ```
///
/// L is at least 1.
///
/// # Erratum
/// tab:padded-s-rewards sets R(s) = 0 in terminal states. Here they keep their reward, as is correct.
pub fn beta_padded(mdp: &Mdp, reward: &Reward, horizon: usize, stop: Stop) -> Vec<Vec<Scaled>> {
    PaddedMdp::new(mdp, reward, &[], horizon, stop).beta()
}

/// The partition function and marginals of Algorithm 2 (eq:s-marginals-padded, eq:sa-marginals-padded,
/// eq:sas-marginals-padded). `None` if no path exists.
///
/// Z is the sum over padded paths, Σ_{s ∈ 𝓢⁺} α_L(s). The paper's Σ_l Σ_{s ∈ 𝓢} α_l(s) is the same sum over paths
/// without padding.
pub fn padded(mdp: &Mdp, reward: &Reward, start: &[(usize, f64)], horizon: usize, stop: Stop) -> Option<Answer> {
    if horizon == 0 {
        return None;
    }
    let padded = PaddedMdp::new(mdp, reward, start, horizon, stop);
    let alpha = padded.alpha();
    let beta = padded.beta();
    let complete: Vec<Scaled> = alpha[horizon - 1]
        .iter()
        .zip(&padded.may_end)
        .map(|(&alpha, &may_end)| if may_end { alpha } else { Scaled::ZERO })
        .collect();
    let partition: Scaled = complete.iter().copied().sum();
    if partition.is_zero() {
        return None;
    }
    let mut marginals: Vec<Marginals> = (1..horizon)
        .map(|t| padded.marginals(mdp, t, |s, s_next| alpha[t - 1][s] * beta[horizon - t - 1][s_next] / partition))
        .collect();
    let mut last = Marginals::zeros(mdp);
    for (p, &weight) in last.state.iter_mut().zip(&complete) {
        *p = (weight / partition).to_f64();
    }
    marginals.push(last);
    Some(Answer { log_partition: partition.ln(), marginals })
}

/// 𝓜 with the auxiliary state and action written out.
struct PaddedMdp {
    horizon: usize,
    discounted: DiscountedReward,
    /// p0(s); 0 for s_a.
    start: Vec<f64>,
    /// R(s); 0 for s_a.
    reward: Vec<f64>,
    /// The transitions out of time t, for t = 1..L-1. They depend on t because `stop` may.
    rows: Vec<Vec<Row>>,
    /// Whether a path of exactly L states, padding included, may end in s.
    may_end: Vec<bool>,
}

/// T(to | from, action) π0 > 0, and R(s, a) + R(s, a, s').
struct Row {
    from: usize,
    to: usize,
    base: f64,
    reward: f64,
    /// The corresponding transition of 𝓜; `None` for the auxiliary action a_a.
    original: Option<usize>,
}

impl PaddedMdp {
    fn new(mdp: &Mdp, reward: &Reward, start: &[(usize, f64)], horizon: usize, stop: Stop) -> Self {
        let auxiliary = mdp.n_states();
        let mut p0 = vec![0.0; auxiliary + 1];
        for &(state, p) in start {
            p0[state] += p;
        }
        let stops = |state, length| stop.allows(mdp.is_terminal(state), state, length, horizon);
        PaddedMdp {
            horizon,
            discounted: DiscountedReward::new(mdp.discount(), horizon),
            start: p0,
            reward: reward.state.iter().copied().chain([0.0]).collect(),
            rows: (1..horizon).map(|t| rows(mdp, reward, |state| stops(state, t))).collect(),
            may_end: (0..auxiliary).map(|state| stops(state, horizon)).chain([true]).collect(),
        }
    }

    /// T(s'|s,a) e^{γ^{t-1}(R(s,a) + R(s,a,s'))}.
    fn weight(&self, t: usize, row: &Row) -> Scaled {
        Scaled::from(row.base) * self.discounted.exp(t, row.reward)
    }

    /// e^{γ^{t-1} R(s)}.
    fn visit(&self, t: usize, state: usize) -> Scaled {
        self.discounted.exp(t, self.reward[state])
    }

    /// α_t(s) at `[t - 1][s]` (eq:alpha-basecase, eq:alpha-recurrence), including s_a.
    fn alpha(&self) -> Vec<Vec<Scaled>> {
        let first = (self.start.iter().enumerate()).map(|(state, &p)| Scaled::from(p) * self.visit(1, state)).collect();
        let mut alpha: Vec<Vec<Scaled>> = vec![first];
        for t in 1..self.horizon {
            let mut next = vec![Scaled::ZERO; self.start.len()];
            for row in &self.rows[t - 1] {
                next[row.to] += alpha[t - 1][row.from] * self.weight(t, row) * self.visit(t + 1, row.to);
            }
            alpha.push(next);
        }
        alpha
    }

    fn beta(&self) -> Vec<Vec<Scaled>> {
        let end = |(state, &may_end): (usize, &bool)| {
            if may_end { self.visit(self.horizon, state) } else { Scaled::ZERO }
        };
        let mut beta: Vec<Vec<Scaled>> = vec![self.may_end.iter().enumerate().map(end).collect()];
        for t in 1..self.horizon {
            let time = self.horizon - t;
            let mut longer = vec![Scaled::ZERO; self.start.len()];
            for row in &self.rows[time - 1] {
                longer[row.from] += self.visit(time, row.from) * self.weight(time, row) * beta[t - 1][row.to];
            }
            beta.push(longer);
        }
        beta
    }

    /// p_t for t < L. A state's marginal includes the step into s_a; the other marginals do not.
    fn marginals(&self, mdp: &Mdp, t: usize, around: impl Fn(usize, usize) -> Scaled) -> Marginals {
        let mut marginals = Marginals::zeros(mdp);
        for row in self.rows[t - 1].iter().filter(|row| row.from < mdp.n_states()) {
            let p = (around(row.from, row.to) * self.weight(t, row)).to_f64();
            marginals.state[row.from] += p;
            if let Some(transition) = row.original {
                marginals.transition[transition] = p;
                marginals.choice[mdp.choice_of()[transition] as usize] += p;
            }
        }
        marginals
    }
}

/// The rows of 𝓜, then (s, a_a, s_a) for every s where a path may stop, and for s_a itself.
///
/// Terminal states have no other rows. The paper gives them all actions and forbids all but a_a by rewards of -∞, which
/// is equivalent.
fn rows(mdp: &Mdp, reward: &Reward, stops: impl Fn(usize) -> bool) -> Vec<Row> {
    let auxiliary = mdp.n_states();
    let own = (0..mdp.n_transitions()).map(|transition| Row {
        from: mdp.from()[transition] as usize,
        to: mdp.to()[transition] as usize,
        base: mdp.base_weight(transition),
        reward: reward.of_transition(transition),
        original: Some(transition),
    });
    let padding = (0..=auxiliary).filter(|&state| state == auxiliary || stops(state)).map(|from| Row {
        from,
        to: auxiliary,
        base: 1.0,
        reward: 0.0,
        original: None,
    });
    own.chain(padding).collect()
}
