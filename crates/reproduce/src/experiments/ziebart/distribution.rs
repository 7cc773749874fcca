//! The distribution of the exact algorithm's error over data sets, and of its mean over as many data sets as the paper
//! has.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{MANY, PAPER_EXACT};
use crate::error::Error;
use crate::folder::Results;
use crate::report::{Number, Table};
use crate::statistics::{Mean, mean, quantile};

/// The paper's number of data sets.
pub(crate) const PAPER_SETS: usize = 50;
const RESAMPLES: usize = 10_000;
const SEED: u64 = 15;

/// The errors of many data sets.
pub(crate) struct Distribution {
    pub errors: Vec<f64>,
    /// The values that the error takes, rounded to a tenth, and the share of each; the most frequent first.
    pub values: Vec<(f64, f64)>,
    pub mean: Mean,
    /// Means of 50 errors, drawn with replacement; sorted.
    means: Vec<f64>,
}

impl Distribution {
    pub fn read(results: &Results) -> Result<Distribution, Error> {
        let rows = results.with("choices", MANY);
        Ok(Distribution::new(rows.map(|row| row.number("ile")).collect::<Result<Vec<_>, _>>()?))
    }

    fn new(errors: Vec<f64>) -> Distribution {
        let mut counts: Vec<(f64, usize)> = Vec::new();
        for error in &errors {
            let value = (10.0 * error).round() / 10.0;
            match counts.iter_mut().find(|(found, _)| *found == value) {
                Some((_, count)) => *count += 1,
                None => counts.push((value, 1)),
            }
        }
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
        let share = |(value, count)| (value, count as f64 / errors.len() as f64);
        Distribution { values: counts.into_iter().map(share).collect(), mean: mean(&errors), means: bootstrap(&errors), errors }
    }

    /// The share of means of 50 data sets that are at least this.
    pub fn at_least(&self, value: f64) -> f64 {
        self.means.iter().filter(|&&mean| mean >= value).count() as f64 / self.means.len() as f64
    }

    /// The interval that holds 90 % of the means of 50 data sets.
    pub fn range(&self) -> (f64, f64) {
        (quantile(&self.means, 0.05), quantile(&self.means, 0.95))
    }

    /// Whether the paper's mean is an ordinary one: neither among the highest 5 % nor among the lowest.
    pub fn holds_paper(&self) -> bool {
        let (low, high) = self.range();
        (low..=high).contains(&PAPER_EXACT[0].0)
    }

    pub fn table(&self) -> Table {
        let row = |&(value, share): &(f64, f64)| vec![format!("{value:.1}").into(), format!("{:.1} %", 100.0 * share).into()];
        let (low, high) = self.range();
        Table::new(
            format!("The error of the exact algorithm over {} data sets of 50 paths", self.errors.len()),
            &["inverse learning error", "share of data sets"],
            self.values.iter().map(row).collect(),
            format!(
                "The error depends on the learned policy only, so it takes few values. Its mean is {}. Of {RESAMPLES} bootstrap means of \
                 {PAPER_SETS} data sets, 90 % lie between {low:.1} and {high:.1}, and {:.1} % are at least the paper's {:.1}. `reward-recovery` \
                 has the same settings at 50 paths, and other data sets: a test runs both on the same data.",
                self.mean,
                100.0 * self.at_least(PAPER_EXACT[0].0),
                PAPER_EXACT[0].0
            ),
        )
    }

    pub fn numbers(&self) -> Vec<Number> {
        let (low, high) = self.range();
        vec![
            self.mean.number("exact_ile_many", Some(PAPER_EXACT[0].0)),
            Number::new("exact_ile_data_sets", None, self.errors.len() as f64),
            Number::new("exact_ile_values", None, self.values.len() as f64),
            Number::new("exact_ile_mean_of_50_low", None, low),
            Number::new("exact_ile_mean_of_50_high", None, high),
            Number::new("exact_ile_mean_of_50_at_least_paper", None, self.at_least(PAPER_EXACT[0].0)),
        ]
    }
}

/// Means of as many errors as the paper has data sets, drawn with replacement; sorted.
fn bootstrap(errors: &[f64]) -> Vec<f64> {
    if errors.is_empty() {
        return Vec::new();
    }
    let mut rng = Pcg64Mcg::seed_from_u64(SEED);
    let mut one = || (0..PAPER_SETS).map(|_| errors[rng.random_range(0..errors.len())]).sum::<f64>() / PAPER_SETS as f64;
    let mut means: Vec<f64> = (0..RESAMPLES).map(|_| one()).collect();
    means.sort_by(f64::total_cmp);
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One data set in ten has an error of 300: the number of them among 50 is binomial.
    #[test]
    fn bootstrap_means_are_binomial() {
        let errors: Vec<f64> = (0..1_000).map(|set| if set % 10 == 0 { 300.0 } else { 0.0 }).collect();
        let distribution = Distribution::new(errors);
        assert_eq!(distribution.values, [(0.0, 0.9), (300.0, 0.1)]);
        assert_eq!(distribution.mean.mean, 30.0);
        // P(at least 9 of 50) = 0.0579 for p = 0.1; a mean of 9 of them is 54.
        assert!((distribution.at_least(54.0) - 0.0579).abs() < 0.01, "{}", distribution.at_least(54.0));
        assert!((distribution.at_least(0.0) - 1.0).abs() < 1e-12 && distribution.at_least(301.0) == 0.0);
        assert!(distribution.holds_paper() == (distribution.range().1 >= PAPER_EXACT[0].0));
    }
}
