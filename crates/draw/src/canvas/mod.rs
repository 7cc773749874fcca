//! A sheet of shapes and text, and how it becomes SVG and PNG.
//!
//! It touches no other room, and knows neither charts nor maps. Begin with [`Canvas`]; `svg.rs` writes the shapes as
//! text, `png.rs` draws them with `pixels.rs` and `font.rs`.

mod colour;
mod dashes;
mod font;
mod pixels;
mod png;
mod shape;
mod svg;

use std::f64::consts::PI;

pub use self::colour::{BLUE, Colour, GREEN, GREY, VERMILION};
pub(crate) use self::colour::{FAINT, INK, WHITE};
pub(crate) use self::dashes::dashes;
use self::shape::Shape;
pub(crate) use self::shape::{Anchor, Point};
use crate::error::Error;

/// Pixels of the PNG for one unit of the sheet: 480 units at 8.5 cm are about 430 dots per inch.
const PIXELS: f32 = 3.0;

/// What wrote a file, as the file itself says.
const PROGRAM: &str = concat!("revealed ", env!("CARGO_PKG_VERSION"));

/// A drawing.
#[derive(Debug, Clone)]
pub struct Canvas {
    width: f64,
    height: f64,
    /// From the bottom to the top.
    shapes: Vec<Shape>,
    /// Pixels of the PNG for one unit of the sheet.
    pixels: f32,
    /// A short name and a description, for those who cannot see it.
    name: Option<[String; 2]>,
}

/// A shape that marks a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mark {
    Disc,
    Square,
    Star,
}

impl Canvas {
    pub(crate) fn new(width: f64, height: f64) -> Canvas {
        Canvas { width, height, shapes: Vec::new(), pixels: PIXELS, name: None }
    }

    /// The drawing with a short name and a description in the SVG, for those who cannot see it.
    ///
    /// ```
    /// use revealed_draw::{Axis, curves};
    /// let chart = curves(&Axis::linear("x"), &Axis::linear("y"), &[]).named("An empty chart", "It has no curves.");
    /// assert!(chart.svg().contains("<title>An empty chart</title><desc>It has no curves.</desc>"));
    /// ```
    pub fn named(self, name: &str, description: &str) -> Canvas {
        Canvas { name: Some([name.to_string(), description.to_string()]), ..self }
    }

    /// Its width, in units of the sheet. A column of text is 480 wide.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// With this many pixels of the PNG for one unit of the sheet.
    pub(crate) fn with_pixels(self, pixels: f32) -> Canvas {
        Canvas { pixels, ..self }
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, colour: Colour, width: f64) {
        self.polyline(&[from, to], colour, width);
    }

    pub(crate) fn polyline(&mut self, points: &[Point], colour: Colour, width: f64) {
        self.shapes.push(Shape::Polyline { points: points.to_vec(), colour, width });
    }

    /// A dashed line, as a line for each dash.
    pub(crate) fn dashed_line(&mut self, from: Point, to: Point, colour: Colour, width: f64) {
        const DASH: f64 = 7.0;
        const PERIOD: f64 = 13.0;
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let at = |along: f64| (from.0 + (to.0 - from.0) * along / length, from.1 + (to.1 - from.1) * along / length);
        for begin in (0..).map(|k| f64::from(k) * PERIOD).take_while(|&begin| begin < length) {
            self.line(at(begin), at((begin + DASH).min(length)), colour, width);
        }
    }

    /// Many lines of one colour and width as a single element, with round joins and ends.
    pub(crate) fn strokes(&mut self, lines: &[Vec<Point>], colour: Colour, width: f64) {
        let lines = shape::in_tenths(lines);
        if !lines.is_empty() {
            self.shapes.push(Shape::Strokes { lines, colour, width });
        }
    }

    /// Many polygons of one colour as a single element.
    pub(crate) fn polygons(&mut self, polygons: &[Vec<Point>], colour: Colour) {
        let outlines = shape::in_tenths(polygons);
        if !outlines.is_empty() {
            self.shapes.push(Shape::Polygons { outlines, colour });
        }
    }

    pub(crate) fn polygon(&mut self, points: &[Point], colour: Colour, opacity: f64) {
        self.shapes.push(Shape::Polygon { points: points.to_vec(), colour, opacity });
    }

    pub(crate) fn rectangle(&mut self, corner: Point, size: Point, colour: Colour, edge: Option<Colour>) {
        self.shapes.push(Shape::Rectangle { corner, size, colour, edge });
    }

    pub(crate) fn circle(&mut self, centre: Point, r: f64, colour: Colour) {
        self.shapes.push(Shape::Circle { centre, r, colour });
    }

    /// A mark with a white edge, which separates it from what is under it.
    pub(crate) fn mark(&mut self, mark: Mark, (x, y): Point, r: f64, colour: Colour) {
        for (r, colour) in [(1.13 * r + 0.6, WHITE), (r, colour)] {
            match mark {
                Mark::Disc => self.circle((x, y), r, colour),
                Mark::Square => self.rectangle((x - r, y - r), (2.0 * r, 2.0 * r), colour, None),
                Mark::Star => {
                    let tip = |k: u32| {
                        let (long, turn) = (if k.is_multiple_of(2) { 1.25 * r } else { 0.55 * r }, f64::from(k) * PI / 5.0);
                        (x + long * turn.sin(), y - long * turn.cos())
                    };
                    self.polygon(&(0..10).map(tip).collect::<Vec<_>>(), colour, 1.0);
                }
            }
        }
    }

    pub(crate) fn text(&mut self, at: Point, words: &str, size: u32, anchor: Anchor, colour: Colour) {
        self.shapes.push(Shape::Text { at, words: words.to_string(), size, anchor, colour });
    }

    /// The drawing as SVG that scales with its place.
    pub fn svg(&self) -> String {
        svg::write(self)
    }

    /// The drawing as PNG.
    ///
    /// # Errors
    /// If the sheet has no area.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        png::write(self)
    }
}

/// About how wide a text is, in units of the sheet.
pub(crate) fn width_of(words: &str, size: u32) -> f64 {
    0.6 * f64::from(size) * words.chars().count() as f64
}
