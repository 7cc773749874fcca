//! The optimiser crate behind one function, [`minimize`]: nothing else in the library knows which crate it is.
//!
//! The method is L-BFGS-B with the line search of Hager and Zhang (2005). Near the optimum of a log-likelihood the
//! value is flat to rounding while the gradient still has many exact digits. That line search then goes by the
//! gradient; the usual one (Moré and Thuente's, as in SciPy) goes by the value, and gives up or cycles.

mod ledger;

use std::cell::RefCell;
use std::fmt;
use std::ops::ControlFlow;

use basin::{
    BoxBounds, ConstraintDescription, ConstraintSet, ConstraintSolveError, Constraints, CostFunction, Executor,
    FirstOrderState, Gradient, HagerZhang, Lbfgsb, LineSearch, LineSearchBounds, LineSearchOutcome, LineSearchResult, Problem,
    State, StepOutcome,
};

use ledger::{Abort, Evaluated, Ledger};

/// How many past steps the model of the curvature is built from, if there is no reason for another number. The customary
/// 10 suits cheap objectives; ours is dear, and 30 saves most of the evaluations where the condition is bad.
pub(crate) const MEMORY: usize = 30;

/// The longest step, in multiples of the one that the model of the curvature proposes: basin's limit, too. A search that
/// takes it, and ends as far away from the start, has no optimum to find.
const LONGEST_STEP: f64 = 1e10;

/// Most evaluations in one line search: 40 halvings shorten a step by 1e-12.
const LINE_SEARCH_EVALUATIONS: u32 = 40;

/// What the search is told. The three slices have the same length, and `lower <= upper`.
pub(crate) struct SearchSettings<'a> {
    /// Where to begin; clipped into the bounds.
    pub(crate) start: &'a [f64],
    /// Lower bounds, -inf where there is none. Equal bounds fix a parameter.
    pub(crate) lower: &'a [f64],
    /// Upper bounds, inf where there is none.
    pub(crate) upper: &'a [f64],
    /// Past steps to remember, at least 1. See [`MEMORY`].
    pub(crate) memory: usize,
    /// Converged when the largest component of the projected gradient is at most this.
    pub(crate) gradient_tolerance: f64,
    /// Most iterations.
    pub(crate) max_iterations: usize,
    /// Most calls of the objective. The start is evaluated in any case.
    pub(crate) max_evaluations: usize,
}

/// What the search says after each iteration.
pub(crate) struct Iteration<'a> {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// Calls of the objective so far.
    pub(crate) evaluations: usize,
    /// The point reached.
    pub(crate) x: &'a [f64],
    /// The value there.
    pub(crate) value: f64,
    /// The largest component of the projected gradient there.
    pub(crate) gradient_norm: f64,
}

/// The best point met, and how the search ended.
#[derive(Debug)]
pub(crate) struct Optimum {
    /// The point, inside the bounds. Among points whose values agree to rounding, the one with the smallest gradient.
    pub(crate) x: Vec<f64>,
    /// The value there.
    pub(crate) value: f64,
    /// The gradient there, not projected.
    pub(crate) gradient: Vec<f64>,
    /// The largest component of the projected gradient there.
    pub(crate) gradient_norm: f64,
    /// Iterations made.
    pub(crate) iterations: usize,
    /// Calls of the objective.
    pub(crate) evaluations: usize,
    /// Why the search ended.
    pub(crate) stop: Stopped,
}

/// Why a search ended.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The gradient is within the tolerance.
    Gradient,
    /// Rounding hides any further progress, with the gradient above the tolerance.
    NoProgress,
    /// The most iterations allowed were made.
    MaxIterations,
    /// The most evaluations allowed were made.
    MaxEvaluations,
    /// The caller asked to stop.
    Interrupted,
    /// The objective falls along some direction for as far as one can go: there is no optimum.
    Diverged,
    /// The objective or its gradient is not a finite number at the start.
    StartNotFinite,
}

impl Stopped {
    /// True if the gradient is within the tolerance. Whether [`NoProgress`](Self::NoProgress) will do as well is for
    /// the caller to judge, by the size of the gradient.
    pub fn converged(&self) -> bool {
        *self == Self::Gradient
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gradient => "converged: the gradient is within the tolerance",
            Self::NoProgress => "stopped above the tolerance: rounding hides any further progress",
            Self::MaxIterations => "not converged: the largest number of iterations is reached",
            Self::MaxEvaluations => "not converged: the largest number of evaluations is reached",
            Self::Interrupted => "not converged: interrupted",
            Self::Diverged => "diverged: the objective falls without end, there is no optimum",
            Self::StartNotFinite => "not started: the objective or its gradient is not finite at the start",
        })
    }
}

/// Minimises `objective` within bounds.
///
/// The objective writes the gradient and returns the value; if either is not finite, the search takes the step to be
/// too long. It is not called again at a point that it was lately called at. Its error ends the search and is returned.
/// `watch` is told of every iteration, and ends the search by `Break`.
pub(crate) fn minimize<E>(
    mut objective: impl FnMut(&[f64], &mut [f64]) -> Result<f64, E>,
    search: &SearchSettings,
    mut watch: impl FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Optimum, E> {
    debug_assert!(search.lower.len() == search.start.len() && search.upper.len() == search.start.len());
    let ledger = RefCell::new(Ledger::open(&mut objective, search)?);
    let stop = match descend(&ledger, search, &mut watch) {
        Ok(stop) | Err(Abort::Stop(stop)) => stop,
        Err(Abort::Objective(error)) => return Err(error),
    };
    let Ledger { best, iterations, evaluations, .. } = ledger.into_inner();
    let Evaluated { x, value, gradient, norm } = best;
    Ok(Optimum { x, value, gradient, gradient_norm: norm, iterations, evaluations, stop })
}

/// Iterates until there is a reason to stop. All tests of convergence are the ledger's; basin's are switched off.
fn descend<E>(
    ledger: &RefCell<Ledger<E>>,
    search: &SearchSettings,
    watch: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Stopped, Abort<E>> {
    if let Some(stop) = ledger.borrow().settled_at_start() {
        return Ok(stop);
    }
    let start = FirstOrderState::new(ledger.borrow().best.x.clone());
    let problem = Bounded { ledger, lower: search.lower.to_vec(), upper: search.upper.to_vec() };
    let solver = Lbfgsb::with_line_search(GoingByTheGradient)
        .with_m_capacity(search.memory.max(1))
        .with_absolute_projected_gradient_tolerance(None)
        .with_relative_cost_reduction_tolerance(None);
    let mut stepper = Executor::new(problem, solver, start).max_iter(u64::MAX).into_stepper().map_err(abort)?;
    while ledger.borrow().iterations < search.max_iterations {
        // Anything but `Continue` is a failed line search: basin has by then tried again with an empty memory.
        let StepOutcome::Continue = stepper.step().map_err(abort)? else {
            return Ok(Stopped::NoProgress);
        };
        if let Some(stop) = ledger.borrow_mut().accept(stepper.state().param(), watch)? {
            return Ok(stop);
        }
    }
    Ok(Stopped::MaxIterations)
}

fn abort<E>(error: ConstraintSolveError<Abort<E>>) -> Abort<E> {
    match error {
        ConstraintSolveError::Evaluation(abort) => abort,
        _ => unreachable!("bounds that are ordered and of the right length are all that basin asks for"),
    }
}

/// The problem as basin wants it.
struct Bounded<'a, 'b, E> {
    ledger: &'a RefCell<Ledger<'b, E>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl<E> Constraints for Bounded<'_, '_, E> {
    type Set = ConstraintSet<BoxBounds<Vec<f64>>>;

    fn constraints(&self) -> <Self::Set as ConstraintDescription>::Borrowed<'_> {
        ConstraintSet::new().with_bounds(BoxBounds::new(Some(&self.lower), Some(&self.upper)))
    }
}

impl<E> CostFunction for Bounded<'_, '_, E> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Abort<E>;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Abort<E>> {
        self.cost_and_gradient(x).map(|(value, _)| value)
    }
}

impl<E> Gradient for Bounded<'_, '_, E> {
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Abort<E>> {
        self.cost_and_gradient(x).map(|(_, gradient)| gradient)
    }

    fn cost_and_gradient(&self, x: &Vec<f64>) -> Result<(f64, Vec<f64>), Abort<E>> {
        self.ledger.borrow_mut().evaluate(x).map(|point| (point.value, point.gradient))
    }
}

/// Hager and Zhang's line search, told which difference of values is rounding error.
struct GoingByTheGradient;

impl<'a, 'b, E> LineSearch<Bounded<'a, 'b, E>, Vec<f64>> for GoingByTheGradient {
    type Error = Abort<E>;

    fn next(
        &mut self,
        problem: &mut Problem<Bounded<'a, 'b, E>>,
        x: &Vec<f64>,
        value: f64,
        gradient: &Vec<f64>,
        direction: &Vec<f64>,
    ) -> Result<f64, Abort<E>> {
        HagerZhang::new().next(problem, x, value, gradient, direction)
    }

    fn next_with_bounds(
        &mut self,
        problem: &mut Problem<Bounded<'a, 'b, E>>,
        x: &Vec<f64>,
        value: f64,
        gradient: &Vec<f64>,
        direction: &Vec<f64>,
        steps: LineSearchBounds,
    ) -> Result<LineSearchResult<Vec<f64>, f64>, Abort<E>> {
        let noise = problem.inner().ledger.borrow().noise();
        let mut search = HagerZhang::new().maxfev(LINE_SEARCH_EVALUATIONS).bounds(0.0, LONGEST_STEP);
        // basin takes it relative to the value here, which may be near zero.
        search.epsilon = (noise / value.abs().max(f64::MIN_POSITIVE)).min(f64::MAX);
        let result = search.next_with_bounds(problem, x, value, gradient, direction, steps)?;
        match result.outcome {
            LineSearchOutcome::Step(step)
                if step >= LONGEST_STEP && problem.inner().ledger.borrow().far_from_start(LONGEST_STEP) =>
            {
                Err(Abort::Stop(Stopped::Diverged))
            }
            _ => Ok(result),
        }
    }
}

#[cfg(test)]
mod problems;
#[cfg(test)]
mod tests;
