//! Matches trips of the made-up city whose routes are known, with fixes as far apart as wanted, by lengths and by learned
//! preferences: `sparse [seconds between fixes] [rounds] [trips] [seed]`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use revealed::{Demonstrations, Ends, Horizon, MaxEnt, Method, Options, Trajectory, Watch, Work};
use revealed_formats::demonstrations;
use revealed_roads::matching::{Refinement, Round, length_right, preferring};
use revealed_roads::{City, CityOptions, MatchOptions, MatchOutputs, Matcher, TraceOptions, city, match_files, trace};

/// Trips of fewer states are over before there are three fixes a quarter of a minute apart.
const LEAST_STATES: usize = 20;
/// Other trips of the same drivers, from which preferences are learned, have another seed.
const OTHERS: u64 = 1000;

/// Trips whose routes are known.
struct Known {
    drives: Vec<Trajectory>,
    file: PathBuf,
    paths: PathBuf,
}

impl Known {
    /// Draws trips and writes their fixes.
    fn new(city: &City, folder: &Path, every: f64, count: usize, seed: u64) -> Result<Known, Box<dyn Error>> {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let long = |drive: &Trajectory| drive.states.len() >= LEAST_STATES;
        let drives: Vec<Trajectory> = city.trips(6 * count, seed)?.into_iter().filter(long).take(count).collect();
        let mut table = String::from("trip,time,lat,lon\n");
        for drive in &drives {
            let fixes = trace(&city.roads, &drive.states, &TraceOptions { every, ..TraceOptions::default() }, &mut rng);
            for (place, seconds) in fixes {
                table += &format!("{},{seconds},{},{}\n", drive.id.as_deref().unwrap_or(""), place.lat, place.lon);
            }
        }
        let (file, paths) = (folder.join(format!("trips-{seed}.csv")), folder.join(format!("paths-{seed}.jsonl")));
        std::fs::write(&file, table)?;
        Ok(Known { drives, file, paths })
    }

    fn outputs(&self) -> MatchOutputs<'_> {
        MatchOutputs { paths: &self.paths, details: false, lines: None, dropped: None }
    }

    /// The share of the length that is right.
    fn right(&self, city: &City) -> Result<f64, Box<dyn Error>> {
        let mut found: HashMap<String, Vec<u32>> = HashMap::new();
        for path in demonstrations::load(&self.paths)? {
            let states = path.states.iter().map(|&state| state as u32);
            found.entry(path.id.unwrap_or_default()).or_default().extend(states);
        }
        let lengths = city.roads.lengths();
        let (mut sum, mut all) = (0.0, 0.0);
        for drive in &self.drives {
            let truth: Vec<u32> = drive.states.iter().map(|&state| state as u32).collect();
            let metres: f64 = drive.states.iter().map(|&state| lengths[state]).sum();
            let found = found.get(drive.id.as_deref().unwrap_or("")).map_or(&[] as &[u32], Vec::as_slice);
            sum += metres * length_right(&truth, found, &lengths);
            all += metres;
        }
        Ok(sum / all)
    }

    /// Matches and prints the share.
    fn print(&self, city: &City, name: &str, matcher: &Matcher<'_>) -> Result<(), Box<dyn Error>> {
        let begun = Instant::now();
        let tally = match_files(&city.roads, matcher, &self.file, &self.outputs(), &Work::default(), &Watch::none())?;
        let (right, seconds) = (self.right(city)?, begun.elapsed().as_secs_f64());
        println!("{name:<34} {right:.4} of the length is right, {} of {} matched, {seconds:.1} s", tally.matched, tally.trips);
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |place: usize, usual: f64| arguments.get(place).map_or(Ok(usual), |text| text.parse());
    let (every, rounds, count) = (number(1, 60.0)?, number(2, 5.0)? as usize, number(3, 500.0)? as usize);
    let seed = number(4, 7.0)? as u64;
    let city = city(&CityOptions { seed, ..CityOptions::default() })?;
    let folder = tempfile::tempdir()?;
    let known = Known::new(&city, folder.path(), every, count, seed)?;
    println!("seed {seed}: {} trips, a fix every {every} s, 10 m of noise", known.drives.len());
    let options = MatchOptions { least_seconds: 0.0, least_metres: 0.0, ..MatchOptions::default() };
    let strict = MatchOptions { strict: true, keep_cyclic: true, ..options.clone() };
    known.print(&city, "strict", &Matcher::new(&city.roads.network, strict)?)?;
    known.print(&city, "by lengths", &Matcher::new(&city.roads.network, options.clone())?)?;
    let problem = city.roads.problem()?;
    known.print(&city, "by the true preferences", &preferring(&city.roads, &problem, &city.theta, options.clone())?)?;
    let theta = learned(&city, folder.path(), count, seed + OTHERS, &options)?;
    known.print(&city, "by preferences from other trips", &preferring(&city.roads, &problem, &theta, options.clone())?)?;
    if rounds > 0 {
        let mut hear = |round: &Round| {
            let right = known.right(&city).unwrap_or(f64::NAN);
            println!(
                "round {}: {:.4}, {:.4} of the states changed, log-likelihood {:.4}",
                round.number, right, round.changed, round.log_likelihood
            );
        };
        let refinement = Refinement { roads: &city.roads, options: &options, rounds, work: Work::default() };
        refinement.run(&known.file, &known.outputs(), &mut hear, &Watch::none())?;
    }
    Ok(())
}

/// The preferences by other trips of the same drivers, with a fix every 15 seconds and matched by lengths.
fn learned(city: &City, folder: &Path, count: usize, seed: u64, options: &MatchOptions) -> Result<Vec<f64>, Box<dyn Error>> {
    let others = Known::new(city, folder, 15.0, count, seed)?;
    let matcher = Matcher::new(&city.roads.network, options.clone())?;
    match_files(&city.roads, &matcher, &others.file, &others.outputs(), &Work::default(), &Watch::none())?;
    let problem = city.roads.problem()?;
    let demos = Demonstrations::new(&problem.mdp, &demonstrations::load(&others.paths)?)?;
    let engine = Options { ends: Ends::Goal, horizon: Some(Horizon::Any), ..Options::default() };
    let settings = MaxEnt { method: Method::RecursiveLogit, options: engine, ..MaxEnt::default() };
    Ok(settings.fit(&problem.mdp, &problem.features, &demos)?.theta)
}
