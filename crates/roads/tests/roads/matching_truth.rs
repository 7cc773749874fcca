//! Matching against the truth: enumeration on small maps, and drives whose routes are known.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed_roads::matching::{MatchOptions, Matcher, Method, Trellis};
use revealed_roads::{Network, Plane, Position, nearest};

use crate::helpers::drives::right;
use crate::helpers::scene::{grid, trip};

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
        let (way, probability) = trellis.best_path();
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
fn the_route_is_the_best_of_all_sequences_of_candidates() {
    let network = grid(3, 100.0);
    let distances = all_distances(&network);
    let options = MatchOptions {
        strict: true,
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

#[test]
fn drives_on_a_grid_are_found() {
    let network = grid(40, 110.0);
    let (hmm, dropped) = right(&network, 500, Method::Hmm);
    let (particles, lost) = right(&network, 500, Method::Particles);
    eprintln!("grid: HMM {:.4} right, {dropped} dropped; particles {:.4}, {lost} dropped", hmm, particles);
    assert!(hmm > 0.97 && dropped <= 5, "{hmm} {dropped}");
    assert!(particles > 0.8 && particles < hmm, "{particles}");
}
