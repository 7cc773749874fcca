//! An archive of named arrays, as `numpy.savez` and `numpy.savez_compressed` write it.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Write};
use std::path::Path;

use npyz::npz::{array_name_from_file_name, file_name_from_array_name};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::fields::Column;
use crate::npy::{self, Array};
use crate::{Fault, input};

/// An open archive; arrays are read when they are asked for.
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
        let arrays = self.zip.file_names().flatten();
        arrays.filter_map(|file| array_name_from_file_name(&file).map(str::to_string)).collect()
    }

    /// The array of this name, if there is one.
    pub(crate) fn array(&mut self, name: &str) -> Result<Option<Array>, Fault> {
        let Some(index) = self.zip.index_for_name(&file_name_from_array_name(name)) else {
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
        zip.start_file(file_name_from_array_name(name), options)?;
        write_column(&mut zip, column)?;
    }
    Ok(zip.finish()?.into_inner())
}

fn write_column(writer: &mut impl Write, column: &Column<'_>) -> io::Result<()> {
    match column {
        Column::Integer(value) => npy::write(writer, &[], [*value]),
        Column::Float(value) => npy::write(writer, &[], [*value]),
        Column::Text(text) => npy::write_texts(writer, &[], &[text.to_string()]),
        Column::Integers(values) => npy::write(writer, &[values.len() as u64], values.iter().copied()),
        Column::Floats(values) => npy::write(writer, &[values.len() as u64], values.iter().copied()),
        Column::Rows(columns, values) => {
            let shape = [values.len().checked_div(*columns).unwrap_or(0) as u64, *columns as u64];
            npy::write(writer, &shape, values.iter().copied())
        }
        Column::Texts(texts) => npy::write_texts(writer, &[texts.len() as u64], texts),
    }
}
