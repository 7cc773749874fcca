//! `--engine`: the worlds are placed in other processes by the Python package, which answers the questions of the
//! search.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use clap::Args;
use revealed::{Answer, Error, MaxEnt, Parts, Question};
use revealed_formats::{answer_of_line, question_line};
use serde_json::{Value, json};

use crate::args::choice::choice;
use crate::files::worlds::World;
use crate::terminal::{Failure, interrupt};

/// The environment variable with the Python interpreter.
const PYTHON: &str = "REVEALED_PYTHON";

/// Where the worlds are placed.
#[derive(Args)]
pub struct EngineArgs {
    /// Place the worlds in other processes, by the Python package: Ray (one machine or a cluster), processes, or joblib
    /// [default: none]. The result does not depend on it
    #[arg(long, value_name = "ENGINE", value_parser = engine())]
    pub engine: Option<&'static str>,
    /// Address of a Ray cluster, such as auto or ray://head:10001 [default: this machine alone]
    #[arg(long, value_name = "ADDRESS", requires = "engine")]
    pub address: Option<String>,
    /// With ends goal, divide the demonstrations of each world by their last states into this many parts
    #[arg(long, value_name = "K", default_value_t = 1, requires = "engine")]
    pub groups: usize,
    /// Number of workers [default: one a node with Ray, else one a core]. The result does not depend on it
    #[arg(long, value_name = "N", requires = "engine")]
    pub workers: Option<usize>,
}

fn engine() -> impl clap::builder::TypedValueParser<Value = &'static str> {
    choice(
        &["ray", "processes", "joblib"],
        |name| name,
        |name| match name {
            "ray" => "Ray actors, one a node: pip install 'revealed[ray]'",
            "processes" => "Processes of this machine",
            _ => "joblib's workers",
        },
    )
}

/// A process of Python that has placed the worlds.
pub struct EngineProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    name: String,
}

impl EngineProcess {
    /// Starts it, and waits until the worlds are placed.
    pub fn start(args: &EngineArgs, name: &str, settings: &MaxEnt, worlds: &[World]) -> Result<EngineProcess, Failure> {
        let python = std::env::var(PYTHON).unwrap_or_else(|_| "python3".to_string());
        let remedy = format!(
            "install the Python package with `pip install 'revealed[ray]'`, or set {PYTHON} to an interpreter that has it"
        );
        let mut command = Command::new(&python);
        command.args(["-m", "revealed.serve"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        #[cfg(unix)]
        {
            // Ctrl-C is for this process alone, which ends the other one.
            use std::os::unix::process::CommandExt;
            command.process_group(0);
        }
        let mut child =
            command.spawn().map_err(|error| Failure::new(format!("--engine {name}: {python}: {error}: {remedy}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::new("--engine: the process of Python has no pipes"));
        };
        let mut engine = EngineProcess { child, input, output: BufReader::new(output), name: name.to_string() };
        let files: Vec<Value> =
            (worlds.iter()).map(|world| json!([absolute(&world.files.problem), absolute(&world.files.demos)])).collect();
        let place = json!({
            "engine": name,
            "address": args.address,
            "groups": args.groups,
            "workers": args.workers,
            "threads": settings.options.work.threads,
            "memory": settings.options.work.memory,
            "inference": settings.method.name(),
            "ends": settings.options.ends.name(),
            "horizon": settings.options.horizon.map(|horizon| horizon.to_string()),
            "worlds": files,
        });
        let placed = engine.said(&place.to_string()).and_then(|answer| match answer.get("placed").is_some() {
            true => Ok(()),
            false => Err(lost(&engine.name, "it did not place the worlds")),
        });
        placed.map_err(|error| Failure::new(format!("{error}; {remedy}")))?;
        Ok(engine)
    }

    /// Sends a line, and waits for the line that answers it.
    fn said(&mut self, line: &str) -> Result<Value, Error> {
        let sent = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        let mut answer = String::new();
        let read = sent.and_then(|()| self.output.read_line(&mut answer));
        match read {
            Err(_) | Ok(0) => return Err(lost(&self.name, "its process has ended")),
            Ok(_) => {}
        }
        let answer: Value = serde_json::from_str(&answer).map_err(|error| lost(&self.name, &format!("it says {error}")))?;
        match answer.get("error").and_then(Value::as_str) {
            Some(message) => Err(Error::NoAnswer { message: format!("--engine {}: {message}", self.name) }),
            None => Ok(answer),
        }
    }
}

impl Parts for EngineProcess {
    fn ask(&mut self, question: &Question) -> Result<Vec<Answer>, Error> {
        if interrupt::asked() {
            return Err(Error::Stopped);
        }
        let said = self.said(&question_line(question))?;
        let answers = said.get("answers").and_then(Value::as_array).ok_or_else(|| lost(&self.name, "it gave no answers"))?;
        answers.iter().map(|answer| answer_of_line(answer.as_str().unwrap_or_default())).collect()
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        // The end of its input is the end of its work. What it says meanwhile is of no interest.
        let _ = writeln!(self.input, "null").and_then(|()| self.input.flush());
        let _ = self.child.wait();
    }
}

fn lost(engine: &str, why: &str) -> Error {
    Error::NoAnswer { message: format!("--engine {engine}: {why}") }
}

/// Workers may have another folder.
fn absolute(path: &std::path::Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).display().to_string()
}
