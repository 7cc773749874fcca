//! What the report says about one experiment.

use super::figure::Figure;
use super::number::Number;
use super::table::Table;
use super::verdict::Verdict;

/// What an experiment shows, with the paper's text and numbers beside ours.
#[derive(Debug)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// What the paper says.
    pub paper: String,
    /// Our results; an empty line begins a paragraph.
    pub ours: String,
    /// Whether the two agree.
    pub verdict: Verdict,
    /// The figures.
    pub figures: Vec<Figure>,
    /// The tables, with the paper's numbers beside ours.
    pub tables: Vec<Table>,
    /// Settings by name, especially those that the paper does not state.
    pub settings: Vec<(String, String)>,
    /// Numbers that a program may want to check.
    pub numbers: Vec<Number>,
}

impl Section {
    /// Every text of the section: what it says, its captions, its cells, its notes and its settings.
    pub fn texts(&self) -> Vec<&str> {
        let mut texts = vec![self.title.as_str(), &self.paper, &self.ours, self.verdict.reason()];
        texts.extend(self.figures.iter().map(|figure| figure.caption.as_str()));
        for table in &self.tables {
            texts.extend([table.caption.as_str(), &table.note]);
            texts.extend(table.header.iter().map(String::as_str));
            texts.extend(table.rows.iter().flatten().map(|cell| cell.text.as_str()));
        }
        texts.extend(self.settings.iter().flat_map(|(name, value)| [name.as_str(), value]));
        texts.extend(self.numbers.iter().filter_map(|number| number.remark.as_deref()));
        texts
    }
}

/// Settings as a section has them.
pub(crate) fn named<const N: usize>(settings: [(&str, String); N]) -> Vec<(String, String)> {
    settings.map(|(name, value)| (name.to_string(), value)).to_vec()
}
