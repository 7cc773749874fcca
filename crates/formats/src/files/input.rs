//! Opening a file that is to be read.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::Fault;

/// The extension in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The fault of a file whose extension is not among those known.
pub(crate) fn unknown_extension(path: &Path, what: &'static str, known: &'static str) -> Fault {
    let extension = extension(path);
    let found = if extension.is_empty() { "none".to_string() } else { format!(".{extension}") };
    Fault::Extension { found, what, known }
}

/// Opens a file that is not a directory and not empty.
pub(crate) fn open(path: &Path) -> Result<File, Fault> {
    let metadata = fs::metadata(path).map_err(Fault::Read)?;
    if metadata.is_dir() {
        return Err(Fault::Directory);
    }
    if metadata.is_file() && metadata.len() == 0 {
        return Err(Fault::Empty);
    }
    File::open(path).map_err(Fault::Read)
}

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(Fault::Read)?;
    Ok(bytes)
}
