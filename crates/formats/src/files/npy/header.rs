//! The header of an array: a magic text, a version, a length, and a Python dictionary.
//!
//! Files are not trusted: no expression is parsed by recursion, and no memory is reserved for bytes that are not read.

use std::io::{self, Read, Write};

const MAGIC: &[u8] = b"\x93NUMPY";
/// numpy's own headers have a few hundred bytes.
const LONGEST: usize = 1 << 16;
/// numpy pads headers so that the elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// What a header says; a field that it does not have is `None`.
pub(super) struct Header {
    text: String,
}

impl Header {
    /// Reads a header, up to the first element.
    pub(super) fn read(reader: &mut impl Read) -> Result<Header, String> {
        let cut_short = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => "it is cut short".to_string(),
            _ => error.to_string(),
        };
        let mut start = [0; 8];
        reader.read_exact(&mut start).map_err(cut_short)?;
        if !start.starts_with(MAGIC) {
            return Err("it is not a numpy array".to_string());
        }
        let length = match start[6] {
            1 => {
                let mut length = [0; 2];
                reader.read_exact(&mut length).map_err(cut_short)?;
                usize::from(u16::from_le_bytes(length))
            }
            2 | 3 => {
                let mut length = [0; 4];
                reader.read_exact(&mut length).map_err(cut_short)?;
                u32::from_le_bytes(length) as usize
            }
            version => return Err(format!("version {version} of the array format is not known")),
        };
        if length > LONGEST {
            return Err(format!("its header has {length} bytes"));
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).map_err(cut_short)?;
        Ok(Header { text: String::from_utf8_lossy(&text).replace('"', "'") })
    }

    /// What follows `key:`.
    fn after(&self, key: &str) -> Option<&str> {
        let rest = &self.text[self.text.find(key)? + key.len()..];
        Some(rest.trim_start().strip_prefix(':')?.trim_start())
    }

    /// Whether it says of what type the elements are.
    pub(super) fn has_type(&self) -> bool {
        self.after("'descr'").is_some()
    }

    /// The name of a plain type; records have none.
    pub(super) fn plain_type(&self) -> Option<&str> {
        self.after("'descr'")?.strip_prefix('\'')?.split('\'').next()
    }

    /// How many elements there are along each dimension.
    pub(super) fn shape(&self) -> Option<Vec<u64>> {
        let inside = self.after("'shape'")?.strip_prefix('(')?.split(')').next()?;
        inside.split(',').map(str::trim).filter(|length| !length.is_empty()).map(|length| length.parse().ok()).collect()
    }

    /// Whether columns follow each other, not rows.
    pub(super) fn by_columns(&self) -> bool {
        self.after("'fortran_order'").is_some_and(|value| value.starts_with("True"))
    }
}

/// Writes the header of an array of this type and shape, in rows.
pub(super) fn write(writer: &mut impl Write, element_type: &str, shape: &[u64]) -> io::Result<()> {
    let lengths: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let dictionary = format!("{{'descr': '{element_type}', 'fortran_order': False, 'shape': ({lengths}), }}");
    // Magic, version and length come before it, and a line break after it.
    let before = MAGIC.len() + 4;
    let length = (before + dictionary.len() + 1).next_multiple_of(ALIGNMENT) - before;
    let short = u16::try_from(length).map_err(io::Error::other)?;
    writer.write_all(MAGIC)?;
    writer.write_all(&[1, 0])?;
    writer.write_all(&short.to_le_bytes())?;
    writeln!(writer, "{dictionary:<width$}", width = length - 1)
}
