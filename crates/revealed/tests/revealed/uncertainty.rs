//! Standard errors: against enumeration, against numerical Hessians, and by hand.

use std::ops::ControlFlow;

use revealed::oracle::{Path, RandomProblem, paths};
use revealed::{
    Bounds, Demonstrations, Ends, Error, FeaturesBuilder, Information, Likelihood, MaxEnt, MdpBuilder, Method, Options,
    PathDistribution, Step, Stop, Trajectory, Watch,
};

use crate::helpers::{drawn, finished, fork, left, left_indicator, likelihood_of, relatively_close, right, slippery_features};

fn information(problem: &RandomProblem) -> Information {
    Information::new(&mut likelihood_of(problem), &problem.theta, &Watch::none()).unwrap()
}

/// The covariance of φ(τ) over all paths, one by one; for goals the mean of those of the demonstrations' ends.
fn enumerated(problem: &RandomProblem) -> Vec<f64> {
    let n = problem.features.n_features();
    let (reward, demos) = (problem.reward(), &problem.demonstrations);
    let sets = problem.path_sets();
    let mut covariance = vec![0.0; n * n];
    for (index, (start, stop)) in sets.iter().enumerate() {
        let share = if sets.len() == 1 { 1.0 } else { demos.weight(index) / demos.total_weight() };
        let all = paths(&problem.mdp, &reward, start, problem.horizon, *stop);
        let log: Vec<f64> = all.iter().map(|path| path.log_weight.to_f64()).collect();
        let largest = log.iter().fold(f64::NEG_INFINITY, |most, log| most.max(*log));
        let total: f64 = log.iter().map(|log| (log - largest).exp()).sum();
        let features = features_of(problem, &all);
        let p: Vec<f64> = log.iter().map(|log| (log - largest).exp() / total).collect();
        let mean: Vec<f64> = (0..n).map(|k| p.iter().zip(&features).map(|(p, phi)| p * phi[k]).sum()).collect();
        for (p, phi) in p.iter().zip(&features) {
            for i in 0..n {
                (0..n).for_each(|j| covariance[i * n + j] += share * p * (phi[i] - mean[i]) * (phi[j] - mean[j]));
            }
        }
    }
    covariance
}

/// φ(τ) of each path, from the feature blocks alone.
fn features_of(problem: &RandomProblem, all: &[Path]) -> Vec<Vec<f64>> {
    let [of_state, of_choice, of_transition] = problem.features.blocks();
    let phi = |path: &Path| {
        let mut phi = vec![0.0; problem.features.n_features()];
        for (step, &state) in path.states.iter().enumerate() {
            let power = problem.mdp.discount().powi(step as i32);
            of_state.row(state).for_each(|(k, value)| phi[k] += power * value);
            if let Some(&transition) = path.transitions.get(step) {
                let choice = problem.mdp.choice_of()[transition] as usize;
                of_choice.row(choice).chain(of_transition.row(transition)).for_each(|(k, value)| phi[k] += power * value);
            }
        }
        phi
    };
    all.iter().map(phi).collect()
}

/// All four ends, discounts 0, 0.5, 0.9 and 1, and all mixtures of features, two times over.
#[test]
fn information_is_the_enumerated_covariance() {
    let mut worst: f64 = 0.0;
    for seed in 0..224 {
        let problem = RandomProblem::new(seed);
        let (found, expected) = (information(&problem), enumerated(&problem));
        let n = found.n_parameters();
        for i in 0..n {
            for j in 0..n {
                let size = (expected[i * n + i] * expected[j * n + j]).sqrt();
                let difference = (found.at(i, j) - expected[i * n + j]).abs();
                let relative = difference / size.max(1e-10);
                worst = worst.max(relative);
                assert!(relative < 1e-8, "{seed} ({i}, {j}): {} {}", found.at(i, j), expected[i * n + j]);
                assert_eq!(found.at(i, j), found.at(j, i), "{seed}");
            }
        }
        assert!(found.error() < 1e-9, "{seed}: {:e}", found.error());
    }
    println!("largest relative difference {worst:.1e}");
    assert!(worst > 0.0);
}

/// -∇²ℓ by second differences of the log-likelihood's values, which know nothing of the gradient.
fn hessian_of_values(likelihood: &mut Likelihood<'_>, theta: &[f64]) -> Vec<f64> {
    let n = theta.len();
    let mut value = |moved: [(usize, f64); 2]| {
        let mut theta = theta.to_vec();
        moved.iter().for_each(|&(k, by)| theta[k] += by);
        likelihood.evaluate(&theta).unwrap().log_likelihood
    };
    // Four points err by step², eight by step⁴.
    let mut mixed = |i: usize, j: usize, step: f64| {
        let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
        let at = corners.map(|(a, b)| a * b * value([(i, a * step), (j, b * step)]));
        -at.iter().sum::<f64>() / (4.0 * step * step)
    };
    (0..n * n).map(|place| (4.0 * mixed(place / n, place % n, 0.01) - mixed(place / n, place % n, 0.02)) / 3.0).collect()
}

#[test]
fn information_is_the_hessian_of_the_values() {
    let mut compared = 0;
    for seed in 0..112 {
        let problem = RandomProblem::new(seed);
        let found = information(&problem);
        let n = found.n_parameters();
        let expected = hessian_of_values(&mut likelihood_of(&problem), &problem.theta);
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let size = (found.at(i, i) * found.at(j, j)).sqrt().max(1e-3);
            let difference = (found.at(i, j) - expected[i * n + j]).abs() / size;
            assert!(difference < 1e-4, "{seed} ({i}, {j}): {} {}", found.at(i, j), expected[i * n + j]);
            compared += usize::from(found.at(i, j) != 0.0);
        }
    }
    assert!(compared > 300, "{compared}");
}

/// The inverse of a 3 × 3 matrix by its cofactors.
fn inverse_of_three(m: &[f64]) -> Vec<f64> {
    let at = |i: usize, j: usize| m[(i % 3) * 3 + j % 3];
    let cofactor = |i: usize, j: usize| at(i + 1, j + 1) * at(i + 2, j + 2) - at(i + 1, j + 2) * at(i + 2, j + 1);
    let determinant: f64 = (0..3).map(|j| at(0, j) * cofactor(0, j)).sum();
    (0..9).map(|place| cofactor(place % 3, place / 3) / determinant).collect()
}

#[test]
fn standard_errors_are_those_of_a_numerical_hessian() {
    for (discount, stop, ends) in [(1.0, Stop::Terminal, Ends::Terminal), (0.9, Stop::Anywhere, Ends::Anywhere)] {
        let (mdp, features, truth) = slippery_features(discount);
        let demos = drawn(PathDistribution::new(&mdp, features.reward(&mdp, &truth).unwrap(), 12, stop).unwrap(), 200, 1);
        let options = Options { ends, horizon: Some(12.into()), ..Options::default() };
        let settings = MaxEnt { options: options.clone(), ..MaxEnt::default() };
        let theta = settings.fit(&mdp, &features, &demos).unwrap().theta;
        let sure = settings.uncertainty(&mdp, &features, &demos, &theta).unwrap();
        let mut likelihood = Likelihood::new(&mdp, &features, &demos, &options).unwrap();
        let covariance = inverse_of_three(&hessian_of_values(&mut likelihood, &theta));
        for k in 0..3 {
            relatively_close(sure.standard_errors[k].unwrap(), (covariance[k * 3 + k] / 200.0).sqrt(), 1e-6);
            relatively_close(sure.covariance(k, 0).unwrap(), covariance[k * 3] / 200.0, 1e-5);
        }
    }
}

/// Rare features, features in metres, and features that are nearly the same along every path.
#[test]
fn information_is_right_for_features_of_any_kind() {
    // 0 leads to 1, or to 2 with probability 1e-7, and paths end there.
    let mut builder = MdpBuilder::new(3, 1);
    let p = 1e-7;
    builder.start(0, 1.0).terminal(1).terminal(2).transition(0, 0, 1, 1.0 - p).transition(0, 0, 2, p);
    let mdp = builder.build().unwrap();
    let (rare, metres, steady, even) = (0, 1, 2, 3);
    let mut builder = FeaturesBuilder::new(4);
    builder.state(2, rare, 1.0).state(2, metres, 5000.0);
    builder.state(0, steady, 1000.0).state(2, steady, -900.0).state(0, even, 1000.0);
    let features = builder.build(&mdp).unwrap();
    let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 1], vec![0])]).unwrap();
    let options = Options { ends: Ends::Terminal, ..Options::default() };
    let at = |theta: &[f64]| {
        let mut likelihood = Likelihood::new(&mdp, &features, &demos, &options).unwrap();
        Information::new(&mut likelihood, theta, &Watch::none()).unwrap()
    };
    for theta in [[0.0; 4], [3.0, 1e-4, -1e-3, -2.0], [0.0, 3e-3, 0.0, 0.0]] {
        let found = at(&theta);
        let odds = p / (1.0 - p) * (theta[rare] + 5000.0 * theta[metres] - 900.0 * theta[steady]).exp();
        let p = odds / (1.0 + odds);
        let scale = [1.0, 5000.0, -900.0, 0.0];
        for i in 0..4 {
            for j in 0..4 {
                let expected = p * (1.0 - p) * scale[i] * scale[j];
                let size = p * (1.0 - p) * (scale[i] * scale[j]).abs();
                let difference = (found.at(i, j) - expected).abs();
                // 1000 ± 0.3 leaves fewer digits for the variance than for the mean.
                let tolerance = if i == steady || j == steady { 1e-6 } else { 1e-8 };
                assert!(difference <= tolerance * size, "{theta:?} ({i}, {j}): {} {expected}", found.at(i, j));
            }
        }
    }
}

#[test]
fn work_can_be_ended_and_too_much_is_refused() {
    let problem = RandomProblem::new(3);
    let mut likelihood = likelihood_of(&problem);
    let mut told = Vec::new();
    let mut hear = |step: &Step<'_>| {
        told.extend(step.parts());
        ControlFlow::Break(())
    };
    let stopped = Information::new(&mut likelihood, &problem.theta, &Watch::new(&mut hear));
    assert_eq!((stopped, told), (Err(Error::Stopped), vec![(1, problem.features.n_features())]));

    let mdp = fork();
    let features = FeaturesBuilder::new(2001).state(1, 2000, 1.0).build(&mdp).unwrap();
    let demos = Demonstrations::new(&mdp, &[left(1.0)]).unwrap();
    let refused = MaxEnt::default().uncertainty(&mdp, &features, &demos, &vec![0.0; 2001]).unwrap_err();
    assert_eq!(refused, Error::TooManyParameters { found: 2001, most: 2000 });
    let one = left_indicator();
    for method in [Method::Ziebart2008, Method::CausalDual] {
        let refused = MaxEnt { method, ..MaxEnt::default() }.uncertainty(&mdp, &one, &demos, &[0.0]).unwrap_err();
        assert!(refused.to_string().contains("standard errors are available for the exact models only"), "{refused}");
    }
    let fine = finished().uncertainty(&mdp, &one, &Demonstrations::new(&mdp, &[left(3.0), right(1.0)]).unwrap(), &[3f64.ln()]);
    let fine = fine.unwrap();
    for level in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(fine.intervals(level).unwrap_err().to_string().contains("the level is"), "{level}");
    }
}

/// Robust errors have the demonstrations' own variance in the middle, 0.75 · 0.25 here, whatever the model says.
#[test]
fn robust_errors_are_those_of_the_demonstrations() {
    let mdp = fork();
    let features = left_indicator();
    let demos = Demonstrations::new(&mdp, &[left(30.0), right(10.0)]).unwrap();
    let sure = finished().uncertainty(&mdp, &features, &demos, &[3f64.ln()]).unwrap();
    // At the optimum of a logit the demonstrations' variance is the model's.
    relatively_close(sure.standard_errors[0].unwrap(), (1.0f64 / 30.0 + 1.0 / 10.0).sqrt(), 1e-9);
    relatively_close(sure.robust_errors.as_ref().unwrap()[0].unwrap(), (1.0f64 / 30.0 + 1.0 / 10.0).sqrt(), 1e-9);
    // Away from it they differ: p(1-p) of the model is 1/4 at θ = 0.
    let off = MaxEnt { bounds: Bounds::Same(-9.0, 9.0), ..finished() }.uncertainty(&mdp, &features, &demos, &[0.2]).unwrap();
    let p = 1.0 / (1.0 + (-0.2f64).exp());
    relatively_close(off.standard_errors[0].unwrap(), (1.0 / (40.0 * p * (1.0 - p))).sqrt(), 1e-8);
    relatively_close(off.robust_errors.unwrap()[0].unwrap(), (0.1875f64 / 40.0).sqrt() / (p * (1.0 - p)), 1e-8);
}

/// By hand: three of four go left; without a feature the probability is 1/2.
#[test]
fn statistics_of_a_fit_are_those_of_the_textbook() {
    let mdp = fork();
    let features = left_indicator();
    let demos = Demonstrations::new(&mdp, &[left(30.0), right(10.0)]).unwrap();
    let fit = finished().fit(&mdp, &features, &demos).unwrap();
    let sure = finished().uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
    let statistics = &sure.statistics;
    let (model, null) = (30.0 * 0.75f64.ln() + 10.0 * 0.25f64.ln(), 40.0 * 0.5f64.ln());
    relatively_close(statistics.log_likelihood, model, 1e-12);
    relatively_close(statistics.null_log_likelihood.unwrap(), null, 1e-12);
    relatively_close(statistics.likelihood_ratio.unwrap(), 2.0 * (model - null), 1e-12);
    relatively_close(statistics.p_value.unwrap(), 0.0012165999233774937, 1e-9);
    relatively_close(statistics.rho_squared.unwrap(), 1.0 - model / null, 1e-12);
    relatively_close(statistics.adjusted_rho_squared.unwrap(), 1.0 - (model - 1.0) / null, 1e-12);
    relatively_close(statistics.aic, 2.0 - 2.0 * model, 1e-12);
    relatively_close(statistics.bic, 40f64.ln() - 2.0 * model, 1e-12);
    assert_eq!((statistics.n, statistics.estimated), (40.0, 1));
    relatively_close(sure.z_value(0).unwrap(), 3f64.ln() / (1.0f64 / 30.0 + 0.1).sqrt(), 1e-6);
    relatively_close(sure.p_value(0).unwrap(), 0.002623907932091215, 1e-5);
    let (low, high) = sure.intervals(0.95).unwrap()[0].unwrap();
    relatively_close(high - low, 2.0 * 1.959963984540054 * sure.standard_errors[0].unwrap(), 1e-12);
}
