//! Opening a file that is to be read. `-` is stdin, for lines and tables, which are read once and in order.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::Fault;

/// The extension in lower case.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Whether a path stands for stdin. A file of that name is `./-`.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The fault of a file whose extension is not among those known.
pub(crate) fn unknown_extension(path: &Path, what: &'static str, known: &'static str) -> Fault {
    if is_stdin(path) {
        return Fault::Stdin;
    }
    let extension = extension(path);
    let found = if extension.is_empty() { "none".to_string() } else { format!(".{extension}") };
    Fault::Extension { found, what, known }
}

/// Opens a file that is not a directory and not empty.
pub(crate) fn open(path: &Path) -> Result<File, Fault> {
    if is_stdin(path) {
        return Err(Fault::Stdin);
    }
    let metadata = fs::metadata(path).map_err(Fault::Read)?;
    if metadata.is_dir() {
        return Err(Fault::Directory);
    }
    if metadata.is_file() && metadata.len() == 0 {
        return Err(Fault::Empty);
    }
    File::open(path).map_err(Fault::Read)
}

/// The same, or stdin.
pub(crate) fn open_or_stdin(path: &Path) -> Result<Box<dyn Read>, Fault> {
    if is_stdin(path) { Ok(Box::new(io::stdin())) } else { Ok(Box::new(open(path)?)) }
}

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    to_end(open(path)?)
}

/// The bytes of a file or of stdin.
pub(crate) fn read_or_stdin(path: &Path) -> Result<Vec<u8>, Fault> {
    to_end(open_or_stdin(path)?)
}

fn to_end(mut file: impl Read) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(Fault::Read)?;
    Ok(bytes)
}
