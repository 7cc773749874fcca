//! Files of one JSON document a line: `.jsonl`.

use std::io::{BufRead, BufReader};
use std::path::Path;

use super::fields::Fields;
use super::{input, json};
use crate::Fault;

/// Hands over the fields of each line that is not blank. What is wrong with a line is reported with its number.
pub(crate) fn read(path: &Path, line: impl FnMut(Fields) -> Result<(), Fault>) -> Result<(), Fault> {
    read_from(BufReader::new(input::open_or_stdin(path)?), line)
}

/// The same of what was opened already.
pub(crate) fn read_from(mut reader: impl BufRead, mut line: impl FnMut(Fields) -> Result<(), Fault>) -> Result<(), Fault> {
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(Fault::Read)? == 0 {
            break;
        }
        if !bytes.trim_ascii().is_empty() {
            let document = json::document(bytes.trim_ascii_end());
            document.and_then(|document| line(Fields::Json(document))).map_err(|fault| in_line(number, fault))?;
        }
    }
    Ok(())
}

/// What is wrong with this line of a file.
pub(crate) fn in_line(line: usize, fault: Fault) -> Fault {
    match fault {
        // The parser counts lines from the start of what it is given, which is one line.
        Fault::Json { column, cause, hint, .. } => Fault::Json { line, column, cause, hint },
        other => Fault::Line { line, fault: Box::new(other) },
    }
}
