//! A canvas as PNG: its shapes drawn one over the other, without transparency.

use super::font::Glyphs;
use super::pixels::{Ink, Pixels, Spot};
use super::shape::{Anchor, EDGE_WIDTH, Point, Shape, Tenths};
use super::{Canvas, Colour, PROGRAM, svg};
use crate::error::Error;

/// The bytes of the PNG file.
pub(super) fn write(canvas: &Canvas) -> Result<Vec<u8>, Error> {
    let [width, height] = [canvas.width, canvas.height].map(|side| (side as f32 * canvas.pixels).ceil() as u32);
    if width == 0 || height == 0 {
        return Err(Error::new("the PNG", format!("its size is {width} x {height} pixels")));
    }
    let mut picture =
        Picture { pixels: Pixels::white(width, height), scale: canvas.pixels, glyphs: Glyphs::new(canvas.pixels)? };
    canvas.shapes.iter().for_each(|shape| picture.draw(shape));
    encode(&picture.pixels).map_err(|fault| Error::new("the PNG", fault.to_string()))
}

fn encode(pixels: &Pixels) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width as u32, pixels.height as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.add_text_chunk("Software".to_string(), PROGRAM.to_string())?;
    encoder.write_header()?.write_image_data(&pixels.rgba)?;
    Ok(bytes)
}

/// A picture that shapes are drawn into.
struct Picture {
    pixels: Pixels,
    /// Pixels for one unit of the sheet.
    scale: f32,
    glyphs: Glyphs,
}

impl Picture {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Polyline { points, colour, width } => self.polyline(points, Ink::opaque(*colour), *width),
            Shape::Polygon { points, colour, opacity } => {
                let ink = Ink { colour: *colour, alpha: (opacity.clamp(0.0, 1.0) * 255.0) as u8 };
                // The same coordinates as in the SVG.
                let written = |point: &Point| svg::hundredths(*point).map(|text| text.parse().unwrap_or(f32::NAN));
                let corners: Vec<Spot> = points.iter().map(|point| self.spot(written(point).into())).collect();
                self.pixels.polygon(&corners, ink);
            }
            Shape::Strokes { lines, colour, width } => {
                for line in lines {
                    let spots = self.spots(line);
                    self.segments(&spots, Ink::opaque(*colour), *width);
                }
            }
            Shape::Polygons { outlines, colour } => {
                for outline in outlines {
                    let corners = self.spots(outline);
                    self.pixels.polygon(&corners, Ink::opaque(*colour));
                }
            }
            Shape::Rectangle { corner, size, colour, edge } => self.rectangle(*corner, *size, *colour, *edge),
            Shape::Circle { centre, r, colour } => {
                let (centre, r) = (self.spot(narrow(*centre)), *r as f32 * self.scale);
                self.pixels.disc(centre, r, Ink::opaque(*colour));
            }
            Shape::Text { at, words, size, anchor, colour } => self.text(*at, words, *size, *anchor, Ink::opaque(*colour)),
        }
    }

    /// Segments with round ends, which join them.
    fn polyline(&mut self, points: &[Point], ink: Ink, width: f64) {
        let width = width as f32 * self.scale;
        let spots: Vec<Spot> = points.iter().map(|point| self.spot(narrow(*point))).collect();
        for ends in spots.windows(2) {
            match width <= Pixels::THIN {
                true => self.pixels.thin_line(ends[0], ends[1], ink),
                false => self.pixels.capsule(ends[0], ends[1], width * 0.5, ink),
            }
        }
    }

    /// Segments with a disc at each end.
    fn segments(&mut self, spots: &[Spot], ink: Ink, width: f64) {
        let width = width as f32 * self.scale;
        for ends in spots.windows(2) {
            self.pixels.line(ends[0], ends[1], width, ink);
        }
    }

    fn rectangle(&mut self, corner: Point, size: Point, colour: Colour, edge: Option<Colour>) {
        let (x, y) = self.spot(narrow(corner));
        let (width, height) = self.spot(narrow(size));
        self.pixels.rectangle((x, y), (width, height), Ink::opaque(colour));
        if let Some(edge) = edge {
            let around = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)];
            self.segments(&around, Ink::opaque(edge), EDGE_WIDTH);
        }
    }

    fn text(&mut self, at: Point, words: &str, size: u32, anchor: Anchor, ink: Ink) {
        let (x, baseline) = self.spot(narrow(at));
        let mut pen = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - self.glyphs.width(words, size) * 0.5,
            Anchor::End => x - self.glyphs.width(words, size),
        };
        for letter in words.chars() {
            let glyph = self.glyphs.get(letter, size);
            let (left, top) = ((pen + glyph.left as f32).round() as i32, baseline as i32 - glyph.top);
            for (row, covered) in glyph.coverage.chunks(glyph.width.max(1)).enumerate() {
                for (column, &part) in covered.iter().enumerate() {
                    self.pixels.blend(left + column as i32, top + row as i32, ink, f32::from(part) * (1.0 / 255.0));
                }
            }
            pen += glyph.advance;
        }
    }

    fn spots(&self, line: &Tenths) -> Vec<Spot> {
        let units = |tenths: i64| (tenths as f64 / 10.0) as f32;
        line.iter().map(|&[x, y]| self.spot((units(x), units(y)))).collect()
    }

    /// From units of the sheet to pixels.
    fn spot(&self, (x, y): (f32, f32)) -> Spot {
        (x * self.scale, y * self.scale)
    }
}

fn narrow((x, y): Point) -> (f32, f32) {
    (x as f32, y as f32)
}
