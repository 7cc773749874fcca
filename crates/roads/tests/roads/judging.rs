//! Splits, the paper's metrics, baselines, and how well destinations are predicted, on a network that fits on a page.

use std::collections::HashSet;
use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Destinations, Ends, Method, PathModel, Prior, Step, Trajectory, Watch, Work};
use revealed_roads::{
    DestinationModel, DestinationOptions, Distances, Error, EvaluateOptions, Exponents, Forecaster, Judge, Metrics, Plane,
    Predictions, Roads, Summary, baselines, destination_prior, evaluate, evaluate_destinations, median_rank, prefix_length,
    split, visits_of_all,
};

use crate::helpers::fork::{LOCAL, MOTORWAY, fork, trip};
use crate::helpers::scene::plane;

#[test]
fn metrics_by_hand() {
    let metrics = Metrics::new(&fork());
    let same = metrics.compare(&[0, 1, 2, 5], &[0, 1, 2, 5]);
    assert_eq!((same.distance_match, same.covered, same.feature_distance, same.identical), (100.0, 100.0, 0.0, true));
    // 200 m in common, of 300 and of 360. Lanes and tolls differ by 60 m, types and speeds by 100 and 160 m: √78400 =
    // 280.
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
    let (fine, coarse) = (fork(), fork().compressed());
    assert_eq!(coarse.n_states(), 3);
    let routes: [&[u32]; 2] = [&[5, 6, 0, 1, 2, 5, 6, 0], &[5, 6, 0, 3, 4, 5, 6, 0]];
    let compare = |roads: &Roads| {
        let [one, other] = routes.map(|segments| roads.path(segments).unwrap().states);
        Metrics::new(roads).compare(&one, &other)
    };
    assert_eq!(compare(&coarse), compare(&fine));
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

/// Ranks and distances of one trip at a time, from the posteriors of the engine.
#[test]
fn destinations_are_those_of_the_engine() {
    let roads = fork();
    let problem = roads.problem().unwrap();
    let theta: Vec<f64> = (0..14).map(|k| -0.002 - 0.0005 * f64::from(k)).collect();
    let reward = problem.features.reward(&problem.mdp, &theta).unwrap();
    let trips = [trip(&roads, &LOCAL), trip(&roads, &MOTORWAY), trip(&roads, &[4, 5, 6])];
    let prior = destination_prior(&roads, &trips[..2], 50.0);
    let place = |state: usize| roads.network.ends_of(state)[1];
    let mut destinations = DestinationModel::of_prior(&roads, prior.clone()).unwrap();
    destinations.exponents = Exponents { prior: 0.9, route: 0.7, power: -0.5, rate: -0.4 };
    (destinations.mean, destinations.straight_on) = (200.0, 0.5);
    for ends in [Ends::Anywhere, Ends::Goal] {
        let model = PathModel::new(&problem.mdp, reward.clone(), 12, ends).unwrap();
        for one in &trips {
            let options = DestinationOptions { seen: vec![0.4], ..DestinationOptions::default() };
            let run = |threads: usize| {
                let options = DestinationOptions { work: Work::on(threads), ..options.clone() };
                let trips = std::slice::from_ref(one);
                evaluate_destinations(&roads, &model, &destinations, trips, &options, &Watch::none()).unwrap()
            };
            let found = run(1);
            // As text: the standard error of one value is no number, which equals nothing.
            assert_eq!(format!("{:?}", found.scores), format!("{:?}", run(2).scores));
            assert_eq!(found.scores.len(), if ends == Ends::Goal { 5 } else { 6 });
            let t = prefix_length(&roads, &one.states, 0.4);
            let prefix = Trajectory::new(one.states[..t].to_vec(), one.actions[..t - 1].to_vec());
            let goal = one.states[one.states.len() - 1];
            for score in &found.scores {
                let posterior = match score.forecaster {
                    Forecaster::Model => of_engine(&model, Prior::Model, &prefix),
                    Forecaster::ModelWithPrior => of_engine(&model, Prior::Given(prior.clone()), &prefix),
                    Forecaster::Prior => prior.clone(),
                    Forecaster::Together => together(&roads, &model, &destinations, &prefix),
                    Forecaster::HereAndNow => (0..7).map(|state| f64::from(state == one.states[t - 1])).collect(),
                    Forecaster::StraightOn => {
                        let [from, here, end] =
                            [one.states[0], one.states[t - 1], goal].map(|state| plane().project(place(state)));
                        let apart: [f64; 2] = std::array::from_fn(|k| here[k] + 0.5 * (here[k] - from[k]) - end[k]);
                        assert!((score.place.median - apart[0].hypot(apart[1])).abs() < 0.3, "{score:?}");
                        continue;
                    }
                };
                let more = posterior.iter().filter(|&&p| p > posterior[goal] * (1.0 + 1e-9)).count() as f64;
                let equal = posterior.iter().filter(|&&p| (p / posterior[goal] - 1.0).abs() <= 1e-9).count() as f64;
                if score.forecaster == Forecaster::HereAndNow {
                    assert!(score.rank.is_none() && score.square.is_none() && score.log_score.is_none());
                } else {
                    assert_eq!(score.rank.unwrap().median, more + (equal + 1.0) / 2.0, "{ends:?} {score:?}");
                }
                let best =
                    (0..7).fold(0, |best, state| if posterior[state] > posterior[best] * (1.0 + 1e-9) { state } else { best });
                assert!((score.error.median - place(best).distance(place(goal))).abs() < 0.3, "{ends:?} {score:?}");
                let expected: f64 = (0..7).map(|state| posterior[state] * place(state).distance(place(goal))).sum();
                assert!((score.expected.median - expected).abs() < 0.3, "{ends:?} {score:?} {expected}");
                let middle = destinations.middle(&posterior).unwrap().0;
                assert!((score.place.median - middle.distance(place(goal))).abs() < 0.3, "{ends:?} {score:?}");
                if let (Some(square), Some(log_score)) = (score.square, score.log_score) {
                    // The plane begins at the end of the first state.
                    let at = |state: usize| Plane::at(place(0)).project(place(state)).map(|metres| (metres / 1e3).floor());
                    let inside: f64 = (0..7).filter(|&state| at(state) == at(goal)).map(|state| posterior[state]).sum();
                    assert!((square.mean - inside).abs() < 1e-9 && (log_score.mean - inside.ln()).abs() < 1e-9, "{score:?}");
                }
            }
        }
    }
}

/// The product of the powers of the factors, one destination at a time.
fn together(roads: &Roads, model: &PathModel<'_>, destinations: &DestinationModel, prefix: &Trajectory) -> Vec<f64> {
    let uniform = of_engine(model, Prior::Given(vec![1.0; 7]), prefix);
    let metres = Distances::new(roads).from(prefix.states[prefix.states.len() - 1]);
    let driven: f64 = prefix.states.iter().map(|&state| roads.length(state)).sum();
    let Exponents { prior, route, power, rate } = destinations.exponents;
    let weight = |state: usize| {
        let length = (driven + metres[state]) / destinations.mean;
        let reached = uniform[state] > 0.0;
        let product = || destinations.prior[state].powf(prior) * uniform[state].powf(route) * length.powf(power);
        if reached { product() * (rate * length).exp() } else { 0.0 }
    };
    let weights: Vec<f64> = (0..7).map(weight).collect();
    weights.iter().map(|weight| weight / weights.iter().sum::<f64>()).collect()
}

fn of_engine(model: &PathModel<'_>, prior: Prior, prefix: &Trajectory) -> Vec<f64> {
    Destinations::new(model, prior, &Work::default()).unwrap().posterior(prefix).unwrap()
}

#[test]
fn destinations_of_some_trips_and_of_bad_ones() {
    let roads = fork();
    let problem = roads.problem().unwrap();
    let model = PathModel::new(&problem.mdp, baselines::shortest(&roads), 9, Ends::Anywhere).unwrap();
    let trips: Vec<Trajectory> = (0..9).map(|k| trip(&roads, if k % 3 == 0 { &LOCAL } else { &MOTORWAY })).collect();
    let prior = vec![1.0 / 7.0; 7];
    let options = DestinationOptions { most: 4, seed: 2, ..DestinationOptions::default() };
    let run = |prior: &[f64], trips: &[Trajectory], stop: bool| {
        let mut hear = |_: &Step<'_>| if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let destinations = DestinationModel::of_prior(&roads, prior.to_vec())?;
        evaluate_destinations(&roads, &model, &destinations, trips, &options, &Watch::new(&mut hear))
    };
    let found = run(&prior, &trips, false).unwrap();
    assert_eq!((found.trips, found.asked, found.scores.len()), (9, 4, 24));
    assert!(found.table().contains("destinations of 4 of 9 trips") && found.to_json()["scores"][0]["seen"] == 0.1);
    let message = |found: Result<_, Error>| found.map(|_: revealed_roads::DestinationEvaluation| ()).unwrap_err().to_string();
    assert!(message(run(&prior[1..], &trips, false)).contains("the prior has 6 numbers"));
    assert!(message(run(&[f64::NAN; 7], &trips, false)).contains("the prior of state 0 is NaN"));
    assert!(matches!(run(&prior, &trips, true), Err(Error::Stopped)));
    assert!(message(run(&prior, &[Trajectory::new(vec![0, 5], vec![0])], false)).contains("step 0"));
}

/// Predictions with these routes.
fn predicted(routes: &[&[usize]]) -> Predictions {
    let route = |route: &&[usize]| if route.is_empty() { Err("none".to_string()) } else { Ok(route.to_vec()) };
    Predictions { routes: routes.iter().map(route).collect(), seconds: 0.0, in_circles: false }
}

#[test]
fn examples_are_good_median_and_bad() {
    let roads = fork();
    let problem = roads.problem().unwrap();
    let trips: Vec<Trajectory> =
        [&LOCAL[..], &LOCAL, &LOCAL, &MOTORWAY, &[0, 1]].map(|segments| trip(&roads, segments)).to_vec();
    let judge = Judge::new(&roads, &problem, &trips, Work::default());
    // Distance matches of 67, 100, none, 56 and 100 per cent.
    let predictions = predicted(&[&[0, 3, 4, 5], &[0, 1, 2, 5], &[], &[0, 1, 2, 5], &[0, 1]]);
    assert_eq!(judge.examples(&predictions, 3, [0.0, 0.5, 1.0]), [Some(1), Some(3), Some(0)]);
    assert_eq!(judge.examples(&predictions, 1, [0.0, 0.4, 1.0]), [Some(1), Some(4), Some(0)]);
    // If all are too short, all are considered.
    assert_eq!(judge.examples(&predictions, 99, [0.0, 0.4, 1.0]), [Some(1), Some(4), Some(0)]);
    assert_eq!(judge.examples(&predicted(&[&[][..]; 5]), 1, [0.0, 0.5, 1.0]), [None; 3]);
}

#[test]
fn visits_are_counted_and_expected() {
    let roads = fork();
    let problem = roads.problem().unwrap();
    let trips = [trip(&roads, &LOCAL), trip(&roads, &LOCAL), trip(&roads, &MOTORWAY)];
    let judge = Judge::new(&roads, &problem, &trips, Work::default());
    assert_eq!(judge.driven_visits(), [3.0, 2.0, 2.0, 1.0, 1.0, 3.0, 0.0]);
    let predictions = predicted(&[&[0, 1, 2, 5], &[], &[0, 1, 2, 5]]);
    let theta = vec![-0.02; 14];
    assert_eq!(judge.model_visits(&theta, Method::Exact, &predictions).unwrap(), [2.0, 2.0, 2.0, 0.0, 0.0, 2.0, 0.0]);
    // The weights of a metre sum to -0.08. Once around is 600 m, which hardly any route drives twice.
    let expected = judge.model_visits(&theta, Method::RecursiveLogit, &predictions).unwrap();
    let local = 1.0 / (1.0 + (-0.08f64 * 60.0).exp());
    for (state, visits) in [(0, 3.0), (1, 3.0 * local), (3, 3.0 * (1.0 - local)), (6, 0.0)] {
        assert!((expected[state] - visits).abs() < 1e-9, "{state}: {expected:?}");
    }
    assert_eq!(visits_of_all(&[0.5, 0.0], 4), [2.0, 0.0]);
}

#[test]
fn an_evaluation_has_all_predictors_and_can_be_stopped_anywhere() {
    let roads = fork();
    let problem = roads.problem().unwrap();
    let test: Vec<Trajectory> = (0..6).map(|k| trip(&roads, if k % 3 == 0 { &LOCAL } else { &MOTORWAY })).collect();
    let train: Vec<Trajectory> = (0..9).map(|k| trip(&roads, if k % 3 == 0 { &LOCAL } else { &MOTORWAY })).collect();
    let judge = Judge::new(&roads, &problem, &test, Work::on(1));
    let model = PathModel::new(&problem.mdp, baselines::fastest(&roads), 9, Ends::Goal).unwrap();
    let run = |train: Option<&[Trajectory]>, options: EvaluateOptions, watch: &Watch<'_>| {
        evaluate(&judge, (&model, Method::RecursiveLogit), train, &options, watch)
    };
    let mut heard = Vec::new();
    let mut hear = |step: &Step<'_>| {
        heard.push(match *step {
            Step::Parts { what, .. } => what,
            _ => "iterations",
        });
        ControlFlow::Continue(())
    };
    let found = run(Some(&train), EvaluateOptions::default(), &Watch::new(&mut hear)).unwrap();
    let names: Vec<&str> = found.routes.scores.iter().map(|score| score.name.as_str()).collect();
    assert_eq!(names, ["learned", "shortest path", "fastest path", "Ziebart 2008", "random weights"]);
    assert_eq!((found.routes.trained_on, found.routes.judged_by, found.destinations.as_ref().unwrap().asked), (9, 6, 6));
    assert_eq!((&found.learned.routes[0], &found.shortest.routes[1]), (&Ok(vec![0, 3, 4, 5]), &Ok(vec![0, 1, 2, 5])));
    assert!(found.table().starts_with(&found.routes.table()) && found.table().contains("\n\ndestinations of 6 of 6 trips"));
    assert_eq!(found.to_json()["destinations"]["asked"], 6);
    let told: HashSet<&str> = heard.iter().copied().collect();
    let expected = names.iter().copied().chain(["iterations", "destination model", "destinations"]);
    assert_eq!(told, expected.collect::<HashSet<&str>>());

    for (most, step) in heard.iter().enumerate() {
        let mut count = 0;
        let mut hear = |_: &Step<'_>| {
            count += 1;
            if count > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let stopped = run(Some(&train), EvaluateOptions::default(), &Watch::new(&mut hear));
        assert!(matches!(stopped, Err(Error::Stopped)), "{most}: {step:?}");
    }
    // Without training trips there is neither Ziebart's model nor a prior of destinations.
    let alone = run(None, EvaluateOptions::default(), &Watch::none()).unwrap();
    assert!(alone.destinations.is_none() && alone.routes.scores.len() == 4 && alone.to_json().get("destinations").is_none());
    let none = run(Some(&train), EvaluateOptions { destinations: 0, ..EvaluateOptions::default() }, &Watch::none()).unwrap();
    assert!(none.destinations.is_none() && none.routes.scores.len() == 5);
}

#[test]
fn comparisons_are_written_for_each_trip_with_a_prediction() {
    let roads = fork();
    let problem = roads.problem().unwrap();
    let mut trips = [trip(&roads, &LOCAL), trip(&roads, &LOCAL), trip(&roads, &MOTORWAY)];
    trips[0].id = Some("a, \"b\"".to_string());
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("rows.csv");
    let judge = Judge::new(&roads, &problem, &trips, Work::default());
    judge.write_comparisons(&file, &predicted(&[&[0, 1, 2, 5], &[], &[0, 3, 4, 5]])).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let expected = "trip,states,km,distance_match,covered,feature_distance_km,predicted_km,identical\n\
                    \"a, \"\"b\"\"\",4,0.3,100,100,0,0.3,true\n,4,0.36,100,100,0,0.36,true\n";
    assert_eq!(text, expected);
}
