//! Which states lie on a way from the first states to the last ones, and by how many steps.

use super::endpoints::Endpoints;
use crate::Error;
use crate::model::PathModel;
use crate::world::Mdp;
use crate::world::parents::Parents;

/// The number of steps to a state that cannot be reached.
const NEVER: u32 = u32::MAX;

/// How many steps away each state is, from the first states and to the last ones.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// The states that can be reached, nearest first.
    order: Vec<u32>,
    /// The fewest steps from a first state.
    after: Vec<u32>,
    /// The fewest steps to a last state.
    before: Vec<u32>,
}

impl Reach {
    pub fn new(mdp: &Mdp, parents: &Parents, endpoints: &Endpoints) -> Reach {
        let first: Vec<u32> = endpoints.first.iter().map(|row| row.0 as u32).collect();
        let (after, order) = spread(mdp.n_states(), first, |state, visit| {
            let taken = mdp.children(state).filter(|&transition| mdp.reference_probability(transition) > 0.0);
            taken.for_each(|transition| visit(mdp.to()[transition]));
        });
        let last = (0..mdp.n_states() as u32).filter(|&state| endpoints.last[state as usize] > f64::NEG_INFINITY);
        let (before, _) = spread(mdp.n_states(), last.collect(), |state, visit| {
            parents.of(state).iter().for_each(|&transition| visit(mdp.from()[transition as usize]));
        });
        Reach { order, after, before }
    }

    /// The fewest steps from a first state.
    pub fn after(&self, state: usize) -> usize {
        self.after[state] as usize
    }

    /// Whether a state is on a way of at most `longest` states.
    pub fn is_on_way(&self, state: usize, longest: usize) -> bool {
        let (after, before) = (self.after[state], self.before[state]);
        after != NEVER && before != NEVER && (after as usize + before as usize) < longest
    }

    /// The states on ways of at most `longest` states, those nearest to the first ones first.
    pub fn on_way(&self, longest: usize) -> impl Iterator<Item = usize> {
        self.order.iter().map(|&state| state as usize).filter(move |&state| self.is_on_way(state, longest))
    }

    /// Refuses to search where there is nothing to be found.
    ///
    /// # Errors
    /// [`Error::Unreachable`], or [`Error::ShortHorizon`] with the states that the shortest path has.
    pub fn check(&self, model: &PathModel<'_>, endpoints: &Endpoints, bounded: bool) -> Result<(), Error> {
        let steps = endpoints.first.iter().map(|row| self.before[row.0]).min().unwrap_or(NEVER);
        if steps == NEVER {
            return Err(Error::Unreachable { what: endpoints.words.clone() });
        }
        let (shortest, horizon) = (steps as usize + 1, model.horizon());
        if bounded && shortest > horizon {
            return Err(Error::ShortHorizon { what: endpoints.words.clone(), shortest, horizon });
        }
        Ok(())
    }
}

/// The fewest steps from `sources` to each state, and the states in the order in which they are reached.
fn spread(n_states: usize, sources: Vec<u32>, neighbours: impl Fn(usize, &mut dyn FnMut(u32))) -> (Vec<u32>, Vec<u32>) {
    let mut steps = vec![NEVER; n_states];
    sources.iter().for_each(|&state| steps[state as usize] = 0);
    let (mut order, mut next) = (sources, 0);
    while next < order.len() {
        let state = order[next] as usize;
        next += 1;
        let farther = steps[state] + 1;
        neighbours(state, &mut |neighbour| {
            if steps[neighbour as usize] == NEVER {
                steps[neighbour as usize] = farther;
                order.push(neighbour);
            }
        });
    }
    (steps, order)
}
