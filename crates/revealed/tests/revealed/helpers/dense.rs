//! Sums over all paths of any length, by a dense inverse.

/// Rows of numbers.
pub type Matrix = Vec<Vec<f64>>;

/// (I - W)⁻¹ by Gauss and Jordan.
pub fn inverse_of_rest(weights: &Matrix) -> Matrix {
    let n = weights.len();
    let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
    let row = |i: usize| (0..n).map(|j| unit(i, j) - weights[i][j]).chain((0..n).map(|j| unit(i, j))).collect();
    let mut rows: Matrix = (0..n).map(row).collect();
    for pivot in 0..n {
        let best = (pivot..n).max_by(|&a, &b| rows[a][pivot].abs().total_cmp(&rows[b][pivot].abs())).unwrap();
        rows.swap(pivot, best);
        let scale = rows[pivot][pivot];
        rows[pivot].iter_mut().for_each(|value| *value /= scale);
        let of_pivot = rows[pivot].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|row| row.0 != pivot) {
            let factor = other[pivot];
            other.iter_mut().zip(&of_pivot).for_each(|(other, row)| *other -= factor * row);
        }
    }
    rows.into_iter().map(|row| row[n..].to_vec()).collect()
}
