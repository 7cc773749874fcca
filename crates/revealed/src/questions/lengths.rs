//! The distribution of |τ|, the number of states of a path.

use crate::Error;
use crate::engine::Horizon;
use crate::engine::digits::TiltedDigits;
use crate::engine::inference::Start;
use crate::engine::path_set::PathSet;
use crate::model::distribution::check_start;
use crate::model::{Chance, Ends, Given, PathDistribution, PathModel, border};
use crate::numeric::Work;
use crate::numeric::scaled::Scaled;
use crate::questions::Spread;

/// The tolerance for cumulative probabilities, which are sums of rounded numbers.
const ROUNDING: f64 = 1e-12;

/// The distribution of |τ|, the number of states of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Lengths {
    /// The length of the first entry of `probability`: 1, or the length of the prefix.
    pub first: usize,
    /// P(|τ| = first), P(|τ| = first + 1), …, P(|τ| = L). For paths of any length, the list ends where the probability
    /// of longer paths is below [`TAIL`](crate::TAIL).
    pub probability: Vec<f64>,
    /// For paths of any length, the mean and the variance of |τ|, which are exact although the list ends.
    pub moments: Option<[f64; 2]>,
}

impl Lengths {
    /// Weights of lengths, normalised; `None` if all are zero.
    pub(crate) fn of(first: usize, weights: &[Scaled]) -> Option<Lengths> {
        Scaled::normalised(weights).map(|probability| Lengths { first, probability, moments: None })
    }

    /// The same, if the probabilities are possible.
    pub(crate) fn checked(self) -> Result<Lengths, Error> {
        let probability = border::distribution("the probability of a length", self.probability)?;
        Ok(Lengths { probability, ..self })
    }

    /// (l, P(|τ| = l)) for every length l from `first` to L.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        self.probability.iter().enumerate().map(|(place, &p)| (self.first + place, p))
    }

    /// E|τ|.
    pub fn mean(&self) -> f64 {
        self.moments.map_or_else(|| self.first as f64 + self.remaining(), |[mean, _]| mean)
    }

    /// E|τ| minus `first`: after a prefix, the expected number of remaining states.
    pub fn remaining(&self) -> f64 {
        if let Some([mean, _]) = self.moments {
            return mean - self.first as f64;
        }
        self.probability.iter().enumerate().map(|(place, p)| place as f64 * p).sum()
    }

    /// E(|τ| - E|τ|)².
    pub fn variance(&self) -> f64 {
        if let Some([_, variance]) = self.moments {
            return variance;
        }
        let mean = self.mean();
        self.iter().map(|(length, p)| (length as f64 - mean).powi(2) * p).sum()
    }

    /// The square root of the variance.
    pub fn standard_deviation(&self) -> f64 {
        self.variance().sqrt()
    }

    /// The smallest length l with P(|τ| <= l) >= p, up to rounding. p should lie between 0 and 1; 0.5 gives the median.
    pub fn quantile(&self, p: f64) -> usize {
        let mut cumulative = 0.0;
        let mut possible = self.iter().filter(|row| row.1 > 0.0);
        let reached = possible.find(|row| {
            cumulative += row.1;
            cumulative + ROUNDING >= p.min(1.0)
        });
        reached.map_or(self.first + self.probability.len() - 1, |row| row.0)
    }

    /// The likeliest length; of several, the smallest.
    pub fn most_likely(&self) -> usize {
        let better = |best: (usize, f64), row: (usize, f64)| if row.1 > best.1 { row } else { best };
        self.iter().fold((self.first, 0.0), better).0
    }
}

/// The distribution of |τ| over the paths of the model, given what is known of them. After a prefix,
/// [`Lengths::remaining`] is the expected number of remaining states. [`Ends::Goal`] requires a last state, and there
/// the start is the distribution over the first state, which such a model does not define.
///
/// It costs one forward pass; for [`Ends::Goal`] with several first states, one pass in each direction.
///
/// ```
/// use revealed::{Ends, Given, PathModel, Work, lengths, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let model = PathModel::new(&lake.mdp, reward, 20, Ends::Terminal)?;
/// let to_goal = lengths(&model, &Given::default().to(15), &Work::default())?;
/// // Six steps lead from one corner of the lake to the other.
/// assert_eq!(to_goal.quantile(0.0), 7);
/// assert!(to_goal.mean() > 7.0 && to_goal.mean() < 20.0);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If no such path exists, a state does not exist, or the prefix cannot happen; [`Error::StartAndPrefix`].
pub fn lengths(model: &PathModel<'_>, given: &Given, work: &Work) -> Result<Lengths, Error> {
    let (start, t) = given.beginning(model)?;
    model.stop(given.to)?;
    if model.horizon() == Horizon::Any {
        return model.distribution(given, work)?.any_lengths(t);
    }
    // The agent of a causal model with a goal wants to reach it: the distribution knows how.
    if model.ends() == Ends::Goal && (start.len() > 1 || model.chance() == Chance::Fixed) {
        let probability = model.distribution(given, work)?.length_distribution()?;
        return Ok(Lengths { first: t, probability, moments: None });
    }
    check_digits(model, given)?;
    let weights = Spread::new(model, work)?.lengths(&start, t, given.to)?;
    Lengths::of(t, &weights).ok_or_else(|| given.no_path(model))?.checked()
}

/// Refuses if digits are lost of the paths of a model with a horizon, given what is known of them.
fn check_digits(model: &PathModel<'_>, given: &Given) -> Result<(), Error> {
    let (rest, start) = given.rest(model)?;
    if model.chance() == Chance::Fixed {
        // The distribution of the episodes, which `Spread` asks, checks them itself.
        return Ok(());
    }
    check_start(model.mdp(), &start)?;
    let paths = PathSet { horizon: rest.horizon(), stop: rest.stop(given.to)? };
    TiltedDigits { mdp: model.mdp(), reward: rest.reward() }.check(Start::Joint(&start), paths)
}

impl PathDistribution<'_> {
    /// The distribution of |τ| for paths of any length, if the first state is the state number `first` of a path.
    fn any_lengths(&mut self, first: usize) -> Result<Lengths, Error> {
        let probability = self.length_distribution()?;
        let [mean, variance] = self.length_moments()?;
        Ok(Lengths { first, probability, moments: Some([mean + (first - 1) as f64, variance]) })
    }
}
