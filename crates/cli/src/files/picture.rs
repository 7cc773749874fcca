//! Maps and charts as files.

use std::path::Path;

use revealed_draw::Canvas;
use revealed_formats::atomic;

use crate::terminal::Failure;

/// Rejects a picture of another kind.
pub fn check_picture(file: &Path) -> Result<(), Failure> {
    match extension(file).as_str() {
        "svg" | "png" => Ok(()),
        _ => Err(Failure::new(format!("{}: a map is an .svg or .png file: give it such an extension", file.display()))),
    }
}

/// Writes a picture as SVG or PNG.
pub fn write_picture(file: &Path, canvas: &Canvas) -> Result<(), Failure> {
    let bytes = match extension(file).as_str() {
        "png" => canvas.png()?,
        _ => canvas.svg().into_bytes(),
    };
    Ok(atomic::write(file, |writer| writer.write_all(&bytes))?)
}

fn extension(file: &Path) -> String {
    file.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}
