//! The files of the report: one self-contained page, and each figure as SVG and PNG.

use std::path::PathBuf;

use revealed_formats::atomic;

use super::html::{Chapter, Drawn, Page};
use super::mathematics::plain;
use super::quantity::Quantity;
use super::section::Section;
use crate::error::Error;
use crate::folder::Store;
use crate::work::{Experiment, Recipe};

/// Longer lists of cases are not shown: the tables and figures show them.
const MOST_CASES: usize = 12;

/// Writes the figures and the page, each atomically.
pub(crate) fn write(store: &Store, sections: &[(Experiment, Section)]) -> Result<PathBuf, Error> {
    let chapters = sections.iter().map(|(experiment, section)| chapter(store, *experiment, section));
    let chapters = chapters.collect::<Result<Vec<_>, Error>>()?;
    let html = Page { chapters, quantities: Quantity::of(sections), provenance: store.provenance() }.html();
    let index = store.path("index.html");
    atomic::write(&index, |file| file.write_all(html.as_bytes()))?;
    Ok(index)
}

/// A section with its figures written to files.
fn chapter<'a>(store: &Store, experiment: Experiment, section: &'a Section) -> Result<Chapter<'a>, Error> {
    let name = experiment.name();
    let mut figures = Vec::new();
    for figure in &section.figures {
        let files = ["svg", "png"].map(|end| format!("{name}-{}.{end}", figure.name));
        let canvas = figure.canvas.clone().named(&figure.name_in_words(), &plain(&figure.caption));
        let (svg, png) = (canvas.svg(), canvas.png()?);
        atomic::write(store.path(&files[0]), |file| file.write_all(svg.as_bytes()))?;
        atomic::write(store.path(&files[1]), |file| file.write_all(&png))?;
        let (caption, of_paper, room) = (figure.caption.as_str(), figure.of_paper, figure.room);
        figures.push(Drawn { caption, of_paper, svg, room, files });
    }
    let files = ["csv", "timings.csv", "json"].map(|end| format!("{name}.{end}"));
    let recipe = store.recipe(name)?;
    Ok(Chapter {
        experiment,
        section,
        figures,
        settings: recipe.iter().flat_map(settings).chain(section.settings.iter().cloned()).collect(),
        seed: recipe.and_then(|recipe| recipe.seed.map(|seed| (seed, recipe.repeats))),
        files: files.into_iter().filter(|file| store.path(file).is_file()).collect(),
    })
}

/// The settings of the run.
fn settings(recipe: &Recipe) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    if let Some(seed) = recipe.seed {
        settings.push(("seed".to_string(), seed.to_string()));
        settings.push(("repeats".to_string(), recipe.repeats.to_string()));
        if recipe.cases.len() <= MOST_CASES {
            // What follows a colon is what the cases depend on, which the section has among its own settings.
            let names = recipe.cases.iter().map(|case| case.split(':').next().unwrap_or_default());
            settings.push(("cases".to_string(), names.collect::<Vec<_>>().join(", ")));
        }
    }
    settings
}
