//! `ziebart`: exact inference against Ziebart's two algorithms on FrozenLake4x4, from 50 demonstration paths.
//!
//! The paper does not state the discount, the bounds or a limit of the episodes. The settings of the first table
//! reproduce its exact row best. Another table shows how that row depends on them.
//!
//! The error of the exact algorithm takes few values, and few data sets decide its mean over 50. So the exact algorithm
//! alone also learns from many more data sets, whose errors are shown as a distribution.

mod distribution;
mod implemented;
mod section;

use revealed::worlds::{FROZEN_LAKE_4X4, World, frozen_lake};
use revealed::{
    Bounds, CausalLikelihood, CausalObjective, Demonstrations, Ends, Error as EngineError, Likelihood, MaxEnt, Method, Options,
    Recovery, Terminals, Work, Ziebart, ZiebartVersion,
};

use super::expert::{self, Expert};
use super::lake;
use crate::work::{Plan, Row, Settings, Unit};
use implemented::Dynamics;

pub(crate) use section::section;

const PATHS: usize = 50;
/// The case that has many data sets, and how many of them a unit has: 1,000 with the paper's 50 repeats.
const MANY: &str = "many";
const BATCH: usize = 20;

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

/// The paper's rows.
const PAPER_EXACT: [(f64, f64); 2] = [(55.2, 18.3), (-133.0, 7.78)];
const PAPER_2008: [(f64, f64); 2] = [(634.0, 0.0), (-336.0, 31.2)];
const PAPER_2010: [(f64, f64); 2] = [(596.7, 3.9), (-365.0, 33.0)];

const ALGORITHMS: [Algorithm; 12] = [
    Algorithm { name: "exact", title: "exact", paper: Some(PAPER_EXACT) },
    Algorithm { name: "2008-implemented-3000", title: "2008, as implemented, 3,000 steps", paper: Some(PAPER_2008) },
    Algorithm { name: "2010-implemented-300", title: "2010, as implemented, 300 steps", paper: Some(PAPER_2010) },
    Algorithm { name: "2010-implemented-1000", title: "2010, as implemented, 1,000 steps", paper: Some(PAPER_2010) },
    Algorithm { name: "2010-implemented-3000", title: "2010, as implemented, 3,000 steps", paper: Some(PAPER_2010) },
    Algorithm { name: "2010-implemented-10000", title: "2010, as implemented, 10,000 steps", paper: Some(PAPER_2010) },
    Algorithm { name: "2008-against", title: "2008, as published, against the gradient", paper: Some(PAPER_2008) },
    Algorithm { name: "2010-against", title: "2010, as published, against the gradient", paper: Some(PAPER_2010) },
    Algorithm { name: "2010-loops-against", title: "the same, terminal states as self-loops", paper: None },
    Algorithm { name: "2008", title: "2008, as published, with the gradient", paper: None },
    Algorithm { name: "2010", title: "2010, as published, with the gradient", paper: None },
    Algorithm { name: "causal", title: "maximum causal entropy", paper: None },
];

/// The arm of an algorithm, from its name.
enum Arm {
    Exact,
    Causal,
    /// With the gradient, by the engine's search.
    With(ZiebartVersion),
    /// As published, with steps against the gradient.
    Against(Ziebart),
    /// As implemented, with this many steps.
    Implemented(ZiebartVersion, usize),
}

impl Algorithm {
    fn arm(&self) -> Arm {
        let (year, rest) = self.name.split_once('-').unwrap_or((self.name, ""));
        let version = if year == "2008" { ZiebartVersion::Y2008 } else { ZiebartVersion::Y2010 };
        match (self.name, rest) {
            ("causal", _) => Arm::Causal,
            ("2008" | "2010", _) => Arm::With(version),
            (_, "against") => Arm::Against(Ziebart::new(version)),
            (_, "loops-against") => Arm::Against(Ziebart { version, terminals: Terminals::Loop }),
            (_, rest) => match rest.strip_prefix("implemented-").and_then(|steps| steps.parse().ok()) {
                Some(steps) => Arm::Implemented(version, steps),
                None => Arm::Exact,
            },
        }
    }
}

/// Steps of the search against the gradient, and the first of them. It ends in a corner of the bounds.
const STEPS: usize = 400;
const FIRST_STEP: f64 = 0.05;

pub(crate) fn plan(settings: &Settings) -> Plan {
    Plan {
        version: 2,
        cases: CHOICES.iter().map(|choices| choices.name.to_string()).chain([MANY.to_string()]).collect(),
        repeats: settings.repeats(50, 4),
        seeded: true,
        alone: false,
        columns: &["choices", "repeat", "algorithm", "longest", "ile", "ile_ends", "log_likelihood", "mismatch", "theta"],
        timings: &[],
    }
}

/// One data set and the results of each algorithm, or many data sets and those of the exact one.
pub(crate) fn work(unit: &Unit) -> Result<Vec<Row>, EngineError> {
    let choices = CHOICES.iter().find(|choices| choices.name == unit.case).unwrap_or(&CHOICES[0]);
    let world = frozen_lake(&FROZEN_LAKE_4X4, true)?.with_discount(choices.discount)?;
    let expert = Expert::new(&world)?;
    let (sets, algorithms) = match (unit.case == MANY, choices.all) {
        (true, _) => (BATCH, 1),
        (false, all) => (1, if all { ALGORITHMS.len() } else { 1 }),
    };
    let mut rows = Vec::new();
    for set in 0..sets as u64 {
        let episodes = expert.episodes(&world, PATHS, choices.longest, unit.seed.wrapping_add(set))?;
        let data = Data { choices, world: &world, demos: Demonstrations::new(&world.mdp, &episodes)? };
        rows.extend(data.rows(unit, &expert, &ALGORITHMS[..algorithms])?);
    }
    Ok(rows)
}

/// One data set.
struct Data<'a> {
    choices: &'a Choices,
    world: &'a World,
    demos: Demonstrations,
}

impl Data<'_> {
    /// A row for each algorithm.
    fn rows(&self, unit: &Unit, expert: &Expert, algorithms: &[Algorithm]) -> Result<Vec<Row>, EngineError> {
        let (world, demos) = (self.world, &self.demos);
        let options = Options { work: Work::on(1), ..Options::default() };
        let mut exact = Likelihood::new(&world.mdp, &world.features, demos, &options)?;
        let observed = exact.observed().to_vec();
        let row = |algorithm: &Algorithm| {
            let theta = self.learn(algorithm, &observed)?;
            let learned = world.features.reward(&world.mdp, &theta)?;
            let recovery = expert.recovery(world, &learned)?;
            let ends = Recovery::new(&world.mdp, &expert.reward, &learned, &expert::episodes_end())?;
            let cells = vec![
                unit.case.clone(),
                unit.repeat.to_string(),
                algorithm.name.to_string(),
                demos.longest().to_string(),
                recovery.inverse_learning_error.to_string(),
                ends.inverse_learning_error.to_string(),
                exact.evaluate(&theta)?.log_likelihood.to_string(),
                self.mismatch(algorithm, &observed, &theta)?.to_string(),
                if unit.repeat == 0 && unit.case != MANY { lake::write_theta(&theta) } else { String::new() },
            ];
            Ok(Row { cells, seconds: Vec::new() })
        };
        algorithms.iter().map(row).collect()
    }

    /// The θ that an algorithm learns.
    fn learn(&self, algorithm: &Algorithm, observed: &[f64]) -> Result<Vec<f64>, EngineError> {
        let with_gradient = |method: Method, ends: Ends| {
            let options = Options { ends, work: Work::on(1), ..Options::default() };
            let bounds = Bounds::Same(self.choices.bounds.0, self.choices.bounds.1);
            let settings = MaxEnt { method, options, bounds, ..MaxEnt::default() };
            let fit = settings.fit(&self.world.mdp, &self.world.features, &self.demos)?;
            Ok(fit.theta)
        };
        match algorithm.arm() {
            Arm::Exact => with_gradient(Method::Exact, Ends::Anywhere),
            Arm::Causal => with_gradient(Method::CausalDual, Ends::Horizon),
            Arm::With(ZiebartVersion::Y2008) => with_gradient(Method::Ziebart2008, Ends::Anywhere),
            Arm::With(ZiebartVersion::Y2010) => with_gradient(Method::Ziebart2010, Ends::Anywhere),
            Arm::Against(ziebart) => against_gradient(ziebart, self.choices, self.world, &self.demos, observed),
            Arm::Implemented(version, steps) => {
                let dynamics = Dynamics::new(&self.world.mdp);
                Ok(dynamics.learn(version, observed, self.choices.bounds, self.demos.longest(), steps))
            }
        }
    }

    /// The largest difference between the demonstrations' mean features and the algorithm's expectations at its θ.
    fn mismatch(&self, algorithm: &Algorithm, observed: &[f64], theta: &[f64]) -> Result<f64, EngineError> {
        let (mdp, features, demos) = (&self.world.mdp, &self.world.features, &self.demos);
        let options = |ends| Options { ends, work: Work::on(1), ..Options::default() };
        let visits = |ziebart: Ziebart| {
            Ok::<_, EngineError>(ziebart.visits(mdp, &features.reward(mdp, theta)?, demos.longest())?.visits)
        };
        let expected = match algorithm.arm() {
            Arm::Causal => {
                let options = options(Ends::Horizon);
                let mut causal = CausalLikelihood::new(mdp, features, demos, &options, CausalObjective::Dual)?;
                return Ok(largest(&causal.evaluate(theta)?.gradient));
            }
            Arm::Exact => {
                let mut exact = Likelihood::new(mdp, features, demos, &options(Ends::Anywhere))?;
                return Ok(largest(&exact.evaluate(theta)?.gradient));
            }
            Arm::With(version) => visits(Ziebart::new(version))?,
            Arm::Against(ziebart) => visits(ziebart)?,
            Arm::Implemented(version, _) => Dynamics::new(mdp).visits(version, theta, demos.longest()),
        };
        Ok(largest(&expected.iter().zip(observed).map(|(expected, observed)| observed - expected).collect::<Vec<_>>()))
    }
}

fn largest(differences: &[f64]) -> f64 {
    differences.iter().fold(0.0, |most: f64, each| most.max(each.abs()))
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
