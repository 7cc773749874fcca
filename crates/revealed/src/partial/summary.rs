//! What demonstrations have, or might have where nobody saw them, without a reward.

use super::hidden::Hidden;
use super::prices::Prices;
use super::split::{SeenPart, Stretch};
use super::sweep::Sink;
use super::visits::Phi;
use crate::Error;
use crate::world::{Features, Mdp, PartialDemonstrations, PlaceSums, Reward};

/// The mean features of demonstrations, and their mean squares, if all paths that agree with what was seen are equally
/// likely. A search needs them for the scales of its parameters, and to find features that no demonstration can have.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    pub observed: Vec<f64>,
    pub mean_squares: Vec<f64>,
}

impl Summary {
    pub fn nothing(n: usize) -> Summary {
        Summary { observed: vec![0.0; n], mean_squares: vec![0.0; n] }
    }

    /// Of these demonstrations in pieces. A stretch of unknown length may have any feature: it counts as one place.
    pub fn new(
        mdp: &Mdp,
        features: &Features,
        demos: &PartialDemonstrations,
        seen: &[SeenPart],
        stretches: &[Vec<Stretch>],
        hidden: &Hidden,
    ) -> Result<Summary, Error> {
        let zeros = Reward::of_states(vec![0.0; mdp.n_states()]);
        let n = mdp.n_transitions();
        let prices = Prices::Tilted { reward: &zeros, log: vec![0.0; n], plain: vec![1.0; n] };
        let bounded = hidden.by_outcome(&prices, || Phi::new(mdp, features))?;
        let places: Vec<f64> =
            PlaceSums::new(features).iter().map(|places| places.sum / f64::max(places.entries, 1.0)).collect();
        let mut summary = Summary::nothing(features.n_features());
        for ((seen, stretches), demo) in seen.iter().zip(stretches).zip(demos.iter()) {
            let mut phi = Phi::new(mdp, features);
            seen.first.into_iter().for_each(|state| phi.first(state, 1.0));
            seen.transitions.iter().for_each(|&(time, transition)| phi.step(time, transition, 1.0));
            for stretch in stretches {
                let part = match *stretch {
                    Stretch::Bounded { trellis, outcome } => bounded[trellis][outcome].as_ref().map(|phi| &phi.sum),
                    Stretch::AnyLength(_) => Some(&places),
                };
                phi.sum.iter_mut().zip(part.into_iter().flatten()).for_each(|(sum, part)| *sum += part);
            }
            let share = demo.weight() / demos.total_weight();
            for (k, phi) in phi.sum.iter().enumerate() {
                summary.observed[k] += share * phi;
                summary.mean_squares[k] += share * phi * phi;
            }
        }
        Ok(summary)
    }

    /// Adds another, times a factor.
    pub fn add(&mut self, other: &Summary, factor: f64) {
        self.observed.iter_mut().zip(&other.observed).for_each(|(sum, part)| *sum += factor * part);
        self.mean_squares.iter_mut().zip(&other.mean_squares).for_each(|(sum, part)| *sum += factor * part);
    }
}
