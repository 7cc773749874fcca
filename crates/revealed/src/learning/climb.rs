//! The search loop that all methods share: units, bounds, progress, and the checks at the end.

use std::cell::RefCell;

use crate::Error;
use crate::error::PartFault;
use crate::learning::ascent::ascend;
use crate::learning::optimise::{self, Iteration, Optimum, SearchSettings, Stopped};
use crate::learning::units::Units;
use crate::numeric::vector::{minus, norm};
use crate::watch::{Progress, Step, Watch};

/// If rounding stops the search, it still counts as converged with a gradient up to this many times the tolerance.
const NEARLY: f64 = 1e3;

/// A search for θ.
pub(crate) struct Climb<'a, 'w> {
    pub units: &'a Units,
    pub bounds: &'a [(f64, f64)],
    /// The number of past steps that the optimiser keeps.
    pub memory: usize,
    pub tolerance: f64,
    pub max_iterations: usize,
    /// Whether to follow directions that are not the gradient of any function (see `ascent.rs`).
    pub by_direction: bool,
    pub watch: &'a Watch<'w>,
}

/// The best point of a search so far, in case that the work on the next one is cancelled.
struct Camp {
    optimum: Optimum,
    /// Whether the next point replaces it: a smaller value, or with directions a smaller mismatch.
    by_direction: bool,
}

impl Camp {
    fn at(search: &SearchSettings<'_>, by_direction: bool) -> Camp {
        let (x, gradient) = (search.start.to_vec(), vec![0.0; search.start.len()]);
        let (value, gradient_norm, stop) = (f64::INFINITY, f64::INFINITY, Stopped::Interrupted);
        Camp { optimum: Optimum { x, value, gradient, gradient_norm, iterations: 0, evaluations: 0, stop }, by_direction }
    }

    /// Takes note of an iteration.
    fn pass(&mut self, iteration: &Iteration<'_>) {
        (self.optimum.iterations, self.optimum.gradient_norm) = (iteration.number, iteration.gradient_norm);
    }

    /// Takes note of an evaluated point.
    fn see(&mut self, x: &[f64], value: f64, gradient: &[f64]) {
        let Camp { optimum, by_direction } = self;
        optimum.evaluations += 1;
        let better = match by_direction {
            true => norm(gradient) < norm(&optimum.gradient),
            false => value < optimum.value,
        };
        if value.is_finite() && (better || optimum.evaluations == 1) {
            (optimum.x, optimum.value, optimum.gradient) = (x.to_vec(), value, gradient.to_vec());
        }
    }
}

/// The result of a search.
pub(crate) struct Summit {
    pub optimum: Optimum,
    /// Whether it is an optimum, to the precision of f64.
    pub converged: bool,
    /// θ at the end, within its bounds.
    pub theta: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    last_step: LastStep,
}

impl Climb<'_, '_> {
    /// Minimises from `start`. `descent` returns the value of the minimised function and writes its gradient by θ.
    pub fn run(
        &self,
        start: Vec<f64>,
        mut descent: impl FnMut(&[f64], &mut [f64]) -> Result<f64, Error>,
    ) -> Result<Summit, Error> {
        let Climb { units, bounds, .. } = self;
        let search = SearchSettings {
            start: &units.in_units(start),
            lower: &units.in_units(bounds.iter().map(|pair| pair.0)),
            upper: &units.in_units(bounds.iter().map(|pair| pair.1)),
            memory: self.memory,
            gradient_tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            max_evaluations: self.max_iterations.saturating_mul(20),
        };
        let mut last_step = LastStep::from(search.start);
        let camp = RefCell::new(Camp::at(&search, self.by_direction));
        let objective = |x: &[f64], gradient: &mut [f64]| {
            let mut camp = camp.borrow_mut();
            let trial = descent(&units.to_theta(x), gradient);
            if let Ok(value) = trial {
                gradient.iter_mut().enumerate().for_each(|(k, gradient)| *gradient /= units.of(k));
                camp.see(x, value, gradient);
                return trial;
            }
            // After the first evaluation, a trial that leaves the range of f64 only means that the step was too long.
            if camp.optimum.evaluations > 0 { infinite_if_out_of_range(trial) } else { trial }
        };
        let tell = |iteration: &Iteration<'_>| {
            last_step.walk_to(iteration.x);
            camp.borrow_mut().pass(iteration);
            self.watch.tell(&Step::Iteration(Progress {
                iteration: iteration.number,
                evaluations: iteration.evaluations,
                theta: &units.to_theta(iteration.x),
                objective: -iteration.value,
                gradient_norm: iteration.gradient_norm,
            }))
        };
        let found = match self.by_direction {
            true => ascend(objective, &search, tell),
            false => optimise::minimize(objective, &search, tell),
        };
        let optimum = match found {
            // In the middle of an evaluation. Before the end of the first there is no best point.
            Err(Error::Stopped) if camp.borrow().optimum.evaluations > 0 => camp.into_inner().optimum,
            found => found?,
        };
        let nearly = optimum.stop == Stopped::NoProgress && optimum.gradient_norm <= NEARLY * self.tolerance;
        Ok(Summit {
            converged: optimum.stop.converged() || nearly,
            theta: units.to_theta_within(&optimum.x, bounds),
            lower: search.lower.to_vec(),
            upper: search.upper.to_vec(),
            optimum,
            last_step,
        })
    }
}

impl Summit {
    /// The direction in which the objective improves for ever, if the search diverged in one.
    ///
    /// Far away the gradient vanishes as well, so a small gradient is not enough for an optimum. Around an optimum, a
    /// step as long as the distance from the origin makes the objective worse, whatever its direction. If the search
    /// diverges, such a step in the direction of the last one does not. `value` is the minimised function.
    pub fn runaway(&self, units: &Units, value: impl FnOnce(&[f64]) -> Result<f64, Error>) -> Result<Option<Vec<f64>>, Error> {
        let (optimum, step) = (&self.optimum, &self.last_step.step);
        let size = norm(step);
        if size == 0.0 {
            return Ok(None);
        }
        let far = norm(&optimum.x).max(1.0) / size;
        let x: Vec<f64> = (optimum.x.iter().zip(step).zip(self.lower.iter().zip(&self.upper)))
            .map(|((x, step), (&lower, &upper))| (x + far * step).clamp(lower, upper))
            .collect();
        let direction = minus(&x, &optimum.x);
        Ok((infinite_if_out_of_range(value(&units.to_theta(&x)))? <= optimum.value && norm(&direction) > 0.5)
            .then_some(direction))
    }
}

/// The step from the second-to-last iterate to the last.
struct LastStep {
    at: Vec<f64>,
    step: Vec<f64>,
}

impl LastStep {
    fn from(start: &[f64]) -> Self {
        LastStep { at: start.to_vec(), step: vec![0.0; start.len()] }
    }

    fn walk_to(&mut self, x: &[f64]) {
        self.step = minus(x, &self.at);
        self.at.copy_from_slice(x);
    }
}

/// The parameters that are held by their bounds, and those that are free.
pub(crate) struct Held {
    /// Parameters not held by a bound: those inside their bounds, and those that the gradient pulls inwards.
    pub free: Vec<usize>,
    /// Parameters at a bound, except those whose two bounds are equal.
    pub at_bounds: Vec<usize>,
    /// The largest component of the gradient among the free parameters.
    pub gradient_norm: f64,
}

impl Held {
    /// `pull` is the gradient of the maximised function, by parameter.
    pub fn new(theta: &[f64], bounds: &[(f64, f64)], pull: impl Fn(usize) -> f64) -> Held {
        let (at_lower, at_upper) = (|k: usize| theta[k] == bounds[k].0, |k: usize| theta[k] == bounds[k].1);
        let held = |k: usize| (at_lower(k) && pull(k) <= 0.0) || (at_upper(k) && pull(k) >= 0.0);
        let all = || 0..theta.len();
        let free: Vec<usize> = all().filter(|&k| !held(k)).collect();
        Held {
            gradient_norm: free.iter().map(|&k| pull(k).abs()).fold(0.0, f64::max),
            at_bounds: all().filter(|&k| (at_lower(k) || at_upper(k)) && bounds[k].0 < bounds[k].1).collect(),
            free,
        }
    }
}

/// Rejects settings of a search that are not finite or are negative.
pub(crate) fn check_settings(l2: f64, tolerance: f64) -> Result<(), Error> {
    for (what, value) in [("l2", l2), ("the tolerance", tolerance)] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(Error::Setting { what, value, expected: "a finite number, 0 or more" });
        }
    }
    Ok(())
}

/// Infinity if numbers leave the range of f64.
pub(crate) fn infinite_if_out_of_range(trial: Result<f64, Error>) -> Result<f64, Error> {
    Ok(within_range(trial)?.unwrap_or(f64::INFINITY))
}

/// `None` if numbers leave the range of f64 or lose their digits, or sums are not finite: θ is too large, and a smaller one may be fine.
pub(crate) fn within_range<T>(trial: Result<T, Error>) -> Result<Option<T>, Error> {
    match trial {
        Err(error) if PartFault::of(&error) != PartFault::Other => Ok(None),
        trial => trial.map(Some),
    }
}
