//! Splits, the paper's metrics, baselines and destinations, on a network that fits on a page.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Destinations, Ends, Options, PathModel, Prior, Reward, RouteSums, Trajectory};
use revealed_roads::network::{Node, Segment, WayInfo};
use revealed_roads::prediction::{
    DestinationOptions, Forecaster, destination_prior, evaluate_destinations, posterior, prefix_length,
};
use revealed_roads::{
    Evaluation, Group, Metrics, Network, Plane, Position, RoadType, Roads, Score, Summary, baselines, median_rank, predict,
    split,
};

/// Segments by their numbers, with metres; 1 and 2 are local roads at 30 km/h, 3 and 4 a motorway at 100, the rest major roads at 50.
///
/// ```text
///                 C
///           1 50 ↗ ↘ 2 50
///   A ─0 100→ B       D ─5 100→ F          F ─6 300→ A
///           3 80 ↘ ↗ 4 80
///                 E
/// ```
fn roads() -> Roads {
    let plane = Plane::at(Position { lat: 41.15, lon: -8.61 });
    let at = |x: f64, y: f64| Node { id: 0, position: plane.lift([x, y]), signal: false, crossing: false };
    let nodes = vec![at(0.0, 0.0), at(100.0, 0.0), at(140.0, 30.0), at(180.0, 0.0), at(140.0, -70.0), at(280.0, 0.0)];
    let way = |road_type, speed| WayInfo {
        id: 1,
        highway: String::new(),
        road_type,
        lanes: None,
        speed: Some(speed),
        toll: false,
        roundabout: false,
        name: String::new(),
    };
    let ways = vec![way(RoadType::Major, 50.0), way(RoadType::Local, 30.0), way(RoadType::Highway, 100.0)];
    let segment = |from, to, way, length| Segment { from, to, way, length };
    let segments = vec![
        segment(0, 1, 0, 100.0),
        segment(1, 2, 1, 50.0),
        segment(2, 3, 1, 50.0),
        segment(1, 4, 2, 80.0),
        segment(4, 3, 2, 80.0),
        segment(3, 5, 0, 100.0),
        segment(5, 0, 0, 300.0),
    ];
    let turns = vec![(0, 1), (0, 3), (1, 2), (3, 4), (2, 5), (4, 5), (5, 6), (6, 0)];
    Roads::new(Network::from_parts(nodes, ways, segments, turns), &Group::PAPER)
}

const LOCAL: [u32; 4] = [0, 1, 2, 5];
const MOTORWAY: [u32; 4] = [0, 3, 4, 5];

fn trip(roads: &Roads, states: &[u32]) -> Trajectory {
    roads.path(states).unwrap()
}

#[test]
fn metrics_by_hand() {
    let metrics = Metrics::new(&roads());
    let same = metrics.compare(&[0, 1, 2, 5], &[0, 1, 2, 5]);
    assert_eq!((same.distance_match, same.covered, same.feature_distance, same.identical), (100.0, 100.0, 0.0, true));
    // 200 m in common, of 300 and of 360. Lanes and tolls differ by 60 m, types and speeds by 100 and 160 m: √78400 = 280.
    let other = metrics.compare(&[0, 1, 2, 5], &[0, 3, 4, 5]);
    assert!((other.distance_match - 200.0 / 3.0).abs() < 1e-12 && (other.covered - 500.0 / 9.0).abs() < 1e-12);
    assert!((other.feature_distance - 0.28).abs() < 1e-12 && !other.identical);
    assert!((other.predicted - 0.3).abs() < 1e-12 && (other.driven - 0.36).abs() < 1e-12);
    // A circle more: 600 m again, of which nothing was driven a second time.
    let circle = metrics.compare(&[0, 1, 2, 5, 6, 0, 1, 2, 5], &[0, 1, 2, 5]);
    assert!((circle.distance_match - 100.0 * 300.0 / 900.0).abs() < 1e-12 && circle.covered == 100.0);
    assert!(
        (circle.feature_distance - metrics.features(&[6, 0, 1, 2, 5]).iter().map(|m| m * m).sum::<f64>().sqrt() / 1e3).abs()
            < 1e-12
    );
    assert_eq!(metrics.compare(&[], &[0]).distance_match, 0.0);
}

/// Its chains are 1 2, 3 4 and 5 6 0.
#[test]
fn metrics_of_a_compressed_network_are_those_of_its_segments() {
    let (fine, coarse) = (roads(), roads().compressed());
    assert_eq!(coarse.n_states(), 3);
    let routes: [&[u32]; 2] = [&[5, 6, 0, 1, 2, 5, 6, 0], &[5, 6, 0, 3, 4, 5, 6, 0]];
    let compare = |roads: &Roads| {
        let [one, other] = routes.map(|segments| roads.path(segments).unwrap().states);
        Metrics::new(roads).compare(&one, &other)
    };
    assert_eq!(compare(&coarse), compare(&fine));
}

#[test]
fn baselines_find_the_short_way_and_the_fast_one() {
    let roads = roads();
    let problem = roads.problem().unwrap();
    let trips = [trip(&roads, &LOCAL), trip(&roads, &MOTORWAY), Trajectory::new(vec![], vec![])];
    let model = |reward: Reward, horizon: usize| PathModel::new(&problem.mdp, reward, horizon, Ends::Anywhere).unwrap();
    let run = |model: &PathModel<'_>, bounded: bool| predict(model, &trips, bounded, None, &mut |_| (), &|| false).unwrap();
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
    let reason = "no way from its first segment to its last has at most 3 segments";
    assert_eq!(none.routes[0], Err(reason.to_string()));
    let stopped = predict(&model(baselines::shortest(&roads), 4), &trips, true, None, &mut |_| (), &|| true);
    assert!(stopped.unwrap_err().to_string().contains("stopped: 0 of 3"));
}

#[test]
fn random_weights_are_standard_normal() {
    let weights = baselines::random_weights(20_000, 3);
    assert_eq!(weights, baselines::random_weights(20_000, 3));
    assert_ne!(weights[..9], baselines::random_weights(9, 4)[..]);
    let summary = Summary::of(&weights);
    assert!(summary.mean.abs() < 0.03 && (summary.standard_error * 20_000f64.sqrt() - 1.0).abs() < 0.03);
    let within = weights.iter().filter(|weight| weight.abs() < 1.0).count() as f64 / 20_000.0;
    assert!((within - 0.6827).abs() < 0.015, "{within}");
}

/// P(fewer than r heads of n) from Pascal's triangle, in whole numbers.
#[test]
fn the_interval_of_the_median_is_that_of_the_binomial() {
    for n in 0..100usize {
        let mut row = vec![1u128];
        for _ in 0..n {
            row = std::iter::once(1).chain(row.windows(2).map(|pair| pair[0] + pair[1])).chain([1]).collect();
        }
        let below = |r: usize| row[..r].iter().sum::<u128>();
        let expected = (1..=n.div_ceil(2)).take_while(|&r| 20 * below(r) <= 1u128 << n).last();
        assert_eq!(median_rank(n), expected, "{n}");
    }
    // By the normal approximation: (n - 1.645 √n) / 2.
    let rank = median_rank(100_000).unwrap() as f64;
    assert!((rank - (100_000.0 - 1.644_854 * 100_000f64.sqrt()) / 2.0).abs() < 2.0, "{rank}");
    let summary = Summary::of(&(1..=20).map(f64::from).collect::<Vec<f64>>());
    assert_eq!((summary.n, summary.mean, summary.median, summary.interval), (20, 10.5, 10.5, Some((6.0, 15.0))));
    assert_eq!(summary.to_string(), "10.5 (6.00 - 15.0)");
    assert!(Summary::of(&[]).median.is_nan());
    assert_eq!(Summary::of(&[2.0]).to_string(), "2.00");
}

#[test]
fn nothing_straddles_a_split() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let mut divided = 0;
    for round in 0..300 {
        let n = rng.random_range(2..60);
        let (routes, ids) = (rng.random_range(2..40), rng.random_range(2..80));
        let trips: Vec<Trajectory> = (0..n)
            .map(|_| {
                let mut trip = Trajectory::new(vec![rng.random_range(0..routes), 7], vec![0]);
                trip.id = rng.random_bool(0.7).then(|| rng.random_range(0..ids).to_string());
                trip
            })
            .collect();
        let share = rng.random_range(0.1..0.9);
        // Where all hang together by routes and trips, there is nothing to divide.
        let Ok(found) = split(&trips, share, round) else { continue };
        divided += 1;
        assert_eq!(found, split(&trips, share, round).unwrap());
        assert!(!found.train.is_empty() && !found.test.is_empty(), "{round}");
        let mut all: Vec<usize> = found.train.iter().chain(&found.test).copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..n).collect::<Vec<_>>());
        let (train, test) = found.of(&trips);
        let routes = |trips: &[Trajectory]| trips.iter().map(|trip| trip.states.clone()).collect::<HashSet<_>>();
        let ids = |trips: &[Trajectory]| trips.iter().filter_map(|trip| trip.id.clone()).collect::<HashSet<_>>();
        assert!(routes(&train).is_disjoint(&routes(&test)) && ids(&train).is_disjoint(&ids(&test)), "{round}");
    }
    assert!(divided > 150, "{divided}");
    let many: Vec<Trajectory> = (0..1000).map(|state| Trajectory::new(vec![state], vec![])).collect();
    let found = split(&many, 0.7, 1).unwrap();
    assert_eq!((found.train.len(), found.test.len()), (700, 300));
    assert_ne!(found, split(&many, 0.7, 2).unwrap());
    let message = |trips: &[Trajectory], share: f64| split(trips, share, 0).unwrap_err().to_string();
    assert!(message(&many, 1.0).contains("between 0 and 1") && message(&many, f64::NAN).contains("between 0 and 1"));
    assert!(message(&[], 0.5).contains("there are none"));
    assert!(message(&[many[0].clone(), many[0].clone()], 0.5).contains("the same route"));
}

#[test]
fn prefixes_are_cut_by_length() {
    let roads = roads();
    // 100, 50, 50 and 100 m: 30 m are in the first segment, 90 too, 150 in the second, 210 in the fourth, which is the end.
    let lengths = [0.1, 0.3, 0.5, 0.7].map(|seen| prefix_length(&roads, &[0, 1, 2, 5], seen));
    assert_eq!(lengths, [1, 1, 2, 3]);
    assert_eq!(prefix_length(&roads, &[0, 1], 1.0), 1);
}

#[test]
fn the_prior_is_where_trips_ended() {
    let roads = roads();
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
    let roads = roads().compressed();
    let prior = destination_prior(&roads, &[Trajectory::new(vec![roads.state_of(2)], vec![])], 10.0);
    let [one, other, rest] = [2, 4, 0].map(|segment| prior[roads.state_of(segment)]);
    assert!(
        (one - 5.0 / 12.0).abs() < 1e-9 && (other - 5.0 / 12.0).abs() < 1e-9 && (rest - 1.0 / 6.0).abs() < 1e-9,
        "{prior:?}"
    );
}

#[test]
fn destinations_that_cost_too_much_are_not_dropped_in_silence() {
    let roads = roads();
    let problem = roads.problem().unwrap();
    let prior = destination_prior(&roads, &[trip(&roads, &LOCAL)], 10.0);
    let posterior_at = |cost: f64| {
        let mut reward = baselines::shortest(&roads);
        reward.state.iter_mut().for_each(|reward| *reward *= cost);
        posterior(&RouteSums::new(&problem.mdp, &reward).unwrap(), &prior, 0, 1)
    };
    assert!((posterior_at(0.1).unwrap().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let message = posterior_at(30.0).unwrap_err().to_string();
    assert!(message.contains("routes from state 0") && message.contains("cost too much"), "{message}");
}

/// Ranks and distances of one trip at a time, from the posteriors of the engine.
#[test]
fn destinations_are_those_of_the_engine() {
    let roads = roads();
    let problem = roads.problem().unwrap();
    let theta: Vec<f64> = (0..14).map(|k| -0.002 - 0.0005 * f64::from(k)).collect();
    let reward = problem.features.reward(&problem.mdp, &theta).unwrap();
    let trips = [trip(&roads, &LOCAL), trip(&roads, &MOTORWAY), trip(&roads, &[4, 5, 6])];
    let prior = destination_prior(&roads, &trips[..2], 50.0);
    let place = |state: usize| roads.network.ends_of(state)[1];
    for ends in [Ends::Anywhere, Ends::Goal] {
        let model = PathModel::new(&problem.mdp, reward.clone(), 12, ends).unwrap();
        for one in &trips {
            let options = DestinationOptions { seen: vec![0.4], ..DestinationOptions::default() };
            let run = |threads: usize| {
                let options = DestinationOptions { threads: Some(threads), ..options.clone() };
                let trips = std::slice::from_ref(one);
                evaluate_destinations(&roads, &model, &prior, trips, &options, &|_| (), &|| false).unwrap()
            };
            let found = run(1);
            // As text: the standard error of one value is no number, which equals nothing.
            assert_eq!(format!("{:?}", found.scores), format!("{:?}", run(2).scores));
            assert_eq!(found.scores.len(), if ends == Ends::Goal { 3 } else { 4 });
            let t = prefix_length(&roads, &one.states, 0.4);
            let prefix = Trajectory::new(one.states[..t].to_vec(), one.actions[..t - 1].to_vec());
            let goal = one.states[one.states.len() - 1];
            for score in &found.scores {
                let posterior = match score.forecaster {
                    Forecaster::Model => of_engine(&model, Prior::Model, &prefix),
                    Forecaster::ModelWithPrior => of_engine(&model, Prior::Given(prior.clone()), &prefix),
                    Forecaster::Prior => prior.clone(),
                    Forecaster::HereAndNow => (0..7).map(|state| f64::from(state == one.states[t - 1])).collect(),
                };
                let more = posterior.iter().filter(|&&p| p > posterior[goal] * (1.0 + 1e-9)).count() as f64;
                let equal = posterior.iter().filter(|&&p| (p / posterior[goal] - 1.0).abs() <= 1e-9).count() as f64;
                if score.forecaster == Forecaster::HereAndNow {
                    assert!(score.rank.is_none());
                } else {
                    assert_eq!(score.rank.unwrap().median, more + (equal + 1.0) / 2.0, "{ends:?} {score:?}");
                }
                let best =
                    (0..7).fold(0, |best, state| if posterior[state] > posterior[best] * (1.0 + 1e-9) { state } else { best });
                assert!((score.error.median - place(best).distance(place(goal))).abs() < 0.3, "{ends:?} {score:?}");
                let expected: f64 = (0..7).map(|state| posterior[state] * place(state).distance(place(goal))).sum();
                assert!((score.expected.median - expected).abs() < 0.3, "{ends:?} {score:?} {expected}");
                assert!(score.centre.median <= score.expected.median + 1e-9);
            }
        }
    }
}

fn of_engine(model: &PathModel<'_>, prior: Prior, prefix: &Trajectory) -> Vec<f64> {
    Destinations::new(model, prior, &Options::default()).unwrap().posterior(prefix).unwrap()
}

#[test]
fn destinations_of_some_trips_and_of_bad_ones() {
    let roads = roads();
    let problem = roads.problem().unwrap();
    let model = PathModel::new(&problem.mdp, baselines::shortest(&roads), 9, Ends::Anywhere).unwrap();
    let trips: Vec<Trajectory> = (0..9).map(|k| trip(&roads, if k % 3 == 0 { &LOCAL } else { &MOTORWAY })).collect();
    let prior = vec![1.0 / 7.0; 7];
    let options = DestinationOptions { most: 4, seed: 2, ..DestinationOptions::default() };
    let run = |prior: &[f64], trips: &[Trajectory], stop: bool| {
        evaluate_destinations(&roads, &model, prior, trips, &options, &|_| (), &|| stop)
    };
    let found = run(&prior, &trips, false).unwrap();
    assert_eq!((found.trips, found.asked, found.scores.len()), (9, 4, 16));
    assert!(found.table().contains("destinations of 4 of 9 trips") && found.to_json()["scores"][0]["seen"] == 0.1);
    let message = |found: Result<_, revealed_roads::Error>| {
        found.map(|_: revealed_roads::prediction::DestinationEvaluation| ()).unwrap_err().to_string()
    };
    assert!(message(run(&prior[1..], &trips, false)).contains("the prior has 6 numbers"));
    assert!(message(run(&prior, &trips, true)).contains("stopped"));
    assert!(message(run(&prior, &[Trajectory::new(vec![0, 5], vec![0])], false)).contains("step 0"));
}
