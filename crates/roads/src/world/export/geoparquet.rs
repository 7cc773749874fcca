//! GeoParquet: tables by column, with lines as well-known binary (version 1.0 of the standard).
//!
//! The file is simple: plain encoding, one page for each column of a group of rows, compressed by gzip. Every reader of
//! Parquet knows these.

use std::io::{self, Write};
use std::ops::Range;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::table::{Column, Table};
use super::thrift::{I32, STRUCT, TEXT, Thrift, varint};
use super::wkb;

const MAGIC: &[u8] = b"PAR1";
/// The most rows of a group, and the bytes of lines after which a group ends. A page must be below 2 GiB.
const ROWS: usize = 1 << 16;
const BYTES: usize = 1 << 26;
/// Numbers of the format: the codec, the encodings and the kind of a page.
const GZIP: i32 = 2;
const PLAIN: i32 = 0;
const RUN_LENGTHS: i32 = 3;
const DATA_PAGE: i32 = 0;
const OPTIONAL: i32 = 1;
const UTF8: i32 = 0;
const LINE: &str = "geometry";

/// A column of a group in the file.
struct Chunk {
    offset: i64,
    plain_size: i64,
    size: i64,
}

/// Writes a table. Coordinates are longitude and latitude (OGC:CRS84, which is the default of the standard).
pub(super) fn write(table: &Table<'_>, writer: &mut dyn Write) -> io::Result<()> {
    writer.write_all(MAGIC)?;
    let mut offset = MAGIC.len() as i64;
    let mut groups: Vec<(usize, Vec<Chunk>)> = Vec::new();
    for rows in groups_of_rows(table) {
        let mut chunks = Vec::with_capacity(table.columns.len() + 1);
        let pages = table.columns.iter().map(|(_, column)| page(column, rows.clone()));
        for plain in pages.chain([lines(table, rows.clone())]) {
            let mut packed = GzEncoder::new(Vec::new(), Compression::default());
            packed.write_all(&plain)?;
            let packed = packed.finish()?;
            let header = page_header(rows.len(), plain.len(), packed.len())?;
            writer.write_all(&header)?;
            writer.write_all(&packed)?;
            let sizes = [plain.len(), packed.len()].map(|size| (header.len() + size) as i64);
            chunks.push(Chunk { offset, plain_size: sizes[0], size: sizes[1] });
            offset += sizes[1];
        }
        groups.push((rows.len(), chunks));
    }
    let footer = footer(table, &groups);
    writer.write_all(&footer)?;
    writer.write_all(&(footer.len() as u32).to_le_bytes())?;
    writer.write_all(MAGIC)
}

fn groups_of_rows(table: &Table<'_>) -> Vec<Range<usize>> {
    let (mut groups, mut first, mut bytes) = (Vec::new(), 0, 0);
    for (row, line) in table.lines.iter().enumerate() {
        if row > first && (row - first == ROWS || bytes > BYTES) {
            groups.push(first..row);
            (first, bytes) = (row, 0);
        }
        bytes += 16 * line.iter().map(Vec::len).sum::<usize>();
    }
    groups.push(first..table.lines.len());
    groups
}

/// The rows of a column: which values are known, and those that are.
fn page(column: &Column<'_>, rows: Range<usize>) -> Vec<u8> {
    match column {
        Column::Integers(all) => optional(&all[rows], |known, bytes| {
            known.for_each(|value| bytes.extend(value.to_le_bytes()));
        }),
        Column::Floats(all) => optional(&all[rows], |known, bytes| {
            known.for_each(|value| bytes.extend(value.to_le_bytes()));
        }),
        Column::Texts(all) => optional(&all[rows], |known, bytes| {
            known.for_each(|text| byte_array(text.as_bytes(), bytes));
        }),
        Column::Truths(all) => optional(&all[rows], |known, bytes| {
            for (place, &is) in known.enumerate() {
                if place % 8 == 0 {
                    bytes.push(0);
                }
                if let Some(last) = bytes.last_mut() {
                    *last |= u8::from(is) << (place % 8);
                }
            }
        }),
    }
}

fn lines(table: &Table<'_>, rows: Range<usize>) -> Vec<u8> {
    let mut bytes = levels(std::iter::repeat_n(true, rows.len()));
    let mut line = Vec::new();
    for parts in &table.lines[rows] {
        line.clear();
        wkb::append(parts, table.multi, &mut line);
        byte_array(&line, &mut bytes);
    }
    bytes
}

fn byte_array(value: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend((value.len() as u32).to_le_bytes());
    bytes.extend(value);
}

fn optional<'v, T>(values: &'v [Option<T>], fill: impl FnOnce(&mut dyn Iterator<Item = &'v T>, &mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = levels(values.iter().map(Option::is_some));
    fill(&mut values.iter().flatten(), &mut bytes);
    bytes
}

/// Which values are known, as lengths of runs, after the number of bytes of all of this.
fn levels(known: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut runs: Vec<(bool, u64)> = Vec::new();
    for is in known {
        match runs.last_mut() {
            Some((last, length)) if *last == is => *length += 1,
            _ => runs.push((is, 1)),
        }
    }
    let mut bytes = vec![0; 4];
    for (is, length) in runs {
        varint(length << 1, &mut bytes);
        bytes.push(u8::from(is));
    }
    let length = bytes.len() as u32 - 4;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

fn page_header(rows: usize, plain: usize, packed: usize) -> io::Result<Vec<u8>> {
    let too_large = |_| io::Error::other("the texts of a column are too long for a page of Parquet: write .geojson instead");
    let [plain, packed] = [plain, packed].map(|size| i32::try_from(size).map_err(too_large));
    let mut header = Thrift::new();
    header.i32(1, DATA_PAGE);
    header.i32(2, plain?);
    header.i32(3, packed?);
    header.within(5, |page| {
        page.i32(1, rows as i32);
        page.i32(2, PLAIN);
        page.i32(3, RUN_LENGTHS);
        page.i32(4, RUN_LENGTHS);
    });
    Ok(header.finish())
}

/// The name and the physical type of each column, and whether it is a text.
fn schema<'t>(table: &'t Table<'_>) -> impl Iterator<Item = (&'t str, i32, bool)> {
    let kind = |column: &Column<'_>| match column {
        Column::Truths(_) => 0,
        Column::Integers(_) => 2,
        Column::Floats(_) => 5,
        Column::Texts(_) => 6,
    };
    let columns =
        table.columns.iter().map(move |(name, column)| (name.as_str(), kind(column), matches!(column, Column::Texts(_))));
    columns.chain([(LINE, 6, false)])
}

fn footer(table: &Table<'_>, groups: &[(usize, Vec<Chunk>)]) -> Vec<u8> {
    let mut file = Thrift::new();
    file.i32(1, 1);
    file.list(2, STRUCT, table.columns.len() + 2);
    file.element(|root| {
        root.text(4, "roads");
        root.i32(5, table.columns.len() as i32 + 1);
    });
    for (name, kind, is_text) in schema(table) {
        file.element(|column| {
            column.i32(1, kind);
            column.i32(3, OPTIONAL);
            column.text(4, name);
            if is_text {
                column.i32(6, UTF8);
                // The same in the newer way: a union whose first field is the text.
                column.within(10, |kind| kind.within(1, |_| {}));
            }
        });
    }
    file.i64(3, table.lines.len() as i64);
    file.list(4, STRUCT, groups.len());
    for (rows, chunks) in groups {
        file.element(|group| {
            group.list(1, STRUCT, chunks.len());
            schema(table).zip(chunks).for_each(|(column, chunk)| group.element(|place| describe(place, column, chunk, *rows)));
            group.i64(2, chunks.iter().map(|chunk| chunk.plain_size).sum());
            group.i64(3, *rows as i64);
        });
    }
    file.list(5, STRUCT, 1);
    file.element(|pair| {
        pair.text(1, "geo");
        pair.text(2, &geo(table));
    });
    file.text(6, concat!("revealed version ", env!("CARGO_PKG_VERSION")));
    file.finish()
}

fn describe(place: &mut Thrift, (name, kind, _): (&str, i32, bool), chunk: &Chunk, rows: usize) {
    place.i64(2, chunk.offset);
    place.within(3, |column| {
        column.i32(1, kind);
        column.list(2, I32, 2);
        [PLAIN, RUN_LENGTHS].into_iter().for_each(|encoding| column.i32_element(encoding));
        column.list(3, TEXT, 1);
        column.text_element(name);
        column.i32(4, GZIP);
        column.i64(5, rows as i64);
        column.i64(6, chunk.plain_size);
        column.i64(7, chunk.size);
        column.i64(9, chunk.offset);
    });
}

/// What makes it a GeoParquet.
fn geo(table: &Table<'_>) -> String {
    let kind = if table.multi { "MultiLineString" } else { "LineString" };
    let mut column = json!({ "encoding": "WKB", "geometry_types": [kind] });
    if let Some(bounds) = table.bounds() {
        column["bbox"] = json!(bounds);
    }
    json!({ "version": "1.0.0", "primary_column": LINE, "columns": { LINE: column } }).to_string()
}
