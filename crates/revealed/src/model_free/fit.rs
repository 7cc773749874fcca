//! Learning without a model of the world: from sampled trajectories (Boularias 2011, and the paper's MaxEnt variant).

use crate::Error;
use crate::learning::Bounds;
use crate::learning::climb::{Climb, Held, Summit, check_settings};
use crate::learning::optimise::{self, Stopped};
use crate::learning::units::Units;
use crate::model_free::diagnosis::{Warning, diagnose};
use crate::model_free::standard_error::ErrorOfTheta;
use crate::model_free::{Estimate, Samples};
use crate::numeric::Work;
use crate::numeric::rows::worth_sharing;
use crate::numeric::threads::Threads;
use crate::numeric::vector::{all_finite, dot};
use crate::watch::Watch;

/// Learns θ from samples. Change the settings that differ from the default, then call [`fit`](ModelFree::fit).
///
/// It maximises the estimate θ·E_D\[φ\] - log Ẑ(θ), which is concave. Its gradient is E_D\[φ\] - Σ w̄_i φ_i.
///
/// ```
/// use revealed::{Baseline, ModelFree, SampleColumns, Samples};
///
/// // 100 samples of a fair coin, and demonstrations with heads three times out of four.
/// let features = (0..100).map(|toss| f64::from(toss % 2)).collect();
/// let log_policy = vec![0.5f64.ln(); 100];
/// let columns = SampleColumns { n_features: 1, features, log_policy, ..SampleColumns::default() };
/// let fit = ModelFree::default().fit(&Samples::new(&columns, Baseline::One)?, &[0.75])?;
/// assert!((fit.theta[0] - 3f64.ln()).abs() < 1e-6);
/// assert!(fit.converged && fit.warnings.is_empty());
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFree {
    /// Bounds on θ; none by default.
    pub bounds: Bounds,
    /// Subtracts `l2 / 2 · ‖θ‖²` from the objective. The default is 0.
    pub l2: f64,
    /// The θ to start from; `None` for 0.
    pub start: Option<Vec<f64>>,
    /// The search has converged when no component of the gradient exceeds this. Each component is measured in units of
    /// the standard deviation of its feature over the samples.
    pub tolerance: f64,
    /// The maximum number of iterations.
    pub max_iterations: usize,
    /// The threads. The memory budget is not used. The result does not depend on it.
    pub work: Work,
}

impl Default for ModelFree {
    fn default() -> Self {
        ModelFree { bounds: Bounds::None, l2: 0.0, start: None, tolerance: 1e-8, max_iterations: 10_000, work: Work::default() }
    }
}

/// A reward learned from samples, and how reliable it is.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFreeFit {
    /// θ̂.
    pub theta: Vec<f64>,
    /// The standard error of each parameter due to sampling; it does not include the error due to few demonstrations. 0
    /// for parameters held at a bound. `None` if the weights select too few samples for an estimate, and for more than
    /// 400 parameters.
    pub standard_error: Option<Vec<f64>>,
    /// The number of directions of θ that change no weight among the samples. The search leaves θ unchanged along them.
    pub flat_directions: usize,
    /// θ·E_D\[φ\] - log Ẑ(θ): the mean log-likelihood minus E_D\[log q\], which does not depend on θ and would need the
    /// dynamics. Without the penalty.
    pub objective: f64,
    /// The estimate at θ̂.
    pub estimate: Estimate,
    /// Reasons not to trust the result; empty if there are none.
    pub warnings: Vec<Warning>,
    /// The number of iterations of the optimiser.
    pub iterations: usize,
    /// The number of estimates computed.
    pub evaluations: usize,
    /// Whether θ̂ is an optimum.
    pub converged: bool,
    /// A sentence that says why the search ended.
    pub stopped_because: String,
    /// The same as an enum.
    pub stop: Stopped,
    /// The largest component of the gradient by θ among parameters not held at a bound.
    pub gradient_norm: f64,
    /// Parameters that ended at a bound.
    pub at_bounds: Vec<usize>,
}

impl ModelFree {
    /// Learns θ from samples and E_D\[φ(τ)\], the demonstrations' mean features.
    ///
    /// # Errors
    /// If the input is invalid. An unreliable estimate is not an error: see [`ModelFreeFit::warnings`].
    pub fn fit(&self, samples: &Samples, observed: &[f64]) -> Result<ModelFreeFit, Error> {
        self.fit_watched(samples, observed, &Watch::none())
    }

    /// Learns θ and reports every iteration to `watch`. A search that is stopped returns the best θ so far.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(&self, samples: &Samples, observed: &[f64], watch: &Watch<'_>) -> Result<ModelFreeFit, Error> {
        self.check(samples, observed)?;
        let bounds = self.bounds.each(samples.n_features())?;
        let spread = samples.spread();
        let threads = Threads::new(self.work.threads)?;
        let task =
            SampleSearch { settings: self, samples, observed, bounds: &bounds, units: &Units::of_spread(&spread), threads };
        let start = self.start.clone().unwrap_or(vec![0.0; samples.n_features()]);
        let climb = Climb {
            units: task.units,
            bounds: &bounds,
            memory: optimise::MEMORY,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            by_direction: false,
            watch,
        };
        let summit = climb.run(start, |theta, gradient| task.descent(theta, gradient))?;
        let mut fit = task.conclude(&summit, &spread)?;
        if let Some(reason) = task.why_no_optimum(&summit, &fit)? {
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
        check_settings(self.l2, self.tolerance)
    }
}

/// The inputs of one search.
struct SampleSearch<'a> {
    settings: &'a ModelFree,
    samples: &'a Samples,
    observed: &'a [f64],
    bounds: &'a [(f64, f64)],
    units: &'a Units,
    threads: Threads,
}

impl SampleSearch<'_> {
    /// Whether several threads make a pass over the samples faster.
    fn is_large(&self) -> bool {
        worth_sharing(self.samples.n_samples() * self.samples.n_features())
    }

    /// The minimised function.
    fn descent(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, Error> {
        let l2 = self.settings.l2;
        let weights = self.threads.run_if(self.is_large(), || self.samples.weigh(theta))?;
        for (k, gradient) in gradient.iter_mut().enumerate() {
            *gradient = l2 * theta[k] - self.observed[k] + weights.expectation[k];
        }
        Ok(0.5 * l2 * dot(theta, theta) + weights.log_partition - dot(theta, self.observed))
    }

    fn conclude(&self, summit: &Summit, spread: &[(f64, f64)]) -> Result<ModelFreeFit, Error> {
        let SampleSearch { settings, samples, observed, bounds, units, .. } = self;
        let (optimum, theta) = (&summit.optimum, summit.theta.clone());
        let large = self.is_large();
        let estimate = self.threads.run_if(large, || samples.evaluate(&theta))?;
        let held = Held::new(&theta, bounds, |k| observed[k] - estimate.expectation[k] - settings.l2 * theta[k]);
        let errors = ErrorOfTheta { samples, units, l2: settings.l2, free: &held.free };
        let weights = self.threads.run_if(large, || samples.weigh(&theta))?;
        let (standard_error, flat_directions) = self.threads.run_if(large, || errors.at(&weights, spread));
        Ok(ModelFreeFit {
            standard_error,
            flat_directions,
            objective: dot(&theta, observed) - estimate.log_partition,
            warnings: diagnose(samples, observed, &estimate),
            iterations: optimum.iterations,
            evaluations: optimum.evaluations + 1,
            converged: summit.converged,
            stopped_because: optimum.stop.to_string(),
            stop: optimum.stop,
            gradient_norm: held.gradient_norm,
            at_bounds: held.at_bounds,
            estimate,
            theta,
        })
    }

    /// Why the end of the search is not an optimum; `None` if it is one. Without an optimum, the demonstrations' mean
    /// features lie outside the samples' convex hull or at its edge, and θ diverges to infinity.
    fn why_no_optimum(&self, summit: &Summit, fit: &ModelFreeFit) -> Result<Option<String>, Error> {
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
        let value = |theta: &[f64]| self.descent(theta, &mut vec![0.0; theta.len()]);
        let Some(runaway) = summit.runaway(self.units, value)? else { return Ok(None) };
        let largest = runaway.iter().fold(0.0, |largest: f64, step| largest.max(step.abs()));
        let words: Vec<String> = (runaway.iter().enumerate().filter(|(_, step)| step.abs() > 0.1 * largest).take(3))
            .map(|(k, step)| format!("feature {k} goes to {}infinity", if *step < 0.0 { "-" } else { "+" }))
            .collect();
        let hull = "the demonstrations' mean features lie outside the convex hull of the samples, or at its edge";
        Ok(Some(format!("{hull}: they get ever more likely as {}", words.join(" and "))))
    }
}
