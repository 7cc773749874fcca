//! Options of a computation: the path set, and how the work is done.

use crate::engine::Horizon;
use crate::model::Ends;
use crate::numeric::Work;

/// How likelihoods are computed. Only `ends` and `horizon` change the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Which paths the model is a distribution over.
    pub ends: Ends,
    /// How many states a path may have; by default as many as the longest demonstration, and any number with
    /// [`Method::RecursiveLogit`](crate::Method::RecursiveLogit).
    pub horizon: Option<Horizon>,
    /// Threads and memory.
    pub work: Work,
}

impl Default for Options {
    fn default() -> Self {
        Options { ends: Ends::Anywhere, horizon: None, work: Work::default() }
    }
}
