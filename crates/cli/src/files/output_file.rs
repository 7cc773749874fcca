//! The file that a command writes. It is checked before the work is done, not after.

use std::path::Path;

use revealed_formats::atomic;
use serde_json::Value;

use crate::terminal::Failure;

/// Rejects an output that cannot be written, or that is one of the inputs. `what` is what is written.
pub fn check_output(output: &Path, inputs: &[&Path], what: &str) -> Result<(), Failure> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let target = real(output);
    if target.is_some() && inputs.iter().any(|input| real(input) == target) {
        let message = format!("it is also an input and would be overwritten: write {what} elsewhere");
        return Err(Failure::in_file(output, message));
    }
    Ok(atomic::check(output)?)
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
