//! An experiment as independent units of work.

use revealed_formats::Fnv1a;
use serde::{Deserialize, Serialize};

use super::recipe::Recipe;
use super::settings::Settings;

/// What an experiment consists of: every case, repeated.
pub(crate) struct Plan {
    /// A version number. It is raised whenever the same settings give other results.
    pub version: u32,
    /// The cases, such as environments or sizes, by the names that `work` reads.
    pub cases: Vec<String>,
    /// How often each case is repeated.
    pub repeats: usize,
    /// Whether results depend on the seed.
    pub seeded: bool,
    /// Whether units are timed, so that they must run one at a time.
    pub alone: bool,
    /// The columns of NAME.csv.
    pub columns: &'static [&'static str],
    /// The columns of NAME.timings.csv, whose rows are those of NAME.csv.
    pub timings: &'static [&'static str],
}

/// One repeat of one case.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unit {
    /// The name of the case.
    pub case: String,
    /// From 0.
    pub repeat: usize,
    /// The seed of this unit. Every unit has its own random stream.
    pub seed: u64,
}

/// A result of a unit: one line of NAME.csv and of NAME.timings.csv.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// As many as there are columns.
    pub cells: Vec<String>,
    /// As many as there are timings; `None` where nothing was timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seconds: Vec<Option<f64>>,
}

impl Plan {
    pub fn units(&self) -> usize {
        self.cases.len() * self.repeats
    }

    /// All cases once, then all cases again, so that a slow period of the machine affects all cases equally.
    pub fn unit(&self, recipe: &Recipe, index: usize) -> Unit {
        let (repeat, case) = (index / self.cases.len(), &self.cases[index % self.cases.len()]);
        let words = format!("{} {} {case} {repeat}", recipe.seed.unwrap_or(0), recipe.experiment);
        Unit { case: case.clone(), repeat, seed: stream(&words) }
    }

    pub fn recipe(&self, experiment: &str, settings: &Settings) -> Recipe {
        Recipe {
            experiment: experiment.to_string(),
            version: self.version,
            seed: self.seeded.then_some(settings.seed),
            repeats: self.repeats,
            cases: self.cases.clone(),
        }
    }
}

/// A seed for a name, mixed so that similar names have different seeds (the finaliser of SplitMix64).
fn stream(words: &str) -> u64 {
    let hash = Fnv1a::of(words.as_bytes());
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn plan(cases: &[&str], repeats: usize) -> Plan {
        let cases = cases.iter().map(|case| case.to_string()).collect();
        Plan { version: 1, cases, repeats, seeded: true, alone: false, columns: &[], timings: &[] }
    }

    fn settings(seed: u64) -> Settings {
        Settings { seed, ..Settings::default() }
    }

    #[test]
    fn every_unit_has_its_own_stream_and_keeps_it_when_others_are_added() {
        let (few, many) = (plan(&["4", "8"], 3), plan(&["2", "4", "8"], 10));
        let units = |plan: &Plan, seed| {
            let recipe = plan.recipe("padding", &settings(seed));
            (0..plan.units()).map(|index| plan.unit(&recipe, index)).collect::<Vec<_>>()
        };
        let all = units(&many, 1);
        assert!(units(&few, 1).iter().all(|unit| all.contains(unit)));
        let seeds: HashSet<u64> = all.iter().chain(&units(&many, 2)).map(|unit| unit.seed).collect();
        assert_eq!(seeds.len(), 60);
    }

    #[test]
    fn recipes_name_what_differs() {
        let asked = plan(&["4"], 3).recipe("padding", &settings(1));
        assert_eq!(asked.difference(&asked.clone()), None);
        let other = plan(&["4"], 3).recipe("padding", &settings(2));
        assert_eq!(other.difference(&asked), Some(("seed", "2".to_string(), "1".to_string())));
        let other = plan(&["4", "8"], 3).recipe("padding", &settings(1));
        assert_eq!(other.difference(&asked).map(|(setting, ..)| setting), Some("cases"));
    }
}
