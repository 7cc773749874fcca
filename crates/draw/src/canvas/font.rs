//! DejaVu Sans, for text in PNG files: they look the same on machines without any font.

use std::collections::HashMap;
use std::io::Read;
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use fontdue::{Font, FontSettings};

use crate::error::Error;

/// Version 2.37; free to use and to distribute, see `fonts/LICENSE`.
const DEJAVU_SANS: &[u8] = include_bytes!("../../fonts/DejaVuSans.ttf.gz");

/// How much of each of its pixels a glyph covers, and where the pixels are.
pub(super) struct Glyph {
    /// From the pen to the left edge of the pixels.
    pub left: i32,
    /// From the baseline up to the top edge of the pixels.
    pub top: i32,
    pub width: usize,
    /// Row by row; 255 is all of a pixel.
    pub coverage: Vec<u8>,
    /// From this pen to the next.
    pub advance: f32,
}

/// Glyphs that were drawn, by character and size in units of the sheet.
pub(super) struct Glyphs {
    font: &'static Font,
    pixels: f32,
    drawn: HashMap<(char, u32), Glyph>,
}

impl Glyphs {
    /// Glyphs for a picture with this many pixels for one unit of the sheet.
    pub fn new(pixels: f32) -> Result<Glyphs, Error> {
        Ok(Glyphs { font: font()?, pixels, drawn: HashMap::new() })
    }

    pub fn get(&mut self, letter: char, size: u32) -> &Glyph {
        let (font, pixels) = (self.font, self.pixels);
        self.drawn.entry((letter, size)).or_insert_with(|| draw(font, letter, size as f32 * pixels))
    }

    /// The width of a text in pixels.
    pub fn width(&mut self, words: &str, size: u32) -> f32 {
        words.chars().map(|letter| self.get(letter, size).advance).sum()
    }
}

fn draw(font: &Font, letter: char, pixels: f32) -> Glyph {
    let (metrics, coverage) = font.rasterize(letter, pixels);
    Glyph {
        left: metrics.xmin,
        top: metrics.ymin + metrics.height as i32,
        width: metrics.width,
        coverage,
        advance: metrics.advance_width,
    }
}

/// The font, unpacked once.
fn font() -> Result<&'static Font, Error> {
    static FONT: OnceLock<Result<Font, String>> = OnceLock::new();
    FONT.get_or_init(unpack).as_ref().map_err(|problem| Error::new("the font", problem))
}

fn unpack() -> Result<Font, String> {
    let mut bytes = Vec::new();
    GzDecoder::new(DEJAVU_SANS).read_to_end(&mut bytes).map_err(|fault| fault.to_string())?;
    // Letters are drawn one by one, without ligatures.
    let settings = FontSettings { load_substitutions: false, ..FontSettings::default() };
    Font::from_bytes(bytes, settings).map_err(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_as_wide_as_in_dejavu_sans() {
        let mut glyphs = Glyphs::new(1.0).unwrap();
        // In units of 1/2048 of the size: i is 569 wide, m is 1995.
        for (letter, units) in [('i', 569.0), ('m', 1995.0)] {
            assert!((glyphs.get(letter, 2048).advance - units).abs() < 0.5);
        }
        let (one, both) = (glyphs.width("i", 16), glyphs.width("im", 16));
        assert_eq!(both, one + glyphs.width("m", 16));
        let glyph = glyphs.get('|', 64);
        assert!(glyph.coverage.len().is_multiple_of(glyph.width) && glyph.coverage.contains(&255));
    }
}
