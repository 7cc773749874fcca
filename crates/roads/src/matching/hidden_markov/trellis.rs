//! The trellis of a hidden Markov model: its most likely path (Viterbi), and the posterior of each step of it
//! (forward-backward).

/// The candidates of a fix: the log probability of each, and of each step to it.
#[derive(Debug, Clone, PartialEq)]
struct Layer {
    /// The log probability of the fix at each candidate.
    emissions: Vec<f64>,
    /// The log probability of the step from each candidate of the layer before (rows) to each of this one.
    steps: Vec<f64>,
    /// The log probability of the best path up to each candidate.
    best: Vec<f64>,
    /// The candidate of the layer before on that path.
    before: Vec<usize>,
}

/// The layers, in log space.
#[derive(Debug, Clone, PartialEq)]
pub struct Trellis {
    layers: Vec<Layer>,
}

impl Trellis {
    /// Begins with the log probabilities of the first fix at each of its candidates: at least one.
    pub fn new(emissions: Vec<f64>) -> Trellis {
        let (best, before) = (emissions.clone(), vec![0; emissions.len()]);
        Trellis { layers: vec![Layer { emissions, steps: Vec::new(), best, before }] }
    }

    /// The number of layers.
    pub fn n_layers(&self) -> usize {
        self.layers.len()
    }

    /// The log probability of the best path up to each candidate of a layer.
    pub fn best(&self, layer: usize) -> &[f64] {
        &self.layers[layer].best
    }

    /// Replaces the layers after the first `kept` ones by a new one. `steps` has a row for each candidate of the layer
    /// before, with minus infinity where no step is possible. If no candidate is reached, it changes nothing and
    /// returns false.
    pub fn push(&mut self, kept: usize, emissions: Vec<f64>, steps: Vec<f64>) -> bool {
        let n = emissions.len();
        let (mut best, mut before) = (vec![f64::NEG_INFINITY; n], vec![0; n]);
        for (from, so_far) in self.layers[kept - 1].best.iter().enumerate() {
            for (to, emission) in emissions.iter().enumerate() {
                let reached = so_far + steps[from * n + to] + emission;
                if reached > best[to] {
                    (best[to], before[to]) = (reached, from);
                }
            }
        }
        let reached = best.iter().any(|&best| best > f64::NEG_INFINITY);
        if reached {
            self.layers.truncate(kept);
            self.layers.push(Layer { emissions, steps, best, before });
        }
        reached
    }

    /// Keeps only the first layers, at least one.
    pub fn truncate(&mut self, kept: usize) {
        self.layers.truncate(kept.max(1));
    }

    /// The most likely path as one candidate for each layer, and its log probability. Among equals, the first.
    pub fn best_path(&self) -> (Vec<usize>, f64) {
        let last = &self.layers[self.layers.len() - 1].best;
        let mut here = 0;
        for (candidate, &best) in last.iter().enumerate() {
            if best > last[here] {
                here = candidate;
            }
        }
        let probability = last[here];
        let mut path = vec![here];
        for layer in self.layers[1..].iter().rev() {
            here = layer.before[here];
            path.push(here);
        }
        path.reverse();
        (path, probability)
    }

    /// The posterior probability of one candidate of each layer, given all fixes.
    pub fn posteriors(&self, path: &[usize]) -> Vec<f64> {
        let mut forward = vec![self.layers[0].emissions.clone()];
        for (place, layer) in self.layers.iter().enumerate().skip(1) {
            let (before, n) = (&forward[place - 1], layer.emissions.len());
            let from = |to: usize| before.iter().enumerate().map(move |(from, so_far)| so_far + layer.steps[from * n + to]);
            let reached = (0..n).map(|to| layer.emissions[to] + log_sum(from(to))).collect();
            forward.push(reached);
        }
        let mut backward = vec![0.0; forward[self.layers.len() - 1].len()];
        let mut found = Vec::with_capacity(self.layers.len());
        for place in (0..self.layers.len()).rev() {
            let both = |candidate: usize| forward[place][candidate] + backward[candidate];
            let all = log_sum((0..backward.len()).map(both));
            found.push((both(path[place]) - all).exp().min(1.0));
            if place > 0 {
                let (layer, n) = (&self.layers[place], backward.len());
                let on = |from: usize| (0..n).map(move |to| layer.steps[from * n + to] + layer.emissions[to]);
                let after = |from: usize| log_sum(on(from).zip(&backward).map(|(on, rest)| on + rest));
                backward = (0..forward[place - 1].len()).map(after).collect();
            }
        }
        found.reverse();
        found
    }
}

fn log_sum(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY { most } else { most + terms.map(|term| (term - most).exp()).sum::<f64>().ln() }
}
