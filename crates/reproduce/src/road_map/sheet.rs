//! What is around a map: title, colour bar, entries of a legend, scale bar, and where the data is from.

use super::classes::{Classes, short};
use super::lines::dashes;
use super::view::{Frame, View};
use crate::canvas::{Anchor, Canvas, GREY, INK, Mark, Point, width_of};

pub(super) const TITLE: u32 = 19;
pub(super) const SIZE: u32 = 15;
pub(super) const SMALL: u32 = 13;
pub(super) const LINE: f64 = 22.0;
pub(super) const MARGIN: f64 = 10.0;

/// How an entry of a legend looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Swatch {
    Line(f64),
    Dashes(f64),
    Mark(Mark, f64),
}

/// An entry of a legend.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub swatch: Swatch,
    pub colour: String,
    pub words: String,
}

impl Entry {
    pub fn new(swatch: Swatch, colour: &str, words: impl Into<String>) -> Entry {
        Entry { swatch, colour: colour.to_string(), words: words.into() }
    }

    fn width(&self) -> f64 {
        width_of(&self.words, SIZE) + 52.0
    }
}

/// Words in lines that are no wider than so much.
pub(super) fn wrap(words: &str, size: u32, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        match lines.last_mut().filter(|line| width_of(line, size) + width_of(word, size) + width_of(" ", size) <= width) {
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(word.to_string()),
        }
    }
    lines
}

/// How much room a title takes.
pub(super) fn title_height(title: &str, size: u32, width: f64) -> f64 {
    (f64::from(size) + 6.0) * wrap(title, size, width).len() as f64
}

pub(super) fn title(canvas: &mut Canvas, (x, y): Point, words: &str, size: u32, width: f64) {
    for (line, words) in wrap(words, size, width).iter().enumerate() {
        canvas.text((x, y + f64::from(size) + (f64::from(size) + 6.0) * line as f64), words, size, Anchor::Start, INK);
    }
}

/// The edge of a map.
pub(super) fn edge(canvas: &mut Canvas, frame: &Frame) {
    let (left, top, right, bottom) = (frame.left, frame.top, frame.right(), frame.bottom());
    canvas.polyline(&[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], "#AAAAAA", 1.0);
}

/// How many lines of entries there are at this width.
pub(super) fn entry_lines(entries: &[Entry], width: f64) -> usize {
    placed(entries, width).last().map_or(0, |last| last.1 + 1)
}

/// Entries from the left to the right, and in further lines if there are many.
pub(super) fn entries(canvas: &mut Canvas, (x, y): Point, entries: &[Entry], width: f64) {
    for (entry, (across, line)) in entries.iter().zip(placed(entries, width)) {
        let (x, y) = (x + across, y + LINE * line as f64 + 16.0);
        // Ends are round, and stick out by half a width.
        let line = |width: f64| [(x + width / 2.0, y - 5.0), (x + 30.0 - width / 2.0, y - 5.0)];
        match entry.swatch {
            Swatch::Line(width) => canvas.strokes(&[line(width).to_vec()], &entry.colour, width),
            Swatch::Dashes(width) => canvas.strokes(&dashes(&line(width), 5.0, 5.0 + width), &entry.colour, width),
            Swatch::Mark(mark, r) => canvas.mark(mark, (x + 15.0, y - 5.0), r, &entry.colour),
        }
        canvas.text((x + 37.0, y), &entry.words, SIZE, Anchor::Start, INK);
    }
}

/// Where each entry begins, and in which line.
fn placed(entries: &[Entry], width: f64) -> Vec<(f64, usize)> {
    let (mut across, mut line) = (0.0, 0);
    let place = |entry: &Entry| {
        // The gap after the last of a line may stick out.
        if across > 0.0 && across + entry.width() - 16.0 > width {
            (across, line) = (0.0, line + 1);
        }
        let at = (across, line);
        across += entry.width();
        at
    };
    entries.iter().map(place).collect()
}

/// How high a colour bar is.
pub(super) const BAR_HEIGHT: f64 = 58.0;

/// A colour bar with its label above and its edges below. Ends with values beyond them are pointed.
pub(super) fn colour_bar(
    canvas: &mut Canvas,
    (x, y): Point,
    length: f64,
    classes: &Classes,
    colour: &dyn Fn(usize) -> String,
    label: &str,
) {
    const HIGH: f64 = 12.0;
    const TIP: f64 = 10.0;
    canvas.text((x, y + 15.0), label, SIZE, Anchor::Start, INK);
    let (top, bottom) = (y + 24.0, y + 24.0 + HIGH);
    let labels = classes.labels();
    let half = |edge: usize| width_of(&labels[edge], SMALL) / 2.0;
    let (from, to) = (x + TIP.max(half(0)), x + length - TIP.max(half(classes.len())));
    let at = |edge: usize| from + (to - from) * edge as f64 / classes.len() as f64;
    for class in 0..classes.len() {
        // A hair too wide, so that no gaps show between them.
        let wide = at(class + 1) - at(class) + if class + 1 < classes.len() { 0.4 } else { 0.0 };
        canvas.rectangle((at(class), top), (wide, HIGH), &colour(class), None);
    }
    for (beyond, edge, tip, class) in [(classes.below, from, from - TIP, 0), (classes.above, to, to + TIP, classes.len() - 1)] {
        if beyond {
            canvas.polygon(&[(edge, top), (tip, (top + bottom) / 2.0), (edge, bottom)], &colour(class), 1.0);
        }
    }
    let apart = |stride: &usize| {
        let shown: Vec<usize> = classes.labelled(*stride).collect();
        shown.windows(2).all(|pair| at(pair[0]) + half(pair[0]) + 6.0 < at(pair[1]) - half(pair[1]))
    };
    for edge in classes.labelled([1, 2, 3, 5, 10].into_iter().find(apart).unwrap_or(16)) {
        canvas.line((at(edge), bottom), (at(edge), bottom + 4.0), INK, 1.0);
        canvas.text((at(edge), bottom + 18.0), &labels[edge], SMALL, Anchor::Middle, INK);
    }
}

/// A bar of a round length, and where north is; its right end is at the point.
pub(super) fn scale_bar(canvas: &mut Canvas, (right, y): Point, view: &View, most: f64) {
    // The largest round length that fits.
    let power = 10f64.powf((most / view.scale).log10().floor());
    let metres = [5.0, 2.0, 1.0].map(|factor| factor * power).into_iter().find(|length| length * view.scale <= most);
    let metres = metres.unwrap_or(power);
    let words = in_metres(metres);
    let left = right - metres * view.scale;
    canvas.line((left, y), (right, y), INK, 2.0);
    for x in [left + 0.75, right - 0.75] {
        canvas.line((x, y - 5.0), (x, y), INK, 1.5);
    }
    // Words that are wider than the bar end where it does.
    let wide = width_of(&words, SMALL);
    let middle = ((left + right) / 2.0).min(right - wide / 2.0);
    canvas.text((middle, y - 7.0), &words, SMALL, Anchor::Middle, INK);
    let north = left.min(middle - wide / 2.0) - 16.0;
    canvas.polygon(&[(north, y - 24.0), (north + 4.5, y - 13.0), (north - 4.5, y - 13.0)], INK, 1.0);
    canvas.text((north, y), "N", SMALL, Anchor::Middle, INK);
}

/// A length in metres or kilometres.
pub(super) fn in_metres(length: f64) -> String {
    if length >= 1000.0 { format!("{} km", short(length / 1000.0)) } else { format!("{} m", short(length)) }
}

/// Where the data is from, in the lower right corner of the sheet.
pub(super) fn attribution(canvas: &mut Canvas, (right, bottom): Point, words: Option<&str>) {
    if let Some(words) = words {
        canvas.text((right, bottom), words, SMALL - 1, Anchor::End, GREY);
    }
}

/// Groups of three digits.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}
