//! Single paths through a trellis with one outcome: the likeliest, and draws.

use rand_pcg::Pcg64Mcg;

use super::prices::Prices;
use super::sweep::Messages;
use super::trellis::Trellis;
use crate::numeric::Scaled;
use crate::numeric::random::choose;

/// The likeliest path: its first state, its transitions, and the logarithm of its weight. `None` if there is none.
pub(crate) fn likeliest(trellis: &Trellis, prices: &Prices<'_>) -> Option<(usize, Vec<usize>, f64)> {
    let mut best = vec![f64::NEG_INFINITY; trellis.state.len()];
    let mut by: Vec<Option<usize>> = vec![None; best.len()];
    for layer in &trellis.layers {
        for edge in layer.edges.clone() {
            let price = prices.log_step(layer.time - 1, trellis.transition[edge] as usize) + trellis.factor[edge].ln();
            let (log, to) = (best[trellis.from[edge] as usize] + price, trellis.to[edge] as usize);
            if log > best[to] {
                (best[to], by[to]) = (log, Some(edge));
            }
        }
        if layer.edges.is_empty() && layer.time == trellis.layers[0].time {
            for (node, weight) in layer.nodes.clone().zip(&trellis.first) {
                let first = if trellis.begins { prices.log_first(trellis.state[node] as usize) } else { 0.0 };
                best[node] = weight.ln() + first;
            }
        }
    }
    let end = |&(layer, node): &(usize, u32)| {
        let state = trellis.state[node as usize] as usize;
        (node as usize, best[node as usize] + prices.log_end(trellis.layers[layer].time, state))
    };
    let ends = trellis.outcomes[0].nodes.iter().map(end);
    let better = |best: Option<(usize, f64)>, next: (usize, f64)| match best {
        Some(best) if best.1 >= next.1 => Some(best),
        _ => Some(next),
    };
    let (mut node, log) = ends.filter(|end| end.1 > f64::NEG_INFINITY).fold(None, better)?;
    let mut transitions = Vec::new();
    while let Some(edge) = by[node] {
        transitions.push(trellis.transition[edge] as usize);
        node = trellis.from[edge] as usize;
    }
    transitions.reverse();
    Some((trellis.state[node] as usize, transitions, log))
}

/// A path that is drawn: its first state and its transitions.
pub(crate) fn sampled(
    trellis: &Trellis,
    messages: &Messages<Scaled>,
    prices: &Prices<'_>,
    rng: &mut Pcg64Mcg,
) -> Option<(usize, Vec<usize>)> {
    let outcome = &trellis.outcomes[0];
    let term = |&(layer, node): &(usize, u32)| ((layer, node), messages.term(trellis, prices, (layer, node), true));
    let ends: Vec<((usize, u32), Scaled)> = outcome.nodes.iter().map(term).collect();
    let (mut layer, mut node) = choose(&ends, rng)?;
    let mut transitions = Vec::new();
    while layer > 0 {
        let edges = trellis.layers[layer].edges.clone();
        // The edges of a layer are in the order of their ends.
        let first = edges.start + trellis.to[edges.clone()].partition_point(|&to| to < node);
        let into = (first..edges.end).take_while(|&edge| trellis.to[edge] == node);
        let weight = |edge: usize| {
            let before = messages.forward[trellis.from[edge] as usize];
            let price = messages.edge[edge];
            (edge, if before.is_zero() || price.is_zero() { Scaled::ZERO } else { before * price })
        };
        let edge = choose(&into.map(weight).collect::<Vec<_>>(), rng)?;
        transitions.push(trellis.transition[edge] as usize);
        (layer, node) = (trellis.layers[layer].parent, trellis.from[edge]);
    }
    transitions.reverse();
    Some((trellis.state[node as usize] as usize, transitions))
}
