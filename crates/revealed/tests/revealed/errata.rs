//! What the paper prints wrongly, shown by enumeration: the printed formula misses by more than 0.01, the
//! right one is exact. Erratum 3 is in `worked_example.rs`, and the errata of the text are in `claims.rs`.
//! `docs/errata.md` is the list.

use std::fs;
use std::path::Path;

use revealed::oracle::{Answer, Scaled, alpha, enumerate, padded, paths};
use revealed::{Features, FeaturesBuilder, Mdp, MdpBuilder, Occupancy, Reward, Stop};

use crate::equation_index::{Sources, quoted};
use crate::helpers::{furthest, lake, moved, reward_of, slope};

const VISIBLE: f64 = 0.01;
const EXACT: f64 = 1e-12;
pub const HORIZON: usize = 4;
/// The step of central differences, and what they can be held to.
const STEP: f64 = 1e-5;
const SLOPE_TOLERANCE: f64 = 1e-8;

/// s_0 chooses between staying put and a gamble, s_1 goes on or back, s_2 moves on to the terminal s_3.
/// `is_terminal` says whether s_3 is marked as terminal or merely loops for ever, as Gymnasium writes it.
pub fn four_states(discount: f64, is_terminal: bool) -> Mdp {
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
pub fn features(mdp: &Mdp) -> Features {
    let mut builder = FeaturesBuilder::new(3);
    builder.state(1, 0, 1.0).state(3, 0, -0.5).state_action(0, 1, 1, 1.0).transition(5, 2, 1.0);
    builder.build(mdp).unwrap()
}

pub const THETA: [f64; 3] = [0.8, -0.4, 1.1];
const STATE_REWARD: [f64; 4] = [0.3, -0.2, 0.5, 1.5];

pub fn solve(mdp: &Mdp, reward: &Reward) -> Answer {
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

/// Erratum 10, its second part: q(τ) of the rest of the path contains p0(s_B). On the lake, p0 is zero in all states but
/// one, and then the printed numerator is zero for every destination.
#[test]
fn the_rest_of_a_path_has_no_start() {
    let lake = lake();
    let (mdp, reward) = (&lake.mdp, reward_of(&lake));
    let p0 = |state: usize| mdp.start().iter().filter(|row| row.0 == state).map(|row| row.1).sum::<f64>();
    let from = |state: usize, p: f64| paths(mdp, &reward, &[(state, p)], HORIZON, Stop::Anywhere).len();
    let printed_is_zero = (0..mdp.n_states()).filter(|&state| from(state, p0(state)) == 0);
    assert_eq!(printed_is_zero.count(), mdp.n_states() - 1);
    assert!((0..mdp.n_states()).all(|state| from(state, 1.0) > 0));
}

/// Erratum 15: the text computes padded α_l for 1 ≤ l < L. Z and p_L need α_L.
#[test]
fn the_forward_message_is_needed_for_the_longest_paths() {
    for discount in [0.5, 0.9, 1.0] {
        let mdp = four_states(discount, true);
        let reward = Reward::of_states(STATE_REWARD.to_vec());
        let truth = solve(&mdp, &reward);
        let alpha = alpha(&mdp, &reward, mdp.start(), HORIZON);
        let sum = |lengths: usize| alpha[..lengths].iter().flatten().copied().sum::<Scaled>().ln();
        assert!((sum(HORIZON) - truth.log_partition).abs() < EXACT);
        assert!((sum(HORIZON - 1) - truth.log_partition).abs() > VISIBLE, "γ = {discount}");
    }
}

/// Erratum 16: by properties 2 and 4, every action leads from s_a and from terminal states to s_a. So 𝒞(s_a) has |𝒜⁺|
/// members and not one, and 𝒫(s_a) has actions other than a_a. Only the rewards of -∞ remove them. The chain s_1 → s_2,
/// s_2 terminal, with s_a = 2 and a_a = 1.
#[test]
fn the_auxiliary_state_has_more_children_and_parents_than_printed() {
    let mut builder = MdpBuilder::new(3, 2);
    builder.start(0, 1.0);
    builder.transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
    for state in [1, 2] {
        builder.transition(state, 0, 2, 1.0).transition(state, 1, 2, 1.0);
    }
    let mdp = builder.build().unwrap();
    assert_eq!(mdp.children(2).len(), 2);
    let parents = (0..mdp.n_transitions()).filter(|&transition| mdp.to()[transition] == 2);
    let by_other_actions = parents.filter(|&transition| mdp.action_of(mdp.choice_of()[transition] as usize) != 1);
    assert_eq!(by_other_actions.count(), 2);
    // Without -∞, s_a has 2^{t-1} suffixes of length t, and β_t(s_a) would not be 1.
    let none = Reward::of_states(vec![0.0; 3]);
    for t in 1..=5 {
        assert_eq!(paths(&mdp, &none, &[(2, 1.0)], t, Stop::Horizon).len(), 1 << (t - 1));
    }
}

/// Every test that the list of errata names exists, every erratum has a test or a derivation, and none is listed twice.
#[test]
fn the_list_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let sources = Sources::read(&fs::read_to_string(root.join("crates/revealed/src/lib.rs")).unwrap());
    let page = fs::read_to_string(root.join("docs/errata.md")).unwrap();
    let rows: Vec<Vec<&str>> = (page.lines().filter(|line| line.starts_with("| ")))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>())
        .filter(|cells| cells[0].parse::<usize>().is_ok())
        .collect();
    let mut numbers: Vec<usize> = rows.iter().map(|cells| cells[0].parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=rows.len()).collect::<Vec<_>>());
    assert!(rows.len() >= 24, "{}", rows.len());
    for cells in &rows {
        let shown_by = cells.last().unwrap();
        let tests: Vec<&str> = quoted(shown_by).collect();
        assert!(tests.iter().all(|test| sources.has_test(test)), "erratum {}: {tests:?}", cells[0]);
        assert!(!tests.is_empty() || shown_by.contains("below"), "erratum {} has neither", cells[0]);
    }
    // The page of the code names the same tests.
    let in_code = fs::read_to_string(root.join("docs/design/errata-in-code.md")).unwrap();
    let named = |line: &str| quoted(line.rsplit(" | ").next().unwrap()).map(str::to_string).collect::<Vec<_>>();
    let lines = in_code.lines().filter(|line| line.starts_with("| ") && line.contains("::"));
    assert!(lines.flat_map(named).all(|test| !test.contains("::") || sources.has_test(&test)));
}
