//! An experiment as a list of independent units of work.

use serde::{Deserialize, Serialize};

use crate::Settings;

/// What an experiment consists of: every case, so many times.
pub(crate) struct Plan {
    /// To be raised whenever the same settings give other results.
    pub version: u32,
    /// The cases, such as environments or sizes, by names that `work` understands.
    pub cases: Vec<String>,
    /// How often each case is done.
    pub repeats: usize,
    /// Whether results depend on the seed.
    pub seeded: bool,
    /// Whether units are timed, and must have the machine to themselves.
    pub alone: bool,
    /// The columns of NAME.csv.
    pub columns: &'static [&'static str],
    /// The columns of NAME.timings.csv, whose rows are those of NAME.csv.
    pub timings: &'static [&'static str],
}

/// One case, once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unit {
    /// The name of the case.
    pub case: String,
    /// From 0.
    pub repeat: usize,
    /// A random stream that no other unit has.
    pub seed: u64,
}

/// What a unit found out: one line of NAME.csv, and of NAME.timings.csv.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// As many as there are columns.
    pub cells: Vec<String>,
    /// As many as there are timings; none where something was not timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seconds: Vec<Option<f64>>,
}

/// What results depend on. Two runs with equal recipes have equal results, timings aside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pub experiment: String,
    pub version: u32,
    /// `None` where nothing is random.
    pub seed: Option<u64>,
    pub repeats: usize,
    pub cases: Vec<String>,
}

impl Plan {
    pub fn units(&self) -> usize {
        self.cases.len() * self.repeats
    }

    /// All cases once, then all cases again: whatever disturbs the machine for a while disturbs all of them.
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

impl Recipe {
    /// The first setting that differs, its value here and its value there.
    pub fn difference(&self, asked: &Recipe) -> Option<(&'static str, String, String)> {
        let words = |seed: Option<u64>| seed.map_or("none".to_string(), |seed| seed.to_string());
        let all = [
            ("experiment", self.experiment.clone(), asked.experiment.clone()),
            ("version", self.version.to_string(), asked.version.to_string()),
            ("seed", words(self.seed), words(asked.seed)),
            ("repeats", self.repeats.to_string(), asked.repeats.to_string()),
            ("cases", self.cases.join(" "), asked.cases.join(" ")),
        ];
        all.into_iter().find(|(_, found, asked)| found != asked)
    }
}

/// What [`fnv`] begins with.
pub(crate) const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// A fingerprint of bytes (FNV-1a), or of more of them, going on from that of those before.
pub(crate) fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A number for a name, mixed so that similar names have unlike numbers (the finaliser of SplitMix64).
fn stream(words: &str) -> u64 {
    let hash = fnv(FNV, words.as_bytes());
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
