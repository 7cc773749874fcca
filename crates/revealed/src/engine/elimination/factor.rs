//! The elimination with numbers: the fronts from the lowest to the highest.

use std::ops::Range;

use super::fronts::{Fronts, Shape};
use super::subtrees::{Subtrees, parts};
use super::sums::{Divergence, LEAST, Unsolved};
use crate::cancel::Pace;
use crate::numeric::parallel;
use crate::numeric::product::{Matrix, add_product};

/// Pivots are eliminated in blocks of this number.
pub(super) const BLOCK: usize = 32;

/// The arcs and loops of a part of the fronts.
pub(super) struct Entries<'a> {
    pub rise: &'a mut [f64],
    pub fall: &'a mut [f64],
    pub loops: &'a mut [f64],
}

impl Entries<'_> {
    /// Those of one front, where this part begins with the front `start`.
    pub fn of<'b>(&'b mut self, fronts: &Fronts, start: usize, front: usize) -> Entries<'b> {
        let shifted = |range: Range<usize>, by: usize| range.start - by..range.end - by;
        let (entries, pivots) =
            (shifted(fronts.entries(front), fronts.base[start]), shifted(fronts.pivots(front), fronts.first[start] as usize));
        Entries { rise: &mut self.rise[entries.clone()], fall: &mut self.fall[entries], loops: &mut self.loops[pivots] }
    }
}

/// The weights of paths between the ranks of a border through all ranks below: a square matrix.
type Update = Vec<f64>;

/// Eliminates all pivots. `rise` and `fall` have the weights of the arcs, and `loops` has those of the loops.
pub(super) fn eliminate(fronts: &Fronts, subtrees: &Subtrees, all: &mut Entries<'_>) -> Result<(), Unsolved> {
    let ranges = || subtrees.branches.iter();
    let rise = parts(all.rise, ranges().map(|range| fronts.base[range.start]..fronts.base[range.end]));
    let fall = parts(all.fall, ranges().map(|range| fronts.base[range.start]..fronts.base[range.end]));
    let pivots = |range: &Range<usize>| fronts.first[range.start] as usize..fronts.first[range.end] as usize;
    let loops = parts(all.loops, ranges().map(pivots));
    let branches = ranges().zip(rise).zip(fall).zip(loops);
    let branches = branches.map(|(((range, rise), fall), loops)| (range.clone(), Entries { rise, fall, loops }));
    let done = parallel::map(branches, |(range, mut entries)| branch(fronts, range, &mut entries));
    let mut waiting: Vec<(usize, Update)> = Vec::new();
    for updates in done {
        waiting.extend(updates?);
    }
    // The trunk: what waits is ascending, and what lies below a front is ascending, too.
    let mut pace = Pace::default();
    for &front in &subtrees.trunk {
        let below: Vec<(usize, Update)> = waiting.extract_if(.., |(below, _)| fronts.above[*below] as usize == front).collect();
        let update = eliminate_front(fronts, front, &mut all.of(fronts, 0, front), &below, &mut pace)?;
        let at = waiting.partition_point(|(other, _)| *other < front);
        waiting.insert(at, (front, update));
    }
    Ok(())
}

/// Eliminates the fronts of some branches. Returns the updates of their roots, ascending.
fn branch(fronts: &Fronts, range: Range<usize>, entries: &mut Entries<'_>) -> Result<Vec<(usize, Update)>, Unsolved> {
    let mut waiting: Vec<(usize, Update)> = Vec::new();
    let mut pace = Pace::default();
    for front in range.clone() {
        // The fronts just below are the last that wait.
        let first = waiting.iter().rposition(|(below, _)| fronts.above[*below] as usize != front).map_or(0, |at| at + 1);
        let below: Vec<(usize, Update)> = waiting.drain(first..).collect();
        let update = eliminate_front(fronts, front, &mut entries.of(fronts, range.start, front), &below, &mut pace)?;
        if fronts.above[front] != u32::MAX {
            waiting.push((front, update));
        }
    }
    Ok(waiting)
}

/// Adds what was found below, eliminates the pivots, and returns the paths between the ranks of the border.
fn eliminate_front(
    fronts: &Fronts,
    front: usize,
    entries: &mut Entries<'_>,
    below: &[(usize, Update)],
    pace: &mut Pace,
) -> Result<Update, Unsolved> {
    let shape = fronts.shape(front);
    let mut update = vec![0.0; shape.border() * shape.border()];
    for (below, of_below) in below {
        assemble(&fronts.place_above[fronts.borders(*below)], of_below, shape, entries, &mut update);
    }
    pace.spend(shape.pivots * shape.width * shape.width).map_err(Unsolved::Stopped)?;
    eliminate_pivots(shape, entries).map_err(|(row, loops)| {
        let rank = fronts.pivots(front).start + row;
        let state = fronts.rank_of.iter().position(|&other| other as usize == rank).unwrap_or(0);
        Unsolved::Diverges(Divergence { state, loops })
    })?;
    let (k, m, w) = (shape.pivots, shape.border(), shape.width);
    let weighed = weighed(&entries.fall[k.min(entries.fall.len())..], w, m, entries.loops);
    let from = Matrix::by_rows(&weighed, m).transposed();
    let to = Matrix::by_rows(&entries.rise[k.min(entries.rise.len())..], w);
    add_product(&mut update, m, [m, m, k], from, to);
    Ok(update)
}

/// Some rows, each times a factor, without what lies between them.
pub(super) fn weighed(entries: &[f64], stride: usize, length: usize, factors: &[f64]) -> Vec<f64> {
    let mut rows = Vec::with_capacity(length * factors.len());
    for (row, factor) in factors.iter().enumerate() {
        rows.extend(entries[row * stride..row * stride + length].iter().map(|entry| entry * factor));
    }
    rows
}

/// Adds the update of a front to the front above it, where its ranks have these places.
fn assemble(places: &[u32], update: &[f64], shape: Shape, entries: &mut Entries<'_>, above: &mut [f64]) {
    let (k, w, m) = (shape.pivots, shape.width, shape.border());
    let split = places.partition_point(|&place| (place as usize) < k);
    for (from, row) in places.iter().map(|&place| place as usize).zip(update.chunks_exact(places.len().max(1))) {
        if from < k {
            for (to, weight) in places.iter().map(|&place| place as usize).zip(row) {
                match from.cmp(&to) {
                    std::cmp::Ordering::Less => entries.rise[from * w + to] += weight,
                    std::cmp::Ordering::Equal => entries.loops[from] += weight,
                    std::cmp::Ordering::Greater => entries.fall[to * w + from] += weight,
                }
            }
        } else {
            for (to, weight) in places[..split].iter().zip(row) {
                entries.fall[*to as usize * w + from] += weight;
            }
            let above = &mut above[(from - k) * m..(from - k + 1) * m];
            for (to, weight) in places[split..].iter().zip(&row[split..]) {
                above[*to as usize - k] += weight;
            }
        }
    }
}

/// Eliminates the pivots of a front one after another. On failure, the row and the weight of its loops.
fn eliminate_pivots(shape: Shape, entries: &mut Entries<'_>) -> Result<(), (usize, f64)> {
    let (k, w) = (shape.pivots, shape.width);
    let Entries { rise, fall, loops } = entries;
    for start in (0..k).step_by(BLOCK) {
        let end = (start + BLOCK).min(k);
        for row in start..end {
            finish(row, w, rise, fall, loops)?;
            let ((of_rise, next_rise), (of_fall, next_fall)) =
                (rise.split_at_mut((row + 1) * w), fall.split_at_mut((row + 1) * w));
            let (of_rise, of_fall) = (&of_rise[row * w..], &of_fall[row * w..]);
            for next in row + 1..end {
                let (back, there) = (of_fall[next] * loops[row], of_rise[next] * loops[row]);
                loops[next] += back * of_rise[next];
                let place = (next - row - 1) * w;
                add_row(&mut next_rise[place + next + 1..place + w], back, &of_rise[next + 1..]);
                add_row(&mut next_fall[place + next + 1..place + w], there, &of_fall[next + 1..]);
            }
        }
        if end < k {
            later_pivots(start..end, shape, rise, fall, loops);
        }
    }
    Ok(())
}

/// The loops of a pivot, when all paths through lower ranks are in.
fn finish(row: usize, w: usize, rise: &mut [f64], fall: &mut [f64], loops: &mut [f64]) -> Result<(), (usize, f64)> {
    if loops[row].is_nan() || loops[row] >= 1.0 {
        return Err((row, loops[row]));
    }
    loops[row] = 1.0 / (1.0 - loops[row]);
    // Weights far below all others would give infinite derivatives.
    for entries in [rise, fall] {
        entries[row * w + row + 1..(row + 1) * w]
            .iter_mut()
            .for_each(|weight| *weight = if *weight < LEAST { 0.0 } else { *weight });
    }
    Ok(())
}

#[inline]
fn add_row(row: &mut [f64], factor: f64, other: &[f64]) {
    if factor != 0.0 {
        row.iter_mut().zip(other).for_each(|(entry, other)| *entry += factor * other);
    }
}

/// Adds the paths through a block of pivots to the arcs of the pivots after it.
fn later_pivots(block: Range<usize>, shape: Shape, rise: &mut [f64], fall: &mut [f64], loops: &mut [f64]) {
    let (k, w) = (shape.pivots, shape.width);
    let (n_later, length) = (k - block.end, w - block.end);
    // The arcs of the other kind say how the later pivots reach the block, or are reached from it.
    let through = |entries: &mut [f64], others: &[f64]| {
        let factors = weighed(&others[block.start * w + block.end..], w, n_later, &loops[block.clone()]);
        let (done, later) = entries.split_at_mut(block.end * w);
        let of_block = Matrix::by_rows(&done[block.start * w + block.end..], w);
        let factors = Matrix::by_rows(&factors, n_later).transposed();
        add_product(&mut later[block.end..], w, [n_later, length, block.len()], factors, of_block);
    };
    through(rise, fall);
    through(fall, rise);
    // The diagonal of the arcs has the loops; below it there is nothing.
    for row in block.end..k {
        loops[row] += std::mem::take(&mut rise[row * w + row]);
        rise[row * w + block.end..row * w + row].fill(0.0);
        fall[row * w + block.end..row * w + row + 1].fill(0.0);
    }
}
