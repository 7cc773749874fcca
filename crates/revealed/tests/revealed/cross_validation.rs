//! Cross-validation against fits that are done by hand.

use std::ops::ControlFlow;

use revealed::worlds::World;
use revealed::{
    Bounds, CausalLikelihood, CausalObjective, CrossValidation, Demonstrations, Ends, Error, Likelihood, MaxEnt, Method,
    Options, PathDistribution, Penalty, Step, Stop, Trajectory, Validation, Watch, Work,
};

use crate::helpers::{close, drawn, finished, fork, lake, left, left_indicator, refusal, right};

fn discounted_lake() -> World {
    lake().with_discount(0.95).unwrap()
}

/// Paths of unequal weights.
fn drawn_on(lake: &World, n: usize) -> Vec<Trajectory> {
    let theta: Vec<f64> = (0..16).map(|state| -0.3 + 0.2 * (state % 3) as f64).collect();
    let reward = lake.features.reward(&lake.mdp, &theta).unwrap();
    let mut paths = PathDistribution::new(&lake.mdp, reward, 15, Stop::Terminal).unwrap();
    let mut drawn = paths.sample(n, 3).unwrap();
    drawn.iter_mut().enumerate().for_each(|(index, path)| path.weight = 1.0 + (index % 4) as f64);
    drawn
}

fn chosen(paths: &[Trajectory], keep: impl Fn(usize) -> bool) -> Vec<Trajectory> {
    (0..paths.len()).filter(|&index| keep(index)).map(|index| paths[index].clone()).collect()
}

/// Each fold by hand: the same θ, bit by bit, and the mean log-likelihood of the demonstrations that were held out.
fn check_by_hand(lake: &World, paths: &[Trajectory], plan: &CrossValidation, found: &Validation) {
    let (mdp, features) = (&lake.mdp, &lake.features);
    let options = Options { horizon: Some(found.horizon), ..plan.settings.options.clone() };
    let total: f64 = paths.iter().map(|path| path.weight).sum();
    for (penalty, &l2) in found.penalties.iter().zip(&plan.l2) {
        assert_eq!((penalty.l2, penalty.folds.len()), (l2, plan.folds));
        let (mut held_out, mut in_sample) = (0.0, 0.0);
        for (place, fold) in penalty.folds.iter().enumerate() {
            let is_held_out = |index: usize| found.fold_of[index] == Some(place);
            let is_seen = |index: usize| found.fold_of[index].is_some_and(|fold| fold != place);
            let (train, test) = (chosen(paths, is_seen), chosen(paths, is_held_out));
            assert_eq!(fold.members, (0..paths.len()).filter(|&index| is_held_out(index)).collect::<Vec<_>>());
            let train = Demonstrations::new(mdp, &train).unwrap();
            let settings = MaxEnt { l2, options: options.clone(), ..plan.settings.clone() };
            let fit = settings.fit(mdp, features, &train).unwrap();
            assert_eq!(fit, fold.fit);
            let test = Demonstrations::new(mdp, &test).unwrap();
            let log_likelihood = match plan.settings.method {
                Method::Causal => {
                    let mut causal =
                        CausalLikelihood::new(mdp, features, &test, &options, CausalObjective::Likelihood).unwrap();
                    causal.evaluate(&fit.theta).unwrap().log_likelihood
                }
                _ => {
                    let mut exact = Likelihood::new(mdp, features, &test, &options).unwrap();
                    exact.evaluate(&fit.theta).unwrap().log_likelihood
                }
            };
            close(fold.held_out, log_likelihood, 1e-10, "a fold");
            held_out += test.total_weight() / total * log_likelihood;
            in_sample += train.total_weight() / total * fit.log_likelihood / (plan.folds - 1) as f64;
        }
        close(penalty.held_out, held_out, 1e-10, "held out");
        close(penalty.in_sample, in_sample, 1e-10, "in sample");
        let error = |values: Vec<f64>| {
            let squares: f64 = paths.iter().zip(&values).map(|(path, value)| (path.weight * value).powi(2)).sum();
            let n = penalty.each.iter().flatten().count() as f64;
            (squares * n / (n - 1.0)).sqrt() / total
        };
        let best = &found.penalties[found.best];
        let from_mean = |value: &Option<f64>| value.map_or(0.0, |value| value - held_out);
        close(penalty.standard_error, error(penalty.each.iter().map(from_mean).collect()), 1e-10, "standard error");
        close(penalty.shortfall, best.held_out - held_out, 1e-10, "shortfall");
        let less = penalty.each.iter().zip(&best.each);
        let less = less.map(|(own, best)| best.zip(*own).map_or(0.0, |(best, own)| best - own - penalty.shortfall));
        close(penalty.shortfall_error, error(less.collect()), 1e-10, "standard error of the shortfall");
    }
}

#[test]
fn every_fold_is_the_fit_that_one_does_by_hand() {
    let lake = discounted_lake();
    let mut paths = drawn_on(&lake, 13);
    paths[5].weight = 0.0;
    let demos = Demonstrations::new(&lake.mdp, &paths).unwrap();
    for (ends, method) in [
        (Ends::Anywhere, Method::Exact),
        (Ends::Terminal, Method::Exact),
        (Ends::Goal, Method::Exact),
        (Ends::Horizon, Method::Causal),
        (Ends::Anywhere, Method::Ziebart2008),
    ] {
        let options = Options { ends, ..Options::default() };
        let settings = MaxEnt { method, options, max_iterations: 60, ..MaxEnt::default() };
        let plan = CrossValidation { settings, l2: vec![0.5, 0.05], folds: 3, seed: 8, ..CrossValidation::default() };
        let found = plan.run(&lake.mdp, &lake.features, &demos).unwrap();
        assert_eq!((found.horizon, found.ends), (demos.longest().into(), ends));
        check_by_hand(&lake, &paths, &plan, &found);
        assert_eq!(found.fold_of[5], None);
        let sizes: Vec<usize> = found.penalties[0].folds.iter().map(|fold| fold.members.len()).collect();
        assert_eq!(sizes, [4, 4, 4]);
    }
}

#[test]
fn leave_one_out_is_as_many_folds_as_demonstrations() {
    let lake = discounted_lake();
    let paths = drawn_on(&lake, 6);
    let demos = Demonstrations::new(&lake.mdp, &paths).unwrap();
    let plan = CrossValidation { l2: vec![0.1], folds: 6, ..CrossValidation::default() };
    let found = plan.run(&lake.mdp, &lake.features, &demos).unwrap();
    check_by_hand(&lake, &paths, &plan, &found);
    assert!(found.penalties[0].folds.iter().all(|fold| fold.members.len() == 1));
}

#[test]
fn any_number_of_threads_gives_the_same_bits_and_seeds_differ() {
    let lake = discounted_lake();
    let demos = Demonstrations::new(&lake.mdp, &drawn_on(&lake, 14)).unwrap();
    for ends in [Ends::Anywhere, Ends::Goal] {
        let run = |threads, memory, seed| {
            let options = Options { ends, work: Work { threads, memory }, ..Options::default() };
            let settings = MaxEnt { options, ..MaxEnt::default() };
            let plan = CrossValidation { settings, l2: vec![0.01, 0.1, 1.0], seed, ..CrossValidation::default() };
            plan.run(&lake.mdp, &lake.features, &demos).unwrap()
        };
        let one = run(Some(1), 1 << 30, 4);
        for threads in [None, Some(2), Some(3)] {
            assert_eq!(run(threads, 1 << 30, 4), one, "{threads:?}");
        }
        // Too little for several fits at once.
        assert_eq!(run(Some(8), 30_000, 4), one);
        assert_ne!(run(None, 1 << 30, 5).fold_of, one.fold_of);
    }
}

/// A few demonstrations and a weight for each state: without a penalty much of what is learned is noise, with too large
/// a one nothing is learned.
#[test]
fn a_penalty_wins_where_there_is_little_to_learn_from() {
    let lake = discounted_lake();
    let theta: Vec<f64> = (0..16).map(|state| if state % 3 == 0 { 1.0 } else { -1.5 }).collect();
    let reward = lake.features.reward(&lake.mdp, &theta).unwrap();
    let demos = drawn(PathDistribution::new(&lake.mdp, reward, 15, Stop::Anywhere).unwrap(), 16, 3);
    let settings = MaxEnt { bounds: Bounds::Same(-10.0, 10.0), ..MaxEnt::default() };
    let l2 = vec![0.0, 0.01, 0.1, 1.0, 1000.0];
    let plan = CrossValidation { settings, l2, folds: 4, ..CrossValidation::default() };
    let found = plan.run(&lake.mdp, &lake.features, &demos).unwrap();
    let table: Vec<_> = found.penalties.iter().map(|row| (row.l2, row.held_out, row.standard_error, row.in_sample)).collect();
    assert!(found.best > 0 && found.best < 4, "{table:?}");
    for pair in found.penalties.windows(2) {
        assert!(pair[0].in_sample > pair[1].in_sample, "a penalty costs likelihood in sample: {table:?}");
    }
    let best = &found.penalties[found.best];
    assert!(found.penalties.iter().all(|penalty| penalty.held_out <= best.held_out));
    let within = |place: &usize| found.penalties[*place].shortfall <= found.penalties[*place].shortfall_error;
    assert_eq!(Some(found.simplest), (0..5).rev().find(within), "the penalties are in their order");
    assert!(found.simplest >= found.best && found.simplest < 4, "{table:?}");
    // Differences within demonstrations are less uncertain than two means, because paths differ in length.
    let near = found.penalties[1..4].iter().filter(|penalty| penalty.l2 != best.l2);
    for Penalty { l2, shortfall_error, standard_error, .. } in near {
        assert!(0.0 < *shortfall_error && shortfall_error < standard_error, "l2 {l2}: {shortfall_error} {standard_error}");
    }
    assert_eq!((best.shortfall, best.shortfall_error), (0.0, 0.0));
}

/// Paths of the fork, to the left and to the right.
fn tosses(lefts: usize, rights: usize) -> Demonstrations {
    let tosses: Vec<Trajectory> = (0..lefts + rights).map(|index| if index < lefts { left(1.0) } else { right(1.0) }).collect();
    Demonstrations::new(&fork(), &tosses).unwrap()
}

fn of_fork(l2: Vec<f64>, folds: usize) -> CrossValidation {
    CrossValidation { settings: finished(), l2, folds, ..CrossValidation::default() }
}

/// Only one demonstration goes left. Without it, the weight of the left end has no finite optimum.
#[test]
fn a_fold_without_an_optimum_says_so_and_the_rest_stands() {
    let (mdp, features) = (fork(), left_indicator());
    let demos = tosses(1, 3);
    let found = of_fork(vec![0.0, 0.1], 4).run(&mdp, &features, &demos).unwrap();
    let [without, with] = [0, 1].map(|place| &found.penalties[place]);
    let alone = found.fold_of[0].unwrap();
    for (place, fold) in without.folds.iter().enumerate() {
        assert_eq!(fold.fit.converged, place != alone, "{fold:?}");
    }
    let because = &without.folds[alone].fit.stopped_because;
    assert!(because.contains("-infinity") && because.contains("set bounds or l2"), "{because}");
    assert!(without.folds[alone].held_out < -8.0 && without.held_out.is_finite());
    // Each of the others is predicted from two that go right and one that goes left.
    for (place, fold) in without.folds.iter().enumerate().filter(|row| row.0 != alone) {
        assert!((fold.held_out - (2f64 / 3.0).ln()).abs() < 1e-7, "fold {place}: {}", fold.held_out);
    }
    assert!(with.folds.iter().all(|fold| fold.fit.converged));
    assert_eq!((found.best, found.simplest), (1, 1));
}

#[test]
fn identical_routes_stay_together_if_asked() {
    let lake = discounted_lake();
    let mut paths = drawn_on(&lake, 7);
    for copy in 0..8 {
        paths.push(paths[copy % 3].clone());
    }
    let demos = Demonstrations::new(&lake.mdp, &paths).unwrap();
    let plan = |group_identical, folds| CrossValidation { l2: vec![0.2], group_identical, folds, ..CrossValidation::default() };
    let same =
        |one: usize, other: usize| paths[one].states == paths[other].states && paths[one].actions == paths[other].actions;
    let apart = |found: &Validation| {
        let pairs = (0..paths.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        pairs.filter(|&(one, other)| same(one, other) && found.fold_of[one] != found.fold_of[other]).count()
    };
    let grouped = plan(true, 3).run(&lake.mdp, &lake.features, &demos).unwrap();
    assert_eq!(apart(&grouped), 0);
    let sizes: Vec<usize> = grouped.penalties[0].folds.iter().map(|fold| fold.members.len()).collect();
    assert_eq!((sizes.iter().sum::<usize>(), sizes.iter().max(), sizes.iter().min()), (15, Some(&5), Some(&5)));
    check_by_hand(&lake, &paths, &plan(true, 3), &grouped);
    let mixed = plan(false, 3).run(&lake.mdp, &lake.features, &demos).unwrap();
    assert!(apart(&mixed) > 0);
    assert!(mixed.penalties[0].held_out > grouped.penalties[0].held_out, "a route that was seen flatters");
    let distinct = (0..paths.len()).filter(|&one| (0..one).all(|other| !same(one, other))).count();
    let error = plan(true, distinct + 1).run(&lake.mdp, &lake.features, &demos).unwrap_err();
    assert_eq!(error, Error::Folds { folds: distinct + 1, n: distinct, of: "distinct demonstrations" });
}

#[test]
fn it_stops_when_asked_to() {
    let lake = discounted_lake();
    let demos = Demonstrations::new(&lake.mdp, &drawn_on(&lake, 10)).unwrap();
    let plan = CrossValidation { l2: vec![0.1, 0.2], ..CrossValidation::default() };
    for enough in [0, 3, 10] {
        let mut most = 0;
        let mut hear = |step: &Step<'_>| {
            let (done, fits) = step.parts().unwrap();
            assert_eq!(fits, 10);
            most = most.max(done);
            if done >= enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let answer = plan.run_watched(&lake.mdp, &lake.features, &demos, &Watch::new(&mut hear));
        assert_eq!(answer, Err(Error::Stopped));
        assert_eq!(most, enough);
    }
    let mut finished = Vec::new();
    let mut hear = |step: &Step<'_>| {
        finished.push(step.parts().unwrap().0);
        ControlFlow::Continue(())
    };
    let answer = plan.run_watched(&lake.mdp, &lake.features, &demos, &Watch::new(&mut hear));
    assert_eq!(answer.unwrap(), plan.run(&lake.mdp, &lake.features, &demos).unwrap());
    assert!(finished.is_sorted() && finished.last() == Some(&10) && finished.len() > 20);
}

#[test]
fn bad_input_is_named() {
    let (mdp, features) = (fork(), left_indicator());
    let demos = tosses(2, 2);
    let message = |plan: CrossValidation| refusal(plan.run(&mdp, &features, &demos));
    let rule = "there must be at least 2 folds and no more than there are demonstrations of positive weight";
    for folds in [0, 1, 5] {
        assert_eq!(message(of_fork(vec![], folds)), format!("{folds} folds of 4 demonstrations of positive weight: {rule}"));
    }
    assert_eq!(message(of_fork(vec![0.1, -1.0], 2)), "l2 is -1: it must be a finite number, 0 or more");
    assert_eq!(message(of_fork(vec![f64::NAN], 2)), "l2 is NaN: it must be a finite number, 0 or more");
    let mut short = of_fork(vec![], 2);
    short.settings.options.horizon = Some(1.into());
    assert!(message(short).starts_with("demonstration 0: it has 2 states, more than the horizon 1"));
    // Without a list the penalty of the settings holds.
    let mut plan = of_fork(vec![], 2);
    plan.settings.l2 = 0.25;
    let found = plan.run(&mdp, &features, &demos).unwrap();
    assert_eq!((found.penalties.len(), found.penalties[0].l2), (1, 0.25));
}
