//! What the paper's text and proofs claim wrongly, each by a small case in which the claim fails. The list is
//! `docs/errata.md`.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::oracle::paths;
use revealed::{
    AtTerminal, FeaturesBuilder, Mdp, MdpBuilder, PathDistribution, Planning, Reward, Stop, Ziebart, ZiebartVersion,
    null_directions,
};

use crate::errata::{HORIZON, THETA, features, four_states, solve};
use crate::helpers::{all_close, close, slope};

/// Erratum 12: the derivative of the Lagrangian by p(τ) is log p - log q + 1 - λ_1ᵀφ - λ_2. At the MaxEnt distribution it
/// is zero for every path with λ_1 = θ and λ_2 = 1 - log Z. So Z = e^{-λ_2'} needs λ_2' = λ_2 - 1, and not λ_2 + 1.
#[test]
fn the_multiplier_of_the_proof_is_smaller_by_one() {
    let mdp = four_states(0.9, true);
    let features = features(&mdp);
    let reward = features.reward(&mdp, &THETA).unwrap();
    let log_z = solve(&mdp, &reward).log_partition;
    let none = Reward { state: vec![0.0; 4], transition: vec![0.0; mdp.n_transitions()] };
    let all = |reward: &Reward| paths(&mdp, reward, mdp.start(), HORIZON, Stop::Anywhere);
    let (weights, natural) = (all(&reward), all(&none));
    assert!(weights.len() > 20 && weights.len() == natural.len());
    for (weight, natural) in weights.iter().zip(&natural) {
        assert_eq!(weight.states, natural.states);
        let (log_weight, log_q) = (weight.log_weight.to_f64(), natural.log_weight.to_f64());
        let p = (log_weight - log_z).exp();
        let by_p = slope(1e-6 * p, |step| (p + step) * ((p + step).ln() - log_q));
        let lambda_2 = by_p - (log_weight - log_q);
        close((-(lambda_2 - 1.0)).exp(), log_z.exp(), 1e-7, "Z with λ_2 - 1");
        assert!(((-(lambda_2 + 1.0)).exp() / log_z.exp() - 1.0).abs() > 0.8, "the print is right");
    }
}

/// Erratum 13: the log-likelihood is concave, and not convex. Halfway between two θ it is at least the mean of both.
#[test]
fn the_log_likelihood_is_concave() {
    let mdp = four_states(0.9, true);
    let features = features(&mdp);
    let observed = [0.4, 0.3, 0.2];
    let likelihood = |theta: &[f64]| {
        let linear: f64 = theta.iter().zip(observed).map(|(theta, seen)| theta * seen).sum();
        linear - solve(&mdp, &features.reward(&mdp, theta).unwrap()).log_partition
    };
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut above: f64 = 0.0;
    for _ in 0..50 {
        let [one, other]: [Vec<f64>; 2] = [(); 2].map(|()| (0..3).map(|_| rng.random_range(-2.0..2.0)).collect());
        let middle: Vec<f64> = one.iter().zip(&other).map(|(one, other)| 0.5 * (one + other)).collect();
        let gap = likelihood(&middle) - 0.5 * (likelihood(&one) + likelihood(&other));
        assert!(gap > -1e-12, "convex between {one:?} and {other:?}: {gap}");
        above = above.max(gap);
    }
    assert!(above > 0.1, "{above}");
}

/// Erratum 14: θ is not unique. The 14 features of the roads are four groups of indicators times the length. Each group
/// sums to the length, so three directions change no reward, even if every combination occurs.
#[test]
fn the_papers_road_features_do_not_identify_theta() {
    const GROUPS: [usize; 4] = [3, 4, 5, 2];
    let roads = GROUPS.iter().product::<usize>();
    let mut builder = MdpBuilder::new(roads, 1);
    builder.start(0, 1.0).terminal(roads - 1);
    (1..roads).for_each(|road| {
        builder.transition(road - 1, 0, road, 1.0);
    });
    let mdp = builder.build().unwrap();
    let mut builder = FeaturesBuilder::new(GROUPS.iter().sum());
    for road in 0..roads {
        let (mut rest, mut first) = (road, 0);
        for group in GROUPS {
            builder.state(road, first + rest % group, 20.0 + road as f64);
            (rest, first) = (rest / group, first + group);
        }
    }
    let features = builder.build(&mdp).unwrap();
    let directions = null_directions(&features);
    assert_eq!(directions.len(), 3);
    let theta: Vec<f64> = (0..14).map(|k| -0.001 * k as f64).collect();
    let reward = features.reward(&mdp, &theta).unwrap();
    for direction in directions {
        let mut other = theta.clone();
        direction.terms.iter().for_each(|&(feature, value)| other[feature] += 0.7 * value);
        all_close(&features.reward(&mdp, &other).unwrap().state, &reward.state, 1e-11, "the same rewards");
    }
}

/// Erratum 17: with a uniform baseline policy, RE-IRL is MaxEnt IRL for paths of one length only if every state has as
/// many actions. Here one way has one path and the other has two: 1/3 against 1/2, for a reward of zero.
#[test]
fn a_uniform_baseline_is_another_model_where_the_number_of_actions_varies() {
    let through_first = |uniform: bool| {
        let mut builder = MdpBuilder::new(4, 2);
        builder.start(0, 1.0).terminal(3);
        for (from, action, to) in [(0, 0, 1), (0, 1, 2), (1, 0, 3), (2, 0, 3), (2, 1, 3)] {
            builder.transition(from, action, to, 1.0);
            if uniform {
                builder.reference(from, action, if from == 1 { 1.0 } else { 0.5 });
            }
        }
        let mdp = builder.build().unwrap();
        let reward = Reward { state: vec![0.0; 4], transition: vec![0.0; mdp.n_transitions()] };
        let found = paths(&mdp, &reward, mdp.start(), 3, Stop::Horizon);
        assert!(found.iter().all(|path| path.states.len() == 3));
        PathDistribution::new(&mdp, reward, 3, Stop::Horizon).unwrap().marginals(2).unwrap().state[1]
    };
    close(through_first(false), 1.0 / 3.0, 1e-12, "MaxEnt");
    close(through_first(true), 0.5, 1e-12, "a uniform baseline");
}

/// Erratum 18: rewards of at most zero are not enough for a shortest-path search. With γ < 1 a step costs less if it is
/// taken later, so no fixed weights of the edges have the same best path.
#[test]
fn shortest_paths_need_no_discount() {
    let best = |discount: f64| {
        let mut builder = MdpBuilder::new(4, 2);
        builder.discount(discount).start(0, 1.0).terminal(3);
        builder.transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0).transition(1, 0, 3, 1.0).transition(2, 0, 3, 1.0);
        let mdp = builder.build().unwrap();
        let reward = Reward { state: vec![0.0; 4], transition: vec![-3.0, -1.0, 0.0, -2.5] };
        let to_goal = paths(&mdp, &reward, mdp.start(), 3, Stop::Anywhere)
            .into_iter()
            .filter(|path| path.states[path.states.len() - 1] == 3);
        let scored = to_goal.map(|path| (path.log_weight.to_f64(), path.states[1]));
        scored.fold((f64::NEG_INFINITY, 0), |best, path| if path.0 > best.0 { path } else { best })
    };
    assert_eq!(best(1.0), (-3.0, 1));
    assert_eq!(best(0.5), (-2.25, 2));
}

/// n states; from each, each of two actions leads to all with the same probability, as in the appendix.
fn uniform(n: usize) -> Mdp {
    let mut builder = MdpBuilder::new(n, 2);
    for state in 0..n {
        builder.start(state, 1.0 / n as f64);
        for (action, to) in (0..2).flat_map(|action| (0..n).map(move |to| (action, to))) {
            builder.transition(state, action, to, 1.0 / n as f64);
        }
    }
    builder.build().unwrap()
}

/// Erratum 19: "D = 1/|S| is only true for a constant reward" holds for paths of one length. On the paper's set of all
/// lengths it is not true for a constant reward either: p_t(s) is P(length ≥ t) / |S|, which depends on the constant.
#[test]
fn a_constant_reward_is_not_uniform_over_paths_of_all_lengths() {
    let mdp = uniform(3);
    let second = |constant: f64, stop: Stop| {
        let reward = Reward::of_states(vec![constant; 3]);
        PathDistribution::new(&mdp, reward, 3, stop).unwrap().marginals(2).unwrap().state
    };
    for constant in [-1.0, 0.0, 1.0] {
        all_close(&second(constant, Stop::Horizon), &[1.0 / 3.0; 3], 1e-12, "one length");
        // The weights of the lengths 1, 2 and 3.
        let weights = [1.0, 2.0, 3.0].map(|length: f64| 2f64.powf(length - 1.0) * (constant * length).exp());
        let longer = (weights[1] + weights[2]) / weights.iter().sum::<f64>();
        all_close(&second(constant, Stop::Anywhere), &[longer / 3.0; 3], 1e-12, "all lengths");
        assert!(longer < 0.98, "{longer}");
    }
}

/// Erratum 9: the appendix's MDP has no terminal state. As printed, the algorithm of 2010 then has Z = 0 everywhere, and
/// P(a|s) = 0/0. If paths may end anywhere instead, 1 is added to every Z_s, and Σ_a P(a|s) = 1 - 1/Z_s, not 1.
#[test]
fn in_2010_the_actions_of_the_appendix_do_not_sum_to_one() {
    let mdp = uniform(3);
    let weights = [1.0f64, 4.0, 0.5];
    // Steps (1) and (2) as printed: 1 is added in terminal states only, and there are none.
    let mut printed = [0.0; 3];
    for _ in 0..5 {
        let mean = printed.iter().sum::<f64>() / 3.0;
        printed = weights.map(|weight| 2.0 * weight * mean);
    }
    assert_eq!(printed, [0.0; 3]);
    let reward = Reward::of_states(weights.map(f64::ln).to_vec());
    let pass = Ziebart::new(ZiebartVersion::Y2010).visits(&mdp, &reward, 2).unwrap();
    for state in 0..3 {
        let sum: f64 = mdp.choices(state).map(|choice| pass.action_probability[choice]).sum();
        close(sum, 1.0 - (-pass.log_partition[state]).exp(), 1e-12, "Σ_a P(a|s)");
        assert!(sum < 0.99, "{sum}");
    }
}

/// Erratum 20: adding a constant to a reward is a positive affine transformation, and changes the optimal policy where
/// episodes can end. Shaping in the sense of Ng (1999) uses a potential.
#[test]
fn adding_a_constant_changes_the_optimal_policy_of_an_episodic_mdp() {
    let mut builder = MdpBuilder::new(2, 2);
    builder.start(0, 1.0).terminal(1).transition(0, 0, 0, 1.0).transition(0, 1, 1, 1.0);
    let mdp = builder.build().unwrap();
    let action = |reward: f64| {
        let planning = Planning { discount: Some(0.9), at_terminal: AtTerminal::Ends, ..Planning::default() };
        planning.solve(&mdp, &Reward::of_states(vec![reward; 2])).unwrap().policy.action(&mdp, 0)
    };
    assert_eq!((action(-1.0), action(1.0)), (Some(1), Some(0)));
}
