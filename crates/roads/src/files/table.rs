//! Tables in CSV, compressed by gzip or not. Every fault is reported with its line.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use csv::StringRecord;

use super::bounded::Bounded;
use super::name::{lower_case_name, refuse_directory};
use crate::error::{Error, Fault};

/// A table that is being read.
pub(crate) struct Table {
    path: PathBuf,
    reader: csv::Reader<Bounded<Box<dyn Read>>>,
    /// The names of its columns.
    pub names: Vec<String>,
    row: StringRecord,
    /// The line of the row that was read last, from 1.
    pub line: u64,
}

impl Table {
    /// Opens a table, and reads the names of its columns.
    pub(crate) fn open(path: &Path) -> Result<Table, Error> {
        refuse_directory(path).map_err(|fault| fault.of(path))?;
        let name = lower_case_name(path);
        let known = [".csv", ".csv.gz"].map(|ending| name.ends_with(ending));
        if known == [false, false] {
            return Err(Fault::Content("a table is a .csv or .csv.gz file: give one of these".to_string()).of(path));
        }
        let file = BufReader::new(File::open(path).map_err(|error| Fault::Read(error).of(path))?);
        let file: Box<dyn Read> =
            if known[1] { Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(file))) } else { Box::new(file) };
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(Bounded::new(file));
        let names: Vec<String> = match reader.headers() {
            Ok(names) => names.iter().map(|name| name.trim_start_matches('\u{feff}').to_string()).collect(),
            Err(error) => return Err(fault(error, 1).of(path)),
        };
        if names.is_empty() {
            return Err(Fault::Content("the file is empty: its first line must name the columns".to_string()).of(path));
        }
        if let Some(twice) = (1..names.len()).find(|&place| names[..place].contains(&names[place])) {
            return Err(Fault::Row { line: 1, what: format!("the column {:?} appears twice", names[twice]) }.of(path));
        }
        Ok(Table { path: path.to_path_buf(), reader, names, row: StringRecord::new(), line: 1 })
    }

    /// The index of the column with one of these names.
    pub(crate) fn column(&self, known: &[&str]) -> Option<usize> {
        self.names.iter().position(|name| known.contains(&name.as_str()))
    }

    /// Reads the next row; false at the end of the file.
    pub(crate) fn next(&mut self) -> Result<bool, Error> {
        self.reader.get_mut().begin();
        let read = self.reader.read_record(&mut self.row);
        match read {
            Ok(read) => {
                self.line = self.row.position().map_or(self.line, line_of);
                Ok(read)
            }
            Err(error) => Err(fault(error, self.line + 1).of(&self.path)),
        }
    }

    /// The text of a column in this row; `None` if it is empty.
    pub(crate) fn text(&self, column: usize) -> Option<&str> {
        self.row.get(column).filter(|text| !text.is_empty())
    }

    /// A number that must not be absent.
    pub(crate) fn number<T: std::str::FromStr>(&self, column: usize, what: &str) -> Result<T, Error> {
        let text = self.text(column).unwrap_or_default();
        text.parse().map_err(|_| self.wrong(format!("{} is {text:?}, which is not a {what}", self.names[column])))
    }

    /// A number that is finite.
    pub(crate) fn finite(&self, column: usize) -> Result<f64, Error> {
        let number: f64 = self.number(column, "number")?;
        match number.is_finite() {
            true => Ok(number),
            false => Err(self.wrong(format!("{} is {number}, which is not finite", self.names[column]))),
        }
    }

    /// The error about this row.
    pub(crate) fn wrong(&self, what: String) -> Error {
        Fault::Row { line: self.line, what }.of(&self.path)
    }

    /// The error about the whole table.
    pub(crate) fn of_all(&self, what: String) -> Error {
        Fault::Content(what).of(&self.path)
    }
}

fn fault(error: csv::Error, line: u64) -> Fault {
    let line = error.position().map_or(line, line_of);
    let what = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("there are {len} entries, and {expected_len} columns")
        }
        csv::ErrorKind::Utf8 { .. } => "the text is not UTF-8: save the table in this encoding".to_string(),
        csv::ErrorKind::Io(error) => format!("the rest of the file cannot be read: {error}"),
        _ => error.to_string(),
    };
    Fault::Row { line, what }
}

/// The line where a row of a table with a header begins. The reader counts a line when it has seen its `\n`, which is
/// one row too late where lines end in `\r\n`; every row has at least one line.
pub(crate) fn line_of(position: &csv::Position) -> u64 {
    position.line().max(position.record() + 1)
}
