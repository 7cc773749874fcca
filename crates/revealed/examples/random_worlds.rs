//! Nine questions to random worlds with rewards from 1e-300 to 1e300, each compared with enumeration.
//!
//! `cargo run --release -p revealed --example random_worlds -- 10000` asks the worlds of the seeds 0 to 9,999. It prints
//! how many answers are equal to enumeration and how many are refused, by the kind of the error, and fails if there is
//! any other answer: a wrong number, one outside its range, or a panic. `oracle::ask` describes the questions.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use revealed::oracle::{ExtremeWorld, QUESTIONS, WorldOutcome, ask};

/// The bands of the largest reward of a world, for the second table.
const BANDS: [f64; 6] = [1.0, 1e3, 1e6, 1e12, 1e18, f64::INFINITY];

#[derive(Default)]
struct Counts {
    by_question: Vec<BTreeMap<String, usize>>,
    by_band: [BTreeMap<String, usize>; BANDS.len()],
    wrong: Vec<String>,
    /// An error whose seeds are printed.
    shows: Option<String>,
}

impl Counts {
    fn add(&mut self, seed: u64) {
        let world = ExtremeWorld::new(seed);
        let outcomes = catch_unwind(AssertUnwindSafe(|| ask(&world)))
            .unwrap_or_else(|_| vec![WorldOutcome::Wrong("a panic".to_string()); QUESTIONS.len()]);
        let largest = world.largest_reward();
        let band = BANDS.iter().position(|&most| largest <= most).unwrap_or(BANDS.len() - 1);
        self.by_question.resize(QUESTIONS.len(), BTreeMap::new());
        for (question, outcome) in outcomes.into_iter().enumerate() {
            if let WorldOutcome::Refused(kind) = &outcome
                && self.shows.as_ref() == Some(kind)
            {
                println!("seed {seed}, {}, rewards to {largest:e}: {kind}", QUESTIONS[question]);
            }
            let kind = match outcome {
                WorldOutcome::Equal => "equal".to_string(),
                WorldOutcome::Refused(error) => error,
                WorldOutcome::NotCompared => "not compared".to_string(),
                WorldOutcome::Wrong(what) => {
                    self.wrong.push(format!("seed {seed}, {}, rewards to {largest:e}: {what}", QUESTIONS[question]));
                    "WRONG".to_string()
                }
            };
            *self.by_band[band].entry(kind.clone()).or_default() += 1;
            *self.by_question[question].entry(kind).or_default() += 1;
        }
    }

    fn print(&self, worlds: u64) {
        println!("{worlds} worlds, {} questions each", QUESTIONS.len());
        for (question, kinds) in QUESTIONS.iter().zip(&self.by_question) {
            println!("{question:>13}: {}", listed(kinds));
        }
        println!("answers by the largest reward of the world:");
        for (most, kinds) in BANDS.iter().zip(&self.by_band) {
            println!("{:>13}: {}", format!("<= {most:e}"), listed(kinds));
        }
        println!("wrong: {}", self.wrong.len());
        self.wrong.iter().take(50).for_each(|wrong| println!("  {wrong}"));
    }
}

fn listed(kinds: &BTreeMap<String, usize>) -> String {
    let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    kinds.join(", ")
}

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).take(2).map(|argument| argument.parse::<u64>());
    let (Some(Ok(worlds)), first) = (numbers.next().or(Some(Ok(1000))), numbers.next().unwrap_or(Ok(0))) else {
        eprintln!("usage: random_worlds [NUMBER OF WORLDS] [FIRST SEED] [ERROR WHOSE SEEDS ARE SHOWN]");
        return ExitCode::from(2);
    };
    let first = first.unwrap_or(0);
    let mut counts = Counts { shows: std::env::args().nth(3), ..Counts::default() };
    (first..first + worlds).for_each(|seed| counts.add(seed));
    counts.print(worlds);
    if counts.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
