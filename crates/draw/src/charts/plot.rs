//! The axes of a chart, its legend, and the room between them.
//!
//! The label of the vertical axis is above it, where it reads as text does. The legend is above the plot, where it
//! hides nothing.

use super::{LABEL, WIDTH};
use crate::canvas::{Anchor, Canvas, Colour, FAINT, INK, Point, width_of};
use crate::scales::Scale;

const LINE: f64 = 22.0;
const PLOT_HEIGHT: f64 = 270.0;
pub(super) const LEFT: f64 = 62.0;
pub(super) const RIGHT: f64 = WIDTH - 18.0;

/// How a series is marked: by shape as well as by colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Marker {
    /// Points as circles, joined by a line.
    Circle,
    /// Points as squares, joined by a line.
    Square,
    /// Points as triangles, joined by a line.
    Triangle,
    /// A dashed line without markers, for comparison.
    Dashes,
    /// Bars.
    Block,
}

/// An entry of the legend: name, colour, marker.
pub(super) type Series<'a> = (&'a str, Colour, Marker);

/// A chart with axes and a legend, to draw data into.
pub(super) struct Plot {
    pub canvas: Canvas,
    pub top: f64,
    pub bottom: f64,
}

impl Plot {
    pub fn new(y_label: &str, legend: &[Series<'_>], x_label: &str, tick_lines: usize) -> Plot {
        let lines = legend_lines(legend);
        let top = LINE * (lines.len() + 1) as f64 + 14.0;
        let bottom = top + PLOT_HEIGHT;
        let mut canvas = Canvas::new(WIDTH, bottom + 34.0 + LINE * tick_lines as f64);
        for (line, entries) in lines.iter().enumerate() {
            let mut x = 8.0;
            let y = LINE * (line as f64 + 1.0) - 4.0;
            for &(name, colour, marker) in entries {
                match marker {
                    Marker::Dashes => canvas.dashed_line((x, y - 5.0), (x + 26.0, y - 5.0), colour, 2.0),
                    Marker::Block => {}
                    _ => canvas.line((x, y - 5.0), (x + 26.0, y - 5.0), colour, 2.5),
                }
                mark(&mut canvas, marker, (x + 13.0, y - 5.0), colour);
                canvas.text((x + 33.0, y), name, LABEL, Anchor::Start, INK);
                x += entry_width(name);
            }
        }
        canvas.text((8.0, top - 12.0), y_label, LABEL, Anchor::Start, INK);
        canvas.text(((LEFT + RIGHT) / 2.0, bottom + 24.0 + LINE * tick_lines as f64), x_label, LABEL, Anchor::Middle, INK);
        Plot { canvas, top, bottom }
    }

    pub fn ticks_up(&mut self, up: &Scale) {
        for (value, label) in up.ticks() {
            let y = up.place(value);
            self.canvas.line((LEFT, y), (RIGHT, y), FAINT, 1.0);
            self.canvas.text((LEFT - 8.0, y + 5.5), &label, LABEL, Anchor::End, INK);
        }
        self.canvas.line((LEFT, self.top), (LEFT, self.bottom), INK, 1.2);
        self.canvas.line((LEFT, self.bottom), (RIGHT, self.bottom), INK, 1.2);
    }

    pub fn ticks_across(&mut self, ticks: &[(f64, &str)]) {
        for &(x, label) in ticks {
            self.canvas.line((x, self.bottom), (x, self.bottom + 5.0), INK, 1.2);
            for (line, words) in label.lines().enumerate() {
                // A label at the end of the axis stays on the sheet.
                let x = x.min(WIDTH - width_of(words, LABEL) / 2.0 - 2.0);
                self.canvas.text((x, self.bottom + LINE * (line as f64 + 1.0)), words, LABEL, Anchor::Middle, INK);
            }
        }
    }
}

fn entry_width(name: &str) -> f64 {
    width_of(name, LABEL) + 50.0
}

/// The entries of a legend in lines that fit.
fn legend_lines<'a>(legend: &[Series<'a>]) -> Vec<Vec<Series<'a>>> {
    let mut lines = vec![Vec::new()];
    let mut width = 0.0;
    for &entry in legend {
        width += entry_width(entry.0);
        if width > WIDTH && lines.last().is_some_and(|line| !line.is_empty()) {
            lines.push(Vec::new());
            width = entry_width(entry.0);
        }
        if let Some(line) = lines.last_mut() {
            line.push(entry);
        }
    }
    lines
}

/// A marker at a point.
pub(super) fn mark(canvas: &mut Canvas, marker: Marker, (x, y): Point, colour: Colour) {
    match marker {
        Marker::Circle => canvas.circle((x, y), 4.5, colour),
        Marker::Square => canvas.rectangle((x - 4.5, y - 4.5), (9.0, 9.0), colour, None),
        Marker::Triangle => canvas.polygon(&[(x, y - 6.0), (x + 5.5, y + 4.0), (x - 5.5, y + 4.0)], colour, 1.0),
        Marker::Block => canvas.rectangle((x - 11.0, y - 7.0), (22.0, 14.0), colour, None),
        Marker::Dashes => {}
    }
}
