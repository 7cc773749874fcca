//! The engine against enumeration, Algorithm 1 and literal padding, on thousands of random problems.

use revealed::oracle::{Answer, RandomProblem, algorithm1, enumerate, enumerate_theta, padded};
use revealed::{Ends, PathDistribution, Reward, Stop};

use crate::helpers::{all_close, close, likelihood_of, moved, slope};

const SEEDS: u64 = 2240;

/// The engine's answer in the oracle's form.
fn engine(problem: &RandomProblem, reward: &Reward, start: &[(usize, f64)], stop: Stop) -> Option<Answer> {
    let mut paths = PathDistribution::from(&problem.mdp, reward.clone(), start.to_vec(), problem.horizon, stop).ok()?;
    let marginals = (1..=problem.horizon).map(|t| paths.marginals(t).unwrap()).collect();
    Some(Answer { log_partition: paths.log_partition(), marginals })
}

fn scaled(problem: &RandomProblem, factor: f64) -> Vec<f64> {
    problem.theta.iter().map(|theta| theta * factor).collect()
}

/// log Z and every marginal.
#[test]
fn engine_algorithm_1_and_padding_equal_enumeration() {
    let mut worst: f64 = 0.0;
    for seed in 0..SEEDS {
        let problem = RandomProblem::new(seed);
        let reward = problem.reward();
        for (start, stop) in problem.path_sets() {
            let truth = enumerate(&problem.mdp, &reward, &start, problem.horizon, stop).expect("demonstrated paths exist");
            let engine = engine(&problem, &reward, &start, stop).expect("demonstrated paths exist");
            for (name, answer) in [
                ("engine", engine),
                ("Algorithm 1", algorithm1(&problem.mdp, &reward, &start, problem.horizon, stop).unwrap()),
                ("padded Algorithm 2", padded(&problem.mdp, &reward, &start, problem.horizon, stop).unwrap()),
            ] {
                let difference = answer.disagreement(&truth);
                assert!(difference <= 1e-10, "{name}, seed {seed}, {stop:?}: off by {difference:e}");
                worst = worst.max(difference);
            }
        }
    }
    println!("largest relative difference: {worst:e}");
}

/// The same with rewards scaled by 1e3 and 1e5, which need wide numbers.
#[test]
fn large_rewards_equal_the_exact_logarithms() {
    let mut worst: f64 = 0.0;
    for (seed, factor) in (0..SEEDS).flat_map(|seed| [(seed, 1e3), (seed, 1e5)]) {
        let problem = RandomProblem::new(seed);
        let theta = scaled(&problem, factor);
        let reward = problem.features.reward(&problem.mdp, &theta).unwrap();
        for (start, stop) in problem.path_sets() {
            let truth = enumerate(&problem.mdp, &reward, &start, problem.horizon, stop).unwrap();
            let difference = engine(&problem, &reward, &start, stop).unwrap().disagreement(&truth);
            assert!(difference <= 1e-9, "seed {seed}, factor {factor}, {stop:?}: off by {difference:e}");
            worst = worst.max(difference);
        }
    }
    println!("largest relative difference: {worst:e}");
}

/// E_Θ[φ] and log Z of all path sets, averaged as the likelihood averages them, by enumeration from θ.
fn enumerated(problem: &RandomProblem, theta: &[f64]) -> (f64, Vec<f64>) {
    let demos = &problem.demonstrations;
    let total = demos.total_weight();
    let mut mean = (0.0, vec![0.0; theta.len()]);
    for (index, (start, stop)) in problem.path_sets().into_iter().enumerate() {
        let share = if problem.ends == Ends::Goal { demos.weight(index) / total } else { 1.0 };
        let (log_z, phi) = enumerate_theta(&problem.mdp, &problem.features, theta, &start, problem.horizon, stop).unwrap();
        mean.0 += share * log_z;
        mean.1.iter_mut().zip(&phi).for_each(|(mean, phi)| *mean += share * phi);
    }
    mean
}

/// The gradient against enumeration, relative to the size of its two terms.
#[test]
fn gradient_equals_enumeration() {
    for seed in 0..SEEDS {
        let problem = RandomProblem::new(seed);
        for (factor, tolerance) in [(1.0, 1e-10), (1e3, 1e-9), (1e5, 1e-9)] {
            let theta = scaled(&problem, factor);
            let mut likelihood = likelihood_of(&problem);
            let evaluation = likelihood.evaluate(&theta).unwrap();
            let (log_z, expected) = enumerated(&problem, &theta);
            if let Some(found) = evaluation.log_partition {
                close(found, log_z, tolerance, format_args!("seed {seed}"));
            }
            for (k, (&gradient, (&observed, &expected))) in
                evaluation.gradient.iter().zip(likelihood.observed().iter().zip(&expected)).enumerate()
            {
                let size = observed.abs().max(expected.abs()).max(1.0);
                let difference = (gradient - (observed - expected)).abs() / size;
                assert!(difference <= tolerance, "seed {seed}, factor {factor}, feature {k}: off by {difference:e}");
            }
        }
    }
}

/// E_Θ[φ], and so the gradient, by the marginals of Algorithm 1 and of literal padding.
#[test]
fn both_algorithms_give_the_gradient_of_enumeration() {
    for seed in 0..SEEDS {
        let problem = RandomProblem::new(seed);
        let (mdp, reward) = (&problem.mdp, problem.reward());
        for (start, stop) in problem.path_sets() {
            let truth = enumerate_theta(mdp, &problem.features, &problem.theta, &start, problem.horizon, stop).unwrap().1;
            for (name, answer) in [
                ("Algorithm 1", algorithm1(mdp, &reward, &start, problem.horizon, stop).unwrap()),
                ("padded Algorithm 2", padded(mdp, &reward, &start, problem.horizon, stop).unwrap()),
            ] {
                let expected = problem.features.expectation(mdp, &answer.occupancy(mdp.discount()));
                all_close(&expected, &truth, 1e-10, format_args!("{name}, seed {seed}"));
            }
        }
    }
}

/// The gradient against central differences of the log-likelihood.
#[test]
fn gradient_equals_central_differences() {
    for seed in 0..SEEDS {
        let problem = RandomProblem::new(seed);
        let mut likelihood = likelihood_of(&problem);
        let gradient = likelihood.evaluate(&problem.theta).unwrap().gradient;
        for (k, &gradient) in gradient.iter().enumerate() {
            // Richardson's combination of two steps: the error is of the fourth order.
            let mut value = |step| likelihood.evaluate(&moved(&problem.theta, k, step)).unwrap().log_likelihood;
            let mut difference = |step| slope(step, &mut value);
            let estimate = (4.0 * difference(1e-4) - difference(2e-4)) / 3.0;
            close(estimate, gradient, 1e-6, format_args!("seed {seed}, feature {k}"));
        }
    }
}

/// The log-likelihood itself: the mean of log p(τ), by enumeration of Z.
#[test]
fn log_likelihood_is_the_mean_of_log_p() {
    for seed in 0..560 {
        let problem = RandomProblem::new(seed);
        let (mdp, demos) = (&problem.mdp, &problem.demonstrations);
        let evaluation = likelihood_of(&problem).evaluate(&problem.theta).unwrap();
        let mut mean = 0.0;
        for index in 0..demos.len() {
            let phi = problem.features.of_path(mdp, demos, index);
            let fit: f64 = phi.iter().zip(&problem.theta).map(|(phi, theta)| phi * theta).sum();
            let start =
                if problem.ends == Ends::Goal { mdp.start_probability(demos.states(index)[0] as usize).ln() } else { 0.0 };
            mean += demos.weight(index) / demos.total_weight() * (fit + demos.log_q(mdp, index) - start);
        }
        let expected = mean - enumerated(&problem, &problem.theta).0;
        close(evaluation.log_likelihood, expected, 1e-10, format_args!("seed {seed}"));
    }
}
