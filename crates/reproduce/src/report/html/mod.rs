//! The text of the page.
//!
//! Begin here; `body.rs` has the sections, `tables.rs` and `figures.rs` what is in them, `origin.rs` where the results
//! come from.

mod body;
mod figures;
mod origin;
mod tables;

use std::collections::BTreeMap;

use super::figure::Room;
use super::quantity::Quantity;
use super::section::Section;
use crate::folder::Provenance;
use crate::work::Experiment;

/// Everything before the body, with the style sheet.
const HEAD: &str = include_str!("head.html");

/// Everything that the page shows.
pub(super) struct Page<'a> {
    pub chapters: Vec<Chapter<'a>>,
    /// Quantities of which more than one section has a value.
    pub quantities: Vec<Quantity>,
    /// By the names of the experiments.
    pub provenance: BTreeMap<String, Provenance>,
}

/// An experiment on the page.
pub(super) struct Chapter<'a> {
    pub experiment: Experiment,
    pub section: &'a Section,
    pub figures: Vec<Drawn<'a>>,
    pub settings: Vec<(String, String)>,
    /// The seed and the repeats; `None` where nothing is random.
    pub seed: Option<(u64, usize)>,
    /// The files of its raw results.
    pub files: Vec<String>,
}

/// A figure on the page.
pub(super) struct Drawn<'a> {
    pub caption: &'a str,
    pub of_paper: Option<&'static str>,
    pub svg: String,
    pub room: Room,
    /// The SVG and the PNG file.
    pub files: [String; 2],
}

/// How many figures and tables there are so far.
#[derive(Default)]
struct Counts {
    figures: usize,
    tables: usize,
}

impl Page<'_> {
    /// The whole page.
    pub fn html(&self) -> String {
        let mut html = HEAD.to_string();
        // Writing to a string cannot fail.
        let _ = body::write(&mut html, self);
        html
    }
}

/// The label of the paper's figure or table, beside ours.
fn label(of_paper: Option<&str>) -> String {
    of_paper.map_or(String::new(), |label| format!(" <span class=\"label\">paper: {}</span>", super::mathematics::html(label)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Cell, Table, Verdict};

    fn section_of(tables: Vec<Table>) -> Section {
        Section {
            title: "A <title> with $x_1$".to_string(),
            paper: "It's so.".to_string(),
            ours: "So it is & more.".to_string(),
            verdict: Verdict::NotComparable("Too few. Really.".to_string()),
            figures: Vec::new(),
            tables,
            settings: Vec::new(),
            numbers: Vec::new(),
        }
    }

    fn page(chapters: Vec<Chapter<'_>>) -> String {
        let provenance = BTreeMap::from([("padding".to_string(), Provenance::now(61.5, None))]);
        Page { chapters, quantities: Vec::new(), provenance }.html()
    }

    #[test]
    fn text_is_escaped_and_figures_and_tables_are_numbered() {
        let long = "a cell with more than thirty characters";
        let rows = vec![vec!["a".into(), Cell::marked("1.5"), long.into()], vec!["b".into(), "-20".into(), "".into()]];
        let table = Table::new("Numbers", &["", "a/b", "c"], rows, "A note.").of_paper("tab:numbers");
        let section = section_of(vec![table]);
        let chapter = Chapter {
            experiment: Experiment::Padding,
            section: &section,
            figures: vec![Drawn {
                caption: "What it shows.",
                of_paper: Some("fig:shown"),
                svg: "<svg/>".to_string(),
                room: Room::Page,
                files: ["a.svg", "a.png"].map(str::to_string),
            }],
            settings: vec![("seed".to_string(), "1".to_string())],
            seed: Some((7, 30)),
            files: vec!["padding.csv".to_string(), "padding.json".to_string()],
        };
        let html = page(vec![chapter]);
        for part in [
            "<section id=\"padding\">\n<h2>1. A &lt;title&gt; with <math><msub><mi>x</mi><mn>1</mn></msub></math></h2>",
            "<span class=\"badge not-comparable\">not comparable</span>",
            "<p>It&#x27;s so.</p>",
            "<p>So it is &amp; more.</p>",
            "<figure id=\"figure-1\" class=\"wide\">\n<svg/>\n<figcaption><b>Figure 1.</b> What it shows. \
             <span class=\"label\">paper: fig:shown</span> (<a href=\"a.svg\">SVG</a>, <a href=\"a.png\">PNG</a>)",
            "<b>Table 1.</b> Numbers <span class=\"label\">paper: tab:numbers</span>",
            "<th scope=\"col\" class=\"number\">a&#x2f;b</th><th scope=\"col\">c</th></tr>",
            &format!(
                "<th scope=\"row\" class=\"short\">a</th><td class=\"number marked\">1.5</td><td class=\"long\">{long}</td></tr>"
            ),
            "<td class=\"number\">−20<span class=\"pad\">.0</span></td>",
            "<p class=\"note\">A note.</p>",
            "<dl>\n<dt>seed</dt><dd>1</dd>\n</dl>",
            "<a href=\"padding.csv\">padding.csv</a>, <a href=\"padding.json\">padding.json</a></p>\n</section>",
            "1 cannot be compared (padding)",
            "<b>padding:</b> Too few.</li>",
            "<td class=\"number\">7</td><td class=\"number\">30</td>",
            "</body>\n</html>",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
    }

    #[test]
    fn a_page_without_experiments_says_so() {
        let html = page(Vec::new());
        assert!(html.contains("<ul>\n<li>No experiment is finished yet.</li>\n</ul>") && !html.contains("Abstract"));
    }
}
