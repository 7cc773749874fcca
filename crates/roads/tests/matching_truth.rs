//! Matching against the truth: enumeration on small maps, drives whose way is known, and tracks that others recorded.

mod small;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed_roads::matching::{MatchOptions, Matched, Matcher, Method, Trellis, length_right};
use revealed_roads::{Extract, Fix, Network, NetworkOptions, Plane, Position, Trip, Trips, nearest};
use small::{grid, shared, trip};

/// The best sequence of candidates and the posterior of each of its members, by trying all.
fn by_enumeration(emissions: &[Vec<f64>], steps: &dyn Fn(usize, usize, usize) -> f64) -> (f64, Vec<Vec<f64>>) {
    let mut best = f64::NEG_INFINITY;
    let mut mass: Vec<Vec<f64>> = emissions.iter().map(|layer| vec![0.0; layer.len()]).collect();
    let total: usize = emissions.iter().map(Vec::len).product();
    for number in 0..total {
        let mut rest = number;
        let way: Vec<usize> = emissions.iter().map(|layer| (rest % layer.len(), rest /= layer.len()).0).collect();
        let mut score = emissions[0][way[0]];
        for place in 1..way.len() {
            score += steps(place, way[place - 1], way[place]) + emissions[place][way[place]];
        }
        best = best.max(score);
        way.iter().zip(&mut mass).for_each(|(&candidate, mass)| mass[candidate] += score.exp());
    }
    for layer in &mut mass {
        let sum: f64 = layer.iter().sum();
        layer.iter_mut().for_each(|one| *one /= sum);
    }
    (best, mass)
}

#[test]
fn a_trellis_is_what_enumeration_says() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for _ in 0..200 {
        let sizes: Vec<usize> = (0..rng.random_range(1..5)).map(|_| rng.random_range(1..5)).collect();
        let emissions: Vec<Vec<f64>> =
            sizes.iter().map(|&size| (0..size).map(|_| -3.0 * rng.random::<f64>()).collect()).collect();
        // One step in five is impossible, but never the first to the first.
        let mut step =
            |n: usize| if n > 0 && rng.random_range(0..5) == 0 { f64::NEG_INFINITY } else { -3.0 * rng.random::<f64>() };
        let steps: Vec<Vec<f64>> = sizes.windows(2).map(|pair| (0..pair[0] * pair[1]).map(&mut step).collect()).collect();
        let mut trellis = Trellis::new(emissions[0].clone());
        for place in 1..sizes.len() {
            assert!(trellis.push(place, emissions[place].clone(), steps[place - 1].clone()));
        }
        let (best, mass) = by_enumeration(&emissions, &|place, from, to| steps[place - 1][from * sizes[place] + to]);
        let (way, probability) = trellis.best_way();
        assert!((probability - best).abs() < 1e-12);
        for (place, posterior) in trellis.posteriors(&way).into_iter().enumerate() {
            assert!((posterior - mass[place][way[place]]).abs() < 1e-12);
        }
    }
}

/// The distance from the end of each segment to the beginning of each other, by relaxing until nothing changes.
fn all_distances(network: &Network) -> Vec<Vec<f64>> {
    let n = network.n_segments();
    let mut distances = vec![vec![f64::INFINITY; n]; n];
    for (from, row) in distances.iter_mut().enumerate() {
        network.turns_of(from).iter().for_each(|&to| row[to as usize] = 0.0);
        loop {
            let before = row.clone();
            for (middle, to) in network.turns() {
                let over = row[middle as usize] + network.segments[middle as usize].length;
                row[to as usize] = row[to as usize].min(over);
            }
            if *row == before {
                break;
            }
        }
    }
    distances
}

/// Candidates (segment, metres along, metres away) by looking at every segment.
fn candidates(network: &Network, fix: Position, options: &MatchOptions) -> Vec<(usize, f64, f64)> {
    let plane = Plane::at(fix);
    let of = |segment: usize| {
        let [a, b] = network.ends_of(segment).map(|end| plane.project(end));
        nearest(a, b, [0.0, 0.0])
    };
    let is_entered = |segment: usize| network.turns().any(|(_, to)| to as usize == segment);
    let mut found = Vec::new();
    for segment in 0..network.n_segments() {
        let (share, away) = of(segment);
        let passed = network.turns_of(segment).iter().all(|&to| of(to as usize).0 > 0.0 && of(to as usize).1 < away);
        if away <= options.radius && !(share == 0.0 && is_entered(segment)) && !(share == 1.0 && passed) {
            found.push((segment, share * network.segments[segment].length, away));
        }
    }
    found.sort_by(|a, b| a.2.total_cmp(&b.2).then(a.0.cmp(&b.0)));
    found.truncate(options.candidates);
    found
}

#[test]
fn the_way_is_the_best_of_all_sequences_of_candidates() {
    let network = grid(3, 100.0);
    let distances = all_distances(&network);
    let options = MatchOptions {
        candidates: 5,
        still: 0.0,
        detour: 1e5,
        sigma: 15.0,
        beta: 60.0,
        least_seconds: 0.0,
        least_metres: 0.0,
        keep_cyclic: true,
        ..MatchOptions::default()
    };
    let matcher = Matcher::new(&network, options.clone()).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for _ in 0..100 {
        let places: Vec<[f64; 2]> = (0..4).map(|_| [0, 1].map(|_| 230.0 * rng.random::<f64>() - 15.0)).collect();
        let mut trip = trip(&places);
        trip.fixes.iter_mut().for_each(|fix| fix.seconds = None);
        if trip.fixes.windows(2).any(|pair| pair[0].position.distance(pair[1].position) < 30.0) {
            continue;
        }
        let layers: Vec<_> = trip.fixes.iter().map(|fix| candidates(&network, fix.position, &options)).collect();
        let emissions: Vec<Vec<f64>> =
            layers.iter().map(|layer| layer.iter().map(|one| -0.5 * (one.2 / options.sigma).powi(2)).collect()).collect();
        let steps = |place: usize, from: usize, to: usize| {
            let direct = trip.fixes[place - 1].position.distance(trip.fixes[place].position);
            let ((s, a, _), (t, b, _)) = (layers[place - 1][from], layers[place][to]);
            let on = if s == t && b >= a { b - a } else { network.segments[s].length - a + distances[s][t] + b };
            -(on - direct).abs() / options.beta
        };
        let (best, mass) = by_enumeration(&emissions, &steps);
        let found = matcher.match_trip(&trip).unwrap();
        assert!((found.log_probability - best).abs() < 1e-9, "{} and {best}", found.log_probability);
        // No posterior is above the largest of its layer.
        let most: f64 = mass.iter().map(|layer| layer.iter().copied().fold(0.0, f64::max)).sum::<f64>() / 4.0;
        assert!(found.confidence <= most + 1e-9 && found.confidence > 0.0);
        assert!(found.segments.windows(2).all(|pair| network.turns_of(pair[0] as usize).contains(&pair[1])));
    }
}

/// A drive along the fastest way between two random segments at the speeds of the roads: a fix every 15 seconds with noise of 10 m
/// on both axes, and the segments up to the last fix. `None` if it takes less than three minutes.
fn drive(network: &Network, id: usize, rng: &mut Pcg64Mcg) -> Option<(Trip, Vec<u32>)> {
    let mut pick = || rng.random_range(0..network.n_segments());
    let way = fastest(network, pick(), pick())?;
    let mut normal = || {
        let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
        10.0 * radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
    };
    let (mut fixes, mut clock, mut truth) = (Vec::new(), 0.0, Vec::new());
    for (place, &segment) in way.iter().enumerate() {
        let (seconds, [a, b]) = (network.seconds(segment as usize), network.ends_of(segment as usize));
        while 15.0 * fixes.len() as f64 <= clock + seconds {
            let due = 15.0 * fixes.len() as f64;
            let share = (due - clock) / seconds;
            let place_of_car = Position { lat: a.lat + share * (b.lat - a.lat), lon: a.lon + share * (b.lon - a.lon) };
            let position = Plane::at(place_of_car).lift([normal(), normal()]);
            fixes.push(Fix { position, seconds: Some(due) });
            truth = way[..=place].to_vec();
        }
        clock += seconds;
    }
    (fixes.len() > 12).then(|| (Trip { id: id.to_string(), fixes, missing: false }, truth))
}

/// Dijkstra by time.
fn fastest(network: &Network, from: usize, to: usize) -> Option<Vec<u32>> {
    let mut seconds = vec![f64::INFINITY; network.n_segments()];
    let mut before = vec![u32::MAX; network.n_segments()];
    let mut open = std::collections::BinaryHeap::from([(std::cmp::Reverse(0u64), from as u32)]);
    seconds[from] = 0.0;
    while let Some((std::cmp::Reverse(bits), here)) = open.pop() {
        if here as usize == to || f64::from_bits(bits) > seconds[here as usize] {
            continue;
        }
        let reached = f64::from_bits(bits) + network.seconds(here as usize);
        for &next in network.turns_of(here as usize) {
            if reached < seconds[next as usize] {
                (seconds[next as usize], before[next as usize]) = (reached, here);
                open.push((std::cmp::Reverse(reached.to_bits()), next));
            }
        }
    }
    let mut way = vec![to as u32];
    while way[way.len() - 1] as usize != from {
        way.push(Some(before[way[way.len() - 1] as usize]).filter(|&one| one != u32::MAX)?);
    }
    way.reverse();
    Some(way)
}

/// The share of the length that is right over `count` drives (dropped ones count as wrong), and how many are dropped.
fn right(network: &Network, count: usize, method: Method) -> (f64, usize) {
    let matcher = Matcher::new(network, MatchOptions { method, ..MatchOptions::default() }).unwrap();
    let lengths: Vec<f64> = network.segments.iter().map(|segment| segment.length).collect();
    let length = |way: &[u32]| way.iter().map(|&segment| lengths[segment as usize]).sum::<f64>();
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let (mut good, mut all, mut dropped, mut done) = (0.0, 0.0, 0, 0);
    while done < count {
        let Some((trip, truth)) = drive(network, done, &mut rng) else { continue };
        done += 1;
        all += length(&truth);
        match matcher.match_trip(&trip) {
            Ok(found) => good += length(&truth) * length_right(&truth, &found.segments, &lengths),
            Err(_) => dropped += 1,
        }
    }
    (good / all, dropped)
}

#[test]
fn drives_on_a_grid_are_found() {
    let network = grid(40, 110.0);
    let (hmm, dropped) = right(&network, 500, Method::Hmm);
    let (particles, lost) = right(&network, 500, Method::Particles);
    eprintln!("grid: HMM {:.4} right, {dropped} dropped; particles {:.4}, {lost} dropped", hmm, particles);
    assert!(hmm > 0.97 && dropped <= 5, "{hmm} {dropped}");
    assert!(particles > 0.8 && particles < hmm, "{particles}");
}

#[test]
fn drives_in_porto_are_found() {
    let Some(path) = shared("porto_osm/porto_2022-11.osm.gz") else { return };
    let network = Network::new(&Extract::read(path, false).unwrap(), NetworkOptions::default()).unwrap();
    let (hmm, dropped) = right(&network, 500, Method::Hmm);
    let (particles, lost) = right(&network, 100, Method::Particles);
    eprintln!("Porto: HMM {:.4} right, {dropped} dropped; particles {:.4}, {lost} of 100 dropped", hmm, particles);
    assert!(hmm > 0.97 && particles > 0.8 && particles < hmm, "{hmm} {particles}");
}

/// The track's fixes, the map's network, and the way that was found.
fn track(map: &str, gpx: &str) -> Option<(Trip, Network, Matched)> {
    let (map, gpx) = (shared(&format!("osm_fixtures/{map}"))?, shared(&format!("osm_fixtures/{gpx}"))?);
    let network = Network::new(&Extract::read(map, true).unwrap(), NetworkOptions { keep_all: true, u_turns: false }).unwrap();
    let trip = Trips::open(gpx).unwrap().next().unwrap().unwrap();
    let options =
        MatchOptions { least_seconds: 0.0, least_metres: 0.0, keep_cyclic: true, fastest: 1e4, ..MatchOptions::default() };
    let found = Matcher::new(&network, options).unwrap().match_trip(&trip).unwrap();
    Some((trip, network, found))
}

/// The share of a line that lies within `within` metres of another, by points a metre apart.
fn share_near(line: &[[f64; 2]], other: &[[f64; 2]], within: f64) -> f64 {
    let (mut near, mut all) = (0.0, 0.0);
    for pair in line.windows(2) {
        let [[ax, ay], [bx, by]] = [pair[0], pair[1]];
        let count = (bx - ax).hypot(by - ay).ceil() as usize;
        for step in 0..count {
            let share = step as f64 / count as f64;
            let point = [ax + share * (bx - ax), ay + share * (by - ay)];
            let distance = other.windows(2).map(|pair| nearest(pair[0], pair[1], point).1).fold(f64::INFINITY, f64::min);
            near += f64::from(u8::from(distance <= within));
            all += 1.0;
        }
    }
    near / all
}

#[test]
fn tracks_of_others_lie_on_their_ways() {
    for (map, gpx, least) in
        [("andorra.osm.pbf", "andorra_for_map_matching.gpx", 0.9), ("map-issue13.osm.gz", "issue-13.gpx", 0.9)]
    {
        let Some((trip, network, found)) = track(map, gpx) else { return };
        let plane = Plane::at(trip.fixes[0].position);
        let fixes: Vec<[f64; 2]> = trip.fixes.iter().map(|fix| plane.project(fix.position)).collect();
        let mut line = vec![plane.project(network.ends_of(found.segments[0] as usize)[0])];
        line.extend(found.segments.iter().map(|&segment| plane.project(network.ends_of(segment as usize)[1])));
        let length = |line: &[[f64; 2]]| {
            line.windows(2).map(|pair| (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1])).sum::<f64>()
        };
        let (way, back) = (share_near(&line, &fixes, 20.0), share_near(&fixes, &line, 20.0));
        eprintln!(
            "{gpx}: {} fixes, {} used, {:.0} m of track, {:.0} m of way, {way:.3} of the way and {back:.3} of the track within 20 m, confidence {:.3}",
            trip.fixes.len(),
            found.used,
            length(&fixes),
            length(&line),
            found.confidence
        );
        assert!(way > least && back > least, "{gpx}: {way} {back}");
    }
}
