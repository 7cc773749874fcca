//! Where paths are, what they do there and where that leads, by time: against enumeration, and one number has one value.

use revealed::oracle::{CausalEpisode, Path, RandomProblem, causal_episodes, causal_times, paths};
use revealed::{Ends, Given, Horizon, MarginalKind, Mdp, PathDistribution, PathModel, Reward, Stop, Work};

use crate::helpers::{all_close, last_of, model_of, open_stop, shares};

const SEEDS: u64 = 400;
const SAME: f64 = 1e-10;

/// A path by its states and transitions, and its probability.
type Weighed = (Vec<usize>, Vec<usize>, f64);

/// The definition of each kind at one time: the probability of the paths that have it there.
fn counted(mdp: &Mdp, all: &[Weighed], kind: MarginalKind, t: usize) -> Vec<f64> {
    let size = match kind {
        MarginalKind::State => mdp.n_states(),
        MarginalKind::StateAction => mdp.n_choices(),
        MarginalKind::Transition => mdp.n_transitions(),
    };
    let mut sums = vec![0.0; size];
    for (states, transitions, p) in all {
        let place = match kind {
            MarginalKind::State => states.get(t - 1).copied(),
            MarginalKind::StateAction => transitions.get(t - 1).map(|&step| mdp.choice_of()[step] as usize),
            MarginalKind::Transition => transitions.get(t - 1).copied(),
        };
        if let Some(place) = place {
            sums[place] += p;
        }
    }
    sums
}

/// Every kind at every time, and summed over the times.
fn equal_enumeration(found: &mut PathDistribution<'_>, all: &[Weighed], horizon: usize, what: &str) {
    let mdp = found.mdp();
    for kind in MarginalKind::ALL {
        let mut visits = Vec::new();
        for t in 1..=horizon {
            let expected = counted(mdp, all, kind, t);
            let name = kind.name();
            all_close(&found.visits(kind, Some(t)).unwrap(), &expected, SAME, format_args!("{what}: {name} at {t}"));
            visits.resize(expected.len(), 0.0);
            let power = mdp.discount().powi(t as i32 - 1);
            visits.iter_mut().zip(&expected).for_each(|(sum, p)| *sum += power * p);
        }
        all_close(&found.visits(kind, None).unwrap(), &visits, SAME, format_args!("{what}: visits of each {}", kind.name()));
    }
}

/// Sums over the outcomes are those of the action, and sums over the actions are those of the state, less what ends
/// there.
fn one_number_has_one_value(found: &mut PathDistribution<'_>, t: usize, what: &str) {
    let mdp = found.mdp();
    let [state, choice, transition] = MarginalKind::ALL.map(|kind| found.visits(kind, Some(t)).unwrap());
    let over_outcomes: Vec<f64> = (0..mdp.n_choices()).map(|choice| transition[mdp.outcomes(choice)].iter().sum()).collect();
    all_close(&over_outcomes, &choice, SAME, format_args!("{what}: outcomes at {t}"));
    let over_actions: Vec<f64> = (0..mdp.n_states()).map(|s| choice[mdp.choices(s)].iter().sum()).collect();
    let ends: Vec<f64> = match found.horizon() {
        Horizon::AtMost(horizon) if t == horizon => vec![1.0; mdp.n_states()],
        _ => found.policy(t).unwrap().stop,
    };
    let goes: Vec<f64> = state.iter().zip(&ends).map(|(p, ends)| p * (1.0 - ends)).collect();
    all_close(&over_actions, &goes, SAME, format_args!("{what}: actions at {t}"));
}

fn weighed(all: Vec<Path>) -> Vec<Weighed> {
    shares(all).into_iter().map(|(path, p)| (path.states, path.transitions, p)).collect()
}

#[test]
fn of_paths_equal_enumeration() {
    let mut known_ends = 0;
    for seed in 0..SEEDS {
        let problem = RandomProblem::new(seed);
        let (mdp, model, horizon) = (&problem.mdp, model_of(&problem), problem.horizon);
        let what = format!("seed {seed}, ends {}", problem.ends.name());
        let demo = problem.demonstrations.states(0);
        let (first, last) = (demo[0] as usize, demo[demo.len() - 1] as usize);
        let ask = |given: Given, stop: Stop| {
            let all = paths(mdp, &problem.reward(), given.start.as_deref().unwrap_or(mdp.start()), horizon, stop);
            let mut found = model.distribution(&given, &Work::default()).unwrap();
            equal_enumeration(&mut found, &weighed(all), horizon, &what);
            (1..=horizon).for_each(|t| one_number_has_one_value(&mut found, t, &what));
        };
        if problem.ends != Ends::Goal {
            ask(Given::default(), open_stop(problem.ends));
        }
        // From one state to another.
        let from_to = Given::from_state(first).to(last);
        let stop = model.stop(Some(last)).unwrap();
        let exist = !paths(mdp, &problem.reward(), &[(first, 1.0)], horizon, stop).is_empty();
        known_ends += usize::from(exist);
        if exist {
            ask(from_to, stop);
        }
    }
    assert!(known_ends > 200, "{known_ends}");
}

/// Paths that are known to end in a state: only those of all paths that do.
#[test]
fn of_paths_to_a_state_are_those_of_the_paths_that_end_there() {
    let mut asked = 0;
    for seed in 0..SEEDS {
        let problem = RandomProblem::new(seed);
        if problem.ends == Ends::Goal {
            continue;
        }
        let (mdp, model) = (&problem.mdp, model_of(&problem));
        let all = paths(mdp, &problem.reward(), mdp.start(), problem.horizon, open_stop(problem.ends));
        let to = last_of(&all[all.len() / 2]);
        let there: Vec<Path> = all.into_iter().filter(|path| last_of(path) == to).collect();
        let mut found = model.distribution(&Given::default().to(to), &Work::default()).unwrap();
        equal_enumeration(&mut found, &weighed(there), problem.horizon, &format!("seed {seed}, to {to}"));
        asked += 1;
    }
    assert!(asked > 200, "{asked}");
}

#[test]
fn of_the_causal_model_equal_enumeration() {
    let mut asked = 0;
    for seed in 0..SEEDS {
        let problem = RandomProblem::new(seed);
        let (mdp, reward, horizon) = (&problem.mdp, problem.reward(), problem.horizon);
        let model = PathModel::causal(mdp, reward.clone(), horizon, problem.ends).unwrap();
        let demo = problem.demonstrations.states(0);
        let to = (problem.ends == Ends::Goal).then(|| demo[demo.len() - 1] as usize);
        let times = causal_times(mdp, &reward, horizon, to.map_or(open_stop(problem.ends), Stop::At));
        let episodes = causal_episodes(mdp, &[(demo[0] as usize, 1.0)], &times);
        if episodes.is_empty() {
            continue;
        }
        let weigh = |one: CausalEpisode| (one.states, one.transitions, one.probability);
        let all: Vec<Weighed> = episodes.into_iter().map(weigh).collect();
        let given = Given::from_state(demo[0] as usize).to(to);
        let mut found = model.distribution(&given, &Work::default()).unwrap();
        let what = format!("causal, seed {seed}, ends {}", problem.ends.name());
        equal_enumeration(&mut found, &all, horizon, &what);
        (1..=horizon).for_each(|t| one_number_has_one_value(&mut found, t, &what));
        asked += 1;
    }
    assert!(asked > 200, "{asked}");
}

/// Without a horizon the series over t is endless: it is cut where it is lost in rounding.
#[test]
fn of_any_length_sum_to_the_visits() {
    const LONG: usize = 150;
    let mut asked = 0;
    for seed in 0..60 {
        let problem = RandomProblem::new(seed);
        if matches!(problem.ends, Ends::Horizon | Ends::Goal) {
            continue;
        }
        let Reward { state, transition } = problem.reward();
        let mdp = problem.mdp.with_discount(1.0).unwrap();
        let reward = Reward { state: state.iter().map(|reward| reward - 5.0).collect(), transition };
        for causal in [false, true] {
            let make = if causal { PathModel::causal } else { PathModel::new };
            let Ok(model) = make(&mdp, reward.clone(), Horizon::Any, problem.ends) else { continue };
            let Ok(mut found) = model.distribution(&Given::default(), &Work::default()) else { continue };
            let Some(last) = found.survival().ok().filter(|survival| survival.len() < LONG) else { continue };
            let what = format!("any length, seed {seed}, causal {causal}");
            for kind in MarginalKind::ALL {
                let mut sum = vec![0.0; found.visits(kind, None).unwrap().len()];
                for t in 1..=last.len() + 1 {
                    let p = found.visits(kind, Some(t)).unwrap();
                    sum.iter_mut().zip(&p).for_each(|(sum, p)| *sum += p);
                }
                all_close(&found.visits(kind, None).unwrap(), &sum, 1e-9, format_args!("{what}: {}", kind.name()));
            }
            [1, 2, 5].into_iter().for_each(|t| one_number_has_one_value(&mut found, t, &what));
            asked += 1;
        }
    }
    assert!(asked > 20, "{asked}");
}

#[test]
fn names_lead_back_to_their_kinds() {
    assert!(MarginalKind::ALL.into_iter().all(|kind| MarginalKind::from_name(kind.name()) == Some(kind)));
    assert_eq!((MarginalKind::from_name("choice"), MarginalKind::default()), (None, MarginalKind::State));
}

/// A time that no path reaches has probability 0 everywhere; one that no path may have is refused.
#[test]
fn times_outside_the_horizon_are_refused() {
    let chain = revealed::worlds::linear_chain(3).unwrap();
    let mut found = PathDistribution::new(&chain.mdp, Reward::of_states(vec![0.0; 3]), 5, Stop::Terminal).unwrap();
    for kind in MarginalKind::ALL {
        assert!(found.visits(kind, Some(5)).unwrap().iter().all(|&p| p == 0.0));
        for t in [0, 6] {
            let refused = found.visits(kind, Some(t)).unwrap_err().to_string();
            assert!(refused.contains(&format!("t is {t}")), "{refused}");
        }
    }
}
