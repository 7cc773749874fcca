//! Groups of bars from 0, with their intervals.

use super::Interval;
use super::plot::{LEFT, Marker, Plot, RIGHT, Series};
use crate::canvas::{Canvas, Colour, INK};
use crate::scales::Axis;

/// Bars of one colour, one in each group.
#[derive(Debug, Clone)]
pub struct Bars {
    /// Their name in the legend.
    pub name: String,
    /// Their colour.
    pub colour: Colour,
    /// A value for each group. Where it is NaN, there is no bar.
    pub values: Vec<Interval>,
}

impl Bars {
    /// Bars with a value for each group.
    pub fn new(name: impl Into<String>, colour: Colour, values: Vec<Interval>) -> Bars {
        Bars { name: name.into(), colour, values }
    }
}

/// A chart of groups of bars. The name of a group may have several lines.
pub fn bars(x_label: &str, y: &Axis, groups: &[String], series: &[Bars]) -> Canvas {
    let legend: Vec<Series<'_>> = series.iter().map(|s| (s.name.as_str(), s.colour, Marker::Block)).collect();
    let mut plot = Plot::new(&y.label, &legend, x_label, groups.iter().map(|name| name.lines().count()).max().unwrap_or(1));
    let values = series.iter().flat_map(|bars| &bars.values).flat_map(|value| [value.middle, value.low(), value.high()]);
    let base = if y.log { f64::NAN } else { 0.0 };
    let up = y.scale(values.chain([base]), plot.bottom, plot.top);
    plot.ticks_up(&up);
    let room = (RIGHT - LEFT) / groups.len().max(1) as f64;
    let thick = 0.8 * room / series.len().max(1) as f64;
    let left = |group: usize| LEFT + room * (group as f64 + 0.1);
    let middles: Vec<(f64, &str)> =
        groups.iter().enumerate().map(|(group, name)| (left(group) + 0.4 * room, name.as_str())).collect();
    plot.ticks_across(&middles);
    for (place, bars) in series.iter().enumerate() {
        for (group, value) in bars.values.iter().enumerate().filter(|(_, value)| value.middle.is_finite()) {
            let x = left(group) + thick * place as f64;
            let (top, foot) = (up.place(value.middle), up.place(0.0));
            plot.canvas.rectangle((x, top.min(foot)), (thick * 0.94, (top - foot).abs()), bars.colour, None);
            if value.half_width > 0.0 {
                let (middle, low, high) = (x + 0.47 * thick, up.place(value.low()), up.place(value.high()));
                plot.canvas.line((middle, low), (middle, high), INK, 1.5);
                for end in [low, high] {
                    plot.canvas.line((middle - 3.0, end), (middle + 3.0, end), INK, 1.5);
                }
            }
        }
    }
    plot.canvas
}
