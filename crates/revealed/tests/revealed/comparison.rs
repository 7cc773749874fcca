//! The comparison of models against fits and policies that are computed by hand.

use std::ops::ControlFlow;

use revealed::worlds::World;
use revealed::{
    Chance, Compared, ComparedFit, Comparison, Demonstrations, Ends, Error, Fit, Given, Horizon, MaxEnt, ModelKind, PathModel,
    Preference, Reward, Step, Trajectory, Watch, Work, sample,
};

use crate::helpers::{close, fork, lake, left, left_indicator, right};

/// A lake whose holes are expensive and whose goal pays.
fn reward(lake: &World) -> Reward {
    let theta: Vec<f64> = lake.theta.iter().enumerate().map(|(k, goal)| 4.0 * goal - 0.1 - 0.2 * (k % 3) as f64).collect();
    lake.features.reward(&lake.mdp, &theta).unwrap()
}

/// Episodes of at most 12 states of unequal weights. Some reach the goal or a hole.
fn episodes(lake: &World, chance: Chance, n: usize) -> Vec<Trajectory> {
    let model = match chance {
        Chance::Fixed => PathModel::causal(&lake.mdp, reward(lake), 12, Ends::Horizon),
        Chance::Tilted => PathModel::new(&lake.mdp, reward(lake), 12, Ends::Horizon),
    };
    let mut drawn = sample(&model.unwrap(), &Given::default(), n, 3, &Work::default()).unwrap();
    drawn.iter_mut().enumerate().for_each(|(index, path)| path.weight = (index % 4) as f64);
    drawn
}

fn settings() -> MaxEnt {
    MaxEnt { l2: 0.01, ..MaxEnt::default() }
}

fn fitted(found: &Compared, kind: ModelKind) -> &ComparedFit {
    let model = found.models.iter().find(|model| model.kind == kind).unwrap();
    model.fitted.as_ref().unwrap_or_else(|reason| panic!("{kind:?}: {reason}"))
}

/// Σ_t log π_t(a_t|s_t), from the policies of the distribution.
fn of_choices(lake: &World, fit: &Fit, path: &Trajectory) -> f64 {
    let model = fit.path_model(&lake.mdp, &lake.features).unwrap();
    let mut paths = model.distribution(&Given::default(), &Work::default()).unwrap();
    let step = |(t, (&state, &action)): (usize, (&usize, &usize))| {
        let policy = paths.policy(t + 1).unwrap();
        let choice = lake.mdp.choices(state).find(|&choice| lake.mdp.action_of(choice) == action).unwrap();
        policy.choice[choice].ln()
    };
    path.states.iter().zip(&path.actions).enumerate().map(step).sum()
}

fn check_by_hand(lake: &World, paths: &[Trajectory], found: &Compared, kind: ModelKind) {
    let fitted = fitted(found, kind);
    let total: f64 = paths.iter().map(|path| path.weight).sum();
    let mut held_out = 0.0;
    for fold in 0..3 {
        let seen = (0..paths.len()).filter(|&index| found.fold_of[index].is_some_and(|other| other != fold));
        let seen: Vec<Trajectory> = seen.map(|index| paths[index].clone()).collect();
        let seen = Demonstrations::new(&lake.mdp, &seen).unwrap();
        let fit = fitted.settings.fit(&lake.mdp, &lake.features, &seen).unwrap();
        for index in (0..paths.len()).filter(|&index| found.fold_of[index] == Some(fold)) {
            let expected = of_choices(lake, &fit, &paths[index]);
            close(fitted.each[index].unwrap(), expected, 1e-9, format_args!("{kind:?}, demonstration {index}"));
            held_out += paths[index].weight / total * expected;
        }
    }
    close(fitted.held_out, held_out, 1e-9, "held out");
    let in_sample: f64 = paths.iter().map(|path| path.weight / total * of_choices(lake, &fitted.fit, path)).sum();
    close(fitted.in_sample, in_sample, 1e-9, "in sample");
    close(fitted.aic, 2.0 * fitted.parameters as f64 - 2.0 * total * in_sample, 1e-9, "AIC");
    close(fitted.bic, fitted.parameters as f64 * total.ln() - 2.0 * total * in_sample, 1e-9, "BIC");
}

/// The gain over θ = 0 of Σ_t log p(s_{t+1}|s_t, a_t, t): log p(τ) without the first state and the choices.
fn outcomes(lake: &World, fitted: &ComparedFit, demos: &Demonstrations) -> f64 {
    let nothing = Fit { theta: vec![0.0; 16], ..fitted.fit.clone() };
    let [learned, before] = [&fitted.fit, &nothing].map(|fit| {
        let model = fit.path_model(&lake.mdp, &lake.features).unwrap();
        let scores = revealed::scores(&model, demos, &Work::default()).unwrap();
        let of = |(index, score): (usize, &Result<revealed::Score, _>)| {
            let score = score.as_ref().unwrap();
            let outcomes: f64 = score.steps.iter().map(|step| step.outcome.log_probability).sum();
            demos.weight(index) / demos.total_weight() * outcomes
        };
        scores.iter().enumerate().map(of).sum::<f64>()
    });
    learned - before
}

#[test]
fn every_number_is_that_of_fits_by_hand() {
    for (discount, kinds) in [(1.0, &ModelKind::ALL[..]), (0.9, &[ModelKind::PathsWithin, ModelKind::CausalWithin])] {
        let lake = lake().with_discount(discount).unwrap();
        let paths = episodes(&lake, Chance::Fixed, 40);
        let finished: Vec<Trajectory> =
            paths.into_iter().filter(|path| lake.mdp.is_terminal(path.states[path.states.len() - 1])).collect();
        let demos = Demonstrations::new(&lake.mdp, &finished).unwrap();
        let plan = Comparison { settings: settings(), folds: 3, seed: 5, ..Comparison::default() };
        let found = plan.run(&lake.mdp, &lake.features, &demos).unwrap();
        assert_eq!((found.ends, found.has_chance), (Ends::Horizon, true));
        kinds.iter().for_each(|&kind| check_by_hand(&lake, &finished, &found, kind));
    }
}

#[test]
fn vuong_compares_demonstrations_with_themselves() {
    let lake = lake();
    let paths = episodes(&lake, Chance::Fixed, 60);
    let demos = Demonstrations::new(&lake.mdp, &paths).unwrap();
    let plan = Comparison { settings: settings(), ..Comparison::default() };
    let found = plan.run(&lake.mdp, &lake.features, &demos).unwrap();
    let best = found.models[found.best.unwrap()].fitted.as_ref().unwrap();
    assert_eq!(best.vuong, None);
    // By repeating each demonstration as often as its weight says.
    for other in found.models.iter().filter_map(|model| model.fitted.as_ref().ok()).filter(|other| *other != best) {
        let repeated: Vec<f64> = (0..paths.len())
            .flat_map(|index| vec![index; paths[index].weight as usize])
            .map(|index| best.each[index].unwrap() - other.each[index].unwrap())
            .collect();
        let n = repeated.len() as f64;
        let mean = repeated.iter().sum::<f64>() / n;
        let deviation = (repeated.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt();
        let vuong = other.vuong.unwrap();
        close(vuong.statistic, n.sqrt() * mean / deviation, 1e-9, "the statistic");
        assert!(vuong.difference > 0.0 && (0.0..=1.0).contains(&vuong.p_value));
    }
}

/// Only models of paths explain luck, and the truth explains the choices best.
#[test]
fn the_truth_is_chosen() {
    let lake = lake();
    for (truth, kind) in [(Chance::Fixed, ModelKind::CausalWithin), (Chance::Tilted, ModelKind::PathsWithin)] {
        let demos = Demonstrations::new(&lake.mdp, &episodes(&lake, truth, 1200)).unwrap();
        let options = revealed::Options { horizon: Some(Horizon::AtMost(12)), ..Default::default() };
        let plan = Comparison { settings: MaxEnt { options, ..settings() }, ..Comparison::default() };
        let found = plan.run(&lake.mdp, &lake.features, &demos).unwrap();
        assert_eq!(found.models[found.chosen.unwrap()].kind, kind, "{:?}", found.preference);
        let (paths, causal) = (fitted(&found, ModelKind::PathsWithin), fitted(&found, ModelKind::CausalWithin));
        assert_eq!((causal.luck, causal.luck_share), (Some(0.0), Some(0.0)));
        let luck = paths.luck.unwrap();
        assert!(if truth == Chance::Tilted { luck > 0.01 } else { luck != 0.0 }, "{luck}");
        close(luck, outcomes(&lake, paths, &demos), 1e-9, "luck");
    }
}

#[test]
fn the_causal_model_is_taken_if_the_test_cannot_tell() {
    let lake = lake();
    let paths: Vec<Trajectory> =
        episodes(&lake, Chance::Tilted, 24).into_iter().map(|path| Trajectory { weight: 1.0, ..path }).collect();
    let demos = Demonstrations::new(&lake.mdp, &paths).unwrap();
    let found = Comparison { settings: settings(), ..Comparison::default() }.run(&lake.mdp, &lake.features, &demos).unwrap();
    let (best, chosen) = (&found.models[found.best.unwrap()], &found.models[found.chosen.unwrap()]);
    assert_eq!(chosen.kind.chance(), Chance::Fixed);
    match best.kind.chance() {
        Chance::Fixed => assert_ne!(found.preference, Preference::Causal),
        Chance::Tilted => {
            assert_eq!(found.preference, Preference::Causal);
            assert!(chosen.fitted.as_ref().unwrap().vuong.unwrap().p_value > 0.05);
        }
    }
}

#[test]
fn models_that_make_no_sense_say_why() {
    let reason = |found: &Compared, kind: ModelKind| {
        let model = found.models.iter().find(|model| model.kind == kind).unwrap();
        model.fitted.as_ref().map(|_| "fitted").unwrap_or_else(|reason| reason).to_string()
    };
    // Without chance, both models are one.
    let mdp = fork();
    let demos = Demonstrations::new(&mdp, &[left(3.0), right(1.0), right(2.0)]).unwrap();
    let plan = Comparison { folds: 3, ..Comparison::default() };
    let found = plan.run(&mdp, &left_indicator(), &demos).unwrap();
    assert!(!found.has_chance);
    for kind in [ModelKind::CausalWithin, ModelKind::CausalAny] {
        assert!(reason(&found, kind).contains("nothing is left to chance"), "{}", reason(&found, kind));
    }
    let [within, any] = [ModelKind::PathsWithin, ModelKind::PathsAny].map(|kind| fitted(&found, kind));
    close(within.fit.theta[0], 0.0, 1e-6, "as many went left as right");
    close(any.fit.theta[0], 0.0, 1e-6, "as many went left as right");
    // A discount and paths of any length, and episodes that cannot end.
    let lake = lake();
    let endless = Demonstrations::new(&lake.mdp, &[Trajectory::new(vec![0, 0], vec![0]), Trajectory::new(vec![0], vec![])]);
    let discounted = lake.mdp.clone().with_discount(0.9).unwrap();
    let plan = Comparison { settings: settings(), folds: 2, ..Comparison::default() };
    let found = plan.run(&discounted, &lake.features, &endless.unwrap()).unwrap();
    assert_eq!(found.ends, Ends::Anywhere);
    assert!(reason(&found, ModelKind::PathsAny).contains("discount"), "{}", reason(&found, ModelKind::PathsAny));
    // Only models without a horizon.
    let paths = episodes(&lake, Chance::Fixed, 20);
    let options = revealed::Options { horizon: Some(Horizon::Any), ..Default::default() };
    let plan = Comparison { settings: MaxEnt { options, ..settings() }, ends: Some(Ends::Horizon), ..Comparison::default() };
    let found = plan.run(&lake.mdp, &lake.features, &Demonstrations::new(&lake.mdp, &paths).unwrap()).unwrap();
    assert!(reason(&found, ModelKind::PathsWithin).contains("any"));
    assert_eq!(reason(&found, ModelKind::CausalAny), "fitted");
}

#[test]
fn threads_change_nothing_and_work_can_be_stopped() {
    let lake = lake();
    let demos = Demonstrations::new(&lake.mdp, &episodes(&lake, Chance::Fixed, 30)).unwrap();
    let with = |threads: usize| {
        let options = revealed::Options { work: Work { threads: Some(threads), ..Work::default() }, ..Default::default() };
        let plan = Comparison { settings: MaxEnt { options, ..settings() }, folds: 2, ..Comparison::default() };
        plan.run(&lake.mdp, &lake.features, &demos).unwrap()
    };
    let numbers = |found: &Compared| -> Vec<Option<(Vec<f64>, f64, f64)>> {
        let of = |model: &revealed::ComparedModel| {
            model.fitted.as_ref().ok().map(|fitted| (fitted.fit.theta.clone(), fitted.in_sample, fitted.held_out))
        };
        found.models.iter().map(of).collect()
    };
    assert_eq!(numbers(&with(1)), numbers(&with(2)));

    let plan = Comparison { settings: settings(), folds: 2, ..Comparison::default() };
    let mut most = 0;
    let mut hear = |step: &Step<'_>| {
        let (done, all) = step.parts().unwrap();
        assert!(done <= all && done >= most);
        most = done;
        if done >= 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = plan.run_watched(&lake.mdp, &lake.features, &demos, &Watch::new(&mut hear));
    assert_eq!(stopped, Err(Error::Stopped));
    assert!(matches!(
        Comparison { folds: 1, ..plan }.run(&lake.mdp, &lake.features, &demos),
        Err(Error::Folds { folds: 1, .. })
    ));
}
