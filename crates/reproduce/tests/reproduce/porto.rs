//! The experiment on roads, on a small city that does not exist.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use revealed::{Step, Watch};
use revealed_reproduce::{Experiment, Outcome, PortoFiles, Settings, run};
use revealed_roads::{CityOptions, TraceOptions, city, trace, write_trips_csv};

/// The raw files of a city.
fn files(folder: &Path) -> PortoFiles {
    let city = city(&CityOptions { blocks: 12, ..CityOptions::default() }).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let options = TraceOptions::default();
    let trips = city.trips(400, 1).unwrap();
    let traced: Vec<_> = trips
        .iter()
        .map(|trip| (trip.id.clone().unwrap_or_default(), trace(&city.roads, &trip.states, &options, &mut rng)))
        .collect();
    let files = PortoFiles { trips: folder.join("trips.csv"), map: folder.join("city.osm"), tracks: Vec::new() };
    fs::write(&files.map, city.osm_xml()).unwrap();
    write_trips_csv(&files.trips, &traced).unwrap();
    files
}

/// Runs a quick look, and stops it after so many parts.
fn look(porto: &PortoFiles, folder: &Path, parts: usize) -> Outcome {
    let settings = Settings { quick: true, seed: 1, threads: Some(1), porto: porto.clone(), ..Settings::default() };
    let mut done = 0;
    let mut hear = |step: &Step<'_>| {
        done = step.parts().filter(|(_, all)| *all == 3).map_or(done, |(finished, _)| finished);
        if done >= parts { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    run(&[Experiment::Porto], &settings, folder, false, &Watch::new(&mut hear)).unwrap()
}

#[test]
fn a_stopped_run_continues_with_the_next_part_and_the_study_has_every_reading() {
    let raw = tempfile::tempdir().unwrap();
    let porto = files(raw.path());
    let folder = tempfile::tempdir().unwrap();
    let stopped = look(&porto, folder.path(), 1).unfinished.unwrap();
    assert_eq!((stopped.done, stopped.units), (1, 3));
    let outcome = look(&porto, folder.path(), usize::MAX);
    assert_eq!((outcome.tallies[0].kept, outcome.tallies[0].done), (1, 2));

    let results = fs::read_to_string(folder.path().join("porto.csv")).unwrap();
    let judged = results.lines().filter(|line| line.contains(",study,") && line.contains("\"model, distance match\""));
    // Eight bounds, and one network without U-turns.
    assert_eq!(judged.count(), 9, "{results}");
    let (_, section) = &outcome.sections[0];
    assert!(section.tables.iter().all(|table| table.header.len() <= 8), "a table is too wide");
    let number = |name: &str| section.numbers.iter().find(|number| number.name == name).and_then(|number| number.ours);
    // The same model is learned for the study and for the paper's rows, and θ is within its bounds.
    let theta: Vec<f64> = results
        .lines()
        .filter(|line| line.contains(",theta,routes with U-turns,"))
        .map(|line| line.split(',').nth(5).unwrap().parse().unwrap())
        .collect();
    assert!(theta.len() == 14 && theta.iter().all(|theta| (-0.01..=0.0).contains(theta)), "{theta:?}");
    let at_bounds = theta.iter().filter(|&&theta| theta == 0.0 || theta == -0.01).count();
    assert_eq!(number("weights-at-a-bound-u-turns"), Some(at_bounds as f64));
    // Shares of the forecast and of the driven route are two numbers.
    let [forecast, driven] = ["distance-match", "covered"].map(|of| number(&format!("shortest-path-{of}")).unwrap());
    assert!(forecast > 0.0 && driven > 0.0 && forecast != driven);
}
