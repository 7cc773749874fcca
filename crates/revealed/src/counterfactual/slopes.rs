//! The slopes of quantities along directions of θ, by five-point differences.

use super::measured::Measured;
use super::theta_covariance::ThetaCovariance;
use crate::Error;
use crate::learning::climb::within_range;
use crate::watch::Watch;

/// The step changes the logarithm of a path's weight by about this much. The five-point formula then has an error of
/// about 1e-11, as the information matrix.
const STEP: f64 = 2e-3;
/// Slopes by one and by two steps must agree to this, relative to the value, or the step is too long.
const CURVED: f64 = 1e-4;
const SHORTER: f64 = 0.25;
const MOST_TRIALS: usize = 8;
/// A quantity changes along a direction if its slope exceeds this fraction of its value, with directions scaled so that
/// the rewards along a path change by 1. Directions that are not identified are known to seven digits.
const LOOSE: f64 = 1e-5;
/// Slopes below this are rounding errors of quantities that are 0.
const ROUNDING: f64 = 1e-12;

/// Quantities at θ̂ and their slopes.
pub(super) struct Slopes {
    pub value: Vec<f64>,
    /// For each quantity, its slopes along the columns of the covariance.
    pub along: Vec<Vec<f64>>,
    /// For each quantity, its slopes along the directions that are not identified.
    pub loose: Vec<Vec<f64>>,
}

impl Slopes {
    /// All slopes. `sizes` says by how much a direction changes the rewards along a path: in sum, and in absolute value
    /// feature by feature.
    pub fn new(
        known: &ThetaCovariance,
        sizes: impl Fn(&[f64]) -> Result<[f64; 2], Error>,
        mut at: impl FnMut(&[f64]) -> Result<Vec<f64>, Error>,
        watch: &Watch<'_>,
    ) -> Result<Slopes, Error> {
        let value = at(known.theta())?;
        let (mut along, mut loose) = (vec![Vec::new(); value.len()], vec![Vec::new(); value.len()]);
        let (columns, unidentified) = (known.directions(), known.unidentified());
        let n = columns.len() + unidentified.len();
        for (done, direction) in columns.iter().enumerate() {
            let [sum, each] = sizes(direction)?;
            let slopes = slopes(known.theta(), direction, sum.max(1e-6 * each), &value, &mut at)?;
            along.iter_mut().zip(slopes.0).for_each(|(all, slope)| all.push(slope));
            watch.tell_parts("directions", done + 1, n)?;
        }
        for (done, direction) in unidentified.iter().enumerate() {
            let [_, each] = sizes(direction)?;
            let (slopes, size) = slopes(known.theta(), direction, each, &value, &mut at)?;
            loose.iter_mut().zip(slopes).for_each(|(all, slope)| all.push(slope / size));
            watch.tell_parts("directions", columns.len() + done + 1, n)?;
        }
        Ok(Slopes { value, along, loose })
    }

    /// A function of the quantities, given by its value and its derivatives with respect to some of them. Changes along
    /// directions that are not identified are compared with its terms, or with `unit` if that is larger.
    pub fn measured(&self, value: f64, derivatives: &[(usize, f64)], unit: f64) -> Measured {
        let total = |slopes: &[Vec<f64>], column: usize| -> f64 {
            derivatives.iter().map(|&(place, derivative)| derivative * slopes[place][column]).sum()
        };
        let terms = derivatives.iter().map(|&(place, derivative)| (derivative * self.value[place]).abs());
        let size = terms.fold(unit, f64::max);
        let count = |slopes: &[Vec<f64>]| slopes.first().map_or(0, Vec::len);
        let is_loose = (0..count(&self.loose)).any(|column| total(&self.loose, column).abs() > LOOSE * size + ROUNDING);
        let variance: f64 = (0..count(&self.along)).map(|column| total(&self.along, column).powi(2)).sum();
        Measured { value, standard_error: (!is_loose).then(|| variance.sqrt()) }
    }
}

/// The slope of each quantity along one direction, and the size that was used for it: the one given, or that of its
/// largest entry if no path has a feature of this direction.
fn slopes(
    theta: &[f64],
    direction: &[f64],
    size: f64,
    value: &[f64],
    at: &mut impl FnMut(&[f64]) -> Result<Vec<f64>, Error>,
) -> Result<(Vec<f64>, f64), Error> {
    let largest = direction.iter().fold(0.0, |largest: f64, d| largest.max(d.abs()));
    if largest == 0.0 {
        return Ok((vec![0.0; value.len()], 1.0));
    }
    let size = if size > 0.0 { size } else { largest };
    let mut pair = |step: f64| -> Result<Option<Vec<f64>>, Error> {
        let mut moved = |step: f64| at(&theta.iter().zip(direction).map(|(theta, d)| theta + step * d).collect::<Vec<f64>>());
        let Some(above) = within_range(moved(step))? else { return Ok(None) };
        let Some(below) = within_range(moved(-step))? else { return Ok(None) };
        Ok(Some(above.iter().zip(&below).map(|(above, below)| (above - below) / (2.0 * step)).collect()))
    };
    let mut step = STEP / size;
    for trial in 0..=MOST_TRIALS {
        if let (Some(near), Some(far)) = (pair(step)?, pair(2.0 * step)?) {
            let bends = |((near, far), value): ((&f64, &f64), &f64)| {
                (near - far).abs() > CURVED * near.abs() + 1e-9 * size * value.abs()
            };
            if trial == MOST_TRIALS || !near.iter().zip(&far).zip(value).any(bends) {
                let five_points = |(near, far): (&f64, &f64)| (4.0 * near - far) / 3.0;
                return Ok((near.iter().zip(&far).map(five_points).collect(), size));
            }
        }
        step *= SHORTER;
    }
    // Even the shortest step left the range.
    at(&theta.iter().zip(direction).map(|(theta, d)| theta + step * d).collect::<Vec<f64>>())?;
    Err(Error::Overflow { what: "the slope of an outcome", value: f64::NAN })
}
