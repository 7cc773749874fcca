//! Whether learned preferences agree with the true ones, within their standard errors.

use revealed::{Bounds, Demonstrations, Ends, Horizon, Likelihood, MaxEnt, Method, Options, Trajectory, null_directions};

use super::build::City;
use crate::error::Error;

/// Learned preferences, compared with the true ones.
///
/// The features may not identify all of θ: each of the paper's groups sums to the length, so that a cost per metre can
/// be moved from one group to another. For each such direction one parameter is fixed at its true value, and the others
/// are compared. Any other choice would compare the same rewards.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// θ̂.
    pub learned: Vec<f64>,
    /// The standard error of each; `None` for those that are fixed, and for those that the trips do not identify.
    pub errors: Vec<Option<f64>>,
    /// θ̂ - θ divided by its standard error.
    pub z: Vec<Option<f64>>,
    /// zᵀ C⁻¹ z, with C the correlations of the errors, which equals (θ̂ - θ)ᵀ Cov⁻¹ (θ̂ - θ). It follows the
    /// chi-square distribution with [`directions`](Self::directions) degrees of freedom.
    pub chi_square: f64,
    /// 2 N (ℓ(θ̂) - ℓ(θ)), which asymptotically follows the same distribution.
    pub likelihood_ratio: f64,
    /// The number of directions that the trips identify.
    pub directions: usize,
    /// Whether the optimiser converged.
    pub converged: bool,
}

impl City {
    /// Learns from trips by [`Method::Exact`] or [`Method::RecursiveLogit`], and compares with the truth.
    ///
    /// # Errors
    /// If the trips are not paths of this city, do not end as `ends` requires, or the method is another.
    pub fn agreement(&self, trips: &[Trajectory], method: Method, ends: Ends) -> Result<Agreement, Error> {
        let problem = self.roads.problem()?;
        let (mdp, features) = (&problem.mdp, &problem.features);
        let demos = Demonstrations::new(mdp, trips)?;
        let held = held(&null_directions(features));
        let bound = |(place, &theta): (usize, &f64)| match held.contains(&place) {
            true => (theta, theta),
            false => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let bounds = Bounds::Each(self.theta.iter().enumerate().map(bound).collect());
        let horizon = if method == Method::RecursiveLogit { Horizon::Any } else { Horizon::AtMost(self.horizon) };
        let options = Options { ends, horizon: Some(horizon), ..Options::default() };
        let settings = MaxEnt { method, options: options.clone(), bounds, ..MaxEnt::default() };
        settings.check_uncertainty(features)?;
        let fit = settings.fit(mdp, features, &demos)?;
        let sure = settings.uncertainty(mdp, features, &demos, &fit.theta)?;

        let off: Vec<f64> = fit.theta.iter().zip(&self.theta).map(|(learned, truth)| learned - truth).collect();
        let z: Vec<Option<f64>> =
            off.iter().zip(&sure.standard_errors).map(|(off, error)| error.map(|error| off / error)).collect();
        let seen: Vec<usize> = (0..z.len()).filter(|&place| z[place].is_some()).collect();
        let correlation = |i: usize, j: usize| if i == j { 1.0 } else { sure.correlation(i, j).unwrap_or(0.0) };
        let correlations = seen.iter().map(|&i| seen.iter().map(|&j| correlation(i, j)).collect()).collect();
        let truth = Likelihood::new(mdp, features, &demos, &options)?.evaluate(&self.theta)?;
        Ok(Agreement {
            chi_square: square(correlations, seen.iter().filter_map(|&place| z[place]).collect()),
            likelihood_ratio: 2.0 * demos.total_weight() * (fit.log_likelihood - truth.log_likelihood),
            directions: seen.len(),
            z,
            errors: sure.standard_errors,
            learned: fit.theta,
            converged: fit.converged,
        })
    }
}

/// One parameter for each direction, which no other direction contains.
fn held(directions: &[revealed::NullDirection]) -> Vec<usize> {
    let has = |direction: &revealed::NullDirection, place: usize| direction.terms.iter().any(|term| term.0 == place);
    let own = |direction: &&revealed::NullDirection| {
        let mut places = direction.terms.iter().map(|term| term.0);
        places.find(|&place| directions.iter().filter(|other| has(other, place)).count() == 1)
    };
    directions.iter().filter_map(|direction| own(&direction)).collect()
}

/// zᵀ C⁻¹ z of a positive definite C, by elimination: each pivot is the conditional variance given those before.
fn square(mut matrix: Vec<Vec<f64>>, mut z: Vec<f64>) -> f64 {
    let mut sum = 0.0;
    for pivot in 0..z.len() {
        sum += z[pivot] * z[pivot] / matrix[pivot][pivot];
        let (above, below) = matrix.split_at_mut(pivot + 1);
        let row = &above[pivot];
        for (place, other) in below.iter_mut().enumerate() {
            let factor = other[pivot] / row[pivot];
            other.iter_mut().zip(row).for_each(|(other, row)| *other -= factor * row);
            z[pivot + 1 + place] -= factor * z[pivot];
        }
    }
    sum
}
