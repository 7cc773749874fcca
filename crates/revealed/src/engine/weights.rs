//! The factors of the recursion for one reward: m_t of each edge and e^{γ^{t-1} R} of each state, in the layout of the
//! kernel.

use std::sync::Arc;

use crate::engine::messages::{EdgeFactor, worth_sharing};
use crate::engine::network::{LANES, Network, PADDING, Slices};
use crate::engine::number::Number;
use crate::numeric::scaled::Scaled;
use crate::world::{Mdp, Reward};

/// Base-2 logarithms of the smallest and the largest factor at any time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub least: f64,
    pub most: f64,
}

impl Span {
    const NOTHING: Span = Span { least: 0.0, most: 0.0 };

    fn include(&mut self, log2: f64) {
        self.least = self.least.min(log2);
        self.most = self.most.max(log2 + 1.0);
    }
}

/// m_t and e^{γ^{t-1} R}, by slots and places.
#[derive(Debug)]
pub(crate) struct Weights {
    pub network: Arc<Network>,
    pub of_children: EdgeFactor,
    pub of_parents: EdgeFactor,
    pub of_states: EdgeFactor,
    pub edge_span: Span,
    pub state_span: Span,
    discount: f64,
    /// Whether to divide a step among threads.
    pub share: bool,
    /// R(s) by places, for computations outside the kernel.
    pub state_reward: Vec<f64>,
    edges_done: bool,
}

impl Weights {
    pub fn new(network: Arc<Network>, discount: f64) -> Self {
        Weights {
            of_children: EdgeFactor::default(),
            of_parents: EdgeFactor::default(),
            of_states: EdgeFactor::default(),
            edge_span: Span::NOTHING,
            state_span: Span::NOTHING,
            discount,
            share: worth_sharing(&network),
            state_reward: vec![0.0; network.n_places()],
            edges_done: false,
            network,
        }
    }

    fn discounts(&self) -> bool {
        self.discount != 1.0
    }

    /// γ^t.
    pub fn power(&self, t: usize) -> f64 {
        if self.discount == 1.0 { 1.0 } else { self.discount.powi(t as i32) }
    }

    /// Computes the factors of a reward that has passed its checks.
    pub fn fill<N: Number>(&mut self, mdp: &Mdp, reward: &Reward) {
        // Without rewards of transitions, the weights of the edges do not depend on the reward.
        if !(self.edges_done && reward.transition.is_empty()) {
            self.fill_edges::<N>(mdp, reward);
        }
        self.edges_done = reward.transition.is_empty();
        self.fill_states::<N>(reward);
    }

    fn fill_edges<N: Number>(&mut self, mdp: &Mdp, reward: &Reward) {
        let varies = self.discounts() && !reward.transition.is_empty();
        let mut weight = vec![Scaled::ZERO; self.network.n_edges];
        let mut exponent = vec![0.0; if varies { self.network.n_edges } else { 0 }];
        self.edge_span = Span::NOTHING;
        for (transition, &edge) in self.network.edge_of.iter().enumerate() {
            let base = mdp.scaled_base_weight(transition);
            let r = reward.of_transition(transition);
            if varies {
                weight[edge as usize] = base;
                exponent[edge as usize] = r;
                if !base.is_zero() {
                    self.edge_span.include(base.exponent);
                    self.edge_span.include(base.exponent + r * std::f64::consts::LOG2_E);
                }
            } else {
                weight[edge as usize] += base * Scaled::exp(r);
            }
        }
        if !varies {
            weight.iter().filter(|weight| !weight.is_zero()).for_each(|weight| self.edge_span.include(weight.exponent));
        }
        let is_one = !varies && weight.iter().all(|&weight| weight == Scaled::ONE);
        (self.of_children.is_one, self.of_parents.is_one) = (is_one, is_one);
        let network = Arc::clone(&self.network);
        fill_slots::<N>(&mut self.of_children, &network.children, &weight, &exponent);
        fill_slots::<N>(&mut self.of_parents, &network.parents, &weight, &exponent);
    }

    fn fill_states<N: Number>(&mut self, reward: &Reward) {
        let varies = self.discounts();
        let factor = &mut self.of_states;
        factor.base.resize(self.network.n_places() * N::WIDTH, 0.0);
        factor.reward.resize(if varies { self.network.n_places() } else { 0 }, 0.0);
        self.state_span = Span::NOTHING;
        for (place, &state) in self.network.state_of_place.iter().enumerate() {
            let r = if state == PADDING { 0.0 } else { reward.state[state as usize] };
            self.state_reward[place] = r;
            self.state_span.include((r * std::f64::consts::LOG2_E).floor());
            let value = match (state == PADDING, varies) {
                (true, _) => Scaled::ZERO,
                (false, true) => Scaled::ONE,
                (false, false) => Scaled::exp(r),
            };
            N::set(&mut factor.base, place, value);
            if varies {
                factor.reward[place] = r;
            }
        }
    }

    /// e^{γ^{t-1} R(s)} of one place.
    pub fn of_state(&self, t: usize, place: usize) -> Scaled {
        Scaled::exp(self.power(t - 1) * self.state_reward[place])
    }
}

fn fill_slots<N: Number>(factor: &mut EdgeFactor, slices: &Slices, weight: &[Scaled], exponent: &[f64]) {
    let n_slots = slices.edge.len();
    factor.base.resize(n_slots * N::WIDTH, 0.0);
    factor.reward.resize(if exponent.is_empty() { 0 } else { n_slots }, 0.0);
    for (slot, &edge) in slices.edge.iter().enumerate() {
        let weight = if edge == PADDING { Scaled::ZERO } else { weight[edge as usize] };
        N::set(&mut factor.base, slot, weight);
    }
    if !exponent.is_empty() {
        for (slot, &edge) in slices.edge.iter().enumerate() {
            factor.reward[slot] = if edge == PADDING { 0.0 } else { exponent[edge as usize] };
        }
    }
}

/// A vector of zeros, long enough for the kernel to read it by `neighbour`.
pub(crate) fn padded_zeros<N: Number>(network: &Network) -> Vec<f64> {
    let mut vector = vec![0.0; network.padded_len * N::WIDTH];
    vector.chunks_exact_mut(LANES * N::WIDTH).for_each(|block| N::store(N::zero(), block));
    vector
}

/// m_t(s, a, s') at γ^{t-1} = `discount`.
pub(crate) fn edge_weight(mdp: &Mdp, reward: &Reward, transition: usize, discount: f64) -> Scaled {
    mdp.scaled_base_weight(transition) * Scaled::exp(discount * reward.of_transition(transition))
}
