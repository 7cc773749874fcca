//! The causal model without a horizon: the fixed point against value iteration, every question against the series of
//! its Markov chain, and learning.

use revealed::oracle::{CausalTime, RandomProblem, causal_episodes, causal_time};
use revealed::{
    CausalLikelihood, CausalObjective, Demonstrations, Destinations, Ends, Error, Execution, Given, Horizon, MaxEnt, Mdp,
    MdpBuilder, Method, Options, PathModel, PathQuery, Prior, Reward, Trajectory, Work, best_paths, lengths, sample,
    sample_first, scores, soft_values,
};

use crate::helpers::{all_close, close, machine, moved, slope};

const SEEDS: u64 = 2_000;
const SAME: f64 = 1e-8;
/// Without a discount, the steps out of a state weigh at most this much together.
const RATIO: f64 = 0.85;

/// A random problem without a horizon, and its stationary policy by value iteration.
struct Endless {
    mdp: Mdp,
    reward: Reward,
    ends: Ends,
    to: Option<usize>,
    start: Vec<(usize, f64)>,
    time: CausalTime,
    what: String,
}

impl Endless {
    /// `None` if no episode can end as it should.
    fn new(seed: u64) -> Option<Endless> {
        let problem = RandomProblem::new(seed);
        let (mut mdp, mut reward, ends) = (problem.mdp.clone(), problem.reward(), problem.ends);
        if mdp.discount() == 1.0 {
            let weight = |step: usize| {
                mdp.base_weight(step) * (reward.of_transition(step) + reward.state[mdp.to()[step] as usize]).exp()
            };
            let most = (0..mdp.n_states()).map(|s| mdp.children(s).map(weight).sum::<f64>()).fold(RATIO, f64::max);
            reward.state.iter_mut().for_each(|reward| *reward -= (most / RATIO).ln());
        } else {
            mdp = mdp.with_discount(if seed.is_multiple_of(3) { 0.9 } else { problem.mdp.discount() }).unwrap();
        }
        let demo = problem.demonstrations.states(0);
        let to = (ends == Ends::Goal).then(|| demo[demo.len() - 1] as usize);
        let start = if to.is_some() { vec![(demo[0] as usize, 1.0)] } else { mdp.start().to_vec() };
        let may_end = |state: usize| match ends {
            Ends::Anywhere => true,
            Ends::Horizon | Ends::Terminal => mdp.is_terminal(state),
            Ends::Goal => to == Some(state),
        };
        let goes_on = ends == Ends::Horizon && mdp.discount() < 1.0;
        let certain = if goes_on { vec![true; mdp.n_states()] } else { can_end_surely(&mdp, may_end) };
        if start.iter().all(|row| !certain[row.0]) {
            return None;
        }
        let limit = |state: usize, value: f64| if certain[state] { value } else { f64::NEG_INFINITY };
        let mut value: Vec<f64> = (0..mdp.n_states()).map(|state| limit(state, 0.0)).collect();
        let mut time = causal_time(&mdp, &reward, Some(&value), may_end);
        for _ in 0..20_000 {
            let next: Vec<f64> = time.value.iter().enumerate().map(|(state, &value)| limit(state, value)).collect();
            let change =
                next.iter().zip(&value).filter(|row| row.0.is_finite()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            value = next;
            time = causal_time(&mdp, &reward, Some(&value), may_end);
            if change < 1e-15 {
                break;
            }
        }
        let what = format!("seed {seed}, ends {}, discount {}", ends.name(), mdp.discount());
        Some(Endless { mdp, reward, ends, to, start, time, what })
    }

    fn model(&self) -> PathModel<'_> {
        PathModel::causal(&self.mdp, self.reward.clone(), Horizon::Any, self.ends).unwrap()
    }

    fn given(&self) -> Given {
        Given::from_states(self.start.clone()).to(self.to)
    }

    /// Whether the episodes end with probability 1.
    fn ends_surely(&self) -> bool {
        if self.ends != Ends::Horizon {
            return true;
        }
        let mut reached = vec![false; self.mdp.n_states()];
        let alive = |row: &&(usize, f64)| row.1 > 0.0 && self.time.value[row.0] > f64::NEG_INFINITY;
        let mut open: Vec<usize> = self.start.iter().filter(alive).map(|row| row.0).collect();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                let taken = |t: &usize| self.time.policy[self.mdp.choice_of()[*t] as usize] > 0.0;
                open.extend(self.mdp.children(state).filter(taken).map(|t| self.mdp.to()[t] as usize));
            }
        }
        let mut leads: Vec<bool> = self.time.stop.iter().map(|&stop| stop > 0.0).collect();
        for _ in 0..self.mdp.n_states() {
            for state in 0..self.mdp.n_states() {
                leads[state] |= self.mdp.children(state).any(|t| leads[self.mdp.to()[t] as usize]);
            }
        }
        (0..self.mdp.n_states()).all(|state| !reached[state] || leads[state])
    }

    /// The probability that an episode from each state ends, in `to` if it is given.
    fn hits(&self, to: Option<usize>) -> Vec<f64> {
        let mut hits = vec![0.0; self.mdp.n_states()];
        for _ in 0..20_000 {
            let next: Vec<f64> = (0..self.mdp.n_states()).map(|state| self.hit(state, to, &hits)).collect();
            let change = next.iter().zip(&hits).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            hits = next;
            if change < 1e-16 {
                break;
            }
        }
        hits
    }

    fn hit(&self, state: usize, to: Option<usize>, hits: &[f64]) -> f64 {
        let mdp = &self.mdp;
        let stops = if to.is_none_or(|to| to == state) { self.time.stop[state] } else { 0.0 };
        let onward =
            |t: usize| self.time.policy[mdp.choice_of()[t] as usize] * mdp.probability()[t] * hits[mdp.to()[t] as usize];
        stops + mdp.children(state).map(onward).sum::<f64>()
    }

    /// The probabilities of the states at t = 1, 2, …, until they vanish or `most` times are known.
    fn series(&self, start: &[(usize, f64)], most: usize) -> Vec<Vec<f64>> {
        let mdp = &self.mdp;
        let alive = |row: &&(usize, f64)| self.time.value[row.0] > f64::NEG_INFINITY;
        let total: f64 = start.iter().filter(alive).map(|row| row.1).sum();
        let mut state = vec![0.0; mdp.n_states()];
        start.iter().filter(alive).for_each(|row| state[row.0] += row.1 / total);
        let mut times = Vec::new();
        while times.len() < most && state.iter().sum::<f64>() > 1e-17 {
            let mut next = vec![0.0; mdp.n_states()];
            for t in 0..mdp.n_transitions() {
                let policy = self.time.policy[mdp.choice_of()[t] as usize];
                next[mdp.to()[t] as usize] += state[mdp.from()[t] as usize] * policy * mdp.probability()[t];
            }
            times.push(std::mem::replace(&mut state, next));
        }
        times
    }
}

/// Whether some deterministic stationary policy ends surely, by trying all of them.
fn can_end_surely(mdp: &Mdp, may_end: impl Fn(usize) -> bool) -> Vec<bool> {
    let n = mdp.n_states();
    let taken = |choice: &usize| mdp.reference().is_none_or(|reference| reference[*choice] > 0.0);
    let choices: Vec<Vec<usize>> = (0..n).map(|state| mdp.choices(state).filter(taken).collect()).collect();
    let mut found = vec![false; n];
    let policies: usize = choices.iter().map(|list| list.len() + 1).product();
    for policy in 0..policies {
        // Choice 0 is to stop.
        let (mut left, mut chosen) = (policy, vec![None; n]);
        for state in 0..n {
            chosen[state] = (left % (choices[state].len() + 1)).checked_sub(1).map(|place| choices[state][place]);
            left /= choices[state].len() + 1;
        }
        let next = |state: usize| -> Vec<usize> {
            chosen[state].map_or(Vec::new(), |choice| mdp.outcomes(choice).map(|t| mdp.to()[t] as usize).collect())
        };
        let ends = |state: usize| chosen[state].is_none() && may_end(state);
        let mut leads: Vec<bool> = (0..n).map(ends).collect();
        for _ in 0..n {
            (0..n).for_each(|state| leads[state] |= next(state).iter().any(|&to| leads[to]));
        }
        let mut sure = leads.clone();
        for _ in 0..n {
            (0..n).for_each(|state| sure[state] &= next(state).iter().all(|&to| sure[to]));
        }
        // A state is sure if every state that it leads to can reach an end under this policy.
        (0..n).for_each(|state| found[state] |= sure[state]);
    }
    found
}

#[test]
fn values_are_those_of_value_iteration() {
    let mut asked = 0;
    for seed in 0..SEEDS {
        let Some(problem) = Endless::new(seed) else { continue };
        asked += 1;
        let values = soft_values(&problem.model(), problem.to, &Work::default()).unwrap();
        for (state, (found, expected)) in values.iter().zip(&problem.time.value).enumerate() {
            let same = found == expected || (found - expected).abs() < SAME * (1.0 + expected.abs());
            assert!(same, "{}: state {state}: {found} / {expected}", problem.what);
        }
    }
    assert!(asked > 1_500, "{asked}");
}

#[test]
fn every_question_equals_the_series() {
    let (mut asked, mut never) = (0, 0);
    for seed in 0..SEEDS {
        let Some(problem) = Endless::new(seed) else { continue };
        let (model, given, what) = (problem.model(), problem.given(), &problem.what);
        let mut paths = model.distribution(&given, &Work::default()).unwrap();
        policies_and_marginals(&problem, &mut paths);
        if !problem.ends_surely() {
            never += 1;
            assert!(matches!(lengths(&model, &given, &Work::default()), Err(Error::GoesOn { .. })), "{what}");
            assert!(matches!(sample(&model, &given, 3, 1, &Work::default()), Err(Error::GoesOn { .. })), "{what}");
            continue;
        }
        let times = problem.series(&problem.start, 20_000);
        if times.len() == 20_000 {
            continue; // The series would be too long.
        }
        asked += 1;
        lengths_equal_the_series(&problem, &given, 1, &times);
        best_paths_are_the_likeliest(&problem);
        destinations_equal_the_series(&problem, &times);
        if problem.ends != Ends::Goal {
            known_ends_equal_the_series(&problem, &times);
        }
        let execution = Execution { start: problem.start.clone(), discount: 1.0, rewards: vec![&problem.reward] };
        if problem.start.len() == 1 {
            let found = execution.of_paths(&mut paths).unwrap();
            let mean: f64 = times.iter().flatten().sum();
            close(found.mean_length, mean, SAME * (1.0 + mean), format_args!("{what}: executed"));
        }
    }
    assert!(asked > 1_000 && never > 50, "{asked} {never}");
}

fn policies_and_marginals(problem: &Endless, paths: &mut revealed::PathDistribution<'_>) {
    let (mdp, what) = (&problem.mdp, &problem.what);
    let times = problem.series(&problem.start, 4);
    for (place, expected) in times.iter().enumerate() {
        let found = paths.marginals(place + 1).unwrap();
        all_close(&found.state, expected, SAME, format_args!("{what}: states at {}", place + 1));
        let flow = |choice: usize| expected[mdp.state_of(choice)] * problem.time.policy[choice];
        all_close(&found.choice, &(0..mdp.n_choices()).map(flow).collect::<Vec<f64>>(), SAME, format_args!("{what}: choices"));
    }
    let policy = paths.policy(3).unwrap();
    for state in (0..mdp.n_states()).filter(|&s| !mdp.is_terminal(s) && problem.time.value[s] > f64::NEG_INFINITY) {
        close(policy.stop[state], problem.time.stop[state], SAME, format_args!("{what}: stop"));
        let goes = 1.0 - problem.time.stop[state];
        for choice in mdp.choices(state).filter(|_| goes > 1e-6) {
            close(policy.choice[choice], problem.time.policy[choice] / goes, 1e-7, format_args!("{what}: policy"));
        }
    }
    // Discounted visits exist even if episodes do not end.
    if mdp.discount() < 1.0 {
        let mut visits = vec![0.0; mdp.n_states()];
        let mut power = 1.0;
        for state in problem.series(&problem.start, 500) {
            visits.iter_mut().zip(&state).for_each(|(sum, p)| *sum += power * p);
            power *= mdp.discount();
        }
        all_close(&paths.occupancy().state, &visits, SAME, format_args!("{what}: visits"));
    }
}

fn lengths_equal_the_series(problem: &Endless, given: &Given, first: usize, times: &[Vec<f64>]) {
    let what = &problem.what;
    let found = lengths(&problem.model(), given, &Work::default()).unwrap();
    let stops = |state: &Vec<f64>| state.iter().zip(&problem.time.stop).map(|(p, stop)| p * stop).sum::<f64>();
    let expected: Vec<f64> = times.iter().map(stops).collect();
    let listed = found.probability.len().min(expected.len());
    all_close(&found.probability[..listed], &expected[..listed], SAME, format_args!("{what}: lengths"));
    let mean: f64 = expected.iter().enumerate().map(|(place, p)| (place + first) as f64 * p).sum();
    let variance: f64 = expected.iter().enumerate().map(|(place, p)| ((place + first) as f64 - mean).powi(2) * p).sum();
    close(found.mean(), mean, SAME * (1.0 + mean), format_args!("{what}: mean"));
    close(found.variance(), variance, SAME * (1.0 + variance), format_args!("{what}: variance"));
}

/// The best paths have the probabilities that they are said to have, and no short path is better.
fn best_paths_are_the_likeliest(problem: &Endless) {
    let (mdp, what) = (&problem.mdp, &problem.what);
    let [(first, _)] = problem.start[..] else { return };
    let query = PathQuery { k: 3, ..PathQuery::new(vec![(first, 1.0)], problem.to.map(|to| vec![(to, 1.0)])) };
    let found = best_paths(&problem.model(), &query).unwrap();
    let mut paths = problem.model().distribution(&problem.given(), &Work::default()).unwrap();
    for best in &found.paths {
        let log_prob = paths.log_prob(&best.path).unwrap();
        close(best.log_score, log_prob, 1e-9 * (1.0 + log_prob.abs()), format_args!("{what}: {:?}", best.path));
    }
    // All paths of at most five states.
    let times = vec![problem.time.clone(); 5];
    let mut short: Vec<f64> =
        causal_episodes(mdp, &[(first, 1.0)], &times).into_iter().map(|episode| episode.probability.ln()).collect();
    short.sort_by(|one, other| other.total_cmp(one));
    for (place, log_prob) in short.into_iter().take(found.paths.len()).enumerate() {
        assert!(found.paths[place].log_score >= log_prob - 1e-8 * (1.0 + log_prob.abs()), "{what}: path {place}");
    }
}

fn destinations_equal_the_series(problem: &Endless, times: &[Vec<f64>]) {
    if problem.ends == Ends::Goal || problem.start.len() > 1 {
        return;
    }
    let mut expected = vec![0.0; problem.mdp.n_states()];
    for state in times {
        (0..expected.len()).for_each(|s| expected[s] += state[s] * problem.time.stop[s]);
    }
    let mut destinations = Destinations::new(&problem.model(), Prior::Model, &Work::default()).unwrap();
    let begun = Trajectory::new(vec![problem.start[0].0], vec![]);
    all_close(&destinations.posterior(&begun).unwrap(), &expected, SAME, format_args!("{}: destinations", problem.what));
}

fn known_ends_equal_the_series(problem: &Endless, times: &[Vec<f64>]) {
    let (mdp, what) = (&problem.mdp, &problem.what);
    let ending: Vec<f64> =
        (0..mdp.n_states()).map(|s| times.iter().map(|state| state[s] * problem.time.stop[s]).sum()).collect();
    let Some(to) = (0..mdp.n_states()).find(|&state| ending[state] > 1e-3) else { return };
    let hits = problem.hits(Some(to));
    let given = problem.given().to(to);
    let mut paths = problem.model().distribution(&given, &Work::default()).unwrap();
    for t in [1, 2, 4] {
        let Some(state) = times.get(t - 1) else { continue };
        let expected: Vec<f64> = (0..mdp.n_states()).map(|s| state[s] * hits[s] / ending[to]).collect();
        all_close(&paths.marginals(t).unwrap().state, &expected, 1e-7, format_args!("{what}: states at {t}, to {to}"));
    }
    let mean: f64 = times.iter().enumerate().map(|(place, state)| (place + 1) as f64 * state[to] * problem.time.stop[to]).sum();
    close(paths.length_moments().unwrap()[0], mean / ending[to], 1e-7 * (1.0 + mean), format_args!("{what}: mean, to {to}"));
    let mut visits = vec![0.0; mdp.n_states()];
    for (place, state) in times.iter().enumerate() {
        let power = mdp.discount().powi(place as i32);
        (0..mdp.n_states()).for_each(|s| visits[s] += power * state[s] * hits[s] / ending[to]);
    }
    all_close(&paths.occupancy().state, &visits, 1e-7, format_args!("{what}: visits, to {to}"));
}

/// Both objectives, with all ends.
#[test]
fn gradients_equal_central_differences() {
    let mut checked = 0;
    for seed in 0..400 {
        let problem = RandomProblem::new(seed);
        let mdp = problem.mdp.clone().with_discount(if seed % 2 == 0 { 0.8 } else { problem.mdp.discount() }).unwrap();
        let options = Options { ends: problem.ends, horizon: Some(Horizon::Any), ..Options::default() };
        for objective in [CausalObjective::Likelihood, CausalObjective::Dual] {
            let made = CausalLikelihood::new(&mdp, &problem.features, &problem.demonstrations, &options, objective);
            let mut causal = made.unwrap();
            let Ok(here) = causal.evaluate(&problem.theta) else { continue };
            for k in 0..problem.theta.len() {
                let mut broken = false;
                let difference = slope(1e-5, |step| {
                    let at = causal.evaluate(&moved(&problem.theta, k, step));
                    broken |= at.is_err();
                    at.map_or(0.0, |at| at.objective)
                });
                // Without a discount, values may become infinite nearby.
                if !broken && difference.abs() < 50.0 {
                    checked += 1;
                    let error = (difference - here.gradient[k]).abs();
                    assert!(error < 1e-6 * (1.0 + difference.abs()), "seed {seed}, {objective:?}, {k}: {error:e}");
                }
            }
        }
    }
    assert!(checked > 800, "{checked}");
}

/// Parts of endless episodes: the reward is found again, and likelihood and scores agree.
#[test]
fn parts_of_endless_episodes_are_learned_from() {
    let (mdp, features) = machine();
    let truth = [0.3, 3.0];
    let model = PathModel::causal(&mdp, features.reward(&mdp, &truth).unwrap(), Horizon::Any, Ends::Horizon).unwrap();
    let parts = sample_first(&model, &Given::default(), 100, 400, 1, &Work::default()).unwrap();
    assert!(parts.iter().all(|part| part.states.len() == 100));
    let demos = Demonstrations::new(&mdp, &parts).unwrap();
    let options = Options { ends: Ends::Horizon, horizon: Some(Horizon::Any), ..Options::default() };
    let fit = MaxEnt { method: Method::Causal, options, ..MaxEnt::default() }.fit(&mdp, &features, &demos).unwrap();
    assert!(fit.converged && fit.horizon == Horizon::Any, "{}", fit.stopped_because);
    all_close(&fit.theta, &truth, 0.1, "theta");
    let reward = features.reward(&mdp, &fit.theta).unwrap();
    let learned = PathModel::causal(&mdp, reward, Horizon::Any, Ends::Horizon).unwrap();
    let mean: f64 = (scores(&learned, &demos, &Work::default()).unwrap().into_iter())
        .map(|score| score.unwrap().log_likelihood / demos.len() as f64)
        .sum();
    close(fit.log_likelihood, mean, 1e-9, "the mean of the scores");
    let mut paths = learned.distribution(&Given::default(), &Work::default()).unwrap();
    close(
        paths.log_prob(&parts[0]).unwrap(),
        scores(&learned, &demos, &Work::default()).unwrap()[0].as_ref().unwrap().log_likelihood,
        1e-9,
        "log p",
    );
}

/// Going on pays: without a discount there is no value, and the error says so.
#[test]
fn values_that_are_not_finite_are_refused() {
    let mut builder = MdpBuilder::new(2, 2);
    builder.start(0, 1.0).terminal(1).transition(0, 0, 0, 1.0).transition(0, 1, 1, 1.0);
    let mdp = builder.build().unwrap();
    for (reward, finite) in [(-0.1, true), (-0.01, true), (0.0, false), (0.5, false)] {
        let model = PathModel::causal(&mdp, Reward::of_states(vec![reward, 0.0]), Horizon::Any, Ends::Terminal).unwrap();
        match soft_values(&model, None, &Work::default()) {
            // V = R + log(e^V + 1), so that V = R - log(1 - e^R).
            Ok(values) => {
                close(values[0], reward - (-f64::exp_m1(reward)).ln(), 1e-9, reward);
                assert!(finite, "{reward}");
            }
            Err(error) => {
                assert!(!finite && matches!(error, Error::NoValue { state: 0, .. }), "{reward}: {error}");
                assert!(error.to_string().contains("give a horizon"), "{error}");
            }
        }
    }
}
