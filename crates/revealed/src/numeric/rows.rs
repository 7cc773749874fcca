//! Fills vectors whose entries do not depend on each other.

use super::parallel;

/// With fewer transitions than this, one thread is faster than several.
const WORTH_SHARING: usize = 32_768;
/// The number of rows that a thread takes at once.
const CHUNK: usize = 2048;

/// Whether several threads make a pass over this many transitions faster.
pub(crate) fn worth_sharing(n_transitions: usize) -> bool {
    n_transitions >= WORTH_SHARING
}

/// Computes every entry independently, so that any number of threads gives the same bits.
pub(crate) fn fill<T: Send>(share: bool, out: &mut [T], entry: impl Fn(usize) -> T + Sync) {
    let each = |first: usize, out: &mut [T]| (first..).zip(out).for_each(|(row, out)| *out = entry(row));
    if share {
        parallel::for_each(out.chunks_mut(CHUNK).enumerate(), |(chunk, out)| each(chunk * CHUNK, out));
    } else {
        each(0, out);
    }
}
