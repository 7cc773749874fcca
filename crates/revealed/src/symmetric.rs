//! Symmetric matrices, small ones: eigenvalues by Jacobi's rotations, and the pseudo-inverse.

/// Eigenvalues below this share of the largest are taken for zero.
const ZERO: f64 = 1e-10;
/// Each sweep about doubles the digits; a handful will do.
const MOST_SWEEPS: usize = 60;

/// The pseudo-inverse of a symmetric matrix that has no negative eigenvalue, and its rank.
pub(crate) fn pseudo_inverse(matrix: &[f64], n: usize) -> (Vec<f64>, usize) {
    let (values, vectors) = eigen(matrix, n);
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(*value));
    let kept: Vec<usize> = (0..n).filter(|&e| values[e] > ZERO * largest).collect();
    let mut inverse = vec![0.0; n * n];
    for &e in &kept {
        for i in 0..n {
            let scaled = vectors[i * n + e] / values[e];
            (0..n).for_each(|j| inverse[i * n + j] += scaled * vectors[j * n + e]);
        }
    }
    (inverse, kept.len())
}

/// Eigenvalues, and eigenvectors as columns, by cyclic rotations (Jacobi 1846).
fn eigen(matrix: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut a = matrix.to_vec();
    let mut v = vec![0.0; n * n];
    (0..n).for_each(|i| v[i * n + i] = 1.0);
    for _ in 0..MOST_SWEEPS {
        let size = |i: usize, j: usize| a[i * n + j] * a[i * n + j];
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| size(i, j)).sum();
        let on: f64 = (0..n).map(|i| size(i, i)).sum();
        if off <= 1e-32 * on {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut v, n, p, q);
            }
        }
    }
    ((0..n).map(|i| a[i * n + i]).collect(), v)
}

/// The rotation of rows and columns p and q that makes a[p][q] zero.
fn rotate(a: &mut [f64], v: &mut [f64], n: usize, p: usize, q: usize) {
    let off = a[p * n + q];
    if off == 0.0 {
        return;
    }
    let slope = (a[q * n + q] - a[p * n + p]) / (2.0 * off);
    let tangent = slope.signum() / (slope.abs() + slope.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    let turn = |x: &mut [f64], at_p: usize, at_q: usize| {
        let (old_p, old_q) = (x[at_p], x[at_q]);
        x[at_p] = cosine * old_p - sine * old_q;
        x[at_q] = sine * old_p + cosine * old_q;
    };
    for i in 0..n {
        turn(a, i * n + p, i * n + q);
        turn(v, i * n + p, i * n + q);
    }
    (0..n).for_each(|j| turn(a, p * n + j, q * n + j));
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    /// Q diag(values) Qᵀ with the reflection Q = I - 2 v vᵀ / v·v.
    fn reflected(values: &[f64], v: &[f64]) -> Vec<f64> {
        let n = v.len();
        let size: f64 = v.iter().map(|v| v * v).sum();
        let q = |i: usize, j: usize| f64::from(u8::from(i == j)) - 2.0 * v[i] * v[j] / size;
        (0..n * n).map(|place| (0..n).map(|e| q(place / n, e) * values[e] * q(place % n, e)).sum()).collect()
    }

    #[test]
    fn matrices_of_every_rank_are_inverted_where_they_can_be() {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        for (n, rank) in (0..=20).flat_map(|n| (0..=n).map(move |rank| (n, rank))) {
            let v: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
            let value = |e: usize| if e < rank { 10f64.powi(e as i32 % 7 - 5) } else { 0.0 };
            let values: Vec<f64> = (0..n).map(value).collect();
            let inverses: Vec<f64> = values.iter().map(|&value| if value > 0.0 { 1.0 / value } else { 0.0 }).collect();
            let (inverse, found) = pseudo_inverse(&reflected(&values, &v), n);
            assert_eq!(found, rank, "{n}");
            for (found, expected) in inverse.iter().zip(reflected(&inverses, &v)) {
                assert!((found - expected).abs() < 1e-4, "{n} {rank}: {found} {expected}");
            }
        }
    }
}
