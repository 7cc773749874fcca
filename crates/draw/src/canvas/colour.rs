//! Colours, and the palette of the figures.

use std::fmt;

/// A colour by its red, green and blue parts. It is written as SVG has it, such as `#0072b2`.
///
/// ```
/// use revealed_draw::{BLUE, Colour};
/// assert_eq!(BLUE.to_string(), "#0072b2");
/// assert_eq!(Colour::hex(0x0072B2), BLUE);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour {
    /// Red, green and blue.
    pub rgb: [u8; 3],
}

impl Colour {
    /// The colour 0xRRGGBB.
    pub const fn hex(rgb: u32) -> Colour {
        let [_, r, g, b] = rgb.to_be_bytes();
        Colour { rgb: [r, g, b] }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.rgb;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

// Blue, vermilion and green can be distinguished with any kind of colour vision (Okabe and Ito).

/// Blue.
pub const BLUE: Colour = Colour::hex(0x0072B2);
/// Vermilion.
pub const VERMILION: Colour = Colour::hex(0xD55E00);
/// Bluish green.
pub const GREEN: Colour = Colour::hex(0x009E73);
/// Grey, for notes and for lines to compare with.
pub const GREY: Colour = Colour::hex(0x777777);
/// Nearly black, for text and axes.
pub(crate) const INK: Colour = Colour::hex(0x222222);
/// Light grey, for grid lines.
pub(crate) const FAINT: Colour = Colour::hex(0xDDDDDD);
/// White.
pub(crate) const WHITE: Colour = Colour::hex(0xFFFFFF);
