//! What the agent of a causal model did, as far as what was seen tells.

use std::collections::BTreeMap;

use super::sweep::Sink;
use crate::causal::passes::Deeds;
use crate::engine::Horizon;
use crate::engine::path_set::PathSet;
use crate::world::Mdp;

/// Expected numbers of choices and ends, by time; in one list without a horizon.
#[derive(Debug, Clone)]
pub(crate) struct ExpectedDeeds<'a> {
    mdp: &'a Mdp,
    paths: PathSet,
    /// By (place in the lists by time, choice).
    pub choices: BTreeMap<(usize, usize), f64>,
    /// By (place in the lists by time, state).
    pub stops: BTreeMap<(usize, usize), f64>,
}

impl<'a> ExpectedDeeds<'a> {
    /// None.
    pub fn new(mdp: &'a Mdp, paths: PathSet) -> ExpectedDeeds<'a> {
        ExpectedDeeds { mdp, paths, choices: BTreeMap::new(), stops: BTreeMap::new() }
    }

    /// Adds others, times a factor.
    pub fn add(&mut self, other: &ExpectedDeeds<'_>, factor: f64) {
        other.choices.iter().for_each(|(key, weight)| *self.choices.entry(*key).or_insert(0.0) += factor * weight);
        other.stops.iter().for_each(|(key, weight)| *self.stops.entry(*key).or_insert(0.0) += factor * weight);
    }

    fn place(&self, time: usize) -> usize {
        if self.paths.horizon == Horizon::Any { 0 } else { time }
    }

    /// Whether ending in a state after `time` steps is something that the agent decides.
    pub fn decides(mdp: &Mdp, paths: PathSet, time: usize, state: usize) -> bool {
        let length = time + 1;
        // At the horizon and in terminal states, every episode ends.
        !mdp.is_terminal(state) && paths.horizon != Horizon::AtMost(length) && paths.may_end(false, state, length)
    }

    /// As lists.
    pub fn lists(&self) -> Deeds {
        let n = self.paths.horizon.at_most().unwrap_or(1);
        let lists = |map: &BTreeMap<(usize, usize), f64>| {
            let mut lists = vec![Vec::new(); n];
            map.iter().for_each(|(&(place, what), &weight)| lists[place].push((what, weight)));
            lists
        };
        Deeds { choices: lists(&self.choices), stops: lists(&self.stops) }
    }
}

impl Sink for ExpectedDeeds<'_> {
    fn step(&mut self, time: usize, transition: usize, probability: f64) {
        let key = (self.place(time), self.mdp.choice_of()[transition] as usize);
        *self.choices.entry(key).or_insert(0.0) += probability;
    }

    fn first(&mut self, _: usize, _: f64) {}

    fn end(&mut self, time: usize, state: usize, probability: f64) {
        if ExpectedDeeds::decides(self.mdp, self.paths, time, state) {
            *self.stops.entry((self.place(time), state)).or_insert(0.0) += probability;
        }
    }
}
