//! The sums for one reward: G between pairs of states, and how often paths use each transition.

use super::factor::{Entries, eliminate};
use super::fronts::{Fronts, Shape};
use super::{Elimination, Place};
use crate::Error;

/// Sums are scaled by these factors, in this order, until they fit into an f64: a trip across a city can weigh less
/// than e^-1000.
pub(super) const SCALES: [f64; 3] = [1.0, 1e140, 1e280];
/// Smaller numbers have lost digits, or would lose them in a division.
pub(super) const LEAST: f64 = 1e-280;

/// The weights of arcs and loops after the elimination.
#[derive(Debug, Clone)]
pub(crate) struct EliminationSums {
    /// From the lower end of each arc to the higher end, over all paths through states that rank lower than both.
    pub(super) rise: Vec<f64>,
    /// From the higher end to the lower end, likewise.
    pub(super) fall: Vec<f64>,
    /// 1 / (1 − the weight of all loops through states of lower rank).
    pub(super) loops: Vec<f64>,
}

/// Loops that weigh too much for a finite sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Divergence {
    /// A state on these loops.
    pub state: usize,
    /// The weight of all loops through it that avoid the states of higher rank.
    pub loops: f64,
}

/// Why there are no sums.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Unsolved {
    Diverges(Divergence),
    /// [`Error::Stopped`].
    Stopped(Error),
}

impl Unsolved {
    /// The error, where loops that weigh too much are another one.
    pub(crate) fn or(self, diverges: impl FnOnce(Divergence) -> Error) -> Error {
        match self {
            Unsolved::Diverges(divergence) => diverges(divergence),
            Unsolved::Stopped(stopped) => stopped,
        }
    }
}

/// The expected number of times that paths use each arc and loop: the derivative of Σ log G by the logarithm of its
/// weight.
#[derive(Debug, Clone)]
pub(crate) struct Uses {
    pub(super) rise: Vec<f64>,
    pub(super) fall: Vec<f64>,
    pub(super) loops: Vec<f64>,
}

/// Work arrays for one pair of states. They are all zero between two pairs.
#[derive(Debug, Default)]
pub(crate) struct EliminationScratch {
    ahead: Vec<f64>,
    behind: Vec<f64>,
    by_ahead: Vec<f64>,
    by_behind: Vec<f64>,
    pub(super) chains: [Vec<usize>; 2],
}

impl EliminationSums {
    /// Eliminates with these weights of the transitions.
    ///
    /// # Errors
    /// If the loops through some state weigh 1 or more in total: the sums over paths of any length are then not finite.
    pub(crate) fn new(network: &Elimination, weights: &[f64]) -> Result<EliminationSums, Unsolved> {
        let (n, n_arcs) = (network.n(), network.n_arcs());
        let mut sums = EliminationSums { rise: vec![0.0; n_arcs], fall: vec![0.0; n_arcs], loops: vec![0.0; n] };
        for (&place, &weight) in network.place_of.iter().zip(weights) {
            *sums.at(place) += weight;
        }
        let EliminationSums { rise, fall, loops } = &mut sums;
        eliminate(&network.fronts, &network.subtrees, &mut Entries { rise, fall, loops })?;
        Ok(sums)
    }

    fn at(&mut self, place: Place) -> &mut f64 {
        match place {
            Place::Loop(rank) => &mut self.loops[rank as usize],
            Place::Rise(arc) => &mut self.rise[arc as usize],
            Place::Fall(arc) => &mut self.fall[arc as usize],
        }
    }

    /// log G(from, to): the logarithm of the total weight of all paths from one state to another. If `count` is given,
    /// adds the arcs and loops that these paths use, times the share, to [`Uses`]. `None` if no path leads there, or if
    /// the sum does not fit into an f64 with any scale.
    pub(crate) fn pair(
        &self,
        network: &Elimination,
        [from, to]: [usize; 2],
        count: Option<(f64, &mut Uses)>,
        scratch: &mut EliminationScratch,
    ) -> Option<f64> {
        let EliminationScratch { ahead, behind, by_ahead, by_behind, .. } = scratch;
        for array in [ahead, behind, by_ahead, by_behind] {
            array.resize(network.n(), 0.0);
        }
        let ranks = [network.fronts.rank_of[from], network.fronts.rank_of[to]];
        for (chain, rank) in scratch.chains.iter_mut().zip(ranks) {
            chain.clear();
            chain.extend(network.chain(rank));
        }
        let mut found = None;
        for scale in SCALES {
            let total = self.sum(network, ranks, scale, scratch);
            if total > LEAST && total.is_finite() {
                if let Some((share, uses)) = count {
                    self.count(network, share / total, uses, scratch);
                }
                found = Some(total.ln() - 2.0 * scale.ln());
                break;
            }
            scratch.clear();
        }
        scratch.clear();
        found
    }

    /// Σ_s x(s) G(s, s') for every state s'.
    pub(crate) fn row(&self, network: &Elimination, x: &[f64]) -> Vec<f64> {
        self.solve(network, x, &self.rise, &self.fall)
    }

    /// Σ_s' G(s, s') x(s') for every state s.
    pub(crate) fn column(&self, network: &Elimination, x: &[f64]) -> Vec<f64> {
        self.solve(network, x, &self.fall, &self.rise)
    }

    /// Up the ranks with one kind of arcs, and down again with the other.
    fn solve(&self, network: &Elimination, x: &[f64], up: &[f64], down: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; network.n()];
        network.fronts.rank_of.iter().zip(x).for_each(|(&rank, &x)| sums[rank as usize] = x);
        self.up_and_down(&network.fronts, &mut sums, up, down);
        network.fronts.rank_of.iter().map(|&rank| sums[rank as usize]).collect()
    }

    /// The same in place, by ranks.
    fn up_and_down(&self, fronts: &Fronts, sums: &mut [f64], up: &[f64], down: &[f64]) {
        for front in 0..fronts.len() {
            let (pivots, border, Shape { pivots: k, width: w }) = fronts.parts(front);
            for row in 0..k {
                let here = sums[pivots.start + row] * self.loops[pivots.start + row];
                if here != 0.0 {
                    let arcs = &up[fronts.base[front] + row * w..][..w];
                    let later = sums[pivots.start + row + 1..pivots.end].iter_mut().zip(&arcs[row + 1..k]);
                    later.for_each(|(sum, arc)| *sum += here * arc);
                    border.iter().zip(&arcs[k..]).for_each(|(&rank, arc)| sums[rank as usize] += here * arc);
                }
            }
        }
        // A path to s either has a last state of higher rank than s, or it has none.
        for front in (0..fronts.len()).rev() {
            let (pivots, border, Shape { pivots: k, width: w }) = fronts.parts(front);
            for row in (0..k).rev() {
                let arcs = &down[fronts.base[front] + row * w..][..w];
                let later = sums[pivots.start + row + 1..pivots.end].iter().zip(&arcs[row + 1..k]);
                let above = later.map(|(sum, arc)| sum * arc).sum::<f64>()
                    + border.iter().zip(&arcs[k..]).map(|(&rank, arc)| sums[rank as usize] * arc).sum::<f64>();
                let here = &mut sums[pivots.start + row];
                *here = (*here + above) * self.loops[pivots.start + row];
            }
        }
    }

    /// log G(from, s) for every state s. It is -∞ if no path leads there, or if the sum does not fit into an f64 with
    /// the largest scale.
    pub(crate) fn log_row(&self, network: &Elimination, from: usize) -> Vec<f64> {
        self.log_solve(network, from, &self.rise, &self.fall)
    }

    /// log G(s, to) for every state s, likewise.
    pub(crate) fn log_column(&self, network: &Elimination, to: usize) -> Vec<f64> {
        self.log_solve(network, to, &self.fall, &self.rise)
    }

    fn log_solve(&self, network: &Elimination, from: usize, up: &[f64], down: &[f64]) -> Vec<f64> {
        let scale = SCALES[SCALES.len() - 1];
        let mut row = vec![0.0; network.n()];
        row[network.fronts.rank_of[from] as usize] = scale;
        self.up_and_down(&network.fronts, &mut row, up, down);
        network.fronts.rank_of.iter().map(|&rank| row[rank as usize].ln() - scale.ln()).collect()
    }

    /// The sum over the highest state of each path: `ahead` holds up(from, v) and `behind` holds down(v, to), each
    /// times the scale.
    fn sum(&self, network: &Elimination, [from, to]: [u32; 2], scale: f64, scratch: &mut EliminationScratch) -> f64 {
        let EliminationScratch { ahead, behind, chains, .. } = scratch;
        ahead[from as usize] = scale;
        behind[to as usize] = scale;
        for &v in &chains[0] {
            let here = ahead[v] * self.loops[v];
            network.arcs(v).for_each(|(arc, higher)| ahead[higher] += here * self.rise[arc]);
        }
        for &v in &chains[1] {
            let here = behind[v] * self.loops[v];
            network.arcs(v).for_each(|(arc, higher)| behind[higher] += self.fall[arc] * here);
        }
        chains[0].iter().map(|&v| ahead[v] * self.loops[v] * behind[v]).sum()
    }

    /// Reverse mode of [`sum`](Self::sum), from the highest rank down: the derivatives by `ahead` and `behind` of each
    /// rank, and how often paths use arcs and loops.
    fn count(&self, network: &Elimination, share: f64, uses: &mut Uses, scratch: &mut EliminationScratch) {
        let EliminationScratch { ahead, behind, by_ahead, by_behind, chains } = scratch;
        // Skip ranks that no path reaches: the derivative there could be infinite.
        for &v in chains[0].iter().rev().filter(|&&v| ahead[v] > 0.0) {
            let here = ahead[v] * self.loops[v];
            let mut by_here = share * behind[v];
            for (arc, higher) in network.arcs(v) {
                let part = self.rise[arc] * by_ahead[higher];
                by_here += part;
                uses.rise[arc] += here * part;
            }
            uses.loops[v] += here * by_here;
            by_ahead[v] = self.loops[v] * by_here;
        }
        for &v in chains[1].iter().rev().filter(|&&v| behind[v] > 0.0) {
            let here = behind[v] * self.loops[v];
            let mut by_here = 0.0;
            for (arc, higher) in network.arcs(v) {
                let part = self.fall[arc] * by_behind[higher];
                by_here += part;
                uses.fall[arc] += here * part;
            }
            uses.loops[v] += here * by_here;
            by_behind[v] = self.loops[v] * (by_here + share * ahead[v]);
        }
    }
}

impl EliminationScratch {
    fn clear(&mut self) {
        let EliminationScratch { ahead, behind, by_ahead, by_behind, chains } = self;
        for &v in chains.iter().flatten() {
            for array in [&mut *ahead, &mut *behind, &mut *by_ahead, &mut *by_behind] {
                array[v] = 0.0;
            }
        }
    }
}

impl Uses {
    pub(crate) fn new(network: &Elimination) -> Uses {
        let (n, n_arcs) = (network.n(), network.n_arcs());
        Uses { rise: vec![0.0; n_arcs], fall: vec![0.0; n_arcs], loops: vec![0.0; n] }
    }
}
