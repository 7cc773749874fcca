//! Which states lie on a path from the first states to the last states, and how many steps it takes.

use super::endpoints::Endpoints;
use crate::Error;
use crate::model::PathModel;
use crate::world::Mdp;
use crate::world::parents::Parents;

/// The number of steps to a state that cannot be reached.
const NEVER: u32 = u32::MAX;

/// The fewest steps to each state from the first states, and from each state to the last states.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// The states that can be reached from the first states, the nearest first.
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

    /// Whether a state lies on a path of at most `longest` states between the endpoints.
    pub fn lies_between(&self, state: usize, longest: usize) -> bool {
        let (after, before) = (self.after[state], self.before[state]);
        after != NEVER && before != NEVER && (after as usize + before as usize) < longest
    }

    /// The states on paths of at most `longest` states between the endpoints, the nearest to the first states first.
    pub fn between_ends(&self, longest: usize) -> impl Iterator<Item = usize> {
        self.order.iter().map(|&state| state as usize).filter(move |&state| self.lies_between(state, longest))
    }

    /// Rejects a query that no path can answer.
    ///
    /// # Errors
    /// [`Error::Unreachable`], or [`Error::ShortHorizon`] with the number of states of the shortest path.
    pub fn check(&self, model: &PathModel<'_>, endpoints: &Endpoints, bounded: bool) -> Result<(), Error> {
        let steps = endpoints.first.iter().map(|row| self.before[row.0]).min().unwrap_or(NEVER);
        if steps == NEVER {
            return Err(Error::Unreachable { what: endpoints.description.clone() });
        }
        let (shortest, horizon) = (steps as usize + 1, model.longest());
        if bounded && shortest > horizon {
            return Err(Error::ShortHorizon { what: endpoints.description.clone(), shortest, horizon });
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
