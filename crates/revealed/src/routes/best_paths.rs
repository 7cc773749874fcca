//! The likeliest paths between two states, or between distributions over the first and the last state
//! (sec:me-inference).

mod best_first;
pub(crate) mod endpoints;
mod episodes;
mod loopless;
mod queue;
pub(crate) mod reach;
pub(crate) mod shortest;
mod viterbi;

use self::best_first::{Choices, Enumerated, Walk, WantedPaths, best_first};
use self::endpoints::Endpoints;
use self::episodes::Episodes;
use self::reach::Reach;
use self::shortest::Shortest;
use self::viterbi::Viterbi;
use crate::Error;
use crate::engine::Horizon;
use crate::engine::digits::{Bounded, TiltedDigits, is_at_risk};
use crate::engine::inference::check_reward_size;
use crate::model::path_model::log_weight;
use crate::model::{Chance, PathModel};
use crate::numeric::Work;
use crate::numeric::rounding::is_known;
use crate::numeric::threads::Threads;
use crate::world::Trajectory;
use crate::world::parents::Parents;

/// The largest k of a query.
const MOST_PATHS: usize = 1 << 20;
/// The number of paths longer than the horizon that a search skips before it gives up.
const TOO_LONG: usize = 1000;
/// The number of paths with loops that a search skips before it gives up.
const LOOPS: usize = 100_000;

/// How the best continuation of each state is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Dijkstra's algorithm where it gives the answer, and Viterbi's recursion elsewhere.
    #[default]
    Auto,
    /// The recursion over time and state: for any discount and any reward, within a horizon.
    Viterbi,
    /// Dijkstra's algorithm: without a discount, if no cycle has a weight above 1 and time does not decide where paths
    /// end.
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

/// Which paths are wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct PathQuery {
    /// f: (s, f(s)) of the first states. The weights need not sum to 1. The p0 of the MDP is not used.
    pub from: Vec<(usize, f64)>,
    /// g: the same for the last states; `None` for all states in which paths of the model may end.
    pub to: Option<Vec<(usize, f64)>>,
    /// How many paths.
    pub k: usize,
    /// Whether paths have at most L states, as in the model. Otherwise they may have any length, as in a model without
    /// a horizon.
    pub bounded: bool,
    /// Whether to find only paths that visit no state twice.
    pub loopless: bool,
    /// How to search; the answer is the same.
    pub search: Search,
    /// The threads of Viterbi's recursion, and the memory budget of its values. Values that do not fit are computed
    /// again for each path.
    pub work: Work,
}

impl PathQuery {
    /// The likeliest path of the model between distributions f and g.
    pub fn new(from: Vec<(usize, f64)>, to: Option<Vec<(usize, f64)>>) -> PathQuery {
        PathQuery { from, to, k: 1, bounded: true, loopless: false, search: Search::Auto, work: Work::default() }
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
    /// log q(τ) e^{R(τ)} without p0, f and g; for a causal model the log-probability given the first state.
    pub log_weight: f64,
    /// log f(s_1) + log q(τ) e^{R(τ)} + log g(s_l). The probability of the path given f and g is e to this power,
    /// divided by the sum of the same over all paths, which [`Spread::endings`](crate::Spread::endings) gives.
    pub log_score: f64,
}

/// The result of [`best_paths`].
#[derive(Debug, Clone, PartialEq)]
pub struct BestPaths {
    /// The paths, the likeliest first. There is at least one, and fewer than k only if there are no more.
    pub paths: Vec<BestPath>,
    /// How they were found: [`Search::Viterbi`] or [`Search::ShortestPath`].
    pub search: Search,
}

/// The k likeliest paths, exactly: arg max f(s_1) q(τ) e^{R(τ)} g(s_l) over the paths of the model (sec:me-inference).
///
/// Two paths differ if they differ in a state or an action. A path may contain cycles. Among equally likely paths,
/// those with fewer states come first; the order of the rest is deterministic.
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
/// A shortest-path search is one run of Dijkstra's algorithm. Viterbi's recursion visits every transition between the
/// endpoints L times. Each further path costs one walk along it. Without loops more walks may be needed: finding
/// loopless paths is hard if cycles have weights above 1.
///
/// # Errors
/// If states or weights are invalid, or no path of the model ends there; [`Error::Unreachable`] and
/// [`Error::ShortHorizon`]; for paths of any length [`Error::Gains`], [`Error::DiscountedRoute`] and
/// [`Error::AnyLength`]; [`Error::GaveUp`] if too many paths had loops; [`Error::Memory`].
pub fn best_paths(model: &PathModel<'_>, query: &PathQuery) -> Result<BestPaths, Error> {
    let large = model.mdp().n_states() >= viterbi::SHARED;
    Threads::new(query.work.threads)?.run_if(large, || search(model, query))
}

fn search(model: &PathModel<'_>, query: &PathQuery) -> Result<BestPaths, Error> {
    if !(1..=MOST_PATHS).contains(&query.k) {
        return Err(Error::Count { what: "k", value: query.k, least: 1, most: MOST_PATHS });
    }
    // A model of paths of any length has no horizon to keep.
    let query = &PathQuery { bounded: query.bounded && model.horizon() != Horizon::Any, ..query.clone() };
    let endpoints = Endpoints::new(model, &query.from, query.to.as_deref())?;
    if model.chance() == Chance::Fixed {
        return likeliest_episodes(model, query, &endpoints);
    }
    let parents = Parents::taken(model.mdp());
    let reach = Reach::new(model.mdp(), &parents, &endpoints);
    reach.check(model, &endpoints, query.bounded)?;
    let task = PathTask { model, query, endpoints, parents, reach };
    let (walks, search) = match query.search {
        Search::Viterbi => (task.viterbi()?, Search::Viterbi),
        Search::ShortestPath => (task.complete(task.shortest()?, "search by Viterbi's recursion")?, Search::ShortestPath),
        Search::Auto => task.automatic()?,
    };
    if walks.is_empty() {
        return Err(task.no_path());
    }
    task.check_digits(&walks)?;
    let mut paths: Vec<BestPath> = walks.into_iter().map(|walk| task.weigh(walk)).collect();
    // The search returns them in this order up to rounding.
    paths.sort_by(|one, other| other.log_score.total_cmp(&one.log_score));
    Ok(BestPaths { paths, search })
}

/// The k likeliest episodes of a causal model.
fn likeliest_episodes(model: &PathModel<'_>, query: &PathQuery, endpoints: &Endpoints) -> Result<BestPaths, Error> {
    let any_length = model.horizon() == Horizon::Any;
    if !query.bounded && !any_length {
        let rule = "the policy of a causal model depends on the time that is left; keep the horizon, or learn without one";
        return Err(Error::AnyLength { rule });
    }
    let (&PathQuery { k, loopless, .. }, mdp) = (query, model.mdp());
    let episodes = Episodes::new(model, endpoints, query)?;
    let walks = if loopless { k + LOOPS } else { k };
    let wanted = WantedPaths { k, longest: model.longest(), loopless, walks };
    let choices: &mut Choices<'_> = &mut |t, state, choices| {
        episodes.choices(t, state, choices);
        Ok(())
    };
    let found = best_first(&endpoints.first, choices, &wanted)?;
    if !found.finished {
        return Err(Error::GaveUp { found: found.walks.len(), k, remedy: "ask for fewer, or allow loops" });
    }
    let weigh = |walk: Walk| {
        let log_weight = episodes.log_weight(endpoints, &walk);
        let log_f = endpoints.first.iter().find(|row| row.0 == walk.states[0]).map_or(0.0, |row| row.1);
        let log_score = log_f + log_weight + endpoints.last[walk.states[walk.states.len() - 1]];
        let action = |&transition: &usize| mdp.action_of(mdp.choice_of()[transition] as usize);
        let actions = walk.transitions.iter().map(action).collect();
        BestPath { path: Trajectory::new(walk.states, actions), log_weight, log_score }
    };
    let mut paths: Vec<BestPath> = found.walks.into_iter().map(weigh).collect();
    if paths.is_empty() {
        let horizon = model.horizon().at_most();
        return Err(Error::NoPath { what: endpoints.description.clone(), horizon });
    }
    paths.sort_by(|one, other| other.log_score.total_cmp(&one.log_score));
    Ok(BestPaths { paths, search: if any_length { Search::ShortestPath } else { Search::Viterbi } })
}

/// A query, with the data that every search needs.
struct PathTask<'a> {
    model: &'a PathModel<'a>,
    query: &'a PathQuery,
    endpoints: Endpoints,
    parents: Parents,
    reach: Reach,
}

impl PathTask<'_> {
    /// The largest number of states of a path.
    fn longest(&self) -> usize {
        if self.query.bounded { self.model.longest() } else { usize::MAX }
    }

    fn automatic(&self) -> Result<(Vec<Walk>, Search), Error> {
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
                rule: "with ends = horizon a path has exactly as many states as the horizon, unless it ends in a \
                       terminal state; give a horizon and search by Viterbi's recursion, or name terminal states only",
            });
        }
        check_reward_size(self.model.reward(), self.model.horizon().at_most().unwrap_or(0).max(self.model.mdp().n_states()))?;
        let PathQuery { k, bounded, loopless, .. } = *self.query;
        let walks = if bounded { 2 * k + TOO_LONG } else { k };
        let wanted = WantedPaths { k, longest: self.longest(), loopless, walks };
        // If one path suffices, the search may stop at the first states.
        let only_one = k == 1 && !loopless && !bounded;
        let given = (&self.parents, &self.reach);
        let shortest = Shortest::new(self.model, &self.endpoints, given, self.longest(), only_one)?;
        if loopless {
            return self::loopless::loopless(&shortest, &wanted);
        }
        let choices: &mut Choices<'_> = &mut |_, state, choices| {
            shortest.choices(state, choices);
            Ok(())
        };
        best_first(&shortest.first(), choices, &wanted)
    }

    fn viterbi(&self) -> Result<Vec<Walk>, Error> {
        if !self.query.bounded {
            return Err(Error::AnyLength { rule: "Viterbi's recursion starts at the horizon; give one" });
        }
        let PathQuery { k, loopless, .. } = *self.query;
        let walks = if loopless { k + LOOPS } else { k };
        let wanted = WantedPaths { k, longest: self.model.longest(), loopless, walks };
        let mut viterbi = Viterbi::new(self.model, &self.endpoints, &self.reach, self.query)?;
        let paid = |&(state, log_f): &(usize, f64)| (state, log_f + self.model.reward().state[state]);
        let first: Vec<(usize, f64)> = self.endpoints.first.iter().map(paid).collect();
        let found = best_first(&first, &mut |t, state, choices| viterbi.choices(t, state, choices), &wanted)?;
        self.complete(found, "ask for fewer, or allow loops")
    }

    /// The paths, if the search has found all that are wanted or exist.
    fn complete(&self, found: Enumerated, remedy: &'static str) -> Result<Vec<Walk>, Error> {
        if found.finished {
            return Ok(found.walks);
        }
        Err(Error::GaveUp { found: found.walks.len(), k: self.query.k, remedy })
    }

    /// Refuses if the rewards of a path cancel so that the digits of its weight are lost.
    fn check_digits(&self, walks: &[Walk]) -> Result<(), Error> {
        let (model, endpoints) = (self.model, &self.endpoints);
        let (mdp, reward) = (model.mdp(), model.reward());
        let longest = walks.iter().map(|walk| walk.states.len()).max().unwrap_or(0);
        let horizon = if self.query.bounded { model.longest() } else { longest };
        if !is_at_risk(mdp, reward, horizon) {
            return Ok(());
        }
        let digits = TiltedDigits { mdp, reward };
        let known: Vec<Bounded> = walks.iter().map(|walk| digits.of_path(&walk.states, &walk.transitions)).collect();
        known.iter().try_for_each(|path| path.check(mdp))?;
        // Further paths are found by what they lose against the best ones.
        let heaviest = known.iter().fold(0.0, |most: f64, path| most.max(path.log.abs()));
        if let Some(path) = known.iter().skip(1).find(|path| !is_known(path.log, heaviest)) {
            return Err(known[0].largest.larger(path.largest).digits_lost(mdp));
        }
        if !self.query.bounded {
            return Ok(());
        }
        let after = digits.best(horizon, &|state, t| endpoints.ending(state, t, horizon));
        let first = |&(state, log_f): &(usize, f64)| after[state].times(log_f + reward.state[state]);
        let first: Vec<Bounded> = endpoints.first.iter().map(first).collect();
        Bounded::best_of(&first).check(mdp)
    }

    fn weigh(&self, walk: Walk) -> BestPath {
        let (mdp, Walk { states, transitions }) = (self.model.mdp(), walk);
        let log_weight = log_weight(mdp, self.model.reward(), &states, &transitions);
        let log_f = self.endpoints.first.iter().find(|row| row.0 == states[0]).map_or(0.0, |row| row.1);
        let log_score = log_f + log_weight + self.endpoints.last[states[states.len() - 1]];
        let actions = transitions.iter().map(|&transition| mdp.action_of(mdp.choice_of()[transition] as usize)).collect();
        BestPath { path: Trajectory::new(states, actions), log_weight, log_score }
    }

    /// The error if the endpoints are connected, but not by a path of the model.
    fn no_path(&self) -> Error {
        let exactly =
            if self.endpoints.bound_to_horizon().is_some() { " that ends with the horizon (ends = horizon)" } else { "" };
        let loopless = if self.query.loopless { " without loops" } else { "" };
        let what = format!("{}{loopless}{exactly}", self.endpoints.description);
        if self.query.bounded {
            Error::NoPath { what, horizon: self.model.horizon().at_most() }
        } else {
            Error::Unreachable { what }
        }
    }
}
