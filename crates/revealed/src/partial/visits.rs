//! What the paths that agree with what was seen do, in sums.

use super::sweep::Sink;
use crate::world::{Features, Mdp, Occupancy};

/// Discounted visits of the path model.
#[derive(Debug)]
pub(crate) struct Visits<'a> {
    mdp: &'a Mdp,
    pub occupancy: Occupancy,
}

impl<'a> Visits<'a> {
    /// Of states and, if `transitions`, of transitions.
    pub fn new(mdp: &'a Mdp, transitions: bool) -> Visits<'a> {
        let transition = vec![0.0; if transitions { mdp.n_transitions() } else { 0 }];
        Visits { mdp, occupancy: Occupancy { state: vec![0.0; mdp.n_states()], transition } }
    }

    /// All of them together, in order.
    pub fn sum(mdp: &'a Mdp, transitions: bool, parts: Vec<Visits<'a>>) -> Occupancy {
        let mut parts = parts.into_iter().map(|part| part.occupancy);
        let first = parts.next().unwrap_or_else(|| Visits::new(mdp, transitions).occupancy);
        parts.fold(first, |mut sum, part| {
            add(&mut sum, &part);
            sum
        })
    }

    fn power(&self, time: usize) -> f64 {
        let discount = self.mdp.discount();
        if discount == 1.0 { 1.0 } else { discount.powi(time as i32) }
    }
}

/// Adds visits to others.
pub(crate) fn add(sum: &mut Occupancy, part: &Occupancy) {
    sum.state.iter_mut().zip(&part.state).for_each(|(sum, part)| *sum += part);
    sum.transition.iter_mut().zip(&part.transition).for_each(|(sum, part)| *sum += part);
}

impl Sink for Visits<'_> {
    fn step(&mut self, time: usize, transition: usize, probability: f64) {
        let [now, next] = [time, time + 1].map(|time| self.power(time));
        if let Some(visits) = self.occupancy.transition.get_mut(transition) {
            *visits += now * probability;
        }
        self.occupancy.state[self.mdp.to()[transition] as usize] += next * probability;
    }

    fn first(&mut self, state: usize, probability: f64) {
        self.occupancy.state[state] += probability;
    }

    fn end(&mut self, _: usize, _: usize, _: f64) {}
}

/// The features of these visits, without arrays over the world.
#[derive(Debug)]
pub(crate) struct Phi<'a> {
    mdp: &'a Mdp,
    features: &'a Features,
    pub sum: Vec<f64>,
}

impl<'a> Phi<'a> {
    pub fn new(mdp: &'a Mdp, features: &'a Features) -> Phi<'a> {
        Phi { mdp, features, sum: vec![0.0; features.n_features()] }
    }

    fn add(&mut self, block: usize, row: usize, factor: f64) {
        let sum = &mut self.sum;
        self.features.blocks()[block].row(row).for_each(|(k, value)| sum[k] += factor * value);
    }
}

impl Sink for Phi<'_> {
    fn step(&mut self, time: usize, transition: usize, probability: f64) {
        let discount = self.mdp.discount();
        let [now, next] = [time, time + 1].map(|time| discount.powi(time as i32) * probability);
        self.add(1, self.mdp.choice_of()[transition] as usize, now);
        self.add(2, transition, now);
        self.add(0, self.mdp.to()[transition] as usize, next);
    }

    fn first(&mut self, state: usize, probability: f64) {
        self.add(0, state, probability);
    }

    fn end(&mut self, _: usize, _: usize, _: f64) {}
}
