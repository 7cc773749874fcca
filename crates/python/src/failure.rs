//! Errors as Python has them.

use pyo3::exceptions::{PyFileNotFoundError, PyMemoryError, PyOSError, PyValueError};
use pyo3::{PyErr, PyResult};
use revealed_formats::Fault;

/// An error of the engine: a wrong value, or too little memory.
pub fn of_engine(error: revealed::Error) -> PyErr {
    match error {
        revealed::Error::Memory { .. } | revealed::Error::FillIn { .. } => PyMemoryError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// A file that does not exist, cannot be read or written, or has the wrong content.
pub fn of_file(error: revealed_formats::Error) -> PyErr {
    let message = error.to_string();
    match error.fault() {
        Fault::Read(cause) if cause.kind() == std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
        Fault::Read(_) | Fault::Write(_) | Fault::Directory | Fault::Link | Fault::LinkToNothing { .. } => {
            PyOSError::new_err(message)
        }
        _ => PyValueError::new_err(message),
    }
}

/// An error about a map, a network or trips. Options of the command line have their names in Python.
pub fn of_roads(error: revealed_roads::Error) -> PyErr {
    use revealed_roads::Error as Roads;
    let message = in_python(&error.to_string());
    match error {
        Roads::Engine(error) => of_engine(error),
        Roads::Format(error) => of_file(error),
        Roads::File { fault: revealed_roads::Fault::Read(cause), .. } => match cause.kind() {
            std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
            _ => PyOSError::new_err(message),
        },
        _ => PyValueError::new_err(message),
    }
}

/// A picture that cannot be drawn.
pub fn of_drawing(error: revealed_draw::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The text with `--keep-all` as `keep_all`.
fn in_python(message: &str) -> String {
    let mut parts = message.split("--");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part.find(|letter: char| !(letter.is_ascii_lowercase() || letter == '-')).unwrap_or(part.len());
        // Two dashes that are no option stay.
        text.push_str(if end == 0 { "--" } else { "" });
        text.push_str(&part[..end].replace('-', "_"));
        text.push_str(&part[end..]);
    }
    text
}

/// Columns that are not a problem.
pub fn of_columns(fault: Fault) -> PyErr {
    PyValueError::new_err(fault.to_string())
}

/// JSON that is not a model.
pub fn of_json<T>(made: serde_json::Result<T>) -> PyResult<T> {
    made.map_err(|error| PyValueError::new_err(format!("the model: {error}")))
}
