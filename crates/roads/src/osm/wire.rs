//! The wire format of protocol buffers: fields with a number and a value. No length is trusted before the bytes are
//! known to be there.

/// What is wrong with the bytes.
pub(super) type Broken = &'static str;

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FieldValue<'a> {
    /// A variable-length whole number.
    Number(u64),
    /// Texts, messages and packed numbers.
    Bytes(&'a [u8]),
    /// A number of fixed width, which OpenStreetMap's messages do not use.
    Other,
}

impl<'a> FieldValue<'a> {
    pub(super) fn bytes(self) -> Result<&'a [u8], Broken> {
        if let FieldValue::Bytes(bytes) = self { Ok(bytes) } else { Err("a field has a number instead of bytes") }
    }

    pub(super) fn number(self) -> Result<u64, Broken> {
        if let FieldValue::Number(number) = self { Ok(number) } else { Err("a field has bytes instead of a number") }
    }

    /// Adds the numbers of a list, packed or one by one.
    pub(super) fn numbers(self, into: &mut Vec<u64>) -> Result<(), Broken> {
        match self {
            FieldValue::Number(number) => into.push(number),
            FieldValue::Bytes(mut rest) => {
                while !rest.is_empty() {
                    into.push(varint(&mut rest)?);
                }
            }
            FieldValue::Other => return Err("a list has numbers of fixed width"),
        }
        Ok(())
    }
}

/// The fields of a message, one after another.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    /// The next one; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, FieldValue<'a>)>, Broken> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let key = varint(&mut self.0)?;
        let value = match key & 7 {
            0 => FieldValue::Number(varint(&mut self.0)?),
            1 => take(&mut self.0, 8).map(|_| FieldValue::Other)?,
            2 => {
                let length = varint(&mut self.0)?;
                FieldValue::Bytes(take(&mut self.0, usize::try_from(length).map_err(|_| ENDS)?)?)
            }
            5 => take(&mut self.0, 4).map(|_| FieldValue::Other)?,
            _ => return Err("a field is of an unknown kind"),
        };
        Ok(Some((key >> 3, value)))
    }
}

const ENDS: Broken = "a message ends before its last field";

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], Broken> {
    let (taken, left) = rest.split_at_checked(length).ok_or(ENDS)?;
    *rest = left;
    Ok(taken)
}

fn varint(rest: &mut &[u8]) -> Result<u64, Broken> {
    let mut number = 0;
    for (place, &byte) in rest.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            *rest = &rest[place + 1..];
            return Ok(number);
        }
    }
    Err(if rest.len() < 10 { ENDS } else { "a number is longer than ten bytes" })
}

/// Decodes a zigzag-coded number.
pub(super) fn signed(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Decodes a list of differences.
pub(super) fn sums(differences: &[u64]) -> impl Iterator<Item = i64> + '_ {
    differences.iter().scan(0i64, |sum, &difference| {
        *sum = sum.wrapping_add(signed(difference));
        Some(*sum)
    })
}
