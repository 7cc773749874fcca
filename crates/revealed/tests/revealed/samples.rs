//! Samples of paths under conditions: from a start, after a prefix, to a destination; against enumeration.

use std::collections::HashMap;

use revealed::oracle::{Path, RandomProblem, paths};
use revealed::{
    DemonstrationFault, Ends, Error, Given, Mdp, PathDistribution, PathModel, Reward, Stop, Trajectory, Work, sample, worlds,
};

use crate::helpers::{action_of, furthest, model_of, refusal, reward_of, shares, trajectory_of};

/// Paths drawn in each test.
const N: usize = 10_000;
/// Cells with fewer expected paths are put together.
const FEWEST: f64 = 10.0;
/// A standard normal is beyond this once in two million.
const FAR: f64 = 5.0;

/// χ² of samples against the probabilities of all paths, and its degrees of freedom. Infinite if a path was drawn that
/// has none.
fn chi_squared(mdp: &Mdp, expected: &[(Path, f64)], drawn: &[Trajectory]) -> (f64, f64) {
    let mut seen: HashMap<(Vec<usize>, Vec<usize>), f64> = HashMap::new();
    for path in drawn {
        *seen.entry((path.states.clone(), path.actions.clone())).or_insert(0.0) += 1.0;
    }
    let (mut statistic, mut cells) = (0.0, 0.0);
    let mut cell = |expected: f64, seen: f64| {
        statistic += (seen - expected).powi(2) / expected;
        cells += 1.0;
    };
    let (mut rare, mut rare_seen) = (0.0, 0.0);
    for (path, p) in expected {
        let path = trajectory_of(mdp, &path.states, &path.transitions);
        let seen = seen.remove(&(path.states, path.actions)).unwrap_or(0.0);
        let expected = p * drawn.len() as f64;
        if expected < FEWEST {
            (rare, rare_seen) = (rare + expected, rare_seen + seen);
        } else {
            cell(expected, seen);
        }
    }
    if rare >= FEWEST {
        cell(rare, rare_seen);
    }
    if seen.is_empty() { (statistic, cells - 1.0) } else { (f64::INFINITY, cells) }
}

/// χ² as a standard normal number (Wilson and Hilferty); far below any threshold without a degree of freedom.
fn deviation((statistic, freedom): (f64, f64)) -> f64 {
    if freedom < 1.0 && statistic.is_finite() {
        return f64::NEG_INFINITY;
    }
    let spread = 2.0 / (9.0 * freedom.max(1.0));
    ((statistic / freedom.max(1.0)).cbrt() - (1.0 - spread)) / spread.sqrt()
}

/// Three questions about one random problem, with the paths that answer each.
struct Questions {
    problem: RandomProblem,
    start: Vec<(usize, f64)>,
    to: usize,
    prefix: Trajectory,
}

impl Questions {
    /// Of problems that have something to ask: a demonstration of at least two states, and several paths for each
    /// question.
    fn new(seed: u64) -> Option<Questions> {
        let problem = RandomProblem::new(seed);
        let demo = (0..problem.demonstrations.len())
            .map(|index| (problem.demonstrations.states(index), problem.demonstrations.transitions(index)))
            .max_by_key(|(states, _)| states.len())?;
        let (states, transitions): (Vec<usize>, Vec<usize>) =
            (demo.0.iter().map(|&s| s as usize).collect(), demo.1.iter().map(|&t| t as usize).collect());
        if states.len() < 2 {
            return None;
        }
        let mdp = &problem.mdp;
        let prefix = Trajectory::new(states[..2].to_vec(), vec![action_of(mdp, transitions[0])]);
        let to = states[states.len() - 1];
        let start = if problem.ends == Ends::Goal { vec![(states[0], 1.0)] } else { mdp.start().to_vec() };
        let questions = Questions { problem, start, to, prefix };
        let several = [questions.starting(), questions.to_a_state(), questions.after_a_prefix()];
        several.iter().all(|paths| paths.len() > 2).then_some(questions)
    }

    fn model(&self, reward: &Reward) -> PathModel<'_> {
        PathModel::new(&self.problem.mdp, reward.clone(), self.problem.horizon, self.problem.ends).unwrap()
    }

    /// All paths of the model from the start, to the goal if it needs one.
    fn paths(&self, to: Option<usize>) -> Vec<Path> {
        let reward = self.problem.reward();
        let stop = self.model(&reward).stop(to.or(self.goal())).unwrap();
        paths(&self.problem.mdp, &reward, &self.start, self.problem.horizon, stop)
    }

    fn goal(&self) -> Option<usize> {
        (self.problem.ends == Ends::Goal).then_some(self.to)
    }

    fn starting(&self) -> Vec<(Path, f64)> {
        shares(self.paths(None))
    }

    fn to_a_state(&self) -> Vec<(Path, f64)> {
        shares(self.paths(Some(self.to)))
    }

    fn after_a_prefix(&self) -> Vec<(Path, f64)> {
        let begins = |path: &Path| {
            let first = path.transitions.first().map(|&transition| action_of(&self.problem.mdp, transition));
            path.states.starts_with(&self.prefix.states) && first == Some(self.prefix.actions[0])
        };
        shares(self.paths(None).into_iter().filter(begins).collect())
    }

    /// χ² of samples of a model with this reward, for each question.
    fn answers(&self, model: &PathModel<'_>, seed: u64) -> [(f64, f64); 3] {
        let (work, goal) = (Work::default(), self.goal());
        let drawn = [
            sample(model, &Given::from_states(self.start.clone()).to(goal), N, seed, &work).unwrap(),
            sample(model, &Given::from_states(self.start.clone()).to(self.to), N, seed, &work).unwrap(),
            sample(model, &Given::after(self.prefix.clone()).to(goal), N, seed, &work).unwrap(),
        ];
        let expected = [self.starting(), self.to_a_state(), self.after_a_prefix()];
        let mdp = &self.problem.mdp;
        [0, 1, 2].map(|index| chi_squared(mdp, &expected[index], &drawn[index]))
    }
}

fn fifty() -> Vec<(u64, Questions)> {
    let found: Vec<(u64, Questions)> = (0..).filter_map(|seed| Some((seed, Questions::new(seed)?))).take(50).collect();
    for ends in Ends::ALL {
        assert!(found.iter().filter(|(_, questions)| questions.problem.ends == ends).count() >= 5, "{ends:?}");
    }
    assert!(found.iter().filter(|(_, questions)| questions.problem.mdp.discount() < 1.0).count() >= 20);
    found
}

fn added(sums: &mut [(f64, f64); 3], answers: [(f64, f64); 3]) {
    for (sum, answer) in sums.iter_mut().zip(answers) {
        *sum = (sum.0 + answer.0, sum.1 + answer.1);
    }
}

/// Seeds are fixed, so the test passes always or never: no χ² of 150 is further out than once in two million, and
/// together they are not either.
#[test]
fn samples_pass_a_chi_squared_test() {
    let mut sums = [(0.0, 0.0); 3];
    for (seed, questions) in fifty() {
        let answers = questions.answers(&questions.model(&questions.problem.reward()), seed);
        assert!(answers.iter().all(|&answer| deviation(answer) < FAR), "seed {seed}: {answers:?}");
        added(&mut sums, answers);
    }
    assert!(sums.iter().all(|&sum| sum.1 > 500.0 && deviation(sum).abs() < FAR), "{sums:?}");
}

/// The test detects a slightly different θ, and a sampler that forgets the discount.
#[test]
fn wrong_samplers_fail_the_test() {
    let (mut theta_off, mut undiscounted) = ([(0.0, 0.0); 3], [(0.0, 0.0); 3]);
    for (seed, questions) in fifty() {
        let problem = &questions.problem;
        let theta: Vec<f64> = problem.theta.iter().map(|theta| 1.1 * theta).collect();
        let reward = problem.features.reward(&problem.mdp, &theta).unwrap();
        added(&mut theta_off, questions.answers(&questions.model(&reward), seed));
        if problem.mdp.discount() < 1.0 {
            let mdp = problem.mdp.clone().with_discount(1.0).unwrap();
            let model = PathModel::new(&mdp, problem.reward(), problem.horizon, problem.ends).unwrap();
            added(&mut undiscounted, questions.answers(&model, seed));
        }
    }
    for sums in [theta_off, undiscounted] {
        assert!(sums.iter().all(|&sum| deviation(sum) > 2.0 * FAR), "{sums:?}");
    }
}

/// Both functions that sample draw the same paths.
#[test]
fn one_pass_or_two_make_no_difference() {
    for seed in 0..224 {
        let problem = RandomProblem::new(seed);
        let model = model_of(&problem);
        let (start, stop) = problem.path_sets().swap_remove(0);
        let to = stop.goal();
        let mut paths = model.distribution(&Given::from_states(start.clone()).to(to), &Work::default()).unwrap();
        let drawn = paths.sample(50, seed).unwrap();
        assert_eq!(
            sample(&model, &Given::from_states(start).to(to), 50, seed, &Work::default()).unwrap(),
            drawn,
            "seed {seed}"
        );
        for path in &drawn {
            assert!(paths.log_prob(path).unwrap() > f64::NEG_INFINITY);
        }
    }
}

/// A goal model says nothing about first states: they keep their probabilities, as far as they can reach the goal.
#[test]
fn given_first_states_keep_their_probabilities() {
    let (mut left_out, mut sums) = (0, (0.0, 0.0));
    for seed in 0..448 {
        let problem = RandomProblem::new(seed);
        let (mdp, reward, horizon) = (&problem.mdp, problem.reward(), problem.horizon);
        let stop = Stop::At((seed / 7) as usize % mdp.n_states());
        let given = |start: &[(usize, f64)]| {
            let work = Work::default();
            PathDistribution::given_first_state(mdp, reward.clone(), start.to_vec(), horizon, stop, &work)
        };
        let of_start = |row: &(usize, f64)| shares(paths(mdp, &reward, &[(row.0, 1.0)], horizon, stop));
        let by_start: Vec<_> = mdp.start().iter().map(|row| (row.1, of_start(row))).filter(|row| !row.1.is_empty()).collect();
        let total: f64 = by_start.iter().map(|row| row.0).sum();
        left_out += usize::from(by_start.len() < mdp.start().len() && !by_start.is_empty());
        if by_start.is_empty() {
            assert!(matches!(given(mdp.start()), Err(Error::NoPath { .. })), "seed {seed}");
            continue;
        }
        let mut found = given(mdp.start()).unwrap();
        let (mut marginals, mut all) = (vec![vec![0.0; mdp.n_states()]; horizon], Vec::new());
        for (p, of_start) in &by_start {
            for (path, share) in of_start {
                let p = p / total * share;
                path.states.iter().zip(&mut marginals).for_each(|(&state, marginals)| marginals[state] += p);
                let log_prob = found.log_prob(&trajectory_of(mdp, &path.states, &path.transitions)).unwrap();
                assert!((log_prob - p.ln()).abs() < 1e-10, "seed {seed}: {log_prob}, not {}", p.ln());
                all.push((path.clone(), p));
            }
        }
        let mut visits = vec![0.0; mdp.n_states()];
        for (t, expected) in marginals.iter().enumerate() {
            let p = found.marginals(t + 1).unwrap().state;
            assert!(furthest(&p, expected) < 1e-12, "seed {seed}, t {t}: {p:?}, not {expected:?}");
            visits.iter_mut().zip(expected).for_each(|(visits, p)| *visits += mdp.discount().powi(t as i32) * p);
        }
        assert!(furthest(&found.occupancy().state, &visits) < 1e-12, "seed {seed}");
        assert!((found.start().iter().map(|row| row.1).sum::<f64>() - 1.0).abs() < 1e-12);
        if seed % 8 == 0 {
            let answer = chi_squared(mdp, &all, &found.sample(N, seed).unwrap());
            assert!(deviation(answer) < FAR, "seed {seed}: {answer:?}");
            sums = (sums.0 + answer.0, sums.1 + answer.1);
            let model = PathModel::new(mdp, reward.clone(), horizon, Ends::Goal).unwrap();
            let from_model = sample(&model, &Given::default().to(stop.goal()), 50, seed, &Work::default()).unwrap();
            assert_eq!(from_model, found.sample(50, seed).unwrap());
        }
    }
    assert!(left_out > 20 && sums.1 > 100.0 && deviation(sums).abs() < FAR, "{left_out} {sums:?}");
}

#[test]
fn questions_without_an_answer_are_refused() {
    let chain = worlds::linear_chain(5).unwrap();
    let model = |horizon, ends| PathModel::new(&chain.mdp, Reward::of_states(vec![0.0; 5]), horizon, ends).unwrap();
    let begun = |states: &[usize]| Trajectory::new(states.to_vec(), vec![0; states.len().saturating_sub(1)]);
    let after = |model: &PathModel<'_>, states: &[usize], to| {
        sample(model, &Given::after(begun(states)).to(to), 3, 1, &Work::default())
    };
    let anywhere = model(5, Ends::Anywhere);
    // The prefix is all that is left of the horizon, or has ended, or is there already.
    for (states, to) in [(&[0, 1, 2, 3, 4][..], None), (&[3, 4][..], Some(4)), (&[4][..], None)] {
        let drawn = after(&anywhere, states, to).unwrap();
        assert!(drawn.iter().all(|path| path.states == states), "{drawn:?}");
    }
    let drawn = after(&model(3, Ends::Horizon), &[0, 1], None).unwrap();
    assert!(drawn.iter().all(|path| path.states == [0, 1, 2] && path.actions == [0, 0]));
    assert!(matches!(after(&anywhere, &[0, 2], None), Err(Error::Prefix(DemonstrationFault::Transition { .. }))));
    assert!(matches!(after(&anywhere, &[], None), Err(Error::Prefix(DemonstrationFault::Empty))));
    assert!(matches!(
        after(&model(2, Ends::Anywhere), &[0, 1, 2], None),
        Err(Error::Prefix(DemonstrationFault::TooLong { .. }))
    ));
    let message = refusal(after(&anywhere, &[2, 3], Some(0)));
    assert!(
        message.starts_with("no path that begins with this prefix of 2 states and leads to state 0 exists within 5 states"),
        "{message}"
    );
    let message = refusal(after(&model(4, Ends::Terminal), &[0, 1], None));
    assert!(message.contains("this prefix of 2 states and leads to a terminal state exists within 4"), "{message}");
    assert!(matches!(after(&model(5, Ends::Goal), &[0, 1], None), Err(Error::NoGoal)));
    assert!(matches!(after(&model(5, Ends::Terminal), &[0, 1], Some(2)), Err(Error::NotAnEnd { state: 2, .. })));
    let from = |start: Vec<(usize, f64)>, n| sample(&anywhere, &Given::from_states(start), n, 1, &Work::default());
    assert!(matches!(from(vec![], 3), Err(Error::NoPath { .. })));
    assert!(matches!(from(vec![(0, 0.0)], 3), Err(Error::NoPath { .. })));
    assert!(matches!(from(vec![(9, 1.0)], 3), Err(Error::OutOfRange { .. })));
    assert!(matches!(from(vec![(0, 1.0)], usize::MAX), Err(Error::Count { .. })));
    assert!(from(vec![(0, 1.0)], 0).unwrap().is_empty());
}

#[test]
fn any_number_of_threads_and_any_memory_draw_the_same_paths() {
    let world = worlds::road_like(20_000, 41_000, 2).unwrap();
    let reward = reward_of(&world);
    let model = PathModel::new(&world.mdp, reward, 60, Ends::Anywhere).unwrap();
    let drawn = |threads, memory| {
        let work = Work { threads: Some(threads), memory };
        sample(&model, &Given::default(), 300, 4, &work).unwrap()
    };
    let one = drawn(1, 1 << 30);
    assert_eq!(one, drawn(2, 1 << 30));
    assert_eq!(one, drawn(3, 12 << 20));
    assert!(one.iter().map(|path| path.states.len()).max() > Some(10));
}
