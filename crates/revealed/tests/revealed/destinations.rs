//! The posterior of destinations, against enumeration.

use revealed::oracle::{Path, RandomProblem, paths};
use revealed::{Destinations, Ends, Error, Given, PathModel, Prior, Stop, Trajectory, Work, worlds};

use crate::helpers::{begins_with, furthest, lake, last_of, model_of, open_stop, refusal, reward_of, trajectory_of, weight_of};

/// Beginnings of one length that are asked about, of each problem.
const PREFIXES: usize = 3;

/// Σ of the weights by the last state.
fn by_end<'a>(paths: impl Iterator<Item = &'a Path>, n_states: usize) -> Vec<f64> {
    let mut sums = vec![0.0; n_states];
    paths.for_each(|path| sums[last_of(path)] += weight_of(path));
    sums
}

fn normalised(weights: Vec<f64>) -> Option<Vec<f64>> {
    let sum: f64 = weights.iter().sum();
    (sum > 0.0).then(|| weights.iter().map(|weight| weight / sum).collect())
}

/// P(prefix | G) p(G) over its sum, where Z(G) > 0.
fn bayes(after: &[f64], whole: &[f64], prior: &[f64]) -> Option<Vec<f64>> {
    let term = |state: usize| if whole[state] == 0.0 { 0.0 } else { after[state] / whole[state] * prior[state] };
    normalised((0..after.len()).map(term).collect())
}

/// Beginnings of every length, of paths that may end anywhere.
fn prefixes(problem: &RandomProblem, first: usize, seed: usize) -> Vec<Path> {
    let all = paths(&problem.mdp, &problem.reward(), &[(first, 1.0)], problem.horizon, Stop::Anywhere);
    let of_length = |t: usize| {
        let long: Vec<&Path> = all.iter().filter(|path| path.states.len() == t).collect();
        (0..PREFIXES.min(long.len())).map(|nth| long[(seed + nth * 7) % long.len()].clone()).collect::<Vec<Path>>()
    };
    (1..=problem.horizon).flat_map(of_length).collect()
}

#[test]
fn posteriors_equal_enumeration() {
    let (mut checked, mut dead_ends) = (0, 0);
    for seed in 0..2_240_usize {
        let problem = RandomProblem::new(seed as u64);
        let (mdp, n_states) = (&problem.mdp, problem.mdp.n_states());
        let model = model_of(&problem);
        let first = seed % n_states;
        let all = paths(mdp, &problem.reward(), &[(first, 1.0)], problem.horizon, open_stop(problem.ends));
        let whole = by_end(all.iter(), n_states);
        // Some states have no weight.
        let given: Vec<f64> = (0..n_states).map(|state| ((seed / 3 + state) % 4) as f64).collect();
        let mut priors = vec![(Prior::Uniform, vec![1.0; n_states])];
        if given.iter().any(|&weight| weight > 0.0) {
            priors.push((Prior::Given(given.clone()), given));
        }
        if problem.ends != Ends::Goal {
            priors.push((Prior::Model, whole.clone()));
        }
        for (prior, weights) in priors {
            let mut destinations = Destinations::new(&model, prior.clone(), &Work::default()).unwrap();
            for path in prefixes(&problem, first, seed) {
                let prefix = trajectory_of(&problem.mdp, &path.states, &path.transitions);
                let what = format!("seed {seed}, {prior:?}, {prefix:?}");
                let after = by_end(all.iter().filter(|other| begins_with(other, &path)), n_states);
                let found = destinations.posterior(&prefix);
                if after.iter().all(|&weight| weight == 0.0) {
                    assert!(matches!(found, Err(Error::NoPath { .. })), "{what}: {found:?}");
                    dead_ends += 1;
                    continue;
                }
                // With p(G) = Z(G) the ratio is the model's own.
                let Some(expected) = bayes(&after, &whole, &weights) else {
                    assert!(matches!(found, Err(Error::PriorExcludes { .. })), "{what}: {found:?}");
                    dead_ends += 1;
                    continue;
                };
                assert!(furthest(&found.unwrap(), &expected) <= 1e-10, "{what}");
                // |τ| given the prefix: P(G | prefix) times the share of each length among the paths to G.
                let mut lengths = vec![0.0; problem.horizon];
                for other in all.iter().filter(|other| begins_with(other, &path)) {
                    lengths[other.states.len() - 1] += expected[last_of(other)] * weight_of(other) / after[last_of(other)];
                }
                let t = path.states.len();
                let found = destinations.lengths(&prefix).unwrap();
                assert_eq!(found.first, t);
                assert!(furthest(&found.probability, &lengths[t - 1..]) <= 1e-10, "{what}");
                checked += 1;
            }
        }
    }
    assert!(checked > 20_000 && dead_ends > 100, "{checked} {dead_ends}");
}

/// Answers do not depend on the questions before, bit by bit.
#[test]
fn a_path_that_grows_is_answered_as_a_new_one() {
    for seed in 0..112 {
        let problem = RandomProblem::new(seed);
        let model = model_of(&problem);
        let make = || Destinations::new(&model, Prior::Uniform, &Work::default()).unwrap();
        let mut kept = make();
        for first in [0, problem.mdp.n_states() - 1, 0] {
            for path in prefixes(&problem, first, seed as usize) {
                let prefix = trajectory_of(&problem.mdp, &path.states, &path.transitions);
                assert_eq!(kept.posterior(&prefix), make().posterior(&prefix), "seed {seed}, {prefix:?}");
                assert_eq!(kept.lengths(&prefix), make().lengths(&prefix), "seed {seed}, {prefix:?}");
            }
        }
    }
}

/// Erratum 10: the paper's ratio with the whole horizon and no discount for the rest of the path, as it is printed.
#[test]
fn the_printed_ratio_is_wrong() {
    // With discount 1 the horizon alone is wrong.
    let mut worst = [0.0_f64; 2];
    // Every fourth has the paper's path set.
    for seed in (0..1_792_usize).step_by(4) {
        let problem = RandomProblem::new(seed as u64);
        assert_eq!(problem.ends, Ends::Anywhere);
        let (mdp, reward, stop) = (&problem.mdp, problem.reward(), Stop::Anywhere);
        let model = model_of(&problem);
        let mut destinations = Destinations::new(&model, Prior::Uniform, &Work::default()).unwrap();
        let first = seed % mdp.n_states();
        let from = |state| by_end(paths(mdp, &reward, &[(state, 1.0)], problem.horizon, stop).iter(), mdp.n_states());
        let whole = from(first);
        for path in prefixes(&problem, first, seed) {
            let right = destinations.posterior(&trajectory_of(&problem.mdp, &path.states, &path.transitions)).unwrap();
            let printed = bayes(&from(last_of(&path)), &whole, &vec![1.0; mdp.n_states()]).unwrap();
            let off = furthest(&right, &printed);
            assert!(path.states.len() > 1 || off < 1e-10, "seed {seed}: without a prefix both are the same");
            let kind = usize::from(mdp.discount() == 1.0);
            worst[kind] = worst[kind].max(off);
        }
    }
    assert!(worst[0] > 0.9 && worst[1] > 0.9, "{worst:?}");
}

fn on_the_lake(horizon: usize, ends: Ends, ask: impl FnOnce(&PathModel<'_>)) {
    let lake = lake();
    ask(&PathModel::new(&lake.mdp, reward_of(&lake), horizon, ends).unwrap());
}

#[test]
fn invalid_priors_are_refused() {
    on_the_lake(20, Ends::Terminal, |model| {
        let new = |weights: Vec<f64>| refusal(Destinations::new(model, Prior::Given(weights), &Work::default()));
        assert_eq!(new(vec![1.0; 15]), "the prior has 15 entries, expected 16");
        assert_eq!(new(vec![]), "the prior has 0 entries, expected 16");
        assert!(new(vec![0.0; 16]).starts_with("the prior is 0 for every state: give"));
        for bad in [-0.5, f64::NAN, f64::INFINITY] {
            let mut weights = vec![1.0; 16];
            weights[3] = bad;
            let expected = format!("the prior row 3: the weight of that state is {bad}: it must be a finite number, 0 or more");
            assert_eq!(new(weights), expected);
        }
    });
    on_the_lake(20, Ends::Goal, |model| {
        assert!(refusal(Destinations::new(model, Prior::Model, &Work::default())).contains("give a prior, uniform or"));
    });
}

#[test]
fn a_prior_that_the_prefix_contradicts() {
    // All on state 14, which is not terminal; or on state 15, from a hole; or too far away.
    let only = |state: usize| Prior::Given((0..16).map(|other| if other == state { 1e300 } else { 0.0 }).collect());
    for (ends, horizon, state, prefix) in [
        (Ends::Terminal, 20, 14, Trajectory::new(vec![0, 4], vec![1])),
        (Ends::Anywhere, 20, 15, Trajectory::new(vec![0, 4, 5], vec![1, 2])),
        (Ends::Goal, 6, 15, Trajectory::new(vec![0, 4], vec![1])),
    ] {
        on_the_lake(horizon, ends, |model| {
            let mut destinations = Destinations::new(model, only(state), &Work::default()).unwrap();
            let message = refusal(destinations.posterior(&prefix));
            let last = prefix.states[prefix.states.len() - 1];
            assert!(message.contains(&format!("of {} states, now in state {last}", prefix.states.len())), "{message}");
            assert!(message.contains(&format!("within the horizon {horizon}: give those states some weight")), "{message}");
            assert_eq!(refusal(destinations.lengths(&prefix)), message);
        });
    }
}

#[test]
fn invalid_prefixes_are_refused() {
    on_the_lake(6, Ends::Terminal, |model| {
        let mut destinations = Destinations::new(model, Prior::Model, &Work::default()).unwrap();
        let mut ask =
            |states: Vec<usize>, actions: Vec<usize>| refusal(destinations.posterior(&Trajectory::new(states, actions)));
        assert!(ask(vec![0, 9], vec![1]).starts_with("the prefix: step 0: action 1 in state 0 never leads to state 9"));
        assert!(ask(vec![], vec![]).contains("it has no states"));
        assert!(ask(vec![16], vec![]).contains("state 16 is out of range"));
        assert!(ask(vec![0, 4], vec![7]).contains("does not offer action 7"));
        assert!(ask(vec![0, 4, 5, 5], vec![1, 2, 0]).contains("goes on after terminal state 5"));
        assert!(ask(vec![0; 7], vec![0; 6]).contains("7 states, more than the horizon 6"));
        // In the last step no terminal state can be reached any more.
        let stuck = ask(vec![0; 6], vec![0; 6 - 1]);
        assert!(stuck.contains("no path that begins with this prefix of 6 states and leads to a terminal state"), "{stuck}");
    });
}

/// From = to: a path of one state may end where it is; and where a path has ended for sure.
#[test]
fn a_path_that_has_ended_stays_where_it_is() {
    on_the_lake(1, Ends::Anywhere, |model| {
        let mut destinations = Destinations::new(model, Prior::Uniform, &Work::default()).unwrap();
        let here = destinations.posterior(&Trajectory::new(vec![6], vec![])).unwrap();
        assert_eq!((here[6], here.iter().sum::<f64>()), (1.0, 1.0));
    });
    for prior in [Prior::Model, Prior::Uniform] {
        on_the_lake(20, Ends::Horizon, |model| {
            let mut destinations = Destinations::new(model, prior, &Work::default()).unwrap();
            let hole = Trajectory::new(vec![0, 4, 5], vec![1, 2]);
            assert_eq!(destinations.posterior(&hole).unwrap()[5], 1.0);
            assert_eq!((destinations.lengths(&hole).unwrap().mean(), destinations.model().horizon()), (3.0, 20.into()));
        });
    }
}

/// Rewards in metres: S and Z of far destinations are below e^{-20000}, their ratio is not.
#[test]
fn far_destinations_keep_their_digits() {
    let world = worlds::road_like(2_000, 4_100, 5).unwrap();
    let mut far = reward_of(&world);
    far.state.iter_mut().for_each(|reward| *reward -= 3_000.0);
    let first = world.mdp.start()[0].0;
    let transition = world.mdp.children(first).next().unwrap();
    let prefix = trajectory_of(&world.mdp, &[first, world.mdp.to()[transition] as usize], &[transition]);
    let model = PathModel::new(&world.mdp, far, 60, Ends::Anywhere).unwrap();
    let posterior = Destinations::new(&model, Prior::Uniform, &Work::default()).unwrap().posterior(&prefix).unwrap();
    assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let (destination, p) = posterior.iter().copied().enumerate().rfind(|&(_, p)| p > 1e-6).unwrap();
    // The same question to the engine: P(prefix | G), from the distribution over paths to G.
    let bayes = |goal: usize| {
        let whole = model.distribution(&Given::from_state(first).to(goal), &Work::default());
        let after = model.after(&prefix).unwrap().distribution(&Given::from_state(prefix.states[1]).to(goal), &Work::default());
        match (after, whole) {
            (Ok(after), Ok(whole)) => after.log_partition() - whole.log_partition(),
            _ => f64::NEG_INFINITY,
        }
    };
    let best = (0..posterior.len()).max_by(|&a, &b| posterior[a].total_cmp(&posterior[b])).unwrap();
    let expected = (bayes(destination) - bayes(best)).exp();
    assert!((p / posterior[best] / expected - 1.0).abs() < 1e-8, "{p} {expected}");
}
