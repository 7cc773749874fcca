//! A model: θ, the path set that it was learned for, and how it was learned.

use std::path::Path;

use revealed::{Ends, Method};
use serde::{Deserialize, Serialize};

use crate::fields::Fields;
use crate::table::not_finite;
use crate::{Error, Fault, SummaryRecord, atomic, input, json};

/// What model files say they are.
pub const MODEL_FORMAT: &str = "revealed-model/1";

/// What was learned. θ, the horizon and the path set are needed to use it; the rest says how it came about, and is
/// `None` where the file does not say.
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
    /// The names of the features; empty where there are none.
    #[serde(default)]
    pub names: Vec<String>,
    /// L: the most states of a path.
    pub horizon: usize,
    /// Where paths may end.
    #[serde(with = "ends_name")]
    pub ends: Ends,
    /// Which expectations were matched in learning; exact where the file does not say. `causal` is a model of its own.
    #[serde(default, with = "inference_name")]
    pub inference: Method,
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
    /// Whether the optimiser says that it arrived.
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
    /// The bounds of each parameter, `null` where there is none; absent if no parameter has any.
    #[serde(default)]
    pub bounds: Option<Vec<[Option<f64>; 2]>>,
    /// The weight of the L2 penalty.
    #[serde(default)]
    pub l2: Option<f64>,
    /// [`Problem::digest`](crate::Problem::digest) of the problem it was learned on.
    #[serde(default)]
    pub problem_digest: Option<String>,
    /// How far to trust a model that was learned from samples; absent from others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_free: Option<ModelFreeRecord>,
    /// How sure θ is; absent where nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<SummaryRecord>,
    /// What a reader of the model should know.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What is known of a model that was learned from samples: see [`revealed::ModelFreeFit`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFreeRecord {
    /// How many samples there were.
    pub samples: usize,
    /// How many rollouts they came from.
    pub rollouts: usize,
    /// What stood for the baseline policy: `reference` or `one`.
    pub baseline: String,
    /// θ·E_D\[φ\] - log Ẑ(θ): the log-likelihood but for a constant.
    pub objective: f64,
    /// log Ẑ(θ).
    pub log_partition: f64,
    /// Its standard error.
    pub log_partition_error: f64,
    /// So many samples of the learned model would say as much.
    pub effective_sample_size: f64,
    /// The share of all weight that the heaviest rollout has.
    pub largest_share: f64,
    /// The standard error of each component of the gradient.
    pub gradient_error: Vec<f64>,
    /// The standard error of each parameter that comes from sampling; `null` where there is no telling.
    pub standard_error: Option<Vec<f64>>,
    /// Directions of θ that change no weight.
    pub flat_directions: usize,
    /// Whether the samples say that the estimate is worthless.
    pub worthless: bool,
}

fn format() -> String {
    MODEL_FORMAT.to_string()
}

impl Model {
    /// A model of this version of the program, with what is needed to use it and nothing else.
    pub fn new(theta: Vec<f64>, horizon: usize, ends: Ends) -> Self {
        Model {
            format: format(),
            version: Some(env!("CARGO_PKG_VERSION").to_string()),
            theta,
            names: Vec::new(),
            horizon,
            ends,
            inference: Method::Exact,
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
            model_free: None,
            summary: None,
            notes: Vec::new(),
        }
    }

    /// Reads and checks a model. Fields that are not known are ignored.
    ///
    /// # Errors
    /// If the file cannot be read, is of another format, or says something that cannot be.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, Error> {
        let path = path.as_ref();
        Model::read(path).map_err(|fault| Error::new(path, fault))
    }

    fn read(path: &Path) -> Result<Model, Fault> {
        let bytes = input::read(path)?;
        // First of all: another format has other fields, and complaining of those would mislead.
        Fields::Json(json::parse(&bytes)?).check_format(MODEL_FORMAT)?;
        let model: Model = json::parse(&bytes)?;
        model.check()?;
        Ok(model)
    }

    /// Checks the model and writes it.
    ///
    /// # Errors
    /// If it says something that cannot be, or the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        self.check().map_err(|fault| Error::new(path, fault))?;
        atomic::write(path, |writer| json::write(writer, self))
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
        if self.horizon < 1 {
            return Err(Fault::value("horizon", None, self.horizon, "a whole number, 1 or more"));
        }
        if !self.names.is_empty() {
            self.one_per_parameter("names", self.names.len())?;
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
        Err(Fault::Entries { field: field.to_string(), found, expected, why: format!("theta has {expected}") })
    }
}

/// [`Ends`] under its name.
mod ends_name {
    use revealed::Ends;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(ends: &Ends, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(ends.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ends, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = || Ends::ALL.map(Ends::name).join(", ");
        Ends::from_name(&name).ok_or_else(|| D::Error::custom(format!("ends is \"{name}\": it must be one of {}", known())))
    }
}

/// [`Method`] under its name.
mod inference_name {
    use revealed::Method;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(method.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Method, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = || Method::ALL.map(Method::name).join(", ");
        Method::from_name(&name)
            .ok_or_else(|| D::Error::custom(format!("inference is \"{name}\": it must be one of {}", known())))
    }
}
