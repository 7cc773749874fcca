//! Worlds that are the same up to names, units or parts that do not matter have the same answers; and where a change
//! matters, the answers change as they must. Every kind of model is asked every question (`helpers::answers`).

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::oracle::ExtremeWorld;
use revealed::{Chance, Demonstrations, Ends, Features, FeaturesBuilder, Horizon, MdpBuilder, Trajectory};

use crate::helpers::{Answers, Names, action_of, answers, demo};

/// Worlds of ordinary sizes: of paths with a horizon and of any length, causal ones and others.
fn worlds(n: usize) -> impl Iterator<Item = (u64, ExtremeWorld)> {
    let ordinary = |world: &ExtremeWorld| world.largest_reward() < 100.0;
    (0..).map(|seed| (seed, ExtremeWorld::new(seed))).filter(move |row| ordinary(&row.1)).take(n)
}

/// Asserts that all answers agree, where `as_before` gives the value before the change from the one after it.
#[track_caller]
fn same(what: &str, before: &Answers, after: &Answers, as_before: impl Fn(&str, f64) -> f64) {
    let keys = |answers: &Answers| answers.keys().cloned().collect::<Vec<String>>();
    assert_eq!(keys(before), keys(after), "{what}");
    for (key, &value) in before {
        let found = as_before(key, after[key]);
        assert!((found - value).abs() <= 1e-8 * value.abs().max(1.0), "{what}, {key}: {found}, before {value}");
    }
}

fn as_it_is(_: &str, value: f64) -> f64 {
    value
}

/// The same demonstrations in a changed world.
fn rebuilt(
    world: &ExtremeWorld,
    builder: &MdpBuilder,
    features: &dyn Fn(&revealed::Mdp) -> Features,
    demos: &[Trajectory],
) -> ExtremeWorld {
    let mdp = builder.build().unwrap();
    let features = features(&mdp);
    let demonstrations = Demonstrations::new(&mdp, demos).unwrap();
    ExtremeWorld { mdp, features, demonstrations, ..world.clone() }
}

/// All demonstrations of a world.
fn demos(world: &ExtremeWorld) -> Vec<Trajectory> {
    (0..world.demonstrations.len()).map(|index| demo(world, index)).collect()
}

/// A builder with the world's start, terminal states, transitions and reference policy, under other numbers.
fn builder_of(
    world: &ExtremeWorld,
    sizes: [usize; 2],
    state: &dyn Fn(usize) -> usize,
    action: &dyn Fn(usize) -> usize,
) -> MdpBuilder {
    let mdp = &world.mdp;
    let mut builder = MdpBuilder::new(sizes[0], sizes[1]);
    builder.discount(mdp.discount());
    mdp.start().iter().for_each(|&(first, p)| {
        builder.start(state(first), p);
    });
    (0..mdp.n_states()).filter(|&s| mdp.is_terminal(s)).for_each(|s| {
        builder.terminal(state(s));
    });
    for transition in 0..mdp.n_transitions() {
        let [from, to] = [mdp.from(), mdp.to()].map(|end| state(end[transition] as usize));
        builder.transition(from, action(action_of(mdp, transition)), to, mdp.probability()[transition]);
    }
    for (choice, &p) in mdp.reference().into_iter().flatten().enumerate() {
        builder.reference(state(mdp.state_of(choice)), action(mdp.action_of(choice)), p);
    }
    builder
}

/// Adds the world's features times `scale` for the feature numbers from `first` on. The transitions of the world must be
/// the first rows of the new one, in their order, or from row `first_row` on.
fn add_features(
    world: &ExtremeWorld,
    builder: &mut FeaturesBuilder,
    numbers: [usize; 2],
    scale: f64,
    state: &dyn Fn(usize) -> usize,
    action: &dyn Fn(usize) -> usize,
) {
    let ([first, first_row], mdp) = (numbers, &world.mdp);
    let [states, choices, transitions] = world.features.blocks();
    for s in 0..mdp.n_states() {
        states.row(s).for_each(|(k, value)| {
            builder.state(state(s), first + k, scale * value);
        });
    }
    for choice in 0..mdp.n_choices() {
        let (s, a) = (state(mdp.state_of(choice)), action(mdp.action_of(choice)));
        choices.row(choice).for_each(|(k, value)| {
            builder.state_action(s, a, first + k, scale * value);
        });
    }
    for transition in 0..mdp.n_transitions() {
        let row = first_row + transition;
        transitions.row(transition).for_each(|(k, value)| {
            builder.transition(row, first + k, scale * value);
        });
    }
}

fn copied(
    world: &ExtremeWorld,
    scale: f64,
    state: &dyn Fn(usize) -> usize,
    action: &dyn Fn(usize) -> usize,
) -> FeaturesBuilder {
    let mut builder = FeaturesBuilder::new(world.features.n_features());
    add_features(world, &mut builder, [0, 0], scale, state, action);
    builder
}

/// A path under other numbers.
fn renamed(path: &Trajectory, state: &dyn Fn(usize) -> usize, action: &dyn Fn(usize) -> usize) -> Trajectory {
    let states = path.states.iter().map(|&s| state(s)).collect();
    let actions = path.actions.iter().map(|&a| action(a)).collect();
    Trajectory { weight: path.weight, ..Trajectory::new(states, actions) }
}

#[test]
fn other_units_of_features_change_only_the_gradient() {
    for (seed, world) in worlds(150) {
        let (names, first) = (Names::of(&world), demo(&world, 0));
        let before = answers(&world, &names, &first);
        for unit in [1024.0, 0.3, -7.0] {
            let builder = builder_of(&world, [world.mdp.n_states(), world.mdp.n_actions()], &|s| s, &|a| a);
            let features = copied(&world, unit, &|s| s, &|a| a);
            let mut after = rebuilt(&world, &builder, &|mdp| features.build(mdp).unwrap(), &demos(&world));
            after.theta.iter_mut().for_each(|theta| *theta /= unit);
            let back = |key: &str, value: f64| if key.starts_with("learning: gradient") { value / unit } else { value };
            same(&format!("seed {seed}, unit {unit}"), &before, &answers(&after, &names, &first), back);
        }
    }
}

#[test]
fn numbers_of_states_actions_and_demonstrations_do_not_matter() {
    for (seed, world) in worlds(300) {
        let first = demo(&world, 0);
        let before = answers(&world, &Names::of(&world), &first);
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let [mut state, mut action] = [world.mdp.n_states(), world.mdp.n_actions()].map(|n| (0..n).collect::<Vec<usize>>());
        state.shuffle(&mut rng);
        action.shuffle(&mut rng);
        let (new_state, new_action) = (|s: usize| state[s], |a: usize| action[a]);
        let builder = builder_of(&world, [state.len(), action.len()], &new_state, &new_action);
        let features = copied(&world, 1.0, &new_state, &new_action);
        let mut moved: Vec<Trajectory> = demos(&world).iter().map(|demo| renamed(demo, &new_state, &new_action)).collect();
        let moved_first = moved[0].clone();
        moved.shuffle(&mut rng);
        let after = rebuilt(&world, &builder, &|mdp| features.build(mdp).unwrap(), &moved);
        let mut names = Names::of(&world);
        (0..state.len()).for_each(|s| names.states[state[s]] = s.to_string());
        (0..action.len()).for_each(|a| names.actions[action[a]] = a.to_string());
        same(&format!("seed {seed}"), &before, &answers(&after, &names, &moved_first), as_it_is);
    }
}

#[test]
fn a_demonstration_may_be_split() {
    for (seed, world) in worlds(200) {
        let (names, first) = (Names::of(&world), demo(&world, 0));
        let mut parts = demos(&world);
        let part = Trajectory { weight: 0.25 * parts[0].weight, ..parts[0].clone() };
        parts[0].weight *= 0.75;
        parts.push(part);
        let demonstrations = Demonstrations::new(&world.mdp, &parts).unwrap();
        let after = answers(&ExtremeWorld { demonstrations, ..world.clone() }, &names, &first);
        same(&format!("seed {seed}"), &answers(&world, &names, &first), &after, as_it_is);
    }
}

/// The new state leads into the world, with the largest reward of all, but nothing leads to it.
#[test]
fn a_state_that_cannot_be_reached_does_not_matter() {
    for (seed, world) in worlds(200) {
        let (n, first) = (world.mdp.n_states(), demo(&world, 0));
        let mut builder = builder_of(&world, [n + 1, world.mdp.n_actions()], &|s| s, &|a| a);
        builder.transition(n, 0, seed as usize % n, 1.0);
        if world.mdp.reference().is_some() {
            builder.reference(n, 0, 1.0);
        }
        let mut features = copied(&world, 1.0, &|s| s, &|a| a);
        features.state(n, 0, 3.0);
        let after = rebuilt(&world, &builder, &|mdp| features.build(mdp).unwrap(), &demos(&world));
        let mut names = Names::of(&after);
        names.states[n] = "new".to_string();
        let mut found = answers(&after, &names, &first);
        found.retain(|key, _| !key.contains("new"));
        same(&format!("seed {seed}"), &answers(&world, &Names::of(&world), &first), &found, as_it_is);
    }
}

/// Two actions that do the same are one of twice the weight, as if it paid log 2.
#[test]
fn an_action_twice_is_an_action_of_twice_the_weight() {
    let suits = |world: &ExtremeWorld| {
        let undiscounted = world.mdp.discount() == 1.0 || world.chance == Chance::Fixed;
        world.mdp.reference().is_none() && undiscounted && world.mdp.n_choices() > 0
    };
    let mut checked = 0;
    for (seed, world) in worlds(400).filter(|row| suits(&row.1)) {
        let (mdp, first, n) = (&world.mdp, demo(&world, 0), world.features.n_features());
        let twice = seed as usize % mdp.n_choices();
        let (state, action, new) = (mdp.state_of(twice), mdp.action_of(twice), mdp.n_actions());
        let mut builder = builder_of(&world, [mdp.n_states(), new + 1], &|s| s, &|a| a);
        let mut features = copied(&world, 1.0, &|s| s, &|a| a);
        for (place, transition) in mdp.outcomes(twice).enumerate() {
            builder.transition(state, new, mdp.to()[transition] as usize, mdp.probability()[transition]);
            let row = mdp.n_transitions() + place;
            world.features.blocks()[2].row(transition).for_each(|(k, value)| {
                features.transition(row, k, value);
            });
        }
        world.features.blocks()[1].row(twice).for_each(|(k, value)| {
            features.state_action(state, new, k, value);
        });
        let doubled = rebuilt(&world, &builder, &|mdp| features.build(mdp).unwrap(), &demos(&world));

        let plain = builder_of(&world, [mdp.n_states(), new], &|s| s, &|a| a);
        let mut paid = FeaturesBuilder::new(n + 1);
        add_features(&world, &mut paid, [0, 0], 1.0, &|s| s, &|a| a);
        paid.state_action(state, action, n, 1.0);
        let mut heavier = rebuilt(&world, &plain, &|mdp| paid.build(mdp).unwrap(), &demos(&world));
        heavier.theta.push(2f64.ln());

        let mut names = Names::of(&doubled);
        names.actions[new] = action.to_string();
        let mut before = answers(&heavier, &Names::of(&heavier), &first);
        let mut after = answers(&doubled, &names, &first);
        // A best path or a demonstration is one of two; its score is tested below.
        for answers in [&mut before, &mut after] {
            answers
                .retain(|key, _| !key.starts_with("best") && !key.starts_with("scores") && !key.starts_with("learning: log"));
            answers.remove(&format!("learning: gradient {n}"));
        }
        same(&format!("seed {seed}"), &before, &after, as_it_is);
        checked += usize::from(scores_are_halved(&heavier, &doubled, twice, &first));
    }
    assert!(checked > 50, "{checked}");
}

/// Each time that a demonstration takes the action, it is one of two.
fn scores_are_halved(heavier: &ExtremeWorld, doubled: &ExtremeWorld, twice: usize, first: &Trajectory) -> bool {
    let score = |world: &ExtremeWorld| {
        let all = answers(world, &Names::of(world), first);
        all.into_iter().filter(|row| row.0.starts_with("scores: ")).collect::<Vec<_>>()
    };
    let taken = |world: &ExtremeWorld, index: usize| {
        let steps = world.demonstrations.transitions(index).iter();
        steps.filter(|&&step| world.mdp.choice_of()[step as usize] as usize == twice).count() as f64
    };
    let (before, after) = (score(heavier), score(doubled));
    let demos = demos(heavier);
    for (index, path) in demos.iter().enumerate() {
        let actions: Vec<String> = path.actions.iter().map(usize::to_string).collect();
        let states: Vec<String> = path.states.iter().map(usize::to_string).collect();
        let key = format!("scores: {} by {}", states.join(" "), actions.join(" "));
        let find = |scores: &[(String, f64)]| scores.iter().find(|row| row.0 == key).map(|row| row.1);
        if let (Some(before), Some(after)) = (find(&before), find(&after))
            && before > f64::MIN
        {
            let expected = before - taken(heavier, index) * 2f64.ln();
            assert!((after - expected).abs() < 1e-9 * expected.abs().max(1.0), "{key}: {after}, expected {expected}");
        }
    }
    !after.is_empty()
}

/// Two worlds side by side: a path is in one or the other, and given in which, nothing changes.
#[test]
fn worlds_side_by_side_are_independent() {
    let mut checked = 0;
    for (seed, world) in worlds(300).filter(|row| row.1.ends != Ends::Goal) {
        let mut other = world.clone();
        other.theta.iter_mut().for_each(|theta| *theta *= 0.5);
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let share = rng.random_range(0.1..0.9);
        let both = side_by_side(&world, &other, share);
        let log_z = |world: &ExtremeWorld| {
            let paths = world.model().unwrap().distribution(&revealed::Given::default(), &revealed::Work::default());
            paths.map(|paths| paths.log_partition())
        };
        let (Ok(one), Ok(two)) = (log_z(&world), log_z(&other)) else { continue };
        let weight = match world.chance {
            Chance::Tilted => share / (share + (1.0 - share) * (two - one).exp()),
            Chance::Fixed => share,
        };
        if weight < 1e-3 {
            continue;
        }
        let first = demo(&world, 0);
        let mut before = answers(&world, &Names::of(&world), &first);
        let mut after = answers(&both, &Names::of(&both), &first);
        let n = world.mdp.n_states();
        let inside = |key: &str| {
            let number = |part: &str| part.parse::<usize>().is_ok_and(|number| number >= n);
            !key.split([' ', ',']).skip(1).any(number)
        };
        let kept = ["marginals", "destinations", "policy", "scores"];
        for answers in [&mut before, &mut after] {
            answers.retain(|key, _| kept.iter().any(|kept| key.starts_with(kept)) && inside(key));
        }
        // Whether a state is left at all is a matter of rounding if the paths of its world are very unlikely.
        before.retain(|key, _| !key.starts_with("policy: projection") || after.contains_key(key));
        let back = |key: &str, value: f64| match key {
            _ if key.starts_with("marginals") => value / weight,
            _ if key.starts_with("scores") && value > f64::MIN => value - weight.ln(),
            _ => value,
        };
        same(&format!("seed {seed}"), &before, &after, back);
        checked += 1;
    }
    assert!(checked > 100, "{checked}");
}

/// Both worlds, the second with its own states and features; `share` of the first states are those of the first.
fn side_by_side(one: &ExtremeWorld, two: &ExtremeWorld, share: f64) -> ExtremeWorld {
    let (n, features) = (one.mdp.n_states(), one.features.n_features());
    let mut builder = MdpBuilder::new(2 * n, one.mdp.n_actions());
    builder.discount(one.mdp.discount());
    for (world, offset, share) in [(one, 0, share), (two, n, 1.0 - share)] {
        let mdp = &world.mdp;
        mdp.start().iter().for_each(|&(first, p)| {
            builder.start(offset + first, share * p);
        });
        (0..n).filter(|&s| mdp.is_terminal(s)).for_each(|s| {
            builder.terminal(offset + s);
        });
        for transition in 0..mdp.n_transitions() {
            let [from, to] = [mdp.from(), mdp.to()].map(|end| offset + end[transition] as usize);
            builder.transition(from, action_of(mdp, transition), to, mdp.probability()[transition]);
        }
        for (choice, &p) in mdp.reference().into_iter().flatten().enumerate() {
            builder.reference(offset + mdp.state_of(choice), mdp.action_of(choice), p);
        }
    }
    let mut both = FeaturesBuilder::new(2 * features);
    add_features(one, &mut both, [0, 0], 1.0, &|s| s, &|a| a);
    add_features(two, &mut both, [features, one.mdp.n_transitions()], 1.0, &|s| n + s, &|a| a);
    let mut world = rebuilt(one, &builder, &|mdp| both.build(mdp).unwrap(), &demos(one));
    world.theta.extend(&two.theta);
    world
}

/// The kinds of models that these tests ask.
#[test]
fn every_kind_of_model_is_among_the_worlds() {
    let mut kinds = std::collections::BTreeSet::new();
    for (_, world) in worlds(150) {
        kinds.insert(format!("{:?} {:?} {}", world.chance, world.ends, world.horizon == Horizon::Any));
    }
    assert!(kinds.len() >= 12, "{kinds:?}");
}
