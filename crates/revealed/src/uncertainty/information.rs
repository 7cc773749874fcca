//! I(Θ), the Fisher information of one demonstration: the curvature of the log-likelihood.

use crate::Error;
use crate::learning::climb::within_range;
use crate::model::{Likelihood, RouteChoice};
use crate::watch::Watch;
use crate::world::{Features, PlaceSums};

/// The step of the finite differences, in units of 1 / feature. The five-point formula has an error of about step⁴, and
/// rounding adds about 1e-15 / step: both are then about 1e-11.
const STEP: f64 = 2e-3;
/// A feature that is nearly constant along paths may get a step up to this many times longer. With a shorter one,
/// rounding of its large common part would hide its variance.
const FURTHER: f64 = 100.0;
/// The differences with one and with two steps must agree to this, or the step is too long. The error of the five-point
/// formula is about its square.
const CURVED: f64 = 1e-4;
const SHORTER: f64 = 0.25;
const MOST_TRIALS: usize = 8;
/// Steps smaller than this fraction of θ would be lost in rounding.
const LEAST: f64 = 1e-10;
/// The relative error of an expected feature, with a margin.
const ROUNDING: f64 = 1e-14;
/// A variance below this fraction of the squared mean is rounding error.
const CONSTANT: f64 = 1e-11;
/// A variance is known if its error is at most this fraction of it. If not, the feature counts as constant along paths.
const KNOWN: f64 = 0.1;
/// The maximum number of parameters. The matrix has their square as entries, and later steps take their cube in time.
const MOST: usize = 2000;

/// I(Θ) = Cov_Θ\[φ(τ)\] = -∇²ℓ(Θ), by finite differences of the exact gradient.
///
/// For [`Ends::Goal`](crate::Ends::Goal) and for [`RouteChoice`] it is the mean over the demonstrations of the
/// covariance given their ends. Each column takes four gradients, at one and two steps to either side, and more if the
/// first step turns out to be too long.
///
/// ```
/// use revealed::{Demonstrations, Ends, Features, Information, Likelihood, MdpBuilder, Options, Trajectory, Watch};
///
/// // A fork, with an indicator for each state. Both branches have probability 1/2 at θ = 0.
/// let mut builder = MdpBuilder::new(3, 2);
/// builder.start(0, 1.0).terminal(1).terminal(2).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
/// let mdp = builder.build()?;
/// let features = Features::one_hot(&mdp);
/// let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 1], vec![0])])?;
/// let options = Options { ends: Ends::Terminal, ..Options::default() };
/// let mut likelihood = Likelihood::new(&mdp, &features, &demos, &options)?;
/// let information = Information::new(&mut likelihood, &[0.0; 3], &Watch::none())?;
/// assert!((information.at(1, 1) - 0.25).abs() < 1e-9 && (information.at(1, 2) + 0.25).abs() < 1e-9);
/// // Every path begins in state 0.
/// assert!(information.at(0, 0).abs() < 1e-9);
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Information {
    n: usize,
    matrix: Vec<f64>,
    gradient: Vec<f64>,
    unit: Vec<f64>,
    /// The error of each entry.
    errors: Vec<f64>,
}

impl Information {
    /// The information at θ. Reports each parameter to `watch`.
    ///
    /// # Errors
    /// [`Error::TooManyParameters`] for more than 2,000, [`Error::Stopped`] if `watch` stops it, or any error of
    /// [`Likelihood::evaluate`].
    pub fn new(likelihood: &mut Likelihood<'_>, theta: &[f64], watch: &Watch<'_>) -> Result<Information, Error> {
        let (features, observed) = (likelihood.features(), likelihood.observed().to_vec());
        Self::check(features.n_features())?;
        Self::by_differences(&over_places(features), &observed, |theta| Ok(likelihood.evaluate(theta)?.gradient), theta, watch)
    }

    /// The information of the recursive logit. Close to a θ where sums over all paths diverge, the steps are short.
    ///
    /// # Errors
    /// [`Error::TooManyParameters`] for more than 2,000, [`Error::Stopped`] if `watch` stops it, or any error of
    /// [`RouteChoice::evaluate`] at θ itself.
    pub fn of_routes(choice: &mut RouteChoice<'_>, theta: &[f64], watch: &Watch<'_>) -> Result<Information, Error> {
        let (features, observed) = (choice.features(), choice.observed().to_vec());
        Self::check(features.n_features())?;
        Self::by_differences(&over_places(features), &observed, |theta| Ok(choice.evaluate(theta)?.gradient), theta, watch)
    }

    /// From the gradient of any log-likelihood by parameters of these sizes: a step is a small fraction of 1 / size.
    /// `observed` holds the mean features of the demonstrations.
    pub(crate) fn by_differences(
        places: &[f64],
        observed: &[f64],
        mut gradient_at: impl FnMut(&[f64]) -> Result<Vec<f64>, Error>,
        theta: &[f64],
        watch: &Watch<'_>,
    ) -> Result<Information, Error> {
        let n = places.len();
        let gradient = gradient_at(theta)?;
        let largest_mean = |(observed, gradient): (&f64, &f64)| observed.abs().max((observed - gradient).abs());
        let mean: Vec<f64> = observed.iter().zip(&gradient).map(largest_mean).collect();
        let mut columns = Columns { gradient_at: &mut gradient_at, theta, mean: &mean, places };
        let (mut column, mut step) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for k in 0..n {
            let (entries, taken) = columns.column(k)?;
            column.push(entries);
            step.push(taken);
            watch.tell_parts("parameters", k + 1, n)?;
        }
        let spread = (0..n).map(|k| column[k][k].max(0.0).sqrt());
        let unit = spread.zip(places).map(|(spread, &places): (f64, &f64)| spread.max(places)).collect();
        let (matrix, errors) = symmetric(&column, &mean, &step);
        Ok(Information { n, matrix, gradient, unit, errors })
    }

    /// Rejects too many parameters.
    pub(crate) fn check(n_features: usize) -> Result<(), Error> {
        match n_features {
            found if found > MOST => Err(Error::TooManyParameters { found, most: MOST }),
            _ => Ok(()),
        }
    }

    /// The number of parameters.
    pub fn n_parameters(&self) -> usize {
        self.n
    }

    /// Cov\[φ_i, φ_j\].
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.matrix[i * self.n + j]
    }

    /// The whole matrix, row by row. Rows of features without variance are zero.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// ∇ℓ at the same θ.
    pub fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// An estimate of the largest effect of rounding on a correlation of two features.
    pub fn error(&self) -> f64 {
        let varies = |k: &usize| self.at(*k, *k) > 0.0;
        let pairs = (0..self.n).filter(varies).flat_map(|i| (0..=i).filter(varies).map(move |j| (i, j)));
        pairs.map(|(i, j)| self.error_at(i, j) / (self.at(i, i) * self.at(j, j)).sqrt()).fold(0.0, f64::max)
    }

    /// An estimate of the error of one entry.
    pub(crate) fn error_at(&self, i: usize, j: usize) -> f64 {
        self.errors[i * self.n + j]
    }

    /// The scale of a feature: its standard deviation over paths, or its size in a single place if that is larger.
    pub(crate) fn unit(&self, k: usize) -> f64 {
        self.unit[k]
    }
}

/// The symmetric matrix from its columns, and the error of each entry.
///
/// Entry (j, k) has the rounding error of E\[φ_j\] over the step of k. Of two entries that should be equal, the more
/// accurate one gets more weight. If loops cost very little, rounding is larger than that, and the difference of the
/// two shows by how much.
fn symmetric(column: &[Vec<f64>], mean: &[f64], step: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = column.len();
    let noise = |j: usize, k: usize| ROUNDING * mean[j] / step[k];
    let varies = |k: usize| column[k][k] > f64::max(CONSTANT * mean[k] * mean[k], noise(k, k) / KNOWN);
    let (mut matrix, mut errors) = (vec![0.0; n * n], vec![0.0; n * n]);
    let known: Vec<usize> = (0..n).filter(|&k| varies(k)).collect();
    for (place, &k) in known.iter().enumerate() {
        for &j in &known[..=place] {
            let (a, b) = (noise(j, k), noise(k, j));
            let both = a.hypot(b);
            let share = if both > 0.0 { (b / both).powi(2) } else { 0.5 };
            let entry = share * column[k][j] + (1.0 - share) * column[j][k];
            let differ = (column[k][j] - column[j][k]).abs();
            let error = if both > 0.0 { a / both * b * f64::max(1.0, differ / both) } else { differ };
            for (row, column) in [(j, k), (k, j)] {
                (matrix[row * n + column], errors[row * n + column]) = (entry, error);
            }
        }
    }
    (matrix, errors)
}

/// The root mean square of each feature over the places where it is not zero; 1 for a feature that is zero everywhere.
fn over_places(features: &Features) -> Vec<f64> {
    PlaceSums::new(features).iter().map(PlaceSums::root_mean_square).collect()
}

/// ∇ℓ at a θ.
type GradientAt<'a> = dyn FnMut(&[f64]) -> Result<Vec<f64>, Error> + 'a;

/// The inputs from which the columns of the matrix are computed.
struct Columns<'a> {
    gradient_at: &'a mut GradientAt<'a>,
    theta: &'a [f64],
    /// The larger of the observed and the expected features.
    mean: &'a [f64],
    places: &'a [f64],
}

impl Columns<'_> {
    /// -∂∇ℓ/∂θ_k, and the step that was used.
    fn column(&mut self, k: usize) -> Result<(Vec<f64>, f64), Error> {
        let mean = self.mean[k];
        let size = mean.max(self.places[k]);
        let mut step = (STEP / size).max(LEAST * self.theta[k].abs());
        let mut found = self.within(k, step)?;
        for _ in 0..MOST_TRIALS {
            if found.is_some() {
                break;
            }
            step *= SHORTER;
            found = self.within(k, step)?;
        }
        let mut near = found.map_or_else(|| self.pair(k, step), Ok)?;
        // Nearly the same for all paths: the standard deviation is much smaller than the mean.
        let spread = near.slope(k).max(0.0).sqrt();
        if mean == size && spread < 0.1 * mean {
            let further = (STEP / spread).min(FURTHER * step);
            if let Some(pair) = self.within(k, further)? {
                (step, near) = (further, pair);
            }
        }
        for _ in 0..MOST_TRIALS {
            if let Some(far) = self.within(k, 2.0 * step)? {
                let (one, two) = (near.slope(k), far.slope(k));
                let hidden = one.abs() <= 100.0 * CONSTANT * mean * mean;
                if hidden || (one - two).abs() <= CURVED * one.abs() {
                    return Ok((five_points(&near, &far), step));
                }
            }
            step *= SHORTER;
            near = self.pair(k, step)?;
        }
        let far = self.pair(k, 2.0 * step)?;
        Ok((five_points(&near, &far), step))
    }

    /// `None` if a step to either side leaves the range where the likelihood is finite.
    fn within(&mut self, k: usize, step: f64) -> Result<Option<Pair>, Error> {
        within_range(self.pair(k, step))
    }

    fn pair(&mut self, k: usize, step: f64) -> Result<Pair, Error> {
        let here = self.theta[k];
        let mut theta = self.theta.to_vec();
        let mut fall = vec![0.0; theta.len()];
        for (to, sign) in [(here - step, 1.0), (here + step, -1.0)] {
            theta[k] = to;
            let gradient = (self.gradient_at)(&theta)?;
            fall.iter_mut().zip(gradient).for_each(|(fall, gradient)| *fall += sign * gradient);
        }
        // Not 2 · step, because the two points were rounded.
        Ok(Pair { fall, apart: (here + step) - (here - step) })
    }
}

/// The difference of the gradients on the two sides of θ_k.
struct Pair {
    fall: Vec<f64>,
    apart: f64,
}

impl Pair {
    fn slope(&self, j: usize) -> f64 {
        self.fall[j] / self.apart
    }
}

/// The derivative from differences of one and of two steps, whose second-order errors cancel.
fn five_points(near: &Pair, far: &Pair) -> Vec<f64> {
    let apart = 8.0 * near.apart - far.apart;
    near.fall.iter().zip(&far.fall).map(|(near, far)| (8.0 * near - far) / apart).collect()
}
