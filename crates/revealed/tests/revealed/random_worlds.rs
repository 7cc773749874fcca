//! Rewards of any size: an answer is that of enumeration, or an error.

use revealed::oracle::{ExtremeWorld, QUESTIONS, WorldOutcome, ask};
use revealed::{
    Ends, Error, Features, Given, MdpBuilder, PathDistribution, PathModel, Reward, Stop, Trajectory, Work, lengths,
};

use crate::helpers::refusal;

/// The seeds of `cargo test`. The example `random_worlds` has as many as one likes.
const WORLDS: u64 = 420;
/// Rewards up to this leave all digits that matter, whatever the world.
const ORDINARY: f64 = 100.0;
/// Errors that say that something does not exist, which is so by enumeration (`oracle::ask` checks it): no path, an
/// impossible demonstration, a prior that excludes every end.
const TRUE: [&str; 3] = ["NoPath", "Demonstration", "PriorExcludes"];
/// Errors of rewards up to 1e6 besides: numbers below 1e-308 in a question that divides by them.
const TINY: [&str; 2] = ["NoSum", "TooUnlikely"];

#[test]
fn answers_equal_enumeration_or_are_refused() {
    let (mut equal, mut refused) = (0, 0);
    for seed in 0..WORLDS {
        let world = ExtremeWorld::new(seed);
        let largest = world.largest_reward();
        for (question, outcome) in QUESTIONS.iter().zip(ask(&world)) {
            match outcome {
                WorldOutcome::Equal => equal += 1,
                WorldOutcome::NotCompared => {}
                WorldOutcome::Wrong(what) => panic!("seed {seed}, {question}: {what}"),
                WorldOutcome::Refused(kind) => {
                    let is_true = TRUE.contains(&kind.as_str());
                    let is_tiny = largest > ORDINARY && TINY.contains(&kind.as_str());
                    assert!(largest > 1e6 || is_true || is_tiny, "seed {seed}, {question}: {kind} at {largest:e}");
                    refused += 1;
                }
            }
        }
    }
    assert!(equal > 2_000 && refused > 200, "{equal} equal, {refused} refused");
}

/// From 0 to 1 at once, or over 2 or 3; the last step from 3 is forbidden by a reward.
fn detour(forbidden: f64) -> (revealed::Mdp, Reward) {
    let mut builder = MdpBuilder::new(4, 3);
    builder.start(0, 1.0).terminal(1);
    builder.transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0).transition(0, 2, 3, 1.0);
    builder.transition(2, 0, 1, 1.0).transition(3, 0, 1, 1.0);
    let mdp = builder.build().unwrap();
    let features = Features::one_hot(&mdp);
    let mut reward = features.reward(&mdp, &[0.0, 0.0, 2f64.ln(), 0.0]).unwrap();
    reward.transition = vec![0.0; mdp.n_transitions()];
    reward.transition[mdp.transition(3, 0, 1).unwrap()] = forbidden;
    (mdp, reward)
}

/// A step that is forbidden by a huge cost takes no digit from the others, however large it is.
#[test]
fn forbidden_steps_are_answered() {
    for forbidden in [-1e6, -1e9, -1e13, -1e18, -1e200] {
        let (mdp, reward) = detour(forbidden);
        let mut paths = PathDistribution::new(&mdp, reward.clone(), 3, Stop::Terminal).unwrap();
        let found = paths.marginals(2).unwrap().state;
        let exact = [0.0, 1.0 / 3.0, 2.0 / 3.0, 0.0];
        assert!(found.iter().zip(exact).all(|(p, exact)| (p - exact).abs() < 1e-12), "{forbidden:e}: {found:?}");
        let model = PathModel::new(&mdp, reward.clone(), 3, Ends::Terminal).unwrap();
        let found = lengths(&model, &Given::default(), &Work::default()).unwrap();
        assert!((found.mean() - (1.0 / 3.0 * 2.0 + 2.0 / 3.0 * 3.0)).abs() < 1e-12, "{forbidden:e}");
        // Its own weight is known to all digits that it has.
        let path = Trajectory::new(vec![0, 3, 1], vec![2, 0]);
        let log_p = paths.log_prob(&path).unwrap();
        assert!((log_p / forbidden - 1.0).abs() < 1e-4, "{forbidden:e}: {log_p}");
    }
}

/// The same huge reward on every path: the digits that tell the paths apart are lost.
#[test]
fn what_all_paths_pay_hides_their_differences() {
    let (mdp, mut reward) = detour(0.0);
    reward.state[1] = 1e9;
    let mut paths = PathDistribution::new(&mdp, reward.clone(), 3, Stop::Terminal).unwrap();
    assert!((paths.marginals(2).unwrap().state[2] - 0.5).abs() < 1e-6);
    reward.state[1] = 1e17;
    let refused = PathDistribution::new(&mdp, reward, 3, Stop::Terminal).map(drop);
    assert_eq!(refused, Err(Error::DigitsLost { state: 1, step: None, reward: 1e17 }));
    let message = refusal(refused);
    assert!(message.starts_with("the reward of state 1 is 1e17: ") && message.contains("scale the features"), "{message}");
}

/// `revealed policy` of one state with three actions ended in a panic, or in three certain actions.
#[test]
fn a_policy_without_digits_is_refused() {
    let mut builder = MdpBuilder::new(1, 3);
    builder.start(0, 1.0);
    (0..3).for_each(|action| {
        builder.transition(0, action, 0, 1.0);
    });
    let mdp = builder.build().unwrap();
    for size in [-1e16, -1e17, -1e300, 1e16, 1e17] {
        let paths = PathDistribution::new(&mdp, Reward::of_states(vec![size]), 2, Stop::Anywhere);
        let policy = paths.and_then(|mut paths| paths.stationary_projection().map(drop));
        assert!(matches!(policy, Err(Error::DigitsLost { state: 0, step: None, .. })), "{size:e}: {policy:?}");
    }
    let mut paths = PathDistribution::new(&mdp, Reward::of_states(vec![-1e9]), 2, Stop::Anywhere).unwrap();
    let policy = paths.policy(1).unwrap();
    assert!(policy.choice.iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-12) && policy.stop == [1.0]);
}
