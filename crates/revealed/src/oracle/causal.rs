//! The causal model by its definition: the recursion, state by state, and the enumeration of all episodes.

use crate::engine::Stop;
use crate::world::{Mdp, Reward};

/// V_t, π_t and σ_t of one time.
#[derive(Debug, Clone)]
pub struct CausalTime {
    /// V_t(s); -∞ where the agent cannot make sure that the episode ends as it should.
    pub value: Vec<f64>,
    /// π_t(a|s) of each choice.
    pub policy: Vec<f64>,
    /// σ_t(s): the probability that the episode ends.
    pub stop: Vec<f64>,
}

/// An episode with its probability.
#[derive(Debug, Clone)]
pub struct CausalEpisode {
    /// s_1 … s_l.
    pub states: Vec<usize>,
    /// The numbers of the l - 1 transitions.
    pub transitions: Vec<usize>,
    /// p0 Π π_t T · σ_l.
    pub probability: f64,
}

/// V_t, π_t and σ_t for t = 1, …, L.
pub fn causal_times(mdp: &Mdp, reward: &Reward, horizon: usize, stop: Stop) -> Vec<CausalTime> {
    let mut times: Vec<CausalTime> = Vec::new();
    for t in (1..=horizon).rev() {
        let next = times.last().map(|time| time.value.as_slice());
        times.push(causal_time(mdp, reward, next, |state| stop.allows(mdp.is_terminal(state), state, t, horizon)));
    }
    times.reverse();
    times
}

/// One step of the recursion. At the horizon there is no next value, and no action.
pub fn causal_time(mdp: &Mdp, reward: &Reward, next: Option<&[f64]>, may_end: impl Fn(usize) -> bool) -> CausalTime {
    let n = mdp.n_states();
    let mut time = CausalTime { value: vec![0.0; n], policy: vec![0.0; mdp.n_choices()], stop: vec![0.0; n] };
    for state in 0..n {
        let log_weight = |choice: usize| {
            let next = next?;
            let reference = mdp.reference().map_or(0.0, |reference| reference[choice].ln());
            let mut sum = reference;
            for transition in mdp.outcomes(choice) {
                let to = next[mdp.to()[transition] as usize];
                // No discount saves from -∞.
                let later = if to == f64::NEG_INFINITY { to } else { mdp.discount() * to };
                sum += mdp.probability()[transition] * (reward.of_transition(transition) + later);
            }
            Some(sum)
        };
        let weights: Vec<(usize, f64)> = mdp.choices(state).filter_map(|c| Some((c, log_weight(c)?))).collect();
        let ends = if may_end(state) { 0.0 } else { f64::NEG_INFINITY };
        let most = weights.iter().fold(ends, |most, weight| most.max(weight.1));
        if most == f64::NEG_INFINITY {
            time.value[state] = f64::NEG_INFINITY;
            continue;
        }
        let total = (ends - most).exp() + weights.iter().map(|weight| (weight.1 - most).exp()).sum::<f64>();
        time.value[state] = reward.state[state] + most + total.ln();
        time.stop[state] = (ends - most).exp() / total;
        weights.iter().for_each(|&(choice, weight)| time.policy[choice] = (weight - most).exp() / total);
    }
    time
}

/// All episodes of positive probability from these first states, whose weights are normalised over those from which an
/// episode can end as it should. Empty if there are none. Episodes of more than `times.len()` states are left out.
pub fn causal_episodes(mdp: &Mdp, start: &[(usize, f64)], times: &[CausalTime]) -> Vec<CausalEpisode> {
    let alive: Vec<(usize, f64)> =
        start.iter().copied().filter(|row| row.1 > 0.0 && times[0].value[row.0] > f64::NEG_INFINITY).collect();
    let total: f64 = alive.iter().map(|row| row.1).sum();
    let begin = |(state, p): (usize, f64)| CausalEpisode { states: vec![state], transitions: vec![], probability: p / total };
    let mut open: Vec<CausalEpisode> = alive.into_iter().map(begin).collect();
    let mut done = Vec::new();
    while let Some(episode) = open.pop() {
        let (t, state) = (episode.states.len(), episode.states[episode.states.len() - 1]);
        let time = &times[t - 1];
        if time.stop[state] > 0.0 {
            done.push(CausalEpisode { probability: episode.probability * time.stop[state], ..episode.clone() });
        }
        if t == times.len() {
            continue;
        }
        for choice in mdp.choices(state).filter(|&choice| time.policy[choice] > 0.0) {
            for transition in mdp.outcomes(choice) {
                let mut next = episode.clone();
                next.states.push(mdp.to()[transition] as usize);
                next.transitions.push(transition);
                next.probability *= time.policy[choice] * mdp.probability()[transition];
                open.push(next);
            }
        }
    }
    done
}
