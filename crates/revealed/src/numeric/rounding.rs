//! How many digits are enough.

/// The largest error of a log-weight that an answer may have, in nats: probabilities then have three digits.
pub(crate) const MOST_ERROR: f64 = 1e-3;
/// The error of a reward, and of a sum of logarithms, relative to the size of its terms.
pub(crate) const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// The largest error of the logarithm of one path's weight or probability, relative to it.
pub(crate) const CANCELLED: f64 = 1e-9;
/// A reward may be this many times smaller than its terms without being taken for what is left of them.
const SHARE: f64 = 16.0;

/// Whether the logarithm of a weight is known well enough, if the absolute values of its terms sum to `size`.
pub(crate) fn is_known(log: f64, size: f64) -> bool {
    ROUNDING * size <= MOST_ERROR.max(CANCELLED * log.abs())
}

/// Whether a reward is known to its own last digits, or to all that matter.
pub(crate) fn is_reward_known(reward: f64, size: f64) -> bool {
    ROUNDING * size <= MOST_ERROR || size <= SHARE * reward.abs()
}
