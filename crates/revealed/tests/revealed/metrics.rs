//! The scores of a learned reward against known numbers and definitions.

use revealed::oracle::{RandomProblem, policy_values};
use revealed::worlds::World;
use revealed::{AtTerminal, HeldOut, Paid, Planning, Recovery, Reward, expected_value_difference, inverse_learning_error};

use crate::helpers::{lake, likelihood_of, reward_of};

fn lake_and_truth() -> (World, Reward) {
    let lake = lake().with_discount(0.99).unwrap();
    let truth = reward_of(&lake);
    (lake, truth)
}

/// A reward that punishes the goal leads to a policy that never gets there: from every state it can be avoided.
#[test]
fn the_largest_inverse_learning_error_of_frozen_lake_on_each_scale() {
    let (lake, truth) = lake_and_truth();
    let mut shuns = Reward::of_states(vec![0.0; 16]);
    shuns.state[15] = -1000.0;
    let largest = |at_terminal, paid| {
        let planning = Planning { at_terminal, paid, ..Planning::default() };
        let recovery = Recovery::new(&lake.mdp, &truth, &shuns, &planning).unwrap();
        let inner = (0..16).filter(|&state| !lake.mdp.is_terminal(state));
        assert!(inner.clone().all(|state| recovery.learned[state] == 0.0));
        assert!(recovery.error_bound.unwrap() < 1e-7);
        let lost: f64 = inner.map(|state| recovery.optimal[state]).sum();
        assert!((recovery.inverse_learning_error - lost).abs() < 1e-9);
        assert!((recovery.expected_value_difference - recovery.optimal[0]).abs() < 1e-9);
        (recovery.inverse_learning_error, recovery.optimal[15])
    };
    let check = |found: (f64, f64), ile: f64, goal: f64| {
        assert!((found.0 - ile).abs() < 1e-7 * ile && (found.1 - goal).abs() < 1e-9, "{found:?}");
    };
    check(largest(AtTerminal::Ends, Paid::InState), 6.276_421_342_9, 1.0);
    check(largest(AtTerminal::Ends, Paid::OnArrival), 6.339_819_538_3, 0.0);
    check(largest(AtTerminal::KeepsPaying, Paid::InState), 627.642_134_292_7, 100.0);
    // The paper's 634.0.
    check(largest(AtTerminal::KeepsPaying, Paid::OnArrival), 633.981_953_831_0, 100.0);
}

#[test]
fn the_same_policy_is_exactly_as_good() {
    let (lake, truth) = lake_and_truth();
    let scaled = Reward::of_states(truth.state.iter().map(|reward| 7.0 * reward).collect());
    for at_terminal in AtTerminal::ALL {
        let planning = Planning { at_terminal, ..Planning::default() };
        let recovery = Recovery::new(&lake.mdp, &truth, &scaled, &planning).unwrap();
        assert_eq!((recovery.inverse_learning_error, recovery.expected_value_difference), (0.0, 0.0));
        assert_eq!((recovery.n_different, recovery.error_bound), (0, Some(0.0)));
    }
}

#[test]
fn recovery_is_its_definition() {
    let mut different = 0;
    for seed in 0..112 {
        let problem = RandomProblem::new(seed);
        let (mdp, truth) = (&problem.mdp, problem.reward());
        let other: Vec<f64> = problem.theta.iter().map(|theta| 0.5 - theta).collect();
        let learned = problem.features.reward(mdp, &other).unwrap();
        let planning = Planning { discount: Some(0.9), ..Planning::default() };
        let recovery = Recovery::new(mdp, &truth, &learned, &planning).unwrap();
        let values = |reward: &Reward| {
            let policy = planning.solve(mdp, reward).unwrap().policy;
            policy_values(mdp, &truth, &planning, &policy)
        };
        let (best, found) = (values(&truth), values(&learned));
        let ile: f64 = best.iter().zip(&found).map(|(best, found)| (best - found).abs()).sum();
        let evd: f64 = mdp.start().iter().map(|&(state, p)| p * (best[state] - found[state])).sum();
        assert!((recovery.inverse_learning_error - ile).abs() <= recovery.error_bound.unwrap() + 1e-12, "seed {seed}");
        assert!((recovery.expected_value_difference - evd).abs() < 1e-9, "seed {seed}");
        assert_eq!(inverse_learning_error(mdp, &truth, &learned, &planning), Ok(recovery.inverse_learning_error));
        assert_eq!(expected_value_difference(mdp, &truth, &learned, &planning), Ok(recovery.expected_value_difference));
        different += usize::from(recovery.inverse_learning_error > 1e-6);
    }
    assert!(different > 40, "{different}");
}

#[test]
fn held_out_demonstrations_have_the_likelihood_and_its_gradient() {
    for seed in 0..32 {
        let problem = RandomProblem::new(seed);
        let (demonstrations, theta) = (&problem.demonstrations, &problem.theta);
        let mut likelihood = likelihood_of(&problem);
        let held_out = HeldOut::new(&mut likelihood, demonstrations, theta).unwrap();
        let evaluation = likelihood.evaluate(theta).unwrap();
        assert_eq!(held_out.mean_log_likelihood, evaluation.log_likelihood);
        let total = evaluation.log_likelihood * demonstrations.total_weight();
        assert_eq!(held_out.total_log_likelihood, total);
        let gap = held_out.feature_gap;
        assert_eq!(gap.difference, evaluation.gradient);
        let squares: f64 = gap.difference.iter().map(|part| part * part).sum();
        assert!((gap.euclidean - squares.sqrt()).abs() <= 1e-15 * (1.0 + gap.euclidean));
        assert!(gap.difference.iter().any(|part| part.abs() == gap.largest));
        assert!(gap.difference.iter().all(|part| part.abs() <= gap.largest));
    }
}
