//! What stands at the edge of a road map: its border, the scale bar, north, and where the data is from.

use super::view::{Frame, View};
use crate::canvas::{Anchor, Canvas, Colour, GREY, INK, Point, width_of};
use crate::legend::SMALL_TEXT;
use crate::scales::short;

/// From the edge of the sheet to the map.
pub(super) const MARGIN: f64 = 10.0;

/// The border of a map.
pub(super) fn border(canvas: &mut Canvas, frame: &Frame) {
    let (left, top, right, bottom) = (frame.left, frame.top, frame.right(), frame.bottom());
    canvas.polyline(&[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], Colour::hex(0xAAAAAA), 1.0);
}

/// A bar of a round length, and an arrow to the north; the right end of the bar is at the point.
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
    // Text that is wider than the bar ends where the bar does.
    let wide = width_of(&words, SMALL_TEXT);
    let middle = ((left + right) / 2.0).min(right - wide / 2.0);
    canvas.text((middle, y - 7.0), &words, SMALL_TEXT, Anchor::Middle, INK);
    let north = left.min(middle - wide / 2.0) - 16.0;
    canvas.polygon(&[(north, y - 24.0), (north + 4.5, y - 13.0), (north - 4.5, y - 13.0)], INK, 1.0);
    canvas.text((north, y), "N", SMALL_TEXT, Anchor::Middle, INK);
}

/// A length in metres or kilometres.
pub(super) fn in_metres(length: f64) -> String {
    if length >= 1000.0 { format!("{} km", short(length / 1000.0)) } else { format!("{} m", short(length)) }
}

/// Where the data is from, in the lower right corner of the sheet.
pub(super) fn attribution(canvas: &mut Canvas, (right, bottom): Point, words: Option<&str>) {
    if let Some(words) = words {
        canvas.text((right, bottom), words, SMALL_TEXT - 1, Anchor::End, GREY);
    }
}
