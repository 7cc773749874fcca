//! One numpy array: a short text header, then the elements.
//!
//! The header is read here rather than by npyz, which multiplies whatever shape it finds and parses nested
//! expressions by recursion: files come from strangers. The elements are npyz's.

use std::io::{self, Read, Write};

use npyz::{AutoSerialize, DType, Deserialize, Serialize, TypeChar, TypeRead, TypeStr, WriterBuilder};

use crate::Fault;
use crate::additions::Kind;

const MAGIC: &[u8] = b"\x93NUMPY";
/// numpy's own headers have a few hundred bytes.
const LONGEST_HEADER: usize = 1 << 16;

/// A table of numbers, row by row.
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) values: Vec<f64>,
}

/// An array as it stands in the archive.
pub(crate) struct Array {
    name: String,
    dtype: TypeStr,
    shape: Vec<u64>,
    /// Columns follow each other, not rows.
    by_columns: bool,
    data: Vec<u8>,
}

impl Array {
    /// Reads an array. Memory grows with the bytes that are there, not with those that the header promises.
    pub(crate) fn read(name: &str, mut reader: impl Read) -> Result<Array, Fault> {
        let damaged = |cause: String| Fault::Array { name: name.to_string(), cause };
        let header = read_header(&mut reader).map_err(damaged)?;
        let descr = after(&header, "'descr'").ok_or_else(|| damaged("its header has no type".to_string()))?;
        let dtype: TypeStr = quoted(descr).and_then(|text| text.parse().ok()).ok_or_else(|| {
            Fault::value(name, None, "an array of a type that is not a plain one", "an array of plain numbers")
        })?;
        let shape = after(&header, "'shape'").and_then(shape).ok_or_else(|| damaged("its header has no shape".to_string()))?;
        let by_columns = after(&header, "'fortran_order'").is_some_and(|value| value.starts_with("True"));
        let mut array = Array { name: name.to_string(), dtype, shape, by_columns, data: Vec::new() };
        if array.dtype.type_char() == TypeChar::Object {
            return Err(Fault::value(name, None, "an array of Python objects", "an array of plain numbers or texts"));
        }
        let promised = array.promised_bytes().ok_or_else(|| damaged(format!("its header promises {}", array.describe())))?;
        reader.take(promised.saturating_add(1)).read_to_end(&mut array.data).map_err(|cause| damaged(cause.to_string()))?;
        if array.data.len() as u64 != promised {
            let held = if (array.data.len() as u64) < promised { array.data.len().to_string() } else { "more".to_string() };
            return Err(damaged(format!("its header promises {promised} bytes, it holds {held}")));
        }
        Ok(array)
    }

    fn promised_bytes(&self) -> Option<u64> {
        // An element of no bytes counts as one: there could be any number of them.
        let element = (self.dtype.num_bytes()? as u64).max(1);
        self.shape.iter().try_fold(element, |product, &length| product.checked_mul(length))
    }

    fn describe(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        format!("an array of type {} and shape ({})", self.dtype, shape.join(", "))
    }

    fn expected(&self, expected: &'static str) -> Fault {
        Fault::value(&self.name, None, self.describe(), expected)
    }

    /// Refuses an array that is not a column.
    pub(crate) fn one_dimensional(self) -> Result<Self, Fault> {
        if self.shape.len() == 1 { Ok(self) } else { Err(self.expected("a one-dimensional array")) }
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

    /// Refuses an array that is not one element.
    pub(crate) fn scalar(self) -> Result<Self, Fault> {
        if matches!(self.shape[..], [] | [1]) { Ok(self) } else { Err(self.expected("a single number or text")) }
    }

    /// What it is made of; whatever is no number is taken for text, which [`texts`](Self::texts) judges.
    pub(crate) fn kind(&self) -> Kind {
        match self.dtype.type_char() {
            TypeChar::Bool | TypeChar::Int | TypeChar::Uint => Kind::Integers,
            TypeChar::Float => Kind::Floats,
            _ => Kind::Texts,
        }
    }

    /// The elements as integers.
    pub(crate) fn integers(&self) -> Result<Vec<i64>, Fault> {
        match (self.dtype.type_char(), self.dtype.size_field()) {
            (TypeChar::Bool, 1) => self.elements::<bool, _>(i64::from),
            (TypeChar::Int, 1) => self.elements::<i8, _>(i64::from),
            (TypeChar::Int, 2) => self.elements::<i16, _>(i64::from),
            (TypeChar::Int, 4) => self.elements::<i32, _>(i64::from),
            (TypeChar::Int, 8) => self.elements::<i64, _>(|value| value),
            (TypeChar::Uint, 1) => self.elements::<u8, _>(i64::from),
            (TypeChar::Uint, 2) => self.elements::<u16, _>(i64::from),
            (TypeChar::Uint, 4) => self.elements::<u32, _>(i64::from),
            (TypeChar::Uint, 8) => self.large_integers(),
            // numpy takes an empty list for one of floats.
            (TypeChar::Float, _) if self.shape == [0] => Ok(Vec::new()),
            _ => Err(self.expected("an array of integers (numpy.int64)")),
        }
    }

    fn large_integers(&self) -> Result<Vec<i64>, Fault> {
        let signed =
            |(row, value)| i64::try_from(value).map_err(|_| Fault::value(&self.name, row, value, "a whole number below 2^63"));
        self.elements::<u64, _>(|value| value)?.into_iter().enumerate().map(signed).collect()
    }

    /// The elements as floating-point numbers.
    pub(crate) fn floats(&self) -> Result<Vec<f64>, Fault> {
        match (self.dtype.type_char(), self.dtype.size_field()) {
            (TypeChar::Float, 4) => self.elements::<f32, _>(f64::from),
            (TypeChar::Float, 8) => self.elements::<f64, _>(|value| value),
            (TypeChar::Bool | TypeChar::Int | TypeChar::Uint, _) => {
                Ok(self.integers()?.into_iter().map(|value| value as f64).collect())
            }
            _ => Err(self.expected("an array of numbers (numpy.float64)")),
        }
    }

    /// The elements as texts.
    pub(crate) fn texts(&self) -> Result<Vec<String>, Fault> {
        match self.dtype.type_char() {
            TypeChar::UnicodeStr | TypeChar::ByteStr => self.elements::<String, _>(|value| value),
            _ => Err(self.expected("an array of texts (numpy.str_)")),
        }
    }

    fn elements<T: Deserialize, U>(&self, convert: impl Fn(T) -> U) -> Result<Vec<U>, Fault> {
        let damaged = |cause: String| Fault::Array { name: self.name.clone(), cause };
        let reader = T::reader(&DType::Plain(self.dtype.clone())).map_err(|error| damaged(error.to_string()))?;
        let element = self.dtype.num_bytes().unwrap_or(1).max(1);
        let read = |bytes| reader.read_one(bytes).map(&convert).map_err(|error| damaged(error.to_string()));
        self.data.chunks_exact(element).map(read).collect()
    }
}

fn read_header(reader: &mut impl Read) -> Result<String, String> {
    let cut_short = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => "it is cut short".to_string(),
        _ => error.to_string(),
    };
    let mut start = [0; 8];
    reader.read_exact(&mut start).map_err(cut_short)?;
    if !start.starts_with(MAGIC) {
        return Err("it is not a numpy array".to_string());
    }
    let length = match start[6] {
        1 => {
            let mut length = [0; 2];
            reader.read_exact(&mut length).map_err(cut_short)?;
            usize::from(u16::from_le_bytes(length))
        }
        2 | 3 => {
            let mut length = [0; 4];
            reader.read_exact(&mut length).map_err(cut_short)?;
            u32::from_le_bytes(length) as usize
        }
        version => return Err(format!("version {version} of the array format is not known")),
    };
    if length > LONGEST_HEADER {
        return Err(format!("its header has {length} bytes"));
    }
    let mut header = vec![0; length];
    reader.read_exact(&mut header).map_err(cut_short)?;
    Ok(String::from_utf8_lossy(&header).replace('"', "'"))
}

/// What follows `key:` in the header.
fn after<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let rest = &header[header.find(key)? + key.len()..];
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('\'')?.split('\'').next()
}

fn shape(text: &str) -> Option<Vec<u64>> {
    let inside = text.strip_prefix('(')?.split(')').next()?;
    inside.split(',').map(str::trim).filter(|length| !length.is_empty()).map(|length| length.parse().ok()).collect()
}

/// Writes numbers; `shape` is empty for a single one.
pub(crate) fn write<T: AutoSerialize>(
    writer: impl Write,
    shape: &[u64],
    values: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write_as(writer, T::default_dtype(), shape, values)
}

/// Writes texts, each as wide as the widest.
pub(crate) fn write_texts(writer: impl Write, shape: &[u64], texts: &[String]) -> io::Result<()> {
    let widest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let dtype = format!("<U{widest}").parse().map_err(|error| io::Error::other(format!("{error}")))?;
    write_as(writer, DType::Plain(dtype), shape, texts.iter().cloned())
}

fn write_as<T: Serialize>(
    writer: impl Write,
    dtype: DType,
    shape: &[u64],
    values: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    let mut array = npyz::WriteOptions::new().dtype(dtype).shape(shape).writer(writer).begin_nd()?;
    array.extend(values)?;
    array.finish()
}
