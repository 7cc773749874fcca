//! Road networks for other programs: GeoJSON, FlatGeobuf, GeoParquet and GeoPackage.

mod flatgeobuf;
mod geopackage;
mod geoparquet;
mod lines;
mod sqlite;
mod table;
mod thrift;
mod wkb;

use std::io::{self, Write};
use std::path::Path;

use revealed_formats::{atomic, demonstrations};
use serde_json::{Map, Value, json};

use self::lines::cut;
use self::table::ATTRIBUTES;
pub use self::table::{Column, Parts, Table};
use super::roads::Roads;
use crate::error::{Error, Fault};
use crate::files::extension;
use crate::geometry::Position;

/// An additional column: its name, and a number for each state. Values that are not finite are omitted.
pub type ExportColumn<'a> = (&'a str, &'a [f64]);

impl Roads {
    /// Writes a line for each state, with its number, way, highway, name, lanes, speed limit in km/h, length in metres
    /// and toll, and with additional columns, such as learned costs or flows. The extension of the file decides the
    /// [format](ExportFormat). Attributes of a chain other than its length and line are those of its first segment. A
    /// line across the antimeridian is cut in two.
    ///
    /// # Errors
    /// If a column does not have one number for each state, its name is taken, or the file cannot be written.
    pub fn export(&self, path: impl AsRef<Path>, columns: &[ExportColumn<'_>]) -> Result<(), Error> {
        let path = path.as_ref();
        self.check_columns(columns)?;
        match ExportFormat::of(path)? {
            // It is written state by state, which takes no memory.
            ExportFormat::GeoJson => Ok(atomic::write(path, |writer| geojson(self, columns, writer))?),
            format => format.write(path, &Table::of_states(self, columns)),
        }
    }

    /// The same as a table in memory.
    ///
    /// # Errors
    /// If a column does not have one number for each state, or its name is taken.
    pub fn table(&self, columns: &[ExportColumn<'_>]) -> Result<Table<'_>, Error> {
        self.check_columns(columns)?;
        Ok(Table::of_states(self, columns))
    }

    fn check_columns(&self, columns: &[ExportColumn<'_>]) -> Result<(), Error> {
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
        Ok(())
    }
}

impl Roads {
    /// Writes routes: a line for each path of states, with its properties. The extension of the file decides the
    /// [format](ExportFormat). Where properties are columns, lists and objects are texts of JSON.
    ///
    /// # Errors
    /// If the extension is not known, or the file cannot be written.
    pub fn export_routes(&self, path: impl AsRef<Path>, routes: &[(&[usize], &Value)]) -> Result<(), Error> {
        let lines: Vec<_> = routes.iter().map(|&(states, properties)| (self.route_line(states), properties)).collect();
        write_lines(path.as_ref(), &lines)
    }

    /// Writes the routes of matched paths (`.jsonl`), each with its other fields. Returns their number.
    ///
    /// # Errors
    /// If the paths cannot be read, are not paths of the network, or the file cannot be written.
    pub fn export_paths(&self, path: impl AsRef<Path>, paths: impl AsRef<Path>) -> Result<usize, Error> {
        let file = paths.as_ref();
        let demos = demonstrations::load_for(&self.problem()?.mdp, file)?;
        let text = std::fs::read_to_string(file).map_err(|cause| Fault::Read(cause).of(file))?;
        let fields = text.lines().filter(|line| !line.trim().is_empty()).map(|line| {
            let wrong = |fault: serde_json::Error| Fault::Content(fault.to_string()).of(file);
            let mut fields: Map<String, Value> = serde_json::from_str(line).map_err(wrong)?;
            fields.remove("actions");
            Ok(Value::Object(fields))
        });
        let fields: Vec<Value> = fields.collect::<Result<_, Error>>()?;
        let states = |index: usize| demos.states(index).iter().map(|&state| state as usize).collect();
        let states: Vec<Vec<usize>> = (0..demos.len()).map(states).collect();
        let lines: Vec<(&[usize], &Value)> = states.iter().map(Vec::as_slice).zip(&fields).collect();
        self.export_routes(path, &lines)?;
        Ok(lines.len())
    }

    /// The line of a path of states as longitudes and latitudes, cut in two where it crosses the antimeridian.
    pub fn route_parts(&self, states: &[usize]) -> Parts {
        cut(&self.route_line(states))
    }

    fn route_line(&self, states: &[usize]) -> Vec<Position> {
        let mut line: Vec<Position> = states.iter().flat_map(|&state| self.line(state)).collect();
        line.dedup();
        line
    }
}

/// Writes lines with their properties, as [`Roads::export_routes`] does.
///
/// # Errors
/// If the extension is not known, or the file cannot be written.
pub fn write_lines(path: &Path, lines: &[(Vec<Position>, &Value)]) -> Result<(), Error> {
    match ExportFormat::of(path)? {
        ExportFormat::GeoJson => Ok(atomic::write(path, |writer| {
            let feature = |(line, properties): &(Vec<Position>, &Value)| json!({ "type": "Feature", "properties": properties, "geometry": geometry(cut(line)) });
            let features: Vec<Value> = lines.iter().map(feature).collect();
            writeln!(writer, "{}", json!({ "type": "FeatureCollection", "features": features }))
        })?),
        format => format.write(path, &Table::of_lines(lines)),
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
    /// `.fgb`, which has a spatial index
    FlatGeobuf,
    /// `.parquet`, `.geoparquet`: a table by columns, the smallest
    GeoParquet,
    /// `.gpkg`: a database of SQLite
    GeoPackage,
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
            "parquet" | "geoparquet" => Ok(ExportFormat::GeoParquet),
            "gpkg" => Ok(ExportFormat::GeoPackage),
            _ => {
                let what = "the extension is not known: give .geojson, .fgb, .parquet or .gpkg";
                Err(Fault::Content(what.to_string()).of(path))
            }
        }
    }

    /// Writes a table; GeoJSON is not written by columns.
    fn write(self, path: &Path, table: &Table<'_>) -> Result<(), Error> {
        Ok(atomic::write(path, |writer| match self {
            ExportFormat::GeoParquet => geoparquet::write(table, writer),
            ExportFormat::GeoPackage => geopackage::write(table, writer),
            ExportFormat::GeoJson | ExportFormat::FlatGeobuf => flatgeobuf::write(table, writer),
        })?)
    }
}

fn geojson(roads: &Roads, columns: &[ExportColumn<'_>], writer: &mut dyn Write) -> io::Result<()> {
    writer.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[\n")?;
    for (place, state) in roads.roads().enumerate() {
        writer.write_all(if place > 0 { b",\n" } else { b"" })?;
        let parts = cut(&roads.line(state)).into_iter();
        let line = geometry(parts.map(|part| part.into_iter().map(|point| point.map(rounded)).collect()).collect());
        let mut properties = attributes(roads, state);
        for (name, values) in columns {
            properties[*name] = json!(Some(values[state]).filter(|value| value.is_finite()));
        }
        let feature = json!({"type": "Feature", "geometry": line, "properties": properties});
        serde_json::to_writer(&mut *writer, &feature)?;
    }
    writer.write_all(b"\n]}\n")
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
