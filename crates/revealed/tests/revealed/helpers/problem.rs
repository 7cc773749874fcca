//! Random problems, as the library is asked about them.

use revealed::oracle::RandomProblem;
use revealed::{Ends, Likelihood, Options, PathModel, Stop};

/// The model of a problem with its own reward.
pub fn model_of(problem: &RandomProblem) -> PathModel<'_> {
    PathModel::new(&problem.mdp, problem.reward(), problem.horizon, problem.ends).unwrap()
}

/// The path set of a problem.
pub fn options_of(problem: &RandomProblem) -> Options {
    Options { ends: problem.ends, horizon: Some(problem.horizon.into()), ..Options::default() }
}

/// The likelihood of a problem's demonstrations.
pub fn likelihood_of(problem: &RandomProblem) -> Likelihood<'_> {
    Likelihood::new(&problem.mdp, &problem.features, &problem.demonstrations, &options_of(problem)).unwrap()
}

/// Where paths end if no goal is given.
pub fn open_stop(ends: Ends) -> Stop {
    match ends {
        Ends::Anywhere | Ends::Goal => Stop::Anywhere,
        Ends::Horizon => Stop::Horizon,
        Ends::Terminal => Stop::Terminal,
    }
}
