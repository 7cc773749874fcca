//! Likely paths that differ, against the likeliest path over each state.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{BestPath, Ends, Horizon, PathModel, PathQuery, best_paths, different_paths, worlds};

/// The length of the states that two paths have in common, as a share of the shorter one.
fn overlap(one: &BestPath, other: &BestPath, lengths: &[f64]) -> f64 {
    let total = |states: &[usize]| states.iter().map(|&state| lengths[state]).sum::<f64>();
    let both: Vec<usize> = one.path.states.iter().copied().filter(|state| other.path.states.contains(state)).collect();
    total(&both) / total(&one.path.states).min(total(&other.path.states))
}

/// For each state the likeliest path over it, which consists of two likeliest paths.
fn over_each_state(model: &PathModel<'_>, [from, to]: [usize; 2]) -> Vec<BestPath> {
    let one = |from: usize, to: usize| {
        let query = PathQuery { bounded: false, ..PathQuery::between(from, to) };
        best_paths(model, &query).ok().map(|mut found| found.paths.remove(0))
    };
    let mut found: Vec<BestPath> = (0..model.mdp().n_states())
        .filter_map(|via| {
            let (mut first, second) = (one(from, via)?, one(via, to)?);
            first.path.states.extend(&second.path.states[1..]);
            first.path.actions.extend(&second.path.actions);
            let log_weight = model.log_weight(&first.path).unwrap();
            Some(BestPath { log_weight, log_score: log_weight, ..first })
        })
        .collect();
    found.sort_by(|a, b| b.log_weight.total_cmp(&a.log_weight));
    found
}

#[test]
fn different_paths_are_the_likeliest_over_some_state() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    for seed in 0..4 {
        let roads = worlds::road_like(60, 130, seed).unwrap();
        let reward = roads.features.reward(&roads.mdp, &roads.theta).unwrap();
        let model = PathModel::new(&roads.mdp, reward, Horizon::Any, Ends::Goal).unwrap();
        let lengths: Vec<f64> = (0..60).map(|_| rng.random_range(0.5..2.0)).collect();
        for (ends, most) in [([1, 50], 0.4), ([20, 3], 0.7), ([7, 41], 0.0), ([11, 58], 1.0)] {
            let query = PathQuery { k: 4, bounded: false, ..PathQuery::between(ends[0], ends[1]) };
            let found = different_paths(&model, &query, &lengths, most).unwrap();
            let mut expected: Vec<BestPath> = Vec::new();
            for candidate in over_each_state(&model, ends) {
                let mut sorted = candidate.path.states.clone();
                sorted.sort_unstable();
                let is_loopless = sorted.windows(2).all(|pair| pair[0] != pair[1]);
                let is_new = expected.iter().all(|other| other.path.states != candidate.path.states);
                let is_apart = expected.iter().all(|other| overlap(&candidate, other, &lengths) <= most);
                if expected.len() < 4 && is_loopless && is_new && is_apart {
                    expected.push(candidate);
                }
            }
            let states = |paths: &[BestPath]| paths.iter().map(|path| path.path.states.clone()).collect::<Vec<_>>();
            assert_eq!(states(&found), states(&expected), "{seed}, {ends:?}, {most}");
            assert!(found.iter().zip(&expected).all(|(one, other)| (one.log_weight - other.log_weight).abs() < 1e-9));
        }
    }
}

#[test]
fn bad_questions_are_refused() {
    let roads = worlds::road_like(60, 130, 1).unwrap();
    let reward = roads.features.reward(&roads.mdp, &roads.theta).unwrap();
    let model = PathModel::new(&roads.mdp, reward, Horizon::Any, Ends::Goal).unwrap();
    let query = PathQuery { k: 2, bounded: false, ..PathQuery::between(1, 50) };
    let refused = |lengths: &[f64], most: f64| different_paths(&model, &query, lengths, most).unwrap_err().to_string();
    assert!(refused(&[1.0], 0.5).contains("the lengths of the states"));
    assert!(refused(&[-1.0; 60], 0.5).contains("a length of a state"));
    assert!(refused(&[1.0; 60], 1.5).contains("the largest overlap"));
}
