//! Curves, with bands for their intervals.

use super::Interval;
use super::plot::{LEFT, Marker, Plot, RIGHT, Series, mark};
use crate::canvas::{Canvas, Colour, Point};
use crate::scales::Axis;

/// A curve with the interval of each point.
#[derive(Debug, Clone)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// How its points are marked.
    pub marker: Marker,
    /// x, and y with its interval.
    pub points: Vec<(f64, Interval)>,
}

impl Curve {
    /// A curve with these points: x, and y with its interval.
    pub fn new(name: impl Into<String>, colour: Colour, marker: Marker, points: Vec<(f64, Interval)>) -> Curve {
        Curve { name: name.into(), colour, marker, points }
    }
}

/// A chart of curves.
pub fn curves(x: &Axis, y: &Axis, curves: &[Curve]) -> Canvas {
    let legend: Vec<Series<'_>> = curves.iter().map(|c| (c.name.as_str(), c.colour, c.marker)).collect();
    let mut plot = Plot::new(&y.label, &legend, &x.label, 1);
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let across = x.scale(points().map(|(x, _)| *x), LEFT, RIGHT);
    let up = y.scale(points().flat_map(|(_, y)| [y.middle, y.low(), y.high()]), plot.bottom, plot.top);
    plot.ticks_up(&up);
    plot.ticks_across(&across.ticks().iter().map(|(value, label)| (across.place(*value), label.as_str())).collect::<Vec<_>>());
    for curve in curves {
        let at = |pick: fn(&Interval) -> f64| curve.points.iter().map(move |(x, y)| (*x, pick(y)));
        let placed = |points: &mut dyn Iterator<Item = Point>| -> Vec<Point> {
            points.map(|(x, y)| (across.place(x), up.place(y))).collect()
        };
        let mut band = placed(&mut at(|y| y.low()));
        band.extend(placed(&mut at(|y| y.high()).collect::<Vec<_>>().into_iter().rev()));
        let middle = placed(&mut at(|y| y.middle));
        if curve.marker == Marker::Dashes {
            middle.windows(2).for_each(|ends| plot.canvas.dashed_line(ends[0], ends[1], curve.colour, 2.0));
            continue;
        }
        plot.canvas.polygon(&band, curve.colour, 0.25);
        plot.canvas.polyline(&middle, curve.colour, 2.5);
        middle.iter().for_each(|&point| mark(&mut plot.canvas, curve.marker, point, curve.colour));
    }
    plot.canvas
}
