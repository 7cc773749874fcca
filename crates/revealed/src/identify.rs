//! Which directions of θ no data can tell apart: those that change no reward.

use std::fmt;

use crate::Features;

/// More parameters than this are not searched for null directions: it takes their number cubed.
const MOST: usize = 400;
/// A pivot below this share of the largest is taken for zero.
const ZERO: f64 = 1e-10;

/// A direction v with φ·v = 0 everywhere: θ + c·v gives the same rewards as θ, for every c.
#[derive(Debug, Clone, PartialEq)]
pub struct NullDirection {
    /// (parameter, coefficient), without zeros.
    pub terms: Vec<(usize, f64)>,
    names: Vec<String>,
}

impl fmt::Display for NullDirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, ((_, value), name)) in self.terms.iter().zip(&self.names).enumerate() {
            let sign = match (place, *value < 0.0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            f.write_str(sign)?;
            if (value.abs() - 1.0).abs() > 1e-9 {
                write!(f, "{:.6} ", value.abs())?;
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}

/// A basis of the directions of θ that change no reward, from the Gram matrix ΦᵀΦ over all states, choices and
/// transitions. Empty if there are none, and for more than 400 parameters that share places.
pub fn null_directions(features: &Features) -> Vec<NullDirection> {
    let n = features.n_features();
    if n > MOST {
        return Vec::new();
    }
    let mut gram = vec![0.0; n * n];
    for block in features.blocks() {
        for row in 0..block.n_rows() {
            for (i, a) in block.row(row) {
                for (j, b) in block.row(row) {
                    gram[i * n + j] += a * b;
                }
            }
        }
    }
    let size: Vec<f64> = (0..n).map(|i| gram[i * n + i].sqrt()).collect();
    for i in 0..n {
        for j in 0..n {
            let product = size[i] * size[j];
            gram[i * n + j] = if product > 0.0 { gram[i * n + j] / product } else { 0.0 };
        }
    }
    let pivots = eliminate(&mut gram, n);
    let free = (0..n).filter(|k| !pivots.contains(k));
    free.map(|k| {
        // In units of `size` the direction is 1 at k and minus the reduced column elsewhere.
        let unit = |feature: usize| if size[feature] > 0.0 { size[feature] } else { 1.0 };
        let mut terms: Vec<(usize, f64)> = pivots
            .iter()
            .enumerate()
            .map(|(row, &pivot)| (pivot, -gram[row * n + k] * unit(k) / unit(pivot)))
            .filter(|term| term.1.abs() > 1e-7)
            .collect();
        terms.push((k, 1.0));
        terms.sort_by_key(|term| term.0);
        let sign = terms[0].1.signum();
        terms.iter_mut().for_each(|term| term.1 *= sign);
        let names = terms.iter().map(|term| features.name(term.0)).collect();
        NullDirection { terms, names }
    })
    .collect()
}

/// Gauss-Jordan elimination with full pivoting among the columns left. Row i of the result belongs to
/// `pivots[i]`.
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
            let mut theta = roads.theta.clone();
            direction.terms.iter().for_each(|&(feature, value)| theta[feature] += value);
            let [before, after] = [&roads.theta, &theta].map(|theta| roads.features.reward(&roads.mdp, theta).unwrap().state);
            assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-9), "{direction}");
        }
    }
}
