//! How the work is done: threads and memory. No answer depends on it.

/// The default memory budget of the working arrays, in bytes.
pub const DEFAULT_MEMORY: usize = 2_000_000_000;

/// How the work is done. No answer depends on it, not even in the last bit.
///
/// ```
/// use revealed::Work;
///
/// let work = Work { threads: Some(2), ..Work::default() };
/// assert_eq!(work, Work::on(2));
/// assert_eq!(work.memory, revealed::DEFAULT_MEMORY);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// The number of threads; by default the number of cores.
    pub threads: Option<usize>,
    /// The memory budget of the working arrays, in bytes. Messages that do not fit are computed again. If
    /// about 2√L messages of 8 bytes per state fit, this takes 1.5 times as long; if fewer fit, it takes longer.
    /// Work without such arrays does not use the budget, and its documentation says so.
    pub memory: usize,
}

impl Work {
    /// On this number of threads, with the default memory budget.
    pub fn on(threads: usize) -> Work {
        Work { threads: Some(threads), ..Work::default() }
    }
}

impl Default for Work {
    fn default() -> Self {
        Work { threads: None, memory: DEFAULT_MEMORY }
    }
}
