//! ExactMaxEntIRL (alg:maxent-irl-padded): from demonstrations to the reward that they reveal.

use std::ops::ControlFlow;

use crate::Error;
use crate::learning::ascent::ascend;
use crate::learning::identify::{NullDirection, null_directions};
use crate::learning::objective::Objective;
use crate::learning::optimise::{self, Iteration, Optimum, Search, Stopped};
use crate::learning::runaway::{LastStep, never_seen};
use crate::learning::units::Units;
use crate::learning::{Bounds, Method};
use crate::model::Ends;
use crate::model::Options;
use crate::world::{Demonstrations, Features, Mdp};

/// Maximum-entropy IRL by maximum likelihood: set what differs from the default, then [`fit`](MaxEnt::fit).
///
/// ```
/// use revealed::{Bounds, Demonstrations, MaxEnt, PathDistribution, Stop, sample, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &vec![-0.2; 16])?;
/// let mut paths = PathDistribution::new(&lake.mdp, reward, 30, Stop::Anywhere)?;
/// let demos = Demonstrations::new(&lake.mdp, &sample(&mut paths, 200, 1)?)?;
///
/// let fit = MaxEnt { bounds: Bounds::Same(-10.0, 10.0), ..MaxEnt::default() }.fit(&lake.mdp, &lake.features, &demos)?;
/// assert!(fit.converged, "{}", fit.stopped_because);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MaxEnt {
    /// Which expectations are matched with the demonstrations; the exact ones of the MaxEnt model unless set. The others are
    /// baselines. Ziebart's are the gradient of no function: θ goes where they lead, in steps that become shorter, and the one
    /// with the smallest mismatch is kept.
    pub method: Method,
    /// How the likelihood is computed.
    pub options: Options,
    /// Where θ may lie; anywhere unless set. Demonstrations that never do something push its weight to -∞:
    /// bounds (or `l2`) give such a problem an optimum.
    pub bounds: Bounds,
    /// Subtracts `l2 / 2 · ‖θ‖²` from the mean log-likelihood. Raise it to pull θ towards 0. 0 unless set.
    pub l2: f64,
    /// Where to begin; 0 unless set.
    pub start: Option<Vec<f64>>,
    /// Converged when no component of the gradient exceeds this, each measured in units of its feature's spread
    /// over the demonstrations.
    pub tolerance: f64,
    /// Gives up after this many iterations.
    pub max_iterations: usize,
    /// Past steps that the optimiser remembers. More of them need fewer evaluations, which are dear here.
    pub memory: usize,
}

impl Default for MaxEnt {
    fn default() -> Self {
        MaxEnt {
            method: Method::Exact,
            options: Options::default(),
            bounds: Bounds::None,
            l2: 0.0,
            start: None,
            tolerance: 1e-8,
            max_iterations: 10_000,
            memory: optimise::MEMORY,
        }
    }
}

/// What is known after each iteration.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// From 1.
    pub iteration: usize,
    /// Likelihoods computed so far.
    pub evaluations: usize,
    /// Where the search stands.
    pub theta: &'a [f64],
    /// The objective there, less the penalty: the mean log-likelihood, or with [`Method::CausalEntropy`] the dual.
    pub objective: f64,
    /// The largest component of the projected gradient, in the units of the tolerance.
    pub gradient_norm: f64,
}

/// A learned reward, and how the search for it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Θ.
    pub theta: Vec<f64>,
    /// Which expectations were matched.
    pub method: Method,
    /// The mean log-likelihood of the demonstrations, without the penalty: the exact one of the MaxEnt model at this θ, also
    /// for Ziebart's methods, so that methods compare. With [`Method::CausalEntropy`], that of the causal model, which is a
    /// distribution over paths of its own.
    pub log_likelihood: f64,
    /// log Z(Θ); `None` for [`Ends::Goal`] and for [`Method::CausalEntropy`].
    pub log_partition: Option<f64>,
    /// Iterations of the optimiser.
    pub iterations: usize,
    /// Likelihoods computed.
    pub evaluations: usize,
    /// Whether θ is the optimum.
    pub converged: bool,
    /// Why the search ended, in words.
    pub stopped_because: String,
    /// How the search ended.
    pub stop: Stopped,
    /// The largest component of the gradient by θ that is not held at a bound: how far the features that the method expects
    /// are from those of the demonstrations.
    pub gradient_norm: f64,
    /// L.
    pub horizon: usize,
    /// Which paths the model is a distribution over.
    pub ends: Ends,
    /// Parameters that ended at a bound.
    pub at_bounds: Vec<usize>,
    /// Parameters whose features no demonstration ever has, so that the likelihood has no finite optimum.
    pub never_seen: Vec<usize>,
    /// Directions of θ that change no reward: θ is one of many, and only rewards can be compared.
    pub null_directions: Vec<NullDirection>,
}

impl MaxEnt {
    /// Learns θ.
    ///
    /// # Errors
    /// If the input is bad. A search that does not converge is no error: see [`Fit::converged`].
    pub fn fit(&self, mdp: &Mdp, features: &Features, demos: &Demonstrations) -> Result<Fit, Error> {
        self.fit_watched(mdp, features, demos, |_| ControlFlow::Continue(()))
    }

    /// Learns θ and tells `watch` of every iteration; `Break` ends the search with the best θ so far.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &Demonstrations,
        mut watch: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Fit, Error> {
        self.check(features)?;
        let bounds = self.bounds.each(features.n_features())?;
        let mut model = Objective::new(self, mdp, features, demos)?;
        let units = Units::new(mdp, features, demos);

        let start = self.start.clone().map_or_else(|| model.start(), Ok)?;
        let search = Search {
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
            let trial = self.negative_objective(&mut model, &units, x, gradient);
            // Once begun, a trial that leaves the range of f64 was a step too long, and no reason to lose θ.
            match std::mem::replace(&mut started, true) {
                true => too_far(trial),
                false => trial,
            }
        };
        let tell = |iteration: &Iteration<'_>| {
            last_step.walk_to(iteration.x);
            watch(&Progress {
                iteration: iteration.number,
                evaluations: iteration.evaluations,
                theta: &units.to_theta(iteration.x),
                objective: -iteration.value,
                gradient_norm: iteration.gradient_norm,
            })
        };
        let by_direction = self.method.ziebart().is_some();
        let optimum = match by_direction {
            true => ascend(objective, &search, tell)?,
            false => optimise::minimize(objective, &search, tell)?,
        };

        let mut fit = self.conclude(&mut model, features, &units, &bounds, &optimum)?;
        if by_direction {
            fit.stopped_because = how_it_ended(self.method, &optimum, fit.converged);
        } else if fit.converged
            && let Some(reason) = self.why_no_optimum(&mut model, features, &units, &search, &optimum, &last_step)?
        {
            fit.converged = false;
            fit.stopped_because = format!("did not converge, because {reason}; set bounds or l2");
        }
        Ok(fit)
    }

    /// What the search lowers: the penalty less the mean log-likelihood, in units.
    pub(crate) fn negative_objective(
        &self,
        model: &mut Objective<'_>,
        units: &Units,
        x: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, Error> {
        let theta = units.to_theta(x);
        let point = model.evaluate(&theta)?;
        for (k, gradient) in gradient.iter_mut().enumerate() {
            *gradient = (self.l2 * theta[k] - point.gradient[k]) / units.of(k);
        }
        Ok(0.5 * self.l2 * theta.iter().map(|theta| theta * theta).sum::<f64>() - point.objective)
    }

    fn conclude(
        &self,
        model: &mut Objective<'_>,
        features: &Features,
        units: &Units,
        bounds: &[(f64, f64)],
        optimum: &Optimum,
    ) -> Result<Fit, Error> {
        let n = features.n_features();
        let theta = units.to_theta_within(&optimum.x, bounds);
        let point = model.evaluate(&theta)?;
        let pull = |k: usize| point.gradient[k] - self.l2 * theta[k];
        let (at_lower, at_upper) = (|k: usize| theta[k] == bounds[k].0, |k: usize| theta[k] == bounds[k].1);
        let held = |k: usize| (at_lower(k) && pull(k) <= 0.0) || (at_upper(k) && pull(k) >= 0.0);
        // Where rounding ends the search a little above the tolerance, θ is as good as f64 can tell.
        let as_good_as_it_gets = optimum.stop == Stopped::NoProgress && optimum.gradient_norm <= 1e3 * self.tolerance;
        Ok(Fit {
            method: self.method,
            log_likelihood: point.log_likelihood,
            log_partition: point.log_partition,
            iterations: optimum.iterations,
            evaluations: optimum.evaluations + 1,
            converged: optimum.stop.converged() || as_good_as_it_gets,
            stopped_because: optimum.stop.to_string(),
            stop: optimum.stop,
            gradient_norm: (0..n).filter(|&k| !held(k)).map(|k| pull(k).abs()).fold(0.0, f64::max),
            horizon: model.horizon(),
            ends: model.ends(),
            at_bounds: (0..n).filter(|&k| (at_lower(k) || at_upper(k)) && bounds[k].0 < bounds[k].1).collect(),
            never_seen: never_seen(features, model.observed()),
            null_directions: null_directions(features),
            theta,
        })
    }

    pub(crate) fn check(&self, features: &Features) -> Result<(), Error> {
        if let Some(start) = &self.start {
            features.check_theta(start)?;
        }
        let not_negative = "a finite number, 0 or more";
        for (what, value) in [("l2", self.l2), ("the tolerance", self.tolerance)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::Setting { what, value, expected: not_negative });
            }
        }
        if self.memory < 1 {
            return Err(Error::Count { what: "the memory of the optimiser", value: 0, least: 1, most: usize::MAX });
        }
        Ok(())
    }
}

/// Infinite where the value does not fit into an f64.
pub(crate) fn too_far(trial: Result<f64, Error>) -> Result<f64, Error> {
    Ok(within_range(trial)?.unwrap_or(f64::INFINITY))
}

/// `None` where numbers leave the range of f64, or sums are not finite: θ lies too far out, and nearer by all may be well.
pub(crate) fn within_range<T>(trial: Result<T, Error>) -> Result<Option<T>, Error> {
    match trial {
        Err(Error::RewardTooLarge { .. } | Error::NotFinite { .. } | Error::Overflow { .. } | Error::NoSum { .. }) => Ok(None),
        trial => trial.map(Some),
    }
}

/// Why the search by Ziebart's directions ended, in words.
fn how_it_ended(method: Method, optimum: &Optimum, converged: bool) -> String {
    let (method, left) = (method.name(), optimum.gradient_norm);
    let features = format!("the features that {method} expects differ by {left:.1e} of their spread from the demonstrations'");
    match optimum.stop {
        Stopped::Gradient => format!("converged: {features}, within the tolerance"),
        Stopped::NoProgress if converged => format!("converged nearly: {features}, a little above the tolerance"),
        Stopped::NoProgress => format!("not converged: {features}, and no step brings them closer"),
        stop => format!("{stop}; {features}"),
    }
}
