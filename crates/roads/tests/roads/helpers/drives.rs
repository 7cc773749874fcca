//! Drives whose routes are known.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed_roads::matching::{MatchOptions, Matcher, Method, length_right};
use revealed_roads::{Fix, Network, Plane, Position, Trip};

/// A drive along the fastest way between two random segments at the speeds of the roads: a fix every 15 seconds with
/// noise of 10 m on both axes, and the segments up to the last fix. `None` if it takes less than three minutes.
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
    (fixes.len() > 12).then(|| (Trip { id: id.to_string(), fixes, ..Trip::default() }, truth))
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
pub fn right(network: &Network, count: usize, method: Method) -> (f64, usize) {
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
