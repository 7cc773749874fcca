//! The results of cross-validation: a table of penalties, and which of them to choose.

use crate::engine::Horizon;
use crate::learning::Fit;
use crate::model::Ends;
use crate::world::Demonstrations;

/// The result of cross-validation.
#[derive(Debug, Clone, PartialEq)]
pub struct Validation {
    /// How many states a path may have.
    pub horizon: Horizon,
    /// The set of paths that the model is a distribution over.
    pub ends: Ends,
    /// The fold of each demonstration; `None` for those of weight 0.
    pub fold_of: Vec<Option<usize>>,
    /// One for each penalty, in the order given.
    pub penalties: Vec<Penalty>,
    /// The penalty with the largest held-out log-likelihood; the largest penalty if several are tied.
    pub best: usize,
    /// The largest penalty that is worse than the best by at most one standard error of the difference.
    pub simplest: usize,
}

/// The scores of one penalty.
#[derive(Debug, Clone, PartialEq)]
pub struct Penalty {
    /// The penalty.
    pub l2: f64,
    /// The mean log-likelihood of the demonstrations, each under the fit that did not see it.
    pub held_out: f64,
    /// The standard error of that mean, for independent demonstrations.
    pub standard_error: f64,
    /// The held-out mean of the best penalty minus this one.
    pub shortfall: f64,
    /// The standard error of the shortfall, from paired differences: each demonstration is compared with itself. That
    /// some demonstrations are longer than others makes both means uncertain, but not their difference.
    pub shortfall_error: f64,
    /// The mean log-likelihood of the demonstrations under the fits that saw them.
    pub in_sample: f64,
    /// log p(τ) of each demonstration under the fit that did not see it; `None` for those of weight 0.
    pub each: Vec<Option<f64>>,
    /// One for each fold. [`Fit::stopped_because`] explains a fit that did not converge.
    pub folds: Vec<Fold>,
}

/// One fold.
#[derive(Debug, Clone, PartialEq)]
pub struct Fold {
    /// The demonstrations that were held out.
    pub members: Vec<usize>,
    /// log p(τ) of each of them.
    pub each: Vec<f64>,
    /// Their mean log-likelihood.
    pub held_out: f64,
    /// The fit to the other folds. Its log-likelihood is that of the other folds.
    pub fit: Fit,
}

impl Penalty {
    pub(crate) fn new(l2: f64, demos: &Demonstrations, folds: Vec<Fold>) -> Penalty {
        let mut each = vec![None; demos.len()];
        for fold in &folds {
            fold.members.iter().zip(&fold.each).for_each(|(&index, &value)| each[index] = Some(value));
        }
        let (held_out, standard_error) = mean(demos, &each);
        let total: f64 = folds.iter().flat_map(|fold| &fold.members).map(|&index| demos.weight(index)).sum();
        // Not the total minus their weight, which would be rounding error next to a heavy fold.
        let seen = |held_out: usize| -> f64 {
            let others = folds.iter().enumerate().filter(|row| row.0 != held_out);
            others.flat_map(|(_, fold)| &fold.members).map(|&index| demos.weight(index) / total).sum()
        };
        let in_sample = weighted_mean(folds.iter().enumerate().map(|(place, fold)| (seen(place), fold.fit.log_likelihood)));
        Penalty { l2, held_out, standard_error, shortfall: 0.0, shortfall_error: 0.0, in_sample, each, folds }
    }
}

/// Σ weight · value / Σ weight.
pub(crate) fn weighted_mean(rows: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let total: f64 = rows.clone().map(|row| row.0).sum();
    rows.map(|(weight, value)| weight / total * value).sum()
}

/// The mean over the demonstrations that have a value, and its standard error.
fn mean(demos: &Demonstrations, values: &[Option<f64>]) -> (f64, f64) {
    let row = |(index, value): (usize, &Option<f64>)| Some((demos.weight(index), (*value)?));
    let rows: Vec<(f64, f64)> = values.iter().enumerate().filter_map(row).collect();
    let mean = weighted_mean(rows.iter().copied());
    let total: f64 = rows.iter().map(|row| row.0).sum();
    // The standard error of a weighted mean; s / √n if the weights are equal.
    let squares: f64 = rows.iter().map(|&(weight, value)| (weight / total * (value - mean)).powi(2)).sum();
    let n = rows.len() as f64;
    (mean, (squares * n / (n - 1.0)).sqrt())
}

/// The best penalty, and the largest one that is not significantly worse. Also sets the shortfall of each penalty.
pub(crate) fn choose(demos: &Demonstrations, penalties: &mut [Penalty]) -> (usize, usize) {
    let places = || 0..penalties.len();
    let by_value = |one: &Penalty, other: &Penalty| one.held_out.total_cmp(&other.held_out).then(one.l2.total_cmp(&other.l2));
    let best = places().max_by(|&one, &other| by_value(&penalties[one], &penalties[other])).expect("there is one");
    let of_best = penalties[best].each.clone();
    for penalty in penalties.iter_mut() {
        let pairs = of_best.iter().zip(&penalty.each);
        let less: Vec<Option<f64>> = pairs.map(|(best, own)| best.zip(*own).map(|(best, own)| best - own)).collect();
        (penalty.shortfall, penalty.shortfall_error) = mean(demos, &less);
    }
    let good = (0..penalties.len()).filter(|&place| penalties[place].shortfall <= penalties[place].shortfall_error);
    let simplest = good.max_by(|&one, &other| penalties[one].l2.total_cmp(&penalties[other].l2)).unwrap_or(best);
    (best, simplest)
}
