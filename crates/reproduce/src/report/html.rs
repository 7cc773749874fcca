//! The text of the page.

use std::fmt::{self, Display, Write};

use super::section::Section;
use super::table::{Cell, Table};
use super::verdict::Verdict;
use crate::work::Experiment;

/// Everything before the body, with the style sheet.
const HEAD: &str = include_str!("head.html");
/// A cell with more characters is wide, and may have several lines.
const LONG_CELL: usize = 30;

/// An experiment on the page.
pub(super) struct Chapter<'a> {
    pub experiment: Experiment,
    pub section: &'a Section,
    pub figures: Vec<Drawn<'a>>,
    pub settings: Vec<(String, String)>,
    /// The files of its raw results.
    pub files: Vec<String>,
}

/// A figure on the page.
pub(super) struct Drawn<'a> {
    pub caption: &'a str,
    pub svg: String,
    /// The SVG and the PNG file.
    pub files: [String; 2],
}

/// The whole page.
pub(super) fn page(chapters: &[Chapter<'_>]) -> String {
    let mut html = HEAD.to_string();
    // Writing to a string cannot fail.
    let _ = body(&mut html, chapters);
    html
}

fn body(html: &mut String, chapters: &[Chapter<'_>]) -> fmt::Result {
    let version = env!("CARGO_PKG_VERSION");
    html.push_str("<body>\n<h1>The paper's experiments, reproduced</h1>\n");
    html.push_str("<p>A. J. Snoswell, S. P. N. Singh, N. Ye, “Revisiting Maximum Entropy Inverse Reinforcement Learning: ");
    html.push_str("New Perspectives and Algorithms”. The results of the paper are shown beside those of ");
    write!(html, "<code>revealed {version}</code>.</p>\n<nav>\n<ul>")?;
    chapters.iter().try_for_each(|chapter| entry(html, chapter))?;
    if chapters.is_empty() {
        html.push_str("\n<li>No experiment is finished yet.</li>");
    }
    html.push_str("\n</ul>\n</nav>");
    chapters.iter().try_for_each(|chapter| section(html, chapter))?;
    html.write_str("\n</body>\n</html>")
}

/// An entry of the table of contents.
fn entry(html: &mut String, chapter: &Chapter<'_>) -> fmt::Result {
    let (name, about) = (Escaped(chapter.experiment.name()), Escaped(chapter.experiment.about()));
    write!(html, "\n<li><a href=\"#{name}\">{name}</a><span class=\"about\">{about}</span>")?;
    badge(html, &chapter.section.verdict)?;
    html.write_str("</li>")
}

fn badge(html: &mut String, verdict: &Verdict) -> fmt::Result {
    let name = verdict.name();
    write!(html, "<span class=\"badge {}\">{name}</span>", name.replace(' ', "-"))
}

fn section(html: &mut String, chapter: &Chapter<'_>) -> fmt::Result {
    let Section { title, paper, ours, verdict, tables, .. } = chapter.section;
    write!(html, "\n<section id=\"{}\">\n<h2>{}</h2>\n", chapter.experiment.name(), Escaped(title))?;
    html.push_str("<p class=\"verdict\">");
    badge(html, verdict)?;
    write!(html, "<span>{}</span></p>\n<div class=\"sides\">\n", Escaped(verdict.reason()))?;
    for (heading, text) in [("The paper", paper), ("Our results", ours)] {
        writeln!(html, "<div class=\"side\"><h3>{heading}</h3><p>{}</p></div>", Escaped(text))?;
    }
    html.push_str("</div>\n<div class=\"figures\">");
    chapter.figures.iter().try_for_each(|drawn| figure(html, drawn))?;
    html.push_str("\n</div>\n<div class=\"tables\">");
    tables.iter().try_for_each(|one| table(html, one))?;
    html.push_str("\n</div>\n<h3>Settings</h3>\n<dl>");
    for (name, value) in &chapter.settings {
        write!(html, "\n<dt>{}</dt><dd>{}</dd>", Escaped(name), Escaped(value))?;
    }
    let files: Vec<String> = chapter.files.iter().map(|file| link(file, file)).collect();
    write!(html, "\n</dl>\n<p class=\"files\">Raw results: {}</p>\n</section>", files.join(", "))
}

fn figure(html: &mut String, drawn: &Drawn<'_>) -> fmt::Result {
    let (caption, [svg, png]) = (Escaped(drawn.caption), &drawn.files);
    write!(html, "\n<figure role=\"group\">\n{}\n<figcaption>{caption} ", drawn.svg)?;
    write!(html, "({}, {})</figcaption>\n</figure>", link(svg, "SVG"), link(png, "PNG"))
}

fn table(html: &mut String, table: &Table) -> fmt::Result {
    html.push_str("\n<div class=\"table\">\n<div class=\"scroll\">\n<table>\n");
    write!(html, "<caption>{}</caption>\n<thead><tr>", Escaped(&table.caption))?;
    for name in &table.header {
        write!(html, "<th scope=\"col\">{}</th>", Escaped(name))?;
    }
    html.push_str("</tr></thead>\n<tbody>");
    for row in &table.rows {
        html.push_str("\n<tr>");
        row.iter().try_for_each(|one| cell(html, one))?;
        html.push_str("</tr>");
    }
    html.push_str("\n</tbody>\n</table>\n</div>");
    if !table.note.is_empty() {
        write!(html, "\n<p class=\"note\">{}</p>", Escaped(&table.note))?;
    }
    html.write_str("\n</div>")
}

fn cell(html: &mut String, cell: &Cell) -> fmt::Result {
    let marked = if cell.marked { "marked" } else { "" };
    let long = if cell.text.chars().count() > LONG_CELL { " long" } else { "" };
    write!(html, "<td class=\"{marked}{long}\">{}</td>", Escaped(&cell.text))
}

fn link(file: &str, words: &str) -> String {
    format!("<a href=\"{}\">{}</a>", Escaped(file), Escaped(words))
}

/// Text in which the special characters of HTML are escaped.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#x27;")?,
                '/' => f.write_str("&#x2f;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section_of(tables: Vec<Table>) -> Section {
        Section {
            title: "A <title>".to_string(),
            paper: "It's so.".to_string(),
            ours: "So it is & more.".to_string(),
            verdict: Verdict::NotComparable("Too few.".to_string()),
            figures: Vec::new(),
            tables,
            settings: Vec::new(),
            numbers: Vec::new(),
        }
    }

    #[test]
    fn text_is_escaped_and_long_cells_are_wide() {
        let long = "a cell with more than thirty characters";
        let table = Table::new("Numbers", &["a/b", "c"], vec![vec![Cell::marked("1"), long.into()]], "A note.");
        let section = section_of(vec![table]);
        let settings = vec![("seed".to_string(), "1".to_string())];
        let chapter = Chapter {
            experiment: Experiment::Padding,
            section: &section,
            figures: vec![Drawn {
                caption: "What it shows.",
                svg: "<svg/>".to_string(),
                files: ["a.svg", "a.png"].map(str::to_string),
            }],
            settings,
            files: vec!["padding.csv".to_string(), "padding.json".to_string()],
        };
        let html = page(&[chapter]);
        for part in [
            "<section id=\"padding\">\n<h2>A &lt;title&gt;</h2>",
            "<span class=\"badge not-comparable\">not comparable</span>",
            "<p>It&#x27;s so.</p>",
            "<p>So it is &amp; more.</p>",
            "<svg/>\n<figcaption>What it shows. (<a href=\"a.svg\">SVG</a>, <a href=\"a.png\">PNG</a>)</figcaption>",
            "<tr><th scope=\"col\">a&#x2f;b</th><th scope=\"col\">c</th></tr>",
            &format!("<tr><td class=\"marked\">1</td><td class=\" long\">{long}</td></tr>"),
            "<p class=\"note\">A note.</p>",
            "<dl>\n<dt>seed</dt><dd>1</dd>\n</dl>",
            "<a href=\"padding.csv\">padding.csv</a>, <a href=\"padding.json\">padding.json</a></p>\n</section>\n</body>\n</html>",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
    }

    #[test]
    fn a_page_without_experiments_says_so() {
        assert!(page(&[]).contains("<ul>\n<li>No experiment is finished yet.</li>\n</ul>"));
    }
}
