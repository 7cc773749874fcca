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

/// Columns that are not a problem.
pub fn of_columns(fault: Fault) -> PyErr {
    PyValueError::new_err(fault.to_string())
}

/// JSON that is not a model.
pub fn of_json<T>(made: serde_json::Result<T>) -> PyResult<T> {
    made.map_err(|error| PyValueError::new_err(format!("the model: {error}")))
}
