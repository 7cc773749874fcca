//! The answer, as JSON has it.

use revealed::{Error, Fieller, Measured};
use serde::{Deserialize, Serialize};

/// A number with its standard error and its interval; both are `null` if the number is not identified.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeasuredRecord {
    /// The value.
    pub value: f64,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// Its confidence interval.
    pub interval: Option<[f64; 2]>,
}

impl MeasuredRecord {
    /// With an interval of this level.
    pub(super) fn new(measured: Measured, level: f64) -> Result<MeasuredRecord, Error> {
        let interval = measured.interval(level)?.map(|(low, high)| [low, high]);
        Ok(MeasuredRecord { value: measured.value, standard_error: measured.standard_error, interval })
    }
}

/// One outcome in both worlds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeRecord {
    /// The outcome, such as `visits:3`.
    pub outcome: String,
    /// In the world of the model.
    pub base: MeasuredRecord,
    /// In the scenario.
    pub scenario: MeasuredRecord,
    /// The scenario minus the world of the model.
    pub difference: MeasuredRecord,
    /// The difference over the value in the world of the model; `null` unless both values are positive.
    pub relative: Option<MeasuredRecord>,
    /// The arc elasticity; `null` unless the scenario scales one feature and changes nothing else.
    pub arc_elasticity: Option<MeasuredRecord>,
}

/// The elasticity of an outcome with respect to a feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ElasticityRecord {
    /// The outcome.
    pub outcome: String,
    /// The feature.
    pub feature: String,
    /// The elasticity; `null` if the outcome is not positive.
    pub elasticity: Option<MeasuredRecord>,
}

/// A ratio of two weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatioRecord {
    /// The feature above.
    pub numerator: String,
    /// The feature below.
    pub denominator: String,
    /// The ratio, with its interval by the delta method.
    pub ratio: MeasuredRecord,
    /// Which numbers Fieller's method does not reject: `between`, `outside` or `everything`; `null` if the ratio is not
    /// identified.
    pub fieller: Option<String>,
    /// The two ends of Fieller's interval, or of the gap; `null` for an end at infinity.
    pub fieller_ends: Option<[Option<f64>; 2]>,
}

impl RatioRecord {
    pub(super) fn fieller(set: Fieller) -> (String, Option<[Option<f64>; 2]>) {
        let ends = |low: f64, high: f64| Some([low, high].map(|end| Some(end).filter(|end| end.is_finite())));
        match set {
            Fieller::Between(low, high) => ("between".to_string(), ends(low, high)),
            Fieller::Outside(low, high) => ("outside".to_string(), ends(low, high)),
            Fieller::Everything => ("everything".to_string(), None),
        }
    }
}

/// The answer to a [`CounterfactualRequest`](crate::CounterfactualRequest).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CounterfactualRecord {
    /// The confidence level of the intervals.
    pub level: f64,
    /// Whether the robust covariance was used.
    pub robust: bool,
    /// What visits, transitions and ends were multiplied by.
    pub travellers: f64,
    /// Outcomes in both worlds; empty without a scenario.
    pub outcomes: Vec<OutcomeRecord>,
    /// Point elasticities.
    pub elasticities: Vec<ElasticityRecord>,
    /// Ratios of weights.
    pub ratios: Vec<RatioRecord>,
    /// The expected visits to each state in the world of the model, times the travellers; empty without a scenario.
    pub base_visits: Vec<f64>,
    /// The same in the scenario.
    pub scenario_visits: Vec<f64>,
    /// What a reader should know.
    pub notes: Vec<String>,
}
