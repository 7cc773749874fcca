//! Which probabilities of a causal model matter for what was not seen.

use std::collections::BTreeSet;

use super::deeds::ExpectedDeeds;
use super::prices::PolicyTable;
use super::split::SeenPart;
use super::trellis::Trellis;
use crate::Error;
use crate::causal::passes::CausalPasses;
use crate::engine::Horizon;
use crate::engine::path_set::PathSet;
use crate::world::{Mdp, Reward};

/// Choices and ends, by place in a list of times; in one list without a horizon.
#[derive(Debug)]
pub(crate) struct Needed {
    choices: Vec<Vec<u32>>,
    stops: Vec<Vec<u32>>,
}

impl Needed {
    /// Those of trellises and of what was seen, or all of them.
    pub fn new(mdp: &Mdp, paths: PathSet, trellises: &[Trellis], seen: &[SeenPart], all: bool) -> Needed {
        let n = paths.horizon.at_most().unwrap_or(1);
        let place = |time: usize| if paths.horizon == Horizon::Any { 0 } else { time };
        let mut choices: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); n];
        let mut stops = choices.clone();
        let mut stop = |time: usize, state: usize| {
            if ExpectedDeeds::decides(mdp, paths, time, state) {
                stops[place(time)].insert(state as u32);
            }
        };
        for trellis in trellises {
            for layer in &trellis.layers {
                for edge in layer.edges.clone() {
                    choices[place(layer.time - 1)].insert(mdp.choice_of()[trellis.transition[edge] as usize]);
                }
            }
            for outcome in trellis.outcomes.iter().filter(|outcome| outcome.ends) {
                let states = outcome.nodes.iter();
                states.for_each(|&(layer, node)| stop(trellis.layers[layer].time, trellis.state[node as usize] as usize));
            }
        }
        for seen in seen {
            for &(time, transition) in &seen.transitions {
                choices[place(time)].insert(mdp.choice_of()[transition]);
            }
            seen.last.into_iter().for_each(|(time, state)| stop(time, state));
        }
        if all {
            (0..mdp.n_states()).for_each(|state| stop(0, state));
            choices[0] = (0..mdp.n_choices() as u32).collect();
        }
        let lists = |sets: Vec<BTreeSet<u32>>| sets.into_iter().map(|set| set.into_iter().collect()).collect();
        Needed { choices: lists(choices), stops: lists(stops) }
    }

    /// Their probabilities.
    ///
    /// # Errors
    /// As [`CausalPasses::show`].
    pub fn policy(&self, mdp: &Mdp, reward: &Reward, paths: PathSet, passes: &mut CausalPasses) -> Result<PolicyTable, Error> {
        let n = self.choices.len();
        let mut table = PolicyTable { stationary: paths.horizon == Horizon::Any, ..PolicyTable::default() };
        (table.choices, table.stops) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        passes.show(mdp, reward, paths, &mut |_, place, of_choice, of_stop| {
            let choices = self.choices[place].iter();
            table.choices[place] = choices.map(|&choice| (choice, of_choice(choice as usize))).collect();
            let stops = self.stops[place].iter();
            table.stops[place] = stops.map(|&state| (state, of_stop(state as usize))).collect();
        })?;
        Ok(table)
    }
}
