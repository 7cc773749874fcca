//! ExactMaxEntIRL (alg:maxent-irl-padded): from demonstrations to the reward that they reveal.

use std::ops::ControlFlow;

use crate::identify::{NullDirection, null_directions};
use crate::optimise::{self, Search, Stopped};
use crate::{Demonstrations, Ends, Error, Features, Likelihood, Mdp, Options};

/// Where θ may lie.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Bounds {
    /// Anywhere.
    #[default]
    None,
    /// The same lower and upper bound for every parameter; infinities are allowed.
    Same(f64, f64),
    /// One lower and upper bound per parameter; infinities are allowed.
    Each(Vec<(f64, f64)>),
}

impl Bounds {
    /// The lower and the upper bound of each of `n` parameters.
    ///
    /// # Errors
    /// If there are too many or too few, or a lower bound exceeds its upper bound.
    pub fn each(&self, n: usize) -> Result<Vec<(f64, f64)>, Error> {
        let each = match self {
            Bounds::None => vec![(f64::NEG_INFINITY, f64::INFINITY); n],
            Bounds::Same(lo, hi) => vec![(*lo, *hi); n],
            Bounds::Each(each) => each.clone(),
        };
        if each.len() != n {
            return Err(Error::Length { what: "bounds", found: each.len(), expected: n });
        }
        let sound = |&(lo, hi): &(f64, f64)| lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY;
        match each.iter().position(|pair| !sound(pair)) {
            Some(feature) => Err(Error::Bounds { feature, lo: each[feature].0, hi: each[feature].1 }),
            None => Ok(each),
        }
    }
}

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
    /// How the likelihood is computed.
    pub options: Options,
    /// Where θ may lie; anywhere unless set. Demonstrations that never do something push its weight to -∞:
    /// bounds (or `l2`) give such a problem an optimum.
    pub bounds: Bounds,
    /// Subtracts `l2 / 2 · ‖θ‖²` from the mean log-likelihood. Raise it to pull θ towards 0. 0 unless set.
    pub l2: f64,
    /// Where to begin; 0 unless set.
    pub start: Option<Vec<f64>>,
    /// Converged when no component of the gradient exceeds this, each measured in units of its feature's
    /// spread over the demonstrations, or as it is where that is below 1.
    pub tolerance: f64,
    /// Gives up after this many iterations.
    pub max_iterations: usize,
    /// Past steps that the optimiser remembers. More of them need fewer evaluations, which are dear here.
    pub memory: usize,
}

impl Default for MaxEnt {
    fn default() -> Self {
        MaxEnt {
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
    /// The objective there: the mean log-likelihood, less the penalty.
    pub objective: f64,
    /// The largest component of the projected gradient, in the units of the tolerance.
    pub gradient_norm: f64,
}

/// A learned reward, and how the search for it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Θ.
    pub theta: Vec<f64>,
    /// The mean log-likelihood of the demonstrations, without the penalty.
    pub log_likelihood: f64,
    /// log Z(Θ); `None` for [`Ends::Goal`].
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
    /// The largest component of the gradient by θ that is not held at a bound.
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
        let n = features.n_features();
        self.check(features)?;
        let bounds = self.bounds.each(n)?;
        let mut likelihood = Likelihood::new(mdp, features, demos, &self.options)?;

        // The search runs in x = unit · θ, in which every feature has a spread of about 1: lengths in metres
        // and indicators are then alike to it.
        let unit = units(mdp, features, demos);
        let to_theta = |x: &[f64]| -> Vec<f64> { x.iter().zip(&unit).map(|(x, unit)| x / unit).collect() };
        let negative_objective = |x: &[f64], gradient: &mut [f64]| {
            let theta = to_theta(x);
            let evaluation = likelihood.evaluate(&theta)?;
            for k in 0..n {
                gradient[k] = (self.l2 * theta[k] - evaluation.gradient[k]) / unit[k];
            }
            Ok(self.penalty(&theta) - evaluation.log_likelihood)
        };
        let scaled = |values: &mut dyn Iterator<Item = f64>| -> Vec<f64> {
            values.zip(&unit).map(|(value, unit)| value * unit).collect()
        };
        let search = Search {
            start: &scaled(&mut self.start.clone().unwrap_or(vec![0.0; n]).into_iter()),
            lower: &scaled(&mut bounds.iter().map(|pair| pair.0)),
            upper: &scaled(&mut bounds.iter().map(|pair| pair.1)),
            memory: self.memory,
            gradient_tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            max_evaluations: self.max_iterations.saturating_mul(20),
        };
        let optimum = optimise::minimize(negative_objective, &search, |iteration| {
            watch(&Progress {
                iteration: iteration.number,
                evaluations: iteration.evaluations,
                theta: &to_theta(iteration.x),
                objective: -iteration.value,
                gradient_norm: iteration.gradient_norm,
            })
        })?;

        let theta: Vec<f64> =
            (to_theta(&optimum.x).iter().zip(&bounds)).map(|(theta, &(lo, hi))| theta.clamp(lo, hi)).collect();
        let evaluation = likelihood.evaluate(&theta)?;
        let held = |k: usize| theta[k] == bounds[k].0 || theta[k] == bounds[k].1;
        let pull = |k: usize| evaluation.gradient[k] - self.l2 * theta[k];
        let pushed_out = |k: usize| (theta[k] == bounds[k].0 && pull(k) <= 0.0) || (theta[k] == bounds[k].1 && pull(k) >= 0.0);
        let mut fit = Fit {
            log_likelihood: evaluation.log_likelihood,
            log_partition: evaluation.log_partition,
            iterations: optimum.iterations,
            evaluations: optimum.evaluations + 1,
            // Where rounding ends the search a little above the tolerance, θ is as good as f64 can tell.
            converged: optimum.stop.converged()
                || (optimum.stop == Stopped::NoProgress && optimum.gradient_norm <= 1e3 * self.tolerance),
            stopped_because: optimum.stop.to_string(),
            stop: optimum.stop,
            gradient_norm: (0..n).filter(|&k| !pushed_out(k)).map(|k| pull(k).abs()).fold(0.0, f64::max),
            horizon: likelihood.horizon(),
            ends: likelihood.ends(),
            at_bounds: (0..n).filter(|&k| held(k) && bounds[k].0 < bounds[k].1).collect(),
            never_seen: never_seen(features, likelihood.observed()),
            null_directions: null_directions(features),
            theta,
        };
        self.judge(&mut fit, features, &bounds);
        Ok(fit)
    }

    fn check(&self, features: &Features) -> Result<(), Error> {
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
            return Err(Error::Count { what: "the memory of the optimiser", value: 0, least: 1, most: 1000 });
        }
        Ok(())
    }

    fn penalty(&self, theta: &[f64]) -> f64 {
        0.5 * self.l2 * theta.iter().map(|theta| theta * theta).sum::<f64>()
    }

    /// A gradient that vanishes on the way to -∞ is no optimum.
    fn judge(&self, fit: &mut Fit, features: &Features, bounds: &[(f64, f64)]) {
        if fit.stop == Stopped::Interrupted {
            return;
        }
        let runs_away = |&&k: &&usize| self.l2 == 0.0 && bounds[k].0 == f64::NEG_INFINITY && fit.theta[k] < 0.0;
        let runaways: Vec<String> = fit.never_seen.iter().filter(runs_away).map(|&k| features.name(k)).collect();
        if let Some((first, others)) = runaways.split_first() {
            let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            fit.converged = false;
            fit.stopped_because = format!(
                "did not converge, because no demonstration ever has {first}{more}: the weight would go to -infinity; set bounds or l2"
            );
        }
    }
}

/// A scale for each feature: its root mean square over the demonstrations, or over the places where it is not
/// zero if that is larger, and 1 for a feature that is zero everywhere.
fn units(mdp: &Mdp, features: &Features, demos: &Demonstrations) -> Vec<f64> {
    let n = features.n_features();
    let mut squares = vec![0.0; n];
    let mut path = vec![0.0; n];
    let total = demos.total_weight();
    for index in 0..demos.len() {
        path.fill(0.0);
        features.add_path(mdp, demos, index, 1.0, &mut path);
        squares.iter_mut().zip(&path).for_each(|(sum, phi)| *sum += demos.weight(index) / total * phi * phi);
    }
    let mut single = vec![(0.0, 0.0); n];
    for block in features.blocks() {
        for (feature, value) in (0..block.n_rows()).flat_map(|row| block.row(row)) {
            single[feature].0 += value * value;
            single[feature].1 += 1.0;
        }
    }
    let unit = |(over_paths, (sum, count)): (&f64, &(f64, f64))| match over_paths.max(sum / f64::max(*count, 1.0)).sqrt() {
        unit if unit > 0.0 && unit.is_finite() => unit,
        _ => 1.0,
    };
    squares.iter().zip(&single).map(unit).collect()
}

/// Features that are never negative, not zero everywhere, and zero along every demonstration.
fn never_seen(features: &Features, observed: &[f64]) -> Vec<usize> {
    let mut present = vec![false; features.n_features()];
    let mut negative = vec![false; features.n_features()];
    for block in features.blocks() {
        for (feature, value) in (0..block.n_rows()).flat_map(|row| block.row(row)) {
            present[feature] |= value > 0.0;
            negative[feature] |= value < 0.0;
        }
    }
    (0..features.n_features()).filter(|&k| present[k] && !negative[k] && observed[k] == 0.0).collect()
}
