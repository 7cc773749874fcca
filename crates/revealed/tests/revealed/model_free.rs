//! The importance-sampling estimator against the exact engine: its rate, its errors, its path sets, and its bias.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{
    Baseline, Bounds, Ends, Features, FeaturesBuilder, Mdp, MdpBuilder, ModelFree, PathDistribution, Policy, SampleColumns,
    Samples, Warning, Work, rollouts, samples_from_rollouts,
};

use crate::helpers::{lake, moved, open_stop, refusal, slope};

/// A problem with a θ and a path set.
pub struct Case {
    pub mdp: Mdp,
    pub features: Features,
    theta: Vec<f64>,
    horizon: usize,
    ends: Ends,
    baseline: Baseline,
}

impl Case {
    /// log Z and E_θ[φ] by the engine.
    fn exact(&self) -> (f64, Vec<f64>) {
        self.exact_at(&self.theta)
    }

    fn exact_at(&self, theta: &[f64]) -> (f64, Vec<f64>) {
        let reward = self.features.reward(&self.mdp, theta).unwrap();
        let paths = PathDistribution::new(&self.mdp, reward, self.horizon, open_stop(self.ends)).unwrap();
        (paths.log_partition(), self.features.expectation(&self.mdp, paths.occupancy()))
    }

    fn columns(&self, n: usize, seed: u64) -> SampleColumns {
        let policy = Policy::uniform(&self.mdp);
        let rollouts = rollouts(&self.mdp, &policy, n, self.horizon, seed).unwrap();
        samples_from_rollouts(&self.mdp, &self.features, &rollouts, &policy, self.ends).unwrap()
    }

    fn samples(&self, n: usize, seed: u64) -> Samples {
        Samples::new(&self.columns(n, seed), self.baseline).unwrap()
    }
}

/// FrozenLake, the paper's path set and the paper's MaxEnt variant.
fn icy() -> Case {
    let world = lake();
    let theta = (0..16).map(|cell| -0.8 + 0.05 * f64::from(cell)).collect();
    Case { mdp: world.mdp, features: world.features, theta, horizon: 10, ends: Ends::Anywhere, baseline: Baseline::One }
}

/// Five states in a row, forward or back to the first, with slips: NChain, with features of states and of actions. It
/// never ends.
pub fn chain() -> Case {
    let mut builder = MdpBuilder::new(5, 2);
    builder.start(0, 1.0);
    for state in 0..5 {
        let next = usize::min(state + 1, 4);
        builder.transition(state, 0, next, 0.8).transition(state, 0, 0, 0.2);
        builder.transition(state, 1, next, 0.2).transition(state, 1, 0, 0.8);
    }
    let mdp = builder.build().unwrap();
    let mut features = FeaturesBuilder::new(3);
    features.state(0, 0, 1.0).state(4, 1, 1.0);
    (0..5).for_each(|state| _ = features.state_action(state, 1, 2, 1.0));
    let features = features.build(&mdp).unwrap();
    Case { mdp, features, theta: vec![-0.3, 0.8, -0.5], horizon: 8, ends: Ends::Horizon, baseline: Baseline::One }
}

/// Random dynamics with an end, discount 0.9, features of all three kinds, and a reference policy: RE-IRL.
fn random() -> Case {
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    let mut builder = MdpBuilder::new(6, 3);
    builder.start(0, 0.7).start(1, 0.3).terminal(5).discount(0.9);
    let mut rows = 0;
    for state in 0..5 {
        for (action, reference) in [0.5, 0.3, 0.2].into_iter().enumerate() {
            let p = rng.random_range(0.2..0.8);
            let end = if action == 2 { 5 } else { (state + 3) % 5 };
            builder.transition(state, action, (state + 1 + action) % 5, p).transition(state, action, end, 1.0 - p);
            builder.reference(state, action, reference);
            rows += 2;
        }
    }
    let mdp = builder.build().unwrap();
    let mut features = FeaturesBuilder::new(4);
    (0..6).for_each(|state| _ = features.state(state, 0, rng.random_range(-1.0..1.0)));
    (0..5).for_each(|state| _ = features.state_action(state, state % 3, 1, 1.0));
    (0..rows).for_each(|row| _ = features.transition(row, 2 + row % 2, rng.random_range(-1.0..1.0)));
    let features = features.build(&mdp).unwrap();
    let theta = vec![0.6, -0.8, 0.9, -0.4];
    Case { mdp, features, theta, horizon: 8, ends: Ends::Anywhere, baseline: Baseline::Reference }
}

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// The slope of the least-squares line through points.
fn trend(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let products: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    products / points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}

/// The error of the gradient (that of E_θ[φ], for any demonstrations) falls with the root of the number of rollouts.
#[test]
fn the_gradient_converges_at_the_monte_carlo_rate() {
    const REPEATS: u64 = 60;
    for (name, case) in [("FrozenLake", icy()), ("chain", chain()), ("random", random())] {
        let (_, exact) = case.exact();
        let error = |n: usize| {
            let squares = (0..REPEATS).map(|repeat| {
                let estimate = case.samples(n, 1000 * n as u64 + repeat).evaluate(&case.theta).unwrap();
                distance(&estimate.expectation, &exact).powi(2)
            });
            (squares.sum::<f64>() / REPEATS as f64).sqrt()
        };
        let points: Vec<(f64, f64)> = [200, 800, 3200, 12800].map(|n| ((n as f64).ln(), error(n).ln())).to_vec();
        let trend = trend(&points);
        println!("{name}: slope {trend:.3}, errors {:?}", points.iter().map(|point| point.1.exp()).collect::<Vec<_>>());
        assert!((-0.6..=-0.4).contains(&trend), "{name}: {trend}");
    }
}

/// Ẑ is unbiased, for whole rollouts and for prefixes: the mean over many repeats is Z, within four standard errors.
#[test]
fn the_partition_function_is_unbiased() {
    for (name, case) in [("FrozenLake", icy()), ("chain", chain()), ("random", random())] {
        let (exact, _) = case.exact();
        let ratios: Vec<f64> =
            (0..400).map(|seed| (case.samples(500, seed).evaluate(&case.theta).unwrap().log_partition - exact).exp()).collect();
        let mean = ratios.iter().sum::<f64>() / 400.0;
        let error = (ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / 400.0 / 399.0).sqrt();
        assert!((mean - 1.0).abs() < 4.0 * error && error < 0.02, "{name}: {mean} ± {error}");
    }
}

/// Two standard errors around the estimate hold the truth 95 times out of 100, if prefixes of one rollout count as one.
#[test]
fn standard_errors_are_right_and_need_the_rollouts() {
    for (name, case) in [("FrozenLake", icy()), ("chain", chain()), ("random", random())] {
        let (log_z, exact) = case.exact();
        let (mut of_features, mut of_log_z, mut without_rollouts) = (0.0, 0.0, 0.0);
        for seed in 0..200 {
            let columns = case.columns(2000, seed);
            let evaluate =
                |columns: &SampleColumns| Samples::new(columns, case.baseline).unwrap().evaluate(&case.theta).unwrap();
            let covers = |found: f64, truth: f64, error: f64| f64::from(u8::from((found - truth).abs() < 2.0 * error)) / 200.0;
            let (estimate, k) = (evaluate(&columns), exact.len() as f64);
            let naive = evaluate(&SampleColumns { rollout: None, ..columns });
            of_log_z += covers(estimate.log_partition, log_z, estimate.log_partition_error);
            for (feature, &exact) in exact.iter().enumerate() {
                of_features += covers(estimate.expectation[feature], exact, estimate.standard_error[feature]) / k;
                without_rollouts += covers(naive.expectation[feature], exact, naive.standard_error[feature]) / k;
            }
        }
        println!("{name}: {of_features:.3} {of_log_z:.3}, prefixes taken for independent: {without_rollouts:.3}");
        assert!((0.9..0.98).contains(&of_features) && (0.89..0.99).contains(&of_log_z), "{name}: {of_features} {of_log_z}");
        if name == "FrozenLake" {
            assert!(without_rollouts < 0.9, "{without_rollouts}");
        }
    }
}

/// θ̂ from the exact E_D[φ] of a known θ is that θ, within standard errors that are right.
#[test]
fn theta_is_found_within_its_standard_error() {
    for (name, case) in [("chain", chain()), ("random", random())] {
        let (_, observed) = case.exact();
        let mut squares = 0.0;
        for seed in 0..100 {
            let fit = ModelFree::default().fit(&case.samples(3000, seed), &observed).unwrap();
            assert!(fit.converged && fit.warnings.is_empty(), "{name}: {} {:?}", fit.stopped_because, fit.warnings);
            let errors = fit.standard_error.unwrap();
            let scores = (0..errors.len()).map(|k| (fit.theta[k] - case.theta[k]) / errors[k]);
            squares += scores.map(|score| score * score).sum::<f64>() / errors.len() as f64 / 100.0;
        }
        println!("{name}: {squares:.3}");
        assert!((0.7..1.4).contains(&squares), "{name}: {squares}");
    }
}

/// Stay or leave: one path of every length. The sampler leaves half of the time, so long paths are rare and weigh 2^l.
fn stay_or_leave(horizon: usize) -> Case {
    let mut builder = MdpBuilder::new(2, 2);
    builder.start(0, 1.0).terminal(1).transition(0, 0, 0, 1.0).transition(0, 1, 1, 1.0);
    let mdp = builder.build().unwrap();
    let features = FeaturesBuilder::new(1).state(0, 0, 1.0).state(1, 0, 1.0).build(&mdp).unwrap();
    Case { mdp, features, theta: vec![0.0], horizon, ends: Ends::Horizon, baseline: Baseline::One }
}

/// Bias 1 of 2: with few rollouts, the estimate leans to short paths, although they weigh less. It vanishes as 1/n,
/// with the constant that the theory of ratios of sums gives: -Σ_τ w(τ) (l(τ) - E[l]) / Z², here -762.75 / 64.
#[test]
fn few_rollouts_lean_to_short_paths_and_many_do_not() {
    let case = stay_or_leave(8);
    let (log_z, exact) = case.exact();
    // Lengths 2 to 8 by leaving, and 8 by staying.
    assert!((log_z - 8f64.ln()).abs() < 1e-14 && (exact[0] - 43.0 / 8.0).abs() < 1e-14);
    let weights: Vec<f64> = {
        let columns = case.columns(200, 1);
        let lengths = columns.length.unwrap();
        lengths.iter().zip(&columns.log_policy).map(|(&length, log)| (-log).exp() / 2f64.powi(length as i32 - 1)).collect()
    };
    assert!(weights.iter().all(|ratio| (ratio - 1.0).abs() < 1e-12), "1/π_s grows with the length");
    let bias = |n: usize| {
        let repeats = 2000;
        let mean = (0..repeats).map(|seed| case.samples(n, seed).evaluate(&[0.0]).unwrap().expectation[0]).sum::<f64>();
        mean / repeats as f64 - exact[0]
    };
    let [few, some, many] = [10, 200, 800].map(bias);
    println!("bias of the expected length: 10 rollouts {few:.4}, 200 {some:.4}, 800 {many:.4}");
    assert!(few < -0.5, "{few}");
    let constant = -762.75 / 64.0;
    assert!((200.0 * some - constant).abs() < 6.0, "{}", 200.0 * some);
    assert!((800.0 * many - constant).abs() < 12.0, "{}", 800.0 * many);
    // The longer the paths, the more rollouts it takes: and the diagnosis says so.
    let long = stay_or_leave(30);
    let estimate = long.samples(800, 1).evaluate(&[0.0]).unwrap();
    assert!(estimate.expectation[0] < 0.75 * long.exact().1[0] && estimate.effective_sample_size < 50.0, "{estimate:?}");
    let fit = ModelFree { bounds: Bounds::Same(-1.0, 1.0), ..ModelFree::default() };
    let fit = fit.fit(&long.samples(800, 1), &long.exact().1).unwrap();
    assert!(fit.warnings.iter().any(Warning::worthless), "{:?}", fit.warnings);
}

/// The chain, by a sampler that stops with probability `P` after each state, and drops what gets longer than L. If it
/// is `honest`, log π_s has the probability of stopping.
fn giving_up(case: &Case, n: usize, honest: bool) -> SampleColumns {
    const P: f64 = 0.3;
    let mut rng = Pcg64Mcg::seed_from_u64(11);
    let kept = 1.0 - (1.0f64 - P).powi(case.horizon as i32);
    let prefixes = case.columns(n, 5);
    let mut columns = SampleColumns { n_features: prefixes.n_features, ..SampleColumns::default() };
    for rollout in 0..n {
        let length = loop {
            let length = 1 + (0..).take_while(|_| rng.random::<f64>() >= P).count();
            if length <= case.horizon {
                break length;
            }
        };
        let row = rollout * case.horizon + length - 1;
        let stopping = (length as f64 - 1.0) * (1.0 - P).ln() + (P / kept).ln();
        columns.features.extend(&prefixes.features[row * columns.n_features..(row + 1) * columns.n_features]);
        columns.log_policy.push(prefixes.log_policy[row] + if honest { stopping } else { 0.0 });
    }
    columns
}

/// Bias 2 of 2: a sampler that stops at random and does not say so. The estimate is that of a model in which each
/// further step costs -log(1 - P), for any number of samples; and θ̂ makes up for it.
#[test]
fn leaving_out_the_probability_of_stopping_stays_biased() {
    let mut case = chain();
    case.ends = Ends::Anywhere;
    let mut builder = FeaturesBuilder::new(2);
    (0..5).for_each(|state| _ = builder.state(state, 0, 1.0).state_action(state, 1, 1, 1.0));
    case.features = builder.build(&case.mdp).unwrap();
    case.theta = vec![-0.6, 0.4];
    let (log_z, exact) = case.exact();
    let cost = 0.7f64.ln();
    let shorter = case.exact_at(&[case.theta[0] + cost, case.theta[1]]).1;
    assert!(shorter[0] < exact[0] - 0.5, "{shorter:?} {exact:?}");

    let within = |found: &[f64], truth: &[f64], errors: &[f64], most: f64| {
        found.iter().zip(truth).zip(errors).all(|((found, truth), error)| (found - truth).abs() < most * error)
    };
    for n in [2000, 40_000] {
        let samples = |honest| Samples::new(&giving_up(&case, n, honest), Baseline::One).unwrap();
        let (honest, silent) = (samples(true), samples(false));
        let estimate = honest.evaluate(&case.theta).unwrap();
        assert!(within(&estimate.expectation, &exact, &estimate.standard_error, 4.0), "{n}: {estimate:?} {exact:?}");
        assert!((estimate.log_partition - log_z).abs() < 4.0 * estimate.log_partition_error);
        let estimate = silent.evaluate(&case.theta).unwrap();
        assert!(within(&estimate.expectation, &shorter, &estimate.standard_error, 4.0), "{n}: {estimate:?} {shorter:?}");
        assert!(exact[0] - estimate.expectation[0] > 10.0 * estimate.standard_error[0], "{n}: {estimate:?}");

        let fit = |samples| ModelFree::default().fit(samples, &exact).unwrap();
        let (right, wrong) = (fit(&honest), fit(&silent));
        assert!(within(&right.theta, &case.theta, &right.standard_error.unwrap(), 4.0), "{:?}", right.theta);
        let shifted = [case.theta[0] - cost, case.theta[1]];
        assert!(within(&wrong.theta, &shifted, &wrong.standard_error.unwrap(), 4.0), "{:?}", wrong.theta);
        assert_eq!(wrong.warnings, [], "nothing in the samples shows it");
    }
}

/// Both baselines from one set of samples: RE-IRL is the engine with π0, the paper's variant is the engine without.
#[test]
fn both_baselines_are_the_engines_models() {
    let case = random();
    let columns = case.columns(20_000, 3);
    let plain = {
        let mut builder = MdpBuilder::new(6, 3);
        builder.start(0, 0.7).start(1, 0.3).terminal(5).discount(0.9);
        for transition in 0..case.mdp.n_transitions() {
            let choice = case.mdp.choice_of()[transition] as usize;
            let (to, p) = (case.mdp.to()[transition] as usize, case.mdp.probability()[transition]);
            builder.transition(case.mdp.state_of(choice), case.mdp.action_of(choice), to, p);
        }
        Case { mdp: builder.build().unwrap(), baseline: Baseline::One, ..random() }
    };
    let (with, without) = (case.exact().1, plain.exact().1);
    assert!(distance(&with, &without) > 0.1);
    for (baseline, exact) in [(Baseline::Reference, with), (Baseline::One, without)] {
        let estimate = Samples::new(&columns, baseline).unwrap().evaluate(&case.theta).unwrap();
        for ((found, exact), error) in estimate.expectation.iter().zip(&exact).zip(&estimate.standard_error) {
            assert!((found - exact).abs() < 4.0 * error, "{baseline:?}: {found} {exact} ± {error}");
        }
    }
}

#[test]
fn rewards_in_the_thousands_stay_in_range_and_the_gradient_is_the_objectives() {
    let case = chain();
    let samples = case.samples(500, 1);
    for scale in [1.0, 1e3, 1e6] {
        let theta: Vec<f64> = case.theta.iter().map(|theta| theta * scale).collect();
        let estimate = samples.evaluate(&theta).unwrap();
        assert!(estimate.log_partition.is_finite() && estimate.effective_sample_size >= 1.0 - 1e-12);
        for (k, expectation) in estimate.expectation.iter().enumerate() {
            let difference = slope(1e-5, |step| samples.evaluate(&moved(&theta, k, step)).unwrap().log_partition);
            assert!((difference - expectation).abs() < 1e-4 * scale.max(1.0).sqrt(), "{scale}: {difference} {expectation}");
        }
    }
    let huge = refusal(samples.evaluate(&[f64::MAX, f64::MAX, 0.0]));
    assert!(huge.contains("the log-weight of a sample is inf: scale the features or theta down"), "{huge}");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let case = icy();
    let samples = case.samples(20_000, 1);
    let (_, observed) = case.exact();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (samples.evaluate(&case.theta).unwrap(), ModelFree::default().fit(&samples, &observed).unwrap()))
    };
    let one = with(1);
    for threads in [1, 3] {
        let fit = ModelFree { work: Work::on(threads), ..ModelFree::default() }.fit(&samples, &observed).unwrap();
        assert_eq!(one.1, fit);
    }
    assert!(one.1.converged, "{}", one.1.stopped_because);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}
