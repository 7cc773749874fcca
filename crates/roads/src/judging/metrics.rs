//! The paper's metrics: how close a predicted route is to the one that was driven.

use std::collections::HashMap;

use crate::features::{Group, RoadFeatures};
use crate::world::Roads;

/// A predicted route, compared with the one that was driven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The paper's distance match in per cent: the share of the length of the predicted route that was driven. A
    /// segment that is predicted more often than it was driven counts as often as it was driven.
    pub distance_match: f64,
    /// The share of the length of the driven route that was predicted, in per cent.
    pub covered: f64,
    /// The paper's feature distance in km: the L2 norm of the difference between the 14 features of the two routes,
    /// which are lengths.
    pub feature_distance: f64,
    /// The length of the predicted route in km.
    pub predicted: f64,
    /// The length of the driven route in km.
    pub driven: f64,
    /// Whether they are the same.
    pub identical: bool,
}

/// Compares routes on one network.
#[derive(Debug, Clone)]
pub struct Metrics {
    /// The state that each state is a copy of: copies are the same road.
    original: Vec<usize>,
    lengths: Vec<f64>,
    n_features: usize,
    first: Vec<usize>,
    features: Vec<(usize, f64)>,
}

impl Metrics {
    /// The metrics of a network. They use lengths and the paper's features, whatever features the network has, so that
    /// models with different features can be compared.
    pub fn new(roads: &Roads) -> Metrics {
        let of_segments = RoadFeatures::new(&roads.network, &Group::PAPER);
        let found = match &roads.chains {
            Some(chains) => chains.features(&roads.network, &of_segments),
            None => of_segments,
        };
        let mut first = vec![0; roads.n_states() + 1];
        found.of_segments.iter().for_each(|row| first[row.0 + 1] += 1);
        for state in 0..roads.n_states() {
            first[state + 1] += first[state];
        }
        let features = found.of_segments.iter().map(|row| (row.1, row.2)).collect();
        let original = (0..roads.n_states()).map(|state| roads.original(state)).collect();
        Metrics { original, lengths: roads.lengths(), n_features: found.names.len(), first, features }
    }

    /// The features of a route, in metres.
    pub fn features(&self, states: &[usize]) -> Vec<f64> {
        let mut sum = vec![0.0; self.n_features];
        for &state in states {
            self.features[self.first[state]..self.first[state + 1]].iter().for_each(|&(feature, value)| sum[feature] += value);
        }
        sum
    }

    /// Compares a predicted route with the one that was driven. If one of them has length 0, they match if they are
    /// equal.
    pub fn compare(&self, predicted: &[usize], driven: &[usize]) -> Comparison {
        let mut left: HashMap<usize, usize> = HashMap::new();
        driven.iter().for_each(|&state| *left.entry(self.original[state]).or_default() += 1);
        let mut common = 0.0;
        for state in predicted {
            if let Some(times) = left.get_mut(&self.original[*state]).filter(|times| **times > 0) {
                *times -= 1;
                common += self.lengths[*state];
            }
        }
        let length = |states: &[usize]| states.iter().map(|&state| self.lengths[state]).sum::<f64>();
        let (of_predicted, of_driven) = (length(predicted), length(driven));
        let roads = |states: &[usize]| states.iter().map(|&state| self.original[state]).collect::<Vec<_>>();
        let identical = roads(predicted) == roads(driven);
        let share = |whole: f64| if whole > 0.0 { (100.0 * common / whole).min(100.0) } else { 100.0 * f64::from(identical) };
        let (one, other) = (self.features(predicted), self.features(driven));
        let squares: f64 = one.iter().zip(&other).map(|(one, other)| (one - other).powi(2)).sum();
        Comparison {
            distance_match: share(of_predicted),
            covered: share(of_driven),
            feature_distance: squares.sqrt() / 1000.0,
            predicted: of_predicted / 1000.0,
            driven: of_driven / 1000.0,
            identical,
        }
    }
}
