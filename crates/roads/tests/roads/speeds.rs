//! Observed speeds: planted ones are found.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::{Watch, Work};
use revealed_roads::matching::{MatchOutputs, match_files};
use revealed_roads::{
    CityOptions, ClockOptions, Group, MatchOptions, Matcher, Roads, Slowness, TimedDrives, TraceOptions, add_slowness, city,
    trace,
};

/// The true slowness: by kind of road, more at eight o'clock, and most of all on primary roads then.
fn truth(highway: &str, hour: usize) -> f64 {
    let kind = match highway {
        "primary" => 1.3,
        "secondary" => 1.6,
        _ => 2.0,
    };
    kind + if hour == 8 { 0.5 } else { 0.0 } + if hour == 8 && highway == "primary" { 0.4 } else { 0.0 }
}

/// Roads whose usual speeds are the planted ones.
fn slowed(roads: &Roads, hour: usize) -> Roads {
    let mut slow = roads.clone();
    for way in &mut slow.network.ways {
        way.speed = Some(way.driven_speed() / truth(&way.highway, hour));
    }
    slow
}

#[test]
fn planted_speeds_are_recovered_within_their_errors() {
    let made = city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap();
    let roads = Roads::new(made.roads.network.clone(), &[Group::Length, Group::Time]);
    let worlds: Vec<Roads> = (0..24).map(|hour| slowed(&roads, hour)).collect();
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let directory = tempfile::tempdir().unwrap();
    let [trips, paths, timed, table] =
        ["trips.csv", "paths.jsonl", "timed.jsonl", "speeds.csv"].map(|name| directory.path().join(name));
    let mut text = String::from("trip,lat,lon,time,clock\n");
    for (number, trip) in made.trips_between(600, 5).unwrap().iter().enumerate() {
        // Most trips are at eight and at noon, and few at night.
        let hour = [8, 8, 12, 12, 12, 3][number % 6];
        let begins = 3600 * hour + rng.random_range(0..1200);
        let fixes = trace(&worlds[hour], &trip.states, &TraceOptions { noise: 5.0, ..TraceOptions::default() }, &mut rng);
        // Each driver has a pace of their own.
        let pace = (0.1 * rng.random_range(-1.7..1.7_f64)).exp();
        for (at, seconds) in fixes.into_iter().map(|(at, seconds)| (at, pace * seconds)) {
            text += &format!("{number},{},{},{seconds},{begins}\n", at.lat, at.lon);
        }
    }
    std::fs::write(&trips, text).unwrap();
    let outputs = MatchOutputs { paths: &paths, dropped: None, lines: None, details: true };
    let options = MatchOptions { least_seconds: 60.0, ..MatchOptions::default() };
    let matcher = Matcher::new(&roads.network, options).unwrap();
    match_files(&roads, &matcher, &trips, &outputs, &Work::default(), &Watch::none()).unwrap();
    let clock = ClockOptions { column: Some("clock".to_string()), offset: 0.0 };
    let drives = TimedDrives::read(&roads, &paths, &clock).unwrap();
    assert!(drives.paths > 300 && drives.without_hour == 0, "{}", drives.paths);
    let found = Slowness::estimate(&drives).unwrap();
    let mut worst: f64 = 0.0;
    for row in found.rows.iter().filter(|row| row.highway != "*" && row.usual > 2000.0) {
        let Some(hour) = row.hour else { continue };
        let off = (row.slowness - truth(&row.highway, hour)) / row.error;
        eprintln!("{} {hour}: {:.3} ± {:.3}, true {:.3}", row.highway, row.slowness, row.error, truth(&row.highway, hour));
        worst = worst.max(off.abs());
    }
    assert!(worst < 4.0, "{worst}");
    found.save(&table).unwrap();
    let read = Slowness::load(&table).unwrap();
    assert_eq!(read, found);
    let n = add_slowness(&paths, &timed, &found, &clock).unwrap();
    let first = std::fs::read_to_string(&timed).unwrap().lines().next().unwrap().to_string();
    let first: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert!(n == drives.paths && first["trip"]["hour"].is_u64() && first["trip"]["slowness"].as_f64().unwrap() > 0.5);
    let mut timed = roads.clone();
    timed.slow_down(&found, Some(8)).unwrap();
    let times = |roads: &Roads| -> f64 { roads.features.of_segments.iter().filter(|row| row.1 == 1).map(|row| row.2).sum() };
    let expected = times(&Roads::new(worlds[8].network.clone(), &[Group::Length, Group::Time]));
    assert!((times(&timed) / expected - 1.0).abs() < 0.1, "{} {expected}", times(&timed));
}
