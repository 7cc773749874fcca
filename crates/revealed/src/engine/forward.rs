//! The forward pass: a_1, …, a_L and the expected visits, while the backward pass supplies b_t.

use std::marker::PhantomData;

use crate::engine::messages::{Forward, Visits, with_factors};
use crate::engine::network::PADDING;
use crate::engine::number::Number;
use crate::engine::weights::{Weights, padded_zeros};
use crate::numeric::scaled::Scaled;
use crate::world::{Mdp, Occupancy, Reward};

/// a_t, and Σ γ^{t-1} p_t so far.
#[derive(Debug)]
pub(crate) struct ForwardPass<N> {
    a: [Vec<f64>; 2],
    state: Vec<f64>,
    edge: Vec<f64>,
    number: PhantomData<N>,
}

impl<N: Number> ForwardPass<N> {
    /// `edges`: whether the visits of transitions are also counted.
    pub fn new(weights: &Weights, edges: bool) -> Self {
        let vector = padded_zeros::<N>(&weights.network);
        ForwardPass {
            a: [vector.clone(), vector],
            state: vec![0.0; weights.network.n_places()],
            edge: vec![0.0; if edges { weights.network.parents.n_slots() } else { 0 }],
            number: PhantomData,
        }
    }

    /// Sets a_1 and counts p_1. Returns Σ_s p_1(s).
    pub fn start(&mut self, b: &[f64], a: impl Iterator<Item = (usize, Scaled)>) -> f64 {
        self.state.fill(0.0);
        self.edge.fill(0.0);
        let block = crate::engine::network::LANES * N::WIDTH;
        self.a[0].chunks_exact_mut(block).for_each(|block| N::store(N::zero(), block));
        let mut mass = 0.0;
        for (place, a) in a {
            let p = (a * N::get(b, place)).to_f64();
            if p > 0.0 {
                N::set(&mut self.a[0], place, a);
                self.state[place] = p;
                mass += p;
            }
        }
        mass
    }

    /// From t to t + 1, given b_{t+1}. Returns Σ_s p_{t+1}(s).
    pub fn step(&mut self, weights: &Weights, t: usize, b: &[f64], ratio_exponent: i32) -> f64 {
        let network = &weights.network;
        let (now, next) = (weights.power(t - 1), weights.power(t));
        let n = network.n_places() * N::WIDTH;
        let [before, after] = &mut self.a;
        let visits = Visits { after: &mut after[..n], state: &mut self.state, edge: &mut self.edge };
        let ratio = 2f64.powi(ratio_exponent);
        let (parents, share) = (&network.parents, weights.share);
        let mass = with_factors!(weights.of_parents, now, weights.of_states, next, |edges, states| {
            Forward { parents, edges, states, before, b, ratio, state_weight: next, edge_weight: now, share }.step::<N>(visits)
        });
        self.a.swap(0, 1);
        mass
    }

    /// a_t of the current t at one place.
    pub fn message(&self, place: usize) -> Scaled {
        N::get(&self.a[0], place)
    }

    /// The expected visits of states and transitions.
    pub fn occupancy(&self, weights: &Weights, mdp: &Mdp, reward: &Reward) -> Occupancy {
        let network = &weights.network;
        let mut state = vec![0.0; mdp.n_states()];
        for (&visits, &at) in self.state.iter().zip(&network.state_of_place) {
            if at != PADDING {
                state[at as usize] = visits;
            }
        }
        let mut transition = Vec::new();
        if !self.edge.is_empty() {
            let mut of_edge = vec![0.0; network.n_edges];
            for (&visits, &edge) in self.edge.iter().zip(&network.parents.edge) {
                if edge != PADDING {
                    of_edge[edge as usize] = visits;
                }
            }
            transition = share_among_transitions(network, mdp, reward, &of_edge);
        }
        Occupancy { state, transition }
    }
}

/// Divides the visits of each edge among its transitions, in proportion to their weights.
fn share_among_transitions(network: &crate::engine::network::Network, mdp: &Mdp, reward: &Reward, of_edge: &[f64]) -> Vec<f64> {
    if network.n_edges == mdp.n_transitions() {
        return network.edge_of.iter().map(|&edge| of_edge[edge as usize]).collect();
    }
    let weight = |transition| mdp.scaled_base_weight(transition) * Scaled::exp(reward.of_transition(transition));
    let mut total = vec![Scaled::ZERO; network.n_edges];
    for (transition, &edge) in network.edge_of.iter().enumerate() {
        total[edge as usize] += weight(transition);
    }
    (network.edge_of.iter().enumerate())
        .map(|(transition, &edge)| match total[edge as usize] {
            total if total.is_zero() => 0.0,
            total => of_edge[edge as usize] * (weight(transition) / total).to_f64(),
        })
        .collect()
}
