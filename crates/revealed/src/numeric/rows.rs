//! Filling a vector whose entries do not depend on one another.

use rayon::prelude::*;

/// Problems with fewer transitions than this are not worth waking a second thread for.
const WORTH_SHARING: usize = 32_768;
/// Rows handed to a thread at once.
const CHUNK: usize = 2048;

/// Whether a pass over so many transitions is worth dividing among threads.
pub(crate) fn worth_sharing(n_transitions: usize) -> bool {
    n_transitions >= WORTH_SHARING
}

/// Every entry on its own, so that any number of threads gives the same bits.
pub(crate) fn fill<T: Send>(share: bool, out: &mut [T], entry: impl Fn(usize) -> T + Sync) {
    if share {
        out.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(row, out)| *out = entry(row));
    } else {
        out.iter_mut().enumerate().for_each(|(row, out)| *out = entry(row));
    }
}
