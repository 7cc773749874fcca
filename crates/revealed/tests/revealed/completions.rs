//! What is known of the rest of demonstrations, against the enumeration of all paths.

use std::collections::BTreeMap;

use revealed::oracle::{Path, RandomProblem, agreement, glimpse, paths, ways};
use revealed::{Completion, Ends, Horizon, PartialDemonstrations, PathModel, Trajectory, Work};

use crate::helpers::close;

fn actions(problem: &RandomProblem, path: &Path) -> Vec<usize> {
    path.transitions.iter().map(|&step| problem.mdp.action_of(problem.mdp.choice_of()[step] as usize)).collect()
}

#[test]
fn posteriors_and_the_likeliest_path_equal_enumeration() {
    let mut checked = 0;
    for seed in 0..2000 {
        let problem = RandomProblem::new(seed);
        let (mdp, demos, goal) = (&problem.mdp, &problem.demonstrations, problem.ends == Ends::Goal);
        let seen: Vec<_> = (0..demos.len()).map(|index| glimpse(mdp, demos, index, seed, goal, seed % 3 != 0)).collect();
        let demos = PartialDemonstrations::new(mdp, &seen).unwrap();
        let model = PathModel::new(mdp, problem.reward(), problem.horizon, problem.ends).unwrap();
        for (index, seen) in seen.iter().enumerate() {
            let set = &problem.path_sets()[if goal { index } else { 0 }];
            let found = paths(mdp, &problem.reward(), &set.0, problem.horizon, set.1);
            let (mut total, mut best) = (0.0, 0.0f64);
            let steps = demos.demo(index).steps().len();
            let mut states: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); steps];
            let mut taken = states.clone();
            let mut unseen = vec![0.0; steps + 1];
            for path in &found {
                let actions = actions(&problem, path);
                for (places, weight) in ways(&seen.sightings, &path.states, &actions) {
                    let weight = weight * path.log_weight.to_f64().exp();
                    total += weight;
                    best = best.max(weight);
                    for (step, &at) in places.iter().enumerate() {
                        *states[step].entry(path.states[at]).or_insert(0.0) += weight;
                        if let Some(&action) = actions.get(at) {
                            *taken[step].entry(action).or_insert(0.0) += weight;
                        }
                        let before = if step == 0 { at } else { at - places[step - 1] - 1 };
                        unseen[step] += weight * before as f64;
                    }
                    unseen[steps] += weight * (path.states.len() - 1 - places[steps - 1]) as f64;
                }
            }
            let completion = Completion::new(&model, &demos, index, &Work::default());
            if total == 0.0 {
                assert!(completion.is_err(), "seed {seed}");
                continue;
            }
            let completion = completion.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            for (step, known) in completion.posterior().iter().enumerate() {
                for (found, expected) in [(&known.states, &states[step]), (&known.actions, &taken[step])] {
                    let found: BTreeMap<usize, f64> = found.iter().copied().collect();
                    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "seed {seed}");
                    found.iter().for_each(|(key, p)| close(*p, expected[key] / total, 1e-10, format_args!("seed {seed}")));
                }
                close(known.unseen_before, unseen[step] / total, 1e-10, format_args!("seed {seed}, gap"));
            }
            close(completion.unseen_after(), unseen[steps] / total, 1e-10, format_args!("seed {seed}, last gap"));
            let likeliest = completion.likeliest().unwrap();
            close(likeliest.log_probability, (best / total).ln(), 1e-10, format_args!("seed {seed}, likeliest"));
            let Trajectory { states, actions, .. } = &likeliest.path;
            assert!(agreement(&seen.sightings, states, actions) > 0.0, "seed {seed}");
            for drawn in completion.sample(3, seed).unwrap() {
                assert!(agreement(&seen.sightings, &drawn.states, &drawn.actions) > 0.0, "seed {seed}");
                assert!(drawn.states.len() <= problem.horizon);
            }
            checked += 1;
        }
    }
    println!("{checked} demonstrations");
    assert!(checked > 4000);
}

#[test]
fn samples_follow_the_posterior() {
    const DRAWS: usize = 4000;
    for seed in [1, 5, 10, 13, 26, 34, 41, 58] {
        let problem = RandomProblem::new(seed);
        let (mdp, demos) = (&problem.mdp, &problem.demonstrations);
        let seen = vec![glimpse(mdp, demos, 0, seed, problem.ends == Ends::Goal, true)];
        let demos = PartialDemonstrations::new(mdp, &seen).unwrap();
        let model = PathModel::new(mdp, problem.reward(), problem.horizon, problem.ends).unwrap();
        let set = &problem.path_sets()[0];
        let found = paths(mdp, &problem.reward(), &set.0, problem.horizon, set.1);
        let weight = |path: &Path| {
            agreement(&seen[0].sightings, &path.states, &actions(&problem, path)) * path.log_weight.to_f64().exp()
        };
        let total: f64 = found.iter().map(weight).sum();
        let Ok(completion) = Completion::new(&model, &demos, 0, &Work::default()) else { continue };
        let drawn = completion.sample(DRAWS, 7).unwrap();
        assert_eq!(drawn, completion.sample(DRAWS, 7).unwrap());
        for path in found.iter().filter(|path| weight(path) > 0.0) {
            let p = weight(path) / total;
            let same = |drawn: &&Trajectory| drawn.states == path.states && drawn.actions == actions(&problem, path);
            let rate = drawn.iter().filter(same).count() as f64 / DRAWS as f64;
            // Five standard deviations.
            assert!((rate - p).abs() <= 5.0 * (p * (1.0 - p) / DRAWS as f64).sqrt() + 1e-12, "seed {seed}: {rate}, {p}");
        }
    }
}

/// Where states cost so much that paths of more than 60 do not count, both answers are the same.
#[test]
fn paths_of_any_length_equal_long_bounded_ones() {
    let mut checked = 0;
    for seed in (0..900).filter(|seed| seed % 4 != 1) {
        let problem = RandomProblem::new(seed);
        let mdp = problem.mdp.clone().with_discount(1.0).unwrap();
        let reward = revealed::Reward::of_states((0..mdp.n_states()).map(|state| -3.0 - 0.1 * state as f64).collect());
        let demos = &problem.demonstrations;
        let seen: Vec<_> = (0..demos.len()).map(|index| glimpse(&mdp, demos, index, seed, seed % 4 == 3, true)).collect();
        let demos = PartialDemonstrations::new(&mdp, &seen).unwrap();
        let at = |horizon: Horizon, index: usize| {
            let model = PathModel::new(&mdp, reward.clone(), horizon, problem.ends).unwrap();
            Completion::new(&model, &demos, index, &Work::default())
        };
        for index in 0..demos.len() {
            let (Ok(any), Ok(bounded)) = (at(Horizon::Any, index), at(Horizon::AtMost(60), index)) else { continue };
            for (one, other) in any.posterior().iter().zip(bounded.posterior()) {
                for (one, other) in [(&one.states, &other.states), (&one.actions, &other.actions)] {
                    let other: BTreeMap<usize, f64> = other.iter().copied().collect();
                    for (key, p) in one {
                        close(*p, other.get(key).copied().unwrap_or(0.0), 1e-10, format_args!("seed {seed}"));
                    }
                }
                close(one.unseen_before, other.unseen_before, 1e-10, format_args!("seed {seed}"));
            }
            close(any.unseen_after(), bounded.unseen_after(), 1e-10, format_args!("seed {seed}"));
            let (one, other) = (any.likeliest().unwrap(), bounded.likeliest().unwrap());
            close(one.log_probability, other.log_probability, 1e-10, format_args!("seed {seed}"));
            for path in any.sample(5, seed).unwrap() {
                assert!(agreement(&seen[index].sightings, &path.states, &path.actions) > 0.0, "seed {seed}");
            }
            checked += 1;
        }
    }
    println!("{checked} demonstrations");
    assert!(checked > 500);
}
