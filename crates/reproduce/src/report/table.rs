//! Tables of the report.

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows, with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// A note for the reader; may be empty.
    pub note: String,
    /// The label of the paper's table that it corresponds to, such as `tab:ziebart`.
    pub of_paper: Option<&'static str>,
}

impl Table {
    /// A table with these columns.
    pub fn new(caption: impl Into<String>, header: &[&str], rows: Vec<Vec<Cell>>, note: impl Into<String>) -> Table {
        let header = header.iter().map(|name| name.to_string()).collect();
        Table { caption: caption.into(), header, rows, note: note.into(), of_paper: None }
    }

    /// This table, which corresponds to the paper's table of this label.
    pub fn of_paper(self, label: &'static str) -> Table {
        Table { of_paper: Some(label), ..self }
    }
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// Whether it is highlighted, because it is wrong or differs.
    pub marked: bool,
}

impl Cell {
    /// A highlighted cell.
    pub fn marked(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), marked: true }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: text.into(), marked: false }
    }
}
