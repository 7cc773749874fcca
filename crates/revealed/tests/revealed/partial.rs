//! Demonstrations that were seen in part, against the enumeration of all paths.

use revealed::oracle::{RandomProblem, agreement, glimpse, paths};
use revealed::{
    Ends, Evaluation, Features, Horizon, Likelihood, Mdp, Options, PartialDemonstrations, PartialLikelihood, PartialTrajectory,
    Reward, Sighting, Stop,
};

use crate::helpers::{all_close, close};

const SEEDS: u64 = 2000;

fn options(problem: &RandomProblem) -> Options {
    Options { ends: problem.ends, horizon: Some(Horizon::AtMost(problem.horizon)), ..Options::default() }
}

fn glimpses(problem: &RandomProblem, seed: u64) -> Vec<PartialTrajectory> {
    let (mdp, demos) = (&problem.mdp, &problem.demonstrations);
    let goal = problem.ends == Ends::Goal;
    (0..demos.len()).map(|index| glimpse(mdp, demos, index, seed, goal, seed % 3 != 0)).collect()
}

/// (the weight of each path that agrees, and of all; the features)
struct Enumerated {
    log_agreeing: f64,
    log_all: f64,
    agreeing: Vec<f64>,
    all: Vec<f64>,
}

fn phi(mdp: &Mdp, features: &Features, states: &[usize], transitions: &[usize]) -> Vec<f64> {
    let mut sum = vec![0.0; features.n_features()];
    let [of_state, of_choice, of_transition] = features.blocks();
    for (step, &state) in states.iter().enumerate() {
        let discount = mdp.discount().powi(step as i32);
        let mut add = |(k, value): (usize, f64)| sum[k] += discount * value;
        of_state.row(state).for_each(&mut add);
        if let Some(&transition) = transitions.get(step) {
            of_choice.row(mdp.choice_of()[transition] as usize).for_each(&mut add);
            of_transition.row(transition).for_each(&mut add);
        }
    }
    sum
}

/// By definition.
fn enumerated(
    problem: &RandomProblem,
    reward: &Reward,
    set: &(Vec<(usize, f64)>, Stop),
    seen: &PartialTrajectory,
) -> Enumerated {
    let RandomProblem { mdp, features, .. } = problem;
    let found = paths(mdp, reward, &set.0, problem.horizon, set.1);
    let largest = found.iter().map(|path| path.log_weight.to_f64()).fold(f64::NEG_INFINITY, f64::max);
    let n = features.n_features();
    let (mut sums, mut means) = ([0.0; 2], [vec![0.0; n], vec![0.0; n]]);
    for path in &found {
        let actions: Vec<usize> = path.transitions.iter().map(|&step| mdp.action_of(mdp.choice_of()[step] as usize)).collect();
        let weight = (path.log_weight.to_f64() - largest).exp();
        let agrees = weight * agreement(&seen.sightings, &path.states, &actions);
        let phi = phi(mdp, features, &path.states, &path.transitions);
        for (part, weight) in [agrees, weight].into_iter().enumerate() {
            sums[part] += weight;
            means[part].iter_mut().zip(&phi).for_each(|(mean, phi)| *mean += weight * phi);
        }
    }
    let [agreeing, all] = means;
    let mean = |sum: Vec<f64>, total: f64| sum.into_iter().map(|sum| sum / total).collect();
    Enumerated {
        log_agreeing: largest + sums[0].ln(),
        log_all: largest + sums[1].ln(),
        agreeing: mean(agreeing, sums[0]),
        all: mean(all, sums[1]),
    }
}

/// The path set of one demonstration.
fn path_set(problem: &RandomProblem, index: usize) -> (Vec<(usize, f64)>, Stop) {
    let sets = problem.path_sets();
    sets[if problem.ends == Ends::Goal { index } else { 0 }].clone()
}

#[test]
fn likelihood_and_scores_equal_enumeration() {
    let (mut partly, mut gaps, mut impossible) = (0, 0, 0);
    for seed in 0..SEEDS {
        let problem = RandomProblem::new(seed);
        let seen = glimpses(&problem, seed);
        let demos = PartialDemonstrations::new(&problem.mdp, &seen).unwrap();
        let reward = problem.reward();
        let each: Vec<Enumerated> = seen
            .iter()
            .enumerate()
            .map(|(index, seen)| enumerated(&problem, &reward, &path_set(&problem, index), seen))
            .collect();
        let likelihood = PartialLikelihood::new(&problem.mdp, &problem.features, &demos, &options(&problem));
        if each.iter().zip(demos.weights()).any(|(of, weight)| *weight > 0.0 && of.log_agreeing == f64::NEG_INFINITY) {
            assert!(likelihood.is_err(), "seed {seed}");
            impossible += 1;
            continue;
        }
        let mut likelihood = likelihood.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let Evaluation { log_likelihood, gradient, .. } = likelihood.evaluate(&problem.theta).unwrap();
        let total = demos.total_weight();
        let share = |index: usize| demos.weights()[index] / total;
        let taken: Vec<usize> = (0..each.len()).filter(|&index| share(index) > 0.0).collect();
        let expected: f64 = taken.iter().map(|&i| share(i) * (each[i].log_agreeing - each[i].log_all)).sum();
        close(log_likelihood, expected, 1e-10, format_args!("seed {seed}"));
        let score = |i: usize| -> Vec<f64> { each[i].agreeing.iter().zip(&each[i].all).map(|(a, b)| a - b).collect() };
        let mut slope = vec![0.0; gradient.len()];
        taken.iter().for_each(|&i| slope.iter_mut().zip(score(i)).for_each(|(sum, part)| *sum += share(i) * part));
        all_close(&gradient, &slope, 1e-10, format_args!("seed {seed}, gradient"));
        if !likelihood.is_whole() {
            let scores = likelihood.scores(&problem.theta).unwrap();
            taken.iter().for_each(|&i| all_close(&scores[i], &score(i), 1e-10, format_args!("seed {seed}, score {i}")));
            partly += 1;
            gaps += usize::from(demos.has_gaps());
        }
    }
    println!("{partly} problems seen in part, {gaps} with gaps, {impossible} impossible");
    assert!(partly > 1500 && gaps > 700 && impossible < 200);
}

#[test]
fn whole_demonstrations_take_the_usual_way() {
    for seed in 0..500 {
        let problem = RandomProblem::new(seed);
        let RandomProblem { mdp, features, demonstrations: demos, .. } = &problem;
        let whole = |index: usize| {
            let actions = demos.transitions(index).iter().map(|&step| mdp.action_of(mdp.choice_of()[step as usize] as usize));
            let path = revealed::Trajectory::new(demos.states(index).iter().map(|&s| s as usize).collect(), actions.collect());
            PartialTrajectory { weight: demos.weight(index), ..PartialTrajectory::from(&path) }
        };
        let seen: Vec<PartialTrajectory> = (0..demos.len()).map(whole).collect();
        let seen = PartialDemonstrations::new(mdp, &seen).unwrap();
        let one = Likelihood::new(mdp, features, demos, &options(&problem)).unwrap().evaluate(&problem.theta).unwrap();
        let mut partial = PartialLikelihood::new(mdp, features, &seen, &options(&problem)).unwrap();
        assert!(partial.is_whole());
        assert_eq!(one, partial.evaluate(&problem.theta).unwrap(), "seed {seed}");
    }
}

#[test]
fn gradients_are_slopes() {
    for seed in 0..200 {
        let problem = RandomProblem::new(seed);
        let seen = glimpses(&problem, seed);
        let demos = PartialDemonstrations::new(&problem.mdp, &seen).unwrap();
        let Ok(mut likelihood) = PartialLikelihood::new(&problem.mdp, &problem.features, &demos, &options(&problem)) else {
            continue;
        };
        let gradient = likelihood.evaluate(&problem.theta).unwrap().gradient;
        for (k, gradient) in gradient.iter().enumerate() {
            let mut at = |step: f64| {
                let mut theta = problem.theta.clone();
                theta[k] += step;
                likelihood.evaluate(&theta).unwrap().log_likelihood
            };
            close((at(1e-5) - at(-1e-5)) / 2e-5, *gradient, 1e-7, format_args!("seed {seed}, {k}"));
        }
    }
}

/// Rewards of hundreds, where plain numbers would lose the only path that agrees.
#[test]
fn large_rewards_equal_enumeration() {
    for seed in (0..400).filter(|seed| seed % 4 != 3) {
        let mut problem = RandomProblem::new(seed);
        problem.theta.iter_mut().for_each(|theta| *theta *= 300.0);
        let seen = glimpses(&problem, seed);
        let demos = PartialDemonstrations::new(&problem.mdp, &seen).unwrap();
        let Ok(mut likelihood) = PartialLikelihood::new(&problem.mdp, &problem.features, &demos, &options(&problem)) else {
            continue;
        };
        let reward = problem.reward();
        let largest = 600.0 * 2.0 * 6.0;
        let expected: f64 = (seen.iter().enumerate())
            .filter(|row| row.1.weight > 0.0)
            .map(|(index, seen)| {
                let found =
                    paths(&problem.mdp, &reward, &path_set(&problem, index).0, problem.horizon, path_set(&problem, index).1);
                let sum = |agree: bool| {
                    let logs: Vec<f64> = (found.iter())
                        .map(|path| {
                            let action = |&step: &usize| problem.mdp.action_of(problem.mdp.choice_of()[step] as usize);
                            let actions: Vec<usize> = path.transitions.iter().map(action).collect();
                            let weight = if agree { agreement(&seen.sightings, &path.states, &actions) } else { 1.0 };
                            path.log_weight.to_f64() + weight.ln()
                        })
                        .collect();
                    let most = logs.iter().fold(f64::NEG_INFINITY, |most, log| most.max(*log));
                    most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln()
                };
                seen.weight / demos.total_weight() * (sum(true) - sum(false))
            })
            .sum();
        let found = likelihood.evaluate(&problem.theta).unwrap().log_likelihood;
        assert!((found - expected).abs() <= 1e-11 * largest, "seed {seed}: {found}, {expected}");
    }
}

/// Without a horizon, where long paths cost so much that those of more than 60 states do not count.
#[test]
fn paths_of_any_length_equal_long_bounded_ones() {
    let (mut compared, mut open) = (0, 0);
    for seed in 0..1500 {
        let mut problem = RandomProblem::new(seed);
        if problem.ends == Ends::Horizon {
            continue;
        }
        problem.mdp = problem.mdp.with_discount(1.0).unwrap();
        // Every state costs 3 at least, and a state has at most nine transitions of probability below 1.
        let mut builder = revealed::FeaturesBuilder::new(2);
        for state in 0..problem.mdp.n_states() {
            builder.state(state, 0, 1.0 + 0.1 * state as f64).state(state, 1, (state % 2) as f64);
        }
        let features = builder.build(&problem.mdp).unwrap();
        let theta = [-3.0, 0.4];
        let seen = glimpses(&problem, seed);
        let demos = PartialDemonstrations::new(&problem.mdp, &seen).unwrap();
        let at = |horizon: Horizon| {
            let options = Options { ends: problem.ends, horizon: Some(horizon), ..Options::default() };
            let mut likelihood = PartialLikelihood::new(&problem.mdp, &features, &demos, &options).ok()?;
            let value = likelihood.evaluate(&theta).unwrap();
            let scores = if likelihood.is_whole() { Vec::new() } else { likelihood.scores(&theta).unwrap() };
            Some((value, scores))
        };
        let (any, bounded) = (at(Horizon::Any), at(Horizon::AtMost(60)));
        let (Some(any), Some(bounded)) = (&any, &bounded) else {
            assert!(any.is_none() && bounded.is_none(), "seed {seed}");
            continue;
        };
        close(any.0.log_likelihood, bounded.0.log_likelihood, 1e-10, format_args!("seed {seed}"));
        all_close(&any.0.gradient, &bounded.0.gradient, 1e-10, format_args!("seed {seed}, gradient"));
        for (one, other) in any.1.iter().zip(&bounded.1) {
            all_close(one, other, 1e-10, format_args!("seed {seed}, score"));
        }
        compared += 1;
        open += usize::from(demos.has_gaps());
    }
    println!("{compared} compared, {open} with gaps");
    assert!(compared > 900 && open > 400);
}

#[test]
fn a_gap_from_a_state_to_itself_has_a_step() {
    let mut builder = revealed::MdpBuilder::new(2, 1);
    builder.start(0, 1.0).transition(0, 0, 1, 1.0).transition(1, 0, 0, 1.0);
    let mdp = builder.build().unwrap();
    let features = revealed::FeaturesBuilder::new(1).state(0, 0, 1.0).state(1, 0, 1.0).build(&mdp).unwrap();
    let seen = PartialTrajectory::new(vec![Sighting::state(0), Sighting::Gap, Sighting::state(0)]);
    let demos = PartialDemonstrations::new(&mdp, &[seen]).unwrap();
    let options = Options { ends: Ends::Anywhere, horizon: Some(Horizon::Any), ..Options::default() };
    let value = PartialLikelihood::new(&mdp, &features, &demos, &options).unwrap().evaluate(&[-1.0]).unwrap();
    // Two steps, four steps, …: e^{-1} (e^{-2} + e^{-4} + …) over e^{-1} (1 + e^{-1} + …).
    let e = (-1.0f64).exp();
    close(value.log_likelihood, (e * e / (1.0 - e * e) * (1.0 - e)).ln(), 1e-14, "log-likelihood");
}
