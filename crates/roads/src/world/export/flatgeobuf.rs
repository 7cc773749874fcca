//! FlatGeobuf, a binary format with a spatial index.

use std::io::{self, Write};

use flatgeobuf::geozero::error::Result;
use flatgeobuf::geozero::{ColumnValue, GeomProcessor, GeozeroGeometry, PropertyProcessor};
use flatgeobuf::{ColumnType, FgbCrs, FgbWriter, FgbWriterOptions, GeometryType};

use super::export::{ATTRIBUTES, ExportColumn};
use super::lines::cut;
use super::roads::Roads;

/// In the order of [`ATTRIBUTES`].
const TYPES: [ColumnType; 8] = [
    ColumnType::Long,
    ColumnType::Long,
    ColumnType::String,
    ColumnType::String,
    ColumnType::Int,
    ColumnType::Double,
    ColumnType::Double,
    ColumnType::Bool,
];

pub(super) fn write(roads: &Roads, columns: &[ExportColumn<'_>], writer: &mut dyn Write) -> io::Result<()> {
    // Coordinates in degrees, longitude first.
    let crs = FgbCrs { code: 4326, ..FgbCrs::default() };
    let options = FgbWriterOptions { crs, detect_type: false, promote_to_multi: false, ..FgbWriterOptions::default() };
    let lines: Vec<Parts> = (0..roads.n_states()).map(|state| Parts { parts: cut(&roads.line(state)), multi: false }).collect();
    // A file has one type of geometry.
    let multi = lines.iter().any(|line| line.parts.len() > 1);
    let geometry = if multi { GeometryType::MultiLineString } else { GeometryType::LineString };
    let mut file = FgbWriter::create_with_options("roads", geometry, options).map_err(collecting)?;
    for (name, kind) in ATTRIBUTES.into_iter().zip(TYPES) {
        file.add_column(name, kind, |_, _| {});
    }
    for (name, _) in columns {
        file.add_column(name, ColumnType::Double, |_, _| {});
    }
    for (state, line) in lines.into_iter().enumerate() {
        let mut written = Ok(());
        let fill = |feature: &mut dyn FnMut(usize, &ColumnValue<'_>) -> Result<()>| attributes(roads, state, columns, feature);
        file.add_feature_geom(Parts { multi, ..line }, |feature| {
            written = fill(&mut |place, value| feature.property(place, "", value).map(drop));
        })
        .and(written)
        .map_err(collecting)?;
    }
    file.write(writer).map_err(|error| match error {
        // What the operating system says has a remedy.
        flatgeobuf::Error::IO(cause) => cause,
        other => io::Error::other(other),
    })
}

/// The library collects roads in a temporary file of its own.
fn collecting(error: impl std::fmt::Display) -> io::Error {
    let folder = std::env::temp_dir();
    io::Error::other(format!("{error}: roads are collected in {}: free some space there, or set TMPDIR", folder.display()))
}

/// Writes the attributes of a state. Unknown values are omitted.
fn attributes(
    roads: &Roads,
    state: usize,
    columns: &[ExportColumn<'_>],
    put: &mut dyn FnMut(usize, &ColumnValue<'_>) -> Result<()>,
) -> Result<()> {
    put(0, &ColumnValue::Long(state as i64))?;
    if let Some(way) = roads.segments_of(state).next().map(|segment| roads.network.way_of(segment)) {
        put(1, &ColumnValue::Long(way.id))?;
        put(2, &ColumnValue::String(&way.highway))?;
        if !way.name.is_empty() {
            put(3, &ColumnValue::String(&way.name))?;
        }
        if let Some(lanes) = way.lanes {
            put(4, &ColumnValue::Int(lanes as i32))?;
        }
        if let Some(speed) = way.speed {
            put(5, &ColumnValue::Double(speed))?;
        }
        put(7, &ColumnValue::Bool(way.toll))?;
    }
    put(6, &ColumnValue::Double(roads.length(state)))?;
    for (place, (_, values)) in columns.iter().enumerate().filter(|(_, column)| column.1[state].is_finite()) {
        put(ATTRIBUTES.len() + place, &ColumnValue::Double(values[state]))?;
    }
    Ok(())
}

/// The line of a state, in the parts that it was cut into.
struct Parts {
    parts: Vec<Vec<[f64; 2]>>,
    /// Whether it is written as a collection of lines.
    multi: bool,
}

impl GeozeroGeometry for Parts {
    fn process_geom<P: GeomProcessor>(&self, processor: &mut P) -> Result<()> {
        if self.multi {
            processor.multilinestring_begin(self.parts.len(), 0)?;
        }
        for (number, part) in self.parts.iter().enumerate() {
            processor.linestring_begin(!self.multi, part.len(), number)?;
            for (place, point) in part.iter().enumerate() {
                processor.xy(point[0], point[1], place)?;
            }
            processor.linestring_end(!self.multi, number)?;
        }
        if self.multi { processor.multilinestring_end(0) } else { Ok(()) }
    }
}
