//! Sampled trajectories: the only input of model-free learning besides the demonstrations' mean features.

use crate::Error;
use crate::world::check_names;

/// Samples as plain columns, one row per sample, as read from a file and not yet checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SampleColumns {
    /// The length of θ.
    pub n_features: usize,
    /// The names of the features; may be empty.
    pub names: Vec<String>,
    /// φ(τ), already discounted and summed along the path: `n_features` numbers per sample, one sample after another.
    pub features: Vec<f64>,
    /// log π_s(τ) = Σ log π_s(a_t|s_t) of the sampling policy. If the sampler may stop by itself, add the logarithm of
    /// the probability that it continued and then stopped where it did; [`Samples`] explains the bias without it.
    pub log_policy: Vec<f64>,
    /// log w_π0(τ) = Σ log π0(a_t|s_t) of the reference policy; -∞ if its probability is 0.
    pub log_reference: Option<Vec<f64>>,
    /// The number of states of each sample.
    pub length: Option<Vec<usize>>,
    /// Samples with the same number are parts of one rollout, and count as one in standard errors. If absent, every
    /// sample is its own rollout.
    pub rollout: Option<Vec<i64>>,
}

impl SampleColumns {
    /// The number of samples.
    pub fn len(&self) -> usize {
        self.log_policy.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.log_policy.is_empty()
    }

    /// Rejects columns of different lengths, and numbers that are not finite.
    fn check(&self) -> Result<(), Error> {
        if self.n_features < 1 {
            return Err(Error::Count { what: "n_features", value: 0, least: 1, most: usize::MAX });
        }
        check_names(&self.names)?;
        let n = self.len();
        let lengths = [
            ("samples.features", Some(self.features.len()), n.saturating_mul(self.n_features)),
            ("samples.log_reference", self.log_reference.as_ref().map(Vec::len), n),
            ("samples.length", self.length.as_ref().map(Vec::len), n),
            ("samples.rollout", self.rollout.as_ref().map(Vec::len), n),
        ];
        for (what, found, expected) in lengths {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(Error::Length { what, found, expected });
            }
        }
        let (table, expected) = ("samples", "a finite number");
        if let Some(place) = self.features.iter().position(|value| !value.is_finite()) {
            let (row, value) = (place / self.n_features, self.features[place]);
            return Err(Error::BadNumber { table, row, what: "a feature", value, expected });
        }
        if let Some(row) = self.log_policy.iter().position(|value| !value.is_finite()) {
            return Err(Error::BadNumber { table, row, what: "log_policy", value: self.log_policy[row], expected });
        }
        let reference = self.log_reference.as_deref().unwrap_or_default();
        if let Some(row) = reference.iter().position(|value| !value.is_finite() && *value != f64::NEG_INFINITY) {
            let expected = "a finite number, or -inf where the reference policy never does so";
            return Err(Error::BadNumber { table, row, what: "log_reference", value: reference[row], expected });
        }
        Ok(())
    }
}

/// The weight of a sample under the baseline policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// w_π0(τ): Relative Entropy IRL (Boularias 2011, Eq. 8).
    Reference,
    /// 1: the paper's variant, which learns the MaxEnt model.
    One,
}

impl Baseline {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Baseline::Reference => "reference",
            Baseline::One => "one",
        }
    }
}

/// Checked samples with their weights: the importance-sampling estimator of log Z(θ) and E_θ\[φ\].
///
/// A sample τ_i of the true dynamics under a policy π_s has the weight
///
/// ```text
/// w_i(θ) = e^{θ·φ(τ_i)} w_π0(τ_i) / π_s(τ_i)        (Boularias 2011, Eq. 8; w_π0 = 1 in the paper's MaxEnt variant)
/// ```
///
/// in which p0 and T cancel, so that no MDP is needed. Ẑ = (1/n) Σ w_i over n rollouts, and
/// E_θ\[φ\] ≈ Σ w_i φ_i / Σ w_i.
///
/// # The set of paths
///
/// The samples determine the set of paths. It must be the one that the demonstrations are compared with.
///
/// - **[`Ends::Horizon`](crate::Ends)**: rollouts until a terminal state or until exactly L states, each one sample.
/// - **[`Ends::Anywhere`](crate::Ends)**, the paper's set: *every prefix* of such a rollout is a sample, with log π_s
///   of that prefix alone. Z = Σ_l Z_l, and the prefixes of length l estimate Z_l. Prefixes of one rollout have the
///   same number in [`SampleColumns::rollout`]. [`samples_from_rollouts`](crate::samples_from_rollouts) makes both
///   kinds.
/// - **[`Ends::Terminal`](crate::Ends)**: drop the rollouts that do not end in a terminal state. Expectations are
///   correct; log Ẑ lacks the logarithm of the fraction of rollouts that were kept.
/// - A sampler that stops at random samples [`Ends::Anywhere`](crate::Ends) directly, without prefixes, if log π_s
///   includes the probability of stopping: Σ log(1 - stop) over the states left, plus log stop of the last.
///
/// # The bias towards short paths
///
/// The paper says that the estimator "may be biased towards shorter demonstrations as they will have larger weights".
/// In fact their weights are smaller: 1/π_s(τ) *grows* with the length (|A|^(l-1) for a uniform policy), by exactly the
/// factor that makes the estimator consistent. Two statements are true:
///
/// - **At finite n it is biased towards short paths.** Long paths are rare and heavy. Until some are sampled, short
///   paths dominate Σ w_i φ_i / Σ w_i. The bias is O(1/n), with a constant that grows exponentially with the length.
///   The effective sample size shows it.
/// - **Without the probability of stopping it stays biased.** If a sampler stops with probability p per step, and log
///   π_s does not include it, the estimated model has an extra cost of -log(1-p) per step. Short paths are
///   over-represented for any n, and learning compensates for that: the weight of a feature that counts steps is too
///   high by -log(1-p). Nothing in the samples shows it.
///
/// `tests/revealed/model_free.rs` shows both against the exact engine.
///
/// ```
/// use revealed::{Baseline, SampleColumns, Samples};
///
/// // A fork, sampled by a policy that goes right three times out of four; the feature is "right".
/// let (left, right) = (0.25f64.ln(), 0.75f64.ln());
/// let columns = SampleColumns {
///     n_features: 1,
///     features: vec![0.0, 1.0, 1.0, 1.0],
///     log_policy: vec![left, right, right, right],
///     ..SampleColumns::default()
/// };
/// // Both branches are equally good, so half of all paths go right, whichever policy sampled.
/// let estimate = Samples::new(&columns, Baseline::One)?.evaluate(&[0.0])?;
/// assert!((estimate.expectation[0] - 0.5).abs() < 1e-15);
/// assert!((estimate.log_partition - 2f64.ln()).abs() < 1e-15);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    n_features: usize,
    n_samples: usize,
    n_rollouts: usize,
    /// Only the samples of positive weight, rollout by rollout.
    pub(crate) features: Vec<f64>,
    /// log w_π0(τ) - log π_s(τ).
    pub(crate) log_base: Vec<f64>,
    /// Where each rollout with a sample of positive weight begins, and the end of the last.
    pub(crate) offsets: Vec<usize>,
}

impl Samples {
    /// Checks the columns and computes the constant part of the weights.
    ///
    /// # Errors
    /// If columns differ in length or hold numbers that are not finite, if there are fewer than two rollouts, if the
    /// baseline needs `log_reference` and it is absent, or if the reference policy gives every sample weight 0.
    pub fn new(columns: &SampleColumns, baseline: Baseline) -> Result<Samples, Error> {
        columns.check()?;
        let reference = match (baseline, &columns.log_reference) {
            (Baseline::One, _) => None,
            (Baseline::Reference, Some(reference)) => Some(reference),
            (Baseline::Reference, None) => return Err(Error::NoLogReference),
        };
        let log_base = |row: usize| reference.map_or(0.0, |reference| reference[row]) - columns.log_policy[row];
        let rollout = |row: usize| columns.rollout.as_ref().map_or(row as i64, |rollout| rollout[row]);
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|&row| rollout(row));

        let k = columns.n_features;
        let mut samples = Samples {
            n_features: k,
            n_samples: columns.len(),
            n_rollouts: 0,
            features: Vec::with_capacity(columns.features.len()),
            log_base: Vec::with_capacity(columns.len()),
            offsets: vec![0],
        };
        for rows in order.chunk_by(|&one, &next| rollout(one) == rollout(next)) {
            samples.n_rollouts += 1;
            for &row in rows.iter().filter(|&&row| log_base(row) > f64::NEG_INFINITY) {
                samples.features.extend(&columns.features[row * k..(row + 1) * k]);
                samples.log_base.push(log_base(row));
            }
            if samples.log_base.len() > samples.offsets[samples.offsets.len() - 1] {
                samples.offsets.push(samples.log_base.len());
            }
        }
        if samples.n_rollouts < 2 {
            let what = "the number of rollouts among the samples";
            return Err(Error::Count { what, value: samples.n_rollouts, least: 2, most: usize::MAX });
        }
        if samples.log_base.is_empty() {
            return Err(Error::NoWeight);
        }
        // -∞ is a weight of 0 and was dropped. +∞ cannot come from two probabilities.
        match (0..columns.len()).find(|&row| log_base(row) == f64::INFINITY) {
            Some(row) => {
                let (what, value) = ("log_reference - log_policy", log_base(row));
                Err(Error::BadNumber { table: "samples", row, what, value, expected: "a finite number" })
            }
            None => Ok(samples),
        }
    }

    /// The length of θ.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// The number of samples given, including those of weight 0.
    pub fn n_samples(&self) -> usize {
        self.n_samples
    }

    /// The number of rollouts that they come from, which is the sample size of standard errors.
    pub fn n_rollouts(&self) -> usize {
        self.n_rollouts
    }

    /// φ of one sample of positive weight.
    pub(crate) fn row(&self, sample: usize) -> &[f64] {
        &self.features[sample * self.n_features..(sample + 1) * self.n_features]
    }
}
