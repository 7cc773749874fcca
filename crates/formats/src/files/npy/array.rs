//! An array as it is in a file, and its elements as numbers or texts.

use std::io::Read;

use super::element_type::{ElementKind, ElementType};
use super::header::Header;
use crate::Fault;

/// A table of numbers, row by row.
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) values: Vec<f64>,
}

/// What the elements of an array can be read as.
pub(crate) enum Kind {
    Integers,
    Floats,
    Texts,
}

/// An array with the bytes of its elements.
pub(crate) struct Array {
    name: String,
    element: ElementType,
    shape: Vec<u64>,
    /// Columns follow each other, not rows.
    by_columns: bool,
    data: Vec<u8>,
}

impl Array {
    /// Reads an array. Memory grows with the bytes that are there, not with those that the header states.
    pub(crate) fn read(name: &str, mut reader: impl Read) -> Result<Array, Fault> {
        let damaged = |cause: String| Fault::Array { name: name.to_string(), cause };
        let header = Header::read(&mut reader).map_err(damaged)?;
        if !header.has_type() {
            return Err(damaged("its header has no type".to_string()));
        }
        let element = header.plain_type().and_then(ElementType::parse).ok_or_else(|| {
            Fault::value(name, None, "an array of a type that is not a plain one", "an array of plain numbers")
        })?;
        let shape = header.shape().ok_or_else(|| damaged("its header has no shape".to_string()))?;
        let mut array = Array { name: name.to_string(), element, shape, by_columns: header.by_columns(), data: Vec::new() };
        if array.element.kind == ElementKind::Object {
            return Err(Fault::value(name, None, "an array of Python objects", "an array of plain numbers or texts"));
        }
        let promised = array.promised_bytes().ok_or_else(|| damaged(format!("its header states {}", array.describe())))?;
        reader.take(promised.saturating_add(1)).read_to_end(&mut array.data).map_err(|cause| damaged(cause.to_string()))?;
        if array.data.len() as u64 != promised {
            let held = if (array.data.len() as u64) < promised { array.data.len().to_string() } else { "more".to_string() };
            return Err(damaged(format!("its header states {promised} bytes, but it holds {held}")));
        }
        Ok(array)
    }

    fn promised_bytes(&self) -> Option<u64> {
        // An element of no bytes counts as one: there could be any number of them.
        let element = self.element.n_bytes()?.max(1);
        self.shape.iter().try_fold(element, |product, &length| product.checked_mul(length))
    }

    fn describe(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        format!("an array of type {} and shape ({})", self.element, shape.join(", "))
    }

    fn damaged(&self, cause: String) -> Fault {
        Fault::Array { name: self.name.clone(), cause }
    }

    fn expected(&self, expected: &'static str) -> Fault {
        Fault::value(&self.name, None, self.describe(), expected)
    }

    /// Rejects an array of several dimensions whose columns follow each other.
    pub(crate) fn in_rows(self) -> Result<Self, Fault> {
        match self.by_columns && self.shape.len() > 1 {
            true => Err(self.expected("an array in the order of rows (numpy.ascontiguousarray)")),
            false => Ok(self),
        }
    }

    /// The length of each dimension.
    pub(crate) fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Rejects an array that is not a column.
    pub(crate) fn one_dimensional(self) -> Result<Self, Fault> {
        if self.shape.len() == 1 { Ok(self) } else { Err(self.expected("a one-dimensional array")) }
    }

    /// Rejects an array that is not one element.
    pub(crate) fn scalar(self) -> Result<Self, Fault> {
        if matches!(self.shape[..], [] | [1]) { Ok(self) } else { Err(self.expected("a single number or text")) }
    }

    /// The numbers of a table, row by row, and how many rows and columns it has.
    pub(crate) fn matrix(&self) -> Result<Matrix, Fault> {
        let [rows, columns] = self.shape[..] else {
            return Err(self.expected("a two-dimensional array, with a row for each sample and a column for each feature"));
        };
        let (rows, columns, values) = (rows as usize, columns as usize, self.floats()?);
        let in_rows = |place: usize| values[place % columns * rows + place / columns];
        let values = if self.by_columns { (0..values.len()).map(in_rows).collect() } else { values };
        Ok(Matrix { rows, columns, values })
    }

    /// The kind of its elements. Whatever is not a number is assumed to be text; [`texts`](Self::texts) rejects the
    /// rest.
    pub(crate) fn kind(&self) -> Kind {
        match self.element.kind {
            ElementKind::Bool | ElementKind::Int | ElementKind::Uint => Kind::Integers,
            ElementKind::Float => Kind::Floats,
            _ => Kind::Texts,
        }
    }

    /// The elements as integers.
    pub(crate) fn integers(&self) -> Result<Vec<i64>, Fault> {
        match (self.element.kind, self.element.size) {
            (ElementKind::Bool, 1) => self.booleans(),
            (ElementKind::Int, 1) => Ok(self.numbers(|bytes| i8::from_le_bytes(bytes).into())),
            (ElementKind::Int, 2) => Ok(self.numbers(|bytes| i16::from_le_bytes(bytes).into())),
            (ElementKind::Int, 4) => Ok(self.numbers(|bytes| i32::from_le_bytes(bytes).into())),
            (ElementKind::Int, 8) => Ok(self.numbers(i64::from_le_bytes)),
            (ElementKind::Uint, 1) => Ok(self.numbers(|bytes| u8::from_le_bytes(bytes).into())),
            (ElementKind::Uint, 2) => Ok(self.numbers(|bytes| u16::from_le_bytes(bytes).into())),
            (ElementKind::Uint, 4) => Ok(self.numbers(|bytes| u32::from_le_bytes(bytes).into())),
            (ElementKind::Uint, 8) => self.large_integers(),
            // numpy takes an empty list for one of floats.
            (ElementKind::Float, _) if self.shape == [0] => Ok(Vec::new()),
            _ => Err(self.expected("an array of integers (numpy.int64)")),
        }
    }

    fn booleans(&self) -> Result<Vec<i64>, Fault> {
        let boolean = |&byte: &u8| match byte {
            0 | 1 => Ok(i64::from(byte)),
            other => Err(self.damaged(format!("invalid value for bool: {other}"))),
        };
        self.data.iter().map(boolean).collect()
    }

    fn large_integers(&self) -> Result<Vec<i64>, Fault> {
        let signed =
            |(row, value)| i64::try_from(value).map_err(|_| Fault::value(&self.name, row, value, "a whole number below 2^63"));
        self.numbers(u64::from_le_bytes).into_iter().enumerate().map(signed).collect()
    }

    /// The elements as floating-point numbers.
    pub(crate) fn floats(&self) -> Result<Vec<f64>, Fault> {
        match (self.element.kind, self.element.size) {
            (ElementKind::Float, 4) => Ok(self.numbers(|bytes| f32::from_le_bytes(bytes).into())),
            (ElementKind::Float, 8) => Ok(self.numbers(f64::from_le_bytes)),
            (ElementKind::Bool | ElementKind::Int | ElementKind::Uint, _) => {
                Ok(self.integers()?.into_iter().map(|value| value as f64).collect())
            }
            _ => Err(self.expected("an array of numbers (numpy.float64)")),
        }
    }

    /// The elements as texts.
    pub(crate) fn texts(&self) -> Result<Vec<String>, Fault> {
        let text: fn(&ElementType, &[u8]) -> Result<String, String> = match self.element.kind {
            ElementKind::Text => code_points,
            ElementKind::Bytes => utf_8,
            _ => return Err(self.expected("an array of texts (numpy.str_)")),
        };
        let n_bytes = self.element.n_bytes().unwrap_or(0) as usize;
        let elements = self.data.chunks_exact(n_bytes.max(1)).map(|bytes| &bytes[..n_bytes]);
        elements.map(|bytes| text(&self.element, bytes).map_err(|cause| self.damaged(cause))).collect()
    }

    /// The elements as numbers of `N` bytes.
    fn numbers<const N: usize, T>(&self, number: impl Fn([u8; N]) -> T) -> Vec<T> {
        self.data.as_chunks().0.iter().map(|&bytes| number(self.element.little_endian(bytes))).collect()
    }
}

/// A text of code points, up to the zeros at its end.
fn code_points(element: &ElementType, bytes: &[u8]) -> Result<String, String> {
    let character = |&bytes: &[u8; 4]| {
        let code = u32::from_le_bytes(element.little_endian(bytes));
        char::from_u32(code).ok_or_else(|| format!("invalid UTF-32 code unit: {code:x}"))
    };
    let text: String = bytes.as_chunks().0.iter().map(character).collect::<Result<_, _>>()?;
    Ok(text.trim_end_matches('\0').to_string())
}

/// A text in UTF-8, up to the zeros at its end.
fn utf_8(_: &ElementType, bytes: &[u8]) -> Result<String, String> {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    String::from_utf8(bytes[..end].to_vec()).map_err(|error| format!("invalid utf-8: {error}"))
}
