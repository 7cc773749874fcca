//! Numbers that summarise an experiment, which programs can check.

use serde::Serialize;

use crate::statistics::{Mean, shown, with_uncertainty};

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
    /// The quantity that it measures, in words, if other sections may measure it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<&'static str>,
    /// Why other sections may have another value of the quantity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

impl Number {
    /// A number without an interval.
    pub fn new(name: impl Into<String>, paper: Option<f64>, ours: f64) -> Number {
        let ours = ours.is_finite().then_some(ours);
        Number { name: name.into(), paper, ours, half_width: None, quantity: None, remark: None }
    }

    /// This number, as a value of a quantity. Values of one quantity must agree, or each has a remark.
    pub fn of(self, quantity: &'static str) -> Number {
        Number { quantity: Some(quantity), ..self }
    }

    /// This number, with the reason why other sections may have another value.
    pub fn remark(self, words: impl Into<String>) -> Number {
        Number { remark: Some(words.into()), ..self }
    }

    /// Our value as the report shows it.
    pub fn shown(&self) -> String {
        match (self.ours, self.half_width) {
            (Some(ours), Some(half_width)) => with_uncertainty(ours, half_width),
            (Some(ours), None) => shown(ours),
            (None, _) => "–".to_string(),
        }
    }
}

impl Mean {
    /// This mean as a number of the report.
    pub fn number(self, name: impl Into<String>, paper: Option<f64>) -> Number {
        let half_width = self.half_width.is_finite().then_some(self.half_width);
        Number { half_width, ..Number::new(name, paper, self.mean) }
    }
}
