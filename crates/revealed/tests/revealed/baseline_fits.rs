//! Learning with the baselines: where they are right, where they are stuck, and what they do not support.

use std::ops::ControlFlow;

use revealed::{
    Bounds, Demonstrations, Ends, Error, Features, FeaturesBuilder, Fit, MaxEnt, Mdp, Method, Options, Reward, Step, Stopped,
    Watch, Ziebart, ZiebartVersion,
};

use crate::helpers::{diamond, refusal, through};

/// Three of four go over state 1: the one problem on which all methods agree with the logit log(3/1).
fn three_of_four() -> (Mdp, Features, Demonstrations) {
    let mdp = diamond();
    let features = FeaturesBuilder::new(1).state(1, 0, 1.0).build(&mdp).unwrap();
    let demos = Demonstrations::new(&mdp, &[through(1, 3.0), through(2, 1.0)]).unwrap();
    (mdp, features, demos)
}

fn fit(method: Method, ends: Ends, edit: impl Fn(&mut MaxEnt)) -> Result<Fit, Error> {
    let (mdp, features, demos) = three_of_four();
    let mut settings = MaxEnt { method, options: Options { ends, ..Options::default() }, ..MaxEnt::default() };
    edit(&mut settings);
    settings.fit(&mdp, &features, &demos)
}

#[test]
fn where_2010_and_causal_entropy_are_right_they_learn_what_is_exact() {
    let exact = fit(Method::Exact, Ends::Terminal, |_| ()).unwrap();
    for (method, ends) in
        [(Method::Ziebart2010, Ends::Terminal), (Method::Causal, Ends::Horizon), (Method::CausalDual, Ends::Horizon)]
    {
        let fit = fit(method, ends, |_| ()).unwrap();
        assert!(fit.converged, "{}", fit.stopped_because);
        assert_eq!(fit.method, method);
        assert!((fit.theta[0] - 3f64.ln()).abs() < 1e-6, "{:?}", fit.theta);
        assert!((fit.log_likelihood - exact.log_likelihood).abs() < 1e-12);
    }
}

/// 2008 sends no visits forward, so that nothing matches; its likelihood is the exact one at the θ where it stopped.
#[test]
fn where_nothing_matches_the_search_ends_and_says_so() {
    let stuck = fit(Method::Ziebart2008, Ends::Terminal, |_| ()).unwrap();
    assert!(!stuck.converged && stuck.stopped_because.contains("ziebart2008 expects differ by"), "{}", stuck.stopped_because);
    assert!(stuck.gradient_norm > 0.1 && stuck.iterations < 1000);
    let p = 1.0 / (1.0 + (-stuck.theta[0]).exp());
    assert!((stuck.log_likelihood - (0.75 * p.ln() + 0.25 * (1.0 - p).ln())).abs() < 1e-9);
}

#[test]
fn bounds_penalty_interrupts_and_caps_hold_for_ziebart() {
    let held = fit(Method::Ziebart2010, Ends::Terminal, |settings| settings.bounds = Bounds::Same(-0.5, 0.5)).unwrap();
    assert_eq!((held.converged, held.theta[0], held.at_bounds.as_slice()), (true, 0.5, [0].as_slice()));
    let pulled = fit(Method::Ziebart2010, Ends::Terminal, |settings| settings.l2 = 0.1).unwrap();
    // 3/4 - σ(θ) = l2 θ.
    let theta = pulled.theta[0];
    assert!(pulled.converged && (0.75 - 1.0 / (1.0 + (-theta).exp()) - 0.1 * theta).abs() < 1e-7, "{theta}");
    let capped = fit(Method::Ziebart2010, Ends::Terminal, |settings| settings.max_iterations = 2).unwrap();
    assert!(!capped.converged && capped.iterations == 2 && capped.stopped_because.contains("number of iterations"));
    let (mdp, features, demos) = three_of_four();
    let settings = MaxEnt { method: Method::Ziebart2010, ..MaxEnt::default() };
    let mut stop = |_: &Step<'_>| ControlFlow::Break(());
    let told = settings.fit_watched(&mdp, &features, &demos, &Watch::new(&mut stop)).unwrap();
    assert_eq!((told.stop, told.iterations), (Stopped::Interrupted, 1));
}

#[test]
fn unsupported_settings_are_refused() {
    assert!(refusal(fit(Method::Ziebart2008, Ends::Goal, |_| ())).contains("ziebart2008 with ends = goal"));
    let (mdp, _, demos) = three_of_four();
    let on_actions = FeaturesBuilder::new(1).state_action(0, 0, 0, 1.0).build(&mdp).unwrap();
    let settings = MaxEnt { method: Method::Ziebart2010, ..MaxEnt::default() };
    assert!(refusal(settings.fit(&mdp, &on_actions, &demos)).contains("ziebart2010 supports rewards of states only"));
    let reward = Reward { state: vec![0.0; 4], transition: vec![1.0; 4] };
    assert!(matches!(Ziebart::new(ZiebartVersion::Y2008).visits(&mdp, &reward, 3), Err(Error::StateRewardsOnly { .. })));
    let huge = Reward::of_states(vec![1e308; 4]);
    assert!(matches!(Ziebart::new(ZiebartVersion::Y2008).visits(&mdp, &huge, 3), Err(Error::RewardTooLarge { .. })));
    assert!(matches!(
        Ziebart::new(ZiebartVersion::Y2008).visits(&mdp, &Reward::of_states(vec![0.0; 4]), 0),
        Err(Error::Count { .. })
    ));
}
