//! What a search for θ needs to know of the evidence besides its likelihood.

use crate::Error;
use crate::learning::evidence::PartialEvidence;
use crate::learning::gram::Gram;
use crate::learning::units::mean_squares;
use crate::learning::{Evidence, Method};
use crate::model::likelihood::observed;
use crate::partial::Summary;
use crate::world::{Features, PlaceSums};

/// Means over the demonstrations and sums over the places of one part of the evidence. Those of several parts are
/// merged, so that a search needs neither worlds nor demonstrations.
#[derive(Debug, Clone, PartialEq)]
pub struct Census {
    /// The world of the part.
    pub world: usize,
    /// The number of features.
    pub n_features: usize,
    /// Their names; empty if they have none.
    pub names: Vec<String>,
    /// γ; `None` if worlds differ.
    pub discount: Option<f64>,
    /// The number of demonstrations.
    pub n_demonstrations: usize,
    /// The sum of their weights.
    pub weight: f64,
    /// The number of states of the longest.
    pub longest: usize,
    /// Their mean features.
    pub observed: Vec<f64>,
    /// The mean square of each feature along a demonstration.
    pub mean_squares: Vec<f64>,
    /// Sums over the places of each feature.
    pub places: Vec<PlaceSums>,
    /// ΦᵀΦ, unless it is too large.
    pub gram: Option<Gram>,
}

impl Census {
    /// Of one part: a world, or some of its demonstrations.
    ///
    /// # Errors
    /// If the method cannot be used in this world.
    pub fn new(world: usize, evidence: &Evidence<'_>, method: Method) -> Result<Census, Error> {
        let Evidence { mdp, features, demos } = evidence;
        // Ziebart's methods ignore the discount.
        let observed = match method.ziebart() {
            Some(_) => observed(&(*mdp).clone().with_discount(1.0)?, features, demos),
            None => observed(mdp, features, demos),
        };
        Ok(Census {
            world,
            n_features: features.n_features(),
            names: features.names().to_vec(),
            discount: Some(mdp.discount()),
            n_demonstrations: demos.len(),
            weight: demos.total_weight(),
            longest: demos.longest(),
            observed,
            mean_squares: mean_squares(mdp, features, demos),
            places: PlaceSums::new(features),
            gram: Gram::new(features),
        })
    }

    /// Of demonstrations that were seen in part, with what they might have.
    pub(crate) fn partial(evidence: &PartialEvidence<'_>, summary: Summary) -> Census {
        let PartialEvidence { mdp, features, demos } = evidence;
        Census {
            world: 0,
            n_features: features.n_features(),
            names: features.names().to_vec(),
            discount: Some(mdp.discount()),
            n_demonstrations: demos.len(),
            weight: demos.total_weight(),
            longest: demos.longest(),
            observed: summary.observed,
            mean_squares: summary.mean_squares,
            places: PlaceSums::new(features),
            gram: Gram::new(features),
        }
    }

    /// All parts together.
    ///
    /// # Errors
    /// [`Error::OtherFeatures`] if features differ; [`Error::NoDemonstrations`] if there is no part.
    pub fn merged(parts: &[Census]) -> Result<Census, Error> {
        let (first, others) = parts.split_first().ok_or(Error::NoDemonstrations)?;
        others
            .iter()
            .try_for_each(|other| same(other.world, (&other.names, other.n_features), (&first.names, first.n_features)))?;
        let weight: f64 = parts.iter().map(|part| part.weight).sum();
        if !weight.is_finite() {
            return Err(Error::WeightSum(weight));
        }
        let mean = |of: fn(&Census) -> &Vec<f64>| {
            let mut mean = vec![0.0; first.n_features];
            for part in parts {
                let share = part.weight / weight;
                mean.iter_mut().zip(of(part)).for_each(|(mean, value)| *mean += share * value);
            }
            mean
        };
        let (mut places, mut gram) = (first.places.clone(), first.gram.clone());
        for other in others {
            places.iter_mut().zip(&other.places).for_each(|(sums, other)| sums.add(other));
            gram = match (gram, &other.gram) {
                (Some(mut gram), Some(other)) => {
                    gram.add(other);
                    Some(gram)
                }
                _ => None,
            };
        }
        Ok(Census {
            world: first.world,
            n_features: first.n_features,
            names: first.names.clone(),
            discount: first.discount.filter(|_| others.iter().all(|other| other.discount == first.discount)),
            n_demonstrations: parts.iter().map(|part| part.n_demonstrations).sum(),
            weight,
            longest: parts.iter().map(|part| part.longest).max().unwrap_or(0),
            observed: mean(|part| &part.observed),
            mean_squares: mean(|part| &part.mean_squares),
            places,
            gram,
        })
    }

    /// Features that are never negative, positive somewhere, and zero along every demonstration.
    pub(crate) fn never_seen(&self) -> Vec<usize> {
        let unseen = |&k: &usize| self.places[k].positive > 0.0 && self.places[k].negative == 0.0 && self.observed[k] == 0.0;
        (0..self.n_features).filter(unseen).collect()
    }
}

/// Rejects features that differ from those of world 0.
pub(crate) fn same_features(world: usize, found: &Features, expected: &Features) -> Result<(), Error> {
    same(world, (found.names(), found.n_features()), (expected.names(), expected.n_features()))
}

fn same(world: usize, (found, n): (&[String], usize), (expected, n_expected): (&[String], usize)) -> Result<(), Error> {
    if let Some(feature) = (0..found.len().max(expected.len())).find(|&k| found.get(k) != expected.get(k)) {
        let (found, expected) = (found.get(feature).cloned(), expected.get(feature).cloned());
        return Err(Error::OtherFeatures { world, feature, found, expected });
    }
    match n == n_expected {
        true => Ok(()),
        false => Err(Error::OtherFeatures { world, feature: n, found: None, expected: None }),
    }
}
