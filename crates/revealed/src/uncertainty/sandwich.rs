//! From the information matrix to the covariance of θ̂, also by the sandwich estimator.

use super::covariance::{add_products, covariance, roots};
use super::unidentified::Spectrum;
use crate::Error;
use crate::error::PartFault;
use crate::learning::evidence::PartialEvidence;
use crate::learning::part::LocalParts;
use crate::learning::whole::Whole;
use crate::learning::{Evidence, Fit, MaxEnt, Method, Parts, Stopped};
use crate::numeric::symmetric::Eigen;
use crate::numeric::vector::minus;
use crate::uncertainty::{Cluster, ErrorKind, FitStatistics, Information, Standing, Uncertainty};
use crate::watch::Watch;
use crate::world::features::check_theta;
use crate::world::{Demonstrations, Features, Mdp, PartialDemonstrations, PlaceSums};

impl MaxEnt {
    /// The uncertainty of a θ̂ that was learned with these settings from these demonstrations.
    ///
    /// ```
    /// use revealed::{Demonstrations, Ends, FeaturesBuilder, MaxEnt, MdpBuilder, Options, Trajectory};
    ///
    /// // A fork: 30 go left, 10 go right. θ̂ = log 3, and its variance is 1/30 + 1/10.
    /// let mut builder = MdpBuilder::new(3, 2);
    /// builder.start(0, 1.0).terminal(1).terminal(2).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
    /// let mdp = builder.build()?;
    /// let features = FeaturesBuilder::new(1).state(1, 0, 1.0).build(&mdp)?;
    /// let path = |action, to, weight| Trajectory { weight, ..Trajectory::new(vec![0, to], vec![action]) };
    /// let demos = Demonstrations::new(&mdp, &[path(0, 1, 30.0), path(1, 2, 10.0)])?;
    ///
    /// let settings = MaxEnt { options: Options { ends: Ends::Terminal, ..Options::default() }, ..MaxEnt::default() };
    /// let fit = settings.fit(&mdp, &features, &demos)?;
    /// let uncertainty = settings.uncertainty(&mdp, &features, &demos, &fit.theta)?;
    /// let variance = uncertainty.standard_errors[0].unwrap().powi(2);
    /// assert!((variance - (1.0 / 30.0 + 1.0 / 10.0)).abs() < 1e-7);
    /// # Ok::<(), revealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// For Ziebart's methods and [`Method::CausalDual`], for more than 2,000 parameters, and if
    /// the input is invalid.
    pub fn uncertainty(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &Demonstrations,
        theta: &[f64],
    ) -> Result<Uncertainty, Error> {
        self.uncertainty_watched(mdp, features, demos, theta, &Watch::none())
    }

    /// Learns θ ([`fit`](Self::fit)), and its uncertainty. The likelihood is prepared once for both: for the recursive
    /// logit, that is the elimination order.
    ///
    /// # Errors
    /// As [`fit`](Self::fit) and [`uncertainty`](Self::uncertainty).
    pub fn estimate(&self, mdp: &Mdp, features: &Features, demos: &Demonstrations) -> Result<(Fit, Uncertainty), Error> {
        self.check(features)?;
        self.check_uncertainty(features)?;
        self.bounds.each(features.n_features())?;
        let (watch, evidence) = (Watch::none(), [Evidence { mdp, features, demos }]);
        let mut parts = LocalParts::new(self, &evidence, &watch)?;
        let fit = self.fit_parts(&mut parts, &watch)?;
        if fit.stop == Stopped::Interrupted {
            return Err(Error::Stopped);
        }
        let uncertainty = self.uncertainty_parts(&mut parts, &fit.theta, &Cluster::Each, &watch)?;
        Ok((fit, uncertainty))
    }

    /// As [`uncertainty`](Self::uncertainty), and reports each parameter to `watch`.
    ///
    /// # Errors
    /// As [`uncertainty`](Self::uncertainty), and [`Error::Stopped`].
    pub fn uncertainty_watched(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &Demonstrations,
        theta: &[f64],
        watch: &Watch<'_>,
    ) -> Result<Uncertainty, Error> {
        self.uncertainty_clustered(mdp, features, demos, theta, &Cluster::Each, watch)
    }

    /// As [`uncertainty_watched`](Self::uncertainty_watched), with robust errors that let demonstrations of one cluster
    /// depend on each other (Liang and Zeger 1986).
    ///
    /// # Errors
    /// As [`uncertainty_watched`](Self::uncertainty_watched), and as [`Cluster::check`].
    pub fn uncertainty_clustered(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &Demonstrations,
        theta: &[f64],
        cluster: &Cluster,
        watch: &Watch<'_>,
    ) -> Result<Uncertainty, Error> {
        self.uncertainty_worlds(&[Evidence { mdp, features, demos }], theta, cluster, watch)
    }

    /// The uncertainty of a θ̂ that was learned from several worlds ([`fit_worlds`](Self::fit_worlds)).
    ///
    /// # Errors
    /// As [`uncertainty_clustered`](Self::uncertainty_clustered), with the number of the world.
    pub fn uncertainty_worlds(
        &self,
        worlds: &[Evidence<'_>],
        theta: &[f64],
        cluster: &Cluster,
        watch: &Watch<'_>,
    ) -> Result<Uncertainty, Error> {
        let Some(first) = worlds.first() else { return Err(Error::NoDemonstrations) };
        self.check_uncertainty(first.features)?;
        first.features.check_theta(theta)?;
        cluster.check_worlds(&worlds.iter().map(|world| world.demos).collect::<Vec<_>>())?;
        self.uncertainty_parts(&mut LocalParts::new(self, worlds, watch)?, theta, cluster, watch)
    }

    /// The uncertainty of a θ̂ that was learned from demonstrations that were seen in part
    /// ([`fit_partial`](Self::fit_partial)). The information is the observed one, Cov\[φ\] - Cov\[φ | what was seen\], by
    /// differences of the exact gradient. The score of a demonstration is E\[φ | what was seen of it\] - E\[φ\].
    ///
    /// # Errors
    /// As [`uncertainty_clustered`](Self::uncertainty_clustered).
    pub fn uncertainty_partial(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &PartialDemonstrations,
        theta: &[f64],
        cluster: &Cluster,
        watch: &Watch<'_>,
    ) -> Result<Uncertainty, Error> {
        if let Some(whole) = demos.whole(mdp) {
            return self.uncertainty_clustered(mdp, features, &whole, theta, cluster, watch);
        }
        self.check_uncertainty(features)?;
        features.check_theta(theta)?;
        cluster.grouped(&cluster.labels_in_part(demos)?)?;
        let mut parts = LocalParts::partial(self, PartialEvidence { mdp, features, demos }, watch)?;
        self.uncertainty_parts(&mut parts, theta, cluster, watch)
    }

    /// The uncertainty of a θ̂ that was learned from evidence in parts ([`fit_parts`](Self::fit_parts)). The information
    /// and the scores add up over the parts.
    ///
    /// # Errors
    /// As [`uncertainty_worlds`](Self::uncertainty_worlds), and every error of [`Parts::ask`].
    pub fn uncertainty_parts(
        &self,
        parts: &mut dyn Parts,
        theta: &[f64],
        cluster: &Cluster,
        watch: &Watch<'_>,
    ) -> Result<Uncertainty, Error> {
        let mut model = Whole::new(self, parts)?;
        self.check_method()?;
        Information::check(model.census.n_features)?;
        check_theta(theta, model.census.n_features)?;
        let bounds = self.bounds.each(theta.len())?;
        let (observed, n) = (model.census.observed.clone(), model.census.weight);
        let sizes: Vec<f64> = model.census.places.iter().map(PlaceSums::root_mean_square).collect();
        let here = model.evaluate(theta)?.log_likelihood;
        let gradient_at = |theta: &[f64]| Ok(model.evaluate(theta)?.gradient);
        let information = Information::by_differences(&sizes, &observed, gradient_at, theta, watch)?;
        let null = null_log_likelihood(&mut model, theta.len())?;
        let at_bound = |k: usize| theta[k] <= bounds[k].0 || theta[k] >= bounds[k].1;
        let mut standing: Vec<Standing> =
            (0..theta.len()).map(|k| if at_bound(k) { Standing::AtBound } else { Standing::Estimated }).collect();
        self.mark_no_optimum(&mut standing, &information, &mut model, theta);

        let free: Vec<usize> = (0..theta.len()).filter(|&k| standing[k] == Standing::Estimated).collect();
        let spectrum = Spectrum::new(&information, &free);
        for (&k, _) in free.iter().zip(spectrum.hidden()).filter(|(_, hidden)| *hidden) {
            standing[k] = Standing::Unidentified;
        }
        let not_pinned: Vec<usize> = (0..theta.len()).filter(|&k| bounds[k].0 < bounds[k].1).collect();
        let degrees = match not_pinned.len() == free.len() {
            true => spectrum.seen.len(),
            false => Spectrum::new(&information, &not_pinned).seen.len(),
        };

        let estimated: Vec<usize> = (0..theta.len()).filter(|&k| standing[k] == Standing::Estimated).collect();
        let inverse = self.inverse(&information, &spectrum);
        let model_says = (self.l2 > 0.0).then(|| information.matrix());
        let covariance = covariance(&inverse, &free, model_says, n, theta.len());
        let roots = |covariance: &[f64]| roots(covariance, &estimated, theta.len());
        let scores = model.scores(theta, cluster)?;
        let clusters = cluster.grouped(&scores.labels)?;
        // The covariance of a single demonstration is not defined.
        let several = scores.weights.iter().filter(|&&weight| weight > 0.0).count() > 1;
        let middle = several.then(|| middle(&scores.weights, theta.len(), &scores.rows, clusters.as_deref()));
        let robust_covariance =
            middle.map(|middle| super::covariance::covariance(&inverse, &free, Some(&middle), n, theta.len()));
        Ok(Uncertainty {
            theta: theta.to_vec(),
            standard_errors: roots(&covariance),
            robust_errors: robust_covariance.as_deref().map(roots),
            cluster: cluster.clone(),
            n_clusters: clusters.map(|clusters| clusters.len()),
            reported: ErrorKind::Model,
            unidentified: spectrum.unidentified(&mut model)?,
            weak: spectrum.weak(&model.census.names),
            condition: spectrum.condition(),
            l2: self.l2,
            statistics: FitStatistics::new(n, here, null, spectrum.seen.len(), degrees),
            standing,
            covariance,
            robust_covariance,
        })
    }

    /// Checks whether [`uncertainty`](Self::uncertainty) is possible, before anything is learned.
    ///
    /// # Errors
    /// [`Error::NoStandardErrors`] or [`Error::TooManyParameters`].
    pub fn check_uncertainty(&self, features: &Features) -> Result<(), Error> {
        self.check_method()?;
        Information::check(features.n_features())
    }

    fn check_method(&self) -> Result<(), Error> {
        match self.method {
            Method::Exact | Method::RecursiveLogit | Method::Causal => Ok(()),
            method => Err(Error::NoStandardErrors { method: method.name() }),
        }
    }

    /// H⁻¹ of the free parameters; a pseudo-inverse along directions that are not identified.
    pub(crate) fn inverse(&self, information: &Information, spectrum: &Spectrum<'_>) -> Vec<f64> {
        if self.l2 == 0.0 {
            return spectrum.inverse();
        }
        let m = spectrum.which.len();
        let unit: Vec<f64> = spectrum.which.iter().map(|&k| (information.at(k, k) + self.l2).sqrt()).collect();
        let entry = |i: usize, j: usize| {
            let penalty = if i == j { self.l2 } else { 0.0 };
            (information.at(spectrum.which[i], spectrum.which[j]) + penalty) / (unit[i] * unit[j])
        };
        let eigen = Eigen::of(&(0..m * m).map(|place| entry(place / m, place % m)).collect::<Vec<f64>>(), m);
        let mut inverse = eigen.inverse(&eigen.above(f64::EPSILON));
        for i in 0..m {
            (0..m).for_each(|j| inverse[i * m + j] /= unit[i] * unit[j]);
        }
        inverse
    }
}

/// J: Σ share · score scoreᵀ over the demonstrations, or with clusters Σ S Sᵀ / N over the weighted sums S of their
/// scores, times G / (G - 1). `scores` has the score of each demonstration, and is centred here. At an optimum their
/// mean is 0 but for a penalty.
pub(crate) fn middle(weights: &[f64], n: usize, scores: &[Vec<f64>], clusters: Option<&[Vec<usize>]>) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let mut mean = vec![0.0; n];
    for (index, score) in scores.iter().enumerate() {
        let share = weights[index] / total;
        mean.iter_mut().zip(score).for_each(|(mean, score)| *mean += share * score);
    }
    let mut sum = vec![0.0; n * n];
    let mut add = |factor: f64, score: &[f64]| add_products(&mut sum, factor, score);
    match clusters {
        None => scores.iter().enumerate().for_each(|(index, score)| add(weights[index] / total, &minus(score, &mean))),
        Some(clusters) => {
            let correction = clusters.len() as f64 / (clusters.len() - 1) as f64;
            for members in clusters {
                let mut score = vec![0.0; n];
                for &index in members {
                    let weight = weights[index];
                    let centred = scores[index].iter().zip(&mean).map(|(score, mean)| weight * (score - mean));
                    score.iter_mut().zip(centred).for_each(|(sum, part)| *sum += part);
                }
                add(correction / total, &score);
            }
        }
    }
    sum
}

/// The log-likelihood at θ = 0; `None` if the sums over paths of any length are not finite there.
fn null_log_likelihood(model: &mut Whole<'_>, n: usize) -> Result<Option<f64>, Error> {
    match model.evaluate(&vec![0.0; n]) {
        Err(error) if PartFault::of(&error) != PartFault::Other => Ok(None),
        null => Ok(Some(null?.log_likelihood)),
    }
}
