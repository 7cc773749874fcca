//! The named fields of a file, whether JSON or npz: nested objects and dotted array names are one thing here.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::npy::{Array, Matrix};
use crate::npz::{self, Archive};
use crate::{Error, Fault, atomic, input, json};

/// Where fields are read from. A field that is absent is `None`.
pub(crate) enum Fields {
    Json(Value),
    Npz(Archive),
}

impl Fields {
    pub(crate) fn read_json(path: &Path) -> Result<Fields, Fault> {
        Ok(Fields::Json(json::parse(&input::read(path)?)?))
    }

    pub(crate) fn open_npz(path: &Path) -> Result<Fields, Fault> {
        Ok(Fields::Npz(Archive::open(path)?))
    }

    /// Names that are not among the known ones.
    pub(crate) fn unknown(&self, known: &[&str]) -> Vec<String> {
        match self {
            Fields::Json(document) => json::unknown(document, known),
            Fields::Npz(archive) => archive.names().into_iter().filter(|name| !known.contains(&name.as_str())).collect(),
        }
    }

    pub(crate) fn integers(&mut self, name: &str) -> Result<Option<Vec<i64>>, Fault> {
        self.column(name, |value| json::list(value, name, "a whole number", json::whole), Array::integers)
    }

    pub(crate) fn floats(&mut self, name: &str) -> Result<Option<Vec<f64>>, Fault> {
        self.column(name, |value| json::list(value, name, "a number", Value::as_f64), Array::floats)
    }

    pub(crate) fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, Fault> {
        let text = |entry: &Value| entry.as_str().map(str::to_string);
        self.column(name, |value| json::list(value, name, "a text", text), Array::texts)
    }

    pub(crate) fn integer(&mut self, name: &str) -> Result<Option<i64>, Fault> {
        self.single(name, "a whole number", json::whole, Array::integers)
    }

    pub(crate) fn float(&mut self, name: &str) -> Result<Option<f64>, Fault> {
        self.single(name, "a number", Value::as_f64, Array::floats)
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Fault> {
        self.single(name, "a text", |value| value.as_str().map(str::to_string), Array::texts)
    }

    /// A table of numbers; npz alone has such.
    pub(crate) fn matrix(&mut self, name: &str) -> Result<Option<Matrix>, Fault> {
        match self {
            Fields::Json(_) => Ok(None),
            Fields::Npz(archive) => archive.array(name)?.map(|array| array.matrix()).transpose(),
        }
    }

    /// Refuses a file that says it is of another format.
    pub(crate) fn check_format(&mut self, expected: &'static str) -> Result<(), Fault> {
        match self.text("format")? {
            Some(found) if found != expected => Err(Fault::Format { found: format!("\"{found}\""), expected }),
            _ => Ok(()),
        }
    }

    fn column<T>(
        &mut self,
        name: &str,
        from_json: impl Fn(&Value) -> Result<Vec<T>, Fault>,
        from_array: impl Fn(&Array) -> Result<Vec<T>, Fault>,
    ) -> Result<Option<Vec<T>>, Fault> {
        match self {
            Fields::Json(document) => json::get(document, name)?.map(from_json).transpose(),
            Fields::Npz(archive) => archive.array(name)?.map(|array| from_array(&array.one_dimensional()?)).transpose(),
        }
    }

    fn single<T>(
        &mut self,
        name: &str,
        expected: &'static str,
        from_json: impl Fn(&Value) -> Option<T>,
        from_array: impl Fn(&Array) -> Result<Vec<T>, Fault>,
    ) -> Result<Option<T>, Fault> {
        match self {
            Fields::Json(document) => json::get(document, name)?
                .map(|value| from_json(value).ok_or_else(|| Fault::value(name, None, json::describe(value), expected)))
                .transpose(),
            Fields::Npz(archive) => match archive.array(name)? {
                Some(array) => Ok(from_array(&array.scalar()?)?.pop()),
                None => Ok(None),
            },
        }
    }
}

/// What a field holds when it is written.
#[derive(serde::Serialize)]
#[serde(untagged)]
pub(crate) enum Column<'a> {
    Integer(i64),
    Float(f64),
    Text(&'a str),
    Integers(Cow<'a, [i64]>),
    Floats(Cow<'a, [f64]>),
    Texts(&'a [String]),
    /// Rows of so many numbers each.
    Rows(usize, &'a [f64]),
}

/// Writes fields under their dotted names as JSON objects. Names that share a prefix stand together.
pub(crate) fn write_json(path: &Path, columns: &[(String, Column<'_>)]) -> Result<(), Error> {
    atomic::write(path, |writer: &mut dyn Write| json::write(writer, &Nested { depth: 0, columns }))
}

/// Writes fields under their dotted names as arrays.
pub(crate) fn write_npz(path: &Path, columns: &[(String, Column<'_>)]) -> Result<(), Error> {
    atomic::write(path, |writer: &mut dyn Write| writer.write_all(&npz::to_bytes(columns)?))
}

/// Columns whose names agree up to `depth` dots, as an object.
struct Nested<'a> {
    depth: usize,
    columns: &'a [(String, Column<'a>)],
}

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let key = |column: &(String, Column<'_>), depth| column.0.split('.').nth(depth).map(str::to_string);
        let mut object = serializer.serialize_map(None)?;
        for group in self.columns.chunk_by(|one, next| key(one, self.depth) == key(next, self.depth)) {
            object.serialize_key(&key(&group[0], self.depth))?;
            if key(&group[0], self.depth + 1).is_none() {
                object.serialize_value(&group[0].1)?;
            } else {
                object.serialize_value(&Nested { depth: self.depth + 1, columns: group })?;
            }
        }
        object.end()
    }
}
