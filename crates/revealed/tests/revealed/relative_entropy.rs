//! Relative Entropy IRL exactly: the engine with a reference policy.

use revealed::oracle::{RandomProblem, enumerate_theta};
use revealed::{Demonstrations, Ends, FeaturesBuilder, MaxEnt, Mdp, MdpBuilder, Options, PathDistribution, Policy};

use crate::helpers::{furthest, likelihood_of, open_stop, options_of};

/// E_D[φ] - E_θ[φ] - l2 θ, with E_θ[φ] by enumeration of all paths.
fn enumerated_gradient(problem: &RandomProblem, observed: &[f64], theta: &[f64], l2: f64) -> Vec<f64> {
    let [(start, stop)] = &problem.path_sets()[..] else { panic!("one path set") };
    let (_, expected) = enumerate_theta(&problem.mdp, &problem.features, theta, start, problem.horizon, *stop).unwrap();
    (0..theta.len()).map(|k| observed[k] - expected[k] - l2 * theta[k]).collect()
}

/// The penalised likelihood is strictly concave, so its optimum is where the enumerated gradient is zero, and nowhere
/// else.
#[test]
fn learned_with_a_reference_policy_is_the_optimum_by_enumeration() {
    const L2: f64 = 0.05;
    let problems =
        (0..600).map(RandomProblem::new).filter(|problem| problem.ends != Ends::Goal && problem.mdp.reference().is_some());
    let mut count = 0;
    for problem in problems.take(60) {
        let (mdp, features, demos) = (&problem.mdp, &problem.features, &problem.demonstrations);
        let observed = likelihood_of(&problem).observed().to_vec();
        let fit = MaxEnt { options: options_of(&problem), l2: L2, ..MaxEnt::default() }.fit(mdp, features, demos).unwrap();
        assert!(fit.converged, "{}", fit.stopped_because);
        let gradient = enumerated_gradient(&problem, &observed, &fit.theta, L2);
        assert!(gradient.iter().all(|g| g.abs() < 1e-7), "{:?}: {gradient:?}", fit.theta);
        count += 1;
    }
    assert_eq!(count, 60);
}

/// Four states that all offer both actions, and never end; slippery dynamics, and π0 if one is asked for.
fn endless(reference: impl Fn(usize, usize) -> Option<f64>) -> Mdp {
    let mut builder = MdpBuilder::new(4, 2);
    builder.start(0, 0.5).start(2, 0.5).discount(0.9);
    for (state, action) in (0..4).flat_map(|state| [(state, 0), (state, 1)]) {
        let p = 0.15 * (1 + state + action) as f64;
        builder.transition(state, action, (state + 1) % 4, p);
        builder.transition(state, action, (state + 2 + action) % 4, 1.0 - p);
        if let Some(p) = reference(state, action) {
            builder.reference(state, action, p);
        }
    }
    builder.build().unwrap()
}

/// Of paths of one length, a uniform reference policy takes each with the same probability: it cancels (the paper, "The
/// Principle of Maximum Entropy"). A policy that is not uniform does not, nor does a uniform one where lengths differ.
#[test]
fn a_uniform_reference_is_maximum_entropy_for_one_length_only() {
    let plain = endless(|_, _| None);
    let mut builder = FeaturesBuilder::new(3);
    builder.state(0, 0, 1.0).state(1, 1, 1.0).state_action(2, 0, 2, 1.0).state_action(3, 1, 2, 0.5);
    let features = builder.build(&plain).unwrap();
    let theta_of = |mdp: &Mdp, ends: Ends| {
        let reward = features.reward(&plain, &[0.7, -0.4, 0.3]).unwrap();
        let mut paths = PathDistribution::new(&plain, reward, 6, open_stop(ends)).unwrap();
        let demos = Demonstrations::new(mdp, &paths.sample(300, 1).unwrap()).unwrap();
        let options = Options { ends, horizon: Some(6.into()), ..Options::default() };
        let fit = MaxEnt { options, ..MaxEnt::default() }.fit(mdp, &features, &demos).unwrap();
        assert!(fit.converged, "{}", fit.stopped_because);
        fit.theta
    };
    let difference = |mdp: &Mdp, ends: Ends| furthest(&theta_of(&plain, ends), &theta_of(mdp, ends));
    let uniform = endless(|_, _| Some(0.5));
    assert_eq!(uniform.reference(), Some(Policy::uniform(&uniform).probabilities()));
    assert!(difference(&uniform, Ends::Horizon) < 1e-6);
    assert!(difference(&uniform, Ends::Anywhere) > 0.1);
    assert!(difference(&endless(|_, action| Some([0.2, 0.8][action])), Ends::Horizon) > 0.1);
}
