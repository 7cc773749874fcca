//! How the work is done.

use crate::model::Ends;

/// Bytes that the working arrays may take unless told otherwise.
pub const DEFAULT_MEMORY: usize = 2_000_000_000;

/// How likelihoods are computed. The answer depends on the first two alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Which paths the model is a distribution over.
    pub ends: Ends,
    /// L; the longest demonstration unless set.
    pub horizon: Option<usize>,
    /// Threads to use; as many as there are cores unless set. Any number gives the same bits.
    pub threads: Option<usize>,
    /// Bytes that the working arrays may take. What does not fit is computed again: down to about 2√L messages of
    /// 8 bytes a state that costs half as much time again, below that more. The result has the same bits.
    pub memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { ends: Ends::Anywhere, horizon: None, threads: None, memory: DEFAULT_MEMORY }
    }
}
