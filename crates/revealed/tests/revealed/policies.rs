//! The path distribution as a policy, its stationary projection, and the values of both when they are executed.

use revealed::oracle::{Path, RandomProblem, enumerate, paths};
use revealed::{Error, Execution, Mdp, PathDistribution, Planning, PolicyAt, PolicyGap, Reward, Stop};

use crate::helpers::{close, last_of, model_of, shares, weight_of};

/// A random problem with one of its path sets; every third is asked for a last state, where its paths may have one.
struct Asked {
    problem: RandomProblem,
    reward: Reward,
    start: Vec<(usize, f64)>,
    stop: Stop,
}

impl Asked {
    fn new(seed: u64) -> Asked {
        let problem = RandomProblem::new(seed);
        let reward = problem.reward();
        let (start, mut stop) = problem.path_sets().swap_remove(0);
        let to = (seed / 3) as usize % problem.mdp.n_states();
        let model = model_of(&problem);
        if seed.is_multiple_of(3)
            && let Ok(conditioned) = model.stop(Some(to))
            && enumerate(&problem.mdp, &reward, &start, problem.horizon, conditioned).is_some()
        {
            stop = conditioned;
        }
        Asked { problem, reward, start, stop }
    }

    fn mdp(&self) -> &Mdp {
        &self.problem.mdp
    }

    fn distribution(&self) -> PathDistribution<'_> {
        PathDistribution::from(self.mdp(), self.reward.clone(), self.start.clone(), self.problem.horizon, self.stop).unwrap()
    }

    fn policies(&self) -> Vec<PolicyAt> {
        let mut paths = self.distribution();
        (1..=self.problem.horizon).map(|t| paths.policy(t).unwrap()).collect()
    }

    fn execution<'e>(&self, rewards: Vec<&'e Reward>) -> Execution<'e> {
        Execution { start: self.start.clone(), discount: self.mdp().discount(), rewards }
    }

    /// Every path with its probability.
    fn enumerated(&self) -> Vec<(Path, f64)> {
        shares(paths(self.mdp(), &self.reward, &self.start, self.problem.horizon, self.stop))
    }

    fn habit(&self, choice: usize) -> f64 {
        let mdp = self.mdp();
        mdp.reference().map_or(1.0 / mdp.choices(mdp.state_of(choice)).len() as f64, |reference| reference[choice])
    }
}

/// In every state at every time, reached or not: what follows is a distribution of its own.
#[test]
fn policies_equal_enumeration() {
    let (mut undefined, mut unreached) = (0, 0);
    for seed in 0..2_240 {
        let asked = Asked::new(seed);
        let (mdp, horizon) = (asked.mdp(), asked.problem.horizon);
        let answer = enumerate(mdp, &asked.reward, &asked.start, horizon, asked.stop).unwrap();
        for (policy, t) in asked.policies().iter().zip(1..) {
            let mut reward = asked.reward.clone();
            reward.state.iter_mut().chain(&mut reward.transition).for_each(|r| *r *= mdp.discount().powi(t - 1));
            for state in 0..mdp.n_states() {
                let what = format_args!("seed {seed}, t {t}, state {state}");
                let left = horizon + 1 - t as usize;
                let (mut stop, mut by_choice) = (0.0, vec![0.0; mdp.n_choices()]);
                for path in paths(mdp, &reward, &[(state, 1.0)], left, asked.stop) {
                    let weight = weight_of(&path);
                    match path.transitions.first() {
                        Some(&first) => by_choice[mdp.choice_of()[first] as usize] += weight,
                        None => stop += weight,
                    }
                }
                let go: f64 = by_choice.iter().sum();
                assert_eq!(policy.defined[state], go + stop > 0.0, "{what}");
                undefined += usize::from(!policy.defined[state]);
                unreached += usize::from(policy.defined[state] && answer.marginals[t as usize - 1].state[state] == 0.0);
                let ends = mdp.is_terminal(state) || left == 1;
                let expected = if ends {
                    1.0
                } else if go + stop > 0.0 {
                    stop / (go + stop)
                } else {
                    0.0
                };
                close(policy.stop[state], expected, 1e-10, what);
                for choice in mdp.choices(state) {
                    let expected = if go > 0.0 { by_choice[choice] / go } else { asked.habit(choice) };
                    close(policy.choice[choice], expected, 1e-10, what);
                }
            }
        }
        let mut paths = asked.distribution();
        assert!(matches!(paths.policy(0), Err(Error::Count { what: "t", .. })));
        assert!(matches!(paths.policy(horizon + 1), Err(Error::Count { what: "t", .. })));
    }
    assert!(undefined > 1000 && unreached > 1000, "{undefined} {unreached}");
}

/// How often paths make each choice, and end in each state, before the horizon: by counting.
fn counts(asked: &Asked) -> (Vec<f64>, Vec<f64>) {
    let mdp = asked.mdp();
    let (mut choice, mut stop) = (vec![0.0; mdp.n_choices()], vec![0.0; mdp.n_states()]);
    for (path, p) in asked.enumerated() {
        path.transitions.iter().for_each(|&transition| choice[mdp.choice_of()[transition] as usize] += p);
        let last = last_of(&path);
        if path.states.len() < asked.problem.horizon && !mdp.is_terminal(last) {
            stop[last] += p;
        }
    }
    (choice, stop)
}

#[test]
fn projections_and_divergences_equal_enumeration() {
    let mut losses = 0;
    for seed in 0..2_240 {
        let asked = Asked::new(seed);
        let (mdp, horizon) = (asked.mdp(), asked.problem.horizon);
        let mut paths = asked.distribution();
        let projection = paths.stationary_projection().unwrap();
        let (choice, stop) = counts(&asked);
        for (state, stop) in stop.into_iter().enumerate() {
            let what = format_args!("seed {seed}, state {state}");
            let go: f64 = choice[mdp.choices(state)].iter().sum();
            let expected = if stop > 0.0 { stop / (stop + go) } else { 0.0 };
            close(projection.stop[state], expected, 1e-10, what);
            for taken in mdp.choices(state) {
                let expected = if go > 0.0 { choice[taken] / go } else { asked.habit(taken) };
                close(projection.policy.probability(taken), expected, 1e-10, what);
            }
        }
        // log π_t / π̄ along every path, and the log-likelihood of the paths under the projection.
        let policies = asked.policies();
        let step = |policy: &[f64], stop: &[f64], path: &Path, t: usize| {
            let state = path.states[t];
            let go = || (policy[mdp.choice_of()[path.transitions[t]] as usize] * (1.0 - stop[state])).ln();
            if t < path.transitions.len() { go() } else { stop[state].ln() }
        };
        let (mut divergence, mut likelihood) = (0.0, 0.0);
        let all = asked.enumerated();
        for (path, p) in &all {
            for t in (0..path.states.len()).filter(|&t| t + 1 < horizon && !mdp.is_terminal(path.states[t])) {
                let by_projection = step(projection.policy.probabilities(), &projection.stop, path, t);
                divergence += p * (step(&policies[t].choice, &policies[t].stop, path, t) - by_projection);
                likelihood += p * by_projection;
            }
        }
        let planning = Planning { max_iterations: 10, ..Planning::default() };
        let gap = PolicyGap::new(&mut paths, &asked.execution(vec![&asked.reward]), &planning).unwrap();
        assert_eq!(gap.projection, projection);
        close(gap.divergence, divergence, 1e-10, format_args!("seed {seed}"));
        assert!(gap.divergence_of_state.iter().all(|&part| part > -1e-12));
        losses += usize::from(gap.divergence > 1e-6);
        // No other stationary policy has a larger likelihood.
        for shift in [0.9, 0.99] {
            let mixed = |p: f64, other: f64| shift * p + (1.0 - shift) * other;
            let policy: Vec<f64> =
                (0..mdp.n_choices()).map(|c| mixed(projection.policy.probability(c), asked.habit(c))).collect();
            let stop: Vec<f64> = projection.stop.iter().map(|&stop| mixed(stop, 0.5)).collect();
            let mut other = 0.0;
            for (path, p) in &all {
                for t in (0..path.states.len()).filter(|&t| t + 1 < horizon && !mdp.is_terminal(path.states[t])) {
                    other += p * step(&policy, &stop, path, t);
                }
            }
            assert!(other <= likelihood + 1e-12, "seed {seed}: {other} exceeds {likelihood}");
        }
    }
    assert!(losses > 500, "{losses}");
}

/// R(τ) by a reward, and how many states, of one path of the world after another, with their probabilities when
/// executed.
struct Tree<'a> {
    mdp: &'a Mdp,
    policies: &'a [PolicyAt],
    reward: &'a Reward,
    discount: f64,
    value: f64,
    length: f64,
}

impl Tree<'_> {
    /// Adds all paths that are in `state` at time `t` (from 0) with probability `p` and the reward `paid` so far.
    fn follow(&mut self, t: usize, state: usize, p: f64, paid: f64) {
        let power = self.discount.powi(t as i32);
        let paid = paid + power * self.reward.state[state];
        let policy = &self.policies[t];
        let stop = if self.mdp.is_terminal(state) || t + 1 == self.policies.len() { 1.0 } else { policy.stop[state] };
        self.value += p * stop * paid;
        self.length += p * stop * (t + 1) as f64;
        for choice in self.mdp.choices(state).filter(|_| stop < 1.0) {
            for transition in self.mdp.outcomes(choice) {
                let q = p * (1.0 - stop) * policy.choice[choice] * self.mdp.probability()[transition];
                if q > 0.0 {
                    let paid = paid + power * self.reward.of_transition(transition);
                    self.follow(t + 1, self.mdp.to()[transition] as usize, q, paid);
                }
            }
        }
    }

    fn executed(mdp: &Mdp, policies: &[PolicyAt], reward: &Reward, execution: &Execution<'_>) -> (f64, f64) {
        let mut tree = Tree { mdp, policies, reward, discount: execution.discount, value: 0.0, length: 0.0 };
        let sum: f64 = execution.start.iter().map(|row| row.1).sum();
        execution.start.iter().for_each(|&(state, p)| tree.follow(0, state, p / sum, 0.0));
        (tree.value, tree.length)
    }
}

fn other_reward(problem: &RandomProblem) -> Reward {
    let theta: Vec<f64> = problem.theta.iter().map(|theta| 0.3 - theta).collect();
    problem.features.reward(&problem.mdp, &theta).unwrap()
}

/// Both policies, by two rewards, with the MDP's discount and another, against every path of the executed process; and
/// rollouts within five standard errors.
#[test]
fn executions_equal_enumeration() {
    let mut rolled = 0;
    for seed in 0..448 {
        let asked = Asked::new(seed);
        let (mdp, horizon) = (asked.mdp(), asked.problem.horizon);
        let other = other_reward(&asked.problem);
        let rewards = vec![&asked.reward, &other];
        let mut paths = asked.distribution();
        let policies = asked.policies();
        let projection = paths.stationary_projection().unwrap();
        let stationary =
            PolicyAt { choice: projection.policy.probabilities().to_vec(), stop: projection.stop.clone(), defined: Vec::new() };
        let repeated = vec![stationary; horizon];
        for discount in [mdp.discount(), 0.7] {
            let execution = Execution { discount, ..asked.execution(rewards.clone()) };
            let gap = PolicyGap::new(&mut paths, &execution, &Planning::default()).unwrap();
            assert_eq!(gap.policy, execution.of_paths(&mut paths).unwrap());
            assert_eq!(gap.projected, execution.of_policy(mdp, horizon, &projection).unwrap());
            for (index, reward) in rewards.iter().enumerate() {
                let what = format_args!("seed {seed}, discount {discount}, reward {index}");
                let (value, length) = Tree::executed(mdp, &policies, reward, &execution);
                close(gap.policy.values[index], value, 1e-10, what);
                close(gap.policy.mean_length, length, 1e-10, what);
                let (value, length) = Tree::executed(mdp, &repeated, reward, &execution);
                close(gap.projected.values[index], value, 1e-10, what);
                close(gap.projected.mean_length, length, 1e-10, what);
                // The path distribution's own E[R], by its paths.
                let paid = |path: &Path| {
                    let mut paid = 0.0;
                    for (t, &state) in path.states.iter().enumerate() {
                        let step = path.transitions.get(t).map_or(0.0, |&transition| reward.of_transition(transition));
                        paid += discount.powi(t as i32) * (reward.state[state] + step);
                    }
                    paid
                };
                let expected: f64 = asked.enumerated().iter().map(|(path, p)| p * paid(path)).sum();
                close(gap.paths.values[index], expected, 1e-10, what);
            }
            // The value of the start is the mean of the values of states.
            let values = execution.values(mdp, horizon, &projection).unwrap();
            let sum: f64 = asked.start.iter().map(|row| row.1).sum();
            let mean: f64 = asked.start.iter().map(|&(state, p)| p / sum * values[state]).sum();
            close(gap.projected.values[0], mean, 1e-10, format_args!("seed {seed}"));

            let by_paths = execution.roll_out_paths(&mut paths, 2000, seed).unwrap();
            let by_projection = execution.roll_out_policy(mdp, horizon, &projection, 2000, seed).unwrap();
            let exact = gap.policy.values.iter().chain(&gap.projected.values);
            for (rollouts, exact) in by_paths.iter().chain(&by_projection).zip(exact) {
                let off = (rollouts.mean - exact).abs();
                assert!(off <= 5.0 * rollouts.standard_error + 1e-9, "seed {seed}: {rollouts:?}, exactly {exact}");
                rolled += usize::from(rollouts.standard_error > 0.0);
            }
        }
    }
    assert!(rolled > 1000, "{rolled}");
}

/// Without chance the policy reproduces the paths of the model, and its value is their E[R].
#[test]
fn without_chance_the_policy_gives_the_paths_back() {
    let mut checked = 0;
    for seed in 0..8_000 {
        let asked = Asked::new(seed);
        if asked.mdp().probability().iter().any(|&p| p != 1.0) {
            continue;
        }
        let mut paths = asked.distribution();
        // The first state is chance, too: the model's own.
        let first = paths.marginals(1).unwrap().state;
        let start = first.into_iter().enumerate().filter(|row| row.1 > 0.0).collect();
        let execution = Execution { start, ..asked.execution(vec![&asked.reward]) };
        let gap = PolicyGap::new(&mut paths, &execution, &Planning::default()).unwrap();
        close(gap.policy.values[0], gap.paths.values[0], 1e-10, format_args!("seed {seed}"));
        close(gap.policy.mean_length, gap.paths.mean_length, 1e-10, format_args!("seed {seed}"));
        checked += 1;
    }
    assert!(checked > 300, "{checked}");
}
