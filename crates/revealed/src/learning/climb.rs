//! The search loop that every method shares: units, bounds, progress, and what is true at the end.

use crate::Error;
use crate::learning::ascent::ascend;
use crate::learning::optimise::{self, Iteration, Optimum, SearchSettings, Stopped};
use crate::learning::units::Units;
use crate::numeric::vector::{minus, norm};
use crate::watch::{Progress, Step, Watch};

/// The gradient may end this many times above the tolerance where rounding hides any further progress.
const NEARLY: f64 = 1e3;

/// A search for θ.
pub(crate) struct Climb<'a, 'w> {
    pub units: &'a Units,
    pub bounds: &'a [(f64, f64)],
    /// Past steps that the optimiser remembers.
    pub memory: usize,
    pub tolerance: f64,
    pub max_iterations: usize,
    /// Whether to follow directions that are the gradient of no function (see `ascent.rs`).
    pub by_direction: bool,
    pub watch: &'a Watch<'w>,
}

/// Where a search ended.
pub(crate) struct Summit {
    pub optimum: Optimum,
    /// Whether that is an optimum, as far as f64 can tell.
    pub converged: bool,
    /// θ, within its bounds.
    pub theta: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    last_step: LastStep,
}

impl Climb<'_, '_> {
    /// Searches from `start`. `descent` writes the gradient by θ of what is lowered, and returns its value.
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
        let mut started = false;
        let objective = |x: &[f64], gradient: &mut [f64]| {
            let trial = descent(&units.to_theta(x), gradient);
            if trial.is_ok() {
                gradient.iter_mut().enumerate().for_each(|(k, gradient)| *gradient /= units.of(k));
            }
            // Once begun, a trial that leaves the range of f64 was a step too long, and no reason to lose θ.
            if std::mem::replace(&mut started, true) { too_far(trial) } else { trial }
        };
        let tell = |iteration: &Iteration<'_>| {
            last_step.walk_to(iteration.x);
            self.watch.tell(&Step::Iteration(Progress {
                iteration: iteration.number,
                evaluations: iteration.evaluations,
                theta: &units.to_theta(iteration.x),
                objective: -iteration.value,
                gradient_norm: iteration.gradient_norm,
            }))
        };
        let optimum = match self.by_direction {
            true => ascend(objective, &search, tell)?,
            false => optimise::minimize(objective, &search, tell)?,
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
    /// The direction in which the objective grows for ever, if the search went off in one.
    ///
    /// There the gradient vanishes with the distance, and a small gradient is no optimum. Around an optimum a step as long as
    /// the whole distance so far lowers the objective, whatever its direction; on the way to infinity a step in the direction of
    /// the last one does not. `value` is what the search lowers, at a θ.
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
        Ok((too_far(value(&units.to_theta(&x)))? <= optimum.value && norm(&direction) > 0.5).then_some(direction))
    }
}

/// The step from the last iterate but one to the last.
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

/// Which bounds hold θ.
pub(crate) struct Held {
    /// Parameters that no bound holds: those inside, and those that the gradient pulls inwards.
    pub free: Vec<usize>,
    /// Parameters at a bound, unless both bounds are the same.
    pub at_bounds: Vec<usize>,
    /// The largest component of the gradient that is not held.
    pub gradient_norm: f64,
}

impl Held {
    /// `pull` is the gradient of what is raised, by parameter.
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

/// Refuses settings of a search that are not finite numbers from 0.
pub(crate) fn check_settings(l2: f64, tolerance: f64) -> Result<(), Error> {
    for (what, value) in [("l2", l2), ("the tolerance", tolerance)] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(Error::Setting { what, value, expected: "a finite number, 0 or more" });
        }
    }
    Ok(())
}

/// Infinite where the value does not fit into an f64.
pub(crate) fn too_far(trial: Result<f64, Error>) -> Result<f64, Error> {
    Ok(within_range(trial)?.unwrap_or(f64::INFINITY))
}

/// `None` where numbers leave the range of f64, or sums are not finite: θ is too large, and a smaller one may be fine.
pub(crate) fn within_range<T>(trial: Result<T, Error>) -> Result<Option<T>, Error> {
    match trial {
        Err(Error::RewardTooLarge { .. } | Error::NotFinite { .. } | Error::Overflow { .. } | Error::NoSum { .. }) => Ok(None),
        trial => trial.map(Some),
    }
}
