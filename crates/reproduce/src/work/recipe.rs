//! What the results of an experiment depend on.

use serde::{Deserialize, Serialize};

/// What results depend on. Two runs with equal recipes have equal results, except for timings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pub experiment: String,
    pub version: u32,
    /// `None` where nothing is random.
    pub seed: Option<u64>,
    pub repeats: usize,
    pub cases: Vec<String>,
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
