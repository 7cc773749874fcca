//! log Z of rewards that need no θ and no features, its gradient, and the value of each state: against enumeration.

use revealed::oracle::{RandomProblem, paths};
use revealed::{Ends, Error, Given, Partition, PathModel, Reward, Stop, Work, soft_values, worlds};

use crate::helpers::{close, model_of, slope};

/// log Σ e^x.
fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY { largest } else { largest + logs.map(|log| (log - largest).exp()).sum::<f64>().ln() }
}

/// Several rewards after one another through the same arrays: log Z by enumeration, the visits by central differences.
#[test]
fn log_partition_equals_enumeration_and_its_gradient_the_differences() {
    let mut checked = 0;
    for seed in 0..560 {
        let problem = RandomProblem::new(seed);
        let (mdp, horizon) = (&problem.mdp, problem.horizon);
        let model = model_of(&problem);
        let to = (problem.ends == Ends::Goal).then_some(mdp.n_states() - 1);
        let stop = model.stop(to).unwrap();
        let start = mdp.start().to_vec();
        let mut partition = Partition::new(&model, &Given::from_states(start.clone()).to(to), &Work::default()).unwrap();
        for factor in [1.0, -0.5] {
            let times = |rewards: Vec<f64>| -> Vec<f64> { rewards.iter().map(|reward| factor * reward).collect() };
            let Reward { state, transition } = problem.reward();
            let reward = Reward { state: times(state), transition: times(transition) };
            let expected = |reward: &Reward| {
                let all = paths(mdp, reward, &start, horizon, stop);
                if problem.ends != Ends::Goal {
                    return log_sum(all.iter().map(|path| path.log_weight.to_f64()));
                }
                let of_first = |first: usize| {
                    log_sum(all.iter().filter(|path| path.states[0] == first).map(|path| path.log_weight.to_f64()))
                };
                // The weights of paths have p0 of their first state in them, which a goal model does not.
                let rows = start.iter().map(|&(first, p)| (p, of_first(first) - p.ln())).filter(|row| row.1.is_finite());
                let total: f64 = rows.clone().map(|row| row.0).sum();
                if total == 0.0 { f64::NEG_INFINITY } else { rows.map(|(p, log)| p / total * log).sum() }
            };
            let log_z = expected(&reward);
            if log_z == f64::NEG_INFINITY {
                assert!(matches!(partition.evaluate(&reward), Err(Error::NoPath { .. })), "seed {seed}");
                continue;
            }
            let (found, visits) = partition.evaluate(&reward).unwrap();
            close(found, log_z, 1e-10, format_args!("seed {seed}"));
            for (place, visits) in visits.state.iter().chain(&visits.transition).enumerate() {
                let slope = slope(1e-5, |step| {
                    let mut reward = reward.clone();
                    match place.checked_sub(mdp.n_states()) {
                        Some(row) => reward.transition[row] += step,
                        None => reward.state[place] += step,
                    }
                    expected(&reward)
                });
                assert!((visits - slope).abs() < 1e-6, "seed {seed}, place {place}: {visits}, expected {slope}");
            }
            checked += 1;
        }
    }
    assert!(checked > 900, "{checked}");
}

#[test]
fn the_value_of_a_state_is_the_weight_of_its_paths() {
    let mut none = 0;
    for seed in 0..1_120 {
        let problem = RandomProblem::new(seed);
        let (mdp, horizon) = (&problem.mdp, problem.horizon);
        let model = model_of(&problem);
        for to in (0..mdp.n_states()).map(Some).chain([None]) {
            let Ok(stop) = model.stop(to) else { continue };
            let values = match soft_values(&model, to, &Work::default()) {
                Ok(values) => values,
                Err(Error::NoPath { .. }) => vec![f64::NEG_INFINITY; mdp.n_states()],
                Err(error) => panic!("seed {seed}: {error}"),
            };
            for (state, value) in values.iter().enumerate() {
                let from_here = paths(mdp, &problem.reward(), &[(state, 1.0)], horizon, stop);
                let expected = log_sum(from_here.iter().map(|path| path.log_weight.to_f64()));
                none += usize::from(expected == f64::NEG_INFINITY);
                let same = *value == expected || (value - expected).abs() <= 1e-10 * expected.abs().max(1.0);
                assert!(same, "seed {seed}, to {to:?}, state {state}: {value}, expected {expected}");
            }
        }
    }
    assert!(none > 100, "{none}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let chain = worlds::linear_chain(4).unwrap();
    let nothing = Reward::of_states(vec![0.0; 4]);
    let model = PathModel::new(&chain.mdp, nothing.clone(), 4, Ends::Anywhere).unwrap();
    let mut partition = Partition::new(&model, &Given::from_state(0), &Work::default()).unwrap();
    let along = Reward { state: vec![0.0; 4], transition: vec![1.0; 3] };
    assert!(matches!(partition.evaluate(&along), Err(Error::Length { found: 3, expected: 0, .. })));
    assert!(matches!(partition.evaluate(&Reward::of_states(vec![0.0; 5])), Err(Error::Length { .. })));
    assert!(partition.evaluate(&Reward::of_states(vec![f64::NAN; 4])).is_err());
    assert!(partition.evaluate(&nothing).is_ok());
    assert!(Partition::new(&model, &Given::from_state(4), &Work::default()).is_err());
    assert!(Partition::new(&model, &Given::from_state(0).to(4), &Work::default()).is_err());
    assert_eq!(model.stop(Some(3)).unwrap(), Stop::At(3));
}
