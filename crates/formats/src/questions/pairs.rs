//! Pairs of states, an origin and a destination each: `.csv` with the columns `from` and `to`, or `.jsonl` with lines
//! like `{"from": 3, "to": 9}`. Each may have an `id` and a `weight`.

use std::path::Path;

use csv::{Position, ReaderBuilder, Trim};

use crate::files::lines::in_line;
use crate::files::{input, lines};
use crate::{Error, Fault};

/// The fields that a file may have.
const KNOWN: [&str; 4] = ["from", "to", "id", "weight"];

/// A query for a path: its first and its last state.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The first state.
    pub from: usize,
    /// The last state.
    pub to: usize,
    /// A name for the answer.
    pub id: Option<String>,
    /// How much it counts where pairs are a demand: 1 if the file does not say.
    pub weight: f64,
}

/// Reads pairs of states, from stdin if the path is `-`, of a problem with `n_states` states.
///
/// # Errors
/// If the file cannot be read, holds something that is not such a pair, or has none. The message names the line and the
/// value.
pub fn load_pairs(path: impl AsRef<Path>, n_states: usize) -> Result<Vec<Pair>, Error> {
    let path = path.as_ref();
    let pairs = match input::extension(path).as_str() {
        "csv" => input::read(path).and_then(|bytes| read_table(&bytes, n_states)),
        "jsonl" => input::read(path).and_then(|bytes| read_lines(&bytes, n_states)),
        _ if input::is_stdin(path) => input::read_or_stdin(path).and_then(|bytes| read_either(&bytes, n_states)),
        _ => Err(input::unknown_extension(path, "pairs are a", ".csv or .jsonl file")),
    };
    match pairs {
        Ok(none) if none.is_empty() => Err(Error::new(path, Fault::value("the number of pairs", None, 0, "at least 1"))),
        Ok(pairs) => Ok(pairs),
        Err(fault) => Err(Error::new(path, fault)),
    }
}

/// Lines of JSON begin with a brace, and tables with a name.
fn read_either(bytes: &[u8], n_states: usize) -> Result<Vec<Pair>, Fault> {
    if bytes.trim_ascii_start().starts_with(b"{") { read_lines(bytes, n_states) } else { read_table(bytes, n_states) }
}

fn read_lines(bytes: &[u8], n_states: usize) -> Result<Vec<Pair>, Fault> {
    let mut pairs = Vec::new();
    lines::read_from(bytes, |mut fields| {
        let unknown = fields.unknown(&KNOWN);
        let mut end = |field: &'static str| {
            let number = fields.integer(field)?.ok_or_else(|| Fault::missing(field, &unknown))?;
            state(field, usize::try_from(number).ok(), &number.to_string(), n_states)
        };
        let (from, to) = (end("from")?, end("to")?);
        let weight = fields.float("weight")?.map_or(Ok(1.0), |weight| weighed(Some(weight), &weight.to_string()))?;
        pairs.push(Pair { from, to, id: fields.id()?, weight });
        Ok(())
    })?;
    Ok(pairs)
}

fn read_table(bytes: &[u8], n_states: usize) -> Result<Vec<Pair>, Fault> {
    let in_table = |error: csv::Error| table_fault(error, bytes);
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(bytes);
    let head = reader.headers().map_err(in_table)?.clone();
    let column = |name: &str| head.iter().position(|head| head == name);
    let unknown: Vec<String> = head.iter().filter(|head| !KNOWN.contains(head)).map(str::to_string).collect();
    let required = |name: &str| column(name).ok_or_else(|| Fault::missing(name, &unknown));
    let [from, to] = [required("from")?, required("to")?];
    let (id, weight) = (column("id"), column("weight"));
    let mut pairs = Vec::new();
    for record in reader.records() {
        let record = record.map_err(in_table)?;
        let text = |column: usize| record.get(column).unwrap_or_default();
        let end = |field, column| state(field, text(column).parse().ok(), &format!("{:?}", text(column)), n_states);
        let id = id.map(text).filter(|id| !id.is_empty()).map(str::to_string);
        let weight = weight.map(text).map_or(Ok(1.0), |text| weighed(text.parse().ok(), &format!("{text:?}")));
        let pair = || Ok(Pair { from: end("from", from)?, to: end("to", to)?, id, weight: weight? });
        pairs.push(pair().map_err(|fault| in_line(line_at(bytes, record.position()), fault))?);
    }
    Ok(pairs)
}

/// The line of a record. The parser's own count stops before empty lines.
fn line_at(bytes: &[u8], position: Option<&Position>) -> usize {
    let start = position.map_or(0, |position| position.byte() as usize).min(bytes.len());
    let empty = bytes[start..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    1 + bytes[..start + empty].iter().filter(|&&byte| byte == b'\n').count()
}

fn state(field: &'static str, state: Option<usize>, found: &str, n_states: usize) -> Result<usize, Fault> {
    match state {
        Some(state) if state < n_states => Ok(state),
        Some(_) => Err(Fault::State { field, found: found.to_string(), n_states }),
        None => Err(Fault::value(field, None, found, "a state: a whole number, 0 or more")),
    }
}

fn weighed(weight: Option<f64>, found: &str) -> Result<f64, Fault> {
    let weight = weight.filter(|weight| weight.is_finite() && *weight >= 0.0);
    weight.ok_or_else(|| Fault::value("weight", None, found, "a finite number, 0 or more"))
}

fn table_fault(error: csv::Error, bytes: &[u8]) -> Fault {
    let line = line_at(bytes, error.position());
    let cause = match error.into_kind() {
        csv::ErrorKind::Io(cause) => return Fault::Read(cause),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("it has {len} fields where the first line has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "it is not text in UTF-8".to_string(),
        _ => "it cannot be read as CSV".to_string(),
    };
    Fault::Csv { line, cause }
}
