//! The forward message from anywhere, against enumeration.

use revealed::oracle::{RandomProblem, paths};
use revealed::{Ends, Given, MdpBuilder, PathModel, Reward, Scaled, Spread, Trajectory, Work, worlds};

use crate::helpers::{close, lake, last_of, model_of, open_stop, refusal, reward_of, weight_of};

/// Every beginning of every demonstration: what may follow has the horizon and the discount that are left (erratum 10).
#[test]
fn endings_and_lengths_equal_enumeration() {
    for seed in 0..2_240 {
        let problem = RandomProblem::new(seed);
        let (mdp, model) = (&problem.mdp, model_of(&problem));
        let mut spread = Spread::new(&model, &Work::default()).unwrap();
        for t in 1..=problem.horizon {
            let first = (seed as usize + t) % mdp.n_states();
            let endings = spread.endings(&[(first, 0.5)], t).unwrap();
            let lengths = spread.lengths(&[(first, 0.5)], t, None).unwrap();
            let to = (seed as usize) % mdp.n_states();
            let lengths_to = model.stop(Some(to)).ok().map(|_| spread.lengths(&[(first, 0.5)], t, Some(to)).unwrap());
            // Rewards that are discounted from t on, and as many states as are left.
            let power = mdp.discount().powi(t as i32 - 1);
            let mut reward = problem.reward();
            reward.state.iter_mut().chain(&mut reward.transition).for_each(|r| *r *= power);
            let left = problem.horizon + 1 - t;
            let (mut by_state, mut by_length) = (vec![0.0; mdp.n_states()], vec![0.0; left]);
            let mut by_length_to = vec![0.0; left];
            for path in paths(mdp, &reward, &[(first, 0.5)], left, open_stop(problem.ends)) {
                let (last, weight) = (last_of(&path), weight_of(&path));
                by_state[last] += weight;
                by_length[path.states.len() - 1] += weight;
                if last == to {
                    by_length_to[path.states.len() - 1] += weight;
                }
            }
            for (state, &expected) in by_state.iter().enumerate() {
                close(endings[state].to_f64(), expected, 1e-12, format_args!("seed {seed}, t {t}, state {state}"));
            }
            assert_eq!(lengths.len(), left);
            for (place, &expected) in by_length.iter().enumerate() {
                close(lengths[place].to_f64(), expected, 1e-12, format_args!("seed {seed}, t {t}, length {place}"));
            }
            for (place, &found) in lengths_to.iter().flatten().enumerate() {
                close(found.to_f64(), by_length_to[place], 1e-12, format_args!("seed {seed}, t {t}, to {to}, length {place}"));
            }
        }
    }
}

/// Chunks that no path has reached yet are skipped; the next question must find no traces of the one before.
#[test]
fn a_large_network_has_the_partition_of_the_engine_on_any_number_of_threads() {
    let world = worlds::road_like(20_000, 41_000, 3).unwrap();
    let reward = reward_of(&world);
    let model = PathModel::new(&world.mdp, reward, 60, Ends::Anywhere).unwrap();
    let mut answers = Vec::new();
    for threads in [1, 2] {
        let mut spread = Spread::new(&model, &Work::on(threads)).unwrap();
        let first = spread.endings(&[(17, 1.0)], 1).unwrap();
        let _ = spread.endings(&[(10_000, 1.0)], 20).unwrap();
        assert_eq!(spread.endings(&[(17, 1.0)], 1).unwrap(), first);
        answers.push(first);
    }
    assert_eq!(answers[0], answers[1]);
    let total: Scaled = answers[0].iter().copied().sum();
    let paths = model.distribution(&Given::from_state(17), &Work::default()).unwrap();
    assert!((total.ln() - paths.log_partition()).abs() < 1e-11);
}

/// Plain numbers, wide ones, and wide ones that take over on the way are rounded alike. A state that no path reaches,
/// with a reward that no plain number can hold, makes them wide from the beginning.
#[test]
fn the_kind_of_numbers_does_not_show() {
    let world = worlds::road_like(5_000, 10_200, 3).unwrap();
    for (discount, factor) in [(1.0, 1.0), (1.0, 50.0), (0.98, 1.0), (0.98, 50.0)] {
        let world = world.clone().with_discount(discount).unwrap();
        let theta: Vec<f64> = world.theta.iter().map(|theta| factor * theta).collect();
        let reward = world.features.reward(&world.mdp, &theta).unwrap();
        for ends in [Ends::Anywhere, Ends::Horizon] {
            let answers = |reward: Reward| {
                let model = PathModel::new(&world.mdp, reward, 45, ends).unwrap();
                let mut spread = Spread::new(&model, &Work::default()).unwrap();
                let start = [(17, 0.25), (18, 0.75)];
                let lengths = spread.lengths(&start, 1, None).unwrap();
                (spread.endings(&start, 1).unwrap(), spread.endings(&[(17, 1.0)], 9).unwrap(), lengths)
            };
            let found = answers(reward.clone());
            let unreached = found.0.iter().zip(&found.1).position(|pair| pair.0.is_zero() && pair.1.is_zero()).unwrap();
            let mut wide = reward.clone();
            wide.state[unreached] = -5_000.0;
            assert_eq!(found, answers(wide), "discount {discount}, theta times {factor}, {ends:?}");
            let smallest = found.0.iter().filter(|weight| !weight.is_zero()).map(|weight| weight.ln()).fold(0.0, f64::min);
            // With the larger rewards plain numbers do not suffice to the end.
            assert!(discount < 1.0 || (smallest < -1_200.0) == (factor > 1.0), "{smallest}");
        }
    }
}

/// Networks of several chunks, some of which settle long before the horizon, against the engine.
#[test]
fn what_has_settled_stays_right() {
    let map = worlds::random_lake(50, 0.95, 2).unwrap();
    for (discount, ends) in
        [1.0, 0.9].into_iter().flat_map(|discount| [Ends::Anywhere, Ends::Horizon, Ends::Terminal].map(|ends| (discount, ends)))
    {
        let lake = worlds::frozen_lake(&map, true).unwrap().with_discount(discount).unwrap();
        let mut reward = reward_of(&lake);
        reward.state.iter_mut().for_each(|reward| *reward -= 2.0);
        let model = PathModel::new(&lake.mdp, reward, 400, ends).unwrap();
        let mut spread = Spread::new(&model, &Work::default()).unwrap();
        let start = [(0, 0.5), (2_400, 0.5)];
        let endings = spread.endings(&start, 1).unwrap();
        let lengths = spread.lengths(&start, 1, None).unwrap();
        let hole = (0..2_500).find(|&state| lake.mdp.is_terminal(state)).unwrap();
        let other = if ends == Ends::Terminal { 2_499 } else { 2_401 };
        for to in [None, Some(hole), Some(other)] {
            let mut paths = model.distribution(&Given::from_states(start.to_vec()).to(to), &Work::default()).unwrap();
            let what = format!("discount {discount}, {ends:?}, to {to:?}");
            let total = to.map_or_else(|| endings.iter().copied().sum(), |to: usize| endings[to]);
            assert!((total.ln() - paths.log_partition()).abs() < 1e-11, "{what}");
            let lengths = to.map_or_else(|| lengths.clone(), |to| spread.lengths(&start, 1, Some(to)).unwrap());
            for (place, (&weight, expected)) in lengths.iter().zip(paths.length_distribution().unwrap()).enumerate() {
                let share = if weight.is_zero() { 0.0 } else { (weight / total).to_f64() };
                close(share, expected, 1e-12, format_args!("{what}, [{place}]"));
            }
        }
    }
}

/// A path that never comes back leaves nothing behind.
#[test]
fn what_moves_on_leaves_nothing() {
    for discount in [1.0, 0.9] {
        let mut builder = MdpBuilder::new(2_000, 1);
        builder.start(0, 1.0).discount(discount).terminal(1_999);
        (0..1_999).for_each(|state| {
            builder.transition(state, 0, state + 1, 1.0);
        });
        let mdp = builder.build().unwrap();
        let reward = Reward { state: vec![0.0; 2_000], transition: vec![] };
        let at = |ends| {
            let model = PathModel::new(&mdp, reward.clone(), 1_500, ends).unwrap();
            let mut spread = Spread::new(&model, &Work::default()).unwrap();
            (spread.endings(&[(0, 1.0)], 1).unwrap(), spread.lengths(&[(0, 1.0)], 1, None).unwrap())
        };
        let one = |state: usize, there: bool| assert_eq!(there, state < 1_500, "{state}");
        let (endings, lengths) = at(Ends::Anywhere);
        endings.iter().enumerate().for_each(|(state, &weight)| one(state, weight == Scaled::ONE));
        assert!(lengths.iter().all(|&weight| weight == Scaled::ONE));
        let (endings, lengths) = at(Ends::Horizon);
        assert!(endings.iter().enumerate().all(|(state, weight)| weight.is_zero() != (state == 1_499)));
        assert!(lengths.iter().enumerate().all(|(place, weight)| weight.is_zero() != (place == 1_499)));
    }
}

#[test]
fn invalid_questions_are_refused() {
    let lake = lake();
    let reward = reward_of(&lake);
    let model = PathModel::new(&lake.mdp, reward, 20, Ends::Terminal).unwrap();
    let mut spread = Spread::new(&model, &Work::default()).unwrap();
    assert!(refusal(spread.endings(&[(16, 1.0)], 1)).contains("state 16 is out of range"));
    assert!(refusal(spread.endings(&[(0, f64::NAN)], 1)).contains("p is NaN"));
    assert!(refusal(spread.endings(&[(0, 1.0)], 21)).contains("between 1 and 20"));
    assert!(refusal(spread.lengths(&[(0, 1.0)], 1, Some(14))).contains("no path of this model ends in state 14"));
    assert!(refusal(model.check_prefix(&Trajectory::new(vec![0, 15], vec![0]))).contains("never leads to state 15"));
    let long = Trajectory::new(vec![0; 21], vec![0; 20]);
    assert!(refusal(model.check_prefix(&long)).contains("21 states, more than the horizon 20"));
}

/// Many at once give the answers of one by one: any problem, then roads with long runs, and weights that no f64 holds.
#[test]
fn many_endings_are_those_of_single_ones() {
    let agree = |model: &PathModel<'_>, starts: &[(usize, usize)], name: &str| {
        let mut spread = Spread::new(model, &Work::default()).unwrap();
        let many = spread.endings_of_many(starts).unwrap();
        assert_eq!(many.len(), starts.len());
        for (&(state, t), many) in starts.iter().zip(&many) {
            let one = spread.endings(&[(state, 1.0)], t).unwrap();
            for (to, (one, many)) in one.iter().zip(many).enumerate() {
                let same = one.is_zero() == many.is_zero()
                    && (one.is_zero() || (one.ln() - many.ln()).abs() < 1e-11 * one.ln().abs().max(1.0));
                assert!(same, "{name}, {state} at {t} to {to}: {many:?}, expected {one:?}");
            }
        }
    };
    for seed in 0..600 {
        let problem = RandomProblem::new(seed);
        let n = problem.mdp.n_states();
        let starts: Vec<(usize, usize)> = (0..n).flat_map(|state| (1..=problem.horizon).map(move |t| (state, t))).collect();
        agree(&model_of(&problem), &starts, &format!("seed {seed}"));
    }
    for (seed, size) in [(1, 1.0), (2, 1.0), (3, 1e3), (4, -1.0)] {
        let roads = worlds::road_like(60, 110, seed).unwrap();
        let reward = Reward::of_states((0..60).map(|state| -size * 0.1 * (state % 7) as f64).collect());
        let model = PathModel::new(&roads.mdp, reward, 50, Ends::Anywhere).unwrap();
        let starts: Vec<(usize, usize)> = (0..60).map(|state| (state, 1 + 49 * state / 59)).collect();
        agree(&model, &starts, &format!("roads {seed}"));
    }
    // Runs of 39 and 40 states, one to a terminal state and one around: longer than any arc.
    let mut builder = MdpBuilder::new(80, 2);
    builder.start(0, 1.0).transition(0, 0, 1, 1.0).transition(0, 1, 40, 1.0).terminal(79);
    for state in (1..39).chain(40..79) {
        builder.transition(state, 0, state + 1, 1.0);
    }
    builder.transition(39, 0, 0, 1.0);
    let mdp = builder.build().unwrap();
    let model = PathModel::new(&mdp, Reward::of_states(vec![-0.01; 80]), 100, Ends::Anywhere).unwrap();
    agree(&model, &[(0, 1), (0, 61), (0, 62), (5, 90), (38, 1), (50, 3), (79, 100), (78, 99), (39, 100)], "runs");
    let mut spread = Spread::new(&model, &Work::default()).unwrap();
    assert!(spread.endings_of_many(&[(80, 1)]).is_err() && spread.endings_of_many(&[(0, 101)]).is_err());
    assert!(spread.endings_of_many(&[(0, 0)]).is_err() && spread.endings_of_many(&[]).unwrap().is_empty());
}
