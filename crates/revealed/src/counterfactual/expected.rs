//! The expectations of one model, over a demand: the only file of this module that asks a model.

use super::demand::{Demand, Trip, TripGroup, groups};
use super::scenario::Scenario;
use crate::Error;
use crate::engine::Horizon;
use crate::engine::elimination::{Elimination, Limit};
use crate::model::route_choice::{between_pairs, is_large};
use crate::model::{Chance, Ends, Given, PathDistribution, PathModel};
use crate::numeric::Work;
use crate::numeric::threads::Threads;
use crate::watch::Watch;
use crate::world::Occupancy;

/// What has to be computed besides log Z and the visits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    pub mean_length: bool,
    pub length_variance: bool,
    pub ends: bool,
}

impl Wanted {
    pub fn or(self, other: Wanted) -> Wanted {
        Wanted {
            mean_length: self.mean_length || other.mean_length,
            length_variance: self.length_variance || other.length_variance,
            ends: self.ends || other.ends,
        }
    }
}

/// Means over a demand.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    pub log_partition: f64,
    pub occupancy: Occupancy,
    /// The mean and the variance of the number of states.
    pub lengths: [f64; 2],
    /// The probability that a path ends in each state.
    pub ends: Vec<f64>,
}

/// Which paths, and how the work is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub horizon: Horizon,
    pub ends: Ends,
    pub chance: Chance,
    pub demand: &'a Demand,
    pub work: &'a Work,
    pub wanted: Wanted,
}

/// The expectations in one world at θ.
pub(super) fn expected(world: &Scenario, theta: &[f64], asked: Asked<'_>) -> Result<Expected, Error> {
    let reward = world.reward(theta)?;
    let model = match asked.chance {
        Chance::Tilted => PathModel::new(world.mdp(), reward, asked.horizon, asked.ends)?,
        Chance::Fixed => PathModel::causal(world.mdp(), reward, asked.horizon, asked.ends)?,
    };
    match asked.demand {
        Demand::Start => of_start(&model, world, world.mdp().start(), None, asked),
        Demand::From { start, to } => of_start(&model, world, start, *to, asked),
        Demand::Trips(trips) => {
            if let Some(found) = between_pairs_of(&model, world, trips, asked)? {
                return Ok(found);
            }
            let mut mean: Option<Mixture> = None;
            for group in groups(trips) {
                let found = of_group(&model, world, &group, asked)?;
                mean.get_or_insert_with(|| Mixture::new(&found)).add(group.share, &found);
            }
            mean.map(Mixture::end).ok_or(Error::NoDemonstrations)
        }
    }
}

/// Trips of any length between given ends, all by one elimination. `None` if it cannot answer, or finds no answer: one
/// distribution for each last state then has it, or the reason why there is none.
///
/// # Errors
/// [`Error::FillIn`], [`Error::Threads`] and [`Error::Stopped`], which those distributions would give as well.
fn between_pairs_of(
    model: &PathModel<'_>,
    world: &Scenario,
    trips: &[Trip],
    asked: Asked<'_>,
) -> Result<Option<Expected>, Error> {
    let is_route_choice = (model.horizon(), model.ends(), model.chance()) == (Horizon::Any, Ends::Goal, Chance::Tilted);
    if !is_route_choice || asked.wanted.length_variance {
        return Ok(None);
    }
    let (mdp, mut pairs, mut ends) = (model.mdp(), Vec::new(), vec![0.0; model.mdp().n_states()]);
    for group in groups(trips) {
        let Some(to) = group.to else { return Ok(None) };
        ends[to] = group.share;
        pairs.extend(group.start.iter().map(|&(from, share)| ([from, to], share)));
    }
    if pairs.iter().any(|pair| world.is_closed(pair.0[0])) {
        return Ok(None);
    }
    let limit = Limit::of_uses(asked.work.memory);
    let network = Elimination::new(mdp, &limit, &Watch::none())?;
    let large = is_large(&network, pairs.len());
    let found =
        Threads::new(asked.work.threads)?.run_if(large, || between_pairs(mdp, &network, model.reward(), &pairs, None, &limit));
    let (log_partition, occupancy) = match found {
        Err(Error::Stopped) => return Err(Error::Stopped),
        Err(_) => return Ok(None),
        Ok(found) => found,
    };
    let is_finite = log_partition.is_finite() && occupancy.state.iter().all(|visits| visits.is_finite());
    let lengths = [occupancy.state.iter().sum(), 0.0];
    Ok(is_finite.then_some(Expected { log_partition, occupancy, lengths, ends }))
}

/// The paths from weighted first states, as other questions understand them.
fn of_start(
    model: &PathModel<'_>,
    world: &Scenario,
    start: &[(usize, f64)],
    to: Option<usize>,
    asked: Asked<'_>,
) -> Result<Expected, Error> {
    if model.ends() == Ends::Goal {
        return of_group(model, world, &TripGroup { to, share: 1.0, start: start.to_vec() }, asked);
    }
    let open: Vec<(usize, f64)> = start.iter().copied().filter(|row| !world.is_closed(row.0)).collect();
    let from = if let [(from, _)] = start { Some(*from) } else { None };
    let missing = Error::NoTripLeft { from, to, horizon: model.horizon().at_most() };
    if open.is_empty() {
        return Err(missing);
    }
    let paths = model.distribution(&Given::from_states(open).to(to), asked.work).map_err(|error| match error {
        Error::NoPath { .. } => missing,
        error => error,
    })?;
    of_paths(paths, model, to, asked)
}

/// The paths of each first state, given that state.
fn of_group(model: &PathModel<'_>, world: &Scenario, group: &TripGroup, asked: Asked<'_>) -> Result<Expected, Error> {
    let to = group.to;
    let missing = |from| Error::NoTripLeft { from: Some(from), to, horizon: model.horizon().at_most() };
    if let Some(row) = group.start.iter().find(|row| row.1 > 0.0 && world.is_closed(row.0)) {
        return Err(missing(row.0));
    }
    if model.chance() == Chance::Fixed && group.start.len() > 1 {
        return of_each(model, world, group, asked);
    }
    let (stop, start) = (model.stop(to)?, group.start.clone());
    let paths = match model.chance() {
        Chance::Fixed => model.distribution(&Given::from_states(start).to(to), asked.work),
        Chance::Tilted => {
            let (reward, horizon) = (model.reward().clone(), model.horizon());
            PathDistribution::given_first_state(model.mdp(), reward, start, horizon, stop, asked.work)
        }
    };
    let paths = paths.map_err(|error| match (error, group.start.first()) {
        (Error::NoPath { .. }, Some(row)) => missing(row.0),
        (error, _) => error,
    })?;
    // First states without a path are left out of the distribution.
    let has_path = |state: usize| paths.start().iter().any(|row| row.0 == state);
    match group.start.iter().find(|row| row.1 > 0.0 && !has_path(row.0)) {
        Some(row) => Err(missing(row.0)),
        None => of_paths(paths, model, to, asked),
    }
}

/// The same for a causal model, one first state after the other.
fn of_each(model: &PathModel<'_>, world: &Scenario, group: &TripGroup, asked: Asked<'_>) -> Result<Expected, Error> {
    let mut mean: Option<Mixture> = None;
    for &(state, share) in &group.start {
        let found = of_group(model, world, &TripGroup { to: group.to, share, start: vec![(state, 1.0)] }, asked)?;
        mean.get_or_insert_with(|| Mixture::new(&found)).add(share, &found);
    }
    mean.map(Mixture::end).ok_or(Error::NoDemonstrations)
}

fn of_paths(
    mut paths: PathDistribution<'_>,
    model: &PathModel<'_>,
    to: Option<usize>,
    asked: Asked<'_>,
) -> Result<Expected, Error> {
    let Wanted { mean_length, length_variance, ends } = asked.wanted;
    // Without a discount, the mean length is the number of all visits.
    let lengths = match length_variance || (mean_length && model.mdp().discount() < 1.0) {
        true => paths.length_moments()?,
        false => [paths.occupancy().state.iter().sum(), 0.0],
    };
    let ends = if ends { end_probabilities(&mut paths, model, to)? } else { Vec::new() };
    Ok(Expected { log_partition: paths.log_partition(), occupancy: paths.occupancy().clone(), lengths, ends })
}

/// The probability that a path ends in each state. Without a discount it is what comes in and does not go out.
fn end_probabilities(paths: &mut PathDistribution<'_>, model: &PathModel<'_>, to: Option<usize>) -> Result<Vec<f64>, Error> {
    let mdp = model.mdp();
    let mut ends = vec![0.0; mdp.n_states()];
    if mdp.discount() == 1.0 {
        let visits = paths.occupancy();
        for (state, end) in ends.iter_mut().enumerate().filter(|(state, _)| to.is_none_or(|to| to == *state)) {
            let leaves: f64 = visits.transition[mdp.children(state)].iter().sum();
            *end = (visits.state[state] - leaves).max(0.0);
        }
        return Ok(ends);
    }
    paths.endings()
}

/// A mean of expectations. Of lengths it has the first two moments.
struct Mixture {
    sum: Expected,
}

impl Mixture {
    fn new(like: &Expected) -> Mixture {
        let zeros = |values: &[f64]| vec![0.0; values.len()];
        let occupancy = Occupancy { state: zeros(&like.occupancy.state), transition: zeros(&like.occupancy.transition) };
        Mixture { sum: Expected { log_partition: 0.0, occupancy, lengths: [0.0; 2], ends: zeros(&like.ends) } }
    }

    fn add(&mut self, share: f64, part: &Expected) {
        let add = |sum: &mut [f64], part: &[f64]| sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += share * part);
        self.sum.log_partition += share * part.log_partition;
        add(&mut self.sum.occupancy.state, &part.occupancy.state);
        add(&mut self.sum.occupancy.transition, &part.occupancy.transition);
        add(&mut self.sum.ends, &part.ends);
        let [mean, variance] = part.lengths;
        add(&mut self.sum.lengths, &[mean, variance + mean * mean]);
    }

    fn end(self) -> Expected {
        let [mean, square] = self.sum.lengths;
        Expected { lengths: [mean, (square - mean * mean).max(0.0)], ..self.sum }
    }
}
