//! The lattice of a tolerant hidden Markov model: a trellis in which fixes may be skipped and routes may break.
//!
//! ```text
//! layer        t-2      t-1       t
//! on the road   o ────── o ────── o      a step: log probability of the route between two fixes
//!               └─────────────────^      a step over a skipped fix: minus the cost of a skip
//! break          ╲____ ≈ ────────^       a break: minus its cost; while it lasts, each fix costs a skip
//! ```
//!
//! Outliers come alone or in bursts. Those alone cost one price each. A burst costs something to begin, and then less for
//! each of its fixes. Whatever is cheaper counts. Bursts are short: one does not save more than a break costs. And a burst
//! lies between fixes on the road. At the ends of a trip each skipped fix is an outlier alone, because nothing beyond it
//! contradicts it.
//!
//! One node stands for the break before each layer. So breaks cost one visit per candidate, not one per pair.

/// A step from an earlier candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatticeStep {
    /// The layer that it comes from.
    pub layer: usize,
    /// The candidate there.
    pub from: usize,
    /// The candidate that it leads to.
    pub to: usize,
    /// Its log probability, with the costs of the skips.
    pub log_probability: f64,
}

/// How the best path reaches a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Before {
    /// By a step from a candidate of an earlier layer.
    Step(usize, usize),
    /// After a break, or at the beginning.
    Break,
}

/// How the best path reaches the break before a layer.
#[derive(Debug, Clone, Copy, PartialEq)]
enum BreakBefore {
    /// Nothing was matched before.
    Beginning,
    /// It begins after this candidate of the layer before.
    Candidate(usize),
    /// The fix of the layer before was skipped in it.
    Longer,
}

/// What it costs to skip a fix, in units of log probability.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SkipCost {
    /// If it is an outlier alone.
    pub alone: f64,
    /// If it is one of a burst.
    pub in_burst: f64,
}

impl std::ops::Add for SkipCost {
    type Output = SkipCost;

    fn add(self, other: SkipCost) -> SkipCost {
        SkipCost { alone: self.alone + other.alone, in_burst: self.in_burst + other.in_burst }
    }
}

/// The candidates of a fix.
#[derive(Debug, Clone, PartialEq)]
struct Layer {
    emissions: Vec<f64>,
    /// The cost of skipping its fix, and all fixes before it.
    skip: SkipCost,
    skip_before: SkipCost,
    steps: Vec<LatticeStep>,
    best: Vec<f64>,
    before: Vec<Before>,
    /// The log probability of the best path to the break before this layer.
    broken: f64,
    break_before: BreakBefore,
}

/// The layers, in log space.
#[derive(Debug, Clone, PartialEq)]
pub struct Lattice {
    layers: Vec<Layer>,
    /// The cost of a break, in units of log probability.
    gap: f64,
    /// The cost of a burst of outliers, besides that of its fixes.
    burst: f64,
}

/// A candidate on the most likely path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taken {
    /// Its layer.
    pub layer: usize,
    /// Its number there.
    pub candidate: usize,
    /// Whether a part of the route begins here.
    pub begins: bool,
    /// Its posterior probability, given all fixes.
    pub posterior: f64,
}

impl Lattice {
    /// A lattice without layers, in which a break and the beginning of a burst have these costs.
    pub fn new(gap: f64, burst: f64) -> Lattice {
        Lattice { layers: Vec::new(), gap, burst }
    }

    /// The number of layers.
    pub fn n_layers(&self) -> usize {
        self.layers.len()
    }

    /// The log probability of the best path up to each candidate of a layer.
    pub fn best(&self, layer: usize) -> &[f64] {
        &self.layers[layer].best
    }

    /// The largest of them.
    pub fn top(&self, layer: usize) -> f64 {
        self.layers[layer].best.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Adds a layer without steps to it. Its candidates, at least one, are reached by a break.
    pub fn push(&mut self, emissions: Vec<f64>, skip: SkipCost) {
        let (mut broken, mut break_before, mut skip_before) = (0.0, BreakBefore::Beginning, SkipCost::default());
        if let Some(last) = self.layers.last() {
            let (at, top) = largest(&last.best);
            skip_before = last.skip_before + last.skip;
            let begun = (-skip_before.alone, BreakBefore::Beginning);
            let fresh = (top - self.gap, BreakBefore::Candidate(at));
            let longer = (last.broken - last.skip.alone, BreakBefore::Longer);
            (broken, break_before) =
                [fresh, longer, begun].into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a }).unwrap_or(begun);
        }
        let best = emissions.iter().map(|emission| broken + emission).collect();
        let before = vec![Before::Break; emissions.len()];
        self.layers.push(Layer { emissions, skip, skip_before, steps: Vec::new(), best, before, broken, break_before });
    }

    /// The cost of skipping consecutive fixes: as outliers alone, or as a burst.
    fn price(&self, sum: SkipCost) -> f64 {
        sum.alone - (sum.alone - self.burst - sum.in_burst).clamp(0.0, self.gap)
    }

    /// Adds a step to the last layer.
    pub fn add(&mut self, step: LatticeStep) {
        let from = self.layers[step.layer].best[step.from];
        let last = self.layers.len() - 1;
        let layer = &mut self.layers[last];
        let reached = from + step.log_probability + layer.emissions[step.to];
        if reached > layer.best[step.to] {
            (layer.best[step.to], layer.before[step.to]) = (reached, Before::Step(step.layer, step.from));
        }
        layer.steps.push(step);
    }

    /// The most likely path, and its log probability. Fixes at the end may be skipped as well.
    pub fn best_path(&self) -> (Vec<Taken>, f64) {
        let after = self.skipped_after();
        let ends: Vec<f64> = (0..self.layers.len()).map(|layer| self.top(layer) - after[layer]).collect();
        let (mut layer, log_probability) = largest(&ends);
        let mut candidate = largest(&self.layers[layer].best).0;
        let posteriors = self.posteriors();
        let mut path = Vec::new();
        loop {
            let posterior = posteriors[layer][candidate];
            let before = self.layers[layer].before[candidate];
            path.push(Taken { layer, candidate, begins: before == Before::Break, posterior });
            match before {
                Before::Step(from, at) => (layer, candidate) = (from, at),
                Before::Break => match self.before_break(layer) {
                    Some((from, at)) => (layer, candidate) = (from, at),
                    None => break,
                },
            }
        }
        path.reverse();
        (path, log_probability)
    }

    /// The cost of skipping all fixes after each layer.
    fn skipped_after(&self) -> Vec<f64> {
        let n = self.layers.len();
        let mut costs = vec![0.0; n];
        for layer in (1..n).rev() {
            costs[layer - 1] = costs[layer] + self.layers[layer].skip.alone;
        }
        costs
    }

    /// The cost of skipping the fixes between two layers.
    pub fn skipped_between(&self, from: usize, to: usize) -> f64 {
        let between = &self.layers[from + 1..to];
        if between.is_empty() {
            0.0
        } else {
            self.price(between.iter().fold(SkipCost::default(), |sum, layer| sum + layer.skip))
        }
    }

    /// The candidate before the break before a layer.
    fn before_break(&self, mut layer: usize) -> Option<(usize, usize)> {
        loop {
            match self.layers[layer].break_before {
                BreakBefore::Beginning => return None,
                BreakBefore::Candidate(at) => return Some((layer - 1, at)),
                BreakBefore::Longer => layer -= 1,
            }
        }
    }

    /// The posterior probability of each candidate, by a forward and a backward pass.
    pub fn posteriors(&self) -> Vec<Vec<f64>> {
        let (forward, all) = self.forward();
        let ends = self.skipped_after();
        let mut backward: Vec<Vec<f64>> = self.layers.iter().map(|layer| vec![f64::NEG_INFINITY; layer.best.len()]).collect();
        // Of what follows the break before the layer after the one at hand.
        let mut after_break = f64::NEG_INFINITY;
        for (place, layer) in self.layers.iter().enumerate().rev() {
            for value in &mut backward[place] {
                *value = log_add(*value, log_add(-ends[place], after_break - self.gap));
            }
            for step in &layer.steps {
                let on = step.log_probability + layer.emissions[step.to] + backward[place][step.to];
                let value = &mut backward[step.layer][step.from];
                *value = log_add(*value, on);
            }
            let entered =
                layer.emissions.iter().zip(&backward[place]).fold(f64::NEG_INFINITY, |sum, (a, b)| log_add(sum, a + b));
            after_break = log_add(entered, after_break - layer.skip.alone);
        }
        let share = |(forward, backward): (&f64, &f64)| (forward + backward - all).exp().min(1.0);
        forward.iter().zip(&backward).map(|(forward, backward)| forward.iter().zip(backward).map(share).collect()).collect()
    }

    /// The log of the sum over all paths up to each candidate, and over all paths.
    fn forward(&self) -> (Vec<Vec<f64>>, f64) {
        let mut forward: Vec<Vec<f64>> = Vec::with_capacity(self.layers.len());
        let ends = self.skipped_after();
        let (mut broken, mut all) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (place, layer) in self.layers.iter().enumerate() {
            let mut begun = 0.0;
            if place > 0 {
                let last = forward[place - 1].iter().fold(f64::NEG_INFINITY, |sum, one| log_add(sum, *one));
                broken = log_add(last - self.gap, broken - self.layers[place - 1].skip.alone);
                begun = -layer.skip_before.alone;
            }
            let mut reached = vec![log_add(broken, begun); layer.best.len()];
            for step in &layer.steps {
                reached[step.to] = log_add(reached[step.to], forward[step.layer][step.from] + step.log_probability);
            }
            reached.iter_mut().zip(&layer.emissions).for_each(|(reached, emission)| *reached += emission);
            all = reached.iter().fold(all, |sum, one| log_add(sum, one - ends[place]));
            forward.push(reached);
        }
        (forward, all)
    }
}

/// The index of the largest, the first among equals, and its value.
fn largest(values: &[f64]) -> (usize, f64) {
    let mut found = (0, f64::NEG_INFINITY);
    for (place, &value) in values.iter().enumerate() {
        if value > found.1 {
            found = (place, value);
        }
    }
    found
}

/// log(e^a + e^b).
fn log_add(a: f64, b: f64) -> f64 {
    let (most, least) = if a > b { (a, b) } else { (b, a) };
    if least == f64::NEG_INFINITY { most } else { most + (least - most).exp().ln_1p() }
}
