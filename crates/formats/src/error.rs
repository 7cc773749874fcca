//! What can be wrong with a file. Messages name the file, the place, the value and the remedy.

use std::io;
use std::path::{Path, PathBuf};

/// A file that could not be read or written, and why. The message begins with the path.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", path.display())]
pub struct Error {
    path: PathBuf,
    fault: Box<Fault>,
}

impl Error {
    /// The error of a file that has this fault.
    pub fn new(path: impl AsRef<Path>, fault: impl Into<Fault>) -> Self {
        Error { path: path.as_ref().to_path_buf(), fault: Box::new(fault.into()) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong with it.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }
}

/// What is wrong with a file, or with columns that are to become one. Rows and indices count from 0, lines from 1.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The operating system would not let us read it.
    #[error("cannot be read: {0}{remedy}", remedy = remedy(.0))]
    Read(io::Error),
    /// The operating system would not let us write it.
    #[error("cannot be written: {0}{remedy}", remedy = remedy(.0))]
    Write(io::Error),
    /// A directory where a file is needed.
    #[error("is a directory: name a file in it")]
    Directory,
    /// A link where only a file of our own can be.
    #[error("is a link, and a checkpoint is never one: remove it")]
    Link,
    /// An output that is a link to a file that does not exist.
    #[error("is a link to {to}, which does not exist: create that file, or remove the link")]
    LinkToNothing {
        /// Where it leads.
        to: String,
    },
    /// Nothing in it.
    #[error("is empty (0 bytes): write it again")]
    Empty,
    /// `-` where stdin cannot be read.
    #[error("stdin is read only for demonstrations, samples, pairs and trips, and stdout is /dev/stdout: give a file, or ./-")]
    Stdin,
    /// The extension does not say which format it has.
    #[error("has the extension {found}: {what} {known}")]
    Extension {
        /// The extension, or "none".
        found: String,
        /// What sort of file was expected.
        what: &'static str,
        /// The extensions that are known.
        known: &'static str,
    },
    /// The file is in a format, or a version of one, that this program does not read.
    #[error("format is {found}: this program reads \"{expected}\"")]
    Format {
        /// The format found.
        found: String,
        /// The format that is read.
        expected: &'static str,
    },
    /// A model for which only estimates are known.
    #[error(
        "it is a {what} recursive logit, which only `table` reads: sums over paths, which the questions need, exist for the \
         plain one; learn it with --inference recursive-logit"
    )]
    OnlyInTables {
        /// nested or discounted, or mixed.
        what: &'static str,
    },
    /// JSON that is cut short, malformed, or of the wrong shape.
    #[error("line {line} column {column}: {cause}{hint}")]
    Json {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// What the parser says.
        cause: String,
        /// What to do about it, if that is known.
        hint: &'static str,
    },
    /// Something is wrong with one line of a `.jsonl` file.
    #[error("line {line}: {fault}")]
    Line {
        /// The line.
        line: usize,
        /// What is wrong with it.
        fault: Box<Fault>,
    },
    /// A line of a table that cannot be read.
    #[error("line {line}: {cause}: correct the line")]
    Csv {
        /// The line.
        line: usize,
        /// What is wrong with it.
        cause: String,
    },
    /// A number that is not one of the states.
    #[error("{field} is {found}: there are {n_states} states, give one of 0 to {}", n_states.saturating_sub(1))]
    State {
        /// The field.
        field: &'static str,
        /// The value that was found.
        found: String,
        /// How many states there are.
        n_states: usize,
    },
    /// Not a zip archive of arrays.
    #[error("is not an npz archive ({0}): write it with numpy.savez or numpy.savez_compressed")]
    Archive(String),
    /// An array in an archive that is damaged or cut short.
    #[error("array {name} cannot be read ({cause}): the file is damaged or cut short, write it again")]
    Array {
        /// The array.
        name: String,
        /// What is wrong with it.
        cause: String,
    },
    /// Two arrays of one name in an archive.
    #[error("the array {name} appears twice: remove one of the two, or write the file again")]
    ArrayTwice {
        /// The array.
        name: String,
    },
    /// A field that every such file has.
    #[error("{field} is missing: it is required{}", naming(unknown))]
    Missing {
        /// The field.
        field: String,
        /// Names in the file that mean nothing here: one of them may be the field, misspelt.
        unknown: Vec<String>,
    },
    /// A value of the wrong type, dimension or sign.
    #[error("{field}{} is {found}: it must be {expected}", at(row))]
    Value {
        /// The field.
        field: String,
        /// The row in it, if it is a column.
        row: Option<usize>,
        /// The value that was found.
        found: String,
        /// A description of what was expected.
        expected: &'static str,
    },
    /// Two columns of one table that differ in length.
    #[error("{first} has {first_length} rows but {second} has {second_length}: give them the same number")]
    Lengths {
        /// One column.
        first: String,
        /// Its length.
        first_length: usize,
        /// The other column.
        second: String,
        /// Its length.
        second_length: usize,
    },
    /// A list that must have one entry per state, feature or demonstration, and does not.
    #[error("{field} has {found} entries, but {why}: give it {expected}")]
    Entries {
        /// The list.
        field: String,
        /// How many it has.
        found: usize,
        /// How many it needs.
        expected: usize,
        /// Where that number comes from.
        why: String,
    },
    /// A grid that does not have one cell per state.
    #[error("layout.grid has {rows} rows and {columns} columns, but there are {n_states} states: give it one cell per state")]
    Grid {
        /// Rows of the grid.
        rows: usize,
        /// Columns of the grid.
        columns: usize,
        /// States of the problem.
        n_states: usize,
    },
    /// Offsets that do not cut the steps into demonstrations.
    #[error("offsets row {row} is {found}: {expected}")]
    Offset {
        /// The row.
        row: usize,
        /// The offset found.
        found: i64,
        /// What it should be.
        expected: String,
    },
    /// Something that was requested cannot be given; the message says what to do.
    #[error("{0}")]
    Request(String),
    /// The content is readable, and wrong: see [`revealed::Error`].
    #[error("{0}")]
    Content(revealed::Error),
}

// Not by thiserror's `from`, which would make the inner error a source: a printed chain would say it twice.
impl From<revealed::Error> for Fault {
    fn from(error: revealed::Error) -> Self {
        Fault::Content(error)
    }
}

impl Fault {
    pub(crate) fn value(field: &str, row: impl Into<Option<usize>>, found: impl ToString, expected: &'static str) -> Self {
        Fault::Value { field: field.to_string(), row: row.into(), found: found.to_string(), expected }
    }

    /// A required field that is absent, in a file that has these unknown names.
    pub(crate) fn missing(field: &str, unknown: &[String]) -> Self {
        Fault::Missing { field: field.to_string(), unknown: unknown.to_vec() }
    }

    pub(crate) fn entries(field: &str, found: usize, expected: usize, why: String) -> Self {
        Fault::Entries { field: field.to_string(), found, expected, why }
    }

    /// What the parser says, with the place taken out of its sentence.
    pub(crate) fn json(error: &serde_json::Error, hint: &'static str) -> Self {
        let text = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let cause = text.strip_suffix(&place).unwrap_or(&text).to_string();
        Fault::Json { line: error.line(), column: error.column(), cause, hint }
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => ": check the path",
        io::ErrorKind::PermissionDenied => ": check the permissions of the file and of its directory",
        io::ErrorKind::NotADirectory => ": check the path",
        io::ErrorKind::ReadOnlyFilesystem => ": write elsewhere",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ": free some space, or write elsewhere",
        _ => "",
    }
}

fn naming(unknown: &[String]) -> String {
    match unknown.len() {
        0 => String::new(),
        1..=5 => format!(" (not known: {})", unknown.join(", ")),
        more => format!(" (not known: {} and {} more)", unknown[..5].join(", "), more - 5),
    }
}

fn at(row: &Option<usize>) -> String {
    row.map(|row| format!(" row {row}")).unwrap_or_default()
}
