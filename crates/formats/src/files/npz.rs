//! An archive of named arrays, as `numpy.savez` and `numpy.savez_compressed` write it.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::column::Column;
use super::input;
use super::npy::{self, Array};
use crate::Fault;

/// An open archive; arrays are read on demand.
pub(crate) struct Archive {
    zip: ZipArchive<BufReader<File>>,
}

impl Archive {
    pub(crate) fn open(path: &Path) -> Result<Archive, Fault> {
        let file = BufReader::new(input::open(path)?);
        let archive = Archive { zip: ZipArchive::new(file).map_err(|error| Fault::Archive(error.to_string()))? };
        if archive.names().is_empty() {
            return Err(Fault::Archive("it holds no .npy arrays".to_string()));
        }
        Ok(archive)
    }

    /// The names of the arrays.
    pub(crate) fn names(&self) -> Vec<String> {
        let files = self.zip.file_names().flatten();
        // Some programs end names with a zero.
        files.filter_map(|file| Some(file.split('\0').next()?.strip_suffix(".npy")?.to_string())).collect()
    }

    /// The array of this name, if there is one.
    pub(crate) fn array(&mut self, name: &str) -> Result<Option<Array>, Fault> {
        let Some(index) = self.zip.index_for_name(&file_name(name)) else {
            return Ok(None);
        };
        match self.zip.by_index(index) {
            Ok(member) => Array::read(name, member).map(Some),
            Err(error) => Err(Fault::Array { name: name.to_string(), cause: error.to_string() }),
        }
    }
}

/// The bytes of an archive of these columns, stored without compression.
pub(crate) fn to_bytes(columns: &[(String, Column<'_>)]) -> io::Result<Vec<u8>> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new())).set_auto_large_file();
    for (name, column) in columns {
        zip.start_file(file_name(name), options)?;
        write_column(&mut zip, column)?;
    }
    Ok(zip.finish()?.into_inner())
}

/// The name of an array's file in the archive.
fn file_name(array: &str) -> String {
    format!("{array}.npy")
}

fn write_column(writer: &mut impl Write, column: &Column<'_>) -> io::Result<()> {
    match column {
        Column::Integer(value) => npy::write_integers(writer, &[], &[*value]),
        Column::Float(value) => npy::write_floats(writer, &[], &[*value]),
        Column::Text(text) => npy::write_texts(writer, &[], &[text]),
        Column::Integers(values) => npy::write_integers(writer, &[values.len() as u64], values),
        Column::Floats(values) => npy::write_floats(writer, &[values.len() as u64], values),
        Column::Texts(texts) => npy::write_texts(writer, &[texts.len() as u64], texts),
        Column::Rows(columns, values) => {
            let rows = values.len().checked_div(*columns).unwrap_or(0);
            npy::write_floats(writer, &[rows as u64, *columns as u64], values)
        }
    }
}
