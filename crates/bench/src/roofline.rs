//! The roofline: the bare matrix products that any forward-backward algorithm needs, as fast as we can make them on
//! this machine. They have no scaling, no rewards and no features: any further time of the engine is its own.

use crate::sliced::{Entry, ROWS, Sliced, numbering};
use multiversion::multiversion;
use revealed::Mdp;
use std::time::Instant;

/// Seconds for 2 L plain products y = M x on one thread: L over the children, L over the parents.
///
/// # Panics
/// If the products do not agree with those of a plain compressed-row matrix.
pub fn roofline(mdp: &Mdp, horizon: usize) -> f64 {
    let number = numbering(mdp);
    let children = entries(mdp, &number);
    let mut parents: Vec<Entry> = children.iter().map(|&(from, to, weight)| (to, from, weight)).collect();
    parents.sort_by_key(|entry| (entry.0, entry.1));
    [children, parents].iter().map(|entries| seconds(mdp.n_states(), entries, horizon)).sum()
}

/// The transitions with the new state numbers, by row. The weights of each state sum to 1, so that products neither
/// grow nor vanish.
fn entries(mdp: &Mdp, number: &[u32]) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(mdp.n_transitions());
    for state in 0..mdp.n_states() {
        let total: f64 = mdp.children(state).map(|transition| mdp.base_weight(transition)).sum();
        entries.extend(
            mdp.children(state)
                .map(|transition| (number[state], number[mdp.to()[transition] as usize], mdp.base_weight(transition) / total)),
        );
    }
    entries.sort_by_key(|entry| (entry.0, entry.1));
    entries
}

fn seconds(n_rows: usize, entries: &[Entry], horizon: usize) -> f64 {
    let matrix = Sliced::new(n_rows, entries);
    let mut x: Vec<f64> = (0..matrix.size).map(|place| 1.0 + (place % 7) as f64).collect();
    let mut y = vec![0.0; matrix.size];
    check(&matrix, entries, &x, &mut y);
    let start = Instant::now();
    for _ in 0..horizon {
        product(&matrix, &x, &mut y);
        std::mem::swap(&mut x, &mut y);
    }
    let seconds = start.elapsed().as_secs_f64();
    std::hint::black_box(&x);
    seconds
}

fn check(matrix: &Sliced, entries: &[Entry], x: &[f64], y: &mut [f64]) {
    let mut expected = vec![0.0; matrix.size];
    entries.iter().for_each(|&(row, column, weight)| expected[row as usize] += weight * x[column as usize]);
    y.fill(f64::NAN);
    product(matrix, x, y);
    let agrees = |(expected, found): (&f64, &f64)| (expected - found).abs() <= 1e-12 * expected.abs();
    assert!(expected.iter().zip(&*y).all(agrees), "a product differs from that of compressed rows");
}

/// y = M x.
#[multiversion(targets("x86_64+avx2"))]
fn product(matrix: &Sliced, x: &[f64], y: &mut [f64]) {
    assert!(x.len() >= matrix.size && y.len() >= matrix.size);
    let (mut columns, mut weights, mut y) = (&matrix.columns[..], &matrix.weights[..], y);
    for &(width, slices) in &matrix.runs {
        let (these_columns, rest) = columns.split_at(slices * width * ROWS / 2);
        columns = rest;
        let (these_weights, rest) = weights.split_at(slices * width * ROWS);
        weights = rest;
        let (these_rows, rest) = std::mem::take(&mut y).split_at_mut(slices * ROWS);
        y = rest;
        // SAFETY: `Sliced::new` checked that every column is below `size`, and x is that long.
        unsafe { run(width, these_columns, these_weights, x, these_rows) };
    }
}

/// A run of slices of equal width. The common widths are constants, so that their loops are unrolled.
#[inline(always)]
unsafe fn run(width: usize, columns: &[u64], weights: &[f64], x: &[f64], y: &mut [f64]) {
    // SAFETY: as the caller's.
    unsafe {
        match width {
            0 => y.fill(0.0),
            1 => slices(1, columns, weights, x, y),
            2 => slices(2, columns, weights, x, y),
            3 => slices(3, columns, weights, x, y),
            4 => slices(4, columns, weights, x, y),
            5 => slices(5, columns, weights, x, y),
            6 => slices(6, columns, weights, x, y),
            _ => slices(width, columns, weights, x, y),
        }
    }
}

/// # Safety
/// Every column must be less than the length of x.
#[inline(always)]
unsafe fn slices(width: usize, columns: &[u64], weights: &[f64], x: &[f64], y: &mut [f64]) {
    let slices = columns.chunks_exact(width * ROWS / 2).zip(weights.chunks_exact(width * ROWS));
    for ((columns, weights), y) in slices.zip(y.chunks_exact_mut(ROWS)) {
        let mut sum = [0.0; ROWS];
        for place in 0..width {
            for pair in 0..ROWS / 2 {
                let two = columns[place * ROWS / 2 + pair];
                let at = place * ROWS + 2 * pair;
                // SAFETY: as the caller's.
                unsafe {
                    sum[2 * pair] += weights[at] * x.get_unchecked(two as u32 as usize);
                    sum[2 * pair + 1] += weights[at + 1] * x.get_unchecked((two >> 32) as usize);
                }
            }
        }
        y.copy_from_slice(&sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use revealed::worlds::{FROZEN_LAKE_8X8, frozen_lake, road_like};

    #[test]
    fn products_agree_with_compressed_rows() {
        for world in [road_like(5003, 10_200, 1), frozen_lake(&FROZEN_LAKE_8X8, true), frozen_lake(&["SG"], false)] {
            assert!(roofline(&world.unwrap().mdp, 3) > 0.0);
        }
    }
}
