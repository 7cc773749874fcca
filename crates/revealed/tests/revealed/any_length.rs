//! Paths of any length: every question, against the series itself and against a horizon so long that the tail is lost
//! in rounding. The answers within a horizon are compared with enumeration elsewhere.

use revealed::oracle::RandomProblem;
use revealed::{
    Demonstrations, Destinations, Ends, Error, Features, Given, Horizon, Likelihood, MaxEnt, Mdp, MdpBuilder, Options,
    PathModel, PathQuery, Prior, Reward, Trajectory, Work, best_paths, lengths, sample, scores, soft_values,
};

use crate::helpers::{furthest, trajectory_of};

/// The steps out of a state weigh at most this much together, so that the series converges geometrically.
const RATIO: f64 = 0.85;
/// RATIO to this power is below the rounding of an f64.
const LONG: usize = 260;
const SEEDS: u64 = 2_000;

/// A random problem without a discount whose loops cost enough, with its reward.
struct Converging {
    mdp: Mdp,
    reward: Reward,
    ends: Ends,
    demos: Vec<Trajectory>,
}

impl Converging {
    /// `None` if paths of this problem end at the horizon.
    fn new(seed: u64) -> Option<Converging> {
        let problem = RandomProblem::new(seed);
        if problem.ends == Ends::Horizon {
            return None;
        }
        let mut reward = problem.reward();
        let demos = (0..problem.demonstrations.len()).map(|index| demonstration_of(&problem, index)).collect();
        let mdp = problem.mdp.with_discount(1.0).unwrap();
        let most = (0..mdp.n_states()).map(|state| step_sum(&mdp, &reward, state)).fold(RATIO, f64::max);
        reward.state.iter_mut().for_each(|reward| *reward -= (most / RATIO).ln());
        Some(Converging { mdp, reward, ends: problem.ends, demos })
    }

    fn model(&self, horizon: Horizon) -> PathModel<'_> {
        PathModel::new(&self.mdp, self.reward.clone(), horizon, self.ends).unwrap()
    }

    /// The last state of the first demonstration, for paths to a goal.
    fn goal(&self) -> Option<usize> {
        (self.ends == Ends::Goal).then(|| self.demos[0].states[self.demos[0].states.len() - 1])
    }
}

fn demonstration_of(problem: &RandomProblem, index: usize) -> Trajectory {
    let [states, steps] = [problem.demonstrations.states(index), problem.demonstrations.transitions(index)];
    let [states, steps] = [states, steps].map(|numbers| numbers.iter().map(|&number| number as usize).collect::<Vec<_>>());
    trajectory_of(&problem.mdp, &states, &steps)
}

/// The total weight of the steps out of a state.
fn step_sum(mdp: &Mdp, reward: &Reward, state: usize) -> f64 {
    let weight =
        |step: usize| mdp.base_weight(step) * (reward.of_transition(step) + reward.state[mdp.to()[step] as usize]).exp();
    mdp.children(state).map(weight).sum()
}

fn close(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() <= 1e-10 * (1.0 + one.abs().max(other.abs()))
}

/// The same answer, or the same kind of error.
fn both<T>(what: &str, any: Result<T, Error>, within: Result<T, Error>) -> Option<(T, T)> {
    match (any, within) {
        (Ok(any), Ok(within)) => Some((any, within)),
        (Err(any), Err(within)) => {
            assert_eq!(std::mem::discriminant(&any), std::mem::discriminant(&within), "{what}: {any} / {within}");
            None
        }
        (any, within) => panic!("{what}: {:?} / {:?}", any.err(), within.err()),
    }
}

#[test]
fn sums_and_visits_equal_the_series() {
    for seed in 0..SEEDS {
        let Some(problem) = Converging::new(seed) else { continue };
        let (mdp, reward, what) = (&problem.mdp, &problem.reward, format!("seed {seed}"));
        let start = match problem.ends {
            Ends::Goal => vec![(problem.demos[0].states[0], 1.0)],
            _ => mdp.start().to_vec(),
        };
        let model = problem.model(Horizon::Any);
        let found = model.distribution(&Given::from_states(start.clone()).to(problem.goal()), &Work::default()).unwrap();
        // α_1, α_2, …: the weight of the paths of each length by their last state.
        let mut message = vec![0.0; mdp.n_states()];
        start.iter().for_each(|&(state, p)| message[state] = p * reward.state[state].exp());
        let mut z = 0.0;
        for _ in 0..LONG {
            let ends = |state: &usize| match problem.goal() {
                Some(goal) => *state == goal,
                None => model.may_end(*state, 1),
            };
            z += (0..mdp.n_states()).filter(ends).map(|state| message[state]).sum::<f64>();
            let mut next = vec![0.0; mdp.n_states()];
            for step in 0..mdp.n_transitions() {
                let to = mdp.to()[step] as usize;
                let weight = mdp.base_weight(step) * (reward.of_transition(step) + reward.state[to]).exp();
                next[to] += message[mdp.from()[step] as usize] * weight;
            }
            message = next;
        }
        assert!(close(found.log_partition(), z.ln()), "{what}: {} / {}", found.log_partition(), z.ln());
    }
}

#[test]
fn every_question_equals_that_of_a_long_horizon() {
    let mut asked = 0;
    for seed in 0..SEEDS {
        let Some(problem) = Converging::new(seed) else { continue };
        let (any, within) = (problem.model(Horizon::Any), problem.model(Horizon::AtMost(LONG)));
        let (to, work) = (problem.goal(), Work::default());
        let what = format!("seed {seed}, ends {}", problem.ends.name());
        let start = problem.mdp.start().to_vec();

        let paths = [&any, &within].map(|model| model.distribution(&Given::from_states(start.clone()).to(to), &work));
        let [one, other] = paths;
        let Some((mut one, mut other)) = both(&what, one, other) else { continue };
        asked += 1;
        assert!(close(one.log_partition(), other.log_partition()), "{what}");
        assert!(furthest(&one.occupancy().state, &other.occupancy().state) < 1e-10, "{what}");
        assert!(furthest(&one.occupancy().transition, &other.occupancy().transition) < 1e-10, "{what}");
        for t in [1, 2, 5] {
            let (one, other) = (one.marginals(t).unwrap(), other.marginals(t).unwrap());
            assert!(furthest(&one.state, &other.state) < 1e-10, "{what}");
            assert!(furthest(&one.choice, &other.choice) < 1e-10, "{what}");
            assert!(furthest(&one.transition, &other.transition) < 1e-10, "{what}");
        }
        let (policy, early) = (one.policy(7).unwrap(), other.policy(1).unwrap());
        assert!(furthest(&policy.choice, &early.choice) < 1e-10 && furthest(&policy.stop, &early.stop) < 1e-10, "{what}");
        assert_eq!(policy.defined, early.defined, "{what}");
        let survival = one.survival().unwrap();
        assert!(furthest(&survival, &other.survival().unwrap()[..survival.len()]) < 1e-10, "{what}");

        let [one, other] = [&any, &within].map(|model| soft_values(model, to, &work).unwrap());
        assert!(one.iter().zip(&other).all(|(&one, &other)| close(one, other)), "{what}: {one:?} / {other:?}");

        let [one, other] = [&any, &within].map(|model| lengths(model, &Given::from_states(start.clone()).to(to), &work));
        let (one, other) = both(&what, one, other).expect("there are paths");
        same_lengths(&what, &one, &other);
        prefixes(&what, &problem, &any, &within);

        let demos = Demonstrations::new(&problem.mdp, &problem.demos).unwrap();
        let [one, other] = [&any, &within].map(|model| scores(model, &demos, &work).unwrap());
        for (one, other) in one.into_iter().zip(other) {
            let (one, other) = (one.unwrap(), other.unwrap());
            assert!(close(one.log_likelihood, other.log_likelihood), "{what}");
            assert!(close(one.stop.log_probability, other.stop.log_probability), "{what}");
        }
    }
    assert!(asked > 1_000, "{asked}");
}

fn same_lengths(what: &str, any: &revealed::Lengths, within: &revealed::Lengths) {
    assert_eq!(any.first, within.first, "{what}");
    assert!(close(any.mean(), within.mean()) && close(any.remaining(), within.remaining()), "{what}: {any:?}");
    assert!((any.variance() - within.variance()).abs() < 1e-9 * (1.0 + within.variance()), "{what}");
    let listed = any.probability.len().min(within.probability.len());
    assert!(furthest(&any.probability[..listed], &within.probability[..listed]) < 1e-10, "{what}");
    assert!(1.0 - any.probability.iter().sum::<f64>() < 2.0 * revealed::TAIL, "{what}");
}

/// Destinations and lengths after the first states of a demonstration.
fn prefixes(what: &str, problem: &Converging, any: &PathModel<'_>, within: &PathModel<'_>) {
    let demo = &problem.demos[0];
    let seen = demo.states.len().div_ceil(2);
    let prefix = Trajectory::new(demo.states[..seen].to_vec(), demo.actions[..seen - 1].to_vec());
    let work = Work::default();
    let [one, other] = [any, within].map(|model| lengths(model, &Given::after(prefix.clone()).to(problem.goal()), &work));
    if let Some((one, other)) = both(what, one, other) {
        same_lengths(what, &one, &other);
    }
    let given = Prior::Given((0..problem.mdp.n_states()).map(|state| (1 + state % 3) as f64).collect());
    for prior in [Prior::Model, Prior::Uniform, given] {
        let asked = [any, within].map(|model| Destinations::new(model, prior.clone(), &work));
        let [one, other] = asked;
        let Some((mut one, mut other)) = both(what, one, other) else { continue };
        let found = both(what, one.posterior(&prefix), other.posterior(&prefix));
        let Some((posterior, expected)) = found else { continue };
        assert!(furthest(&posterior, &expected) < 1e-10, "{what}, {prior:?}: {posterior:?} / {expected:?}");
        let (one, other) = both(what, one.lengths(&prefix), other.lengths(&prefix)).expect("there are paths");
        same_lengths(what, &one, &other);
    }
}

#[test]
fn gradients_equal_central_differences() {
    for seed in 0..400 {
        let problem = RandomProblem::new(seed);
        if problem.ends == Ends::Horizon {
            continue;
        }
        let mdp = problem.mdp.clone().with_discount(1.0).unwrap();
        let options = Options { ends: problem.ends, horizon: Some(Horizon::Any), ..Options::default() };
        let mut likelihood = Likelihood::new(&mdp, &problem.features, &problem.demonstrations, &options).unwrap();
        // A random θ need not be one at which the sums are finite.
        let Ok(here) = likelihood.evaluate(&problem.theta) else { continue };
        for k in 0..problem.theta.len() {
            let mut at = |step: f64| {
                let mut theta = problem.theta.clone();
                theta[k] += step;
                likelihood.evaluate(&theta).map(|evaluation| evaluation.log_likelihood)
            };
            let h = 1e-5;
            let (Ok(up), Ok(down)) = (at(h), at(-h)) else { continue };
            let difference = (up - down) / (2.0 * h);
            let scale = 1.0 + here.gradient[k].abs();
            // Close to a divergence the third derivative is large: the check is then too coarse to say anything.
            if scale < 50.0 {
                assert!((here.gradient[k] - difference).abs() < 1e-5 * scale * scale, "seed {seed}, parameter {k}");
            }
        }
    }
}

/// Four states: 0 → 1 or 2, 1 → 0 or 3, 2 → 3; a round 0 → 1 → 0 weighs 0.2, and the two ways to 3 are as likely as
/// 3:2.
fn four_states() -> (Mdp, Features, Vec<f64>) {
    let mut builder = MdpBuilder::new(4, 2);
    builder.start(0, 1.0).terminal(3);
    builder.transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0).transition(1, 0, 0, 1.0).transition(1, 1, 3, 1.0);
    builder.transition(2, 0, 3, 1.0);
    let mdp = builder.build().unwrap();
    let mut features = revealed::FeaturesBuilder::new(2);
    features.state(0, 0, 1.0).state(1, 0, 1.0).state(2, 1, 1.5).state(3, 0, 1.0);
    let features = features.build(&mdp).unwrap();
    (mdp, features, vec![-0.804_718_956_258_350_1, -1.268_887_496_180_607])
}

#[test]
fn the_four_state_loop_has_one_value_for_each_probability() {
    let (mdp, features, theta) = four_states();
    let reward = features.reward(&mdp, &theta).unwrap();
    let model = PathModel::new(&mdp, reward, Horizon::Any, Ends::Goal).unwrap();
    let work = Work::default();
    let mut paths = model.distribution(&Given::from_state(0).to(3), &work).unwrap();
    let direct = Trajectory::new(vec![0, 1, 3], vec![0, 1]);
    let p = paths.log_prob(&direct).unwrap().exp();
    assert!((p - 0.6).abs() < 1e-9, "{p}");
    let best = best_paths(&model, &PathQuery::between(0, 3)).unwrap();
    assert_eq!(best.paths[0].path.states, [0, 1, 3]);
    assert!((best.paths[0].log_score - paths.log_partition() - 0.6f64.ln()).abs() < 1e-9);
    assert!((lengths(&model, &Given::from_state(0).to(3), &work).unwrap().mean() - 3.5).abs() < 1e-9);
    assert!((paths.occupancy().state.iter().sum::<f64>() - 3.5).abs() < 1e-9);
    let n = 40_000;
    let drawn = sample(&model, &Given::from_state(0).to(3), n, 7, &work).unwrap();
    let share = drawn.iter().filter(|path| **path == direct).count() as f64 / n as f64;
    assert!((share - 0.6).abs() < 5.0 * (0.24 / n as f64).sqrt(), "{share}");
    let mean = drawn.iter().map(|path| path.states.len()).sum::<usize>() as f64 / n as f64;
    assert!((mean - 3.5).abs() < 0.05, "{mean}");
    let begun = Trajectory::new(vec![0, 1, 0, 1], vec![0, 0, 0]);
    let drawn = sample(&model, &Given::after(begun.clone()).to(3), 100, 1, &work).unwrap();
    assert!(drawn.iter().all(|path| path.states.starts_with(&begun.states) && path.states.ends_with(&[3])));
    let demos = Demonstrations::new(&mdp, std::slice::from_ref(&direct)).unwrap();
    let score = scores(&model, &demos, &work).unwrap().remove(0).unwrap();
    assert!((score.log_likelihood - 0.6f64.ln()).abs() < 1e-9);
    let options = Options { ends: Ends::Goal, horizon: Some(Horizon::Any), ..Options::default() };
    let likelihood = Likelihood::new(&mdp, &features, &demos, &options).unwrap().evaluate(&theta).unwrap();
    assert!((likelihood.log_likelihood - 0.6f64.ln()).abs() < 1e-9);
}

#[test]
fn the_fit_without_a_horizon_is_that_of_a_long_one() {
    let (mdp, features, theta) = four_states();
    let reward = features.reward(&mdp, &theta).unwrap();
    for ends in [Ends::Anywhere, Ends::Terminal, Ends::Goal] {
        let model = PathModel::new(&mdp, reward.clone(), Horizon::Any, ends).unwrap();
        let to = (ends == Ends::Goal).then_some(3);
        let drawn = sample(&model, &Given::from_state(0).to(to), 500, 3, &Work::default()).unwrap();
        let demos = Demonstrations::new(&mdp, &drawn).unwrap();
        let fit = |horizon: Horizon| {
            let options = Options { ends, horizon: Some(horizon), ..Options::default() };
            MaxEnt { options, l2: 1e-3, ..MaxEnt::default() }.fit(&mdp, &features, &demos).unwrap()
        };
        let (any, long) = (fit(Horizon::Any), fit(Horizon::AtMost(2_000)));
        assert!(any.converged && long.converged, "{}", any.stopped_because);
        assert_eq!(any.horizon, Horizon::Any);
        assert!((any.log_likelihood - long.log_likelihood).abs() < 1e-9, "{}", ends.name());
        assert!(furthest(&any.theta, &long.theta) < 1e-5, "{:?} / {:?}", any.theta, long.theta);
    }
}

#[test]
fn a_cycle_that_pays_for_itself_is_named() {
    let (mdp, features, _) = four_states();
    let at = |theta: [f64; 2]| {
        let reward = features.reward(&mdp, &theta).unwrap();
        PathModel::new(&mdp, reward, Horizon::Any, Ends::Terminal)
            .unwrap()
            .distribution(&Given::from_state(0), &Work::default())
    };
    let Err(Error::Diverges { mut states, log_weight, .. }) = at([0.25, 0.0]).map(|_| ()) else { panic!("it converges") };
    states.sort_unstable();
    assert_eq!(states, [0, 1]);
    assert!((log_weight - 0.5).abs() < 1e-12);
    let message = at([0.0, 0.0]).map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("pays for itself") && message.contains("give a horizon"), "{message}");
}

/// A search for weights meets such rewards often. Each time it took minutes to name the cycle.
#[test]
fn the_cycle_is_named_at_once_in_a_large_network() {
    let roads = revealed::worlds::road_like(40_000, 80_000, 1).unwrap();
    let reward = Reward { state: vec![1e-3; 40_000], transition: vec![-1e-6; roads.mdp.n_transitions()] };
    let clock = std::time::Instant::now();
    let Err(Error::Diverges { states, log_weight, .. }) =
        revealed::RouteSums::new(&roads.mdp, &reward, &Work::default()).map(|_| ())
    else {
        panic!("it converges")
    };
    let expected = states.len() as f64 * (1e-3 - 1e-6);
    assert!((log_weight - expected).abs() < 1e-9, "{log_weight} instead of {expected}");
    assert!(clock.elapsed().as_secs() < 20, "{:?}", clock.elapsed());
}

#[test]
fn cycles_that_no_path_takes_do_not_matter() {
    // 2 and 3 form a free cycle that no path from 0 reaches; 4 is a trap that never ends.
    let mut builder = MdpBuilder::new(6, 2);
    builder.start(0, 1.0).terminal(1).transition(0, 0, 1, 1.0).transition(0, 1, 4, 1.0);
    builder.transition(2, 0, 3, 1.0).transition(3, 0, 2, 1.0).transition(3, 1, 1, 1.0);
    builder.transition(4, 0, 4, 1.0).transition(5, 0, 1, 1.0);
    let mdp = builder.build().unwrap();
    let model = PathModel::new(&mdp, Reward::of_states(vec![0.0; 6]), Horizon::Any, Ends::Terminal).unwrap();
    let paths = model.distribution(&Given::from_state(0), &Work::default()).unwrap();
    assert!(paths.log_partition().abs() < 1e-12);
    let ending = revealed::Spread::new(&model, &Work::default()).unwrap().endings(&[(0, 1.0)], 1).unwrap();
    assert!((ending[1].to_f64() - 1.0).abs() < 1e-12);
}

#[test]
fn rewards_of_any_size_stay_in_range() {
    let mdp = revealed::worlds::linear_chain(200).unwrap().mdp;
    for pays in [-40.0, 40.0] {
        let model = PathModel::new(&mdp, Reward::of_states(vec![pays; 200]), Horizon::Any, Ends::Goal).unwrap();
        let paths = model.distribution(&Given::from_state(0).to(199), &Work::default()).unwrap();
        assert!(close(paths.log_partition(), 200.0 * pays));
        let ending = revealed::Spread::new(&model, &Work::default()).unwrap().endings(&[(0, 1.0)], 1).unwrap();
        assert!(close(ending[199].ln(), 200.0 * pays));
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    let (mdp, features, theta) = four_states();
    let reward = features.reward(&mdp, &theta).unwrap();
    let refused = |ends| PathModel::new(&mdp, reward.clone(), Horizon::Any, ends).map(|_| ()).unwrap_err();
    assert!(matches!(refused(Ends::Horizon), Error::AnyLength { .. }));
    let discounted = mdp.clone().with_discount(0.9).unwrap();
    let refused = PathModel::new(&discounted, reward.clone(), Horizon::Any, Ends::Goal).map(|_| ()).unwrap_err();
    assert!(matches!(refused, Error::DiscountedSum { .. }));
}
