//! The name of a file decides how it is read.

use std::path::Path;

use revealed_formats::is_stdin;

use crate::error::Fault;

/// The name of a file without its folders, in lower case.
pub(crate) fn lower_case_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The extension of a file in lower case; empty if it has none.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Rejects a directory, or stdin, where a file is expected.
pub(crate) fn refuse_directory(path: &Path) -> Result<(), Fault> {
    if is_stdin(path) {
        return Err(Fault::Content(revealed_formats::Fault::Stdin.to_string()));
    }
    match path.is_dir() {
        true => Err(Fault::Content("it is a directory: give a file".to_string())),
        false => Ok(()),
    }
}
