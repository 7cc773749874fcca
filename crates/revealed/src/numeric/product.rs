//! Products of dense matrices: C += A · B.
//!
//! Both factors are copied into narrow panels that are read in sequence, and a tile of C stays in the registers
//! (Goto and van de Geijn 2008). Every entry of C is summed in the order of the inner index, whatever the number of
//! threads.

use std::ops::Range;

use multiversion::multiversion;

use super::parallel;

/// A tile of C has this many rows.
const ROWS: usize = 6;
/// A tile of C has this many columns: two registers of four numbers, or one of eight.
const COLUMNS: usize = 8;
/// Panels are at most this long, so that they stay in the cache.
const DEPTH: usize = 256;
/// With fewer multiplications than this, copying costs more than it saves.
const WORTH_PACKING: usize = 1024;
/// With fewer multiplications than this, one thread is faster than several.
const WORTH_SHARING: usize = 1 << 21;
/// The number of rows of C that a thread takes at once.
const SHARE: usize = 48;

/// A matrix within a slice: entry (i, j) is at `i * row + j * column`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matrix<'a> {
    pub entries: &'a [f64],
    pub row: usize,
    pub column: usize,
}

impl<'a> Matrix<'a> {
    /// Rows one after another, each `row` entries after the one before.
    pub fn by_rows(entries: &'a [f64], row: usize) -> Matrix<'a> {
        Matrix { entries, row, column: 1 }
    }

    /// The transpose.
    pub fn transposed(self) -> Matrix<'a> {
        Matrix { entries: self.entries, row: self.column, column: self.row }
    }

    #[inline(always)]
    fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.row + j * self.column]
    }
}

/// C += A · B, where C has m rows and n columns, one row every `stride` entries, and A has k columns.
pub(crate) fn add_product(c: &mut [f64], stride: usize, [m, n, k]: [usize; 3], a: Matrix<'_>, b: Matrix<'_>) {
    if m == 0 || n == 0 || k == 0 {
        return;
    }
    let work = m * n * k;
    if work < WORTH_PACKING || n < COLUMNS / 2 {
        return plain(c, stride, [m, n, k], a, b);
    }
    for first in (0..k).step_by(DEPTH) {
        let depth = DEPTH.min(k - first);
        let mut packed = Vec::with_capacity(n.div_ceil(COLUMNS) * depth);
        pack::<COLUMNS>(b, 0..n, first..first + depth, &mut packed);
        let inner = Inner { n, a, first, depth, packed: &packed };
        let rows = |c: &mut [f64], rows: Range<usize>| panels(c, stride, rows, &inner);
        if work < WORTH_SHARING {
            rows(c, 0..m);
        } else {
            let chunks = c.chunks_mut(stride * SHARE).enumerate().take(m.div_ceil(SHARE));
            parallel::for_each(chunks, |(number, c)| rows(c, number * SHARE..((number + 1) * SHARE).min(m)));
        }
    }
}

/// The definition, for small matrices.
#[multiversion(targets("x86_64+avx2+fma"))]
fn plain(c: &mut [f64], stride: usize, [m, n, k]: [usize; 3], a: Matrix<'_>, b: Matrix<'_>) {
    for i in 0..m {
        let c = &mut c[i * stride..i * stride + n];
        for p in 0..k {
            let factor = a.at(i, p);
            if factor == 0.0 {
                continue;
            }
            if b.column == 1 {
                let b = &b.entries[p * b.row..p * b.row + n];
                c.iter_mut().zip(b).for_each(|(c, b)| *c = factor.mul_add(*b, *c));
            } else {
                c.iter_mut().enumerate().for_each(|(j, c)| *c = factor.mul_add(b.at(p, j), *c));
            }
        }
    }
}

/// Some rows of a matrix in panels of N columns, padded with zeros.
fn pack<const N: usize>(from: Matrix<'_>, columns: Range<usize>, rows: Range<usize>, packed: &mut Vec<[f64; N]>) {
    packed.clear();
    for left in columns.clone().step_by(N) {
        let width = N.min(columns.end - left);
        let begin = packed.len();
        packed.resize(begin + rows.len(), [0.0; N]);
        let panel = &mut packed[begin..];
        if from.column == 1 {
            for (row, packed) in rows.clone().zip(panel) {
                packed[..width].copy_from_slice(&from.entries[row * from.row + left..][..width]);
            }
        } else {
            for column in 0..width {
                let entries = from.entries[(left + column) * from.column + rows.start * from.row..].iter().step_by(from.row);
                panel.iter_mut().zip(entries).for_each(|(packed, entry)| packed[column] = *entry);
            }
        }
    }
}

/// Some columns of A, and the same rows of B in panels.
struct Inner<'a> {
    /// The number of columns of B.
    n: usize,
    a: Matrix<'a>,
    first: usize,
    depth: usize,
    packed: &'a [[f64; COLUMNS]],
}

/// Adds the product to some rows of C.
#[multiversion(targets("x86_64+avx2+fma"))]
fn panels(c: &mut [f64], stride: usize, rows: Range<usize>, inner: &Inner<'_>) {
    let Inner { n, a, first, depth, packed } = *inner;
    let mut of_a = Vec::with_capacity(depth);
    for top in rows.clone().step_by(ROWS) {
        let height = ROWS.min(rows.end - top);
        pack::<ROWS>(a.transposed(), top..top + height, first..first + depth, &mut of_a);
        for (left, panel) in (0..n).step_by(COLUMNS).zip(packed.chunks_exact(depth)) {
            let tile = tile(&of_a, panel);
            let width = COLUMNS.min(n - left);
            for (i, sums) in tile.iter().enumerate().take(height) {
                let begin = (top - rows.start + i) * stride + left;
                c[begin..begin + width].iter_mut().zip(sums).for_each(|(c, sum)| *c += sum);
            }
        }
    }
}

#[inline(always)]
fn tile(a: &[[f64; ROWS]], b: &[[f64; COLUMNS]]) -> [[f64; COLUMNS]; ROWS] {
    let mut sums = [[0.0; COLUMNS]; ROWS];
    for (a, b) in a.iter().zip(b) {
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = a.mul_add(*b, *sum);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize, seed: usize) -> Vec<f64> {
        (0..n).map(|i| ((i * 37 + seed * 11) % 101) as f64 / 101.0).collect()
    }

    #[test]
    fn products_are_sums() {
        for [m, n, k] in [[1, 1, 1], [3, 5, 2], [7, 9, 300], [13, 30, 17], [100, 100, 250], [5, 3, 600], [6, 8, 100]] {
            for (a_by_rows, b_by_rows) in [(true, true), (true, false), (false, true), (false, false)] {
                let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
                let of_a = if a_by_rows { Matrix::by_rows(&a, k) } else { Matrix::by_rows(&a, m).transposed() };
                let of_b = if b_by_rows { Matrix::by_rows(&b, n) } else { Matrix::by_rows(&b, k).transposed() };
                let stride = n + 3;
                let mut c = numbers(m * stride, 3);
                let before = c.clone();
                add_product(&mut c, stride, [m, n, k], of_a, of_b);
                for i in 0..m {
                    for j in 0..stride {
                        let sum: f64 = if j < n { (0..k).map(|p| of_a.at(i, p) * of_b.at(p, j)).sum() } else { 0.0 };
                        let expected = before[i * stride + j] + sum;
                        assert!(
                            (c[i * stride + j] - expected).abs() < 1e-12 * expected.abs().max(1.0),
                            "{m} {n} {k}: ({i}, {j})"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn threads_change_no_bit() {
        let [m, n, k] = [331, 170, 120];
        let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
        let product = |threads| {
            let mut c = vec![0.0; m * n];
            let work = || add_product(&mut c, n, [m, n, k], Matrix::by_rows(&a, k), Matrix::by_rows(&b, n));
            crate::numeric::threads::Threads::new(Some(threads)).unwrap().run(work);
            c
        };
        assert_eq!(product(1), product(3));
    }
}
