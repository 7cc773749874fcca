//! Likelihood-ratio tests between the models of a table.

use revealed::{Standing, chi_squared_tail};

use super::column::TableColumn;

/// Log-likelihoods that differ by less than this, relative to their size, are equal to the precision of a search.
const EQUAL: f64 = 1e-9;

/// A model compared with a special case of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LikelihoodRatio {
    /// The title of the special case.
    pub against: String,
    /// Twice the difference of the log-likelihoods.
    pub ratio: f64,
    /// How many parameters more are estimated.
    pub degrees: usize,
    /// By the chi-squared distribution. A spread whose bound is 0 in the special case makes it an upper bound.
    pub p_value: f64,
}

impl LikelihoodRatio {
    /// Of a model against the largest other one whose parameters it all has. Both have the same kind of likelihood and
    /// as many demonstrations. `None` if there is no such model.
    pub fn new(column: &TableColumn, columns: &[TableColumn]) -> Option<LikelihoodRatio> {
        let within = columns.iter().filter(|other| is_within(other, column));
        let other = within.reduce(|largest, other| if other.names.len() > largest.names.len() { other } else { largest })?;
        let is_estimated = |&k: &usize| column.standing[k] != Standing::Unidentified.name();
        let more = (0..column.names.len()).filter(|&k| other.place(&column.name(k)).is_none());
        let degrees = more.filter(is_estimated).count();
        let ratio = 2.0 * (column.log_likelihood - other.log_likelihood);
        // A search that ended too early is no test.
        if degrees == 0 || ratio < -EQUAL * column.log_likelihood.abs() {
            return None;
        }
        let ratio = ratio.max(0.0);
        Some(LikelihoodRatio { against: other.title.clone(), ratio, degrees, p_value: chi_squared_tail(ratio, degrees) })
    }
}

/// Whether a model is a special case of another, by the names of their parameters.
fn is_within(one: &TableColumn, other: &TableColumn) -> bool {
    one.names.len() < other.names.len()
        && one.n == other.n
        && one.likelihood == other.likelihood
        && (0..one.names.len()).all(|k| other.place(&one.name(k)).is_some())
}
