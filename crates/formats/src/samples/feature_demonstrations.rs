//! Demonstrations by their features alone, for model-free learning.

use std::path::Path;

use super::file::{SampleFile, read};
use crate::{Error, Fault};

/// Demonstrations of which only the features are known.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureDemonstrations {
    /// How many features each has.
    pub n_features: usize,
    /// φ(τ) of one demonstration after another.
    pub features: Vec<f64>,
    /// How much each counts.
    pub weights: Vec<f64>,
    /// The states of the longest, if the file says.
    pub longest: Option<usize>,
}

impl FeatureDemonstrations {
    /// Reads and checks demonstrations. The files are those of samples, and only `features` is required.
    ///
    /// # Errors
    /// If the file cannot be read, holds something that is not a demonstration, or has none.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let read = || {
            let SampleFile { columns, weights } = read(path, false)?;
            let k = columns.n_features;
            if let Some(place) = columns.features.iter().position(|value| !value.is_finite()) {
                let field = format!("features[{}]", place % k);
                return Err(Fault::value(&field, place / k, columns.features[place], "a finite number"));
            }
            if let Some(row) = weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
                return Err(Fault::value("weight", row, weights[row], "a finite number, 0 or more"));
            }
            let total: f64 = weights.iter().sum();
            if !total.is_finite() {
                return Err(revealed::Error::WeightSum(total).into());
            }
            if total == 0.0 {
                return Err(revealed::Error::NoDemonstrations.into());
            }
            let longest = columns.length.and_then(|length| length.into_iter().max());
            Ok(FeatureDemonstrations { n_features: k, features: columns.features, weights, longest })
        };
        read().map_err(|fault| Error::new(path, fault))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Always false: an empty file is an error.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// E_D\[φ(τ)\].
    pub fn mean(&self) -> Vec<f64> {
        let total: f64 = self.weights.iter().sum();
        let mut mean = vec![0.0; self.n_features];
        for (row, weight) in self.features.chunks_exact(self.n_features).zip(&self.weights) {
            mean.iter_mut().zip(row).for_each(|(mean, phi)| *mean += weight / total * phi);
        }
        mean
    }
}
