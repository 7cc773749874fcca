//! The optimiser crate behind one function, [`minimize`]: no other part of the library depends on that crate.
//!
//! The method is L-BFGS-B with the line search of Hager and Zhang (2005). Near the optimum of a log-likelihood the
//! value is flat to rounding, while the gradient still has many correct digits. This line search then uses the
//! gradient. The usual one (Moré and Thuente's, as in SciPy) uses the value, and fails or cycles.

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

/// The default number of past steps from which the curvature is approximated. The customary 10 suits cheap objectives.
/// Here evaluations are expensive, and 30 saves most of them if the problem is badly conditioned.
pub(crate) const MEMORY: usize = 30;

/// The longest step, as a multiple of the step that the curvature suggests; also basin's limit. A search that takes it
/// and ends equally far from the start has no optimum.
const LONGEST_STEP: f64 = 1e10;

/// The maximum number of evaluations in one line search: 40 halvings shorten a step to 1e-12 of its length.
const LINE_SEARCH_EVALUATIONS: u32 = 40;

/// The settings of a search. The three slices have the same length, and `lower <= upper`.
pub(crate) struct SearchSettings<'a> {
    /// The point to start from; clipped to the bounds.
    pub(crate) start: &'a [f64],
    /// Lower bounds, -inf for none. Equal bounds fix a parameter.
    pub(crate) lower: &'a [f64],
    /// Upper bounds, inf for none.
    pub(crate) upper: &'a [f64],
    /// The number of past steps to keep, at least 1. See [`MEMORY`].
    pub(crate) memory: usize,
    /// Converged when the largest component of the projected gradient is at most this.
    pub(crate) gradient_tolerance: f64,
    /// The maximum number of iterations.
    pub(crate) max_iterations: usize,
    /// The maximum number of calls of the objective. The start is always evaluated.
    pub(crate) max_evaluations: usize,
}

/// The report after each iteration.
pub(crate) struct Iteration<'a> {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// The number of calls of the objective so far.
    pub(crate) evaluations: usize,
    /// The point reached.
    pub(crate) x: &'a [f64],
    /// The value there.
    pub(crate) value: f64,
    /// The largest component of the projected gradient there.
    pub(crate) gradient_norm: f64,
}

/// The best point found, and how the search ended.
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
    /// The number of iterations.
    pub(crate) iterations: usize,
    /// The number of calls of the objective.
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
    /// Rounding hides any further progress, and the gradient is above the tolerance.
    NoProgress,
    /// The maximum number of iterations was reached.
    MaxIterations,
    /// The maximum number of evaluations was reached.
    MaxEvaluations,
    /// The caller asked to stop.
    Interrupted,
    /// The objective decreases without bound along some direction: there is no optimum.
    Diverged,
    /// The objective or its gradient is not a finite number at the start.
    StartNotFinite,
}

impl Stopped {
    /// True if the gradient is within the tolerance. The caller decides whether [`NoProgress`](Self::NoProgress) is
    /// good enough, from the size of the gradient.
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
/// The objective writes the gradient and returns the value. If either is not finite, the step counts as too long. The
/// objective is not called again at a recently evaluated point. An error of the objective ends the search and is
/// returned. `watch` receives a report of every iteration, and can end the search with `Break`.
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

/// Iterates until there is a reason to stop. The ledger tests for convergence; basin's own tests are switched off.
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
    let solver = Lbfgsb::with_line_search(HagerZhangWithNoise)
        .with_m_capacity(search.memory.max(1))
        .with_absolute_projected_gradient_tolerance(None)
        .with_relative_cost_reduction_tolerance(None);
    let mut stepper = Executor::new(problem, solver, start).max_iter(u64::MAX).into_stepper().map_err(abort)?;
    while ledger.borrow().iterations < search.max_iterations {
        // Anything but `Continue` is a failed line search. By then basin has already retried with an empty memory.
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

/// The problem as basin's traits describe it.
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

/// Hager and Zhang's line search, with an estimate of the rounding error of values.
struct HagerZhangWithNoise;

impl<'a, 'b, E> LineSearch<Bounded<'a, 'b, E>, Vec<f64>> for HagerZhangWithNoise {
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
        // basin takes epsilon relative to the value here, which may be near zero.
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
