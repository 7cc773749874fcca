//! A sheet to draw on, and how it becomes SVG and PNG.
//!
//! It touches no other room: it knows shapes and text, neither charts nor maps. Begin with [`Canvas`]. kuva's backends
//! write both formats; its own charts let labels run out of the picture.

mod dashes;

use std::f64::consts::PI;
use std::fmt::Write as _;

use kuva::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::render::color::Color;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};

pub(crate) use self::dashes::dashes;
use crate::error::Error;

/// Pixels of the PNG for one unit of the sheet: 480 units at 8.5 cm are about 430 dots per inch.
const PIXELS: f32 = 3.0;
const FONTS: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

/// Colours that people with any kind of colour vision can tell apart (Okabe and Ito), darkest contrasts first.
/// Blue.
pub const BLUE: &str = "#0072B2";
/// Vermilion.
pub const VERMILION: &str = "#D55E00";
/// Bluish green.
pub const GREEN: &str = "#009E73";
pub(crate) const INK: &str = "#222222";
pub(crate) const FAINT: &str = "#DDDDDD";
/// Grey.
pub const GREY: &str = "#777777";

/// A point: to the right, and down.
pub(crate) type Point = (f64, f64);

/// Where a text is, relative to its point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A drawing.
#[derive(Debug)]
pub struct Canvas {
    scene: Scene,
    /// Pixels of the PNG for one unit of the sheet.
    pixels: f32,
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
        let mut scene = Scene::new(width, height);
        scene.font_family = Some(FONTS.to_string());
        Canvas { scene, pixels: PIXELS }
    }

    /// With so many pixels of the PNG for one unit of the sheet.
    pub(crate) fn with_pixels(self, pixels: f32) -> Canvas {
        Canvas { pixels, ..self }
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, colour: &str, width: f64) {
        self.polyline(&[from, to], colour, width);
    }

    pub(crate) fn polyline(&mut self, points: &[Point], colour: &str, width: f64) {
        let (points, stroke) = (points.to_vec(), Color::from(colour));
        self.scene.elements.push(Primitive::PolyLine { points, stroke, stroke_width: width, stroke_dasharray: None });
    }

    /// Dashes one by one: the PNG backend closes the gaps of its own.
    pub(crate) fn dashes(&mut self, from: Point, to: Point, colour: &str, width: f64) {
        const DASH: f64 = 7.0;
        const PERIOD: f64 = 13.0;
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let at = |along: f64| (from.0 + (to.0 - from.0) * along / length, from.1 + (to.1 - from.1) * along / length);
        for begin in (0..).map(|k| f64::from(k) * PERIOD).take_while(|&begin| begin < length) {
            self.line(at(begin), at((begin + DASH).min(length)), colour, width);
        }
    }

    /// Many lines of one colour and width as a single element, with round joins and ends.
    pub(crate) fn strokes(&mut self, lines: &[Vec<Point>], colour: &str, width: f64) {
        let d = outline(lines, "");
        if d.is_empty() {
            return;
        }
        let round = Some("stroke-linejoin=\"round\" stroke-linecap=\"round\"".to_string());
        self.scene.elements.push(Primitive::GroupStart { transform: None, title: None, extra_attrs: round });
        let (stroke, stroke_dasharray) = (Color::from(colour), None);
        let path = PathData { d, fill: None, stroke, stroke_width: width, opacity: None, stroke_dasharray };
        self.scene.elements.push(Primitive::Path(Box::new(path)));
        self.scene.elements.push(Primitive::GroupEnd);
    }

    /// Many polygons of one colour as a single element.
    pub(crate) fn polygons(&mut self, polygons: &[Vec<Point>], colour: &str) {
        let d = outline(polygons, "Z");
        if !d.is_empty() {
            let (fill, stroke) = (Some(Color::from(colour)), Color::None);
            let path = PathData { d, fill, stroke, stroke_width: 0.0, opacity: None, stroke_dasharray: None };
            self.scene.elements.push(Primitive::Path(Box::new(path)));
        }
    }

    pub(crate) fn polygon(&mut self, points: &[Point], colour: &str, opacity: f64) {
        let mut d = String::new();
        for (place, (x, y)) in points.iter().enumerate() {
            d.push_str(&format!("{}{x:.2} {y:.2} ", if place == 0 { 'M' } else { 'L' }));
        }
        self.scene.elements.push(Primitive::Path(Box::new(PathData {
            d: d + "Z",
            fill: Some(Color::from(colour)),
            stroke: Color::None,
            stroke_width: 0.0,
            opacity: Some(opacity),
            stroke_dasharray: None,
        })));
    }

    pub(crate) fn rectangle(&mut self, corner: Point, size: Point, colour: &str, edge: Option<&str>) {
        self.scene.elements.push(Primitive::Rect {
            x: corner.0,
            y: corner.1,
            width: size.0,
            height: size.1,
            fill: Color::from(colour),
            stroke: edge.map(Color::from),
            stroke_width: edge.map(|_| 1.0),
            opacity: None,
        });
    }

    pub(crate) fn circle(&mut self, (cx, cy): Point, r: f64, colour: &str) {
        let fill = Color::from(colour);
        self.scene.elements.push(Primitive::Circle { cx, cy, r, fill, fill_opacity: None, stroke: None, stroke_width: None });
    }

    /// A mark with a white edge, which keeps it apart from what is under it.
    pub(crate) fn mark(&mut self, mark: Mark, (x, y): Point, r: f64, colour: &str) {
        for (r, colour) in [(1.13 * r + 0.6, "#FFFFFF"), (r, colour)] {
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

    pub(crate) fn text(&mut self, (x, y): Point, words: &str, size: u32, anchor: Anchor, colour: &str) {
        let anchor = match anchor {
            Anchor::Start => TextAnchor::Start,
            Anchor::Middle => TextAnchor::Middle,
            Anchor::End => TextAnchor::End,
        };
        let (content, color) = (words.to_string(), Some(Color::from(colour)));
        self.scene.elements.push(Primitive::Text { x, y, content, size, anchor, rotate: None, bold: false, color });
    }

    /// The drawing as SVG that scales with its place.
    pub fn svg(&self) -> String {
        let svg = SvgBackend::new().render_scene(&self.scene);
        let (width, height) = (self.scene.width, self.scene.height);
        svg.replacen("<svg ", &format!("<svg viewBox=\"0 0 {width} {height}\" "), 1)
    }

    /// The drawing as PNG.
    ///
    /// # Errors
    /// If the sheet has no area.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        let png = RasterBackend::new().with_scale(self.pixels).render_scene(&self.scene);
        png.map_err(|problem| Error::new("the PNG", problem))
    }
}

/// The commands of many lines, to a tenth of a unit. A line that is shorter than that is left out.
fn outline(lines: &[Vec<Point>], close: &str) -> String {
    let mut d = String::new();
    for line in lines {
        let mut tenths: Vec<(i64, i64)> = Vec::with_capacity(line.len());
        tenths.extend(line.iter().map(|&(x, y)| ((10.0 * x).round() as i64, (10.0 * y).round() as i64)));
        tenths.dedup();
        if tenths.len() < 2 {
            continue;
        }
        for (place, &(x, y)) in tenths.iter().enumerate() {
            d.push(match place {
                0 => 'M',
                1 => 'L',
                _ => ' ',
            });
            tenth(&mut d, x);
            // A minus sign parts two numbers as well as a space does.
            if y >= 0 {
                d.push(' ');
            }
            tenth(&mut d, y);
        }
        d.push_str(close);
    }
    d
}

/// A number of tenths as a decimal.
fn tenth(d: &mut String, tenths: i64) {
    let (whole, rest) = (tenths.abs() / 10, tenths.abs() % 10);
    let sign = if tenths < 0 { "-" } else { "" };
    let _ = if rest == 0 { write!(d, "{sign}{whole}") } else { write!(d, "{sign}{whole}.{rest}") };
}

/// About how wide a text is in units of the sheet.
pub(crate) fn width_of(words: &str, size: u32) -> f64 {
    0.6 * f64::from(size) * words.chars().count() as f64
}
