//! What a table shows of a model, of whatever kind it is.

use std::path::Path;

use revealed::{Ends, ErrorKind, Horizon, Method, shown};

use crate::files::{input, json};
use crate::mixed::{MIXED_FORMAT, MixedRecord};
use crate::models::{Model, SummaryRecord};
use crate::nested::{NESTED_FORMAT, NestedRecord};
use crate::{Error, Fault};

/// The estimates of a model, and how well it fits. Lists have an entry for each parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct TableColumn {
    pub(super) title: String,
    pub(super) names: Vec<String>,
    pub(super) estimates: Vec<f64>,
    pub(super) errors: Vec<Option<f64>>,
    pub(super) z_values: Vec<Option<f64>>,
    pub(super) p_values: Vec<Option<f64>>,
    pub(super) standing: Vec<String>,
    /// Which errors they are.
    pub(super) kind_of_errors: String,
    pub(super) n: f64,
    pub(super) log_likelihood: f64,
    pub(super) rho_squared: Option<f64>,
    pub(super) aic: f64,
    pub(super) bic: Option<f64>,
    /// The method, the ends and the horizon: log-likelihoods of other ones are no ratio.
    pub(super) likelihood: [String; 3],
}

impl TableColumn {
    /// Reads the file of a model, a nested or a mixed recursive logit. Its title is the name of the file. `None` if it
    /// has no standard errors.
    ///
    /// # Errors
    /// If the file cannot be read, is of another format, or contradicts itself.
    pub fn load(path: impl AsRef<Path>) -> Result<Option<TableColumn>, Error> {
        let path = path.as_ref();
        let title = path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        let fault = |fault: Fault| Error::new(path, fault);
        let bytes = input::read(path).map_err(fault)?;
        match TableColumn::parse(&title, &bytes).map_err(fault)? {
            Some(column) => Ok(Some(column)),
            None => Ok(TableColumn::of_model(&title, &Model::load(path)?)),
        }
    }

    /// The content of such a file, with a title. `None` if it has no standard errors.
    ///
    /// # Errors
    /// If it is no such content, or contradicts itself.
    pub fn from_json(title: &str, text: &str) -> Result<Option<TableColumn>, Fault> {
        match TableColumn::parse(title, text.as_bytes())? {
            Some(column) => Ok(Some(column)),
            None => Ok(TableColumn::of_model(title, &json::parse(text.as_bytes())?)),
        }
    }

    /// A nested or mixed recursive logit; `None` if it is neither.
    fn parse(title: &str, bytes: &[u8]) -> Result<Option<TableColumn>, Fault> {
        let document = json::document(bytes)?;
        let format = document.get("format").and_then(|format| format.as_str());
        let column = match format {
            Some(MIXED_FORMAT) => TableColumn::of_mixed(title, &json::parse(bytes)?),
            Some(NESTED_FORMAT) => TableColumn::of_nested(title, &json::parse(bytes)?),
            _ => return Ok(None),
        };
        column.check()?;
        Ok(Some(column))
    }

    /// The column of a model; `None` if it has no standard errors.
    pub fn of_model(title: &str, model: &Model) -> Option<TableColumn> {
        let summary: &SummaryRecord = model.summary.as_ref()?;
        let name = |k: usize| model.names.get(k).cloned().unwrap_or_else(|| format!("feature {k}"));
        Some(TableColumn {
            title: title.to_string(),
            names: (0..model.theta.len()).map(name).collect(),
            estimates: model.theta.clone(),
            errors: summary.errors_in_use()[0].unwrap_or(&summary.standard_errors).to_vec(),
            z_values: summary.z_values.clone(),
            p_values: summary.p_values.clone(),
            standing: summary.standing.clone(),
            kind_of_errors: kind_of_errors(summary.is_robust(), summary.cluster.as_deref()),
            n: summary.n,
            log_likelihood: summary.log_likelihood,
            rho_squared: summary.rho_squared,
            aic: summary.aic,
            bic: Some(summary.bic),
            likelihood: [model.inference.name(), model.ends.name(), &model.horizon.to_string()].map(str::to_string),
        })
    }

    /// The column of a nested or discounted recursive logit.
    pub fn of_nested(title: &str, record: &NestedRecord) -> TableColumn {
        let robust = record.robust_standard_errors.as_ref().filter(|_| record.errors == ErrorKind::Robust.name());
        TableColumn {
            title: title.to_string(),
            names: record.names.clone(),
            estimates: record.parameters.clone(),
            errors: robust.unwrap_or(&record.standard_errors).clone(),
            z_values: record.z_values.clone(),
            p_values: record.p_values.clone(),
            standing: record.standing.clone(),
            kind_of_errors: kind_of_errors(robust.is_some(), record.cluster.as_deref()),
            n: record.n,
            log_likelihood: record.log_likelihood,
            rho_squared: None,
            aic: record.aic,
            bic: None,
            likelihood: of_routes(),
        }
    }

    /// The column of a mixed recursive logit.
    pub fn of_mixed(title: &str, record: &MixedRecord) -> TableColumn {
        let robust = record.robust_standard_errors.as_ref().filter(|_| record.errors == ErrorKind::Robust.name());
        TableColumn {
            title: title.to_string(),
            names: record.names.clone(),
            estimates: record.parameters.clone(),
            errors: robust.unwrap_or(&record.standard_errors).clone(),
            z_values: record.z_values.clone(),
            p_values: record.p_values.clone(),
            standing: record.standing.clone(),
            kind_of_errors: kind_of_errors(robust.is_some(), record.panel.as_deref()),
            n: record.n,
            log_likelihood: record.log_likelihood,
            rho_squared: None,
            aic: record.aic,
            bic: Some(record.bic),
            likelihood: of_routes(),
        }
    }

    /// Rejects lists of different lengths.
    fn check(&self) -> Result<(), Fault> {
        let lists = [
            ("names", self.names.len()),
            ("standing", self.standing.len()),
            ("standard_errors", self.errors.len()),
            ("z_values", self.z_values.len()),
            ("p_values", self.p_values.len()),
        ];
        match lists.into_iter().find(|list| list.1 != self.estimates.len()) {
            Some((name, found)) => {
                Err(Fault::entries(name, found, self.estimates.len(), format!("parameters has {}", self.estimates.len())))
            }
            None => Ok(()),
        }
    }
}

/// The likelihood of the recursive logit, which nested and mixed ones have, too.
fn of_routes() -> [String; 3] {
    [Method::RecursiveLogit.name(), Ends::Goal.name(), &Horizon::Any.to_string()].map(str::to_string)
}

fn kind_of_errors(is_robust: bool, cluster: Option<&str>) -> String {
    match (is_robust, cluster) {
        (true, Some(cluster)) => shown(cluster).into_owned(),
        (true, None) => "robust".to_string(),
        (false, _) => "model".to_string(),
    }
}
