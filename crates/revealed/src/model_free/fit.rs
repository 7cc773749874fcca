//! Learning without a model of the world: from sampled trajectories (Boularias 2011, and the paper's MaxEnt variant).

use std::ops::ControlFlow;

use crate::Error;
use crate::learning::maxent::too_far;
use crate::learning::optimise::{self, Optimum, Search, Stopped};
use crate::learning::runaway::{LastStep, runaway};
use crate::learning::units::Units;
use crate::learning::{Bounds, Progress};
use crate::model_free::diagnosis::{Warning, diagnose};
use crate::model_free::standard_error::ErrorOfTheta;
use crate::model_free::{Estimate, Samples};
use crate::numeric::threads::Threads;
use crate::numeric::vector::all_finite;
use crate::numeric::vector::dot;

/// Learns θ from samples: set what differs from the default, then [`fit`](ModelFree::fit).
///
/// It maximises the estimate θ·E_D\[φ\] - log Ẑ(θ), which is concave, and of which the gradient is E_D\[φ\] - Σ w̄_i φ_i.
///
/// ```
/// use revealed::{Baseline, ModelFree, SampleColumns, Samples};
///
/// // A coin that a fair hand tossed 100 times, and somebody who had heads three times out of four.
/// let features = (0..100).map(|toss| f64::from(toss % 2)).collect();
/// let columns = SampleColumns { n_features: 1, features, log_policy: vec![0.5f64.ln(); 100], ..SampleColumns::default() };
/// let fit = ModelFree::default().fit(&Samples::new(&columns, Baseline::One)?, &[0.75])?;
/// assert!((fit.theta[0] - 3f64.ln()).abs() < 1e-6);
/// assert!(fit.converged && fit.warnings.is_empty());
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFree {
    /// Where θ may lie; anywhere unless set.
    pub bounds: Bounds,
    /// Subtracts `l2 / 2 · ‖θ‖²` from the objective. 0 unless set.
    pub l2: f64,
    /// Where to begin; 0 unless set.
    pub start: Option<Vec<f64>>,
    /// Converged when no component of the gradient exceeds this, each measured in units of its feature's spread
    /// over the samples.
    pub tolerance: f64,
    /// Gives up after this many iterations.
    pub max_iterations: usize,
    /// Threads to use; as many as there are cores unless set. Any number gives the same bits.
    pub threads: Option<usize>,
}

impl Default for ModelFree {
    fn default() -> Self {
        ModelFree { bounds: Bounds::None, l2: 0.0, start: None, tolerance: 1e-8, max_iterations: 10_000, threads: None }
    }
}

/// A reward learned from samples, and how far to trust it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFreeFit {
    /// θ̂.
    pub theta: Vec<f64>,
    /// The standard error of each parameter that comes from sampling; that from having few demonstrations is not in it. 0 where
    /// a bound holds the parameter. `None` where the weights single out so few samples that there is no telling, and for more
    /// than 400 parameters.
    pub standard_error: Option<Vec<f64>>,
    /// Directions of θ that change no weight among the samples: the search leaves them as it found them.
    pub flat_directions: usize,
    /// θ·E_D\[φ\] - log Ẑ(θ): the mean log-likelihood less E_D\[log q\], which takes the dynamics to know and does not
    /// depend on θ. Without the penalty.
    pub objective: f64,
    /// What the samples say at θ̂.
    pub estimate: Estimate,
    /// Why not to trust it; empty if there is no reason.
    pub warnings: Vec<Warning>,
    /// Iterations of the optimiser.
    pub iterations: usize,
    /// Estimates computed.
    pub evaluations: usize,
    /// Whether θ̂ is the optimum.
    pub converged: bool,
    /// Why the search ended, in words.
    pub stopped_because: String,
    /// How the search ended.
    pub stop: Stopped,
    /// The largest component of the gradient by θ that is not held at a bound.
    pub gradient_norm: f64,
    /// Parameters that ended at a bound.
    pub at_bounds: Vec<usize>,
}

impl ModelFree {
    /// Learns θ from samples and E_D\[φ(τ)\], the demonstrations' mean features.
    ///
    /// # Errors
    /// If the input is bad. An estimate that is worthless is no error: see [`ModelFreeFit::warnings`].
    pub fn fit(&self, samples: &Samples, observed: &[f64]) -> Result<ModelFreeFit, Error> {
        self.fit_watched(samples, observed, |_| ControlFlow::Continue(()))
    }

    /// Learns θ and tells `watch` of every iteration; `Break` ends the search with the best θ so far.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(
        &self,
        samples: &Samples,
        observed: &[f64],
        mut watch: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<ModelFreeFit, Error> {
        self.check(samples, observed)?;
        let bounds = self.bounds.each(samples.n_features())?;
        let spread = samples.spread();
        let threads = Threads::new(self.threads)?;
        let task = Task { settings: self, samples, observed, bounds: &bounds, units: &Units::of_spread(&spread), threads };
        let units = task.units;
        let start = self.start.clone().unwrap_or(vec![0.0; samples.n_features()]);
        let search = Search {
            start: &units.in_units(start),
            lower: &units.in_units(bounds.iter().map(|pair| pair.0)),
            upper: &units.in_units(bounds.iter().map(|pair| pair.1)),
            memory: optimise::MEMORY,
            gradient_tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            max_evaluations: self.max_iterations.saturating_mul(20),
        };
        let mut last_step = LastStep::from(search.start);
        let mut started = false;
        let objective = |x: &[f64], gradient: &mut [f64]| {
            let trial = task.negative_objective(x, gradient);
            // Once begun, a trial that leaves the range of f64 was a step too long, and no reason to lose θ.
            if std::mem::replace(&mut started, true) { too_far(trial) } else { trial }
        };
        let optimum = optimise::minimize(objective, &search, |iteration| {
            last_step.walk_to(iteration.x);
            watch(&Progress {
                iteration: iteration.number,
                evaluations: iteration.evaluations,
                theta: &units.to_theta(iteration.x),
                objective: -iteration.value,
                gradient_norm: iteration.gradient_norm,
            })
        })?;
        let mut fit = task.conclude(&optimum, &spread)?;
        if let Some(reason) = task.why_no_optimum(&search, &optimum, &last_step, &fit)? {
            fit.converged = false;
            let remedy = "set bounds or l2, or give samples that reach further";
            fit.stopped_because = format!("did not converge, because {reason}; {remedy}");
        }
        Ok(fit)
    }

    fn check(&self, samples: &Samples, observed: &[f64]) -> Result<(), Error> {
        let n = samples.n_features();
        let what = "the mean features of the demonstrations";
        for (what, values) in [(what, Some(observed)), ("theta", self.start.as_deref())] {
            let Some(values) = values else { continue };
            if values.len() != n {
                return Err(Error::Length { what, found: values.len(), expected: n });
            }
            all_finite(what, values)?;
        }
        for (what, value) in [("l2", self.l2), ("the tolerance", self.tolerance)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::Setting { what, value, expected: "a finite number, 0 or more" });
            }
        }
        Ok(())
    }
}

/// What one search is about.
struct Task<'a> {
    settings: &'a ModelFree,
    samples: &'a Samples,
    observed: &'a [f64],
    bounds: &'a [(f64, f64)],
    units: &'a Units,
    threads: Threads,
}

impl Task<'_> {
    /// What the search lowers, in units.
    fn negative_objective(&self, x: &[f64], gradient: &mut [f64]) -> Result<f64, Error> {
        let (theta, l2) = (self.units.to_theta(x), self.settings.l2);
        let weights = self.threads.run(|| self.samples.weigh(&theta))?;
        for (k, gradient) in gradient.iter_mut().enumerate() {
            *gradient = (l2 * theta[k] - self.observed[k] + weights.expectation[k]) / self.units.of(k);
        }
        Ok(0.5 * l2 * dot(&theta, &theta) + weights.log_partition - dot(&theta, self.observed))
    }

    fn conclude(&self, optimum: &Optimum, spread: &[(f64, f64)]) -> Result<ModelFreeFit, Error> {
        let Task { settings, samples, observed, bounds, units, .. } = self;
        let n = samples.n_features();
        let theta = units.to_theta_within(&optimum.x, bounds);
        let estimate = self.threads.run(|| samples.evaluate(&theta))?;
        let pull = |k: usize| observed[k] - estimate.expectation[k] - settings.l2 * theta[k];
        let (at_lower, at_upper) = (|k: usize| theta[k] == bounds[k].0, |k: usize| theta[k] == bounds[k].1);
        let held = |k: usize| (at_lower(k) && pull(k) <= 0.0) || (at_upper(k) && pull(k) >= 0.0);
        let free: Vec<usize> = (0..n).filter(|&k| !held(k)).collect();
        let errors = ErrorOfTheta { samples, units, l2: settings.l2, free: &free };
        let weights = self.threads.run(|| samples.weigh(&theta))?;
        let (standard_error, flat_directions) = self.threads.run(|| errors.at(&weights, spread));
        // Where rounding ends the search a little above the tolerance, θ is as good as f64 can tell.
        let as_good_as_it_gets = optimum.stop == Stopped::NoProgress && optimum.gradient_norm <= 1e3 * settings.tolerance;
        Ok(ModelFreeFit {
            standard_error,
            flat_directions,
            objective: dot(&theta, observed) - estimate.log_partition,
            warnings: diagnose(samples, observed, &estimate),
            iterations: optimum.iterations,
            evaluations: optimum.evaluations + 1,
            converged: optimum.stop.converged() || as_good_as_it_gets,
            stopped_because: optimum.stop.to_string(),
            stop: optimum.stop,
            gradient_norm: free.iter().map(|&k| pull(k).abs()).fold(0.0, f64::max),
            at_bounds: (0..n).filter(|&k| (at_lower(k) || at_upper(k)) && bounds[k].0 < bounds[k].1).collect(),
            estimate,
            theta,
        })
    }

    /// Why where the search ended is no optimum, if it is none: the demonstrations' mean features lie outside the samples'
    /// convex hull or at its edge, and θ goes off to infinity.
    fn why_no_optimum(
        &self,
        search: &Search<'_>,
        optimum: &Optimum,
        last_step: &LastStep,
        fit: &ModelFreeFit,
    ) -> Result<Option<String>, Error> {
        if self.settings.l2 > 0.0 || !(fit.converged || matches!(fit.stop, Stopped::Diverged | Stopped::NoProgress)) {
            return Ok(None);
        }
        for warning in &fit.warnings {
            let Warning::Uncovered { feature, mean, range: (least, most) } = *warning else { continue };
            let upwards = mean - least >= most - mean;
            let (bound, edge, sign) = match upwards {
                true => (self.bounds[feature].1, most, '+'),
                false => (self.bounds[feature].0, least, '-'),
            };
            if bound.is_infinite() {
                let beyond = if upwards { "more" } else { "less" };
                return Ok(Some(format!(
                    "the demonstrations have feature {feature} {mean} on average and no sample has {beyond} than {edge}: \
                     its weight would go to {sign}infinity"
                )));
            }
        }
        let value = |x: &[f64]| self.negative_objective(x, &mut vec![0.0; x.len()]);
        let Some(runaway) = runaway(search, optimum, last_step, value)? else { return Ok(None) };
        let largest = runaway.iter().fold(0.0, |largest: f64, step| largest.max(step.abs()));
        let words: Vec<String> = (runaway.iter().enumerate().filter(|(_, step)| step.abs() > 0.1 * largest).take(3))
            .map(|(k, step)| format!("feature {k} goes to {}infinity", if *step < 0.0 { "-" } else { "+" }))
            .collect();
        let hull = "the demonstrations' mean features lie outside what mixtures of the samples have, or at its edge";
        Ok(Some(format!("{hull}: they get ever more likely as {}", words.join(" and "))))
    }
}
