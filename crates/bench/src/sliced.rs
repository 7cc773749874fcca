//! Sliced ELLPACK: the rows of a sparse matrix in slices of eight, each as wide as its longest row.
//!
//! The states are renumbered by (out-degree, in-degree) within windows. The eight rows of a slice then have the same
//! number of children and nearly always the same number of parents, so that both products write their results in order.

use revealed::Mdp;

/// Rows in a slice.
pub const ROWS: usize = 8;
/// Smaller windows need more padding; larger ones spread the reads of x.
const WINDOW: usize = 2048;

/// An entry: row, column, weight.
pub type Entry = (u32, u32, f64);

/// A square matrix in slices.
pub struct Sliced {
    /// The width and the number of consecutive slices of equal width.
    pub runs: Vec<(usize, usize)>,
    /// Columns, slice by slice; within a slice one entry of each row after the other. Two are packed into a word, the
    /// first in the low half, because one load of two is faster than two loads.
    pub columns: Vec<u64>,
    /// The weights, in the same order.
    pub weights: Vec<f64>,
    /// The number of rows and columns, rounded up to whole slices; every column is less than this.
    pub size: usize,
}

impl Sliced {
    /// Slices a matrix whose entries are sorted by row. Checks the columns once.
    pub fn new(n_rows: usize, entries: &[Entry]) -> Sliced {
        let size = n_rows.next_multiple_of(ROWS);
        assert!(entries.is_sorted_by_key(|entry| entry.0) && entries.iter().all(|entry| (entry.1 as usize) < size));
        let mut sliced = Sliced { runs: Vec::new(), columns: Vec::new(), weights: Vec::new(), size };
        let mut rest = entries;
        for first in (0..size).step_by(ROWS) {
            let rows: [&[Entry]; ROWS] = std::array::from_fn(|lane| {
                let length = rest.iter().take_while(|entry| entry.0 as usize == first + lane).count();
                let (row, others) = rest.split_at(length);
                rest = others;
                row
            });
            sliced.push(first, rows);
        }
        sliced
    }

    fn push(&mut self, first: usize, rows: [&[Entry]; ROWS]) {
        let width = rows.iter().map(|row| row.len()).max().unwrap_or(0);
        match self.runs.last_mut() {
            Some(run) if run.0 == width => run.1 += 1,
            _ => self.runs.push((width, 1)),
        }
        for place in 0..width {
            // A padding cell reads its own row, which is near and so in the cache.
            let cell = |lane: usize| rows[lane].get(place).map_or(((first + lane) as u32, 0.0), |entry| (entry.1, entry.2));
            for lane in (0..ROWS).step_by(2) {
                self.columns.push(u64::from(cell(lane).0) | u64::from(cell(lane + 1).0) << 32);
            }
            self.weights.extend((0..ROWS).map(|lane| cell(lane).1));
        }
    }
}

/// The new number of each state.
pub fn numbering(mdp: &Mdp) -> Vec<u32> {
    let mut n_parents = vec![0; mdp.n_states()];
    mdp.to().iter().for_each(|&to| n_parents[to as usize] += 1);
    let mut order: Vec<usize> = (0..mdp.n_states()).collect();
    for window in order.chunks_mut(WINDOW) {
        window.sort_by_key(|&state| (mdp.children(state).len(), n_parents[state]));
    }
    let mut number = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &state)| number[state] = place as u32);
    number
}
