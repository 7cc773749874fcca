//! Writes protocol buffers, as `.osm.pbf` files have them.

use std::io::Write;

pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

pub fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

pub fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

pub fn list(field: u64, values: impl IntoIterator<Item = u64>) -> Vec<u8> {
    bytes(field, &values.into_iter().flat_map(varint).collect::<Vec<u8>>())
}

pub fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

pub fn differences(values: impl IntoIterator<Item = i64>) -> Vec<u64> {
    let mut before = 0;
    values.into_iter().map(|value| zigzag(value - std::mem::replace(&mut before, value))).collect()
}

pub fn block(group: &[u8], texts: &[String], packed: bool) -> Vec<u8> {
    let table: Vec<u8> = texts.iter().flat_map(|text| bytes(1, text.as_bytes())).collect();
    blob("OSMData", &[bytes(1, &table), bytes(2, group)].concat(), packed)
}

/// A blob with its header.
pub fn blob(kind: &str, content: &[u8], packed: bool) -> Vec<u8> {
    let content = match packed {
        true => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(content).unwrap();
            [number(2, content.len() as u64), bytes(3, &encoder.finish().unwrap())].concat()
        }
        false => bytes(1, content),
    };
    let header = [bytes(1, kind.as_bytes()), number(3, content.len() as u64)].concat();
    [(header.len() as u32).to_be_bytes().to_vec(), header, content].concat()
}
