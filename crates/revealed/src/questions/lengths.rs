//! The distribution of |τ|, the number of states of a path.

use crate::Error;
use crate::engine::Horizon;
use crate::model::{Chance, Ends, Options, PathDistribution, PathModel};
use crate::numeric::scaled::Scaled;
use crate::questions::Spread;
use crate::world::Trajectory;

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

/// The distribution of |τ| over the paths of the model from `start`, a list of (s, f(s)): p0, or any other weights of
/// first states. If `to` is given, only paths that end in `to` count. [`Ends::Goal`] requires `to`, and there `start`
/// is the distribution over the first state, which such a model does not define.
///
/// It costs one forward pass; for [`Ends::Goal`] with several first states, one pass in each direction.
///
/// ```
/// use revealed::{Ends, Options, PathModel, lengths, worlds};
///
/// let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, true)?;
/// let reward = lake.features.reward(&lake.mdp, &lake.theta)?;
/// let model = PathModel::new(&lake.mdp, reward, 20, Ends::Terminal)?;
/// let to_goal = lengths(&model, lake.mdp.start(), Some(15), &Options::default())?;
/// // Six steps lead from one corner of the lake to the other.
/// assert_eq!(to_goal.quantile(0.0), 7);
/// assert!(to_goal.mean() > 7.0 && to_goal.mean() < 20.0);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Errors
/// If no such path exists, or a state does not exist.
pub fn lengths(model: &PathModel<'_>, start: &[(usize, f64)], to: Option<usize>, options: &Options) -> Result<Lengths, Error> {
    model.stop(to)?;
    if model.horizon() == Horizon::Any {
        return model.distribution(start.to_vec(), to, options)?.any_lengths(1);
    }
    // The agent of a causal model with a goal wants to reach it: the distribution knows how.
    if model.ends() == Ends::Goal && (start.len() > 1 || model.chance() == Chance::Fixed) {
        let probability = model.distribution(start.to_vec(), to, options)?.length_distribution()?;
        return Ok(Lengths { first: 1, probability, moments: None });
    }
    let weights = Spread::new(model, options)?.lengths(start, 1, to)?;
    let what = || match (start, to) {
        ([(state, _)], Some(to)) => format!("from state {state} to state {to}"),
        ([(state, _)], None) => format!("from state {state} {}", where_to(model)),
        (_, Some(to)) => format!("to state {to}"),
        (_, None) => where_to(model).to_string(),
    };
    Lengths::of(1, &weights).ok_or_else(|| Error::NoPath { what: what(), horizon: model.horizon().at_most() })
}

/// The distribution of |τ| over the paths of the model that begin with `prefix` and, if `to` is given, end in `to`.
/// [`Lengths::remaining`] is the expected number of remaining states.
///
/// It costs one forward pass.
///
/// # Errors
/// If the prefix cannot happen, or no path continues it (to `to`) within the horizon.
pub fn lengths_after(
    model: &PathModel<'_>,
    prefix: &Trajectory,
    to: Option<usize>,
    options: &Options,
) -> Result<Lengths, Error> {
    model.check_prefix(prefix)?;
    model.stop(to)?;
    let t = prefix.states.len();
    if model.horizon() == Horizon::Any {
        let paths = model.distribution(vec![(prefix.states[t - 1], 1.0)], to, options);
        return after_prefix(paths, model, t, to)?.any_lengths(t);
    }
    let weights = Spread::new(model, options)?.lengths(&[(prefix.states[t - 1], 1.0)], t, to)?;
    Lengths::of(t, &weights).ok_or_else(|| no_path_after(model, t, to))
}

impl PathDistribution<'_> {
    /// The distribution of |τ| for paths of any length, if the first state is the state number `first` of a path.
    fn any_lengths(&mut self, first: usize) -> Result<Lengths, Error> {
        let probability = self.length_distribution()?;
        let [mean, variance] = self.length_moments()?;
        Ok(Lengths { first, probability, moments: Some([mean + (first - 1) as f64, variance]) })
    }
}

/// The same answer, with an error that names the prefix.
pub(crate) fn after_prefix<T>(found: Result<T, Error>, model: &PathModel<'_>, t: usize, to: Option<usize>) -> Result<T, Error> {
    found.map_err(|error| match error {
        Error::NoPath { .. } => no_path_after(model, t, to),
        error => error,
    })
}

/// The error if no path begins with a prefix of t states and ends in `to`.
pub(crate) fn no_path_after(model: &PathModel<'_>, t: usize, to: Option<usize>) -> Error {
    let end = to.map_or_else(|| where_to(model).to_string(), |to| format!("to state {to}"));
    Error::NoPath {
        what: format!("that begins with this prefix of {t} states and leads {end}"),
        horizon: model.horizon().at_most(),
    }
}

fn where_to(model: &PathModel<'_>) -> &'static str {
    match model.ends() {
        Ends::Terminal => "to a terminal state",
        Ends::Anywhere | Ends::Horizon | Ends::Goal => "to its end",
    }
}
