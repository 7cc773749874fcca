//! A model: θ, the path set that it was learned for, and how it was learned.

use std::path::Path;

use revealed::{Chance, Ends, Horizon, Method, check_names};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::history_record::HistoryRecord;
use super::luck::LuckRecord;
use super::model_free_record::ModelFreeRecord;
use super::names::{chance_name, ends_name, horizon_name, inference_name};
use super::summary_record::SummaryRecord;
use super::world_record::WorldRecord;
use crate::files::column::not_finite;
use crate::files::fields::Fields;
use crate::files::{atomic, input, json};
use crate::{Error, Fault};

/// The field `format` of model files.
pub const MODEL_FORMAT: &str = "revealed-model/1";

/// A learned model. θ, the horizon and the path set are needed to use it. The rest records how it was learned, and is
/// `None` if the file does not say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// [`MODEL_FORMAT`].
    #[serde(default = "format")]
    pub format: String,
    /// The version of the program that wrote it.
    #[serde(default)]
    pub version: Option<String>,
    /// θ.
    pub theta: Vec<f64>,
    /// The names of the features; empty if there are none.
    #[serde(default)]
    pub names: Vec<String>,
    /// How many states a path may have: a number, or `"any"`.
    #[serde(with = "horizon_name")]
    pub horizon: Horizon,
    /// Where paths may end.
    #[serde(with = "ends_name")]
    pub ends: Ends,
    /// How it was learned; exact if the file does not say.
    #[serde(default, with = "inference_name")]
    pub inference: Method,
    /// Who decides the outcomes of actions: that of `inference`.
    #[serde(default, with = "chance_name")]
    pub chance: Chance,
    /// γ.
    #[serde(default)]
    pub discount: Option<f64>,
    /// The mean log-likelihood per demonstration.
    #[serde(default)]
    pub log_likelihood: Option<f64>,
    /// Iterations of the optimiser.
    #[serde(default)]
    pub iterations: Option<usize>,
    /// Evaluations of the likelihood and its gradient.
    #[serde(default)]
    pub evaluations: Option<usize>,
    /// Whether the optimiser converged.
    #[serde(default)]
    pub converged: Option<bool>,
    /// Why it stopped.
    #[serde(default)]
    pub stopped_because: Option<String>,
    /// The norm of the gradient where it stopped.
    #[serde(default)]
    pub gradient_norm: Option<f64>,
    /// How long learning took.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// |𝓓|.
    #[serde(default)]
    pub n_demonstrations: Option<usize>,
    /// The bounds of each parameter, `null` if there is none; absent if no parameter has any.
    #[serde(default)]
    pub bounds: Option<Vec<[Option<f64>; 2]>>,
    /// The weight of the L2 penalty.
    #[serde(default)]
    pub l2: Option<f64>,
    /// [`Problem::digest`](crate::Problem::digest) of the problem it was learned on.
    #[serde(default)]
    pub problem_digest: Option<String>,
    /// Its features of the last states and the next step, which follow those of the problem in θ; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<HistoryRecord>,
    /// The worlds that it was learned in; absent if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worlds: Option<Vec<WorldRecord>>,
    /// How far to trust a model that was learned from samples; absent from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_free: Option<ModelFreeRecord>,
    /// The standard errors of θ and what goes with them; absent if they were not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<SummaryRecord>,
    /// How much of what the model explains is luck; absent without chance and from causal models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck: Option<LuckRecord>,
    /// What a reader of the model should know.
    #[serde(default)]
    pub notes: Vec<String>,
}

fn format() -> String {
    MODEL_FORMAT.to_string()
}

impl Model {
    /// A model of this version of the program, with what is needed to use it and nothing else.
    pub fn new(theta: Vec<f64>, horizon: impl Into<Horizon>, ends: Ends) -> Self {
        Model {
            format: format(),
            version: Some(env!("CARGO_PKG_VERSION").to_string()),
            theta,
            names: Vec::new(),
            horizon: horizon.into(),
            ends,
            inference: Method::Exact,
            chance: Chance::Tilted,
            discount: None,
            log_likelihood: None,
            iterations: None,
            evaluations: None,
            converged: None,
            stopped_because: None,
            gradient_norm: None,
            seconds: None,
            n_demonstrations: None,
            bounds: None,
            l2: None,
            problem_digest: None,
            history: None,
            worlds: None,
            model_free: None,
            summary: None,
            luck: None,
            notes: Vec::new(),
        }
    }

    /// Reads and checks a model. Fields that are not known are ignored.
    ///
    /// # Errors
    /// If the file cannot be read, is of another format, or contradicts itself.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, Error> {
        let path = path.as_ref();
        Model::read(path).map_err(|fault| Error::new(path, fault))
    }

    fn read(path: &Path) -> Result<Model, Fault> {
        let bytes = input::read(path)?;
        // First of all: another format has other fields, and a message about those would mislead.
        let document = json::document(&bytes)?;
        let says_chance = document.get("chance").is_some();
        if let Some(what) = only_in_tables(document.get("format").and_then(|format| format.as_str())) {
            return Err(Fault::OnlyInTables { what });
        }
        Fields::Json(document).check_format(MODEL_FORMAT)?;
        // From the bytes, whose errors have a line.
        json::parse::<Model>(&bytes)?.checked(says_chance)
    }

    /// A model of the content of its file, checked.
    ///
    /// # Errors
    /// If it is of another format, or contradicts itself.
    pub fn of_json(document: Value) -> Result<Model, Fault> {
        let says_chance = document.get("chance").is_some();
        let mut fields = Fields::Json(document);
        fields.check_format(MODEL_FORMAT)?;
        let Fields::Json(document) = fields else { return Err(Fault::Empty) };
        let model: Model = serde_json::from_value(document).map_err(|error| Fault::json(&error, ""))?;
        model.checked(says_chance)
    }

    /// The model, as this version would have written it.
    fn checked(self, says_chance: bool) -> Result<Model, Fault> {
        let mut model = self;
        // Older versions do not write it, and their causal models were learned by the dual.
        if !says_chance {
            model.chance = model.inference.chance();
            model.inference = if model.inference == Method::Causal { Method::CausalDual } else { model.inference };
        }
        model.check()?;
        // Older versions wrote the length of the longest demonstration, which such a model does not use.
        if model.inference == Method::RecursiveLogit {
            model.horizon = Horizon::Any;
        }
        Ok(model)
    }

    /// Whether it was learned on the problem with this digest, or does not say on which.
    pub fn knows(&self, digest: &str) -> bool {
        match (&self.worlds, &self.problem_digest) {
            (Some(worlds), _) => worlds.iter().any(|world| world.problem_digest == digest),
            (None, Some(known)) => known == digest,
            (None, None) => true,
        }
    }

    /// Checks the model and writes it.
    ///
    /// # Errors
    /// If it contradicts itself, or the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        self.check().map_err(|fault| Error::new(path, fault))?;
        atomic::write(path, |writer| json::write(writer, self))
    }

    /// The same for a checkpoint beside an output: never through a link, see [`atomic::write_beside`].
    ///
    /// # Errors
    /// As [`save`](Self::save), and if the file is a link.
    pub fn save_beside(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        self.check().map_err(|fault| Error::new(path, fault))?;
        atomic::write_beside(path, |writer| json::write(writer, self))
    }

    fn check(&self) -> Result<(), Fault> {
        if self.format != MODEL_FORMAT {
            return Err(Fault::Format { found: format!("\"{}\"", self.format), expected: MODEL_FORMAT });
        }
        if self.theta.is_empty() {
            return Err(Fault::value("theta", None, "an array of no numbers", "one number per feature"));
        }
        if let Some(fault) = not_finite("theta", &self.theta).next() {
            return Err(fault);
        }
        if self.horizon == Horizon::AtMost(0) {
            return Err(Fault::value("horizon", None, self.horizon, "a whole number, 1 or more, or \"any\""));
        }
        if self.chance != self.inference.chance() {
            let expected = match self.inference.chance() {
                Chance::Tilted => "\"tilted\", because inference is not causal",
                Chance::Fixed => "\"fixed\", because inference is causal",
            };
            return Err(Fault::value("chance", None, format!("\"{}\"", self.chance.name()), expected));
        }
        if !self.names.is_empty() {
            self.one_per_parameter("names", self.names.len())?;
            check_names(&self.names)?;
        }
        if let Some(history) = &self.history {
            history.check("history.windows")?;
            if history.n_features >= self.theta.len() {
                let expected = "less than the length of theta, where the features of the problem come first";
                return Err(Fault::value("history.n_features", None, history.n_features, expected));
            }
        }
        if let Some(bounds) = &self.bounds {
            self.one_per_parameter("bounds", bounds.len())?;
        }
        let columns = self.summary.iter().flat_map(SummaryRecord::columns);
        columns.into_iter().try_for_each(|(field, found)| self.one_per_parameter(field, found))
    }

    fn one_per_parameter(&self, field: &str, found: usize) -> Result<(), Fault> {
        let expected = self.theta.len();
        if found == expected {
            return Ok(());
        }
        Err(Fault::entries(field, found, expected, format!("theta has {expected}")))
    }
}

/// The kind of a file that has estimates of a model, but not the model of which questions are asked.
fn only_in_tables(format: Option<&str>) -> Option<&'static str> {
    match format?.split('/').next() {
        Some("revealed-nested") => Some("nested or discounted"),
        Some("revealed-mixed") => Some("mixed"),
        _ => None,
    }
}
