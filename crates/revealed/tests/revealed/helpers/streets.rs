//! Streets of a small town.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use revealed::{Features, FeaturesBuilder, Mdp, MdpBuilder};

/// A grid of junctions with streets both ways. States are streets, and no trip turns round.
pub fn streets(rng: &mut Pcg64Mcg, side: usize) -> (Mdp, Features) {
    let mut ends = Vec::new();
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        let here = row * side + column;
        let right = (column + 1 < side).then_some(here + 1);
        let below = (row + 1 < side).then_some(here + side);
        right.into_iter().chain(below).for_each(|there| ends.extend([(here, there), (there, here)]));
    }
    let n = ends.len();
    let mut builder = MdpBuilder::new(n, 4);
    for (street, &(from, to)) in ends.iter().enumerate() {
        builder.start(street, 1.0 / n as f64);
        let next = ends.iter().enumerate().filter(|(_, other)| other.0 == to && other.1 != from);
        next.enumerate().for_each(|(action, (other, _))| _ = builder.transition(street, action, other, 1.0));
    }
    let mdp = builder.build().unwrap();
    let mut features = FeaturesBuilder::new(2);
    features.names(vec!["length".to_string(), "link".to_string()]);
    (0..n).for_each(|street| _ = features.state(street, 0, rng.random_range(0.5..1.5)).state(street, 1, 1.0));
    let features = features.build(&mdp).unwrap();
    (mdp, features)
}

/// Pairs of streets far from each other.
pub fn far_pairs(n: usize, count: usize, rng: &mut Pcg64Mcg) -> Vec<[usize; 2]> {
    (0..count).map(|_| [rng.random_range(0..n / 3), rng.random_range(2 * n / 3..n)]).collect()
}
