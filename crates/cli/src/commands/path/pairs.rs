//! `revealed path --pairs`: the likeliest paths between many pairs of states.

use std::fmt::Write;
use std::io;
use std::path::Path;
use std::time::Instant;

use revealed::{Error, Horizon, Itineraries, Mdp, PathModel, Route, Routes, Work};
use revealed_formats::{Pair, atomic, load_pairs};
use serde_json::{Value, json};

use super::PathArgs;
use crate::args::horizon::in_json;
use crate::args::path_set::check_weights;
use crate::files::output_file::check_optional;
use crate::terminal::listing::LISTED;
use crate::terminal::notes::{note, status};
use crate::terminal::progress_bar::{Bar, Done};
use crate::terminal::{Failure, Output, interrupt};

/// The number of pairs that are answered between two checks for Ctrl-C.
const CHUNK: usize = 512;
/// Smaller networks are prepared before anybody wonders.
const LARGE: usize = 20_000;
/// For fewer pairs on a large network, one search each takes less time than the preparation.
const WORTH_PREPARING: usize = 50;

/// Answers every pair of the file.
pub fn run(args: &PathArgs, pairs: &Path, output: Output) -> Result<(), Failure> {
    let inputs: Vec<&Path> = args.files.inputs().into_iter().chain([pairs]).collect();
    check_optional(args.output.as_deref(), &inputs, "the paths", "jsonl")?;
    let (problem, model) = args.files.load()?;
    let model = args.path_set.path_model(&problem, &model)?;
    check_weights(&model, "--pairs", "ask for one pair at a time with --from and --to")?;
    let pairs = load_pairs(pairs, problem.mdp.n_states())?;
    let mut queries = Queries::prepare(&model, args, pairs.len())?;
    note_starts(&problem.mdp, &pairs);
    interrupt::listen();
    let mut answers = Vec::new();
    match &args.output {
        Some(file) => queries.write(&pairs, file)?,
        None => {
            let mut keep = |answer| {
                answers.push(answer);
                Ok(())
            };
            queries.answer(&pairs, &mut keep).map_err(Failure::new)?;
        }
    }
    if queries.n_answered < pairs.len() {
        return Err(queries.interrupted(pairs.len(), args.output.as_deref()));
    }
    let (words, json) = queries.report(&answers, args.output.as_deref());
    output.print(&words, &json)
}

/// Prints a note if some pairs begin in states with start probability 0.
fn note_starts(mdp: &Mdp, pairs: &[Pair]) {
    let elsewhere = pairs.iter().filter(|pair| mdp.start_probability(pair.from) == 0.0).count();
    if elsewhere > 0 {
        note(format!(
            "{elsewhere} of {} pairs begin where no path of the problem does (start probability 0): the answers are given \
             that one does",
            pairs.len()
        ));
    }
}

/// The network, prepared for many queries, and their results.
struct Queries<'a> {
    itineraries: Itineraries<'a>,
    work: Work,
    seconds_preparing: f64,
    seconds: f64,
    n_answered: usize,
    n_found: usize,
}

impl<'a> Queries<'a> {
    fn prepare(model: &PathModel<'a>, args: &PathArgs, n: usize) -> Result<Self, Failure> {
        let (is_bounded, work) = (model.horizon() != Horizon::Any, args.work.of_engine());
        let n_states = model.mdp().n_states();
        let unprepared = Queries {
            itineraries: Itineraries::new(model, is_bounded, false)?,
            work,
            seconds_preparing: 0.0,
            seconds: 0.0,
            n_answered: 0,
            n_found: 0,
        };
        if n_states >= LARGE && n < WORTH_PREPARING {
            return Ok(unprepared);
        }
        if n_states >= LARGE {
            status(format!(
                "preparing the network of {n_states} states, so that {n} queries are fast; this takes some seconds"
            ));
        }
        let begun = Instant::now();
        let itineraries = Itineraries::new(model, is_bounded, true)?;
        if let Some(error) = itineraries.refused() {
            note(format!("{error}. Every pair is searched for within the horizon of {}", model.horizon()));
        }
        // Threads that cannot be had are better known before the work than in it.
        itineraries.find(&[], &work)?;
        Ok(Queries { itineraries, seconds_preparing: begun.elapsed().as_secs_f64(), ..unprepared })
    }

    /// Writes a line for each pair, up to the one where the user asked to stop.
    fn write(&mut self, pairs: &[Pair], file: &Path) -> Result<(), Failure> {
        Ok(atomic::write(file, |writer| {
            self.answer(pairs, &mut |answer| {
                serde_json::to_writer(&mut *writer, &answer)?;
                writer.write_all(b"\n")
            })
        })?)
    }

    /// Answers one chunk after another, until all are done or the user asked to stop.
    fn answer(&mut self, pairs: &[Pair], keep: &mut dyn FnMut(Value) -> io::Result<()>) -> io::Result<()> {
        let mut bar = Bar::new();
        // Without a prepared network a single pair may take a second. If a cycle has a weight above 1, many pairs share
        // a search.
        let at_once = match (self.itineraries.routes(), self.itineraries.refused()) {
            (Some(_), _) => CHUNK,
            (None, Some(_)) => CHUNK / 8,
            (None, None) => 1,
        };
        for chunk in pairs.chunks(at_once) {
            let begun = Instant::now();
            let ends: Vec<(usize, usize)> = chunk.iter().map(|pair| (pair.from, pair.to)).collect();
            let found = match self.itineraries.find(&ends, &self.work) {
                Err(Error::Stopped) => break,
                found => found.map_err(io::Error::other)?,
            };
            self.seconds += begun.elapsed().as_secs_f64();
            for (pair, found) in chunk.iter().zip(found) {
                self.n_found += usize::from(found.is_ok());
                keep(self.line(pair, found))?;
            }
            self.n_answered += chunk.len();
            bar.show("pairs", Done::Of(self.n_answered, pairs.len()), String::new);
            if interrupt::asked() {
                break;
            }
        }
        bar.finish();
        Ok(())
    }

    fn line(&self, pair: &Pair, found: Result<Route, Error>) -> Value {
        let mdp = self.itineraries.model().mdp();
        let mut line = json!({ "from": pair.from, "to": pair.to });
        if let Some(id) = &pair.id {
            line["id"] = json!(id);
        }
        match found {
            Ok(Route { states, transitions, log_weight }) => {
                let action = |transition| mdp.action_of(mdp.choice_of()[transition] as usize);
                line["states"] = json!(states);
                line["actions"] = transitions.into_iter().map(action).collect();
                line["log_weight"] = json!(log_weight);
            }
            Err(error) => line["error"] = json!(error.to_string()),
        }
        line
    }

    fn interrupted(&self, n_pairs: usize, file: Option<&Path>) -> Failure {
        let done = format!("{} of {n_pairs} pairs are answered", self.n_answered);
        Failure::Interrupted(match file {
            Some(file) => format!("{done}; these answers are in {}", file.display()),
            None => format!("{done}, and nothing is kept: give a file with -o to keep the answers"),
        })
    }

    fn report(&self, answers: &[Value], file: Option<&Path>) -> (String, Value) {
        let (n, found) = (self.n_answered, self.n_found);
        let each = 1e6 * self.seconds / n as f64;
        let mut json = json!({
            "n_pairs": n, "n_found": found, "seconds_preparing": self.seconds_preparing, "seconds_queries": self.seconds,
            "microseconds_per_query": each, "horizon": in_json(self.itineraries.model().horizon()),
            "ends": self.itineraries.model().ends().name(), "error_bound": self.itineraries.routes().map(Routes::error_bound),
        });
        let mut words = String::new();
        match file {
            Some(file) => json["file"] = json!(file.display().to_string()),
            None => json["paths"] = json!(answers),
        }
        answers.iter().take(LISTED).for_each(|answer| words += &text(answer));
        if answers.len() > LISTED {
            let _ = writeln!(words, "and {} more: --json prints them all, -o writes them", answers.len() - LISTED);
        }
        let _ = write!(
            words,
            "{n} pairs, {found} with a path; prepared in {:.2} s, answered in {:.2} s ({each:.0} µs each)",
            self.seconds_preparing, self.seconds
        );
        words += &file.map_or("\n".to_string(), |file| format!("; written to {}\n", file.display()));
        (words, json)
    }
}

/// One answer on a line.
fn text(answer: &Value) -> String {
    let (from, to) = (&answer["from"], &answer["to"]);
    match (&answer["error"], answer["states"].as_array()) {
        (Value::String(error), _) => format!("{from} to {to}: {error}\n"),
        (_, states) => {
            let log_weight = answer["log_weight"].as_f64().unwrap_or(f64::NAN);
            format!("{from} to {to}: {} states, log-weight {log_weight:.6}\n", states.map_or(0, Vec::len))
        }
    }
}
