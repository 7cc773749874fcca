//! `model-free`: the importance-sampling estimator against the exact gradient, and its bias towards short paths.
//!
//! The error of the gradient is that of E_θ[φ]: it does not depend on the demonstrations.

mod section;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::worlds::{FROZEN_LAKE_4X4, StepFeatures, World, frozen_lake, n_chain, taxi};
use revealed::{
    Baseline, Ends, Error as EngineError, PathDistribution, Policy, SampleColumns, Samples, Stop, Trajectory, rollouts,
    samples_from_rollouts,
};

use crate::work::{Plan, Row, Settings, Unit};

pub(crate) use section::section;

/// The problems on which the rate is measured.
const RATES: [&str; 3] = ["FrozenLake4x4", "NChain5", "Taxi"];
/// Samplers that estimate the mean length of the paper's paths, which may end anywhere.
const LENGTHS: [&str; 3] = ["prefixes", "stopping", "stopping-untold"];
/// The same where all paths have equal weight (θ = 0). Long paths are the rarest samples and have the largest weights.
const COUNTING: &str = "counting";
const ROLLOUTS: [usize; 5] = [100, 400, 1600, 6400, 25_600];
const QUICK_ROLLOUTS: [usize; 4] = [100, 400, 1600, 6400];
/// For the last case, which converges with few rollouts.
const FEW_ROLLOUTS: [usize; 5] = [4, 16, 64, 256, 1024];
/// The probability that the stopping sampler stops in a state.
const STOPS: f64 = 0.5;

/// A problem with a known θ and a set of paths.
struct Problem {
    world: World,
    theta: Vec<f64>,
    longest: usize,
    ends: Ends,
}

impl Problem {
    fn named(name: &str) -> Result<Problem, EngineError> {
        let lake = |theta: Vec<f64>, longest| {
            Ok(Problem { world: frozen_lake(&FROZEN_LAKE_4X4, true)?, theta, longest, ends: Ends::Anywhere })
        };
        match name {
            // Step, return and stay, whose true rewards are 0, 2 and 10.
            "NChain5" => {
                let world = n_chain(5, 0.2, 2.0, 10.0, StepFeatures::Kinds)?;
                Ok(Problem { world, theta: vec![0.0, 0.2, 1.0], longest: 8, ends: Ends::Horizon })
            }
            // Step, delivery and illegal.
            "Taxi" => {
                let world = taxi(StepFeatures::Kinds)?.with_discount(0.9)?;
                Ok(Problem { world, theta: vec![-0.1, 2.0, -1.0], longest: 10, ends: Ends::Anywhere })
            }
            COUNTING => lake(vec![0.0; 16], 20),
            // The reward is higher at the goal than at the start, and every step has a cost.
            _ => lake((0..16).map(|cell| -0.8 + 0.05 * f64::from(cell)).collect(), 10),
        }
    }

    /// E_θ[φ] by the engine.
    fn exact(&self) -> Result<Vec<f64>, EngineError> {
        let stop = if self.ends == Ends::Horizon { Stop::Horizon } else { Stop::Anywhere };
        let reward = self.world.features.reward(&self.world.mdp, &self.theta)?;
        let paths = PathDistribution::new(&self.world.mdp, reward, self.longest, stop)?;
        Ok(self.world.features.expectation(&self.world.mdp, paths.occupancy()))
    }

    fn sampled(&self, n: usize, seed: u64) -> Result<SampleColumns, EngineError> {
        let policy = Policy::uniform(&self.world.mdp);
        let rollouts = rollouts(&self.world.mdp, &policy, n, self.longest, seed)?;
        samples_from_rollouts(&self.world.mdp, &self.world.features, &rollouts, &policy, self.ends)
    }

    /// The samples of a sampler that stops at random, with or without the probability of stopping.
    fn stopped(&self, n: usize, seed: u64, told: bool) -> Result<SampleColumns, EngineError> {
        let mdp = &self.world.mdp;
        let mut rng = Pcg64Mcg::seed_from_u64(seed ^ 0x5705);
        let mut columns = SampleColumns { n_features: mdp.n_states(), ..SampleColumns::default() };
        for path in rollouts(mdp, &Policy::uniform(mdp), n, self.longest, seed)? {
            let (length, log_stop) = stop_on_the_way(&path, &mut rng);
            let mut visits = vec![0.0; mdp.n_states()];
            path.states[..length].iter().for_each(|&state| visits[state] += 1.0);
            columns.features.extend(visits);
            let log_actions: f64 = path.states[..length - 1].iter().map(|&state| -(mdp.choices(state).len() as f64).ln()).sum();
            columns.log_policy.push(log_actions + if told { log_stop } else { 0.0 });
        }
        Ok(columns)
    }
}

/// The number of states of a sampler that stops in each state but the last with probability [`STOPS`], and the
/// logarithm of the probability of that number.
fn stop_on_the_way(path: &Trajectory, rng: &mut Pcg64Mcg) -> (usize, f64) {
    let mut log_stop = 0.0;
    for length in 1..path.states.len() {
        if rng.random_bool(STOPS) {
            return (length, log_stop + STOPS.ln());
        }
        log_stop += (1.0 - STOPS).ln();
    }
    (path.states.len(), log_stop)
}

pub(crate) fn plan(settings: &Settings) -> Plan {
    let sizes: &[usize] = if settings.quick { &QUICK_ROLLOUTS } else { &ROLLOUTS };
    let names = RATES.into_iter().chain(LENGTHS);
    let counting = FEW_ROLLOUTS.iter().map(|n| format!("{COUNTING}/{n}"));
    Plan {
        version: 1,
        cases: names.flat_map(|name| sizes.iter().map(move |n| format!("{name}/{n}"))).chain(counting).collect(),
        repeats: settings.repeats(50, 20),
        seeded: true,
        alone: false,
        columns: &[
            "case",
            "rollouts",
            "repeat",
            "error",
            "expected_error",
            "effective_sample_size",
            "largest_share",
            "total",
            "exact_total",
        ],
        timings: &[],
    }
}

/// One set of samples: the distance between its estimate and the exact expectation.
pub(crate) fn work(unit: &Unit) -> Result<Vec<Row>, EngineError> {
    let (name, n) = unit.case.split_once('/').unwrap_or((&unit.case, "100"));
    let n: usize = n.parse().unwrap_or(100);
    let problem = Problem::named(name)?;
    let columns = match name {
        "stopping" => problem.stopped(n, unit.seed, true)?,
        "stopping-untold" => problem.stopped(n, unit.seed, false)?,
        _ => problem.sampled(n, unit.seed)?,
    };
    let estimate = Samples::new(&columns, Baseline::One)?.evaluate(&problem.theta)?;
    let exact = problem.exact()?;
    let length = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>().sqrt();
    let error = length(&mut estimate.expectation.iter().zip(&exact).map(|(found, exact)| found - exact));
    // With one indicator per state and no discount, the sum of the expectations is the mean length.
    let numbers = [
        error,
        length(&mut estimate.standard_error.iter().copied()),
        estimate.effective_sample_size,
        estimate.largest_share,
        estimate.expectation.iter().sum(),
        exact.iter().sum(),
    ];
    let mut cells = vec![name.to_string(), n.to_string(), unit.repeat.to_string()];
    cells.extend(numbers.map(|number| number.to_string()));
    Ok(vec![Row { cells, seconds: Vec::new() }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probabilities_of_stopping_sum_to_one() {
        let path = Trajectory::new(vec![0, 1, 2, 3], vec![0, 0, 0]);
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let mut seen = std::collections::BTreeMap::new();
        let mut counts = [0; 5];
        for _ in 0..10_000 {
            let (length, log_stop) = stop_on_the_way(&path, &mut rng);
            seen.insert(length, log_stop);
            counts[length] += 1;
        }
        assert!((seen.values().map(|log| log.exp()).sum::<f64>() - 1.0).abs() < 1e-12);
        for (length, log_stop) in seen {
            assert!((f64::from(counts[length]) / 10_000.0 - log_stop.exp()).abs() < 0.02, "{length}");
        }
    }
}
