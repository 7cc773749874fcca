//! The weights of all continuations of a path, by destination.

use revealed::{Ends, PathModel, RouteSums, Scaled, Spread, Work};

use crate::error::Error;
use crate::world::Roads;

/// The sums over routes of any length that a model of paths to a given goal needs; `None` for other models.
pub(crate) fn route_sums(model: &PathModel<'_>) -> Result<Option<RouteSums>, Error> {
    match model.ends() {
        Ends::Goal => Ok(Some(RouteSums::new(model.mdp(), model.reward(), &Work::default())?)),
        _ => Ok(None),
    }
}

/// The weights of all continuations, by destination.
pub(crate) enum Continuations<'a, 'b> {
    /// Those within the horizon.
    WithinHorizon(Box<Spread<'b>>),
    /// Those of any length, as in the recursive logit.
    OfAnyLength(&'a RouteSums),
}

impl<'a, 'b> Continuations<'a, 'b> {
    pub fn new(model: &'b PathModel<'b>, routes: Option<&'a RouteSums>) -> Result<Self, Error> {
        Ok(match routes {
            Some(routes) => Continuations::OfAnyLength(routes),
            None => Continuations::WithinHorizon(Box::new(Spread::new(model, &Work::on(1))?)),
        })
    }

    /// For each state and the time there, the weight of all continuations to each destination.
    pub fn endings(&mut self, asked: &[(usize, usize)]) -> Result<Vec<Vec<Scaled>>, Error> {
        match self {
            Continuations::WithinHorizon(spread) => Ok(spread.endings_of_many(asked)?),
            Continuations::OfAnyLength(sums) => {
                let row = |&(state, _): &(usize, usize)| Ok(sums.from(state)?.into_iter().map(Scaled::exp).collect());
                asked.iter().map(row).collect()
            }
        }
    }
}

/// The sums over each destination and its copies, in the place of the original; copies have 0.
pub(crate) fn over_copies(roads: &Roads, mut weights: Vec<Scaled>) -> Vec<Scaled> {
    for (original, copy) in roads.copies() {
        let more = std::mem::replace(&mut weights[copy], Scaled::ZERO);
        weights[original] += more;
    }
    weights
}

/// ln S(G) / Z(G) for each destination, and -∞ where it cannot be reached. `first` is the first state of the path.
///
/// # Errors
/// If a sum from the first state underflowed.
pub(crate) fn log_ratio(after: &[Scaled], whole: &[Scaled], first: usize) -> Result<Vec<f64>, Error> {
    let one = |(goal, (&after, &whole)): (usize, (&Scaled, &Scaled))| match (after.is_zero(), whole.is_zero()) {
        (true, _) => Ok(f64::NEG_INFINITY),
        (false, true) => Err(too_expensive(first, goal)),
        (false, false) => Ok((after / whole).ln()),
    };
    after.iter().zip(whole).enumerate().map(one).collect()
}

/// A destination can be reached from the end of a prefix, and by its weight not from the beginning: the sum
/// underflowed.
fn too_expensive(first: usize, goal: usize) -> Error {
    Error::Network(format!(
        "the weights of routes from state {first} to state {goal} underflow: rescale features that make a single step \
         cost hundreds"
    ))
}
