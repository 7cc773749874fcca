//! Road networks for other programs: GeoJSON and FlatGeobuf.

mod flatgeobuf;

use std::io::{self, Write};
use std::path::Path;

use revealed_formats::atomic;
use serde_json::{Value, json};

use crate::error::{Error, Fault};
use crate::roads::Roads;

/// What a state has besides its line.
const ATTRIBUTES: [&str; 8] = ["state", "way", "highway", "name", "lanes", "speed", "length", "toll"];

/// A column of the user's own: its name, and a number for each state. What is not finite is left out.
pub type ExportColumn<'a> = (&'a str, &'a [f64]);

impl Roads {
    /// Writes a line for each state, with its number, way, highway, name, lanes, speed limit in km/h, length in metres and toll, and
    /// with further columns, such as learned costs or flows. The ending of the name decides: `.geojson`, or `.fgb` (FlatGeobuf,
    /// which has an index by place and is smaller). What a chain has besides length and line is that of its first segment.
    ///
    /// # Errors
    /// If a column has not one number for each state or its name is taken, or if the file cannot be written.
    pub fn export(&self, path: impl AsRef<Path>, columns: &[ExportColumn<'_>]) -> Result<(), Error> {
        let path = path.as_ref();
        for (place, (name, values)) in columns.iter().enumerate() {
            if ATTRIBUTES.contains(name) || columns[..place].iter().any(|column| column.0 == *name) {
                return Err(Error::Network(format!("there is a column {name:?} already: call it something else")));
            }
            if values.len() != self.n_states() {
                return Err(Error::Network(format!(
                    "the column {name:?} has {} values, but there are {} states",
                    values.len(),
                    self.n_states()
                )));
            }
        }
        match ExportFormat::of(path)? {
            ExportFormat::GeoJson => Ok(atomic::write(path, |writer| geojson(self, columns, writer))?),
            ExportFormat::FlatGeobuf => Ok(atomic::write(path, |writer| flatgeobuf::write(self, columns, writer))?),
        }
    }
}

/// What roads are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// `.geojson`, `.json`
    GeoJson,
    /// `.fgb`
    FlatGeobuf,
}

impl ExportFormat {
    /// By the ending of a file's name.
    ///
    /// # Errors
    /// If it is neither.
    pub fn of(path: impl AsRef<Path>) -> Result<ExportFormat, Error> {
        let path = path.as_ref();
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
        match extension.as_str() {
            "geojson" | "json" => Ok(ExportFormat::GeoJson),
            "fgb" => Ok(ExportFormat::FlatGeobuf),
            _ => Err(Fault::Content("its name ends in nothing that is known: give .geojson or .fgb".to_string()).of(path)),
        }
    }
}

fn geojson(roads: &Roads, columns: &[ExportColumn<'_>], writer: &mut dyn Write) -> io::Result<()> {
    writer.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[\n")?;
    for state in 0..roads.n_states() {
        let line: Vec<[f64; 2]> = roads.line(state).iter().map(|place| [place.lon, place.lat].map(rounded)).collect();
        let mut properties = attributes(roads, state);
        for (name, values) in columns {
            properties[*name] = json!(Some(values[state]).filter(|value| value.is_finite()));
        }
        let feature =
            json!({"type": "Feature", "geometry": {"type": "LineString", "coordinates": line}, "properties": properties});
        serde_json::to_writer(&mut *writer, &feature)?;
        writer.write_all(if state + 1 < roads.n_states() { b",\n" } else { b"\n" })?;
    }
    writer.write_all(b"]}\n")
}

/// OpenStreetMap has no more than seven digits, a centimetre.
fn rounded(degrees: f64) -> f64 {
    (degrees * 1e7).round() / 1e7
}

fn attributes(roads: &Roads, state: usize) -> Value {
    let way = roads.segments_of(state).next().map(|segment| roads.network.way_of(segment));
    json!({
        "state": state,
        "way": way.map(|way| way.id),
        "highway": way.map(|way| &way.highway),
        "name": way.map(|way| &way.name).filter(|name| !name.is_empty()),
        "lanes": way.and_then(|way| way.lanes),
        "speed": way.and_then(|way| way.speed),
        "length": roads.length(state),
        "toll": way.map(|way| way.toll),
    })
}
