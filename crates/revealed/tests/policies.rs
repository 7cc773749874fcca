//! The path distribution as a policy, its stationary projection, and what both are worth when they are executed.

use revealed::oracle::{Path, RandomProblem, enumerate, paths};
use revealed::worlds::{self, FROZEN_LAKE_4X4};
use revealed::{
    Ends, Error, Execution, Mdp, Options, PathDistribution, PathModel, Planning, Policy, PolicyAt, PolicyGap, Reward,
    StationaryPolicy, Stop,
};

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
        let model = PathModel::new(&problem.mdp, reward.clone(), problem.horizon, problem.ends).unwrap();
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
        let all = paths(self.mdp(), &self.reward, &self.start, self.problem.horizon, self.stop);
        let weights: Vec<f64> = all.iter().map(|path| path.log_weight.to_f64().exp()).collect();
        let total: f64 = weights.iter().sum();
        all.into_iter().zip(weights).map(|(path, weight)| (path, weight / total)).collect()
    }

    fn habit(&self, choice: usize) -> f64 {
        let mdp = self.mdp();
        mdp.reference().map_or(1.0 / mdp.choices(mdp.state_of(choice)).len() as f64, |reference| reference[choice])
    }
}

#[track_caller]
fn close(found: f64, expected: f64, what: impl Fn() -> String) {
    let scale = expected.abs().max(1.0);
    assert!((found - expected).abs() <= 1e-10 * scale, "{}: {found}, expected {expected}", what());
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
                let what = || format!("seed {seed}, t {t}, state {state}");
                let left = horizon + 1 - t as usize;
                let (mut stop, mut by_choice) = (0.0, vec![0.0; mdp.n_choices()]);
                for path in paths(mdp, &reward, &[(state, 1.0)], left, asked.stop) {
                    let weight = path.log_weight.to_f64().exp();
                    match path.transitions.first() {
                        Some(&first) => by_choice[mdp.choice_of()[first] as usize] += weight,
                        None => stop += weight,
                    }
                }
                let go: f64 = by_choice.iter().sum();
                assert_eq!(policy.defined[state], go + stop > 0.0, "{}", what());
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
                close(policy.stop[state], expected, what);
                for choice in mdp.choices(state) {
                    let expected = if go > 0.0 { by_choice[choice] / go } else { asked.habit(choice) };
                    close(policy.choice[choice], expected, what);
                }
            }
        }
        let mut paths = asked.distribution();
        assert!(matches!(paths.policy(0), Err(Error::Count { what: "t", .. })));
        assert!(matches!(paths.policy(horizon + 1), Err(Error::Count { what: "t", .. })));
    }
    assert!(undefined > 1000 && unreached > 1000, "{undefined} {unreached}");
}

/// How often paths do each thing before the horizon, by counting: choices, and ends by state.
fn counts(asked: &Asked) -> (Vec<f64>, Vec<f64>) {
    let mdp = asked.mdp();
    let (mut choice, mut stop) = (vec![0.0; mdp.n_choices()], vec![0.0; mdp.n_states()]);
    for (path, p) in asked.enumerated() {
        path.transitions.iter().for_each(|&transition| choice[mdp.choice_of()[transition] as usize] += p);
        let last = path.states[path.states.len() - 1];
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
            let what = || format!("seed {seed}, state {state}");
            let go: f64 = choice[mdp.choices(state)].iter().sum();
            let expected = if stop > 0.0 { stop / (stop + go) } else { 0.0 };
            close(projection.stop[state], expected, what);
            for taken in mdp.choices(state) {
                let expected = if go > 0.0 { choice[taken] / go } else { asked.habit(taken) };
                close(projection.policy.probability(taken), expected, what);
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
        close(gap.divergence, divergence, || format!("seed {seed}"));
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

/// R(τ) by a reward, and how many states, of one path of the world after another, with their probabilities when executed.
struct Tree<'a> {
    mdp: &'a Mdp,
    policies: &'a [PolicyAt],
    reward: &'a Reward,
    discount: f64,
    value: f64,
    length: f64,
}

impl Tree<'_> {
    /// All that may come of being in `state` at time `t` (from 0) with probability `p` and `paid` so far.
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

/// Both policies, by two rewards, with the MDP's discount and another, against every path of the executed process; and rollouts
/// within five standard errors.
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
                let what = || format!("seed {seed}, discount {discount}, reward {index}");
                let (value, length) = Tree::executed(mdp, &policies, reward, &execution);
                close(gap.policy.values[index], value, what);
                close(gap.policy.mean_length, length, what);
                let (value, length) = Tree::executed(mdp, &repeated, reward, &execution);
                close(gap.projected.values[index], value, what);
                close(gap.projected.mean_length, length, what);
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
                close(gap.paths.values[index], expected, what);
            }
            // The value of the start is the mean of the values of states.
            let values = execution.values(mdp, horizon, &projection).unwrap();
            let sum: f64 = asked.start.iter().map(|row| row.1).sum();
            let mean: f64 = asked.start.iter().map(|&(state, p)| p / sum * values[state]).sum();
            close(gap.projected.values[0], mean, || format!("seed {seed}"));

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

/// Where nothing is left to chance the policy makes the paths of the model, and its value is their E[R].
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
        close(gap.policy.values[0], gap.paths.values[0], || format!("seed {seed}"));
        close(gap.policy.mean_length, gap.paths.mean_length, || format!("seed {seed}"));
        checked += 1;
    }
    assert!(checked > 300, "{checked}");
}

#[test]
fn slippery_ice_has_a_gap_and_a_chain_has_none() {
    let lake = worlds::frozen_lake(&FROZEN_LAKE_4X4, true).unwrap().with_discount(0.99).unwrap();
    let theta: Vec<f64> = lake.theta.iter().map(|theta| 5.0 * theta).collect();
    let reward = lake.features.reward(&lake.mdp, &theta).unwrap();
    let truth = lake.features.reward(&lake.mdp, &lake.theta).unwrap();
    let mut paths = PathDistribution::new(&lake.mdp, reward.clone(), 30, Stop::Terminal).unwrap();
    let execution = Execution { start: lake.mdp.start().to_vec(), discount: 0.99, rewards: vec![&reward, &truth] };
    let gap = PolicyGap::new(&mut paths, &execution, &Planning::default()).unwrap();
    let optimal = gap.optimal.unwrap();
    assert!(gap.divergence > 0.05, "{}", gap.divergence);
    for index in 0..2 {
        assert!(gap.paths.values[index] > 2.0 * gap.policy.values[index], "the model hopes for luck");
        let (policy, projected) = (gap.policy.values[index], gap.projected.values[index]);
        assert!((policy - projected).abs() > 1e-3 * policy.abs(), "time matters: {policy} {projected}");
        assert!(optimal.values[index] > gap.policy.values[index], "the best is better than the likely");
    }
    assert!((optimal.values[0] - 5.0 * optimal.values[1]).abs() < 1e-9);

    let chain = worlds::linear_chain(6).unwrap();
    let reward = Reward::of_states(vec![0.3, -0.4, 0.1, 0.5, -1.0, 0.2]);
    for (stop, horizon) in [(Stop::Anywhere, 6), (Stop::Anywhere, 4), (Stop::Horizon, 5), (Stop::Terminal, 9)] {
        let mut paths = PathDistribution::new(&chain.mdp, reward.clone(), horizon, stop).unwrap();
        let execution = Execution { start: vec![(0, 1.0)], discount: 1.0, rewards: vec![&reward] };
        let gap = PolicyGap::new(&mut paths, &execution, &Planning::default()).unwrap();
        assert!(gap.divergence < 1e-14, "{stop:?}: {}", gap.divergence);
        assert!((gap.policy.values[0] - gap.projected.values[0]).abs() < 1e-14);
        assert!((gap.policy.values[0] - gap.paths.values[0]).abs() < 1e-14);
    }
}

/// With rewards in metres a path hardly ever goes on; what it does then is still known.
#[test]
fn what_is_too_rare_for_an_f64_has_a_policy() {
    let lake = worlds::frozen_lake(&FROZEN_LAKE_4X4, false).unwrap();
    let reward = Reward::of_states((0..16).map(|state| -2000.0 - (state % 4) as f64).collect());
    let mut paths = PathDistribution::new(&lake.mdp, reward, 10, Stop::Anywhere).unwrap();
    let at = paths.policy(1).unwrap();
    // To 1 (one metre more) or to 4; left and up lead nowhere.
    let expected = [1.0, 1.0, (-1f64).exp(), 1.0].map(|weight| weight / (3.0 + (-1f64).exp()));
    let projection = paths.stationary_projection().unwrap();
    assert_eq!(at.stop[0], 1.0);
    for (action, expected) in expected.into_iter().enumerate() {
        let choice = lake.mdp.choice(0, action).unwrap();
        close(at.choice[choice], expected, || format!("action {action}"));
        close(projection.policy.probability(choice), expected, || format!("action {action}"));
    }
}

#[test]
fn roads_give_the_same_bits_on_any_number_of_threads() {
    let world = worlds::road_like(6_000, 12_200, 5).unwrap();
    let reward = world.features.reward(&world.mdp, &world.theta).unwrap();
    let model = PathModel::new(&world.mdp, reward.clone(), 30, Ends::Anywhere).unwrap();
    let run = |threads| {
        let options = Options { threads: Some(threads), ..Options::default() };
        let mut paths = model.distribution(world.mdp.start().to_vec(), None, &options).unwrap();
        let execution = Execution { start: world.mdp.start().to_vec(), discount: 1.0, rewards: vec![&reward] };
        let gap = PolicyGap::new(&mut paths, &execution, &Planning::default()).unwrap();
        assert_eq!(gap.optimal, Err(Error::NeverEnds(0)));
        let rolled = execution.roll_out_paths(&mut paths, 500, 3).unwrap();
        // Turns are certain: the policy makes the model's paths, from p0 instead of the model's first states.
        let gap_in_errors = (rolled[0].mean - gap.policy.values[0]).abs() / rolled[0].standard_error;
        assert!(gap_in_errors < 5.0, "{gap_in_errors}");
        (gap, rolled, paths.policy(7).unwrap())
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn executions_that_cannot_be_are_refused() {
    let chain = worlds::linear_chain(4).unwrap();
    let reward = Reward::of_states(vec![1.0; 4]);
    let walk = StationaryPolicy::never_stops(&chain.mdp, Policy::uniform(&chain.mdp));
    let execution = Execution { start: vec![(0, 1.0)], discount: 1.0, rewards: vec![&reward] };
    assert_eq!(execution.of_policy(&chain.mdp, 4, &walk).unwrap().values, [4.0]);
    let refused = |execution: &Execution<'_>, walk: &StationaryPolicy| execution.of_policy(&chain.mdp, 4, walk).unwrap_err();
    assert_eq!(refused(&Execution { start: vec![], ..execution.clone() }, &walk), Error::StartSum(0.0));
    assert_eq!(refused(&Execution { start: vec![(0, 0.0)], ..execution.clone() }, &walk), Error::StartSum(0.0));
    assert!(matches!(refused(&Execution { start: vec![(4, 1.0)], ..execution.clone() }, &walk), Error::OutOfRange { .. }));
    assert_eq!(refused(&Execution { discount: 1.5, ..execution.clone() }, &walk), Error::Discount(1.5));
    let short = Reward::of_states(vec![1.0; 3]);
    assert!(matches!(refused(&Execution { rewards: vec![&short], ..execution.clone() }, &walk), Error::Length { .. }));
    let bad = |stop: Vec<f64>| StationaryPolicy { stop, ..walk.clone() };
    assert!(matches!(refused(&execution, &bad(vec![0.0; 3])), Error::Length { found: 3, expected: 4, .. }));
    assert!(matches!(refused(&execution, &bad(vec![0.0, 1.5, 0.0, 0.0])), Error::BadNumber { row: 1, .. }));
    assert!(matches!(refused(&execution, &bad(vec![f64::NAN; 4])), Error::BadNumber { row: 0, .. }));
    assert!(matches!(execution.of_policy(&chain.mdp, 0, &walk), Err(Error::Count { value: 0, .. })));
    for n in [0, 1, usize::MAX] {
        assert!(matches!(execution.roll_out_policy(&chain.mdp, 4, &walk, n, 1), Err(Error::Count { .. })));
    }
}
