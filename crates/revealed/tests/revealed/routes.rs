//! Likeliest paths of any length by the hierarchy, against the obvious search.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::oracle::RandomProblem;
use revealed::{Ends, Error, Mdp, MdpBuilder, PathModel, Reward, Route, Routes, Work, worlds};

use crate::helpers::{action_of, model_of, reward_of, trajectory_of};

fn unreachable(from: usize, to: usize) -> Error {
    Error::Unreachable { what: format!("from state {from} to state {to}") }
}

/// The log-weight of the likeliest path from a state to every other, by Bellman and Ford's search: as many rounds as a
/// path may have steps. `None` if the last round still gains.
fn likeliest(model: &PathModel<'_>, from: usize) -> Option<Vec<f64>> {
    let (mdp, reward) = (model.mdp(), model.reward());
    let mut best = vec![f64::NEG_INFINITY; mdp.n_states()];
    best[from] = reward.state[from];
    for _ in 0..=mdp.n_states() {
        let mut gained = false;
        for transition in 0..mdp.n_transitions() {
            let (from, to) = (mdp.from()[transition] as usize, mdp.to()[transition] as usize);
            let step = mdp.log_base_weight(transition) + reward.of_transition(transition) + reward.state[to];
            if best[from] + step > best[to] + 1e-12 * best[to].abs().clamp(1.0, 1e300) {
                (best[to], gained) = (best[from] + step, true);
            }
        }
        if !gained {
            return Some(best);
        }
    }
    None
}

/// Asserts that it is a path of the model between these states, and has the weight that it reports.
fn check_path(model: &PathModel<'_>, route: &Route, from: usize, to: usize) {
    let mdp = model.mdp();
    assert_eq!((route.states[0], route.states[route.states.len() - 1]), (from, to));
    assert_eq!(route.states.len(), route.transitions.len() + 1);
    for (pair, &transition) in route.states.windows(2).zip(&route.transitions) {
        assert_eq!((mdp.from()[transition] as usize, mdp.to()[transition] as usize), (pair[0], pair[1]));
    }
    let path = trajectory_of(mdp, &route.states, &route.transitions);
    assert_eq!(model.log_weight(&path), Ok(route.log_weight));
}

/// All pairs from a state, against the obvious search. The longest route.
fn check_from(model: &PathModel<'_>, routes: &Routes<'_>, from: usize) -> usize {
    let expected = likeliest(model, from).expect("no cycle gains");
    let mut longest = 0;
    for (to, &expected) in expected.iter().enumerate() {
        match routes.find(from, to) {
            Ok(route) => {
                check_path(model, &route, from, to);
                let apart = (route.log_weight - expected).abs();
                assert!(apart <= routes.error_bound() + 1e-10 * expected.abs().max(1.0), "{from} to {to}: {apart:e}");
                longest = longest.max(route.states.len());
            }
            Err(error) => {
                assert_eq!(error, unreachable(from, to));
                assert_eq!(expected, f64::NEG_INFINITY);
            }
        }
    }
    longest
}

/// The same network with a random policy that the steps are weighed with, and with some states that end a path.
fn with_policy(mdp: &Mdp, rng: &mut Pcg64Mcg) -> Mdp {
    let mut builder = MdpBuilder::new(mdp.n_states(), mdp.n_actions());
    builder.start(0, 1.0);
    for state in 0..mdp.n_states() {
        if state % 40 == 39 {
            builder.terminal(state);
            continue;
        }
        let weights: Vec<f64> = mdp.choices(state).map(|_| f64::from(rng.random_range(0..4u8))).collect();
        let total: f64 = weights.iter().sum();
        for (place, transition) in mdp.children(state).enumerate() {
            let action = action_of(mdp, transition);
            builder.transition(state, action, mdp.to()[transition] as usize, 1.0);
            let p = if total > 0.0 { weights[place] / total } else { 1.0 / weights.len() as f64 };
            builder.reference(state, action, p);
        }
    }
    builder.build().unwrap()
}

/// Costs of all sizes, many of them 0; in a third of the networks some steps gain, yet no cycle does.
pub fn random_reward(mdp: &Mdp, seed: u64, rng: &mut Pcg64Mcg) -> Reward {
    let scale = 10f64.powi(rng.random_range(-3..4));
    let mut cost = |zeros: f64| if rng.random_bool(zeros) { 0.0 } else { -scale * rng.random::<f64>() };
    let state: Vec<f64> = (0..mdp.n_states()).map(|_| cost(0.3)).collect();
    let mut transition: Vec<f64> = (0..mdp.n_transitions()).map(|_| cost(0.6)).collect();
    if seed.is_multiple_of(3) {
        let height: Vec<f64> = (0..mdp.n_states()).map(|_| 3.0 * scale * rng.random::<f64>()).collect();
        for (row, reward) in transition.iter_mut().enumerate() {
            *reward += height[mdp.to()[row] as usize] - height[mdp.from()[row] as usize];
        }
    }
    Reward { state, transition }
}

#[test]
fn five_hundred_road_like_networks() {
    let (mut gains, mut unreachable) = (0, 0);
    for seed in 0..500 {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let n_states = rng.random_range(60..300);
        let world = worlds::road_like(n_states, rng.random_range(n_states * 3 / 2..=n_states * 3), seed).unwrap();
        let mdp = if seed % 2 == 0 { world.mdp } else { with_policy(&world.mdp, &mut rng) };
        let reward = random_reward(&mdp, seed, &mut rng);
        gains += usize::from(reward.transition.iter().any(|&reward| reward > 0.0));
        let model = PathModel::new(&mdp, reward, 20, Ends::Anywhere).unwrap();
        let routes = Routes::new(&model).unwrap();
        for _ in 0..3 {
            check_from(&model, &routes, rng.random_range(0..n_states));
        }
        unreachable += usize::from((0..n_states).any(|to| routes.find(39, to).is_err()));
    }
    assert!(gains > 100 && unreachable > 100, "{gains} {unreachable}");
}

/// Large enough for a core that landmarks lead through.
#[test]
fn a_network_with_a_core() {
    let world = worlds::road_like(6000, 17_000, 5).unwrap();
    let reward = reward_of(&world);
    let model = PathModel::new(&world.mdp, reward, 400, Ends::Anywhere).unwrap();
    let routes = Routes::new(&model).unwrap();
    let longest = (0..4).map(|step| check_from(&model, &routes, 1499 * step)).max();
    assert!(longest > Some(20), "{longest:?}");
    assert!(routes.error_bound() < 1e-20);
}

#[test]
fn tiny_random_problems() {
    let (mut found, mut gaining, mut no_end) = (0, 0, 0);
    for seed in 0..2000 {
        let problem = RandomProblem::new(seed);
        let model = model_of(&problem);
        let n_states = problem.mdp.n_states();
        let routes = match Routes::new(&model) {
            Err(Error::DiscountedRoute { discount }) => {
                assert!(discount < 1.0);
                continue;
            }
            Err(Error::Gains { states, .. }) => {
                // Such a cycle gains from any of its states.
                assert!(likeliest(&model, states[0]).is_none(), "seed {seed}");
                gaining += 1;
                continue;
            }
            routes => routes.unwrap(),
        };
        assert_eq!(problem.mdp.discount(), 1.0);
        for from in 0..n_states {
            let expected = likeliest(&model, from).expect("no cycle gains");
            for (to, &expected) in expected.iter().enumerate() {
                match routes.find(from, to) {
                    Ok(route) => {
                        check_path(&model, &route, from, to);
                        assert!((route.log_weight - expected).abs() <= 1e-10, "seed {seed}, {from} to {to}");
                        assert!(matches!(problem.ends, Ends::Anywhere | Ends::Goal) || problem.mdp.is_terminal(to));
                        found += 1;
                    }
                    Err(Error::Unreachable { .. }) => assert_eq!(expected, f64::NEG_INFINITY, "seed {seed}, {from} to {to}"),
                    Err(Error::NotAnEnd { state, .. }) => {
                        assert!(state == to && matches!(problem.ends, Ends::Horizon | Ends::Terminal));
                        assert!(!problem.mdp.is_terminal(to));
                        no_end += 1;
                    }
                    Err(error) => panic!("seed {seed}: {error}"),
                }
            }
        }
    }
    assert!(found > 300 && gaining > 50 && no_end > 300, "{found} {gaining} {no_end}");
}

/// Without costs the path with the fewest states is the answer.
#[test]
fn fewest_states_win_among_equals() {
    let world = worlds::road_like(400, 900, 2).unwrap();
    let mdp = &world.mdp;
    let routes = Routes::new(&PathModel::new(mdp, Reward::of_states(vec![0.0; 400]), 20, Ends::Anywhere).unwrap()).unwrap();
    let mut steps = vec![usize::MAX; 400];
    let mut queue = std::collections::VecDeque::from([7]);
    steps[7] = 0;
    while let Some(state) = queue.pop_front() {
        for transition in mdp.children(state) {
            let to = mdp.to()[transition] as usize;
            if steps[to] == usize::MAX {
                steps[to] = steps[state] + 1;
                queue.push_back(to);
            }
        }
    }
    for (to, &steps) in steps.iter().enumerate() {
        let route = routes.find(7, to).unwrap();
        assert_eq!((route.transitions.len(), route.log_weight), (steps, 0.0), "to {to}");
    }
}

#[test]
fn of_parallel_steps_the_likeliest_and_then_the_first() {
    let mut builder = MdpBuilder::new(3, 3);
    builder.start(0, 1.0).terminal(2);
    for action in 0..3 {
        builder.transition(0, action, 1, 1.0).transition(1, action, 1, 0.5).transition(1, action, 2, 0.5);
    }
    let mdp = builder.build().unwrap();
    let mut reward = Reward { state: vec![0.0; 3], transition: vec![-1.0; mdp.n_transitions()] };
    reward.transition[1] = -0.25;
    let routes = Routes::new(&PathModel::new(&mdp, reward, 9, Ends::Terminal).unwrap()).unwrap();
    let route = routes.find(0, 2).unwrap();
    assert_eq!(route.states, [0, 1, 2]);
    assert_eq!(route.transitions, [1, mdp.transition(1, 0, 2).unwrap()]);
}

#[test]
fn trivial_and_impossible_routes() {
    let mut builder = MdpBuilder::new(4, 1);
    builder.start(0, 1.0).terminal(2);
    builder.transition(0, 0, 1, 1.0).transition(1, 0, 2, 1.0).transition(3, 0, 1, 1.0);
    let mdp = builder.build().unwrap();
    let of = |ends| Routes::new(&PathModel::new(&mdp, Reward::of_states(vec![-1.0; 4]), 2, ends).unwrap()).unwrap();
    let routes = of(Ends::Anywhere);
    assert_eq!(routes.find(1, 1), Ok(Route { states: vec![1], transitions: vec![], log_weight: -1.0 }));
    assert_eq!(routes.find(2, 0), Err(unreachable(2, 0)));
    // Longer than the horizon of 2 states.
    assert_eq!(routes.find(0, 2).unwrap().states, [0, 1, 2]);
    assert!(matches!(routes.find(4, 1), Err(Error::OutOfRange { index: 4, count: 4, .. })));
    assert!(matches!(routes.find(1, 4), Err(Error::OutOfRange { index: 4, count: 4, .. })));
    for ends in [Ends::Terminal, Ends::Horizon] {
        assert!(matches!(of(ends).find(0, 1), Err(Error::NotAnEnd { state: 1, .. })));
        assert_eq!(of(ends).find(0, 2).unwrap().states, [0, 1, 2]);
    }
    assert_eq!(of(Ends::Goal).find(3, 1).unwrap().states, [3, 1]);
}

#[test]
fn any_number_of_threads_gives_the_same_answers_in_order() {
    let world = worlds::road_like(500, 1100, 3).unwrap();
    let reward = reward_of(&world);
    let routes = Routes::new(&PathModel::new(&world.mdp, reward, 20, Ends::Anywhere).unwrap()).unwrap();
    let pairs: Vec<(usize, usize)> = (0..300).map(|pair| (pair * 7 % 500, pair * 13 % 501)).collect();
    let one = routes.find_all(&pairs, &Work::on(1)).unwrap();
    for threads in [Some(2), Some(5), None] {
        assert_eq!(routes.find_all(&pairs, &Work { threads, ..Work::default() }).unwrap(), one);
    }
    for (&(from, to), found) in pairs.iter().zip(&one) {
        assert_eq!(routes.find(from, to), *found);
    }
    assert!(one.iter().any(|found| matches!(found, Err(Error::OutOfRange { index: 500, .. }))));
    assert!(routes.find_all(&pairs, &Work::on(0)).is_err());
    assert_eq!(routes.find_all(&[], &Work::on(1)), Ok(Vec::new()));
}

/// A state that leads to all others, and one that all lead to: scanning their arcs again and again would take hours.
#[test]
fn stars_are_contracted_quickly() {
    let n_states = 60_002;
    let (hub, sink) = (n_states - 2, n_states - 1);
    let mut builder = MdpBuilder::new(n_states, 2);
    builder.start(hub, 1.0).terminal(sink);
    (0..hub).for_each(|state| {
        builder.transition(hub, 0, state, 1.0 / hub as f64);
        builder.transition(state, 0, (state + 1) % hub, 1.0).transition(state, 1, sink, 1.0);
    });
    let mdp = builder.build().unwrap();
    let mut state = vec![-1e-6; n_states];
    state[sink] = -1e15;
    let routes = Routes::new(&PathModel::new(&mdp, Reward::of_states(state), 9, Ends::Anywhere).unwrap()).unwrap();
    assert_eq!(routes.find(hub, sink).unwrap().states.len(), 3);
    assert_eq!(routes.find(5, 4).unwrap().states.len(), hub);
    assert_eq!(routes.find(hub, 77).unwrap().states, [hub, 77]);
    assert_eq!(routes.find(77, hub), Err(unreachable(77, hub)));
}

/// A very expensive step takes no digit from the others.
#[test]
fn costs_of_very_different_sizes() {
    let world = worlds::road_like(200, 400, 4).unwrap();
    let mut reward = reward_of(&world);
    reward.state.iter_mut().step_by(50).for_each(|reward| *reward *= 1e12);
    let model = PathModel::new(&world.mdp, reward, 20, Ends::Anywhere).unwrap();
    let routes = Routes::new(&model).unwrap();
    assert!(routes.error_bound() < 1e-12, "{:e}", routes.error_bound());
    for from in 1..4 {
        check_from(&model, &routes, from);
    }
}
