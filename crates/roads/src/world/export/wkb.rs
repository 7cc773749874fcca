//! Well-known binary, the form of lines in GeoParquet and GeoPackage.

use super::table::Parts;

/// Little-endian.
const ORDER: u8 = 1;
const LINE: u32 = 2;
const LINES: u32 = 5;

/// Appends a line, or all of its parts as one geometry if `multi`.
pub(super) fn append(parts: &Parts, multi: bool, bytes: &mut Vec<u8>) {
    if multi {
        bytes.push(ORDER);
        bytes.extend(LINES.to_le_bytes());
        bytes.extend((parts.len() as u32).to_le_bytes());
    }
    for part in parts {
        bytes.push(ORDER);
        bytes.extend(LINE.to_le_bytes());
        bytes.extend((part.len() as u32).to_le_bytes());
        part.iter().flatten().for_each(|degrees| bytes.extend(degrees.to_le_bytes()));
    }
}
