//! The likeliest paths between many pairs of states, within the horizon or of any length.

use crate::{DEFAULT_MEMORY, Ends, Error, PathModel, PathQuery, Route, Routes, best_paths};

/// Answers the question "which path from here to there is the likeliest?" for many pairs: by a prepared network ([`Routes`]) as
/// far as possible, and by a search of its own ([`best_paths`](crate::best_paths())) for each pair whose best path of any length
/// is longer than the horizon.
///
/// ```
/// use revealed::{Ends, Itineraries, PathModel, worlds};
///
/// let roads = worlds::road_like(100, 200, 1)?;
/// let reward = roads.features.reward(&roads.mdp, &roads.theta)?;
/// let model = PathModel::new(&roads.mdp, reward, 50, Ends::Anywhere)?;
/// let found = Itineraries::new(&model, true, true)?.find(&[(3, 70), (5, 5)], None)?;
/// assert!(found.iter().all(|route| route.as_ref().is_ok_and(|route| route.states.len() <= 50)));
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Itineraries<'a> {
    model: PathModel<'a>,
    routes: Option<Routes<'a>>,
    refused: Option<Error>,
    bounded: bool,
    memory: usize,
}

impl<'a> Itineraries<'a> {
    /// With `bounded`, paths of at most the model's horizon. With `prepare`, the network is prepared, which pays from some hundred
    /// pairs on; where there is no likeliest path of any length, the answers are bounded and each pair is searched for by itself.
    ///
    /// # Errors
    /// As [`Routes::new`], for paths of any length.
    pub fn new(model: &PathModel<'a>, bounded: bool, prepare: bool) -> Result<Self, Error> {
        let (mut routes, mut refused) = (None, None);
        if prepare {
            match Routes::new(model) {
                Ok(prepared) => routes = Some(prepared),
                Err(error @ (Error::Gains { .. } | Error::DiscountedRoute { .. })) if bounded => refused = Some(error),
                Err(error) => return Err(error),
            }
        }
        Ok(Itineraries { model: model.clone(), routes, refused, bounded, memory: DEFAULT_MEMORY })
    }

    /// The same, with the bytes that a search of its own may take.
    pub fn with_memory(self, memory: usize) -> Self {
        Itineraries { memory, ..self }
    }

    /// The prepared network, if there is one.
    pub fn routes(&self) -> Option<&Routes<'a>> {
        self.routes.as_ref()
    }

    /// Why the network could not be prepared, if it could not.
    pub fn refused(&self) -> Option<&Error> {
        self.refused.as_ref()
    }

    /// The model that is asked.
    pub fn model(&self) -> &PathModel<'a> {
        &self.model
    }

    /// The likeliest path of each pair, or why there is none.
    ///
    /// # Errors
    /// If there are no such threads.
    pub fn find(&self, pairs: &[(usize, usize)], threads: Option<usize>) -> Result<Vec<Result<Route, Error>>, Error> {
        let Some(routes) = &self.routes else {
            return Ok(pairs.iter().map(|&(from, to)| self.search(from, to, threads)).collect());
        };
        let (horizon, by_length) = (self.model.horizon(), self.model.ends() == Ends::Horizon);
        // A path of any length that is within the horizon is also the likeliest within the horizon.
        let within = |(&(from, to), found): (&(usize, usize), Result<Route, Error>)| match found {
            Ok(route) if self.bounded && route.states.len() > horizon => self.search(from, to, threads),
            Err(Error::NotAnEnd { .. }) if self.bounded && by_length => self.search(from, to, threads),
            found => found,
        };
        Ok(pairs.iter().zip(routes.find_all(pairs, threads)?).map(within).collect())
    }

    /// The likeliest path of one pair, without the prepared network.
    fn search(&self, from: usize, to: usize, threads: Option<usize>) -> Result<Route, Error> {
        let query = PathQuery { bounded: self.bounded, memory: self.memory, threads, ..PathQuery::between(from, to) };
        let best = best_paths(&self.model, &query)?.paths.swap_remove(0);
        let transitions = best.path.transitions(self.model.mdp()).map_err(Error::Prefix)?;
        Ok(Route { states: best.path.states, transitions, log_weight: best.log_weight })
    }
}
