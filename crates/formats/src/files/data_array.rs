//! Arrays of data in `.npy` files, as others publish them.

use std::io::BufReader;
use std::path::Path;

use super::npy::Array;
use super::{atomic, input, npy};
use crate::{Error, Fault};

/// Numbers in the order of rows, and the length of each dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct DataArray {
    /// The length of each dimension.
    pub shape: Vec<usize>,
    /// The numbers.
    pub values: Vec<f64>,
}

/// Reads a `.npy` file of numbers.
///
/// # Errors
/// If the file cannot be read or holds no numbers, or if they are in the order of columns.
pub fn load_data_array(path: impl AsRef<Path>) -> Result<DataArray, Error> {
    let path = path.as_ref();
    let read = || -> Result<DataArray, Fault> {
        let array = Array::read("the array", BufReader::new(input::open(path)?))?.in_rows()?;
        let shape = array.shape().iter().map(|&length| usize::try_from(length).unwrap_or(usize::MAX)).collect();
        Ok(DataArray { shape, values: array.floats()? })
    };
    read().map_err(|fault| Error::new(path, fault))
}

/// Writes a `.npy` file of whole numbers.
///
/// # Errors
/// If the file cannot be written.
pub fn save_data_array(path: impl AsRef<Path>, shape: &[usize], values: &[i64]) -> Result<(), Error> {
    let shape: Vec<u64> = shape.iter().map(|&length| length as u64).collect();
    atomic::write(path.as_ref(), |writer| npy::write_integers(writer, &shape, values))
}
