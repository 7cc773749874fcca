//! FlatGeobuf, a binary format with a spatial index.

use std::io::{self, Write};

use flatgeobuf::geozero::error::Result;
use flatgeobuf::geozero::{ColumnValue, GeomProcessor, GeozeroGeometry, PropertyProcessor};
use flatgeobuf::{ColumnType, FgbCrs, FgbWriter, FgbWriterOptions, GeometryType};

use super::table::{Column, Parts, Table};

/// Writes a table.
pub(super) fn write(table: &Table<'_>, writer: &mut dyn Write) -> io::Result<()> {
    // Coordinates in degrees, longitude first.
    let crs = FgbCrs { code: 4326, ..FgbCrs::default() };
    let options = FgbWriterOptions { crs, detect_type: false, promote_to_multi: false, ..FgbWriterOptions::default() };
    let geometry = if table.multi { GeometryType::MultiLineString } else { GeometryType::LineString };
    let mut file = FgbWriter::create_with_options("roads", geometry, options).map_err(collecting)?;
    for (name, column) in &table.columns {
        let kind = match column {
            Column::Integers(_) => ColumnType::Long,
            Column::Floats(_) => ColumnType::Double,
            Column::Texts(_) => ColumnType::String,
            Column::Truths(_) => ColumnType::Bool,
        };
        file.add_column(name, kind, |_, _| {});
    }
    for (row, parts) in table.lines.iter().enumerate() {
        let mut written = Ok(());
        file.add_feature_geom(Line { parts, multi: table.multi }, |feature| {
            written = attributes(table, row, &mut |place, value| feature.property(place, "", value).map(drop));
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

/// Writes the attributes of a row. Unknown values are omitted.
fn attributes(table: &Table<'_>, row: usize, put: &mut dyn FnMut(usize, &ColumnValue<'_>) -> Result<()>) -> Result<()> {
    for (place, (_, column)) in table.columns.iter().enumerate() {
        let value = match column {
            Column::Integers(all) => all[row].map(ColumnValue::Long),
            Column::Floats(all) => all[row].map(ColumnValue::Double),
            Column::Texts(all) => all[row].as_deref().map(ColumnValue::String),
            Column::Truths(all) => all[row].map(ColumnValue::Bool),
        };
        value.map_or(Ok(()), |value| put(place, &value))?;
    }
    Ok(())
}

/// The line of a row, in the parts that it was cut into.
struct Line<'t> {
    parts: &'t Parts,
    /// Whether it is written as a collection of lines.
    multi: bool,
}

impl GeozeroGeometry for Line<'_> {
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
