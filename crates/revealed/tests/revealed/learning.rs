//! Learning: optima, bounds, penalties, and problems that have no optimum.

use std::ops::ControlFlow;

use revealed::worlds;
use revealed::{
    Bounds, Demonstrations, Error, Features, FeaturesBuilder, Likelihood, MaxEnt, Options, PathDistribution, Step, Stop,
    Stopped, Trajectory, Watch,
};

use crate::helpers::{drawn, finished, fork, furthest, lake, left, left_indicator, refusal, reward_of, right};

fn fit(settings: &MaxEnt, features: &Features, demos: &[Trajectory]) -> Result<revealed::Fit, Error> {
    let mdp = fork();
    settings.fit(&mdp, features, &Demonstrations::new(&mdp, demos)?)
}

#[test]
fn a_logit_has_the_closed_form() {
    for (a, b) in [(1.0, 1.0), (3.0, 1.0), (1.0, 99.0), (0.25, 0.125)] {
        let fit = fit(&finished(), &left_indicator(), &[left(a), right(b)]).unwrap();
        assert!(fit.converged, "{}", fit.stopped_because);
        assert!((fit.theta[0] - (a / b).ln()).abs() < 1e-6, "{:?}", fit.theta);
        assert_eq!((fit.stop, fit.at_bounds.len()), (Stopped::Gradient, 0));
    }
}

/// With the engine's own likelihood, a search is the fit: the same points, and so the same θ in every bit. With another
/// l2, too. An error of the caller ends it.
#[test]
fn a_search_with_the_callers_likelihood_is_the_fit() {
    let lake = lake();
    let demos = drawn(PathDistribution::new(&lake.mdp, reward_of(&lake), 12, Stop::Anywhere).unwrap(), 40, 3);
    for l2 in [0.0, 0.1] {
        let settings = MaxEnt { bounds: Bounds::Same(-4.0, 4.0), l2, ..MaxEnt::default() };
        let fit = settings.fit(&lake.mdp, &lake.features, &demos).unwrap();
        let mut likelihood = Likelihood::new(&lake.mdp, &lake.features, &demos, &settings.options).unwrap();
        let evaluate = |theta: &[f64], gradient: &mut [f64]| {
            let point = likelihood.evaluate(theta)?;
            gradient.copy_from_slice(&point.gradient);
            Ok(point.log_likelihood)
        };
        let (theta, evaluations) = settings.search(&lake.mdp, &lake.features, &demos, evaluate).unwrap();
        assert_eq!((theta, evaluations + 1), (fit.theta, fit.evaluations));
    }
    let refused = MaxEnt::default().search(&lake.mdp, &lake.features, &demos, |_, _| Err(Error::NoGoal));
    assert!(matches!(refused, Err(Error::NoGoal)), "{refused:?}");
}

/// One feature in metres: the units of a feature do not matter to the search.
#[test]
fn metres_and_kilometres_are_learned_alike() {
    let with = |scale: f64| {
        let features = FeaturesBuilder::new(1).state(1, 0, scale).build(&fork()).unwrap();
        fit(&finished(), &features, &[left(3.0), right(1.0)]).unwrap()
    };
    let (metres, kilometres) = (with(1000.0), with(1.0));
    assert!((metres.theta[0] * 1000.0 - kilometres.theta[0]).abs() < 1e-6);
    assert_eq!(metres.evaluations, kilometres.evaluations);
}

#[test]
fn no_finite_optimum_is_no_convergence() {
    let fit_left = |settings: MaxEnt, demos: &[Trajectory]| fit(&settings, &left_indicator(), demos).unwrap();
    // Always left: θ would go to +∞. Never left: to -∞, and the feature is named as never seen.
    let always = fit_left(finished(), &[left(1.0)]);
    assert!(!always.converged && always.stopped_because.contains("feature 0 goes to +infinity"), "{}", always.stopped_because);
    let never = fit_left(finished(), &[right(1.0)]);
    assert!(
        !never.converged && never.stopped_because.contains("no demonstration ever has feature 0"),
        "{}",
        never.stopped_because
    );
    assert_eq!(never.never_seen, [0]);
    // Bounds or a penalty give them an optimum.
    let bounded = fit_left(MaxEnt { bounds: Bounds::Same(-5.0, 5.0), ..finished() }, &[left(1.0)]);
    assert!(bounded.converged, "{}", bounded.stopped_because);
    assert_eq!(
        (bounded.theta.as_slice(), bounded.at_bounds.as_slice(), bounded.gradient_norm),
        ([5.0].as_slice(), [0].as_slice(), 0.0)
    );
    let penalised = fit_left(MaxEnt { l2: 0.1, ..finished() }, &[left(1.0)]);
    assert!(penalised.converged, "{}", penalised.stopped_because);
    // 1 - σ(θ) = l2 θ.
    let theta = penalised.theta[0];
    assert!((1.0 / (1.0 + theta.exp()) - 0.1 * theta).abs() < 1e-7, "{theta}");
}

/// A direction that no single feature shows: highway and toll always together, except on a road that no demonstration
/// takes.
#[test]
fn a_combination_that_runs_away_is_found() {
    let features = FeaturesBuilder::new(2).state(1, 0, 1.0).state(1, 1, 1.0).state(2, 0, 1.0).build(&fork()).unwrap();
    let fit = fit(&finished(), &features, &[left(1.0)]).unwrap();
    assert!(!fit.converged, "{}", fit.stopped_because);
    assert!(fit.stopped_because.starts_with("did not converge, because"), "{}", fit.stopped_because);
}

#[test]
fn bounds_of_each_feature_hold() {
    let mdp = fork();
    let features = Features::one_hot(&mdp);
    let bounds = Bounds::Each(vec![(-1.0, 1.0), (0.25, 0.25), (f64::NEG_INFINITY, f64::INFINITY)]);
    let fit = fit(&MaxEnt { bounds, ..finished() }, &features, &[left(1.0), right(3.0)]).unwrap();
    assert!(fit.converged, "{}", fit.stopped_because);
    assert_eq!(fit.theta[1], 0.25);
    assert!((fit.theta[2] - 0.25 - 3f64.ln()).abs() < 1e-6);
}

#[test]
fn bad_settings_are_refused() {
    let run = |settings: MaxEnt| refusal(fit(&settings, &left_indicator(), &[left(1.0), right(1.0)]));
    let message = run(MaxEnt { bounds: Bounds::Same(1.0, -1.0), ..finished() });
    assert_eq!(message, "bounds of feature 0: the lower bound 1 must not exceed the upper bound -1");
    assert!(run(MaxEnt { bounds: Bounds::Same(f64::NAN, 1.0), ..finished() }).contains("NaN"));
    assert!(run(MaxEnt { bounds: Bounds::Each(vec![]), ..finished() }).contains("bounds has 0 entries, expected 1"));
    assert!(run(MaxEnt { l2: -1.0, ..finished() }).contains("l2 is -1"));
    assert!(run(MaxEnt { start: Some(vec![f64::INFINITY]), ..finished() }).contains("theta[0] is inf"));
    let long = MaxEnt { options: Options { horizon: Some(1.into()), ..Options::default() }, ..MaxEnt::default() };
    assert!(run(long).contains("demonstration 0: it has 2 states, more than the horizon 1"));
}

/// An interrupted search hands over the best θ so far, and one that goes on from there ends where an undisturbed one
/// does.
#[test]
fn an_interrupted_search_can_go_on() {
    let world = lake();
    let reward = world.features.reward(&world.mdp, &[-0.2; 16]).unwrap();
    let demos = drawn(PathDistribution::new(&world.mdp, reward, 30, Stop::Anywhere).unwrap(), 500, 3);
    let settings = MaxEnt { bounds: Bounds::Same(-10.0, 10.0), ..MaxEnt::default() };
    let whole = settings.fit(&world.mdp, &world.features, &demos).unwrap();
    assert!(whole.converged && whole.iterations > 6, "{}", whole.stopped_because);

    let mut objectives = Vec::new();
    let mut hear = |step: &Step<'_>| {
        let progress = step.iteration().unwrap();
        objectives.push(progress.objective);
        if progress.iteration == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let part = settings.fit_watched(&world.mdp, &world.features, &demos, &Watch::new(&mut hear)).unwrap();
    assert_eq!((part.stop, part.converged, part.iterations), (Stopped::Interrupted, false, 4));
    assert!(objectives.windows(2).all(|pair| pair[0] <= pair[1]), "{objectives:?}");
    assert!((part.log_likelihood - objectives[3]).abs() < 1e-12);

    let rest = MaxEnt { start: Some(part.theta), ..settings }.fit(&world.mdp, &world.features, &demos).unwrap();
    assert!(furthest(&whole.theta, &rest.theta) < 1e-6, "{:?} {:?}", whole.theta, rest.theta);
}

/// A known reward is found again within sampling error, and what is not identified is named. Twice the gain in
/// likelihood over the truth is χ² with 11 degrees; 40 is its 1 - 4e-5 quantile.
#[test]
fn a_known_reward_is_found_again() {
    let world = worlds::road_like(20_000, 40_660, 1).unwrap();
    let demos = drawn(PathDistribution::new(&world.mdp, reward_of(&world), 100, Stop::Anywhere).unwrap(), 1000, 5);
    let options = Options { horizon: Some(100.into()), ..Options::default() };
    let fit = MaxEnt { options: options.clone(), ..MaxEnt::default() }.fit(&world.mdp, &world.features, &demos).unwrap();
    assert!(fit.converged, "{}", fit.stopped_because);
    assert_eq!(fit.null_directions.len(), 3);
    let mut likelihood = Likelihood::new(&world.mdp, &world.features, &demos, &options).unwrap();
    let truth = likelihood.evaluate(&world.theta).unwrap().log_likelihood;
    let statistic = 2.0 * 1000.0 * (fit.log_likelihood - truth);
    assert!((0.0..40.0).contains(&statistic), "{statistic}");
}
