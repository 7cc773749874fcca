//! ΦᵀΦ, from which directions of θ that change no reward are found.

use crate::world::Features;

/// The maximum number of parameters for which it is computed. The cost of what follows grows with the cube.
const MOST: usize = 400;
/// The maximum number of products.
const MOST_WORK: usize = 2_000_000_000;

/// The Gram matrix ΦᵀΦ over all states, choices and transitions. It adds up over worlds.
#[derive(Debug, Clone, PartialEq)]
pub struct Gram {
    /// The largest entry of each feature, or 1 if it is zero everywhere. Columns are divided by it, so that squares stay
    /// in range.
    pub unit: Vec<f64>,
    /// The matrix, row by row.
    pub matrix: Vec<f64>,
}

impl Gram {
    /// `None` for more than 400 parameters, or if it would take longer than a fit.
    pub fn new(features: &Features) -> Option<Gram> {
        let n = features.n_features();
        let work: usize = rows(features).map(|row| row.len() * row.len()).sum();
        if n > MOST || work > MOST_WORK {
            return None;
        }
        let mut largest = vec![0.0; n];
        rows(features).flatten().for_each(|(k, value)| largest[k] = f64::max(largest[k], value.abs()));
        let unit: Vec<f64> = largest.iter().map(|&largest| if largest > 0.0 { largest } else { 1.0 }).collect();
        let mut matrix = vec![0.0; n * n];
        for row in rows(features) {
            for &(i, a) in &row {
                for &(j, b) in &row {
                    matrix[i * n + j] += (a / unit[i]) * (b / unit[j]);
                }
            }
        }
        Some(Gram { unit, matrix })
    }

    /// Adds that of the same features in another world.
    pub fn add(&mut self, other: &Gram) {
        let n = self.unit.len();
        let is_zero = |gram: &Gram, k: usize| gram.matrix[k * n + k] == 0.0;
        let unit = |k: usize| match (is_zero(self, k), is_zero(other, k)) {
            (true, _) => other.unit[k],
            (_, true) => self.unit[k],
            _ => self.unit[k].max(other.unit[k]),
        };
        let unit: Vec<f64> = (0..n).map(unit).collect();
        let scaled =
            |gram: &Gram, i: usize, j: usize| gram.matrix[i * n + j] * (gram.unit[i] / unit[i]) * (gram.unit[j] / unit[j]);
        self.matrix = (0..n * n).map(|at| scaled(self, at / n, at % n) + scaled(other, at / n, at % n)).collect();
        self.unit = unit;
    }
}

/// The (feature, value) rows of all states, choices and transitions.
pub(crate) fn rows(features: &Features) -> impl Iterator<Item = Vec<(usize, f64)>> + '_ {
    features.blocks().into_iter().flat_map(|block| (0..block.n_rows()).map(|row| block.row(row).collect()))
}
