//! Standard errors of the recursive logit: against derivatives of a dense inverse, against closed forms, and near the
//! edge where sums are no longer finite.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{
    CrossValidation, Demonstrations, Ends, Error, Features, FeaturesBuilder, Information, MaxEnt, Mdp, MdpBuilder, Method,
    Options, RouteChoice, Standing, Step, Trajectory, Watch, Work,
};

use crate::helpers::{Matrix, diamond, inverse_of_rest, relatively_close, through, walks};

fn settings() -> MaxEnt {
    let options = Options { ends: Ends::Goal, ..Options::default() };
    MaxEnt { method: Method::RecursiveLogit, options, ..MaxEnt::default() }
}

fn information(mdp: &Mdp, features: &Features, demos: &Demonstrations, theta: &[f64]) -> Information {
    let mut choice = RouteChoice::new(mdp, features, demos, &Work::default()).unwrap();
    Information::of_routes(&mut choice, theta, &Watch::none()).unwrap()
}

/// A ring with shortcuts, some of chance, and trips along it.
fn ring(rng: &mut Pcg64Mcg, n: usize) -> (Mdp, Features, Demonstrations) {
    let mut builder = MdpBuilder::new(n, 2);
    for state in 0..n {
        builder.start(state, 1.0 / n as f64).transition(state, 0, (state + 1) % n, 1.0);
        let (one, two) = (rng.random_range(0..n), rng.random_range(0..n));
        match one == two {
            true => builder.transition(state, 1, one, 1.0),
            false => builder.transition(state, 1, one, 0.3).transition(state, 1, two, 0.7),
        };
    }
    let mdp = builder.build().unwrap();
    let mut features = FeaturesBuilder::new(3);
    for state in 0..n {
        features.state(state, 0, 1.0 + rng.random_range(0.0..1.0)).state_action(state, 1, 1, rng.random_range(0.0..1.0));
    }
    (0..mdp.n_transitions()).for_each(|transition| {
        features.transition(transition, 2, rng.random_range(-1.0..1.0));
    });
    let features = features.build(&mdp).unwrap();
    let demos = walks(&mdp, 15, rng);
    (mdp, features, demos)
}

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let entry = |i: usize, j: usize| (0..b.len()).map(|l| a[i][l] * b[l][j]).sum();
    (0..a.len()).map(|i| (0..b.len()).map(|j| entry(i, j)).collect()).collect()
}

/// The mean over the demonstrations of Cov[φ | ends] = ∂² log G: with M = (I - W)⁻¹, ∂M = M ∂W M.
fn dense(mdp: &Mdp, features: &Features, demos: &Demonstrations, theta: &[f64]) -> Vec<f64> {
    let (n, k) = (mdp.n_states(), theta.len());
    let reward = features.reward(mdp, theta).unwrap();
    let [of_state, of_choice, of_transition] = features.blocks();
    let zero = vec![vec![0.0; n]; n];
    let (mut weights, mut one, mut two) = (zero.clone(), vec![zero.clone(); k], vec![zero.clone(); k * k]);
    for transition in 0..mdp.n_transitions() {
        let (from, to) = (mdp.from()[transition] as usize, mdp.to()[transition] as usize);
        let mut phi = vec![0.0; k];
        let choice = mdp.choice_of()[transition] as usize;
        let blocks = of_state.row(to).chain(of_choice.row(choice)).chain(of_transition.row(transition));
        blocks.for_each(|(feature, value)| phi[feature] += value);
        let weight = (mdp.log_base_weight(transition) + reward.of_transition(transition) + reward.state[to]).exp();
        weights[from][to] += weight;
        for i in 0..k {
            one[i][from][to] += weight * phi[i];
            (0..k).for_each(|j| two[i * k + j][from][to] += weight * phi[i] * phi[j]);
        }
    }
    let sums = inverse_of_rest(&weights);
    let sandwich = |middle: &Matrix| times(&times(&sums, middle), &sums);
    let first: Vec<Matrix> = one.iter().map(sandwich).collect();
    let mut covariance = vec![0.0; k * k];
    for i in 0..k {
        for j in 0..k {
            let straight = sandwich(&two[i * k + j]);
            let [there, back] = [(i, j), (j, i)].map(|(a, b)| times(&times(&first[a], &one[b]), &sums));
            for index in 0..demos.len() {
                let states = demos.states(index);
                let (s, t) = (states[0] as usize, states[states.len() - 1] as usize);
                let second = (straight[s][t] + there[s][t] + back[s][t]) / sums[s][t];
                let product = first[i][s][t] * first[j][s][t] / sums[s][t].powi(2);
                covariance[i * k + j] += demos.weight(index) / demos.total_weight() * (second - product);
            }
        }
    }
    covariance
}

#[test]
fn information_is_the_second_derivative_of_a_dense_inverse() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for round in 0..12 {
        let (mdp, features, demos) = ring(&mut rng, 5 + round);
        for theta in [[-2.0, 0.3, -0.4], [-1.2, -0.5, 0.2]] {
            let (found, expected) = (information(&mdp, &features, &demos, &theta), dense(&mdp, &features, &demos, &theta));
            for i in 0..3 {
                for j in 0..3 {
                    let size = (expected[i * 3 + i] * expected[j * 3 + j]).sqrt();
                    let difference = (found.at(i, j) - expected[i * 3 + j]).abs();
                    assert!(difference <= 1e-7 * size, "round {round} ({i}, {j}): {} {}", found.at(i, j), expected[i * 3 + j]);
                }
            }
        }
    }
}

#[test]
fn a_fork_has_the_errors_of_a_coin() {
    // 0 → 1 → 3 thirty times and 0 → 2 → 3 ten times: the variance of log 3 is 1/30 + 1/10.
    let mdp = diamond();
    // Every trip ends in state 3, once: the reward there is not identified.
    let features = FeaturesBuilder::new(2).state(1, 0, 1.0).state(3, 1, 1.0).build(&mdp).unwrap();
    let demos = Demonstrations::new(&mdp, &[through(1, 30.0), through(2, 10.0)]).unwrap();
    let fit = settings().fit(&mdp, &features, &demos).unwrap();
    let sure = settings().uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
    relatively_close(sure.theta[0], 3f64.ln(), 1e-6);
    relatively_close(sure.standard_errors[0].unwrap(), (1.0f64 / 30.0 + 0.1).sqrt(), 1e-6);
    assert_eq!(sure.standing, [Standing::Estimated, Standing::Unidentified]);
    assert_eq!(sure.unidentified.len(), 1);
    // Without loops there is a null model, and it is a coin.
    relatively_close(sure.statistics.null_log_likelihood.unwrap(), 40.0 * 0.5f64.ln(), 1e-12);
    assert!(sure.statistics.rho_squared.is_some() && sure.statistics.p_value.is_some());
}

/// `0` may go round and round before it goes to 1; 2 only ever leads to 3.
fn waiting() -> (Mdp, Features) {
    let mut builder = MdpBuilder::new(4, 2);
    builder.start(0, 0.5).start(2, 0.5).terminal(1).terminal(3);
    builder.transition(0, 0, 0, 1.0).transition(0, 1, 1, 1.0).transition(2, 0, 3, 1.0);
    let mdp = builder.build().unwrap();
    let features = FeaturesBuilder::new(1).state_action(0, 0, 0, 1.0).build(&mdp).unwrap();
    (mdp, features)
}

fn rounds(n: usize, weight: f64) -> Trajectory {
    let (states, actions) = ([vec![0; n + 1], vec![1]].concat(), [vec![0; n], vec![1]].concat());
    Trajectory { weight, ..Trajectory::new(states, actions) }
}

fn straight(weight: f64) -> Trajectory {
    Trajectory { weight, ..Trajectory::new(vec![2, 3], vec![0]) }
}

#[test]
fn rounds_have_the_errors_of_a_geometric_distribution() {
    // Rounds are geometric with r = e^θ: their mean is r / (1 - r), and their variance mean (1 + mean).
    let (mdp, features) = waiting();
    let demos = Demonstrations::new(&mdp, &[rounds(0, 8.0), rounds(1, 6.0), rounds(3, 2.0)]).unwrap();
    let mean: f64 = 12.0 / 16.0;
    let fit = settings().fit(&mdp, &features, &demos).unwrap();
    let sure = settings().uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
    relatively_close(sure.theta[0], (mean / (1.0 + mean)).ln(), 1e-6);
    relatively_close(sure.standard_errors[0].unwrap(), 1.0 / (16.0 * mean * (1.0 + mean)).sqrt(), 1e-6);
    // At θ = 0 rounds cost nothing: there is no null model.
    let statistics = &sure.statistics;
    assert_eq!((statistics.null_log_likelihood, statistics.likelihood_ratio, statistics.p_value), (None, None, None));
    assert_eq!((statistics.rho_squared, statistics.adjusted_rho_squared), (None, None));
    relatively_close(statistics.aic, 2.0 - 2.0 * 16.0 * fit.log_likelihood, 1e-9);
    assert_eq!((statistics.estimated, statistics.degrees_of_freedom), (1, 1));
}

#[test]
fn near_the_edge_steps_are_shorter() {
    let (mdp, features) = waiting();
    // One trip of many has rounds: the step that suits the mean of all leads past θ = 0, where sums are infinite.
    for (share, theta) in [(1e-5, -1e-4f64), (1e-3, -1e-5), (1.0, -1e-6), (1e-6, -1e-3)] {
        let demos = Demonstrations::new(&mdp, &[rounds(1, share), straight(1.0 - share)]).unwrap();
        let found = information(&mdp, &features, &demos, &[theta]).at(0, 0);
        let r = theta.exp();
        relatively_close(found, share * r / theta.exp_m1().powi(2), 1e-5);
    }
    // Past the edge sums are infinite, and that is an error.
    let demos = Demonstrations::new(&mdp, &[rounds(1, 1.0)]).unwrap();
    let mut choice = RouteChoice::new(&mdp, &features, &demos, &Work::default()).unwrap();
    let refused = Information::of_routes(&mut choice, &[1e-3], &Watch::none());
    assert!(matches!(refused, Err(Error::Diverges { .. })), "{refused:?}");

    // The same from a fit: a trip of 3,000 rounds among ten thousand of none.
    let demos = Demonstrations::new(&mdp, &[rounds(3000, 1.0), straight(10_000.0)]).unwrap();
    let fit = settings().fit(&mdp, &features, &demos).unwrap();
    let sure = settings().uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
    relatively_close(fit.theta[0], (3000f64 / 3001.0).ln(), 1e-4);
    relatively_close(sure.standard_errors[0].unwrap(), 1.0 / (3000f64 * 3001.0).sqrt(), 1e-3);

    // Rounding is larger there, and is not taken for information: three names of the same rounds remain one.
    let mut names = FeaturesBuilder::new(3);
    names.state_action(0, 0, 0, 1.0).state_action(0, 0, 1, 0.7).state_action(0, 0, 2, 30.0);
    let names = names.build(&mdp).unwrap();
    let sure = settings().uncertainty(&mdp, &names, &demos, &[fit.theta[0] - 0.4, 0.1 / 0.7, 0.01]).unwrap();
    assert_eq!((sure.statistics.estimated, sure.unidentified.len()), (1, 2), "{:?}", sure.weak);
}

#[test]
fn other_methods_are_refused_and_work_can_be_ended() {
    let (mdp, features) = waiting();
    let demos = Demonstrations::new(&mdp, &[rounds(1, 1.0)]).unwrap();
    let mut stop = |_: &Step<'_>| ControlFlow::Break(());
    let told = settings().uncertainty_watched(&mdp, &features, &demos, &[-1.0], &Watch::new(&mut stop));
    assert_eq!(told, Err(Error::Stopped));
    let refused = MaxEnt { options: Options::default(), ..settings() }.uncertainty(&mdp, &features, &demos, &[-1.0]);
    assert!(matches!(refused, Err(Error::MethodEnds { .. })), "{refused:?}");
}

#[test]
fn what_is_held_out_is_scored_among_paths_of_any_length() {
    // The longest trip is in one fold. The other folds have no trip as long, and score it.
    let (mdp, features) = waiting();
    let trips: Vec<Trajectory> = [0, 1, 1, 0, 2, 9].map(|n| rounds(n, 1.0)).into();
    let demos = Demonstrations::new(&mdp, &trips).unwrap();
    let found = CrossValidation { settings: settings(), folds: 6, ..CrossValidation::default() };
    let found = found.run(&mdp, &features, &demos).unwrap();
    let total: f64 = 13.0;
    for (index, n) in [0.0, 1.0, 1.0, 0.0, 2.0, 9.0].into_iter().enumerate() {
        let mean = (total - n) / 5.0;
        let r: f64 = mean / (1.0 + mean);
        relatively_close(found.penalties[0].each[index].unwrap(), n * r.ln() + (1.0 - r).ln(), 1e-5);
    }
}

/// ```text
///            2 m, 2 m, 2 m, 2 m
///            ┌─ 1 → 2 → 3 ──┬─ 5 (100 m) ─┐
///   0 (50 m)─┤  ↑       ↓   │             ├─ 7
///            └  └── 4 ──┘   └─ 6 (200 m) ─┘
/// ```
fn roundabout(link: bool) -> (Mdp, Features, Demonstrations) {
    let mut builder = MdpBuilder::new(8, 3);
    builder.start(0, 1.0).terminal(7);
    for (from, action, to) in
        [(0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 0, 5), (3, 1, 6), (3, 2, 4), (4, 0, 1), (5, 0, 7), (6, 0, 7)]
    {
        builder.transition(from, action, to, 1.0);
    }
    let mdp = builder.build().unwrap();
    let mut features = FeaturesBuilder::new(1 + usize::from(link));
    for (state, metres) in [50.0, 2.0, 2.0, 2.0, 2.0, 100.0, 200.0, 50.0].into_iter().enumerate() {
        features.state(state, 0, metres);
        if link {
            features.state(state, 1, 1.0);
        }
    }
    let features = features.build(&mdp).unwrap();
    let trip = |street: usize, weight: f64| {
        let actions = vec![0, 0, 0, street - 5, 0];
        Trajectory { weight, ..Trajectory::new(vec![0, 1, 2, 3, street, 7], actions) }
    };
    let round =
        Trajectory { weight: 1.0, ..Trajectory::new(vec![0, 1, 2, 3, 4, 1, 2, 3, 5, 7], vec![0, 0, 0, 2, 0, 0, 0, 0, 0]) };
    let demos = Demonstrations::new(&mdp, &[trip(5, 14.0), trip(6, 5.0), round]).unwrap();
    (mdp, features, demos)
}

#[test]
fn a_loop_of_two_metres_is_gone_round_for_ever_unless_links_count() {
    for link in [false, true] {
        let (mdp, features, demos) = roundabout(link);
        let fit = settings().fit(&mdp, &features, &demos).unwrap();
        assert!(fit.converged, "{}", fit.stopped_because);
        let lengths = RouteChoice::new(&mdp, &features, &demos, &Work::default()).unwrap().lengths(&fit.theta).unwrap();
        relatively_close(lengths.demonstrations, 6.2, 1e-12);
        assert_eq!(lengths.goes_in_circles(), !link, "{lengths}");
        if link {
            relatively_close(lengths.model, 6.2, 1e-6);
        } else {
            // Rounds are geometric, and each has four states.
            let r = (8.0 * fit.theta[0]).exp();
            relatively_close(lengths.model, 6.0 + 4.0 * r / (1.0 - r), 1e-9);
            assert!((1..=4).contains(&lengths.state) && lengths.surplus > 1.0, "{lengths:?}");
            assert!(lengths.to_string().contains("where the demonstrations have 6.2: loops hardly cost anything"), "{lengths}");
        }
        // Both have standard errors.
        let sure = settings().uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
        assert!(sure.standard_errors.iter().all(Option::is_some), "{:?}", sure.standing);
    }
}

/// Two streets from 0 to 3, and behind 3 a living street of 137 m, 4, from which one can turn back.
fn living_street() -> (Mdp, Features) {
    let mut builder = MdpBuilder::new(5, 2);
    builder.start(0, 1.0).transition(0, 0, 1, 1.0).transition(0, 1, 2, 1.0);
    builder.transition(1, 0, 3, 1.0).transition(2, 0, 3, 1.0).transition(3, 0, 4, 1.0).transition(4, 0, 3, 1.0);
    let mdp = builder.build().unwrap();
    let mut features = FeaturesBuilder::new(3);
    features.names(["length", "narrow", "living street"].map(str::to_string).to_vec());
    for (state, metres) in [50.0, 300.0, 420.0, 100.0, 137.3].into_iter().enumerate() {
        features.state(state, 0, metres);
    }
    features.state(1, 1, 0.3).state(2, 1, 0.7).state(4, 2, 137.3);
    let features = features.build(&mdp).unwrap();
    (mdp, features)
}

/// One trip of 101 must end on a living street, whose feature hardly varies elsewhere.
#[test]
fn a_feature_of_one_trip_does_not_spoil_the_others() {
    let (mdp, features) = living_street();
    let trip = |street: usize, weight: f64| Trajectory { weight, ..Trajectory::new(vec![0, street, 3], vec![street - 1, 0]) };
    let living = Trajectory::new(vec![0, 1, 3, 4], vec![0, 0, 0]);
    let demos = Demonstrations::new(&mdp, &[trip(1, 60.0), trip(2, 40.0), living]).unwrap();
    // The two features of the streets are one direction of θ, so that one is held.
    let bounds = revealed::Bounds::Each(vec![(-1.0, 1.0), (0.0, 0.0), (-9.0, 9.0)]);
    let settings = MaxEnt { bounds, ..settings() };
    let length = -(61f64 / 40.0).ln() / 120.0;
    let mut standings = Vec::new();
    for cost in (20..160).map(|tenths| 0.25 * f64::from(tenths)) {
        let sure = settings.uncertainty(&mdp, &features, &demos, &[length, 0.0, -cost / 137.3]).unwrap();
        // The coin of 61 and 40, by metre. Turns change it by about e^-cost.
        let coin = (1.0f64 / 61.0 + 1.0 / 40.0).sqrt() / 120.0;
        relatively_close(sure.standard_errors[0].unwrap(), coin, 1e-5 + 10.0 * (-cost).exp());
        assert_eq!(sure.standing[..2], [Standing::Estimated, Standing::AtBound], "{cost} {:?}", sure.unidentified);
        let estimated = 1 + usize::from(sure.standing[2] == Standing::Estimated);
        assert_eq!(sure.statistics.estimated, estimated, "{cost}");
        relatively_close(sure.statistics.aic, 2.0 * (estimated as f64 - sure.statistics.log_likelihood), 1e-12);
        standings.push(sure.standing[2]);
    }
    // Its variance is above the rounding errors, where the likelihood still grows because nobody turned, or below them.
    assert!([Standing::NoOptimum, Standing::Unidentified].iter().all(|standing| standings.contains(standing)), "{standings:?}");
}

#[test]
fn an_estimate_is_the_fit_and_its_uncertainty() {
    let mut rng = Pcg64Mcg::seed_from_u64(12);
    let (mdp, features, demos) = ring(&mut rng, 30);
    let settings = MaxEnt { l2: 1e-3, ..settings() };
    let (fit, uncertainty) = settings.estimate(&mdp, &features, &demos).unwrap();
    assert!(fit.converged, "{}", fit.stopped_because);
    assert_eq!(fit, settings.fit(&mdp, &features, &demos).unwrap());
    assert_eq!(uncertainty, settings.uncertainty(&mdp, &features, &demos, &fit.theta).unwrap());
    // It refuses what has no standard errors before it learns.
    let ziebart = MaxEnt { method: Method::Ziebart2008, ..MaxEnt::default() };
    assert!(matches!(ziebart.estimate(&mdp, &features, &demos), Err(Error::NoStandardErrors { .. })));
}
