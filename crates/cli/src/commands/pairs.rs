//! `revealed path --pairs`: the likeliest paths between many pairs of states.

use std::fmt::Write;
use std::io;
use std::path::Path;
use std::time::Instant;

use revealed::{Error, Itineraries, Mdp, PathModel, Route, Routes};
use revealed_formats::{Pair, Problem, atomic, load_pairs};
use serde_json::{Value, json};

use super::learn::{check_extension, check_output};
use super::load_model;
use crate::args::{BestPath, Length};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::progress::QueryProgress;
use crate::question::path_model;

/// Pairs that are answered between two looks at Ctrl-C.
const CHUNK: usize = 512;
/// How many answers are listed where they are not written to a file.
const LISTED: usize = 20;
/// Smaller networks are prepared before anybody wonders.
const LARGE: usize = 20_000;
/// For fewer pairs on a large network, a search each takes less time than the preparation.
const WORTH_PREPARING: usize = 50;

/// Answers every pair of the file.
pub fn run(args: &BestPath, pairs: &Path, output: Output) -> Result<(), Failure> {
    if let Some(file) = &args.output {
        check_output(file, &[&args.problem, &args.model, pairs], "the paths")?;
        check_extension(file, "jsonl")?;
    }
    let problem = Problem::load(&args.problem)?;
    let model = load_model(&args.model, &problem)?;
    let most = match args.horizon {
        Some(Length::Most(most)) => Some(most),
        Some(Length::Any) | None => None,
    };
    let model = path_model(&problem, &model, most, args.ends)?;
    let pairs = load_pairs(pairs, problem.mdp.n_states())?;
    let is_bounded = !matches!(args.horizon, Some(Length::Any));
    let memory = args.work.options(model.ends(), None).memory;
    let mut queries = Queries::prepare(&model, is_bounded, args.work.threads, memory, pairs.len())?;
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

/// Says so if paths are asked for that begin where none of the problem does.
fn note_starts(mdp: &Mdp, pairs: &[Pair]) {
    let elsewhere = pairs.iter().filter(|pair| mdp.start_probability(pair.from) == 0.0).count();
    if elsewhere > 0 {
        eprintln!(
            "note: {elsewhere} of {} pairs begin where no path of the problem does (start probability 0): the answers are given that \
             one does",
            pairs.len()
        );
    }
}

/// The network, prepared for many questions, and what came of them.
struct Queries<'a> {
    itineraries: Itineraries<'a>,
    is_bounded: bool,
    threads: Option<usize>,
    seconds_preparing: f64,
    seconds: f64,
    n_answered: usize,
    n_found: usize,
}

impl<'a> Queries<'a> {
    fn prepare(
        model: &PathModel<'a>,
        is_bounded: bool,
        threads: Option<usize>,
        memory: usize,
        n: usize,
    ) -> Result<Self, Failure> {
        let n_states = model.mdp().n_states();
        let unprepared = Queries {
            itineraries: Itineraries::new(model, is_bounded, false)?.with_memory(memory),
            is_bounded,
            threads,
            seconds_preparing: 0.0,
            seconds: 0.0,
            n_answered: 0,
            n_found: 0,
        };
        if n_states >= LARGE && n < WORTH_PREPARING {
            return Ok(unprepared);
        }
        if n_states >= LARGE {
            eprintln!("preparing the network of {n_states} states, so that {n} queries are fast; this takes some seconds");
        }
        let begun = Instant::now();
        let itineraries = Itineraries::new(model, is_bounded, true)?.with_memory(memory);
        if let Some(error) = itineraries.refused() {
            eprintln!("note: {error}. Every pair is searched for within the horizon of {}", model.horizon());
        }
        // Threads that cannot be had are better known before the work than in it.
        itineraries.find(&[], threads)?;
        Ok(Queries { itineraries, seconds_preparing: begun.elapsed().as_secs_f64(), ..unprepared })
    }

    /// Writes a line for each pair, up to the one where somebody asked to stop.
    fn write(&mut self, pairs: &[Pair], file: &Path) -> Result<(), Failure> {
        Ok(atomic::write(file, |writer| {
            self.answer(pairs, &mut |answer| {
                serde_json::to_writer(&mut *writer, &answer)?;
                writer.write_all(b"\n")
            })
        })?)
    }

    /// Answers one chunk after another, until all are done or somebody asked to stop.
    fn answer(&mut self, pairs: &[Pair], keep: &mut dyn FnMut(Value) -> io::Result<()>) -> io::Result<()> {
        let mut progress = QueryProgress::new(pairs.len());
        // Without a prepared network a single pair may take a second; where cycles gain, many share a search.
        let at_once = match (self.itineraries.routes(), self.itineraries.refused()) {
            (Some(_), _) => CHUNK,
            (None, Some(_)) => CHUNK / 8,
            (None, None) => 1,
        };
        for chunk in pairs.chunks(at_once) {
            let begun = Instant::now();
            let ends: Vec<(usize, usize)> = chunk.iter().map(|pair| (pair.from, pair.to)).collect();
            let found = self.itineraries.find(&ends, self.threads).map_err(io::Error::other)?;
            self.seconds += begun.elapsed().as_secs_f64();
            for (pair, found) in chunk.iter().zip(found) {
                self.n_found += usize::from(found.is_ok());
                keep(self.line(pair, found))?;
            }
            self.n_answered += chunk.len();
            progress.show(self.n_answered);
            if interrupt::asked() {
                break;
            }
        }
        progress.finish();
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
            None => format!("{done}, and nothing is kept: give a file with -o to keep what there is"),
        })
    }

    fn report(&self, answers: &[Value], file: Option<&Path>) -> (String, Value) {
        let (n, found) = (self.n_answered, self.n_found);
        let each = 1e6 * self.seconds / n as f64;
        let mut json = json!({
            "n_pairs": n, "n_found": found, "seconds_preparing": self.seconds_preparing, "seconds_queries": self.seconds,
            "microseconds_per_query": each, "horizon": self.is_bounded.then_some(self.itineraries.model().horizon()),
            "ends": self.itineraries.model().ends().name(), "error_bound": self.itineraries.routes().map(Routes::error_bound),
        });
        let mut words = String::new();
        match file {
            Some(file) => json["file"] = json!(file.display().to_string()),
            None => json["paths"] = json!(answers),
        }
        answers.iter().take(LISTED).for_each(|answer| words += &in_words(answer));
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
fn in_words(answer: &Value) -> String {
    let (from, to) = (&answer["from"], &answer["to"]);
    match (&answer["error"], answer["states"].as_array()) {
        (Value::String(error), _) => format!("{from} to {to}: {error}\n"),
        (_, states) => {
            let log_weight = answer["log_weight"].as_f64().unwrap_or(f64::NAN);
            format!("{from} to {to}: {} states, log-weight {log_weight:.6}\n", states.map_or(0, Vec::len))
        }
    }
}
