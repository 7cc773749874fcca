//! A minute of fuzzing, shared by all targets, and every input that once found a fault.

use std::path::Path;
use std::time::Duration;

use revealed_fuzz::{Drive, TARGETS, drive};

/// Of processor time, for all targets together.
const MINUTE: Duration = Duration::from_secs(60);

fn corpus() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus"))
}

#[test]
fn a_minute_finds_nothing() {
    let each = MINUTE / TARGETS.len() as u32;
    let halves: Vec<_> = TARGETS.chunks(TARGETS.len().div_ceil(2)).collect();
    std::thread::scope(|scope| {
        let run = |targets: &'static [revealed_fuzz::Target]| {
            for target in targets {
                let tally = drive(target, &target.inputs(corpus()), Drive { executions: u64::MAX, time: each, seed: 1 });
                let finding = tally.finding.map(|finding| (finding.what, String::from_utf8_lossy(&finding.input).into_owned()));
                assert!(finding.is_none(), "{}: {finding:#?}", target.name);
                eprintln!("{}: {} inputs, {} accepted", target.name, tally.executions, tally.accepted);
            }
        };
        let running: Vec<_> = halves.into_iter().map(|half| scope.spawn(move || run(half))).collect();
        running.into_iter().for_each(|one| one.join().expect("nothing is found"));
    });
}

/// The seeds are valid: a target that refuses all of them would test only its first check.
#[test]
fn every_target_accepts_a_seed() {
    for target in TARGETS {
        let mut scratch = revealed_fuzz::Scratch::new();
        let answers: Vec<_> = (target.seeds)().iter().map(|seed| (target.run)(&mut scratch, seed)).collect();
        assert!(answers.iter().any(Result::is_ok), "{}: {answers:?}", target.name);
    }
}

/// `cargo fuzz` has a program for each target.
#[test]
fn coverage_guided_targets_are_the_same() {
    // The corpus need not exist.
    let folder = corpus().parent().expect("the corpus is in a folder");
    let text = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for target in TARGETS {
        assert!(text.contains(&format!("name = \"{}\"", target.name)), "fuzz/Cargo.toml lacks {}", target.name);
        let file = folder.join(format!("fuzz_targets/{}.rs", target.name));
        assert!(file.exists(), "{} is missing", file.display());
    }
}
