//! `ziebart`: exact inference against Ziebart's two algorithms on FrozenLake4x4, from 50 demonstration paths.
//!
//! The paper does not state the discount, the bounds or a limit of the episodes. The settings of the first table
//! reproduce its exact row best. The second table shows how that row depends on them.

mod section;

use revealed::worlds::{FROZEN_LAKE_4X4, World, frozen_lake};
use revealed::{
    Bounds, CausalLikelihood, CausalObjective, Demonstrations, Ends, Error as EngineError, Likelihood, MaxEnt, Method, Options,
    Recovery, Terminals, Work, Ziebart, ZiebartVersion,
};

use super::expert::{self, Expert};
use super::lake;
use crate::work::{Plan, Row, Settings, Unit};

pub(crate) use section::section;

const PATHS: usize = 50;

/// Settings that the paper does not state.
struct Choices {
    name: &'static str,
    discount: f64,
    bounds: (f64, f64),
    longest: usize,
    /// Whether all algorithms run, or only the exact one.
    all: bool,
}

/// The first reproduces the paper best; each of the others changes one thing.
const CHOICES: [Choices; 6] = [
    Choices { name: "best", discount: 1.0, bounds: (-1.0, 1.0), longest: expert::UNLIMITED, all: true },
    Choices { name: "episodes-of-100", discount: 1.0, bounds: (-1.0, 1.0), longest: 100, all: false },
    Choices { name: "discount-0.99", discount: 0.99, bounds: (-1.0, 1.0), longest: expert::UNLIMITED, all: false },
    Choices { name: "bounds-0-1", discount: 1.0, bounds: (0.0, 1.0), longest: expert::UNLIMITED, all: false },
    Choices { name: "bounds-10", discount: 1.0, bounds: (-10.0, 10.0), longest: expert::UNLIMITED, all: false },
    Choices { name: "bounds-10-episodes-of-100", discount: 1.0, bounds: (-10.0, 10.0), longest: 100, all: false },
];

/// An algorithm, and the paper's numbers for it.
struct Algorithm {
    name: &'static str,
    title: &'static str,
    /// Inverse learning error and log-likelihood with the paper's ±.
    paper: Option<[(f64, f64); 2]>,
}

const ALGORITHMS: [Algorithm; 7] = [
    Algorithm { name: "exact", title: "exact", paper: Some([(55.2, 18.3), (-133.0, 7.78)]) },
    Algorithm {
        name: "2008-against",
        title: "Ziebart 2008, stepping against the gradient",
        paper: Some([(634.0, 0.0), (-336.0, 31.2)]),
    },
    Algorithm {
        name: "2010-against",
        title: "Ziebart 2010, stepping against the gradient",
        paper: Some([(596.7, 3.9), (-365.0, 33.0)]),
    },
    Algorithm { name: "2010-loops-against", title: "the same, terminal states as self-loops", paper: None },
    Algorithm { name: "2008", title: "Ziebart 2008, stepping with the gradient", paper: None },
    Algorithm { name: "2010", title: "Ziebart 2010, stepping with the gradient", paper: None },
    Algorithm { name: "causal", title: "maximum causal entropy", paper: None },
];

impl Algorithm {
    /// The version of Ziebart's algorithm, and its terminal states.
    fn ziebart(&self) -> Option<Ziebart> {
        let (version, terminals) = match self.name {
            "2008" | "2008-against" => (ZiebartVersion::Y2008, Terminals::Loop),
            "2010" | "2010-against" => (ZiebartVersion::Y2010, Terminals::End),
            "2010-loops-against" => (ZiebartVersion::Y2010, Terminals::Loop),
            _ => return None,
        };
        Some(Ziebart { version, terminals })
    }
}

/// Steps of the search against the gradient, and the first of them. It ends in a corner of the bounds.
const STEPS: usize = 400;
const FIRST_STEP: f64 = 0.05;

pub(crate) fn plan(settings: &Settings) -> Plan {
    Plan {
        version: 1,
        cases: CHOICES.iter().map(|choices| choices.name.to_string()).collect(),
        repeats: settings.repeats(50, 4),
        seeded: true,
        alone: false,
        columns: &["choices", "repeat", "algorithm", "longest", "ile", "ile_ends", "log_likelihood", "mismatch", "theta"],
        timings: &[],
    }
}

/// One data set, and the results of each algorithm.
pub(crate) fn work(unit: &Unit) -> Result<Vec<Row>, EngineError> {
    let choices = CHOICES.iter().find(|choices| choices.name == unit.case).unwrap_or(&CHOICES[0]);
    let world = frozen_lake(&FROZEN_LAKE_4X4, true)?.with_discount(choices.discount)?;
    let expert = Expert::new(&world)?;
    let demos = Demonstrations::new(&world.mdp, &expert.episodes(&world, PATHS, choices.longest, unit.seed)?)?;
    let options = Options { work: Work::on(1), ..Options::default() };
    let mut exact = Likelihood::new(&world.mdp, &world.features, &demos, &options)?;
    let row = |algorithm: &Algorithm| {
        let theta = learn(algorithm, choices, &world, &demos, exact.observed())?;
        let mismatch = mismatch(algorithm, &world, &demos, &theta)?;
        let learned = world.features.reward(&world.mdp, &theta)?;
        let recovery = expert.recovery(&world, &learned)?;
        let ends = Recovery::new(&world.mdp, &expert.reward, &learned, &expert::episodes_end())?;
        let cells = vec![
            unit.case.clone(),
            unit.repeat.to_string(),
            algorithm.name.to_string(),
            demos.longest().to_string(),
            recovery.inverse_learning_error.to_string(),
            ends.inverse_learning_error.to_string(),
            exact.evaluate(&theta)?.log_likelihood.to_string(),
            mismatch.to_string(),
            if unit.repeat == 0 { lake::write_theta(&theta) } else { String::new() },
        ];
        Ok(Row { cells, seconds: Vec::new() })
    };
    ALGORITHMS[..if choices.all { ALGORITHMS.len() } else { 1 }].iter().map(row).collect()
}

/// The θ that an algorithm learns.
fn learn(
    algorithm: &Algorithm,
    choices: &Choices,
    world: &World,
    demos: &Demonstrations,
    observed: &[f64],
) -> Result<Vec<f64>, EngineError> {
    let with_gradient = |method: Method, ends: Ends| {
        let options = Options { ends, work: Work::on(1), ..Options::default() };
        let settings =
            MaxEnt { method, options, bounds: Bounds::Same(choices.bounds.0, choices.bounds.1), ..MaxEnt::default() };
        let fit = settings.fit(&world.mdp, &world.features, demos)?;
        Ok(fit.theta)
    };
    match algorithm.name {
        name if name.ends_with("against") => {
            let ziebart = algorithm.ziebart().unwrap_or(Ziebart::new(ZiebartVersion::Y2008));
            against_gradient(ziebart, choices, world, demos, observed)
        }
        "2008" => with_gradient(Method::Ziebart2008, Ends::Anywhere),
        "2010" => with_gradient(Method::Ziebart2010, Ends::Anywhere),
        "causal" => with_gradient(Method::CausalDual, Ends::Horizon),
        _ => with_gradient(Method::Exact, Ends::Anywhere),
    }
}

/// The search with the wrong sign, as in an early version of the authors' program: θ + step · (expected - observed),
/// within bounds.
fn against_gradient(
    ziebart: Ziebart,
    choices: &Choices,
    world: &World,
    demos: &Demonstrations,
    observed: &[f64],
) -> Result<Vec<f64>, EngineError> {
    let mut theta = vec![0.0; world.features.n_features()];
    for step in 0..STEPS {
        let reward = world.features.reward(&world.mdp, &theta)?;
        // One indicator per state: the expected features are the visits.
        let expected = ziebart.visits(&world.mdp, &reward, demos.longest())?.visits;
        let size = FIRST_STEP / (1.0 + step as f64 / 50.0);
        for (theta, (expected, observed)) in theta.iter_mut().zip(expected.iter().zip(observed)) {
            *theta = (*theta + size * (expected - observed)).clamp(choices.bounds.0, choices.bounds.1);
        }
    }
    Ok(theta)
}

/// The largest difference between the demonstrations' mean features and the algorithm's expectations at its θ.
fn mismatch(algorithm: &Algorithm, world: &World, demos: &Demonstrations, theta: &[f64]) -> Result<f64, EngineError> {
    let largest = |difference: &[f64]| difference.iter().fold(0.0, |most: f64, each| most.max(each.abs()));
    let options = |ends| Options { ends, work: Work::on(1), ..Options::default() };
    let Some(ziebart) = algorithm.ziebart() else {
        if algorithm.name == "causal" {
            let options = options(Ends::Horizon);
            let mut causal = CausalLikelihood::new(&world.mdp, &world.features, demos, &options, CausalObjective::Dual)?;
            return Ok(largest(&causal.evaluate(theta)?.gradient));
        }
        let options = options(Ends::Anywhere);
        let mut exact = Likelihood::new(&world.mdp, &world.features, demos, &options)?;
        return Ok(largest(&exact.evaluate(theta)?.gradient));
    };
    let options = options(Ends::Anywhere);
    let observed = Likelihood::new(&world.mdp, &world.features, demos, &options)?.observed().to_vec();
    let expected = ziebart.visits(&world.mdp, &world.features.reward(&world.mdp, theta)?, demos.longest())?.visits;
    Ok(largest(&expected.iter().zip(&observed).map(|(expected, observed)| observed - expected).collect::<Vec<_>>()))
}
