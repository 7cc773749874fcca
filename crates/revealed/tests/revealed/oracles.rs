//! Enumeration, Algorithm 1 and literal padding agree on random problems of every kind.

use revealed::oracle::{Answer, RandomProblem, algorithm1, enumerate, enumerate_theta, padded, paths};
use revealed::{Ends, MdpBuilder, Reward, Stop};

use crate::helpers::{fork, furthest, moved, slope};

const MANY_SEEDS: u64 = 2000;
const SCALED_SEEDS: u64 = 500;
const GRADIENT_SEEDS: u64 = 300;

/// Each (start, stop) of the problem, solved by all three.
fn answers(problem: &RandomProblem) -> Vec<[Answer; 3]> {
    let reward = problem.reward();
    let solve = |(start, stop): (Vec<(usize, f64)>, Stop)| {
        [enumerate, algorithm1, padded].map(|oracle| {
            oracle(&problem.mdp, &reward, &start, problem.horizon, stop).expect("a demonstration is a path of the set")
        })
    };
    problem.path_sets().into_iter().map(solve).collect()
}

fn assert_agreement(seed: u64, scale: f64, tolerance: f64) {
    let mut problem = RandomProblem::new(seed);
    problem.theta.iter_mut().for_each(|theta| *theta *= scale);
    for [enumerated, first, second] in answers(&problem) {
        let (of_first, of_second) = (enumerated.disagreement(&first), enumerated.disagreement(&second));
        assert!(of_first <= tolerance, "Algorithm 1 is off by {of_first:e} on seed {seed}: {problem:?}");
        assert!(of_second <= tolerance, "literal padding is off by {of_second:e} on seed {seed}: {problem:?}");
    }
}

#[test]
fn all_three_agree() {
    for seed in 0..MANY_SEEDS {
        assert_agreement(seed, 1.0, 1e-12);
    }
}

#[test]
fn all_three_agree_on_large_rewards() {
    for seed in 0..SCALED_SEEDS {
        assert_agreement(seed, 1e3, 1e-12);
        assert_agreement(seed, 1e5, 1e-12);
    }
}

/// Two states with rewards 1e5 and 1e5 + 0.3: the odds of visiting them are e^{γ · 0.3}, but an `f64` product
/// γ · 1e5 is off by up to 7e-12.
#[test]
fn large_rewards_that_nearly_cancel_keep_their_digits() {
    let (low, high, discount) = (1e5, 1e5 + 0.3, 0.9);
    let mdp = fork().with_discount(discount).unwrap();
    let reward = Reward::of_states(vec![-2e5, low, high]);
    let expected = (discount * (high - low)).exp();
    for oracle in [enumerate, algorithm1, padded] {
        let answer = oracle(&mdp, &reward, mdp.start(), 2, Stop::Terminal).unwrap();
        let odds = answer.marginals[1].state[2] / answer.marginals[1].state[1];
        assert!((odds - expected).abs() < 1e-14, "{odds} is not {expected}");
    }
}

/// Σ_s p_t(s) = P(length ≥ t), which is 1 at t = 1 and never grows.
#[test]
fn marginals_sum_to_the_probability_of_the_length() {
    for seed in 0..GRADIENT_SEEDS {
        let problem = RandomProblem::new(seed);
        for (set, [answer, ..]) in problem.path_sets().into_iter().zip(answers(&problem)) {
            let found = paths(&problem.mdp, &problem.reward(), &set.0, problem.horizon, set.1);
            for (step, marginals) in answer.marginals.iter().enumerate() {
                let weights = found.iter().filter(|path| path.states.len() > step).map(|path| path.log_weight.to_f64());
                let expected: f64 = weights.map(|log_weight| (log_weight - answer.log_partition).exp()).sum();
                let sum: f64 = marginals.state.iter().sum();
                assert!((sum - expected).abs() < 1e-12, "seed {seed}, t = {}: {sum} is not {expected}", step + 1);
            }
        }
    }
}

/// ∂ log Z / ∂θ = E[φ(τ)] = Σ_t γ^{t-1} Σ φ p_t.
#[test]
fn gradient_is_the_expected_feature_count() {
    for seed in 0..GRADIENT_SEEDS {
        let problem = RandomProblem::new(seed);
        let RandomProblem { mdp, features, theta, horizon, .. } = &problem;
        for ((start, stop), [answer, ..]) in problem.path_sets().into_iter().zip(answers(&problem)) {
            let expectation = features.expectation(mdp, &answer.occupancy(mdp.discount()));
            for (feature, expected) in expectation.iter().enumerate() {
                let slope = slope(1e-5, |step| {
                    let theta = moved(theta, feature, step);
                    enumerate_theta(mdp, features, &theta, &start, *horizon, stop).expect("paths exist").0
                });
                assert!((slope - expected).abs() < 1e-6, "seed {seed}, feature {feature}: {slope} is not {expected}");
            }
        }
    }
}

#[test]
fn rewards_from_theta_are_those_of_the_features() {
    for seed in 0..GRADIENT_SEEDS {
        let problem = RandomProblem::new(seed);
        let RandomProblem { mdp, features, theta, horizon, .. } = &problem;
        for ((start, stop), [answer, ..]) in problem.path_sets().into_iter().zip(answers(&problem)) {
            let (log_partition, expectation) =
                enumerate_theta(mdp, features, theta, &start, *horizon, stop).expect("paths exist");
            assert!((log_partition - answer.log_partition).abs() < 1e-12, "seed {seed}");
            let expected = features.expectation(mdp, &answer.occupancy(mdp.discount()));
            assert!(furthest(&expectation, &expected) < 1e-12, "seed {seed}: {expectation:?} is not {expected:?}");
        }
    }
}

/// `disagreement` finds an answer that is wrong in one place.
#[test]
fn disagreement_sees_every_part() {
    let problem = RandomProblem::new(0);
    let [right, ..] = answers(&problem).remove(0);
    assert_eq!(right.disagreement(&right), 0.0);
    let changes: [fn(&mut Answer); 4] = [
        |answer| answer.log_partition += 1.0,
        |answer| answer.marginals[0].state[0] += 1e-3,
        |answer| answer.marginals[0].choice[0] = f64::NAN,
        |answer| answer.marginals.last_mut().unwrap().transition[0] = 1e-280,
    ];
    for change in changes {
        let mut wrong = right.clone();
        change(&mut wrong);
        let disagreement = right.disagreement(&wrong);
        assert!(disagreement.is_nan() || disagreement > 1e-4, "{disagreement}");
    }
}

#[test]
fn without_a_path_there_is_no_answer() {
    let mut builder = MdpBuilder::new(2, 1);
    builder.start(0, 1.0).terminal(1).transition(0, 0, 0, 1.0);
    let mdp = builder.build().unwrap();
    let reward = Reward::of_states(vec![1.0, 2.0]);
    for stop in [Stop::Terminal, Stop::At(1)] {
        for oracle in [enumerate, algorithm1, padded] {
            assert_eq!(oracle(&mdp, &reward, &[(0, 1.0)], 4, stop), None);
            assert_eq!(oracle(&mdp, &reward, &[(0, 1.0)], 0, Stop::Anywhere), None);
        }
    }
}

type Kind = fn(&RandomProblem) -> bool;

/// The generator draws every kind of problem, or the tests above would prove less than they seem to.
#[test]
fn random_problems_cover_the_model() {
    let problems: Vec<RandomProblem> = (0..MANY_SEEDS).map(RandomProblem::new).collect();
    let kinds: [(&str, Kind); 22] = [
        ("one state", |p| p.mdp.n_states() == 1),
        ("five states", |p| p.mdp.n_states() == 5),
        ("one action", |p| p.mdp.n_actions() == 1),
        ("three actions", |p| p.mdp.n_actions() == 3),
        ("a horizon of 1", |p| p.horizon == 1),
        ("a horizon of 6", |p| p.horizon == 6),
        ("no transition", |p| p.mdp.n_transitions() == 0),
        ("deterministic", |p| p.mdp.n_transitions() > 2 && p.mdp.probability().iter().all(|&p| p == 1.0)),
        ("stochastic", |p| p.mdp.probability().iter().any(|&p| p < 1.0)),
        ("terminal states", has_terminal),
        ("no terminal state", |p| !has_terminal(p)),
        ("self-loops", |p| p.mdp.from().iter().zip(p.mdp.to()).any(|(from, to)| from == to)),
        ("a state that is never entered", has_unreachable),
        ("state-dependent actions", |p| {
            (0..p.mdp.n_states()).any(|s| (1..p.mdp.n_actions()).contains(&p.mdp.choices(s).len()))
        }),
        ("a reference policy", |p| p.mdp.reference().is_some()),
        ("a reference policy with zeros", |p| p.mdp.reference().is_some_and(|reference| reference.contains(&0.0))),
        ("several start states", |p| p.mdp.start().len() > 1),
        ("rows that are dropped", |p| p.mdp.n_rows() > p.mdp.n_transitions()),
        ("several features in one place", |p| (0..p.mdp.n_states()).any(|s| p.features.blocks()[0].row(s).count() > 1)),
        ("a weight of zero", |p| (0..p.demonstrations.len()).any(|index| p.demonstrations.weight(index) == 0.0)),
        ("a horizon beyond the demonstrations", |p| p.horizon > p.demonstrations.longest()),
        ("a horizon that a demonstration reaches", |p| p.horizon == p.demonstrations.longest()),
    ];
    for (kind, is_kind) in kinds {
        let count = problems.iter().filter(|problem| is_kind(problem)).count();
        assert!(count >= 20, "{count} problems with {kind}");
    }
    for ends in Ends::ALL {
        for mixture in 1..8 {
            let count = problems.iter().filter(|p| p.ends == ends && mixture_of(p) == mixture).count();
            assert!(count >= 20, "{count} problems with {ends:?} and features of kinds {mixture:03b}");
        }
    }
}

fn has_terminal(problem: &RandomProblem) -> bool {
    (0..problem.mdp.n_states()).any(|state| problem.mdp.is_terminal(state))
}

fn has_unreachable(problem: &RandomProblem) -> bool {
    let entered = |state| problem.mdp.start_probability(state) > 0.0 || problem.mdp.to().contains(&(state as u32));
    !(0..problem.mdp.n_states()).all(entered)
}

/// Which of φ_s, φ_sa and φ_sas' have entries, as bits.
fn mixture_of(problem: &RandomProblem) -> usize {
    problem.features.blocks().iter().enumerate().map(|(kind, block)| usize::from(!block.is_zero()) << kind).sum()
}

/// Demonstrations are paths of the set that they are said to come from.
#[test]
fn random_demonstrations_are_possible() {
    for seed in 0..MANY_SEEDS {
        let problem = RandomProblem::new(seed);
        let sets = problem.path_sets();
        for index in 0..problem.demonstrations.len() {
            let (start, stop) = sets.get(index).filter(|_| problem.ends == Ends::Goal).unwrap_or(&sets[0]);
            let states: Vec<usize> = problem.demonstrations.states(index).iter().map(|&state| state as usize).collect();
            let last = states[states.len() - 1];
            assert!(start.iter().any(|row| row.0 == states[0] && row.1 > 0.0), "seed {seed}");
            assert!(stop.allows(problem.mdp.is_terminal(last), last, states.len(), problem.horizon), "seed {seed}");
            let log_q = problem.demonstrations.log_q(&problem.mdp, index);
            assert!(log_q.is_finite(), "seed {seed}: log q = {log_q}");
        }
    }
}
