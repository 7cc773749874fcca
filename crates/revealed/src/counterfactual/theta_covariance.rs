//! How well θ̂ is known: its covariance, and the directions along which nothing is known.

use crate::Error;
use crate::numeric::symmetric::Eigen;
use crate::numeric::vector::all_finite;
use crate::uncertainty::{Standing, Uncertainty};

/// Eigenvalues of the correlation matrix below this fraction of the largest are rounding errors.
const ZERO: f64 = 1e-13;

/// θ̂, its covariance matrix, and the directions that the data do not identify.
#[derive(Debug, Clone, PartialEq)]
pub struct ThetaCovariance {
    theta: Vec<f64>,
    covariance: Vec<f64>,
    standing: Vec<Standing>,
    unidentified: Vec<Vec<f64>>,
}

impl ThetaCovariance {
    /// From the uncertainty of a fit: the covariance of the model, or the robust one.
    ///
    /// # Errors
    /// [`Error::NoRobustCovariance`] if there is no robust one.
    pub fn of(sure: &Uncertainty, robust: bool) -> Result<ThetaCovariance, Error> {
        let covariance = match robust {
            true => sure.robust_covariance_matrix().ok_or(Error::NoRobustCovariance)?,
            false => sure.covariance_matrix(),
        };
        let directions = sure.unidentified.iter().map(|one| one.direction.terms.clone()).collect();
        Self::new(sure.theta.clone(), covariance.to_vec(), sure.standing.clone(), directions)
    }

    /// From the parts: the covariance matrix row by row, as
    /// [`Uncertainty::covariance_matrix`] has it, the status of each parameter, and the directions that are not
    /// identified as (parameter, coefficient).
    ///
    /// # Errors
    /// If lengths differ, a number is not finite, or a variance is negative.
    pub fn new(
        theta: Vec<f64>,
        covariance: Vec<f64>,
        standing: Vec<Standing>,
        unidentified: Vec<Vec<(usize, f64)>>,
    ) -> Result<ThetaCovariance, Error> {
        let n = theta.len();
        for (what, found, expected) in [("the covariance", covariance.len(), n * n), ("standing", standing.len(), n)] {
            if found != expected {
                return Err(Error::Length { what, found, expected });
            }
        }
        all_finite("theta", &theta)?;
        all_finite("the covariance", &covariance)?;
        if let Some(k) = (0..n).find(|&k| covariance[k * n + k] < 0.0) {
            let (value, expected) = (covariance[k * n + k], "0 or more");
            return Err(Error::BadNumber { table: "the covariance", row: k, what: "the variance", value, expected });
        }
        let mut directions = Vec::with_capacity(unidentified.len());
        for (row, terms) in unidentified.iter().enumerate() {
            let mut direction = vec![0.0; n];
            for &(k, value) in terms {
                let range = Error::OutOfRange { table: "unidentified", row, what: "parameter", index: k, count: n };
                *direction.get_mut(k).ok_or(range)? += value;
            }
            directions.push(direction);
        }
        Ok(ThetaCovariance { theta, covariance, standing, unidentified: directions })
    }

    /// θ̂.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The covariance of two parameters; 0 for parameters that are at a bound or at no optimum.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.covariance[i * self.theta.len() + j]
    }

    /// The parameters that add no variance to any outcome, because they are at a bound or at no optimum.
    pub fn fixed(&self) -> Vec<usize> {
        let is_fixed = |&k: &usize| matches!(self.standing[k], Standing::AtBound | Standing::NoOptimum);
        (0..self.theta.len()).filter(is_fixed).collect()
    }

    /// The directions of θ that are not identified.
    pub fn unidentified(&self) -> &[Vec<f64>] {
        &self.unidentified
    }

    /// Columns d with Σ d dᵀ = the covariance: the variance of a quantity is the sum of the squares of its slopes
    /// along them.
    pub(super) fn directions(&self) -> Vec<Vec<f64>> {
        let n = self.theta.len();
        let free: Vec<usize> = (0..n).filter(|&k| self.at(k, k) > 0.0).collect();
        let m = free.len();
        let error = |k: usize| self.at(k, k).sqrt();
        let mut correlation = vec![0.0; m * m];
        for (i, &k) in free.iter().enumerate() {
            for (j, &l) in free.iter().enumerate() {
                correlation[i * m + j] = 0.5 * (self.at(k, l) + self.at(l, k)) / (error(k) * error(l));
            }
        }
        let eigen = Eigen::of(&correlation, m);
        let column = |e: usize| {
            let mut column = vec![0.0; n];
            let root = eigen.values[e].sqrt();
            free.iter().zip(eigen.vector(e)).for_each(|(&k, value)| column[k] = root * error(k) * value);
            column
        };
        eigen.above(ZERO).into_iter().map(column).collect()
    }
}
