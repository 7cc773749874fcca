//! Directions of θ that the data do not identify, with the names of their features.

use std::fmt;

use crate::Error;
use crate::learning::identify::NullDirection;
use crate::learning::whole::Whole;
use crate::numeric::symmetric::Eigen;
use crate::uncertainty::Information;

/// Eigenvalues of the scaled information below this fraction of the largest count as zero. Finite differences of exact
/// gradients have an error of about 1e-11. Where the error of an eigenvalue is larger, its limit is raised.
const ZERO: f64 = 1e-9;
/// Errors are estimates. An eigenvalue below this many times its error counts as zero.
const SURE: f64 = 3.0;
/// Below this fraction a direction is only weakly identified.
const WEAK: f64 = 1e-6;
/// A coordinate of a null vector below this is rounding error.
const ROUNDING: f64 = 1e-5;
/// A weak direction has small terms in most features. Those below this fraction of the largest are dropped.
const MINOR: f64 = 0.1;

/// A direction of θ along which no path becomes more or less likely, demonstrated or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Unidentified {
    /// The direction.
    pub direction: NullDirection,
    /// Whether it changes rewards. If not, no set of paths and no data could identify it. If it does, it changes the
    /// reward of all paths of the model equally (a constant per step where all paths are equally long, or a potential
    /// that cancels along a path), or only rewards in places that no path visits.
    pub changes_rewards: bool,
}

impl fmt::Display for Unidentified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.changes_rewards {
            true => "changes rewards, but not the probability of any path",
            false => "changes no reward",
        };
        write!(f, "{} ({what})", self.direction)
    }
}

/// A direction of θ that is only weakly identified.
#[derive(Debug, Clone, PartialEq)]
pub struct WeaklyIdentified {
    /// Its main terms.
    pub direction: NullDirection,
    /// The information along it as a fraction of that along the best identified direction, with all features in units
    /// of their standard deviation over paths.
    pub share: f64,
}

/// The eigendecomposition of the information of some parameters, in units of the standard deviation of each
/// feature over paths.
pub(crate) struct Spectrum<'a> {
    /// The parameters.
    pub which: &'a [usize],
    /// The standard deviation of each feature over paths; 1 if it is zero.
    pub spread: Vec<f64>,
    pub eigen: Eigen,
    /// The eigenvalues that are not zero: the identified directions.
    pub seen: Vec<usize>,
}

impl<'a> Spectrum<'a> {
    pub fn new(information: &Information, which: &'a [usize]) -> Self {
        let m = which.len();
        let spread = |&k: &usize| Some(information.at(k, k)).filter(|&variance| variance > 0.0).map_or(1.0, f64::sqrt);
        let spread: Vec<f64> = which.iter().map(spread).collect();
        let scaled = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            (0..m * m).map(|at| entry(which[at / m], which[at % m]) / (spread[at / m] * spread[at % m])).collect()
        };
        let eigen = Eigen::of(&scaled(&|k, l| information.at(k, l)), m);
        let errors = scaled(&|k, l| information.error_at(k, l));
        // The error of an eigenvalue to first order, vᵀ E v. A feature whose variance is hardly known has a large
        // error. It spoils the directions that it takes part in, and no others.
        let error = |e: usize| -> f64 {
            let v = eigen.vector(e);
            let row = |(row, at): (&[f64], &f64)| at.abs() * row.iter().zip(v).map(|(error, v)| error * v.abs()).sum::<f64>();
            errors.chunks_exact(m.max(1)).zip(v).map(row).sum()
        };
        let seen = eigen.above(ZERO).into_iter().filter(|&e| eigen.values[e] > SURE * error(e)).collect();
        Spectrum { which, spread, eigen, seen }
    }

    /// The inverse of the information; a pseudo-inverse along directions that are not identified.
    pub fn inverse(&self) -> Vec<f64> {
        let m = self.which.len();
        let mut inverse = self.eigen.inverse(&self.seen);
        for i in 0..m {
            (0..m).for_each(|j| inverse[i * m + j] /= self.spread[i] * self.spread[j]);
        }
        inverse
    }

    /// The eigenvectors of eigenvalue zero.
    fn null(&self) -> Vec<&[f64]> {
        // Both are in ascending order.
        let mut seen = self.seen.iter().peekable();
        (0..self.which.len()).filter(|e| seen.next_if_eq(&e).is_none()).map(|e| self.eigen.vector(e)).collect()
    }

    /// Whether each parameter takes part in a direction that is not identified.
    pub fn hidden(&self) -> Vec<bool> {
        let null = self.null();
        let share = |i: usize| null.iter().map(|vector| vector[i] * vector[i]).sum::<f64>().sqrt();
        (0..self.which.len()).map(|i| share(i) > ROUNDING).collect()
    }

    /// λ_max / λ_min over the identified directions; 1 if there are none.
    pub fn condition(&self) -> f64 {
        let least = self.seen.iter().map(|&e| self.eigen.values[e]).fold(f64::INFINITY, f64::min);
        if self.seen.is_empty() { 1.0 } else { self.eigen.largest() / least }
    }

    /// A basis of the directions that are not identified, with few terms each. Those that change no reward come first.
    pub fn unidentified(&self, model: &mut Whole<'_>) -> Result<Vec<Unidentified>, Error> {
        let null = self.null();
        if null.is_empty() {
            return Ok(Vec::new());
        }
        let place = |k: usize| self.which.iter().position(|&other| other == k);
        let mut found: Vec<Unidentified> = Vec::new();
        let mut basis = Echelon { rows: Vec::new(), pivots: Vec::new() };
        for direction in model.null_directions()? {
            let mut row = vec![0.0; self.which.len()];
            let all_here = direction.terms.iter().all(|&(k, value)| {
                place(k).is_some_and(|i| {
                    row[i] = value * self.spread[i];
                    true
                })
            });
            if all_here && basis.add(row) {
                found.push(Unidentified { direction, changes_rewards: false });
            }
        }
        let of_rewards = basis.rows.len();
        basis.add_best(null.iter().map(|vector| vector.to_vec()).collect(), null.len().saturating_sub(of_rewards));
        basis.reduce(of_rewards);
        for row in &basis.rows[of_rewards..] {
            let direction = self.named(&model.census.names, row, ROUNDING);
            let changes_rewards = model.changes_rewards(&direction)?;
            found.push(Unidentified { direction, changes_rewards });
        }
        found.sort_by_key(|one| (one.changes_rewards, one.direction.terms[0].0));
        Ok(found)
    }

    /// The weakly identified directions, the weakest first.
    pub fn weak(&self, names: &[String]) -> Vec<WeaklyIdentified> {
        let share = |e: usize| self.eigen.values[e] / self.eigen.largest();
        let mut weak: Vec<usize> = self.seen.iter().copied().filter(|&e| share(e) < WEAK).collect();
        weak.sort_by(|&a, &b| share(a).total_cmp(&share(b)));
        let named = |e| WeaklyIdentified { direction: self.named(names, self.eigen.vector(e), MINOR), share: share(e) };
        weak.into_iter().map(named).collect()
    }

    /// A scaled vector as a direction of θ, without small terms.
    fn named(&self, names: &[String], vector: &[f64], small: f64) -> NullDirection {
        let largest = vector.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let terms = vector.iter().enumerate().filter(|(_, value)| value.abs() > small * largest);
        let mut direction =
            NullDirection::new(names, terms.map(|(i, value)| (self.which[i], value / self.spread[i])).collect());
        direction.terms.iter_mut().for_each(|term| term.1 = seven_digits(term.1));
        direction
    }
}

/// Later digits are errors of the finite differences.
fn seven_digits(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

/// Rows of a basis. Each has a pivot column in which the later rows are zero.
struct Echelon {
    rows: Vec<Vec<f64>>,
    pivots: Vec<usize>,
}

impl Echelon {
    /// The row minus its projection on the basis rows, by elimination.
    fn rest(&self, mut row: Vec<f64>) -> Vec<f64> {
        for (basis, &pivot) in self.rows.iter().zip(&self.pivots) {
            let factor = row[pivot] / basis[pivot];
            row.iter_mut().zip(basis).for_each(|(row, basis)| *row -= factor * basis);
            row[pivot] = 0.0;
        }
        row
    }

    fn largest(row: &[f64]) -> (usize, f64) {
        let larger = |best: (usize, f64), (i, value): (usize, &f64)| if value.abs() > best.1 { (i, value.abs()) } else { best };
        row.iter().enumerate().fold((0, 0.0), larger)
    }

    /// Adds what remains of a row after elimination, unless it depends on the others.
    fn add(&mut self, mut row: Vec<f64>) -> bool {
        let size = Self::largest(&row).1;
        row.iter_mut().for_each(|value| *value /= size);
        let row = self.rest(row);
        let (pivot, left) = Self::largest(&row);
        if left <= 1e-6 {
            return false;
        }
        self.rows.push(row);
        self.pivots.push(pivot);
        true
    }

    /// Adds what remains of these rows after elimination: `count` times the one with the largest entry.
    fn add_best(&mut self, rows: Vec<Vec<f64>>, count: usize) {
        let mut left: Vec<Vec<f64>> = rows.into_iter().map(|row| self.rest(row)).collect();
        for _ in 0..count {
            let best = (0..left.len()).max_by(|&a, &b| Self::largest(&left[a]).1.total_cmp(&Self::largest(&left[b]).1));
            let Some(best) = best else { return };
            let row = left.swap_remove(best);
            let pivot = Self::largest(&row).0;
            for other in &mut left {
                let factor = other[pivot] / row[pivot];
                other.iter_mut().zip(&row).for_each(|(other, row)| *other -= factor * row);
                other[pivot] = 0.0;
            }
            self.rows.push(row);
            self.pivots.push(pivot);
        }
    }

    /// Clears each pivot column from `first` on in the rows above as well, which gives fewer terms.
    fn reduce(&mut self, first: usize) {
        for below in (first + 1..self.rows.len()).rev() {
            let (above, rest) = self.rows.split_at_mut(below);
            let (row, pivot) = (&rest[0], self.pivots[below]);
            for other in &mut above[first..] {
                let factor = other[pivot] / row[pivot];
                other.iter_mut().zip(row).for_each(|(other, row)| *other -= factor * row);
                other[pivot] = 0.0;
            }
        }
    }
}
