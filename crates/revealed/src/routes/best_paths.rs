//! The likeliest paths between two states, or between distributions over the first and the last state (sec:me-inference).

mod best_first;
mod endpoints;
mod loopless;
mod queue;
pub(crate) mod reach;
mod shortest;
mod viterbi;

use self::best_first::{Choices, Enumerated, Walk, WantedPaths, best_first};
use self::endpoints::Endpoints;
use self::reach::Reach;
use self::shortest::Shortest;
use self::viterbi::Viterbi;
use crate::Error;
use crate::engine::inference::check_reward_size;
use crate::model::path_model::log_weight;
use crate::model::{DEFAULT_MEMORY, PathModel};
use crate::numeric::threads::Threads;
use crate::world::Trajectory;
use crate::world::parents::Parents;

/// The most paths of one query.
const MOST_PATHS: usize = 1 << 20;
/// Walks that a search spends in vain before it gives up, on paths that are too long for the horizon.
const TOO_LONG: usize = 1000;
/// The same for paths with loops.
const LOOPS: usize = 100_000;

/// How the best that may follow is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// A shortest path where that gives the answer, and Viterbi's recursion where it does not.
    #[default]
    Auto,
    /// The recursion over time and state: any discount, any reward, and a horizon.
    Viterbi,
    /// Dijkstra's search: without a discount, where no cycle gains and time does not decide where paths end.
    ShortestPath,
}

impl Search {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Search::Auto => "auto",
            Search::Viterbi => "viterbi",
            Search::ShortestPath => "shortest path",
        }
    }
}

/// Which paths are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct PathQuery {
    /// f: (s, f(s)) of the first states. The weights need not sum to 1; the model's p0 has no part in it.
    pub from: Vec<(usize, f64)>,
    /// g: the same of the last states; `None` for wherever paths of the model end.
    pub to: Option<Vec<(usize, f64)>>,
    /// How many paths.
    pub k: usize,
    /// Whether paths have at most L states, as those of the model. Otherwise they may have any length.
    pub bounded: bool,
    /// Only paths that visit no state twice.
    pub loopless: bool,
    /// How to search; the answer is the same.
    pub search: Search,
    /// Bytes that the values of Viterbi's recursion may take. Where they do not fit, they are computed again for each path.
    pub memory: usize,
    /// Threads of Viterbi's recursion; `None` for all cores. Any number gives the same bits.
    pub threads: Option<usize>,
}

impl PathQuery {
    /// The likeliest path of the model between distributions f and g.
    pub fn new(from: Vec<(usize, f64)>, to: Option<Vec<(usize, f64)>>) -> PathQuery {
        PathQuery {
            from,
            to,
            k: 1,
            bounded: true,
            loopless: false,
            search: Search::Auto,
            memory: DEFAULT_MEMORY,
            threads: None,
        }
    }

    /// The likeliest path of the model from one state to another.
    pub fn between(from: usize, to: usize) -> PathQuery {
        PathQuery::new(vec![(from, 1.0)], Some(vec![(to, 1.0)]))
    }
}

/// A path and its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct BestPath {
    /// The path.
    pub path: Trajectory,
    /// log q(τ) e^{R(τ)} without p0, f and g.
    pub log_weight: f64,
    /// log f(s_1) + log q(τ) e^{R(τ)} + log g(s_l). Its probability given f and g is this over the sum of the same over all paths,
    /// which [`Spread::endings`](crate::Spread::endings) gives.
    pub log_score: f64,
}

/// What [`best_paths`] finds.
#[derive(Debug, Clone, PartialEq)]
pub struct BestPaths {
    /// The likeliest first; fewer than asked for if there are no more. At least one.
    pub paths: Vec<BestPath>,
    /// How they were found: [`Search::Viterbi`] or [`Search::ShortestPath`].
    pub search: Search,
}

/// The k likeliest paths, exactly: arg max f(s_1) q(τ) e^{R(τ)} g(s_l) over the paths of the model (sec:me-inference).
///
/// Paths differ if they differ in a state or an action; one that goes around a cycle is a path, too. Of equally likely paths those
/// with fewer states come first; the order of the rest is always the same.
///
/// ```
/// use revealed::{Ends, PathModel, PathQuery, best_paths, worlds};
///
/// let roads = worlds::road_like(400, 800, 1)?;
/// let reward = roads.features.reward(&roads.mdp, &roads.theta)?;
/// let model = PathModel::new(&roads.mdp, reward, 100, Ends::Goal)?;
/// let found = best_paths(&model, &PathQuery { k: 3, ..PathQuery::between(5, 300) })?;
/// assert_eq!(found.paths.len(), 3);
/// assert!(found.paths[0].log_weight >= found.paths[1].log_weight);
/// assert_eq!(found.paths[0].path.states[0], 5);
/// # Ok::<(), revealed::Error>(())
/// ```
///
/// # Cost
/// A shortest-path search is one Dijkstra; Viterbi's recursion visits every transition on a way L times. Each further path costs one
/// walk along it. Without loops more walks may be needed: finding loopless paths is hard where cycles gain.
///
/// # Errors
/// If states or weights are no such, or no path of the model leads there; [`Error::Unreachable`] and [`Error::ShortHorizon`];
/// for paths of any length [`Error::Gains`], [`Error::DiscountedRoute`] and [`Error::AnyLength`]; [`Error::GaveUp`] if too many
/// walks had loops; [`Error::Memory`].
pub fn best_paths(model: &PathModel<'_>, query: &PathQuery) -> Result<BestPaths, Error> {
    Threads::new(query.threads)?.run(|| search(model, query))
}

fn search(model: &PathModel<'_>, query: &PathQuery) -> Result<BestPaths, Error> {
    if !(1..=MOST_PATHS).contains(&query.k) {
        return Err(Error::Count { what: "k", value: query.k, least: 1, most: MOST_PATHS });
    }
    let endpoints = Endpoints::new(model, &query.from, query.to.as_deref())?;
    let parents = Parents::taken(model.mdp());
    let reach = Reach::new(model.mdp(), &parents, &endpoints);
    reach.check(model, &endpoints, query.bounded)?;
    let task = PathTask { model, query, endpoints, parents, reach };
    let (walks, search) = match query.search {
        Search::Viterbi => (task.viterbi()?, Search::Viterbi),
        Search::ShortestPath => (task.complete(task.shortest()?, "search by Viterbi's recursion")?, Search::ShortestPath),
        Search::Auto => task.either()?,
    };
    if walks.is_empty() {
        return Err(task.nothing());
    }
    let mut paths: Vec<BestPath> = walks.into_iter().map(|walk| task.weigh(walk)).collect();
    // They are in this order up to rounding.
    paths.sort_by(|one, other| other.log_score.total_cmp(&one.log_score));
    Ok(BestPaths { paths, search })
}

/// A query and what every search needs for it.
struct PathTask<'a> {
    model: &'a PathModel<'a>,
    query: &'a PathQuery,
    endpoints: Endpoints,
    parents: Parents,
    reach: Reach,
}

impl PathTask<'_> {
    /// The most states of a path.
    fn longest(&self) -> usize {
        if self.query.bounded { self.model.horizon() } else { usize::MAX }
    }

    fn either(&self) -> Result<(Vec<Walk>, Search), Error> {
        match self.shortest() {
            Ok(found) if found.finished || !self.query.bounded => {
                Ok((self.complete(found, "ask for fewer, or allow loops")?, Search::ShortestPath))
            }
            Err(error) if !self.query.bounded => Err(error),
            _ => Ok((self.viterbi()?, Search::Viterbi)),
        }
    }

    fn shortest(&self) -> Result<Enumerated, Error> {
        if self.endpoints.bound_to_horizon().is_some() {
            return Err(Error::AnyLength {
                rule: "with ends = horizon a path has exactly as many states as the horizon, unless it ends in a terminal state; give a \
                       horizon and search by Viterbi's recursion, or name terminal states alone",
            });
        }
        check_reward_size(self.model.reward(), self.model.horizon().max(self.model.mdp().n_states()))?;
        let PathQuery { k, bounded, loopless, .. } = *self.query;
        let walks = if bounded { 2 * k + TOO_LONG } else { k };
        let wanted = WantedPaths { k, longest: self.longest(), loopless, walks };
        // With one walk alone, nothing is asked but the best way.
        let only_one = k == 1 && !loopless && !bounded;
        let given = (&self.parents, &self.reach);
        let shortest = Shortest::new(self.model, &self.endpoints, given, self.longest(), only_one)?;
        if loopless {
            return Ok(self::loopless::loopless(&shortest, &wanted));
        }
        let choices: &mut Choices<'_> = &mut |_, state, choices| shortest.choices(state, choices);
        Ok(best_first(&shortest.first(), choices, &wanted))
    }

    fn viterbi(&self) -> Result<Vec<Walk>, Error> {
        if !self.query.bounded {
            return Err(Error::AnyLength { rule: "Viterbi's recursion goes back from the horizon; give one" });
        }
        let PathQuery { k, loopless, .. } = *self.query;
        let walks = if loopless { k + LOOPS } else { k };
        let wanted = WantedPaths { k, longest: self.model.horizon(), loopless, walks };
        let mut viterbi = Viterbi::new(self.model, &self.endpoints, &self.reach, self.query)?;
        let paid = |&(state, log_f): &(usize, f64)| (state, log_f + self.model.reward().state[state]);
        let first: Vec<(usize, f64)> = self.endpoints.first.iter().map(paid).collect();
        let found = best_first(&first, &mut |t, state, choices| viterbi.choices(t, state, choices), &wanted);
        self.complete(found, "ask for fewer, or allow loops")
    }

    /// The paths, if they are all that are wanted or exist.
    fn complete(&self, found: Enumerated, remedy: &'static str) -> Result<Vec<Walk>, Error> {
        if found.finished {
            return Ok(found.walks);
        }
        Err(Error::GaveUp { found: found.walks.len(), k: self.query.k, remedy })
    }

    fn weigh(&self, walk: Walk) -> BestPath {
        let (mdp, Walk { states, transitions }) = (self.model.mdp(), walk);
        let log_weight = log_weight(mdp, self.model.reward(), &states, &transitions);
        let log_f = self.endpoints.first.iter().find(|row| row.0 == states[0]).map_or(0.0, |row| row.1);
        let log_score = log_f + log_weight + self.endpoints.last[states[states.len() - 1]];
        let actions = transitions.iter().map(|&transition| mdp.action_of(mdp.choice_of()[transition] as usize)).collect();
        BestPath { path: Trajectory::new(states, actions), log_weight, log_score }
    }

    /// Ways lead there, but no path of the model.
    fn nothing(&self) -> Error {
        let exactly =
            if self.endpoints.bound_to_horizon().is_some() { " that ends with the horizon (ends = horizon)" } else { "" };
        let loopless = if self.query.loopless { " without loops" } else { "" };
        let what = format!("{}{loopless}{exactly}", self.endpoints.words);
        if self.query.bounded { Error::NoPath { what, horizon: self.model.horizon() } } else { Error::Unreachable { what } }
    }
}
