//! The colours of classes of values, with the edges of the classes.

use super::title::{SMALL_TEXT, TEXT};
use crate::canvas::{Anchor, Canvas, Colour, INK, Point, width_of};
use crate::scales::Classes;

/// How high a colour bar is, with its label and its ticks.
pub(crate) const BAR_HEIGHT: f64 = 58.0;

/// A colour bar with its label above and the edges of the classes below. An end with values beyond it is pointed.
pub(crate) fn colour_bar(
    canvas: &mut Canvas,
    (x, y): Point,
    length: f64,
    classes: &Classes,
    colour: &dyn Fn(usize) -> Colour,
    label: &str,
) {
    const HIGH: f64 = 12.0;
    const TIP: f64 = 10.0;
    canvas.text((x, y + 15.0), label, TEXT, Anchor::Start, INK);
    let (top, bottom) = (y + 24.0, y + 24.0 + HIGH);
    let labels = classes.labels();
    let half = |edge: usize| width_of(&labels[edge], SMALL_TEXT) / 2.0;
    let (from, to) = (x + TIP.max(half(0)), x + length - TIP.max(half(classes.len())));
    let at = |edge: usize| from + (to - from) * edge as f64 / classes.len() as f64;
    for class in 0..classes.len() {
        // Slightly too wide, so that no gaps show between them.
        let wide = at(class + 1) - at(class) + if class + 1 < classes.len() { 0.4 } else { 0.0 };
        canvas.rectangle((at(class), top), (wide, HIGH), colour(class), None);
    }
    for (beyond, edge, tip, class) in [(classes.below, from, from - TIP, 0), (classes.above, to, to + TIP, classes.len() - 1)] {
        if beyond {
            canvas.polygon(&[(edge, top), (tip, (top + bottom) / 2.0), (edge, bottom)], colour(class), 1.0);
        }
    }
    let apart = |stride: &usize| {
        let shown: Vec<usize> = classes.labelled(*stride).collect();
        shown.windows(2).all(|pair| at(pair[0]) + half(pair[0]) + 6.0 < at(pair[1]) - half(pair[1]))
    };
    for edge in classes.labelled([1, 2, 3, 5, 10].into_iter().find(apart).unwrap_or(16)) {
        canvas.line((at(edge), bottom), (at(edge), bottom + 4.0), INK, 1.0);
        canvas.text((at(edge), bottom + 18.0), &labels[edge], SMALL_TEXT, Anchor::Middle, INK);
    }
}
