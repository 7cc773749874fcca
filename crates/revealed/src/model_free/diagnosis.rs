//! The diagnosis of an estimate from samples: whether it is reliable, and if not, why.

use std::fmt;

use crate::model_free::{Estimate, Samples};
use crate::numeric::vector::{dot, minus};

/// The smallest acceptable effective sample size. At 50 the standard error of an expected feature is a seventh of the
/// standard deviation of the feature, and that standard error is itself uncertain by a tenth. Below 50 neither is
/// reliable.
const FEWEST: f64 = 50.0;
/// The smallest acceptable effective sample size per parameter. Ten observations per variable are customary in a
/// regression, and θ depends on the covariance of all features in the same way.
const FEWEST_PER_FEATURE: f64 = 10.0;
/// If one rollout has more of the weight than this, expectations move by a tenth of their range without it. (A share
/// above 1/√50 makes the effective sample size less than 50, which has its own warning.)
const LARGEST_SHARE: f64 = 0.1;
/// A mean this close to the largest or smallest value, as a fraction of the range, counts as lying at it.
const AT_THE_EDGE: f64 = 1e-9;

/// A reason not to trust a model learned from samples.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// A few rollouts have nearly all the weight.
    FewEffective {
        /// The effective sample size.
        effective: f64,
        /// The effective sample size that is needed.
        needed: f64,
        /// The number of rollouts.
        rollouts: usize,
    },
    /// A single rollout dominates.
    OneDecides {
        /// Its share of the weight.
        share: f64,
    },
    /// The demonstrations' mean features lie outside the convex hull of the samples.
    Outside,
    /// The demonstrations' mean of a feature lies outside the range of the samples, or at its edge.
    Uncovered {
        /// The feature.
        feature: usize,
        /// Its mean over the demonstrations.
        mean: f64,
        /// The smallest and the largest value among the samples.
        range: (f64, f64),
    },
}

impl Warning {
    /// Whether the estimate is unusable. A mean at the edge of the samples' range alone does not make it so: if
    /// demonstrations never have a feature, their mean is rightly at the edge.
    pub fn worthless(&self) -> bool {
        match self {
            Warning::Uncovered { mean, range: (least, most), .. } => {
                let slack = AT_THE_EDGE * (most - least).max(mean.abs());
                *mean < least - slack || *mean > most + slack
            }
            _ => true,
        }
    }

    /// The warning as a sentence. Features are called by these names, or by their numbers if names are absent.
    pub fn text(&self, names: &[String]) -> String {
        match self {
            Warning::FewEffective { effective, needed, rollouts } => format!(
                "the estimate is worthless: {rollouts} rollouts have an effective sample size of {effective:.1}, and at least \
                 {needed:.0} is needed; sample more, or from a policy nearer to the demonstrations"
            ),
            Warning::OneDecides { share } => format!(
                "the estimate is worthless: a single rollout has {:.0} % of the weight; sample more, or from a policy nearer to \
                 the demonstrations",
                100.0 * share
            ),
            Warning::Outside => "the estimate is worthless: the demonstrations' mean features lie outside the convex hull of \
                                 the samples; sample more, or from a policy nearer to the demonstrations"
                .to_string(),
            Warning::Uncovered { feature, mean, range: (least, most) } => {
                let name = names.get(*feature).cloned().unwrap_or(format!("feature {feature}"));
                let (edge, bound) = if mean - least < most - mean { ("less", least) } else { ("more", most) };
                let (mean, bound) = (short(*mean), short(*bound));
                format!(
                    "the demonstrations have {name} {mean} on average, and no sample has {edge} than {bound}: only bounds or \
                     l2 limit its weight"
                )
            }
        }
    }
}

/// Rounds to six decimals.
fn short(number: f64) -> f64 {
    if number.abs() < 1e9 { (number * 1e6).round() / 1e6 } else { number }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&[]))
    }
}

/// The problems of an estimate at the learned θ, the worst first.
pub(crate) fn diagnose(samples: &Samples, observed: &[f64], estimate: &Estimate) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let needed = FEWEST.max(FEWEST_PER_FEATURE * samples.n_features() as f64);
    let (effective, share) = (estimate.effective_sample_size, estimate.largest_share);
    if effective < needed {
        warnings.push(Warning::FewEffective { effective, needed, rollouts: samples.n_rollouts() });
    }
    if share > LARGEST_SHARE {
        warnings.push(Warning::OneDecides { share });
    }
    if outside(samples, observed, estimate) {
        warnings.push(Warning::Outside);
    }
    warnings.extend(uncovered(samples, observed));
    warnings
}

/// Whether a plane separates the samples from the demonstrations' mean. It tests the plane perpendicular to the
/// direction from the samples' expectation to that mean. At an optimum without bounds or penalty the two are equal, and
/// no plane separates a mean inside the convex hull.
fn outside(samples: &Samples, observed: &[f64], estimate: &Estimate) -> bool {
    let direction = minus(observed, &estimate.expectation);
    let here = dot(&direction, observed);
    let mut furthest = f64::NEG_INFINITY;
    let mut size = here.abs();
    for phi in samples.features.chunks_exact(samples.n_features()) {
        let along = dot(&direction, phi);
        furthest = furthest.max(along);
        size = size.max(along.abs());
    }
    here > furthest + AT_THE_EDGE * size
}

/// Features whose mean over the demonstrations lies outside the range of the samples, or at its edge.
fn uncovered(samples: &Samples, observed: &[f64]) -> Vec<Warning> {
    let mut range = vec![(f64::INFINITY, f64::NEG_INFINITY); samples.n_features()];
    for row in samples.features.chunks_exact(samples.n_features()) {
        for (range, &phi) in range.iter_mut().zip(row) {
            *range = (range.0.min(phi), range.1.max(phi));
        }
    }
    let outside = |(feature, (&mean, &range)): (usize, (&f64, &(f64, f64)))| {
        let (least, most) = range;
        let slack = AT_THE_EDGE * (most - least);
        // A constant feature is always at its edge; that is not a problem.
        let rounding = 1e-12 * mean.abs().max(most.abs());
        let outside = match most > least {
            true => mean <= least + slack || mean >= most - slack,
            false => (mean - most).abs() > rounding,
        };
        outside.then_some(Warning::Uncovered { feature, mean, range })
    };
    observed.iter().zip(&range).enumerate().filter_map(outside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_free::{Baseline, SampleColumns};

    /// `n` samples of one feature, 0 and 1 in turn.
    fn samples(n: usize) -> Samples {
        let features = (0..n).map(|row| (row % 2) as f64).collect();
        let columns = SampleColumns { n_features: 1, features, log_policy: vec![0.0; n], ..SampleColumns::default() };
        Samples::new(&columns, Baseline::One).unwrap()
    }

    fn estimate(effective_sample_size: f64, largest_share: f64) -> Estimate {
        let (expectation, standard_error) = (vec![0.5], vec![0.0]);
        let (log_partition, log_partition_error) = (0.0, 0.0);
        Estimate { log_partition, log_partition_error, expectation, standard_error, effective_sample_size, largest_share }
    }

    #[test]
    fn thresholds_have_two_sides() {
        let warnings = |effective, share| diagnose(&samples(100), &[0.5], &estimate(effective, share));
        assert_eq!(warnings(50.0, 0.1), []);
        assert_eq!(warnings(49.9, 0.1), [Warning::FewEffective { effective: 49.9, needed: 50.0, rollouts: 100 }]);
        assert_eq!(warnings(50.0, 0.101), [Warning::OneDecides { share: 0.101 }]);
        assert!(warnings(1.0, 1.0).iter().all(Warning::worthless));
    }

    #[test]
    fn many_features_need_more() {
        let columns = SampleColumns {
            n_features: 8,
            features: (0..80).map(|place| f64::from(place % 7)).collect(),
            log_policy: vec![0.0; 10],
            ..SampleColumns::default()
        };
        let samples = Samples::new(&columns, Baseline::One).unwrap();
        assert_eq!(diagnose(&samples, &[3.0; 8], &estimate(80.0, 0.1)), []);
        let [Warning::FewEffective { needed: 80.0, .. }] = diagnose(&samples, &[3.0; 8], &estimate(79.9, 0.1))[..] else {
            panic!("79.9 of 80")
        };
    }

    #[test]
    fn means_outside_the_samples_are_named() {
        let warnings = |mean| uncovered(&samples(100), &[mean]);
        assert_eq!(warnings(0.01), []);
        assert_eq!(warnings(0.99), []);
        for (mean, words, worthless) in [
            (-0.5, "-0.5 on average, and no sample has less than 0", true),
            (0.0, "less than 0", false),
            (1.0, "more than 1", false),
            (7.0, "more than 1", true),
        ] {
            let [warning] = &warnings(mean)[..] else { panic!("{mean}") };
            assert!(warning.to_string().contains(words) && warning.worthless() == worthless, "{warning}");
            assert!(warning.text(&["speed".to_string()]).contains("have speed"), "{warning}");
            assert_eq!(diagnose(&samples(100), &[mean], &estimate(99.0, 0.01)).contains(&Warning::Outside), worthless);
        }
    }
}
