//! Rewards of a grid world as heat maps side by side, with the policy's arrows and the letters of the map.

use crate::canvas::{Anchor, Canvas, Colour, GREY, INK, Point, WHITE};
use crate::charts::{LABEL, WIDTH};

const GAP: f64 = 24.0;

/// A grid world with one value in each cell.
#[derive(Debug, Clone, Copy)]
pub struct GridMap<'a> {
    /// What it shows.
    pub title: &'a str,
    /// Cells in a row; cell i is in row i / columns.
    pub columns: usize,
    /// The reward of each cell.
    pub values: &'a [f64],
    /// A letter for each cell, such as S, H and G; a space where there is none.
    pub letters: &'a [char],
    /// The action of the policy in each cell, 0 left, 1 down, 2 right, 3 up; `None` in terminal cells.
    pub arrows: &'a [Option<usize>],
}

/// Maps side by side. With `one_scale`, the same colour means the same value in all of them; otherwise each has its own
/// scale, for rewards that differ in size.
pub fn grid_maps(maps: &[GridMap<'_>], one_scale: bool) -> Canvas {
    let n = maps.len().max(1) as f64;
    let side = (WIDTH - GAP * (n - 1.0) - 4.0) / n;
    let height = |map: &GridMap<'_>| side / map.columns.max(1) as f64 * map.values.len().div_ceil(map.columns.max(1)) as f64;
    let tallest = maps.iter().map(height).fold(0.0, f64::max);
    let mut canvas = Canvas::new(WIDTH, tallest + 84.0);
    let of = |map: &GridMap<'_>| map.values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let largest = maps.iter().map(of).fold(0.0, f64::max);
    for (place, map) in maps.iter().enumerate() {
        let corner = (2.0 + place as f64 * (side + GAP), 28.0);
        canvas.text((corner.0, 18.0), map.title, LABEL, Anchor::Start, INK);
        let most = if one_scale { largest } else { of(map) };
        cells(&mut canvas, map, corner, side / map.columns.max(1) as f64, most);
        colour_bar(&mut canvas, (corner.0, corner.1 + tallest + 12.0), side, most);
    }
    canvas
}

/// Smaller cells have no room for their value.
const LEAST_CELL: f64 = 34.0;

fn cells(canvas: &mut Canvas, map: &GridMap<'_>, corner: Point, size: f64, most: f64) {
    for (cell, &value) in map.values.iter().enumerate() {
        let (row, column) = (cell / map.columns.max(1), cell % map.columns.max(1));
        let (x, y) = (corner.0 + column as f64 * size, corner.1 + row as f64 * size);
        canvas.rectangle((x, y), (size, size), colour(value / most), Some(WHITE));
        let with_value = size >= LEAST_CELL;
        // The value is at the foot of the cell, and the rest is above it.
        let middle = (x + size / 2.0, y + if with_value { 0.36 } else { 0.5 } * size);
        if with_value {
            let tall = (0.24 * size).clamp(9.0, 14.0);
            canvas.text((middle.0, y + 0.9 * size), &number(value), tall as u32, Anchor::Middle, INK);
        }
        if let Some(Some(action)) = map.arrows.get(cell) {
            arrow(canvas, middle, if with_value { 0.24 } else { 0.32 } * size, *action, INK);
        }
        if let Some(letter) = map.letters.get(cell).filter(|letter| !letter.is_whitespace()) {
            let tall = (0.36 * size).clamp(8.0, 20.0);
            // Small and in the corner where there is an arrow, in the middle where there is none.
            let (at, tall, anchor) = match map.arrows.get(cell) {
                Some(Some(_)) => {
                    let small = (0.7 * tall).max(8.0);
                    ((x + 0.05 * size, y + 0.8 * small + 0.03 * size), small, Anchor::Start)
                }
                _ => ((middle.0, middle.1 + 0.36 * tall), tall, Anchor::Middle),
            };
            canvas.text(at, &letter.to_string(), tall as u32, anchor, INK);
        }
    }
}

/// A value in few characters.
fn number(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    let words = format!("{value:.digits$}");
    let is_zero = words.chars().all(|letter| "-0.".contains(letter));
    if is_zero { if value == 0.0 { "0".to_string() } else { "≈ 0".to_string() } } else { words.replace('-', "−") }
}

/// An arrow in the direction of an action.
fn arrow(canvas: &mut Canvas, (x, y): Point, long: f64, action: usize, colour: Colour) {
    let (right, down) = [(-1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, -1.0)][action % 4];
    let at = |along: f64, across: f64| (x + long * (along * right - across * down), y + long * (along * down + across * right));
    canvas.line(at(-0.9, 0.0), at(0.3, 0.0), colour, (0.12 * long).max(1.2));
    canvas.polygon(&[at(0.95, 0.0), at(0.2, 0.5), at(0.2, -0.5)], colour, 1.0);
}

fn colour_bar(canvas: &mut Canvas, corner: Point, length: f64, most: f64) {
    const STEPS: usize = 64;
    let part = |step: usize| 2.0 * (step as f64 + 0.5) / STEPS as f64 - 1.0;
    for step in 0..STEPS {
        let x = corner.0 + length * step as f64 / STEPS as f64;
        // Slightly too wide, so that no gaps show between them.
        canvas.rectangle((x, corner.1), (length / STEPS as f64 + 0.4, 10.0), colour(part(step)), None);
    }
    let y = corner.1 + 28.0;
    let shown = |value: f64| format!("{}", (value * 100.0).round() / 100.0).replace('-', "−");
    canvas.text((corner.0, y), &shown(-most), LABEL - 2, Anchor::Start, GREY);
    canvas.text((corner.0 + length / 2.0, y), "0", LABEL - 2, Anchor::Middle, GREY);
    canvas.text((corner.0 + length, y), &shown(most), LABEL - 2, Anchor::End, GREY);
}

/// From light vermilion (-1) over near white (0) to light blue (1). The ends are light enough for dark text.
fn colour(part: f64) -> Colour {
    let part = if part.is_finite() { part.clamp(-1.0, 1.0) } else { 0.0 };
    let end = if part < 0.0 { [224.0, 146.0, 85.0] } else { [96.0, 158.0, 205.0] };
    Colour { rgb: end.map(|end: f64| (246.0 + (end - 246.0) * part.abs()).round() as u8) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_have_their_letters_arrows_and_scales() {
        let letters: Vec<char> = "S   H  G ".chars().collect();
        let arrows = [Some(0), Some(1), Some(2), Some(3), None, Some(1), Some(2), None, Some(0)];
        let truth = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let learned = [-1.7, -4.4, -1.6, -1.7, 1.5, -2.1, -10.0, 10.0, 0.5];
        let map = |title, values| GridMap { title, columns: 3, values, letters: &letters, arrows: &arrows };
        let canvas = grid_maps(&[map("true reward", &truth), map("learned reward", &learned)], false);
        let svg = canvas.svg();
        for words in ["true reward", "learned reward", ">S<", ">H<", ">G<", ">−10<", ">1<", ">−4.40<", ">0<", ">10.0<"] {
            assert!(svg.contains(words), "{words} is not in {svg}");
        }
        // With one scale, the smaller map has the scale of the larger, and 0.1 stands nowhere.
        let one = grid_maps(&[map("true reward", &truth)], true).svg();
        assert!(
            one.contains("#609ecd") && !grid_maps(&[map("t", &[0.1; 9]), map("l", &learned)], true).svg().contains(">0.1<")
        );
        assert!(png::Decoder::new(std::io::Cursor::new(canvas.png().unwrap())).read_info().is_ok());
    }

    #[test]
    fn values_are_short_and_can_be_read_on_every_colour() {
        assert_eq!([0.0, -0.001, -1.0, 12.34, -634.0].map(number), ["0", "≈ 0", "−1.00", "12.3", "−634"]);
        let luminance = |colour: Colour| {
            let linear = |channel: u8| {
                let value = f64::from(channel) / 255.0;
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            let [r, g, b] = colour.rgb.map(linear);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        for part in [-1.0, -0.5, 0.0, 0.5, 1.0] {
            // The contrast that WCAG asks of text.
            let contrast = (luminance(colour(part)) + 0.05) / (luminance(INK) + 0.05);
            assert!(contrast > 4.5, "{part}: {contrast}");
        }
    }
}
