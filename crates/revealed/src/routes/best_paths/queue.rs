//! A priority queue of candidate paths. It keeps only those that can still be among the k best.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Candidate paths, ordered by rank.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    entries: BTreeMap<Rank, T>,
    pushed: u64,
    dropped: bool,
}

impl<T> Queue<T> {
    pub fn new() -> Self {
        Queue { entries: BTreeMap::new(), pushed: 0, dropped: false }
    }

    /// Adds a path of this score and number of states.
    pub fn push(&mut self, score: f64, states: usize, path: T) {
        self.entries.insert(Rank { score, states, number: self.pushed }, path);
        self.pushed += 1;
    }

    /// Drops all but the best `most`.
    pub fn keep(&mut self, most: usize) {
        while self.entries.len() > most {
            self.entries.pop_last();
            self.dropped = true;
        }
    }

    /// The best path and its score.
    pub fn pop(&mut self) -> Option<(f64, T)> {
        self.entries.pop_first().map(|(rank, path)| (rank.score, path))
    }

    /// Whether every path that was added was also taken out.
    pub fn is_exhausted(&self) -> bool {
        self.entries.is_empty() && !self.dropped
    }
}

/// The order of the queue: a higher score first; then fewer states; then the path that was added earlier.
#[derive(Debug, Clone, Copy)]
struct Rank {
    score: f64,
    states: usize,
    number: u64,
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then(self.states.cmp(&other.states)).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rank {}
