//! Sights by number, so that equal ones are found.

use std::collections::BTreeMap;

use crate::world::Sight;

/// A sight as a key: weights by their bits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Unseen,
    Exactly(usize),
    Weighted(Vec<(usize, u64)>),
}

/// Sights, numbered in the order of their first appearance.
#[derive(Debug, Default)]
pub(crate) struct Sights {
    numbers: BTreeMap<Key, u32>,
    all: Vec<Sight>,
}

impl Sights {
    /// The number of a sight.
    pub fn number(&mut self, sight: &Sight) -> u32 {
        let key = match sight {
            Sight::Unseen => Key::Unseen,
            Sight::Exactly(index) => Key::Exactly(*index),
            Sight::Weighted(weights) => Key::Weighted(weights.iter().map(|row| (row.0, row.1.to_bits())).collect()),
        };
        let all = &mut self.all;
        *self.numbers.entry(key).or_insert_with(|| {
            all.push(sight.clone());
            all.len() as u32 - 1
        })
    }

    /// Whether nothing was seen.
    pub fn is_unseen(&self, number: u32) -> bool {
        self.all[number as usize] == Sight::Unseen
    }

    /// What was seen without doubt.
    pub fn exactly(&self, number: u32) -> Option<usize> {
        self.all[number as usize].exactly()
    }

    /// How well a state or an action agrees with the sight of this number.
    pub fn weight(&self, number: u32, index: usize) -> f64 {
        self.all[number as usize].sorted_weight(index)
    }
}
