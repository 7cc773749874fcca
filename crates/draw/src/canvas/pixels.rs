//! Pixels, and shapes that cover them in part at their edges.
//!
//! Everything is opaque or blended over white, so that the result is opaque, too. Coordinates are in pixels, to the
//! right and down; the middle of the first pixel is at (0.5, 0.5).

use super::colour::Colour;

/// A place in pixels: to the right, and down.
pub(super) type Spot = (f32, f32);

/// What a shape is drawn with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ink {
    pub colour: Colour,
    /// 255 hides what is under it.
    pub alpha: u8,
}

impl Ink {
    pub fn opaque(colour: Colour) -> Ink {
        Ink { colour, alpha: 255 }
    }
}

/// A picture.
pub(super) struct Pixels {
    pub width: i32,
    pub height: i32,
    /// Row by row: red, green, blue, and 255 for opaque.
    pub rgba: Vec<u8>,
}

/// An edge of a polygon that scan lines cross.
struct Edge {
    /// The rows whose middles it crosses.
    first: i32,
    end: i32,
    /// Where it crosses the middle of the row at hand.
    x: f32,
    /// From one row to the next.
    step: f32,
    /// 1 where it goes down, -1 where it goes up.
    winding: i32,
}

impl Pixels {
    /// Lines up to this width are drawn as thin lines.
    pub const THIN: f32 = 1.5;

    pub fn white(width: u32, height: u32) -> Pixels {
        Pixels { width: width as i32, height: height as i32, rgba: vec![255; 4 * width as usize * height as usize] }
    }

    /// Covers a part of a pixel, from 0 to 1. Nothing happens outside of the picture.
    #[inline]
    pub fn blend(&mut self, x: i32, y: i32, ink: Ink, part: f32) {
        if !(0..self.width).contains(&x) || !(0..self.height).contains(&y) {
            return;
        }
        let cover = ((part * f32::from(ink.alpha) + 0.5) as u32).min(255);
        if cover == 0 {
            return;
        }
        let at = 4 * (y as usize * self.width as usize + x as usize);
        for (under, over) in self.rgba[at..at + 3].iter_mut().zip(ink.colour.rgb) {
            *under = ((u32::from(over) * cover + u32::from(*under) * (255 - cover)) / 255) as u8;
        }
    }

    pub fn rectangle(&mut self, (x, y): Spot, (width, height): Spot, ink: Ink) {
        let (right, bottom) = (x + width, y + height);
        let (columns, rows) = (within(x, right, self.width), within(y, bottom, self.height));
        for row in rows {
            let part = overlap(y, bottom, row);
            for column in columns.clone() {
                self.blend(column, row, ink, overlap(x, right, column) * part);
            }
        }
    }

    /// A disc whose edge is one pixel wide.
    pub fn disc(&mut self, (x, y): Spot, r: f32, ink: Ink) {
        let (outer, inner) = (r + 0.5, (r - 0.5).max(0.0));
        let columns = around(x - outer, x + outer, self.width);
        for row in around(y - outer, y + outer, self.height) {
            let down = row as f32 + 0.5 - y;
            for column in columns.clone() {
                let across = column as f32 + 0.5 - x;
                let square = across * across + down * down;
                if square <= inner * inner {
                    self.blend(column, row, ink, 1.0);
                } else if square < outer * outer {
                    self.blend(column, row, ink, outer - square.sqrt());
                }
            }
        }
    }

    /// A line with a disc at each end.
    pub fn line(&mut self, a: Spot, b: Spot, width: f32, ink: Ink) {
        if width <= Pixels::THIN {
            return self.thin_line(a, b, ink);
        }
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let (length, half) = ((dx * dx + dy * dy).sqrt(), width * 0.5);
        if length < 0.01 {
            return self.disc(a, half, ink);
        }
        // From the middle of the line to its side.
        let (x, y) = (-dy / length * half, dx / length * half);
        self.polygon(&[(a.0 + x, a.1 + y), (a.0 - x, a.1 - y), (b.0 - x, b.1 - y), (b.0 + x, b.1 + y)], ink);
        self.disc(a, half, ink);
        self.disc(b, half, ink);
    }

    /// A line of about one pixel (Wu 1991): at each step along its longer axis, two neighbours share the ink.
    pub fn thin_line(&mut self, from: Spot, to: Spot, ink: Ink) {
        let steep = (to.1 - from.1).abs() > (to.0 - from.0).abs();
        let turned = |spot: Spot| if steep { (spot.1, spot.0) } else { spot };
        let (mut a, mut b) = (turned(from), turned(to));
        if a.0 > b.0 {
            (a, b) = (b, a);
        }
        let length = b.0 - a.0;
        let slope = if length.abs() < 1e-6 { 1.0 } else { (b.1 - a.1) / length };
        let mut pair = |along: i32, across: f32, share: f32| {
            let (near, part) = (across.floor() as i32, across.fract());
            for (across, part) in [(near, 1.0 - part), (near + 1, part)] {
                let (x, y) = if steep { (across, along) } else { (along, across) };
                self.blend(x, y, ink, part * share);
            }
        };
        let (first, last) = (a.0.round(), b.0.round());
        let begin = a.1 + slope * (first - a.0);
        pair(first as i32, begin, 1.0 - (a.0 + 0.5).fract());
        pair(last as i32, b.1 + slope * (last - b.0), (b.0 + 0.5).fract());
        let mut across = begin + slope;
        for along in first as i32 + 1..last as i32 {
            pair(along, across, 1.0);
            across += slope;
        }
    }

    /// All that is within a radius of a segment.
    pub fn capsule(&mut self, a: Spot, b: Spot, radius: f32, ink: Ink) {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        if dx * dx + dy * dy < 0.01 {
            return self.disc(a, radius, ink);
        }
        for row in around(a.1.min(b.1) - radius, a.1.max(b.1) + radius, self.height) {
            let y = row as f32 + 0.5;
            let parts = [chord(a, radius, y), chord(b, radius, y), strip(a, b, radius, y)];
            let union = |span: Spot, part: Spot| (span.0.min(part.0), span.1.max(part.1));
            let (left, right) = parts.into_iter().flatten().fold((f32::INFINITY, f32::NEG_INFINITY), union);
            self.span(left, right, row, ink);
        }
    }

    /// A polygon, filled where its outline winds around a point (non-zero rule).
    pub fn polygon(&mut self, corners: &[Spot], ink: Ink) {
        if corners.len() < 3 || corners.iter().any(|corner| !corner.0.is_finite() || !corner.1.is_finite()) {
            return;
        }
        let next = corners.iter().cycle().skip(1);
        let edges = corners.iter().zip(next).filter_map(|(&a, &b)| Edge::new(a, b, self.height));
        let mut waiting: Vec<Edge> = edges.collect();
        waiting.sort_by_key(|edge| edge.first);
        let mut waiting = waiting.into_iter().peekable();
        let mut active: Vec<Edge> = Vec::new();
        let mut crossings: Vec<(f32, i32)> = Vec::new();
        let Some(first) = waiting.peek().map(|edge| edge.first) else { return };
        for row in first..self.height {
            active.extend(std::iter::from_fn(|| waiting.next_if(|edge| edge.first == row)));
            active.retain(|edge| edge.end > row);
            if active.is_empty() && waiting.peek().is_none() {
                break;
            }
            crossings.clear();
            crossings.extend(active.iter().map(|edge| (edge.x, edge.winding)));
            crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (mut winding, mut left) = (0, 0.0);
            for &(x, turn) in &crossings {
                if winding == 0 {
                    left = x;
                } else if winding + turn == 0 {
                    self.span(left, x, row, ink);
                }
                winding += turn;
            }
            active.iter_mut().for_each(|edge| edge.x += edge.step);
        }
    }

    /// A part of a row; its first and last pixels are covered in part.
    fn span(&mut self, left: f32, right: f32, row: i32, ink: Ink) {
        if right <= left {
            return;
        }
        let (first, last) = (left.floor() as i32, right.floor() as i32);
        if first == last {
            return self.blend(first, row, ink, (right - left).min(1.0));
        }
        self.blend(first, row, ink, ((first + 1) as f32 - left).min(1.0));
        for column in (first + 1).max(0)..last.min(self.width) {
            self.blend(column, row, ink, 1.0);
        }
        self.blend(last, row, ink, right - last as f32);
    }
}

impl Edge {
    /// The edge from one corner to the next, if it crosses the middle of a row of the picture.
    fn new(a: Spot, b: Spot, height: i32) -> Option<Edge> {
        let (top, bottom, winding) = if a.1 < b.1 { (a, b, 1) } else { (b, a, -1) };
        if bottom.1 - top.1 < 1e-6 {
            return None;
        }
        let first = ((top.1 - 0.5).ceil() as i32).max(0);
        let end = ((bottom.1 - 0.5).ceil() as i32).min(height);
        let step = (bottom.0 - top.0) / (bottom.1 - top.1);
        let x = top.0 + (first as f32 + 0.5 - top.1) * step;
        (first < end).then_some(Edge { first, end, x, step, winding })
    }
}

/// How much of pixel `pixel` lies between two places.
fn overlap(low: f32, high: f32, pixel: i32) -> f32 {
    let pixel = pixel as f32;
    (high.min(pixel + 1.0) - low.max(pixel)).clamp(0.0, 1.0)
}

/// The pixels between two places.
fn within(low: f32, high: f32, size: i32) -> std::ops::Range<i32> {
    (low.floor() as i32).max(0)..(high.ceil() as i32).min(size)
}

/// The pixels between two places, and one beyond.
fn around(low: f32, high: f32, size: i32) -> std::ops::RangeInclusive<i32> {
    (low.floor() as i32).max(0)..=(high.ceil() as i32).min(size - 1)
}

/// Where a circle meets a horizontal line.
fn chord((x, y): Spot, radius: f32, line: f32) -> Option<Spot> {
    let down = line - y;
    let square = radius * radius - down * down;
    (square >= 0.0).then(|| (x - square.sqrt(), x + square.sqrt()))
}

/// Where the rectangle along a segment, `radius` to either side of it, meets a horizontal line.
fn strip((x, y): Spot, end: Spot, radius: f32, line: f32) -> Option<Spot> {
    let (dx, dy, down) = (end.0 - x, end.1 - y, line - y);
    if dy.abs() <= 1e-6 {
        return (down.abs() <= radius).then(|| ordered(x, end.0));
    }
    let square = dx * dx + dy * dy;
    let (along, reach) = (dx * down, radius * square.sqrt());
    let sides = ordered(x + (along - reach) / dy, x + (along + reach) / dy);
    let ends = if dx.abs() > 1e-6 {
        ordered(x + -dy * down / dx, x + (-dy * down + square) / dx)
    } else if (0.0..=1.0).contains(&(down / dy)) {
        (f32::NEG_INFINITY, f32::INFINITY)
    } else {
        return None;
    };
    let (left, right) = (sides.0.max(ends.0), sides.1.min(ends.1));
    (left < right).then_some((left, right))
}

fn ordered(a: f32, b: f32) -> Spot {
    if a <= b { (a, b) } else { (b, a) }
}

#[cfg(test)]
mod tests {
    use super::super::colour::INK;
    use super::*;

    const BLACK: Ink = Ink { colour: Colour::hex(0), alpha: 255 };

    /// How dark each pixel is: blank, then `.`, `:`, `+` and `#` for each quarter, `@` for black.
    fn shown(pixels: &Pixels) -> Vec<String> {
        let sign = |pixel: &[u8]| match 255 - pixel[0] {
            0 => ' ',
            255 => '@',
            dark => ['.', ':', '+', '#'][usize::from(dark / 64)],
        };
        let rows = pixels.rgba.chunks(4 * pixels.width as usize);
        rows.map(|row| row.chunks(4).map(sign).collect::<String>().trim_end().to_string()).collect()
    }

    /// The sum of what is covered, in pixels.
    fn area(pixels: &Pixels) -> f64 {
        pixels.rgba.chunks(4).map(|pixel| f64::from(255 - pixel[0]) / 255.0).sum()
    }

    #[test]
    fn edges_cover_pixels_in_part() {
        let mut pixels = Pixels::white(9, 5);
        pixels.rectangle((1.0, 1.0), (3.5, 2.5), BLACK);
        pixels.rectangle((6.25, 0.0), (0.5, 9.0), BLACK);
        let expected = "
      +
 @@@+ +
 @@@+ +
 +++: +
      +";
        assert_eq!(shown(&pixels).join("\n"), expected[1..]);
    }

    #[test]
    fn discs_are_round_and_polygons_are_filled_where_their_outline_winds_around() {
        let mut pixels = Pixels::white(24, 9);
        pixels.disc((4.5, 4.5), 4.0, BLACK);
        // Two squares in one outline: they overlap, and wind in the same direction.
        let squares = [(11.0, 1.0), (17.0, 1.0), (17.0, 8.0), (14.0, 8.0), (14.0, 3.0), (22.0, 3.0), (22.0, 6.0), (11.0, 6.0)];
        pixels.polygon(&squares, BLACK);
        // A corner that is no number: nothing is drawn.
        pixels.polygon(&[(0.0, 0.0), (9.0, 0.0), (9.0, f32::NAN)], BLACK);
        let expected = "
  .:+:.
 :#@@@#:   @@@@@@
.#@@@@@#.  @@@@@@
:@@@@@@@:  @@@@@@@@@@@
+@@@@@@@+  @@@@@@@@@@@
:@@@@@@@:  @@@@@@@@@@@
.#@@@@@#.     @@@
 :#@@@#:      @@@
  .:+:.";
        assert_eq!(shown(&pixels).join("\n"), expected[1..]);
    }

    #[test]
    fn lines_are_as_wide_as_they_should_be() {
        let (a, b) = ((6.0, 5.0), (30.0, 23.0));
        for width in [2.0, 3.0, 7.5] {
            let around = f64::from(width) * 30.0 + std::f64::consts::PI * f64::from(width * width) / 4.0;
            let (mut line, mut capsule) = (Pixels::white(40, 30), Pixels::white(40, 30));
            line.line(a, b, width, BLACK);
            capsule.capsule(a, b, width / 2.0, BLACK);
            for covered in [area(&line), area(&capsule)] {
                assert!((covered / around - 1.0).abs() < 0.08, "{width}: {covered} instead of {around}");
            }
        }
    }

    #[test]
    fn thin_lines_are_shared_by_two_pixels() {
        let mut pixels = Pixels::white(12, 6);
        pixels.thin_line((1.0, 1.0), (10.0, 4.0), BLACK);
        let expected = "

 ++:
  :+@+:
     :+@+:
        :++
";
        assert_eq!(shown(&pixels).join("\n"), expected[1..]);
    }

    #[test]
    fn nothing_is_drawn_outside_of_the_picture() {
        let mut pixels = Pixels::white(4, 4);
        for at in [(-9.0, 2.0), (2.0, -9.0), (20.0, 2.0), (2.0, 20.0)] {
            pixels.disc(at, 3.0, BLACK);
            pixels.capsule(at, (at.0 + 1.0, at.1 + 1.0), 3.0, BLACK);
            pixels.thin_line(at, (at.0 - 1.0, at.1), BLACK);
        }
        assert_eq!(area(&pixels), 0.0);
        // What crosses the picture is drawn in it.
        pixels.line((-10.0, 2.0), (20.0, 2.0), 2.0, Ink::opaque(INK));
        assert_eq!(pixels.rgba[4 * 4..4 * 5], [0x22, 0x22, 0x22, 255]);
    }
}
