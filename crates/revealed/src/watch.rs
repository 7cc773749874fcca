//! Progress and cancellation of long computations: one mechanism for every crate.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::Error;

/// How far a computation is.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// The optimiser has finished an iteration.
    Iteration(Progress<'a>),
    /// A fit of a cross-validation has finished an iteration or has ended.
    Validation(ValidationProgress),
    /// Some of many equal parts are done.
    Parts {
        /// What the parts are, in the plural.
        what: &'static str,
        /// How many are done.
        done: usize,
        /// How many there are; 0 if unknown.
        all: usize,
    },
    /// A stage within one of those parts is under way.
    Stage {
        /// The name of the stage.
        what: &'static str,
        /// How much of it is done.
        done: usize,
        /// How much of it there is; 0 if unknown.
        all: usize,
    },
}

impl<'a> Step<'a> {
    /// The progress of the optimiser, if this is an iteration.
    pub fn iteration(&self) -> Option<&Progress<'a>> {
        match self {
            Step::Iteration(progress) => Some(progress),
            Step::Validation(_) | Step::Parts { .. } | Step::Stage { .. } => None,
        }
    }

    /// How many parts are done, and of how many. `None` for an iteration of the optimiser, because the number of
    /// iterations is not known in advance.
    pub fn parts(&self) -> Option<(usize, usize)> {
        match *self {
            Step::Iteration(_) => None,
            Step::Validation(ValidationProgress { finished, fits, .. }) => Some((finished, fits)),
            Step::Parts { done, all, .. } | Step::Stage { done, all, .. } => Some((done, all)),
        }
    }
}

/// The state of the optimiser after an iteration.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The iteration, from 1.
    pub iteration: usize,
    /// Likelihoods computed so far.
    pub evaluations: usize,
    /// The current θ.
    pub theta: &'a [f64],
    /// The objective at θ, without the penalty: the mean log-likelihood, or the dual with
    /// [`Method::CausalDual`](crate::Method::CausalDual).
    pub objective: f64,
    /// The largest component of the projected gradient, in the units of the tolerance.
    pub gradient_norm: f64,
}

/// A cross-validation in progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValidationProgress {
    /// The number of finished fits.
    pub finished: usize,
    /// The number of fits in total.
    pub fits: usize,
    /// The fold of the fit that is running or has just ended, from 0.
    pub fold: usize,
    /// The penalty of that fit.
    pub l2: f64,
    /// Its iterations so far.
    pub iterations: usize,
}

/// A callback that receives each step and answers whether to continue.
type Hear<'a> = &'a mut (dyn FnMut(&Step<'_>) -> ControlFlow<()> + Send);

/// Observes a long computation. The callback receives each [`Step`] and cancels the computation by answering `Break`.
///
/// Several threads never call it at the same time. After a `Break` it is not called again. A search for θ that is
/// cancelled returns the best θ so far; any other computation returns [`Error::Stopped`].
///
/// ```
/// use std::ops::ControlFlow;
/// use revealed::{Demonstrations, MaxEnt, Step, Stopped, Trajectory, Watch, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let demos = Demonstrations::new(&lake.mdp, &[Trajectory::new(vec![0, 4, 8], vec![1, 1])])?;
/// let mut iterations = 0;
/// let mut hear = |step: &Step<'_>| {
///     iterations += 1;
///     if iterations == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// };
/// let settings = MaxEnt { l2: 0.1, ..MaxEnt::default() };
/// let fit = settings.fit_watched(&lake.mdp, &lake.features, &demos, &Watch::new(&mut hear))?;
/// assert_eq!((fit.iterations, fit.stop), (2, Stopped::Interrupted));
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Default)]
pub struct Watch<'a> {
    hear: Option<Mutex<Hear<'a>>>,
    stopped: AtomicBool,
}

impl<'a> Watch<'a> {
    /// Calls `hear` for each step.
    pub fn new(hear: &'a mut (dyn FnMut(&Step<'_>) -> ControlFlow<()> + Send)) -> Watch<'a> {
        Watch { hear: Some(Mutex::new(hear)), stopped: AtomicBool::new(false) }
    }

    /// Calls nothing and never cancels.
    pub fn none() -> Watch<'static> {
        Watch::default()
    }

    /// Reports a step. Returns `Break` if the computation should stop.
    pub fn tell(&self, step: &Step<'_>) -> ControlFlow<()> {
        let Some(hear) = &self.hear else { return ControlFlow::Continue(()) };
        let mut hear = hear.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_stopped() && hear(step).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Reports that `done` of `all` parts are finished; `all` is 0 if unknown.
    ///
    /// # Errors
    /// [`Error::Stopped`] if the computation should stop.
    pub fn tell_parts(&self, what: &'static str, done: usize, all: usize) -> Result<(), Error> {
        match self.tell(&Step::Parts { what, done, all }) {
            ControlFlow::Break(()) => Err(Error::Stopped),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// Whether the computation was cancelled.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Watch").field("stopped", &self.stopped).finish_non_exhaustive()
    }
}
