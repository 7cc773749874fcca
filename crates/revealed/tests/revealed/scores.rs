//! The scores of demonstrations, factor by factor, against enumeration.

use revealed::oracle::{Path, RandomProblem, paths};
use revealed::worlds::{self, World};
use revealed::{
    Aspect, DemonstrationFault, Demonstrations, Ends, Event, Factor, MdpBuilder, PathDistribution, PathModel, Reward, Score,
    Stop, Surprise, Trajectory, Work, scores,
};

use crate::helpers::{action_of, close, lake, likelihood_of, model_of, refusal, reward_of, shares, trajectory_of};

/// Enumerated paths with their probabilities.
struct Enumerated {
    paths: Vec<(Path, f64)>,
}

impl Enumerated {
    fn new(problem: &RandomProblem, start: &[(usize, f64)], stop: Stop) -> Enumerated {
        Enumerated { paths: shares(paths(&problem.mdp, &problem.reward(), start, problem.horizon, stop)) }
    }

    fn probability(&self, of: impl Fn(&Path) -> bool) -> f64 {
        self.paths.iter().filter(|(path, _)| of(path)).map(|(_, p)| p).sum()
    }

    /// Compares a factor with P(happened | given) and with the largest P(option | given).
    fn check(&self, found: Factor, happened: Event, given: &dyn Fn(&Path) -> Option<Event>, options: &[Event], what: &str) {
        let all = self.probability(|path| given(path).is_some());
        let p = |event: Event| self.probability(|path| given(path) == Some(event)) / all;
        close(found.log_probability, p(happened).ln(), 1e-10, what);
        let most = options.iter().map(|&event| p(event)).fold(0.0, f64::max);
        close(found.likeliest_log_probability, most.ln(), 1e-10, format_args!("{what}, likeliest"));
        close(p(found.likeliest), most, 1e-10, format_args!("{what}, likeliest is {:?}", found.likeliest));
        assert!(found.log_probability <= 0.0 && found.likeliest_log_probability <= 0.0, "{what}");
    }
}

/// Each factor is the probability of what happened among all paths that are in the same state at the same time.
fn check_score(problem: &RandomProblem, index: usize, score: &Score, enumerated: &Enumerated, what: &str) {
    let mdp = &problem.mdp;
    let states: Vec<usize> = problem.demonstrations.states(index).iter().map(|&state| state as usize).collect();
    let transitions: Vec<usize> = problem.demonstrations.transitions(index).iter().map(|&t| t as usize).collect();
    let action = |transition: usize| Event::Action(action_of(mdp, transition));
    let every_state: Vec<Event> = (0..mdp.n_states()).map(Event::State).collect();
    let every_move: Vec<Event> = (0..mdp.n_actions()).map(Event::Action).chain([Event::Stop]).collect();

    let first = |path: &Path| Some(Event::State(path.states[0]));
    enumerated.check(score.start, Event::State(states[0]), &first, &every_state, &format!("{what}, start"));
    assert_eq!(score.length(), states.len());
    for (step, &state) in states.iter().enumerate() {
        let moved = |path: &Path| {
            let here = path.states.get(step) == Some(&state);
            here.then(|| path.transitions.get(step).map_or(Event::Stop, |&transition| action(transition)))
        };
        let Some(&transition) = transitions.get(step) else {
            enumerated.check(score.stop, Event::Stop, &moved, &every_move, &format!("{what}, stop"));
            continue;
        };
        let what = format!("{what}, step {step}");
        enumerated.check(score.steps[step].choice, action(transition), &moved, &every_move, &format!("{what}, choice"));
        let came = |path: &Path| (moved(path) == Some(action(transition))).then(|| Event::State(path.states[step + 1]));
        let to = Event::State(mdp.to()[transition] as usize);
        enumerated.check(score.steps[step].outcome, to, &came, &every_state, &format!("{what}, outcome"));
    }
    let sum: f64 = score.factors().map(|factor| factor.factor.log_probability).sum();
    close(score.log_likelihood, sum, 1e-10, what);
    assert_eq!(score.factors().count(), 2 * states.len());
}

#[test]
fn every_factor_equals_enumeration() {
    let mut of_ends = [0; 4];
    for seed in 0..2_240 {
        let problem = RandomProblem::new(seed);
        let RandomProblem { mdp, theta, demonstrations, horizon, ends, .. } = &problem;
        let found = scores(&model_of(&problem), demonstrations, &Work::default()).unwrap();
        let sets = problem.path_sets();
        let enumerated: Vec<Enumerated> = sets.iter().map(|(start, stop)| Enumerated::new(&problem, start, *stop)).collect();
        let mut mean = 0.0;
        for (index, score) in found.iter().enumerate() {
            let score = score.as_ref().unwrap();
            let set = if *ends == Ends::Goal { index } else { 0 };
            let what = format!("seed {seed}, demonstration {index}");
            check_score(&problem, index, score, &enumerated[set], &what);
            let (start, stop) = sets[set].clone();
            let mut paths = PathDistribution::from(mdp, problem.reward(), start, *horizon, stop).unwrap();
            let of = |numbers: &[u32]| -> Vec<usize> { numbers.iter().map(|&number| number as usize).collect() };
            let path = trajectory_of(mdp, &of(demonstrations.states(index)), &of(demonstrations.transitions(index)));
            close(score.log_likelihood, paths.log_prob(&path).unwrap(), 1e-10, &what);
            mean += demonstrations.weight(index) / demonstrations.total_weight() * score.log_likelihood;
            of_ends[*ends as usize] += 1;
        }
        let mut likelihood = likelihood_of(&problem);
        close(mean, likelihood.evaluate(theta).unwrap().log_likelihood, 1e-10, format_args!("seed {seed}"));
    }
    assert!(of_ends.iter().all(|&count| count > 500), "{of_ends:?}");
}

/// A road of three states, of which the second has an exit of this cost.
fn with_exit(cost: f64) -> (revealed::Mdp, Reward) {
    let mut builder = MdpBuilder::new(4, 2);
    builder.start(0, 1.0).terminal(2).terminal(3);
    builder.transition(0, 0, 1, 1.0).transition(1, 0, 2, 1.0).transition(1, 1, 3, 1.0);
    (builder.build().unwrap(), Reward::of_states(vec![0.0, 0.0, 0.0, -cost]))
}

#[test]
fn what_looks_impossible_keeps_its_logarithm() {
    for cost in [5.0, 2000.0, 1e6] {
        let (mdp, reward) = with_exit(cost);
        let model = PathModel::new(&mdp, reward, 3, Ends::Terminal).unwrap();
        let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 1, 3], vec![0, 1])]).unwrap();
        let score = scores(&model, &demos, &Work::default()).unwrap().remove(0).unwrap();
        let expected = -cost - (-cost).exp().ln_1p();
        close(score.log_likelihood, expected, 1e-10, "the whole");
        let surprises = score.surprises(10);
        // Everything else was certain.
        assert_eq!(surprises.len(), 1);
        let Surprise { t, aspect, factor } = surprises[0];
        assert_eq!((t, aspect, factor.likeliest), (2, Aspect::Choice, Event::Action(0)));
        close(factor.log_probability, expected, 1e-10, "the step");
        close(factor.likeliest_log_probability, -(-cost).exp().ln_1p(), 1e-10, "the usual step");
        close(score.per_step(), expected / 3.0, 1e-10, "per step");
    }
}

#[test]
fn surprises_come_in_order_and_ties_in_that_of_time() {
    // Two fair choices, then a costly one.
    let mut builder = MdpBuilder::new(4, 2);
    builder.start(0, 1.0).terminal(3);
    for state in 0..3 {
        builder.transition(state, 0, state + 1, 1.0).transition(state, 1, state + 1, 1.0);
    }
    let mdp = builder.build().unwrap();
    let features = revealed::FeaturesBuilder::new(1).state_action(2, 1, 0, 1.0).build(&mdp).unwrap();
    let model = PathModel::new(&mdp, features.reward(&mdp, &[-3.0]).unwrap(), 4, Ends::Terminal).unwrap();
    let demos = Demonstrations::new(&mdp, &[Trajectory::new(vec![0, 1, 2, 3], vec![1, 0, 1])]).unwrap();
    let score = scores(&model, &demos, &Work::default()).unwrap().remove(0).unwrap();
    let times: Vec<usize> = score.surprises(5).iter().map(|surprise| surprise.t).collect();
    assert_eq!(times, [3, 1, 2]);
    assert_eq!(score.surprises(1).len(), 1);
    // Of equals the lowest action is named.
    assert_eq!(score.steps[0].choice.likeliest, Event::Action(0));
}

#[test]
fn impossible_demonstrations_get_a_reason_each() {
    let (mdp, reward) = with_exit(1.0);
    let path = |length: usize| Trajectory::new((0..length).collect(), vec![0; length - 1]);
    let demos = Demonstrations::new(&mdp, &[path(1), path(3), path(2)]).unwrap();
    let model = PathModel::new(&mdp, reward.clone(), 3, Ends::Terminal).unwrap();
    let found = scores(&model, &demos, &Work::default()).unwrap();
    assert!(matches!(found[0], Err(DemonstrationFault::Ending { length: 1, state: 0, ends: "terminal", .. })), "{found:?}");
    assert!(matches!(found[2], Err(DemonstrationFault::Ending { length: 2, .. })), "{found:?}");
    let alone = Demonstrations::new(&mdp, &[path(3)]).unwrap();
    assert_eq!(found[1], scores(&model, &alone, &Work::default()).unwrap()[0]);

    // No path ends within two states: every demonstration gets a reason.
    let short = PathModel::new(&mdp, reward, 2, Ends::Terminal).unwrap();
    let found = scores(&short, &demos, &Work::default()).unwrap();
    assert_eq!(found[1], Err(DemonstrationFault::TooLong { length: 3, horizon: 2 }));
    assert!(found.iter().all(Result::is_err));
}

/// The score of a demonstration does not depend on its weight, nor on the others.
#[test]
fn weights_and_company_do_not_matter() {
    for ends in Ends::ALL {
        let lake = lake().with_discount(0.9).unwrap();
        let mut demos = drawn_on(&lake, 20, 9, Stop::Terminal);
        let model = model(&lake, 20, ends);
        let score = |demos: &[Trajectory]| {
            let demos = Demonstrations::new(&lake.mdp, demos).unwrap();
            scores(&model, &demos, &Work::default()).unwrap()
        };
        let together = score(&demos);
        for (index, path) in demos.iter().enumerate() {
            assert_eq!(score(std::slice::from_ref(path))[0], together[index], "{ends:?} {index}");
        }
        demos[3].weight = 0.0;
        demos[4].weight = 1e6;
        assert_eq!(score(&demos), together, "{ends:?}");
    }
}

fn drawn_on(world: &World, horizon: usize, n: usize, stop: Stop) -> Vec<Trajectory> {
    let theta: Vec<f64> = world.theta.iter().enumerate().map(|(k, theta)| theta - 0.1 * (k % 3) as f64).collect();
    let reward = world.features.reward(&world.mdp, &theta).unwrap();
    let mut paths = PathDistribution::new(&world.mdp, reward, horizon, stop).unwrap();
    paths.sample(n, 5).unwrap()
}

fn model(world: &World, horizon: usize, ends: Ends) -> PathModel<'_> {
    PathModel::new(&world.mdp, reward_of(world), horizon, ends).unwrap()
}

/// Small problems share goals among threads, large ones share messages; the bits are the same.
#[test]
fn any_number_of_threads_and_any_memory_give_the_same_bits() {
    let lake = lake().with_discount(0.9).unwrap();
    let roads = worlds::road_like(40_000, 81_000, 3).unwrap();
    for (world, ends, n) in
        [(&lake, Ends::Goal, 40), (&lake, Ends::Anywhere, 40), (&roads, Ends::Anywhere, 20), (&roads, Ends::Goal, 3)]
    {
        let demos = Demonstrations::new(&world.mdp, &drawn_on(world, 30, n, Stop::Anywhere)).unwrap();
        let model = model(world, 30, ends);
        let score = |threads, memory| scores(&model, &demos, &Work { threads, memory }).unwrap();
        let one = score(Some(1), 1 << 30);
        assert!(one.iter().all(Result::is_ok));
        for threads in [None, Some(2), Some(3)] {
            assert_eq!(score(threads, 1 << 30), one, "{ends:?} {threads:?}");
        }
        let little = world.mdp.n_states() * 600 + 40_000;
        assert_eq!(score(Some(2), little), one, "{ends:?}");
    }
}

#[test]
fn too_little_memory_and_too_many_threads_are_errors() {
    let lake = lake();
    let demos = Demonstrations::new(&lake.mdp, &drawn_on(&lake, 20, 3, Stop::Anywhere)).unwrap();
    let model = model(&lake, 20, Ends::Anywhere);
    let message = |options| refusal(scores(&model, &demos, &options));
    assert!(message(Work { memory: 10, ..Work::default() }).contains("memory budget of 10 bytes"));
    assert!(message(Work::on(0)).contains("the number of threads is 0"));
}
