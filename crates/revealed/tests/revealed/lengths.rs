//! The distribution of a path's length, against enumeration.

use revealed::oracle::{Path, RandomProblem, paths};
use revealed::{Ends, Error, Given, Lengths, Mdp, PathModel, Stop, Trajectory, Work, lengths, worlds};

use crate::helpers::{furthest, lake, model_of, refusal, reward_of, trajectory_of, weight_of};

fn work() -> Work {
    Work::default()
}

/// P(|τ| = l) by its definition, from weights of paths; `None` if there are none.
fn by_length(weights: impl Iterator<Item = (usize, f64)>, horizon: usize) -> Option<Vec<f64>> {
    let mut sums = vec![0.0; horizon];
    weights.for_each(|(length, weight)| sums[length - 1] += weight);
    let sum: f64 = sums.iter().sum();
    (sum > 0.0).then(|| sums.iter().map(|weight| weight / sum).collect())
}

/// The same where the first state is drawn from p0, of those that have a path, and then the path given it.
fn given_first_state(all: &[Path], mdp: &Mdp, horizon: usize) -> Option<Vec<f64>> {
    let of_state = |&(state, p): &(usize, f64)| {
        let from = all.iter().filter(|path| path.states[0] == state);
        by_length(from.map(|path| (path.states.len(), weight_of(path))), horizon).map(|lengths| (p, lengths))
    };
    let each: Vec<(f64, Vec<f64>)> = mdp.start().iter().filter_map(of_state).collect();
    let total: f64 = each.iter().map(|(p, _)| p).sum();
    let mean = |place: usize| each.iter().map(|(p, lengths)| p / total * lengths[place]).sum();
    (!each.is_empty()).then(|| (0..horizon).map(mean).collect())
}

/// From p0, to every destination, and after a prefix of every length; and `length_distribution` agrees.
#[test]
fn lengths_equal_enumeration() {
    let mut checked = [0; 2];
    for seed in 0..2_240 {
        let problem = RandomProblem::new(seed);
        let (mdp, horizon) = (&problem.mdp, problem.horizon);
        let model = model_of(&problem);
        let destinations = (0..mdp.n_states()).map(Some).chain([None]).filter(|&to| model.stop(to).is_ok());
        for to in destinations {
            let stop = model.stop(to).unwrap();
            let all = paths(mdp, &problem.reward(), mdp.start(), horizon, stop);
            let expected = match problem.ends {
                Ends::Goal => given_first_state(&all, mdp, horizon),
                _ => by_length(all.iter().map(|path| (path.states.len(), weight_of(path))), horizon),
            };
            let what = format!("seed {seed}, to {to:?}");
            let Some(expected) = expected else {
                assert!(matches!(lengths(&model, &Given::default().to(to), &work()), Err(Error::NoPath { .. })), "{what}");
                continue;
            };
            let found = lengths(&model, &Given::default().to(to), &work()).unwrap();
            assert_eq!(found.first, 1);
            assert!(furthest(&found.probability, &expected) <= 1e-10, "{what}");
            let mut distribution = model.distribution(&Given::default().to(to), &work()).unwrap();
            assert!(furthest(&found.probability, &distribution.length_distribution().unwrap()) <= 1e-10, "{what}");
            checked[0] += 1;
            // A path of the set, and its beginnings.
            let path = &all[seed as usize % all.len()];
            for t in 1..=path.states.len() {
                let (states, transitions) = (&path.states[..t], &path.transitions[..t - 1]);
                let same =
                    all.iter().filter(|other| other.states.starts_with(states) && other.transitions.starts_with(transitions));
                let expected = by_length(same.map(|path| (path.states.len(), weight_of(path))), horizon).unwrap();
                let prefix = trajectory_of(mdp, states, transitions);
                let found = lengths(&model, &Given::after(prefix.clone()).to(to), &work()).unwrap();
                assert_eq!(found.first, t);
                assert!(furthest(&found.probability, &expected[t - 1..]) <= 1e-10, "{what}, prefix {prefix:?}");
                let mean: f64 = expected.iter().enumerate().map(|(place, p)| (place + 1) as f64 * p).sum();
                assert!(furthest(&[found.mean(), found.remaining()], &[mean, mean - t as f64]) <= 1e-10, "{what}");
                checked[1] += 1;
            }
        }
    }
    assert!(checked[0] > 4_000 && checked[1] > 8_000, "{checked:?}");
}

#[test]
fn moments_and_quantiles_are_those_of_the_distribution() {
    let lengths = Lengths { first: 3, probability: vec![0.0, 0.2, 0.3, 0.0, 0.3, 0.2, 0.0], moments: None };
    assert!(furthest(&[lengths.mean(), lengths.remaining()], &[6.0, 3.0]) <= 1e-10, "mean");
    assert!(furthest(&[lengths.variance(), lengths.standard_deviation()], &[2.2, 2.2f64.sqrt()]) <= 1e-10, "variance");
    for (p, expected) in
        [(-1.0, 4), (0.0, 4), (0.2, 4), (0.21, 5), (0.5, 5), (0.51, 7), (0.8, 7), (0.81, 8), (1.0, 8), (2.0, 8)]
    {
        assert_eq!(lengths.quantile(p), expected, "{p}");
    }
    assert_eq!(lengths.most_likely(), 5);
    assert_eq!(lengths.iter().nth(1), Some((4, 0.2)));
    // Ten times a tenth is less than 1 in floating point.
    let tenths = Lengths { first: 1, probability: vec![0.1; 10], moments: None };
    assert_eq!((tenths.quantile(1.0), tenths.quantile(0.3)), (10, 3));
}

#[test]
fn questions_without_an_answer_say_so() {
    let lake = lake();
    let reward = reward_of(&lake);
    let model = |horizon, ends| PathModel::new(&lake.mdp, reward.clone(), horizon, ends).unwrap();
    // The goal is six steps away.
    let short = refusal(lengths(&model(6, Ends::Goal), &Given::from_state(0).to(15), &work()));
    assert!(short.contains("no path from state 0 to state 15 exists within 6 states: raise the horizon"), "{short}");
    let prefix = Trajectory::new(vec![0, 4], vec![1]);
    let short = refusal(lengths(&model(3, Ends::Goal), &Given::after(prefix.clone()).to(15), &work()));
    assert!(short.contains("begins with this prefix of 2 states and leads to state 15 exists within 3 states"), "{short}");
    // From a hole no path leads on.
    let hole = refusal(lengths(&model(20, Ends::Anywhere), &Given::from_state(5).to(15), &work()));
    assert!(hole.contains("from state 5 to state 15"), "{hole}");
    let nowhere = refusal(lengths(&model(2, Ends::Terminal), &Given::from_state(0), &work()));
    assert!(nowhere.contains("no path from state 0 to a terminal state exists within 2 states"), "{nowhere}");
    assert_eq!(lengths(&model(20, Ends::Goal), &Given::from_state(0), &work()), Err(Error::NoGoal));
    assert_eq!(lengths(&model(20, Ends::Goal), &Given::after(prefix.clone()), &work()), Err(Error::NoGoal));
    let impossible = refusal(lengths(&model(20, Ends::Anywhere), &Given::after(Trajectory::new(vec![0, 9], vec![1])), &work()));
    assert!(impossible.starts_with("the prefix: step 0: action 1 in state 0 never leads to state 9"), "{impossible}");
    assert!(
        refusal(lengths(&model(20, Ends::Anywhere), &Given::from_state(0).to(16), &work()))
            .contains("state 16 is out of range")
    );
    assert!(refusal(lengths(&model(20, Ends::Terminal), &Given::from_state(0).to(14), &work())).contains("ends in state 14"));
}

/// From a state to itself: the path of one state, and every round trip.
#[test]
fn from_a_state_to_itself() {
    let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, false).unwrap();
    let reward = reward_of(&lake);
    for (ends, expected) in [(Ends::Goal, 1), (Ends::Anywhere, 1), (Ends::Horizon, 5)] {
        let model = PathModel::new(&lake.mdp, reward.clone(), 5, ends).unwrap();
        let found = lengths(&model, &Given::from_state(6).to(6), &work()).unwrap();
        assert_eq!(found.quantile(0.0), expected, "{ends:?}");
        let stop = if ends == Ends::Horizon { Stop::AtHorizon(6) } else { Stop::At(6) };
        let all = paths(&lake.mdp, &reward, &[(6, 1.0)], 5, stop);
        let weights = all.iter().map(|path| (path.states.len(), weight_of(path)));
        assert!(furthest(&found.probability, &by_length(weights, 5).unwrap()) <= 1e-10, "round trips");
    }
}

/// With rewards in metres the weights are far below what an `f64` holds; the probabilities of lengths are right.
#[test]
fn weights_of_any_size() {
    let lake = lake();
    let mut reward = reward_of(&lake);
    reward.state.iter_mut().for_each(|reward| *reward -= 2_000.0);
    let model = PathModel::new(&lake.mdp, reward.clone(), 30, Ends::Terminal).unwrap();
    let found = lengths(&model, &Given::from_state(0).to(15), &work()).unwrap();
    assert!((found.mean() - 7.0).abs() < 1e-12, "{found:?}");
    reward.state.iter_mut().for_each(|reward| *reward += 4_000.0);
    let model = PathModel::new(&lake.mdp, reward, 30, Ends::Terminal).unwrap();
    assert!((lengths(&model, &Given::from_state(0).to(15), &work()).unwrap().mean() - 30.0).abs() < 1e-12);
}
