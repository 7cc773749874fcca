//! Charts that can be read at column width: curves with intervals, and groups of bars.
//!
//! The label of the vertical axis stands above it, where it reads as text does, and the legend above the plot, where it
//! hides nothing.

use crate::axis::{Axis, Scale};
use crate::canvas::{Anchor, Canvas, FAINT, INK, Point, width_of};
use crate::stats::Mean;

/// At 8.5 cm, 16 units are 8 points.
const WIDTH: f64 = 480.0;
const SIZE: u32 = 16;
const LINE: f64 = 22.0;
const PLOT_HEIGHT: f64 = 270.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = WIDTH - 18.0;

/// A curve with the interval of each point.
pub(crate) struct Curve {
    pub name: String,
    pub colour: &'static str,
    pub marker: Marker,
    /// x, and y with its interval.
    pub points: Vec<(f64, Mean)>,
}

/// How points are marked: by shape as well as by colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    /// A dashed line without markers, for comparison.
    Dashes,
    /// Bars.
    Block,
}

/// Bars of one colour, one in each group.
pub(crate) struct Bars {
    pub name: String,
    pub colour: &'static str,
    pub values: Vec<Mean>,
}

/// Curves, with bands for their intervals.
pub(crate) fn curves(x: &Axis, y: &Axis, curves: &[Curve]) -> Canvas {
    let legend: Vec<(&str, &str, Marker)> = curves.iter().map(|c| (c.name.as_str(), c.colour, c.marker)).collect();
    let mut frame = Frame::new(&y.label, &legend, &x.label, 1);
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let across = x.scale(points().map(|(x, _)| *x), LEFT, RIGHT);
    let up = y.scale(points().flat_map(|(_, y)| [y.mean, y.low(), y.high()]), frame.bottom, frame.top);
    frame.ticks_up(&up);
    frame.ticks_across(&across.ticks().iter().map(|(value, label)| (across.place(*value), label.as_str())).collect::<Vec<_>>());
    for curve in curves {
        let at = |pick: fn(&Mean) -> f64| curve.points.iter().map(move |(x, y)| (*x, pick(y)));
        let placed = |points: &mut dyn Iterator<Item = Point>| -> Vec<Point> {
            points.map(|(x, y)| (across.place(x), up.place(y))).collect()
        };
        let mut band = placed(&mut at(|y| y.low()));
        band.extend(placed(&mut at(|y| y.high()).collect::<Vec<_>>().into_iter().rev()));
        let middle = placed(&mut at(|y| y.mean));
        if curve.marker == Marker::Dashes {
            middle.windows(2).for_each(|ends| frame.canvas.dashes(ends[0], ends[1], curve.colour, 2.0));
            continue;
        }
        frame.canvas.polygon(&band, curve.colour, 0.25);
        frame.canvas.polyline(&middle, curve.colour, 2.5);
        middle.iter().for_each(|&point| mark(&mut frame.canvas, curve.marker, point, curve.colour));
    }
    frame.canvas
}

/// Groups of bars from 0, with their intervals. The name of a group may have several lines.
pub(crate) fn bars(x_label: &str, y: &Axis, groups: &[String], series: &[Bars]) -> Canvas {
    let legend: Vec<(&str, &str, Marker)> = series.iter().map(|s| (s.name.as_str(), s.colour, Marker::Block)).collect();
    let mut frame = Frame::new(&y.label, &legend, x_label, groups.iter().map(|name| name.lines().count()).max().unwrap_or(1));
    let values = series.iter().flat_map(|bars| &bars.values).flat_map(|value| [value.mean, value.low(), value.high()]);
    let base = if y.log { f64::NAN } else { 0.0 };
    let up = y.scale(values.chain([base]), frame.bottom, frame.top);
    frame.ticks_up(&up);
    let room = (RIGHT - LEFT) / groups.len().max(1) as f64;
    let thick = 0.8 * room / series.len().max(1) as f64;
    let left = |group: usize| LEFT + room * (group as f64 + 0.1);
    let middles: Vec<(f64, &str)> =
        groups.iter().enumerate().map(|(group, name)| (left(group) + 0.4 * room, name.as_str())).collect();
    frame.ticks_across(&middles);
    for (place, bars) in series.iter().enumerate() {
        // A value that is not there has no bar.
        for (group, value) in bars.values.iter().enumerate().filter(|(_, value)| value.mean.is_finite()) {
            let x = left(group) + thick * place as f64;
            let (top, foot) = (up.place(value.mean), up.place(0.0));
            frame.canvas.rectangle((x, top.min(foot)), (thick * 0.94, (top - foot).abs()), bars.colour, None);
            if value.half_width > 0.0 {
                let (middle, low, high) = (x + 0.47 * thick, up.place(value.low()), up.place(value.high()));
                frame.canvas.line((middle, low), (middle, high), INK, 1.5);
                for end in [low, high] {
                    frame.canvas.line((middle - 3.0, end), (middle + 3.0, end), INK, 1.5);
                }
            }
        }
    }
    frame.canvas
}

/// The axes, the legend and the room between them.
struct Frame {
    canvas: Canvas,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn new(y_label: &str, legend: &[(&str, &str, Marker)], x_label: &str, tick_lines: usize) -> Frame {
        let lines = legend_lines(legend);
        let top = LINE * (lines.len() + 1) as f64 + 14.0;
        let bottom = top + PLOT_HEIGHT;
        let mut canvas = Canvas::new(WIDTH, bottom + 34.0 + LINE * tick_lines as f64);
        for (line, entries) in lines.iter().enumerate() {
            let mut x = 8.0;
            let y = LINE * (line as f64 + 1.0) - 4.0;
            for &(name, colour, marker) in entries {
                match marker {
                    Marker::Dashes => canvas.dashes((x, y - 5.0), (x + 26.0, y - 5.0), colour, 2.0),
                    Marker::Block => {}
                    _ => canvas.line((x, y - 5.0), (x + 26.0, y - 5.0), colour, 2.5),
                }
                mark(&mut canvas, marker, (x + 13.0, y - 5.0), colour);
                canvas.text((x + 33.0, y), name, SIZE, Anchor::Start, INK);
                x += entry_width(name);
            }
        }
        canvas.text((8.0, top - 12.0), y_label, SIZE, Anchor::Start, INK);
        canvas.text(((LEFT + RIGHT) / 2.0, bottom + 24.0 + LINE * tick_lines as f64), x_label, SIZE, Anchor::Middle, INK);
        Frame { canvas, top, bottom }
    }

    fn ticks_up(&mut self, up: &Scale) {
        for (value, label) in up.ticks() {
            let y = up.place(value);
            self.canvas.line((LEFT, y), (RIGHT, y), FAINT, 1.0);
            self.canvas.text((LEFT - 8.0, y + 5.5), &label, SIZE, Anchor::End, INK);
        }
        self.canvas.line((LEFT, self.top), (LEFT, self.bottom), INK, 1.2);
        self.canvas.line((LEFT, self.bottom), (RIGHT, self.bottom), INK, 1.2);
    }

    fn ticks_across(&mut self, ticks: &[(f64, &str)]) {
        for &(x, label) in ticks {
            self.canvas.line((x, self.bottom), (x, self.bottom + 5.0), INK, 1.2);
            for (line, words) in label.lines().enumerate() {
                // A label at the end of the axis stays on the sheet.
                let x = x.min(WIDTH - width_of(words, SIZE) / 2.0 - 2.0);
                self.canvas.text((x, self.bottom + LINE * (line as f64 + 1.0)), words, SIZE, Anchor::Middle, INK);
            }
        }
    }
}

fn entry_width(name: &str) -> f64 {
    width_of(name, SIZE) + 50.0
}

/// The entries of a legend in lines that fit.
fn legend_lines<'a>(legend: &[(&'a str, &'a str, Marker)]) -> Vec<Vec<(&'a str, &'a str, Marker)>> {
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

fn mark(canvas: &mut Canvas, marker: Marker, (x, y): Point, colour: &str) {
    match marker {
        Marker::Circle => canvas.circle((x, y), 4.5, colour),
        Marker::Square => canvas.rectangle((x - 4.5, y - 4.5), (9.0, 9.0), colour, None),
        Marker::Triangle => canvas.polygon(&[(x, y - 6.0), (x + 5.5, y + 4.0), (x - 5.5, y + 4.0)], colour, 1.0),
        Marker::Block => canvas.rectangle((x - 11.0, y - 7.0), (22.0, 14.0), colour, None),
        Marker::Dashes => {}
    }
}
