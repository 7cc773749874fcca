//! JSON documents: parsed so that errors have a place, and written so that people can read them.

use std::io::{self, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::ser::Formatter;

use super::unique::Unique;
use crate::Fault;

/// Parses a document in which no key appears twice. Errors have a line and a column.
pub(crate) fn document(bytes: &[u8]) -> Result<Value, Fault> {
    parse(bytes).map(|Unique(value)| value)
}

/// Parses a document of a known shape, which may have keys twice: see [`document`].
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(bytes).map_err(|error| Fault::json(&error, hint(bytes, &error)))
}

/// The remedy of the most frequent mistakes.
fn hint(bytes: &[u8], error: &serde_json::Error) -> &'static str {
    let line = bytes.split(|&byte| byte == b'\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let rest = line.get(error.column().saturating_sub(1)..).unwrap_or_default();
    if let Some(encoding) = encoding_hint(bytes) {
        encoding
    } else if error.is_eof() {
        ": the file is cut short, write it again"
    } else if error.is_syntax() && [&b"N"[..], b"I", b"i"].iter().any(|start| rest.starts_with(start)) {
        ": NaN and Infinity are not numbers here, give a finite one"
    } else if error.to_string().starts_with("number out of range") {
        ": give a finite number"
    } else {
        ""
    }
}

/// The remedy of a file that is not in UTF-8, or begins with a mark that JSON does not have.
fn encoding_hint(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => Some(": the file begins with a byte order mark, save it as UTF-8 without one (no BOM)"),
        // JSON begins with a character of one byte, so that one of the first two bytes of UTF-16 is 0.
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, _, ..] | [_, 0, ..] => Some(": the file is in UTF-16, save it as UTF-8"),
        _ => None,
    }
}

/// The value under a dotted name. `null` counts as absent.
pub(crate) fn get<'a>(document: &'a Value, name: &str) -> Result<Option<&'a Value>, Fault> {
    let mut value = document;
    let mut walked = 0;
    for key in name.split('.') {
        let Value::Object(object) = value else {
            let place = if walked == 0 { "the document" } else { &name[..walked - 1] };
            return Err(Fault::value(place, None, describe(value), "an object"));
        };
        match object.get(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(inner) => value = inner,
        }
        walked += key.len() + 1;
    }
    Ok(Some(value))
}

/// Names of the document, dotted, that are not among the known ones.
pub(crate) fn unknown(document: &Value, known: &[&str]) -> Vec<String> {
    let mut unknown = Vec::new();
    collect_unknown(document, "", known, &mut unknown);
    unknown
}

fn collect_unknown(value: &Value, prefix: &str, known: &[&str], unknown: &mut Vec<String>) {
    for (key, inner) in value.as_object().into_iter().flatten() {
        let name = format!("{prefix}{key}");
        if known.contains(&name.as_str()) {
            continue;
        }
        let inside = format!("{name}.");
        if known.iter().any(|known| known.starts_with(&inside)) {
            collect_unknown(inner, &inside, known, unknown);
        } else {
            unknown.push(name);
        }
    }
}

/// A list, each entry converted by `convert`.
pub(crate) fn list<T>(
    value: &Value,
    name: &str,
    expected: &'static str,
    convert: impl Fn(&Value) -> Option<T>,
) -> Result<Vec<T>, Fault> {
    let entries = value.as_array().ok_or_else(|| Fault::value(name, None, describe(value), "an array"))?;
    let convert_row = |(row, entry)| convert(entry).ok_or_else(|| Fault::value(name, row, describe(entry), expected));
    entries.iter().enumerate().map(convert_row).collect()
}

/// A whole number; `3.0` is one, `3.5` is not.
pub(crate) fn whole(value: &Value) -> Option<i64> {
    let from_float = || {
        let number = value.as_f64()?;
        (number.fract() == 0.0 && number.abs() < i64::MAX as f64).then_some(number as i64)
    };
    value.as_i64().or_else(from_float)
}

/// A short description of a value.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_string(),
        Value::Object(_) => "an object".to_string(),
        Value::String(text) if text.chars().count() > 40 => format!("\"{}…\"", text.chars().take(40).collect::<String>()),
        other => other.to_string(),
    }
}

/// Writes a document: one field a line, a column on one line.
pub(crate) fn write(writer: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *writer, FieldPerLine { depth: 0 });
    document.serialize(&mut serializer)?;
    writer.write_all(b"\n")
}

struct FieldPerLine {
    depth: usize,
}

impl FieldPerLine {
    fn new_line<W: ?Sized + Write>(&self, writer: &mut W) -> io::Result<()> {
        write!(writer, "\n{:width$}", "", width = 2 * self.depth)
    }
}

impl Formatter for FieldPerLine {
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        self.new_line(writer)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        self.new_line(writer)?;
        writer.write_all(b"}")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }
}
