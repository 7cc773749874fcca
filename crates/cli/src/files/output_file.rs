//! The file that a command writes. It is checked before the work is done, not after.

use std::fs;
use std::path::{Path, PathBuf};

use revealed_formats::{atomic, is_stdin};
use serde_json::Value;

use crate::terminal::Failure;

/// Rejects an output that cannot be written, or that is one of the inputs. `what` is what is written.
pub fn check_output(output: &Path, inputs: &[&Path], what: &str) -> Result<(), Failure> {
    if is_stdin(output) {
        return Err(Failure::in_file(
            output,
            format!("to write {what} to stdout, give /dev/stdout; a file of this name is ./-"),
        ));
    }
    let real = |path: &Path| fs::canonicalize(path).ok();
    let target = real(output);
    if target.is_some() && inputs.iter().any(|input| real(input) == target) {
        let message = format!("it is also an input and would be overwritten: write {what} elsewhere");
        return Err(Failure::in_file(output, message));
    }
    Ok(atomic::check(output)?)
}

/// Rejects two outputs that are one file, by a link or by another way of writing its name.
pub fn check_apart(outputs: &[Option<&Path>]) -> Result<(), Failure> {
    // A file that does not exist yet has a folder that does.
    let real = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::canonicalize(path)
            .or_else(|_| fs::canonicalize(folder).map(|folder| folder.join(path.file_name().unwrap_or_default())))
    };
    let outputs: Vec<(&Path, PathBuf)> = outputs.iter().flatten().filter_map(|&path| Some((path, real(path).ok()?))).collect();
    for (place, (path, target)) in outputs.iter().enumerate() {
        // Two outputs may go to one pipe or device.
        if let Some(other) = outputs[..place].iter().find(|other| other.1 == *target)
            && (target.is_file() || !target.exists())
        {
            let message = format!("it is the same file as {}: give each output a file of its own", other.0.display());
            return Err(Failure::in_file(path, message));
        }
    }
    Ok(())
}

/// Rejects an output whose extension does not fit what is written to it.
pub fn check_extension(output: &Path, extension: &'static str) -> Result<(), Failure> {
    let found = output.extension().map(|found| found.to_string_lossy().to_lowercase());
    if found.as_deref() == Some(extension) {
        return Ok(());
    }
    Err(Failure::in_file(output, format!("the output is .{extension}: give the file that extension")))
}

/// Both checks, for an optional file.
pub fn check_optional(output: Option<&Path>, inputs: &[&Path], what: &str, extension: &'static str) -> Result<(), Failure> {
    let Some(output) = output else { return Ok(()) };
    check_output(output, inputs, what)?;
    check_extension(output, extension)
}

/// Writes one JSON object and a line break, whole or not at all.
pub fn write_json(output: &Path, json: &Value) -> Result<(), Failure> {
    Ok(atomic::write(output, |writer| writeln!(writer, "{json}"))?)
}
