//! Newton's method on the way to the optimum of the recursive logit.
//!
//! The sums over paths of any length are finite only if loops cost enough. Near the border the likelihood falls like the
//! logarithm of the distance to it, and a search that knows nothing of this curvature creeps along it: 2,241 evaluations
//! for 22 features of Porto's trips. The log-likelihood is concave, so Newton's method with shortened steps gets there
//! in some ten steps. The curvature is needed only roughly. So it is measured on a sample of the demonstrations, by
//! differences of gradients, and the first steps use the sample alone. The last ones use all demonstrations, and learn
//! the rest of the curvature from their gradients (BFGS). The usual search starts where this ends, and decides whether
//! it is an optimum.

use crate::Error;
use crate::learning::climb::within_range;
use crate::learning::parts::Point;
use crate::learning::units::Units;
use crate::learning::whole::Whole;
use crate::learning::{Bounds, MaxEnt};
use crate::numeric::symmetric::Eigen;
use crate::numeric::vector::dot;
use crate::watch::{Progress, Step, Watch};

/// With fewer demonstrations or parameters than this, the usual search needs few evaluations or cheap ones.
const LEAST_DEMONSTRATIONS: usize = 2_000;
const LEAST_PARAMETERS: usize = 6;
/// With more parameters than this, the curvature takes too many evaluations.
const MOST_PARAMETERS: usize = 200;
/// The most steps on the sample, and on everything.
const MOST_STEPS: [usize; 2] = [30, 60];
/// The steps on the sample end when a step promises less than this. The optimum of the sample is only near that of all.
const NEAR: f64 = 1e-3;
/// The length of a step for differences, in units of the features.
const DIFFERENCE: f64 = 1e-4;
/// Eigenvalues of the curvature below this share of the largest count as this share.
const FLATTEST: f64 = 1e-7;
/// A step is accepted if it gains this share of what its slope promises (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// A step is halved at most this many times.
const MOST_HALVINGS: usize = 40;
/// Values that differ by less than this, relative to their size, are equal to rounding.
const NOISE: f64 = 1e-13;

/// Where the approach ended.
pub(crate) struct Near {
    pub theta: Vec<f64>,
    pub steps: usize,
    /// The number of evaluations of all demonstrations, those of a sample not counted.
    pub evaluations: usize,
}

/// A θ near the optimum. It is `start` itself if the problem has bounds or is small.
pub(crate) fn approach(
    settings: &MaxEnt,
    model: &mut Whole<'_>,
    units: &Units,
    start: Vec<f64>,
    watch: &Watch<'_>,
) -> Result<Near, Error> {
    let n = start.len();
    let small = model.census.n_demonstrations < LEAST_DEMONSTRATIONS || !(LEAST_PARAMETERS..=MOST_PARAMETERS).contains(&n);
    if !model.routes || small || settings.bounds != Bounds::None || settings.start.is_some() {
        return Ok(Near { theta: start, steps: 0, evaluations: 0 });
    }
    let mut newton = Newton { model, units, l2: settings.l2, watch, evaluations: 0, steps: 0 };
    let x = units.in_units(start);
    let Some(mut here) = newton.at(&x, true)? else { return Ok(newton.end(&x)) };
    let mut inverse = newton.inverse_curvature(&here)?;
    for _ in 0..MOST_STEPS[0].min(settings.max_iterations) {
        let promised = -dot(&here.gradient, &along(&inverse, &here.gradient));
        if promised.abs() < NEAR || newton.tell(&here) {
            break;
        }
        let Some(next) = newton.step(&here, &inverse, true)? else { break };
        here = next;
        inverse = newton.inverse_curvature(&here)?;
    }
    let Some(mut here) = newton.at(&here.x, false)? else { return Ok(newton.end(&here.x)) };
    for _ in 0..MOST_STEPS[1].min(settings.max_iterations) {
        let largest = here.gradient.iter().fold(0.0, |largest: f64, g| largest.max(g.abs()));
        if largest <= settings.tolerance || newton.tell(&here) {
            break;
        }
        let Some(next) = newton.step(&here, &inverse, false)? else { break };
        learn(&mut inverse, &here, &next);
        here = next;
    }
    Ok(newton.end(&here.x))
}

/// A point, in units of the features, with the value of the minimised function and its gradient.
#[derive(Debug)]
struct At {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

struct Newton<'n, 'p, 'w> {
    model: &'n mut Whole<'p>,
    units: &'n Units,
    l2: f64,
    watch: &'n Watch<'w>,
    evaluations: usize,
    steps: usize,
}

impl Newton<'_, '_, '_> {
    /// `None` where the sums are not finite.
    fn at(&mut self, x: &[f64], sample: bool) -> Result<Option<At>, Error> {
        let theta = self.units.to_theta(x);
        self.evaluations += usize::from(!sample);
        let point = if sample { self.model.evaluate_sample(&theta) } else { self.model.evaluate(&theta) };
        let Some(Point { objective, gradient, .. }) = within_range(point)? else { return Ok(None) };
        let value = 0.5 * self.l2 * dot(&theta, &theta) - objective;
        let descent = |(k, (gradient, theta)): (usize, (f64, &f64))| (self.l2 * theta - gradient) / self.units.of(k);
        let gradient = gradient.into_iter().zip(&theta).enumerate().map(descent).collect();
        Ok(Some(At { x: x.to_vec(), value, gradient }))
    }

    fn end(&self, x: &[f64]) -> Near {
        Near { theta: self.units.to_theta(x), steps: self.steps, evaluations: self.evaluations }
    }

    /// Reports a point. Whether to stop.
    fn tell(&mut self, here: &At) -> bool {
        self.steps += 1;
        let gradient_norm = here.gradient.iter().fold(0.0, |largest: f64, g| largest.max(g.abs()));
        let (theta, objective) = (self.units.to_theta(&here.x), -here.value);
        let (iteration, evaluations) = (self.steps, self.evaluations);
        let progress = Progress { iteration, evaluations, theta: &theta, objective, gradient_norm };
        self.watch.tell(&Step::Iteration(progress)).is_break()
    }

    /// The inverse of the second derivatives on the sample, where eigenvalues that are too small for the differences
    /// are larger than they are.
    fn inverse_curvature(&mut self, here: &At) -> Result<Vec<f64>, Error> {
        let n = here.x.len();
        let mut matrix = vec![0.0; n * n];
        for k in 0..n {
            for step in [-DIFFERENCE, DIFFERENCE, -0.01 * DIFFERENCE] {
                let mut x = here.x.clone();
                x[k] += step;
                if let Some(there) = self.at(&x, true)? {
                    let slopes = there.gradient.iter().zip(&here.gradient).map(|(there, here)| (there - here) / step);
                    matrix[k * n..(k + 1) * n].iter_mut().zip(slopes).for_each(|(entry, slope)| *entry = slope);
                    break;
                }
            }
        }
        let symmetric: Vec<f64> = (0..n * n).map(|at| 0.5 * (matrix[at] + matrix[at % n * n + at / n])).collect();
        let mut eigen = Eigen::of(&symmetric, n);
        let least = FLATTEST * eigen.largest().max(f64::MIN_POSITIVE);
        eigen.values.iter_mut().for_each(|value| *value = value.max(least));
        Ok(eigen.inverse(&(0..n).collect::<Vec<usize>>()))
    }

    /// The next point: the whole step, or the longest of its halves that makes the value smaller. `None` if rounding
    /// hides any progress.
    fn step(&mut self, here: &At, inverse: &[f64], sample: bool) -> Result<Option<At>, Error> {
        let direction = along(inverse, &here.gradient);
        let slope = -dot(&here.gradient, &direction);
        if !(slope < 0.0 && slope.is_finite()) {
            return Ok(None);
        }
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            let x: Vec<f64> = here.x.iter().zip(&direction).map(|(x, step)| x - length * step).collect();
            let there = self.at(&x, sample)?;
            let enough = here.value + SUFFICIENT * length * slope;
            if let Some(there) = there.filter(|there| there.value <= enough) {
                return Ok(Some(there));
            }
            if -slope * length < NOISE * here.value.abs() {
                break;
            }
            length *= 0.5;
        }
        Ok(None)
    }
}

/// The product of a symmetric matrix and a vector.
fn along(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    matrix.chunks_exact(vector.len()).map(|row| dot(row, vector)).collect()
}

/// Makes the inverse curvature agree with the gradients of two points (Broyden, Fletcher, Goldfarb and Shanno 1970).
fn learn(inverse: &mut [f64], from: &At, to: &At) {
    let n = from.x.len();
    let difference = |to: &[f64], from: &[f64]| -> Vec<f64> { to.iter().zip(from).map(|(to, from)| to - from).collect() };
    let (step, change) = (difference(&to.x, &from.x), difference(&to.gradient, &from.gradient));
    let product = dot(&step, &change);
    if !(product > 0.0 && product.is_finite()) {
        return;
    }
    let moved = along(inverse, &change);
    let factor = (1.0 + dot(&change, &moved) / product) / product;
    for i in 0..n {
        for j in 0..n {
            inverse[i * n + j] += factor * step[i] * step[j] - (moved[i] * step[j] + step[i] * moved[j]) / product;
        }
    }
}
