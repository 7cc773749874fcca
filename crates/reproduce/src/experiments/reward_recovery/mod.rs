//! `reward-recovery`: the inverse learning error against the number of demonstration paths.
//!
//! An optimal policy for the true reward demonstrates. A reward is learned from its paths. The optimal policy for the
//! learned reward is then evaluated with the true reward.

mod section;

use revealed::worlds::{FROZEN_LAKE_4X4, StepFeatures, World, frozen_lake, n_chain, taxi};
use revealed::{Bounds, Demonstrations, Error as EngineError, MaxEnt, Mdp, Options, Recovery, Trajectory, Work};

use super::expert::{self, Expert};
use super::lake;
use crate::work::{Plan, Row, Settings, Unit};

pub(crate) use section::section;

/// A world, and the settings of learning in it.
struct Environment {
    name: &'static str,
    /// The bounds of θ.
    bounds: (f64, f64),
    /// The tolerance of the search. With thousands of weights that drift to their bounds, the last digits take long.
    tolerance: f64,
    /// The largest number of states of an episode.
    longest: usize,
    /// Whether only episodes that reach the goal are shown.
    successes: bool,
    paths: &'static [usize],
    quick_paths: &'static [usize],
}

const ENVIRONMENTS: [Environment; 6] = [
    Environment {
        name: "FrozenLake4x4",
        bounds: (-1.0, 1.0),
        tolerance: 1e-8,
        longest: expert::UNLIMITED,
        successes: false,
        paths: &[1, 2, 5, 10, 20, 50, 100, 200, 500],
        quick_paths: &[1, 10, 50, 200],
    },
    Environment {
        name: "FrozenLake4x4-successes",
        bounds: (-1.0, 1.0),
        tolerance: 1e-8,
        longest: expert::UNLIMITED,
        successes: true,
        paths: &[1, 2, 5, 10, 20, 50, 100, 200, 500],
        quick_paths: &[1, 10, 50, 200],
    },
    Environment {
        name: "NChain10",
        bounds: (-1.0, 1.0),
        tolerance: 1e-8,
        longest: 20,
        successes: false,
        paths: &[1, 2, 5, 10, 20, 50, 100, 200, 500],
        quick_paths: &[1, 10, 50, 200],
    },
    Environment {
        name: "Taxi",
        bounds: (-10.0, 10.0),
        tolerance: 1e-3,
        longest: 200,
        successes: false,
        paths: &[1, 3, 10, 30, 100, 300, 1000, 3000],
        quick_paths: &[1, 30, 1000],
    },
    Environment {
        name: "Taxi-narrow",
        bounds: (-1.0, 1.0),
        tolerance: 1e-3,
        longest: 200,
        successes: false,
        paths: &[10, 100, 1000],
        quick_paths: &[30, 1000],
    },
    Environment {
        name: "Taxi-kinds",
        bounds: (-10.0, 10.0),
        tolerance: 1e-3,
        longest: 200,
        successes: false,
        paths: &[1, 3, 10, 30, 100, 300, 1000, 3000],
        quick_paths: &[1, 30, 1000],
    },
];

/// The data set whose learned reward is drawn.
const DRAWN: (&str, &str) = ("FrozenLake4x4", "50");

impl Environment {
    fn named(name: &str) -> &'static Environment {
        ENVIRONMENTS.iter().find(|environment| environment.name == name).unwrap_or(&ENVIRONMENTS[0])
    }

    fn world(&self) -> Result<World, EngineError> {
        match self.name {
            "NChain10" => n_chain(10, 0.2, 2.0, 10.0, StepFeatures::StateActions),
            "Taxi" | "Taxi-narrow" => taxi(StepFeatures::StateActions),
            "Taxi-kinds" => taxi(StepFeatures::Kinds),
            _ => frozen_lake(&FROZEN_LAKE_4X4, true),
        }
    }
}

pub(crate) fn plan(settings: &Settings) -> Plan {
    let paths = |environment: &Environment| if settings.quick { environment.quick_paths } else { environment.paths };
    let cases = |environment: &Environment| {
        paths(environment).iter().map(|paths| format!("{}/{paths}", environment.name)).collect::<Vec<_>>()
    };
    Plan {
        version: 1,
        cases: ENVIRONMENTS.iter().flat_map(cases).collect(),
        repeats: settings.repeats(50, 4),
        seeded: true,
        alone: false,
        columns: &[
            "world",
            "paths",
            "repeat",
            "longest",
            "reached",
            "ile",
            "ile_reachable",
            "ile_ends",
            "evd",
            "log_likelihood",
            "converged",
            "theta",
        ],
        timings: &["seconds_learning"],
    }
}

/// One data set: learns a reward from it, and evaluates the optimal policy for that reward.
pub(crate) fn work(unit: &Unit) -> Result<Vec<Row>, EngineError> {
    let (name, paths) = unit.case.split_once('/').unwrap_or((&unit.case, "1"));
    let environment = Environment::named(name);
    let world = environment.world()?;
    let expert = Expert::new(&world)?;
    let trajectories = episodes(environment, &world, &expert, paths.parse().unwrap_or(1), unit.seed)?;
    let demos = Demonstrations::new(&world.mdp, &trajectories)?;
    let settings = MaxEnt {
        options: Options { work: Work::on(1), ..Options::default() },
        bounds: Bounds::Same(environment.bounds.0, environment.bounds.1),
        tolerance: environment.tolerance,
        ..MaxEnt::default()
    };
    let clock = std::time::Instant::now();
    let fit = settings.fit(&world.mdp, &world.features, &demos)?;
    let seconds = clock.elapsed().as_secs_f64();
    let learned = world.features.reward(&world.mdp, &fit.theta)?;
    let recovery = expert.recovery(&world, &learned)?;
    let ends = Recovery::new(&world.mdp, &expert.reward, &learned, &expert::episodes_end())?;
    let ended = |path: &&Trajectory| path.states.last().is_some_and(|&last| world.theta.get(last) == Some(&1.0));
    let of_goal = world.features.on_states_only().then(|| trajectories.iter().filter(ended).count());
    let drawn = (name, paths) == DRAWN;
    let cells = vec![
        name.to_string(),
        paths.to_string(),
        unit.repeat.to_string(),
        demos.longest().to_string(),
        of_goal.map_or(String::new(), |reached| reached.to_string()),
        recovery.inverse_learning_error.to_string(),
        of_reachable(&world.mdp, &recovery).to_string(),
        ends.inverse_learning_error.to_string(),
        recovery.expected_value_difference.to_string(),
        fit.log_likelihood.to_string(),
        fit.converged.to_string(),
        if drawn { lake::write_theta(&fit.theta) } else { String::new() },
    ];
    Ok(vec![Row { cells, seconds: vec![Some(seconds)] }])
}

/// `n` episodes, or `n` episodes that reach the goal.
fn episodes(
    environment: &Environment,
    world: &World,
    expert: &Expert,
    n: usize,
    seed: u64,
) -> Result<Vec<Trajectory>, EngineError> {
    if !environment.successes {
        return expert.episodes(world, n, environment.longest, seed);
    }
    // An optimal policy reaches the goal in four of five episodes. Ten times as many fail with probability 1e-30.
    let mut all = expert.episodes(world, 10 * n + 40, environment.longest, seed)?;
    all.retain(|path| path.states.last().is_some_and(|&last| world.theta[last] == 1.0));
    all.truncate(n);
    Ok(all)
}

/// The inverse learning error over the states that a path can reach. Demonstrations contain no others.
fn of_reachable(mdp: &Mdp, recovery: &Recovery) -> f64 {
    let mut reachable = vec![false; mdp.n_states()];
    let mut open: Vec<usize> = mdp.start().iter().map(|start| start.0).collect();
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut reachable[state], true) {
            let next =
                mdp.choices(state).flat_map(|choice| mdp.outcomes(choice)).map(|transition| mdp.to()[transition] as usize);
            open.extend(next);
        }
    }
    let apart = |state: usize| (recovery.optimal[state] - recovery.learned[state]).abs();
    (0..mdp.n_states()).filter(|&state| reachable[state]).map(apart).sum()
}
