//! Raw results, read from the tables by the names of their columns.

use std::path::{Path, PathBuf};

use crate::error::Error;

/// The rows of an experiment, with their timings.
pub(crate) struct Results {
    path: PathBuf,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// One row.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    results: &'a Results,
    cells: &'a [String],
}

impl Results {
    /// Reads a table that has these columns.
    pub fn read(path: &Path, columns: &[&str]) -> Result<Results, Error> {
        let damaged = |fault: csv::Error| Error::damaged(path, fault);
        let mut reader = csv::Reader::from_path(path).map_err(damaged)?;
        let found: Vec<String> = reader.headers().map_err(damaged)?.iter().map(str::to_string).collect();
        if found != columns {
            return Err(Error::damaged(path, format!("its columns are {}, not {}", found.join(","), columns.join(","))));
        }
        let cells = |record: csv::StringRecord| record.iter().map(str::to_string).collect();
        let rows = reader.records().map(|record| record.map(cells)).collect::<Result<_, _>>().map_err(damaged)?;
        Ok(Results { path: path.to_path_buf(), columns: found, rows })
    }

    /// Adds the columns of another table with the same number of rows.
    pub fn beside(&mut self, other: Results) -> Result<(), Error> {
        if other.rows.len() != self.rows.len() {
            let words = format!("it has {} rows, and the results have {}", other.rows.len(), self.rows.len());
            return Err(Error::damaged(&other.path, words));
        }
        self.columns.extend(other.columns);
        for (row, more) in self.rows.iter_mut().zip(other.rows) {
            row.extend(more);
        }
        Ok(())
    }

    pub fn rows(&self) -> impl Iterator<Item = Record<'_>> {
        self.rows.iter().map(|cells| Record { results: self, cells })
    }

    /// The rows that have this text in this column.
    pub fn with<'a>(&'a self, column: &'a str, text: &'a str) -> impl Iterator<Item = Record<'a>> {
        self.rows().filter(move |row| row.text(column) == text)
    }
}

impl<'a> Record<'a> {
    /// The text of a column; empty if there is no such column.
    pub fn text(self, column: &str) -> &'a str {
        let place = self.results.columns.iter().position(|name| name == column);
        place.and_then(|place| self.cells.get(place)).map_or("", String::as_str)
    }

    /// The number in a column; `None` if the cell is empty.
    ///
    /// # Errors
    /// If the cell has something else.
    pub fn maybe(self, column: &str) -> Result<Option<f64>, Error> {
        if self.text(column).is_empty() { Ok(None) } else { self.number(column).map(Some) }
    }

    /// The number in a column.
    ///
    /// # Errors
    /// If the cell does not have a number.
    pub fn number(self, column: &str) -> Result<f64, Error> {
        let text = self.text(column);
        text.parse().map_err(|_| Error::damaged(&self.results.path, format!("{column} is {text:?}, not a number")))
    }
}
