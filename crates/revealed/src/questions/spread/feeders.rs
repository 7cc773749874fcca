//! Which chunks of a network each chunk reads.

use crate::engine::network::{LANES, PADDING, Slices};

/// The number of slices of a chunk. It is smaller than in the other passes, because most chunks are not reached yet
/// when a path begins.
pub(super) const CHUNK: usize = 64;

/// For each chunk of rows, the chunks that contain its parents, and the largest number of parents of a state.
#[derive(Debug)]
pub(super) struct Feeders {
    pub of_chunk: Vec<Vec<u32>>,
    pub most_parents: usize,
}

impl Feeders {
    pub fn new(parents: &Slices) -> Self {
        let slices: Vec<usize> = (0..parents.len()).collect();
        let columns =
            |slices: &[usize]| parents.first[slices[0]] as usize..parents.first[slices[slices.len() - 1] + 1] as usize;
        let of_chunk = |slices: &[usize]| {
            let slots = columns(slices).flat_map(|column| (0..LANES).map(move |lane| (column, lane)));
            let real = slots.filter(|&(column, lane)| parents.edge[column * LANES + lane] != PADDING);
            let mut chunks: Vec<u32> =
                real.map(|(column, lane)| parents.neighbour[column][lane] / (CHUNK * LANES) as u32).collect();
            chunks.sort_unstable();
            chunks.dedup();
            chunks
        };
        let most_parents = slices.chunks(1).map(|slice| columns(slice).len()).max().unwrap_or(0);
        Feeders { of_chunk: slices.chunks(CHUNK).map(of_chunk).collect(), most_parents }
    }
}
