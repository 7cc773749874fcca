//! Trips with bad stretches: outliers, gaps, stops, and places that are not on the map.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed_roads::matching::{Lattice, LatticeStep, MatchOptions, Matched, Matcher, Outliers, Passage, Reason, SkipCost};
use revealed_roads::{Group, Network, Roads, Trip};

use crate::helpers::scene::{grid, plane, route, trip, two_grids};

fn options() -> MatchOptions {
    MatchOptions { least_seconds: 0.0, least_metres: 0.0, ..MatchOptions::default() }
}

fn parts(network: &Network, trip: &Trip) -> Vec<Matched> {
    Matcher::new(network, options()).unwrap().match_parts(trip).unwrap()
}

/// A drive to the east along the first row of a grid, with a fix every 60 m.
fn east(count: u32) -> Vec<[f64; 2]> {
    (0..count).map(|n| [10.0 + 60.0 * f64::from(n), 2.0 - f64::from(n % 3)]).collect()
}

#[test]
fn outliers_are_skipped_alone_and_in_bursts() {
    let network = grid(14, 100.0);
    let expected = route(&network, &(0..13).collect::<Vec<u32>>());
    for outliers in [5..6, 9..10, 14..15, 5..7, 9..12, 7..11, 8..13] {
        // Within 15 seconds no car gets there. A burst that is nearer might be a detour: see `a_detour_that_a_car_can_drive`.
        let nearest = if outliers.len() > 1 { 1050.0 } else { 750.0 };
        for far in [nearest, 1250.0] {
            let mut places = east(20);
            for (at, place) in places[outliers.clone()].iter_mut().enumerate() {
                // By another street.
                *place = [place[0], far + f64::from(at as u32 % 2)];
            }
            let found = parts(&network, &trip(&places));
            assert_eq!(found.len(), 1, "{outliers:?} {far}");
            assert_eq!(found[0].segments, expected, "{outliers:?} {far}");
            assert_eq!((found[0].used, found[0].skipped), (20 - outliers.len(), outliers.len()));
            let bursts = usize::from(outliers.len() > 1);
            assert_eq!(found[0].outliers, Outliers { fixes: outliers.len(), bursts }, "{outliers:?} {far}");
        }
    }
}

#[test]
fn a_detour_that_a_car_can_drive_is_kept() {
    let network = grid(14, 100.0);
    // 500 m to the north in a minute, a block to the east, and back.
    let mut places: Vec<[f64; 2]> = (0..5).map(|n| [10.0 + 98.0 * f64::from(n), 1.0]).collect();
    places.extend((1..5).map(|n| [401.0, 120.0 * f64::from(n)]));
    places.push([450.0, 501.0]);
    places.extend((0..4).map(|n| [499.0, 480.0 - 120.0 * f64::from(n)]));
    places.extend((0..5).map(|n| [515.0 + 98.0 * f64::from(n), 1.0]));
    let found = parts(&network, &trip(&places));
    let up = (0..=5).map(|row| 14 * row + 4);
    let down = (0..=5).rev().map(|row| 14 * row + 5);
    let nodes: Vec<u32> = (0..4).chain(up).chain(down).chain(6..11).collect();
    assert_eq!((found.len(), found[0].outliers.fixes), (1, 0));
    let driven = route(&network, &nodes);
    assert!(found[0].segments.starts_with(&driven[..driven.len() - 1]), "{:?}\n{driven:?}", found[0].segments);
}

#[test]
fn a_tunnel_without_fixes_is_bridged() {
    let network = grid(14, 100.0);
    let mut drive = trip(&east(20));
    drive.fixes.drain(4..15);
    let found = parts(&network, &drive);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].segments, route(&network, &(0..13).collect::<Vec<u32>>()));
}

#[test]
fn a_stretch_off_the_map_breaks_a_trip_into_parts() {
    // The car crosses a field of a kilometre.
    let (network, n) = (two_grids(6, 100.0, 1500.0), 36);
    let drive = trip(&(0..33).map(|n| [10.0 + 60.0 * f64::from(n), 1.0]).collect::<Vec<_>>());
    let found = parts(&network, &drive);
    assert_eq!(found.iter().map(|part| (part.part, part.why)).collect::<Vec<_>>(), [(0, None), (1, Some(Reason::OffNetwork))]);
    assert_eq!(found[0].segments, route(&network, &[0, 1, 2, 3, 4, 5]));
    assert_eq!(found[1].segments, route(&network, &[n, n + 1, n + 2, n + 3, n + 4, n + 5]));
    assert!(found.iter().all(|part| part.confidence > 0.5 && part.confidence <= 1.0));
    // Strictly it is lost.
    let strict = Matcher::new(&network, MatchOptions { strict: true, ..options() }).unwrap();
    assert_eq!(strict.match_parts(&drive).unwrap_err().reason, Reason::OffNetwork);
}

#[test]
fn a_stop_with_a_fix_every_second_is_a_stop() {
    let network = grid(8, 100.0);
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut places: Vec<[f64; 2]> = (0..40).map(|n| [10.0 + 8.0 * f64::from(n), 101.0]).collect();
    // Five minutes at a junction, with noise that drifts.
    let [mut x, mut y] = [330.0, 101.0];
    for _ in 0..300 {
        x += 0.1 * (330.0 - x) + 6.0 * (rng.random::<f64>() - 0.5);
        y += 0.1 * (101.0 - y) + 6.0 * (rng.random::<f64>() - 0.5);
        places.push([x, y]);
    }
    places.extend((0..40).map(|n| [335.0 + 8.0 * f64::from(n), 99.0]));
    let mut drive = trip(&places);
    drive.fixes.iter_mut().enumerate().for_each(|(at, fix)| fix.seconds = Some(at as f64));
    let found = parts(&network, &drive);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].segments, route(&network, &[8, 9, 10, 11, 12, 13, 14, 15]));
}

#[test]
fn wrong_positions_and_times_are_skipped() {
    let network = grid(14, 100.0);
    let mut drive = trip(&east(20));
    drive.fixes[3].position.lon = 500.0;
    drive.fixes[7].seconds = Some(0.5);
    drive.fixes[12].seconds = Some(1e6);
    let found = parts(&network, &drive);
    assert_eq!((found.len(), found[0].used, found[0].skipped), (1, 17, 3));
    assert_eq!(found[0].segments, route(&network, &(0..13).collect::<Vec<u32>>()));
}

#[test]
fn one_time_for_all_fixes_is_none() {
    let network = grid(14, 100.0);
    let mut drive = trip(&east(20));
    drive.fixes.iter_mut().for_each(|fix| fix.seconds = Some(1_420_112_102.0));
    let found = Matcher::new(&network, MatchOptions { fastest: 1e4, ..options() }).unwrap().match_parts(&drive).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].segments, route(&network, &(0..13).collect::<Vec<u32>>()));
}

#[test]
fn times_and_offsets_are_those_of_the_drive() {
    let network = grid(6, 100.0);
    // 50 m in 15 seconds.
    let drive = trip(&(0..9).map(|n| [20.0 + 50.0 * f64::from(n), 0.0]).collect::<Vec<_>>());
    let found = parts(&network, &drive);
    let roads = Roads::new(network, &[Group::Length]);
    // The first chain turns a corner: it begins a block before the first segment.
    for (roads, lead) in [(roads.clone(), 0.0), (roads.compressed(), 100.0)] {
        let passage = Passage::new(&roads, &drive, &found[0]).unwrap();
        let times = passage.times.unwrap();
        assert_eq!(times.len(), roads.path(&found[0].segments).unwrap().states.len());
        for (at, time) in times.iter().enumerate().skip(1) {
            assert!((time - (100.0 * at as f64 - 20.0) * 0.3).abs() < 0.1, "{at}: {time}");
        }
        assert_eq!((times[0], passage.end_time), (0.0, Some(120.0)));
        assert!(
            (passage.offsets[0] - lead - 20.0).abs() < 0.1 && (passage.offsets[1] - 20.0).abs() < 0.1,
            "{:?}",
            passage.offsets
        );
        let [first, last] = [passage.line[0], passage.line[passage.line.len() - 1]].map(|place| plane().project(place));
        assert!((first[0] - 20.0).abs() < 0.1 && (last[0] - 420.0).abs() < 0.1);
    }
}

/// A path through a lattice: candidates by layer, none for skipped layers, and whether each begins a part.
fn all_paths(layers: &[usize]) -> Vec<Vec<(usize, usize, bool)>> {
    let mut paths: Vec<Vec<(usize, usize, bool)>> = vec![Vec::new()];
    for (layer, &n) in layers.iter().enumerate() {
        for path in paths.clone() {
            for candidate in 0..n {
                for begins in [true, false] {
                    if begins || !path.is_empty() {
                        let mut longer = path.clone();
                        longer.push((layer, candidate, begins));
                        paths.push(longer);
                    }
                }
            }
        }
    }
    paths.retain(|path| !path.is_empty());
    paths
}

#[test]
fn the_lattice_agrees_with_trying_all_paths() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for _ in 0..20 {
        let layers = [2, 3, 1, 2];
        let (gap, burst) = (1.0 + 3.0 * rng.random::<f64>(), 2.0 * rng.random::<f64>());
        let mut draw = || -4.0 * rng.random::<f64>();
        let emissions: Vec<Vec<f64>> = layers.iter().map(|&n| (0..n).map(|_| draw()).collect()).collect();
        let skips: Vec<f64> = layers.iter().map(|_| -draw()).collect();
        let skips: Vec<SkipCost> = skips.into_iter().map(|alone| SkipCost { alone, in_burst: 0.3 * alone }).collect();
        let mut steps = Vec::new();
        let mut lattice = Lattice::new(gap, burst);
        for (at, &n) in layers.iter().enumerate() {
            lattice.push(emissions[at].clone(), skips[at]);
            for (old, &count) in layers[..at].iter().enumerate() {
                let skipped = lattice.skipped_between(old, at);
                for (from, to) in (0..count).flat_map(|from| (0..n).map(move |to| (from, to))) {
                    let log_probability = draw() - skipped;
                    if log_probability > -6.0 {
                        let step = LatticeStep { layer: old, from, to, log_probability };
                        lattice.add(step);
                        steps.push((at, step));
                    }
                }
            }
        }
        let costs = |from: usize, to: usize, cost: fn(&SkipCost) -> f64| skips[from..to].iter().map(cost).sum::<f64>();
        let skipped = |from: usize, to: usize| match from < to {
            true => {
                let [alone, in_burst] = [costs(from, to, |skip| skip.alone), costs(from, to, |skip| skip.in_burst)];
                alone - (alone - burst - in_burst).clamp(0.0, gap)
            }
            false => 0.0,
        };
        for (from, to) in (0..layers.len()).flat_map(|to| (0..to).map(move |from| (from, to))) {
            assert!((lattice.skipped_between(from, to) - skipped(from + 1, to)).abs() < 1e-12);
        }
        // At the ends each fix is skipped alone.
        let weigh = |path: &[(usize, usize, bool)]| {
            let mut sum = -costs(0, path[0].0, |skip| skip.alone);
            for (place, &(layer, candidate, begins)) in path.iter().enumerate() {
                sum += emissions[layer][candidate];
                let Some(&(old, from, _)) = place.checked_sub(1).map(|before| &path[before]) else { continue };
                let is = |step: &&(usize, LatticeStep)| {
                    (step.0, step.1.layer, step.1.from, step.1.to) == (layer, old, from, candidate)
                };
                sum += match begins {
                    true => -gap - costs(old + 1, layer, |skip| skip.alone),
                    false => steps.iter().find(is).map_or(f64::NEG_INFINITY, |step| step.1.log_probability),
                };
            }
            sum - costs(path[path.len() - 1].0 + 1, layers.len(), |skip| skip.alone)
        };
        let (mut best, mut all, mut mass) = (f64::NEG_INFINITY, 0.0, emissions.clone());
        mass.iter_mut().flatten().for_each(|one| *one = 0.0);
        for path in all_paths(&layers).iter().filter(|path| path[0].2) {
            let weight = weigh(path);
            best = best.max(weight);
            all += weight.exp();
            path.iter().for_each(|&(layer, candidate, _)| mass[layer][candidate] += weight.exp());
        }
        let (path, log_probability) = lattice.best_path();
        assert!((log_probability - best).abs() < 1e-9, "{log_probability} {best}");
        let taken: Vec<_> = path.iter().map(|one| (one.layer, one.candidate, one.begins)).collect();
        assert!((weigh(&taken) - best).abs() < 1e-9);
        for (found, mass) in lattice.posteriors().iter().flatten().zip(mass.iter().flatten()) {
            assert!((found - mass / all).abs() < 1e-9, "{found} {}", mass / all);
        }
    }
}
