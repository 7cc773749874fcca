//! A scenario file: the changes of a world.

use std::collections::BTreeMap;
use std::path::Path;

use revealed::{Places, Scenario, ScenarioBuilder};
use serde::{Deserialize, Serialize};

use super::names::feature;
use crate::files::{input, json};
use crate::problems::Problem;
use crate::{Error, Fault};

/// The field `format` of scenario files.
pub const SCENARIO_FORMAT: &str = "revealed-scenario/1";

/// The changes of a world. Every field may be absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScenarioRecord {
    /// [`SCENARIO_FORMAT`], or absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// States that no path visits. A choice that may lead there is not offered.
    pub close: Vec<usize>,
    /// Transitions `[state, action, next state]` that no path has.
    pub close_transitions: Vec<[usize; 3]>,
    /// Actions that no state offers.
    pub forbid_actions: Vec<usize>,
    /// `[state, action]`: what one state does not offer.
    pub forbid_choices: Vec<[usize; 2]>,
    /// Other probabilities of choices.
    pub outcomes: Vec<OtherOutcomes>,
    /// All values of a feature times a factor.
    pub scale_feature: BTreeMap<String, f64>,
    /// The values of a feature in some places.
    pub change_feature: Vec<FeatureChange>,
    /// Rewards in units of utility; a toll is negative.
    pub add_reward: Vec<RewardChange>,
}

/// Other probabilities T(s'|s, a) of one choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherOutcomes {
    /// s.
    pub state: usize,
    /// a.
    pub action: usize,
    /// The next states.
    pub to: Vec<usize>,
    /// Their probabilities.
    pub p: Vec<f64>,
}

/// A change of a feature in some places; without places, `factor` holds everywhere.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeatureChange {
    /// The feature, by name or by number.
    pub feature: String,
    /// What its values are multiplied by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// What is added to its values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add: Option<f64>,
    /// In these states.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<usize>,
    /// With these choices `[state, action]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<[usize; 2]>,
    /// With these transitions `[state, action, next state]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transitions: Vec<[usize; 3]>,
}

/// A reward that is added in some places.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RewardChange {
    /// How much.
    pub reward: f64,
    /// In these states.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<usize>,
    /// With these choices `[state, action]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<[usize; 2]>,
    /// With these transitions `[state, action, next state]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transitions: Vec<[usize; 3]>,
}

/// The lists of places that are not empty.
fn places(states: &[usize], choices: &[[usize; 2]], transitions: &[[usize; 3]]) -> Vec<Places> {
    let mut places = Vec::new();
    if !states.is_empty() {
        places.push(Places::States(states.to_vec()));
    }
    if !choices.is_empty() {
        places.push(Places::Choices(choices.to_vec()));
    }
    if !transitions.is_empty() {
        places.push(Places::Transitions(transitions.to_vec()));
    }
    places
}

impl ScenarioRecord {
    /// Reads a `.json` file. States and features are checked by [`build`](Self::build).
    ///
    /// # Errors
    /// If the file cannot be read, is of another format, or has a field that is not known.
    pub fn load(path: impl AsRef<Path>) -> Result<ScenarioRecord, Error> {
        let path = path.as_ref();
        let read = || -> Result<ScenarioRecord, Fault> {
            let bytes = input::read(path)?;
            json::document(&bytes)?;
            let record: ScenarioRecord = json::parse(&bytes)?;
            match record.format.as_deref() {
                None | Some(SCENARIO_FORMAT) => Ok(record),
                Some(found) => Err(Fault::Format { found: format!("\"{found}\""), expected: SCENARIO_FORMAT }),
            }
        };
        read().map_err(|fault| Error::new(path, fault))
    }

    /// The changes, made to a world.
    ///
    /// # Errors
    /// If a state, an action, a transition or a feature does not exist, or a change has no place.
    pub fn build(&self, world: &Problem) -> Result<Scenario, Fault> {
        let mut builder = ScenarioBuilder::new(&world.mdp, &world.features);
        self.close.iter().for_each(|&state| _ = builder.close_state(state));
        self.close_transitions.iter().for_each(|&[from, action, to]| _ = builder.close_transition(from, action, to));
        self.forbid_actions.iter().for_each(|&action| _ = builder.forbid_action(action));
        self.forbid_choices.iter().for_each(|&[state, action]| _ = builder.forbid_choice(state, action));
        for (row, other) in self.outcomes.iter().enumerate() {
            if other.to.len() != other.p.len() {
                let why = format!("`to` of row {row} has {}", other.to.len());
                return Err(Fault::entries("outcomes.p", other.p.len(), other.to.len(), why));
            }
            let outcomes = other.to.iter().copied().zip(other.p.iter().copied()).collect();
            builder.outcomes(other.state, other.action, outcomes);
        }
        for (name, &factor) in &self.scale_feature {
            builder.scale_feature(feature(name, &world.features)?, factor);
        }
        for (row, change) in self.change_feature.iter().enumerate() {
            change.apply(row, world, &mut builder)?;
        }
        for (row, change) in self.add_reward.iter().enumerate() {
            let places = places(&change.states, &change.choices, &change.transitions);
            if places.is_empty() {
                return Err(nowhere("add_reward", row));
            }
            places.into_iter().for_each(|places| _ = builder.add_reward(change.reward, places));
        }
        Ok(builder.build()?)
    }

    /// The factor, if the only change is that of one feature everywhere.
    pub(super) fn only_scaled(&self) -> Option<f64> {
        let factor = self.scale_feature.values().next().copied().filter(|&factor| factor > 0.0 && factor != 1.0)?;
        let mut alone = ScenarioRecord { format: self.format.clone(), ..ScenarioRecord::default() };
        alone.scale_feature.clone_from(&self.scale_feature);
        (self.scale_feature.len() == 1 && *self == alone).then_some(factor)
    }
}

impl FeatureChange {
    fn apply(&self, row: usize, world: &Problem, builder: &mut ScenarioBuilder<'_>) -> Result<(), Fault> {
        let k = feature(&self.feature, &world.features)?;
        let places = places(&self.states, &self.choices, &self.transitions);
        match (self.factor, self.add) {
            (Some(factor), None) if places.is_empty() => _ = builder.scale_feature(k, factor),
            (Some(factor), None) => {
                places.into_iter().for_each(|places| _ = builder.scale_feature_at(k, factor, places));
            }
            (None, Some(_)) if places.is_empty() => return Err(nowhere("change_feature", row)),
            (None, Some(value)) => places.into_iter().for_each(|places| _ = builder.add_to_feature(k, value, places)),
            _ => return Err(Fault::value("change_feature", row, "not one change", "an object with either factor or add")),
        }
        Ok(())
    }
}

fn nowhere(field: &str, row: usize) -> Fault {
    Fault::value(field, row, "without a place", "an object with states, choices or transitions")
}
