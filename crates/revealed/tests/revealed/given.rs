//! What is known of a path: one answer in every way to say it, and against enumeration.

use revealed::oracle::{Path, RandomProblem, paths};
use revealed::{Ends, Error, Given, Partition, PathModel, Reward, Trajectory, Work, lengths, sample};

use crate::helpers::{close, last_of, model_of, refusal, shares, slope, trajectory_of, weight_of};

/// A random problem that has a path of several states, all paths to the end of that path, and the state to condition
/// on, if the path set needs one.
fn asked(seed: u64) -> Option<(RandomProblem, Vec<Path>, Path, Option<usize>)> {
    let problem = RandomProblem::new(seed);
    let of_model = model_of(&problem);
    let reach = |to: Option<usize>| {
        paths(&problem.mdp, &problem.reward(), problem.mdp.start(), problem.horizon, of_model.stop(to).unwrap())
    };
    let to = (problem.ends == Ends::Goal).then_some(problem.mdp.n_states() - 1);
    let all = reach(to);
    let longest = all.iter().max_by_key(|path| path.states.len()).filter(|path| path.states.len() > 2)?.clone();
    Some((problem, all, longest, to))
}

/// P(continuation | prefix) for every path with this prefix, and log Z of the continuations.
#[test]
fn the_distribution_after_a_prefix_equals_enumeration() {
    let mut checked = 0;
    for seed in 0..400 {
        let Some((problem, all, path, to)) = asked(seed) else { continue };
        let (mdp, model) = (&problem.mdp, model_of(&problem));
        for t in 1..=path.states.len() {
            let prefix = trajectory_of(mdp, &path.states[..t], &path.transitions[..t - 1]);
            let given = Given::after(prefix.clone()).to(to);
            let mut found = model.distribution(&given, &Work::default()).unwrap();
            let begins = |other: &&Path| {
                other.states.starts_with(&path.states[..t]) && other.transitions.starts_with(&path.transitions[..t - 1])
            };
            let same: Vec<Path> = all.iter().filter(begins).cloned().collect();
            for (other, p) in shares(same) {
                let rest = trajectory_of(mdp, &other.states[t - 1..], &other.transitions[t - 1..]);
                close(found.log_prob(&rest).unwrap().exp(), p, 1e-10, format_args!("seed {seed}, t {t}"));
                checked += 1;
            }
        }
    }
    assert!(checked > 2_000, "{checked}");
}

/// log Z as a function of the reward: the continuations' weights, and the derivatives by central differences.
#[test]
fn log_partition_after_a_prefix_equals_enumeration_and_its_gradient_the_differences() {
    let (mut checked, mut discounted) = (0, 0);
    for seed in 0..200 {
        let Some((problem, _, path, to)) = asked(seed) else { continue };
        let (mdp, horizon, t) = (&problem.mdp, problem.horizon, 2);
        let prefix = trajectory_of(mdp, &path.states[..t], &path.transitions[..t - 1]);
        let start = [(path.states[t - 1], 1.0)];
        let stop = model_of(&problem).stop(to).unwrap();
        // Enumerated by the obvious way: rewards times γ, from the second state, with one state less.
        let expected = |reward: &Reward| {
            let times = |rewards: &[f64]| rewards.iter().map(|reward| mdp.discount() * reward).collect();
            let later = Reward { state: times(&reward.state), transition: times(&reward.transition) };
            paths(mdp, &later, &start, horizon - 1, stop).iter().map(weight_of).sum::<f64>().ln()
        };
        let reward = problem.reward();
        let mut partition =
            Partition::new(&model_of(&problem), &Given::after(prefix.clone()).to(to), &Work::default()).unwrap();
        let (found, visits) = partition.evaluate(&reward).unwrap();
        close(found, expected(&reward), 1e-10, format_args!("seed {seed}"));
        for (place, visits) in visits.state.iter().chain(&visits.transition).enumerate() {
            let slope = slope(1e-5, |step| {
                let mut reward = reward.clone();
                match place.checked_sub(mdp.n_states()) {
                    Some(row) => reward.transition[row] += step,
                    None => reward.state[place] += step,
                }
                expected(&reward)
            });
            assert!((visits - slope).abs() < 1e-6, "seed {seed}, place {place}: {visits}, expected {slope}");
        }
        checked += 1;
        discounted += usize::from(mdp.discount() < 1.0);
    }
    assert!(checked > 60 && discounted > 20, "{checked} {discounted}");
}

/// Nothing given is p0; a prefix of one state is a start in that state.
#[test]
fn the_same_knowledge_gives_the_same_answer() {
    for seed in 0..100 {
        let Some((problem, _, path, to)) = asked(seed) else { continue };
        let (model, work) = (model_of(&problem), Work::default());
        let first = path.states[0];
        let pairs = [
            [Given::default().to(to), Given::from_states(problem.mdp.start().to_vec()).to(to)],
            [Given::from_state(first).to(to), Given::after(Trajectory::new(vec![first], vec![])).to(to)],
            [Given::from_state(first).to(last_of(&path)), Given::from_state(first).to(Some(last_of(&path)))],
        ];
        for [one, other] in pairs {
            assert_eq!(lengths(&model, &one, &work).unwrap(), lengths(&model, &other, &work).unwrap(), "seed {seed}");
            assert_eq!(sample(&model, &one, 9, seed, &work).unwrap(), sample(&model, &other, 9, seed, &work).unwrap());
            let [one, other] = [one, other].map(|given| model.distribution(&given, &work).unwrap());
            assert_eq!(one.log_partition().to_bits(), other.log_partition().to_bits(), "seed {seed}");
            assert_eq!(one.occupancy(), other.occupancy());
        }
    }
}

#[test]
fn a_start_with_a_prefix_is_refused() {
    let (problem, _, path, to) = (0..).find_map(asked).unwrap();
    let (model, work) = (model_of(&problem), Work::default());
    let prefix = trajectory_of(&problem.mdp, &path.states[..2], &path.transitions[..1]);
    let both = Given { start: Some(vec![(path.states[0], 1.0)]), ..Given::after(prefix).to(to) };
    let expected = Error::StartAndPrefix { first_states: 1, length: 2 };
    assert_eq!(lengths(&model, &both, &work).unwrap_err(), expected);
    assert_eq!(sample(&model, &both, 1, 1, &work).unwrap_err(), expected);
    assert_eq!(model.distribution(&both, &work).unwrap_err(), expected);
    assert_eq!(Partition::new(&model, &both, &work).unwrap_err(), expected);
    for part in ["a start (1 first states)", "a prefix (2 states)", "omit the start or the prefix"] {
        assert!(expected.to_string().contains(part), "{expected}");
    }
}

/// An impossible prefix, and one that leads nowhere, are named in every answer.
#[test]
fn errors_name_the_prefix() {
    let problem = (0..).filter_map(asked).map(|found| found.0).find(|problem| problem.ends != Ends::Goal).unwrap();
    let (model, work) = (model_of(&problem), Work::default());
    let impossible = Given::after(Trajectory::new(vec![0, problem.mdp.n_states()], vec![0]));
    assert!(matches!(model.distribution(&impossible, &work), Err(Error::Prefix(_))));
    assert!(matches!(Partition::new(&model, &impossible, &work), Err(Error::Prefix(_))));

    let chain = revealed::worlds::linear_chain(4).unwrap();
    let model = PathModel::new(&chain.mdp, Reward::of_states(vec![0.0; 4]), 3, Ends::Goal).unwrap();
    let begun = Given::after(trajectory_of(&chain.mdp, &[0, 1], &[0])).to(3);
    for message in [
        refusal(model.distribution(&begun, &work)),
        refusal(lengths(&model, &begun, &work)),
        refusal(sample(&model, &begun, 1, 1, &work)),
    ] {
        assert!(message.contains("that begins with this prefix of 2 states and leads to state 3"), "{message}");
    }
}
