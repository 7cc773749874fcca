//! Runs a target on mutated inputs, on stable Rust. What leads to a message that was not seen before is kept and
//! mutated further, which finds its way into a format as coverage does.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::mutation::Mutator;
use crate::scratch::Scratch;
use crate::target::Target;

/// An input that takes longer is a finding.
const SLOW: Duration = Duration::from_secs(10);
/// Among so many kept inputs new ones are found; more would only be repeated.
const MOST_KEPT: usize = 5000;

/// How long to run.
#[derive(Debug, Clone, Copy)]
pub struct Drive {
    /// At most so many inputs.
    pub executions: u64,
    /// At most so long.
    pub time: Duration,
    /// The same seed gives the same inputs.
    pub seed: u64,
}

/// What a run found.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// The number of inputs.
    pub executions: u64,
    /// Inputs that were accepted.
    pub accepted: u64,
    /// Different messages, numbers aside.
    pub messages: usize,
    /// The longest time of an input.
    pub slowest: Duration,
    /// The first fault.
    pub finding: Option<Finding>,
}

/// An input that shows a fault.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The input.
    pub input: Vec<u8>,
    /// What went wrong.
    pub what: String,
}

/// Runs a target on its inputs, and then on mutations of them, until time is up or something is wrong.
pub fn drive(target: &Target, inputs: &[Vec<u8>], limits: Drive) -> Tally {
    let (mut scratch, mut mutator) = (Scratch::new(), Mutator::new(limits.seed, target.words));
    let (mut pool, mut seen, mut tally) = (inputs.to_vec(), HashSet::new(), Tally::default());
    // What is valid leads deeper than what is not, of which there is more: each is mutated every second time.
    let mut valid = inputs.to_vec();
    let begun = Instant::now();
    while tally.executions < limits.executions && begun.elapsed() < limits.time {
        let input = match pool.get(tally.executions as usize).filter(|_| (tally.executions as usize) < inputs.len()) {
            Some(seed) => seed.clone(),
            None => {
                let from = if tally.executions.is_multiple_of(2) { &valid } else { &pool };
                let (one, other) = (mutator.choose(from).to_vec(), mutator.choose(&pool).to_vec());
                mutator.mutate(&one, &other)
            }
        };
        let clock = Instant::now();
        let answer = catch_unwind(AssertUnwindSafe(|| (target.run)(&mut scratch, &input)));
        let elapsed = clock.elapsed();
        tally.executions += 1;
        tally.slowest = tally.slowest.max(elapsed);
        let wrong = match &answer {
            Err(panic) => Some(text_of(panic.as_ref())),
            Ok(_) if elapsed > SLOW => Some(format!("it took {:.1} s", elapsed.as_secs_f64())),
            Ok(_) => None,
        };
        if let Some(what) = wrong {
            tally.finding = Some(Finding { input, what });
            break;
        }
        let accepted = matches!(answer, Ok(Ok(())));
        tally.accepted += u64::from(accepted);
        let kind = match answer {
            Ok(Err(message)) => kind_of(&message),
            _ => format!("accepted, of {} bytes", input.len().next_power_of_two()),
        };
        if seen.insert(kind) && pool.len() < MOST_KEPT {
            if accepted {
                valid.push(input.clone());
            }
            pool.push(input);
        }
    }
    tally.messages = seen.len();
    tally
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    format!("it panics: {}", text.unwrap_or("without a message"))
}

/// A message without its numbers, its quoted texts, and the words that it takes from the input: what is left of its
/// first words of small letters.
fn kind_of(message: &str) -> String {
    let told = message.split('"').step_by(2).flat_map(|part| part.split(|character: char| !character.is_ascii_lowercase()));
    told.filter(|word| word.len() > 1).take(24).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Drive = Drive { executions: 200_000, time: Duration::from_secs(60), seed: 1 };

    /// The driver finds a fault that hides behind three characters.
    #[test]
    fn a_fault_is_found() {
        let run = |_: &mut Scratch, input: &[u8]| match input {
            [b'1', b',', b'-', ..] => panic!("found"),
            [b'1', b',', ..] => Err("the number is missing".to_string()),
            [b'1', ..] => Err("the comma is missing".to_string()),
            _ => Err("the one is missing".to_string()),
        };
        let target = Target { name: "hidden", run, seeds: || vec![b"0".to_vec()], words: &["1", ",", "-"] };
        let tally = drive(&target, &(target.seeds)(), LIMITS);
        assert_eq!(tally.finding.unwrap().what, "it panics: found");
    }

    #[test]
    fn the_same_seed_gives_the_same_run() {
        let target = crate::target::target("pairs_csv").unwrap();
        let limits = Drive { executions: 500, ..LIMITS };
        let [one, other] = [(); 2].map(|()| drive(target, &(target.seeds)(), limits));
        assert_eq!((one.accepted, one.messages), (other.accepted, other.messages));
        assert!(one.accepted > 0 && one.messages > 3 && one.finding.is_none(), "{one:?}");
    }
}
