//! What the paper prints wrongly, shown by enumeration: the printed formula misses by more than 0.01, the
//! right one is exact. Erratum 3 is in `worked_example.rs`.

use revealed::oracle::{Answer, enumerate, padded, paths};
use revealed::{Features, FeaturesBuilder, Mdp, MdpBuilder, Occupancy, Reward, Stop};

use crate::helpers::{furthest, moved, slope};

const VISIBLE: f64 = 0.01;
const EXACT: f64 = 1e-12;
const HORIZON: usize = 4;
/// The step of central differences, and what they can be held to.
const STEP: f64 = 1e-5;
const SLOPE_TOLERANCE: f64 = 1e-8;

/// s_0 chooses between staying put and a gamble, s_1 goes on or back, s_2 moves on to the terminal s_3.
/// `is_terminal` says whether s_3 is marked as terminal or merely loops for ever, as Gymnasium writes it.
fn four_states(discount: f64, is_terminal: bool) -> Mdp {
    let mut builder = MdpBuilder::new(4, 2);
    builder.discount(discount).start(0, 0.75).start(1, 0.25);
    builder.transition(0, 0, 0, 1.0).transition(0, 1, 1, 0.5).transition(0, 1, 3, 0.5);
    builder.transition(1, 0, 2, 1.0).transition(1, 1, 0, 1.0);
    builder.transition(2, 0, 3, 1.0);
    builder.transition(3, 0, 3, 1.0).transition(3, 1, 3, 1.0);
    if is_terminal {
        builder.terminal(3);
    }
    builder.build().unwrap()
}

/// One feature of each kind: an indicator of s_1, of (s_0, action 1), and of the transition from s_2 to s_3.
fn features(mdp: &Mdp) -> Features {
    let mut builder = FeaturesBuilder::new(3);
    builder.state(1, 0, 1.0).state(3, 0, -0.5).state_action(0, 1, 1, 1.0).transition(5, 2, 1.0);
    builder.build(mdp).unwrap()
}

const THETA: [f64; 3] = [0.8, -0.4, 1.1];
const STATE_REWARD: [f64; 4] = [0.3, -0.2, 0.5, 1.5];

fn solve(mdp: &Mdp, reward: &Reward) -> Answer {
    enumerate(mdp, reward, mdp.start(), HORIZON, Stop::Anywhere).unwrap()
}

/// ∂ log Z / ∂θ by central differences of enumerated partition functions.
fn slopes_of(mdp: &Mdp, features: &Features) -> Vec<f64> {
    let log_partition = |theta: &[f64]| solve(mdp, &features.reward(mdp, theta).unwrap()).log_partition;
    (0..3).map(|feature| slope(STEP, |step| log_partition(&moved(&THETA, feature, step)))).collect()
}

/// Erratum 1: eq:s-grad, eq:sa-grad and eq:sas-grad sum p_t(…) where they have to sum γ^{t-1} p_t(…).
#[test]
fn gradients_need_the_discount() {
    for (discount, is_print_right) in [(0.5, false), (0.9, false), (1.0, true)] {
        let mdp = four_states(discount, true);
        let features = features(&mdp);
        let answer = solve(&mdp, &features.reward(&mdp, &THETA).unwrap());
        let slopes = slopes_of(&mdp, &features);

        let right = features.expectation(&mdp, &answer.occupancy(discount));
        let undiscounted: Occupancy = answer.occupancy(1.0);
        let printed = features.expectation(&mdp, &undiscounted);
        assert!(furthest(&right, &slopes) < SLOPE_TOLERANCE, "{right:?} is not {slopes:?}");
        for (feature, (printed, slope)) in printed.iter().zip(&slopes).enumerate() {
            let error = (printed - slope).abs();
            let as_expected = if is_print_right { error < SLOPE_TOLERANCE } else { error > VISIBLE };
            assert!(as_expected, "γ = {discount}, feature {feature}: printed {printed}, right {slope}");
        }
    }
}

/// Erratum 2: tab:padded-s-rewards sets R(s) = 0 in terminal states.
#[test]
fn terminal_states_keep_their_reward() {
    for discount in [0.5, 0.9, 1.0] {
        let mdp = four_states(discount, true);
        let reward = Reward::of_states(STATE_REWARD.to_vec());
        let mut printed_reward = reward.clone();
        printed_reward.state[3] = 0.0;

        let truth = solve(&mdp, &reward);
        let right = padded(&mdp, &reward, mdp.start(), HORIZON, Stop::Anywhere).unwrap();
        let printed = padded(&mdp, &printed_reward, mdp.start(), HORIZON, Stop::Anywhere).unwrap();
        assert!(truth.disagreement(&right) < EXACT);
        assert!((truth.log_partition - printed.log_partition).abs() > VISIBLE, "γ = {discount}");
        let of_states = |answer: &Answer| answer.occupancy(1.0).state;
        assert!(furthest(&of_states(&truth), &of_states(&printed)) > VISIBLE, "γ = {discount}");
    }
}

/// Erratum 4: a terminal state has no children, also where the environment writes it as a self-loop.
#[test]
fn terminal_self_loops_are_not_followed() {
    for discount in [0.5, 0.9, 1.0] {
        let marked = four_states(discount, true);
        let looping = four_states(discount, false);
        let reward = Reward::of_states(STATE_REWARD.to_vec());
        let truth = solve(&marked, &reward);
        let followed = solve(&looping, &reward);
        assert!((truth.log_partition - by_hand(discount).ln()).abs() < EXACT);
        assert!((truth.log_partition - followed.log_partition).abs() > VISIBLE, "γ = {discount}");

        let found = paths(&marked, &reward, marked.start(), HORIZON, Stop::Anywhere);
        assert!(found.iter().all(|path| !path.states[..path.states.len() - 1].contains(&3)));
    }
}

/// Z of [`four_states`] with s_3 terminal, from a list of its paths.
fn by_hand(discount: f64) -> f64 {
    const PATHS: [(&[usize], f64); 30] = [
        (&[0], 0.75),
        (&[0, 0], 0.75),
        (&[0, 1], 0.375),
        (&[0, 3], 0.375),
        (&[0, 0, 0], 0.75),
        (&[0, 0, 1], 0.375),
        (&[0, 0, 3], 0.375),
        (&[0, 1, 2], 0.375),
        (&[0, 1, 0], 0.375),
        (&[0, 0, 0, 0], 0.75),
        (&[0, 0, 0, 1], 0.375),
        (&[0, 0, 0, 3], 0.375),
        (&[0, 0, 1, 2], 0.375),
        (&[0, 0, 1, 0], 0.375),
        (&[0, 1, 2, 3], 0.375),
        (&[0, 1, 0, 0], 0.375),
        (&[0, 1, 0, 1], 0.1875),
        (&[0, 1, 0, 3], 0.1875),
        (&[1], 0.25),
        (&[1, 2], 0.25),
        (&[1, 0], 0.25),
        (&[1, 2, 3], 0.25),
        (&[1, 0, 0], 0.25),
        (&[1, 0, 1], 0.125),
        (&[1, 0, 3], 0.125),
        (&[1, 0, 0, 0], 0.25),
        (&[1, 0, 0, 1], 0.125),
        (&[1, 0, 0, 3], 0.125),
        (&[1, 0, 1, 2], 0.125),
        (&[1, 0, 1, 0], 0.125),
    ];
    let weight = |&(states, q): &(&[usize], f64)| {
        let rewards = states.iter().enumerate().map(|(step, &state)| discount.powi(step as i32) * STATE_REWARD[state]);
        q * rewards.sum::<f64>().exp()
    };
    PATHS.iter().map(weight).sum()
}
