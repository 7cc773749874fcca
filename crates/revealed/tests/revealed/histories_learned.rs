//! Likelihoods, gradients and policies of the causal model with histories, against sums over whole histories.

use revealed::oracle::Path;
use revealed::{
    CausalLikelihood, CausalObjective, Chance, Ends, Given, HistoryModel, HistoryWorld, Horizon, Likelihood, MarginalKind,
    Options, Work,
};

use crate::helpers::{all_close, close, last_of, moved, slope};
use crate::histories::Remembered;

/// The options of the product: paths are a state longer if they take an exit.
fn options(this: &Remembered, world: &HistoryWorld) -> Options {
    let horizon = this.problem.horizon + usize::from(world.has_exits());
    Options { ends: this.problem.ends, horizon: Some(Horizon::AtMost(horizon)), ..Options::default() }
}

#[test]
fn log_likelihoods_and_gradients_equal_enumeration() {
    let mut checked = 0;
    for seed in 0..700 {
        let Some(this) = Remembered::new(seed) else { continue };
        let problem = &this.problem;
        let (mdp, demos) = (&problem.mdp, &problem.demonstrations);
        let last = HistoryWorld::last_states(demos, problem.ends);
        let made = HistoryWorld::new(mdp, &problem.features, &this.windows, &last, &Work::default());
        let Ok(world) = made else {
            assert!(mdp.reference().is_some() && problem.ends == Ends::Goal);
            continue;
        };
        let lifted = world.lift_all(mdp, demos).unwrap();
        let mut likelihood = Likelihood::new(&world.mdp, &world.features, &lifted, &options(&this, &world)).unwrap();
        let found = likelihood.evaluate(&this.theta).unwrap();
        // log p(τ) and φ(τ) - E φ, by enumeration.
        let own = problem.theta.len();
        let phi = |path: &Path| -> Vec<f64> {
            let path_in_world = crate::helpers::trajectory_of(mdp, &path.states, &path.transitions);
            let one = revealed::Demonstrations::new(&free(mdp), &[path_in_world]).unwrap();
            let of_world = problem.features.of_path(mdp, &one, 0);
            of_world.into_iter().chain(this.features_of(&path.states, &path.transitions)).collect()
        };
        let (mut log_likelihood, mut gradient) = (0.0, vec![0.0; own + this.windows.n_features()]);
        for index in 0..demos.len() {
            let states = demos.states(index);
            let (first, end) = (states[0] as usize, states[states.len() - 1] as usize);
            let goal = problem.ends == Ends::Goal;
            let start = if goal { vec![(first, 1.0)] } else { mdp.start().to_vec() };
            let all: Vec<(Path, f64)> = this.paths(&start).into_iter().filter(|row| !goal || last_of(&row.0) == end).collect();
            let total: f64 = all.iter().map(|row| row.1).sum();
            let is_it = |path: &Path| {
                path.states.iter().map(|&s| s as u32).eq(states.iter().copied())
                    && path.transitions.iter().map(|&t| t as u32).eq(demos.transitions(index).iter().copied())
            };
            let (path, weight) = all.iter().find(|row| is_it(&row.0)).unwrap();
            let share = demos.weight(index) / demos.total_weight();
            log_likelihood += share * (weight / total).ln();
            gradient.iter_mut().zip(phi(path)).for_each(|(sum, phi)| *sum += share * phi);
            for (path, weight) in &all {
                gradient.iter_mut().zip(phi(path)).for_each(|(sum, phi)| *sum -= share * weight / total * phi);
            }
        }
        close(found.log_likelihood, log_likelihood, 1e-9, format_args!("seed {seed}"));
        all_close(&found.gradient, &gradient, 1e-9, format_args!("seed {seed}"));
        checked += 1;
    }
    assert!(checked > 400, "{checked}");
}

/// The same world, where any path may begin.
fn free(mdp: &revealed::Mdp) -> revealed::Mdp {
    let mut builder = revealed::MdpBuilder::new(mdp.n_states(), mdp.n_actions());
    builder.discount(mdp.discount());
    for state in 0..mdp.n_states() {
        builder.start(state, 1.0 / mdp.n_states() as f64);
        if mdp.is_terminal(state) {
            builder.terminal(state);
        }
    }
    for (transition, &p) in mdp.probability().iter().enumerate() {
        let action = mdp.action_of(mdp.choice_of()[transition] as usize);
        builder.transition(mdp.from()[transition] as usize, action, mdp.to()[transition] as usize, p);
    }
    builder.build().unwrap()
}

/// The causal model over whole histories, without any compilation: V of a path so far, and what its agent does there.
struct Whole<'t> {
    this: &'t Remembered,
    theta: &'t [f64],
    goal: Option<usize>,
}

impl Whole<'_> {
    /// V of the path so far, without what was paid before its last state.
    fn value(&self, states: &[usize], steps: &[usize]) -> f64 {
        let (total, reward) = self.options(states, steps);
        reward + total.iter().map(|row| row.1).reduce(log_add).unwrap_or(f64::NEG_INFINITY)
    }

    /// What may be done, with the logarithm of its weight, and the reward of the last state. `None` is the end.
    fn options(&self, states: &[usize], steps: &[usize]) -> (Vec<(Option<usize>, f64)>, f64) {
        let problem = &self.this.problem;
        let (mdp, state, t) = (&problem.mdp, states[states.len() - 1], states.len());
        let own = &self.theta[..problem.theta.len()];
        let reward = problem.features.reward(mdp, own).unwrap();
        let is_end = match problem.ends {
            Ends::Anywhere => true,
            Ends::Horizon => mdp.is_terminal(state) || t == problem.horizon,
            Ends::Terminal => mdp.is_terminal(state),
            Ends::Goal => Some(state) == self.goal,
        };
        let mut options = if is_end { vec![(None, 0.0)] } else { Vec::new() };
        for choice in mdp.choices(state).filter(|_| t < problem.horizon) {
            let mut weight = mdp.reference().map_or(0.0, |reference| reference[choice].ln());
            for step in mdp.outcomes(choice) {
                let to = mdp.to()[step] as usize;
                let next: Vec<usize> = states.iter().copied().chain([to]).collect();
                let after: Vec<usize> = steps.iter().copied().chain([step]).collect();
                let later = self.value(&next, &after);
                let later = if later == f64::NEG_INFINITY { later } else { mdp.discount() * later };
                weight += mdp.probability()[step] * (reward.of_transition(step) + self.pays(states, step) + later);
            }
            options.push((Some(choice), weight));
        }
        (options, reward.state[state])
    }

    /// What the windows pay for a step.
    fn pays(&self, states: &[usize], step: usize) -> f64 {
        let mdp = &self.this.problem.mdp;
        let action = mdp.action_of(mdp.choice_of()[step] as usize);
        let theta = &self.theta[self.this.problem.theta.len()..];
        let fits = |window: &&revealed::Window| {
            states.ends_with(&window.states)
                && window.action.is_none_or(|a| a == action)
                && window.to.is_none_or(|to| to == mdp.to()[step] as usize)
        };
        self.this.windows.windows().iter().filter(fits).map(|window| theta[window.feature] * window.value).sum()
    }

    /// log π of what was done, or of the end.
    fn log_policy(&self, states: &[usize], steps: &[usize], done: Option<usize>) -> f64 {
        let (options, _) = self.options(states, steps);
        let total = options.iter().map(|row| row.1).reduce(log_add).unwrap();
        options.iter().find(|row| row.0 == done).unwrap().1 - total
    }
}

fn log_add(a: f64, b: f64) -> f64 {
    let most = a.max(b);
    if most == f64::NEG_INFINITY { most } else { most + ((a - most).exp() + (b - most).exp()).ln() }
}

#[test]
fn the_causal_model_equals_sums_over_whole_histories() {
    let mut checked = 0;
    for seed in 0..400 {
        let Some(this) = Remembered::new(seed) else { continue };
        let problem = &this.problem;
        let (mdp, demos) = (&problem.mdp, &problem.demonstrations);
        let last = HistoryWorld::last_states(demos, problem.ends);
        let Ok(world) = HistoryWorld::new(mdp, &problem.features, &this.windows, &last, &Work::default()) else { continue };
        let lifted = world.lift_all(mdp, demos).unwrap();
        let objective = CausalObjective::Likelihood;
        let causal = CausalLikelihood::new(&world.mdp, &world.features, &lifted, &options(&this, &world), objective);
        let Ok(mut causal) = causal else { continue };
        // Where chance may prevent an end, the demonstration is impossible.
        let Ok(found) = causal.evaluate(&this.theta) else { continue };
        let actions = |theta: &[f64]| {
            let of = |index: usize| {
                let states: Vec<usize> = demos.states(index).iter().map(|&s| s as usize).collect();
                let steps: Vec<usize> = demos.transitions(index).iter().map(|&t| t as usize).collect();
                let whole = Whole { this: &this, theta, goal: states.last().copied() };
                let log_policy = |t: usize| {
                    let done = steps.get(t).map(|&step| mdp.choice_of()[step] as usize);
                    whole.log_policy(&states[..=t], &steps[..t], done)
                };
                demos.weight(index) / demos.total_weight() * (0..states.len()).map(log_policy).sum::<f64>()
            };
            (0..demos.len()).filter(|&index| demos.weight(index) > 0.0).map(of).sum::<f64>()
        };
        for k in 0..this.theta.len() {
            let numeric = slope(1e-5, |step| actions(&moved(&this.theta, k, step)));
            let scale = found.gradient[k].abs().max(1.0);
            close(found.gradient[k] / scale, numeric / scale, 1e-6, format_args!("seed {seed}, feature {k}"));
        }
        if problem.ends != Ends::Goal {
            let paths = (Horizon::AtMost(problem.horizon), problem.ends, Chance::Fixed);
            let model =
                HistoryModel::new((mdp, &problem.features), &this.windows, &this.theta, paths, &Work::default()).unwrap();
            let scores = model.scores(demos, &Work::default()).unwrap();
            for (index, score) in scores.iter().enumerate() {
                let score = score.as_ref().unwrap();
                let choices: f64 = score.steps.iter().map(|step| step.choice.log_probability).sum();
                let states: Vec<usize> = demos.states(index).iter().map(|&s| s as usize).collect();
                let steps: Vec<usize> = demos.transitions(index).iter().map(|&t| t as usize).collect();
                let whole = Whole { this: &this, theta: &this.theta, goal: None };
                let done = |t: usize| whole.log_policy(&states[..=t], &steps[..t], Some(mdp.choice_of()[steps[t]] as usize));
                close(choices, (0..steps.len()).map(done).sum(), 1e-9, format_args!("seed {seed}"));
                // The policy given the history.
                let prefix = crate::helpers::trajectory_of(mdp, &states, &steps);
                if states.len() < problem.horizon && !mdp.is_terminal(states[states.len() - 1]) {
                    let policy = model.policy(&Given::after(prefix), 1, &Work::default()).unwrap();
                    let ends = policy.stop[states[states.len() - 1]];
                    for choice in mdp.choices(states[states.len() - 1]).filter(|_| ends < 1.0) {
                        let expected = whole.log_policy(&states, &steps, Some(choice)).exp();
                        close(policy.choice[choice] * (1.0 - ends), expected, 1e-9, format_args!("seed {seed}"));
                    }
                }
            }
            let visits = model.visits(&Given::default(), MarginalKind::State, Some(1), &Work::default()).unwrap();
            assert_eq!(visits.len(), mdp.n_states());
        }
        checked += 1;
    }
    assert!(checked > 150, "{checked}");
}
