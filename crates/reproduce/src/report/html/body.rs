//! The body of the page: the abstract, the contents, a section for each experiment, and what all have in common.

use std::fmt::{self, Write};

use super::super::mathematics::html as html_of;
use super::super::section::Section;
use super::super::summary;
use super::super::table::{Cell, Table};
use super::super::verdict::Verdict;
use super::figures::{figure, link};
use super::tables::table;
use super::{Chapter, Counts, Page, origin};

pub(super) fn write(html: &mut String, page: &Page<'_>) -> fmt::Result {
    let version = env!("CARGO_PKG_VERSION");
    html.push_str("<body>\n<header>\n<h1>The paper's experiments, reproduced</h1>\n");
    html.push_str("<p>A. J. Snoswell, S. P. N. Singh, N. Ye, “Revisiting Maximum Entropy Inverse Reinforcement Learning: ");
    html.push_str("New Perspectives and Algorithms”. The results of the paper are shown beside those of ");
    let origin = if page.chapters.is_empty() { "" } else { " (<a href=\"#provenance\">provenance</a>)" };
    writeln!(html, "<code>revealed {version}</code>{origin}.</p>\n</header>\n<main>")?;
    abstract_of(html, &page.chapters)?;
    contents(html, page)?;
    let mut counts = Counts::default();
    for (place, chapter) in page.chapters.iter().enumerate() {
        section(html, place + 1, chapter, &mut counts)?;
    }
    quantities(html, page, &mut counts)?;
    origin::write(html, page, &mut counts)?;
    html.write_str("\n</main>\n</body>\n</html>")
}

/// What all sections found, from their verdicts.
fn abstract_of(html: &mut String, chapters: &[Chapter<'_>]) -> fmt::Result {
    if chapters.is_empty() {
        return Ok(());
    }
    let sections: Vec<_> = chapters.iter().map(|chapter| (chapter.experiment, chapter.section)).collect();
    write!(html, "<section id=\"abstract\">\n<h2>Abstract</h2>\n<p>{}</p>\n<ul>", html_of(&summary::overview(&sections)))?;
    for (experiment, section) in sections {
        write!(html, "\n<li><b>{}:</b> {}</li>", html_of(experiment.name()), html_of(summary::finding(section)))?;
    }
    html.write_str("\n</ul>\n</section>\n")
}

fn contents(html: &mut String, page: &Page<'_>) -> fmt::Result {
    html.push_str("<nav aria-label=\"Contents\">\n<ul>");
    page.chapters.iter().enumerate().try_for_each(|(place, chapter)| entry(html, place + 1, chapter))?;
    if page.chapters.is_empty() {
        html.push_str("\n<li>No experiment is finished yet.</li>");
    }
    html.write_str("\n</ul>\n</nav>")
}

/// An entry of the table of contents.
fn entry(html: &mut String, number: usize, chapter: &Chapter<'_>) -> fmt::Result {
    let (name, about) = (html_of(chapter.experiment.name()), html_of(chapter.experiment.about()));
    write!(html, "\n<li><a href=\"#{name}\">{number}. {name}</a><span class=\"about\">{about}</span>")?;
    badge(html, &chapter.section.verdict)?;
    html.write_str("</li>")
}

fn badge(html: &mut String, verdict: &Verdict) -> fmt::Result {
    let name = verdict.name();
    write!(html, "<span class=\"badge {}\">{name}</span>", name.replace(' ', "-"))
}

fn section(html: &mut String, number: usize, chapter: &Chapter<'_>, counts: &mut Counts) -> fmt::Result {
    let Section { title, paper, ours, verdict, tables, .. } = chapter.section;
    write!(html, "\n<section id=\"{}\">\n<h2>{number}. {}</h2>\n", chapter.experiment.name(), html_of(title))?;
    html.push_str("<p class=\"verdict\">");
    badge(html, verdict)?;
    write!(html, "<span>{}</span></p>\n<div class=\"sides\">\n", html_of(verdict.reason()))?;
    for (heading, text) in [("The paper", paper), ("Our results", ours)] {
        write!(html, "<div class=\"side\"><h3>{heading}</h3>")?;
        for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
            write!(html, "<p>{}</p>", html_of(paragraph))?;
        }
        html.push_str("</div>\n");
    }
    html.push_str("</div>\n<div class=\"figures\">");
    chapter.figures.iter().try_for_each(|drawn| figure(html, drawn, counts))?;
    html.push_str("\n</div>\n<div class=\"tables\">");
    tables.iter().try_for_each(|one| table(html, one, counts))?;
    html.push_str("\n</div>\n<h3>Settings</h3>\n<dl>");
    for (name, value) in &chapter.settings {
        write!(html, "\n<dt>{}</dt><dd>{}</dd>", html_of(name), html_of(value))?;
    }
    for number in chapter.section.numbers.iter().filter(|number| number.remark.is_some()) {
        let (name, remark) = (number.quantity.unwrap_or(&number.name), number.remark.as_deref().unwrap_or_default());
        write!(html, "\n<dt>{}</dt><dd>{}: {}</dd>", html_of(name), html_of(&number.shown()), html_of(remark))?;
    }
    let files: Vec<String> = chapter.files.iter().map(|file| link(file, file)).collect();
    write!(html, "\n</dl>\n<p class=\"files\">Raw results: {}</p>\n</section>", files.join(", "))
}

/// The quantities of which more than one section has a value.
fn quantities(html: &mut String, page: &Page<'_>, counts: &mut Counts) -> fmt::Result {
    if page.quantities.is_empty() {
        return Ok(());
    }
    let mut rows = Vec::new();
    for quantity in &page.quantities {
        for (experiment, number) in &quantity.values {
            let shown = number.shown();
            let shown = if quantity.contradiction().is_some() { Cell::marked(shown) } else { Cell::from(shown) };
            let remark = number.remark.clone().unwrap_or_default();
            rows.push(vec![quantity.name.as_str().into(), experiment.name().into(), shown, remark.into()]);
        }
    }
    let note =
        "Values of one quantity are equal, or each section says why its value may differ. Marked values break this rule.";
    let one = Table::new("Quantities in more than one section", &["quantity", "section", "value", "remark"], rows, note);
    html.push_str("\n<section id=\"quantities\">\n<h2>Quantities that appear more than once</h2>\n<div class=\"tables\">");
    table(html, &one, counts)?;
    html.write_str("\n</div>\n</section>")
}
