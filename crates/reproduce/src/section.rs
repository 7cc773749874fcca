//! What the report says of one experiment.

use serde::Serialize;

use crate::figure::Figure;

/// With fewer, an interval of a mean says little.
const ENOUGH_REPEATS: usize = 10;

/// What came of an experiment, with the paper's words and numbers beside ours.
#[derive(Debug)]
pub struct Section {
    /// A heading.
    pub title: String,
    /// What the paper says.
    pub paper: String,
    /// What we see.
    pub ours: String,
    /// Whether that is the same.
    pub verdict: Verdict,
    /// Figures.
    pub figures: Vec<Figure>,
    /// Tables, the paper's numbers beside ours.
    pub tables: Vec<Table>,
    /// Settings by name, above all those that the paper does not tell.
    pub settings: Vec<(String, String)>,
    /// What a program may want to check.
    pub numbers: Vec<Number>,
}

/// Whether a claim of the paper came out, and a plain sentence on it.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It did.
    Reproduced(String),
    /// It did not, or not quite.
    Differs(String),
    /// The two cannot be compared.
    NotComparable(String),
}

impl Verdict {
    /// A verdict that takes repeats; with few of them there is none.
    pub(crate) fn with_repeats(self, repeats: usize) -> Verdict {
        match repeats < ENOUGH_REPEATS {
            true => Verdict::NotComparable(format!(
                "{repeats} repeats say too little: ask for {ENOUGH_REPEATS} or more, or for the paper's number."
            )),
            false => self,
        }
    }

    /// A word or two.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Reproduced(_) => "reproduced",
            Verdict::Differs(_) => "differs",
            Verdict::NotComparable(_) => "not comparable",
        }
    }

    /// The sentence.
    pub fn reason(&self) -> &str {
        match self {
            Verdict::Reproduced(reason) | Verdict::Differs(reason) | Verdict::NotComparable(reason) => reason,
        }
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// As many cells a row as there are names.
    pub rows: Vec<Vec<Cell>>,
    /// What a reader has to know; may be empty.
    pub note: String,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// What is in it.
    pub text: String,
    /// Whether it is marked, as something that is wrong or that differs.
    pub marked: bool,
}

impl Cell {
    /// A cell that is marked.
    pub fn marked(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), marked: true }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: text.into(), marked: false }
    }
}

/// A number that sums up a result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Number {
    /// What it is, in words without blanks.
    pub name: String,
    /// The paper's, if it has one.
    pub paper: Option<f64>,
    /// Ours; none where it is not finite.
    pub ours: Option<f64>,
    /// Half the width of our 90 % interval, if there is one.
    pub half_width: Option<f64>,
}

impl Number {
    /// A number without an interval.
    pub fn new(name: impl Into<String>, paper: Option<f64>, ours: f64) -> Number {
        Number { name: name.into(), paper, ours: ours.is_finite().then_some(ours), half_width: None }
    }
}

impl crate::stats::Mean {
    /// This mean as a number of the report.
    pub fn number(self, name: impl Into<String>, paper: Option<f64>) -> Number {
        let half_width = self.half_width.is_finite().then_some(self.half_width);
        Number { half_width, ..Number::new(name, paper, self.mean) }
    }
}
