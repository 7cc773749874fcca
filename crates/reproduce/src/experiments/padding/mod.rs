//! `padding`: the runtime of Algorithm 1, of Algorithm 2 and of the engine against the size of the problem.
//!
//! All three algorithms compute the same gradient, so the search for θ evaluates the same points with each of them.
//! The engine learns, and the other two are timed at points of its search. Their time to learn is their time for a
//! gradient, times the number of gradients of the search. Whole searches with Algorithm 1 would take hours for all
//! repeats.

mod section;

use std::ops::ControlFlow;
use std::time::Instant;

use revealed::oracle::{Answer, algorithm1, padded};
use revealed::worlds::{World, frozen_lake, random_lake};
use revealed::{Bounds, Demonstrations, Error as EngineError, Fit, MaxEnt, Options, Reward, Step, Stop, Watch, Work};

use super::expert::Expert;
use crate::work::{Plan, Row, Settings, Unit};

pub(crate) use section::section;

/// The paper's sizes. The third is 4x4 and the last is 8x8.
const SIZES: [usize; 7] = [2, 3, 4, 5, 6, 7, 8];
/// Where Algorithm 1 takes too long.
const BEYOND: [usize; 2] = [10, 12];
const QUICK_SIZES: [usize; 4] = [2, 3, 4, 6];
const PATHS: usize = 10;
const P_FROZEN: f64 = 0.8;
const DISCOUNT: f64 = 0.99;
const BOUND: f64 = 10.0;
/// The largest number of states of an episode: 100 on 4x4 and 200 on 8x8, as in Gymnasium.
const LONGEST_BY_SIZE: usize = 25;
/// One algorithm is timed at points of the search until this is over, and at least once.
const ENOUGH_SECONDS: f64 = 0.1;

pub(crate) fn plan(settings: &Settings) -> Plan {
    let sizes = if settings.quick { QUICK_SIZES.to_vec() } else { SIZES.into_iter().chain(BEYOND).collect() };
    Plan {
        version: 1,
        cases: sizes.iter().map(|size| format!("{size}x{size}")).collect(),
        repeats: settings.repeats(30, 3),
        seeded: true,
        alone: true,
        columns: &["lake", "repeat", "states", "problem_size", "longest", "evaluations", "log_likelihood", "disagreement"],
        timings: &["seconds_algorithm1", "seconds_algorithm2", "seconds_engine"],
    }
}

/// A random lake: learns from ten paths, and times all three algorithms.
pub(crate) fn work(unit: &Unit) -> Result<Vec<Row>, EngineError> {
    let size: usize = unit.case.split('x').next().and_then(|size| size.parse().ok()).unwrap_or(2);
    let world = frozen_lake(&random_lake(size, P_FROZEN, unit.seed)?, true)?.with_discount(DISCOUNT)?;
    let trajectories = Expert::new(&world)?.episodes(&world, PATHS, LONGEST_BY_SIZE * size, unit.seed)?;
    let demos = Demonstrations::new(&world.mdp, &trajectories)?;
    let (fit, points, seconds_engine) = learn(&world, &demos)?;
    let rewards = points.iter().map(|theta| world.features.reward(&world.mdp, theta)).collect::<Result<Vec<_>, _>>()?;

    let (start, longest) = (world.mdp.start(), demos.longest());
    let second = time(&rewards, |reward| padded(&world.mdp, reward, start, longest, Stop::Anywhere));
    let first =
        SIZES.contains(&size).then(|| time(&rewards, |reward| algorithm1(&world.mdp, reward, start, longest, Stop::Anywhere)));
    let disagreement = match (&first, &second) {
        (Some((_, Some(first))), (_, Some(second))) => format!("{:.0e}", first.disagreement(second)),
        _ => String::new(),
    };
    let states = world.mdp.n_states();
    let cells = vec![
        unit.case.clone(),
        unit.repeat.to_string(),
        states.to_string(),
        (states * states * world.mdp.n_actions()).to_string(),
        longest.to_string(),
        fit.evaluations.to_string(),
        format!("{:.10}", fit.log_likelihood),
        disagreement,
    ];
    let learning = |per_gradient: f64| Some(per_gradient * fit.evaluations as f64);
    let seconds = vec![first.and_then(|(seconds, _)| learning(seconds)), learning(second.0), Some(seconds_engine)];
    Ok(vec![Row { cells, seconds }])
}

/// A fit by the engine on one thread, the points of its search, and its time.
fn learn(world: &World, demos: &Demonstrations) -> Result<(Fit, Vec<Vec<f64>>, f64), EngineError> {
    let options = Options { work: Work::on(1), ..Options::default() };
    let settings = MaxEnt { options, bounds: Bounds::Same(-BOUND, BOUND), ..MaxEnt::default() };
    let mut points = vec![vec![0.0; world.features.n_features()]];
    let clock = Instant::now();
    let mut hear = |step: &Step<'_>| {
        points.extend(step.iteration().map(|step| step.theta.to_vec()));
        ControlFlow::Continue(())
    };
    let fit = settings.fit_watched(&world.mdp, &world.features, demos, &Watch::new(&mut hear))?;
    Ok((fit, points, clock.elapsed().as_secs_f64()))
}

/// The mean time for a gradient, and the answer at the first point.
fn time(rewards: &[Reward], gradient: impl Fn(&Reward) -> Option<Answer>) -> (f64, Option<Answer>) {
    let clock = Instant::now();
    let mut first = None;
    let mut count = 0;
    for reward in rewards {
        let answer = gradient(reward);
        first = first.or(answer);
        count += 1;
        if clock.elapsed().as_secs_f64() > ENOUGH_SECONDS {
            break;
        }
    }
    (clock.elapsed().as_secs_f64() / f64::from(count.max(1)), first)
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
}
