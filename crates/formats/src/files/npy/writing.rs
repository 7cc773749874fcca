//! Arrays of numbers and of texts as they are written: little-endian, in rows.

use std::io::{self, BufWriter, Write};

use super::header;

/// Writes whole numbers; `shape` is empty for a single one.
pub(crate) fn write_integers(writer: impl Write, shape: &[u64], values: &[i64]) -> io::Result<()> {
    write(writer, "<i8", shape, values, |writer, value| writer.write_all(&value.to_le_bytes()))
}

/// Writes numbers.
pub(crate) fn write_floats(writer: impl Write, shape: &[u64], values: &[f64]) -> io::Result<()> {
    write(writer, "<f8", shape, values, |writer, value| writer.write_all(&value.to_le_bytes()))
}

/// Writes texts, each as wide as the widest.
pub(crate) fn write_texts(writer: impl Write, shape: &[u64], texts: &[impl AsRef<str>]) -> io::Result<()> {
    let length = |text: &str| text.chars().count();
    let widest = texts.iter().map(|text| length(text.as_ref())).max().unwrap_or(0).max(1);
    write(writer, &format!("<U{widest}"), shape, texts, |writer, text| {
        let text = text.as_ref();
        text.chars().try_for_each(|character| writer.write_all(&u32::from(character).to_le_bytes()))?;
        writer.write_all(&vec![0; 4 * (widest - length(text))])
    })
}

fn write<W: Write, T>(
    writer: W,
    element_type: &str,
    shape: &[u64],
    values: &[T],
    element: impl Fn(&mut BufWriter<W>, &T) -> io::Result<()>,
) -> io::Result<()> {
    let (expected, found) = (shape.iter().product::<u64>(), values.len());
    if expected != found as u64 {
        let cause = format!("the shape of an array has {expected} elements, but there are {found}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, cause));
    }
    let mut writer = BufWriter::new(writer);
    header::write(&mut writer, element_type, shape)?;
    values.iter().try_for_each(|value| element(&mut writer, value))?;
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `numpy.save(file, numpy.array([1, -1]))` writes, except for a comma and spaces in the dictionary.
    #[test]
    fn integers_are_written_byte_by_byte() {
        let mut bytes = Vec::new();
        write_integers(&mut bytes, &[2], &[1, -1]).unwrap();
        let (header, data) = bytes.split_at(128);
        assert_eq!(&header[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let dictionary = "{'descr': '<i8', 'fortran_order': False, 'shape': (2, ), }";
        assert_eq!(std::str::from_utf8(&header[10..]).unwrap(), format!("{dictionary:117}\n"));
        assert_eq!(data, [1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    }

    #[test]
    fn texts_are_padded_to_the_widest() {
        let mut bytes = Vec::new();
        write_texts(&mut bytes, &[3], &["é", "", "ab"]).unwrap();
        assert!(String::from_utf8_lossy(&bytes[10..128]).contains("'<U2'"));
        assert_eq!(bytes[128..], [0xe9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, b'a', 0, 0, 0, b'b', 0, 0, 0]);
    }

    #[test]
    fn a_single_number_has_no_dimension() {
        let mut bytes = Vec::new();
        write_floats(&mut bytes, &[], &[0.5]).unwrap();
        assert!(String::from_utf8_lossy(&bytes[10..]).contains("'shape': (), }"));
        assert_eq!(bytes[bytes.len() - 8..], 0.5f64.to_le_bytes());
    }

    #[test]
    fn a_shape_that_the_elements_do_not_have_is_an_error() {
        let error = write_floats(Vec::new(), &[2, 3], &[0.0; 7]).unwrap_err();
        assert_eq!(error.to_string(), "the shape of an array has 6 elements, but there are 7");
    }
}
