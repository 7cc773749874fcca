//! The paths that a command asks about: of which model, from where, to where.

use revealed::{
    CausalEntropy, Ends, Marginals, Method, Occupancy, PathDistribution, PathModel, Trajectory, sample_after, sample_from,
};
use revealed_formats::{Model, Problem};

use crate::args::Asked;
use crate::failure::Failure;
use crate::question::{note_start, path_model, prefix, state, states};

/// The distribution over paths that was asked about.
pub enum Paths<'a> {
    MaxEnt(Box<PathDistribution<'a>>),
    Causal(Box<CausalEntropy<'a>>),
}

impl<'a> Paths<'a> {
    pub fn of(problem: &'a Problem, model: &Model, asked: &Asked) -> Result<Paths<'a>, Failure> {
        if model.inference == Method::CausalEntropy {
            return Ok(Paths::Causal(Box::new(causal(problem, model, asked)?)));
        }
        Ok(Paths::MaxEnt(Box::new(distribution(problem, model, asked)?)))
    }

    pub fn marginals(&mut self, t: usize) -> Result<Marginals, Failure> {
        Ok(match self {
            Paths::MaxEnt(paths) => paths.marginals(t)?,
            Paths::Causal(causal) => causal.marginals(t)?,
        })
    }

    pub fn occupancy(&self) -> &Occupancy {
        match self {
            Paths::MaxEnt(paths) => paths.occupancy(),
            Paths::Causal(causal) => causal.occupancy(),
        }
    }
}

/// Paths given their first state where the model says nothing about first states (ends goal).
pub fn distribution<'a>(problem: &'a Problem, model: &Model, asked: &Asked) -> Result<PathDistribution<'a>, Failure> {
    let paths = path_model(problem, model, asked.horizon, asked.ends)?;
    let to = last_state(&paths, asked)?;
    let start = first_states(problem, asked)?;
    let options = asked.work.options(paths.ends(), Some(paths.horizon()));
    Ok(paths.distribution(start, to, &options)?)
}

/// Draws paths, from a prefix if one is given.
pub fn sample(
    problem: &Problem,
    model: &Model,
    asked: &Asked,
    begun: Option<&str>,
    n: usize,
    seed: u64,
) -> Result<Vec<Trajectory>, Failure> {
    if model.inference == Method::CausalEntropy {
        if begun.is_some() {
            return Err(not_causal("--prefix"));
        }
        return Ok(causal(problem, model, asked)?.sample(n, seed)?);
    }
    let paths = path_model(problem, model, asked.horizon, asked.ends)?;
    let to = last_state(&paths, asked)?;
    let options = asked.work.options(paths.ends(), Some(paths.horizon()));
    match begun {
        Some(text) => {
            let prefix = prefix(text)?;
            paths.check_prefix(&prefix)?;
            note_start(problem, prefix.states[0]);
            Ok(sample_after(&paths, &prefix, to, n, seed, &options)?)
        }
        None => Ok(sample_from(&paths, first_states(problem, asked)?, to, n, seed, &options)?),
    }
}

/// The horizon and the ends that hold.
pub fn path_set(model: &Model, asked: &Asked) -> (usize, Ends) {
    (asked.horizon.unwrap_or(model.horizon), asked.ends.map_or(model.ends, Ends::from))
}

fn causal<'a>(problem: &'a Problem, model: &Model, asked: &Asked) -> Result<CausalEntropy<'a>, Failure> {
    let given = [("--from", asked.from.is_some()), ("--to", asked.to.is_some()), ("--goal", asked.goal.is_some())];
    if let Some((option, _)) = given.into_iter().find(|&(_, given)| given) {
        return Err(not_causal(option));
    }
    let (horizon, ends) = path_set(model, asked);
    model.inference.check(&problem.mdp, &problem.features, ends)?;
    let reward = problem.features.reward(&problem.mdp, &model.theta)?;
    Ok(CausalEntropy::new(&problem.mdp, reward, horizon, &asked.work.options(ends, Some(horizon)))?)
}

fn not_causal(option: &str) -> Failure {
    Failure::new(format!(
        "{option}: the model is one of causal entropy (inference causal), which is not conditioned on anything: leave it out, or \
         learn with --inference exact"
    ))
}

/// p0, or what was asked for.
fn first_states(problem: &Problem, asked: &Asked) -> Result<Vec<(usize, f64)>, Failure> {
    let Some(text) = &asked.from else { return Ok(problem.mdp.start().to_vec()) };
    let start = states(text, "--from", problem.mdp.n_states())?;
    if let [(state, _)] = start[..] {
        note_start(problem, state);
    }
    Ok(start)
}

fn last_state(paths: &PathModel<'_>, asked: &Asked) -> Result<Option<usize>, Failure> {
    let n_states = paths.mdp().n_states();
    let given = asked.to.map(|to| ("--to", to)).or(asked.goal.map(|goal| ("--goal", goal)));
    match given {
        Some((option, goal)) => Ok(Some(state(goal, option, n_states)?)),
        None if paths.ends() == Ends::Goal => Err(Failure::new(
            "the model has paths to a goal (--ends goal): say where they end with --to STATE (or --goal STATE)",
        )),
        None => Ok(None),
    }
}
