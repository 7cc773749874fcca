//! The causal model: by hand, against the enumeration of all episodes, finite differences, and where it is the same as
//! the path model.

use revealed::oracle::{CausalEpisode, RandomProblem, causal_episodes, causal_times};
use revealed::{
    Bounds, CausalLikelihood, CausalObjective, Chance, Demonstrations, Destinations, Ends, Error, Execution, Features,
    FeaturesBuilder, Given, MaxEnt, Mdp, MdpBuilder, Method, Options, Partition, PathDistribution, PathModel, PathQuery, Prior,
    Reward, Stop, Trajectory, Work, best_paths, lengths, sample, scores, soft_values, worlds,
};

use crate::helpers::{all_close, close, moved, open_stop, refusal, reward_of, slope, trajectory_of};

const SEEDS: u64 = 2_000;
const SAME: f64 = 1e-10;

fn model<'a>(mdp: &'a Mdp, reward: &Reward, horizon: usize, ends: Ends) -> PathModel<'a> {
    PathModel::causal(mdp, reward.clone(), horizon, ends).unwrap()
}

fn solved<'a>(mdp: &'a Mdp, reward: &Reward, horizon: usize) -> PathDistribution<'a> {
    model(mdp, reward, horizon, Ends::Horizon).distribution(&Given::default(), &Work::default()).unwrap()
}

/// Safe (action 0) leads to 1; the gamble (action 1) leads to 2 or to 3, half and half. R = (0, 0, log 3, -log 3).
fn gamble() -> (Mdp, Reward) {
    let mut builder = MdpBuilder::new(4, 2);
    builder.start(0, 1.0).terminal(1).terminal(2).terminal(3);
    builder.transition(0, 0, 1, 1.0).transition(0, 1, 2, 0.5).transition(0, 1, 3, 0.5);
    (builder.build().unwrap(), Reward::of_states(vec![0.0, 0.0, 3f64.ln(), -3f64.ln()]))
}

/// Causal entropy: Q(safe) = 0, Q(gamble) = log 3 / 2 - log 3 / 2 = 0, so the policy gambles half of the time, and wins
/// half of those. V_1 = log(e^0 + e^0) = log 2.
///
/// MaxEnt: the weights are 1 (safe), 3/2 (win) and 1/6 (lose), Z = 8/3. The model gambles with probability 5/8, and
/// wins nine times in ten: e^R changes the odds of the coin, too.
#[test]
fn maxent_is_optimistic_about_luck_and_causal_entropy_is_not() {
    let (mdp, reward) = gamble();
    let mut causal = solved(&mdp, &reward, 2);
    all_close(&causal.policy(1).unwrap().choice, &[0.5, 0.5], 1e-15, "policy");
    let values = soft_values(&model(&mdp, &reward, 2, Ends::Horizon), None, &Work::default()).unwrap();
    all_close(&values, &[2f64.ln(), 0.0, 3f64.ln(), -3f64.ln()], 1e-15, "values");
    all_close(&causal.occupancy().state, &[1.0, 0.5, 0.25, 0.25], 1e-15, "visits");
    let won = causal.log_prob(&Trajectory::new(vec![0, 2], vec![1])).unwrap();
    assert!((won - 0.25f64.ln()).abs() < 1e-15);
    assert_eq!(causal.log_prob(&Trajectory::new(vec![0], vec![])).unwrap(), f64::NEG_INFINITY, "it stops early");

    let maxent = PathDistribution::new(&mdp, reward, 2, Stop::Horizon).unwrap();
    all_close(&maxent.occupancy().state, &[1.0, 3.0 / 8.0, 9.0 / 16.0, 1.0 / 16.0], 1e-15, "visits of MaxEnt");
}

/// All episodes of a random problem, and what was asked for.
struct Enumerated<'a> {
    model: PathModel<'a>,
    given: Given,
    episodes: Vec<CausalEpisode>,
    what: String,
}

impl Enumerated<'_> {
    /// The episodes that end in a state, or all, with probabilities that sum to 1.
    fn ending(&self, to: Option<usize>) -> Vec<(&CausalEpisode, f64)> {
        let kept = |episode: &&CausalEpisode| to.is_none_or(|to| episode.states.last() == Some(&to));
        let kept: Vec<&CausalEpisode> = self.episodes.iter().filter(kept).collect();
        let total: f64 = kept.iter().map(|episode| episode.probability).sum();
        kept.into_iter().map(|episode| (episode, episode.probability / total)).collect()
    }

    fn longest(&self) -> usize {
        self.model.horizon().at_most().unwrap()
    }

    /// Marginals, visits, policy, lengths and log p of a distribution.
    fn check_distribution(&self, given: &Given, episodes: &[(&CausalEpisode, f64)], what: &str) {
        let (mdp, horizon) = (self.model.mdp(), self.longest());
        let mut paths = self.model.distribution(given, &Work::default()).unwrap();
        let mut visits = vec![0.0; mdp.n_states()];
        let mut uses = vec![0.0; mdp.n_transitions()];
        for t in 1..=horizon {
            let (mut state, mut choice, mut edge) =
                (vec![0.0; mdp.n_states()], vec![0.0; mdp.n_choices()], vec![0.0; mdp.n_transitions()]);
            let mut ending = vec![0.0; mdp.n_states()];
            for &(episode, p) in episodes.iter().filter(|row| row.0.states.len() >= t) {
                state[episode.states[t - 1]] += p;
                match episode.transitions.get(t - 1) {
                    Some(&transition) => {
                        edge[transition] += p;
                        choice[mdp.choice_of()[transition] as usize] += p;
                    }
                    None => ending[episode.states[t - 1]] += p,
                }
            }
            let found = paths.marginals(t).unwrap();
            all_close(&found.state, &state, SAME, format_args!("{what}: states at {t}"));
            all_close(&found.choice, &choice, SAME, format_args!("{what}: choices at {t}"));
            all_close(&found.transition, &edge, SAME, format_args!("{what}: transitions at {t}"));
            let discount = mdp.discount().powi(t as i32 - 1);
            visits.iter_mut().zip(&state).for_each(|(sum, p)| *sum += discount * p);
            uses.iter_mut().zip(&edge).for_each(|(sum, p)| *sum += discount * p);
            let policy = paths.policy(t).unwrap();
            for s in (0..mdp.n_states()).filter(|&s| state[s] > 1e-6) {
                close(policy.stop[s], ending[s] / state[s], 1e-9, format_args!("{what}: stop in {s} at {t}"));
                let goes = state[s] - ending[s];
                for c in mdp.choices(s).filter(|_| goes > 1e-6) {
                    close(policy.choice[c], choice[c] / goes, 1e-9, format_args!("{what}: policy in {s} at {t}"));
                }
            }
        }
        all_close(&paths.occupancy().state, &visits, SAME, format_args!("{what}: visits"));
        all_close(&paths.occupancy().transition, &uses, SAME, format_args!("{what}: uses"));
        let by_length = of_lengths(horizon, episodes);
        all_close(&paths.length_distribution().unwrap(), &by_length, SAME, format_args!("{what}: lengths"));
        let mean: f64 = by_length.iter().enumerate().map(|(place, p)| (place + 1) as f64 * p).sum();
        close(paths.length_moments().unwrap()[0], mean, SAME, format_args!("{what}: mean length"));
        for &(episode, p) in episodes {
            let path = trajectory_of(mdp, &episode.states, &episode.transitions);
            let found = paths.log_prob(&path).unwrap();
            close(found.exp(), p, SAME, format_args!("{what}: p of {path:?}"));
        }
    }
}

fn of_lengths(horizon: usize, episodes: &[(&CausalEpisode, f64)]) -> Vec<f64> {
    let mut lengths = vec![0.0; horizon];
    episodes.iter().for_each(|(episode, p)| lengths[episode.states.len() - 1] += p);
    lengths
}

/// The random problems as causal models, with all their episodes. `None` if the agent cannot make sure that an episode
/// ends as it should: then every question is refused.
fn enumerated(problem: &RandomProblem, seed: u64) -> Option<Enumerated<'_>> {
    let (mdp, reward, horizon, ends) = (&problem.mdp, problem.reward(), problem.horizon, problem.ends);
    let model = model(mdp, &reward, horizon, ends);
    let demo = problem.demonstrations.states(0);
    let to = (ends == Ends::Goal).then(|| demo[demo.len() - 1] as usize);
    let stop = to.map_or(open_stop(ends), Stop::At);
    let times = causal_times(mdp, &reward, horizon, stop);
    let given = match to {
        Some(to) => Given::from_state(demo[0] as usize).to(to),
        None => Given::default(),
    };
    let start = given.start.clone().unwrap_or(mdp.start().to_vec());
    let episodes = causal_episodes(mdp, &start, &times);
    let what = format!("seed {seed}, ends {}, discount {}", ends.name(), mdp.discount());
    if episodes.is_empty() {
        let refused = model.distribution(&given, &Work::default()).map(|_| ());
        assert!(matches!(refused, Err(Error::NoPath { .. })), "{what}: {refused:?}");
        return None;
    }
    let total: f64 = episodes.iter().map(|episode| episode.probability).sum();
    close(total, 1.0, 1e-12, &what);
    let values = soft_values(&model, to, &Work::default()).unwrap();
    values.iter().zip(&times[0].value).for_each(|(&a, &b)| assert!(a == b || (a - b).abs() < 1e-11, "{what}: {a} {b}"));
    // E[V_1], the potential whose gradient are the visits.
    let mut partition = Partition::new(&model, &given, &Work::default()).unwrap();
    let (value, _) = partition.evaluate(&reward).unwrap();
    let expected: f64 = (episodes.iter()).map(|episode| episode.probability * times[0].value[episode.states[0]]).sum();
    close(value, expected, SAME, format_args!("{what}: E[V_1]"));
    Some(Enumerated { model, given, episodes, what })
}

#[test]
fn every_question_equals_enumeration() {
    let mut asked = 0;
    for seed in 0..SEEDS {
        let problem = RandomProblem::new(seed);
        let Some(all) = enumerated(&problem, seed) else { continue };
        asked += 1;
        all.check_distribution(&all.given, &all.ending(None), &all.what);
        scores_equal_enumeration(&all);
        expected_rewards_equal_enumeration(&all, &problem.reward());
        prefixes_equal_enumeration(&all, seed);
        best_paths_equal_enumeration(&all);
        // Episodes that are known to end in a state.
        if all.model.ends() != Ends::Goal {
            let to = all.episodes[seed as usize % all.episodes.len()].states.last().copied();
            let given = all.given.clone().to(to);
            all.check_distribution(&given, &all.ending(to), &format!("{}, to {to:?}", all.what));
            let found = lengths(&all.model, &given, &Work::default()).unwrap();
            all_close(&found.probability, &of_lengths(all.longest(), &all.ending(to)), SAME, &all.what);
        }
    }
    assert!(asked > 1_500, "{asked}");
}

/// Scores have the right sum, and choices and outcomes have the right factors.
fn scores_equal_enumeration(all: &Enumerated<'_>) {
    let mdp = all.model.mdp();
    let path = |episode: &CausalEpisode| trajectory_of(mdp, &episode.states, &episode.transitions);
    let some: Vec<&CausalEpisode> = all.episodes.iter().step_by(1 + all.episodes.len() / 7).collect();
    let paths: Vec<Trajectory> = some.iter().map(|episode| path(episode)).collect();
    let Ok(demos) = Demonstrations::new(mdp, &paths) else { return };
    for (score, episode) in scores(&all.model, &demos, &Work::default()).unwrap().into_iter().zip(some) {
        let score = score.unwrap();
        close(score.log_likelihood.exp(), episode.probability, SAME, format_args!("{}: score", all.what));
        for (step, &transition) in score.steps.iter().zip(&episode.transitions) {
            // Chance is left as it is.
            close(step.outcome.log_probability, mdp.probability()[transition].ln(), 1e-12, &all.what);
        }
    }
}

/// Executing the policy is what the model is about.
fn expected_rewards_equal_enumeration(all: &Enumerated<'_>, reward: &Reward) {
    let mdp = all.model.mdp();
    let worth = |episode: &CausalEpisode| -> f64 {
        let of = |(step, &state): (usize, &usize)| {
            let edge = episode.transitions.get(step).map_or(0.0, |&transition| reward.of_transition(transition));
            0.9f64.powi(step as i32) * (reward.state[state] + edge)
        };
        episode.states.iter().enumerate().map(of).sum()
    };
    let expected: f64 = all.episodes.iter().map(|episode| episode.probability * worth(episode)).sum();
    let start = all.given.start.clone().unwrap_or(mdp.start().to_vec());
    // First states from which no episode can end as it should are left out by the model, but not by an execution.
    if start.len() == 1 {
        let execution = Execution { start, discount: 0.9, rewards: vec![reward] };
        let mut paths = all.model.distribution(&all.given, &Work::default()).unwrap();
        let found = execution.of_paths(&mut paths).unwrap().values[0];
        close(found, expected, 1e-9 * (1.0 + expected.abs()), format_args!("{}: expected reward", all.what));
    }
}

/// Destinations and lengths after the first states of an episode.
fn prefixes_equal_enumeration(all: &Enumerated<'_>, seed: u64) {
    let mdp = all.model.mdp();
    let episode = &all.episodes[(seed as usize * 7) % all.episodes.len()];
    let seen = episode.states.len().div_ceil(2);
    let prefix = trajectory_of(mdp, &episode.states[..seen], &episode.transitions[..seen - 1]);
    let begins = |other: &&CausalEpisode| {
        other.states.len() >= seen
            && other.states[..seen] == episode.states[..seen]
            && other.transitions[..seen - 1] == episode.transitions[..seen - 1]
    };
    let rest: Vec<&CausalEpisode> = all.episodes.iter().filter(begins).collect();
    let total: f64 = rest.iter().map(|episode| episode.probability).sum();
    let rest: Vec<(&CausalEpisode, f64)> = rest.into_iter().map(|episode| (episode, episode.probability / total)).collect();
    let given = Given::after(prefix.clone()).to(all.given.to);
    let found = lengths(&all.model, &given, &Work::default()).unwrap();
    all_close(&found.probability, &of_lengths(all.longest(), &rest)[seen - 1..], 1e-9, format_args!("{}: rest", all.what));
    for path in sample(&all.model, &given, 5, seed, &Work::default()).unwrap() {
        assert!(path.states.starts_with(&prefix.states) && path.actions.starts_with(&prefix.actions), "{}", all.what);
    }
    if all.model.ends() == Ends::Goal {
        return;
    }
    // Among the episodes from the same first state.
    let first: Vec<&CausalEpisode> = all.episodes.iter().filter(|other| other.states[0] == episode.states[0]).collect();
    let from_first: f64 = first.iter().map(|episode| episode.probability).sum();
    let mut whole = vec![0.0; mdp.n_states()];
    let mut after = whole.clone();
    first.iter().for_each(|episode| whole[*episode.states.last().unwrap()] += episode.probability / from_first);
    rest.iter().for_each(|(episode, p)| after[*episode.states.last().unwrap()] += p);
    let mut uniform: Vec<f64> = after.iter().zip(&whole).map(|(s, z)| if *z > 0.0 { s / z } else { 0.0 }).collect();
    let sum: f64 = uniform.iter().sum();
    uniform.iter_mut().for_each(|p| *p /= sum);
    for (prior, expected) in [(Prior::Model, &after), (Prior::Uniform, &uniform)] {
        let mut destinations = Destinations::new(&all.model, prior, &Work::default()).unwrap();
        all_close(&destinations.posterior(&prefix).unwrap(), expected, 1e-9, format_args!("{}: destinations", all.what));
        let mut by_length = vec![0.0; all.longest()];
        for (episode, p) in &rest {
            let end = *episode.states.last().unwrap();
            by_length[episode.states.len() - 1] += p * expected[end] / after[end];
        }
        let found = destinations.lengths(&prefix).unwrap();
        all_close(&found.probability, &by_length[seen - 1..], 1e-9, format_args!("{}: lengths", all.what));
    }
}

/// The likeliest episodes, in their order, with their probabilities.
fn best_paths_equal_enumeration(all: &Enumerated<'_>) {
    let from = all.given.start.clone().unwrap_or(all.model.mdp().start().to_vec());
    let to = all.given.to.map(|to| vec![(to, 1.0)]);
    let found = best_paths(&all.model, &PathQuery { k: 5, ..PathQuery::new(from, to) }).unwrap();
    let mut expected: Vec<f64> = all.episodes.iter().map(|episode| episode.probability).collect();
    expected.sort_by(|one, other| other.total_cmp(one));
    assert_eq!(found.paths.len(), expected.len().min(5), "{}", all.what);
    // The first states have probabilities that sum to 1 over those of the model.
    let total: f64 = expected.iter().sum::<f64>();
    let scale = found.paths[0].log_score.exp() / (expected[0] / total);
    for (path, p) in found.paths.iter().zip(&expected) {
        close(path.log_score.exp() / scale, p / total, 1e-10, format_args!("{}: best paths", all.what));
    }
    if from_one(all) {
        close(scale, 1.0, 1e-9, format_args!("{}: the probability of the best path", all.what));
    }
}

fn from_one(all: &Enumerated<'_>) -> bool {
    all.given.start.as_deref().unwrap_or(all.model.mdp().start()).len() == 1
}

/// Destinations of an agent that wants to reach one of several goals: by Bayes' rule from the policies of all goals.
#[test]
fn goals_are_inferred_from_actions() {
    let mut asked = 0;
    for seed in (3..1_000).step_by(4) {
        let problem = RandomProblem::new(seed);
        let (mdp, reward, horizon) = (&problem.mdp, problem.reward(), problem.horizon);
        let model = model(mdp, &reward, horizon, Ends::Goal);
        let demo = problem.demonstrations.states(0);
        let seen = demo.len().min(3);
        let steps = &problem.demonstrations.transitions(0)[..seen - 1];
        let expected: Vec<f64> = (0..mdp.n_states())
            .map(|goal| {
                let times = causal_times(mdp, &reward, horizon, Stop::At(goal));
                let taken = steps.iter().enumerate();
                let p: f64 = taken.map(|(t, &step)| times[t].policy[mdp.choice_of()[step as usize] as usize]).product();
                let alive = times[seen - 1].value[demo[seen - 1] as usize] > f64::NEG_INFINITY;
                if alive && times[0].value[demo[0] as usize] > f64::NEG_INFINITY { p } else { 0.0 }
            })
            .collect();
        let states: Vec<usize> = demo[..seen].iter().map(|&state| state as usize).collect();
        let steps: Vec<usize> = steps.iter().map(|&step| step as usize).collect();
        let prefix = trajectory_of(mdp, &states, &steps);
        let mut destinations = Destinations::new(&model, Prior::Uniform, &Work::default()).unwrap();
        let total: f64 = expected.iter().sum();
        if total == 0.0 {
            assert!(matches!(destinations.posterior(&prefix), Err(Error::PriorExcludes { .. })), "seed {seed}");
            continue;
        }
        asked += 1;
        let expected: Vec<f64> = expected.iter().map(|p| p / total).collect();
        all_close(&destinations.posterior(&prefix).unwrap(), &expected, 1e-10, format_args!("seed {seed}"));
        let lengths = destinations.lengths(&prefix).unwrap();
        close(lengths.probability.iter().sum(), 1.0, 1e-10, format_args!("seed {seed}: lengths"));
    }
    assert!(asked > 150, "{asked}");
}

/// Both objectives, all ends and both kinds of horizons.
#[test]
fn gradients_equal_central_differences() {
    let mut checked = 0;
    for seed in 0..600 {
        let problem = RandomProblem::new(seed);
        let (mdp, features, demos) = (&problem.mdp, &problem.features, &problem.demonstrations);
        for objective in [CausalObjective::Likelihood, CausalObjective::Dual] {
            let options = Options { ends: problem.ends, horizon: Some(problem.horizon.into()), ..Options::default() };
            let mut causal = CausalLikelihood::new(mdp, features, demos, &options, objective).unwrap();
            let Ok(here) = causal.evaluate(&problem.theta) else { continue };
            checked += 1;
            for k in 0..problem.theta.len() {
                let difference = slope(1e-5, |step| causal.evaluate(&moved(&problem.theta, k, step)).unwrap().objective);
                let size = 1.0 + difference.abs();
                assert!((difference - here.gradient[k]).abs() < 1e-7 * size, "seed {seed}, {objective:?}, parameter {k}");
            }
        }
    }
    assert!(checked > 600, "{checked}");
}

/// The log-likelihood is the mean of log p, however it is asked for.
#[test]
fn the_likelihood_is_the_mean_of_the_scores() {
    for seed in 0..300 {
        let problem = RandomProblem::new(seed);
        let (mdp, demos) = (&problem.mdp, &problem.demonstrations);
        let options = Options { ends: problem.ends, horizon: Some(problem.horizon.into()), ..Options::default() };
        let mut causal = CausalLikelihood::new(mdp, &problem.features, demos, &options, CausalObjective::Likelihood).unwrap();
        let Ok(at) = causal.evaluate(&problem.theta) else { continue };
        let model = model(mdp, &problem.reward(), problem.horizon, problem.ends);
        let mean: f64 = (scores(&model, demos, &Work::default()).unwrap().into_iter().enumerate())
            // A demonstration that counts for nothing may be impossible.
            .filter(|(index, _)| demos.weight(*index) > 0.0)
            .map(|(index, score)| demos.weight(index) / demos.total_weight() * score.unwrap().log_likelihood)
            .sum();
        close(at.log_likelihood, mean, 1e-11 * (1.0 + mean.abs()), format_args!("seed {seed}"));
        assert_eq!(at.objective, at.log_likelihood);
    }
}

/// Certain transitions, several paths between the same states, one terminal state, and one start.
fn certain() -> Mdp {
    let mut builder = MdpBuilder::new(5, 3);
    builder.start(0, 1.0).terminal(4);
    for (from, action, to) in
        [(0, 0, 1), (0, 1, 2), (0, 2, 0), (1, 0, 3), (1, 2, 0), (2, 0, 3), (2, 1, 4), (3, 1, 0), (3, 2, 4)]
    {
        builder.transition(from, action, to, 1.0);
    }
    builder.build().unwrap()
}

/// Features of all three kinds.
fn mixed(mdp: &Mdp) -> Features {
    let mut builder = FeaturesBuilder::new(4);
    for state in 0..mdp.n_states() {
        builder.state(state, state % 2, 1.0 + state as f64 / 4.0);
        for action in 0..mdp.n_actions() {
            builder.state_action(state, action, 2, (action + state) as f64 / 3.0);
        }
    }
    for row in 0..mdp.n_rows() {
        builder.transition(row, 3, (row * 5 % 7) as f64 / 4.0 - 0.5);
    }
    builder.build(mdp).unwrap()
}

/// Without chance the two models are the same, for every path set, and learn the same θ by either objective.
#[test]
fn without_chance_it_is_maxent() {
    let mdp = certain();
    let features = mixed(&mdp);
    let reward = features.reward(&mdp, &[0.3, -0.7, 0.4, 1.1]).unwrap();
    for ends in Ends::ALL {
        let given = Given::from_state(0).to((ends == Ends::Goal).then_some(3));
        let (causal, maxent) = (model(&mdp, &reward, 7, ends), PathModel::new(&mdp, reward.clone(), 7, ends).unwrap());
        assert_eq!((causal.chance(), maxent.chance()), (Chance::Fixed, Chance::Tilted));
        let [mut one, mut other] = [&causal, &maxent].map(|model| model.distribution(&given, &Work::default()).unwrap());
        close(one.log_partition(), other.log_partition(), 1e-12, ends.name());
        for t in 1..=7 {
            let [one, other] = [&mut one, &mut other].map(|paths| paths.marginals(t).unwrap().transition);
            all_close(&one, &other, 1e-12, t);
        }
        let episodes = sample(&causal, &given, 300, 4, &Work::default()).unwrap();
        let demos = Demonstrations::new(&mdp, &episodes).unwrap();
        let fit = |method| {
            let options = Options { ends, horizon: Some(7.into()), ..Options::default() };
            MaxEnt { method, options, l2: 1e-3, ..MaxEnt::default() }.fit(&mdp, &features, &demos).unwrap()
        };
        let [causal, dual, exact] = [Method::Causal, Method::CausalDual, Method::Exact].map(fit);
        assert!(causal.converged && dual.converged && exact.converged, "{}", causal.stopped_because);
        all_close(&causal.theta, &exact.theta, 1e-5, "theta");
        all_close(&dual.theta, &exact.theta, 1e-5, "theta of the dual");
        close(causal.log_likelihood, exact.log_likelihood, 1e-9, ends.name());
    }
}

/// Stochastic transitions: the chain above, in which every step may slip to state 0.
fn slippery(discount: f64) -> Mdp {
    let mut builder = MdpBuilder::new(5, 2);
    builder.discount(discount).start(0, 0.75).start(1, 0.25).terminal(4);
    for (from, action, to) in [(0, 0, 1), (0, 1, 2), (1, 0, 3), (1, 1, 2), (2, 0, 3), (2, 1, 4), (3, 0, 1), (3, 1, 4)] {
        builder.transition(from, action, to, 0.75).transition(from, action, 0, 0.25);
    }
    builder.build().unwrap()
}

fn episodes(mdp: &Mdp, features: &Features, theta: &[f64], horizon: usize, n: usize) -> Demonstrations {
    let model = model(mdp, &features.reward(mdp, theta).unwrap(), horizon, Ends::Horizon);
    Demonstrations::new(mdp, &sample(&model, &Given::default(), n, 9, &Work::default()).unwrap()).unwrap()
}

/// Many episodes of a known reward: both objectives find it, the dual matches the features, and MaxEnt differs.
#[test]
fn a_known_reward_is_found_again() {
    let mdp = slippery(0.9);
    let features = FeaturesBuilder::new(2).state(2, 0, 1.0).state(3, 1, 1.0).build(&mdp).unwrap();
    let truth = [1.5, -1.0];
    let demos = episodes(&mdp, &features, &truth, 8, 20_000);
    let options = Options { ends: Ends::Horizon, horizon: Some(8.into()), ..Options::default() };
    let fit = |method| MaxEnt { method, options: options.clone(), ..MaxEnt::default() }.fit(&mdp, &features, &demos).unwrap();
    let [likelihood, dual, exact] = [Method::Causal, Method::CausalDual, Method::Exact].map(fit);
    for fit in [&likelihood, &dual] {
        assert!(fit.converged && fit.log_partition.is_none(), "{}", fit.stopped_because);
        all_close(&fit.theta, &truth, 0.05, "theta");
    }
    let mut causal = CausalLikelihood::new(&mdp, &features, &demos, &options, CausalObjective::Likelihood).unwrap();
    assert!(causal.feature_difference(&dual.theta).unwrap().iter().all(|difference| difference.abs() < 1e-6));
    let there = causal.evaluate(&likelihood.theta).unwrap();
    assert!(there.gradient.iter().all(|g| g.abs() < 1e-6));
    close(there.log_likelihood, likelihood.log_likelihood, 1e-12, "log-likelihood");
    assert!(likelihood.log_likelihood >= dual.log_likelihood, "the likelihood is maximal");
    assert!((exact.theta[0] - dual.theta[0]).abs() > 0.1, "{:?} {:?}", exact.theta, dual.theta);
    assert!(exact.log_likelihood < dual.log_likelihood, "the episodes are those of the causal model");
}

#[test]
fn samples_follow_the_policy() {
    let mdp = slippery(1.0);
    let reward = Reward::of_states(vec![0.0, 0.5, 1.0, -0.5, 0.3]);
    let mut causal = solved(&mdp, &reward, 5);
    let n = 40_000;
    let episodes = causal.sample(n, 1).unwrap();
    assert_eq!(episodes[..10], causal.sample(10, 1).unwrap());
    let third = causal.marginals(3).unwrap().state;
    for (state, p) in third.into_iter().enumerate() {
        let count = episodes.iter().filter(|path| path.states.get(2) == Some(&state)).count();
        let deviation = (p * (1.0 - p) / n as f64).sqrt();
        assert!((count as f64 / n as f64 - p).abs() < 5.0 * deviation + 1e-12, "state {state}: {count} of {n}, expected {p}");
    }
}

/// Whatever the memory and the threads, the same bits; too little memory is refused with the least that is enough.
#[test]
fn memory_and_threads_change_no_bit() {
    let world = worlds::road_like(20_000, 40_660, 1).unwrap().with_discount(0.99).unwrap();
    let demos = Demonstrations::new(&world.mdp, &episode_of(&world)).unwrap();
    let with = |memory: usize, threads: usize| {
        let work = Work { threads: Some(threads), memory };
        let options = Options { ends: Ends::Horizon, horizon: Some(50.into()), work };
        let objective = CausalObjective::Likelihood;
        CausalLikelihood::new(&world.mdp, &world.features, &demos, &options, objective)?.evaluate(&world.theta)
    };
    let message = 8 * 65_536;
    let all = with(100 * message, 1).unwrap();
    assert_eq!(all, with(100 * message, 3).unwrap());
    assert_eq!(all, with(14 * message, 2).unwrap());
    let error: Error = with(5 * message, 1).unwrap_err();
    assert!(matches!(error, Error::Memory { least, .. } if with(least, 1).unwrap() == all), "{error}");
}

fn episode_of(world: &worlds::World) -> Vec<Trajectory> {
    let model = model(&world.mdp, &reward_of(world), 50, Ends::Horizon);
    sample(&model, &Given::default(), 5, 1, &Work::default()).unwrap()
}

#[test]
fn paths_that_stop_early_are_refused() {
    let mdp = slippery(1.0);
    let features = mixed(&mdp);
    let early = Trajectory { id: Some("cab 7".to_string()), ..Trajectory::new(vec![0, 1], vec![0]) };
    let whole = Trajectory::new(vec![0, 1, 3], vec![0, 0]);
    let demos = Demonstrations::new(&mdp, &[whole.clone(), early]).unwrap();
    let options = Options { ends: Ends::Horizon, ..Options::default() };
    let settings = MaxEnt { method: Method::Causal, options, bounds: Bounds::Same(-1.0, 1.0), ..MaxEnt::default() };
    let message = refusal(settings.fit(&mdp, &features, &demos));
    assert!(message.contains("demonstration 1 (id cab 7): it ends after 2 states in state 1"), "{message}");
    // Chance may keep the agent from the goal for longer than the horizon.
    let demos = Demonstrations::new(&mdp, &[whole]).unwrap();
    let to_goal = Options { ends: Ends::Goal, ..Options::default() };
    let message = refusal(MaxEnt { options: to_goal, ..settings }.fit(&mdp, &features, &demos));
    assert!(message.contains("demonstration 0") && message.contains("chance decides"), "{message}");
    let mut causal = solved(&mdp, &Reward::of_states(vec![0.0; 5]), 3);
    assert!(causal.policy(4).is_err() && causal.policy(0).is_err() && causal.marginals(4).is_err());
    assert!(causal.marginals(3).is_ok() && causal.policy(2).is_ok());
    let one = solved(&mdp, &Reward::of_states(vec![1.0; 5]), 1);
    assert_eq!((one.log_partition(), one.occupancy().state[0]), (1.0, 0.75));
}
