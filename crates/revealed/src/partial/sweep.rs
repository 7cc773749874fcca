//! The clamped pass: forward messages over a trellis, and how often each edge is used given each outcome.

use super::amount::Amount;
use super::prices::Prices;
use super::trellis::{Place, Trellis};
use crate::numeric::Scaled;

/// What is told of the paths that agree with what was seen.
pub(crate) trait Sink {
    /// A transition after `time` steps is taken with this probability, times the share of its outcome.
    fn step(&mut self, time: usize, transition: usize, probability: f64);
    /// The path begins in this state.
    fn first(&mut self, state: usize, probability: f64);
    /// The path ends in this state after `time` steps, where nobody saw it end.
    fn end(&mut self, time: usize, state: usize, probability: f64);
    /// A transition is taken after the step of this number among those that were seen.
    fn leave(&mut self, _step: usize, _transition: usize, _probability: f64) {}
    /// The expected number of unseen states in a gap of unknown length, without a horizon.
    fn gap(&mut self, _gap: usize, _unseen: f64) {}
}

/// The forward messages of a trellis for one reward.
#[derive(Debug)]
pub(crate) struct Messages<N> {
    /// The weight of all that leads to each node, divided by 2^exponent of its layer.
    pub forward: Vec<N>,
    /// The weight of each edge, with what was seen, and with the exponents of the two layers.
    pub edge: Vec<N>,
    /// The exponent of each layer.
    pub exponent: Vec<f64>,
    /// The total weight of each outcome.
    pub total: Vec<Scaled>,
}

/// The messages with the numbers that they need.
#[derive(Debug)]
pub(crate) enum Forward {
    Plain(Messages<f64>),
    Wide(Messages<Scaled>),
}

impl Forward {
    /// Plain numbers if they keep every path, otherwise wide ones.
    pub fn new(trellis: &Trellis, prices: &Prices<'_>) -> Forward {
        if let Some(plain) = Messages::new(trellis, prices) {
            return Forward::Plain(plain);
        }
        Forward::wide(trellis, prices)
    }

    /// Wide numbers.
    pub fn wide(trellis: &Trellis, prices: &Prices<'_>) -> Forward {
        Forward::Wide(Messages::new(trellis, prices).expect("wide numbers keep every path"))
    }

    /// The total weight of each outcome.
    pub fn totals(&self) -> &[Scaled] {
        match self {
            Forward::Plain(messages) => &messages.total,
            Forward::Wide(messages) => &messages.total,
        }
    }

    /// Tells how often each edge is used, given these outcomes with these shares. Returns the probability of each node,
    /// which is summed over the outcomes.
    pub fn backward(
        &self,
        trellis: &Trellis,
        prices: &Prices<'_>,
        outcomes: &[(usize, f64)],
        sink: &mut impl Sink,
    ) -> Vec<f64> {
        match self {
            Forward::Plain(messages) => messages.backward(trellis, prices, outcomes, sink),
            Forward::Wide(messages) => messages.backward(trellis, prices, outcomes, sink),
        }
    }
}

impl<N: Amount> Messages<N> {
    /// `None` if the numbers might lose the only path that agrees with what was seen.
    pub fn new(trellis: &Trellis, prices: &Prices<'_>) -> Option<Messages<N>> {
        let mut forward = vec![N::ZERO; trellis.state.len()];
        let mut edge = Vec::with_capacity(trellis.n_edges());
        let mut exponent: Vec<f64> = Vec::with_capacity(trellis.layers.len());
        for (number, layer) in trellis.layers.iter().enumerate() {
            if number == 0 {
                for (node, &weight) in layer.nodes.clone().zip(&trellis.first) {
                    let state = trellis.state[node] as usize;
                    let log = if trellis.begins { prices.log_first(state) } else { 0.0 };
                    forward[node] = N::exp(log).by(weight);
                }
            }
            let time = layer.time.wrapping_sub(1);
            for number in layer.edges.clone() {
                let transition = trellis.transition[number] as usize;
                let price = N::price(prices, time, transition).by(trellis.factor[number]);
                let to = trellis.to[number] as usize;
                forward[to] = forward[to].add(forward[trellis.from[number] as usize].times(price));
                edge.push(price);
            }
            let shift = N::rescale(&mut forward[layer.nodes.clone()])?;
            let before = if number == 0 { 0.0 } else { exponent[layer.parent] };
            exponent.push(before + shift);
            if shift != 0.0 {
                let factor = (-shift).exp2();
                edge[layer.edges.clone()].iter_mut().for_each(|edge| *edge = edge.by(factor));
            }
        }
        let mut messages = Messages { forward, edge, exponent, total: Vec::new() };
        messages.total = (0..trellis.outcomes.len()).map(|outcome| messages.total_of(trellis, prices, outcome)).collect();
        Some(messages)
    }

    /// The weight of the paths to one node of an outcome.
    pub fn term(&self, trellis: &Trellis, prices: &Prices<'_>, (layer, node): (usize, u32), ends: bool) -> Scaled {
        let weight = self.forward[node as usize].scaled();
        if weight.is_zero() {
            return Scaled::ZERO;
        }
        let weight = weight * Scaled { mantissa: 1.0, exponent: self.exponent[layer] };
        match ends {
            true => weight.times(end_weight(trellis, prices, layer, node)),
            false => weight,
        }
    }

    fn total_of(&self, trellis: &Trellis, prices: &Prices<'_>, outcome: usize) -> Scaled {
        let outcome = &trellis.outcomes[outcome];
        let terms = outcome.nodes.iter().map(|&node| self.term(trellis, prices, node, outcome.ends));
        terms.fold(Scaled::ZERO, Amount::add)
    }

    /// As [`Forward::backward`].
    pub fn backward(
        &self,
        trellis: &Trellis,
        prices: &Prices<'_>,
        outcomes: &[(usize, f64)],
        sink: &mut impl Sink,
    ) -> Vec<f64> {
        let mut behind = vec![N::ZERO; trellis.state.len()];
        for &(number, share) in outcomes {
            let outcome = &trellis.outcomes[number];
            for &(layer, node) in &outcome.nodes {
                let ends = if outcome.ends { end_weight(trellis, prices, layer, node) } else { Scaled::ONE };
                if ends.is_zero() || share == 0.0 {
                    continue;
                }
                let scale = Scaled { mantissa: 1.0, exponent: self.exponent[layer] };
                let seed = N::of(Scaled::from(share) * ends * scale / self.total[number]);
                if outcome.ends {
                    let state = trellis.state[node as usize] as usize;
                    sink.end(trellis.layers[layer].time, state, self.forward[node as usize].product(seed));
                }
                behind[node as usize] = behind[node as usize].add(seed);
            }
        }
        for layer in trellis.layers.iter().rev() {
            for number in layer.edges.clone().rev() {
                let (from, to) = (trellis.from[number] as usize, trellis.to[number] as usize);
                let later = self.edge[number].times(behind[to]);
                behind[from] = behind[from].add(later);
                let probability = self.forward[from].product(later);
                if probability > 0.0 {
                    let transition = trellis.transition[number] as usize;
                    sink.step(layer.time - 1, transition, probability);
                    if let Some(step) = Place(trellis.place[from]).as_step() {
                        sink.leave(step, transition, probability);
                    }
                }
            }
        }
        let node: Vec<f64> = self.forward.iter().zip(&behind).map(|(forward, behind)| forward.product(*behind)).collect();
        if trellis.begins {
            trellis.layers[0].nodes.clone().for_each(|first| sink.first(trellis.state[first] as usize, node[first]));
        }
        node
    }
}

fn end_weight(trellis: &Trellis, prices: &Prices<'_>, layer: usize, node: u32) -> Scaled {
    let state = trellis.state[node as usize] as usize;
    Scaled::exp(prices.log_end(trellis.layers[layer].time, state))
}
