//! Planning against plain loops, dense equations and known numbers.

use revealed::oracle::{RandomProblem, policy_values, value_iteration};
use revealed::worlds::{self, FROZEN_LAKE_4X4, World};
use revealed::{AtTerminal, Error, Mdp, MdpBuilder, Paid, Plan, Planning, Policy, Reward, Work, rollouts};

use crate::helpers::{furthest, reward_of};

fn settings(discount: f64) -> impl Iterator<Item = Planning> {
    AtTerminal::ALL.into_iter().flat_map(move |at_terminal| {
        [Paid::InState, Paid::OnArrival].map(|paid| Planning {
            discount: Some(discount),
            at_terminal,
            paid,
            ..Planning::default()
        })
    })
}

fn slippery(map: &[impl AsRef<str>]) -> (World, Reward) {
    let world = worlds::frozen_lake(map, true).unwrap();
    let reward = reward_of(&world);
    (world, reward)
}

#[test]
fn values_and_bounds_equal_plain_value_iteration() {
    for seed in 0..224 {
        let problem = RandomProblem::new(seed);
        let (mdp, reward) = (&problem.mdp, problem.reward());
        for planning in [0.0, 0.5, 0.9, 0.97].into_iter().flat_map(settings) {
            let plan = planning.solve(mdp, &reward).unwrap();
            let expected = value_iteration(mdp, &reward, &planning, 1500);
            let (bound, loss) = (plan.error_bound.unwrap(), plan.policy_loss.unwrap());
            assert!(plan.converged && bound < 2e-10, "seed {seed}, {planning:?}: {plan:?}");
            assert!(furthest(&plan.values, &expected) <= bound + 1e-12, "seed {seed}, {planning:?}");
            let of_policy = policy_values(mdp, &reward, &planning, &plan.policy);
            assert!(furthest(&of_policy, &expected) <= loss + 1e-12, "seed {seed}, {planning:?}");
        }
    }
}

#[test]
fn evaluation_equals_dense_equations() {
    for seed in 0..112 {
        let problem = RandomProblem::new(seed);
        let (mdp, reward) = (&problem.mdp, problem.reward());
        for planning in [0.0, 0.9, 0.99].into_iter().flat_map(settings) {
            let plan = planning.solve(mdp, &reward).unwrap();
            let q = planning.action_values(mdp, &reward, &plan.values).unwrap();
            for policy in [Policy::uniform(mdp), Policy::boltzmann(mdp, &q, 0.3).unwrap(), plan.policy] {
                let found = planning.evaluate(mdp, &reward, &policy).unwrap();
                let expected = policy_values(mdp, &reward, &planning, &policy);
                let bound = found.error_bound.unwrap();
                assert!(found.converged && bound < 3e-10, "seed {seed}, {planning:?}: {found:?}");
                assert!(furthest(&found.values, &expected) <= bound + 1e-12, "seed {seed}, {planning:?}");
            }
        }
    }
}

#[test]
fn action_values_have_the_values_as_their_largest() {
    let (world, reward) = slippery(&FROZEN_LAKE_4X4);
    for planning in settings(0.9) {
        let plan = planning.solve(&world.mdp, &reward).unwrap();
        let q = planning.action_values(&world.mdp, &reward, &plan.values).unwrap();
        for state in (0..16).filter(|&state| !world.mdp.is_terminal(state)) {
            let best = world.mdp.choices(state).map(|choice| q[choice]).fold(f64::NEG_INFINITY, f64::max);
            assert!((best - plan.values[state]).abs() < 1e-9);
        }
    }
}

/// Worlds that several threads share: with terminal states and without.
fn large() -> Vec<(Mdp, Reward)> {
    let (world, reward) = slippery(&worlds::random_lake(150, 0.8, 3).unwrap());
    let roads = worlds::road_like(20_000, 41_000, 3).unwrap();
    let costs = reward_of(&roads);
    vec![(world.mdp, reward), (roads.mdp, costs)]
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for (mdp, reward) in large() {
        let run = |threads: usize| {
            let planning = Planning { discount: Some(0.97), work: Work::on(threads), ..Planning::default() };
            let plan = planning.solve(&mdp, &reward).unwrap();
            let uniform = planning.evaluate(&mdp, &reward, &Policy::uniform(&mdp)).unwrap();
            (plan, uniform)
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(5));
    }
}

#[test]
fn large_worlds_equal_plain_value_iteration() {
    for (mdp, reward) in large() {
        let planning = Planning { discount: Some(0.95), tolerance: 1e-9, ..Planning::default() };
        let plan = planning.solve(&mdp, &reward).unwrap();
        let expected = value_iteration(&mdp, &reward, &planning, 600);
        assert!(plan.error_bound.unwrap() < 1.1e-9, "{:?}", plan.error_bound);
        assert!(furthest(&plan.values, &expected) <= plan.error_bound.unwrap() + 1e-9);
        let values = planning.evaluate(&mdp, &reward, &plan.policy).unwrap();
        assert!(furthest(&values.values, &expected) <= plan.policy_loss.unwrap() + values.error_bound.unwrap() + 1e-9);
    }
}

#[test]
fn rewards_in_metres_are_solved_to_rounding_and_say_so() {
    let roads = worlds::road_like(2000, 4100, 1).unwrap();
    let mut reward = reward_of(&roads);
    reward.state.iter_mut().for_each(|reward| *reward *= 1e4);
    let planning = Planning { discount: Some(0.999), ..Planning::default() };
    let plan = planning.solve(&roads.mdp, &reward).unwrap();
    let largest = plan.values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let bound = plan.error_bound.unwrap();
    assert!(plan.converged && bound > planning.tolerance && bound < 1e-11 * largest, "{bound:e} of {largest:e}");
    // An action within rounding of the best may lose twice the bound at every step.
    assert!(plan.policy_loss.unwrap() <= 4.0 * bound / (1.0 - 0.999), "{:?}", plan.policy_loss);
    let values = planning.evaluate(&roads.mdp, &reward, &plan.policy).unwrap();
    assert!(values.converged && furthest(&values.values, &plan.values) <= bound + values.error_bound.unwrap());
}

#[test]
fn frozen_lake_has_gymnasiums_values() {
    let (world, reward) = slippery(&FROZEN_LAKE_4X4);
    let planning = Planning { discount: Some(0.99), paid: Paid::OnArrival, ..Planning::default() };
    let plan = planning.solve(&world.mdp, &reward).unwrap();
    // Value iteration on Gymnasium's env.unwrapped.P.
    assert!((plan.values[0] - 0.542_025_932_000_472_6).abs() < 1e-9);
    assert!((plan.values.iter().sum::<f64>() - 6.339_819_538_309_735).abs() < 1e-8);
    let actions: Vec<usize> = (0..16).filter_map(|state| plan.policy.action(&world.mdp, state)).collect();
    assert_eq!(actions, [0, 3, 3, 3, 0, 0, 3, 1, 0, 2, 1]);
}

#[test]
fn without_a_discount_the_value_is_the_chance_to_arrive() {
    let (world, reward) = slippery(&FROZEN_LAKE_4X4);
    let planning = Planning { tolerance: 1e-12, ..Planning::default() };
    let plan = planning.solve(&world.mdp, &reward).unwrap();
    assert_eq!((plan.error_bound, plan.policy_loss, plan.converged), (None, None, true));
    assert!((plan.values[0] - 14.0 / 17.0).abs() < 1e-9, "{}", plan.values[0]);
    let values = planning.evaluate(&world.mdp, &reward, &plan.policy).unwrap();
    assert_eq!(values.error_bound, None);
    assert!(furthest(&values.values, &plan.values) < 1e-9);
    let episodes = rollouts(&world.mdp, &plan.policy, 20_000, 10_000, 4).unwrap();
    let arrived = episodes.iter().filter(|path| path.states.last() == Some(&15)).count() as f64 / 20_000.0;
    assert!((arrived - 14.0 / 17.0).abs() < 0.011, "four standard deviations: {arrived}");
}

/// States 0 to n - 1 in a row: action 0 stays, action 1 goes on; the last is terminal.
fn corridor(n: usize) -> Mdp {
    let mut builder = MdpBuilder::new(n, 2);
    builder.start(0, 1.0).terminal(n - 1);
    for state in 0..n - 1 {
        builder.transition(state, 0, state, 1.0).transition(state, 1, state + 1, 1.0);
    }
    builder.build().unwrap()
}

#[test]
fn without_a_discount_nothing_hangs() {
    let mdp = corridor(4);
    let costs = Planning::default().solve(&mdp, &Reward::of_states(vec![-1.0, -2.0, -3.0, 10.0])).unwrap();
    assert_eq!(costs.values, [4.0, 5.0, 7.0, 10.0]);
    let planning = Planning { max_iterations: 1000, ..Planning::default() };
    let gains = planning.solve(&mdp, &Reward::of_states(vec![1.0; 4]));
    assert_eq!(gains, Err(Error::Unsettled { sweeps: 1000, change: 1.0 }));
    let staying = Policy::deterministic(&mdp, &[Some(0), Some(0), Some(0), None]).unwrap();
    let never = planning.evaluate(&mdp, &Reward::of_states(vec![-1.0; 4]), &staying);
    assert_eq!(never, Err(Error::Unsettled { sweeps: 1000, change: 1.0 }));

    let roads = worlds::road_like(100, 200, 1).unwrap();
    let costs = reward_of(&roads);
    assert_eq!(Planning::default().solve(&roads.mdp, &costs), Err(Error::NeverEnds(0)));
    let free = Planning::default().solve(&roads.mdp, &Reward::of_states(vec![0.0; 100])).unwrap();
    assert_eq!(free.values, vec![0.0; 100]);

    let keeps = Planning { at_terminal: AtTerminal::KeepsPaying, ..Planning::default() };
    let pays = keeps.solve(&mdp, &Reward::of_states(vec![0.0, 0.0, 0.0, 2.0]));
    assert_eq!(pays, Err(Error::PaysForEver { state: 3, reward: 2.0 }));
    assert!(keeps.solve(&mdp, &Reward::of_states(vec![-1.0, -1.0, -1.0, 0.0])).is_ok());
}

#[test]
fn ties_go_to_the_lowest_action() {
    let mut builder = MdpBuilder::new(4, 4);
    builder.start(0, 1.0).terminal(1).terminal(2).terminal(3);
    builder.transition(0, 3, 1, 1.0).transition(0, 1, 2, 1.0).transition(0, 2, 3, 1.0);
    let mdp = builder.build().unwrap();
    let action = |rewards: [f64; 3]| {
        let reward = Reward::of_states([vec![0.0], rewards.to_vec()].concat());
        Planning { discount: Some(0.9), ..Planning::default() }.solve(&mdp, &reward).unwrap().policy.action(&mdp, 0)
    };
    assert_eq!(action([1.0, 1.0, 1.0]), Some(1));
    assert_eq!(action([1.0, 1.0 - 1e-15, 0.0]), Some(1));
    assert_eq!(action([1.0, 1.0 - 1e-9, 0.0]), Some(3));
    assert_eq!(action([-5.0, -6.0, -5.0]), Some(2));
    // Small differences of small values count.
    assert_eq!(action([2e-30, 1e-30, 0.0]), Some(3));
}

#[test]
fn a_far_goal_is_found() {
    let mdp = corridor(3000);
    let reward = Reward::of_states((0..3000).map(|state| if state == 2999 { 1.0 } else { 0.0 }).collect());
    let plan = Planning { discount: Some(0.9), ..Planning::default() }.solve(&mdp, &reward).unwrap();
    assert!(plan.values[0] < 1e-100 && (0..2999).all(|state| plan.policy.action(&mdp, state) == Some(1)));
}

/// Walks that run into cycles and into an end: each state has one successor, drawn at random.
#[test]
fn certain_chains_are_solved_exactly() {
    for n in [1, 2, 5, 40, 300] {
        let mut builder = MdpBuilder::new(n + 1, 1);
        builder.start(0, 1.0).terminal(n);
        for state in 0..n {
            builder.transition(state, 0, (state * state * 7 + 3 * state + 11) % (n + 1), 1.0);
        }
        let mdp = builder.build().unwrap();
        let reward = Reward::of_states((0..=n).map(|state| (state * 37 % 11) as f64 - 5.0).collect());
        for planning in [0.5, 0.999].into_iter().flat_map(settings) {
            let values = planning.evaluate(&mdp, &reward, &Policy::uniform(&mdp)).unwrap();
            let expected = policy_values(&mdp, &reward, &planning, &Policy::uniform(&mdp));
            assert!(values.sweeps < 10 && furthest(&values.values, &expected) < 1e-8, "{n}: {}", values.sweeps);
        }
    }
}

#[test]
fn running_out_of_iterations_is_said() {
    let (world, reward) = slippery(&worlds::random_lake(30, 0.8, 1).unwrap());
    let run = |max_iterations| -> Plan {
        Planning { discount: Some(0.99), max_iterations, ..Planning::default() }.solve(&world.mdp, &reward).unwrap()
    };
    let all = run(1000);
    assert!(all.converged && all.iterations < 100);
    for max_iterations in [1, 2, 5] {
        let some = run(max_iterations);
        assert!(!some.converged && some.iterations == max_iterations, "{}", some.iterations);
        let apart = furthest(&some.values, &all.values);
        assert!(apart > 1e-9 && apart <= some.error_bound.unwrap(), "{apart} {:?}", some.error_bound);
    }
    let planning = Planning { discount: Some(0.99), max_iterations: 7, ..Planning::default() };
    let values = planning.evaluate(&world.mdp, &reward, &all.policy).unwrap();
    assert!(!values.converged && furthest(&values.values, &all.values) <= values.error_bound.unwrap());
}

#[test]
fn bad_settings_are_refused() {
    let (world, reward) = slippery(&FROZEN_LAKE_4X4);
    let mdp = &world.mdp;
    let base = Planning { discount: Some(0.9), ..Planning::default() };
    let refused = |planning: Planning, reward: &Reward| planning.solve(mdp, reward).unwrap_err();
    for discount in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(refused(Planning { discount: Some(discount), ..base.clone() }, &reward), Error::Discount(_)));
    }
    for tolerance in [0.0, -1.0, f64::NAN] {
        assert!(matches!(refused(Planning { tolerance, ..base.clone() }, &reward), Error::Setting { .. }));
    }
    assert!(matches!(refused(Planning { max_iterations: 0, ..base.clone() }, &reward), Error::Count { .. }));
    assert!(matches!(refused(Planning { work: Work::on(0), ..base.clone() }, &reward), Error::Count { .. }));
    assert!(matches!(refused(base.clone(), &Reward::of_states(vec![0.0; 3])), Error::Length { .. }));
    assert!(matches!(refused(base.clone(), &Reward::of_states(vec![1e308; 16])), Error::Overflow { .. }));
    let other = Policy::uniform(&corridor(3));
    assert!(matches!(base.evaluate(mdp, &reward, &other), Err(Error::Length { .. })));
    assert!(matches!(rollouts(mdp, &other, 1, 10, 0), Err(Error::Length { .. })));
    assert!(matches!(rollouts(mdp, &Policy::uniform(mdp), 1, 0, 0), Err(Error::Count { .. })));
    assert!(matches!(base.action_values(mdp, &reward, &[0.0]), Err(Error::Length { .. })));
}

#[test]
fn rollouts_follow_the_policy() {
    let mdp = corridor(50);
    let probability = (0..mdp.n_choices()).map(|choice| if mdp.action_of(choice) == 1 { 0.3 } else { 0.7 }).collect();
    let policy = Policy::new(&mdp, probability).unwrap();
    let episodes = rollouts(&mdp, &policy, 300, 100, 9).unwrap();
    assert_eq!(episodes[..120], rollouts(&mdp, &policy, 120, 100, 9).unwrap());
    assert_ne!(episodes, rollouts(&mdp, &policy, 300, 100, 8).unwrap());
    assert!(episodes.iter().all(|path| path.states.len() <= 100 && path.transitions(&mdp).is_ok()));
    let taken: Vec<usize> = episodes.iter().flat_map(|path| path.actions.clone()).collect();
    let share = taken.iter().filter(|&&action| action == 1).count() as f64 / taken.len() as f64;
    assert!((share - 0.3).abs() < 4.0 * (0.21 / taken.len() as f64).sqrt(), "{share} of {}", taken.len());
    assert_eq!(rollouts(&mdp, &policy, 2, 1, 9).unwrap()[1].states, [0]);
}

/// Without a discount all paths to the goal have the same value, and the lowest action leads into the wall: the policy
/// must not stay there.
#[test]
fn without_a_discount_the_policy_still_gets_there() {
    for slippery in [false, true] {
        let lake = worlds::frozen_lake(&worlds::FROZEN_LAKE_8X8, slippery).unwrap();
        let reward = reward_of(&lake);
        let planning = Planning { discount: Some(1.0), ..Planning::default() };
        let plan = planning.solve(&lake.mdp, &reward).unwrap();
        let values = planning.evaluate(&lake.mdp, &reward, &plan.policy).unwrap().values;
        assert!(furthest(&values, &plan.values) < 1e-6, "{slippery}: {values:?} instead of {:?}", plan.values);
        let ended = rollouts(&lake.mdp, &plan.policy, 20, 100_000, 1).unwrap();
        assert!(ended.iter().all(|path| path.states.last().is_some_and(|&last| lake.mdp.is_terminal(last))));
    }
}
