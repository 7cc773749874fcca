//! The states of a small MDP as circles, with arrows for its transitions.

use std::f64::consts::PI;

use super::{LABEL, WIDTH};
use crate::canvas::{Anchor, Canvas, Colour, GREY, INK, Point, WHITE, dashes};

/// The radius of a state.
const RADIUS: f64 = 22.0;
/// Between the rows of states.
const ROW: f64 = 120.0;
const ARROW: f64 = 10.0;
/// Grey shading of what was added.
const SHADE: Colour = Colour::hex(0xE4E4E4);

/// A state of a diagram.
#[derive(Debug, Clone, PartialEq)]
pub struct DiagramState {
    /// What is written in it.
    pub label: String,
    /// Its place: the column, which may be between two, and the row from the top.
    pub at: (f64, f64),
    /// Whether episodes begin here: an arrow from nowhere.
    pub start: bool,
    /// Whether episodes end here: a double circle.
    pub terminal: bool,
    /// Whether it was added to the MDP: dashed and shaded.
    pub added: bool,
}

/// A transition of a diagram.
#[derive(Debug, Clone, PartialEq)]
pub struct DiagramArrow {
    /// The states that it leads from and to, by their places in the list. A state may lead to itself.
    pub ends: [usize; 2],
    /// What is written beside it.
    pub label: String,
    /// Whether it was added to the MDP: dashed.
    pub added: bool,
}

/// A diagram of states and transitions. An arrow between states that do not exist is left out.
pub fn diagram(states: &[DiagramState], arrows: &[DiagramArrow]) -> Canvas {
    let extent = |pick: fn(&DiagramState) -> f64| states.iter().map(pick).fold(0.0, f64::max);
    let (columns, rows) = (extent(|state| state.at.0), extent(|state| state.at.1));
    let loops = arrows.iter().any(|arrow| arrow.ends[0] == arrow.ends[1]);
    let below = if loops { 2.9 } else { 1.5 } * RADIUS;
    let mut canvas = Canvas::new(WIDTH, 40.0 + RADIUS + ROW * rows + below);
    let step = (WIDTH - 2.0 * (RADIUS + 46.0)) / columns.max(1.0);
    let place = |state: &DiagramState| (RADIUS + 46.0 + step * state.at.0, 40.0 + ROW * state.at.1);
    for arrow in arrows {
        let [Some(from), Some(to)] = arrow.ends.map(|end| states.get(end)) else { continue };
        match arrow.ends[0] == arrow.ends[1] {
            true => self_loop(&mut canvas, place(from), arrow),
            false => straight(&mut canvas, [place(from), place(to)], arrow),
        }
    }
    for state in states {
        draw_state(&mut canvas, place(state), state);
    }
    canvas
}

fn draw_state(canvas: &mut Canvas, (x, y): Point, state: &DiagramState) {
    let (edge, fill) = if state.added { (GREY, SHADE) } else { (INK, WHITE) };
    if state.added {
        canvas.circle((x, y), RADIUS, fill);
        canvas.strokes(&dashes(&arc((x, y), RADIUS, 0.0, 2.0 * PI), 6.0, 4.0), edge, 1.6);
    } else {
        canvas.circle((x, y), RADIUS + 0.8, edge);
        canvas.circle((x, y), RADIUS - 0.8, fill);
    }
    if state.terminal {
        canvas.circle((x, y), RADIUS - 4.0, edge);
        canvas.circle((x, y), RADIUS - 5.4, fill);
    }
    if state.start {
        line(canvas, &[(x - RADIUS - 36.0, y), (x - RADIUS - 2.0, y)], INK, false);
    }
    canvas.text((x, y + 5.5), &state.label, LABEL, Anchor::Middle, INK);
}

/// An arrow from the edge of one state to that of another, with its label above or to the left.
fn straight(canvas: &mut Canvas, [from, to]: [Point; 2], arrow: &DiagramArrow) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(1e-9);
    let (right, down) = (dx / length, dy / length);
    let at = |along: f64| (from.0 + along * right, from.1 + along * down);
    let colour = if arrow.added { GREY } else { INK };
    line(canvas, &[at(RADIUS + 2.0), at(length - RADIUS - 3.0)], colour, arrow.added);
    // Beside the line, on the side of the start.
    let (x, y) = at(0.42 * length);
    let aside = if right.abs() > 0.9 { (0.0, -8.0) } else { (if right < 0.0 { 17.0 } else { -17.0 }, 9.0) };
    canvas.text((x + aside.0, y + aside.1), &arrow.label, LABEL - 1, Anchor::Middle, colour);
}

/// An arrow from a state to itself, below it.
fn self_loop(canvas: &mut Canvas, (x, y): Point, arrow: &DiagramArrow) {
    let (r, centre) = (0.7 * RADIUS, (x, y + 1.55 * RADIUS));
    let colour = if arrow.added { GREY } else { INK };
    // From the right side of the state, below, to its left side.
    line(canvas, &arc(centre, r, -0.31 * PI, 1.29 * PI), colour, arrow.added);
    canvas.text((x + r + 8.0, y + 1.9 * RADIUS), &arrow.label, LABEL - 1, Anchor::Start, colour);
}

/// A part of a circle, clockwise from the right.
fn arc((x, y): Point, r: f64, from: f64, to: f64) -> Vec<Point> {
    const STEPS: u32 = 48;
    let turn = |k: u32| from + (to - from) * f64::from(k) / f64::from(STEPS);
    (0..=STEPS).map(|k| (x + r * turn(k).cos(), y + r * turn(k).sin())).collect()
}

/// A line with the head of an arrow at its end.
fn line(canvas: &mut Canvas, points: &[Point], colour: Colour, dashed: bool) {
    let [.., before, end] = points else { return };
    if dashed {
        canvas.strokes(&dashes(points, 6.0, 4.0), colour, 1.6);
    } else {
        canvas.polyline(points, colour, 1.6);
    }
    let length = (end.0 - before.0).hypot(end.1 - before.1).max(1e-9);
    let (right, down) = ((end.0 - before.0) / length, (end.1 - before.1) / length);
    let corner =
        |side: f64| (end.0 - ARROW * right - side * 0.45 * ARROW * down, end.1 - ARROW * down + side * 0.45 * ARROW * right);
    canvas.polygon(&[*end, corner(1.0), corner(-1.0)], colour, 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(label: &str, at: (f64, f64), added: bool) -> DiagramState {
        DiagramState { label: label.to_string(), at, start: false, terminal: false, added }
    }

    #[test]
    fn every_state_and_arrow_is_on_the_sheet() {
        let states = [state("s₁", (0.0, 0.0), false), state("s₂", (1.0, 0.0), false), state("sₐ", (0.5, 1.0), true)];
        let arrow = |ends, label: &str, added| DiagramArrow { ends, label: label.to_string(), added };
        let arrows =
            [arrow([0, 1], "a", false), arrow([1, 2], "aₐ", true), arrow([2, 2], "aₐ", true), arrow([0, 9], "nowhere", false)];
        let svg = diagram(&states, &arrows).svg();
        for words in [">s₁<", ">s₂<", ">sₐ<", ">a<"] {
            assert_eq!(svg.matches(words).count(), 1, "{words}");
        }
        assert_eq!((svg.matches(">aₐ<").count(), svg.contains("nowhere")), (2, false));
        // Three heads of arrows, and the rest is on the sheet, too.
        assert_eq!(svg.matches("fill-opacity").count(), 3);
        assert!(!svg.contains("NaN") && !svg.contains("=\"-"), "{svg}");
        assert!(!diagram(&[], &[]).svg().contains("NaN"));
    }
}
