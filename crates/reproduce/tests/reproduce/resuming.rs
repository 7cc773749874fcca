//! Runs that are stopped and continued.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use revealed::{Step, Watch};
use revealed_reproduce::{Error, Experiment, Outcome, Settings, run};

/// Runs `propositions` on a thread, and stops it after so many units.
fn propositions(folder: &Path, seed: u64, units: usize) -> Result<Outcome, Error> {
    let settings = Settings { repeats: Some(2), seed, threads: Some(1), ..Settings::default() };
    let mut done = 0;
    let mut hear = |step: &Step<'_>| {
        done = step.parts().map_or(done, |(finished, _)| finished);
        if done >= units { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    run(&[Experiment::Propositions], &settings, folder, false, &Watch::new(&mut hear))
}

#[test]
fn a_run_that_was_stopped_continues_and_gives_the_same_bytes() {
    let [whole, parts] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let all = propositions(whole.path(), 1, usize::MAX).unwrap();
    assert_eq!((all.unfinished, all.tallies[0].done), (None, 12));

    let stopped = propositions(parts.path(), 1, 5).unwrap().unfinished.unwrap();
    assert_eq!((stopped.kept, stopped.done, stopped.units), (0, 5, 12));
    assert!(parts.path().join("propositions.partial").is_file() && !parts.path().join("propositions.csv").exists());
    let continued = propositions(parts.path(), 1, usize::MAX).unwrap().tallies[0];
    assert_eq!((continued.kept, continued.done), (5, 7));
    for file in ["propositions.csv", "propositions.json", "propositions-visits.svg"] {
        assert_eq!(fs::read(parts.path().join(file)).unwrap(), fs::read(whole.path().join(file)).unwrap(), "{file}");
    }
    assert_eq!(page(parts.path()), page(whole.path()));
}

/// The page without the date and the times of the run.
fn page(folder: &Path) -> String {
    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    let (before, rest) = page.split_once("<section id=\"provenance\">").unwrap();
    let (provenance, after) = rest.split_once("<!-- provenance -->").unwrap();
    assert!(provenance.contains(" UTC</td>") && provenance.contains(env!("CARGO_PKG_VERSION")), "{provenance}");
    format!("{before}{after}")
}

#[test]
fn results_of_other_settings_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    propositions(folder.path(), 1, 3).unwrap();
    let message = propositions(folder.path(), 2, usize::MAX).unwrap_err().to_string();
    assert!(message.contains("seed 1, but this run has seed 2") && message.contains("--fresh"), "{message}");
}
