//! How long work tells how far it is, and how it is stopped: one way for every crate.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::Error;

/// How far a piece of work is.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// A search for θ has made an iteration.
    Iteration(Progress<'a>),
    /// A fit of a cross-validation has made an iteration or has ended.
    Validation(ValidationProgress),
    /// Equal parts are done.
    Parts {
        /// What the parts are, in the plural.
        what: &'static str,
        /// How many are done.
        done: usize,
        /// How many there are; 0 if that is not known.
        all: usize,
    },
}

impl<'a> Step<'a> {
    /// The iteration, if it is one.
    pub fn iteration(&self) -> Option<&Progress<'a>> {
        match self {
            Step::Iteration(progress) => Some(progress),
            Step::Validation(_) | Step::Parts { .. } => None,
        }
    }

    /// How many parts are done, and of how many: iterations are no parts, because nobody knows how many will be needed.
    pub fn parts(&self) -> Option<(usize, usize)> {
        match *self {
            Step::Iteration(_) => None,
            Step::Validation(ValidationProgress { finished, fits, .. }) => Some((finished, fits)),
            Step::Parts { done, all, .. } => Some((done, all)),
        }
    }
}

/// A search for θ after an iteration.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// From 1.
    pub iteration: usize,
    /// Likelihoods computed so far.
    pub evaluations: usize,
    /// The current θ.
    pub theta: &'a [f64],
    /// The objective there, less the penalty: the mean log-likelihood, or with
    /// [`Method::CausalEntropy`](crate::Method::CausalEntropy) the dual.
    pub objective: f64,
    /// The largest component of the projected gradient, in the units of the tolerance.
    pub gradient_norm: f64,
}

/// A cross-validation in progress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValidationProgress {
    /// Fits that are finished.
    pub finished: usize,
    /// Fits in all.
    pub fits: usize,
    /// The fold of the fit that goes on or has just ended, from 0.
    pub fold: usize,
    /// The penalty of that fit.
    pub l2: f64,
    /// Its iterations so far.
    pub iterations: usize,
}

/// Hears of each step and answers whether to go on.
type Hear<'a> = &'a mut (dyn FnMut(&Step<'_>) -> ControlFlow<()> + Send);

/// Watches long work: hears of each [`Step`], and stops the work by answering `Break`.
///
/// Work on several threads tells one at a time. Once it is stopped, the watch is not asked again. A search for θ that is stopped
/// returns the best θ so far; other work returns [`Error::Stopped`].
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
    /// Tells `hear` of each step.
    pub fn new(hear: &'a mut (dyn FnMut(&Step<'_>) -> ControlFlow<()> + Send)) -> Watch<'a> {
        Watch { hear: Some(Mutex::new(hear)), stopped: AtomicBool::new(false) }
    }

    /// Tells nobody, and never stops.
    pub fn none() -> Watch<'static> {
        Watch::default()
    }

    /// Tells of a step. `Break` if the work is to stop.
    pub fn tell(&self, step: &Step<'_>) -> ControlFlow<()> {
        let Some(hear) = &self.hear else { return ControlFlow::Continue(()) };
        let mut hear = hear.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_stopped() && hear(step).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Tells that so many of all parts are done; `all` is 0 if that is not known.
    ///
    /// # Errors
    /// [`Error::Stopped`] if the work is to stop.
    pub fn tell_parts(&self, what: &'static str, done: usize, all: usize) -> Result<(), Error> {
        match self.tell(&Step::Parts { what, done, all }) {
            ControlFlow::Break(()) => Err(Error::Stopped),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// Whether the work was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Watch").field("stopped", &self.stopped).finish_non_exhaustive()
    }
}
