//! Quantities of which more than one section has a value.

use std::collections::BTreeMap;

use super::number::Number;
use super::section::Section;
use crate::work::Experiment;

/// Values that differ by less, relative to their size, are the same.
const SAME: f64 = 1e-9;

/// A quantity with more than one value in the report.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// What it is, in words.
    pub name: String,
    /// Its values, in the order of the report.
    pub values: Vec<(Experiment, Number)>,
}

impl Quantity {
    /// All quantities of which the sections have more than one value: those that are declared with
    /// [`Number::of`], and numbers of the same name in two sections.
    pub fn of(sections: &[(Experiment, Section)]) -> Vec<Quantity> {
        let mut found: BTreeMap<&str, Vec<(Experiment, Number)>> = BTreeMap::new();
        for (experiment, section) in sections {
            for number in &section.numbers {
                let name = number.quantity.unwrap_or(&number.name);
                found.entry(name).or_default().push((*experiment, number.clone()));
            }
        }
        let twice = found.into_iter().filter(|(_, values)| values.len() > 1);
        twice.map(|(name, values)| Quantity { name: name.to_string(), values }).collect()
    }

    /// Whether all values are the same.
    pub fn agrees(&self) -> bool {
        let same = |one: &Number, other: &Number| match (one.ours, other.ours) {
            (Some(one), Some(other)) => (one - other).abs() <= SAME * one.abs().max(other.abs()).max(1e-300),
            (one, other) => one == other,
        };
        self.values.windows(2).all(|pair| same(&pair[0].1, &pair[1].1))
    }

    /// Whether every value has a remark that says why it may differ from the others.
    pub fn is_explained(&self) -> bool {
        self.values.iter().all(|(_, number)| number.remark.is_some())
    }

    /// What is wrong with the values, if they differ and that is not explained.
    pub fn contradiction(&self) -> Option<String> {
        if self.agrees() || self.is_explained() {
            return None;
        }
        let values = self.values.iter().map(|(experiment, number)| format!("{} in {}", number.shown(), experiment.name()));
        Some(format!("{} is {}, and not every section says why", self.name, values.collect::<Vec<_>>().join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Verdict;

    fn section(numbers: Vec<Number>) -> Section {
        Section {
            title: String::new(),
            paper: String::new(),
            ours: String::new(),
            verdict: Verdict::Reproduced(String::new()),
            figures: Vec::new(),
            tables: Vec::new(),
            settings: Vec::new(),
            numbers,
        }
    }

    fn of(one: Number, other: Number) -> Vec<Quantity> {
        Quantity::of(&[(Experiment::Padding, section(vec![one])), (Experiment::Ziebart, section(vec![other]))])
    }

    #[test]
    fn values_of_one_quantity_agree_or_each_says_why_not() {
        let [one, other] = [Number::new("a", None, 1.0), Number::new("b", None, 2.0)];
        assert!(of(one.clone(), other.clone()).is_empty(), "two names are two quantities");
        let [one, other] = [one.of("the error"), other.of("the error")];
        let found = of(one.clone(), other.clone());
        let words = found[0].contradiction().unwrap();
        assert_eq!(words, "the error is 1.000 in padding, 2.000 in ziebart, and not every section says why");
        assert!(of(one.clone().remark("fewer repeats"), other.clone())[0].contradiction().is_some());
        assert_eq!(of(one.clone().remark("fewer repeats"), other.remark("more repeats"))[0].contradiction(), None);
        assert_eq!(of(one.clone(), Number { name: "c".to_string(), ..one })[0].contradiction(), None);
        let same_name = of(Number::new("slope", None, 1.0), Number::new("slope", None, 1.5));
        assert!(same_name[0].contradiction().is_some());
    }
}
