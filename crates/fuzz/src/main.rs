//! Runs targets for as long as you like, one thread for each core, and prints a table of what they did.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::Parser;
use revealed_fuzz::{Drive, TARGETS, Tally, Target, drive, target};

/// Run readers and algorithms on inputs that nobody would write
#[derive(Parser)]
struct Arguments {
    /// The targets [default: all]
    targets: Vec<String>,
    /// Inputs of each target
    #[arg(long, default_value_t = 10_000)]
    executions: u64,
    /// At most so many seconds for each target
    #[arg(long, default_value_t = 3600)]
    seconds: u64,
    /// The same seed gives the same inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Inputs that are kept, in a folder for each target. What is found is added to it
    #[arg(long, default_value = "fuzz/corpus")]
    corpus: PathBuf,
    /// Write the seeds of the targets to this folder, for `cargo fuzz`, and stop
    #[arg(long)]
    write_seeds: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(findings) => {
            eprintln!("{findings} targets found something: their inputs are in the corpus");
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<usize, String> {
    let unknown = |name: &String| {
        let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        format!("there is no target {name:?}: choose among {}", known.join(", "))
    };
    let chosen: Vec<&'static Target> = match arguments.targets.is_empty() {
        true => TARGETS.iter().collect(),
        false => {
            let found = arguments.targets.iter().map(|name| target(name).ok_or_else(|| unknown(name)));
            found.collect::<Result<_, _>>()?
        }
    };
    if let Some(folder) = &arguments.write_seeds {
        return write_seeds(folder, &chosen).map(|()| 0).map_err(|error| format!("{}: {error}", folder.display()));
    }
    // A panic is a finding, which is reported by name.
    std::panic::set_hook(Box::new(|_| {}));
    let (next, tallies) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(chosen.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(&target) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tally = one(target, arguments);
                    tallies.lock().unwrap_or_else(|poison| poison.into_inner()).push((target.name, tally));
                }
            });
        }
    });
    let mut tallies = tallies.into_inner().unwrap_or_else(|poison| poison.into_inner());
    tallies.sort_by_key(|(name, _)| TARGETS.iter().position(|target| target.name == *name));
    Ok(report(&tallies))
}

fn one(target: &Target, arguments: &Arguments) -> Tally {
    let limits = Drive { executions: arguments.executions, time: Duration::from_secs(arguments.seconds), seed: arguments.seed };
    let tally = drive(target, &target.inputs(&arguments.corpus), limits);
    if let Some(finding) = &tally.finding {
        let folder = arguments.corpus.join(target.name);
        let name = format!("found-{:016x}", hash(&finding.input));
        let kept = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(&name), &finding.input));
        let place = folder.join(name);
        eprintln!(
            "{}: {}; {}",
            target.name,
            finding.what,
            kept.map_or_else(|error| error.to_string(), |()| place.display().to_string())
        );
    }
    tally
}

fn report(tallies: &[(&str, Tally)]) -> usize {
    println!("| target | inputs | accepted | messages | slowest | found |\n|---|---|---|---|---|---|");
    for (name, tally) in tallies {
        let found = tally.finding.as_ref().map_or("nothing", |finding| finding.what.as_str());
        let slowest = tally.slowest.as_secs_f64() * 1e3;
        println!("| {name} | {} | {} | {} | {slowest:.0} ms | {found} |", tally.executions, tally.accepted, tally.messages);
    }
    let all: u64 = tallies.iter().map(|(_, tally)| tally.executions).sum();
    let findings = tallies.iter().filter(|(_, tally)| tally.finding.is_some()).count();
    println!("\n{all} inputs, {findings} findings");
    findings
}

fn write_seeds(folder: &Path, targets: &[&Target]) -> std::io::Result<()> {
    for target in targets {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("seed-{number}")), seed)?;
        }
    }
    Ok(())
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
