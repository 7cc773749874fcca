//! Learning from demonstrations that were seen in part.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::Error;
use crate::error::PartFault;
use crate::learning::evidence::PartialEvidence;
use crate::learning::part::LocalParts;
use crate::learning::units::Units;
use crate::learning::whole::Whole;
use crate::learning::{Evidence, Fit, MaxEnt};
use crate::watch::Watch;
use crate::world::{Features, Mdp, PartialDemonstrations};

/// A further start is drawn again at most this many times if it has no finite sums.
const MOST_DRAWS: usize = 20;
/// Two optima whose mean log-likelihoods differ by less than this, relative to their size, are the same one.
const SAME: f64 = 1e-6;

/// From where a search begins, if its objective may have several optima.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Starts {
    /// How many searches there are; 1 by default. The first begins where a single one would. The others begin around it,
    /// at a distance of about one unit of each feature.
    pub number: usize,
    /// The seed of their draws.
    pub seed: u64,
}

impl Default for Starts {
    fn default() -> Self {
        Starts { number: 1, seed: 0 }
    }
}

/// What was learned from demonstrations that were seen in part.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialFit {
    /// The best of all searches.
    pub fit: Fit,
    /// The mean log-likelihood at the end of each search, in the order of the starts. Without a penalty, the best is the
    /// largest.
    pub log_likelihoods: Vec<f64>,
    /// How many of them ended at the best value.
    pub agree: usize,
}

impl MaxEnt {
    /// Learns θ from demonstrations that were seen in part. The log-likelihood is no longer concave, so the search may
    /// end in a local optimum: several starts find out.
    ///
    /// If everything was seen, this is [`fit`](Self::fit), bit by bit.
    ///
    /// ```
    /// use revealed::{
    ///     Ends, FeaturesBuilder, MaxEnt, MdpBuilder, Options, PartialDemonstrations, PartialTrajectory, Sight, Sighting, Starts,
    ///     Watch,
    /// };
    ///
    /// // A fork from 0 to 1 or 2. Of four, one was seen on the right, one on the left, and two by bad light.
    /// let mut builder = MdpBuilder::new(3, 2);
    /// builder.start(0, 1.0).terminal(1).terminal(2).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
    /// let mdp = builder.build()?;
    /// let features = FeaturesBuilder::new(1).state(1, 0, 1.0).build(&mdp)?;
    /// let seen = |state: Sight| {
    ///     PartialTrajectory::new(vec![Sighting::state(0), Sighting::Step { state, action: Sight::Unseen }])
    /// };
    /// let noisy = Sight::Weighted(vec![(1, 0.9), (2, 0.1)]);
    /// let demos = [seen(Sight::Exactly(1)), seen(Sight::Exactly(2)), seen(noisy.clone()), seen(noisy)];
    /// let demos = PartialDemonstrations::new(&mdp, &demos)?;
    ///
    /// let settings = MaxEnt { options: Options { ends: Ends::Terminal, ..Options::default() }, ..MaxEnt::default() };
    /// let found = settings.fit_partial(&mdp, &features, &demos, &Starts::default(), &Watch::none())?;
    /// assert!(found.fit.converged && found.fit.theta[0] > 0.5);
    /// # Ok::<(), revealed::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`fit_watched`](Self::fit_watched); [`Error::NeedsWhole`] for [`Method::CausalDual`](crate::Method::CausalDual) and
    /// Ziebart's methods; [`Error::GapNeedsHorizon`].
    pub fn fit_partial(
        &self,
        mdp: &Mdp,
        features: &Features,
        demos: &PartialDemonstrations,
        starts: &Starts,
        watch: &Watch<'_>,
    ) -> Result<PartialFit, Error> {
        self.check(features)?;
        if starts.number < 1 {
            return Err(Error::Count { what: "the number of starts", value: 0, least: 1, most: usize::MAX });
        }
        if let Some(whole) = demos.whole(mdp) {
            // One optimum, so that one start finds it.
            let fit = self.fit_worlds(&[Evidence { mdp, features, demos: &whole }], watch)?;
            return Ok(PartialFit { log_likelihoods: vec![fit.log_likelihood], agree: 1, fit });
        }
        let bounds = self.bounds.each(features.n_features())?;
        let mut parts = LocalParts::partial(self, PartialEvidence { mdp, features, demos }, watch)?;
        let (first, units) = {
            let mut model = Whole::new(self, &mut parts)?;
            let units = Units::of_sums(&model.census.mean_squares, &model.census.places);
            (self.start.clone().map_or_else(|| model.start(), Ok)?, units)
        };
        let mut rng = Pcg64Mcg::seed_from_u64(starts.seed);
        let mut fits: Vec<Fit> = Vec::new();
        for number in 0..starts.number {
            let start = match number {
                0 => Some(first.clone()),
                _ => self.further_start(&mut parts, &first, &units, &bounds, &mut rng)?,
            };
            let Some(start) = start else { continue };
            let fit = MaxEnt { start: Some(start), ..self.clone() }.fit_parts(&mut parts, watch)?;
            let stopped = fit.stop == crate::learning::Stopped::Interrupted;
            fits.push(fit);
            if stopped {
                break;
            }
        }
        let log_likelihoods: Vec<f64> = fits.iter().map(|fit| fit.log_likelihood).collect();
        let value = |fit: &Fit| fit.log_likelihood - 0.5 * self.l2 * fit.theta.iter().map(|theta| theta * theta).sum::<f64>();
        let best = fits.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        let agree = fits.iter().filter(|fit| best - value(fit) <= SAME * (1.0 + best.abs())).count();
        let fit = fits.into_iter().find(|fit| value(fit) == best).ok_or(Error::NoDemonstrations)?;
        Ok(PartialFit { fit, log_likelihoods, agree })
    }

    /// A start around the first one; `None` if none was found where the sums are finite.
    fn further_start(
        &self,
        parts: &mut LocalParts<'_>,
        first: &[f64],
        units: &Units,
        bounds: &[(f64, f64)],
        rng: &mut Pcg64Mcg,
    ) -> Result<Option<Vec<f64>>, Error> {
        for _ in 0..MOST_DRAWS {
            let normal = |rng: &mut Pcg64Mcg| {
                let (radius, angle): (f64, f64) = (rng.random_range(f64::MIN_POSITIVE..1.0), rng.random_range(0.0..1.0));
                (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
            };
            let draw = |(k, theta): (usize, &f64)| (theta + normal(rng) / units.of(k)).clamp(bounds[k].0, bounds[k].1);
            let start: Vec<f64> = first.iter().enumerate().map(draw).collect();
            match Whole::new(self, parts)?.evaluate(&start) {
                Err(error) if PartFault::of(&error) != PartFault::Other => {}
                found => return found.map(|_| Some(start)),
            }
        }
        Ok(None)
    }
}
