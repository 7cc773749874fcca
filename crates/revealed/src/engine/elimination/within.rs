//! The rows of many ends within one front: a triangular system with many right-hand sides.
//!
//! Let x be the number with which paths arrive at the pivots from below, and y the number with which they arrive in all.
//! Then y = x + y · loops · arcs, where the arcs lead from each pivot to later ones. A block of pivots has the solution
//! y = x · T with T = (I − loops · arcs)⁻¹ of this block, which is small. T sums the paths within the block, so that it
//! has no cancellation. With it all work is products of matrices.

use super::factor::BLOCK;
use super::fronts::Shape;
use crate::numeric::product::{Matrix, add_product};

/// With fewer rows than this, the system is solved row by row.
const WORTH_INVERTING: usize = 12;

/// The arcs and loops of a front, and what they give for many rows.
pub(super) struct Within<'a> {
    arcs: &'a [f64],
    loops: &'a [f64],
    shape: Shape,
    /// T of each block; empty if there are few rows.
    blocks: Vec<Vec<f64>>,
}

impl<'a> Within<'a> {
    /// For this many rows.
    pub fn new(arcs: &'a [f64], loops: &'a [f64], shape: Shape, rows: usize) -> Within<'a> {
        let mut within = Within { arcs, loops, shape, blocks: Vec::new() };
        if rows >= WORTH_INVERTING {
            within.blocks = (0..shape.pivots).step_by(BLOCK).map(|start| within.inverse(start)).collect();
        }
        within
    }

    /// The last pivot of a block, plus one.
    fn end(&self, start: usize) -> usize {
        (start + BLOCK).min(self.shape.pivots)
    }

    /// T of a block, row by row.
    fn inverse(&self, start: usize) -> Vec<f64> {
        let (end, w) = (self.end(start), self.shape.width);
        let n = end - start;
        let mut inverse = vec![0.0; n * n];
        for p in (0..n).rev() {
            let (before, after) = inverse.split_at_mut((p + 1) * n);
            let row = &mut before[p * n..];
            row[p] = 1.0;
            let arcs = &self.arcs[(start + p) * w + start..][..n];
            for q in p + 1..n {
                let factor = self.loops[start + p] * arcs[q];
                if factor != 0.0 {
                    let further = &after[(q - p - 1) * n..][q..n];
                    row[q..].iter_mut().zip(further).for_each(|(sum, further)| *sum += factor * further);
                }
            }
        }
        inverse
    }

    /// The arcs from the pivots of a block to all later places.
    fn onward(&self, start: usize) -> Matrix<'_> {
        let w = self.shape.width;
        Matrix::by_rows(&self.arcs[(start * w + self.end(start)).min(self.arcs.len())..], w)
    }

    /// Turns x into y, in each of these rows, and adds what goes on to the border.
    pub fn up(&self, numbers: &mut [f64]) {
        let Shape { pivots: k, width: w } = self.shape;
        let rows = numbers.len() / w;
        for (block, start) in (0..k).step_by(BLOCK).enumerate() {
            let end = self.end(start);
            let width = end - start;
            let mut here = Vec::with_capacity(rows * width);
            match self.blocks.get(block) {
                Some(inverse) => {
                    for row in numbers.chunks_exact_mut(w) {
                        here.extend_from_slice(&row[start..end]);
                        row[start..end].fill(0.0);
                    }
                    let (x, t) = (Matrix::by_rows(&here, width), Matrix::by_rows(inverse, width));
                    add_product(&mut numbers[start..], w, [rows, width, width], x, t);
                    here.clear();
                    for row in numbers.chunks_exact(w) {
                        here.extend(row[start..end].iter().zip(&self.loops[start..end]).map(|(y, loops)| y * loops));
                    }
                }
                None => {
                    for row in numbers.chunks_exact_mut(w) {
                        for pivot in start..end {
                            let weighed = row[pivot] * self.loops[pivot];
                            here.push(weighed);
                            if weighed != 0.0 {
                                let arcs = &self.arcs[pivot * w + pivot + 1..pivot * w + end];
                                row[pivot + 1..end].iter_mut().zip(arcs).for_each(|(number, arc)| *number += weighed * arc);
                            }
                        }
                    }
                }
            }
            let tail = end.min(numbers.len());
            add_product(&mut numbers[tail..], w, [rows, w - end, width], Matrix::by_rows(&here, width), self.onward(start));
        }
    }

    /// The derivatives by y at the pivots, from those at later places. `by` has what is known before, and `rows` has y.
    pub fn down(&self, by: &mut [f64], rows: &[f64]) {
        let Shape { pivots: k, width: w } = self.shape;
        let n_rows = by.len() / w;
        for (block, start) in (0..k).step_by(BLOCK).enumerate().rev() {
            let end = self.end(start);
            let width = end - start;
            let mut by_here = vec![0.0; n_rows * width];
            let later = Matrix::by_rows(&by[end.min(by.len())..], w);
            add_product(&mut by_here, width, [n_rows, width, w - end], later, self.onward(start).transposed());
            let each = by_here.chunks_exact_mut(width).zip(by.chunks_exact_mut(w)).zip(rows.chunks_exact(k));
            match self.blocks.get(block) {
                Some(inverse) => {
                    for ((by_here, by), row) in each {
                        let known = by[start..end].iter_mut().zip(&self.loops[start..end]).zip(&row[start..end]);
                        for (by_here, ((by, loops), row)) in by_here.iter_mut().zip(known) {
                            // Where no path arrives, the derivative could be infinite.
                            *by_here = if *row > 0.0 { *by + loops * *by_here } else { 0.0 };
                            *by = 0.0;
                        }
                    }
                    let (h, t) = (Matrix::by_rows(&by_here, width), Matrix::by_rows(inverse, width).transposed());
                    add_product(&mut by[start..], w, [n_rows, width, width], h, t);
                    for (by, row) in by.chunks_exact_mut(w).zip(rows.chunks_exact(k)) {
                        let known = by[start..end].iter_mut().zip(&row[start..end]);
                        known.for_each(|(by, row)| *by = if *row > 0.0 { *by } else { 0.0 });
                    }
                }
                None => {
                    for ((by_here, by), row) in each {
                        for pivot in (start..end).rev() {
                            let arcs = &self.arcs[pivot * w + pivot + 1..pivot * w + end];
                            let within: f64 = arcs.iter().zip(&by[pivot + 1..end]).map(|(arc, by)| arc * by).sum();
                            let by_weighed = by_here[pivot - start] + within;
                            by[pivot] = if row[pivot] > 0.0 { by[pivot] + self.loops[pivot] * by_weighed } else { 0.0 };
                        }
                    }
                }
            }
        }
    }

    /// Adds the derivatives by the arcs and loops of a block of pivots: the sum over all rows of y at the pivot times the
    /// derivative at the end of the arc.
    pub fn by_arcs(&self, start: usize, rows: &[f64], by: &[f64], by_arcs: &mut [f64], by_loops: &mut [f64]) {
        let Shape { pivots: k, width: w } = self.shape;
        let (n, length) = (self.end(start) - start, w - start);
        let mut products = vec![0.0; n * length];
        let of_rows = Matrix::by_rows(&rows[start..], k).transposed();
        add_product(&mut products, length, [n, length, by.len() / w], of_rows, Matrix::by_rows(&by[start..], w));
        for p in 0..n {
            let pivot = start + p;
            let (products, place) = (&products[p * length + p + 1..(p + 1) * length], pivot + 1..w);
            let arcs = &self.arcs[pivot * w..][place.clone()];
            let used = |(product, arc): (&f64, &f64)| if *arc > 0.0 { product * arc } else { 0.0 };
            by_loops[p] += products.iter().zip(arcs).map(used).sum::<f64>();
            let by_arcs = &mut by_arcs[p * w..][place];
            by_arcs.iter_mut().zip(products).for_each(|(sum, product)| *sum += self.loops[pivot] * product);
        }
    }
}
