//! `padding`: the runtime of Algorithm 1, of Algorithm 2 and of the engine against the size of the problem.
//!
//! All three algorithms compute the same gradient. Each of them learns from the same paths with the same search, and the
//! whole fit is timed. Fits with the paper's algorithms on large lakes take long, so only the first repeats have them; the
//! largest lakes have none with Algorithm 1. A single gradient of each is timed in all repeats, for the ratio by the
//! longest path.

mod section;

use std::time::Instant;

use revealed::oracle::{Answer, algorithm1, padded};
use revealed::worlds::{World, frozen_lake, random_lake};
use revealed::{Bounds, Demonstrations, Error as EngineError, Likelihood, MaxEnt, Options, Reward, Stop, Work};

use super::expert::Expert;
use crate::work::{Plan, Row, Settings, Unit};

pub(crate) use section::section;

/// The paper's sizes. The third is 4x4 and the last is 8x8.
const SIZES: [usize; 7] = [2, 3, 4, 5, 6, 7, 8];
/// Where Algorithm 1 takes too long.
const BEYOND: [usize; 2] = [10, 12];
const QUICK_SIZES: [usize; 3] = [2, 3, 4];
const PATHS: usize = 10;
const P_FROZEN: f64 = 0.8;
const DISCOUNT: f64 = 0.99;
const BOUND: f64 = 10.0;
/// The largest number of states of an episode: 100 on 4x4 and 200 on 8x8, as in Gymnasium.
const LONGEST_BY_SIZE: usize = 25;
/// One gradient is timed again and again until this is over.
const ENOUGH_SECONDS: f64 = 0.02;

/// How many repeats have a whole fit with Algorithm 1, and with Algorithm 2.
fn whole_fits(size: usize) -> [usize; 2] {
    match size {
        0..=3 => [usize::MAX; 2],
        4 => [5, usize::MAX],
        5 => [2, 10],
        6 => [1, 5],
        7 | 8 => [0, 3],
        10 => [0, 1],
        _ => [0, 0],
    }
}

pub(crate) fn plan(settings: &Settings) -> Plan {
    let sizes = if settings.quick { QUICK_SIZES.to_vec() } else { SIZES.into_iter().chain(BEYOND).collect() };
    Plan {
        version: 2,
        cases: sizes.iter().map(|size| format!("{size}x{size}")).collect(),
        repeats: settings.repeats(30, 3),
        seeded: true,
        alone: true,
        columns: &["lake", "repeat", "states", "problem_size", "longest", "evaluations", "log_likelihood", "disagreement"],
        timings: &["seconds_algorithm1", "seconds_algorithm2", "seconds_engine", "seconds_gradient1", "seconds_gradient2"],
    }
}

/// A random lake: learns from ten paths with each algorithm, and times them.
pub(crate) fn work(unit: &Unit) -> Result<Vec<Row>, EngineError> {
    let size: usize = unit.case.split('x').next().and_then(|size| size.parse().ok()).unwrap_or(2);
    let world = frozen_lake(&random_lake(size, P_FROZEN, unit.seed)?, true)?.with_discount(DISCOUNT)?;
    let trajectories = Expert::new(&world)?.episodes(&world, PATHS, LONGEST_BY_SIZE * size, unit.seed)?;
    let demos = Demonstrations::new(&world.mdp, &trajectories)?;
    let options = Options { work: Work::on(1), ..Options::default() };
    let settings = MaxEnt { options, bounds: Bounds::Same(-BOUND, BOUND), ..MaxEnt::default() };
    let clock = Instant::now();
    let fit = settings.fit(&world.mdp, &world.features, &demos)?;
    let engine = clock.elapsed().as_secs_f64();
    let whole = |which: usize, algorithm: GradientProgram| match unit.repeat < whole_fits(size)[which] {
        true => whole_fit(&settings, &world, &demos, algorithm).map(Some),
        false => Ok(None),
    };
    let fits = [whole(0, algorithm1)?, whole(1, padded)?];
    let off = |found: &WholeFit| (found.log_likelihood - fit.log_likelihood).abs();
    let disagreement = fits.iter().flatten().map(off).reduce(f64::max);
    let states = world.mdp.n_states();
    let cells = vec![
        unit.case.clone(),
        unit.repeat.to_string(),
        states.to_string(),
        (states * states * world.mdp.n_actions()).to_string(),
        demos.longest().to_string(),
        fit.evaluations.to_string(),
        format!("{:.8}", fit.log_likelihood),
        disagreement.map_or(String::new(), |off| format!("{off:.0e}")),
    ];
    let gradient1 = SIZES.contains(&size).then(|| gradient_time(&world, &demos, algorithm1)).transpose()?;
    let gradient2 = gradient_time(&world, &demos, padded)?;
    let [first, second] = fits.map(|fit| fit.map(|fit| fit.seconds));
    let seconds = vec![first, second, Some(engine), gradient1, Some(gradient2)];
    Ok(vec![Row { cells, seconds }])
}

/// One of the paper's algorithms.
type GradientProgram = fn(&revealed::Mdp, &Reward, &[(usize, f64)], usize, Stop) -> Option<Answer>;

/// A whole fit with one of the paper's algorithms.
struct WholeFit {
    log_likelihood: f64,
    seconds: f64,
}

/// The engine's search with another algorithm's gradients. Only the search is timed.
fn whole_fit(
    settings: &MaxEnt,
    world: &World,
    demos: &Demonstrations,
    algorithm: GradientProgram,
) -> Result<WholeFit, EngineError> {
    let (mdp, features) = (&world.mdp, &world.features);
    let mut exact = Likelihood::new(mdp, features, demos, &settings.options)?;
    let observed = exact.observed().to_vec();
    let clock = Instant::now();
    let (theta, _) = settings.search(mdp, features, demos, |theta, gradient| {
        let reward = features.reward(mdp, theta)?;
        // There is always a path: every one may end in its first state.
        let Some(answer) = algorithm(mdp, &reward, mdp.start(), demos.longest(), Stop::Anywhere) else { return Ok(f64::NAN) };
        let expected = features.expectation(mdp, &answer.occupancy(mdp.discount()));
        gradient.iter_mut().zip(observed.iter().zip(&expected)).for_each(|(gradient, (seen, mean))| *gradient = seen - mean);
        Ok(theta.iter().zip(&observed).map(|(theta, seen)| theta * seen).sum::<f64>() - answer.log_partition)
    })?;
    let seconds = clock.elapsed().as_secs_f64();
    Ok(WholeFit { log_likelihood: exact.evaluate(&theta)?.log_likelihood, seconds })
}

/// The mean time for a gradient at θ = 0. It does not depend on θ.
fn gradient_time(world: &World, demos: &Demonstrations, algorithm: GradientProgram) -> Result<f64, EngineError> {
    let reward = world.features.reward(&world.mdp, &vec![0.0; world.features.n_features()])?;
    let clock = Instant::now();
    let mut count = 0.0;
    while count == 0.0 || clock.elapsed().as_secs_f64() < ENOUGH_SECONDS {
        std::hint::black_box(algorithm(&world.mdp, &reward, world.mdp.start(), demos.longest(), Stop::Anywhere));
        count += 1.0;
    }
    Ok(clock.elapsed().as_secs_f64() / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_a_function_of_its_seed_timings_aside() {
        let unit = Unit { case: "3x3".to_string(), repeat: 0, seed: 5 };
        let [first, second] = [work(&unit).unwrap(), work(&unit).unwrap()];
        assert_eq!(first[0].cells, second[0].cells);
        assert!(first[0].seconds.iter().all(|seconds| seconds.is_some_and(|seconds| seconds > 0.0)));
        assert_ne!(work(&Unit { seed: 6, ..unit }).unwrap()[0].cells, first[0].cells);
    }

    /// All three searches end in the same optimum.
    #[test]
    fn whole_fits_agree() {
        for seed in 0..3 {
            let rows = work(&Unit { case: "3x3".to_string(), repeat: 0, seed }).unwrap();
            let off: f64 = rows[0].cells[7].parse().unwrap();
            assert!(off < 1e-7, "seed {seed}: {off}");
        }
    }
}
