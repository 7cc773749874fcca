//! Questions as texts.

use revealed::{Ends, Horizon, Method};
use serde::Deserialize;

use crate::models::{ends_name, horizon_name, inference_name};

/// A question to a [`Session`](super::Session), as JSON: `{"ask": "marginals", "t": 3}`.
///
/// A state that is given by `from` or `to` is the first or the last of the paths.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Question {
    /// The states, the transitions and the layout.
    World,
    /// The model file.
    Model,
    /// The reward of states and transitions.
    Reward,
    /// p_t of each state, and without `t` the expected visits: as `revealed marginals`.
    Marginals {
        /// The time.
        t: Option<usize>,
        /// The first state.
        from: Option<usize>,
        /// The last state.
        to: Option<usize>,
    },
    /// The policy at time `t`: as `revealed policy --t`.
    Policy {
        /// The time.
        t: usize,
        /// The first state.
        from: Option<usize>,
        /// The last state.
        to: Option<usize>,
    },
    /// The likeliest paths: as `revealed path`.
    Path {
        /// The first state.
        from: usize,
        /// The last state.
        to: Option<usize>,
        /// How many.
        #[serde(default = "one")]
        k: usize,
    },
    /// Where a path that has begun will end: as `revealed destinations`.
    Destinations {
        /// The states so far.
        states: Vec<usize>,
        /// The actions between them.
        actions: Vec<usize>,
        /// At most so many destinations.
        top: Option<usize>,
    },
    /// How long paths are: as `revealed lengths`.
    Lengths {
        /// The first state.
        from: Option<usize>,
        /// The last state.
        to: Option<usize>,
    },
    /// The log-likelihood, and observed against expected features.
    Fit,
    /// Observed against expected visits and lengths.
    Compared,
    /// The scores of all demonstrations: as `revealed score`.
    Scores,
    /// Every step of one demonstration: as a line of `revealed score -o`.
    Steps {
        /// Which one, from 0.
        demonstration: usize,
    },
    /// Standard errors and what is not identified: as `revealed summary`.
    Summary {
        /// The confidence level.
        #[serde(default = "usual_level")]
        level: f64,
    },
    /// Other parameters, for the questions that follow.
    Theta {
        /// θ.
        theta: Vec<f64>,
    },
    /// Other demonstrations, for the questions that follow.
    Demonstrations {
        /// The lines of a `.jsonl` file.
        lines: String,
    },
    /// Learns from the demonstrations. The model is that of the questions that follow.
    Learn(Learning),
}

/// The settings of a fit. What is absent is as the model was learned.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Learning {
    /// Which expectations are matched.
    #[serde(with = "optional_inference")]
    pub inference: Option<Method>,
    /// Where paths may end.
    #[serde(with = "optional_ends")]
    pub ends: Option<Ends>,
    /// How many states a path may have; `"longest"` for the length of the longest demonstration.
    #[serde(with = "optional_horizon")]
    pub horizon: Option<Option<Horizon>>,
    /// The same bounds for every parameter.
    pub bounds: Option<[Option<f64>; 2]>,
    /// The weight of the L2 penalty.
    pub l2: Option<f64>,
    /// The search ends after so many iterations.
    pub max_iterations: Option<usize>,
}

fn one() -> usize {
    1
}

fn usual_level() -> f64 {
    0.95
}

mod optional_inference {
    use revealed::Method;
    use serde::Deserializer;

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Method>, D::Error> {
        super::inference_name::deserialize(deserializer).map(Some)
    }
}

mod optional_ends {
    use revealed::Ends;
    use serde::Deserializer;

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Ends>, D::Error> {
        super::ends_name::deserialize(deserializer).map(Some)
    }
}

mod optional_horizon {
    use revealed::Horizon;
    use serde::de::{Deserializer, Error};
    use serde_json::Value;

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<Horizon>>, D::Error> {
        let value = <Value as serde::Deserialize>::deserialize(deserializer)?;
        if value == "longest" {
            return Ok(Some(None));
        }
        super::horizon_name::deserialize(value).map(|horizon| Some(Some(horizon))).map_err(D::Error::custom)
    }
}
