//! A problem that uses every field, and archives made as numpy makes them.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use revealed_formats::{Layout, ProblemColumns};
use serde_json::{Value, json};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Four states, two actions, a terminal state, every kind of feature and a reference policy.
pub fn columns() -> ProblemColumns {
    let mut columns = ProblemColumns::new(4, 2, 3);
    columns.discount = 0.9;
    columns.start.push([0], 0.75);
    columns.start.push([1], 0.25);
    columns.terminal = vec![3];
    columns.transitions.push([0, 0, 1], 1.0);
    columns.transitions.push([0, 1, 2], 0.3);
    columns.transitions.push([0, 1, 3], 0.7);
    columns.transitions.push([1, 0, 2], 1.0);
    columns.transitions.push([2, 0, 3], 1.0);
    columns.state_features.push([1, 0], 0.1);
    columns.state_features.push([2, 0], -2.5);
    columns.state_action_features.push([0, 1, 1], 1.0 / 3.0);
    columns.transition_features.push([2, 2], 1e-300);
    columns.names = ["länge", "toll", "risk"].map(str::to_string).to_vec();
    for (pair, p) in [([0, 0], 0.5), ([0, 1], 0.5), ([1, 0], 1.0), ([2, 0], 1.0)] {
        columns.reference.push(pair, p);
    }
    columns.layout = Some(Layout::Grid { rows: 2, columns: 2 });
    columns.true_theta = Some(vec![-1.0, 0.25, 3.0]);
    columns
}

/// The smallest problem: 0 → 1, which is terminal, or 0 → 0.
pub fn document() -> Value {
    json!({
        "format": "revealed-problem/1",
        "n_states": 2, "n_actions": 2, "n_features": 1,
        "start": {"state": [0], "p": [1.0]},
        "terminal": [1],
        "transitions": {"from": [0, 0], "action": [0, 1], "to": [1, 0], "p": [1.0, 1.0]},
        "features": {"state": {"state": [1], "feature": [0], "value": [1.0]}}
    })
}

/// A directory that files are put into.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }
}

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

/// The arrays of [`document`], as numpy writes them.
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

/// The message of an error, after the path with which it must begin.
#[track_caller]
pub fn message<T: std::fmt::Debug>(path: &Path, result: Result<T, revealed_formats::Error>) -> String {
    let error = result.expect_err("the file is bad").to_string();
    let start = format!("{}: ", path.display());
    error.strip_prefix(&start).unwrap_or_else(|| panic!("{error} does not begin with {start}")).to_string()
}
