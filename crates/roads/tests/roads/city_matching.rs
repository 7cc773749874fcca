//! Trips of the made-up city, whose routes are known, are matched by both methods with the usual settings.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed_roads::matching::{Method, length_right};
use revealed_roads::{CityOptions, Fix, MatchOptions, Matcher, Plane, TraceOptions, Trip, city, trace};

const TRIPS: usize = 500;
/// Trips of fewer states are over before there are three fixes.
const LEAST_STATES: usize = 20;

#[test]
fn nearly_all_of_the_length_of_500_trips_is_right() {
    let city = city(&CityOptions { seed: 7, ..CityOptions::default() }).unwrap();
    let lengths = city.roads.lengths();
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    let drives = city.trips(3000, 7).unwrap();
    let drives = drives.into_iter().filter(|drive| drive.states.len() >= LEAST_STATES).take(TRIPS);
    let trips: Vec<(Trip, Vec<u32>)> = drives
        .map(|drive| {
            // A fix each 15 seconds, 10 m of noise.
            let fixes = trace(&city.roads, &drive.states, &TraceOptions::default(), &mut rng);
            let fix = |(position, seconds)| Fix { position, seconds: Some(seconds) };
            let trip =
                Trip { id: drive.id.unwrap_or_default(), fixes: fixes.into_iter().map(fix).collect(), ..Trip::default() };
            (trip, drive.states.iter().map(|&state| state as u32).collect())
        })
        .collect();
    assert_eq!(trips.len(), TRIPS);
    let right = |method: Method| {
        let options =
            MatchOptions { method, least_seconds: 0.0, least_metres: 0.0, keep_cyclic: true, ..MatchOptions::default() };
        let matcher = Matcher::new(&city.roads.network, options).unwrap();
        // Of all the length that was driven; what is dropped is wrong.
        let (mut sum, mut total, mut dropped) = (0.0, 0.0, 0);
        for (trip, truth) in &trips {
            let length: f64 = truth.iter().map(|&segment| lengths[segment as usize]).sum();
            total += length;
            match matcher.match_trip(trip) {
                Ok(found) => sum += length * length_right(truth, &found.segments, &lengths),
                Err(_) => dropped += 1,
            }
        }
        eprintln!("{method:?}: {:.4} of the length is right, {dropped} dropped", sum / total);
        sum / total
    };
    let (hmm, particles) = (right(Method::Hmm), right(Method::Particles));
    assert!(hmm >= 0.977, "{hmm}");
    assert!(particles >= 0.9, "{particles}");
}

/// `examples/bursts.rs` prints the same for more trips, by size.
#[test]
fn bursts_of_outliers_change_few_routes() {
    let city = city(&CityOptions { seed: 7, ..CityOptions::default() }).unwrap();
    let lengths = city.roads.lengths();
    let options = MatchOptions { least_seconds: 0.0, least_metres: 0.0, ..MatchOptions::default() };
    let matcher = Matcher::new(&city.roads.network, options).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    let (mut common, mut all, mut outliers) = (0.0, 0.0, 0);
    for drive in city.trips(200, 7).unwrap() {
        let fixes = trace(&city.roads, &drive.states, &TraceOptions::default(), &mut rng);
        let fixes: Vec<Fix> = fixes.into_iter().map(|(position, seconds)| Fix { position, seconds: Some(seconds) }).collect();
        let size = rng.random_range(2..=5);
        if fixes.len() < size + 5 {
            continue;
        }
        let trip = Trip { id: "trip".to_string(), fixes, ..Trip::default() };
        let first = rng.random_range(2..=trip.fixes.len() - size - 2);
        let (far, angle) = (rng.random_range(500.0..2000.0), rng.random_range(0.0..std::f64::consts::TAU));
        let (mut burst, mut without) = (trip.clone(), trip);
        for fix in &mut burst.fixes[first..first + size] {
            fix.position = Plane::at(fix.position).lift([far * f64::cos(angle), far * f64::sin(angle)]);
        }
        without.fixes.drain(first..first + size);
        let [burst, without] = [burst, without].map(|trip| matcher.match_parts(&trip).unwrap());
        outliers += burst.iter().map(|part| part.outliers.fixes).sum::<usize>();
        let [burst, without] =
            [burst, without].map(|parts| parts.into_iter().flat_map(|part| part.segments).collect::<Vec<_>>());
        common += length_right(&without, &burst, &lengths);
        all += 1.0;
    }
    eprintln!("{:.4} of the length of {all} routes is unchanged, {outliers} outliers skipped", common / all);
    assert!(all > 50.0 && common / all > 0.93, "{}", common / all);
}
