//! `--policy`: which policy acts in episodes.

use std::path::Path;

use clap::builder::TypedValueParser;
use revealed::Policy;
use revealed_formats::Problem;

use super::choice::choice;
use crate::terminal::Failure;

/// Which policy acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// The optimal one.
    Optimal,
    /// Every action that a state offers, with the same probability.
    Uniform,
    /// e^(Q/T).
    Boltzmann,
    /// The problem's reference policy.
    Reference,
}

impl Actor {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Actor::Optimal => "optimal",
            Actor::Uniform => "uniform",
            Actor::Boltzmann => "boltzmann",
            Actor::Reference => "reference",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Actor::Optimal => "The optimal policy",
            Actor::Uniform => "Every action that a state offers, with the same probability",
            Actor::Boltzmann => "Better actions are likelier: e^(Q/T) with --temperature T",
            Actor::Reference => "The problem's reference policy",
        }
    }
}

/// Parses `--policy`, where these are possible.
pub fn actor(possible: &'static [Actor]) -> impl TypedValueParser<Value = Actor> {
    choice(possible, Actor::name, Actor::help)
}

/// The reference policy of a problem.
pub fn reference(problem: &Problem, file: &Path) -> Result<Policy, Failure> {
    match problem.mdp.reference() {
        Some(reference) => Ok(Policy::new(&problem.mdp, reference.to_vec())?),
        None => Err(Failure::in_file(file, "it has no reference policy: give it one, or omit --policy reference")),
    }
}
