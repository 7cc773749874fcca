//! An archive of named arrays, as `numpy.savez` and `numpy.savez_compressed` write it.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom, Write};
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
        if let Some(name) = twice(BufReader::new(input::open(path)?), archive.zip.central_directory_start())? {
            return Err(Fault::ArrayTwice { name });
        }
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

/// The first array whose name appears twice in the directory of an archive, which begins here. Programs that read zip
/// files keep one of the two, and not all the same one.
fn twice(mut archive: impl Read + Seek, directory: u64) -> Result<Option<String>, Fault> {
    archive.seek(SeekFrom::Start(directory)).map_err(Fault::Read)?;
    let (mut names, mut header) = (HashSet::new(), [0; 46]);
    // The directory ends where something else begins. That it is whole was checked when the archive was opened.
    while archive.read_exact(&mut header).is_ok() && header.starts_with(b"PK\x01\x02") {
        let [name, extra, comment] = [28, 30, 32].map(|at| i64::from(u16::from_le_bytes([header[at], header[at + 1]])));
        let mut bytes = vec![0; name as usize];
        if archive.read_exact(&mut bytes).is_err() || archive.seek_relative(extra + comment).is_err() {
            break;
        }
        let name = String::from_utf8_lossy(&bytes).split('\0').next().unwrap_or_default().to_string();
        if !names.insert(name.clone()) {
            return Ok(Some(name.trim_end_matches(".npy").to_string()));
        }
    }
    Ok(None)
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
