//! The type of an array's elements, as numpy writes it: `<f8`, `|b1`, `<U12`, `<M8[ns]`.

use std::fmt;

/// The units that numpy has for times and durations.
const UNITS: [&str; 13] = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"];

/// A byte order, a letter for the kind, a size, and a unit for times.
pub(super) struct ElementType {
    order: ByteOrder,
    pub(super) kind: ElementKind,
    /// In bytes; for texts, in code points.
    pub(super) size: u64,
    unit: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq)]
enum ByteOrder {
    Little,
    Big,
    /// Of single bytes, and of what has no order.
    Irrelevant,
}

/// What an element is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ElementKind {
    Bool,
    Int,
    Uint,
    Float,
    Complex,
    Duration,
    Time,
    /// A text in bytes, padded with zeros.
    Bytes,
    /// A text in code points of four bytes, padded with zeros.
    Text,
    /// A Python object, pickled.
    Object,
    /// Bytes without a meaning.
    Raw,
}

impl ElementKind {
    fn from_letter(letter: char) -> Option<ElementKind> {
        match letter {
            'b' => Some(ElementKind::Bool),
            'i' => Some(ElementKind::Int),
            'u' => Some(ElementKind::Uint),
            'f' => Some(ElementKind::Float),
            'c' => Some(ElementKind::Complex),
            'm' => Some(ElementKind::Duration),
            'M' => Some(ElementKind::Time),
            'S' | 'a' => Some(ElementKind::Bytes),
            'U' => Some(ElementKind::Text),
            'O' => Some(ElementKind::Object),
            'V' => Some(ElementKind::Raw),
            _ => None,
        }
    }

    fn letter(self) -> char {
        match self {
            ElementKind::Bool => 'b',
            ElementKind::Int => 'i',
            ElementKind::Uint => 'u',
            ElementKind::Float => 'f',
            ElementKind::Complex => 'c',
            ElementKind::Duration => 'm',
            ElementKind::Time => 'M',
            ElementKind::Bytes => 'S',
            ElementKind::Text => 'U',
            ElementKind::Object => 'O',
            ElementKind::Raw => 'V',
        }
    }

    /// The sizes that numpy has; `None` for any.
    fn sizes(self) -> Option<&'static [u64]> {
        match self {
            ElementKind::Bool => Some(&[1]),
            ElementKind::Int | ElementKind::Uint => Some(&[1, 2, 4, 8]),
            ElementKind::Float => Some(&[2, 4, 8, 16]),
            ElementKind::Complex => Some(&[8, 16, 32]),
            ElementKind::Duration | ElementKind::Time => Some(&[8]),
            ElementKind::Bytes | ElementKind::Text | ElementKind::Object | ElementKind::Raw => None,
        }
    }
}

impl ElementType {
    /// The type that a text names; `None` if numpy has no such type.
    pub(super) fn parse(text: &str) -> Option<ElementType> {
        let mut letters = text.chars();
        let order = match letters.next()? {
            '<' => ByteOrder::Little,
            '>' => ByteOrder::Big,
            '|' => ByteOrder::Irrelevant,
            _ => return None,
        };
        let kind = ElementKind::from_letter(letters.next()?)?;
        let rest = letters.as_str();
        let (size, unit) = rest.split_at(rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len()));
        let size = match (kind, size) {
            (ElementKind::Object, "") => 0,
            (ElementKind::Object, _) => return None,
            (_, size) => size.parse().ok()?,
        };
        let unit = match unit {
            "" => None,
            unit => {
                let inside = unit.strip_prefix('[')?.strip_suffix(']')?;
                Some(*UNITS.iter().find(|&&known| known == inside)?)
            }
        };
        let found = ElementType { order, kind, size, unit };
        found.exists().then_some(found)
    }

    fn exists(&self) -> bool {
        let has_order = match self.kind {
            ElementKind::Bytes | ElementKind::Object | ElementKind::Raw => false,
            ElementKind::Text => true,
            _ => self.size != 1,
        };
        let has_unit = matches!(self.kind, ElementKind::Duration | ElementKind::Time);
        !(has_order && self.order == ByteOrder::Irrelevant)
            && self.kind.sizes().is_none_or(|sizes| sizes.contains(&self.size))
            && has_unit == self.unit.is_some()
    }

    /// The bytes of an element; `None` if the type does not say, or says more than there can be.
    pub(super) fn n_bytes(&self) -> Option<u64> {
        match self.kind {
            ElementKind::Text => self.size.checked_mul(4),
            ElementKind::Object => None,
            _ => Some(self.size),
        }
    }

    /// The bytes of a number with the lowest first.
    pub(super) fn little_endian<const N: usize>(&self, mut bytes: [u8; N]) -> [u8; N] {
        if self.order == ByteOrder::Big {
            bytes.reverse();
        }
        bytes
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match self.order {
            ByteOrder::Little => '<',
            ByteOrder::Big => '>',
            ByteOrder::Irrelevant => '|',
        };
        write!(f, "{order}{}", self.kind.letter())?;
        if self.kind != ElementKind::Object {
            write!(f, "{}", self.size)?;
        }
        self.unit.map_or(Ok(()), |unit| write!(f, "[{unit}]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_numpy_are_read_and_written_as_they_are() {
        for text in
            ["|b1", "|i1", "<i1", "<i8", ">u4", "<f2", "<f16", "<c16", "<m8[ms]", ">M8[D]", "|S5", "|S0", "<U12", "|O", "|V7"]
        {
            assert_eq!(ElementType::parse(text).map(|found| found.to_string()).as_deref(), Some(text));
        }
        assert_eq!(ElementType::parse("|a5").unwrap().to_string(), "|S5");
        assert_eq!(ElementType::parse("<f08").unwrap().to_string(), "<f8");
    }

    #[test]
    fn other_types_are_refused() {
        let bad = [
            "", "<", "f8", "<f", "<f3", "|f8", "|U3", "<i16", "<b2", "<x8", "<M8", "<M8[", "<M8[]", "<M8[25s]", "<f8[s]", "|O8",
        ];
        for text in bad.into_iter().chain(["<U99999999999999999999", "é8", "<é"]) {
            assert!(ElementType::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn sizes_are_those_of_one_element() {
        let bytes = |text: &str| ElementType::parse(text).unwrap().n_bytes();
        assert_eq!([bytes("<f8"), bytes("<U3"), bytes("|S3"), bytes("|O")], [Some(8), Some(12), Some(3), None]);
        assert_eq!(bytes("<U4611686018427387904"), None);
    }
}
