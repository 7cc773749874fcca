//! The likeliest routes, priors and posteriors of destinations, on a network that fits on a page.

use std::ops::ControlFlow;

use revealed::{Ends, PathModel, Reward, RouteSums, Step, Trajectory, Watch, Work};
use revealed_roads::{
    CityOptions, DestinationLearning, DestinationModel, Distances, Error, Evaluation, Exponents, Group, Metrics, Roads, Score,
    baselines, city, destination_prior, different_routes, forecast_trace, likeliest_routes, posterior, predict, prefix_length,
    states_at,
};
use serde_json::json;

use crate::helpers::fork::{LOCAL, MOTORWAY, fork, trip};
use crate::helpers::scene::{self, plane};

#[test]
fn baselines_find_the_short_way_and_the_fast_one() {
    let roads = fork();
    let problem = roads.problem().unwrap();
    let trips = [trip(&roads, &LOCAL), trip(&roads, &MOTORWAY), Trajectory::new(vec![], vec![])];
    let model = |reward: Reward, horizon: usize| PathModel::new(&problem.mdp, reward, horizon, Ends::Anywhere).unwrap();
    let run = |model: &PathModel<'_>, bounded: bool| {
        predict(&roads, model, &trips, bounded, &Work::default(), "routes", &Watch::none()).unwrap()
    };
    let short = run(&model(baselines::shortest(&roads), 4), true);
    assert_eq!(short.routes[..2], [Ok(vec![0, 1, 2, 5]), Ok(vec![0, 1, 2, 5])]);
    assert!(short.routes[2].is_err() && !short.in_circles);
    // 160 m at 100 km/h take 5.8 s, 100 m at 30 km/h 12 s.
    let fast = run(&model(baselines::fastest(&roads), 4), false);
    assert_eq!(fast.routes[0], Ok(vec![0, 3, 4, 5]));
    // A reward for driving: once around fits into nine segments, by the motorway where that pays more.
    let circles = run(&model(Reward::of_states(roads.lengths()), 9), true);
    assert!(circles.in_circles);
    assert_eq!(circles.routes[0], Ok(vec![0, 3, 4, 5, 6, 0, 3, 4, 5]));
    let metrics = Metrics::new(&roads);
    let score = Score::new("circles", &metrics, &trips, &circles);
    // Of 1020 m the local way has 200 in common, the motorway 360.
    let (one, other) = (100.0 * 200.0 / 1020.0, 100.0 * 360.0 / 1020.0);
    assert!((score.distance_match.mean - (one + other) / 2.0).abs() < 1e-12);
    assert_eq!((score.asked, score.distance_match.n, score.missing.values().sum::<usize>(), score.identical), (3, 2, 1, 0.0));
    let evaluation = Evaluation { trained_on: 1, judged_by: 3, scores: vec![score] };
    assert!(evaluation.table().contains("circles: no prediction for 1 of 3 trips: it has no states"), "{}", evaluation.table());
    assert_eq!(evaluation.to_json()["scores"][0]["distance_match"]["n"], 2);
    assert!(evaluation.to_json()["scores"][0]["distance_match"]["low"].is_null());
    // Three segments are too few for any way.
    let none = run(&model(baselines::shortest(&roads), 3), true);
    let reason = "no route from its first segment to its last has at most 3 segments";
    assert_eq!(none.routes[0], Err(reason.to_string()));
    let mut heard = None;
    let mut hear = |step: &Step<'_>| {
        heard = step.parts();
        ControlFlow::Break(())
    };
    let stopped = predict(
        &roads,
        &model(baselines::shortest(&roads), 4),
        &trips,
        true,
        &Work::default(),
        "routes",
        &Watch::new(&mut hear),
    );
    assert!(matches!(stopped, Err(Error::Stopped)));
    assert_eq!(heard, Some((0, 3)));
}

#[test]
fn prefixes_are_cut_by_length() {
    let roads = fork();
    // 100, 50, 50 and 100 m: 30 m are in the first segment, 90 too, 150 in the second, 210 in the fourth, which is the
    // end.
    let lengths = [0.1, 0.3, 0.5, 0.7].map(|seen| prefix_length(&roads, &[0, 1, 2, 5], seen));
    assert_eq!(lengths, [1, 1, 2, 3]);
    assert_eq!(prefix_length(&roads, &[0, 1], 1.0), 1);
}

#[test]
fn the_prior_is_where_trips_ended() {
    let roads = fork();
    let prior = destination_prior(&roads, &[trip(&roads, &LOCAL), trip(&roads, &[0, 1])], 10.0);
    assert!((prior.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // Segments 5 and 1 have one trip each, 2 and 4 end more than 30 m away; a third of a trip's weight is everywhere.
    let rest = 1.0 / 3.0 / 7.0;
    for (state, expected) in [(0, rest), (1, rest + 1.0 / 3.0), (5, rest + 1.0 / 3.0), (6, rest)] {
        assert!((prior[state] - expected).abs() < 1e-9, "{state}: {}", prior[state]);
    }
}

/// The chains 1 2 and 3 4 end in one place, and 5 6 0 in another.
#[test]
fn the_prior_of_a_compressed_network_is_where_chains_end() {
    let roads = fork().compressed();
    let prior = destination_prior(&roads, &[Trajectory::new(vec![roads.state_of(2)], vec![])], 10.0);
    let [one, other, rest] = [2, 4, 0].map(|segment| prior[roads.state_of(segment)]);
    assert!(
        (one - 5.0 / 12.0).abs() < 1e-9 && (other - 5.0 / 12.0).abs() < 1e-9 && (rest - 1.0 / 6.0).abs() < 1e-9,
        "{prior:?}"
    );
}

#[test]
fn destinations_that_cost_too_much_are_not_dropped_in_silence() {
    let roads = fork();
    let problem = roads.problem().unwrap();
    let prior = destination_prior(&roads, &[trip(&roads, &LOCAL)], 10.0);
    let posterior_at = |cost: f64| {
        let mut reward = baselines::shortest(&roads);
        reward.state.iter_mut().for_each(|reward| *reward *= cost);
        posterior(&RouteSums::new(&problem.mdp, &reward, &Work::default()).unwrap(), &prior, 0, 1)
    };
    assert!((posterior_at(0.1).unwrap().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let message = posterior_at(30.0).unwrap_err().to_string();
    assert!(message.contains("the weights of routes from state 0") && message.contains("underflow"), "{message}");
}

/// The rewards by which a metre costs 0.01.
fn costs(roads: &Roads) -> Reward {
    Reward::of_states(roads.lengths().iter().map(|length| -0.01 * length).collect())
}

#[test]
fn likely_routes_are_described_street_by_street() {
    let roads = fork();
    let problem = roads.problem().unwrap();
    let model = PathModel::new(&problem.mdp, costs(&roads), 9, Ends::Goal).unwrap();
    let found = likeliest_routes(&roads, &model, [&[0], &[5]], 2, &Work::default()).unwrap();
    let states: Vec<Vec<usize>> = found.routes.iter().map(|route| route.states.clone()).collect();
    assert_eq!(states, [[0, 1, 2, 5], [0, 3, 4, 5]]);
    assert_eq!(found.routes[0].relative_weight, 1.0);
    // It is 60 m longer.
    assert!((found.routes[1].relative_weight - (-0.6f64).exp()).abs() < 1e-12);
    // 200 m at 50 km/h, and 100 m at 30 km/h or 160 m at 100 km/h.
    assert!((found.routes[0].seconds() - 26.4).abs() < 1e-9 && (found.routes[1].seconds() - 20.16).abs() < 1e-9);
    assert_eq!(
        found.description(),
        "likeliest route: 0.30 km, 0 min at the usual speeds\n     300 m  (residential)\n\
         2. route, 0.55 times as likely as the first, 67 % shared with a likelier one: 0.36 km, 0 min at the usual speeds\n     360 m  (residential)\n"
    );
    let json = found.routes[1].to_json();
    assert_eq!((&json["states"], &json["legs"][0]["street"]), (&json!([0, 3, 4, 5]), &json!("(residential)")));
    assert!(likeliest_routes(&roads, &model, [&[0], &[99]], 1, &Work::default()).is_err());
    // Both ways have 200 m in common, of 300 m and of 360 m.
    let apart = |overlap: f64| different_routes(&roads, &model, [&[0], &[5]], 2, overlap);
    assert_eq!(apart(0.67).unwrap(), found);
    assert_eq!(apart(0.66).unwrap().routes, found.routes[..1]);
    assert!(apart(1.5).unwrap_err().to_string().contains("the largest overlap is 1.5"), "{:?}", apart(1.5));
}

#[test]
fn places_are_states_of_the_nearest_roads() {
    let roads = fork();
    // On the road from A to B, over which the one from F to A leads; and beside the motorway.
    assert_eq!(states_at(&roads, plane().lift([50.0, 31.0])).unwrap(), [0, 6]);
    assert_eq!(states_at(&roads, plane().lift([125.0, 8.0])).unwrap(), [3]);
    let compressed = roads.compressed();
    assert_eq!(states_at(&compressed, plane().lift([125.0, 8.0])).unwrap(), [compressed.state_of(3)]);
    let message = states_at(&compressed, plane().lift([50.0, 5030.0])).unwrap_err().to_string();
    assert_eq!(message, "the nearest road of the network is 5.0 km away: are latitude and longitude swapped?");
}

#[test]
fn the_last_part_of_a_broken_trace_says_where_it_is() {
    let roads = Roads::new(scene::two_grids(6, 100.0, 1500.0), &[Group::Length]);
    let problem = roads.problem().unwrap();
    let reward = Reward::of_states(roads.lengths().iter().map(|length| -0.02 * length).collect());
    let model = PathModel::new(&problem.mdp, reward, 9, Ends::Goal).unwrap();
    let destinations = DestinationModel::of_prior(&roads, roads.lengths()).unwrap();
    // Half a kilometre on the first grid, a field, and less on the second.
    let begun = scene::trip(&(0..33).map(|n| [10.0 + 60.0 * f64::from(n), 1.0]).collect::<Vec<_>>());
    let found = forecast_trace(&roads, &model, &destinations, &begun).unwrap();
    assert_eq!((found.parts, found.states.len()), (2, 5));
    assert_eq!(
        found.states,
        scene::route(&roads.network, &[36, 37, 38, 39, 40, 41]).iter().map(|&one| one as usize).collect::<Vec<_>>()
    );
    let second = roads.n_states() / 2;
    assert!(found.posterior[..second].iter().sum::<f64>() == 0.0 && found.posterior[second..].iter().sum::<f64>() > 0.99);
    assert!(found.description().contains("broken          the last of 2 parts counts"), "{}", found.description());
}

#[test]
fn a_trace_is_matched_and_its_destination_predicted() {
    let roads = fork();
    let problem = roads.problem().unwrap();
    let model = PathModel::new(&problem.mdp, costs(&roads), 9, Ends::Goal).unwrap();
    let begun = scene::trip(&[[10.0, 30.0], [60.0, 31.0], [122.0, 46.0], [138.0, 59.0]]);
    let destinations = DestinationModel::of_prior(&roads, roads.lengths()).unwrap();
    let found = forecast_trace(&roads, &model, &destinations, &begun).unwrap();
    assert_eq!((&found.states[..], found.used, found.metres), (&[0, 1][..], 4, 150.0));
    let sums = RouteSums::new(&problem.mdp, &costs(&roads), &Work::default()).unwrap();
    let expected = posterior(&sums, &roads.lengths(), 0, 1).unwrap();
    assert!(found.posterior.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-12), "{found:?}");
    assert_eq!(found.place, destinations.middle(&found.posterior));
    let listed: Vec<f64> = found.destinations.iter().map(|one| one.p).collect();
    assert!(listed.len() == 7 && listed.is_sorted_by(|a, b| a >= b), "{listed:?}");
    assert_eq!(found.destinations[0].position, roads.network.ends_of(found.destinations[0].state)[1]);
    assert!(found.description().starts_with("so far          0.15 km, 2 segments, 4 fixes, confidence "));
    assert_eq!(found.description().lines().count(), 3 + 7);
    assert_eq!(found.to_json()["destinations"][6]["p"], listed[6]);
    let elsewhere: Vec<f64> = (0..roads.n_states()).map(|state| f64::from(u8::from(state == 5))).collect();
    let other = DestinationModel::of_prior(&roads, roads.lengths()).unwrap().with_prior(&roads, elsewhere).unwrap();
    assert_eq!(forecast_trace(&roads, &model, &other, &begun).unwrap().posterior[5], 1.0);
    let far = scene::trip(&[[9000.0, 0.0], [9100.0, 0.0]]);
    let message = forecast_trace(&roads, &model, &destinations, &far).unwrap_err().to_string();
    assert_eq!(message, "trip trip cannot be matched: off the network");
}

/// Relaxes all turns until nothing changes.
#[test]
fn distances_are_those_of_bellman_and_ford() {
    let roads = city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap().roads;
    let distances = Distances::new(&roads);
    for from in [0, 7, roads.n_states() - 1] {
        let mut metres = vec![f64::INFINITY; roads.n_states()];
        metres[from] = 0.0;
        loop {
            let before = metres.clone();
            for state in 0..roads.n_states() {
                for &to in roads.turns_of(state) {
                    metres[to as usize] = metres[to as usize].min(metres[state] + roads.length(to as usize));
                }
            }
            if before == metres {
                break;
            }
        }
        assert!(metres.iter().filter(|metres| **metres > 100.0).count() > 10);
        for (state, (found, metres)) in distances.from(from).iter().zip(&metres).enumerate() {
            assert!(found == metres || (found - metres).abs() < 1e-9, "{state}: {found} {metres}");
        }
    }
    assert!(distances.from(roads.n_states()).iter().all(|metres| metres.is_infinite()));
}

/// The middle of three places is a vertex if one has more than half of the weight. Otherwise no place around it is
/// better.
#[test]
fn the_middle_has_the_smallest_expected_distance() {
    let roads = fork();
    let destinations = DestinationModel::of_prior(&roads, vec![1.0; 7]).unwrap();
    let place = |state: usize| roads.network.ends_of(state)[1];
    let (middle, metres) = destinations.middle(&[0.1, 0.6, 0.0, 0.1, 0.0, 0.2, 0.0]).unwrap();
    assert!(middle.distance(place(1)) < 1.0, "{middle:?}");
    let weights = [0.2, 0.3, 0.1, 0.1, 0.1, 0.1, 0.1];
    let expected = |at| (0..7).map(|state| weights[state] * place(state).distance(at)).sum::<f64>();
    assert!(
        (metres - [0.1, 0.6, 0.0, 0.1, 0.0, 0.2, 0.0].iter().zip(0..).map(|(p, k)| p * place(k).distance(middle)).sum::<f64>())
            .abs()
            < 0.3
    );
    let (middle, metres) = destinations.middle(&weights).unwrap();
    assert!((metres - expected(middle)).abs() < 0.3);
    let [x, y] = plane().project(middle);
    for k in 0..64 {
        let (sin, cos) = (f64::from(k) * 0.1).sin_cos();
        for far in [3.0, 20.0, 100.0] {
            assert!(expected(plane().lift([x + far * cos, y + far * sin])) > expected(middle) - 0.05, "{k} {far}");
        }
    }
    assert_eq!(destinations.middle(&[0.0; 7]), None);
}

/// In an invented city: the learned model says more about held-out trips than the paper's
/// posterior, its probabilities sum to 1, and threads do not matter.
#[test]
fn a_destination_model_is_learned_from_trips() {
    let city = city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap();
    let (roads, trips) = (&city.roads, city.trips(300, 5).unwrap());
    let problem = roads.problem().unwrap();
    let reward = Reward::of_states(roads.lengths().iter().map(|length| -0.05 * length).collect());
    let model = PathModel::new(&problem.mdp, reward, 400, Ends::Goal).unwrap();
    let learn = |threads: usize, trips: &[Trajectory]| {
        let options = DestinationLearning { seed: 3, work: Work::on(threads) };
        DestinationModel::learn(roads, &model, trips, &options, &Watch::none())
    };
    let (train, test) = trips.split_at(220);
    let found = learn(1, train).unwrap();
    let again = learn(3, train).unwrap();
    assert_eq!((found.exponents, &found.prior, found.straight_on), (again.exponents, &again.prior, again.straight_on));
    // Trips of one state have no part that can be seen.
    let cut = train.iter().filter(|trip| trip.states.len() > 1).count();
    assert_eq!(found.examples, (0.3 * cut as f64).ceil() as usize);
    assert_eq!(found.prior, destination_prior(roads, train, revealed_roads::SPREAD));
    let metres = |trip: &Trajectory| trip.states.iter().map(|&state| roads.length(state)).sum::<f64>();
    assert!((found.mean - train.iter().map(metres).sum::<f64>() / 220.0).abs() < 1e-9);
    let paper = DestinationModel::of_prior(roads, found.prior.clone()).unwrap();
    let (mut ours, mut papers) = (0.0, 0.0);
    for (place, trip) in test.iter().enumerate().filter(|row| row.1.states.len() > 1) {
        let shown = prefix_length(roads, &trip.states, (place % 10) as f64 / 10.0 + 0.05);
        let goal = trip.states[trip.states.len() - 1];
        let [one, other] = [&found, &paper].map(|model_of| model_of.posterior(roads, &model, &trip.states[..shown]).unwrap());
        assert!((one.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        (ours, papers) = (ours + one[goal].ln(), papers + other[goal].ln());
    }
    assert!(ours > papers, "{ours} {papers} {found:?}");
    // Too few trips change nothing, and bad ones are refused.
    assert_eq!(learn(1, &train[..1]).unwrap().exponents, Exponents::PAPER);
    assert_eq!(learn(1, &[]).unwrap().exponents, Exponents::PAPER);
    let bad = vec![Trajectory::new(vec![0, 0], vec![0]); 9];
    assert!(learn(1, &bad).is_err());
    assert!(found.posterior(roads, &model, &[]).unwrap_err().to_string().contains("no states"));
    assert!(found.posterior(roads, &model, &[0, 999_999]).unwrap_err().to_string().contains("state 999999"));
}
