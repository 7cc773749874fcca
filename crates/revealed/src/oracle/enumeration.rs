//! Brute force: enumeration of all paths.

use super::{Answer, DoubleDouble};
use crate::engine::Stop;
use crate::model::Marginals;
use crate::world::{Features, Mdp, Reward};

/// A path s_1 a_1 s_2 … s_l with a positive weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// s_1 … s_l.
    pub states: Vec<usize>,
    /// The numbers of the l - 1 transitions.
    pub transitions: Vec<usize>,
    /// log( q(τ) e^{R(τ)} ). Rewards and discounts are exact to 106 bits; each probability adds the rounding of
    /// one logarithm.
    pub log_weight: DoubleDouble,
}

/// All paths with a positive weight, in the order of a depth-first search.
pub fn paths(mdp: &Mdp, reward: &Reward, start: &[(usize, f64)], horizon: usize, stop: Stop) -> Vec<Path> {
    PathSearch::new(mdp, ExactReward::of(mdp, reward), horizon, stop).run(start)
}

/// Z and every marginal, by their definitions as sums over paths (eq:maxent-dist). `None` if no path exists.
pub fn enumerate(mdp: &Mdp, reward: &Reward, start: &[(usize, f64)], horizon: usize, stop: Stop) -> Option<Answer> {
    answer(mdp, horizon, &paths(mdp, reward, start, horizon, stop))
}

/// log Z and E[φ(τ)], with R = θᵀφ in 106 bits, for θ so large that the rounding of R itself matters.
pub fn enumerate_theta(
    mdp: &Mdp,
    features: &Features,
    theta: &[f64],
    start: &[(usize, f64)],
    horizon: usize,
    stop: Stop,
) -> Option<(f64, Vec<f64>)> {
    let found = PathSearch::new(mdp, ExactReward::of_theta(mdp, features, theta), horizon, stop).run(start);
    let answer = answer(mdp, horizon, &found)?;
    Some((answer.log_partition, features.expectation(mdp, &answer.occupancy(mdp.discount()))))
}

/// A reward before it is rounded to `f64`.
struct ExactReward {
    state: Vec<DoubleDouble>,
    transition: Vec<DoubleDouble>,
}

impl ExactReward {
    fn of(mdp: &Mdp, reward: &Reward) -> Self {
        let transition = (0..mdp.n_transitions()).map(|transition| reward.of_transition(transition).into());
        ExactReward { state: reward.state.iter().map(|&reward| reward.into()).collect(), transition: transition.collect() }
    }

    fn of_theta(mdp: &Mdp, features: &Features, theta: &[f64]) -> Self {
        let [state, choice, transition] = features.blocks().map(|block| {
            let dot = |row| {
                (block.row(row).map(|(feature, value)| DoubleDouble::product(theta[feature], value)))
                    .fold(DoubleDouble::ZERO, |sum, term| sum + term)
            };
            (0..block.n_rows()).map(dot).collect::<Vec<_>>()
        });
        let of_choice = mdp.choice_of().iter().map(|&number| choice[number as usize]);
        ExactReward { state, transition: transition.into_iter().zip(of_choice).map(|(own, shared)| own + shared).collect() }
    }
}

struct PathSearch<'a> {
    mdp: &'a Mdp,
    reward: ExactReward,
    /// γ^{t-1} at `[t - 1]`.
    powers: Vec<DoubleDouble>,
    horizon: usize,
    stop: Stop,
    found: Vec<Path>,
}

impl<'a> PathSearch<'a> {
    fn new(mdp: &'a Mdp, reward: ExactReward, horizon: usize, stop: Stop) -> Self {
        let powers = DoubleDouble::powers(mdp.discount(), horizon);
        PathSearch { mdp, reward, powers, horizon, stop, found: Vec::new() }
    }

    fn run(mut self, start: &[(usize, f64)]) -> Vec<Path> {
        for &(state, p) in start {
            if p > 0.0 && self.horizon > 0 {
                let log_weight = DoubleDouble::from(p.ln()) + self.reward.state[state];
                self.extend(&Path { states: vec![state], transitions: Vec::new(), log_weight });
            }
        }
        self.found
    }

    fn extend(&mut self, path: &Path) {
        let length = path.states.len();
        let state = path.states[length - 1];
        if self.stop.allows(self.mdp.is_terminal(state), state, length, self.horizon) {
            self.found.push(path.clone());
        }
        if length < self.horizon {
            for transition in self.mdp.children(state).filter(|&transition| self.mdp.base_weight(transition) > 0.0) {
                self.extend(&self.followed_by(path, transition));
            }
        }
    }

    fn followed_by(&self, path: &Path, transition: usize) -> Path {
        let t = path.states.len();
        let next = self.mdp.to()[transition] as usize;
        let mut longer = path.clone();
        longer.states.push(next);
        longer.transitions.push(transition);
        longer.log_weight = path.log_weight
            + DoubleDouble::from(self.mdp.base_weight(transition).ln())
            + self.powers[t - 1] * self.reward.transition[transition]
            + self.powers[t] * self.reward.state[next];
        longer
    }
}

fn answer(mdp: &Mdp, horizon: usize, paths: &[Path]) -> Option<Answer> {
    let largest = paths.iter().map(|path| path.log_weight).reduce(|a, b| if a > b { a } else { b })?;
    let weights: Vec<f64> = paths.iter().map(|path| (path.log_weight - largest).to_f64().exp()).collect();
    let sum: f64 = weights.iter().sum();
    let mut marginals = vec![Marginals::zeros(mdp); horizon];
    for (path, weight) in paths.iter().zip(weights) {
        let p = weight / sum;
        for (marginals, &state) in marginals.iter_mut().zip(&path.states) {
            marginals.state[state] += p;
        }
        for (marginals, &transition) in marginals.iter_mut().zip(&path.transitions) {
            marginals.transition[transition] += p;
            marginals.choice[mdp.choice_of()[transition] as usize] += p;
        }
    }
    let log_partition = (largest + DoubleDouble::from(sum.ln())).to_f64();
    Some(Answer { log_partition, marginals })
}
