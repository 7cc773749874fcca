//! Archives of arrays, made as numpy makes them.

use std::fs;
use std::io::Write;
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An array as numpy writes it: descr as in `array.dtype.str`, shape as Python prints it.
pub fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

pub fn int64(values: &[i64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    npy("<i8", &format!("({},)", values.len()), &data)
}

pub fn float64(values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    npy("<f8", &format!("({},)", values.len()), &data)
}

pub fn scalar(value: i64) -> Vec<u8> {
    npy("<i8", "()", &value.to_le_bytes())
}

/// The arrays of [`document`](super::document), as numpy writes them.
pub fn arrays() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("n_states", scalar(2)),
        ("n_actions", scalar(2)),
        ("n_features", scalar(1)),
        ("start.state", int64(&[0])),
        ("start.p", float64(&[1.0])),
        ("terminal", int64(&[1])),
        ("transitions.from", int64(&[0, 0])),
        ("transitions.action", int64(&[0, 1])),
        ("transitions.to", int64(&[1, 0])),
        ("transitions.p", float64(&[1.0, 1.0])),
        ("features.state.state", int64(&[1])),
        ("features.state.feature", int64(&[0])),
        ("features.state.value", float64(&[1.0])),
    ]
}

/// [`arrays`] with one replaced or added.
pub fn arrays_with(name: &'static str, array: Vec<u8>) -> Vec<(&'static str, Vec<u8>)> {
    let mut arrays = arrays();
    arrays.retain(|entry| entry.0 != name);
    arrays.push((name, array));
    arrays
}

pub fn archive(path: &Path, arrays: &[(&str, Vec<u8>)], method: CompressionMethod) {
    let mut zip = ZipWriter::new(fs::File::create(path).unwrap());
    for (name, bytes) in arrays {
        let options = SimpleFileOptions::default().compression_method(method).large_file(true);
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}
