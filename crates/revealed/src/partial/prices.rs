//! The weights of steps, of first states and of ends, without what was seen.

use crate::engine::fixed_point::log_weights;
use crate::world::{Mdp, Reward};

/// log π_t(a|s) of the choices that matter, and log σ_t(s) of the states that matter, by time.
#[derive(Debug, Default, Clone)]
pub(crate) struct PolicyTable {
    /// Whether the policy is the same at all times: then there is one table.
    pub stationary: bool,
    /// (choice, log π_t), in order.
    pub choices: Vec<Vec<(u32, f64)>>,
    /// (state, log σ_t), in order.
    pub stops: Vec<Vec<(u32, f64)>>,
}

impl PolicyTable {
    /// log σ_t(s); 0 where the agent does not decide whether the path ends.
    fn log_stop(&self, time: usize, state: usize) -> f64 {
        let rows = self.stops.get(time).map_or(&[][..], Vec::as_slice);
        rows.binary_search_by_key(&(state as u32), |row| row.0).map_or(0.0, |row| rows[row].1)
    }

    fn find(rows: &[Vec<(u32, f64)>], time: usize, index: usize) -> f64 {
        let rows = rows.get(time).map_or(&[][..], Vec::as_slice);
        rows.binary_search_by_key(&(index as u32), |row| row.0).map_or(f64::NEG_INFINITY, |row| rows[row].1)
    }
}

/// How much each step of a path weighs. Times are numbers of steps before.
#[derive(Debug)]
pub(crate) enum Prices<'a> {
    /// The path model without a discount: log weights of transitions, with the reward of the next state, and the same as
    /// plain numbers.
    Tilted {
        /// The reward.
        reward: &'a Reward,
        /// Logarithms.
        log: Vec<f64>,
        /// Their exponentials.
        plain: Vec<f64>,
    },
    /// The path model with a discount.
    Discounted {
        /// The world.
        mdp: &'a Mdp,
        /// The reward.
        reward: &'a Reward,
        /// log q of each transition.
        log_base: Vec<f64>,
        /// γ^t.
        powers: Vec<f64>,
    },
    /// The causal model.
    Causal {
        /// The world.
        mdp: &'a Mdp,
        /// The policy.
        policy: PolicyTable,
    },
}

impl<'a> Prices<'a> {
    /// Those of the path model, for times up to `longest`.
    pub fn tilted(mdp: &'a Mdp, reward: &'a Reward, longest: usize) -> Prices<'a> {
        if mdp.discount() == 1.0 {
            let log = log_weights(mdp, reward);
            let plain = log.iter().map(|log| log.exp()).collect();
            return Prices::Tilted { reward, log, plain };
        }
        let log_base = (0..mdp.n_transitions()).map(|transition| mdp.log_base_weight(transition)).collect();
        // Powers, not products, as in the recursion.
        let powers = (0..=longest).map(|time| mdp.discount().powi(time as i32)).collect();
        Prices::Discounted { mdp, reward, log_base, powers }
    }

    /// The logarithm of the weight of a transition after `time` steps.
    pub fn log_step(&self, time: usize, transition: usize) -> f64 {
        match self {
            Prices::Tilted { log, .. } => log[transition],
            Prices::Discounted { mdp, reward, log_base, powers } => {
                let to = mdp.to()[transition] as usize;
                log_base[transition] + powers[time] * reward.of_transition(transition) + powers[time + 1] * reward.state[to]
            }
            Prices::Causal { mdp, policy } => {
                let time = if policy.stationary { 0 } else { time };
                let choice = mdp.choice_of()[transition] as usize;
                PolicyTable::find(&policy.choices, time, choice) + mdp.probability()[transition].ln()
            }
        }
    }

    /// The same as a plain number, which may leave the range of f64.
    pub fn step(&self, time: usize, transition: usize) -> f64 {
        match self {
            Prices::Tilted { plain, .. } => plain[transition],
            prices => prices.log_step(time, transition).exp(),
        }
    }

    /// The logarithm of the weight of a first state, without p0.
    pub fn log_first(&self, state: usize) -> f64 {
        match self {
            Prices::Tilted { reward, .. } | Prices::Discounted { reward, .. } => reward.state[state],
            Prices::Causal { .. } => 0.0,
        }
    }

    /// The logarithm of the weight of ending in a state where a path may end.
    pub fn log_end(&self, time: usize, state: usize) -> f64 {
        match self {
            Prices::Causal { policy, .. } => policy.log_stop(if policy.stationary { 0 } else { time }, state),
            _ => 0.0,
        }
    }
}
