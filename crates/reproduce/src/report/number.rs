//! Numbers that summarise an experiment, which programs can check.

use serde::Serialize;

use crate::statistics::Mean;

/// A number that summarises a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Number {
    /// Its name, without spaces.
    pub name: String,
    /// The paper's value, if it has one.
    pub paper: Option<f64>,
    /// Our value; `None` if it is not finite.
    pub ours: Option<f64>,
    /// Half the width of our 90 % confidence interval, if there is one.
    pub half_width: Option<f64>,
}

impl Number {
    /// A number without an interval.
    pub fn new(name: impl Into<String>, paper: Option<f64>, ours: f64) -> Number {
        Number { name: name.into(), paper, ours: ours.is_finite().then_some(ours), half_width: None }
    }
}

impl Mean {
    /// This mean as a number of the report.
    pub fn number(self, name: impl Into<String>, paper: Option<f64>) -> Number {
        let half_width = self.half_width.is_finite().then_some(self.half_width);
        Number { half_width, ..Number::new(name, paper, self.mean) }
    }
}
