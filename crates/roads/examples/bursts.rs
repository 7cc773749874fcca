//! Plants bursts of outliers in trips of the made-up city, and detours that were really driven, and prints how many routes
//! the bursts change and how much of the detours is found: `bursts [trips] [seed] [seconds between fixes]`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use revealed::Trajectory;
use revealed_roads::matching::length_right;
use revealed_roads::{City, CityOptions, Fix, MatchOptions, Matcher, Network, Plane, TraceOptions, Trip, city, trace};

/// Trips of fewer states are over before there are three fixes a quarter of a minute apart.
const LEAST_STATES: usize = 20;
/// The sizes of bursts, in metres.
const BANDS: [[f64; 2]; 4] = [[300.0, 500.0], [500.0, 800.0], [800.0, 1300.0], [1300.0, 2000.0]];
/// The length of a detour to one place, there and back.
const DETOURS: [f64; 2] = [600.0, 2500.0];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |place: usize, usual: f64| arguments.get(place).map_or(Ok(usual), |text| text.parse());
    let (count, seed, every) = (number(1, 200.0)? as usize, number(2, 7.0)? as u64, number(3, 15.0)?);
    let city = city(&CityOptions { seed, ..CityOptions::default() })?;
    let options = MatchOptions { least_seconds: 0.0, least_metres: 0.0, ..MatchOptions::default() };
    let matcher = Matcher::new(&city.roads.network, options)?;
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let long = |drive: &Trajectory| drive.states.len() >= LEAST_STATES;
    let drives: Vec<Trajectory> = city.trips(6 * count, seed)?.into_iter().filter(long).take(count).collect();
    let trips: Vec<Trip> = drives.iter().map(|drive| trip(&city, &drive.states, every, &mut rng)).collect();
    let fixes = trips.iter().map(|trip| trip.fixes.len()).sum::<usize>() as f64 / trips.len() as f64;
    println!("seed {seed}: {} trips with {fixes:.0} fixes in the mean, one every {every} s, 10 m of noise\n", trips.len());
    println!("| metres off | fixes | moved together: routes unchanged | length unchanged | scattered: routes | length |");
    println!("|---|---|---|---|---|---|");
    for band in BANDS {
        for size in 2..=5 {
            let shares = [true, false].map(|together| unchanged(&city, &matcher, &trips, band, size, together, &mut rng));
            let [[routes, length], [scattered, scattered_length]] = shares;
            let [low, high] = band;
            println!("| {low} to {high} | {size} | {routes:.3} | {length:.3} | {scattered:.3} | {scattered_length:.3} |");
        }
    }
    detours(&city, &matcher, &drives, every, &mut rng);
    Ok(())
}

/// The fixes of a drive.
fn trip(city: &City, states: &[usize], every: f64, rng: &mut Pcg64Mcg) -> Trip {
    let fixes = trace(&city.roads, states, &TraceOptions { every, ..TraceOptions::default() }, rng);
    let fixes = fixes.into_iter().map(|(position, seconds)| Fix { position, seconds: Some(seconds) });
    Trip { id: "trip".to_string(), fixes: fixes.collect(), ..Trip::default() }
}

/// The route of a trip in all its parts.
fn route(matcher: &Matcher<'_>, trip: &Trip) -> Vec<u32> {
    matcher.match_parts(trip).unwrap_or_default().into_iter().flat_map(|part| part.segments).collect()
}

/// The share of trips whose route a burst does not change, and the mean share of the length that it does not change.
///
/// The fixes of the burst are not at the ends, and the route is compared with that without these fixes.
fn unchanged(
    city: &City,
    matcher: &Matcher<'_>,
    trips: &[Trip],
    band: [f64; 2],
    size: usize,
    together: bool,
    rng: &mut Pcg64Mcg,
) -> [f64; 2] {
    let lengths = city.roads.lengths();
    let (mut same, mut length, mut all) = (0.0, 0.0, 0.0);
    for trip in trips.iter().filter(|trip| trip.fixes.len() >= size + 4) {
        let first = rng.random_range(2..=trip.fixes.len() - size - 2);
        let mut draw = || {
            let (far, angle) = (rng.random_range(band[0]..band[1]), rng.random_range(0.0..std::f64::consts::TAU));
            [far * angle.cos(), far * angle.sin()]
        };
        let mut off = draw();
        let (mut burst, mut without) = (trip.clone(), trip.clone());
        for fix in &mut burst.fixes[first..first + size] {
            fix.position = Plane::at(fix.position).lift(off);
            if !together {
                off = draw();
            }
        }
        without.fixes.drain(first..first + size);
        let [burst, without] = [&burst, &without].map(|trip| route(matcher, trip));
        same += f64::from(u8::from(burst == without));
        length += length_right(&without, &burst, &lengths);
        all += 1.0;
    }
    [same / all, length / all]
}

/// Prints how much is found of drives with a detour: to a place aside, and back to where the drive was left.
fn detours(city: &City, matcher: &Matcher<'_>, drives: &[Trajectory], every: f64, rng: &mut Pcg64Mcg) {
    let network = &city.roads.network;
    let lengths = city.roads.lengths();
    let (mut right, mut all, mut detour_right, mut detour_all) = (0.0, 0.0, 0.0, 0.0);
    let mut count = 0;
    for drive in drives {
        let at = rng.random_range(drive.states.len() / 4..3 * drive.states.len() / 4);
        let (from, to) = (drive.states[at], drive.states[at + 1]);
        let aside = Search::new(network, from);
        let there = rng.random_range(0..network.n_segments());
        let back = Search::new(network, there);
        let metres = aside.metres[there] + back.metres[to];
        if !(DETOURS[0]..DETOURS[1]).contains(&metres) {
            continue;
        }
        let mut states = drive.states[..=at].to_vec();
        let first = states.len();
        states.extend(aside.way(there).into_iter().skip(1));
        states.extend(back.way(to).into_iter().skip(1));
        let last = states.len();
        states.extend(&drive.states[at + 2..]);
        let found = route(matcher, &trip(city, &states, every, rng));
        let truth: Vec<u32> = states.iter().map(|&state| state as u32).collect();
        let length = |truth: &[u32]| truth.iter().map(|&one| lengths[one as usize]).sum::<f64>();
        right += length(&truth) * length_right(&truth, &found, &lengths);
        all += length(&truth);
        let detour = &truth[first..last];
        detour_right += detour.iter().filter(|one| found.contains(one)).map(|&one| lengths[one as usize]).sum::<f64>();
        detour_all += length(detour);
        count += 1;
    }
    println!(
        "\n{count} drives with a detour of {:.0} to {:.0} m: {:.4} of the length is right,",
        DETOURS[0],
        DETOURS[1],
        right / all
    );
    println!("and {:.4} of the detours is found", detour_right / detour_all);
}

/// Shortest ways from a segment to all others.
struct Search {
    from: usize,
    metres: Vec<f64>,
    before: Vec<usize>,
}

impl Search {
    fn new(network: &Network, from: usize) -> Search {
        let n = network.n_segments();
        let (mut metres, mut before) = (vec![f64::INFINITY; n], vec![usize::MAX; n]);
        let mut open = BinaryHeap::from([(Reverse(0), from)]);
        metres[from] = 0.0;
        while let Some((Reverse(bits), here)) = open.pop() {
            if f64::from_bits(bits) > metres[here] {
                continue;
            }
            for &next in network.turns_of(here) {
                let reached = metres[here] + network.segments[next as usize].length;
                if reached < metres[next as usize] {
                    (metres[next as usize], before[next as usize]) = (reached, here);
                    open.push((Reverse(reached.to_bits()), next as usize));
                }
            }
        }
        Search { from, metres, before }
    }

    /// The way to a segment, with both ends.
    fn way(&self, to: usize) -> Vec<usize> {
        let mut way = vec![to];
        while way[way.len() - 1] != self.from {
            way.push(self.before[way[way.len() - 1]]);
        }
        way.reverse();
        way
    }
}
