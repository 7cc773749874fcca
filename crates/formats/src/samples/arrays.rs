//! Samples as arrays: a matrix of features, and a column for each other field.

use std::path::Path;

use revealed::SampleColumns;

use super::file::{FIELDS, SampleFile, no_features, to_length};
use crate::files::column::{self, Column};
use crate::files::fields::Fields;
use crate::{Error, Fault};

pub(super) fn read(path: &Path, as_samples: bool) -> Result<SampleFile, Fault> {
    let mut fields = Fields::open_npz(path)?;
    let unknown = fields.unknown(&FIELDS);
    let missing = |field: &str| Fault::missing(field, &unknown);
    let features = fields.matrix("features")?.ok_or_else(|| missing("features"))?;
    let n = features.rows;
    if features.columns == 0 {
        return Err(no_features());
    }
    let of_length = |field: &str, found: usize| match found == n {
        true => Ok(()),
        false => Err(Fault::entries(field, found, n, format!("features has {n} rows"))),
    };
    let mut columns = SampleColumns { n_features: features.columns, features: features.values, ..SampleColumns::default() };
    columns.names = fields.texts("names")?.unwrap_or_default();
    if !columns.names.is_empty() && columns.names.len() != columns.n_features {
        let (found, expected) = (columns.names.len(), columns.n_features);
        return Err(Fault::entries("names", found, expected, format!("there are {expected} features")));
    }
    if as_samples {
        columns.log_policy = fields.floats("log_policy")?.ok_or_else(|| missing("log_policy"))?;
        columns.log_reference = fields.floats("log_reference")?;
        columns.rollout = fields.integers("rollout")?;
        of_length("log_policy", columns.log_policy.len())?;
        columns.log_reference.iter().try_for_each(|column| of_length("log_reference", column.len()))?;
        columns.rollout.iter().try_for_each(|column| of_length("rollout", column.len()))?;
    }
    if let Some(length) = fields.integers("length")? {
        of_length("length", length.len())?;
        let checked: Result<_, Fault> =
            length.into_iter().enumerate().map(|(row, length)| to_length(length, Some(row))).collect();
        columns.length = Some(checked?);
    }
    let weights = match fields.floats("weights")? {
        Some(weights) => weights,
        None => fields.floats("weight")?.unwrap_or_else(|| vec![1.0; n]),
    };
    of_length("weights", weights.len())?;
    Ok(SampleFile { columns, weights })
}

pub(super) fn write(columns: &SampleColumns, path: &Path) -> Result<(), Error> {
    let mut arrays = vec![
        ("features".to_string(), Column::Rows(columns.n_features, &columns.features)),
        ("log_policy".to_string(), Column::Floats((&columns.log_policy).into())),
    ];
    if let Some(log_reference) = &columns.log_reference {
        arrays.push(("log_reference".to_string(), Column::Floats(log_reference.into())));
    }
    if let Some(length) = &columns.length {
        let length: Vec<i64> = length.iter().map(|&length| length as i64).collect();
        arrays.push(("length".to_string(), Column::Integers(length.into())));
    }
    if let Some(rollout) = &columns.rollout {
        arrays.push(("rollout".to_string(), Column::Integers(rollout.into())));
    }
    if !columns.names.is_empty() {
        arrays.push(("names".to_string(), Column::Texts(&columns.names)));
    }
    column::write_npz(path, &arrays)
}
