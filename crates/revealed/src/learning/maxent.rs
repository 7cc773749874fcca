//! ExactMaxEntIRL (alg:maxent-irl-padded): from demonstrations to the reward that explains them.

use crate::Error;
use crate::engine::Horizon;
use crate::learning::approach::approach;
use crate::learning::census::same_features;
use crate::learning::climb::{Climb, Held, Summit, check_settings};
use crate::learning::identify::NullDirection;
use crate::learning::optimise::{self, Optimum, Stopped};
use crate::learning::part::LocalParts;
use crate::learning::parts::{Parts, Point};
use crate::learning::units::Units;
use crate::learning::whole::Whole;
use crate::learning::{Bounds, Evidence, Method};
use crate::model::{Chance, Ends, Options, PathModel, RouteLengths};
use crate::numeric::vector::dot;
use crate::watch::Watch;
use crate::world::features::check_theta;
use crate::world::{Demonstrations, Features, Mdp};

/// Maximum-entropy IRL by maximum likelihood. Change the settings that differ from the default, then call
/// [`fit`](MaxEnt::fit).
///
/// ```
/// use revealed::{Bounds, Demonstrations, MaxEnt, PathDistribution, Stop, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &vec![-0.2; 16])?;
/// let mut paths = PathDistribution::new(&lake.mdp, reward, 30, Stop::Anywhere)?;
/// let demos = Demonstrations::new(&lake.mdp, &paths.sample(200, 1)?)?;
///
/// let fit = MaxEnt { bounds: Bounds::Same(-10.0, 10.0), ..MaxEnt::default() }.fit(&lake.mdp, &lake.features, &demos)?;
/// assert!(fit.converged, "{}", fit.stopped_because);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MaxEnt {
    /// The method that computes expected features; by default [`Method::Exact`], the exact expectations of the MaxEnt
    /// model. Ziebart's are baselines. They are not the gradient of any function: the search follows them in steps of
    /// decreasing length and returns the θ with the smallest mismatch.
    pub method: Method,
    /// How the likelihood is computed.
    pub options: Options,
    /// Bounds on θ; none by default. If no demonstration has a feature, its weight goes to -∞: bounds (or `l2`) give
    /// such a problem an optimum.
    pub bounds: Bounds,
    /// Subtracts `l2 / 2 · ‖θ‖²` from the mean log-likelihood. A larger value pulls θ towards 0. The default is 0.
    pub l2: f64,
    /// The θ to start from; `None` for 0, or for the recursive logit a θ with finite sums.
    pub start: Option<Vec<f64>>,
    /// The search has converged when no component of the gradient exceeds this. Each component is measured in units of
    /// the scale of its feature over the demonstrations: its root mean square.
    pub tolerance: f64,
    /// The maximum number of iterations.
    pub max_iterations: usize,
    /// The number of past steps that the optimiser keeps. More of them need fewer evaluations, which are expensive
    /// here.
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

/// A learned reward, and how the search ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Θ.
    pub theta: Vec<f64>,
    /// The method that computed the expected features.
    pub method: Method,
    /// The mean log-likelihood of the demonstrations, without the penalty. Ziebart's methods also report the exact one
    /// of the MaxEnt model at this θ, so that methods can be compared. With the causal methods and
    /// [`Method::RecursiveLogit`], it is that of their own models.
    pub log_likelihood: f64,
    /// log Z(Θ); `None` for [`Ends::Goal`], the causal methods and [`Method::RecursiveLogit`].
    pub log_partition: Option<f64>,
    /// The number of iterations of the optimiser.
    pub iterations: usize,
    /// The number of evaluations of the likelihood.
    pub evaluations: usize,
    /// Whether θ is an optimum.
    pub converged: bool,
    /// A sentence that says why the search ended.
    pub stopped_because: String,
    /// The same as an enum.
    pub stop: Stopped,
    /// The largest component of the gradient by θ among parameters not held at a bound: the largest difference between
    /// the features that the method expects and those of the demonstrations.
    pub gradient_norm: f64,
    /// L.
    pub horizon: Horizon,
    /// The set of paths that the model is a distribution over.
    pub ends: Ends,
    /// Parameters that ended at a bound.
    pub at_bounds: Vec<usize>,
    /// Parameters whose features no demonstration has, so that the likelihood has no finite optimum.
    pub never_seen: Vec<usize>,
    /// Directions of θ that change no reward. If there are any, θ is not unique, and only rewards can be compared.
    pub null_directions: Vec<NullDirection>,
}

impl Fit {
    /// The learned model, which answers every question.
    ///
    /// # Errors
    /// As [`PathModel::new`].
    pub fn path_model<'a>(&self, mdp: &'a Mdp, features: &Features) -> Result<PathModel<'a>, Error> {
        let reward = features.reward(mdp, &self.theta)?;
        match self.method.chance() {
            Chance::Tilted => PathModel::new(mdp, reward, self.horizon, self.ends),
            Chance::Fixed => PathModel::causal(mdp, reward, self.horizon, self.ends),
        }
    }
}

impl MaxEnt {
    /// Learns θ.
    ///
    /// # Errors
    /// If the input is invalid; [`Error::Stopped`] if the work is cancelled ([`Cancel`](crate::Cancel)). A search that
    /// does not converge is not an error: see [`Fit::converged`].
    pub fn fit(&self, mdp: &Mdp, features: &Features, demos: &Demonstrations) -> Result<Fit, Error> {
        let fit = self.fit_watched(mdp, features, demos, &Watch::none())?;
        if fit.stop == Stopped::Interrupted { Err(Error::Stopped) } else { Ok(fit) }
    }

    /// Learns θ and reports every iteration to `watch`. A search that is stopped returns the best θ so far; if there is
    /// none yet, it returns [`Error::Stopped`].
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_watched(&self, mdp: &Mdp, features: &Features, demos: &Demonstrations, watch: &Watch<'_>) -> Result<Fit, Error> {
        self.fit_worlds(&[Evidence { mdp, features, demos }], watch)
    }

    /// Learns one θ from demonstrations in several worlds with the same features. The objective is the weighted mean
    /// over all demonstrations. With paths between the demonstrations' own ends, and with causal models, this is what
    /// one world with all of them side by side would give; other models have a Z of their own in each world.
    ///
    /// ```
    /// use revealed::{Demonstrations, Ends, Evidence, FeaturesBuilder, MaxEnt, MdpBuilder, Options, Trajectory, Watch};
    ///
    /// // A fork. In one town 3 of 4 go left, in another 1 of 2.
    /// let mut builder = MdpBuilder::new(3, 2);
    /// builder.start(0, 1.0).terminal(1).terminal(2).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
    /// let mdp = builder.build()?;
    /// let features = FeaturesBuilder::new(1).state(1, 0, 1.0).build(&mdp)?;
    /// let path = |action, to, weight| Trajectory { weight, ..Trajectory::new(vec![0, to], vec![action]) };
    /// let one = Demonstrations::new(&mdp, &[path(0, 1, 3.0), path(1, 2, 1.0)])?;
    /// let other = Demonstrations::new(&mdp, &[path(0, 1, 1.0), path(1, 2, 1.0)])?;
    ///
    /// let settings = MaxEnt { options: Options { ends: Ends::Terminal, ..Options::default() }, ..MaxEnt::default() };
    /// let worlds = [&one, &other].map(|demos| Evidence { mdp: &mdp, features: &features, demos });
    /// let fit = settings.fit_worlds(&worlds, &Watch::none())?;
    /// assert!((fit.theta[0] - 2f64.ln()).abs() < 1e-7);
    /// # Ok::<(), revealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`fit_watched`](Self::fit_watched), with the number of the world; [`Error::OtherFeatures`].
    pub fn fit_worlds(&self, worlds: &[Evidence<'_>], watch: &Watch<'_>) -> Result<Fit, Error> {
        let Some(first) = worlds.first() else { return Err(Error::NoDemonstrations) };
        self.check(first.features)?;
        self.bounds.each(first.features.n_features())?;
        check_features(worlds)?;
        self.fit_parts(&mut LocalParts::new(self, worlds, watch)?, watch)
    }

    /// Learns θ from evidence in parts, wherever they are.
    ///
    /// # Errors
    /// As [`fit_worlds`](Self::fit_worlds), and every error of [`Parts::ask`].
    pub fn fit_parts(&self, parts: &mut dyn Parts, watch: &Watch<'_>) -> Result<Fit, Error> {
        let mut model = Whole::new(self, parts)?;
        self.check_start(model.census.n_features)?;
        let bounds = self.bounds.each(model.census.n_features)?;
        let units = Units::of_sums(&model.census.mean_squares, &model.census.places);

        let start = self.start.clone().map_or_else(|| model.start(), Ok)?;
        let near = approach(self, &mut model, &units, start, watch)?;
        let by_direction = self.method.ziebart().is_some();
        let climb = self.climb(&units, &bounds, by_direction, watch);
        // What the search does not keep of the points that it has seen, by their values.
        let mut seen: Vec<(f64, [Option<f64>; 2])> = Vec::new();
        let summit = climb.run(near.theta, |theta, gradient| {
            let point = model.evaluate(theta)?;
            gradient.copy_from_slice(&point.gradient);
            let value = self.penalised(point.objective, theta, gradient);
            seen.push((value, [Some(point.log_likelihood), point.log_partition]));
            Ok(value)
        })?;

        // Another evaluation would take as long as those before.
        let stopped = summit.optimum.stop == Stopped::Interrupted;
        let last = if stopped { Err(Error::Stopped) } else { model.evaluate(&summit.theta) };
        let point = match last {
            Err(Error::Stopped) => self.point_of(&summit, &units, &seen),
            last => last?,
        };
        let mut fit = self.conclude(&mut model, point, &bounds, &summit)?;
        (fit.iterations, fit.evaluations) = (fit.iterations + near.steps, fit.evaluations + near.evaluations);
        if by_direction {
            fit.stopped_because = ziebart_stop_reason(self.method, &summit.optimum, fit.converged);
        } else if fit.converged {
            match self.why_no_optimum(&mut model, &units, &bounds, &summit) {
                Ok(None) => {}
                Ok(Some(reason)) => {
                    fit.converged = false;
                    fit.stopped_because = format!("did not converge, because {reason}; set bounds or l2");
                }
                // It seems to be an optimum, but nobody knows.
                Err(Error::Stopped) => {
                    (fit.converged, fit.stop) = (false, Stopped::Interrupted);
                    fit.stopped_because = Stopped::Interrupted.to_string();
                }
                Err(error) => return Err(error),
            }
        }
        Ok(fit)
    }

    /// The mean lengths of the paths of any length between the demonstrations' ends, in each part.
    ///
    /// # Errors
    /// As [`RouteChoice::lengths`](crate::RouteChoice::lengths), and every error of [`Parts::ask`].
    pub fn route_lengths(&self, parts: &mut dyn Parts, theta: &[f64]) -> Result<Vec<RouteLengths>, Error> {
        Whole::new(self, parts)?.lengths(theta)
    }

    /// The search of [`fit`](Self::fit) with a log-likelihood that the caller computes, so that two programs for the
    /// same likelihood can be compared over a whole search. `evaluate` returns the mean log-likelihood of θ, up to a
    /// constant, and writes its gradient. Returns the best θ and the number of evaluations.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and every error of `evaluate` but one about the range of `f64`, which only means that the
    /// step was too long.
    pub fn search(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &Demonstrations,
        mut evaluate: impl FnMut(&[f64], &mut [f64]) -> Result<f64, Error>,
    ) -> Result<(Vec<f64>, usize), Error> {
        self.check(features)?;
        let bounds = self.bounds.each(features.n_features())?;
        let units = Units::new(mdp, features, demos);
        let start = self.start.clone().unwrap_or_else(|| vec![0.0; features.n_features()]);
        let watch = Watch::none();
        let summit = self.climb(&units, &bounds, false, &watch).run(start, |theta, gradient| {
            let value = evaluate(theta, gradient)?;
            Ok(self.penalised(value, theta, gradient))
        })?;
        Ok((summit.theta, summit.optimum.evaluations))
    }

    fn climb<'a, 'w>(
        &self,
        units: &'a Units,
        bounds: &'a [(f64, f64)],
        by_direction: bool,
        watch: &'a Watch<'w>,
    ) -> Climb<'a, 'w> {
        let (memory, tolerance, max_iterations) = (self.memory, self.tolerance, self.max_iterations);
        Climb { units, bounds, memory, tolerance, max_iterations, by_direction, watch }
    }

    /// The minimised function: the penalty minus the mean log-likelihood.
    pub(crate) fn descent(&self, model: &mut Whole<'_>, theta: &[f64], gradient: &mut [f64]) -> Result<f64, Error> {
        let point = model.evaluate(theta)?;
        gradient.copy_from_slice(&point.gradient);
        Ok(self.penalised(point.objective, theta, gradient))
    }

    /// The penalty minus a mean log-likelihood, and its gradient in place of that of the log-likelihood.
    fn penalised(&self, value: f64, theta: &[f64], gradient: &mut [f64]) -> f64 {
        for (gradient, theta) in gradient.iter_mut().zip(theta) {
            *gradient = self.l2 * theta - *gradient;
        }
        0.5 * self.l2 * dot(theta, theta) - value
    }

    /// The objective at the end of the search, from what the search knows. `seen` has the value of each point, its
    /// log-likelihood and its log Z.
    fn point_of(&self, summit: &Summit, units: &Units, seen: &[(f64, [Option<f64>; 2])]) -> Point {
        let (optimum, theta) = (&summit.optimum, &summit.theta);
        let objective = 0.5 * self.l2 * dot(theta, theta) - optimum.value;
        let known = seen.iter().rev().find(|(value, _)| *value == optimum.value);
        let [log_likelihood, log_partition] = known.map_or([None; 2], |(_, known)| *known);
        let gradient = |(k, theta): (usize, &f64)| self.l2 * theta - optimum.gradient[k] * units.of(k);
        let gradient = theta.iter().enumerate().map(gradient).collect();
        Point { objective, log_likelihood: log_likelihood.unwrap_or(objective), log_partition, gradient }
    }

    fn conclude(&self, model: &mut Whole<'_>, point: Point, bounds: &[(f64, f64)], summit: &Summit) -> Result<Fit, Error> {
        let (optimum, theta) = (&summit.optimum, summit.theta.clone());
        let held = Held::new(&theta, bounds, |k| point.gradient[k] - self.l2 * theta[k]);
        let null_directions = match model.null_directions() {
            Err(Error::Stopped) => Vec::new(),
            directions => directions?,
        };
        Ok(Fit {
            method: self.method,
            log_likelihood: point.log_likelihood,
            log_partition: point.log_partition,
            iterations: optimum.iterations,
            evaluations: optimum.evaluations + usize::from(optimum.stop != Stopped::Interrupted),
            converged: summit.converged,
            stopped_because: optimum.stop.to_string(),
            stop: optimum.stop,
            gradient_norm: held.gradient_norm,
            horizon: model.horizon,
            ends: self.options.ends,
            at_bounds: held.at_bounds,
            never_seen: model.census.never_seen(),
            null_directions,
            theta,
        })
    }

    fn check_start(&self, n_features: usize) -> Result<(), Error> {
        match &self.start {
            Some(start) => check_theta(start, n_features),
            None => Ok(()),
        }
    }

    pub(crate) fn check(&self, features: &Features) -> Result<(), Error> {
        self.check_start(features.n_features())?;
        check_settings(self.l2, self.tolerance)?;
        if self.memory < 1 {
            return Err(Error::Count { what: "the memory of the optimiser", value: 0, least: 1, most: usize::MAX });
        }
        Ok(())
    }
}

/// Rejects worlds with different features before anything is prepared, which may take long.
fn check_features(worlds: &[Evidence<'_>]) -> Result<(), Error> {
    let first = worlds[0].features;
    worlds.iter().enumerate().try_for_each(|(world, other)| same_features(world, other.features, first))
}

/// Why a search with Ziebart's directions ended.
fn ziebart_stop_reason(method: Method, optimum: &Optimum, converged: bool) -> String {
    let (method, left) = (method.name(), optimum.gradient_norm);
    let features = format!("the features that {method} expects differ by {left:.1e} of their spread from the demonstrations'");
    match optimum.stop {
        Stopped::Gradient => format!("converged: {features}, within the tolerance"),
        Stopped::NoProgress if converged => format!("converged nearly: {features}, a little above the tolerance"),
        Stopped::NoProgress => format!("not converged: {features}, and no step brings them closer"),
        stop => format!("{stop}; {features}"),
    }
}
