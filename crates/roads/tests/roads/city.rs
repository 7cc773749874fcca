//! The made-up city: it is one, it is read as any other, and its drivers' preferences are learned again.

use std::collections::HashSet;

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use revealed::{Ends, Method, Trajectory};
use revealed_roads::{
    Agreement, City, CityOptions, Extract, Group, Network, NetworkOptions, Plane, Position, RoadType, TraceOptions, city,
    nearest, trace, write_trips_csv,
};

/// Places and seconds.
type Fixes = [(Position, f64)];

fn built(seed: u64, list: &str) -> City {
    city(&CityOptions { seed, groups: Group::parse(list).unwrap(), ..CityOptions::default() }).unwrap()
}

/// A city in which trips between two places are quickly learned from.
fn small(list: &str) -> City {
    let groups = Group::parse(list).unwrap();
    city(&CityOptions { groups, blocks: 14, horizon: 100, mean_states: 10.0, ..CityOptions::default() }).unwrap()
}

fn is_acyclic(trip: &Trajectory) -> bool {
    trip.states.iter().collect::<HashSet<_>>().len() == trip.states.len()
}

#[test]
fn the_seed_decides() {
    let (one, again, other) = (built(1, "paper"), built(1, "paper"), built(2, "paper"));
    assert_eq!(one.osm_xml(), again.osm_xml());
    assert_eq!((&one.roads, &one.theta), (&again.roads, &again.theta));
    assert_eq!(one.trips(20, 3).unwrap(), again.trips(20, 3).unwrap());
    assert_ne!(one.trips(20, 3).unwrap(), one.trips(20, 4).unwrap());
    assert_ne!(one.osm_xml(), other.osm_xml());
}

#[test]
fn it_is_a_city() {
    for seed in 1..=8 {
        let city = built(seed, "paper,turns,signals,crossings");
        let (roads, network) = (&city.roads, &city.roads.network);
        let n = roads.n_states();
        assert!((1000..=4000).contains(&n), "seed {seed}: {n}");
        assert!(network.counts.unconnected < n / 20, "seed {seed}: {:?}", network.counts);
        assert!(network.counts.forbidden >= 6 && network.counts.idle_rules == 0, "seed {seed}: {:?}", network.counts);
        // Every feature is somewhere, or it could not be learned.
        for (feature, name) in roads.features.names.iter().enumerate() {
            let count =
                roads.features.of_segments.iter().chain(&roads.features.of_turns).filter(|row| row.1 == feature).count();
            assert!(count >= 4, "seed {seed}: {name} is there {count} times");
        }
        let kilometres = |kind: RoadType| {
            let of_kind = (0..n).filter(|&state| network.way_of(state).road_type == kind);
            of_kind.map(|state| roads.length(state)).sum::<f64>() / 1000.0
        };
        let [local, major, highway, other] = RoadType::ALL.map(kilometres);
        assert!(local > 0.8 * major && major > other && highway > 5.0, "seed {seed}: {local} {major} {highway} {other}");
        let both_ways: HashSet<(u32, u32)> = network.segments.iter().map(|segment| (segment.from, segment.to)).collect();
        let local_one_way = (0..n).filter(|&state| {
            let segment = &network.segments[state];
            network.way_of(state).road_type == RoadType::Local && !both_ways.contains(&(segment.to, segment.from))
        });
        assert!(local_one_way.count() > 20, "seed {seed}");
        let circles: HashSet<&str> = network.ways.iter().filter(|way| way.roundabout).map(|way| way.name.as_str()).collect();
        assert!((1..=2).contains(&circles.len()), "seed {seed}: {circles:?}");
        let tolled: HashSet<&str> = network.ways.iter().filter(|way| way.toll).map(|way| way.name.as_str()).collect();
        assert_eq!(tolled, HashSet::from(["Toll Bridge"]), "seed {seed}");
        let bridges: HashSet<&str> =
            network.ways.iter().map(|way| way.name.as_str()).filter(|name| name.ends_with("Bridge")).collect();
        assert!((2..=5).contains(&bridges.len()), "seed {seed}: {bridges:?}");
        assert!(network.ways.iter().any(|way| way.name.starts_with("Baker & Miller")), "seed {seed}");
    }
}

#[test]
fn its_file_is_read_as_any_other() {
    let city = built(3, "paper");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("city.osm");
    std::fs::write(&path, city.osm_xml()).unwrap();
    let extract = Extract::read(&path, false).unwrap();
    // Two paths through parks, a private drive, and the river, which is no highway.
    let counts = extract.counts;
    assert_eq!((counts.other_kind, counts.closed, counts.missing_nodes), (2, 1, 0));
    assert_eq!((counts.restrictions, counts.restrictions_skipped), (6, 0));
    assert_eq!(Network::new(&extract, NetworkOptions::default()).unwrap(), city.roads.network);
    let broken = Extract::read_xml(&city.osm_xml().as_bytes()[..5000], false).unwrap_err();
    assert!(broken.to_string().contains("at byte"), "{broken}");
}

#[test]
fn sizes_are_as_asked_and_bad_ones_are_refused() {
    let of = |blocks, seed| city(&CityOptions { blocks, seed, ..CityOptions::default() }).map(|city| city.roads.n_states());
    let sizes = [12, 20, 40].map(|blocks| of(blocks, 1).unwrap());
    assert!(sizes[0] > 500 && sizes[1] > 3 * sizes[0] / 2 && sizes[2] > 3 * sizes[1], "{sizes:?}");
    assert!((1..=30).all(|seed| of(12, seed).unwrap() > 400));
    let refused = of(3, 1).unwrap_err().to_string();
    assert_eq!(refused, "a city of 3 blocks cannot be built: give 12 to 400");
    for mean_states in [0.0, 151.0, f64::NAN] {
        let refused = city(&CityOptions { mean_states, ..CityOptions::default() }).unwrap_err().to_string();
        assert!(refused.contains("give 1 to 150, the horizon"), "{refused}");
    }
    assert!(city(&CityOptions { horizon: 0, ..CityOptions::default() }).is_err());
}

#[test]
fn trips_have_a_sensible_length_and_mostly_no_cycle() {
    for seed in 1..=3 {
        let city = city(&CityOptions { seed, ..CityOptions::default() }).unwrap();
        let trips = city.trips(2000, 1).unwrap();
        let share = |is: &dyn Fn(&Trajectory) -> bool| trips.iter().filter(|trip| is(trip)).count() as f64 / 2000.0;
        let mean = trips.iter().map(|trip| trip.states.len()).sum::<usize>() as f64 / 2000.0;
        assert!((mean - 35.0).abs() < 3.0, "seed {seed}: {mean}");
        assert!(share(&|trip| trip.states.len() >= 20) > 0.5, "seed {seed}");
        assert!(share(&is_acyclic) > 0.75, "seed {seed}: {}", share(&is_acyclic));
        for trip in &trips {
            let segments: Vec<u32> = trip.states.iter().map(|&state| state as u32).collect();
            assert_eq!(city.roads.path(&segments).unwrap().actions, trip.actions);
        }
        assert_eq!(trips[7].id.as_deref(), Some("8"));
    }
}

#[test]
fn trips_between_places_have_a_way_to_go() {
    let city = city(&CityOptions { mean_states: 10.0, ..CityOptions::default() }).unwrap();
    let trips = city.trips_between(103, 1).unwrap();
    assert_eq!(trips.len(), 103);
    assert!(trips.iter().all(|trip| (15..=150).contains(&trip.states.len())));
    assert_eq!(trips.iter().map(|trip| trip.states.last()).collect::<HashSet<_>>().len(), 20);
    assert!(trips.iter().filter(|trip| is_acyclic(trip)).count() > 93);
    assert_eq!(city.trips_between(3, 1).unwrap().len(), 3);
    assert!(city.trips_between(0, 1).unwrap().is_empty());
}

/// The distance of a place from the line of a segment, in metres.
fn off(city: &City, state: usize, place: Position) -> f64 {
    let plane = Plane::at(place);
    let [a, b] = city.roads.network.ends_of(state).map(|end| plane.project(end));
    nearest(a, b, [0.0, 0.0]).1
}

#[test]
fn traces_follow_their_trips() {
    let city = built(1, "paper");
    let trips = city.trips(300, 5).unwrap();
    let exact = TraceOptions { noise: 0.0, ..TraceOptions::default() };
    let mut errors = Vec::new();
    for (place, trip) in trips.iter().enumerate() {
        let [exactly, roughly] = [exact, TraceOptions::default()]
            .map(|options| trace(&city.roads, &trip.states, &options, &mut Pcg64Mcg::seed_from_u64(place as u64)));
        let (first, last) = (trip.states[0], trip.states[trip.states.len() - 1]);
        assert!(exactly.len() >= 2 && off(&city, first, exactly[0].0) < 0.1);
        assert!(off(&city, last, exactly[exactly.len() - 1].0) < 0.1);
        assert!(exactly.iter().all(|fix| trip.states.iter().any(|&state| off(&city, state, fix.0) < 0.1)));
        assert!(exactly.iter().enumerate().all(|(fix, one)| one.1 == 15.0 * fix as f64));
        // The middle of a drive is where one is at the speed of the road, give or take what makes the times fit.
        let all: f64 = trip.states.iter().map(|&state| city.roads.seconds(state)).sum();
        let driven = exactly[exactly.len() - 1].1;
        let ends = city.roads.seconds(first) + city.roads.seconds(last);
        assert!(driven <= all + 15.0 && driven >= all - ends - 7.5, "{driven} {all}");
        for (one, other) in exactly.iter().zip(&roughly) {
            errors.extend(Plane::at(one.0).project(other.0));
        }
    }
    let n = errors.len() as f64;
    let deviation = (errors.iter().map(|error| error * error).sum::<f64>() / n).sqrt();
    assert!((deviation - 10.0).abs() < 4.0 * 10.0 / (2.0 * n).sqrt(), "{deviation} of {n}");
    assert!((errors.iter().sum::<f64>() / n).abs() < 4.0 * 10.0 / n.sqrt());
}

#[test]
fn traces_may_have_gaps_and_outliers() {
    let city = built(1, "paper");
    let trips = city.trips(300, 5).unwrap();
    let count = |options: TraceOptions, is: &dyn Fn(&Fixes, &Trajectory) -> usize| -> usize {
        let mut rng = Pcg64Mcg::seed_from_u64(9);
        trips.iter().map(|trip| is(&trace(&city.roads, &trip.states, &options, &mut rng), trip)).sum()
    };
    let usual = TraceOptions { noise: 0.0, ..TraceOptions::default() };
    let all = count(usual, &|fixes, _| fixes.len());
    let kept = count(TraceOptions { dropout: 0.25, ..usual }, &|fixes, _| fixes.len()) - 2 * trips.len();
    let share = kept as f64 / (all - 2 * trips.len()) as f64;
    assert!((share - 0.75).abs() < 0.05, "{share}");
    let far = |fixes: &Fixes, trip: &Trajectory| {
        fixes.iter().filter(|fix| trip.states.iter().all(|&state| off(&city, state, fix.0) > 1.0)).count()
    };
    let share = count(TraceOptions { outlier: 0.1, ..usual }, &far) as f64 / all as f64;
    assert!((share - 0.1).abs() < 0.03, "{share}");
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    assert!(trace(&city.roads, &[], &usual, &mut rng).is_empty());
    assert!(trace(&city.roads, &[usize::MAX], &usual, &mut rng).is_empty());
    assert_eq!(trace(&city.roads, &[5], &usual, &mut rng).len(), 2);
    // Settings that make no sense make no endless trace.
    for every in [0.0, -1.0, f64::NAN] {
        assert!(trace(&city.roads, &[5], &TraceOptions { every, ..usual }, &mut rng).len() <= 1_000_001);
    }
}

#[test]
fn trips_are_written_as_uci_writes_them() {
    let at = |lat, lon| Position { lat, lon };
    let whole = vec![(at(43.0, -20.0), 0.0), (at(43.001, -20.0005), 15.0), (at(43.002, -20.0), 30.0)];
    let gap = vec![whole[0], whole[2]];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trips.csv");
    write_trips_csv(&path, &[("1".to_string(), whole), ("a \"b\"".to_string(), gap), ("3".to_string(), Vec::new())]).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let expected = r#""TRIP_ID","CALL_TYPE","ORIGIN_CALL","ORIGIN_STAND","TAXI_ID","TIMESTAMP","DAY_TYPE","MISSING_DATA","POLYLINE"
"1","C","","","20000001","1372636800","A","False","[[-20.000000,43.000000],[-20.000500,43.001000],[-20.000000,43.002000]]"
"a ""b""","C","","","20000001","1372637400","A","True","[[-20.000000,43.000000],[-20.000000,43.002000]]"
"3","C","","","20000001","1372638000","A","False","[]"
"#;
    assert_eq!(text, expected);
    assert!(write_trips_csv(folder.path(), &[]).is_err());
}

/// The quantile of the chi-square distribution at which a normal number would be z (Wilson and Hilferty).
fn chi_square(degrees: usize, z: f64) -> f64 {
    let k = degrees as f64;
    k * (1.0 - 2.0 / (9.0 * k) + z * (2.0 / (9.0 * k)).sqrt()).powi(3)
}

/// Whether θ̂ - θ is what its standard errors say: each of them, and all together within 99.9 %.
fn agree(what: &str, found: &[Agreement], directions: usize) {
    for one in found {
        assert!(one.converged, "{what}");
        assert_eq!(one.directions, directions, "{what}");
        assert_eq!(one.z.iter().flatten().count(), directions, "{what}");
        assert!(one.z.iter().flatten().all(|z| z.abs() < 4.0), "{what}: {:?}", one.z);
    }
    let degrees = directions * found.len();
    let (low, high) = (chi_square(degrees, -3.2905), chi_square(degrees, 3.2905));
    for (name, sum) in [
        ("chi-square", found.iter().map(|one| one.chi_square).sum::<f64>()),
        ("likelihood ratio", found.iter().map(|one| one.likelihood_ratio).sum()),
    ] {
        eprintln!("{what}: {name} {sum:.1} on {degrees} degrees of freedom, expected {low:.1} to {high:.1}");
        assert!((low..=high).contains(&sum), "{what}: {name} {sum} of {degrees}");
    }
}

#[test]
fn preferences_are_learned_within_their_errors() {
    for (list, directions) in [("type,time,signals,turns", 9), ("paper", 11)] {
        let found = |seed| {
            let city = built(seed, list);
            city.agreement(&city.trips(600, 100 + seed).unwrap(), Method::Exact, Ends::Anywhere).unwrap()
        };
        agree(list, &(1..=6).map(found).collect::<Vec<_>>(), directions);
    }
}

#[test]
fn preferences_are_learned_from_trips_between_places() {
    for (list, directions) in [("type,time,signals,turns", 9), ("paper", 11)] {
        let city = small(list);
        let found = |seed| city.agreement(&city.trips_between(400, seed).unwrap(), Method::Exact, Ends::Goal).unwrap();
        agree(list, &(1..=2).map(found).collect::<Vec<_>>(), directions);
    }
}

#[test]
fn preferences_are_learned_among_routes_of_any_length() {
    for (list, directions) in [("type,time,signals,turns", 9), ("paper", 11)] {
        let city = small(list);
        let found = |seed| {
            let trips = city.routes_between(400, seed).unwrap();
            assert_eq!((trips.len(), trips[7].id.as_deref()), (400, Some("8")));
            city.agreement(&trips, Method::RecursiveLogit, Ends::Goal).unwrap()
        };
        agree(list, &(1..=6).map(found).collect::<Vec<_>>(), directions);
    }
}

#[test]
fn another_truth_is_noticed() {
    let mut city = built(1, "type,time,signals,turns");
    let trips = city.trips(600, 1).unwrap();
    let left = city.roads.features.names.iter().position(|name| name == "left").unwrap();
    city.theta[left] *= 0.8;
    let found = city.agreement(&trips, Method::Exact, Ends::Anywhere).unwrap();
    assert!(found.z[left].unwrap() < -4.0, "{:?}", found.z);
    assert!(found.chi_square > chi_square(9, 3.2905), "{}", found.chi_square);
}
