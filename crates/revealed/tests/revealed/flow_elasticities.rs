//! Elasticities of flows, against finite differences.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Error, FeaturesBuilder, Work, flow_elasticities, route_flows, worlds};

use crate::helpers::{close, far_pairs, streets};

#[test]
fn elasticities_are_the_derivatives_of_flows() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    let (mdp, features) = streets(&mut rng, 5);
    let theta = [-1.0, -0.4];
    let trips: Vec<([usize; 2], f64)> =
        far_pairs(mdp.n_states(), 20, &mut rng).into_iter().map(|pair| (pair, f64::from(rng.random_range(1..9)))).collect();
    let found = flow_elasticities(&mdp, &features, &theta, &trips, &[1, 0], &Work::default()).unwrap();
    let flows =
        |theta: &[f64]| route_flows(&mdp, &features.reward(&mdp, theta).unwrap(), &trips, &Work::default()).unwrap().state;
    for (flow, expected) in found.flows.iter().zip(flows(&theta)) {
        close(*flow, expected, 1e-10, "a flow");
    }
    for (feature, elasticities) in [1, 0].into_iter().zip(&found.of_features) {
        let at = |factor: f64| {
            let mut theta = theta;
            theta[feature] *= factor;
            flows(&theta)
        };
        let step = 1e-5;
        let (above, below) = (at(1.0 + step), at(1.0 - step));
        for state in 0..mdp.n_states() {
            let expected = (above[state].ln() - below[state].ln()) / (2.0 * step);
            close(elasticities[state], expected, 1e-7, format_args!("feature {feature}, state {state}"));
        }
    }
}

/// Features of choices and of transitions, and trips whose weights do not fit into an f64 without a scale.
#[test]
fn elasticities_of_long_trips_and_of_turns() {
    let roads = worlds::road_like(300, 600, 4).unwrap();
    let mdp = &roads.mdp;
    let mut builder = FeaturesBuilder::new(2);
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for state in 0..mdp.n_states() {
        builder.state(state, 0, rng.random_range(0.5..1.5));
    }
    for transition in 0..mdp.n_transitions() {
        let action = mdp.action_of(mdp.choice_of()[transition] as usize);
        builder.state_action(mdp.from()[transition] as usize, action, 1, rng.random_range(0.0..1.0));
    }
    let features = builder.build(mdp).unwrap();
    for (theta, trips) in
        [([-2.0, -0.5], [([5, 200], 3.0), ([8, 200], 1.0)]), ([-60.0, -9.0], [([5, 200], 3.0), ([7, 100], 2.0)])]
    {
        let found = flow_elasticities(mdp, &features, &theta, &trips, &[0, 1], &Work::default()).unwrap();
        let flows =
            |theta: &[f64]| route_flows(mdp, &features.reward(mdp, theta).unwrap(), &trips, &Work::default()).unwrap().state;
        for feature in 0..2 {
            let at = |factor: f64| {
                let mut theta = theta;
                theta[feature] *= factor;
                flows(&theta)
            };
            let (step, now) = (1e-6, flows(&theta));
            let (above, below) = (at(1.0 + step), at(1.0 - step));
            for state in (0..mdp.n_states()).filter(|&state| now[state] > 1e-3) {
                let expected = (above[state].ln() - below[state].ln()) / (2.0 * step);
                close(found.of_features[feature][state], expected, 1e-5, format_args!("{theta:?}, {feature}, state {state}"));
            }
        }
    }
}

#[test]
fn elasticities_do_not_depend_on_threads_and_refuse_bad_input() {
    let mut rng = Pcg64Mcg::seed_from_u64(9);
    let (mdp, features) = streets(&mut rng, 12);
    let trips: Vec<([usize; 2], f64)> = far_pairs(mdp.n_states(), 300, &mut rng).into_iter().map(|pair| (pair, 1.0)).collect();
    let at = |threads: usize| {
        let work = Work::on(threads);
        flow_elasticities(&mdp, &features, &[-1.0, -0.5], &trips, &[0], &work).unwrap()
    };
    let bits = |threads: usize| at(threads).of_features[0].iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
    assert_eq!(bits(1), bits(2));
    let refused = |theta: &[f64], trips: &[([usize; 2], f64)], chosen: &[usize]| {
        flow_elasticities(&mdp, &features, theta, trips, chosen, &Work::default()).unwrap_err()
    };
    assert!(matches!(refused(&[-1.0, -0.5], &trips, &[2]), Error::OutOfRange { what: "feature", index: 2, .. }));
    assert!(matches!(refused(&[-1.0, -0.5], &[([0, 9999], 1.0)], &[0]), Error::OutOfRange { .. }));
    assert!(matches!(refused(&[-1.0, -0.5], &[], &[0]), Error::NoDemonstrations));
    assert!(matches!(refused(&[0.0, 0.0], &trips, &[0]), Error::Diverges { .. }));
}
