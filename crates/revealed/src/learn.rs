//! ExactMaxEntIRL (alg:maxent-irl-padded): from demonstrations to the reward that they reveal.

use std::ops::ControlFlow;

use crate::identify::{NullDirection, null_directions};
use crate::optimise::{self, Optimum, Search, Stopped};
use crate::units::Units;
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
        self.check(features)?;
        let bounds = self.bounds.each(features.n_features())?;
        let mut likelihood = Likelihood::new(mdp, features, demos, &self.options)?;
        let units = Units::new(mdp, features, demos);

        let start = self.start.clone().unwrap_or(vec![0.0; features.n_features()]);
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
            let trial = self.negative_objective(&mut likelihood, &units, x, gradient);
            // Once begun, a trial that leaves the range of f64 was a step too long, and no reason to lose θ.
            match std::mem::replace(&mut started, true) {
                true => too_far(trial),
                false => trial,
            }
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

        let mut fit = self.conclude(&mut likelihood, features, &units, &bounds, &optimum)?;
        if fit.converged
            && let Some(reason) = self.why_no_optimum(&mut likelihood, features, &units, &search, &optimum, &last_step)?
        {
            fit.converged = false;
            fit.stopped_because = format!("did not converge, because {reason}; set bounds or l2");
        }
        Ok(fit)
    }

    /// What the search lowers: the penalty less the mean log-likelihood, in units.
    fn negative_objective(
        &self,
        likelihood: &mut Likelihood<'_>,
        units: &Units,
        x: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, Error> {
        let theta = units.to_theta(x);
        let evaluation = likelihood.evaluate(&theta)?;
        for (k, gradient) in gradient.iter_mut().enumerate() {
            *gradient = (self.l2 * theta[k] - evaluation.gradient[k]) / units.of(k);
        }
        Ok(0.5 * self.l2 * theta.iter().map(|theta| theta * theta).sum::<f64>() - evaluation.log_likelihood)
    }

    fn conclude(
        &self,
        likelihood: &mut Likelihood<'_>,
        features: &Features,
        units: &Units,
        bounds: &[(f64, f64)],
        optimum: &Optimum,
    ) -> Result<Fit, Error> {
        let n = features.n_features();
        let theta = units.to_theta_within(&optimum.x, bounds);
        let evaluation = likelihood.evaluate(&theta)?;
        let pull = |k: usize| evaluation.gradient[k] - self.l2 * theta[k];
        let (at_lower, at_upper) = (|k: usize| theta[k] == bounds[k].0, |k: usize| theta[k] == bounds[k].1);
        let held = |k: usize| (at_lower(k) && pull(k) <= 0.0) || (at_upper(k) && pull(k) >= 0.0);
        // Where rounding ends the search a little above the tolerance, θ is as good as f64 can tell.
        let as_good_as_it_gets = optimum.stop == Stopped::NoProgress && optimum.gradient_norm <= 1e3 * self.tolerance;
        Ok(Fit {
            log_likelihood: evaluation.log_likelihood,
            log_partition: evaluation.log_partition,
            iterations: optimum.iterations,
            evaluations: optimum.evaluations + 1,
            converged: optimum.stop.converged() || as_good_as_it_gets,
            stopped_because: optimum.stop.to_string(),
            stop: optimum.stop,
            gradient_norm: (0..n).filter(|&k| !held(k)).map(|k| pull(k).abs()).fold(0.0, f64::max),
            horizon: likelihood.horizon(),
            ends: likelihood.ends(),
            at_bounds: (0..n).filter(|&k| (at_lower(k) || at_upper(k)) && bounds[k].0 < bounds[k].1).collect(),
            never_seen: never_seen(features, likelihood.observed()),
            null_directions: null_directions(features),
            theta,
        })
    }

    /// The direction in which the likelihood grows for ever, if the search went off in one: there the gradient vanishes
    /// with the distance, and a small gradient is no optimum. Around an optimum a step as long as the whole way so far
    /// lowers the likelihood, whatever its direction; on the way to infinity one in the direction of the last step does not.
    fn runaway(
        &self,
        likelihood: &mut Likelihood<'_>,
        units: &Units,
        search: &Search<'_>,
        optimum: &Optimum,
        last_step: &LastStep,
    ) -> Result<Option<Vec<f64>>, Error> {
        let size = norm(&last_step.step);
        if self.l2 > 0.0 || size == 0.0 {
            return Ok(None);
        }
        let far = norm(&optimum.x).max(1.0) / size;
        let mut x: Vec<f64> = optimum.x.iter().zip(&last_step.step).map(|(x, step)| x + far * step).collect();
        for (x, (&lower, &upper)) in x.iter_mut().zip(search.lower.iter().zip(search.upper)) {
            *x = x.clamp(lower, upper);
        }
        let direction: Vec<f64> = x.iter().zip(&optimum.x).map(|(far, here)| far - here).collect();
        let value = too_far(self.negative_objective(likelihood, units, &x, &mut vec![0.0; optimum.x.len()]))?;
        Ok((value <= optimum.value && norm(&direction) > 0.5).then_some(direction))
    }

    /// Why a small gradient is no optimum, if it is none.
    fn why_no_optimum(
        &self,
        likelihood: &mut Likelihood<'_>,
        features: &Features,
        units: &Units,
        search: &Search<'_>,
        optimum: &Optimum,
        last_step: &LastStep,
    ) -> Result<Option<String>, Error> {
        let falls = |k: &usize| self.l2 == 0.0 && search.lower[*k] == f64::NEG_INFINITY && optimum.x[*k] < 0.0;
        let unseen: Vec<usize> = never_seen(features, likelihood.observed()).into_iter().filter(falls).collect();
        if let Some((&first, others)) = unseen.split_first() {
            let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            let words = format!("no demonstration ever has {}{more}: the weight would go to -infinity", features.name(first));
            return Ok(Some(words));
        }
        let Some(runaway) = self.runaway(likelihood, units, search, optimum, last_step)? else { return Ok(None) };
        let mut order: Vec<usize> = (0..runaway.len()).collect();
        order.sort_by(|&a, &b| runaway[b].abs().total_cmp(&runaway[a].abs()));
        let words: Vec<String> = (order.iter().take(3).filter(|&&k| runaway[k].abs() > 0.1 * runaway[order[0]].abs()))
            .map(|&k| format!("{} goes to {}infinity", features.name(k), if runaway[k] < 0.0 { "-" } else { "+" }))
            .collect();
        Ok(Some(format!("the demonstrations get ever more likely as {}", words.join(" and "))))
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
            return Err(Error::Count { what: "the memory of the optimiser", value: 0, least: 1, most: usize::MAX });
        }
        Ok(())
    }
}

/// Infinite where the value does not fit into an f64.
fn too_far(trial: Result<f64, Error>) -> Result<f64, Error> {
    match trial {
        Err(Error::RewardTooLarge { .. } | Error::NotFinite { .. } | Error::Overflow { .. }) => Ok(f64::INFINITY),
        trial => trial,
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
        self.step = x.iter().zip(&self.at).map(|(new, old)| new - old).collect();
        self.at.copy_from_slice(x);
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
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
