//! A synthetic network that resembles a city's roads, of any size, with a known reward.

use super::{Layout, World};
use crate::Error;
use crate::world::{Features, FeaturesBuilder, Mdp, MdpBuilder};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The largest number of turns out of one segment.
const MOST_CHILDREN: f64 = 6.0;
/// The target for e^{R(s)} times the number of turns. It is below 1, so that Z converges as L grows, and near 1, so
/// that paths are long: about 28 states with two turns per segment. Z converged for every seed tried, with up to a
/// million states, but this is not guaranteed.
const GROWTH: f64 = 0.97;
/// The largest distance of a child in each direction, in cells.
const REACH: i64 = 3;
/// Segments are numbered row by row, but displaced by up to this many places, as in an import from OSM.
const JITTER: u32 = 100;
/// The number of states where paths start; half of the states in a smaller network.
const STARTS: usize = 1000;
/// The mean distance between segments, in metres.
const SPACING: f64 = 60.0;
/// The standard deviation of the logarithm of a length.
const LENGTH_SPREAD: f64 = 0.5;

/// The parameters and their true cost per metre, up to a common factor. There are four groups, and a segment has one
/// parameter of each.
const PARAMETERS: [(&str, f64); 14] = [
    ("lanes_1", -0.005),
    ("lanes_2", -0.004),
    ("lanes_more", -0.003),
    ("type_local", -0.006),
    ("type_major", -0.004),
    ("type_highway", -0.002),
    ("type_other", -0.007),
    ("speed_below_35", -0.007),
    ("speed_35_to_55", -0.005),
    ("speed_55_to_85", -0.003),
    ("speed_above_85", -0.002),
    ("speed_unknown", -0.006),
    ("toll", -0.004),
    ("no_toll", -0.001),
];
const LANES_FEATURE: usize = 0;
const TYPE: usize = 3;
const SPEED: usize = 7;
const TOLL: usize = 12;
const LOCAL: usize = 0;
const MAJOR: usize = 1;
const HIGHWAY: usize = 2;
const OTHER: usize = 3;

/// A road-like network with exactly the given numbers of states (segments) and transitions (turns).
///
/// Segments lie on a grid and turns lead to nearby ones. Most segments have one to four turns, numbered from 0, and
/// every segment can be reached from every other. Turns are deterministic, no state is terminal, and paths start in
/// many places. The features are the paper's 14 indicators times the length in metres, so each of the four groups
/// (lanes, type, speed, toll) sums to the length. The same seed gives the same network on every platform.
///
/// # Errors
/// [`Error::Count`] for fewer than 49 states, or for fewer than 1.5 or more than 3 transitions per state.
pub fn road_like(n_states: usize, n_transitions: usize, seed: u64) -> Result<World, Error> {
    check_counts(n_states, n_transitions)?;
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let sheet = Sheet::new(n_states, &mut rng);
    let segments: Vec<Segment> = (0..n_states).map(|state| sheet.segment(state, &mut rng)).collect();
    let theta = theta_for(&segments, n_transitions);
    let children = turns(&sheet, &degrees(&segments, &theta, n_transitions), &mut rng);
    let mdp = assemble(&children, &mut rng)?;
    let features = describe(&segments, &mdp)?;
    Ok(World {
        name: format!("road-like-{n_states}-{n_transitions}-{seed}"),
        mdp,
        features,
        theta,
        layout: sheet.layout(&mut rng),
    })
}

fn check_counts(n_states: usize, n_transitions: usize) -> Result<(), Error> {
    let counts = [("n_states", n_states, 49, 1 << 28), ("n_transitions", n_transitions, n_states * 3 / 2, n_states * 3)];
    match counts.into_iter().find(|&(_, value, least, most)| value < least || value > most) {
        Some((what, value, least, most)) => Err(Error::Count { what, value, least, most }),
        None => Ok(()),
    }
}

/// Cells in rows, of which the last may be short, and the state of each cell.
struct Sheet {
    columns: usize,
    state_at: Vec<u32>,
    cell_of: Vec<u32>,
}

impl Sheet {
    fn new(n_states: usize, rng: &mut Pcg64Mcg) -> Sheet {
        let mut order: Vec<(u32, u32)> = (0..n_states as u32).map(|cell| (cell + rng.random_range(0..JITTER), cell)).collect();
        order.sort_unstable();
        let cell_of: Vec<u32> = order.into_iter().map(|(_, cell)| cell).collect();
        let mut state_at = vec![0; n_states];
        for (state, &cell) in cell_of.iter().enumerate() {
            state_at[cell as usize] = state as u32;
        }
        Sheet { columns: n_states.isqrt(), state_at, cell_of }
    }

    fn n_states(&self) -> usize {
        self.cell_of.len()
    }

    fn place(&self, state: usize) -> (usize, usize) {
        let cell = self.cell_of[state] as usize;
        (cell / self.columns, cell % self.columns)
    }

    /// The states along a line through every cell, alternately to the right and to the left.
    fn line(&self) -> Vec<u32> {
        let mut line = self.state_at.clone();
        line.chunks_mut(self.columns).skip(1).step_by(2).for_each(|row| row.reverse());
        line
    }

    /// A random state within reach, which may be `state` itself; `None` beyond the edge.
    fn near(&self, state: usize, rng: &mut Pcg64Mcg) -> Option<u32> {
        let (row, column) = self.place(state);
        let row = row as i64 + rng.random_range(-REACH..=REACH);
        let column = column as i64 + rng.random_range(-REACH..=REACH);
        let inside = row >= 0 && (0..self.columns as i64).contains(&column);
        let cell = row * self.columns as i64 + column;
        (inside && cell < self.n_states() as i64).then(|| self.state_at[cell as usize])
    }

    /// The segment of a state. Motorways and main roads run straight through the grid.
    fn segment(&self, state: usize, rng: &mut Pcg64Mcg) -> Segment {
        let (row, column) = self.place(state);
        let kind = if row % 48 == 24 {
            HIGHWAY
        } else if row % 12 == 6 || column % 16 == 8 {
            MAJOR
        } else if rng.random_bool(0.05) {
            OTHER
        } else {
            LOCAL
        };
        let (lanes, speed, median) = match kind {
            HIGHWAY => ([0.0, 0.4, 0.6], [0.0, 0.0, 0.2, 0.8, 0.0], 100.0),
            MAJOR => ([0.3, 0.6, 0.1], [0.0, 0.6, 0.3, 0.0, 0.1], 55.0),
            _ => ([0.9, 0.1, 0.0], [0.75, 0.05, 0.0, 0.0, 0.2], 38.0),
        };
        let toll = kind == HIGHWAY && row % 96 == 24;
        Segment {
            groups: [LANES_FEATURE + draw(&lanes, rng), TYPE + kind, SPEED + draw(&speed, rng), TOLL + usize::from(!toll)],
            length: length(median, rng),
        }
    }

    fn layout(&self, rng: &mut Pcg64Mcg) -> Layout {
        let mut spread = |place: usize| SPACING * (place as f64 + rng.random_range(-0.3..0.3));
        let (y, x) =
            (0..self.n_states()).map(|state| self.place(state)).map(|(row, column)| (spread(row), spread(column))).unzip();
        Layout::Points { x, y }
    }
}

/// A road segment: one parameter of each group, and the length in metres.
struct Segment {
    groups: [usize; 4],
    length: f64,
}

impl Segment {
    /// The desired number of turns out of it, not an integer: [`GROWTH`] e^{-R(s)}.
    ///
    /// If it did not depend on the reward, short segments could form cheap loops, which paths may repeat for ever, and
    /// Z would diverge.
    fn turns(&self, theta: &[f64]) -> f64 {
        let of_metre: f64 = self.groups.iter().map(|&parameter| theta[parameter]).sum();
        (GROWTH * (-of_metre * self.length).exp()).clamp(1.0, MOST_CHILDREN)
    }
}

/// An index drawn with these probabilities, which sum to 1.
fn draw(probabilities: &[f64], rng: &mut Pcg64Mcg) -> usize {
    let mut rest = rng.random::<f64>();
    let found = probabilities.iter().position(|&p| {
        rest -= p;
        rest < 0.0
    });
    found.unwrap_or(0)
}

/// Log-normal, 5 to 2000 metres. The normal variate is a sum of uniforms and the result is rounded to decimetres, so
/// that differences in the last bit of a platform's `exp` have no effect.
fn length(median: f64, rng: &mut Pcg64Mcg) -> f64 {
    let normal = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let metres = median * (LENGTH_SPREAD * normal).exp();
    (metres.clamp(5.0, 2000.0) * 10.0).round() / 10.0
}

/// The [`PARAMETERS`] times the factor that gives the segments the requested number of turns.
fn theta_for(segments: &[Segment], n_transitions: usize) -> Vec<f64> {
    // Rounded, so that differences in the last bit of a platform's `exp` have no effect.
    let times = |factor: f64| PARAMETERS.map(|(_, cost)| (cost * factor * 1e7).round() / 1e7);
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..30 {
        let middle = (low + high) / 2.0;
        let theta = times(middle);
        let total: f64 = segments.iter().map(|segment| segment.turns(&theta)).sum();
        if total < n_transitions as f64 { low = middle } else { high = middle }
    }
    times(high).to_vec()
}

/// The number of turns of each segment, rounded down or up so that the sum is as requested.
fn degrees(segments: &[Segment], theta: &[f64], n_transitions: usize) -> Vec<usize> {
    let shares: Vec<f64> = segments.iter().map(|segment| segment.turns(theta)).collect();
    let mut degrees: Vec<usize> = shares.iter().map(|&share| share as usize).collect();
    let missing = n_transitions - degrees.iter().sum::<usize>();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].fract().total_cmp(&shares[a].fract()));
    order[..missing].iter().for_each(|&state| degrees[state] += 1);
    degrees
}

/// The children of each state. A tour along the line on even cells and back on odd ones connects all states in a ring.
/// Further turns are drawn among nearby states, without U-turns.
fn turns(sheet: &Sheet, degrees: &[usize], rng: &mut Pcg64Mcg) -> Vec<Vec<u32>> {
    let line = sheet.line();
    let ring: Vec<u32> = line.iter().step_by(2).chain(line.iter().skip(1).step_by(2).rev()).copied().collect();
    let mut children: Vec<Vec<u32>> = degrees.iter().map(|&degree| Vec::with_capacity(degree)).collect();
    for (place, &state) in ring.iter().enumerate() {
        children[state as usize].push(ring[(place + 1) % ring.len()]);
    }
    for state in 0..sheet.n_states() {
        while children[state].len() < degrees[state] {
            let Some(child) = sheet.near(state, rng) else { continue };
            let returns = children[child as usize].contains(&(state as u32));
            if child != state as u32 && !returns && !children[state].contains(&child) {
                children[state].push(child);
            }
        }
    }
    children
}

fn assemble(children: &[Vec<u32>], rng: &mut Pcg64Mcg) -> Result<Mdp, Error> {
    let n_states = children.len();
    let mut builder = MdpBuilder::new(n_states, children.iter().map(Vec::len).max().unwrap_or(0));
    for (state, children) in children.iter().enumerate() {
        for (turn, &child) in children.iter().enumerate() {
            builder.transition(state, turn, child as usize, 1.0);
        }
    }
    let n_starts = STARTS.min(n_states / 2);
    let mut starts = std::collections::BTreeMap::new();
    while starts.len() < n_starts {
        starts.insert(rng.random_range(0..n_states as u32), rng.random_range(0.5..1.5));
    }
    let total: f64 = starts.values().sum();
    for (&state, weight) in &starts {
        builder.start(state as usize, weight / total);
    }
    builder.build()
}

fn describe(segments: &[Segment], mdp: &Mdp) -> Result<Features, Error> {
    let mut builder = FeaturesBuilder::new(PARAMETERS.len());
    builder.names(PARAMETERS.iter().map(|parameter| parameter.0.to_string()).collect());
    for (state, segment) in segments.iter().enumerate() {
        for feature in segment.groups {
            builder.state(state, feature, segment.length);
        }
    }
    builder.build(mdp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_and_all_states_form_one_component() {
        for (n_states, n_transitions) in [(49, 100), (1000, 1500), (1000, 3000), (20_011, 40_687)] {
            let world = road_like(n_states, n_transitions, 3).unwrap();
            let mdp = &world.mdp;
            assert_eq!((mdp.n_states(), mdp.n_transitions(), mdp.n_choices()), (n_states, n_transitions, n_transitions));
            assert!((0..n_states).all(|state| !mdp.is_terminal(state) && (1..=6).contains(&mdp.children(state).len())));
            assert!(mdp.probability().iter().all(|&p| p == 1.0));
            assert_eq!(reached(n_states, mdp.from(), mdp.to()), n_states);
            assert_eq!(reached(n_states, mdp.to(), mdp.from()), n_states);
            let few = (0..n_states).filter(|&state| mdp.children(state).len() <= 4).count();
            println!("{n_states}, {n_transitions}: {:.3} of the states have up to 4 turns", few as f64 / n_states as f64);
        }
    }

    /// The number of states that can be reached from state 0.
    fn reached(n_states: usize, from: &[u32], to: &[u32]) -> usize {
        let mut next = vec![Vec::new(); n_states];
        from.iter().zip(to).for_each(|(&from, &to)| next[from as usize].push(to as usize));
        let mut seen = vec![false; n_states];
        let mut open = vec![0];
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                open.extend(&next[state]);
            }
        }
        seen.into_iter().filter(|&seen| seen).count()
    }

    #[test]
    fn each_group_sums_to_the_length() {
        let world = road_like(1000, 2000, 1).unwrap();
        for state in 0..1000 {
            let row: Vec<(usize, f64)> = world.features.blocks()[0].row(state).collect();
            let groups: Vec<usize> =
                row.iter().map(|entry| [3, 7, 12, 14].iter().filter(|&&end| end <= entry.0).count()).collect();
            assert_eq!(groups, [0, 1, 2, 3]);
            assert!((5.0..=2000.0).contains(&row[0].1) && row.iter().all(|entry| entry.1 == row[0].1));
        }
    }

    #[test]
    fn seeds_decide() {
        assert_eq!(road_like(1000, 2033, 1), road_like(1000, 2033, 1));
        assert_ne!(road_like(1000, 2033, 1).unwrap().mdp, road_like(1000, 2033, 2).unwrap().mdp);
        assert!(matches!(road_like(1000, 900, 1), Err(Error::Count { what: "n_transitions", .. })));
    }

    #[test]
    fn the_sum_over_all_paths_converges() {
        let world = road_like(20_000, 40_660, 1).unwrap();
        let reward = world.features.reward(&world.mdp, &world.theta).unwrap();
        let mut paths = vec![1.0; 20_000];
        for _ in 0..400 {
            let after = |state: usize| -> f64 {
                world.mdp.to()[world.mdp.children(state)].iter().map(|&child| paths[child as usize]).sum()
            };
            paths = (0..20_000).map(|state| reward.state[state].exp() * after(state)).collect();
        }
        assert!(paths.iter().all(|&weight| weight < 0.1));
    }
}
