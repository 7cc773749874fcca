//! Forward-mode differentiation of the elimination: the mean features of the paths that each arc stands for.
//!
//! `Uses` (reverse mode) gives the derivative of one sum over all pairs. The scores of demonstrations are the
//! derivatives of log G of each pair by θ, for which reverse mode would need one pass for each pair. Forward mode needs
//! one pass for each feature, and then every pair takes a look at its own ancestors only.

use super::sums::{EliminationScratch, EliminationSums, Uses};
use super::{Elimination, Place};
use crate::Error;
use crate::cancel::Pace;

/// ∂ log(weight) / ∂θ of each arc and loop for some features: the mean of these features over the paths that it stands
/// for. The derivatives of one arc are next to each other.
#[derive(Debug)]
pub(crate) struct Slopes {
    width: usize,
    rise: Vec<f64>,
    fall: Vec<f64>,
    loops: Vec<f64>,
}

impl Slopes {
    /// The bytes that the slopes of one feature take.
    pub(crate) fn bytes(network: &Elimination) -> usize {
        (2 * network.n_arcs() + network.n()) * size_of::<f64>()
    }

    /// Repeats the elimination with derivatives. `entries` has the features of each transition among the `width` ones.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub(crate) fn new<'a, I: Iterator<Item = (usize, f64)> + 'a>(
        network: &Elimination,
        sums: &EliminationSums,
        weights: &[f64],
        width: usize,
        entries: impl Fn(usize) -> I,
    ) -> Result<Slopes, Error> {
        let (arcs, loops) = (network.n_arcs() * width, network.n() * width);
        let mut slopes = Slopes { width, rise: vec![0.0; arcs], fall: vec![0.0; arcs], loops: vec![0.0; loops] };
        for (transition, (&place, &weight)) in network.place_of.iter().zip(weights).enumerate() {
            let row = slopes.at(place);
            entries(transition).for_each(|(k, value)| row[k] += weight * value);
        }
        let fronts = &network.fronts;
        let lower = fronts.lower();
        let (mut place_of, mut pace) = (vec![0; network.n()], Pace::default());
        let (mut behind, mut ahead) = (vec![0.0; width], vec![0.0; width]);
        for a in 0..network.n() {
            network.arcs(a).for_each(|(arc, higher)| place_of[higher] = arc);
            for (v, arc) in lower.of(fronts, a) {
                let (there, back) = (sums.rise[arc] * sums.loops[v], sums.fall[arc] * sums.loops[v]);
                if there == 0.0 && back == 0.0 {
                    continue;
                }
                pace.spend(fronts.shape(fronts.front_of[v] as usize).width * width)?;
                for k in 0..width {
                    // The features of a path add up: those of the arc to v, of the loops there, and of the arc from v.
                    let of_loops = slopes.loops[v * width + k];
                    behind[k] = slopes.fall[arc * width + k] + of_loops;
                    ahead[k] = slopes.rise[arc * width + k] + of_loops;
                    slopes.loops[a * width + k] += back * sums.rise[arc] * (behind[k] + slopes.rise[arc * width + k]);
                }
                for (other, higher) in network.arcs(v).filter(|(other, _)| *other > arc) {
                    let target = place_of[higher];
                    add(&mut slopes.rise, target, other, back * sums.rise[other], &behind);
                    add(&mut slopes.fall, target, other, there * sums.fall[other], &ahead);
                }
            }
            slopes.finish(network, sums, a);
        }
        Ok(slopes)
    }

    /// From derivatives of weights to derivatives of their logarithms, when all paths through lower ranks are in.
    fn finish(&mut self, network: &Elimination, sums: &EliminationSums, a: usize) {
        let width = self.width;
        self.loops[a * width..(a + 1) * width].iter_mut().for_each(|slope| *slope *= sums.loops[a]);
        for (arc, _) in network.arcs(a) {
            for (slopes, weight) in [(&mut self.rise, sums.rise[arc]), (&mut self.fall, sums.fall[arc])] {
                let row = &mut slopes[arc * width..(arc + 1) * width];
                row.iter_mut().for_each(|slope| *slope = if weight > 0.0 { *slope / weight } else { 0.0 });
            }
        }
    }

    fn at(&mut self, place: Place) -> &mut [f64] {
        let (slopes, index) = match place {
            Place::Loop(rank) => (&mut self.loops, rank),
            Place::Rise(arc) => (&mut self.rise, arc),
            Place::Fall(arc) => (&mut self.fall, arc),
        };
        &mut slopes[index as usize * self.width..(index as usize + 1) * self.width]
    }

    /// ∂ log G(from, to) / ∂θ. `uses` is all zero before and after. `None` where [`EliminationSums::pair`] has no sum.
    pub(crate) fn of_pair(
        &self,
        network: &Elimination,
        sums: &EliminationSums,
        pair: [usize; 2],
        uses: &mut Uses,
        scratch: &mut EliminationScratch,
    ) -> Option<Vec<f64>> {
        sums.pair(network, pair, Some((1.0, uses)), scratch)?;
        let mut slope = vec![0.0; self.width];
        let mut take = |uses: &mut [f64], slopes: &[f64], index: usize| {
            let uses = std::mem::take(&mut uses[index]);
            if uses != 0.0 {
                let row = &slopes[index * self.width..(index + 1) * self.width];
                slope.iter_mut().zip(row).for_each(|(sum, slope)| *sum += uses * slope);
            }
        };
        for &v in &scratch.chains[0] {
            take(&mut uses.loops, &self.loops, v);
            network.arcs(v).for_each(|(arc, _)| take(&mut uses.rise, &self.rise, arc));
        }
        for &v in &scratch.chains[1] {
            take(&mut uses.loops, &self.loops, v);
            network.arcs(v).for_each(|(arc, _)| take(&mut uses.fall, &self.fall, arc));
        }
        Some(slope)
    }
}

/// Adds the derivative of the weight of the paths to v and from there along `other` to the arc `target`.
fn add(slopes: &mut [f64], target: usize, other: usize, weight: f64, before: &[f64]) {
    if weight == 0.0 {
        return;
    }
    let width = before.len();
    let (low, high) = slopes.split_at_mut(target.max(other) * width);
    let (row, from) = match target < other {
        true => (&mut low[target * width..(target + 1) * width], &high[..width]),
        false => (&mut high[..width], &low[other * width..(other + 1) * width]),
    };
    row.iter_mut().zip(from).zip(before).for_each(|((row, from), before)| *row += weight * (from + before));
}
