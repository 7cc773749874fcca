//! The likeliest paths between many pairs of states, within the horizon or of any length.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::Error;
use crate::cancel::Cancel;
use crate::engine::Horizon;
use crate::engine::Stop;
use crate::model::Ends;
use crate::model::PathModel;
use crate::numeric::Work;
use crate::numeric::parallel;
use crate::numeric::threads::Threads;
use crate::routes::junctions::{Beginning, Goal, JunctionScratch, Junctions, SEARCH_LANES};
use crate::routes::{PathQuery, Route, Routes, best_paths};

/// The likeliest path of each of many pairs of states. Pairs are answered by a prepared network ([`Routes`]) where
/// possible. The remaining pairs are searched for within the horizon: those whose best path of any length is longer
/// than the horizon, and all pairs if cycles have weights above 1. Without a discount many pairs are searched for at
/// once, from junction to junction; with a discount, one after another ([`best_paths`](crate::best_paths())).
///
/// ```
/// use revealed::{Ends, Itineraries, PathModel, Work, worlds};
///
/// let roads = worlds::road_like(100, 200, 1)?;
/// let reward = roads.features.reward(&roads.mdp, &roads.theta)?;
/// let model = PathModel::new(&roads.mdp, reward, 50, Ends::Anywhere)?;
/// let found = Itineraries::new(&model, true, true)?.find(&[(3, 70), (5, 5)], &Work::default())?;
/// assert!(found.iter().all(|route| route.as_ref().is_ok_and(|route| route.states.len() <= 50)));
/// # Ok::<(), revealed::Error>(())
/// ```
#[derive(Debug)]
pub struct Itineraries<'a> {
    model: PathModel<'a>,
    routes: Option<Routes<'a>>,
    refused: Option<Error>,
    bounded: bool,
    /// Built when the first pair has to be searched for within the horizon.
    junctions: OnceLock<Option<Junctions<'a>>>,
    /// The arrays of finished searches, to be reused.
    spare: Mutex<Vec<JunctionScratch>>,
}

/// The index of a pair, how its path begins, and its goal.
type JunctionQuery = (usize, Beginning, usize);

impl<'a> Itineraries<'a> {
    /// With `bounded`, the number of states of a path is at most the model's horizon. With `prepare`, the network is
    /// prepared, which saves time if there are more than some hundred pairs. If there is no likeliest path of any
    /// length (a cycle has a weight above 1, or there is a discount), the network cannot be prepared, and `bounded`
    /// paths are found without this.
    ///
    /// # Errors
    /// As [`Routes::new`], for paths of any length.
    pub fn new(model: &PathModel<'a>, bounded: bool, prepare: bool) -> Result<Self, Error> {
        let (mut routes, mut refused) = (None, None);
        if prepare {
            match Routes::new(model) {
                Ok(prepared) => routes = Some(prepared),
                Err(error @ (Error::Gains { .. } | Error::DiscountedRoute { .. }))
                    if bounded && model.horizon() != Horizon::Any =>
                {
                    refused = Some(error)
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Itineraries {
            model: model.clone(),
            routes,
            refused,
            bounded: bounded && model.horizon() != Horizon::Any,
            junctions: OnceLock::new(),
            spare: Mutex::default(),
        })
    }

    /// The prepared network, if there is one.
    pub fn routes(&self) -> Option<&Routes<'a>> {
        self.routes.as_ref()
    }

    /// Why the network could not be prepared; `None` if it was prepared or not requested.
    pub fn refused(&self) -> Option<&Error> {
        self.refused.as_ref()
    }

    /// The model.
    pub fn model(&self) -> &PathModel<'a> {
        &self.model
    }

    /// The likeliest path of each pair, or why it does not exist. Searches without the prepared network keep to the
    /// memory budget.
    ///
    /// # Errors
    /// If the threads cannot be started; [`Error::Stopped`].
    pub fn find(&self, pairs: &[(usize, usize)], work: &Work) -> Result<Vec<Result<Route, Error>>, Error> {
        let Some(routes) = &self.routes else {
            if self.refused.is_some() {
                return self.within_horizon(pairs, work);
            }
            let found = pairs.iter().map(|&(from, to)| self.search(from, to, work)).collect();
            return Cancel::check().map(|()| found);
        };
        let (horizon, by_length) = (self.model.longest(), self.model.ends() == Ends::Horizon);
        let mut found = routes.find_all(pairs, work)?;
        // If the best path of any length is within the horizon, it is also the best within the horizon.
        let again = |found: &Result<Route, Error>| match found {
            Ok(route) => self.bounded && route.states.len() > horizon,
            Err(Error::NotAnEnd { .. }) => self.bounded && by_length,
            Err(_) => false,
        };
        let places: Vec<usize> = (0..pairs.len()).filter(|&place| again(&found[place])).collect();
        let remaining: Vec<(usize, usize)> = places.iter().map(|&place| pairs[place]).collect();
        for (place, answer) in places.into_iter().zip(self.within_horizon(&remaining, work)?) {
            found[place] = answer;
        }
        Ok(found)
    }

    /// The likeliest path within the horizon of each pair.
    fn within_horizon(&self, pairs: &[(usize, usize)], work: &Work) -> Result<Vec<Result<Route, Error>>, Error> {
        let pool = Threads::new(work.threads)?;
        let one_by_one = |pairs: &[(usize, usize)]| pairs.iter().map(|&(from, to)| self.search(from, to, work)).collect();
        if pairs.is_empty() || self.model.mdp().discount() != 1.0 {
            let found = one_by_one(pairs);
            return Cancel::check().map(|()| found);
        }
        let junctions = self.junctions.get_or_init(|| Junctions::new(&self.model)).as_ref();
        let at_once = junctions.map_or(0, |junctions| work.memory / junctions.bytes().max(1));
        let Some(junctions) = junctions.filter(|_| at_once > 0) else { return Ok(one_by_one(pairs)) };
        let found = pool.run_if(pairs.len() > SEARCH_LANES, || self.by_junctions(junctions, pairs, at_once))?;
        // If a path is not found, a search for this pair gives the reason.
        let answer = |(found, &(from, to)): (Option<Route>, &(usize, usize))| match found {
            Some(route) => Ok(route),
            None => self.search(from, to, work),
        };
        let answers = found.into_iter().zip(pairs).map(answer).collect();
        Cancel::check().map(|()| answers)
    }

    fn by_junctions(
        &self,
        junctions: &Junctions<'_>,
        pairs: &[(usize, usize)],
        at_once: usize,
    ) -> Result<Vec<Option<Route>>, Error> {
        let mut found = vec![None; pairs.len()];
        // Pairs whose paths reach the same junction first share a search.
        let mut searches: BTreeMap<u32, Vec<JunctionQuery>> = BTreeMap::new();
        for (place, &(from, to)) in pairs.iter().enumerate() {
            let ends = self.model.check_state("the first state", from).and_then(|()| self.model.stop(Some(to)));
            if !matches!(ends, Ok(Stop::At(_))) {
                continue;
            }
            let beginning = junctions.beginning(from);
            match beginning.junction {
                Some(junction) => searches.entry(junction).or_default().push((place, beginning, to)),
                None => found[place] = junctions.best(&junctions.goal(beginning, 0, to), &JunctionScratch::default()),
            }
        }
        let searches: Vec<(u32, Vec<JunctionQuery>)> = searches.into_iter().collect();
        let batch = |searches: &[(u32, Vec<JunctionQuery>)]| {
            Cancel::check()?;
            let mut scratch = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
            let begin: Vec<u32> = searches.iter().map(|search| search.0).collect();
            let wanted =
                || searches.iter().enumerate().flat_map(|(lane, search)| search.1.iter().map(move |wanted| (lane, wanted)));
            let mut goals: Vec<Goal> =
                wanted().map(|(lane, (_, beginning, to))| junctions.goal(beginning.clone(), lane, *to)).collect();
            junctions.search(&begin, &mut goals, &mut scratch);
            let best = wanted().zip(&goals).map(|((_, wanted), goal)| (wanted.0, junctions.best(goal, &scratch)));
            let best: Vec<(usize, Option<Route>)> = best.collect();
            self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
            Ok(best)
        };
        for batches in searches.chunks(SEARCH_LANES.saturating_mul(at_once)) {
            for answers in parallel::map(batches.chunks(SEARCH_LANES), batch) {
                answers?.into_iter().for_each(|(place, route)| found[place] = route);
            }
        }
        Ok(found)
    }

    /// The likeliest path of one pair, without the prepared network.
    fn search(&self, from: usize, to: usize, work: &Work) -> Result<Route, Error> {
        let query = PathQuery { bounded: self.bounded, work: *work, ..PathQuery::between(from, to) };
        let best = best_paths(&self.model, &query)?.paths.swap_remove(0);
        let transitions = best.path.transitions(self.model.mdp()).map_err(Error::Prefix)?;
        Ok(Route { states: best.path.states, transitions, log_weight: best.log_weight })
    }
}
