//! Slow and obvious reference implementations, against which the engine is tested.
//!
//! | function | what it is | cost |
//! |---|---|---|
//! | [`enumerate`] | all paths, with logarithms in 106 bits | exponential in L |
//! | [`algorithm1`] | the paper's Algorithm 1 (alg:maxent-irl) | quadratic in L |
//! | [`padded`] | the paper's Algorithm 2 (alg:maxent-irl-padded) on a literally padded MDP | linear in L |
//! | [`ask`] | nine questions to an [`ExtremeWorld`], against enumeration | |
//! | [`agreement`], [`ways`] | how well one path agrees with what was seen of it | exponential in the gaps |
//! | [`value_iteration`], [`policy_values`] | planning in plain loops, and by dense linear equations | |
//!
//! The first three share the powers of γ in double-double arithmetic; the second and the third also share e^{γ^{t-1} R}
//! and the number type `Scaled`. Times and lengths count from 1 here, as in the paper: the entry of t is at `[t - 1]`.
//!
//! `start` replaces the MDP's own p0, so that paths from one state to one goal can be computed.

mod algorithm1;
mod asked;
mod causal;
mod double_double;
mod enumeration;
mod exact;
mod extreme;
mod padded;
mod partial;
mod planning;
mod random;

pub use self::algorithm1::{algorithm1, alpha, beta_quadratic};
pub use self::asked::{QUESTIONS, WorldOutcome, ask};
pub use self::causal::{CausalEpisode, CausalTime, causal_episodes, causal_time, causal_times};
pub use self::double_double::DoubleDouble;
pub use self::enumeration::{Path, enumerate, enumerate_theta, paths};
pub use self::exact::{ExactPath, continuations, exact_paths, exact_visits, left_out, log_sum};
pub use self::extreme::ExtremeWorld;
pub use self::padded::{beta_padded, padded};
pub use self::partial::{agreement, glimpse, ways};
pub use self::planning::{policy_values, value_iteration};
pub use self::random::RandomProblem;
pub use crate::numeric::scaled::Scaled;

use crate::model::Marginals;
use crate::world::Occupancy;

/// Numbers closer than this count as equal in [`Answer::disagreement`]: below it `f64` loses digits.
const FLOOR: f64 = 1e-290;

/// An oracle's results for a path distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// log Z.
    pub log_partition: f64,
    /// p_t at `[t - 1]`, for t = 1..L.
    pub marginals: Vec<Marginals>,
}

impl Answer {
    /// Σ_t γ^{t-1} p_t, of states and of transitions.
    pub fn occupancy(&self, discount: f64) -> Occupancy {
        let first = &self.marginals[0];
        let mut occupancy = Occupancy { state: vec![0.0; first.state.len()], transition: vec![0.0; first.transition.len()] };
        for (step, marginals) in self.marginals.iter().enumerate() {
            let power = discount.powi(step as i32);
            add_scaled(power, &marginals.state, &mut occupancy.state);
            add_scaled(power, &marginals.transition, &mut occupancy.transition);
        }
        occupancy
    }

    /// The largest relative difference from another answer, over log Z (absolute below 1) and every marginal. NaN if
    /// either has one; infinite if the shapes differ.
    pub fn disagreement(&self, other: &Answer) -> f64 {
        if self.marginals.len() != other.marginals.len() {
            return f64::INFINITY;
        }
        let scale = self.log_partition.abs().max(other.log_partition.abs()).max(1.0);
        let mut largest = (self.log_partition - other.log_partition).abs() / scale;
        for (mine, theirs) in self.marginals.iter().zip(&other.marginals) {
            let parts = [(&mine.state, &theirs.state), (&mine.choice, &theirs.choice), (&mine.transition, &theirs.transition)];
            for (mine, theirs) in parts {
                largest = maximum(largest, relative_difference(mine, theirs));
            }
        }
        largest
    }
}

fn add_scaled(factor: f64, terms: &[f64], sum: &mut [f64]) {
    for (sum, term) in sum.iter_mut().zip(terms) {
        *sum += factor * term;
    }
}

fn relative_difference(left: &[f64], right: &[f64]) -> f64 {
    if left.len() != right.len() {
        return f64::INFINITY;
    }
    let differences = left.iter().zip(right).map(|(&left, &right)| {
        let difference = (left - right).abs();
        if difference <= FLOOR { 0.0 } else { difference / left.abs().max(right.abs()) }
    });
    differences.fold(0.0, maximum)
}

/// Like `f64::max`, but NaN propagates.
fn maximum(left: f64, right: f64) -> f64 {
    if left.is_nan() || left > right { left } else { right }
}

/// e^{γ^{t-1} R}, with γ^{t-1} R in 106 bits: at R = 1e5 the rounding of an `f64` product would change the tenth digit
/// of the result.
struct DiscountedReward {
    powers: Vec<DoubleDouble>,
}

impl DiscountedReward {
    fn new(discount: f64, horizon: usize) -> Self {
        DiscountedReward { powers: DoubleDouble::powers(discount, horizon) }
    }

    fn exp(&self, t: usize, reward: f64) -> Scaled {
        let exponent = self.powers[t - 1] * DoubleDouble::from(reward);
        Scaled::exp(exponent.to_f64()) * Scaled::exp(exponent.rest())
    }
}
