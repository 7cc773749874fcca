//! `revealed report`: a page of a model.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use revealed::Demonstrations;
use revealed_formats::{Model, Problem, atomic, demonstrations, load_additions};
use revealed_page::{Origin, Report};
use revealed_roads::Roads;
use serde_json::{Value, json};

use crate::args::problem::ProblemAndModel;
use crate::args::work::Work;
use crate::files::output_file::{check_extension, check_output};
use crate::terminal::{Failure, Output};

/// A page of a model that opens in a browser: what was learned, how well it fits, and the engine to try it
#[derive(Args)]
#[command(after_help = "Example:\n  revealed report model.json lake.json demos.jsonl -o report.html")]
pub struct ReportArgs {
    /// Model file (.json)
    model: PathBuf,
    /// Problem file (.json or .npz); the two may also come in the other order
    problem: PathBuf,
    /// Demonstrations: those that the model was learned from, or others that it is to explain (.jsonl or .npz)
    demos: Option<PathBuf>,
    /// Where to write the page (.html)
    #[arg(short, long, value_name = "PAGE")]
    output: PathBuf,
    /// How the work is done
    #[command(flatten)]
    work: Work,
}

/// The parts of a page, and the files that they come from.
pub struct Parts<'a> {
    /// The problem.
    pub problem: (&'a Problem, &'a Path),
    /// The model.
    pub model: (&'a Model, &'a Path),
    /// The demonstrations.
    pub demos: Option<(&'a Demonstrations, &'a Path)>,
    /// How the work is done.
    pub work: revealed::Work,
}

/// Writes the page of a model.
pub fn run(args: &ReportArgs, output: Output) -> Result<(), Failure> {
    let (model, problem) = if is_model(&args.problem) && !is_model(&args.model) {
        (&args.problem, &args.model)
    } else {
        (&args.model, &args.problem)
    };
    let inputs: Vec<&Path> = [model, problem].into_iter().chain(&args.demos).map(PathBuf::as_path).collect();
    check_page(&args.output, &inputs)?;
    let files = ProblemAndModel { problem: problem.clone(), model: model.clone() };
    let (of_problem, of_model) = files.load()?;
    let demos = args.demos.as_ref().map(|file| demonstrations::load_for(&of_problem.mdp, file)).transpose()?;
    let parts = Parts {
        problem: (&of_problem, problem),
        model: (&of_model, model),
        demos: demos.as_ref().zip(args.demos.as_deref()),
        work: args.work.of_engine(),
    };
    let bytes = write(&parts, &args.output)?;
    let file = args.output.display();
    output.print(&format!("written to {file} ({bytes} bytes)\n"), &json!({ "page": file.to_string(), "bytes": bytes }))
}

/// Rejects a page that cannot be written.
pub fn check_page(page: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    check_output(page, inputs, "the page")?;
    check_extension(page, "html")
}

/// Writes the page of a model, and says how many bytes it has.
pub fn write(parts: &Parts<'_>, page: &Path) -> Result<usize, Failure> {
    let roads = roads(parts.problem.1)?;
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let commit = Some(env!("REVEALED_COMMIT")).filter(|commit| !commit.is_empty());
    let origin = Origin {
        title: name(parts.model.1).unwrap_or_else(|| "a model".to_string()),
        problem: Some(parts.problem.1.display().to_string()),
        model: Some(parts.model.1.display().to_string()),
        demos: parts.demos.map(|demos| demos.1.display().to_string()),
        commit: commit.map(str::to_string),
    };
    let report = Report {
        problem: parts.problem.0,
        model: parts.model.0,
        demos: parts.demos.map(|demos| demos.0),
        roads: roads.as_ref(),
        origin,
        work: parts.work,
    };
    let html = report.html().map_err(|fault| Failure::in_file(parts.model.1, fault.to_string()))?;
    atomic::write(page, |writer| writer.write_all(html.as_bytes()))?;
    Ok(html.len())
}

/// The roads of a problem file that has some.
fn roads(problem: &Path) -> Result<Option<Roads>, Failure> {
    let is_archive = problem.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
    if !is_archive || load_additions(problem, "roads.")?.is_empty() {
        return Ok(None);
    }
    Ok(Some(Roads::load(problem)?))
}

/// Whether a file has what only models have. A file that cannot be read is refused where it is loaded.
fn is_model(file: &Path) -> bool {
    let is_json = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let document = || serde_json::from_slice::<Value>(&fs::read(file).ok()?).ok();
    is_json && document().is_some_and(|document| document.get("theta").is_some())
}
