//! How much fill-in there is, and how much there may be.

use std::ops::ControlFlow;

use crate::Error;
use crate::cancel::Pace;
use crate::watch::{Step, Watch};

/// Bytes for each arc: its two weights, and room for zeros in the matrices of fronts.
const OF_ARC: usize = 16 + 8;
/// Bytes for each arc if the uses of arcs are counted.
const OF_USES: usize = 16 + 8;
/// Bytes for each state.
const OF_STATE: usize = 64;
/// Seconds for each pair of arcs at a state, when the weights are computed: roughly, for a message.
const OF_PAIR: f64 = 1.0e-9;
/// Units of work between two reports, some milliseconds.
const BETWEEN_REPORTS: usize = 1 << 22;

/// The memory for an elimination.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    /// The memory budget in bytes.
    memory: usize,
    of_arc: usize,
}

impl Limit {
    /// For an elimination and its sums.
    pub(crate) fn of_sums(memory: usize) -> Limit {
        Limit { memory, of_arc: OF_ARC }
    }

    /// The same if the uses of arcs are counted, too.
    pub(crate) fn of_uses(memory: usize) -> Limit {
        Limit { memory, of_arc: OF_ARC + OF_USES }
    }

    /// The numbers that may be kept for pairs of states at the same time.
    pub(crate) fn numbers_of_pairs(&self) -> usize {
        self.memory / 4 / size_of::<f64>()
    }

    /// How many arrays of this many bytes fit into half of the memory, at least 1.
    pub(crate) fn arrays_at_once(&self, bytes: usize) -> usize {
        (self.memory / 2 / bytes.max(1)).max(1)
    }
}

/// The arcs so far, and the least that will follow.
#[derive(Debug)]
pub(super) struct FillIn {
    n_states: usize,
    states_left: usize,
    /// Arcs from states that have been eliminated.
    ranked: usize,
    /// Arcs between the others, or fewer. Each becomes an arc from the end that is eliminated first.
    left: usize,
    /// The sum of squares of the numbers of arcs of the states that have been eliminated.
    squares: f64,
    pace: Pace,
    since_report: usize,
}

impl FillIn {
    pub fn new(n_states: usize, left: usize) -> FillIn {
        let (ranked, squares, pace, since_report) = (0, 0.0, Pace::default(), 0);
        FillIn { n_states, states_left: n_states, ranked, left, squares, pace, since_report }
    }

    pub fn states_left(&self) -> usize {
        self.states_left
    }

    /// The least number of arcs at the end; at the end, their number.
    pub fn n_arcs(&self) -> usize {
        self.ranked + self.left
    }

    /// Takes note of a state that had this many neighbours, between which new arcs were made, at the cost of `work`.
    pub fn eliminate(&mut self, degree: usize, new: usize, work: usize) {
        self.states_left -= 1;
        self.ranked += degree;
        self.left = (self.left + new).saturating_sub(degree);
        self.squares += (degree * degree) as f64;
        self.since_report += work;
    }

    /// Takes note of a state that has this many arcs to higher ranks.
    ///
    /// # Errors
    /// [`Error::FillIn`] if the arcs do not fit; [`Error::Stopped`].
    pub fn count(&mut self, arcs: usize, limit: &Limit) -> Result<(), Error> {
        self.states_left -= 1;
        self.ranked += arcs;
        self.squares += (arcs * arcs) as f64;
        self.pace.spend(arcs)?;
        self.check(limit)
    }

    /// # Errors
    /// [`Error::FillIn`] if the arcs do not fit, whatever follows.
    pub fn check(&self, limit: &Limit) -> Result<(), Error> {
        let bytes = self.n_arcs().saturating_mul(limit.of_arc).saturating_add(self.n_states * OF_STATE);
        if bytes <= limit.memory && self.n_arcs() < u32::MAX as usize {
            return Ok(());
        }
        // The squares are least if all states that are left get the same number of arcs.
        let squares = self.squares + (self.left as f64).powi(2) / self.states_left.max(1) as f64;
        Err(Error::FillIn {
            n_states: self.n_states,
            arcs: self.n_arcs(),
            least: bytes,
            seconds: 0.5 * squares * OF_PAIR,
            budget: limit.memory,
        })
    }

    /// Reports how many states have been eliminated, now and then.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn tell(&mut self, watch: &Watch<'_>) -> Result<(), Error> {
        if self.since_report < BETWEEN_REPORTS {
            return self.pace.spend(1);
        }
        let work = std::mem::take(&mut self.since_report);
        self.pace.spend(work)?;
        let done = self.n_states - self.states_left;
        match watch.tell(&Step::Stage { what: "states eliminated", done, all: self.n_states }) {
            ControlFlow::Break(()) => Err(Error::Stopped),
            ControlFlow::Continue(()) => Ok(()),
        }
    }
}
