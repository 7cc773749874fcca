//! The named fields of a file, JSON or npz: `a.b` is the field `b` of the object `a`, or the array of that name.

use std::path::Path;

use serde_json::Value;

use super::npy::{Array, Matrix};
use super::npz::Archive;
use super::{input, json};
use crate::Fault;

/// Where fields are read from. A field that is absent is `None`.
pub(crate) enum Fields {
    Json(Value),
    Npz(Archive),
}

impl Fields {
    pub(crate) fn read_json(path: &Path) -> Result<Fields, Fault> {
        Ok(Fields::Json(json::document(&input::read(path)?)?))
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

    /// A table of numbers. Only npz has it.
    pub(crate) fn matrix(&mut self, name: &str) -> Result<Option<Matrix>, Fault> {
        match self {
            Fields::Json(_) => Ok(None),
            Fields::Npz(archive) => archive.array(name)?.map(|array| array.matrix()).transpose(),
        }
    }

    /// The field `id`: a text or a number. Only JSON has it.
    pub(crate) fn id(&self) -> Result<Option<String>, Fault> {
        let Fields::Json(document) = self else { return Ok(None) };
        match json::get(document, "id")? {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(other) => Err(Fault::value("id", None, json::describe(other), "a text or a number")),
        }
    }

    /// Rejects a file of another format.
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
