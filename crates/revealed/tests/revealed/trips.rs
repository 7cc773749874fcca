//! Features of trips: the link size and products with columns, against dense inverses and planted parameters.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{
    Cluster, Demonstrations, Ends, Error, Features, MaxEnt, Mdp, Method, Options, RouteChoice, RouteSums, Trajectory,
    TripTerms, TripValue, TripWorld, Watch, Work, route_flows,
};

use crate::helpers::{Matrix, action_of, close, far_pairs, inverse_of_rest, streets};

/// The weights of steps with these rewards of states.
fn weights(mdp: &Mdp, reward: &[f64]) -> Matrix {
    let mut weights = vec![vec![0.0; mdp.n_states()]; mdp.n_states()];
    for transition in 0..mdp.n_transitions() {
        let (from, to) = (mdp.from()[transition] as usize, mdp.to()[transition] as usize);
        weights[from][to] += reward[to].exp();
    }
    weights
}

fn rewards(mdp: &Mdp, features: &Features, theta: &[f64]) -> Vec<f64> {
    features.reward(mdp, theta).unwrap().state
}

/// The expected visits of a trip, by the dense inverse.
fn visits(sums: &Matrix, [from, to]: [usize; 2]) -> Vec<f64> {
    (0..sums.len()).map(|state| sums[from][state] * sums[state][to] / sums[from][to]).collect()
}

/// A trip of the recursive logit with these weights.
fn drawn(mdp: &Mdp, weights: &Matrix, sums: &Matrix, [from, to]: [usize; 2], rng: &mut Pcg64Mcg) -> Trajectory {
    let (mut states, mut actions) = (vec![from], Vec::new());
    loop {
        let here = states[states.len() - 1];
        let mut left = rng.random_range(0.0..1.0) * sums[here][to] - f64::from(u8::from(here == to));
        if left < 0.0 {
            return Trajectory::new(states, actions);
        }
        let mut steps = mdp.children(here).filter(|&step| sums[mdp.to()[step] as usize][to] > 0.0).peekable();
        while let Some(step) = steps.next() {
            let next = mdp.to()[step] as usize;
            left -= weights[here][next] * sums[next][to];
            if left < 0.0 || steps.peek().is_none() {
                actions.push(action_of(mdp, step));
                states.push(next);
                break;
            }
        }
    }
}

/// log p(τ | ends) of a trip by the dense inverse.
fn log_likelihood(trip: &Trajectory, reward: &[f64], sums: &Matrix) -> f64 {
    let paid: f64 = trip.states[1..].iter().map(|&state| reward[state]).sum();
    paid - sums[trip.states[0]][trip.states[trip.states.len() - 1]].ln()
}

#[test]
fn visits_are_those_of_a_dense_inverse() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let (mdp, features) = streets(&mut rng, 4);
    let reward = features.reward(&mdp, &[-1.0, -0.5]).unwrap();
    let dense = inverse_of_rest(&weights(&mdp, &reward.state));
    let sums = RouteSums::new(&mdp, &reward, &Work::default()).unwrap();
    for pair in far_pairs(mdp.n_states(), 10, &mut rng) {
        let found = sums.visits(pair[0], pair[1]).unwrap();
        for (state, (found, expected)) in found.iter().zip(visits(&dense, pair)).enumerate() {
            close(*found, expected, 1e-10, format_args!("{pair:?} {state}"));
        }
    }
    assert!(sums.visits(0, 999).is_err());
}

/// Trips with a link size, by day and by night.
fn planted(
    rng: &mut Pcg64Mcg,
    world: (&Mdp, &Features),
    first: &[f64],
    truth: &[f64],
    trips: &[[usize; 2]],
) -> Vec<Trajectory> {
    let (mdp, features) = world;
    let of_first = inverse_of_rest(&weights(mdp, &rewards(mdp, features, first)));
    let mut found = Vec::new();
    for (at, &pair) in trips.iter().enumerate() {
        let night = f64::from(u8::from(at % 2 == 0));
        let size = visits(&of_first, pair);
        let plain = rewards(mdp, features, &[truth[0] + truth[2] * night, truth[1]]);
        let reward: Vec<f64> = plain.iter().zip(&size).map(|(plain, size)| plain + truth[3] * size).collect();
        let weights = weights(mdp, &reward);
        let sums = inverse_of_rest(&weights);
        let trip = [("night".to_string(), TripValue::Number(night))].into();
        found.push(Trajectory { trip, ..drawn(mdp, &weights, &sums, pair, rng) });
    }
    found
}

fn terms(first: &[f64]) -> TripTerms {
    TripTerms { products: vec![(0, "night".to_string())], link_size: Some(first.to_vec()) }
}

fn recursive_logit() -> MaxEnt {
    MaxEnt { method: Method::RecursiveLogit, options: Options { ends: Ends::Goal, ..Options::default() }, ..MaxEnt::default() }
}

/// The likelihood in the copies is that of a dense inverse for each trip.
#[test]
fn the_likelihood_is_that_of_a_dense_inverse_for_each_trip() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for side in [3, 4] {
        let (mdp, features) = streets(&mut rng, side);
        let (first, truth) = ([-1.2, -0.6], [-1.0, -0.8, -0.5, -0.7]);
        let ends = far_pairs(mdp.n_states(), 12, &mut rng);
        let trips = planted(&mut rng, (&mdp, &features), &first, &truth, &ends);
        let demos = Demonstrations::new(&mdp, &trips).unwrap();
        let world = TripWorld::new(&mdp, &features, &demos, &terms(&first), &Work::default()).unwrap();
        assert_eq!(world.features.names(), ["length", "link", "length*night", "link size"]);
        let of_first = inverse_of_rest(&weights(&mdp, &rewards(&mdp, &features, &first)));
        let mut expected = 0.0;
        for trip in &trips {
            let TripValue::Number(night) = trip.trip["night"] else { panic!("a number") };
            let size = visits(&of_first, [trip.states[0], trip.states[trip.states.len() - 1]]);
            let plain = rewards(&mdp, &features, &[truth[0] + truth[2] * night, truth[1]]);
            let reward: Vec<f64> = plain.iter().zip(&size).map(|(plain, size)| plain + truth[3] * size).collect();
            expected += log_likelihood(trip, &reward, &inverse_of_rest(&weights(&mdp, &reward))) / trips.len() as f64;
        }
        let mut choice = RouteChoice::new(&world.mdp, &world.features, &world.demos, &Work::default()).unwrap();
        close(choice.evaluate(&truth).unwrap().log_likelihood, expected, 1e-8, "the log-likelihood");
    }
}

/// 200 times, trips are drawn with known parameters and learned from: 95 % intervals cover them, and the mean error is
/// none.
#[test]
fn planted_parameters_are_found_again() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let (mdp, features) = streets(&mut rng, 4);
    let (first, truth) = ([-1.2, -0.6], [-0.9, -0.3, -0.4, -0.5]);
    let some = far_pairs(mdp.n_states(), 6, &mut rng);
    let ends: Vec<[usize; 2]> = (0..400).map(|trip| some[trip % some.len()]).collect();
    let (simulations, mut covered, mut off) = (200, [0; 4], [0.0; 4]);
    for _ in 0..simulations {
        let demos = Demonstrations::new(&mdp, &planted(&mut rng, (&mdp, &features), &first, &truth, &ends)).unwrap();
        let world = TripWorld::new(&mdp, &features, &demos, &terms(&first), &Work::default()).unwrap();
        let fit = recursive_logit().fit(&world.mdp, &world.features, &world.demos).unwrap();
        assert!(fit.gradient_norm < 1e-5, "{} {}", fit.gradient_norm, fit.stopped_because);
        let sure = recursive_logit().uncertainty(&world.mdp, &world.features, &world.demos, &fit.theta).unwrap();
        for k in 0..4 {
            let error = sure.standard_errors[k].unwrap();
            covered[k] += u32::from((fit.theta[k] - truth[k]).abs() <= 1.959963984540054 * error);
            off[k] += (fit.theta[k] - truth[k]) / error / f64::from(simulations);
        }
    }
    println!("covered {covered:?} of {simulations}, mean error in standard errors {off:?}");
    for k in 0..4 {
        // 0.95 with a standard error of 0.0154; the mean z has one of 0.07.
        assert!((180..=199).contains(&covered[k]), "parameter {k}: {covered:?}");
        assert!(off[k].abs() < 0.3, "parameter {k}: {off:?}");
    }
}

#[test]
fn trips_that_do_not_fit_are_refused() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    let (mdp, features) = streets(&mut rng, 3);
    let trips = planted(&mut rng, (&mdp, &features), &[-1.2, -0.6], &[-1.0, -0.8, 0.0, 0.0], &[[0, 20], [0, 20], [1, 22]]);
    let demos = Demonstrations::new(&mdp, &trips).unwrap();
    let with = |terms: TripTerms, memory: usize| {
        TripWorld::new(&mdp, &features, &demos, &terms, &Work { memory, ..Work::default() }).map(|world| world.copies)
    };
    let product = |feature: usize, column: &str| TripTerms { products: vec![(feature, column.to_string())], link_size: None };
    assert_eq!(with(product(0, "night"), 1 << 30).unwrap(), 2);
    assert_eq!(with(terms(&[-1.2, -0.6]), 1 << 30).unwrap(), 3);
    assert_eq!(with(TripTerms { products: Vec::new(), ..terms(&[-1.2, -0.6]) }, 1 << 30).unwrap(), 2);
    assert!(matches!(with(product(0, "night"), 1 << 12), Err(Error::Copies { .. })));
    assert!(matches!(with(product(2, "night"), 1 << 30), Err(Error::OutOfRange { .. })));
    let refused = with(product(0, "purpose"), 1 << 30).unwrap_err().to_string();
    assert_eq!(refused, "demonstration 0: its trip has no column purpose: give it one; others have night");
    assert!(with(terms(&[0.5, 0.5]), 1 << 30).is_err(), "loops that pay have no flows");

    // Clusters are those of the ends in the world, not in the copies.
    let world = TripWorld::new(&mdp, &features, &demos, &product(0, "night"), &Work::default()).unwrap();
    let sure = recursive_logit().uncertainty_clustered(
        &world.mdp,
        &world.features,
        &world.demos,
        &[-1.0, -0.8, 0.0],
        &Cluster::Ends,
        &Watch::none(),
    );
    assert_eq!(sure.unwrap().n_clusters, Some(2));
}

/// Flows are the sums of the visits of each trip, and within error the means of exact samples.
#[test]
fn flows_are_those_of_all_trips_together() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    let (mdp, features) = streets(&mut rng, 4);
    let reward = features.reward(&mdp, &[-1.0, -0.3]).unwrap();
    let weights = weights(&mdp, &reward.state);
    let sums = inverse_of_rest(&weights);
    let trips: Vec<([usize; 2], f64)> =
        far_pairs(mdp.n_states(), 12, &mut rng).into_iter().map(|pair| (pair, f64::from(rng.random_range(1..9)))).collect();
    let flows = route_flows(&mdp, &reward, &trips, &Work::default()).unwrap();
    let mut expected = vec![0.0; mdp.n_states()];
    for &(pair, weight) in &trips {
        expected.iter_mut().zip(visits(&sums, pair)).for_each(|(sum, visits)| *sum += weight * visits);
    }
    flows.state.iter().zip(&expected).for_each(|(found, expected)| close(*found, *expected, 1e-10, "a flow"));
    let (draws, mut sampled, mut squares) = (400, vec![0.0; mdp.n_states()], vec![0.0; mdp.n_states()]);
    for _ in 0..draws {
        let mut once = vec![0.0; mdp.n_states()];
        for &(pair, weight) in &trips {
            drawn(&mdp, &weights, &sums, pair, &mut rng).states.iter().for_each(|&state| once[state] += weight);
        }
        for (state, visits) in once.into_iter().enumerate() {
            sampled[state] += visits / f64::from(draws);
            squares[state] += visits * visits / f64::from(draws);
        }
    }
    for state in 0..mdp.n_states() {
        let error = ((squares[state] - sampled[state].powi(2)).max(0.0) / f64::from(draws)).sqrt();
        assert!(
            (sampled[state] - flows.state[state]).abs() <= 4.5 * error + 1e-9,
            "{state}: {} {}",
            sampled[state],
            flows.state[state]
        );
    }
    assert!(route_flows(&mdp, &reward, &[([0, 999], 1.0)], &Work::default()).is_err());
    assert!(route_flows(&mdp, &reward, &[([0, 9], -1.0)], &Work::default()).is_err());
}
