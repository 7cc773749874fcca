//! Causal models and demonstrations that were seen in part, against the enumeration of all episodes.

use revealed::oracle::{RandomProblem, agreement, causal_episodes, causal_times, glimpse};
use revealed::{
    CausalPartialLikelihood, Completion, Ends, Error, Given, Horizon, MaxEnt, Mdp, Method, Options, PartialDemonstrations,
    PartialTrajectory, PathModel, Sight, Sighting, Starts, Stop, Watch, Work,
};

use crate::helpers::{all_close, close};

fn glimpses(problem: &RandomProblem, seed: u64, gaps: bool) -> Vec<PartialTrajectory> {
    let (mdp, demos, goal) = (&problem.mdp, &problem.demonstrations, problem.ends == Ends::Goal);
    (0..demos.len()).map(|index| glimpse(mdp, demos, index, seed, goal, gaps)).collect()
}

/// log Σ p(τ) e(τ) of one demonstration.
fn enumerated(problem: &RandomProblem, seen: &PartialTrajectory, demos: &PartialDemonstrations, index: usize) -> f64 {
    let RandomProblem { mdp, horizon, ends, .. } = problem;
    let demo = demos.demo(index);
    let (start, stop) = match ends {
        Ends::Anywhere => (mdp.start().to_vec(), Stop::Anywhere),
        Ends::Horizon => (mdp.start().to_vec(), Stop::Horizon),
        Ends::Terminal => (mdp.start().to_vec(), Stop::Terminal),
        Ends::Goal => (vec![(demo.first().unwrap(), 1.0)], Stop::At(demo.last().unwrap())),
    };
    let times = causal_times(mdp, &problem.reward(), *horizon, stop);
    let weight = |episode: &revealed::oracle::CausalEpisode| {
        let action = |&step: &usize| mdp.action_of(mdp.choice_of()[step] as usize);
        let actions: Vec<usize> = episode.transitions.iter().map(action).collect();
        episode.probability * agreement(&seen.sightings, &episode.states, &actions)
    };
    causal_episodes(mdp, &start, &times).iter().map(weight).sum::<f64>().ln()
}

#[test]
fn likelihood_equals_enumeration_and_its_gradient_is_the_slope() {
    let (mut compared, mut impossible) = (0, 0);
    for seed in 0..2000 {
        let problem = RandomProblem::new(seed);
        let seen = glimpses(&problem, seed, seed % 3 != 0);
        let demos = PartialDemonstrations::new(&problem.mdp, &seen).unwrap();
        let options = Options { ends: problem.ends, horizon: Some(problem.horizon.into()), ..Options::default() };
        let each: Vec<f64> = seen.iter().enumerate().map(|(i, seen)| enumerated(&problem, seen, &demos, i)).collect();
        let total = demos.total_weight();
        let taken: Vec<usize> = (0..each.len()).filter(|&i| demos.weights()[i] > 0.0).collect();
        let made = CausalPartialLikelihood::new(&problem.mdp, &problem.features, &demos, &options);
        if taken.iter().any(|&i| each[i] == f64::NEG_INFINITY) {
            assert!(made.and_then(|mut likelihood| likelihood.evaluate(&problem.theta)).is_err(), "seed {seed}");
            impossible += 1;
            continue;
        }
        let mut likelihood = made.unwrap();
        let at = likelihood.evaluate(&problem.theta).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let expected: f64 = taken.iter().map(|&i| demos.weights()[i] / total * each[i]).sum();
        close(at.log_likelihood, expected, 1e-10, format_args!("seed {seed}"));
        let scores = likelihood.scores(&problem.theta).unwrap();
        let mut mean = vec![0.0; at.gradient.len()];
        taken.iter().for_each(|&i| mean.iter_mut().zip(&scores[i]).for_each(|(m, s)| *m += demos.weights()[i] / total * s));
        all_close(&mean, &at.gradient, 1e-10, format_args!("seed {seed}, scores"));
        for k in 0..at.gradient.len() {
            let mut value = |step: f64| {
                let mut theta = problem.theta.clone();
                theta[k] += step;
                likelihood.evaluate(&theta).unwrap().log_likelihood
            };
            let slope = (value(1e-5) - value(-1e-5)) / 2e-5;
            close(slope, at.gradient[k], 1e-7, format_args!("seed {seed}, gradient {k}"));
        }
        compared += 1;
    }
    println!("{compared} compared, {impossible} impossible");
    assert!(compared > 1200);
}

/// Σ over paths of any length of Π π T, times what was seen, by going forward until nothing is left.
fn forward(mdp: &Mdp, start: &[(usize, f64)], policy: &[f64], stop: &[f64], seen: &[Sighting]) -> f64 {
    // The place is the number of sightings that are behind; in a gap it is that of the gap.
    let n = seen.len();
    let is_gap = |place: usize| place < n && matches!(seen[place], Sighting::Gap);
    let state_weight = |place: usize, state: usize| match &seen[place] {
        Sighting::Step { state: sight, .. } => sight.weight(state),
        Sighting::Gap => 1.0,
    };
    // The places of a next state after a place.
    let next = |place: usize| {
        let ahead = if is_gap(place) { place } else { place + 1 };
        let mut found = Vec::new();
        if ahead < n {
            found.push(ahead);
            if is_gap(ahead) && ahead + 1 < n {
                found.push(ahead + 1);
            }
        }
        found
    };
    let mut here = vec![vec![0.0; mdp.n_states()]; n];
    for &(state, p) in start {
        let mut first = vec![0];
        if is_gap(0) && n > 1 {
            first.push(1);
        }
        first.into_iter().for_each(|place| here[place][state] += p * state_weight(place, state));
    }
    let mut total = 0.0;
    while here.iter().flatten().sum::<f64>() > 1e-16 {
        let mut ahead = vec![vec![0.0; mdp.n_states()]; n];
        for (place, state) in (0..n).flat_map(|place| (0..mdp.n_states()).map(move |state| (place, state))) {
            let mass = here[place][state];
            if mass == 0.0 {
                continue;
            }
            let action_sight = match &seen[place] {
                Sighting::Step { action, .. } => action.clone(),
                Sighting::Gap => Sight::Unseen,
            };
            let last = place + 1 == n || (place + 2 == n && is_gap(n - 1) && !is_gap(place));
            if last && action_sight == Sight::Unseen {
                total += mass * stop[state];
            }
            for step in mdp.children(state) {
                let choice = mdp.choice_of()[step] as usize;
                let taken = mass * policy[choice] * mdp.probability()[step] * action_sight.weight(mdp.action_of(choice));
                let to = mdp.to()[step] as usize;
                next(place).into_iter().for_each(|place| ahead[place][to] += taken * state_weight(place, to));
            }
        }
        here = ahead;
    }
    total
}

#[test]
fn stationary_policies_equal_a_long_walk() {
    let (mut compared, mut gaps) = (0, 0);
    for seed in (0..600).filter(|seed| seed % 4 == 0 || seed % 4 == 2) {
        let problem = RandomProblem::new(seed);
        let seen = glimpses(&problem, seed, true);
        let demos = PartialDemonstrations::new(&problem.mdp, &seen).unwrap();
        let options = Options { ends: problem.ends, horizon: Some(Horizon::Any), ..Options::default() };
        let Ok(mut likelihood) = CausalPartialLikelihood::new(&problem.mdp, &problem.features, &demos, &options) else {
            continue;
        };
        let Ok(at) = likelihood.evaluate(&problem.theta) else { continue };
        let model = PathModel::causal(&problem.mdp, problem.reward(), Horizon::Any, problem.ends).unwrap();
        let mut policy = model.distribution(&Given::default(), &Work::default()).unwrap().policy(1).unwrap();
        // p0 is normalised over the states from which an episode can end as it should.
        let alive = |row: &(usize, f64)| policy.defined[row.0];
        let share: f64 = problem.mdp.start().iter().copied().filter(alive).map(|row| row.1).sum();
        let start: Vec<(usize, f64)> =
            problem.mdp.start().iter().copied().filter(alive).map(|(state, p)| (state, p / share)).collect();
        // The probabilities of choices are those of paths that go on.
        for (choice, p) in policy.choice.iter_mut().enumerate() {
            *p *= 1.0 - policy.stop[problem.mdp.state_of(choice)];
        }
        let total = demos.total_weight();
        let of = |(index, seen): (usize, &PartialTrajectory)| {
            let weight = demos.weights()[index] / total;
            if weight == 0.0 {
                0.0
            } else {
                weight * forward(&problem.mdp, &start, &policy.choice, &policy.stop, &seen.sightings).ln()
            }
        };
        let expected: f64 = seen.iter().enumerate().map(of).sum();
        close(at.log_likelihood, expected, 1e-8, format_args!("seed {seed}"));
        compared += 1;
        gaps += usize::from(demos.has_gaps());
    }
    println!("{compared} compared, {gaps} with gaps");
    assert!(compared > 100 && gaps > 60);
}

#[test]
fn completions_follow_the_causal_model() {
    let mut checked = 0;
    for seed in 0..600 {
        let problem = RandomProblem::new(seed);
        let seen = glimpses(&problem, seed, seed % 2 == 0);
        let demos = PartialDemonstrations::new(&problem.mdp, &seen).unwrap();
        let model = PathModel::causal(&problem.mdp, problem.reward(), problem.horizon, problem.ends).unwrap();
        for (index, seen) in seen.iter().enumerate() {
            let Ok(completion) = Completion::new(&model, &demos, index, &Work::default()) else { continue };
            assert!(enumerated(&problem, seen, &demos, index) > f64::NEG_INFINITY);
            for step in completion.posterior() {
                close(step.states.iter().map(|row| row.1).sum(), 1.0, 1e-10, format_args!("seed {seed}"));
            }
            let best = completion.likeliest().unwrap();
            assert!(agreement(&seen.sightings, &best.path.states, &best.path.actions) > 0.0);
            assert!(best.log_probability <= 0.0);
            checked += 1;
        }
    }
    assert!(checked > 800);
}

#[test]
fn methods_that_need_whole_demonstrations_say_so() {
    let problem = RandomProblem::new(2);
    let seen = vec![PartialTrajectory::new(vec![Sighting::unseen(), Sighting::Gap])];
    let demos = PartialDemonstrations::new(&problem.mdp, &seen).unwrap();
    for method in [Method::CausalDual, Method::Ziebart2008, Method::Ziebart2010] {
        let options = Options { ends: Ends::Anywhere, horizon: Some(5.into()), ..Options::default() };
        let settings = MaxEnt { method, options, ..MaxEnt::default() };
        let found = settings.fit_partial(&problem.mdp, &problem.features, &demos, &Starts::default(), &Watch::none());
        assert!(matches!(found, Err(Error::NeedsWhole { .. } | Error::StateRewardsOnly { .. } | Error::NoReference { .. })));
    }
    let found = MaxEnt::default().fit_partial(&problem.mdp, &problem.features, &demos, &Starts::default(), &Watch::none());
    assert_eq!(found.unwrap_err(), Error::GapNeedsHorizon);
}
