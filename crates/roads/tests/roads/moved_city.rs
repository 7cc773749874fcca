//! The same city elsewhere on the earth: shifted in longitude, also across the antimeridian, and turned about any axis,
//! also onto the poles. Distances stay, so the answers stay.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use revealed_roads::matching::Method;
use revealed_roads::{
    City, CityOptions, DestinationModel, Fix, MatchOptions, Matcher, Position, Roads, TraceOptions, Trip, city, segments_at,
    trace,
};
use serde_json::Value;

const TRIPS: usize = 60;

/// A movement of the earth onto itself.
type Turn = Box<dyn Fn(Position) -> Position>;

fn shift(degrees: f64) -> Turn {
    Box::new(move |place| {
        let lon = (place.lon + degrees + 180.0).rem_euclid(360.0) - 180.0;
        Position { lat: place.lat, lon }
    })
}

/// The turn that takes `from` to `to` along their meridians: first to the longitude 0, then along that meridian, then to
/// the longitude of `to`.
fn carry(from: Position, to: Position) -> Turn {
    let along = (to.lat - from.lat).to_radians();
    Box::new(move |place| {
        let (lat, lon) = (place.lat.to_radians(), (place.lon - from.lon).to_radians());
        let [x, y, z] = [lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()];
        let [x, z] = [x * along.cos() - z * along.sin(), x * along.sin() + z * along.cos()];
        let lon = (y.atan2(x).to_degrees() + to.lon + 180.0).rem_euclid(360.0) - 180.0;
        Position { lat: z.atan2(x.hypot(y)).to_degrees(), lon }
    })
}

fn small_city() -> (City, Vec<Trip>) {
    let city = city(&CityOptions { blocks: 12, seed: 3, ..CityOptions::default() }).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let drives = city.trips(600, 3).unwrap().into_iter().filter(|drive| drive.states.len() >= 12).take(TRIPS);
    let trips: Vec<Trip> = drives
        .map(|drive| {
            let fixes = trace(&city.roads, &drive.states, &TraceOptions::default(), &mut rng);
            let fix = |(position, seconds)| Fix { position, seconds: Some(seconds) };
            Trip { id: drive.id.unwrap_or_default(), fixes: fixes.into_iter().map(fix).collect(), ..Trip::default() }
        })
        .collect();
    assert_eq!(trips.len(), TRIPS);
    (city, trips)
}

fn moved(roads: &Roads, trips: &[Trip], turn: &Turn) -> (Roads, Vec<Trip>) {
    let (mut roads, mut trips) = (roads.clone(), trips.to_vec());
    roads.network.nodes.iter_mut().for_each(|node| node.position = turn(node.position));
    trips.iter_mut().flat_map(|trip| &mut trip.fixes).for_each(|fix| fix.position = turn(fix.position));
    (roads, trips)
}

fn matched(roads: &Roads, trips: &[Trip], method: Method) -> Vec<Vec<u32>> {
    let options = MatchOptions { method, least_seconds: 0.0, least_metres: 0.0, keep_cyclic: true, ..MatchOptions::default() };
    let matcher = Matcher::new(&roads.network, options).unwrap();
    trips.iter().map(|trip| matcher.match_trip(trip).map(|found| found.segments).unwrap_or_default()).collect()
}

/// The number of trips whose paths are the same.
fn same(one: &[Vec<u32>], other: &[Vec<u32>]) -> usize {
    one.iter().zip(other).filter(|(one, other)| one == other).count()
}

#[test]
fn a_city_on_the_antimeridian_is_matched_as_at_home() {
    let (city, trips) = small_city();
    let centre = city.roads.network.nodes[0].position;
    let here = matched(&city.roads, &trips, Method::Hmm);
    assert!(here.iter().filter(|path| !path.is_empty()).count() > TRIPS - 5);
    for lon in [180.0, 179.995, -179.99, 0.0, 90.0, -120.0] {
        let (roads, trips) = moved(&city.roads, &trips, &shift(lon - centre.lon));
        assert_eq!(same(&here, &matched(&roads, &trips, Method::Hmm)), TRIPS, "at longitude {lon}");
    }
}

#[test]
fn a_city_is_matched_as_at_home_wherever_it_is_on_the_sphere() {
    let (city, trips) = small_city();
    let centre = city.roads.network.nodes[city.roads.network.nodes.len() / 2].position;
    let here = [Method::Hmm, Method::Particles].map(|method| matched(&city.roads, &trips, method));
    for (lat, lon) in [(0.0, 180.0), (-33.0, 151.0), (65.0, -180.0), (80.0, 179.9), (84.0, 10.0), (90.0, 0.0), (-90.0, 77.0)] {
        let (roads, trips) = moved(&city.roads, &trips, &carry(centre, Position { lat, lon }));
        // A plane of degrees is exact to a thousandth, so a choice between two equal roads may differ.
        let there = matched(&roads, &trips, Method::Hmm);
        assert!(same(&here[0], &there) >= TRIPS - 1, "at {lat}, {lon}: {} of {TRIPS}", same(&here[0], &there));
        // Particles are drawn at random: a rounding may change one of them, and with it a detour.
        let there = matched(&roads, &trips, Method::Particles);
        assert!(same(&here[1], &there) >= TRIPS * 4 / 5, "at {lat}, {lon}: {} of {TRIPS}", same(&here[1], &there));
    }
}

#[test]
fn swapped_coordinates_are_noticed_across_the_antimeridian() {
    let (city, trips) = small_city();
    let centre = city.roads.network.nodes[0].position;
    let (roads, mut trips) = moved(&city.roads, &trips, &carry(centre, Position { lat: -17.0, lon: 180.0 }));
    for fix in trips.iter_mut().flat_map(|trip| &mut trip.fixes) {
        fix.position = Position { lat: fix.position.lon, lon: fix.position.lat };
    }
    let matcher = Matcher::new(&roads.network, MatchOptions { least_seconds: 0.0, ..MatchOptions::default() }).unwrap();
    let reasons: Vec<_> = trips.iter().map(|trip| matcher.match_trip(trip).unwrap_err().reason.name()).collect();
    assert!(reasons.iter().all(|reason| reason.contains("swap")), "{reasons:?}");
}

#[test]
fn destinations_and_places_do_not_notice_the_antimeridian() {
    let (city, trips) = small_city();
    let centre = city.roads.network.nodes[0].position;
    let turn = shift(180.0 - centre.lon);
    let (roads, there) = moved(&city.roads, &trips, &turn);
    let weights: Vec<f64> = (0..city.roads.n_states()).map(|state| 1.0 / (1.0 + state as f64)).collect();
    let [here, over] = [&city.roads, &roads].map(|roads| DestinationModel::of_prior(roads, weights.clone()).unwrap());
    let [(here, metres), (over, same_metres)] = [here, over].map(|model| model.middle(&weights).unwrap());
    assert!(turn(here).distance(over) < 0.01 && (metres - same_metres).abs() < 0.01, "{here:?} {over:?}");
    for (a, b) in trips.iter().zip(&there) {
        let [a, b] = [(&city.roads, a), (&roads, b)].map(|(roads, trip)| segments_at(&roads.network, trip.fixes[0].position));
        assert_eq!(a.0, b.0);
    }
}

/// No line of an exported map is longer than its road: none goes around the earth.
#[test]
fn exported_lines_stay_on_their_side_of_the_antimeridian() {
    let (city, trips) = small_city();
    let centre = city.roads.network.nodes[city.roads.network.nodes.len() / 2].position;
    let (roads, _) = moved(&city.roads, &trips, &shift(180.0 - centre.lon));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("roads.geojson");
    roads.export(&file, &[]).unwrap();
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let (mut cut, point) = (0, |point: &Value| Position { lat: point[1].as_f64().unwrap(), lon: point[0].as_f64().unwrap() });
    for feature in document["features"].as_array().unwrap() {
        let coordinates = feature["geometry"]["coordinates"].as_array().unwrap();
        let parts: Vec<Vec<Position>> = match feature["geometry"]["type"].as_str().unwrap() {
            "LineString" => vec![coordinates.iter().map(point).collect()],
            _ => coordinates.iter().map(|part| part.as_array().unwrap().iter().map(point).collect()).collect(),
        };
        cut += usize::from(parts.len() > 1);
        let steps = parts.iter().flat_map(|part| part.windows(2));
        assert!(steps.clone().all(|step| (step[0].lon - step[1].lon).abs() < 1.0));
        let length: f64 = steps.map(|step| step[0].distance(step[1])).sum();
        assert!((length - feature["properties"]["length"].as_f64().unwrap()).abs() < 0.1, "{feature}");
    }
    assert!(cut > 5, "{cut}");
}
