//! The path distribution, its policies and the optimal policy, compared on ice, chains and roads.

use revealed::worlds::{self, FROZEN_LAKE_4X4};
use revealed::{
    Ends, Error, Execution, Given, PathDistribution, PathModel, Planning, Policy, PolicyGap, Reward, StationaryPolicy, Stop,
    Work,
};

use crate::helpers::{close, lake, reward_of};

#[test]
fn slippery_ice_has_a_gap_and_a_chain_has_none() {
    let lake = lake().with_discount(0.99).unwrap();
    let theta: Vec<f64> = lake.theta.iter().map(|theta| 5.0 * theta).collect();
    let reward = lake.features.reward(&lake.mdp, &theta).unwrap();
    let truth = reward_of(&lake);
    let mut paths = PathDistribution::new(&lake.mdp, reward.clone(), 30, Stop::Terminal).unwrap();
    let execution = Execution { start: lake.mdp.start().to_vec(), discount: 0.99, rewards: vec![&reward, &truth] };
    let gap = PolicyGap::new(&mut paths, &execution, &Planning::default()).unwrap();
    let optimal = gap.optimal.unwrap();
    assert!(gap.divergence > 0.05, "{}", gap.divergence);
    for index in 0..2 {
        assert!(gap.paths.values[index] > 2.0 * gap.policy.values[index], "the model hopes for luck");
        let (policy, projected) = (gap.policy.values[index], gap.projected.values[index]);
        assert!((policy - projected).abs() > 1e-3 * policy.abs(), "time matters: {policy} {projected}");
        assert!(optimal.values[index] > gap.policy.values[index], "the best is better than the likely");
    }
    assert!((optimal.values[0] - 5.0 * optimal.values[1]).abs() < 1e-9);

    let chain = worlds::linear_chain(6).unwrap();
    let reward = Reward::of_states(vec![0.3, -0.4, 0.1, 0.5, -1.0, 0.2]);
    for (stop, horizon) in [(Stop::Anywhere, 6), (Stop::Anywhere, 4), (Stop::Horizon, 5), (Stop::Terminal, 9)] {
        let mut paths = PathDistribution::new(&chain.mdp, reward.clone(), horizon, stop).unwrap();
        let execution = Execution { start: vec![(0, 1.0)], discount: 1.0, rewards: vec![&reward] };
        let gap = PolicyGap::new(&mut paths, &execution, &Planning::default()).unwrap();
        assert!(gap.divergence < 1e-14, "{stop:?}: {}", gap.divergence);
        assert!((gap.policy.values[0] - gap.projected.values[0]).abs() < 1e-14);
        assert!((gap.policy.values[0] - gap.paths.values[0]).abs() < 1e-14);
    }
}

/// With rewards in metres a path goes on with a probability that underflows; its policy is still defined.
#[test]
fn what_is_too_rare_for_an_f64_has_a_policy() {
    let lake = worlds::frozen_lake(&FROZEN_LAKE_4X4, false).unwrap();
    let reward = Reward::of_states((0..16).map(|state| -2000.0 - (state % 4) as f64).collect());
    let mut paths = PathDistribution::new(&lake.mdp, reward, 10, Stop::Anywhere).unwrap();
    let at = paths.policy(1).unwrap();
    // To 1 (one metre more) or to 4; left and up lead nowhere.
    let expected = [1.0, 1.0, (-1f64).exp(), 1.0].map(|weight| weight / (3.0 + (-1f64).exp()));
    let projection = paths.stationary_projection().unwrap();
    assert_eq!(at.stop[0], 1.0);
    for (action, expected) in expected.into_iter().enumerate() {
        let choice = lake.mdp.choice(0, action).unwrap();
        close(at.choice[choice], expected, 1e-10, format_args!("action {action}"));
        close(projection.policy.probability(choice), expected, 1e-10, format_args!("action {action}"));
    }
}

#[test]
fn roads_give_the_same_bits_on_any_number_of_threads() {
    let world = worlds::road_like(6_000, 12_200, 5).unwrap();
    let reward = reward_of(&world);
    let model = PathModel::new(&world.mdp, reward.clone(), 30, Ends::Anywhere).unwrap();
    let run = |threads| {
        let work = Work::on(threads);
        let mut paths = model.distribution(&Given::default(), &work).unwrap();
        let execution = Execution { start: world.mdp.start().to_vec(), discount: 1.0, rewards: vec![&reward] };
        let gap = PolicyGap::new(&mut paths, &execution, &Planning::default()).unwrap();
        assert_eq!(gap.optimal, Err(Error::NeverEnds(0)));
        let rolled = execution.roll_out_paths(&mut paths, 500, 3).unwrap();
        // Turns are certain: the policy makes the model's paths, from p0 instead of the model's first states.
        let gap_in_errors = (rolled[0].mean - gap.policy.values[0]).abs() / rolled[0].standard_error;
        assert!(gap_in_errors < 5.0, "{gap_in_errors}");
        (gap, rolled, paths.policy(7).unwrap())
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn invalid_executions_are_refused() {
    let chain = worlds::linear_chain(4).unwrap();
    let reward = Reward::of_states(vec![1.0; 4]);
    let walk = StationaryPolicy::never_stops(&chain.mdp, Policy::uniform(&chain.mdp));
    let execution = Execution { start: vec![(0, 1.0)], discount: 1.0, rewards: vec![&reward] };
    assert_eq!(execution.of_policy(&chain.mdp, 4, &walk).unwrap().values, [4.0]);
    let refused = |execution: &Execution<'_>, walk: &StationaryPolicy| execution.of_policy(&chain.mdp, 4, walk).unwrap_err();
    assert_eq!(refused(&Execution { start: vec![], ..execution.clone() }, &walk), Error::StartSum(0.0));
    assert_eq!(refused(&Execution { start: vec![(0, 0.0)], ..execution.clone() }, &walk), Error::StartSum(0.0));
    assert!(matches!(refused(&Execution { start: vec![(4, 1.0)], ..execution.clone() }, &walk), Error::OutOfRange { .. }));
    assert_eq!(refused(&Execution { discount: 1.5, ..execution.clone() }, &walk), Error::Discount(1.5));
    let short = Reward::of_states(vec![1.0; 3]);
    assert!(matches!(refused(&Execution { rewards: vec![&short], ..execution.clone() }, &walk), Error::Length { .. }));
    let bad = |stop: Vec<f64>| StationaryPolicy { stop, ..walk.clone() };
    assert!(matches!(refused(&execution, &bad(vec![0.0; 3])), Error::Length { found: 3, expected: 4, .. }));
    assert!(matches!(refused(&execution, &bad(vec![0.0, 1.5, 0.0, 0.0])), Error::BadNumber { row: 1, .. }));
    assert!(matches!(refused(&execution, &bad(vec![f64::NAN; 4])), Error::BadNumber { row: 0, .. }));
    assert!(matches!(execution.of_policy(&chain.mdp, 0, &walk), Err(Error::Count { value: 0, .. })));
    for n in [0, 1, usize::MAX] {
        assert!(matches!(execution.roll_out_policy(&chain.mdp, 4, &walk, n, 1), Err(Error::Count { .. })));
    }
}
