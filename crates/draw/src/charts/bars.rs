//! Groups of bars from 0, with their intervals.

use super::plot::{LEFT, Marker, Plot, RIGHT, Series};
use super::{Interval, LABEL};
use crate::canvas::{Anchor, Canvas, Colour, INK};
use crate::scales::{Axis, Scale};

/// A bar that is less high cannot be seen.
const LEAST_HEIGHT: f64 = 1.5;
/// Less than this is rounding.
const ZERO: f64 = 1e-9;

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
            bar(&mut plot.canvas, &up, left(group) + thick * place as f64, thick, *value, bars.colour);
        }
    }
    plot.canvas
}

/// One bar from 0, with its interval. One that is too short to be seen has its value above it.
fn bar(canvas: &mut Canvas, up: &Scale, x: f64, thick: f64, value: Interval, colour: Colour) {
    let (top, foot, middle) = (up.place(value.middle), up.place(0.0), x + 0.47 * thick);
    canvas.rectangle((x, top.min(foot)), (thick * 0.94, (top - foot).abs()), colour, None);
    if value.half_width > 0.0 {
        let (low, high) = (up.place(value.low()), up.place(value.high()));
        canvas.line((middle, low), (middle, high), INK, 1.5);
        for end in [low, high] {
            canvas.line((middle - 3.0, end), (middle + 3.0, end), INK, 1.5);
        }
    } else if (top - foot).abs() < LEAST_HEIGHT {
        canvas.line((x, foot - 1.0), (x + 0.94 * thick, foot - 1.0), colour, 2.0);
        let words = if value.middle.abs() < ZERO { "0" } else { "≈0" };
        canvas.text((middle, foot - 6.0), words, LABEL - 2, Anchor::Middle, colour);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::{BLUE, VERMILION};

    #[test]
    fn a_bar_of_zero_says_so_and_a_missing_one_does_not() {
        let series = |values: [f64; 3]| Bars::new("s", BLUE, values.map(Interval::exactly).to_vec());
        let groups = ["a", "b", "c"].map(str::to_string);
        let of = |values| bars("x", &Axis::linear("y"), &groups, &[series(values)]).svg();
        let zero = format!(r#"fill="{BLUE}">0</text>"#);
        assert_eq!(of([10.0, 0.0, f64::NAN]).matches(&zero).count(), 1);
        assert_eq!(of([10.0, 5.0, f64::NAN]).matches(&zero).count(), 0);
        assert!(of([10.0, 0.001, 1.0]).contains(">≈0</text>") && !of([10.0, 0.0, 1.0]).contains(&VERMILION.to_string()));
    }
}
