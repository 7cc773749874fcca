//! The paths that a command asks about: of which set, from where, to where.

use clap::Args;
use revealed::{Ends, Given, PathDistribution, Trajectory};
use revealed_formats::{AskedModel, Model, Problem};

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

/// Which samples are drawn.
pub struct Draw<'a> {
    /// The path so far, if some of it is known.
    pub begun: Option<&'a str>,
    /// How many.
    pub n: usize,
    /// The same seed gives the same paths.
    pub seed: u64,
    /// Only so many states of each.
    pub states: Option<usize>,
}

impl AskedPaths {
    /// The distribution over these paths: given their first state where the model says nothing about first states
    /// (ends goal).
    pub fn distribution<'a>(&self, problem: &'a Problem, model: &Model) -> Result<PathDistribution<'a>, Failure> {
        let paths = self.path_set.path_model(problem, model)?;
        let given = self.given(&AskedModel::Path(paths.clone()), None)?;
        let distribution = paths.distribution(&given, &self.work.of_engine())?;
        note_given(problem, &given);
        Ok(distribution)
    }

    /// Draws paths, or only their first states.
    pub fn sample(&self, problem: &Problem, model: &Model, wanted: &Draw<'_>) -> Result<Vec<Trajectory>, Failure> {
        let Draw { begun, n, seed, states } = *wanted;
        let paths = self.path_set.asked(problem, model, &self.work)?;
        let given = self.given(&paths, begun)?;
        let sampled = paths.sample(&given, states, (n, seed), &self.work.of_engine())?;
        note_given(problem, &given);
        Ok(sampled)
    }

    /// What is known of these paths: where they begin, or a prefix, and where they end.
    pub fn given(&self, paths: &AskedModel<'_>, begun: Option<&str>) -> Result<Given, Failure> {
        let first_states = |text: &String| states(text, "--from", paths.mdp().n_states());
        let to = self.last_state(paths)?;
        Ok(Given { start: self.from.as_ref().map(first_states).transpose()?, prefix: begun.map(prefix).transpose()?, to })
    }

    /// The state of `--to`, which a model of paths to a goal needs.
    fn last_state(&self, paths: &AskedModel<'_>) -> Result<Option<usize>, Failure> {
        match self.to {
            Some(to) => Ok(Some(state(to, "--to", paths.mdp().n_states())?)),
            None if paths.ends() == Ends::Goal => Err(no_goal()),
            None => Ok(None),
        }
    }
}

/// The failure of a command that has to know where paths end.
pub fn no_goal() -> Failure {
    Failure::new("the model is one of paths to a goal (ends = goal): give the state where paths end with --to")
}
