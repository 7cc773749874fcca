//! The total weight of the walks from several states at once, from junction to junction.
//!
//! ```text
//! α_t(k) = Σ over the arcs into k of α_{t - steps}(from) · weight        E_t(k) = α_1(k) + … + α_t(k)
//! ```
//!
//! For a state between two junctions, j steps after k, the weight of the paths that end there is E_{L-j}(k) times the
//! weight of the run from k.

use multiversion::multiversion;

use super::{Junctions, NONE, REACH};
use crate::numeric::scaled::Scaled;

/// The number of first states that are handled at once.
pub(crate) const SUM_LANES: usize = 4;
/// The number of times whose values are stored.
const KEPT: usize = REACH as usize + 1;
/// The initial weight. It is large, because weights shrink more often than they grow.
const BEGIN: f64 = 1e250;
/// Sums outside of this range are not accurate enough.
const LEAST: f64 = 1e-200;
const MOST: f64 = 1e300;
/// Smaller terms are set to 0: they would not change a sum within the range, and subnormal numbers are slow.
const TINY: f64 = 1e-300;

type SumValues = [f64; SUM_LANES];

/// An arc as the sum reads it.
#[derive(Debug, Clone, Copy)]
struct Weighted {
    from: u32,
    steps: u32,
    weight: f64,
}

/// A state between junctions, and a junction that leads to it.
#[derive(Debug, Clone, Copy)]
struct Between {
    state: u32,
    from: u32,
    steps: u32,
    weight: f64,
}

/// The arcs as weights, and the arrays of the sums.
#[derive(Debug)]
pub(crate) struct JunctionSums {
    arcs: Vec<Weighted>,
    between: Vec<Between>,
    /// α_t at `[t % KEPT][k]`.
    values: Vec<SumValues>,
    /// E_t at the same index for the last times. Earlier times share the index of the last time, so that less memory is
    /// read.
    totals: Vec<SumValues>,
}

impl JunctionSums {
    /// `None` if a weight is too large or too small for plain numbers.
    pub fn new(junctions: &Junctions<'_>) -> Option<JunctionSums> {
        // With these weights, no arc takes a number within the range to one that is set to 0.
        let weight = |log_weight: f64| Some(log_weight.exp()).filter(|weight| (TINY / LEAST..1e100).contains(weight));
        let mut arcs = Vec::with_capacity(junctions.arcs.len());
        for arc in &junctions.arcs {
            arcs.push(Weighted { from: arc.from, steps: arc.steps, weight: weight(arc.log_weight)? });
        }
        let mut between = Vec::new();
        for state in (0..junctions.number_of.len()).filter(|&state| junctions.number_of[state] == NONE) {
            for ending in junctions.endings_within(state, REACH as usize + 1) {
                let steps = ending.transitions.len() as u32;
                between.push(Between { state: state as u32, from: ending.from, steps, weight: weight(ending.log_weight)? });
            }
        }
        Some(JunctionSums { arcs, between, values: Vec::new(), totals: Vec::new() })
    }

    /// For each (s, t) and each state G, Σ q(τ) e^{R(τ)} over the walks from s at time t to G within the horizon.
    /// `None` if a number leaves the range of an f64.
    pub fn endings(&mut self, junctions: &Junctions<'_>, starts: &[(usize, usize)]) -> Option<Vec<Vec<Scaled>>> {
        let (n, horizon) = (junctions.n_junctions, junctions.model.longest());
        let beginnings: Vec<_> = starts.iter().map(|&(state, _)| junctions.beginning(state)).collect();
        let mut enter: Vec<(usize, usize, usize)> = Vec::new();
        for (lane, (beginning, &(_, t))) in beginnings.iter().zip(starts).enumerate() {
            if let Some(junction) = beginning.junction {
                enter.push((t + beginning.transitions.len(), junction as usize, lane));
            }
        }
        for values in [&mut self.values, &mut self.totals] {
            values.clear();
            values.resize(n * KEPT, [0.0; SUM_LANES]);
        }
        let first = enter.iter().map(|row| row.0).min().unwrap_or(usize::MAX);
        for t in first..=horizon {
            let places: [usize; KEPT] = std::array::from_fn(|steps| (t + KEPT - steps) % KEPT * n);
            let total = [t - 1, t].map(|t| n * if t + KEPT > horizon { t % KEPT } else { horizon % KEPT });
            step(&junctions.first, &self.arcs, &mut self.values, &mut self.totals, &places, total);
            for &(_, junction, lane) in enter.iter().filter(|row| row.0 == t) {
                self.values[places[0] + junction][lane] += BEGIN;
                self.totals[total[1] + junction][lane] += BEGIN;
            }
        }
        // Weights shrink step by step. If a weight is 0 although a walk leads there, some of its neighbours are below
        // the range.
        let in_range = |weight: &f64| *weight == 0.0 || (LEAST..MOST).contains(weight);
        if !self.totals[horizon % KEPT * n..][..n].iter().flatten().all(in_range) {
            return None;
        }
        Some((0..starts.len()).map(|lane| self.of_lane(junctions, &beginnings[lane], starts[lane].1, lane)).collect())
    }

    fn of_lane(&self, junctions: &Junctions<'_>, beginning: &super::Beginning, t: usize, lane: usize) -> Vec<Scaled> {
        let (n, horizon) = (junctions.n_junctions, junctions.model.longest());
        let mut found = vec![0.0; junctions.number_of.len()];
        for between in self.between.iter().filter(|between| (between.steps as usize) < horizon) {
            let place = (horizon - between.steps as usize) % KEPT * n + between.from as usize;
            found[between.state as usize] += self.totals[place][lane] * between.weight;
        }
        for (state, &number) in junctions.number_of.iter().enumerate().filter(|row| *row.1 != NONE) {
            found[state] = self.totals[horizon % KEPT * n + number as usize][lane];
        }
        let paid = beginning.log_weights[beginning.log_weights.len() - 1];
        let unit = Scaled::exp(paid) / Scaled::from(BEGIN);
        let mut found: Vec<Scaled> = found.into_iter().map(|weight| Scaled::from(weight) * unit).collect();
        // The states before the first junction are not in the sums; that junction is.
        let own = beginning.states.len() - usize::from(beginning.junction.is_some());
        for (place, &state) in beginning.states[..own].iter().enumerate().take_while(|(place, _)| t + place <= horizon) {
            found[state] += Scaled::exp(beginning.log_weights[place]);
        }
        found
    }
}

/// Computes α_t and E_t from the earlier values. Walks that start at t are added later.
#[multiversion(targets("x86_64+avx2+fma+bmi1+bmi2"))]
fn step(
    first: &[u32],
    arcs: &[Weighted],
    values: &mut [SumValues],
    totals: &mut [SumValues],
    places: &[usize; KEPT],
    [before, total]: [usize; 2],
) {
    for junction in 0..first.len() - 1 {
        let mut sum = [0.0; SUM_LANES];
        for arc in &arcs[first[junction] as usize..first[junction + 1] as usize] {
            let from = &values[places[arc.steps as usize] + arc.from as usize];
            for lane in 0..SUM_LANES {
                sum[lane] += from[lane] * arc.weight;
            }
        }
        for sum in &mut sum {
            *sum = if *sum < TINY { 0.0 } else { *sum };
        }
        values[places[0] + junction] = sum;
        let so_far = totals[before + junction];
        totals[total + junction] = std::array::from_fn(|lane| so_far[lane] + sum[lane]);
    }
}
