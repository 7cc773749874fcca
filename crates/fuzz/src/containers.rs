//! Archives around mutated content. A mutated archive is nearly always refused by its checksums; so its parts are
//! mutated, and the archive is made anew around them.

use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The parts of an archive as bytes: for each its name and its content, with their lengths before them.
pub(crate) fn join(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in parts {
        bytes.push(name.len() as u8);
        bytes.extend(name.as_bytes());
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(content);
    }
    bytes
}

/// Undoes [`join`]. Bytes that are cut short are taken as far as they go.
pub(crate) fn split(mut bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut take = |count: usize| {
        let (taken, rest) = bytes.split_at(count.min(bytes.len()));
        bytes = rest;
        taken.to_vec()
    };
    let mut parts = Vec::new();
    loop {
        let Some(&length) = take(1).first() else { return parts };
        let name = String::from_utf8_lossy(&take(usize::from(length))).into_owned();
        let size: [u8; 4] = take(4).try_into().unwrap_or_default();
        parts.push((name, take(u32::from_le_bytes(size) as usize)));
    }
}

/// The parts of a zip archive.
pub(crate) fn unzip(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(archive)).expect("our own archives can be read");
    let count = zip.len();
    let part = |index: usize| {
        let mut member = zip.by_index(index).expect("our own archives can be read");
        let mut content = Vec::new();
        member.read_to_end(&mut content).expect("our own archives can be read");
        (member.name().expect("our names are text").to_string(), content)
    };
    (0..count).map(part).collect()
}

/// An archive of these parts. `None` if it cannot be made: names that are taken.
pub(crate) fn zip(parts: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(name.as_str(), options).ok()?;
        zip.write_all(content).ok()?;
    }
    Some(zip.finish().ok()?.into_inner())
}

pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

/// Blobs of an `.osm.pbf` file, uncompressed, around these parts; the name of a part is the kind of its blob.
pub(crate) fn pbf(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    parts.iter().flat_map(|(kind, content)| blob(kind, content)).collect()
}

fn blob(kind: &str, content: &[u8]) -> Vec<u8> {
    let content = field(1, content);
    let header = [field(1, kind.as_bytes()), vec![3 << 3], varint(content.len() as u64)].concat();
    [(header.len() as u32).to_be_bytes().to_vec(), header, content].concat()
}

/// A field of bytes of a protocol buffer.
pub(crate) fn field(number: u64, value: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_survive() {
        let parts = vec![("a.npy".to_string(), vec![1, 2, 3]), (String::new(), vec![]), ("b".to_string(), vec![7; 300])];
        assert_eq!(split(&join(&parts)), parts);
        let named = vec![("a.npy".to_string(), vec![1, 2, 3]), ("b.npy".to_string(), vec![])];
        assert_eq!(unzip(&zip(&named).unwrap()), named);
        assert!(split(&[255, 1]).len() == 1);
    }
}
