//! Many pairs within the horizon, where walks in circles pay: against the search of each pair by itself.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::oracle::RandomProblem;
use revealed::{Ends, Error, Itineraries, MdpBuilder, PathModel, PathQuery, Reward, Route, Work, best_paths, worlds};

use crate::helpers::{close, model_of, trajectory_of};
use crate::routes::random_reward;

/// Asserts that every answer is a path of the model and as good as the best, or the same refusal. How many there are of
/// each.
fn check(model: &PathModel<'_>, pairs: &[(usize, usize)], name: &str) -> (usize, usize) {
    let itineraries = Itineraries::new(model, true, true).unwrap();
    let found = itineraries.find(pairs, &Work::default()).unwrap();
    for threads in [1, 3] {
        assert_eq!(found, itineraries.find(pairs, &Work::on(threads)).unwrap(), "{name}");
    }
    let mut counts = (0, 0);
    for (&(from, to), found) in pairs.iter().zip(&found) {
        match (found, best_paths(model, &PathQuery::between(from, to))) {
            (Ok(found), Ok(best)) => {
                let best = &best.paths[0];
                close(found.log_weight, best.log_weight, 1e-10, format_args!("{name}, {from} to {to}"));
                assert!(model.horizon().allows(found.states.len()));
                assert_eq!((found.states[0], found.states[found.states.len() - 1]), (from, to));
                let path = trajectory_of(model.mdp(), &found.states, &found.transitions);
                assert_eq!(model.log_weight(&path), Ok(found.log_weight), "{name}");
                counts.0 += 1;
            }
            (Err(found), Err(expected)) => {
                assert_eq!(*found, expected, "{name}, {from} to {to}");
                counts.1 += 1;
            }
            (found, expected) => panic!("{name}, {from} to {to}: {found:?}, expected {expected:?}"),
        }
    }
    counts
}

/// Random MDPs with terminal states, certain and uncertain steps, reference policies and every kind of path set.
#[test]
fn random_problems_have_the_paths_of_single_searches() {
    let (mut answered, mut refused, mut gaining) = (0, 0, 0);
    for seed in 0..600 {
        let problem = RandomProblem::new(seed);
        let n = problem.mdp.n_states();
        let model = model_of(&problem);
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|from| (0..n).map(move |to| (from, to))).collect();
        gaining += usize::from(matches!(Itineraries::new(&model, true, true).unwrap().refused(), Some(Error::Gains { .. })));
        let (yes, no) = check(&model, &pairs, &format!("seed {seed}"));
        (answered, refused) = (answered + yes, refused + no);
    }
    assert!(answered > 1000 && refused > 1000 && gaining > 50, "{answered} {refused} {gaining}");
}

/// Roads with long stretches without a junction, rewards that pay for circles, and horizons that many pairs exceed.
#[test]
fn roads_where_circles_pay() {
    for seed in 0..12 {
        let roads = stretched(seed);
        let n = roads.0.n_states();
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let reward = Reward::of_states((0..n).map(|_| rng.random_range(-1.0..1.0)).collect());
        let model = PathModel::new(&roads.0, reward, [12, 40][seed as usize % 2], Ends::Anywhere).unwrap();
        let pairs: Vec<(usize, usize)> = (0..60).map(|_| (rng.random_range(0..n), rng.random_range(0..n))).collect();
        let (answered, _) = check(&model, &pairs, &format!("seed {seed}"));
        assert!(answered > 5, "seed {seed}: {answered}");
    }
}

/// A road-like world, each of its states as a run of up to 5.
fn stretched(seed: u64) -> (revealed::Mdp, Vec<usize>) {
    let roads = worlds::road_like(60, 110, seed).unwrap().mdp;
    let mut rng = Pcg64Mcg::seed_from_u64(seed + 100);
    let lengths: Vec<usize> = (0..60).map(|_| rng.random_range(1..=5)).collect();
    let first: Vec<usize> = lengths.iter().scan(0, |sum, length| Some(std::mem::replace(sum, *sum + length))).collect();
    let n = lengths.iter().sum();
    let mut builder = MdpBuilder::new(n, roads.n_actions());
    builder.start(0, 1.0);
    for state in 0..60 {
        for step in 1..lengths[state] {
            builder.transition(first[state] + step - 1, 0, first[state] + step, 1.0);
        }
        for choice in roads.choices(state) {
            for transition in roads.outcomes(choice) {
                let to = first[roads.to()[transition] as usize];
                builder.transition(first[state] + lengths[state] - 1, roads.action_of(choice), to, 1.0);
            }
        }
    }
    (builder.build().unwrap(), first)
}

/// ```text
///   0 → 1 → 2 → 3 → 1        a circle without a choice, which pays 1 a state
/// ```
#[test]
fn circles_without_a_choice_are_driven_as_often_as_fits() {
    let mut builder = MdpBuilder::new(4, 1);
    builder.start(0, 1.0).transition(0, 0, 1, 1.0).transition(1, 0, 2, 1.0).transition(2, 0, 3, 1.0).transition(3, 0, 1, 1.0);
    let mdp = builder.build().unwrap();
    let model = PathModel::new(&mdp, Reward::of_states(vec![1.0; 4]), 9, Ends::Anywhere).unwrap();
    let found = Itineraries::new(&model, true, true).unwrap().find(&[(0, 2), (3, 0), (1, 1)], &Work::default()).unwrap();
    let states = |found: &Result<Route, Error>| found.as_ref().unwrap().states.clone();
    assert_eq!(states(&found[0]), [0, 1, 2, 3, 1, 2, 3, 1, 2]);
    assert!(matches!(found[1], Err(Error::Unreachable { .. })));
    assert_eq!(states(&found[2]), [1, 2, 3, 1, 2, 3, 1]);
}

/// With too little memory for many at once each pair is searched for by itself, and the answers are as good.
#[test]
fn little_memory_is_enough() {
    let roads = worlds::road_like(300, 600, 3).unwrap();
    let model = PathModel::new(&roads.mdp, Reward::of_states(vec![0.1; 300]), 30, Ends::Anywhere).unwrap();
    let pairs = [(1, 2), (5, 250), (299, 0)];
    let all = Itineraries::new(&model, true, true).unwrap().find(&pairs, &Work::default()).unwrap();
    let little =
        Itineraries::new(&model, true, true).unwrap().find(&pairs, &Work { memory: 200_000, ..Work::default() }).unwrap();
    for (one, other) in all.iter().zip(&little) {
        match (one, other) {
            (Ok(one), Ok(other)) => assert!((one.log_weight - other.log_weight).abs() < 1e-9),
            (one, other) => assert_eq!(one, other),
        }
    }
}

/// Within a horizon that many best routes exceed, with the prepared network and without.
#[test]
fn itineraries_keep_to_the_horizon() {
    let mut beyond = 0;
    for seed in 0..20 {
        let roads = worlds::road_like(60, 120, seed).unwrap();
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let reward = random_reward(&roads.mdp, seed, &mut rng);
        let ends = Ends::ALL[[0, 1, 3][seed as usize % 3]];
        let model = PathModel::new(&roads.mdp, reward, 8, ends).unwrap();
        let pairs: Vec<(usize, usize)> = (0..60).map(|from| (from, (7 * from + 13) % 60)).collect();
        let prepared = Itineraries::new(&model, true, true).unwrap();
        let alone = Itineraries::new(&model, true, false).unwrap();
        assert!(alone.routes().is_none());
        let (found, by_itself) = (prepared.find(&pairs, &Work::default()).unwrap(), alone.find(&pairs, &Work::on(1)).unwrap());
        for ((&(from, to), found), by_itself) in pairs.iter().zip(&found).zip(&by_itself) {
            let expected = best_paths(&model, &PathQuery::between(from, to));
            match (found, by_itself, expected) {
                (Ok(found), Ok(by_itself), Ok(expected)) => {
                    let weight = expected.paths[0].log_weight;
                    assert!((found.log_weight - weight).abs() < 1e-9 && (by_itself.log_weight - weight).abs() < 1e-9);
                    assert!(found.states.len() <= 8);
                }
                (Err(found), Err(by_itself), Err(expected)) => {
                    assert!(*found == expected && *by_itself == expected, "{found}, {by_itself}, expected {expected}");
                    beyond += 1;
                }
                other => panic!("seed {seed}, from {from} to {to}: {other:?}"),
            }
        }
    }
    assert!(beyond > 20, "{beyond}");
    // Where a detour pays for ever there is no prepared network, and answers within the horizon all the same.
    let roads = worlds::road_like(60, 120, 1).unwrap();
    let gains = PathModel::new(&roads.mdp, Reward::of_states(vec![1.0; 60]), 8, Ends::Anywhere).unwrap();
    let itineraries = Itineraries::new(&gains, true, true).unwrap();
    assert!(matches!(itineraries.refused(), Some(Error::Gains { .. })) && itineraries.routes().is_none());
    assert!(itineraries.find(&[(3, 3)], &Work::default()).unwrap()[0].is_ok());
    assert!(matches!(Itineraries::new(&gains, false, true), Err(Error::Gains { .. })));
}
