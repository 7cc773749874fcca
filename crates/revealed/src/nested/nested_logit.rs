//! The nested and the discounted recursive logit: which parameters there are, and their search.

use super::nested_fit::{Found, NestedFit};
use super::nested_likelihood::NestedLikelihood;
use crate::Error;
use crate::learning::climb::{Climb, Held};
use crate::learning::units::Units;
use crate::learning::{MaxEnt, Method};
use crate::model::{Ends, Options};
use crate::numeric::Work;
use crate::uncertainty::sandwich::middle;
use crate::uncertainty::{Cluster, Information};
use crate::watch::Watch;
use crate::world::{Demonstrations, Features, Mdp};

/// γ stays in this range.
const DISCOUNTS: (f64, f64) = (1e-3, 1.0);
/// log μ changes at most by this much for a unit of a scale.
const SCALES: (f64, f64) = (-20.0, 20.0);

/// Recursive logits of which the plain one is a special case.
///
/// In the nested one (Mai, Fosgerau and Frejinger 2015) the errors at a state have the scale μ_s = exp(Σ_m ω_m f_m(s)).
/// Where μ is larger, choices are less certain, and routes that share such states are alike. In the discounted one
/// (Oyama and Hato 2017) a traveller discounts what lies ahead by γ, so that loops may even cost nothing.
///
/// ```
/// use revealed::{NestedLogit, worlds};
///
/// let roads = worlds::road_like(100, 200, 1)?;
/// let nested = NestedLogit { scale: vec![0], ..NestedLogit::default() };
/// assert_eq!(nested.names(&roads.features)[14], format!("scale:{}", roads.features.name(0)));
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NestedLogit {
    /// The features whose values in states are f_m. They must be features of states alone.
    pub scale: Vec<usize>,
    /// Whether γ is a parameter; otherwise it is 1.
    pub discounted: bool,
}

impl NestedLogit {
    /// The names of the parameters: those of the features, `scale:NAME`, and `discount`.
    pub fn names(&self, features: &Features) -> Vec<String> {
        let scales = self.scale.iter().map(|&k| format!("scale:{}", features.name(k)));
        let discount = self.discounted.then(|| "discount".to_string());
        (0..features.n_features()).map(|k| features.name(k)).chain(scales).chain(discount).collect()
    }

    /// f_m(s), one row for each m.
    pub(super) fn scales(&self, mdp: &Mdp, features: &Features) -> Result<Vec<Vec<f64>>, Error> {
        let count = features.n_features();
        let of = |(row, &feature): (usize, &usize)| {
            if feature >= count {
                return Err(Error::OutOfRange { table: "scales", row, what: "feature", index: feature, count });
            }
            let (of_state, of_choice) = features.of_one(mdp, feature);
            match of_choice.iter().all(|&value| value == 0.0) {
                true => Ok(of_state),
                false => Err(Error::ScaleOfSteps { feature }),
            }
        };
        self.scale.iter().enumerate().map(of).collect()
    }

    /// Learns θ, ω and γ. The search starts from the plain recursive logit, which is also what the result is compared
    /// with. `watch` hears of the searches and the standard errors.
    ///
    /// # Errors
    /// If there is nothing to learn besides θ ([`Error::NothingNested`]); as [`NestedLikelihood::new`] and
    /// [`MaxEnt::fit`]; [`Error::Stopped`].
    pub fn fit(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &Demonstrations,
        work: &Work,
        watch: &Watch<'_>,
    ) -> Result<NestedFit, Error> {
        self.fit_clustered(mdp, features, demos, &Cluster::Each, work, watch)
    }

    /// The same, with robust errors that let demonstrations of one cluster depend on each other.
    ///
    /// # Errors
    /// As [`fit`](Self::fit), and as [`Cluster::check`].
    pub fn fit_clustered(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &Demonstrations,
        cluster: &Cluster,
        work: &Work,
        watch: &Watch<'_>,
    ) -> Result<NestedFit, Error> {
        if self.scale.is_empty() && !self.discounted {
            return Err(Error::NothingNested);
        }
        let clusters = cluster.groups(demos)?;
        let options = Options { ends: Ends::Goal, work: *work, ..Options::default() };
        let plain = MaxEnt { method: Method::RecursiveLogit, options, ..MaxEnt::default() };
        let likelihood = NestedLikelihood::new(mdp, features, demos, self, work)?;
        let base = plain.fit_watched(mdp, features, demos, watch)?;
        let (start, bounds) = self.start(&base.theta);
        let units = Units::new(mdp, features, demos);
        // A scale in metres has as small a parameter as a cost of metres.
        let of_scales: Vec<f64> = self.scale.iter().map(|&feature| units.of(feature)).collect();
        let units = units.with(&of_scales).with(&vec![1.0; usize::from(self.discounted)]);
        let MaxEnt { memory, tolerance, max_iterations, .. } = plain;
        let climb = Climb { units: &units, bounds: &bounds, memory, tolerance, max_iterations, by_direction: false, watch };
        let summit = climb.run(start, |parameters, gradient| {
            let at = likelihood.evaluate(parameters)?;
            gradient.iter_mut().zip(&at.gradient).for_each(|(gradient, slope)| *gradient = -slope);
            Ok(-at.log_likelihood)
        })?;
        let at = likelihood.evaluate(&summit.theta)?;
        let held = Held::new(&summit.theta, &bounds, |k| at.gradient[k]);
        let gradient_at = |parameters: &[f64]| Ok(likelihood.evaluate(parameters)?.gradient);
        let sizes: Vec<f64> = (0..summit.theta.len()).map(|k| units.of(k)).collect();
        let information = Information::by_differences(&sizes, &sizes, gradient_at, &summit.theta, watch)?;
        // The covariance of a single demonstration is not defined.
        let several = (0..demos.len()).filter(|&index| demos.weight(index) > 0.0).count() > 1;
        let middle = match several {
            true => Some(middle(demos.weights(), sizes.len(), &likelihood.scores(demos, &summit.theta)?, clusters.as_deref())),
            false => None,
        };
        let found = Found {
            n: demos.total_weight(),
            base: &base,
            summit: &summit,
            at: &at,
            held: &held,
            information: &information,
            middle: middle.as_deref(),
            cluster,
            n_clusters: clusters.map(|clusters| clusters.len()),
        };
        Ok(NestedFit::new(self, features, &found))
    }

    /// Where the search starts, and the bounds of each parameter.
    fn start(&self, theta: &[f64]) -> (Vec<f64>, Vec<(f64, f64)>) {
        let scales = self.scale.iter().map(|_| (0.0, SCALES));
        let discount = self.discounted.then_some((1.0, DISCOUNTS));
        let free = theta.iter().map(|&theta| (theta, (f64::NEG_INFINITY, f64::INFINITY)));
        free.chain(scales).chain(discount).unzip()
    }
}
