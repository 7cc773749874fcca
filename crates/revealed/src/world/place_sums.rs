//! Sums of a feature over the places where it is present.

use crate::world::Features;

/// Sums of one feature over all states, choices and transitions that have an entry for it. They add up over worlds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlaceSums {
    /// Σ φ.
    pub sum: f64,
    /// Σ φ².
    pub squares: f64,
    /// How many entries there are.
    pub entries: f64,
    /// How many of them are positive.
    pub positive: f64,
    /// How many are negative.
    pub negative: f64,
}

impl PlaceSums {
    /// Those of each feature.
    pub fn new(features: &Features) -> Vec<PlaceSums> {
        let mut sums = vec![PlaceSums::default(); features.n_features()];
        for block in features.blocks() {
            for (feature, value) in (0..block.n_rows()).flat_map(|row| block.row(row)) {
                let of = &mut sums[feature];
                of.sum += value;
                of.squares += value * value;
                of.entries += 1.0;
                of.positive += f64::from(u8::from(value > 0.0));
                of.negative += f64::from(u8::from(value < 0.0));
            }
        }
        sums
    }

    /// Adds those of the same feature in another world.
    pub fn add(&mut self, other: &PlaceSums) {
        self.sum += other.sum;
        self.squares += other.squares;
        self.entries += other.entries;
        self.positive += other.positive;
        self.negative += other.negative;
    }

    /// The root mean square; 1 for a feature that is zero everywhere.
    pub(crate) fn root_mean_square(&self) -> f64 {
        match (self.squares / self.entries).sqrt() {
            root if root > 0.0 && root.is_finite() => root,
            _ => 1.0,
        }
    }
}
