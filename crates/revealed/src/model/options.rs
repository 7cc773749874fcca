//! Options of a computation: the path set, the horizon, threads and memory.

use crate::engine::Horizon;
use crate::model::Ends;

/// The default memory budget of the working arrays, in bytes.
pub const DEFAULT_MEMORY: usize = 2_000_000_000;

/// How likelihoods are computed. Only `ends` and `horizon` change the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Which paths the model is a distribution over.
    pub ends: Ends,
    /// How many states a path may have; by default as many as the longest demonstration, and any number with
    /// [`Method::RecursiveLogit`](crate::Method::RecursiveLogit).
    pub horizon: Option<Horizon>,
    /// The number of threads; by default the number of cores. The result does not depend on it.
    pub threads: Option<usize>,
    /// The memory budget of the working arrays, in bytes. Messages that do not fit are computed again. If
    /// about 2√L messages of 8 bytes per state fit, this takes 1.5 times as long; if fewer fit, it takes longer. The
    /// result does not depend on the budget.
    pub memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { ends: Ends::Anywhere, horizon: None, threads: None, memory: DEFAULT_MEMORY }
    }
}
