//! Maximum causal entropy: by hand, against enumeration, finite differences, and where it is the same as MaxEnt.

use revealed::oracle::{RandomProblem, paths};
use revealed::{
    Bounds, CausalEntropy, CausalLikelihood, Demonstrations, Ends, Error, Features, FeaturesBuilder, MaxEnt, Mdp, MdpBuilder,
    Method, Options, PathDistribution, Reward, Stop, Trajectory, Work, worlds,
};

use crate::helpers::{all_close, moved, refusal, reward_of, slope, trajectory_of};

fn solved<'a>(mdp: &'a Mdp, reward: &Reward, horizon: usize) -> CausalEntropy<'a> {
    CausalEntropy::new(mdp, reward.clone(), horizon, &Work::default()).unwrap()
}

/// Safe (action 0) leads to 1; the gamble (action 1) leads to 2 or to 3, half and half. R = (0, 0, log 3, -log 3).
fn gamble() -> (Mdp, Reward) {
    let mut builder = MdpBuilder::new(4, 2);
    builder.start(0, 1.0).terminal(1).terminal(2).terminal(3);
    builder.transition(0, 0, 1, 1.0).transition(0, 1, 2, 0.5).transition(0, 1, 3, 0.5);
    (builder.build().unwrap(), Reward::of_states(vec![0.0, 0.0, 3f64.ln(), -3f64.ln()]))
}

/// Causal entropy: Q(safe) = 0, Q(gamble) = log 3 / 2 - log 3 / 2 = 0, so the policy gambles half of the time, and wins
/// half of those. V_1 = log(e^0 + e^0) = log 2.
///
/// MaxEnt: the weights are 1 (safe), 3/2 (win) and 1/6 (lose), Z = 8/3. The model gambles with probability 5/8, and
/// wins nine times in ten: e^R changes the odds of the coin, too.
#[test]
fn maxent_is_optimistic_about_luck_and_causal_entropy_is_not() {
    let (mdp, reward) = gamble();
    let mut causal = solved(&mdp, &reward, 2);
    all_close(&causal.policy(1).unwrap(), &[0.5, 0.5], 1e-15, "policy");
    all_close(&causal.values(1).unwrap(), &[2f64.ln(), 0.0, 3f64.ln(), -3f64.ln()], 1e-15, "values");
    all_close(&causal.occupancy().state, &[1.0, 0.5, 0.25, 0.25], 1e-15, "visits");
    let won = causal.log_prob(&Trajectory::new(vec![0, 2], vec![1])).unwrap();
    assert!((won - 0.25f64.ln()).abs() < 1e-15);
    assert_eq!(causal.log_prob(&Trajectory::new(vec![0], vec![])).unwrap(), f64::NEG_INFINITY, "it stops early");

    let maxent = PathDistribution::new(&mdp, reward, 2, Stop::Horizon).unwrap();
    all_close(&maxent.occupancy().state, &[1.0, 3.0 / 8.0, 9.0 / 16.0, 1.0 / 16.0], 1e-15, "visits of MaxEnt");
}

/// Against all episodes: probabilities sum to 1, visits are their sums, and E[V_1] is the expected reward plus the
/// (relative, discounted) causal entropy.
#[test]
fn random_problems_equal_enumeration() {
    for problem in (0..224).map(RandomProblem::new) {
        let (mdp, reward, horizon) = (&problem.mdp, problem.reward(), problem.horizon);
        let mut causal = solved(mdp, &reward, horizon);
        let policies: Vec<Vec<f64>> = (1..horizon).map(|t| causal.policy(t).unwrap()).collect();
        let (mut total, mut value) = (0.0, 0.0);
        let mut state = vec![vec![0.0; mdp.n_states()]; horizon];
        let mut choice = vec![vec![0.0; mdp.n_choices()]; horizon];
        let mut edge = vec![0.0; mdp.n_transitions()];
        for path in paths(mdp, &reward, mdp.start(), horizon, Stop::Horizon) {
            let mut p = mdp.start_probability(path.states[0]);
            let mut worth = 0.0;
            for (step, &at) in path.states.iter().enumerate() {
                let discount = mdp.discount().powi(step as i32);
                worth += discount * reward.state[at];
                if let Some(&transition) = path.transitions.get(step) {
                    let chosen = policies[step][mdp.choice_of()[transition] as usize];
                    p *= chosen * mdp.probability()[transition];
                    let surprise = mdp.reference_probability(transition).ln() - chosen.max(f64::MIN_POSITIVE).ln();
                    worth += discount * (reward.of_transition(transition) + surprise);
                }
            }
            let log_prob = causal.log_prob(&trajectory_of(mdp, &path.states, &path.transitions)).unwrap();
            assert!((log_prob.exp() - p).abs() < 1e-12, "{log_prob} {p}");
            total += p;
            value += p * worth;
            path.states.iter().enumerate().for_each(|(step, &at)| state[step][at] += p);
            for (step, &transition) in path.transitions.iter().enumerate() {
                choice[step][mdp.choice_of()[transition] as usize] += p;
                edge[transition] += mdp.discount().powi(step as i32) * p;
            }
        }
        assert!((total - 1.0).abs() < 1e-12, "{total}");
        assert!((causal.expected_value() - value).abs() < 1e-10 * value.abs().max(1.0), "{value}");
        all_close(&causal.occupancy().transition, &edge, 1e-12, "visits");
        for t in 1..=horizon {
            let marginals = causal.marginals(t).unwrap();
            all_close(&marginals.state, &state[t - 1], 1e-12, format_args!("states at {t}"));
            all_close(&marginals.choice, &choice[t - 1], 1e-12, format_args!("choices at {t}"));
        }
    }
}

/// Certain transitions, several paths between the same states, one terminal state, and one start.
fn certain() -> Mdp {
    let mut builder = MdpBuilder::new(5, 3);
    builder.start(0, 1.0).terminal(4);
    for (from, action, to) in
        [(0, 0, 1), (0, 1, 2), (0, 2, 0), (1, 0, 3), (1, 2, 0), (2, 0, 3), (2, 1, 4), (3, 1, 0), (3, 2, 4)]
    {
        builder.transition(from, action, to, 1.0);
    }
    builder.build().unwrap()
}

/// Features of all three kinds.
fn mixed(mdp: &Mdp) -> Features {
    let mut builder = FeaturesBuilder::new(4);
    for state in 0..mdp.n_states() {
        builder.state(state, state % 2, 1.0 + state as f64 / 4.0);
        for action in 0..mdp.n_actions() {
            builder.state_action(state, action, 2, (action + state) as f64 / 3.0);
        }
    }
    for row in 0..mdp.n_rows() {
        builder.transition(row, 3, (row * 5 % 7) as f64 / 4.0 - 0.5);
    }
    builder.build(mdp).unwrap()
}

#[test]
fn without_chance_it_is_maxent() {
    let mdp = certain();
    let features = mixed(&mdp);
    let reward = features.reward(&mdp, &[0.3, -0.7, 0.4, 1.1]).unwrap();
    let mut causal = solved(&mdp, &reward, 7);
    let mut maxent = PathDistribution::new(&mdp, reward, 7, Stop::Horizon).unwrap();
    assert!((causal.expected_value() - maxent.log_partition()).abs() < 1e-12);
    for t in 1..=7 {
        all_close(&causal.marginals(t).unwrap().transition, &maxent.marginals(t).unwrap().transition, 1e-12, t);
    }
    // They learn the same θ.
    let episodes = causal.sample(300, 4).unwrap();
    let demos = Demonstrations::new(&mdp, &episodes).unwrap();
    let fit = |method| {
        let options = Options { ends: Ends::Horizon, horizon: Some(7.into()), ..Options::default() };
        MaxEnt { method, options, l2: 1e-3, ..MaxEnt::default() }.fit(&mdp, &features, &demos).unwrap()
    };
    let (causal, exact) = (fit(Method::CausalEntropy), fit(Method::Exact));
    assert!(causal.converged && exact.converged, "{} {}", causal.stopped_because, exact.stopped_because);
    all_close(&causal.theta, &exact.theta, 1e-5, "theta");
    assert!((causal.log_likelihood - exact.log_likelihood).abs() < 1e-9);
}

/// Stochastic transitions: the chain above, in which every step may slip to state 0.
fn slippery(discount: f64) -> Mdp {
    let mut builder = MdpBuilder::new(5, 2);
    builder.discount(discount).start(0, 0.75).start(1, 0.25).terminal(4);
    for (from, action, to) in [(0, 0, 1), (0, 1, 2), (1, 0, 3), (1, 1, 2), (2, 0, 3), (2, 1, 4), (3, 0, 1), (3, 1, 4)] {
        builder.transition(from, action, to, 0.75).transition(from, action, 0, 0.25);
    }
    builder.build().unwrap()
}

fn episodes(mdp: &Mdp, features: &Features, theta: &[f64], horizon: usize, n: usize) -> Demonstrations {
    let mut causal = solved(mdp, &features.reward(mdp, theta).unwrap(), horizon);
    Demonstrations::new(mdp, &causal.sample(n, 9).unwrap()).unwrap()
}

#[test]
fn the_gradient_is_that_of_finite_differences() {
    for discount in [1.0, 0.9] {
        let mdp = slippery(discount);
        let features = mixed(&mdp);
        let theta = [0.3, -0.7, 0.4, 1.1];
        let demos = episodes(&mdp, &features, &theta, 6, 20);
        let options = Options { horizon: Some(6.into()), ..Options::default() };
        let mut causal = CausalLikelihood::new(&mdp, &features, &demos, &options).unwrap();
        let at = [-0.2, 0.5, -0.3, 0.8];
        let gradient = causal.evaluate(&at).unwrap().gradient;
        for (k, gradient) in gradient.into_iter().enumerate() {
            let difference = slope(1e-5, |step| causal.evaluate(&moved(&at, k, step)).unwrap().dual);
            assert!((difference - gradient).abs() < 1e-8, "discount {discount}, {k}: {difference} {gradient}");
        }
    }
}

/// Many episodes of a known reward: the features are matched, the reward is found, and both models differ.
#[test]
fn a_known_reward_is_found_again() {
    let mdp = slippery(0.9);
    let features = FeaturesBuilder::new(2).state(2, 0, 1.0).state(3, 1, 1.0).build(&mdp).unwrap();
    let truth = [1.5, -1.0];
    let demos = episodes(&mdp, &features, &truth, 8, 20_000);
    let options = Options { ends: Ends::Horizon, horizon: Some(8.into()), ..Options::default() };
    let settings = MaxEnt { method: Method::CausalEntropy, options: options.clone(), ..MaxEnt::default() };
    let fit = settings.fit(&mdp, &features, &demos).unwrap();
    assert!(fit.converged && fit.log_partition.is_none(), "{}", fit.stopped_because);
    all_close(&fit.theta, &truth, 0.05, "theta");
    let mut causal = CausalLikelihood::new(&mdp, &features, &demos, &options).unwrap();
    let there = causal.evaluate(&fit.theta).unwrap();
    assert!(there.gradient.iter().all(|g| g.abs() < 1e-6));
    assert_eq!(there.log_likelihood, fit.log_likelihood);
    let exact = MaxEnt { method: Method::Exact, ..settings }.fit(&mdp, &features, &demos).unwrap();
    assert!((exact.theta[0] - fit.theta[0]).abs() > 0.1, "{:?} {:?}", exact.theta, fit.theta);
    assert!(exact.log_likelihood < fit.log_likelihood, "the episodes are those of the causal model");
}

#[test]
fn samples_follow_the_policy() {
    let mdp = slippery(1.0);
    let reward = Reward::of_states(vec![0.0, 0.5, 1.0, -0.5, 0.3]);
    let mut causal = solved(&mdp, &reward, 5);
    let n = 40_000;
    let episodes = causal.sample(n, 1).unwrap();
    assert_eq!(episodes[..10], causal.sample(10, 1).unwrap());
    let third = causal.marginals(3).unwrap().state;
    for (state, p) in third.into_iter().enumerate() {
        let count = episodes.iter().filter(|path| path.states.get(2) == Some(&state)).count();
        let deviation = (p * (1.0 - p) / n as f64).sqrt();
        assert!((count as f64 / n as f64 - p).abs() < 5.0 * deviation + 1e-12, "state {state}: {count} of {n}, expected {p}");
    }
}

/// Whatever the memory and the threads, the same bits; too little memory is refused with the least that is enough.
#[test]
fn memory_and_threads_change_no_bit() {
    let world = worlds::road_like(20_000, 40_660, 1).unwrap().with_discount(0.99).unwrap();
    let reward = reward_of(&world);
    let with = |memory: usize, threads: usize| {
        let work = Work { threads: Some(threads), memory };
        let mut causal = CausalEntropy::new(&world.mdp, reward.clone(), 50, &work)?;
        let last = causal.policy(49)?;
        Ok((causal.expected_value(), causal.occupancy().clone(), causal.policy(1)?, last))
    };
    let message = 8 * 20_000;
    let all = with(100 * message, 1).unwrap();
    assert_eq!(all, with(100 * message, 3).unwrap());
    assert_eq!(all, with(14 * message, 2).unwrap());
    let error: Error = with(5 * message, 1).unwrap_err();
    assert!(matches!(error, Error::Memory { least, .. } if with(least, 1).unwrap() == all), "{error}");
}

#[test]
fn paths_that_stop_early_are_refused() {
    let mdp = slippery(1.0);
    let features = mixed(&mdp);
    let early = Trajectory { id: Some("cab 7".to_string()), ..Trajectory::new(vec![0, 1], vec![0]) };
    let whole = Trajectory::new(vec![0, 1, 3], vec![0, 0]);
    let demos = Demonstrations::new(&mdp, &[whole, early]).unwrap();
    let options = Options { ends: Ends::Horizon, ..Options::default() };
    let settings = MaxEnt { method: Method::CausalEntropy, options, bounds: Bounds::Same(-1.0, 1.0), ..MaxEnt::default() };
    let message = refusal(settings.fit(&mdp, &features, &demos));
    assert!(message.contains("demonstration 1 (id cab 7): it ends after 2 states in state 1"), "{message}");
    let mut causal = solved(&mdp, &Reward::of_states(vec![0.0; 5]), 3);
    assert!(
        causal.policy(3).is_err() && causal.policy(0).is_err() && causal.values(4).is_err() && causal.marginals(4).is_err()
    );
    assert!(causal.values(3).is_ok() && causal.marginals(3).is_ok() && causal.policy(2).is_ok());
    let one = solved(&mdp, &Reward::of_states(vec![1.0; 5]), 1);
    assert_eq!((one.expected_value(), one.occupancy().state[0]), (1.0, 0.75));
}
