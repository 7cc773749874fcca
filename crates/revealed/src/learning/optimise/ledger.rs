//! The record of a search's evaluations, and the decision to stop.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::{Iteration, SearchSettings, Stopped};

/// Values count as equal if they differ by less than this, relative to the largest values found.
const NOISE: f64 = 1e-12;

/// The search gives up after this many iterations in a row without a lower value or a clearly smaller gradient.
const PATIENCE: usize = 50;

/// The number of evaluations kept to avoid repeating them. They are about the same number of vectors as in the
/// curvature approximation.
const RECENT: usize = 64;

/// The reason why a search ends during an evaluation.
pub(super) enum Abort<E> {
    Objective(E),
    Stop(Stopped),
}

type Minimised<'a, E> = dyn FnMut(&[f64], &mut [f64]) -> Result<f64, E> + 'a;

/// An evaluated point. If the objective is not finite, the value is inf or -inf.
#[derive(Clone)]
pub(super) struct Evaluated {
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) norm: f64,
}

impl Evaluated {
    fn at<E>(x: &[f64], search: &SearchSettings, objective: &mut Minimised<E>) -> Result<Self, E> {
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let mut gradient = vec![0.0; x.len()];
        let mut value = if finite(x) { objective(x, &mut gradient)? } else { f64::INFINITY };
        if value.is_nan() || (value.is_finite() && !finite(&gradient)) {
            value = f64::INFINITY;
        }
        let norm = if value.is_finite() { projected_norm(x, &gradient, search) } else { f64::INFINITY };
        Ok(Self { x: x.to_vec(), value, gradient, norm })
    }
}

/// The largest component of the projected gradient. A component is limited to the distance from the bound towards which
/// a descent step moves.
fn projected_norm(x: &[f64], gradient: &[f64], search: &SearchSettings) -> f64 {
    let component = |i: usize| {
        let g = gradient[i];
        if g < 0.0 { g.max(x[i] - search.upper[i]) } else { g.min(x[i] - search.lower[i]) }.abs()
    };
    (0..x.len()).map(component).fold(0.0, f64::max)
}

/// All evaluations pass through the ledger: none is repeated, and the best point is kept.
pub(super) struct Ledger<'a, E> {
    objective: &'a mut Minimised<'a, E>,
    search: &'a SearchSettings<'a>,
    /// The latest evaluations, newest first.
    recent: VecDeque<Evaluated>,
    /// The point with the smallest gradient among those whose value is the lowest, to rounding.
    pub(super) best: Evaluated,
    lowest: f64,
    start: Vec<f64>,
    start_value: f64,
    progress: Pace,
    pub(super) iterations: usize,
    pub(super) evaluations: usize,
}

/// The last iteration that made progress, with the lowest value and the smallest gradient until then.
struct Pace {
    iteration: usize,
    value: f64,
    norm: f64,
}

impl<'a, E> Ledger<'a, E> {
    /// Evaluates the start.
    pub(super) fn open(objective: &'a mut Minimised<'a, E>, search: &'a SearchSettings<'a>) -> Result<Self, E> {
        let bounds = search.lower.iter().zip(search.upper);
        let start: Vec<f64> = search.start.iter().zip(bounds).map(|(x, (lower, upper))| x.clamp(*lower, *upper)).collect();
        let best = Evaluated::at(&start, search, objective)?;
        Ok(Self {
            objective,
            search,
            recent: VecDeque::new(),
            lowest: best.value,
            start,
            start_value: best.value,
            progress: Pace { iteration: 0, value: best.value, norm: best.norm },
            best,
            iterations: 0,
            evaluations: 1,
        })
    }

    /// A reason to stop before the first iteration.
    pub(super) fn settled_at_start(&self) -> Option<Stopped> {
        if !self.best.value.is_finite() {
            Some(Stopped::StartNotFinite)
        } else {
            (self.best.norm <= self.search.gradient_tolerance).then_some(Stopped::Gradient)
        }
    }

    pub(super) fn evaluate(&mut self, x: &[f64]) -> Result<Evaluated, Abort<E>> {
        if let Some(known) = self.recent.iter().chain([&self.best]).find(|point| point.x == x) {
            return Ok(known.clone());
        }
        if self.evaluations >= self.search.max_evaluations {
            return Err(Abort::Stop(Stopped::MaxEvaluations));
        }
        self.evaluations += 1;
        let point = Evaluated::at(x, self.search, self.objective).map_err(Abort::Objective)?;
        if point.value == f64::NEG_INFINITY {
            return Err(Abort::Stop(Stopped::Diverged));
        }
        self.compare(&point);
        self.recent.truncate(RECENT - 1);
        self.recent.push_front(point.clone());
        Ok(point)
    }

    fn compare(&mut self, point: &Evaluated) {
        self.lowest = self.lowest.min(point.value);
        let bar = self.lowest + NOISE * self.lowest.abs();
        if point.value <= bar && (self.best.value > bar || point.norm < self.best.norm) {
            self.best = point.clone();
        }
    }

    /// The rounding error of a value. It depends on the numbers that the value is computed from. If these cancel, the
    /// value at the start is a better measure of their size than a value near zero.
    pub(super) fn noise(&self) -> f64 {
        NOISE * self.lowest.abs().max(self.start_value.abs())
    }

    /// True if the latest point is more than `factor` times as far from the origin as the start (or 1, if that is
    /// more).
    pub(super) fn far_from_start(&self, factor: f64) -> bool {
        let size = |x: &[f64]| x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        self.recent.front().is_some_and(|point| size(&point.x) >= factor * size(&self.start).max(1.0))
    }

    /// Moves to `x`. Returns a reason to stop there, if any.
    pub(super) fn accept(
        &mut self,
        x: &[f64],
        watch: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Option<Stopped>, Abort<E>> {
        let point = self.evaluate(x)?;
        self.iterations += 1;
        let watched = watch(&Iteration {
            number: self.iterations,
            evaluations: self.evaluations,
            x,
            value: point.value,
            gradient_norm: point.norm,
        });
        let stalled = self.stalled(point.norm);
        Ok(if point.norm <= self.search.gradient_tolerance {
            self.best = point;
            Some(Stopped::Gradient)
        } else if watched.is_break() {
            Some(Stopped::Interrupted)
        } else {
            stalled.then_some(Stopped::NoProgress)
        })
    }

    /// Whether the search has stalled. A decrease by a few units in the last place counts as progress, so that slow
    /// progress is not mistaken for none.
    fn stalled(&mut self, norm: f64) -> bool {
        let last = &mut self.progress;
        let unit = 4.0 * f64::EPSILON * self.lowest.abs();
        if self.lowest < last.value - unit || norm < 0.9 * last.norm {
            *last = Pace { iteration: self.iterations, value: self.lowest, norm: norm.min(last.norm) };
        }
        self.iterations - last.iteration >= PATIENCE
    }
}
