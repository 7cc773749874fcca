//! GeoPackage: a table of lines in a file of SQLite (version 1.3 of the standard), without a spatial index.

use std::io::{self, Write};

use super::sqlite::{Cell, Database};
use super::table::{Column, Table, bounds};
use super::wkb;

/// "GPKG", by which programs know such a file, and the version of the standard.
const APPLICATION: u32 = 0x4750_4b47;
const VERSION: u32 = 10_300;
const NAME: &str = "roads";
/// The columns that every table of lines has.
const KEY: &str = "fid";
const LINE: &str = "geometry";
/// Longitude and latitude on the ellipsoid of GPS.
const DEGREES: i64 = 4326;
/// Not the time of the run: the same roads give the same file.
const CHANGED: &str = "1970-01-01T00:00:00.000Z";

const SYSTEMS_SQL: &str = "CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY, \
    organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT)";
const CONTENTS_SQL: &str = "CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, \
    identifier TEXT UNIQUE, description TEXT DEFAULT '', last_change DATETIME NOT NULL DEFAULT \
    (strftime('%Y-%m-%dT%H:%M:%fZ','now')), min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER, \
    CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id))";
const COLUMNS_SQL: &str = "CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, \
    geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL, \
    CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name), \
    CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name), \
    CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id))";
const WGS84: &str = "GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563,\
    AUTHORITY[\"EPSG\",\"7030\"]],AUTHORITY[\"EPSG\",\"6326\"]],PRIMEM[\"Greenwich\",0,AUTHORITY[\"EPSG\",\"8901\"]],\
    UNIT[\"degree\",0.0174532925199433,AUTHORITY[\"EPSG\",\"9122\"]],AXIS[\"Latitude\",NORTH],AXIS[\"Longitude\",EAST],\
    AUTHORITY[\"EPSG\",\"4326\"]]";

/// Writes a table.
///
/// # Errors
/// If two columns have the same name, as SQLite compares names, or what `writer` reports.
pub(super) fn write(table: &Table<'_>, writer: &mut dyn Write) -> io::Result<()> {
    check_names(table)?;
    let kind = if table.multi { "MULTILINESTRING" } else { "LINESTRING" };
    let mut file = Database::new();
    // The standard asks for the first two.
    let systems = [
        (-1, "Undefined Cartesian SRS", "NONE", "undefined"),
        (0, "Undefined geographic SRS", "NONE", "undefined"),
        (DEGREES, "WGS 84 geodetic", "EPSG", WGS84),
    ];
    let systems = systems.into_iter().map(|(key, name, organization, definition)| {
        let [name, organization, definition] = [name, organization, definition].map(Cell::Text);
        (key, vec![name, Cell::Null, organization, Cell::Integer(key), definition, Cell::Null])
    });
    file.table("gpkg_spatial_ref_sys", SYSTEMS_SQL.to_string(), systems, &[])?;
    let limits = table.bounds().map_or([Cell::Null; 4], |bounds| bounds.map(Cell::Real));
    let texts = [NAME, "features", NAME, "", CHANGED].map(Cell::Text);
    let contents = [&texts[..], &limits, &[Cell::Integer(DEGREES)]].concat();
    file.table("gpkg_contents", CONTENTS_SQL.to_string(), std::iter::once((1, contents)), &[&[0], &[2]])?;
    let texts = [NAME, LINE, kind].map(Cell::Text);
    let column = [&texts[..], &[DEGREES, 0, 0].map(Cell::Integer)].concat();
    file.table("gpkg_geometry_columns", COLUMNS_SQL.to_string(), std::iter::once((1, column)), &[&[0, 1], &[0]])?;
    let lines: Vec<Vec<u8>> = table.lines.iter().map(|parts| geometry(parts, table.multi)).collect();
    let rows = lines.iter().enumerate().map(|(row, line)| {
        let values = table.columns.iter().map(|(_, column)| value(column, row));
        (row as i64 + 1, [Cell::Null, Cell::Blob(line)].into_iter().chain(values).collect())
    });
    file.table(NAME, lines_sql(table, kind), rows, &[])?;
    file.write(APPLICATION, VERSION, writer)
}

fn check_names(table: &Table<'_>) -> io::Result<()> {
    let mut known = vec![KEY.to_string(), LINE.to_string()];
    for (name, _) in &table.columns {
        let lower = name.to_ascii_lowercase();
        if known.contains(&lower) {
            let message = format!("a GeoPackage cannot have a second column {name:?}: rename it, or write .parquet");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        known.push(lower);
    }
    Ok(())
}

fn lines_sql(table: &Table<'_>, kind: &str) -> String {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let mut sql =
        format!("CREATE TABLE {} ({} INTEGER PRIMARY KEY NOT NULL, {} {kind}", quoted(NAME), quoted(KEY), quoted(LINE));
    for (name, column) in &table.columns {
        let kind = match column {
            Column::Integers(_) => "INTEGER",
            Column::Floats(_) => "REAL",
            Column::Texts(_) => "TEXT",
            Column::Truths(_) => "BOOLEAN",
        };
        sql.push_str(&format!(", {} {kind}", quoted(name)));
    }
    sql.push(')');
    sql
}

fn value<'t>(column: &'t Column<'_>, row: usize) -> Cell<'t> {
    match column {
        Column::Integers(all) => all[row].map_or(Cell::Null, Cell::Integer),
        Column::Floats(all) => all[row].map_or(Cell::Null, Cell::Real),
        Column::Texts(all) => all[row].as_deref().map_or(Cell::Null, Cell::Text),
        Column::Truths(all) => all[row].map_or(Cell::Null, |is| Cell::Integer(i64::from(is))),
    }
}

/// A line after its reference system and bounds: west, east, south, north.
fn geometry(parts: &super::table::Parts, multi: bool) -> Vec<u8> {
    // Little-endian, with bounds of two dimensions.
    let mut bytes = b"GP\0\x03".to_vec();
    bytes.extend((DEGREES as i32).to_le_bytes());
    let [west, south, east, north] = bounds(parts.iter().flatten()).unwrap_or_default();
    [west, east, south, north].into_iter().for_each(|degrees| bytes.extend(degrees.to_le_bytes()));
    wkb::append(parts, multi, &mut bytes);
    bytes
}
