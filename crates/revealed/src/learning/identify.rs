//! Directions of θ that are not identified by any data, because they change no reward.

use std::fmt;

use crate::learning::gram::{Gram, rows};
use crate::world::Features;
use crate::world::feature_names::name_of;

/// A pivot below this fraction of the largest counts as zero.
const ZERO: f64 = 1e-10;
/// The number of terms of a direction that are printed.
const MOST_TERMS: usize = 12;

/// A direction v with φ·v = 0 everywhere: θ + c·v gives the same rewards as θ, for every c.
/// [`Unidentified`](crate::Unidentified) uses the same type for directions of another kind.
#[derive(Debug, Clone, PartialEq)]
pub struct NullDirection {
    /// (parameter, coefficient) without zeros, ordered by parameter; the first coefficient is 1.
    pub terms: Vec<(usize, f64)>,
    names: Vec<String>,
}

impl NullDirection {
    /// The direction with these terms. There must be at least one, and none may be zero.
    pub(crate) fn new(names: &[String], mut terms: Vec<(usize, f64)>) -> Self {
        terms.sort_by_key(|term| term.0);
        let first = terms[0].1;
        terms.iter_mut().for_each(|term| term.1 /= first);
        NullDirection { names: terms.iter().map(|term| name_of(names, term.0)).collect(), terms }
    }
}

impl fmt::Display for NullDirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, ((_, value), name)) in self.terms.iter().zip(&self.names).take(MOST_TERMS).enumerate() {
            let sign = match (place, *value < 0.0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            f.write_str(sign)?;
            match value.abs() {
                size if (size - 1.0).abs() <= 1e-9 => {}
                size if (1e-3..1e6).contains(&size) => write!(f, "{size:.6} ")?,
                size => write!(f, "{size:.5e} ")?,
            }
            f.write_str(name)?;
        }
        match self.terms.len().saturating_sub(MOST_TERMS) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// A basis of the null space of the features: the directions of θ that change no reward, from the Gram matrix ΦᵀΦ over
/// all states, choices and transitions. Empty for more than 400 parameters, or if it would take longer than a fit.
pub fn null_directions(features: &Features) -> Vec<NullDirection> {
    let Some(gram) = Gram::new(features) else { return Vec::new() };
    let found = null_of(gram, features.names());
    found.into_iter().filter(|direction| changes_nothing(features, &direction.terms)).collect()
}

/// The null space of a Gram matrix. Directions along which features are nearly collinear are among them.
pub(crate) fn null_of(Gram { unit, matrix: mut gram }: Gram, names: &[String]) -> Vec<NullDirection> {
    let n = unit.len();
    let norm: Vec<f64> = (0..n).map(|k| if gram[k * n + k] > 0.0 { gram[k * n + k].sqrt() } else { 1.0 }).collect();
    for i in 0..n {
        for j in 0..n {
            gram[i * n + j] /= norm[i] * norm[j];
        }
    }
    let pivots = eliminate(&mut gram, n);
    let size = |k: usize| unit[k] * norm[k];
    let direction = |k: usize| {
        // In units of `size` the direction is 1 at k and minus the reduced column elsewhere.
        let reduced = pivots.iter().enumerate().map(|(row, &pivot)| (pivot, -gram[row * n + k]));
        let terms = reduced.filter(|term| term.1.abs() > 1e-7).chain([(k, 1.0)]);
        NullDirection::new(names, terms.map(|(k, value)| (k, value / size(k))).collect())
    };
    (0..n).filter(|k| !pivots.contains(k)).map(direction).collect()
}

/// Whether the direction changes no reward. Nearly collinear features pass the elimination, but not this check.
pub(crate) fn changes_nothing(features: &Features, terms: &[(usize, f64)]) -> bool {
    let mut weight = vec![0.0; features.n_features()];
    terms.iter().for_each(|&(k, value)| weight[k] = value);
    rows(features).all(|row| {
        let parts = row.iter().map(|&(k, value)| weight[k] * value);
        let size = parts.clone().fold(0.0, |most: f64, part| most.max(part.abs()));
        parts.sum::<f64>().abs() <= 1e-9 * size
    })
}

/// Gauss-Jordan elimination with full pivoting among the remaining columns. Row i of the result belongs to `pivots[i]`.
fn eliminate(matrix: &mut [f64], n: usize) -> Vec<usize> {
    let mut pivots: Vec<usize> = Vec::new();
    loop {
        let done = pivots.len();
        let mut best = (ZERO, None);
        for row in done..n {
            for column in 0..n {
                let value = matrix[row * n + column].abs();
                if value > best.0 && !pivots.contains(&column) {
                    best = (value, Some((row, column)));
                }
            }
        }
        let Some((row, column)) = best.1 else { return pivots };
        for j in 0..n {
            matrix.swap(done * n + j, row * n + j);
        }
        let pivot = matrix[done * n + column];
        (0..n).for_each(|j| matrix[done * n + j] /= pivot);
        for other in (0..n).filter(|&other| other != done) {
            let factor = matrix[other * n + column];
            if factor != 0.0 {
                (0..n).for_each(|j| matrix[other * n + j] -= factor * matrix[done * n + j]);
            }
        }
        pivots.push(column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worlds;

    #[test]
    fn indicators_have_none_and_four_groups_have_three() {
        let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true).unwrap();
        assert_eq!(null_directions(&lake.features), []);

        let roads = worlds::road_like(20_000, 40_660, 1).unwrap();
        let directions = null_directions(&roads.features);
        assert_eq!(directions.len(), 3, "{directions:?}");
        for direction in &directions {
            assert!(direction.terms.iter().all(|term| (term.1.abs() - 1.0).abs() < 1e-9), "{direction}");
            let mut theta = roads.theta.clone();
            direction.terms.iter().for_each(|&(feature, value)| theta[feature] += value);
            let [before, after] = [&roads.theta, &theta].map(|theta| roads.features.reward(&roads.mdp, theta).unwrap().state);
            assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-9), "{direction}");
        }
    }

    #[test]
    fn sizes_do_not_matter_and_near_is_not_equal() {
        let mut builder = crate::world::MdpBuilder::new(2, 1);
        builder.start(0, 1.0).terminal(1).transition(0, 0, 1, 1.0);
        let mdp = builder.build().unwrap();
        let with = |values: [[f64; 2]; 2]| {
            let mut builder = crate::world::FeaturesBuilder::new(2);
            for (state, row) in values.iter().enumerate() {
                row.iter().enumerate().for_each(|(feature, &value)| {
                    builder.state(state, feature, value);
                });
            }
            null_directions(&builder.build(&mdp).unwrap())
        };
        let [direction] = with([[1.0, 1e9], [3.0, 3e9]]).try_into().unwrap();
        assert_eq!(direction.terms, [(0, 1.0), (1, -1e-9)]);
        assert_eq!(with([[1e300, 1e-300], [2e300, 2e-300]]).len(), 1);
        assert_eq!(with([[1.0, 1.0], [1.0, 1.000001]]), []);
        let [zero] = with([[1.0, 0.0], [1.0, 0.0]]).try_into().unwrap();
        assert_eq!(zero.terms, [(1, 1.0)]);
    }
}
