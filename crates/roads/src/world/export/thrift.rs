//! The compact protocol of Thrift, in which Parquet describes itself: a writer for what we need of it.

pub(super) const I32: u8 = 5;
pub(super) const TEXT: u8 = 8;
pub(super) const STRUCT: u8 = 12;
const I64: u8 = 6;
const LIST: u8 = 9;

/// Structures as bytes. The fields of each must be written in the order of their numbers.
#[derive(Debug, Default)]
pub(super) struct Thrift {
    bytes: Vec<u8>,
    /// The number of the last field of each structure that is open, the innermost last.
    last: Vec<u8>,
}

impl Thrift {
    /// A writer in an outermost structure.
    pub fn new() -> Thrift {
        Thrift { bytes: Vec::new(), last: vec![0] }
    }

    /// The bytes of the outermost structure.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    pub fn i32(&mut self, field: u8, value: i32) {
        self.field(field, I32);
        self.zigzag(i64::from(value));
    }

    pub fn i64(&mut self, field: u8, value: i64) {
        self.field(field, I64);
        self.zigzag(value);
    }

    pub fn text(&mut self, field: u8, value: &str) {
        self.field(field, TEXT);
        self.text_element(value);
    }

    /// A structure in a field, which `fill` writes.
    pub fn within(&mut self, field: u8, fill: impl FnOnce(&mut Thrift)) {
        self.field(field, STRUCT);
        self.element(fill);
    }

    /// The beginning of a list. So many elements of this type must follow.
    pub fn list(&mut self, field: u8, kind: u8, len: usize) {
        self.field(field, LIST);
        if len < 15 {
            self.bytes.push((len as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            self.varint(len as u64);
        }
    }

    /// A structure in a list.
    pub fn element(&mut self, fill: impl FnOnce(&mut Thrift)) {
        self.last.push(0);
        fill(self);
        self.last.pop();
        self.bytes.push(0);
    }

    pub fn i32_element(&mut self, value: i32) {
        self.zigzag(i64::from(value));
    }

    pub fn text_element(&mut self, value: &str) {
        self.varint(value.len() as u64);
        self.bytes.extend(value.as_bytes());
    }

    fn field(&mut self, field: u8, kind: u8) {
        if let Some(last) = self.last.last_mut() {
            // All of our fields are less than 16 after the one before.
            self.bytes.push((field - *last) << 4 | kind);
            *last = field;
        }
    }

    fn zigzag(&mut self, value: i64) {
        self.varint(((value << 1) ^ (value >> 63)) as u64);
    }

    fn varint(&mut self, value: u64) {
        varint(value, &mut self.bytes);
    }
}

/// Seven bits in each byte, the lowest first.
pub(super) fn varint(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
