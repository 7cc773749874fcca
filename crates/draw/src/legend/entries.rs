//! The entries of a legend, in as many lines as they need.

use super::title::TEXT;
use crate::canvas::{Anchor, Canvas, Colour, INK, Mark, Point, dashes, width_of};

/// The height of a line.
pub(crate) const LINE: f64 = 22.0;

/// How an entry of a legend looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Swatch {
    Line(f64),
    Dashes(f64),
    Mark(Mark, f64),
}

/// An entry of a legend.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub swatch: Swatch,
    pub colour: Colour,
    pub words: String,
}

impl Entry {
    pub fn new(swatch: Swatch, colour: Colour, words: impl Into<String>) -> Entry {
        Entry { swatch, colour, words: words.into() }
    }

    fn width(&self) -> f64 {
        width_of(&self.words, TEXT) + 52.0
    }
}

/// How many lines of entries there are at this width.
pub(crate) fn entry_lines(entries: &[Entry], width: f64) -> usize {
    placed(entries, width).last().map_or(0, |last| last.1 + 1)
}

/// Draws entries from left to right, and in further lines where they do not fit.
pub(crate) fn entries(canvas: &mut Canvas, (x, y): Point, entries: &[Entry], width: f64) {
    for (entry, (across, line)) in entries.iter().zip(placed(entries, width)) {
        let (x, y) = (x + across, y + LINE * line as f64 + 16.0);
        // Ends are round, and stick out by half a width.
        let line = |width: f64| [(x + width / 2.0, y - 5.0), (x + 30.0 - width / 2.0, y - 5.0)];
        match entry.swatch {
            Swatch::Line(width) => canvas.strokes(&[line(width).to_vec()], entry.colour, width),
            Swatch::Dashes(width) => canvas.strokes(&dashes(&line(width), 5.0, 5.0 + width), entry.colour, width),
            Swatch::Mark(mark, r) => canvas.mark(mark, (x + 15.0, y - 5.0), r, entry.colour),
        }
        canvas.text((x + 37.0, y), &entry.words, TEXT, Anchor::Start, INK);
    }
}

/// Where each entry begins, and in which line.
fn placed(entries: &[Entry], width: f64) -> Vec<(f64, usize)> {
    let (mut across, mut line) = (0.0, 0);
    let place = |entry: &Entry| {
        // The gap after the last entry of a line may stick out.
        if across > 0.0 && across + entry.width() - 16.0 > width {
            (across, line) = (0.0, line + 1);
        }
        let at = (across, line);
        across += entry.width();
        at
    };
    entries.iter().map(place).collect()
}
