//! The route with the smallest expected error.
//!
//! The error of a route is the length of what it misses and of what it adds. Given the posterior probability p of each
//! segment, its expectation is a constant plus the sum of length · (1 - 2p) over the route.

use std::collections::HashMap;

use super::stretch::{FINE, Spot, Stretch};
use super::sums::Posterior;
use crate::network::Network;

/// Cells and arrivals less probable than this are not used.
const LEAST: f64 = 1e-9;
/// Routes pass a segment at about the same time if their seconds differ by at most this.
const ABOUT: f64 = 10.0;
/// Metres that a certain spot is worth: it decides between the spots of a segment.
const LIKELIER: f64 = 1e-3;

/// A route through the spots of all fixes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decoded {
    /// Its segments.
    pub segments: Vec<u32>,
    /// For each fix, the index of the segment in the route and the spot.
    pub seen: Vec<(usize, usize)>,
    /// The posterior probability of each segment.
    pub posteriors: Vec<f64>,
}

/// When each segment may be entered: usual seconds from the first fix, and the sums of the probabilities up to there.
/// Copies of a segment are the same road, and count together.
struct Driven<'a> {
    network: &'a Network,
    of: HashMap<usize, (Vec<f64>, Vec<f64>)>,
    /// When each stretch begins.
    begins: Vec<f64>,
}

impl<'a> Driven<'a> {
    fn new(
        network: &'a Network,
        spots: &[Vec<Spot>],
        first: &[f64],
        stretches: &[Stretch],
        posteriors: &[Posterior],
    ) -> Driven<'a> {
        let road = |segment: u32| network.original(segment as usize);
        let mut entered: Vec<(usize, f64, f64)> =
            spots[0].iter().zip(first).map(|(spot, &mass)| (road(spot.segment), -spot.into, mass)).collect();
        let mut begins = vec![0.0];
        for ((stretch, posterior), spots) in stretches.iter().zip(posteriors).zip(spots) {
            let begin = begins[begins.len() - 1];
            let cells = stretch.cells.iter().zip(&posterior.cells).skip(spots.len());
            entered.extend(cells.map(|(cell, &mass)| (road(cell.segment), begin + cell.clock, mass)));
            let arrivals = stretch.arrivals.iter().zip(&posterior.arrivals);
            let mean = arrivals.map(|(arrival, mass)| f64::from(arrival.row) * FINE * mass).sum::<f64>();
            begins.push(begin + mean);
        }
        entered.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut of: HashMap<usize, (Vec<f64>, Vec<f64>)> = HashMap::new();
        for (segment, time, mass) in entered {
            let (times, sums) = of.entry(segment).or_default();
            sums.push(sums.last().copied().unwrap_or(0.0) + mass);
            times.push(time);
        }
        Driven { network, of, begins }
    }

    /// The probability that a segment is entered at about this time of a stretch. So a loop that passes it once more
    /// gains nothing.
    fn near(&self, segment: u32, stretch: usize, clock: f64) -> f64 {
        let Some((times, sums)) = self.of.get(&self.network.original(segment as usize)) else { return 0.0 };
        let time = self.begins[stretch] + clock;
        let upto = |time: f64| times.partition_point(|&one| one <= time).checked_sub(1).map_or(0.0, |last| sums[last]);
        (upto(time + ABOUT) - upto(time - ABOUT)).clamp(0.0, 1.0)
    }
}

/// Where the best route to a cell comes from.
const NOWHERE: u32 = u32::MAX;

/// The best routes through one stretch.
struct Best {
    /// The cell before each cell.
    before: Vec<u32>,
    /// For each spot of the second fix, its cell.
    arrived: Vec<u32>,
}

/// The route with the smallest expected error.
pub(super) fn decode(
    spots: &[Vec<Spot>],
    stretches: &[Stretch],
    (first, posteriors): (&[f64], &[Posterior]),
    network: &Network,
) -> Option<Decoded> {
    let driven = Driven::new(network, spots, first, stretches, posteriors);
    let length = |segment: u32| network.segments[segment as usize].length;
    let gain = |segment: u32, at: usize, clock: f64| length(segment) * (2.0 * driven.near(segment, at, clock) - 1.0);
    let possible = |mass: f64| mass > LEAST;
    let begin =
        |(spot, &mass): (&Spot, &f64)| if possible(mass) { gain(spot.segment, 0, -spot.into) } else { f64::NEG_INFINITY };
    let mut values: Vec<f64> = spots[0].iter().zip(first).map(begin).collect();
    let mut steps: Vec<Best> = Vec::new();
    for (at, (stretch, posterior)) in stretches.iter().zip(posteriors).enumerate() {
        let mut cells = vec![f64::NEG_INFINITY; stretch.cells.len()];
        cells[..values.len()].copy_from_slice(&values);
        let gains: Vec<f64> = stretch.cells.iter().map(|cell| gain(cell.segment, at, cell.clock)).collect();
        let mut before = vec![NOWHERE; cells.len()];
        for edge in &stretch.edges {
            let (from, to) = (edge.from as usize, edge.to as usize);
            let value = cells[from] + gains[to];
            if possible(posterior.cells[to]) && value > cells[to] {
                (cells[to], before[to]) = (value, edge.from);
            }
        }
        values = vec![f64::NEG_INFINITY; spots[at + 1].len()];
        let mut arrived = vec![NOWHERE; values.len()];
        for (arrival, &mass) in stretch.arrivals.iter().zip(&posterior.arrivals) {
            let value = cells[arrival.cell as usize] + LIKELIER * mass;
            let spot = arrival.spot as usize;
            if possible(mass) && value > values[spot] {
                (values[spot], arrived[spot]) = (value, arrival.cell);
            }
        }
        steps.push(Best { before, arrived });
    }
    traced(spots, stretches, &steps, &values, &driven)
}

/// The route that ends at the best of the last spots.
fn traced(spots: &[Vec<Spot>], stretches: &[Stretch], steps: &[Best], values: &[f64], driven: &Driven<'_>) -> Option<Decoded> {
    let (mut spot, best) = values
        .iter()
        .enumerate()
        .fold((0, f64::NEG_INFINITY), |best, (place, &value)| if value > best.1 { (place, value) } else { best });
    if best == f64::NEG_INFINITY {
        return None;
    }
    // Backwards: segments with the stretch in which each is entered, and the spots.
    let (mut entered, mut seen) = (Vec::new(), vec![(0, spot)]);
    for (at, step) in steps.iter().enumerate().rev() {
        let mut cell = step.arrived[spot];
        while cell as usize >= spots[at].len() {
            entered.push((stretches[at].cells[cell as usize], at));
            cell = step.before[cell as usize];
        }
        spot = cell as usize;
        seen.push((entered.len(), spot));
    }
    entered.push((stretches[0].cells[spot], 0));
    entered.reverse();
    seen.reverse();
    let n = entered.len();
    // `seen` counts the segments entered after each fix.
    let seen = seen.into_iter().map(|(after, spot)| (n - 1 - after, spot)).collect();
    let posteriors = entered.iter().map(|(cell, at)| driven.near(cell.segment, *at, cell.clock)).collect();
    Some(Decoded { segments: entered.into_iter().map(|(cell, _)| cell.segment).collect(), seen, posteriors })
}
