//! Odd trips, each of which is matched or dropped for a reason.

use revealed_roads::matching::{MatchOptions, Matched, Matcher, Reason};
use revealed_roads::{EdgeList, Fix, Network, NetworkOptions, Trip};

use crate::helpers::scene::{grid, route, trip};

fn parts(network: &Network, trip: &Trip) -> Result<Vec<Matched>, Reason> {
    let options = MatchOptions { least_seconds: 0.0, ..MatchOptions::default() };
    Matcher::new(network, options).unwrap().match_parts(trip).map_err(|dropped| dropped.reason)
}

/// A drive to the east along the first row of a grid, with a fix every 60 m.
fn east(count: u32) -> Trip {
    trip(&(0..count).map(|n| [10.0 + 60.0 * f64::from(n), 2.0 - f64::from(n % 3)]).collect::<Vec<_>>())
}

fn straight(network: &Network) -> Vec<u32> {
    route(network, &(0..13).collect::<Vec<u32>>())
}

#[test]
fn a_trip_that_stands_hardly_moves() {
    let network = grid(14, 100.0);
    let mut drive = trip(&[[50.0, 1.0]]);
    let fix = drive.fixes[0];
    assert_eq!(parts(&network, &drive).unwrap_err(), Reason::Still);
    let usual = Matcher::new(&network, MatchOptions::default()).unwrap();
    assert_eq!(usual.match_parts(&drive).unwrap_err().reason, Reason::TooShort);
    // The same place for hours.
    drive.fixes = (0..20_000).map(|n| Fix { seconds: Some(f64::from(n)), ..fix }).collect();
    assert_eq!(parts(&network, &drive).unwrap_err(), Reason::Still);
    assert_eq!(usual.match_parts(&drive).unwrap_err().reason, Reason::Still);
}

#[test]
fn a_long_stop_is_one_fix() {
    let network = grid(14, 100.0);
    let mut drive = east(20);
    let stop = drive.fixes[9];
    for fix in &mut drive.fixes[10..] {
        fix.seconds = fix.seconds.map(|seconds| seconds + 5000.0);
    }
    let wait = (1..5000).map(|n| Fix { seconds: stop.seconds.map(|seconds| seconds + f64::from(n)), ..stop });
    drive.fixes.splice(10..10, wait);
    let found = parts(&network, &drive).unwrap();
    assert_eq!((found.len(), &found[0].segments), (1, &straight(&network)));
    assert_eq!((found[0].used, found[0].skipped, found[0].outliers.fixes), (20, 4999, 0));
}

#[test]
fn times_that_run_backwards_are_a_reason_unless_most_do_not() {
    let network = grid(14, 100.0);
    let mut drive = east(20);
    drive.fixes.swap(4, 5);
    drive.fixes.swap(11, 14);
    let found = parts(&network, &drive).unwrap();
    assert_eq!((found.len(), &found[0].segments), (1, &straight(&network)));
    drive.fixes.reverse();
    assert_eq!(parts(&network, &drive).unwrap_err(), Reason::Backwards);
}

#[test]
fn times_that_are_rounded_to_minutes_are_no_breaks() {
    let network = grid(14, 100.0);
    let mut drive = east(20);
    for fix in &mut drive.fixes {
        fix.seconds = fix.seconds.map(|seconds| 60.0 * (seconds / 60.0).floor());
    }
    let found = parts(&network, &drive).unwrap();
    assert_eq!((found.len(), &found[0].segments, found[0].skipped), (1, &straight(&network), 0));
    // One time for all is the time of none, and a trip that does not say how long it took is not too short.
    drive.fixes.iter_mut().for_each(|fix| fix.seconds = Some(1_420_112_102.0));
    let found = parts(&network, &drive).unwrap();
    assert_eq!((found.len(), &found[0].segments, found[0].skipped), (1, &straight(&network), 0));
}

#[test]
fn loop_edges_are_skipped_with_a_count() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("edges.csv");
    let rows = "from,to,from_lat,from_lon,to_lat,to_lon\n\
                1,2,41.0,-8.000,41.0,-8.005\n2,2,41.0,-8.005,41.0,-8.005\n2,1,41.0,-8.005,41.0,-8.000\n";
    std::fs::write(&file, rows).unwrap();
    let found = EdgeList::read(&file, None, NetworkOptions::default()).unwrap();
    assert_eq!((found.network.n_segments(), found.loops), (2, 1));
}
