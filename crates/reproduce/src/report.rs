//! The report: one page that needs nothing but itself, and the figures as files.

use std::path::PathBuf;

use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment};
use revealed_formats::atomic;
use serde::Serialize;

use crate::error::Error;
use crate::experiment::Experiment;
use crate::section::{Section, Table};
use crate::store::Store;

/// More than these are in the table and the figures, and nobody reads them in a list.
const MOST_CASES: usize = 12;
const TEMPLATE: &str = include_str!("report.html");

#[derive(Serialize)]
struct Report<'a> {
    pages: Vec<Page<'a>>,
    version: &'static str,
}

#[derive(Serialize)]
struct Page<'a> {
    name: &'static str,
    about: &'static str,
    title: &'a str,
    paper: &'a str,
    ours: &'a str,
    verdict: &'static str,
    /// The verdict as a class of the style sheet.
    class: String,
    reason: &'a str,
    figures: Vec<Drawn<'a>>,
    tables: &'a [Table],
    settings: Vec<(String, String)>,
    files: Vec<String>,
}

#[derive(Serialize)]
struct Drawn<'a> {
    caption: &'a str,
    svg: String,
    files: [String; 2],
}

/// Writes the figures and the page, each whole or not at all.
pub(crate) fn write(store: &Store, sections: &[(Experiment, Section)]) -> Result<PathBuf, Error> {
    let mut pages = Vec::new();
    for (experiment, section) in sections {
        pages.push(page(store, *experiment, section)?);
    }
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let drawing = |fault: minijinja::Error| Error::Report(format!("{fault:#}"));
    let values = Value::from(Serde(Report { pages, version: env!("CARGO_PKG_VERSION") }));
    let html = environment.render_str(TEMPLATE, values).map_err(drawing)?;
    let index = store.path("index.html");
    atomic::write(&index, |file| file.write_all(html.as_bytes()))?;
    Ok(index)
}

fn page<'a>(store: &Store, experiment: Experiment, section: &'a Section) -> Result<Page<'a>, Error> {
    let name = experiment.name();
    let mut figures = Vec::new();
    for figure in &section.figures {
        let files = ["svg", "png"].map(|end| format!("{name}-{}.{end}", figure.name));
        let svg = figure.canvas.svg();
        let png = figure.canvas.png()?;
        atomic::write(store.path(&files[0]), |file| file.write_all(svg.as_bytes()))?;
        atomic::write(store.path(&files[1]), |file| file.write_all(&png))?;
        figures.push(Drawn { caption: &figure.caption, svg, files });
    }
    let files = ["csv", "timings.csv", "json"].map(|end| format!("{name}.{end}"));
    Ok(Page {
        name,
        about: experiment.about(),
        title: &section.title,
        paper: &section.paper,
        ours: &section.ours,
        verdict: section.verdict.name(),
        class: section.verdict.name().replace(' ', "-"),
        reason: section.verdict.reason(),
        figures,
        tables: &section.tables,
        settings: recipe(store, name)?.into_iter().chain(section.settings.iter().cloned()).collect(),
        files: files.into_iter().filter(|file| store.path(file).is_file()).collect(),
    })
}

/// What the run was asked for.
fn recipe(store: &Store, name: &str) -> Result<Vec<(String, String)>, Error> {
    let Some(recipe) = store.recipe(name)? else { return Ok(Vec::new()) };
    let mut settings = Vec::new();
    if let Some(seed) = recipe.seed {
        settings.push(("seed".to_string(), seed.to_string()));
        settings.push(("repeats".to_string(), recipe.repeats.to_string()));
        if recipe.cases.len() <= MOST_CASES {
            settings.push(("cases".to_string(), recipe.cases.join(", ")));
        }
    }
    Ok(settings)
}
