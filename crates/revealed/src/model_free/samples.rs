//! Sampled trajectories: all that model-free learning knows of the world.

use crate::Error;

/// Samples as plain columns, one row a sample, as they stand in a file and not yet checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SampleColumns {
    /// The length of θ.
    pub n_features: usize,
    /// Names of the features; empty where none were given.
    pub names: Vec<String>,
    /// φ(τ), already discounted and summed along the path: `n_features` numbers for each sample, one sample after another.
    pub features: Vec<f64>,
    /// log π_s(τ) = Σ log π_s(a_t|s_t) of the policy that sampled. Where the sampler may stop by itself, the logarithm of the
    /// probability that it went on, and stopped where it did, belongs to it: see [`Samples`] for what happens without.
    pub log_policy: Vec<f64>,
    /// log w_π0(τ) = Σ log π0(a_t|s_t) of the reference policy; -∞ where it would never do so.
    pub log_reference: Option<Vec<f64>>,
    /// Number of states of each sample.
    pub length: Option<Vec<usize>>,
    /// Samples with the same number are parts of one rollout, and count as one in standard errors. Without it, every sample is
    /// a rollout of its own.
    pub rollout: Option<Vec<i64>>,
}

impl SampleColumns {
    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.log_policy.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.log_policy.is_empty()
    }

    /// Columns of different lengths, and numbers that are none.
    fn check(&self) -> Result<(), Error> {
        if self.n_features < 1 {
            return Err(Error::Count { what: "n_features", value: 0, least: 1, most: usize::MAX });
        }
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

/// What stands for the baseline policy's probability of a sample in its weight.
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

/// Samples that were checked and given their weights: the importance-sampling estimator of log Z(θ) and E_θ\[φ\].
///
/// A sample τ_i of the true dynamics under a policy π_s has the weight
///
/// ```text
/// w_i(θ) = e^{θ·φ(τ_i)} w_π0(τ_i) / π_s(τ_i)        (Boularias 2011, Eq. 8; w_π0 = 1 in the paper's MaxEnt variant)
/// ```
///
/// in which p0 and T cancel: no MDP is needed. Ẑ = (1/n) Σ w_i over n rollouts, and E_θ\[φ\] ≈ Σ w_i φ_i / Σ w_i.
///
/// # Which paths it is about
///
/// The samples decide, and they have to be the paths that the demonstrations are compared with.
///
/// - **[`Ends::Horizon`](crate::Ends)**: rollouts until a terminal state or until exactly L states, each a sample.
/// - **[`Ends::Anywhere`](crate::Ends)**, the paper's set: *every prefix* of such a rollout is a sample, with log π_s of that prefix
///   alone. Z = Σ_l Z_l, and the prefixes of length l estimate Z_l. They share a rollout, so they share a number in
///   [`SampleColumns::rollout`]. [`samples_from_rollouts`](crate::samples_from_rollouts) makes both.
/// - **[`Ends::Terminal`](crate::Ends)**: leave out the rollouts that do not end in a terminal state. Expectations are right;
///   log Ẑ lacks the logarithm of the share of rollouts that were kept.
/// - A sampler that stops at random samples [`Ends::Anywhere`](crate::Ends) by itself, without prefixes, if log π_s has the
///   probability of stopping there: Σ log(1 - stop) over the states left, and log stop of the last.
///
/// # The bias towards short paths
///
/// The paper says that the estimator "may be biased towards shorter demonstrations as they will have larger weights". They have
/// smaller ones: 1/π_s(τ) *grows* with the length (|A|^(l-1) for a uniform policy), just so much that the estimator is
/// consistent. Two things are true:
///
/// - **At finite n it leans to short paths.** Long ones are rare and heavy; until some were met, Σ w_i φ_i / Σ w_i is made of short ones.
///   The bias is O(1/n), with a constant that grows exponentially with the length. The effective sample size shows it.
/// - **Without the probability of stopping it stays biased.** A sampler that stops with probability p per step, and does not say so
///   in log π_s, estimates the model in which every step costs -log(1-p) more. Short paths are over-represented for any n, and
///   learning makes up for that: the weight of a feature that counts steps comes out too high by -log(1-p). Nothing in the samples
///   shows it.
///
/// `tests/model_free.rs` shows both against the exact engine.
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
/// // Of two equally good ways one goes right in one half of all cases, whoever sampled.
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
    /// Samples of positive weight alone, rollout by rollout.
    pub(crate) features: Vec<f64>,
    /// log w_π0(τ) - log π_s(τ).
    pub(crate) log_base: Vec<f64>,
    /// Where each rollout with a sample of positive weight begins, and the end of the last.
    pub(crate) offsets: Vec<usize>,
}

impl Samples {
    /// Checks the columns and takes what the weights are made of.
    ///
    /// # Errors
    /// If columns differ in length or hold numbers that are none, if there are fewer than two rollouts, if the
    /// baseline asks for `log_reference` and there is none, or if the reference policy gives every sample weight 0.
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
        // -∞ is a weight of 0 and was left out; +∞ is the difference of two numbers that no probabilities have.
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

    /// How many samples were given, with those of weight 0.
    pub fn n_samples(&self) -> usize {
        self.n_samples
    }

    /// How many rollouts they come from: what standard errors count.
    pub fn n_rollouts(&self) -> usize {
        self.n_rollouts
    }

    /// φ of one sample of positive weight.
    pub(crate) fn row(&self, sample: usize) -> &[f64] {
        &self.features[sample * self.n_features..(sample + 1) * self.n_features]
    }
}
