//! Scores of demonstrations, and robust and clustered standard errors of models between given ends.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{
    Bounds, Cluster, Demonstrations, Ends, Error, ErrorKind, Features, FeaturesBuilder, MaxEnt, Mdp, MdpBuilder, Method,
    Options, RouteChoice, Trajectory, TripValue, Uncertainty, Watch, Work, worlds,
};

use crate::helpers::{close, diamond, relatively_close, through, walks};

fn recursive_logit() -> MaxEnt {
    MaxEnt { method: Method::RecursiveLogit, options: Options { ends: Ends::Goal, ..Options::default() }, ..MaxEnt::default() }
}

fn goal(horizon: usize) -> MaxEnt {
    let options = Options { ends: Ends::Goal, horizon: Some(horizon.into()), ..Options::default() };
    MaxEnt { options, ..MaxEnt::default() }
}

fn clustered(
    settings: &MaxEnt,
    mdp: &Mdp,
    features: &Features,
    demos: &Demonstrations,
    theta: &[f64],
    by: &str,
) -> Uncertainty {
    let cluster = Cluster::from_name(by);
    settings.uncertainty_clustered(mdp, features, demos, theta, &cluster, &Watch::none()).unwrap()
}

/// Roads with features on states, actions and transitions, and walks along them.
fn roads(rng: &mut Pcg64Mcg, n: usize, trips: usize) -> (Mdp, Features, Demonstrations) {
    let network = worlds::road_like(n, 2 * n + n / 20, 3).unwrap().mdp;
    let mut builder = MdpBuilder::new(n, network.n_actions());
    (0..n).for_each(|state| _ = builder.start(state, 1.0 / n as f64));
    for transition in 0..network.n_transitions() {
        let [from, to] = [network.from()[transition], network.to()[transition]].map(|state| state as usize);
        builder.transition(from, network.action_of(network.choice_of()[transition] as usize), to, 1.0);
    }
    let mdp = builder.build().unwrap();
    let mut features = FeaturesBuilder::new(5);
    for state in 0..n {
        features.state(state, 0, 1.0 + rng.random_range(0.0..1.0)).state(state, 1, f64::from(u8::from(state % 7 == 0)));
        features.state_action(state, 1, 2, rng.random_range(0.0..1.0));
    }
    (0..mdp.n_transitions()).for_each(|transition| {
        features.transition(transition, 3, rng.random_range(-1.0..1.0)).transition(transition, 4, 1.0);
    });
    let features = features.build(&mdp).unwrap();
    let demos = walks(&mdp, trips, rng);
    (mdp, features, demos)
}

/// The gradient of a fit to one pair alone is its score: the naive version of all scores in one pass.
#[test]
fn the_expectation_of_each_pair_is_that_of_a_gradient_of_its_own() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    for n in [60, 200] {
        let (mdp, features, demos) = roads(&mut rng, n, 25);
        let theta = [-1.5, 0.3, -0.4, 0.2, -0.6];
        for (threads, memory) in [(1, 1 << 30), (2, 1 << 30), (1, 1 << 20)] {
            let work = Work { threads: Some(threads), memory };
            let expected = RouteChoice::new(&mdp, &features, &demos, &work).unwrap().expected(&theta).unwrap();
            for index in 0..demos.len() {
                let ends = [demos.states(index)[0], *demos.states(index).last().unwrap()].map(|state| state as usize);
                let path = demos.states(index).iter().map(|&state| state as usize).collect();
                let actions =
                    demos.transitions(index).iter().map(|&step| mdp.action_of(mdp.choice_of()[step as usize] as usize));
                let alone = Demonstrations::new(&mdp, &[Trajectory::new(path, actions.collect())]).unwrap();
                let mut choice = RouteChoice::new(&mdp, &features, &alone, &Work::default()).unwrap();
                let gradient = choice.evaluate(&theta).unwrap().gradient;
                let found = &expected[&ends];
                let naive: Vec<f64> = choice.observed().iter().zip(&gradient).map(|(phi, slope)| phi - slope).collect();
                for (found, naive) in found.iter().zip(&naive) {
                    assert!((found - naive).abs() <= 1e-10 * (1.0 + naive.abs()), "{n} {index}: {found} {naive}");
                }
            }
        }
    }
}

/// A coin: the robust error of a fork with 30 and 10 is that of the model, also with ends and of any length. And with
/// the wrong θ it is that of the demonstrations.
#[test]
fn a_fork_has_the_robust_errors_of_a_coin() {
    let mdp = diamond();
    let features = FeaturesBuilder::new(1).state(1, 0, 1.0).build(&mdp).unwrap();
    let demos = Demonstrations::new(&mdp, &[through(1, 30.0), through(2, 10.0)]).unwrap();
    for settings in [recursive_logit(), goal(3)] {
        let fit = settings.fit(&mdp, &features, &demos).unwrap();
        let sure = settings.uncertainty(&mdp, &features, &demos, &fit.theta).unwrap();
        relatively_close(sure.robust_errors.unwrap()[0].unwrap(), (1.0f64 / 30.0 + 0.1).sqrt(), 1e-7);
        let off = settings.uncertainty(&mdp, &features, &demos, &[0.0]).unwrap();
        relatively_close(off.robust_errors.unwrap()[0].unwrap(), (0.1875f64 / 40.0).sqrt() / 0.25, 1e-7);
    }
}

/// With a horizon that does not matter, both models have the same robust and clustered errors.
#[test]
fn ends_with_and_without_a_horizon_agree() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    let (mdp, features, demos) = roads(&mut rng, 60, 20);
    let [recursive_logit, goal] = [recursive_logit(), goal(250)].map(|settings| MaxEnt { l2: 0.05, ..settings });
    let theta = recursive_logit.fit(&mdp, &features, &demos).unwrap().theta;
    for by in [None, Some("origin-destination")] {
        let [any, long] = [&recursive_logit, &goal].map(|settings| match by {
            Some(by) => clustered(settings, &mdp, &features, &demos, &theta, by),
            None => settings.uncertainty(&mdp, &features, &demos, &theta).unwrap(),
        });
        let [any, long] = [any, long].map(|sure| sure.robust_covariance_matrix().unwrap().to_vec());
        any.iter().zip(&long).for_each(|(any, long)| assert!((any - long).abs() < 1e-6 * any.abs().max(1e-3), "{any} {long}"));
    }
}

/// Each driver always goes the same way: forty trips are as good as their eight drivers.
#[test]
fn copies_of_a_trip_are_one_cluster() {
    let mdp = diamond();
    let features = FeaturesBuilder::new(1).state(1, 0, 1.0).build(&mdp).unwrap();
    let of = |driver: usize| Trajectory {
        trip: [("driver".to_string(), TripValue::Text(format!("driver {driver}")))].into(),
        ..through(if driver < 6 { 1 } else { 2 }, 1.0)
    };
    let trips: Vec<Trajectory> = (0..40).map(|trip| of(trip % 8)).collect();
    let demos = Demonstrations::new(&mdp, &trips).unwrap();
    for settings in [
        recursive_logit(),
        goal(3),
        MaxEnt { options: Options { ends: Ends::Terminal, ..Options::default() }, ..MaxEnt::default() },
    ] {
        let fit = settings.fit(&mdp, &features, &demos).unwrap();
        relatively_close(fit.theta[0], 3f64.ln(), 1e-6);
        let sure = clustered(&settings, &mdp, &features, &demos, &fit.theta, "driver");
        assert_eq!(sure.n_clusters, Some(8));
        // A coin of 6 and 2, times 8 / 7.
        let expected = ((1.0f64 / 6.0 + 1.0 / 2.0) * 8.0 / 7.0).sqrt();
        relatively_close(sure.robust_errors.as_ref().unwrap()[0].unwrap(), expected, 1e-6);
        // They are those of the z-value, if they are asked for.
        relatively_close(sure.z_value(0).unwrap(), 3f64.ln() / (1.0f64 / 30.0 + 0.1).sqrt(), 1e-6);
        let robust = sure.with_errors(ErrorKind::Robust).unwrap();
        relatively_close(robust.z_value(0).unwrap(), 3f64.ln() / expected, 1e-6);
        let half = 1.959963984540054 * expected;
        close(robust.intervals(0.95).unwrap()[0].unwrap().1, 3f64.ln() + half, 1e-6, "the upper end");
    }
}

#[test]
fn clusters_that_are_not_there_are_refused() {
    let mdp = diamond();
    let features = FeaturesBuilder::new(1).state(1, 0, 1.0).build(&mdp).unwrap();
    let with = |driver: Option<f64>| Trajectory {
        trip: driver.map(|driver| ("driver".to_string(), TripValue::Number(driver))).into_iter().collect(),
        ..through(1, 1.0)
    };
    let demos = Demonstrations::new(&mdp, &[with(Some(7.0)), with(None)]).unwrap();
    let refused = Cluster::from_name("driver").check(&demos).unwrap_err();
    assert_eq!(refused.to_string(), "demonstration 1: its trip has no column driver: give it one; others have driver");
    let refused = Cluster::from_name("origin-destination").check(&demos).unwrap_err();
    assert!(matches!(&refused, Error::FewClusters { by } if by == "origin-destination"), "{refused}");
    assert!(Demonstrations::new(&mdp, &[with(Some(f64::NAN))]).unwrap_err().to_string().contains("column driver of its trip"));
    let one = Demonstrations::new(&mdp, &[with(None)]).unwrap();
    let sure = recursive_logit().uncertainty(&mdp, &features, &one, &[0.5]).unwrap();
    assert_eq!(sure.with_errors(ErrorKind::Robust), Err(Error::NoRobustCovariance));
}

/// Trips of a driver share a taste that the model does not know. 95 % intervals of clustered errors cover, those of
/// the model do not.
#[test]
fn clustered_intervals_cover_where_trips_share_a_driver() {
    let mdp = diamond();
    let features = FeaturesBuilder::new(1).state(1, 0, 1.0).build(&mdp).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(11);
    let settings = MaxEnt { bounds: Bounds::Same(-9.0, 9.0), ..recursive_logit() };
    let (drivers, trips) = (60, 12);
    let (mut covered, simulations) = ([0, 0, 0], 200);
    // The share of all trips over state 1 is 1/2 + 0.1 on average over drivers, whose own shares are uniform about it.
    let truth = (0.6f64 / 0.4).ln();
    for _ in 0..simulations {
        let mut demos = Vec::new();
        for driver in 0..drivers {
            let share = 0.6 + rng.random_range(-0.4..0.4);
            for _ in 0..trips {
                let over = if rng.random_range(0.0..1.0) < share { 1 } else { 2 };
                let trip = [("driver".to_string(), TripValue::Number(f64::from(driver)))].into();
                demos.push(Trajectory { trip, ..through(over, 1.0) });
            }
        }
        let demos = Demonstrations::new(&mdp, &demos).unwrap();
        let fit = settings.fit(&mdp, &features, &demos).unwrap();
        let sure = clustered(&settings, &mdp, &features, &demos, &fit.theta, "driver");
        let robust = settings.uncertainty(&mdp, &features, &demos, &fit.theta).unwrap().with_errors(ErrorKind::Robust).unwrap();
        for (covered, sure) in covered.iter_mut().zip([&sure.clone().with_errors(ErrorKind::Robust).unwrap(), &robust, &sure]) {
            let (low, high) = sure.intervals(0.95).unwrap()[0].unwrap();
            *covered += u32::from(low <= truth && truth <= high);
        }
    }
    let [clusters, robust, model] = covered.map(|covered| f64::from(covered) / f64::from(simulations));
    println!("covered by clustered, robust and model's intervals: {clusters} {robust} {model}");
    assert!((0.915..=0.985).contains(&clusters), "{clusters}");
    assert!(robust < 0.85 && model < 0.85, "{robust} {model}");
}
