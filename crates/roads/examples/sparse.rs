//! Matches trips of the made-up city whose routes are known, with fixes as far apart as wanted, by lengths and by learned
//! preferences: `sparse [seconds between fixes] [rounds] [trips]`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::HashMap;
use std::error::Error;

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use revealed::{Trajectory, Watch, Work};
use revealed_formats::demonstrations;
use revealed_roads::matching::{Round, length_right, preferring, refine};
use revealed_roads::{CityOptions, MatchOptions, MatchOutputs, Matcher, TraceOptions, city, match_files, trace};

/// Trips of fewer states are over before there are three fixes a quarter of a minute apart.
const LEAST_STATES: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |place: usize, usual: f64| arguments.get(place).map_or(Ok(usual), |text| text.parse());
    let (every, rounds, count) = (number(1, 60.0)?, number(2, 5.0)? as usize, number(3, 500.0)? as usize);
    let city = city(&CityOptions { seed: 7, ..CityOptions::default() })?;
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    let drives = city.trips(6 * count, 7)?;
    let drives: Vec<Trajectory> = drives.into_iter().filter(|drive| drive.states.len() >= LEAST_STATES).take(count).collect();
    let folder = tempfile::tempdir()?;
    let (file, paths) = (folder.path().join("trips.csv"), folder.path().join("paths.jsonl"));
    let mut table = String::from("trip,time,lat,lon\n");
    for drive in &drives {
        let fixes = trace(&city.roads, &drive.states, &TraceOptions { every, ..TraceOptions::default() }, &mut rng);
        for (place, seconds) in fixes {
            table += &format!("{},{seconds},{},{}\n", drive.id.as_deref().unwrap_or(""), place.lat, place.lon);
        }
    }
    std::fs::write(&file, table)?;
    let lengths = city.roads.lengths();
    let right = || -> Result<f64, Box<dyn Error>> {
        let mut found: HashMap<String, Vec<u32>> = HashMap::new();
        for path in demonstrations::load(&paths)? {
            let states = path.states.iter().map(|&state| state as u32);
            found.entry(path.id.unwrap_or_default()).or_default().extend(states);
        }
        let (mut sum, mut all) = (0.0, 0.0);
        for drive in &drives {
            let truth: Vec<u32> = drive.states.iter().map(|&state| state as u32).collect();
            let metres: f64 = drive.states.iter().map(|&state| lengths[state]).sum();
            let found = found.get(drive.id.as_deref().unwrap_or("")).map_or(&[] as &[u32], Vec::as_slice);
            sum += metres * length_right(&truth, found, &lengths);
            all += metres;
        }
        Ok(sum / all)
    };
    let options = MatchOptions { least_seconds: 0.0, least_metres: 0.0, ..MatchOptions::default() };
    let outputs = MatchOutputs { paths: &paths, details: false, lines: None, dropped: None };
    println!("{} trips, a fix every {every} s, 10 m of noise", drives.len());
    let strict = MatchOptions { strict: true, keep_cyclic: true, ..options.clone() };
    let matcher = Matcher::new(&city.roads.network, strict)?;
    let tally = match_files(&city.roads, &matcher, &file, &outputs, &Work::default(), &Watch::none())?;
    println!("strict                    {:.4} of the length is right, {} of {} matched", right()?, tally.matched, tally.trips);
    let matcher = Matcher::new(&city.roads.network, options.clone())?;
    let tally = match_files(&city.roads, &matcher, &file, &outputs, &Work::default(), &Watch::none())?;
    println!("by lengths                {:.4} of the length is right, {} of {} matched", right()?, tally.matched, tally.trips);
    let problem = city.roads.problem()?;
    let matcher = preferring(&city.roads, &problem, &city.theta, options.clone())?;
    match_files(&city.roads, &matcher, &file, &outputs, &Work::default(), &Watch::none())?;
    println!("by the true preferences   {:.4}", right()?);
    let mut hear = |round: &Round| {
        let right = right().unwrap_or(f64::NAN);
        println!(
            "round {}: {:.4}, {:.4} of the states changed, log-likelihood {:.4}",
            round.number, right, round.changed, round.log_likelihood
        );
    };
    let tell = (&mut hear as &mut dyn FnMut(&Round), &Watch::none());
    refine(&city.roads, &file, &outputs, (&options, rounds), &Work::default(), tell)?;
    Ok(())
}
