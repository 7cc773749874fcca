//! The shapes that a canvas consists of.

use super::colour::Colour;

/// A point: to the right, and down.
pub(crate) type Point = (f64, f64);

/// Which part of a text is at its point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A line or an outline of many points, in tenths of a unit.
pub(super) type Tenths = Vec<[i64; 2]>;

/// A shape.
#[derive(Debug, Clone)]
pub(super) enum Shape {
    Polyline { points: Vec<Point>, colour: Colour, width: f64 },
    Polygon { points: Vec<Point>, colour: Colour, opacity: f64 },
    Strokes { lines: Vec<Tenths>, colour: Colour, width: f64 },
    Polygons { outlines: Vec<Tenths>, colour: Colour },
    Rectangle { corner: Point, size: Point, colour: Colour, edge: Option<Colour> },
    Circle { centre: Point, r: f64, colour: Colour },
    Text { at: Point, words: String, size: u32, anchor: Anchor, colour: Colour },
}

/// The width of the edge of a rectangle.
pub(super) const EDGE_WIDTH: f64 = 1.0;

/// Lines to a tenth of a unit, without those that are shorter than that.
pub(super) fn in_tenths(lines: &[Vec<Point>]) -> Vec<Tenths> {
    let tenth = |value: f64| (10.0 * value).round() as i64;
    let line = |line: &Vec<Point>| {
        let mut tenths: Tenths = line.iter().map(|&(x, y)| [tenth(x), tenth(y)]).collect();
        tenths.dedup();
        tenths
    };
    lines.iter().map(line).filter(|line| line.len() >= 2).collect()
}
