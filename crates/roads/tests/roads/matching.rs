//! Trips on small maps, and the routes that a person would draw.

use std::ops::ControlFlow;

use revealed::{Step, Watch, Work};
use revealed_roads::matching::{Area, MatchOptions, Matched, Matcher, Method, Reason, match_all};
use revealed_roads::{Network, Position, Trip};

use crate::helpers::scene::{Scene, grid, plane, route, trip};

/// For trips of a few hundred metres.
fn options() -> MatchOptions {
    MatchOptions { least_seconds: 0.0, least_metres: 0.0, ..MatchOptions::default() }
}

fn matched(network: &Network, trip: &Trip) -> Matched {
    Matcher::new(network, options()).unwrap().match_trip(trip).unwrap()
}

fn reason(network: &Network, options: MatchOptions, trip: &Trip) -> Reason {
    Matcher::new(network, options).unwrap().match_trip(trip).unwrap_err().reason
}

/// Both methods find this route.
fn both_find(scene: &Scene, fixes: &str, nodes: &str) {
    for method in [Method::Hmm, Method::Particles] {
        let matcher = Matcher::new(&scene.network, MatchOptions { method, ..options() }).unwrap();
        let found = matcher.match_trip(&scene.trip(fixes)).unwrap();
        assert_eq!(found.segments, scene.route(nodes), "{method:?}");
        assert!((0.0..=1.0).contains(&found.confidence), "{method:?}: {}", found.confidence);
    }
}

#[test]
fn a_car_does_not_jump_to_the_parallel_street() {
    // The third fix is nearer to the other street.
    let streets = "
                 2
        A---------B---------C---4-----D--5------E
        |  1                                 6  |
        |                                       |
        |                3                      |
        |                                       |
        F---------G---------H---------I---------J
    ";
    both_find(&Scene::new([20.0, 6.0], streets), "123456", "ABCDE");
}

#[test]
fn the_carriageway_is_the_one_in_the_direction_of_travel() {
    // All fixes lie nearer to the southern one.
    let carriageways = "
        E<-------------D<-------------C
        v                             ^
        v   1    2       3    4   5   ^
        A------------->B------------->F
    ";
    let scene = Scene::new([20.0, 5.0], carriageways);
    both_find(&scene, "12345", "ABF");
    both_find(&scene, "54321", "CDE");
}

#[test]
fn a_roundabout_is_left_by_the_right_arm() {
    // It is driven anticlockwise.
    let roundabout = "
                              F
                              |
                              |
                              |
                             6B
                      7     3v ^
        G-----8-------------C   A------------1------E
                             v ^    2
                              D
                              |
                              |
                              |
                              |4
                              |
                              |
                              |
                              5
                              |
                              |
                              |
                              |
                              |
                              H
    ";
    let scene = Scene::new([10.0, 10.0], roundabout);
    // From the east to the south, three quarters around; and to the west, half around.
    both_find(&scene, "12345", "EABCDH");
    both_find(&scene, "12678", "EABCG");
}

#[test]
fn a_gap_is_bridged() {
    let network = grid(6, 100.0);
    // Nothing between 100 m and 500 m: a minute in a tunnel.
    let mut trip = trip(&[[10.0, 2.0], [95.0, -3.0], [480.0, 3.0], [500.0, 90.0]]);
    trip.fixes[2].seconds = Some(75.0);
    trip.fixes[3].seconds = Some(90.0);
    let found = matched(&network, &trip);
    assert_eq!(found.segments, route(&network, &[0, 1, 2, 3, 4, 5, 11]));
    assert_eq!((found.used, found.skipped), (4, 0));
}

#[test]
fn outliers_are_left_out() {
    let network = grid(6, 100.0);
    let east = [[10.0, 2.0], [120.0, -3.0], [260.0, 3.0], [390.0, 1.0], [480.0, -2.0]];
    let expected = route(&network, &[0, 1, 2, 3, 4, 5]);
    let slow = Matcher::new(&network, MatchOptions { fastest: 100.0, ..options() }).unwrap();
    // Off the map; then by another street, 500 m away, where no car gets in 15 seconds.
    for outlier in [[200.0, -300.0], [250.0, 500.0]] {
        let mut places = east.to_vec();
        places[2] = outlier;
        let found = slow.match_trip(&trip(&places)).unwrap();
        assert_eq!((found.segments, found.used, found.skipped), (expected.clone(), 4, 1));
    }
    // The first and the last.
    for place in [0, 4] {
        let mut places = east.to_vec();
        places[place] = [200.0, 900.0];
        assert_eq!(slow.match_trip(&trip(&places)).unwrap().used, 4);
    }
    // Three in a row are too many.
    let mut places: Vec<[f64; 2]> = (0..9).map(|n| [10.0 + 60.0 * f64::from(n), 0.0]).collect();
    places[3..6].fill([200.0, -300.0]);
    assert_eq!(reason(&network, options(), &trip(&places)), Reason::OffNetwork);
    places[3..6].copy_from_slice(&[[190.0, 460.0], [250.0, 500.0], [310.0, 480.0]]);
    assert_eq!(reason(&network, MatchOptions { fastest: 36.0, ..options() }, &trip(&places)), Reason::Broken);
}

#[test]
fn a_car_that_stands_does_not_go_round_the_block() {
    let network = grid(4, 100.0);
    // It waits at the junction of the second row, and noise moves it to and fro by more than the spacing.
    let places = [
        [3.0, 101.0],
        [102.0, 104.0],
        [200.0, 98.0],
        [178.0, 101.0],
        [204.0, 100.0],
        [177.0, 103.0],
        [199.0, 99.0],
        [290.0, 102.0],
    ];
    let found = matched(&network, &trip(&places));
    assert_eq!((found.segments, found.used), (route(&network, &[4, 5, 6, 7]), 8));
    // One fix, wherever it stands for how long.
    let mut waits = vec![[3.0, 101.0]; 10];
    waits.extend([[102.0, 104.0], [200.0, 98.0], [290.0, 101.0]]);
    waits.extend(vec![[292.0, 100.0]; 10]);
    let found = matched(&network, &trip(&waits));
    assert_eq!((found.segments, found.used, found.skipped), (route(&network, &[4, 5, 6, 7]), 4, 19));
}

#[test]
fn confidence_is_high_where_it_is_clear_and_half_where_two_streets_are_the_same() {
    let network = grid(6, 100.0);
    let clear = matched(&network, &trip(&[[10.0, 0.0], [150.0, 0.0], [290.0, 0.0], [420.0, 0.0]]));
    assert!(clear.confidence > 0.99, "{}", clear.confidence);
    // All fixes lie in the middle between two one-way streets that begin and end together.
    let twins = "
          B------------->C
         ^                v
        A   1    2    3    F
        ^v                ^v
        ^ D------------->E v
        ^                  v
        ^                  v
        ^                  v
        ^                  v
        ^                  v
        H<-----------------G
    ";
    let twins = Scene::new([25.0, 10.0], twins);
    let unsure = matched(&twins.network, &twins.trip("123"));
    assert!((unsure.confidence - 0.5).abs() < 1e-6, "{}", unsure.confidence);
}

#[test]
fn every_drop_has_its_reason() {
    let network = grid(6, 100.0);
    let paper = MatchOptions::default();
    let drive: Vec<[f64; 2]> = (0..10).map(|n| [50.0 * f64::from(n), 0.0]).collect();
    let good = trip(&drive);
    assert!(Matcher::new(&network, paper.clone()).unwrap().match_trip(&good).is_ok());
    let with = |change: fn(&mut Trip)| {
        let mut changed = good.clone();
        change(&mut changed);
        reason(&network, paper.clone(), &changed)
    };
    assert_eq!(with(|trip| trip.fixes.clear()), Reason::Empty);
    assert_eq!(with(|trip| trip.missing = true), Reason::Missing);
    assert_eq!(with(|trip| trip.fixes[3].position.lon = 500.0), Reason::Nowhere);
    assert_eq!(with(|trip| trip.fixes[0].position.lat = f64::NAN), Reason::Nowhere);
    assert_eq!(with(|trip| trip.fixes[3].seconds = Some(1.0)), Reason::Backwards);
    assert_eq!(with(|trip| trip.fixes.truncate(8)), Reason::TooShort);
    assert_eq!(
        with(|trip| trip
            .fixes
            .iter_mut()
            .for_each(|fix| { fix.position = Position { lat: fix.position.lon, lon: fix.position.lat } })),
        Reason::Swapped
    );
    assert_eq!(with(|trip| trip.fixes.iter_mut().for_each(|fix| fix.position.lat += 0.1)), Reason::OffNetwork);
    assert_eq!(reason(&network, paper.clone(), &trip(&[[0.0, 0.0]; 9])), Reason::Still);
    let near = Area { centre: plane().lift([0.0, 0.0]), radius: 300.0 };
    assert_eq!(reason(&network, MatchOptions { area: Some(near), ..paper.clone() }, &good), Reason::OutOfArea);
    // Round a block, and on.
    let round =
        [[10.0, 0.0], [90.0, 0.0], [100.0, 90.0], [10.0, 100.0], [0.0, 20.0], [60.0, 0.0], [100.0, 40.0], [100.0, 95.0]];
    let mut round = trip(&round);
    round.fixes.iter_mut().for_each(|fix| fix.seconds = fix.seconds.map(|seconds| 2.0 * seconds));
    assert_eq!(reason(&network, paper.clone(), &round), Reason::Cyclic);
    let kept = Matcher::new(&network, MatchOptions { keep_cyclic: true, ..paper.clone() }).unwrap().match_trip(&round).unwrap();
    assert_eq!(kept.segments, route(&network, &[0, 1, 7, 6, 0, 1, 7]));
    // No car gets there in 15 seconds.
    let mut lost = drive;
    lost[5..].fill([10.0, 490.0]);
    assert_eq!(
        reason(&network, MatchOptions { method: Method::Particles, fastest: 90.0, ..paper }, &trip(&lost)),
        Reason::NotConverged
    );
}

#[test]
fn wrong_options_are_named() {
    let network = grid(2, 100.0);
    let wrong = |options| Matcher::new(&network, options).unwrap_err().to_string();
    assert_eq!(wrong(MatchOptions { sigma: 0.0, ..options() }), "sigma is 0: it must be a number above 0");
    assert_eq!(wrong(MatchOptions { detour: f64::NAN, ..options() }), "detour is NaN: it must be a number, 0 or above");
    assert_eq!(wrong(MatchOptions { particles: 0, ..options() }), "particles is 0: give at least 1");
}

/// Trips along the rows of a grid, with ids.
fn many() -> Vec<Trip> {
    let one = |n: u32| {
        let row = 100.0 * f64::from(n % 6);
        let places: Vec<[f64; 2]> =
            (0..10).map(|k| [50.0 * f64::from(k), row + f64::from((n * 7 + k * 5) % 11) - 5.0]).collect();
        Trip { id: format!("{n}"), ..trip(&places) }
    };
    (0..600).map(one).collect()
}

#[test]
fn results_come_in_order_and_do_not_depend_on_threads() {
    let network = grid(6, 100.0);
    let mut trips = many();
    trips[300].id = "5".to_string();
    for method in [Method::Hmm, Method::Particles] {
        let matcher = Matcher::new(&network, MatchOptions { method, particles: 50, ..options() }).unwrap();
        let run = |threads: usize| {
            let mut found = Vec::new();
            let mut reader = trips.iter().cloned().map(Ok);
            let mut keep = |trip: &Trip, one: &Result<Matched, _>| {
                found.push((trip.id.clone(), one.clone()));
                Ok(())
            };
            let tally = match_all(&mut reader, &matcher, &Work::on(threads), &mut keep, &Watch::none()).unwrap();
            (tally, found)
        };
        let (one, three) = (run(1), run(3));
        assert_eq!(one, three);
        assert!(one.1.iter().map(|entry| &entry.0).eq(trips.iter().map(|trip| &trip.id)));
        assert_eq!((one.0.trips, one.0.dropped(Reason::Duplicate)), (600, 1));
        assert_eq!(one.0.matched + one.0.reasons().map(|row| row.1).sum::<usize>(), 600);
    }
}

#[test]
fn a_run_can_be_stopped_and_says_what_is_wrong() {
    let network = grid(6, 100.0);
    let matcher = Matcher::new(&network, options()).unwrap();
    let run = |trips: Vec<Trip>| {
        match_all(&mut trips.into_iter().map(Ok), &matcher, &Work::on(1), &mut |_, _| Ok(()), &Watch::none())
    };
    for threads in [0, 100_000_000] {
        let mut trips = many().into_iter().map(Ok);
        let refused = match_all(&mut trips, &matcher, &Work::on(threads), &mut |_, _| Ok(()), &Watch::none()).unwrap_err();
        assert!(refused.to_string().contains("between 1 and 1024"), "{refused}");
    }
    // It is stopped when it is told of the first trip, and after the 200th: what was done is counted.
    for most in [0, 200] {
        let mut hear = |step: &Step<'_>| match step.parts() {
            Some((done, _)) if done >= most => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let mut trips = many().into_iter().map(Ok);
        let stopped = match_all(&mut trips, &matcher, &Work::on(1), &mut |_, _| Ok(()), &Watch::new(&mut hear)).unwrap();
        assert!(stopped.interrupted && stopped.trips == most, "{stopped:?}");
    }
    assert!(run(Vec::new()).unwrap_err().to_string().starts_with("there is no trip"));
    let mut nowhere = many();
    nowhere[1..].iter_mut().for_each(|trip| trip.fixes[2].position.lon = 500.0);
    let tally = run(nowhere.clone()).unwrap();
    assert_eq!((tally.matched, tally.dropped(Reason::Nowhere)), (1, 599));
    nowhere[0].fixes.clear();
    let error = run(nowhere).unwrap_err().to_string();
    assert!(
        error.starts_with("all trips have positions out of range, the first of them fix 3 of trip 1: latitude "),
        "{error}"
    );
    assert!(error.contains("longitude 500; a latitude is from -90 to 90"), "{error}");
    let mut swapped = many();
    for fix in swapped.iter_mut().flat_map(|trip| &mut trip.fixes) {
        fix.position = Position { lat: fix.position.lon, lon: fix.position.lat };
    }
    let error = run(swapped).unwrap_err().to_string();
    assert!(error.contains("lie on the network only with latitude and longitude swapped"), "{error}");
}

#[test]
fn a_tally_is_a_table() {
    let network = grid(6, 100.0);
    let matcher = Matcher::new(&network, MatchOptions::default()).unwrap();
    let mut trips = many();
    trips[0].fixes.clear();
    trips[1].missing = true;
    let mut reader = trips.into_iter().take(12).map(Ok);
    let tally = match_all(&mut reader, &matcher, &Work::on(1), &mut |_, _| Ok(()), &Watch::none()).unwrap();
    let expected = "trips                 12\nempty                  1\nmissing data           1\nmatched               10";
    assert_eq!(tally.to_string(), expected);
}
