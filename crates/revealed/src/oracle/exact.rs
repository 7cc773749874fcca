//! Every answer as a sum over enumerated paths, with logarithms in 106 bits.

use super::{DoubleDouble, paths};
use crate::engine::{Horizon, Stop};
use crate::model::Chance;
use crate::oracle::ExtremeWorld;
use crate::world::{Mdp, Occupancy, Reward};

/// A path with its probability.
#[derive(Debug, Clone)]
pub struct ExactPath {
    /// s_1 … s_l.
    pub states: Vec<usize>,
    /// The numbers of the l - 1 transitions.
    pub transitions: Vec<usize>,
    /// The logarithm of its weight: that of the path model, or its probability in the causal model.
    pub log_weight: DoubleDouble,
    /// log p(τ).
    pub log_p: f64,
}

impl ExactPath {
    /// p(τ).
    pub fn p(&self) -> f64 {
        self.log_p.exp()
    }

    /// The last state.
    pub fn last(&self) -> usize {
        self.states[self.states.len() - 1]
    }

    /// Whether it begins with these states and transitions.
    pub fn begins_with(&self, states: &[usize], transitions: &[usize]) -> bool {
        self.states.starts_with(states) && self.transitions.starts_with(transitions)
    }
}

/// log Σ e^x; `None` if there are none.
pub fn log_sum(logs: impl Iterator<Item = DoubleDouble> + Clone) -> Option<DoubleDouble> {
    let largest = logs.clone().reduce(|a, b| if a > b { a } else { b })?;
    let sum: f64 = logs.map(|log| (log - largest).to_f64().exp()).sum();
    Some(largest + DoubleDouble::from(sum.ln()))
}

/// The paths of a world's model from `start` that end where `stop` says, with probabilities that sum to 1.
pub fn exact_paths(world: &ExtremeWorld, reward: &Reward, start: &[(usize, f64)], stop: Stop) -> Vec<ExactPath> {
    let all = match world.chance {
        Chance::Tilted => paths(&world.mdp, reward, start, world.longest, stop)
            .into_iter()
            .map(|path| (path.states, path.transitions, path.log_weight))
            .collect(),
        Chance::Fixed => episodes(world, reward, start, stop),
    };
    conditioned(all.into_iter().map(|(states, transitions, log_weight)| ExactPath {
        states,
        transitions,
        log_weight,
        log_p: 0.0,
    }))
}

/// These paths, with their shares of the sum of their weights.
fn conditioned(paths: impl Iterator<Item = ExactPath>) -> Vec<ExactPath> {
    let mut paths: Vec<ExactPath> = paths.collect();
    // Relative to the heaviest: near very large logarithms even 106 bits do not show the logarithm of the sum.
    let heaviest = paths.iter().map(|path| path.log_weight).reduce(|a, b| if a > b { a } else { b });
    let Some(heaviest) = heaviest else { return paths };
    paths.iter_mut().for_each(|path| path.log_p = (path.log_weight - heaviest).to_f64());
    let log_total = paths.iter().map(|path| path.log_p.exp()).sum::<f64>().ln();
    paths.iter_mut().for_each(|path| path.log_p -= log_total);
    paths
}

/// The paths after their first `t` states, with weights of what follows: near the weight of a forbidden beginning, 106
/// bits would not show them.
pub fn continuations(world: &ExtremeWorld, reward: &Reward, last: usize, t: usize, stop: Stop) -> Vec<ExactPath> {
    let (horizon, longest) = match world.horizon {
        Horizon::AtMost(horizon) => (Horizon::AtMost(horizon - (t - 1)), world.longest - (t - 1)),
        Horizon::Any => (Horizon::Any, world.longest),
    };
    let later = ExtremeWorld { horizon, longest, ..world.clone() };
    // The values of a causal model are discounted from the present state on.
    let power = if world.chance == Chance::Fixed { 1.0 } else { world.mdp.discount().powi(t as i32 - 1) };
    exact_paths(&later, &reward.times(power), &[(last, 1.0)], stop)
}

/// Σ_t γ^{t-1} p_t.
pub fn exact_visits(mdp: &Mdp, paths: &[ExactPath]) -> Occupancy {
    let mut visits = Occupancy { state: vec![0.0; mdp.n_states()], transition: vec![0.0; mdp.n_transitions()] };
    for path in paths {
        for (t, &state) in path.states.iter().enumerate() {
            visits.state[state] += mdp.discount().powi(t as i32) * path.p();
        }
        for (t, &transition) in path.transitions.iter().enumerate() {
            visits.transition[transition] += mdp.discount().powi(t as i32) * path.p();
        }
    }
    visits
}

/// The sweeps after which values without a horizon do not change any more.
const SWEEPS: usize = 2_000;

/// An episode: its states, its transitions, and the logarithm of its weight.
type Episode = (Vec<usize>, Vec<usize>, DoubleDouble);

/// The policy of one time: log π_t(a|s) of each choice and log σ_t(s) of each state, `None` for 0; and V_t.
struct ExactTime {
    value: Vec<Option<DoubleDouble>>,
    choice: Vec<Option<DoubleDouble>>,
    stop: Vec<Option<DoubleDouble>>,
}

/// The recursion of the causal model in 106 bits.
fn exact_time(mdp: &Mdp, reward: &Reward, next: Option<&ExactTime>, may_end: impl Fn(usize) -> bool) -> ExactTime {
    let n = mdp.n_states();
    let mut time = ExactTime { value: vec![None; n], choice: vec![None; mdp.n_choices()], stop: vec![None; n] };
    for state in 0..n {
        let of_choice = |choice: usize| {
            let next = next?;
            let reference = mdp.reference().map_or(0.0, |reference| reference[choice].ln());
            let mut sum = (reference > f64::NEG_INFINITY).then_some(DoubleDouble::from(reference))?;
            for transition in mdp.outcomes(choice).filter(|&transition| mdp.probability()[transition] > 0.0) {
                let later = DoubleDouble::from(mdp.discount()) * next.value[mdp.to()[transition] as usize]?;
                let pays = DoubleDouble::from(reward.of_transition(transition));
                sum = sum + DoubleDouble::from(mdp.probability()[transition]) * (pays + later);
            }
            Some(sum)
        };
        let choices: Vec<(usize, DoubleDouble)> = mdp.choices(state).filter_map(|c| Some((c, of_choice(c)?))).collect();
        let stop = may_end(state).then_some(DoubleDouble::ZERO);
        let Some(total) = log_sum(choices.iter().map(|choice| choice.1).chain(stop)) else { continue };
        time.value[state] = Some(total + DoubleDouble::from(reward.state[state]));
        time.stop[state] = stop.map(|stop| stop - total);
        choices.into_iter().for_each(|(choice, log)| time.choice[choice] = Some(log - total));
    }
    time
}

/// V_t and π_t for every t. Without a horizon, all are those of a horizon so long that they do not change any more.
fn exact_times(world: &ExtremeWorld, reward: &Reward, stop: Stop) -> Vec<ExactTime> {
    let mdp = &world.mdp;
    let ends = |t: usize| move |state: usize| stop.allows(mdp.is_terminal(state), state, t, world.horizon);
    let mut times: Vec<ExactTime> = Vec::new();
    if let Horizon::AtMost(horizon) = world.horizon {
        for t in (1..=horizon).rev() {
            times.push(exact_time(mdp, reward, times.last(), ends(t)));
        }
        times.reverse();
        return times;
    }
    // Value iteration. Chance may delay an end, but not for ever where the agent can make sure of it.
    let certain = certain(mdp, ends(1));
    times.push(exact_time(mdp, reward, None, |state| certain[state]));
    for _ in 0..SWEEPS {
        times = vec![exact_time(mdp, reward, times.last(), ends(1))];
    }
    (1..world.longest).for_each(|_| times.push(exact_time(mdp, reward, times.last(), ends(1))));
    times
}

/// The states from which the agent can make sure that an episode ends: those that are left if states are removed from
/// which no end is reached by choices that stay among those that are left.
fn certain(mdp: &Mdp, ends: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut left = vec![true; mdp.n_states()];
    loop {
        let stays = |choice: usize| {
            let taken = mdp.reference().is_none_or(|reference| reference[choice] > 0.0);
            taken && mdp.outcomes(choice).all(|transition| left[mdp.to()[transition] as usize])
        };
        let mut leads: Vec<bool> = (0..mdp.n_states()).map(|state| left[state] && ends(state)).collect();
        for _ in 0..mdp.n_states() {
            for transition in 0..mdp.n_transitions() {
                let from = mdp.from()[transition] as usize;
                leads[from] |=
                    leads[mdp.to()[transition] as usize] && stays(mdp.choice_of()[transition] as usize) && left[from];
            }
        }
        if leads == left {
            return left;
        }
        left = leads;
    }
}

/// All episodes of positive probability, with those that are too long left out.
fn episodes(world: &ExtremeWorld, reward: &Reward, start: &[(usize, f64)], stop: Stop) -> Vec<Episode> {
    let (mdp, times) = (&world.mdp, exact_times(world, reward, stop));
    let alive = start.iter().filter(|row| row.1 > 0.0 && times[0].value[row.0].is_some());
    let mut open: Vec<Episode> = alive.map(|&(state, p)| (vec![state], Vec::new(), DoubleDouble::from(p.ln()))).collect();
    let mut done = Vec::new();
    while let Some((states, transitions, log_p)) = open.pop() {
        let (t, state) = (states.len(), states[states.len() - 1]);
        if let Some(stop) = times[t - 1].stop[state] {
            done.push((states.clone(), transitions.clone(), log_p + stop));
        }
        for choice in mdp.choices(state).filter(|_| t < times.len()) {
            let Some(policy) = times[t - 1].choice[choice] else { continue };
            for transition in mdp.outcomes(choice).filter(|&transition| mdp.probability()[transition] > 0.0) {
                let log_p = log_p + policy + DoubleDouble::from(mdp.probability()[transition].ln());
                let states = states.iter().copied().chain([mdp.to()[transition] as usize]).collect();
                open.push((states, transitions.iter().copied().chain([transition]).collect(), log_p));
            }
        }
    }
    done
}

/// The share of the causal model's episodes that enumeration has left out, if nothing is known of their ends.
pub fn left_out(paths: &[ExactPath]) -> f64 {
    1.0 - paths.iter().map(|path| path.log_weight.to_f64().exp()).sum::<f64>()
}
