//! Symmetric matrices: eigenvalues by Householder reflections and the implicit QL iteration, and the pseudo-inverse.

use crate::numeric::vector::dot;

/// Eigenvalues below this fraction of the largest count as zero.
const ZERO: f64 = 1e-10;
/// The most QL sweeps per eigenvalue. Each sweep about triples its correct digits, so a few suffice.
const MOST_SWEEPS: usize = 60;

/// The pseudo-inverse of a symmetric matrix that has no negative eigenvalue, and its rank.
pub(crate) fn pseudo_inverse(matrix: &[f64], n: usize) -> (Vec<f64>, usize) {
    let eigen = Eigen::of(matrix, n);
    let kept = eigen.above(ZERO);
    (eigen.inverse(&kept), kept.len())
}

/// The eigenvalues λ and eigenvectors v of a symmetric matrix, in no particular order.
pub(crate) struct Eigen {
    /// The eigenvalues.
    pub values: Vec<f64>,
    /// The eigenvectors, one after the other, of length 1.
    vectors: Vec<f64>,
}

impl Eigen {
    /// Decomposes an n × n matrix. The errors are of the order of rounding errors of the largest eigenvalue. It takes
    /// about 6 n³ multiplications, all along rows.
    pub fn of(matrix: &[f64], n: usize) -> Eigen {
        let mut a = matrix.to_vec();
        let mut vectors = vec![0.0; n * n];
        (0..n).for_each(|i| vectors[i * n + i] = 1.0);
        for k in 0..n.saturating_sub(2) {
            reflect(&mut a, &mut vectors, n, k);
        }
        let mut values: Vec<f64> = (0..n).map(|i| a[i * n + i]).collect();
        let mut off_diagonal: Vec<f64> = (0..n).map(|i| if i + 1 < n { a[i * n + i + 1] } else { 0.0 }).collect();
        solve_tridiagonal(&mut values, &mut off_diagonal, &mut vectors);
        Eigen { values, vectors }
    }

    /// The eigenvector of one eigenvalue.
    pub fn vector(&self, e: usize) -> &[f64] {
        let n = self.values.len();
        &self.vectors[e * n..(e + 1) * n]
    }

    /// The largest eigenvalue; 0 if none is positive.
    pub fn largest(&self) -> f64 {
        self.values.iter().fold(0.0, |largest, value| value.max(largest))
    }

    /// The indices of the eigenvalues above this fraction of the largest.
    pub fn above(&self, share: f64) -> Vec<usize> {
        let largest = self.largest();
        (0..self.values.len()).filter(|&e| self.values[e] > share * largest).collect()
    }

    /// Σ v vᵀ / λ over these eigenvalues.
    pub fn inverse(&self, kept: &[usize]) -> Vec<f64> {
        let n = self.values.len();
        let mut inverse = vec![0.0; n * n];
        for &e in kept {
            let v = self.vector(e);
            for (row, &at) in inverse.chunks_exact_mut(n).zip(v) {
                let scaled = at / self.values[e];
                row.iter_mut().zip(v).for_each(|(sum, v)| *sum += scaled * v);
            }
        }
        inverse
    }
}

/// The Householder reflection that clears column k of `a` below its subdiagonal, from both sides; `w` accumulates the
/// reflections.
fn reflect(a: &mut [f64], w: &mut [f64], n: usize, k: usize) {
    let mut v: Vec<f64> = (k + 1..n).map(|i| a[i * n + k]).collect();
    let rest = v[1..].iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if rest == 0.0 {
        return;
    }
    // Scaled, so that the squares of small entries do not underflow.
    let scale = rest.max(v[0].abs());
    v.iter_mut().for_each(|x| *x /= scale);
    let norm = dot(&v, &v).sqrt();
    let first = -norm.copysign(v[0]);
    v[0] -= first;
    let factor = 2.0 / dot(&v, &v);

    // A - v wᵀ - w vᵀ with w = p - (factor/2)(p·v) v and p = factor · A v.
    let mut p: Vec<f64> = (k + 1..n).map(|i| factor * dot(&a[i * n + k + 1..(i + 1) * n], &v)).collect();
    let half = 0.5 * factor * dot(&p, &v);
    p.iter_mut().zip(&v).for_each(|(p, v)| *p -= half * v);
    for (i, (&v_i, &p_i)) in v.iter().zip(&p).enumerate() {
        let row = &mut a[(k + 1 + i) * n + k + 1..(k + 2 + i) * n];
        row.iter_mut().zip(v.iter().zip(&p)).for_each(|(a, (v, p))| *a -= v_i * p + p_i * v);
    }
    a[k * n + k + 1] = first * scale;

    let mut sum = vec![0.0; n];
    for (row, &v_i) in w[(k + 1) * n..].chunks_exact(n).zip(&v) {
        sum.iter_mut().zip(row).for_each(|(sum, w)| *sum += v_i * w);
    }
    for (row, &v_i) in w[(k + 1) * n..].chunks_exact_mut(n).zip(&v) {
        row.iter_mut().zip(&sum).for_each(|(w, sum)| *w -= factor * v_i * sum);
    }
}

/// Implicit QL with Wilkinson's shifts (Bowdler, Martin, Reinsch and Wilkinson 1968) on a tridiagonal matrix. The same
/// rotations are applied to the rows of `vectors`.
fn solve_tridiagonal(diagonal: &mut [f64], off_diagonal: &mut [f64], vectors: &mut [f64]) {
    let n = diagonal.len();
    let size = diagonal.iter().zip(&*off_diagonal).fold(0.0, |most: f64, (d, e)| most.max(d.abs() + e.abs()));
    for l in 0..n {
        for _ in 0..MOST_SWEEPS {
            let split = (l..n - 1).find(|&m| off_diagonal[m].abs() <= f64::EPSILON * size).unwrap_or(n - 1);
            if split == l {
                break;
            }
            sweep(diagonal, off_diagonal, vectors, l, split);
        }
    }
}

/// One QL sweep over the block from l to m.
fn sweep(diagonal: &mut [f64], off_diagonal: &mut [f64], vectors: &mut [f64], l: usize, m: usize) {
    let n = diagonal.len();
    let slope = (diagonal[l + 1] - diagonal[l]) / (2.0 * off_diagonal[l]);
    let mut g = diagonal[m] - diagonal[l] + off_diagonal[l] / (slope + slope.hypot(1.0).copysign(slope));
    let (mut sine, mut cosine, mut shift) = (1.0, 1.0, 0.0);
    for i in (l..m).rev() {
        let (f, b) = (sine * off_diagonal[i], cosine * off_diagonal[i]);
        let r = f.hypot(g);
        off_diagonal[i + 1] = r;
        if r == 0.0 {
            diagonal[i + 1] -= shift;
            off_diagonal[m] = 0.0;
            return;
        }
        (sine, cosine) = (f / r, g / r);
        g = diagonal[i + 1] - shift;
        let r = (diagonal[i] - g) * sine + 2.0 * cosine * b;
        shift = sine * r;
        diagonal[i + 1] = g + shift;
        g = cosine * r - b;
        let (upper, lower) = vectors[i * n..(i + 2) * n].split_at_mut(n);
        for (x, y) in upper.iter_mut().zip(lower) {
            (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
        }
    }
    diagonal[l] -= shift;
    off_diagonal[l] = g;
    off_diagonal[m] = 0.0;
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

    #[test]
    fn eigenvectors_are_those_of_the_matrix() {
        let mut rng = Pcg64Mcg::seed_from_u64(2);
        for n in [1, 2, 3, 7, 40, 120] {
            let mut matrix = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..=i {
                    // Some zeros, so that the matrix splits into blocks.
                    let value = if rng.random_bool(0.3) { 0.0 } else { rng.random_range(-1.0..1.0) };
                    (matrix[i * n + j], matrix[j * n + i]) = (value, value);
                }
            }
            let eigen = Eigen::of(&matrix, n);
            for e in 0..n {
                let v = eigen.vector(e);
                for i in 0..n {
                    let applied = dot(&matrix[i * n..(i + 1) * n], v);
                    assert!((applied - eigen.values[e] * v[i]).abs() < 1e-12 * n as f64, "{n} {e} {i}");
                }
                for other in 0..=e {
                    let expected = f64::from(u8::from(other == e));
                    assert!((dot(v, eigen.vector(other)) - expected).abs() < 1e-12, "{n} {e} {other}");
                }
            }
        }
    }
}
