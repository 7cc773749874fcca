//! Matching and learning in turn: routes are matched, preferences are learned from them, routes are matched again.

use std::path::Path;

use revealed::{Demonstrations, Ends, Fit, Horizon, MaxEnt, Method, Options, Trajectory, Watch, Work};
use revealed_formats::{Model, Problem, demonstrations};
use serde_json::{Value, json};

use super::files::{MatchOutputs, match_files};
use super::matcher::Matcher;
use super::options::MatchOptions;
use super::tally::Tally;
use crate::error::Error;
use crate::world::Roads;

/// The routes are at a fixed point if at most this share of the states changes.
const SETTLED: f64 = 1e-3;

/// One round: what was learned from the routes before it, and what changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The number of the round, from 1.
    pub number: usize,
    /// The mean log-likelihood of the routes before the round, by the preferences that were learned from them.
    pub log_likelihood: f64,
    /// The share of the states of the routes that changed in the round.
    pub changed: f64,
    /// What became of the trips in the round.
    pub tally: Tally,
}

impl Round {
    /// For files.
    pub fn to_json(&self) -> Value {
        json!({ "log_likelihood": self.log_likelihood, "changed": self.changed })
    }
}

/// Matched routes and preferences that agree with each other.
#[derive(Debug, Clone)]
pub struct Refined {
    /// What became of the trips in the last round.
    pub tally: Tally,
    /// The preferences that the last round used.
    pub fit: Fit,
    /// How they were learned.
    pub settings: MaxEnt,
    /// The routes that they were learned from.
    pub learned_from: Vec<Trajectory>,
    /// The rounds.
    pub rounds: Vec<Round>,
    /// Whether the routes no longer change.
    pub settled: bool,
}

/// A matcher that weighs routes by the rewards of these preferences. The network must not be compressed.
///
/// # Errors
/// As [`Matcher::new`] and [`Matcher::with_rewards`]; if the states of the network are chains; if θ does not fit.
pub fn preferring<'a>(roads: &'a Roads, problem: &Problem, theta: &[f64], options: MatchOptions) -> Result<Matcher<'a>, Error> {
    if roads.chains.is_some() {
        let message = "the states of the network are chains: to match by learned preferences, import it without --compress";
        return Err(Error::Trips(message.to_string()));
    }
    let reward = problem.features.reward(&problem.mdp, theta)?;
    Matcher::new(&roads.network, options)?.with_rewards(&reward.state, &reward.transition)
}

/// Matching and learning in turn.
#[derive(Debug, Clone, Copy)]
pub struct Refinement<'a> {
    /// The network.
    pub roads: &'a Roads,
    /// How trips are matched.
    pub options: &'a MatchOptions,
    /// The maximum number of rounds.
    pub rounds: usize,
    /// How the work is done.
    pub work: Work,
}

impl Refined {
    /// The preferences that the last round used, as a model.
    ///
    /// # Errors
    /// If the routes that they were learned from are not paths of the network.
    pub fn model(&self, roads: &Roads) -> Result<Model, Error> {
        let problem = roads.problem()?;
        let demos = Demonstrations::new(&problem.mdp, &self.learned_from)?;
        Ok(Model::of_fit(&self.fit, &self.settings, &problem, &demos))
    }
}

impl Refinement<'_> {
    /// Matches the trips of a file by lengths, and then in rounds learns the recursive logit from the routes and matches
    /// by what was learned. It ends when the routes no longer change, and `hear` is told of each round.
    ///
    /// # Errors
    /// As [`match_files`], [`preferring`] and [`MaxEnt::fit`].
    pub fn run(
        &self,
        trips: &Path,
        outputs: &MatchOutputs<'_>,
        hear: &mut dyn FnMut(&Round),
        watch: &Watch<'_>,
    ) -> Result<Refined, Error> {
        let Refinement { roads, options, work, .. } = *self;
        let problem = roads.problem()?;
        let matcher = Matcher::new(&roads.network, options.clone())?;
        let mut tally = match_files(roads, &matcher, trips, outputs, &work, watch)?;
        let mut before = demonstrations::load(outputs.paths)?;
        let engine = Options { ends: Ends::Goal, horizon: Some(Horizon::Any), work };
        let mut settings = MaxEnt { method: Method::RecursiveLogit, options: engine, ..MaxEnt::default() };
        let mut rounds: Vec<Round> = Vec::new();
        loop {
            let demos = Demonstrations::new(&problem.mdp, &before)?;
            let fit = settings.fit_watched(&problem.mdp, &problem.features, &demos, watch)?;
            settings.start = Some(fit.theta.clone());
            let matcher = preferring(roads, &problem, &fit.theta, options.clone())?;
            if !tally.interrupted {
                tally = match_files(roads, &matcher, trips, outputs, &work, watch)?;
            }
            let after = demonstrations::load(outputs.paths)?;
            let (number, changed) = (rounds.len() + 1, changed(&before, &after));
            let round = Round { number, log_likelihood: fit.log_likelihood, changed, tally };
            hear(&round);
            let settled = round.changed <= SETTLED;
            rounds.push(round);
            if settled || rounds.len() >= self.rounds || tally.interrupted {
                return Ok(Refined { tally, fit, settings, learned_from: before, rounds, settled });
            }
            before = after;
        }
    }
}

/// The share of the states of the routes after a round that the routes of the same trips before it do not have.
fn changed(before: &[Trajectory], after: &[Trajectory]) -> f64 {
    let mut old: std::collections::HashMap<(&str, usize), usize> = std::collections::HashMap::new();
    for path in before {
        path.states.iter().for_each(|&state| *old.entry((path.id.as_deref().unwrap_or(""), state)).or_default() += 1);
    }
    let (mut new, mut all) = (0, 0);
    for path in after {
        for &state in &path.states {
            all += 1;
            match old.get_mut(&(path.id.as_deref().unwrap_or(""), state)).filter(|left| **left > 0) {
                Some(left) => *left -= 1,
                None => new += 1,
            }
        }
    }
    if all == 0 { 0.0 } else { f64::from(new) / f64::from(all) }
}
