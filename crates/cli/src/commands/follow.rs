//! `revealed destinations --follow`: the ranking after each step of a path that grows.

use std::io::{self, BufRead, Write};

use revealed::Trajectory;
use revealed_formats::Problem;

use super::destinations::{Ranked, Ranking};
use crate::failure::Failure;
use crate::output::Output;
use crate::question;

/// Reads steps from stdin until it ends. A line that is no step of the world is reported and left out. A step after which nothing can be
/// said (no path of the model goes on from there) is reported, and belongs to the path all the same.
pub fn follow(ranking: &mut Ranking<'_>, problem: &Problem, begun: Option<Trajectory>, output: Output) -> Result<(), Failure> {
    let mut path = Trajectory::new(Vec::new(), Vec::new());
    if let Some(prefix) = begun {
        let ranked = ranking.of(&prefix)?;
        question::note_start(problem, prefix.states[0]);
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
        if numbers.is_empty() {
            continue;
        }
        let step = extended(&path, &numbers).and_then(|longer| {
            let possible = ranking.paths().check_prefix(&longer);
            possible.map(|_| longer).map_err(|error| error.to_string())
        });
        let longer = match step {
            Ok(longer) => longer,
            Err(message) => {
                if !complain(line, &format!("{message}; it is left out"), output)? {
                    break;
                }
                continue;
            }
        };
        let begins = path.states.is_empty();
        path = longer;
        let goes_on = match ranking.of(&path) {
            Ok(ranked) => {
                if begins {
                    question::note_start(problem, path.states[0]);
                }
                show(&ranked, output)?
            }
            Err(error) => complain(line, &error.to_string(), output)?,
        };
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// Says what is wrong with a line, for programs as an answer like the others. False if nobody reads any more.
fn complain(line: usize, message: &str, output: Output) -> Result<bool, Failure> {
    eprintln!("stdin, line {line}: {message}");
    if !output.json {
        return Ok(true);
    }
    print_now(&format!("{}\n", serde_json::json!({ "line": line, "error": message })))
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

/// Prints at once. False if nobody reads any more.
fn show(ranked: &Ranked<'_>, output: Output) -> Result<bool, Failure> {
    print_now(&if output.json { format!("{}\n", ranked.json()) } else { ranked.line() })
}

fn print_now(text: &str) -> Result<bool, Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::new(format!("stdout: {error}"))),
        Ok(()) => Ok(true),
    }
}
