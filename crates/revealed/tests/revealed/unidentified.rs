//! Parameters that are not identified: they are named, and have no standard error.

use revealed::{
    Bounds, Demonstrations, Ends, Features, FeaturesBuilder, MaxEnt, MdpBuilder, Options, PathDistribution, Standing, Stop,
    Trajectory, Uncertainty, worlds,
};

use crate::helpers::{drawn, finished, fork, left, left_indicator, relatively_close, reward_of, slippery};

fn words(sure: &Uncertainty) -> Vec<String> {
    sure.unidentified.iter().map(ToString::to_string).collect()
}

/// Kinds of road that sum to the length: one direction changes no reward, and parameters outside it keep their
/// errors.
#[test]
fn groups_that_sum_to_the_same_are_named() {
    let mdp = slippery(0.9);
    let names = ["highway", "residential", "length", "toll"].map(str::to_string).to_vec();
    let mut builder = FeaturesBuilder::new(4);
    builder.names(names);
    for (state, length) in [100.0, 250.0, 130.0, 80.0, 60.0].into_iter().enumerate() {
        builder.state(state, state % 2, length).state(state, 2, length);
    }
    let features = builder.state(3, 3, 1.0).build(&mdp).unwrap();
    let reward = features.reward(&mdp, &[-0.002, -0.001, -0.001, 0.3]).unwrap();
    let demos = drawn(PathDistribution::new(&mdp, reward, 10, Stop::Anywhere).unwrap(), 300, 1);
    let settings = MaxEnt { options: Options { horizon: Some(10.into()), ..Options::default() }, ..MaxEnt::default() };
    let fit = settings.fit(&mdp, &features, &demos).unwrap();
    let sure = settings.uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
    assert_eq!(words(&sure), ["highway + residential - length (changes no reward)"]);
    let unknown = Standing::Unidentified;
    assert_eq!(sure.standing, [unknown, unknown, unknown, Standing::Estimated]);
    assert_eq!(sure.standard_errors.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, false, true]);
    assert_eq!((sure.statistics.estimated, sure.statistics.degrees_of_freedom), (3, 3));

    // Without the redundant one everything is identified, and the toll has the same error.
    let mut builder = FeaturesBuilder::new(3);
    for (state, length) in [100.0, 250.0, 130.0, 80.0, 60.0].into_iter().enumerate() {
        builder.state(state, state % 2, length);
    }
    let features = builder.state(3, 2, 1.0).build(&mdp).unwrap();
    let fit = settings.fit(&mdp, &features, &demos).unwrap();
    let fewer = settings.uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
    assert_eq!((fewer.unidentified.len(), fewer.weak.len()), (0, 0));
    relatively_close(sure.standard_errors[3].unwrap(), fewer.standard_errors[2].unwrap(), 1e-6);
    relatively_close(sure.statistics.aic, fewer.statistics.aic, 1e-9);
}

/// So few roads that highways and tolls are the same: four directions instead of three.
#[test]
fn the_paper_s_road_features_have_several_such_directions() {
    let world = worlds::road_like(3_000, 6_100, 1).unwrap();
    let demos = drawn(PathDistribution::new(&world.mdp, reward_of(&world), 60, Stop::Anywhere).unwrap(), 500, 5);
    let settings = MaxEnt { options: Options { horizon: Some(60.into()), ..Options::default() }, ..MaxEnt::default() };
    let fit = settings.fit(&world.mdp, &world.features, &demos).unwrap();
    let sure = settings.uncertainty(&world.mdp, &world.features, &demos, &fit.theta).unwrap();
    assert_eq!((sure.unidentified.len(), fit.null_directions.len()), (4, 4), "{:?}", words(&sure));
    assert!(sure.unidentified.iter().all(|one| !one.changes_rewards));
    assert_eq!(sure.standing, vec![Standing::Unidentified; 14]);
    assert_eq!(sure.statistics.estimated, 10);
}

/// All paths are equally long: a constant for each step changes every path alike. With a discount, too, as no path ends
/// early.
#[test]
fn a_constant_for_each_step_is_seen_only_where_lengths_differ() {
    for discount in [1.0, 0.9] {
        let mut builder = MdpBuilder::new(3, 2);
        builder.discount(discount).start(0, 1.0);
        for state in 0..3 {
            builder.transition(state, 0, (state + 1) % 3, 1.0).transition(state, 1, (state + 2) % 3, 0.5);
            builder.transition(state, 1, state, 0.5);
        }
        let mdp = builder.build().unwrap();
        let names = ["a step", "in the middle"].map(str::to_string).to_vec();
        let mut builder = FeaturesBuilder::new(2);
        (0..3).for_each(|state| {
            builder.state(state, 0, 1.0);
        });
        let features = builder.state(1, 1, 1.0).names(names).build(&mdp).unwrap();
        let reward = features.reward(&mdp, &[-0.5, 0.4]).unwrap();
        let with = |ends: Ends, stop: Stop| {
            let demos = drawn(PathDistribution::new(&mdp, reward.clone(), 8, stop).unwrap(), 200, 1);
            let options = Options { ends, horizon: Some(8.into()), ..Options::default() };
            let settings = MaxEnt { options, ..MaxEnt::default() };
            let fit = settings.fit(&mdp, &features, &demos).unwrap();
            settings.uncertainty(&mdp, &features, &demos, &fit.theta).unwrap()
        };
        let equal = with(Ends::Horizon, Stop::Horizon);
        assert_eq!(words(&equal), ["a step (changes rewards, but not the probability of any path)"]);
        assert_eq!(equal.standing, [Standing::Unidentified, Standing::Estimated]);
        let differ = with(Ends::Anywhere, Stop::Anywhere);
        assert_eq!(differ.standing, [Standing::Estimated; 2]);
        // One-hot: the sum of all indicators is that constant.
        let one_hot = Features::one_hot(&mdp);
        let demos = drawn(PathDistribution::new(&mdp, reward.clone(), 8, Stop::Horizon).unwrap(), 200, 1);
        let settings = MaxEnt { options: Options { ends: Ends::Horizon, ..Options::default() }, ..MaxEnt::default() };
        let fit = settings.fit(&mdp, &one_hot, &demos).unwrap();
        let sure = settings.uncertainty(&mdp, &one_hot, &demos, &fit.theta).unwrap();
        let expected = "feature 0 + feature 1 + feature 2 (changes rewards, but not the probability of any path)";
        assert_eq!(words(&sure), [expected]);
    }
}

/// The weight of a state that is never visited goes to -∞; that of an unreachable one is not identified; one at a bound
/// is held.
#[test]
fn features_that_are_never_seen_have_no_error() {
    // 0 to 1, 2 or 3; 4 cannot be reached. No demonstration goes to 3.
    let mut builder = MdpBuilder::new(5, 3);
    builder.start(0, 1.0);
    (1..5).for_each(|state| {
        builder.terminal(state);
    });
    (0..3).for_each(|action| {
        builder.transition(0, action, action + 1, 1.0);
    });
    let mdp = builder.build().unwrap();
    let mut builder = FeaturesBuilder::new(4);
    (0..4).for_each(|k| {
        builder.state(k + 1, k, 1.0);
    });
    let names = ["home", "work", "sea", "moon"].map(str::to_string).to_vec();
    let features = builder.names(names).build(&mdp).unwrap();
    let path = |action: usize, weight| Trajectory { weight, ..Trajectory::new(vec![0, action + 1], vec![action]) };
    let demos = Demonstrations::new(&mdp, &[path(0, 30.0), path(1, 10.0)]).unwrap();

    let pinned = Bounds::Each([(0.0, 0.0), FREE, FREE, FREE].to_vec());
    let settings = MaxEnt { bounds: pinned, ..finished() };
    let fit = settings.fit(&mdp, &features, &demos).unwrap();
    assert!(!fit.converged);
    let sure = settings.uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
    assert_eq!(
        sure.standing,
        [Standing::AtBound, Standing::Estimated, Standing::NoOptimum, Standing::Unidentified],
        "{sure:?}"
    );
    assert_eq!(words(&sure), ["moon (changes rewards, but not the probability of any path)"]);
    relatively_close(sure.standard_errors[1].unwrap(), (1.0f64 / 30.0 + 1.0 / 10.0).sqrt(), 1e-5);
    assert_eq!((sure.statistics.estimated, sure.statistics.degrees_of_freedom), (1, 2));

    // A bound for the sea: the errors of the others are conditional on it. Two of three probabilities add up to nearly
    // 1.
    let bounds = Bounds::Each([(0.0, 0.0), FREE, (-12.0, f64::INFINITY), FREE].to_vec());
    let settings = MaxEnt { bounds, ..finished() };
    let fit = settings.fit(&mdp, &features, &demos).unwrap();
    assert!(fit.converged, "{}", fit.stopped_because);
    let sure = settings.uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
    assert_eq!(sure.standing, [Standing::AtBound, Standing::Estimated, Standing::AtBound, Standing::Unidentified]);
    let sea = (-12f64).exp() / (1.0 + fit.theta[1].exp() + (-12f64).exp());
    let work = fit.theta[1].exp() / (1.0 + fit.theta[1].exp() + (-12f64).exp());
    assert!(sea > 0.0);
    relatively_close(sure.standard_errors[1].unwrap(), (1.0 / (40.0 * work * (1.0 - work))).sqrt(), 1e-8);
    assert_eq!(sure.statistics.degrees_of_freedom, 2);
}

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// All demonstrations go left: the weight has no finite optimum, whatever the feature. A combination that runs away is
/// found as well.
#[test]
fn features_that_are_always_seen_have_no_error() {
    let mdp = fork();
    let always = [left(12.0), left(8.0)];
    let demos = Demonstrations::new(&mdp, &always).unwrap();
    let with = |features: &Features, settings: MaxEnt| {
        let fit = settings.fit(&mdp, features, &demos).unwrap();
        settings.uncertainty(&mdp, features, &demos, &fit.theta).unwrap()
    };
    let one = left_indicator();
    assert_eq!(with(&one, finished()).standing, [Standing::NoOptimum]);
    let two = FeaturesBuilder::new(2).state(1, 0, 1.0).state(1, 1, 1.0).state(2, 0, 1.0).build(&mdp).unwrap();
    assert_eq!(with(&two, finished()).standing, [Standing::Unidentified, Standing::NoOptimum]);
    // A penalty gives it an optimum, and an error: (I + l2)⁻¹ I (I + l2)⁻¹ / N.
    let shrunk = with(&one, MaxEnt { l2: 0.1, ..finished() });
    assert_eq!(shrunk.standing, [Standing::Estimated]);
    let p = 1.0 / (1.0 + (-shrunk.theta[0]).exp());
    let variance = p * (1.0 - p);
    relatively_close(shrunk.standard_errors[0].unwrap(), (variance / 20.0).sqrt() / (variance + 0.1), 1e-8);
    // The demonstrations do not vary at all.
    relatively_close(1.0 + shrunk.robust_errors.unwrap()[0].unwrap(), 1.0, 1e-12);
    // Of one alone, the variance is unknown.
    let demos = Demonstrations::new(&mdp, &[left(20.0)]).unwrap();
    let settings = MaxEnt { l2: 0.1, ..finished() };
    assert_eq!(settings.uncertainty(&mdp, &one, &demos, &shrunk.theta).unwrap().robust_errors, None);
}

/// Two features that differ in one place of little weight: seen, but hardly.
#[test]
fn nearly_the_same_features_are_warned_of() {
    let mdp = slippery(1.0);
    let mut builder = FeaturesBuilder::new(2);
    (0..5).for_each(|state| {
        let value = 1.0 + state as f64;
        builder.state(state, 0, value).state(state, 1, value + if state == 2 { 1e-3 } else { 0.0 });
    });
    let features = builder.names(vec!["old".to_string(), "new".to_string()]).build(&mdp).unwrap();
    let reward = features.reward(&mdp, &[-0.2, 0.0]).unwrap();
    let demos = drawn(PathDistribution::new(&mdp, reward, 8, Stop::Anywhere).unwrap(), 200, 1);
    let settings = MaxEnt::default();
    let fit = settings.fit(&mdp, &features, &demos).unwrap();
    let sure = settings.uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
    assert_eq!((words(&sure).len(), sure.weak.len()), (0, 1), "{sure:?}");
    assert!(sure.weak[0].direction.to_string().starts_with("old - "), "{}", sure.weak[0].direction);
    assert!(sure.condition > 1e6 && (sure.weak[0].share * sure.condition - 1.0).abs() < 1e-6, "{sure:?}");
    assert_eq!(sure.standing, [Standing::Estimated; 2]);
    assert!(sure.correlation(0, 1).unwrap() < -0.9999);
    assert_eq!(sure.correlated(0.9).len(), 1);
}
