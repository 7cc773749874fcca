//! Rewards that depend on histories, against enumeration of paths of the world without them.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::oracle::{Path, RandomProblem, paths};
use revealed::{
    Chance, Demonstrations, Ends, Error, Event, Given, HistoryModel, HistoryWorld, Horizon, MarginalKind, Mdp, PathQuery,
    Prior, Trajectory, Window, Windows, Work,
};

use crate::helpers::{all_close, begins_with, close, furthest, last_of, open_stop, refusal, trajectory_of, weight_of};

const TOLERANCE: f64 = 1e-10;

/// A random problem with random windows of a random order, and weights for them.
pub struct Remembered {
    pub problem: RandomProblem,
    pub windows: Windows,
    /// The weights of all features.
    pub theta: Vec<f64>,
}

impl Remembered {
    /// `None` if no path has two states.
    pub fn new(seed: u64) -> Option<Remembered> {
        let problem = RandomProblem::new(seed);
        let mut rng = Pcg64Mcg::seed_from_u64(seed ^ 0xabcd);
        let (order, n_features) = (rng.random_range(1..=4), rng.random_range(1..=3));
        let mdp = &problem.mdp;
        let mut windows = Vec::new();
        for _ in 0..rng.random_range(1..=8) {
            let mut states = vec![rng.random_range(0..mdp.n_states())];
            let length = rng.random_range(1..=order);
            let (mut action, mut to) = (None, None);
            while let Some(step) = pick(mdp, states[states.len() - 1], &mut rng) {
                let next = mdp.to()[step] as usize;
                if states.len() < length && !mdp.is_terminal(next) {
                    states.push(next);
                    continue;
                }
                action = rng.random_bool(0.6).then(|| mdp.action_of(mdp.choice_of()[step] as usize));
                to = rng.random_bool(0.4).then_some(next);
                break;
            }
            if mdp.is_terminal(states[states.len() - 1]) {
                continue;
            }
            let (feature, value) = (rng.random_range(0..n_features), rng.random_range(-1.0..1.5));
            windows.push(Window { states, action, to, feature, value });
        }
        let windows = Windows::new(mdp, order, n_features, Vec::new(), windows).ok()?;
        let own = (0..n_features).map(|_| rng.random_range(-1.5..1.5));
        let theta = problem.theta.iter().copied().chain(own).collect();
        Some(Remembered { problem, windows, theta })
    }

    /// What the windows pay along a path, by feature.
    pub fn features_of(&self, states: &[usize], transitions: &[usize]) -> Vec<f64> {
        let (mdp, mut sum) = (&self.problem.mdp, vec![0.0; self.windows.n_features()]);
        for (step, &transition) in transitions.iter().enumerate() {
            let discount = mdp.discount().powi(step as i32);
            let action = mdp.action_of(mdp.choice_of()[transition] as usize);
            for window in self.windows.windows() {
                let fits = states[..=step].ends_with(&window.states)
                    && window.action.is_none_or(|a| a == action)
                    && window.to.is_none_or(|to| to == states[step + 1]);
                sum[window.feature] += if fits { discount * window.value } else { 0.0 };
            }
        }
        sum
    }

    /// The weight of a path of the world.
    pub fn weight(&self, path: &Path) -> f64 {
        let theta = &self.theta[self.problem.theta.len()..];
        let pays: f64 = self.features_of(&path.states, &path.transitions).iter().zip(theta).map(|(a, b)| a * b).sum();
        weight_of(path) * pays.exp()
    }

    /// All paths from these states, with their weights.
    pub fn paths(&self, start: &[(usize, f64)]) -> Vec<(Path, f64)> {
        let problem = &self.problem;
        let all = paths(&problem.mdp, &problem.reward(), start, problem.horizon, open_stop(problem.ends));
        all.into_iter().map(|path| (path.clone(), self.weight(&path))).collect()
    }

    pub fn model(&self) -> Result<HistoryModel<'_>, Error> {
        let RandomProblem { mdp, features, horizon, ends, .. } = &self.problem;
        let paths = (Horizon::AtMost(*horizon), *ends, Chance::Tilted);
        HistoryModel::new((mdp, features), &self.windows, &self.theta, paths, &Work::default())
    }
}

fn pick(mdp: &Mdp, state: usize, rng: &mut Pcg64Mcg) -> Option<usize> {
    let steps = mdp.children(state);
    (!steps.is_empty()).then(|| rng.random_range(steps))
}

/// Problems with a history, whose model can be asked, and how many refused because of a reference policy.
fn remembered(seeds: u64) -> Vec<(u64, Remembered)> {
    let fits = |problem: &Remembered| problem.problem.ends != Ends::Goal || problem.problem.mdp.reference().is_none();
    let all = (0..seeds).filter_map(|seed| Some((seed, Remembered::new(seed)?)));
    all.filter(|(_, problem)| fits(problem)).collect()
}

/// The last states that the model of a problem may be asked about.
fn lasts(problem: &RandomProblem) -> Vec<Option<usize>> {
    let states = (0..problem.mdp.n_states()).map(Some);
    match problem.ends {
        Ends::Goal => states.collect(),
        Ends::Anywhere if problem.mdp.reference().is_none() => states.chain([None]).collect(),
        _ => states.filter(|state| state.is_some_and(|state| problem.mdp.is_terminal(state))).chain([None]).collect(),
    }
}

#[test]
fn visits_lengths_and_values_equal_enumeration() {
    let mut checked = 0;
    for (seed, this) in remembered(700) {
        let (problem, model) = (&this.problem, this.model().unwrap());
        let (mdp, work) = (&problem.mdp, Work::default());
        for to in lasts(problem) {
            let first = seed as usize % mdp.n_states();
            let all: Vec<(Path, f64)> =
                this.paths(&[(first, 1.0)]).into_iter().filter(|row| to.is_none_or(|to| to == last_of(&row.0))).collect();
            let what = format!("seed {seed}, {first} to {to:?}, {:?}", problem.ends);
            let given = Given::from_state(first).to(to);
            let total: f64 = all.iter().map(|row| row.1).sum();
            let found = model.lengths(&given, &work);
            if total == 0.0 {
                assert!(matches!(found, Err(Error::NoPath { .. })), "{what}");
                continue;
            }
            checked += 1;
            close(model.values(to, &work).unwrap()[first], total.ln(), 1e-9, &what);
            let mut lengths = vec![0.0; problem.horizon];
            all.iter().for_each(|(path, weight)| lengths[path.states.len() - 1] += weight / total);
            let found = found.unwrap();
            assert_eq!((found.first, found.probability.len()), (1, problem.horizon), "{what}");
            all_close(&found.probability, &lengths, TOLERANCE, &what);
            let t = 1 + seed as usize % problem.horizon;
            for (kind, n) in [(MarginalKind::State, mdp.n_states()), (MarginalKind::Transition, mdp.n_transitions())] {
                let (mut at, mut over) = (vec![0.0; n], vec![0.0; n]);
                for (path, weight) in &all {
                    let steps = if kind == MarginalKind::State { &path.states } else { &path.transitions };
                    steps.get(t - 1).into_iter().for_each(|&place| at[place] += weight / total);
                    let discounted =
                        |(step, &place): (usize, &usize)| over[place] += weight / total * mdp.discount().powi(step as i32);
                    steps.iter().enumerate().for_each(discounted);
                }
                all_close(&model.visits(&given, kind, Some(t), &work).unwrap(), &at, TOLERANCE, &what);
                all_close(&model.visits(&given, kind, None, &work).unwrap(), &over, TOLERANCE, &what);
            }
        }
    }
    assert!(checked > 1_000, "{checked}");
}

#[test]
fn posteriors_equal_enumeration() {
    let mut checked = 0;
    for (seed, this) in remembered(500) {
        let (problem, model) = (&this.problem, this.model().unwrap());
        let n = problem.mdp.n_states();
        let first = seed as usize % n;
        let all = this.paths(&[(first, 1.0)]);
        let Some((begun, _)) = all.get(seed as usize * 7 % all.len().max(1)) else { continue };
        let t = 1 + seed as usize % begun.states.len();
        let prefix = trajectory_of(&problem.mdp, &begun.states[..t], &begun.transitions[..t - 1]);
        let short = Path { states: prefix.states.clone(), transitions: begun.transitions[..t - 1].to_vec(), ..begun.clone() };
        let sums = |only: &dyn Fn(&Path) -> bool| {
            let mut sums = vec![0.0; n];
            all.iter().filter(|row| only(&row.0)).for_each(|(path, weight)| sums[last_of(path)] += weight);
            sums
        };
        let (whole, after) = (sums(&|_| true), sums(&|path| begins_with(path, &short)));
        let given: Vec<f64> = (0..n).map(|state| 1.0 + (state % 3) as f64).collect();
        for (prior, weights) in
            [(Prior::Uniform, vec![1.0; n]), (Prior::Given(given.clone()), given), (Prior::Model, whole.clone())]
        {
            if prior == Prior::Model && problem.ends == Ends::Goal {
                assert!(matches!(model.posterior(&prefix, &prior, &Work::default()), Err(Error::NoOwnPrior)));
                continue;
            }
            let terms: Vec<f64> =
                (0..n).map(|s| if after[s] == 0.0 { 0.0 } else { after[s] / whole[s] * weights[s] }).collect();
            let sum: f64 = terms.iter().sum();
            let expected: Vec<f64> = terms.iter().map(|term| term / sum).collect();
            let found = model.posterior(&prefix, &prior, &Work::default()).unwrap();
            assert!(furthest(&found, &expected) <= TOLERANCE, "seed {seed}, {prior:?}, {prefix:?}, {found:?}, {expected:?}");
            checked += 1;
        }
    }
    assert!(checked > 700, "{checked}");
}

/// Which paths count.
type Only<'a> = &'a dyn Fn(&Path) -> bool;

#[test]
fn policies_equal_enumeration() {
    let mut checked = 0;
    for (seed, this) in remembered(500) {
        let (problem, model) = (&this.problem, this.model().unwrap());
        let mdp = &problem.mdp;
        let to = lasts(problem)[0];
        let first = seed as usize % mdp.n_states();
        let all: Vec<(Path, f64)> =
            this.paths(&[(first, 1.0)]).into_iter().filter(|row| to.is_none_or(|to| to == last_of(&row.0))).collect();
        let Some((begun, _)) = all.get(seed as usize * 5 % all.len().max(1)) else { continue };
        let t = 1 + seed as usize % begun.states.len();
        let prefix = trajectory_of(mdp, &begun.states[..t], &begun.transitions[..t - 1]);
        let short = Path { states: prefix.states.clone(), transitions: begun.transitions[..t - 1].to_vec(), ..begun.clone() };
        let there = |path: &Path| path.states.get(t - 1) == Some(&begun.states[t - 1]);
        let given = Given::from_state(first).to(to);
        let at = model.policy(&given, t, &Work::default()).unwrap();
        let after = model.policy(&Given::after(prefix).to(to), 1, &Work::default()).unwrap();
        let known: [(_, Only<'_>); 2] = [(at, &there), (after, &|path: &Path| begins_with(path, &short))];
        for (policy, only) in known {
            let these: Vec<&(Path, f64)> = all.iter().filter(|row| only(&row.0)).collect();
            let total: f64 = these.iter().map(|row| row.1).sum();
            let of = |choice: Option<usize>| {
                let takes = |path: &Path| path.transitions.get(t - 1).map(|&step| mdp.choice_of()[step] as usize) == choice;
                these.iter().filter(|row| takes(&row.0)).map(|row| row.1).sum::<f64>() / total
            };
            let (state, ends) = (begun.states[t - 1], of(None));
            close(policy.stop[state], ends, 1e-9, format_args!("seed {seed}"));
            assert!(policy.defined[state]);
            for choice in mdp.choices(state).filter(|_| ends < 1.0 - 1e-9) {
                close(policy.choice[choice], of(Some(choice)) / (1.0 - ends), 1e-9, format_args!("seed {seed}"));
                checked += 1;
            }
        }
    }
    assert!(checked > 800, "{checked}");
}

#[test]
fn likeliest_paths_and_samples_are_those_of_the_world() {
    let mut checked = 0;
    for (seed, this) in remembered(500) {
        let (problem, model) = (&this.problem, this.model().unwrap());
        let first = seed as usize % problem.mdp.n_states();
        let to = lasts(problem)[seed as usize % lasts(problem).len()];
        let mut all: Vec<(Path, f64)> =
            this.paths(&[(first, 1.0)]).into_iter().filter(|row| to.is_none_or(|to| to == last_of(&row.0))).collect();
        all.sort_by(|one, other| other.1.total_cmp(&one.1));
        if all.is_empty() {
            continue;
        }
        let total: f64 = all.iter().map(|row| row.1).sum();
        let query = PathQuery { k: 3, ..PathQuery::new(vec![(first, 1.0)], to.map(|to| vec![(to, 1.0)])) };
        let found = model.best_paths(&query).unwrap();
        assert_eq!(found.paths.len(), all.len().min(3));
        close(model.log_total(&query).unwrap(), total.ln(), 1e-9, format_args!("seed {seed}"));
        for (best, (_, weight)) in found.paths.iter().zip(&all) {
            close(best.log_weight, weight.ln(), 1e-9, format_args!("seed {seed}"));
            let same = all.iter().find(|row| trajectory_of(&problem.mdp, &row.0.states, &row.0.transitions) == best.path);
            close(same.expect("it is a path of the world").1.ln(), best.log_weight, 1e-9, format_args!("seed {seed}"));
            checked += 1;
        }
        let given = Given::from_state(first).to(to);
        let drawn = model.sample(&given, None, (400, seed), &Work::default()).unwrap();
        // Five standard errors of the share of the likeliest path.
        let likeliest = trajectory_of(&problem.mdp, &all[0].0.states, &all[0].0.transitions);
        let (share, p) = (drawn.iter().filter(|path| **path == likeliest).count() as f64 / 400.0, all[0].1 / total);
        assert!((share - p).abs() <= 5.0 * (p * (1.0 - p) / 400.0).sqrt() + 1e-9, "seed {seed}: {share}, {p}");
    }
    assert!(checked > 900, "{checked}");
    let (_, this) = remembered(20).remove(0);
    let loopless = PathQuery { loopless: true, ..PathQuery::new(vec![(0, 1.0)], None) };
    assert!(refusal(this.model().unwrap().best_paths(&loopless)).contains("no state twice"));
}

#[test]
fn scores_equal_enumeration() {
    let mut checked = 0;
    for (seed, this) in remembered(500) {
        let (problem, model) = (&this.problem, this.model().unwrap());
        let (mdp, demos) = (&problem.mdp, &problem.demonstrations);
        let scores = model.scores(demos, &Work::default()).unwrap();
        for (index, score) in scores.into_iter().enumerate() {
            let (states, steps) = (demos.states(index), demos.transitions(index));
            let first = states[0] as usize;
            let start = if problem.ends == Ends::Goal { vec![(first, 1.0)] } else { mdp.start().to_vec() };
            let ends = |path: &Path| problem.ends != Ends::Goal || last_of(path) == states[states.len() - 1] as usize;
            let all: Vec<(Path, f64)> = this.paths(&start).into_iter().filter(|row| ends(&row.0)).collect();
            let is_it = |path: &Path| {
                path.states.iter().map(|&state| state as u32).eq(states.iter().copied())
                    && path.transitions.iter().map(|&step| step as u32).eq(steps.iter().copied())
            };
            let total: f64 = all.iter().map(|row| row.1).sum();
            let own = all.iter().find(|row| is_it(&row.0)).expect("a demonstration is a path of the model").1;
            let score = score.unwrap();
            close(score.log_likelihood, (own / total).ln(), 1e-9, format_args!("seed {seed}, demonstration {index}"));
            let sum: f64 = score.factors().map(|surprise| surprise.factor.log_probability).sum();
            close(sum, score.log_likelihood, 1e-9, format_args!("seed {seed}, demonstration {index}"));
            assert_eq!(score.length(), states.len());
            // Events are those of the world.
            for surprise in score.factors() {
                match surprise.factor.likeliest {
                    Event::State(state) => assert!(state < mdp.n_states()),
                    Event::Action(action) => assert!(action < mdp.n_actions()),
                    Event::Stop => {}
                }
            }
            checked += 1;
        }
    }
    assert!(checked > 700, "{checked}");
}

/// On a ring, both ways: those who remember go on.
fn ring(n: usize) -> (Mdp, Demonstrations) {
    let mut builder = revealed::MdpBuilder::new(n, 2);
    for state in 0..n {
        builder.start(state, 1.0 / n as f64);
        builder.transition(state, 0, (state + 1) % n, 1.0).transition(state, 1, (state + n - 1) % n, 1.0);
    }
    let mdp = builder.build().unwrap();
    let round =
        |first: usize, by: usize| Trajectory::new((0..5).map(|t| (first + t * by) % n).collect(), vec![usize::from(by > 1); 4]);
    let demos = Demonstrations::new(&mdp, &[round(0, 1), round(2, n - 1)]).unwrap();
    (mdp, demos)
}

#[test]
fn windows_that_occur_have_features_and_others_fall_back() {
    let (mdp, demos) = ring(6);
    let windows = Windows::indicators(&mdp, &demos, 3, 4.0).unwrap();
    let longest = windows.windows().iter().map(|window| window.states.len()).max();
    assert_eq!(longest, Some(3));
    assert!(windows.windows().iter().all(|window| window.value == 0.5f64.powi(window.states.len() as i32 - 1)));
    let none = revealed::FeaturesBuilder::new(1).build(&mdp).unwrap();
    let world = HistoryWorld::new(&mdp, &none, &windows, &[], &Work::default()).unwrap();
    // 0 1 0 does not occur: what is remembered is the longest window at its end that does, 1 0.
    let lifted = world.lift(&Trajectory::new(vec![0, 1, 0], vec![0, 1]));
    assert_eq!((lifted.states[0], world.place(lifted.states[1]), world.place(lifted.states[2])), (0, Some(1), Some(0)));
    assert_eq!(lifted.states[2], world.lift(&Trajectory::new(vec![1, 0], vec![1])).states[1]);
    assert!(lifted.states[1] >= 6 && lifted.states[2] >= 6);
    // Nothing is known of 5 after 0 1 0, and of 3 after 4.
    assert_eq!(world.lift(&Trajectory::new(vec![4, 5, 4], vec![0, 1])).states[1], 5);
    assert_eq!(world.original(lifted), Trajectory::new(vec![0, 1, 0], vec![0, 1]));
}

#[test]
fn a_function_is_what_its_windows_pay() {
    let (mdp, _) = ring(5);
    // Turning back costs 1, whatever came before: two states suffice.
    let turns = |states: &[usize], action: usize| {
        let to = if action == 0 { (states[states.len() - 1] + 1) % 5 } else { (states[states.len() - 1] + 4) % 5 };
        let is_turn = states.len() > 1 && states[states.len() - 2] == to;
        Ok::<_, Error>(vec![(0, if is_turn { -1.0 } else { 0.0 })])
    };
    let windows = Windows::of_function(&mdp, 3, (1, vec!["turn".to_string()]), 1_000, turns).unwrap();
    assert!(windows.windows().iter().all(|window| window.states.len() == 2 && window.value == -1.0));
    assert_eq!(windows.windows().len(), 10);
    let few = Windows::of_function(&mdp, 3, (1, Vec::new()), 12, turns);
    assert!(refusal(few).contains("more than 12 windows of 2 states"));
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let (mdp, demos) = ring(5);
    let window = |states: Vec<usize>| Window { states, action: None, to: None, feature: 0, value: 1.0 };
    let refused = |window: Window| refusal(Windows::new(&mdp, 2, 1, Vec::new(), vec![window]));
    assert!(refused(window(vec![0, 2])).contains("window 0 of the history: no step leads from state 0 to state 2"));
    assert!(refused(window(vec![0, 1, 2])).contains("it has 3 states, and the history has 2"));
    assert!(refused(window(vec![7])).contains("there is no state 7"));
    assert!(refused(window(Vec::new())).contains("no states"));
    assert!(refused(Window { action: Some(5), ..window(vec![0]) }).contains("does not offer action 5"));
    assert!(refused(Window { to: Some(3), ..window(vec![0]) }).contains("no such step leads from state 0 to state 3"));
    assert!(refused(Window { feature: 4, ..window(vec![0]) }).contains("there is no feature 4"));
    assert!(refused(Window { value: f64::NAN, ..window(vec![0]) }).contains("its value is NaN"));
    assert!(refusal(Windows::indicators(&mdp, &demos, 0, 1.0)).contains("the order of the history is 0"));
    assert!(refusal(Windows::indicators(&mdp, &demos, 2, 0.5)).contains("the shrinkage of windows is 0.5"));
    let windows = Windows::indicators(&mdp, &demos, 3, 1.0).unwrap();
    let none = revealed::FeaturesBuilder::new(1).build(&mdp).unwrap();
    let small = Work { memory: 1_000, ..Work::default() };
    let message = refusal(HistoryWorld::new(&mdp, &none, &windows, &[], &small));
    assert!(message.contains("a history of order 3 makes") && message.contains("use a lower order"), "{message}");
}
