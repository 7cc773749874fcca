//! `revealed destinations --follow`: the ranking after each step of a path that grows.

use std::io::{self, BufRead};

use revealed::Trajectory;
use revealed_formats::Problem;

use super::{Ranked, Ranking};
use crate::args::states::note_start;
use crate::terminal::notes::status;
use crate::terminal::{Failure, Output};

/// Reads steps from stdin until it ends. A line that is not a possible step is reported and ignored. A step after which
/// there is no posterior (no path of the model continues from it) is reported and still belongs to the path.
pub fn follow(
    ranking: &mut Ranking<'_, '_>,
    problem: &Problem,
    begun: Option<Trajectory>,
    output: Output,
) -> Result<(), Failure> {
    let mut path = Trajectory::new(Vec::new(), Vec::new());
    if let Some(prefix) = begun {
        let ranked = ranking.of(&prefix)?;
        note_start(problem, Some(prefix.states[0]));
        if !show(&ranked, output)? {
            return Ok(());
        }
        path = prefix;
    }
    let mut stdin = io::stdin().lock();
    let mut bytes = Vec::new();
    for line in 1_usize.. {
        bytes.clear();
        let read = stdin.read_until(b'\n', &mut bytes).map_err(|error| Failure::new(format!("stdin, line {line}: {error}")))?;
        if read == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&bytes);
        let numbers: Vec<&str> = text.split(|c: char| c.is_whitespace() || c == ',').filter(|part| !part.is_empty()).collect();
        if !numbers.is_empty() && !step(ranking, problem, &mut path, line, &numbers, output)? {
            break;
        }
    }
    Ok(())
}

/// Takes one step and prints the ranking after it. False if the reader has closed stdout.
fn step(
    ranking: &mut Ranking<'_, '_>,
    problem: &Problem,
    path: &mut Trajectory,
    line: usize,
    numbers: &[&str],
    output: Output,
) -> Result<bool, Failure> {
    let begins = path.states.is_empty();
    let longer = extended(path, numbers).and_then(|longer| {
        let possible = ranking.check(&longer);
        possible.map(|_| longer).map_err(|error| error.to_string())
    });
    match longer {
        Ok(longer) => *path = longer,
        Err(message) => return complain(line, &format!("{message}; it is skipped"), output),
    }
    match ranking.of(path) {
        Ok(ranked) => {
            if begins {
                note_start(problem, Some(path.states[0]));
            }
            show(&ranked, output)
        }
        Err(error) => complain(line, &error.to_string(), output),
    }
}

/// Says what is wrong with a line, for programs as an answer like the others. False if the reader has closed stdout.
fn complain(line: usize, message: &str, output: Output) -> Result<bool, Failure> {
    status(format_args!("stdin, line {line}: {message}"));
    output.print_now("", &serde_json::json!({ "line": line, "error": message }))
}

/// The path with what a line says.
fn extended(path: &Trajectory, parts: &[&str]) -> Result<Trajectory, String> {
    let number = |text: &str, what: &str| {
        let shown: String = text.chars().take(40).collect();
        text.parse::<usize>().map_err(|_| format!("{shown:?} is not {what}: give a number from 0 on"))
    };
    let mut longer = path.clone();
    match (path.states.is_empty(), parts) {
        (true, [state]) => longer.states.push(number(state, "a state")?),
        (true, _) => return Err(format!("it has {} numbers: the first line is a state alone", parts.len())),
        (false, [action, state]) => {
            longer.actions.push(number(action, "an action")?);
            longer.states.push(number(state, "a state")?);
        }
        (false, _) => return Err(format!("it has {} numbers: give an action and the state that it led to", parts.len())),
    }
    Ok(longer)
}

/// Prints at once. False if the reader has closed stdout.
fn show(ranked: &Ranked<'_>, output: Output) -> Result<bool, Failure> {
    match output.json {
        true => output.print_now("", &ranked.json()),
        false => output.print_now(&ranked.line(), &serde_json::Value::Null),
    }
}
