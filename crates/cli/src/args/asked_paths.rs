//! The paths that a command asks about: of which set, from where, to where.

use clap::Args;
use revealed::{
    CausalEntropy, Ends, Given, Horizon, Marginals, Method, Occupancy, PathDistribution, PathModel, Trajectory, sample,
};
use revealed_formats::{Model, Problem};

use super::path_set::PathSet;
use super::prefix::prefix;
use super::states::{note_given, one_state, state, states};
use super::work::Work;
use crate::terminal::Failure;

/// Which paths are asked about.
#[derive(Args)]
pub struct AskedPaths {
    /// Where paths begin: a state, or a file with a JSON array of a weight for each [default: the problem's start]
    #[arg(long, value_name = "S|FILE")]
    pub from: Option<String>,
    /// The state where paths end; a model with ends goal needs it
    #[arg(long, value_name = "S", alias = "goal", value_parser = one_state)]
    pub to: Option<usize>,
    /// Which path set
    #[command(flatten)]
    pub path_set: PathSet,
    /// How the work is done
    #[command(flatten)]
    pub work: Work,
}

impl AskedPaths {
    /// The distribution over these paths: given their first state where the model says nothing about first states
    /// (ends goal).
    pub fn distribution<'a>(&self, problem: &'a Problem, model: &Model) -> Result<PathDistribution<'a>, Failure> {
        let paths = self.path_set.path_model(problem, model)?;
        let given = self.given(&paths, None)?;
        let distribution = paths.distribution(&given, &self.work.of_engine())?;
        note_given(problem, &given);
        Ok(distribution)
    }

    /// Draws paths, after a prefix if one is given.
    pub fn sample(
        &self,
        problem: &Problem,
        model: &Model,
        begun: Option<&str>,
        n: usize,
        seed: u64,
    ) -> Result<Vec<Trajectory>, Failure> {
        if model.inference == Method::CausalEntropy {
            return match begun {
                Some(_) => Err(not_causal("--prefix")),
                None => Ok(self.causal(problem, model)?.sample(n, seed)?),
            };
        }
        let paths = self.path_set.path_model(problem, model)?;
        let given = self.given(&paths, begun)?;
        let sampled = sample(&paths, &given, n, seed, &self.work.of_engine())?;
        note_given(problem, &given);
        Ok(sampled)
    }

    /// What is known of these paths: where they begin, or a prefix, and where they end.
    pub fn given(&self, paths: &PathModel<'_>, begun: Option<&str>) -> Result<Given, Failure> {
        let first_states = |text: &String| states(text, "--from", paths.mdp().n_states());
        let to = self.last_state(paths)?;
        Ok(Given { start: self.from.as_ref().map(first_states).transpose()?, prefix: begun.map(prefix).transpose()?, to })
    }

    /// The state of `--to`, which a model of paths to a goal needs.
    fn last_state(&self, paths: &PathModel<'_>) -> Result<Option<usize>, Failure> {
        match self.to {
            Some(to) => Ok(Some(state(to, "--to", paths.mdp().n_states())?)),
            None if paths.ends() == Ends::Goal => Err(no_goal()),
            None => Ok(None),
        }
    }

    fn causal<'a>(&self, problem: &'a Problem, model: &Model) -> Result<CausalEntropy<'a>, Failure> {
        let given = [("--from", self.from.is_some()), ("--to", self.to.is_some())];
        if let Some((option, _)) = given.into_iter().find(|&(_, given)| given) {
            return Err(not_causal(option));
        }
        let (horizon, ends) = self.path_set.of(model);
        model.inference.check(&problem.mdp, &problem.features, ends)?;
        let Horizon::AtMost(states) = horizon else {
            return Err(Failure::new("--horizon any: the recursion of a causal model needs a number of states: give one"));
        };
        let reward = problem.features.reward(&problem.mdp, &model.theta)?;
        Ok(CausalEntropy::new(&problem.mdp, reward, states, &self.work.of_engine())?)
    }
}

/// The failure of a command that has to know where paths end.
pub fn no_goal() -> Failure {
    Failure::new("the model is one of paths to a goal (ends = goal): give the state where paths end with --to")
}

fn not_causal(option: &str) -> Failure {
    Failure::new(format!(
        "{option}: a model of causal entropy (inference causal) cannot be conditioned on it: omit it, or learn with \
         --inference exact"
    ))
}

/// The distribution of a model of either kind.
pub enum Paths<'a> {
    /// Of the MaxEnt model.
    MaxEnt(Box<PathDistribution<'a>>),
    /// Of maximum causal entropy.
    Causal(Box<CausalEntropy<'a>>),
}

impl<'a> Paths<'a> {
    /// The paths that are asked about.
    pub fn new(problem: &'a Problem, model: &Model, asked: &AskedPaths) -> Result<Paths<'a>, Failure> {
        if model.inference == Method::CausalEntropy {
            return Ok(Paths::Causal(Box::new(asked.causal(problem, model)?)));
        }
        Ok(Paths::MaxEnt(Box::new(asked.distribution(problem, model)?)))
    }

    /// p_t(s).
    pub fn marginals(&mut self, t: usize) -> Result<Marginals, Failure> {
        Ok(match self {
            Paths::MaxEnt(paths) => paths.marginals(t)?,
            Paths::Causal(causal) => causal.marginals(t)?,
        })
    }

    /// The discounted sum over t.
    pub fn occupancy(&self) -> &Occupancy {
        match self {
            Paths::MaxEnt(paths) => paths.occupancy(),
            Paths::Causal(causal) => causal.occupancy(),
        }
    }
}
