//! Road networks for other programs: GeoJSON and FlatGeobuf.

use std::io::{self, Write};
use std::path::Path;

use revealed_formats::atomic;
use serde_json::{Value, json};

use super::flatgeobuf;
use super::lines::cut;
use super::roads::Roads;
use crate::error::{Error, Fault};
use crate::files::extension;
use crate::geometry::Position;

/// The attributes of a state besides its line.
pub(super) const ATTRIBUTES: [&str; 8] = ["state", "way", "highway", "name", "lanes", "speed", "length", "toll"];

/// An additional column: its name, and a number for each state. Values that are not finite are omitted.
pub type ExportColumn<'a> = (&'a str, &'a [f64]);

impl Roads {
    /// Writes a line for each state, with its number, way, highway, name, lanes, speed limit in km/h, length in metres
    /// and toll, and with additional columns, such as learned costs or flows. The extension of the file decides the
    /// format: `.geojson`, or `.fgb` (FlatGeobuf, which has a spatial index and is smaller). Attributes of a chain
    /// other than its length and line are those of its first segment. A line across the antimeridian is cut in two.
    ///
    /// # Errors
    /// If a column does not have one number for each state, its name is taken, or the file cannot be written.
    pub fn export(&self, path: impl AsRef<Path>, columns: &[ExportColumn<'_>]) -> Result<(), Error> {
        let path = path.as_ref();
        for (place, (name, values)) in columns.iter().enumerate() {
            if ATTRIBUTES.contains(name) || columns[..place].iter().any(|column| column.0 == *name) {
                return Err(Error::Network(format!("the column {name:?} exists already: choose another name")));
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

impl Roads {
    /// Writes routes as GeoJSON: a line for each path of states, with its properties.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn export_routes(&self, path: impl AsRef<Path>, routes: &[(&[usize], &Value)]) -> Result<(), Error> {
        let line = |&(states, properties): &(&[usize], &Value)| {
            let mut line: Vec<Position> = states.iter().flat_map(|&state| self.line(state)).collect();
            line.dedup();
            json!({ "type": "Feature", "properties": properties, "geometry": geometry(cut(&line)) })
        };
        let features: Vec<Value> = routes.iter().map(line).collect();
        let document = json!({ "type": "FeatureCollection", "features": features });
        Ok(atomic::write(path, |writer| writeln!(writer, "{document}"))?)
    }
}

/// A line with its properties as a feature of GeoJSON, cut at the antimeridian.
pub(crate) fn line_feature(line: &[Position], properties: &Value) -> Value {
    let rounded = |part: Vec<[f64; 2]>| part.into_iter().map(|point| point.map(rounded)).collect();
    let parts = cut(line).into_iter().map(rounded).collect();
    json!({ "type": "Feature", "properties": properties, "geometry": geometry(parts) })
}

/// The format of exported roads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// `.geojson`, `.json`
    GeoJson,
    /// `.fgb`
    FlatGeobuf,
}

impl ExportFormat {
    /// The format for the extension of a file.
    ///
    /// # Errors
    /// If the extension is not known.
    pub fn of(path: impl AsRef<Path>) -> Result<ExportFormat, Error> {
        let path = path.as_ref();
        match extension(path).as_str() {
            "geojson" | "json" => Ok(ExportFormat::GeoJson),
            "fgb" => Ok(ExportFormat::FlatGeobuf),
            _ => Err(Fault::Content("the extension is not known: give .geojson or .fgb".to_string()).of(path)),
        }
    }
}

fn geojson(roads: &Roads, columns: &[ExportColumn<'_>], writer: &mut dyn Write) -> io::Result<()> {
    writer.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[\n")?;
    for state in 0..roads.n_states() {
        let parts = cut(&roads.line(state)).into_iter();
        let line = geometry(parts.map(|part| part.into_iter().map(|point| point.map(rounded)).collect()).collect());
        let mut properties = attributes(roads, state);
        for (name, values) in columns {
            properties[*name] = json!(Some(values[state]).filter(|value| value.is_finite()));
        }
        let feature = json!({"type": "Feature", "geometry": line, "properties": properties});
        serde_json::to_writer(&mut *writer, &feature)?;
        writer.write_all(if state + 1 < roads.n_states() { b",\n" } else { b"\n" })?;
    }
    writer.write_all(b"]}\n")
}

/// The geometry of a line in one part or several.
fn geometry(mut parts: Vec<Vec<[f64; 2]>>) -> Value {
    match parts.len() {
        1 => json!({ "type": "LineString", "coordinates": parts.remove(0) }),
        _ => json!({ "type": "MultiLineString", "coordinates": parts }),
    }
}

/// OpenStreetMap has seven decimals, which is a centimetre.
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
