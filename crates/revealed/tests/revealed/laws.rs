//! What must hold on problems that are too large to enumerate.

use revealed::worlds::{self, FROZEN_LAKE_8X8, World};
use revealed::{
    Demonstrations, Ends, Error, Evaluation, Likelihood, MdpBuilder, Options, PathDistribution, Reward, Stop, Trajectory, Work,
};

use crate::helpers::{action_of, close, lake, refusal, relatively_close};

fn evaluate(world: &World, theta: &[f64], demos: &[Trajectory], options: &Options) -> Result<Evaluation, Error> {
    let demos = Demonstrations::new(&world.mdp, demos)?;
    Likelihood::new(&world.mdp, &world.features, &demos, options)?.evaluate(theta)
}

fn sampled(world: &World, theta: &[f64], horizon: usize, n: usize) -> Vec<Trajectory> {
    sampled_ending(world, theta, horizon, n, Stop::Anywhere)
}

fn sampled_ending(world: &World, theta: &[f64], horizon: usize, n: usize, stop: Stop) -> Vec<Trajectory> {
    let reward = world.features.reward(&world.mdp, theta).unwrap();
    PathDistribution::new(&world.mdp, reward, horizon, stop).unwrap().sample(n, 7).unwrap()
}

/// Roads large enough that threads share them, with features on transitions too.
fn roads_with_turns() -> World {
    let mut world = worlds::road_like(40_000, 81_000, 3).unwrap();
    let mut builder = revealed::FeaturesBuilder::new(world.features.n_features() + 1);
    for state in 0..world.mdp.n_states() {
        for (feature, value) in world.features.blocks()[0].row(state) {
            builder.state(state, feature, value);
        }
    }
    for row in (0..world.mdp.n_rows()).step_by(3) {
        builder.transition(row, world.features.n_features(), 1.0);
    }
    world.features = builder.build(&world.mdp).unwrap();
    world.theta.push(-0.5);
    world
}

#[test]
fn any_memory_gives_the_same_bits() {
    for (discount, scale) in [(1.0, 1.0), (0.97, 1.0), (1.0, 400.0)] {
        let world = worlds::frozen_lake(&FROZEN_LAKE_8X8, true).unwrap().with_discount(discount).unwrap();
        let theta: Vec<f64> = (0..64).map(|state| scale * ((state * 37 % 11) as f64 / 11.0 - 0.6)).collect();
        let demos = [Trajectory::new(vec![0], vec![])];
        let run = |memory| {
            let options = Options { horizon: Some(203.into()), work: Work { memory, ..Work::default() }, ..Options::default() };
            evaluate(&world, &theta, &demos, &options)
        };
        let all = run(1 << 30).unwrap();
        let Err(Error::Memory { least, .. }) = run(1) else { panic!("one byte cannot do") };
        let mut sizes = 0;
        for memory in (least..least + 400_000).step_by(997) {
            assert_eq!(run(memory).unwrap(), all, "memory {memory}, discount {discount}, scale {scale}");
            sizes += 1;
        }
        assert!(sizes > 300);
    }
}

/// Less than all messages, with goals, terminal ends, and rewards on transitions.
#[test]
fn any_memory_gives_the_same_bits_for_every_path_set() {
    for (discount, ends) in [(1.0, Ends::Goal), (0.9, Ends::Goal), (1.0, Ends::Terminal), (0.9, Ends::Horizon)] {
        let mut world = lake().with_discount(discount).unwrap();
        let mut builder = revealed::FeaturesBuilder::new(2);
        for state in 0..16 {
            builder.state(state, 0, (state % 3) as f64);
        }
        for row in (0..world.mdp.n_rows()).step_by(2) {
            builder.transition(row, 1, 1.0);
        }
        world.features = builder.build(&world.mdp).unwrap();
        let demos = sampled_ending(&world, &[-0.5, -0.3], 60, 30, Stop::Terminal);
        let run = |memory, threads| {
            let options = Options { ends, horizon: Some(60.into()), work: Work { threads: Some(threads), memory } };
            evaluate(&world, &[-0.5, -0.3], &demos, &options)
        };
        let all = run(1 << 30, 1).unwrap();
        let Err(Error::Memory { least, .. }) = run(1, 1) else { panic!("one byte cannot do") };
        for memory in (least..least + 60_000).step_by(1009) {
            assert_eq!(run(memory, 1).unwrap(), all, "memory {memory}, discount {discount}, {ends:?}");
        }
        assert_eq!(run(1 << 30, 3).unwrap(), all, "three threads, discount {discount}, {ends:?}");
    }
}

/// A trap: from 0 to 1, which ends the path, or to 2 and 3, which lead to each other for ever. No finished path goes
/// there, however much the trap pays and however long the horizon is.
#[test]
fn paths_that_cannot_end_weigh_nothing() {
    let mut builder = MdpBuilder::new(4, 4);
    builder.start(0, 1.0).terminal(1).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
    for action in 0..4 {
        builder.transition(2, action, 3, 1.0).transition(3, action, 2, 1.0);
    }
    let mdp = builder.build().unwrap();
    for (stop, trap) in [(Stop::Terminal, 0.0), (Stop::Terminal, 20.0), (Stop::At(1), 0.0), (Stop::At(1), 500.0)] {
        let mut paths = PathDistribution::new(&mdp, Reward::of_states(vec![0.0, 0.0, trap, trap]), 2000, stop).unwrap();
        assert_eq!(paths.occupancy().state, [1.0, 1.0, 0.0, 0.0], "{stop:?} {trap}");
        assert_eq!(paths.log_partition(), 0.0);
        check_survival(&mut paths, 2000);
    }
}

#[test]
fn what_leaves_the_range_of_f64_is_an_error() {
    let mut builder = MdpBuilder::new(1, 1);
    builder.start(0, 1.0).transition(0, 0, 0, 1.0);
    let mdp = builder.build().unwrap();
    let features = revealed::FeaturesBuilder::new(1).state(0, 0, 1e308).build(&mdp).unwrap();
    let path = Trajectory::new(vec![0, 0], vec![0]);
    let demos = Demonstrations::new(&mdp, std::slice::from_ref(&path)).unwrap();
    let message = refusal(Likelihood::new(&mdp, &features, &demos, &Options::default()).map(drop));
    assert_eq!(message, "a mean feature of the demonstrations is inf: scale the features or theta down");
    let heavy = Trajectory { weight: 1e308, ..path };
    let message = refusal(Demonstrations::new(&mdp, &[heavy.clone(), heavy]));
    assert_eq!(message, "the weights of the demonstrations sum to inf: scale them down");
    let message = refusal(PathDistribution::new(&mdp, Reward::of_states(vec![1e307]), 100, Stop::Anywhere).map(drop));
    assert!(message.contains("largest single reward 1e307"), "{message}");
    let path = PathDistribution::from(&mdp, Reward::of_states(vec![0.0]), vec![(0, 0.5), (0, 0.5)], 3, Stop::Anywhere);
    assert_eq!(refusal(path.map(drop)), "start: state 0 is listed twice");
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let world = roads_with_turns();
    for (discount, scale) in [(1.0, 1.0), (0.95, 1.0), (1.0, 300.0)] {
        let world = World { mdp: world.mdp.clone().with_discount(discount).unwrap(), ..world.clone() };
        let theta: Vec<f64> = world.theta.iter().map(|theta| theta * scale).collect();
        let demos = sampled(&world, &theta, 40, 20);
        for ends in [Ends::Anywhere, Ends::Goal] {
            let run = |threads| {
                let options = Options { ends, horizon: Some(45.into()), work: Work::on(threads) };
                evaluate(&world, &theta, &demos, &options).unwrap()
            };
            let one = run(1);
            for threads in [2, 3, 5] {
                assert_eq!(run(threads), one, "{threads} threads, discount {discount}, scale {scale}, {ends:?}");
            }
        }
    }
}

/// On paths of one length, a constant added to every reward changes log Z and nothing else; a large one needs
/// wide numbers where none needs plain ones.
#[test]
fn plain_and_wide_numbers_agree() {
    let mut builder = MdpBuilder::new(30, 3);
    builder.start(0, 0.5).start(7, 0.5);
    for state in 0..30 {
        for action in 0..3 {
            builder.transition(state, action, (state * 7 + action * 11 + 1) % 30, 0.75);
            builder.transition(state, action, (state * 3 + action + 2) % 30, 0.25);
        }
    }
    let mdp = builder.build().unwrap();
    let reward = |shift: f64| Reward::of_states((0..30).map(|state| ((state * 13 % 17) as f64) / 10.0 + shift).collect());
    let mut plain = PathDistribution::new(&mdp, reward(0.0), 60, Stop::Horizon).unwrap();
    for shift in [-2000.0, 500.0, 1e6] {
        let mut wide = PathDistribution::new(&mdp, reward(shift), 60, Stop::Horizon).unwrap();
        let expected = plain.log_partition() + 60.0 * shift;
        relatively_close(wide.log_partition(), expected, 1e-13);
        for t in [1, 2, 30, 60] {
            let (a, b) = (plain.marginals(t).unwrap(), wide.marginals(t).unwrap());
            for (a, b) in a.state.iter().zip(&b.state).chain(a.transition.iter().zip(&b.transition)) {
                // A reward of 1e6 + 0.7 is itself rounded to 1e-10.
                assert!((a - b).abs() <= (1e-12 + 1e-15 * shift.abs()) * a.abs(), "shift {shift}, t {t}: {a} {b}");
            }
        }
    }
}

/// L = 10,000: everything is finite, and Σ_s p_t(s) = P(length >= t) for every t.
#[test]
fn ten_thousand_steps_on_the_lake() {
    let world = worlds::frozen_lake(&FROZEN_LAKE_8X8, true).unwrap();
    for scale in [0.0, 1.0, -3.0, 50.0] {
        let theta: Vec<f64> = (0..64).map(|state| scale * ((state * 29 % 13) as f64 / 13.0 - 0.5)).collect();
        let reward = world.features.reward(&world.mdp, &theta).unwrap();
        let mut paths = PathDistribution::new(&world.mdp, reward, 10_000, Stop::Anywhere).unwrap();
        assert!(paths.log_partition().is_finite());
        check_survival(&mut paths, 10_000);
        assert!(paths.occupancy().state.iter().all(|visits| visits.is_finite()));
    }
}

/// Lengths in metres at the size of Porto, with a reward that plain numbers can hold and one (a metre costs 1,
/// so a state down to -2000) that only wide ones can. The lengths' probabilities come from the forward messages
/// and sum to 1 if these agree with Z, which comes from the backward ones.
#[test]
fn metres_at_the_size_of_porto() {
    let world = worlds::road_like(292_604, 594_933, 1).unwrap();
    for (per_metre, horizon) in [(None, 400), (Some(-1.0), 100)] {
        let theta = per_metre.map_or(world.theta.clone(), |cost| [vec![cost; 3], vec![0.0; 11]].concat());
        let reward = world.features.reward(&world.mdp, &theta).unwrap();
        let mut paths = PathDistribution::new(&world.mdp, reward, horizon, Stop::Anywhere).unwrap();
        assert!(paths.log_partition().is_finite());
        check_survival(&mut paths, horizon);
    }
}

/// Σ_s p_t(s) against the probabilities of the single lengths, which do not use p_t.
fn check_survival(paths: &mut PathDistribution<'_>, horizon: usize) {
    let lengths = paths.length_distribution().unwrap();
    let survival = paths.survival().unwrap();
    assert_eq!((lengths.len(), survival.len()), (horizon, horizon));
    let mut longer = 0.0;
    for t in (0..horizon).rev() {
        longer += lengths[t];
        assert!((survival[t] - longer).abs() < 1e-9, "t = {}: {} against {longer}", t + 1, survival[t]);
    }
    assert!((longer - 1.0).abs() < 1e-9);
}

/// A ring with one exit has log Z in closed form: a geometric sum, at any horizon and any reward.
#[test]
fn long_horizons_equal_the_geometric_sum() {
    let mut builder = MdpBuilder::new(1, 1);
    builder.start(0, 1.0).transition(0, 0, 0, 1.0);
    let mdp = builder.build().unwrap();
    for (r, horizon) in [(-0.001f64, 10_000usize), (0.5, 10_000), (-2000.0, 1000), (1e5, 10_000), (1e9, 100_000)] {
        let paths = PathDistribution::new(&mdp, Reward::of_states(vec![r]), horizon, Stop::Anywhere).unwrap();
        // Σ_{l=1}^{L} e^{l r}, from its largest term.
        let n = horizon as f64;
        let tail = (-(-n * r.abs()).exp_m1()).ln() - (-(-r.abs()).exp_m1()).ln();
        let expected = if r > 0.0 { n * r + tail } else { r + tail };
        close(paths.log_partition(), expected, 1e-12, format_args!("{r} {horizon}"));
    }
}

#[test]
fn renumbering_the_states_renumbers_the_answer() {
    let world = lake();
    let renumber = |state: usize| (state * 5 + 3) % 16;
    let mut builder = MdpBuilder::new(16, 4);
    builder.start(renumber(0), 1.0);
    let mdp = &world.mdp;
    (0..16).filter(|&state| mdp.is_terminal(state)).for_each(|state| {
        builder.terminal(renumber(state));
    });
    for transition in 0..mdp.n_transitions() {
        let [from, to] = [mdp.from()[transition], mdp.to()[transition]].map(|state| renumber(state as usize));
        builder.transition(from, action_of(mdp, transition), to, mdp.probability()[transition]);
    }
    let moved = builder.build().unwrap();
    let theta: Vec<f64> = (0..16).map(|state| (state * 7 % 5) as f64 - 2.0).collect();
    let mut moved_theta = vec![0.0; 16];
    (0..16).for_each(|state| moved_theta[renumber(state)] = theta[state]);
    let a = PathDistribution::new(mdp, Reward::of_states(theta), 50, Stop::Terminal).unwrap();
    let b = PathDistribution::new(&moved, Reward::of_states(moved_theta), 50, Stop::Terminal).unwrap();
    assert!((a.log_partition() - b.log_partition()).abs() < 1e-12);
    for state in 0..16 {
        let (x, y) = (a.occupancy().state[state], b.occupancy().state[renumber(state)]);
        assert!((x - y).abs() < 1e-12, "state {state}: {x} {y}");
    }
}

/// Samples against the exact marginals, at five standard errors.
#[test]
fn samples_follow_the_distribution() {
    let world = lake();
    for stop in [Stop::Anywhere, Stop::Terminal, Stop::Horizon, Stop::At(10)] {
        let theta: Vec<f64> = (0..16).map(|state| -0.3 + 0.1 * (state % 4) as f64).collect();
        let reward = world.features.reward(&world.mdp, &theta).unwrap();
        let mut paths = PathDistribution::new(&world.mdp, reward, 25, stop).unwrap();
        let n = 20_000;
        let drawn = paths.sample(n, 11).unwrap();
        assert_eq!(drawn, paths.sample(n, 11).unwrap());
        for path in &drawn {
            assert!(paths.log_prob(path).unwrap() > f64::NEG_INFINITY, "{path:?}");
        }
        for t in [1, 4, 12, 25] {
            let exact = paths.marginals(t).unwrap().state;
            for (state, &p) in exact.iter().enumerate() {
                let seen = drawn.iter().filter(|path| path.states.get(t - 1) == Some(&state)).count() as f64 / n as f64;
                let error = (p * (1.0 - p) / n as f64).sqrt();
                assert!((seen - p).abs() <= 5.0 * error + 1e-12, "{stop:?}, t {t}, state {state}: {seen} against {p}");
            }
        }
    }
}

/// At the θ that the demonstrations were drawn from, the gradient is zero within its standard error.
#[test]
fn the_gradient_vanishes_at_the_truth() {
    let world = lake();
    let theta = vec![-0.25; 16];
    let trajectories = sampled(&world, &theta, 40, 20_000);
    let options = Options { horizon: Some(40.into()), ..Options::default() };
    let gradient = evaluate(&world, &theta, &trajectories, &options).unwrap().gradient;
    for (state, gradient) in gradient.iter().enumerate() {
        let visits = |path: &Trajectory| path.states.iter().filter(|&&visited| visited == state).count() as f64;
        let n = trajectories.len() as f64;
        let mean = trajectories.iter().map(visits).sum::<f64>() / n;
        let variance = trajectories.iter().map(|path| (visits(path) - mean).powi(2)).sum::<f64>() / n;
        assert!(gradient.abs() <= 5.0 * (variance / n).sqrt() + 1e-12, "state {state}: {gradient}");
    }
}
