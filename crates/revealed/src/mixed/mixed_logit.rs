//! The mixed recursive logit: which coefficients are random, and the search for their distribution.

use super::draws::Sharing;
use super::mixed_fit::{Found, MixedFit};
use super::mixed_likelihood::MixedLikelihood;
use super::random_coefficient::{Distribution, RandomCoefficient};
use crate::Error;
use crate::learning::climb::{Climb, Held, Summit, within_range};
use crate::learning::units::Units;
use crate::learning::{Fit, MaxEnt, Method, Stopped};
use crate::model::{Ends, Options};
use crate::numeric::Work;
use crate::uncertainty::{Cluster, ErrorKind, Information};
use crate::watch::Watch;
use crate::world::{Demonstrations, Features, Mdp};

/// The most draws of a traveller.
pub(super) const MOST_DRAWS: usize = 1_000_000;
/// The spreads that the search tries first, as shares of the coefficients. At 0 the gradient by a spread is 0 but for
/// the errors of the simulation, whatever the data say, so that the search cannot start there.
const FIRST_SPREADS: [f64; 3] = [0.05, 0.2, 0.6];
/// A coefficient that is smaller than this, in the units of its feature, counts as this large there.
const LEAST_COEFFICIENT: f64 = 0.1;

/// The largest spread of a normal coefficient, in the units of its feature and in those of the coefficient, and that of
/// the logarithm of a lognormal one. If no traveller ever chooses differently, the likelihood increases with the spread
/// for ever, until weights are too small for an f64.
const MOST_SPREAD: [f64; 2] = [30.0, 10.0];
const MOST_LOG_SPREAD: f64 = 3.0;

/// A recursive logit in which some coefficients differ from traveller to traveller (mixed logit: McFadden and Train
/// 2000), by simulated maximum likelihood.
///
/// ```
/// use revealed::{MixedLogit, RandomCoefficient, worlds};
///
/// let roads = worlds::road_like(100, 200, 1)?;
/// let mixed = MixedLogit { random: vec![RandomCoefficient::normal(0)], ..MixedLogit::default() };
/// assert_eq!(mixed.names(&roads.features)[14], format!("sd:{}", roads.features.name(0)));
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MixedLogit {
    /// The coefficients that are random, at most 10.
    pub random: Vec<RandomCoefficient>,
    /// R: the number of draws of each traveller. More draws give a more exact likelihood, and take longer.
    pub draws: usize,
    /// Whether travellers have draws of their own.
    pub sharing: Sharing,
    /// Another seed gives other draws. If the estimates change by more than a small part of their standard errors,
    /// there are too few draws.
    pub seed: u64,
    /// Which demonstrations are of one traveller, who has the same coefficients in all of them.
    pub panel: Cluster,
    /// Which standard errors z-values and p-values use.
    pub errors: ErrorKind,
}

impl Default for MixedLogit {
    fn default() -> Self {
        MixedLogit {
            random: Vec::new(),
            draws: 200,
            sharing: Sharing::Own,
            seed: 0,
            panel: Cluster::Each,
            errors: ErrorKind::Model,
        }
    }
}

impl MixedLogit {
    /// The names of the parameters: those of the features (`log:NAME` for the location of a lognormal coefficient), and
    /// `sd:NAME` for the spreads.
    pub fn names(&self, features: &Features) -> Vec<String> {
        let is_log =
            |k: usize| self.random.iter().any(|random| random.feature == k && random.distribution != Distribution::Normal);
        let name = |k: usize| if is_log(k) { format!("log:{}", features.name(k)) } else { features.name(k) };
        let spreads = self.random.iter().map(|random| format!("sd:{}", features.name(random.feature)));
        (0..features.n_features()).map(name).chain(spreads).collect()
    }

    /// Learns θ, or its locations, and the spreads. The search starts around the plain recursive logit, which is also
    /// what the result is compared with. `watch` hears of the searches and the standard errors.
    ///
    /// # Errors
    /// As [`MixedLikelihood::new`] and [`MaxEnt::fit`]; [`Error::NoRobustCovariance`]; [`Error::Stopped`].
    pub fn fit(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &Demonstrations,
        work: &Work,
        watch: &Watch<'_>,
    ) -> Result<MixedFit, Error> {
        let likelihood = MixedLikelihood::new(mdp, features, demos, self, work)?;
        if self.errors == ErrorKind::Robust && likelihood.n_travellers() < 2 {
            return Err(Error::NoRobustCovariance);
        }
        let options = Options { ends: Ends::Goal, work: *work, ..Options::default() };
        let plain = MaxEnt { method: Method::RecursiveLogit, options, ..MaxEnt::default() };
        let base = plain.fit_watched(mdp, features, demos, watch)?;
        if base.stop == Stopped::Interrupted {
            return Err(Error::Stopped);
        }
        let of_features = Units::new(mdp, features, demos);
        let sizes = |k: usize| base.theta[k].abs().max(LEAST_COEFFICIENT / of_features.of(k));
        let start = self.start(&likelihood, &base.theta, sizes)?;
        let units = self.units(&of_features, features.n_features(), sizes);
        let bounds = self.bounds(&of_features, features.n_features(), sizes);
        let MaxEnt { memory, tolerance, max_iterations, .. } = plain;
        let climb = Climb { units: &units, bounds: &bounds, memory, tolerance, max_iterations, by_direction: false, watch };
        let summit = climb.run(start, |parameters, gradient| {
            let at = likelihood.evaluate(parameters)?;
            gradient.iter_mut().zip(&at.gradient).for_each(|(gradient, slope)| *gradient = -slope);
            Ok(-at.log_likelihood)
        })?;
        if summit.optimum.stop == Stopped::Interrupted {
            return Err(Error::Stopped);
        }
        let found = Self::at_end(&likelihood, (base, summit), (&units, &bounds), watch)?;
        Ok(MixedFit::new(self, features, demos.total_weight(), &found))
    }

    /// What is known where the search ended.
    fn at_end(
        likelihood: &MixedLikelihood<'_>,
        (base, summit): (Fit, Summit),
        (units, bounds): (&Units, &[(f64, f64)]),
        watch: &Watch<'_>,
    ) -> Result<Found, Error> {
        let at = likelihood.evaluate(&summit.theta)?;
        let held = Held::new(&summit.theta, bounds, |k| at.gradient[k]);
        let gradient_at = |parameters: &[f64]| Ok(likelihood.evaluate(parameters)?.gradient);
        let sizes: Vec<f64> = (0..summit.theta.len()).map(|k| units.of(k)).collect();
        Ok(Found {
            information: Information::by_differences(&sizes, &sizes, gradient_at, &summit.theta, watch)?,
            scores: likelihood.scores(&summit.theta)?,
            diverged: likelihood.value(&summit.theta)?.1,
            n_draws: likelihood.n_draws(),
            log_likelihood: at.log_likelihood,
            base,
            summit,
            held,
        })
    }

    /// The most likely of some starts around the plain recursive logit. `size` is that of each coefficient.
    fn start(&self, likelihood: &MixedLikelihood<'_>, theta: &[f64], size: impl Fn(usize) -> f64) -> Result<Vec<f64>, Error> {
        let around = |share: f64| {
            let mut start = theta.to_vec();
            for &RandomCoefficient { feature, distribution } in &self.random {
                let (size, is_normal) = (size(feature), distribution == Distribution::Normal);
                start[feature] = if is_normal { theta[feature] } else { size.ln() };
                start.push(if is_normal { share * size } else { share });
            }
            start
        };
        let mut best: Option<(f64, Vec<f64>)> = None;
        for start in FIRST_SPREADS.map(around) {
            let Some((value, _)) = within_range(likelihood.value(&start))? else { continue };
            if best.as_ref().is_none_or(|best| value > best.0) {
                best = Some((value, start));
            }
        }
        // None of them: say why of the one that is closest to the plain recursive logit.
        best.map_or_else(|| likelihood.value(&around(FIRST_SPREADS[0])).map(|_| around(FIRST_SPREADS[0])), |best| Ok(best.1))
    }

    /// The unit of each parameter. A lognormal coefficient changes by its own size with its location.
    fn units(&self, of_features: &Units, n: usize, size: impl Fn(usize) -> f64) -> Units {
        let mut units: Vec<f64> = (0..n).map(|k| of_features.of(k)).collect();
        for &RandomCoefficient { feature, distribution } in &self.random {
            if distribution != Distribution::Normal {
                units[feature] *= size(feature);
            }
            units.push(units[feature]);
        }
        Units::each(units)
    }

    /// A spread is not negative: its sign would not change the distribution.
    fn bounds(&self, of_features: &Units, n: usize, size: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
        let free = std::iter::repeat_n((f64::NEG_INFINITY, f64::INFINITY), n);
        let most = |&RandomCoefficient { feature, distribution }: &RandomCoefficient| match distribution {
            Distribution::Normal => f64::max(MOST_SPREAD[0] / of_features.of(feature), MOST_SPREAD[1] * size(feature)),
            _ => MOST_LOG_SPREAD,
        };
        free.chain(self.random.iter().map(|random| (0.0, most(random)))).collect()
    }
}
