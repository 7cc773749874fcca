//! The likeliest paths, against enumeration and of two searches against each other.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::oracle::{RandomProblem, paths};
use revealed::{
    BestPaths, Ends, Error, Mdp, MdpBuilder, PathModel, PathQuery, Reward, Search, Trajectory, Work, best_paths, worlds,
};

use crate::helpers::{close, last_of, model_of, open_stop, reward_of, trajectory_of};

const SEEDS: u64 = 2_240;
const SEARCHES: [Search; 3] = [Search::Auto, Search::Viterbi, Search::ShortestPath];

/// Every path that the query asks for with its score, best first.
fn enumerated(model: &PathModel<'_>, query: &PathQuery) -> Vec<(Trajectory, f64)> {
    let mdp = model.mdp();
    let all = paths(mdp, model.reward(), &query.from, model.horizon().at_most().unwrap(), open_stop(model.ends()));
    let mut scored = Vec::new();
    for path in all {
        let last = last_of(&path);
        let g = query.to.as_ref().map_or(1.0, |to| to.iter().find(|row| row.0 == last).map_or(0.0, |row| row.1));
        let loops = path.states.iter().collect::<HashSet<_>>().len() < path.states.len();
        if g > 0.0 && !(query.loopless && loops) {
            scored.push((trajectory_of(mdp, &path.states, &path.transitions), path.log_weight.to_f64() + g.ln()));
        }
    }
    scored.sort_by(|one, other| other.1.total_cmp(&one.1));
    scored
}

/// Paths of the model, distinct, in order, and of the weight that they are said to have.
fn check_sound(model: &PathModel<'_>, query: &PathQuery, found: &BestPaths, what: &str) {
    let mut seen = HashSet::new();
    for pair in found.paths.windows(2) {
        assert!(pair[0].log_score >= pair[1].log_score, "{what}");
    }
    for best in &found.paths {
        let path = &best.path;
        assert!(seen.insert((path.states.clone(), path.actions.clone())), "{what}: {path:?} twice");
        assert!(!query.bounded || model.horizon().allows(path.states.len()), "{what}");
        close(best.log_weight, model.log_weight(path).unwrap(), 1e-10, what);
        let (first, last) = (path.states[0], path.states[path.states.len() - 1]);
        assert!(!query.bounded || model.may_end(last, path.states.len()), "{what}: {path:?}");
        let weight = |rows: &[(usize, f64)], state: usize| rows.iter().find(|row| row.0 == state).unwrap().1;
        let g = query.to.as_ref().map_or(1.0, |to| weight(to, last));
        close(best.log_score, weight(&query.from, first).ln() + best.log_weight + g.ln(), 1e-10, what);
    }
}

/// Compares every search that accepts a query with enumeration. How many answers there were.
fn check_against_enumeration(model: &PathModel<'_>, query: &PathQuery, what: &str) -> usize {
    let expected = enumerated(model, query);
    let most = if expected.len() < 2_000 { expected.len() + 5 } else { 500 };
    let mut answers = 0;
    for (k, search) in [1, 7, most].into_iter().flat_map(|k| SEARCHES.map(|search| (k, search))) {
        let query = PathQuery { k, search, ..query.clone() };
        let what = format!("{what}, k {k}, {search:?}");
        match best_paths(model, &query) {
            Ok(found) => {
                answers += 1;
                assert_eq!(found.paths.len(), k.min(expected.len()), "{what}");
                assert!(search == Search::Auto || found.search == search, "{what}");
                check_sound(model, &query, &found, &what);
                for (best, expected) in found.paths.iter().zip(&expected) {
                    close(best.log_score, expected.1, 1e-10, &what);
                }
            }
            Err(error) if expected.is_empty() => {
                let nothing = matches!(error, Error::Unreachable { .. } | Error::ShortHorizon { .. } | Error::NoPath { .. });
                let refused = matches!(error, Error::NotAnEnd { .. } | Error::NoGoal | Error::AnyLength { .. });
                let other =
                    matches!(error, Error::Gains { .. } | Error::DiscountedRoute { .. }) && search == Search::ShortestPath;
                assert!(nothing || refused || other, "{what}: {error}");
                if let Error::ShortHorizon { shortest, horizon, .. } = error {
                    assert!(shortest > horizon, "{what}");
                }
            }
            Err(error) => {
                let cannot = matches!(
                    error,
                    Error::Gains { .. } | Error::DiscountedRoute { .. } | Error::AnyLength { .. } | Error::GaveUp { .. }
                );
                assert!(search == Search::ShortestPath && cannot, "{what}: {error}");
            }
        }
    }
    answers
}

/// Weights of some of the states, unnormalised.
fn some_states(n_states: usize, rng: &mut Pcg64Mcg) -> Vec<(usize, f64)> {
    let mut weights = Vec::new();
    for state in 0..n_states {
        if rng.random_bool(0.6) {
            weights.push((state, rng.random_range(0.0..3.0)));
        }
    }
    if weights.is_empty() {
        weights.push((rng.random_range(0..n_states), 0.5));
    }
    weights
}

fn queries(problem: &RandomProblem, seed: u64) -> Vec<PathQuery> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let n_states = problem.mdp.n_states();
    let mut queries = vec![
        PathQuery::between(rng.random_range(0..n_states), rng.random_range(0..n_states)),
        PathQuery::new(some_states(n_states, &mut rng), Some(some_states(n_states, &mut rng))),
    ];
    if problem.ends != Ends::Goal {
        queries.push(PathQuery::new(vec![(rng.random_range(0..n_states), 1.0)], None));
    }
    let loopless: Vec<PathQuery> = queries.iter().map(|query| PathQuery { loopless: true, ..query.clone() }).collect();
    queries.extend(loopless);
    queries
}

#[test]
fn the_ith_best_path_is_the_ith_of_the_enumeration() {
    let mut answers = 0;
    for seed in 0..SEEDS {
        let problem = RandomProblem::new(seed);
        let model = model_of(&problem);
        for (number, query) in queries(&problem, seed).into_iter().enumerate() {
            answers += check_against_enumeration(&model, &query, &format!("seed {seed}, query {number}"));
        }
    }
    assert!(answers > 30 * SEEDS as usize / 2, "{answers}");
}

#[test]
fn ties_are_all_found_and_short_paths_come_first() {
    let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_4X4, false).unwrap();
    let nothing = Reward::of_states(vec![0.0; 16]);
    for ends in Ends::ALL {
        let model = PathModel::new(&lake.mdp, nothing.clone(), 8, ends).unwrap();
        let query = PathQuery::between(0, 15);
        check_against_enumeration(&model, &query, &format!("{ends:?}"));
        let all = best_paths(&model, &PathQuery { k: 1000, ..query.clone() }).unwrap();
        assert!(all.paths.windows(2).all(|pair| pair[0].path.states.len() <= pair[1].path.states.len()));
        assert_eq!((all.search, all.paths[0].path.states.len()), (Search::Viterbi, 7));
        assert_eq!(best_paths(&model, &query).unwrap().paths[0], all.paths[0]);
        // Cycles cost nothing, so the shortest-path search finds many paths that are too long, and gives up with a
        // message.
        let shortest = PathQuery { k: 1000, search: Search::ShortestPath, ..query.clone() };
        let error = best_paths(&model, &shortest).unwrap_err().to_string();
        assert!(error.contains(&format!("gave up with {} of 1000 paths", all.paths.len())), "{error}");
        let some = best_paths(&model, &PathQuery { k: 5, ..shortest }).unwrap();
        assert_eq!((some.search, &some.paths[..]), (Search::ShortestPath, &all.paths[..5]));
    }
}

/// Right and down through a square: C(2n, n) paths of the same weight, up to rounding.
fn lattice(side: usize) -> Mdp {
    let mut builder = MdpBuilder::new(side * side, 2);
    builder.start(0, 1.0).terminal(side * side - 1);
    for state in 0..side * side - 1 {
        let (row, column) = (state / side, state % side);
        if column + 1 < side {
            builder.transition(state, 0, state + 1, 1.0);
        }
        if row + 1 < side {
            builder.transition(state, 1, state + side, 1.0);
        }
    }
    builder.build().unwrap()
}

#[test]
fn countless_ties_do_not_slow_the_search() {
    let mdp = lattice(40);
    for reward in [0.0, -0.1, 0.1] {
        let model = PathModel::new(&mdp, Reward::of_states(vec![reward; 1600]), 100, Ends::Terminal).unwrap();
        for search in [Search::Viterbi, Search::ShortestPath] {
            let query = PathQuery { k: 2000, search, ..PathQuery::between(0, 1599) };
            let found = best_paths(&model, &query).unwrap();
            assert_eq!(found.paths.len(), 2000);
            check_sound(&model, &query, &found, "lattice");
            found.paths.iter().for_each(|path| close(path.log_score, 79.0 * reward, 1e-10, "lattice"));
        }
    }
}

/// Without gaining cycles, the best paths within a long horizon are the best paths of any length.
#[test]
fn paths_of_any_length_are_those_of_a_long_horizon() {
    let (mut compared, mut refused) = (0, 0);
    for seed in 0..SEEDS {
        let problem = RandomProblem::new(seed);
        let mut reward = problem.reward();
        reward.state.iter_mut().for_each(|reward| *reward = -reward.abs() - 0.3);
        reward.transition.iter_mut().for_each(|reward| *reward = -reward.abs());
        let model = PathModel::new(&problem.mdp, reward, 120, problem.ends).unwrap();
        for query in queries(&problem, seed) {
            let any = PathQuery { bounded: false, k: 7, ..query.clone() };
            let found = match best_paths(&model, &any) {
                Ok(found) => found,
                Err(Error::DiscountedRoute { discount }) => {
                    assert!(discount == problem.mdp.discount() && discount < 1.0);
                    refused += 1;
                    continue;
                }
                Err(error) => {
                    let horizon = problem.ends == Ends::Horizon && matches!(error, Error::AnyLength { .. });
                    let nothing = matches!(error, Error::Unreachable { .. } | Error::NotAnEnd { .. });
                    assert!(horizon || nothing, "seed {seed}: {error}");
                    refused += 1;
                    continue;
                }
            };
            let what = format!("seed {seed}");
            check_sound(&model, &any, &found, &what);
            assert_eq!(found.search, Search::ShortestPath);
            let bounded = best_paths(&model, &PathQuery { k: 7, search: Search::Viterbi, ..query }).unwrap();
            assert_eq!(found.paths.len(), bounded.paths.len(), "{what}");
            for (one, other) in found.paths.iter().zip(&bounded.paths) {
                close(one.log_score, other.log_score, 1e-10, &what);
            }
            compared += 1;
        }
    }
    assert!(compared > 1_500 && refused > 1_000, "{compared} {refused}");
}

/// R of the world's own θ, of a random one, and of one with potentials that make some weights larger than 1 but gain
/// nothing around any cycle.
fn road_reward(world: &worlds::World, seed: u64, rng: &mut Pcg64Mcg) -> Reward {
    let theta: Vec<f64> = match seed % 3 {
        0 => world.theta.clone(),
        _ => world.theta.iter().map(|_| rng.random_range(-0.02..0.0)).collect(),
    };
    let mut reward = world.features.reward(&world.mdp, &theta).unwrap();
    if seed % 3 == 2 {
        let potential: Vec<f64> = (0..world.mdp.n_states()).map(|_| rng.random_range(-2.0..2.0)).collect();
        let pairs = world.mdp.from().iter().zip(world.mdp.to());
        reward.transition = pairs.map(|(&from, &to)| potential[to as usize] - potential[from as usize]).collect();
    }
    reward
}

#[test]
fn shortest_paths_and_viterbi_agree_on_road_networks() {
    let mut gave_up = 0;
    for seed in 0..500 {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let n_states = rng.random_range(150..400);
        let world = worlds::road_like(n_states, n_states * 2 + n_states / 10, seed).unwrap();
        let reward = road_reward(&world, seed, &mut rng);
        let (from, to) = (rng.random_range(0..n_states), rng.random_range(0..n_states));
        let model = PathModel::new(&world.mdp, reward.clone(), 2 * n_states, Ends::Goal).unwrap();
        let query = PathQuery { k: 5, loopless: seed % 2 == 1, ..PathQuery::between(from, to) };
        let with = |search| best_paths(&model, &PathQuery { search, ..query.clone() }).unwrap();
        let (shortest, auto) = (with(Search::ShortestPath), with(Search::Auto));
        let any = best_paths(&model, &PathQuery { bounded: false, ..query.clone() }).unwrap();
        // Loops are passed over one by one in Viterbi's recursion, which may be too many.
        let viterbi = match best_paths(&model, &PathQuery { search: Search::Viterbi, ..query.clone() }) {
            Err(Error::GaveUp { .. }) if query.loopless => shortest.clone(),
            found => found.unwrap(),
        };
        gave_up += usize::from(viterbi.search == Search::ShortestPath);
        assert_eq!((auto.search, any.search), (Search::ShortestPath, Search::ShortestPath));
        let what = format!("seed {seed}");
        for found in [&viterbi, &shortest, &auto, &any] {
            check_sound(&model, &query, found, &what);
            assert_eq!(found.paths.len(), viterbi.paths.len(), "{what}");
            (found.paths.iter().zip(&viterbi.paths))
                .for_each(|(one, other)| close(one.log_score, other.log_score, 1e-10, &what));
        }
        // A horizon that the best path just fits into, and the one below.
        let longest = viterbi.paths[0].path.states.len();
        for horizon in [longest, longest - 1].into_iter().filter(|&horizon| horizon > 0) {
            let model = PathModel::new(&world.mdp, reward.clone(), horizon, Ends::Goal).unwrap();
            let with = |search| best_paths(&model, &PathQuery { search, ..query.clone() });
            match (with(Search::Auto), with(Search::Viterbi)) {
                (Ok(auto), Ok(viterbi)) => {
                    check_sound(&model, &query, &auto, &what);
                    assert_eq!(auto.paths.len(), viterbi.paths.len(), "{what}");
                    (auto.paths.iter().zip(&viterbi.paths))
                        .for_each(|(one, other)| close(one.log_score, other.log_score, 1e-10, &what));
                }
                (auto, viterbi) => assert_eq!(auto, viterbi),
            }
        }
    }
    println!("{gave_up} of 250 loopless queries were too many walks for it");
    assert!(gave_up < 25, "{gave_up}");
}

#[test]
fn values_that_do_not_fit_into_memory_are_computed_again() {
    for seed in 0..200 {
        let problem = RandomProblem::new(seed);
        let model = PathModel::new(&problem.mdp, problem.reward(), 23, problem.ends).unwrap();
        let to = (problem.ends == Ends::Goal).then(|| vec![(0, 1.0)]);
        let query = PathQuery { k: 9, search: Search::Viterbi, ..PathQuery::new(problem.mdp.start().to_vec(), to) };
        let Err(Error::Memory { budget: 0, least, .. }) =
            best_paths(&model, &PathQuery { work: Work { memory: 0, ..Work::default() }, ..query.clone() })
        else {
            assert!(best_paths(&model, &query).is_err());
            continue;
        };
        let found =
            best_paths(&model, &PathQuery { work: Work { memory: least, ..Work::default() }, ..query.clone() }).unwrap();
        assert_eq!(found, best_paths(&model, &query).unwrap(), "seed {seed}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let world = worlds::road_like(20_000, 41_000, 3).unwrap();
    let reward = reward_of(&world);
    let mdp = world.mdp.with_discount(0.97).unwrap();
    let model = PathModel::new(&mdp, reward, 60, Ends::Horizon).unwrap();
    let query = PathQuery { k: 20, ..PathQuery::new(mdp.start().to_vec(), None) };
    let with = |threads| best_paths(&model, &PathQuery { work: Work::on(threads), ..query.clone() }).unwrap();
    let one = with(1);
    assert_eq!((one.paths.len(), one.paths[0].path.states.len()), (20, 60));
    assert_eq!(one, with(2));
    assert!(best_paths(&model, &PathQuery { work: Work::on(0), ..query.clone() }).is_err());
    // The best weight is the value of the recursion in plain loops.
    let (mut value, r) = (vec![0.0; 20_000], &model.reward().state);
    for t in (1..60).rev() {
        let power = 0.97f64.powi(t);
        let best = |state: usize| {
            let children = mdp.to()[mdp.children(state)].iter().map(|&child| child as usize);
            children.map(|child| power * r[child] + value[child]).fold(f64::NEG_INFINITY, f64::max)
        };
        value = (0..20_000).map(best).collect();
    }
    let first = mdp.start().iter().map(|&(state, p)| p.ln() + r[state] + value[state]);
    close(one.paths[0].log_score, first.fold(f64::NEG_INFINITY, f64::max), 1e-10, "plain loops");
}
