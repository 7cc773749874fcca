//! Sums over all drives of a trip: forward and backward passes, in all lanes at once.

use super::pace::Pace;
use super::stretch::{FINE, Ground, Spot, Stretch};

/// A trip: where its fixes may have been taken, and the drives between them.
pub(super) struct Sums<'a> {
    pace: &'a Pace,
    elapsed: &'a [f64],
    spots: &'a [Vec<Spot>],
    pub stretches: Vec<Stretch>,
    /// For each fix, spot and lane: the sum over all drives up to there, divided by the scales so far.
    forward: Vec<Vec<f64>>,
    /// What the sums of each stretch are divided by.
    scales: Vec<f64>,
}

/// The posterior probabilities of a stretch.
pub(super) struct Posterior {
    /// Of each cell.
    pub cells: Vec<f64>,
    /// Of each arrival.
    pub arrivals: Vec<f64>,
}

impl<'a> Sums<'a> {
    /// The forward pass. `first` has the weight of each spot of the first fix. `None` if no drive is possible, or there
    /// are too many.
    pub(super) fn new(
        ground: &Ground<'_>,
        pace: &'a Pace,
        elapsed: &'a [f64],
        spots: &'a [Vec<Spot>],
        first: &[f64],
    ) -> Option<Sums<'a>> {
        let begin = first.iter().flat_map(|weight| pace.lanes.iter().map(move |lane| weight * lane.weight)).collect();
        let mut sums = Sums { pace, elapsed, spots, stretches: Vec::new(), forward: vec![begin], scales: Vec::new() };
        let n = pace.lanes.len();
        for (at, &elapsed) in elapsed.iter().enumerate() {
            let so_far: Vec<f64> = sums.forward[at].chunks_exact(n).map(|lanes| lanes.iter().sum()).collect();
            let window = pace.window(elapsed);
            sums.stretches.push(Stretch::new(ground, [&spots[at], &spots[at + 1]], &so_far, window)?);
            let (cells, table) = (sums.cells_forward(at), sums.table(at));
            let mut next = vec![0.0; spots[at + 1].len() * n];
            for arrival in &sums.stretches[at].arrivals {
                let weight = spots[at + 1][arrival.spot as usize].weight;
                let densities = row(&table, arrival.row, n);
                let cell = row(&cells, arrival.cell, n);
                let next = &mut next[arrival.spot as usize * n..][..n];
                next.iter_mut().zip(cell).zip(densities).for_each(|((next, cell), density)| *next += weight * cell * density);
            }
            let scale = next.iter().copied().fold(0.0, f64::max);
            if !(scale > 0.0 && scale.is_finite()) {
                return None;
            }
            next.iter_mut().for_each(|one| *one /= scale);
            sums.forward.push(next);
            sums.scales.push(scale);
        }
        Some(sums)
    }

    /// The likelihood of the fixes in each lane, up to a constant.
    pub(super) fn likelihoods(&self) -> Vec<f64> {
        let n = self.pace.lanes.len();
        let last = &self.forward[self.forward.len() - 1];
        let all = |lane: usize| last.iter().skip(lane).step_by(n).sum::<f64>();
        self.pace.lanes.iter().enumerate().map(|(lane, one)| all(lane) / one.weight).collect()
    }

    /// The log of the sum over all drives, up to a constant.
    pub(super) fn log_sum(&self) -> f64 {
        let scales: f64 = self.scales.iter().map(|scale| scale.ln()).sum();
        scales + self.forward[self.forward.len() - 1].iter().sum::<f64>().ln()
    }

    /// The backward pass: the posterior of each spot of the first fix, and of each stretch.
    pub(super) fn posteriors(&self) -> (Vec<f64>, Vec<Posterior>) {
        let n = self.pace.lanes.len();
        let last = &self.forward[self.forward.len() - 1];
        let all: f64 = last.iter().sum();
        let mut backward = vec![1.0; last.len()];
        let mut found = Vec::with_capacity(self.stretches.len());
        for (at, stretch) in self.stretches.iter().enumerate().rev() {
            let (forward, table) = (self.cells_forward(at), self.table(at));
            let mut cells = vec![0.0; forward.len()];
            let mut arrivals = Vec::with_capacity(stretch.arrivals.len());
            for arrival in &stretch.arrivals {
                let weight = self.spots[at + 1][arrival.spot as usize].weight / self.scales[at];
                let (densities, after) = (row(&table, arrival.row, n), row(&backward, arrival.spot, n));
                let (so_far, cell) = (row(&forward, arrival.cell, n), &mut cells[arrival.cell as usize * n..][..n]);
                let mut mass = 0.0;
                for lane in 0..n {
                    let on = weight * densities[lane] * after[lane];
                    cell[lane] += on;
                    mass += so_far[lane] * on;
                }
                arrivals.push(mass / all);
            }
            for edge in stretch.edges.iter().rev() {
                let (earlier, later) = cells.split_at_mut(edge.to as usize * n);
                let from = &mut earlier[edge.from as usize * n..][..n];
                from.iter_mut().zip(&later[..n]).for_each(|(from, to)| *from += edge.weight * to);
            }
            let mass = |cell: usize| (0..n).map(|lane| forward[cell * n + lane] * cells[cell * n + lane]).sum::<f64>() / all;
            found.push(Posterior { cells: (0..stretch.cells.len()).map(mass).collect(), arrivals });
            backward = cells[..self.spots[at].len() * n].to_vec();
        }
        found.reverse();
        let begin = self.forward[0].chunks_exact(n).zip(backward.chunks_exact(n));
        let first = begin.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / all).collect();
        (first, found)
    }

    /// For each cell of a stretch and each lane, the sum over all drives up to there.
    fn cells_forward(&self, at: usize) -> Vec<f64> {
        let (n, stretch) = (self.pace.lanes.len(), &self.stretches[at]);
        let mut cells = vec![0.0; stretch.cells.len() * n];
        cells[..self.forward[at].len()].copy_from_slice(&self.forward[at]);
        for edge in &stretch.edges {
            let (earlier, later) = cells.split_at_mut(edge.to as usize * n);
            let from = &earlier[edge.from as usize * n..][..n];
            later[..n].iter_mut().zip(from).for_each(|(to, from)| *to += edge.weight * from);
        }
        cells
    }

    /// The densities of usual seconds in each lane, in steps of [`FINE`].
    fn table(&self, at: usize) -> Vec<f64> {
        let (n, elapsed) = (self.pace.lanes.len(), self.elapsed[at]);
        let rows = (self.pace.window(elapsed)[1] / FINE).round() as usize + 1;
        let mut table = vec![0.0; rows * n];
        table.chunks_exact_mut(n).enumerate().for_each(|(row, lanes)| self.pace.densities(elapsed, row as f64 * FINE, lanes));
        table
    }
}

fn row(table: &[f64], place: u32, n: usize) -> &[f64] {
    &table[place as usize * n..][..n]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Plane, Position};
    use crate::matching::routes::Incoming;
    use crate::network::{Network, Node, Segment, WayInfo};
    use crate::osm::RoadType;

    /// Streets of 100 m on a grid of three by three nodes, driven both ways with U-turns, each in 10 s.
    fn grid() -> Network {
        let plane = Plane::at(Position { lat: 41.15, lon: -8.61 });
        let position = |n: u32| plane.lift([f64::from(n % 3) * 100.0, f64::from(n / 3) * 100.0]);
        let node = |n: u32| Node { id: i64::from(n), position: position(n), signal: false, crossing: false, elevation: None };
        let pairs = (0..9u32).flat_map(|a| (0..9u32).map(move |b| (a, b)));
        let beside = |&(a, b): &(u32, u32)| (a / 3).abs_diff(b / 3) + (a % 3).abs_diff(b % 3) == 1;
        let segments: Vec<Segment> =
            pairs.filter(beside).map(|(from, to)| Segment { from, to, way: 0, length: 100.0 }).collect();
        let follows = |&(a, b): &(usize, usize)| segments[a].to == segments[b].from;
        let pairs = (0..segments.len()).flat_map(|a| (0..segments.len()).map(move |b| (a, b)));
        let turns = pairs.filter(follows).map(|(a, b)| (a as u32, b as u32)).collect();
        let way = WayInfo {
            id: 1,
            highway: "residential".to_string(),
            road_type: RoadType::Local,
            lanes: None,
            speed: Some(36.0),
            toll: false,
            roundabout: false,
            name: String::new(),
        };
        Network::from_parts((0..9).map(node).collect(), vec![way], segments.clone(), turns)
    }

    /// Sums over all drives, one by one.
    struct All<'a> {
        ground: Ground<'a>,
        spots: &'a [Vec<Spot>],
        elapsed: &'a [f64],
        pace: &'a Pace,
        lane: usize,
    }

    impl All<'_> {
        /// Over the drives that go on from a segment that is entered at this clock.
        fn from(&self, fix: usize, segment: u32, clock: f64, weight: f64) -> f64 {
            if clock > self.pace.window(self.elapsed[fix])[1] || weight == 0.0 {
                return 0.0;
            }
            let mut sum = 0.0;
            for spot in self.spots[fix + 1].iter().filter(|spot| spot.segment == segment && clock + spot.into >= 0.0) {
                let mut densities = vec![0.0; self.pace.lanes.len()];
                self.pace.densities(self.elapsed[fix], clock + spot.into, &mut densities);
                let here = weight * densities[self.lane] * spot.weight;
                let is_last = fix + 2 == self.spots.len();
                sum += if is_last { here } else { self.from(fix + 1, segment, -spot.into, here) };
            }
            let first = self.ground.network.first_turn_of(segment as usize);
            for (turn, &to) in self.ground.network.turns_of(segment as usize).iter().enumerate() {
                sum += self.from(fix, to, clock + 10.0, weight * self.ground.weights[first + turn]);
            }
            sum
        }
    }

    #[test]
    fn sums_and_posteriors_are_those_of_all_drives() {
        let network = grid();
        let incoming = Incoming::new(&network);
        let weights: Vec<f64> = (0..network.n_turns()).map(|turn| 0.2 + 0.1 * (turn % 5) as f64).collect();
        let ground = Ground { network: &network, incoming: &incoming, weights: &weights };
        let spot = |segment: u32, into: f64, weight: f64| Spot { segment, into, weight };
        let spots = [
            vec![spot(0, 2.5, 0.4), spot(1, 7.5, 0.7)],
            vec![spot(4, 4.5, 1.0), spot(9, 0.5, 0.3)],
            vec![spot(network.n_segments() as u32 - 1, 5.5, 1.0)],
        ];
        let (elapsed, pace) = ([15.0, 18.0], Pace::around(0.1, 0.05));
        let sums = Sums::new(&ground, &pace, &elapsed, &spots, &[0.4, 0.7]).unwrap();
        let in_lane = |spots: &[Vec<Spot>], lane: usize| {
            let all = All { ground, spots, elapsed: &elapsed, pace: &pace, lane };
            spots[0].iter().map(|spot| all.from(0, spot.segment, -spot.into, spot.weight)).sum::<f64>()
        };
        let lanes = || pace.lanes.iter().enumerate();
        let all = |spots: &[Vec<Spot>]| lanes().map(|(lane, one)| one.weight * in_lane(spots, lane)).sum::<f64>();
        assert!((sums.log_sum() - all(&spots).ln()).abs() < 1e-9, "{} {}", sums.log_sum(), all(&spots).ln());
        let found = sums.likelihoods();
        let scale = found.iter().sum::<f64>() / lanes().map(|(lane, _)| in_lane(&spots, lane)).sum::<f64>();
        assert!(lanes().all(|(lane, _)| (found[lane] / scale - in_lane(&spots, lane)).abs() < 1e-12));
        let (first, posteriors) = sums.posteriors();
        let only = |fix: usize, spot: usize| {
            let mut spots = spots.clone();
            spots[fix] = vec![spots[fix][spot]];
            all(&spots)
        };
        for (place, first) in first.iter().enumerate() {
            assert!((first - only(0, place) / all(&spots)).abs() < 1e-9);
            let arrivals = sums.stretches[0].arrivals.iter().zip(&posteriors[0].arrivals);
            let at = arrivals.filter(|(arrival, _)| arrival.spot as usize == place).map(|(_, mass)| mass).sum::<f64>();
            assert!((at - only(1, place) / all(&spots)).abs() < 1e-9, "{at}");
        }
    }
}
